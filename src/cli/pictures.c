/* SPDX-License-Identifier: Apache-2.0 */
/* --pictures FILE of check and replay */
#include "cli/command.h"

#include "report/pictures.h"

#include <string.h>

enum portolan_status save_pictures(struct portolan_system *system, const uint32_t *actions, size_t count,
                                   const char *end, const char *path, struct portolan_error *error)
{
    const char *dot = strrchr(path, '.');
    bool is_html = dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
    if (!has_pictures(system, error))
        return PORTOLAN_REFUSED;
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    enum portolan_status status = pictures_write(system, actions, count, end, is_html, out, error);
    return close_output(out, path, error) ? status : PORTOLAN_IO;
}
