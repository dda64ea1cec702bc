/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a net: parameters, declarations one after the other, places, propositions. */
#include "base/diagnostic.h"
#include "base/text_file.h"
#include "front/lna/reader.h"

#include <string.h>

/* --------------------------------------------------------------------- places */

static enum portolan_status read_domain(struct parser *p, struct colour_place *place)
{
    parser_expect_word(p, "dom");
    parser_expect(p, ":", "':'");
    if (!parser_take(p, "epsilon"))
        do {
            const struct colour_type *type = lna_read_type_name(p);
            if (type && !arena_push(p->arena, &place->domain, type))
                p->status = fail_memory(p->error);
        } while (parser_take(p, "*"));
    parser_expect(p, ";", "'*' or ';'");
    place->tuple = p->status ? NULL : lna_tuple_type(p, place);
    return p->status;
}

static enum portolan_status read_initial(struct parser *p, struct colour_place *place)
{
    struct arc_term **end = &place->initial;
    while (*end) /* more than one */
        end = &(*end)->next;
    lna_read_label(p, end);
    return p->status ? p->status : lna_type_label(p, *end, place, true);
}

static enum portolan_status read_capacity(struct parser *p, struct colour_place *place)
{
    parse_expression(p, &place->capacity);
    int64_t most = lna_static_number(p, &place->capacity, NULL);
    if (!p->status && most < 1)
        parser_fail(p, &place->capacity->at, "a capacity must be at least 1");
    return p->status;
}

/* What the place stands for tells a reduction more than it needs here. */
static enum portolan_status read_purpose(struct parser *p)
{
    static const char *const purposes[] = {"process", "local", "shared", "protected", "buffer", "ack"};
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
        if (parser_take(p, purposes[i]))
            return p->status;
    return parser_expected(p, "process, local, shared, protected, buffer or ack");
}

static enum portolan_status read_place_attribute(struct parser *p, struct colour_place *place)
{
    bool is_initial = parser_take(p, "init");
    bool is_capacity = !is_initial && parser_take(p, "capacity");
    if (!is_initial && !is_capacity && !parser_take(p, "type"))
        return parser_expected(p, "init, capacity, type or '}'");
    parser_expect(p, ":", "':'");
    if (is_initial)
        read_initial(p, place);
    else if (is_capacity)
        read_capacity(p, place);
    else
        read_purpose(p);
    return parser_expect(p, ";", "';'");
}

enum portolan_status lna_read_place(struct parser *p)
{
    struct colour_place place = {.at = p->lexer->token.at};
    uint32_t before;
    p->syntax->frame = 0;
    if (!parser_new_name(p, "the name of a place", &place.name) && lna_find_place(p, place.name, &before))
        lna_declared_twice(p, &place.at, "place", place.name);
    parser_expect(p, "{", "'{'");
    read_domain(p, &place);
    while (!p->status && !parser_is(p, "}"))
        read_place_attribute(p, &place);
    parser_expect(p, "}", "'}'");
    if (!p->status && !arena_push(p->arena, &p->syntax->net->places, place))
        p->status = fail_memory(p->error);
    return p->status;
}

/* --------------------------------------------------------------- propositions */

enum portolan_status lna_read_proposition(struct parser *p)
{
    struct colour_proposition proposition = {0};
    struct colour_net *net = p->syntax->net;
    struct position at = p->lexer->token.at;
    p->syntax->frame = 0;
    p->syntax->sees_marking = true;
    parser_new_name(p, "the name of a proposition", &proposition.name);
    for (size_t i = 0; i < net->propositions.count && !p->status; i++)
        if (strcmp(net->propositions.item[i].name, proposition.name) == 0)
            lna_declared_twice(p, &at, "proposition", proposition.name);
    parser_expect(p, ":", "':'");
    parse_expression(p, &proposition.value);
    lna_type_condition(p, &proposition.value);
    parser_expect(p, ";", "';'");
    p->syntax->sees_marking = false;
    proposition.frame = p->syntax->frame;
    if (!p->status && !arena_push(p->arena, &net->propositions, proposition))
        p->status = fail_memory(p->error);
    return p->status;
}

/* ------------------------------------------------------------------- the file */

static enum portolan_status read_imported(struct parser *p)
{
    parser_expect_word(p, "function");
    return lna_read_function(p, true);
}

static enum portolan_status read_own_function(struct parser *p)
{
    return lna_read_function(p, false);
}

static enum portolan_status read_declaration(struct parser *p)
{
    static const struct {
        const char *word;
        enum portolan_status (*read)(struct parser *p);
    } kinds[] = {{"type", lna_read_type},
                 {"subtype", lna_read_subtype},
                 {"constant", lna_read_constant},
                 {"place", lna_read_place},
                 {"function", read_own_function},
                 {"import", read_imported},
                 {"transition", lna_read_transition},
                 {"proposition", lna_read_proposition}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (parser_take(p, kinds[i].word))
            return kinds[i].read(p);
    return parser_expected(p, "type, subtype, constant, function, place, transition, proposition or '}'");
}

static enum portolan_status read_net(struct parser *p)
{
    lna_predefine_types(p);
    parser_advance(p);
    parser_new_name(p, "the name of the net", &p->syntax->net->name);
    lna_read_parameters(p);
    lna_check_definitions(p);
    parser_expect(p, "{", "'{'");
    while (!p->status && !parser_is(p, "}"))
        read_declaration(p);
    parser_expect(p, "}", "'}'");
    if (!p->status && p->lexer->token.kind != TOKEN_END)
        parser_expected(p, "the end of the file");
    lna_check_functions(p);
    lna_import_functions(p);
    return lna_evaluate_late_constants(p);
}

/* The text stays, since errors while the net runs show lines of it. */
static enum portolan_status parse(struct colour_net *net, const char *path, const char *text, size_t length,
                                  const char *const *definitions, size_t count, struct portolan_error *error)
{
    char *copy = arena_copy(net->arena, text, length);
    net->file = arena_copy(net->arena, path, strlen(path));
    if (!copy || !net->file)
        return fail_memory(error);
    enum portolan_status status = lna_preprocess(path, text, length, copy, definitions, count, error);
    if (status)
        return status;
    struct syntax syntax = {.net = net, .definitions = definitions, .definition_count = count};
    struct lexer lexer;
    lexer_init(&lexer, &lna_rules, net->file, copy, length);
    struct parser parser = {
        .language = &lna_language, .lexer = &lexer, .arena = net->arena, .error = error, .syntax = &syntax};
    status = read_net(&parser);
    free(syntax.locals.item);
    lexer_clear(&lexer);
    return status;
}

enum portolan_status lna_read_text(const char *file, const char *text, size_t length, const char *const *definitions,
                                   size_t count, struct colour_net **net, struct portolan_error *error)
{
    *net = colour_net_new("");
    enum portolan_status status =
        *net ? parse(*net, file, text, length, definitions, count, error) : fail_memory(error);
    if (status) {
        colour_net_free(*net);
        *net = NULL;
    }
    return status;
}

enum portolan_status lna_read(const char *path, const char *const *definitions, size_t count, struct colour_net **net,
                              struct portolan_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status)
        return status;
    status = lna_read_text(path, text, length, definitions, count, net, error);
    free(text);
    return status;
}
