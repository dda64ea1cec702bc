/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Promela model states: formulas, and never claims, which become automata in the HOA format.  A claim moves
 * before each step of the system, and what it does atomically is one move.  When it reaches its end something is wrong,
 * so that state accepts everything.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/promela/ast.h"
#include "front/promela/variables.h"

#include <stdio.h>
#include <string.h>

struct text {
    char *item;
    size_t count, capacity;
};

struct stating {
    struct parser *parser;
    struct lowering *l;
    const char *name; /* of the formula or claim */
    unsigned atoms;
    struct text out, names; /* names: of the atoms, as HOA has them */
    const struct flow *flow;
};

static void put(struct stating *s, struct text *out, const char *text)
{
    for (; *text; text++)
        if (!s->parser->status && (limits_reached() || !vector_push(out, *text)))
            s->parser->status = fail_memory(s->parser->error);
}

/* A truth with a name of its own; returns its number. */
static unsigned add_atom(struct stating *s, const struct node *truth)
{
    char name[200], quoted[210];
    snprintf(name, sizeof name, "%.150s.%u", s->name, s->atoms + 1);
    if (promela_check(s->parser, truth))
        return 0;
    promela_show_truth(s->l, name, truth);
    snprintf(quoted, sizeof quoted, " \"%s\"", name);
    put(s, &s->names, quoted);
    return s->atoms++;
}

/* -------------------------------------------------------------------------- formulas */

static void parse_formula(struct stating *s);

struct connective {
    const char *text, *means;
};

static const struct connective implications[] = {
    {"->", " -> "}, {"implies", " -> "}, {"<->", " <-> "}, {"equivalent", " <-> "}, {0}};
static const struct connective ors[] = {{"||", " || "}, {"or", " || "}, {"\\/", " || "}, {0}};
static const struct connective ands[] = {{"&&", " && "}, {"and", " && "}, {"/\\", " && "}, {0}};
static const struct connective untils[] = {{"U", " U "},         {"until", " U "}, {"stronguntil", " U "}, {"W", " W "},
                                           {"weakuntil", " W "}, {"V", " R "},     {"release", " R "},     {0}};

/* What the connective at the current token means, NULL: there is none of the table. */
static const char *connective_at(const struct stating *s, const struct connective *table)
{
    while (table->text && !parser_is(s->parser, table->text))
        table++;
    return table->means;
}

static const char *take_connective(struct stating *s, const struct connective *table)
{
    const char *means = connective_at(s, table);
    if (means)
        parser_advance(s->parser);
    return means;
}

/* May a formula end here, or go on? */
static bool ends_atom(const struct stating *s)
{
    return s->parser->lexer->token.kind == TOKEN_END || parser_is(s->parser, ")") || connective_at(s, implications) ||
           connective_at(s, ors) || connective_at(s, ands) || connective_at(s, untils);
}

/* An expression of the language, as far as it goes; what begins with a parenthesis may be a formula instead. */
static bool parse_atom(struct stating *s, bool only_tries)
{
    struct parser *parser = s->parser;
    struct token token = parser->lexer->token;
    struct portolan_error before = parser->error ? *parser->error : (struct portolan_error){0};
    unsigned depth = parser->depth;
    struct node *truth = NULL;
    parse_tight(parser, PRECEDENCE_BIT_OR, &truth);
    if (!parser->status && ends_atom(s)) {
        char name[220];
        unsigned number = add_atom(s, truth);
        snprintf(name, sizeof name, "\"%.150s.%u\"", s->name, number + 1);
        put(s, &s->out, name);
        return true;
    }
    if (!only_tries) {
        if (!parser->status)
            parser_expected(parser, "an operator, or the end of the formula");
        return false;
    }
    if (parser->status != PORTOLAN_BAD_INPUT && parser->status)
        return false;
    parser->status = PORTOLAN_OK;
    if (parser->error)
        *parser->error = before;
    parser->depth = depth;
    promela_rewind(parser, &token);
    return false;
}

static void parse_unary(struct stating *s)
{
    struct parser *parser = s->parser;
    const char *means = NULL;
    if (parser_enter(parser))
        return;
    if (parser_is(parser, "[")) {
        parser_advance(parser);
        parser_expect(parser, "]", "']'");
        means = "G ";
    } else if (parser_take(parser, "always")) {
        means = "G ";
    } else if (parser_take(parser, "<>") || parser_take(parser, "eventually")) {
        means = "F ";
    } else if (parser_take(parser, "X") || parser_take(parser, "next")) {
        means = "X ";
    } else if (parser_take(parser, "!")) {
        means = "! ";
    }
    if (means) {
        put(s, &s->out, means);
        parse_unary(s);
    } else if (!parser_is(parser, "(")) {
        parse_atom(s, false);
    } else if (!parse_atom(s, true) && !parser->status) {
        parser_advance(parser);
        put(s, &s->out, "(");
        parse_formula(s);
        put(s, &s->out, ")");
        parser_expect(parser, ")", "')'");
    }
    parser->depth--;
}

/* Operators of one level; as in Spin they group to the left. */
static void parse_level(struct stating *s, const struct connective *table, void (*next)(struct stating *s))
{
    size_t start = s->out.count;
    const char *means;
    next(s);
    while (!s->parser->status && (means = take_connective(s, table))) {
        struct text left = {0};
        put(s, &left, "(");
        for (size_t i = start; i < s->out.count; i++)
            s->parser->status = s->parser->status || vector_push(&left, s->out.item[i]) ? s->parser->status
                                                                                        : fail_memory(s->parser->error);
        if (!s->parser->status)
            vector_push(&left, '\0');
        s->out.count = start;
        put(s, &s->out, left.item ? left.item : "");
        put(s, &s->out, means);
        next(s);
        put(s, &s->out, ")");
        free(left.item);
    }
}

static void parse_until(struct stating *s)
{
    parse_level(s, untils, parse_unary);
}

static void parse_and(struct stating *s)
{
    parse_level(s, ands, parse_until);
}

static void parse_or(struct stating *s)
{
    parse_level(s, ors, parse_and);
}

static void parse_formula(struct stating *s)
{
    parse_level(s, implications, parse_or);
}

static void state(struct stating *s, enum portolan_kind kind, const char *text, const char *name)
{
    struct portolan_stated_property stated = {
        .kind = kind, .text = model_copy(s->l->m, text), .name = model_copy(s->l->m, name)};
    s->l->m->failed |= !vector_push(&s->l->m->stated, stated);
}

static void state_formula(struct parser *parser, struct lowering *l, const struct formula *f)
{
    struct stating s = {.parser = parser, .l = l, .name = f->name};
    struct lexer lexer, *before = parser->lexer;
    char name[200];
    lexer_init(&lexer, &promela_rules, before->file, f->text, f->length);
    lexer.line = f->at.line;
    lexer.line_start = f->at.line_start;
    parser->lexer = &lexer;
    parser->status = lexer_next(&lexer, parser->error);
    if (!parser->status)
        parse_formula(&s);
    if (!parser->status && lexer.token.kind != TOKEN_END)
        parser_expected(parser, "an operator, or the end of the formula");
    parser->lexer = before;
    lexer_clear(&lexer);
    if (!parser->status && !vector_push(&s.out, '\0'))
        parser->status = fail_memory(parser->error);
    snprintf(name, sizeof name, "ltl %.150s", f->name);
    if (!parser->status)
        state(&s, PORTOLAN_LTL, s.out.item, name);
    free(s.out.item);
    free(s.names.item);
}

/* ---------------------------------------------------------------------------- claims */

struct condition { /* of an edge: atoms that hold, or do not */
    char text[600];
};

static void add_literal(struct stating *s, struct condition *c, const struct node *truth, bool holds)
{
    size_t used = strlen(c->text);
    int64_t value;
    if (promela_fold(truth, &value) && (value != 0) == holds)
        return;
    unsigned atom = add_atom(s, truth);
    if (used + 20 < sizeof c->text)
        snprintf(c->text + used, sizeof c->text - used, "%s%s%u", used ? "&" : "", holds ? "" : "!", atom);
    else if (!s->parser->status)
        parser_fail(s->parser, &truth->at, "the claim has a move with too many conditions");
}

static void put_edge(struct stating *s, const struct condition *c, uint32_t target)
{
    char line[700];
    snprintf(line, sizeof line, "[%s] %u\n", *c->text ? c->text : "t", target);
    put(s, &s->out, line);
}

static uint32_t sink(const struct stating *s)
{
    return (uint32_t)s->flow->elements.count;
}

static const struct statement *expression_of(const struct stating *s, const struct transition *t)
{
    const struct element *e = &s->flow->elements.item[t->element];
    return e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_EXPRESSION ? e->statement : NULL;
}

/* What a claim does atomically: the states that it has passed, the last one first. */
struct passed {
    const struct passed *before;
    uint32_t state;
    unsigned count;
};

static void put_moves(struct stating *s, const struct passed *before, uint32_t from, struct condition c);

/* Nothing moves while it does, so to come back to a state leads nowhere. */
static bool has_passed(const struct passed *passed, uint32_t state)
{
    while (passed && passed->state != state)
        passed = passed->before;
    return passed;
}

static void put_move(struct stating *s, const struct transitions *all, const struct transition *t, struct condition c,
                     const struct passed *passed)
{
    const struct element *e = &s->flow->elements.item[t->element];
    const struct statement *statement = e->kind == ELEMENT_PLAIN ? e->statement : NULL;
    struct condition wrong = c;
    if (expression_of(s, t)) {
        add_literal(s, &c, statement->a, true);
    } else if (statement && statement->kind == STATEMENT_ELSE) {
        for (size_t i = 0; i < all->count; i++) {
            const struct statement *other = expression_of(s, &all->item[i]);
            if (other)
                add_literal(s, &c, other->a, false);
            else if (&all->item[i] != t) /* it is never else */
                return;
        }
    } else if (statement && statement->kind == STATEMENT_ASSERT) {
        add_literal(s, &wrong, statement->a, false);
        put_edge(s, &wrong, sink(s));
        add_literal(s, &c, statement->a, true);
    } else if (e->kind == ELEMENT_D_STEP || (statement && statement->kind != STATEMENT_PRINT)) {
        parser_fail(
            s->parser, &e->statement->at,
            "a claim consists of conditions and assertions: assignments and d_step in claims are not supported");
        return;
    }
    if (t->target == NO_ELEMENT)
        put_edge(s, &c, sink(s));
    else if (!t->goes_on)
        put_edge(s, &c, t->target);
    else if (!has_passed(passed, t->target))
        put_moves(s, passed, t->target, c);
}

static void put_moves(struct stating *s, const struct passed *before, uint32_t from, struct condition c)
{
    enum { LONGEST = 100 };
    struct passed passed = {before, from, before ? before->count + 1 : 0};
    struct transitions t = {0};
    if (s->flow->elements.item[from].kind == ELEMENT_END) {
        put_edge(s, &c, sink(s));
        return;
    }
    if (passed.count == LONGEST) {
        parser_fail(s->parser, &s->flow->elements.item[from].statement->at,
                    "an atomic sequence of the claim is too long");
        return;
    }
    if (!flow_transitions(s->flow, from, &t))
        s->parser->status = fail_memory(s->parser->error);
    for (size_t i = 0; i < t.count && !s->parser->status; i++)
        put_move(s, &t, &t.item[i], c, &passed);
    free(t.item);
}

static void put_states(struct stating *s)
{
    char line[100];
    for (uint32_t e = 0; e < s->flow->elements.count && !s->parser->status; e++) {
        const struct element *element = &s->flow->elements.item[e];
        bool ends = element->kind == ELEMENT_END;
        snprintf(line, sizeof line, "State: %u%s\n", e, element->is_accepting || ends ? " {0}" : "");
        put(s, &s->out, line);
        if (ends)
            put_edge(s, &(struct condition){0}, e);
        else if (element->is_state)
            put_moves(s, NULL, e, (struct condition){0});
    }
    snprintf(line, sizeof line, "State: %u {0}\n[t] %u\n--END--\n", sink(s), sink(s));
    put(s, &s->out, line);
}

static void state_claim(struct parser *parser, struct lowering *l, const struct proctype *p)
{
    struct stating s = {.parser = parser, .l = l, .name = p->name, .flow = p->flow};
    struct text whole = {0};
    char line[300];
    if (p->variables.count && !parser->status)
        parser_fail(parser, &p->variables.item[0]->at, "a claim has no variables of its own: declare them outside");
    if (!parser->status)
        put_states(&s);
    snprintf(line, sizeof line, "HOA: v1\nStates: %u\nStart: %u\nAcceptance: 1 Inf(0)\nacc-name: Buchi\nAP: %u",
             sink(&s) + 1, s.flow->start, s.atoms);
    put(&s, &whole, line);
    put(&s, &s.names, "\n--BODY--\n");
    if (!parser->status && (!vector_push(&s.names, '\0') || !vector_push(&s.out, '\0')))
        parser->status = fail_memory(parser->error);
    if (!parser->status) {
        put(&s, &whole, s.names.item);
        put(&s, &whole, s.out.item);
    }
    if (!parser->status && !vector_push(&whole, '\0'))
        parser->status = fail_memory(parser->error);
    snprintf(line, sizeof line, "never claim %.200s", p->name);
    if (!parser->status)
        state(&s, PORTOLAN_AUTOMATON, whole.item, line);
    free(whole.item);
    free(s.out.item);
    free(s.names.item);
}

enum portolan_status promela_properties(struct parser *parser, struct lowering *l)
{
    const struct syntax *s = l->syntax;
    for (size_t i = 0; i < s->proctypes.count && !parser->status; i++)
        if (s->proctypes.item[i]->is_claim)
            state_claim(parser, l, s->proctypes.item[i]);
    for (size_t i = 0; i < s->formulas.count && !parser->status; i++)
        state_formula(parser, l, &s->formulas.item[i]);
    if (l->m->failed && !parser->status)
        parser->status = fail_memory(parser->error);
    return parser->status;
}
