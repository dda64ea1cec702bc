/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_file.h"

#include "base/diagnostic.h"
#include "base/input.h"
#include "base/limits.h"
#include "base/vector.h"

#include <errno.h>
#include <string.h>

static enum portolan_status cannot_read(const char *path, struct portolan_error *error)
{
    if (limits_stop() != PORTOLAN_COMPLETE)
        return fail_memory(error);
    fail(error, PORTOLAN_IO, "cannot read the file: %s", strerror(errno));
    if (error)
        snprintf(error->file, sizeof error->file, "%s", path);
    return PORTOLAN_IO;
}

/* Text holds no zeros: what works on strings would not see what follows one. */
static enum portolan_status refuse_zeros(const char *path, const char *text, size_t length,
                                         struct portolan_error *error)
{
    const char *zero = length ? memchr(text, '\0', length) : NULL, *line_start = text;
    unsigned line = 1;
    if (!zero)
        return PORTOLAN_OK;
    for (const char *c = text; c < zero; c++)
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        }
    return fail_at(error, path, line, (unsigned)(zero - line_start) + 1, line_start,
                   "a text file cannot contain NUL characters");
}

static enum portolan_status read_all(FILE *in, const char *path, char **text, size_t *length,
                                     struct portolan_error *error)
{
    enum { PIECE = 1 << 16 };
    VECTOR(char) read = {0};
    enum portolan_status status = PORTOLAN_OK;
    while (status == PORTOLAN_OK && !feof(in)) {
        if (!vector_reserve(&read, PIECE + 1)) {
            status = fail_memory(error);
            break;
        }
        read.count += fread(read.item + read.count, 1, PIECE, in);
        if (ferror(in))
            status = cannot_read(path, error);
        else if (read.count > TEXT_FILE_MOST)
            status = fail_at(error, path, 0, 0, NULL, "the file is larger than %d bytes", TEXT_FILE_MOST);
    }
    if (status == PORTOLAN_OK)
        status = refuse_zeros(path, read.item, read.count, error);
    if (status != PORTOLAN_OK) {
        free(read.item);
        return status;
    }
    read.item[read.count] = '\0';
    *text = read.item;
    *length = read.count;
    return PORTOLAN_OK;
}

enum portolan_status text_file_read(const char *path, char **text, size_t *length, struct portolan_error *error)
{
    FILE *in = input_stream(path);
    if (!in)
        return cannot_read(path, error);
    enum portolan_status status = read_all(in, path, text, length, error);
    fclose(in);
    return status;
}

const char *file_stem(const char *path, const char *ending, size_t *length)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *dot = strrchr(start, '.');
    bool ends = dot && dot > start && (!ending || strcmp(dot, ending) == 0);
    *length = ends ? (size_t)(dot - start) : strlen(start);
    return start;
}
