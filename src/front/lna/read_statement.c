/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of functions. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

static struct node *local_node(struct parser *p, const struct position *at, const char *name,
                               const struct colour_type *colour, bool is_constant)
{
    struct node *node = parser_node(p, NODE_LOCAL);
    if (!node)
        return NULL;
    node->at = *at;
    node->name = name;
    node->colour = colour;
    node->value = lna_declare_local(p, name, colour, is_constant);
    return node;
}

/* T NAME [:= e];  the name is known behind it */
static enum portolan_status read_declaration(struct parser *p, struct statement *s, const struct colour_type *colour,
                                             bool is_constant)
{
    struct position at = p->lexer->token.at;
    const char *name = NULL;
    s->kind = STATEMENT_DECLARE;
    parser_new_name(p, "the name of a variable", &name);
    if (is_constant && !parser_is(p, ":="))
        parser_expected(p, "':='");
    if (parser_take(p, ":=")) {
        parse_expression(p, &s->value);
        lna_type_value(p, &s->value, colour);
    }
    s->target = p->status ? NULL : local_node(p, &at, name, colour, is_constant);
    return parser_expect(p, ";", "';'");
}

/* The variable whose element or field is assigned to. */
static const struct node *assigned_variable(const struct node *target)
{
    while (target->kind == NODE_ELEMENT || target->kind == NODE_FIELD)
        target = target->a;
    return target;
}

static enum portolan_status check_target(struct parser *p, const struct node *target)
{
    const struct node *variable = assigned_variable(target);
    if (variable->kind != NODE_LOCAL)
        return parser_fail(p, &target->at, "only variables can be assigned to");
    const struct local *local = lna_find_local(p, variable->name);
    if (local && local->is_constant)
        return parser_fail(p, &target->at, "'%.64s' cannot be assigned to", variable->name);
    return p->status;
}

/* A name has been read: NAME[...].c := e; */
static enum portolan_status read_assignment(struct parser *p, struct statement *s, struct node *target)
{
    s->kind = STATEMENT_ASSIGN;
    s->target = target;
    if (!s->target || lna_read_postfix(p, &s->target))
        return p->status;
    parser_expect(p, ":=", "':='");
    parse_expression(p, &s->value);
    lna_type_any(p, &s->target, NULL);
    if (!p->status && !check_target(p, s->target))
        lna_type_value(p, &s->value, s->target->colour);
    return parser_expect(p, ";", "';'");
}

static enum portolan_status read_condition(struct parser *p, struct node **condition)
{
    parser_expect(p, "(", "'('");
    parse_expression(p, condition);
    lna_type_condition(p, condition);
    return parser_expect(p, ")", "')'");
}

static enum portolan_status read_if(struct parser *p, struct statement *s)
{
    s->kind = STATEMENT_IF;
    read_condition(p, &s->value);
    lna_read_statement(p, &s->body);
    return parser_take(p, "else") ? lna_read_statement(p, &s->otherwise) : p->status;
}

static enum portolan_status read_while(struct parser *p, struct statement *s)
{
    s->kind = STATEMENT_WHILE;
    read_condition(p, &s->value);
    return lna_read_statement(p, &s->body);
}

static enum portolan_status read_for(struct parser *p, struct statement *s)
{
    size_t outside = p->syntax->locals.count;
    s->kind = STATEMENT_FOR;
    lna_read_iterators(p, &s->iterators);
    parser_expect(p, ")", "',' or ')'");
    lna_type_iterators(p, s->iterators);
    lna_read_statement(p, &s->body);
    p->syntax->locals.count = outside;
    return p->status;
}

static enum portolan_status read_return(struct parser *p, struct statement *s)
{
    s->kind = STATEMENT_RETURN;
    parse_expression(p, &s->value);
    lna_type_value(p, &s->value, p->syntax->function->result);
    return parser_expect(p, ";", "';'");
}

static enum portolan_status read_assert(struct parser *p, struct statement *s)
{
    s->kind = STATEMENT_ASSERT;
    parser_expect(p, ":", "':'");
    parse_expression(p, &s->value);
    lna_type_condition(p, &s->value);
    return parser_expect(p, ";", "';'");
}

static struct statement *new_statement(struct parser *p)
{
    struct statement *s;
    if (parser_get(p, sizeof *s, &s))
        return NULL;
    s->at = p->lexer->token.at;
    return s;
}

/* ----------------------------------------------------------------------- case */

static struct node *is_equal(struct parser *p, struct node *value, struct node *to)
{
    bool scalar = lna_is_scalar(value->colour);
    struct node *test = lna_node_like(p, to, scalar ? NODE_BINARY : NODE_EQUAL, p->syntax->truth);
    if (test) {
        test->operation = OPERATION_EQUAL;
        test->a = value;
        test->b = to;
    }
    return test;
}

static bool is_there_before(const struct statement *from, const struct statement *end, const struct node *label)
{
    for (; from != end; from = from->otherwise)
        if (label->kind == NODE_NUMBER && from->value->b->kind == NODE_NUMBER && from->value->b->value == label->value)
            return true;
    return false;
}

/* e : statement, as an if. */
static struct statement *read_alternative(struct parser *p, struct node *value, const struct statement *first)
{
    struct statement *s = new_statement(p);
    struct node *label = NULL;
    if (!s)
        return NULL;
    s->kind = STATEMENT_IF;
    parse_tight(p, 1, &label); /* no ? :, since a colon ends it */
    if (p->status || lna_type_like(p, &label, value->colour))
        return NULL;
    if (label->kind != NODE_NUMBER && label->kind != NODE_CONSTANT)
        parser_fail(p, &label->at, "the value of an alternative must be constant");
    if (!p->status && is_there_before(first, NULL, label))
        parser_fail(p, &label->at, "there is already an alternative for this value");
    s->value = p->status ? NULL : is_equal(p, value, label);
    parser_expect(p, ":", "':'");
    lna_read_statement(p, &s->body);
    return s;
}

/* case(e) { a : s  b : s  default : s } */
static enum portolan_status read_case(struct parser *p, struct statement *s)
{
    struct node *value = NULL;
    s->kind = STATEMENT_BLOCK;
    parser_expect(p, "(", "'('");
    parse_expression(p, &value);
    if (!p->status)
        lna_type_any(p, &value, NULL);
    parser_expect(p, ")", "')'");
    parser_expect(p, "{", "'{'");
    struct statement **end = &s->body;
    while (!p->status && !parser_is(p, "}") && !parser_is(p, "default")) {
        struct statement *alternative = read_alternative(p, value, s->body);
        if (p->status || !alternative)
            return p->status;
        *end = alternative;
        end = &alternative->otherwise;
    }
    if (parser_take(p, "default") && !parser_expect(p, ":", "':'"))
        lna_read_statement(p, end);
    return parser_expect(p, "}", "'}'");
}

/* ---------------------------------------------------------------------- blocks */

static bool begins_with_word(struct parser *p, struct statement *s)
{
    static const struct {
        const char *word;
        enum portolan_status (*read)(struct parser *p, struct statement *s);
    } kinds[] = {{"if", read_if},         {"while", read_while},   {"for", read_for},
                 {"return", read_return}, {"assert", read_assert}, {"case", read_case}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (parser_take(p, kinds[i].word)) {
            kinds[i].read(p, s);
            return true;
        }
    return false;
}

/* What begins with a name: an assignment, or where it may stand a declaration. */
static enum portolan_status read_named(struct parser *p, struct statement *s, bool may_declare)
{
    struct position at = p->lexer->token.at;
    const char *start = p->lexer->token.start, *name = NULL;
    if (parser_new_name(p, "a statement", &name))
        return p->status;
    if (may_declare && p->lexer->token.kind == TOKEN_NAME) {
        const struct colour_type *type = lna_find_type(p, name);
        if (!type)
            return parser_fail(p, &at, "there is no type '%.64s'", name);
        return read_declaration(p, s, type, false);
    }
    return read_assignment(p, s, lna_name_node(p, name, at, start));
}

static enum portolan_status read_one(struct parser *p, struct statement **statement, bool may_declare);

/* Declarations come first. */
static enum portolan_status read_block(struct parser *p, struct statement *block)
{
    size_t outside = p->syntax->locals.count;
    bool may_declare = true;
    block->kind = STATEMENT_BLOCK;
    for (struct statement **end = &block->body; !p->status && !parser_is(p, "}"); end = &(*end)->next)
        if (!read_one(p, end, may_declare))
            may_declare = (*end)->kind == STATEMENT_DECLARE;
        else
            break;
    p->syntax->locals.count = outside;
    return parser_expect(p, "}", "'}'");
}

static enum portolan_status read_one(struct parser *p, struct statement **statement, bool may_declare)
{
    struct statement *s = *statement = new_statement(p);
    if (!s || parser_enter(p))
        return p->status;
    if (parser_take(p, "{"))
        read_block(p, s);
    else if (may_declare && parser_take(p, "constant"))
        read_declaration(p, s, lna_read_type_name(p), true);
    else if (!begins_with_word(p, s))
        read_named(p, s, may_declare);
    p->depth--;
    return p->status;
}

enum portolan_status lna_read_statement(struct parser *p, struct statement **statement)
{
    return read_one(p, statement, false);
}
