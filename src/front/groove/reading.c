/* SPDX-License-Identifier: Apache-2.0 */
#include "front/groove/reading.h"

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "xml/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool no_memory(struct reading *reading)
{
    if (reading->status == PORTOLAN_OK)
        reading->status = fail_memory(reading->error);
    return false;
}

/* The line of the file with this number, as far as it is shown. */
static void find_line(const struct file *file, unsigned number, char shown[XML_SHOWN_BYTES + 1])
{
    const char *line = file->text;
    shown[0] = '\0';
    for (; line && number > 1; number--) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (line)
        xml_clean_text(shown, XML_SHOWN_BYTES + 1, line, strcspn(line, "\r\n"));
}

bool groove_wrong(struct reading *reading, const struct file *file, struct place at, const char *format, ...)
{
    if (reading->status != PORTOLAN_OK)
        return false;
    reading->status = PORTOLAN_BAD_INPUT;
    if (!reading->error)
        return false;
    char message[sizeof reading->error->message], shown[XML_SHOWN_BYTES + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    find_line(file, at.line, shown);
    fail_at(reading->error, file->name, at.line, at.column, at.column <= strlen(shown) + 1 ? shown : "", "%s", message);
    return false;
}

bool wrong_file(struct reading *reading, const char *name, enum portolan_status status, const char *format, ...)
{
    if (reading->status != PORTOLAN_OK)
        return false;
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    reading->status = fail(reading->error, status, "%s", message);
    if (reading->error)
        snprintf(reading->error->file, sizeof reading->error->file, "%s", name);
    return false;
}

bool file_read(struct reading *reading, struct file *file, const char *name)
{
    *file = (struct file){.name = name};
    if (reading->status == PORTOLAN_OK)
        reading->status = text_file_read(name, &file->text, &file->length, reading->error);
    return reading->status == PORTOLAN_OK;
}

const char *keep(struct reading *reading, const char *text, size_t length)
{
    const char *copy = arena_copy(&reading->scratch, text, length);
    if (!copy)
        no_memory(reading);
    return copy;
}
