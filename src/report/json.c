/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

void json_start(struct json *json, FILE *out)
{
    *json = (struct json){.out = out, .first = true};
}

/* Bytes that are no UTF-8, as paths may hold, are written as text: "\\xff". */
static void write_escaped(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        size_t length = utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", out);
        else if (*c == '\t')
            fputs("\\t", out);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else if (length == 0)
            fprintf(out, "\\\\x%02x", *c);
        else
            fwrite(c, 1, length, out);
        c += length ? length : 1;
    }
    fputc('"', out);
}

static void begin_value(struct json *json, const char *name)
{
    if (!json->first)
        fputc(',', json->out);
    json->first = false;
    if (json->depth)
        fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
    if (name) {
        write_escaped(json->out, name);
        fputs(": ", json->out);
    }
}

void json_open(struct json *json, const char *name, char bracket)
{
    begin_value(json, name);
    fputc(bracket, json->out);
    json->depth++;
    json->first = true;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first)
        fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
    fputc(bracket, json->out);
    json->first = false;
    if (!json->depth)
        fputc('\n', json->out);
}

void json_string(struct json *json, const char *name, const char *text)
{
    begin_value(json, name);
    write_escaped(json->out, text);
}

void json_integer(struct json *json, const char *name, int64_t value)
{
    begin_value(json, name);
    fprintf(json->out, "%" PRId64, value);
}

void json_number(struct json *json, const char *name, double value)
{
    begin_value(json, name);
    if (isfinite(value))
        fprintf(json->out, "%.6f", value);
    else
        fputs("null", json->out); /* JSON has no other word for it */
}

void json_boolean(struct json *json, const char *name, bool value)
{
    begin_value(json, name);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
    begin_value(json, name);
    fputs("null", json->out);
}
