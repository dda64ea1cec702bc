/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a DVE model: variables, channels, processes, the system. */
#include "base/diagnostic.h"
#include "front/dve/ast.h"

#include <string.h>

void dve_syntax_clear(struct syntax *syntax)
{
    for (size_t i = 0; i < syntax->channels.count; i++) {
        free(syntax->channels.item[i].are_int.item);
        free(syntax->channels.item[i].first_cells.item);
    }
    for (size_t i = 0; i < syntax->processes.count; i++) {
        free(syntax->processes.item[i].states.item);
        free(syntax->processes.item[i].transitions.item);
        free(syntax->processes.item[i].assertions.item);
    }
    free(syntax->variables.item);
    free(syntax->channels.item);
    free(syntax->processes.item);
    arena_clear(&syntax->arena);
    lexer_clear(&syntax->lexer);
}

/* Appends to a list of the syntax; failing allocations are errors of the parser. */
#define add(parser, vector, value)                                                                                     \
    ((parser)->status || vector_push(vector, value) ? (parser)->status                                                 \
                                                    : ((parser)->status = fail_memory((parser)->error)))

static struct position here(const struct parser *parser)
{
    return parser->lexer->token.at;
}

static struct dve_process *present(const struct parser *parser)
{
    return &parser->syntax->processes.item[parser->syntax->present];
}

/* A word and what follows it up to ';', each read by `item`. */
static enum portolan_status parse_items(struct parser *parser, enum portolan_status (*item)(struct parser *parser))
{
    do
        item(parser);
    while (parser_take(parser, ","));
    return parser_expect(parser, ";", "',' or ';'");
}

/* ------------------------------------------------------------------ variables and channels */

static enum portolan_status parse_values(struct parser *parser, struct dve_variable *v)
{
    if (!parser_take(parser, "{"))
        return parse_expression(parser, &v->values);
    struct node **end = &v->values;
    do {
        if (parse_expression(parser, end))
            return parser->status;
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser_expect(parser, "}", "',' or '}'");
}

static enum portolan_status parse_variable(struct parser *parser, bool is_const, bool is_int)
{
    struct dve_variable v = {.at = here(parser), .is_const = is_const, .is_int = is_int, .length = 1};
    v.process = parser->syntax->present;
    parser_new_name(parser, "the name of a variable", &v.name);
    v.is_array = parse_index(parser, &v.size);
    if (parser_take(parser, "="))
        parse_values(parser, &v);
    return add(parser, &parser->syntax->variables, v);
}

static bool is_type(const struct parser *parser)
{
    return parser_is(parser, "byte") || parser_is(parser, "int");
}

static bool parse_type(struct parser *parser)
{
    bool is_int = parser_is(parser, "int");
    if (!is_type(parser))
        parser_expected(parser, "'byte' or 'int'");
    parser_advance(parser);
    return is_int;
}

/* [const] byte a, b[3] = {1, 2, 3}; */
static enum portolan_status parse_variables(struct parser *parser)
{
    bool is_const = parser_take(parser, "const"), is_int = parse_type(parser);
    do
        parse_variable(parser, is_const, is_int);
    while (parser_take(parser, ","));
    return parser_expect(parser, ";", "',' or ';'");
}

static bool starts_variables(const struct parser *parser)
{
    return is_type(parser) || parser_is(parser, "const");
}

static enum portolan_status parse_channel(struct parser *parser, bool is_typed, const bool *are_int, size_t fields)
{
    struct dve_channel c = {.at = here(parser), .is_typed = is_typed};
    parser_new_name(parser, "the name of a channel", &c.name);
    parse_index(parser, &c.size);
    for (size_t i = 0; i < fields; i++)
        add(parser, &c.are_int, are_int[i]);
    if (add(parser, &parser->syntax->channels, c))
        free(c.are_int.item);
    return parser->status;
}

/* channel a, b;  channel {byte, int} c[4]; */
static enum portolan_status parse_channels(struct parser *parser)
{
    VECTOR(bool) are_int = {0};
    bool is_typed = parser_take(parser, "{");
    if (is_typed) {
        do {
            bool is_int = parse_type(parser);
            add(parser, &are_int, is_int);
        } while (parser_take(parser, ","));
        parser_expect(parser, "}", "',' or '}'");
    }
    do
        parse_channel(parser, is_typed, are_int.item, are_int.count);
    while (parser_take(parser, ","));
    free(are_int.item);
    return parser_expect(parser, ";", "',' or ';'");
}

/* --------------------------------------------------------------------------- states */

static enum portolan_status parse_new_state(struct parser *parser)
{
    struct dve_state state = {.at = here(parser)};
    parser_new_name(parser, "the name of a state", &state.name);
    for (size_t i = 0; !parser->status && i < present(parser)->states.count; i++)
        if (strcmp(present(parser)->states.item[i].name, state.name) == 0)
            parser_fail(parser, &state.at, "there is already a state '%.60s'", state.name);
    return add(parser, &present(parser)->states, state);
}

/* The number of a state that has been declared. */
static enum portolan_status parse_state(struct parser *parser, uint32_t *number)
{
    const char *name;
    struct position at = here(parser);
    if (parser_name(parser, "the name of a state", &name))
        return parser->status;
    const struct dve_process *p = present(parser);
    for (*number = 0; *number < p->states.count; ++*number)
        if (strcmp(p->states.item[*number].name, name) == 0)
            return PORTOLAN_OK;
    return parser_fail(parser, &at, "process '%.60s' has no state '%.60s'", p->name, name);
}

static enum portolan_status parse_committed(struct parser *parser)
{
    uint32_t state;
    if (!parse_state(parser, &state))
        present(parser)->states.item[state].is_committed = true;
    return parser->status;
}

static enum portolan_status parse_accepting(struct parser *parser)
{
    uint32_t state;
    if (!parse_state(parser, &state))
        present(parser)->states.item[state].is_accepting = true;
    return parser->status;
}

/* state: condition */
static enum portolan_status parse_assertion(struct parser *parser)
{
    struct dve_assertion assertion = {.at = here(parser)};
    parse_state(parser, &assertion.state);
    parser_expect(parser, ":", "':'");
    parse_expression(parser, &assertion.condition);
    return add(parser, &present(parser)->assertions, assertion);
}

/* ---------------------------------------------------------------------- transitions */

static enum portolan_status parse_guard(struct parser *parser, struct dve_transition *t)
{
    parse_expression(parser, &t->guard);
    while (parser_take(parser, ",")) { /* all of them */
        struct node *next = NULL;
        parse_expression(parser, &next);
        if (parser->status || parser_parent(parser, NODE_BINARY, &t->guard))
            return parser->status;
        t->guard->operation = OPERATION_AND;
        t->guard->b = next;
        parser_close(parser, t->guard);
    }
    return parser->status;
}

/* c!value, c!{value, value}, c?variable, c?{variable, variable}, c!, c? */
static enum portolan_status parse_sync(struct parser *parser, struct dve_transition *t)
{
    t->sync_at = here(parser);
    parser_name(parser, "the name of a channel", &t->channel_name);
    t->sync = parser_take(parser, "!") ? SYNC_SEND : SYNC_RECEIVE;
    if (t->sync == SYNC_RECEIVE)
        parser_expect(parser, "?", "'!' or '?'");
    if (parser_is(parser, ";"))
        return parser->status;
    bool in_braces = parser_take(parser, "{");
    struct node **end = &t->values;
    do {
        if (parse_expression(parser, end))
            return parser->status;
        end = &(*end)->next;
    } while (in_braces && parser_take(parser, ","));
    return in_braces ? parser_expect(parser, "}", "',' or '}'") : parser->status;
}

static enum portolan_status parse_effects(struct parser *parser, struct dve_transition *t)
{
    struct node **end = &t->effects;
    do {
        if (parse_tight(parser, PRECEDENCE_PRODUCT + 1, end) ||
            parser_parent(parser, NODE_ASSIGN, end)) /* no operator */
            return parser->status;
        if (!parser_take(parser, ":="))
            parser_expect(parser, "=", "'='");
        if (parse_expression(parser, &(*end)->b) || parser_close(parser, *end))
            return parser->status;
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

/* from -> to { guard e; sync c!e; effect x = e; }; without `from` as the transition before */
static enum portolan_status parse_transition(struct parser *parser)
{
    struct dve_process *p = present(parser);
    struct dve_transition t = {.at = here(parser), .process = parser->syntax->present};
    if (parser_is(parser, "->") && p->transitions.count)
        t.from = p->transitions.item[p->transitions.count - 1].from;
    else
        parse_state(parser, &t.from);
    parser_expect(parser, "->", "'->'");
    parse_state(parser, &t.to);
    parser_expect(parser, "{", "'{'");
    while (!parser->status && !parser_is(parser, "}")) {
        if (!t.guard && parser_take(parser, "guard"))
            parse_guard(parser, &t);
        else if (!t.sync && parser_take(parser, "sync"))
            parse_sync(parser, &t);
        else if (!t.effects && parser_take(parser, "effect"))
            parse_effects(parser, &t);
        else
            parser_expected(parser, "'guard', 'sync' or 'effect', each at most once, or '}'");
        parser_expect(parser, ";", "';'");
    }
    parser_expect(parser, "}", "'}'");
    return add(parser, &p->transitions, t);
}

/* ------------------------------------------------------------------------- processes */

static enum portolan_status parse_process_part(struct parser *parser)
{
    if (parser_take(parser, "state"))
        return parse_items(parser, parse_new_state);
    if (parser_take(parser, "init")) {
        parse_state(parser, &present(parser)->initial);
        return parser_expect(parser, ";", "';'");
    }
    if (parser_take(parser, "commit"))
        return parse_items(parser, parse_committed);
    if (parser_take(parser, "accept"))
        return parse_items(parser, parse_accepting);
    if (parser_take(parser, "assert"))
        return parse_items(parser, parse_assertion);
    if (parser_take(parser, "trans"))
        return parse_items(parser, parse_transition);
    return starts_variables(parser) ? parse_variables(parser) : parser_expected(parser, "a part of a process, or '}'");
}

static enum portolan_status parse_process(struct parser *parser)
{
    struct dve_process p = {.at = here(parser), .initial = UINT32_MAX, .model_process = NO_PROCESS};
    parser_new_name(parser, "the name of a process", &p.name);
    if (parser_expect(parser, "{", "'{'") || add(parser, &parser->syntax->processes, p))
        return parser->status;
    parser->syntax->present = (uint32_t)parser->syntax->processes.count - 1;
    while (!parser->status && !parser_is(parser, "}"))
        parse_process_part(parser);
    parser_expect(parser, "}", "'}'");
    if (!parser->status && present(parser)->initial == UINT32_MAX) {
        parser_fail(parser, &p.at, "process '%.60s' has no initial state", p.name);
        hint(parser->error, "write: state a, b; init a;");
    }
    parser->syntax->present = NO_PROCESS;
    return parser->status;
}

/* system async [property P]; */
static enum portolan_status parse_system(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    syntax->synchronous_at = here(parser);
    syntax->is_synchronous = parser_take(parser, "sync");
    if (!syntax->is_synchronous)
        parser_expect_word(parser, "async");
    if (parser_take(parser, "property")) {
        syntax->property_at = here(parser);
        parser_name(parser, "the name of a process", &syntax->property_name);
    }
    return parser_expect(parser, ";", "';'");
}

enum portolan_status dve_parse(struct parser *parser)
{
    parser->syntax->present = parser->syntax->property = NO_PROCESS;
    for (;;) {
        if (parser_take(parser, "channel"))
            parse_channels(parser);
        else if (parser_take(parser, "process"))
            parse_process(parser);
        else if (starts_variables(parser))
            parse_variables(parser);
        else
            break;
        if (parser->status)
            return parser->status;
    }
    if (!parser_is(parser, "system"))
        return parser_expected(parser, "a variable, a channel, a process or 'system'");
    parser_advance(parser);
    parse_system(parser);
    if (!parser->status && parser->lexer->token.kind != TOKEN_END)
        parser_expected(parser, "the end of the file: 'system' comes last");
    return parser->status;
}
