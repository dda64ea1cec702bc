/* SPDX-License-Identifier: Apache-2.0 */
#include "front/lna/properties.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "expression/parse.h"

#include <stdio.h>
#include <string.h>

enum formula { NODE_ALWAYS = NODE_OWN, NODE_EVENTUALLY, NODE_UNTIL };

/* Of what is read: the parser points to it. */
struct syntax {
    struct questions *questions;
    VECTOR(char) text; /* of the property that is read */
};

static void write_text(struct parser *p, const char *text)
{
    for (; *text && !p->status; text++)
        if (!vector_push(&p->syntax->text, *text))
            p->status = fail_memory(p->error);
}

/* A name may be a word of the language that properties are written in. */
static void write_name(struct parser *p, const char *name)
{
    write_text(p, "\"");
    write_text(p, name);
    write_text(p, "\"");
}

/* --------------------------------------------------------------- propositions */

static bool is_proposition(const struct portolan_system *system, const char *name)
{
    uint32_t variable;
    if (!system->find_variable || !name || !system->find_variable(system->model, name, &variable))
        return false;
    const struct portolan_type *type = system->variable_type ? system->variable_type(system->model, variable) : NULL;
    return type && type->kind == PORTOLAN_BOOLEAN;
}

/* The name of a proposition, which is taken. */
static enum portolan_status read_proposition(struct parser *p, const char **name)
{
    struct position at = p->lexer->token.at;
    if (parser_new_name(p, "the name of a proposition", name) || is_proposition(p->system, *name))
        return p->status;
    struct nearest nearest = nearest_to(*name);
    for (uint32_t i = 0; i < p->system->variables + p->system->unlisted; i++)
        if (is_proposition(p->system, p->system->variable_name(p->system->model, i)))
            nearest_offer(&nearest, p->system->variable_name(p->system->model, i));
    parser_fail(p, &at, "the net has no proposition '%.64s'", *name);
    if (nearest.best)
        hint(p->error, "did you mean %s?", nearest.best);
    return p->status;
}

/* ------------------------------------------------------------------- formulas */

static enum portolan_status read_primary(struct parser *p, struct node **node)
{
    enum { TIGHTEST = 100 };
    struct node *n = *node;
    bool is_always = parser_is(p, "[]");
    if (is_always || parser_is(p, "<>")) {
        n->kind = is_always ? NODE_ALWAYS : NODE_EVENTUALLY;
        parser_advance(p);
        return parse_tight(p, TIGHTEST, &n->a);
    }
    bool is_true = parser_is(p, "true");
    if (!is_true && !parser_is(p, "false"))
        return read_proposition(p, &n->name);
    n->kind = NODE_NUMBER;
    n->value = is_true;
    return parser_advance(p);
}

enum { UNTIL = 4 };

static enum portolan_status read_until(struct parser *p, struct node *node)
{
    node->kind = NODE_UNTIL;
    return parse_tight(p, UNTIL + 1, &node->b);
}

/* => binds tighter than `and`, and groups to the left. */
static const struct operator operators[] = {
    {"or", 1, OPERATION_OR, false, NULL},
    {"and", 2, OPERATION_AND, false, NULL},
    {"=>", 3, OPERATION_IMPLIES, false, NULL},
    {"until", UNTIL, OPERATION_NONE, false, read_until},
    {0},
};

static const char *const reserved[] = {"accept",   "and",    "deadlock", "false", "ltl",   "not", "or",
                                       "property", "reject", "state",    "true",  "until", NULL};
static const struct lexer_rules rules = {.symbols = "( ) ; : [] <> =>", .is_ada_like = true};

static const struct language language = {.own = operators,
                                         .unaries = "not",
                                         .reserved = reserved,
                                         .most_open = 500,
                                         .deepest = 500,
                                         .chains = true,
                                         .primary = read_primary,
                                         .reads_symbols = true,
                                         .wanted = "a formula",
                                         .largest = 0};

static const char *operator_words(const struct node *node)
{
    if (node->kind == NODE_UNTIL)
        return " U ";
    return node->operation == OPERATION_AND ? " && " : node->operation == OPERATION_OR ? " || " : " -> ";
}

static void write_formula(struct parser *p, const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER: write_text(p, node->value ? "true" : "false"); return;
    case NODE_NAME: write_name(p, node->name); return;
    case NODE_ALWAYS: write_text(p, "[] "); break;
    case NODE_EVENTUALLY: write_text(p, "<> "); break;
    case NODE_UNARY: write_text(p, "!"); break;
    default: break;
    }
    write_text(p, "(");
    write_formula(p, node->a);
    if (node->b) {
        write_text(p, operator_words(node));
        write_formula(p, node->b);
    }
    write_text(p, ")");
}

/* ----------------------------------------------------------------- properties */

static enum portolan_status add_question(struct parser *p, const char *name, enum portolan_kind kind)
{
    if (!p->status &&
        (!vector_push(&p->syntax->text, '\0') ||
         !questions_add(p->syntax->questions, name, kind, kind == PORTOLAN_NO_DEADLOCK ? NULL : p->syntax->text.item)))
        p->status = fail_memory(p->error);
    return p->status;
}

/* deadlock, or a proposition */
static bool read_component(struct parser *p)
{
    const char *name = NULL;
    if (parser_take(p, "deadlock")) {
        write_text(p, "deadlock");
        return true;
    }
    if (!read_proposition(p, &name))
        write_name(p, name);
    return false;
}

/* reject a; accept b; ...: wrong where a is true and no b is */
static enum portolan_status read_state_property(struct parser *p, const char *name)
{
    bool is_deadlock = false;
    unsigned clauses = 0;
    while (parser_is(p, "reject") || (clauses > 0 && parser_is(p, "accept"))) {
        bool rejects = parser_is(p, "reject");
        parser_advance(p);
        if (rejects && clauses > 0)
            return parser_fail(p, &p->lexer->token.at, "a property has one 'reject', which comes first");
        write_text(p, rejects ? "!" : " || ");
        is_deadlock = read_component(p) && rejects;
        parser_expect(p, ";", "';'");
        clauses++;
    }
    if (clauses == 0)
        return parser_expected(p, "reject");
    return add_question(p, name, is_deadlock && clauses == 1 ? PORTOLAN_NO_DEADLOCK : PORTOLAN_INVARIANT);
}

static enum portolan_status read_ltl_property(struct parser *p, const char *name)
{
    struct node *formula = NULL;
    parse_expression(p, &formula);
    parser_expect(p, ";", "';'");
    if (!p->status)
        write_formula(p, formula);
    return add_question(p, name, PORTOLAN_LTL);
}

static bool is_there(const struct questions *questions, const char *name)
{
    for (size_t i = 0; i < questions->list.count; i++)
        if (strcmp(questions->list.item[i].name, name) == 0)
            return true;
    return false;
}

static enum portolan_status read_property(struct parser *p)
{
    bool is_state = parser_take(p, "state");
    const char *name = NULL;
    if (!is_state && !parser_take(p, "ltl"))
        return parser_expected(p, "'state property' or 'ltl property'");
    parser_expect_word(p, "property");
    struct position at = p->lexer->token.at;
    if (!parser_new_name(p, "the name of the property", &name) && is_there(p->syntax->questions, name))
        parser_fail(p, &at, "there is already a property '%.64s'", name);
    parser_expect(p, ":", "':'");
    p->syntax->text.count = 0;
    return is_state ? read_state_property(p, name) : read_ltl_property(p, name);
}

enum portolan_status lna_properties_parse(const char *file, const char *text, size_t length,
                                          const struct portolan_system *system, struct questions *questions,
                                          struct portolan_error *error)
{
    struct syntax syntax = {.questions = questions};
    struct lexer lexer;
    lexer_init(&lexer, &rules, file, text, length);
    struct parser parser = {.language = &language,
                            .lexer = &lexer,
                            .arena = &questions->arena,
                            .error = error,
                            .syntax = &syntax,
                            .system = system};
    parser_advance(&parser);
    while (!parser.status && lexer.token.kind != TOKEN_END)
        read_property(&parser);
    free(syntax.text.item);
    lexer_clear(&lexer);
    return parser.status;
}

enum portolan_status lna_properties_read(const char *path, const struct portolan_system *system,
                                         struct questions *questions, struct portolan_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status)
        return status;
    status = lna_properties_parse(path, text, length, system, questions, error);
    free(text);
    return status;
}
