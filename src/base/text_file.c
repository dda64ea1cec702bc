#include "base/text_file.h"

#include "base/diagnostic.h"
#include "base/vector.h"

#include <errno.h>
#include <string.h>

static enum portolan_status cannot_read(const char *path, struct portolan_error *error)
{
    int reason = errno;
    fail(error, PORTOLAN_IO, "%s", strerror(reason));
    if (error)
        snprintf(error->file, sizeof error->file, "%s", path);
    return PORTOLAN_IO;
}

static enum portolan_status read_all(FILE *in, const char *path, char **text, size_t *length,
                                     struct portolan_error *error)
{
    enum { PIECE = 1 << 16 };
    VECTOR(char) read = {0};
    enum portolan_status status = PORTOLAN_OK;
    while (status == PORTOLAN_OK && !feof(in)) {
        if (!vector_reserve(&read, PIECE)) {
            status = fail_memory(error);
            break;
        }
        read.count += fread(read.item + read.count, 1, PIECE, in);
        if (ferror(in))
            status = cannot_read(path, error);
        else if (read.count > TEXT_FILE_MOST)
            status = fail_at(error, path, 0, 0, NULL, "the file is larger than %d bytes", TEXT_FILE_MOST);
    }
    if (status != PORTOLAN_OK) {
        free(read.item);
        return status;
    }
    *text = read.item;
    *length = read.count;
    return PORTOLAN_OK;
}

enum portolan_status text_file_read(const char *path, char **text, size_t *length, struct portolan_error *error)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return cannot_read(path, error);
    enum portolan_status status = read_all(in, path, text, length, error);
    fclose(in);
    return status;
}
