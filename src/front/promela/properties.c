/* SPDX-License-Identifier: Apache-2.0 */
/* What a Promela model states: formulas, and never claims (claims.c). */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/promela/stating.h"

#include <stdio.h>
#include <string.h>

void pml_put(struct stating *s, struct text *out, const char *text)
{
    for (; *text; text++)
        if (!s->parser->status && (limits_reached() || !vector_push(out, *text)))
            s->parser->status = fail_memory(s->parser->error);
}

unsigned pml_add_atom(struct stating *s, const struct node *truth)
{
    char name[200], quoted[210];
    snprintf(name, sizeof name, "%.150s.%u", s->name, s->atoms + 1);
    if (promela_check(s->parser, truth))
        return 0;
    promela_show_truth(s->l, name, truth);
    snprintf(quoted, sizeof quoted, " \"%s\"", name);
    pml_put(s, &s->names, quoted);
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
        unsigned number = pml_add_atom(s, truth);
        snprintf(name, sizeof name, "\"%.150s.%u\"", s->name, number + 1);
        pml_put(s, &s->out, name);
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
        pml_put(s, &s->out, means);
        parse_unary(s);
    } else if (!parser_is(parser, "(")) {
        parse_atom(s, false);
    } else if (!parse_atom(s, true) && !parser->status) {
        parser_advance(parser);
        pml_put(s, &s->out, "(");
        parse_formula(s);
        pml_put(s, &s->out, ")");
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
        pml_put(s, &left, "(");
        for (size_t i = start; i < s->out.count; i++)
            s->parser->status = s->parser->status || vector_push(&left, s->out.item[i]) ? s->parser->status
                                                                                        : fail_memory(s->parser->error);
        if (!s->parser->status)
            vector_push(&left, '\0');
        s->out.count = start;
        pml_put(s, &s->out, left.item ? left.item : "");
        pml_put(s, &s->out, means);
        next(s);
        pml_put(s, &s->out, ")");
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

void pml_state(struct stating *s, enum portolan_kind kind, const char *text, const char *name)
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
        pml_state(&s, PORTOLAN_LTL, s.out.item, name);
    free(s.out.item);
    free(s.names.item);
}

enum portolan_status promela_properties(struct parser *parser, struct lowering *l)
{
    const struct syntax *s = l->syntax;
    for (size_t i = 0; i < s->proctypes.count && !parser->status; i++)
        if (s->proctypes.item[i] == l->claim)
            promela_state_claim_beside(parser, l);
        else if (s->proctypes.item[i]->is_claim)
            promela_state_claim(parser, l, s->proctypes.item[i]);
    for (size_t i = 0; i < s->formulas.count && !parser->status; i++)
        state_formula(parser, l, &s->formulas.item[i]);
    if (l->m->failed && !parser->status)
        parser->status = fail_memory(parser->error);
    return parser->status;
}
