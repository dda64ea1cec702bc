/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/obstacle.h"

#include "base/diagnostic.h"
#include "base/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line as it stands in the file now; nothing when it cannot be read again. */
static void show_line(struct portolan_error *error)
{
    char *text = NULL, *line;
    size_t length;
    if (text_file_read(error->file, &text, &length, NULL) != PORTOLAN_OK)
        return;
    line = text;
    for (unsigned i = 1; i < error->line && line; i++)
        line = (line = strchr(line, '\n')) ? line + 1 : NULL;
    if (line)
        snprintf(error->source, sizeof error->source, "%.*s", (int)strcspn(line, "\r\n"), line);
    free(text);
}

void obstacle_tell(const struct obstacle *o, struct portolan_error *error)
{
    if (!error)
        return;
    size_t used = strlen(error->message), room = sizeof error->message - used;
    if (!o->rule) {
        snprintf(error->message + used, room, ": %s", o->reason);
        return;
    }
    snprintf(error->message + used, room, ": rule '%.100s' %s", o->rule->name, o->reason);
    if (!o->rule->file || o->rule->line == 0)
        return;
    snprintf(error->file, sizeof error->file, "%s", o->rule->file);
    error->line = o->line ? o->line : o->rule->line;
    error->column = o->line ? o->column : o->rule->column;
    show_line(error);
}
