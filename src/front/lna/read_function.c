/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of .lna: prototypes, bodies, parameters. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <string.h>

struct header { /* of a function, as it is written */
    struct position at;
    const char *name;
    const struct colour_type *result;
    VECTOR(const struct colour_type *) parameters;
};

/* (T a, U b): they become locals. */
static enum portolan_status read_parameter_list(struct parser *p, struct header *header)
{
    parser_expect(p, "(", "'('");
    while (!p->status && !parser_is(p, ")")) {
        const struct colour_type *colour = lna_read_type_name(p);
        const char *name = NULL;
        if (parser_new_name(p, "the name of a parameter", &name))
            return p->status;
        if (!arena_push(p->arena, &header->parameters, colour))
            return p->status = fail_memory(p->error);
        lna_declare_local(p, name, colour, false);
        if (!parser_take(p, ","))
            break;
    }
    return parser_expect(p, ")", "',' or ')'");
}

static enum portolan_status read_header(struct parser *p, struct header *header)
{
    header->at = p->lexer->token.at;
    parser_new_name(p, "the name of a function", &header->name);
    read_parameter_list(p, header);
    parser_expect(p, "->", "'->'");
    header->result = lna_read_type_name(p);
    return p->status;
}

static bool are_equal(const struct colour_function *function, const struct header *header)
{
    bool equal = function->result == header->result && function->parameters.count == header->parameters.count;
    for (size_t i = 0; i < header->parameters.count && equal; i++)
        equal = function->parameters.item[i] == header->parameters.item[i];
    return equal;
}

/* The function that was declared before, or a new one. */
static struct colour_function *declare(struct parser *p, const struct header *header)
{
    struct colour_function *function = p->status ? NULL : lna_find_function(p, header->name);
    if (function && !are_equal(function, header)) {
        parser_fail(p, &header->at, "'%.64s' was declared with different types on line %u", header->name,
                    function->at.line);
        return NULL;
    }
    if (function || parser_get(p, sizeof *function, &function))
        return function;
    function->name = header->name;
    function->result = header->result;
    function->at = header->at;
    memcpy(&function->parameters, &header->parameters, sizeof function->parameters);
    if (!arena_push(p->arena, &p->syntax->functions, function))
        p->status = fail_memory(p->error);
    return function;
}

static enum portolan_status read_body(struct parser *p, struct colour_function *function)
{
    if (function->body || function->is_imported)
        return lna_declared_twice(p, &function->at, "function", function->name);
    p->syntax->function = function;
    lna_read_statement(p, &function->body);
    function->frame = p->syntax->frame;
    p->syntax->function = NULL;
    return p->status;
}

enum portolan_status lna_read_function(struct parser *p, bool is_imported)
{
    struct header header = {0};
    p->syntax->frame = 0;
    read_header(p, &header);
    struct colour_function *function = declare(p, &header);
    if (function && is_imported)
        parser_expect(p, ";", "';'");
    else if (function && !p->status && !parser_take(p, ";"))
        read_body(p, function);
    if (function && is_imported) {
        function->is_imported = true;
        function->frame = p->syntax->frame;
    }
    p->syntax->locals.count = 0;
    return p->status;
}

enum portolan_status lna_check_functions(struct parser *p)
{
    for (size_t i = 0; i < p->syntax->functions.count && !p->status; i++) {
        const struct colour_function *function = p->syntax->functions.item[i];
        if (!function->body && !function->is_imported)
            parser_fail(p, &function->at, "the function '%.64s' has no body", function->name);
    }
    return p->status;
}
