/* SPDX-License-Identifier: Apache-2.0 */
#include "library/properties.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/contest/contest.h"
#include "front/lna/properties.h"

#include <string.h>

static const struct {
    const char *ending, *summary;
    enum portolan_status (*read)(const char *path, const struct portolan_system *system, struct questions *questions,
                                 struct portolan_error *error);
} readers[] = {
    {".xml", "formulas of the Model Checking Contest", contest_read},
    {".prop.lna", "properties of Helena", lna_properties_read},
};

enum { READERS = sizeof readers / sizeof *readers };

enum portolan_status questions_read(const char *path, const struct portolan_system *system, struct questions *questions,
                                    struct portolan_error *error)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < READERS; i++) {
        size_t ending = strlen(readers[i].ending);
        if (length <= ending || strcmp(path + length - ending, readers[i].ending) != 0)
            continue;
        enum portolan_status status = readers[i].read(path, system, questions, error);
        return limits_stop() == PORTOLAN_COMPLETE ? status : fail_memory(error); /* something may be missing */
    }
    fail(error, PORTOLAN_BAD_INPUT, "the format of the properties in '%.200s' is unknown: its name has no known ending",
         path);
    hint(error, "names end with %s (%s) or %s (%s)", readers[0].ending, readers[0].summary, readers[1].ending,
         readers[1].summary);
    return PORTOLAN_BAD_INPUT;
}
