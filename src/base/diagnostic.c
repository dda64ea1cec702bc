/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diagnostic.h"

#include "base/limits.h"

#include <stdarg.h>
#include <string.h>

static void clear(struct portolan_error *error, enum portolan_status status)
{
    memset(error, 0, sizeof *error);
    error->status = status;
}

enum portolan_status fail(struct portolan_error *error, enum portolan_status status, const char *format, ...)
{
    if (error) {
        clear(error, status);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum portolan_status fail_at(struct portolan_error *error, const char *file, unsigned line, unsigned column,
                             const char *source, const char *format, ...)
{
    if (error) {
        clear(error, PORTOLAN_BAD_INPUT);
        snprintf(error->file, sizeof error->file, "%s", file ? file : "");
        error->line = line;
        error->column = column;
        snprintf(error->source, sizeof error->source, "%s", source ? source : "");
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return PORTOLAN_BAD_INPUT;
}

void hint(struct portolan_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

enum portolan_status fail_memory(struct portolan_error *error)
{
    switch (limits_stop()) {
    case PORTOLAN_COMPLETE: return fail(error, PORTOLAN_NO_MEMORY, "out of memory");
    case PORTOLAN_TIME_LIMIT: return fail(error, PORTOLAN_STOPPED, "the time limit was reached");
    case PORTOLAN_MEMORY_LIMIT: return fail(error, PORTOLAN_STOPPED, "the memory limit was reached");
    default: return fail(error, PORTOLAN_STOPPED, "interrupted");
    }
}

const char *portolan_status_text(enum portolan_status status)
{
    switch (status) {
    case PORTOLAN_OK: return "no error";
    case PORTOLAN_NO_MEMORY: return "out of memory";
    case PORTOLAN_IO: return "a file could not be read or written";
    case PORTOLAN_BAD_INPUT: return "the input is not well-formed";
    case PORTOLAN_BAD_OPTION: return "an option is unknown or has an invalid value";
    case PORTOLAN_REFUSED: return "the combination would not be sound";
    case PORTOLAN_OVERFLOW: return "a value is too large";
    case PORTOLAN_STOPPED: return "a limit was reached";
    }
    return "unknown status";
}

/* A caret under the column; tabs of the source line are kept so that it lines up. */
static void write_caret(const struct portolan_error *error, FILE *out)
{
    fprintf(out, "    ");
    for (unsigned i = 0; i + 1 < error->column && error->source[i]; i++)
        fputc(error->source[i] == '\t' ? '\t' : ' ', out);
    fprintf(out, "^\n");
}

void diagnostic_write(const struct portolan_error *error, FILE *out)
{
    if (error->file[0]) {
        fprintf(out, "%s:", error->file);
        if (error->line)
            fprintf(out, "%u:", error->line);
        if (error->column)
            fprintf(out, "%u:", error->column);
        fputc(' ', out);
    } else {
        fprintf(out, "portolan: ");
    }
    fprintf(out, "error: %s\n", error->message[0] ? error->message : portolan_status_text(error->status));
    if (error->source[0]) {
        fprintf(out, "    %s\n", error->source);
        if (error->column)
            write_caret(error, out);
    }
    if (error->hint[0])
        fprintf(out, "hint: %s\n", error->hint);
}
