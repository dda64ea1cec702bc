/* SPDX-License-Identifier: Apache-2.0 */
/* portolan convert IN OUT */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "front/grammar/grammar_text.h"
#include "front/grammar/write_gps.h"
#include "front/groove/groove.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ a text file, whole or not at all */

static enum portolan_status cannot_write(const char *path, struct portolan_error *error)
{
    return fail(error, PORTOLAN_IO, "cannot write '%.200s': %s", path, strerror(errno));
}

static FILE *open_temporary(char *path)
{
    int descriptor = mkstemp(path);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!out && descriptor >= 0) {
        close(descriptor);
        unlink(path);
    }
    return out;
}

/* What mkstemp makes is for its owner alone. */
static bool publish(const char *temporary, const char *path)
{
    mode_t mask = umask(0);
    umask(mask);
    return chmod(temporary, 0666 & ~mask) == 0 && rename(temporary, path) == 0;
}

static enum portolan_status save_text(const struct grammar *grammar, const char *path, struct portolan_error *error)
{
    char temporary[4096];
    if (strcmp(path, "-") == 0)
        return gg_write(grammar, stdout, error);
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary)
        return fail(error, PORTOLAN_IO, "the name '%.200s' is too long", path);
    FILE *out = open_temporary(temporary);
    if (!out)
        return cannot_write(path, error);
    enum portolan_status status = gg_write(grammar, out, error);
    if (!close_output(out, path, error) && status == PORTOLAN_OK)
        status = PORTOLAN_IO;
    if (status == PORTOLAN_OK && !publish(temporary, path))
        status = cannot_write(path, error);
    if (status != PORTOLAN_OK)
        unlink(temporary);
    return status;
}

/* ------------------------------------------------------------------ formats */

struct format {
    const char *extension;
    enum portolan_status (*read)(const char *path, const char *start, struct grammar **grammar,
                                 struct portolan_error *error);
    enum portolan_status (*write)(const struct grammar *grammar, const char *path, struct portolan_error *error);
};

static const struct format formats[] = {{".gg", gg_read, save_text}, {".gps", groove_read_all, gps_write}, {0}};

/* By the end of the name; a directory may be written with a slash, and a start graph in it has its own name. */
static const struct format *format_of(const char *path, bool is_output, struct portolan_error *error)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (const struct format *format = formats; format->extension; format++) {
        size_t wanted = strlen(format->extension);
        if (length > wanted && strncmp(path + length - wanted, format->extension, wanted) == 0)
            return format;
    }
    if (strcmp(path, "-") == 0 && is_output)
        return &formats[0];
    if (length > 4 && strncmp(path + length - 4, ".gst", 4) == 0 && !is_output)
        return &formats[1];
    fail(error, PORTOLAN_BAD_OPTION, "the name '%.200s' does not end in .gg or .gps", path);
    hint(error, "a text file ends in .gg, a GROOVE directory in .gps");
    return NULL;
}

int command_convert(struct settings *settings)
{
    struct portolan_error error = {0};
    struct grammar *grammar = NULL;
    if (settings->words.count != 2)
        return wrong_usage("convert");
    const char *in = settings->words.item[0], *out = settings->words.item[1];
    const struct format *from = format_of(in, false, &error), *to = from ? format_of(out, true, &error) : NULL;
    if (!to)
        return wrong(&error);
    enum portolan_status status = from->read(in, settings->start, &grammar, &error);
    if (status == PORTOLAN_OK)
        status = grammar->edges_are_nodes
                     ? fail(&error, PORTOLAN_BAD_INPUT, "a grammar with parallel edges cannot be written")
                     : to->write(grammar, out, &error);
    grammar_free(grammar);
    return status == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
}
