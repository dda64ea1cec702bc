/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of check and explore, as text and as JSON. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/command.h"
#include "report/json.h"

struct answer_words {
    char text[48];
};
/* "HOLDS", "VIOLATED", "UNDECIDED"; of a maximum the number. */
const char *answer_text(const struct portolan_property *property, const struct portolan_answer *answer,
                        struct answer_words *words);

/* What the search covered: one or two lines. */
void print_coverage(const struct job *job, FILE *out);
/* The object that --json promises. */
enum portolan_status write_json_answer(struct job *job, const char *model, FILE *out, struct portolan_error *error);
/* The fields on the exploration, into an open object. */
void json_statistics(struct json *json, const struct portolan_result *result);

#endif
