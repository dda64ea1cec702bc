/* SPDX-License-Identifier: Apache-2.0 */
/* Transitions of .lna: their arcs are read first, then it is known which names are variables. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <string.h>

struct let {
    const struct colour_type *colour;
    const char *name;
    struct node *value;
    struct let *next;
};

struct written { /* a transition before its names have a meaning */
    struct colour_transition *transition;
    struct iterator *picks;
    struct let *lets;
};

/* -------------------------------------------------------------------- reading */

/* pick { v in T; ... } */
static enum portolan_status read_picks(struct parser *p, struct iterator **list)
{
    parser_expect(p, "{", "'{'");
    while (!p->status && !parser_is(p, "}")) {
        if (lna_read_iterator(p, list))
            return p->status;
        list = &(*list)->next;
        parser_expect(p, ";", "';'");
    }
    return parser_expect(p, "}", "'}'");
}

/* let { T v := e; ... } */
static enum portolan_status read_lets(struct parser *p, struct let **list)
{
    parser_expect(p, "{", "'{'");
    while (!p->status && !parser_is(p, "}")) {
        if (parser_get(p, sizeof **list, list))
            return p->status;
        (*list)->colour = lna_read_type_name(p);
        parser_new_name(p, "the name of a variable", &(*list)->name);
        parser_expect(p, ":=", "':='");
        parse_expression(p, &(*list)->value);
        parser_expect(p, ";", "';'");
        list = &(*list)->next;
    }
    return parser_expect(p, "}", "'}'");
}

/* "text", e, ...: each %d, %s and the like shows a value */
static enum portolan_status read_description(struct parser *p, struct colour_transition *t)
{
    struct position at = p->lexer->token.at;
    if (p->status || p->lexer->token.kind != TOKEN_QUOTED)
        return parser_expected(p, "a text in quotes");
    char *text = arena_copy(p->arena, p->lexer->token.name, strlen(p->lexer->token.name));
    if (!text)
        return p->status = fail_memory(p->error);
    t->description = text;
    parser_advance(p);
    if (parser_take(p, ","))
        lna_read_expressions(p, &t->described);
    const struct node *shown = t->described;
    for (char *c = text; *c && !p->status; c++)
        if (*c == '%' && *++c != '%') {
            if (!*c || !strchr("diuscx", *c))
                return parser_fail(p, &at, "only %%d is supported in a description");
            *c = 'd';
            if (!shown)
                return parser_fail(p, &at, "the description has more %%d than values");
            shown = shown->next;
        }
    return shown && !p->status ? parser_fail(p, &shown->at, "the description has no %%d for this value") : p->status;
}

static enum portolan_status read_once(struct parser *p, struct node **expression)
{
    if (*expression)
        return parser_fail(p, &p->lexer->token.at, "the transition has two of these");
    return parse_expression(p, expression);
}

static enum portolan_status read_attribute(struct parser *p, struct colour_transition *t)
{
    if (parser_take(p, "safe"))
        return parser_expect(p, ";", "';'");
    bool is_guard = parser_take(p, "guard");
    bool is_priority = !is_guard && parser_take(p, "priority");
    if (!is_guard && !is_priority && !parser_take(p, "description"))
        return parser_expected(p, "guard, priority, safe, description or '}'");
    parser_expect(p, ":", "':'");
    if (is_guard)
        read_once(p, &t->guard);
    else if (is_priority)
        read_once(p, &t->priority);
    else
        read_description(p, t);
    return parser_expect(p, ";", "';'");
}

static enum portolan_status read_written(struct parser *p, struct written *written)
{
    struct colour_transition *t = written->transition;
    parser_expect(p, "{", "'{'");
    lna_read_arcs(p, "in", &t->in);
    lna_read_arcs(p, "out", &t->out);
    if (parser_is(p, "inhibit"))
        lna_read_arcs(p, "inhibit", &t->inhibit);
    if (parser_take(p, "pick"))
        read_picks(p, &written->picks);
    if (parser_take(p, "let"))
        read_lets(p, &written->lets);
    while (!p->status && !parser_is(p, "}"))
        read_attribute(p, t);
    return parser_expect(p, "}", "'}'");
}

/* ------------------------------------------------------------------ variables */

static enum portolan_status add_variable(struct parser *p, struct colour_transition *t, struct colour_variable variable)
{
    if (!p->status && !arena_push(p->arena, &t->variables, variable))
        p->status = fail_memory(p->error);
    return p->status;
}

static bool is_declared_below(const struct written *written, const char *name)
{
    for (const struct iterator *pick = written->picks; pick; pick = pick->next)
        if (strcmp(pick->name, name) == 0)
            return true;
    for (const struct let *let = written->lets; let; let = let->next)
        if (strcmp(let->name, name) == 0)
            return true;
    return false;
}

static bool is_iterated(const struct arc_term *term, const char *name)
{
    for (const struct iterator *it = term->iterators; it; it = it->next)
        if (strcmp(it->name, name) == 0)
            return true;
    return false;
}

/* Does the component stand for a variable that nothing has declared yet? */
static bool is_variable(const struct parser *p, const struct written *written, const struct arc_term *term,
                        const struct node *component, const struct colour_type *type)
{
    int64_t value;
    return component->kind == NODE_NAME && !lna_find_value(type, component->name, &value) &&
           !lna_find_local(p, component->name) && !lna_find_constant(p, component->name) &&
           !is_declared_below(written, component->name) && !is_iterated(term, component->name);
}

/* A variable is a component of an input arc by itself.  Behind `for` it can be any value: the tokens decide. */
static enum portolan_status declare_variables(struct parser *p, const struct written *written, bool iterated)
{
    for (const struct colour_arc *arc = written->transition->in; arc; arc = arc->next) {
        const struct colour_place *place = &p->syntax->net->places.item[arc->place];
        for (const struct arc_term *term = arc->label; term; term = term->next) {
            const struct node *component = term->condition || iterated != !!term->iterators ? NULL : term->tuple;
            for (size_t i = 0; component && i < place->domain.count; component = component->next, i++) {
                const struct colour_type *type = place->domain.item[i];
                if (!is_variable(p, written, term, component, type))
                    continue;
                struct colour_variable variable = {.name = component->name, .colour = type};
                variable.source = iterated ? VARIABLE_FREE : VARIABLE_TOKEN;
                variable.local = lna_declare_local(p, component->name, type, true);
                if (add_variable(p, written->transition, variable))
                    return p->status;
            }
        }
    }
    return p->status;
}

static enum portolan_status declare_picks(struct parser *p, const struct written *written)
{
    for (struct iterator *pick = written->picks, *next; pick && !p->status; pick = next) {
        next = pick->next;
        pick->next = NULL;
        if (lna_find_local(p, pick->name))
            return parser_fail(p, &pick->container->at, "there is already a variable '%.64s'", pick->name);
        if (lna_type_iterator(p, pick))
            return p->status;
        struct colour_variable variable = {
            .name = pick->name, .colour = pick->colour, .local = pick->local, .source = VARIABLE_PICK, .pick = pick};
        add_variable(p, written->transition, variable);
    }
    return p->status;
}

static enum portolan_status declare_lets(struct parser *p, const struct written *written)
{
    for (struct let *let = written->lets; let && !p->status; let = let->next) {
        if (lna_find_local(p, let->name))
            return parser_fail(p, &let->value->at, "there is already a variable '%.64s'", let->name);
        if (lna_type_value(p, &let->value, let->colour))
            return p->status;
        struct colour_variable variable = {
            .name = let->name, .colour = let->colour, .source = VARIABLE_LET, .value = let->value};
        variable.local = lna_declare_local(p, let->name, let->colour, true);
        add_variable(p, written->transition, variable);
    }
    return p->status;
}

/* ---------------------------------------------------------------------- typing */

static enum portolan_status type_arcs(struct parser *p, struct colour_arc *list, bool checks)
{
    for (; list && !p->status; list = list->next)
        lna_type_label(p, list->label, &p->syntax->net->places.item[list->place], checks);
    return p->status;
}

static enum portolan_status type_attributes(struct parser *p, struct colour_transition *t)
{
    if (t->guard)
        lna_type_condition(p, &t->guard);
    if (t->priority)
        lna_type_value(p, &t->priority, p->syntax->integer);
    for (struct node **shown = &t->described; *shown && !p->status; shown = &(*shown)->next)
        if (!lna_type_any(p, shown, NULL) && !lna_is_scalar((*shown)->colour))
            parser_fail(p, &(*shown)->at, "a description can only show discrete values");
    return p->status;
}

enum portolan_status lna_read_transition(struct parser *p)
{
    struct colour_transition t = {.at = p->lexer->token.at};
    struct written written = {.transition = &t};
    struct colour_net *net = p->syntax->net;
    p->syntax->frame = 0;
    parser_new_name(p, "the name of a transition", &t.name);
    for (size_t i = 0; i < net->transitions.count && !p->status; i++)
        if (strcmp(net->transitions.item[i].name, t.name) == 0)
            lna_declared_twice(p, &t.at, "transition", t.name);
    if (!p->status && !read_written(p, &written)) {
        declare_variables(p, &written, false);
        declare_variables(p, &written, true);
        declare_picks(p, &written);
        type_arcs(p, t.in, false);
        declare_lets(p, &written);
        type_arcs(p, t.out, true);
        type_arcs(p, t.inhibit, false);
        type_attributes(p, &t);
    }
    t.frame = p->syntax->frame;
    p->syntax->locals.count = 0;
    if (!p->status && !arena_push(p->arena, &net->transitions, t))
        p->status = fail_memory(p->error);
    return p->status;
}
