/* SPDX-License-Identifier: Apache-2.0 */
/* A grammar in a directory, as text. */
#include "random_graph.h"

#include "base/diagnostic.h"
#include "front/grammar/grammar_text.h"
#include "front/groove/groove.h"

enum portolan_status graph_draft_convert(const char *directory, const char *file, struct portolan_error *error)
{
    struct grammar *grammar = NULL;
    enum portolan_status status = groove_read(directory, NULL, &grammar, error);
    FILE *out = status == PORTOLAN_OK ? fopen(file, "w") : NULL;
    if (out) {
        status = gg_write(grammar, out, error);
        if (fclose(out) != 0)
            status = fail(error, PORTOLAN_IO, "cannot write '%.200s'", file);
    } else if (status == PORTOLAN_OK) {
        status = fail(error, PORTOLAN_IO, "cannot open '%.200s'", file);
    }
    grammar_free(grammar);
    return status;
}
