/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of .gg files build with: labels and values, each once. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"

#include <string.h>

enum portolan_status gg_no_memory(struct reader *r)
{
    return r->parser.status ? r->parser.status : (r->parser.status = fail_memory(r->parser.error));
}

uint32_t gg_label_number(struct reader *r, enum label_kind kind, const char *text)
{
    uint32_t number = r->parser.status ? NO_NUMBER : grammar_label(r->grammar, kind, text);
    if (number == NO_NUMBER)
        gg_no_memory(r);
    return number;
}

uint32_t gg_value_number(struct reader *r, const struct value *value)
{
    uint32_t number = r->parser.status ? NO_NUMBER : grammar_value(r->grammar, *value);
    if (number == NO_NUMBER)
        gg_no_memory(r);
    return number;
}

struct position gg_position_at(const struct reader *r, unsigned line, unsigned column)
{
    struct position at = {.line_start = r->text, .line = line, .column = column};
    for (unsigned passed = 1; passed < line; passed++) {
        const char *end = memchr(at.line_start, '\n', (size_t)(r->lexer.end - at.line_start));
        if (!end)
            break;
        at.line_start = end + 1;
    }
    return at;
}
