/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON: commas, indentation and escapes are taken care of. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool first; /* in the present object or array */
};

void json_start(struct json *json, FILE *out);
/* A name is NULL inside an array (and for the outermost value). */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *name, const char *text);
void json_integer(struct json *json, const char *name, int64_t value);
void json_number(struct json *json, const char *name, double value);
void json_boolean(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

#endif
