/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax of Metzler, "LazyPOR" (master's thesis), appendix A.1, figures A.1 and A.2, after its repetition blocks
 * have been replaced.  What the figures leave open is settled here:
 *
 *   - The five operators of int_expr stand in one alternative, so they have one precedence and group from the left:
 *     tid + 1 % n is (tid + 1) % n, as listing 6.3 means it.
 *   - comp_swap has no rule; it is cas(target, old, new) as in listing 6.2.
 *   - indexer(...) is the body of listing 6.2: m counts the messages up to max, w = m * nprocs + tid is the message
 *     (the 11 of the listing is nprocs), h = w * 7 % size its place; each attempt of cas is one step, the rest is
 * local. "Each thread is modelled by a single transition": that of its cas, taken again and again.
 */
#include "front/threads/ast.h"

#include "base/diagnostic.h"

#include <string.h>

struct printed {
    struct parser *parser;
    int64_t process; /* the number of the present one */
};

/* ------------------------------------------------------------- declarations */

static struct node *parse_integer(struct parser *parser)
{
    struct node *node = parser_node(parser, NODE_INTEGER);
    if (node)
        parser_integer(parser, &node->value);
    return node;
}

static enum portolan_status parse_declaration(struct parser *parser)
{
    struct declaration *declaration = parser_declare(parser, DECLARED_VARIABLE);
    if (!declaration)
        return parser->status;
    bool constant = parser_take(parser, "const");
    declaration->type = TYPE_INT;
    declaration->is_local = !constant && parser_take(parser, "local");
    declaration->at = parser->lexer->token.at;
    parser_name(parser, "a declaration", &declaration->name);
    declaration->size = parse_integer(parser);
    for (struct node **end = &declaration->values; !parser->status && parser->lexer->token.kind == TOKEN_INTEGER;
         end = &(*end)->next)
        if (!(*end = parse_integer(parser)))
            return parser->status;
    if (parser->status)
        return parser->status;
    declaration->is_array = declaration->size->value != 1;
    if (!constant)
        return PORTOLAN_OK;
    if (declaration->is_array || !declaration->values)
        return parser_fail(parser, &declaration->at, "a constant has length 1 and one value");
    declaration->kind = DECLARED_CONSTANT;
    return PORTOLAN_OK;
}

/* < "name" processes, declaration, ... > */
static enum portolan_status parse_declarations(struct parser *parser, int64_t *processes, struct position *at)
{
    const struct token *token = &parser->lexer->token;
    parser_expect(parser, "<", "'<'");
    if (!parser->status && token->kind == TOKEN_QUOTED) {
        parser->syntax->name = arena_copy(parser->arena, token->name, strlen(token->name));
        if (!parser->syntax->name)
            return parser->status = fail_memory(parser->error);
        parser_advance(parser);
    }
    *at = token->at;
    if (token->kind != TOKEN_INTEGER)
        return parser_expected(parser, "the number of processes");
    parser_integer(parser, processes);
    while (parser_take(parser, ",") && !parser_is(parser, ">"))
        parse_declaration(parser);
    return parser_expect(parser, ">", "',' or '>'");
}

/* -------------------------------------------------------------- expressions */

static const struct operator operators[] = {
    {"+", 1, OPERATION_ADD, false, NULL},       {"-", 1, OPERATION_SUBTRACT, false, NULL},
    {"*", 1, OPERATION_MULTIPLY, false, NULL},  {"/", 1, OPERATION_DIVIDE, false, NULL},
    {"%", 1, OPERATION_REMAINDER, false, NULL}, {0},
};

/* x, a[e] */
static enum portolan_status parse_name(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    parser_name(parser, parser->language->wanted, &node->name);
    if (parse_index(parser, &node->a))
        node->kind = NODE_INDEX;
    return parser->status;
}

const struct language printed_language = {.own = operators,
                                          .most_open = 200,
                                          .deepest = 400,
                                          .primary = parse_name,
                                          .wanted = "a variable, an integer or '('",
                                          .largest = INT32_MAX,
                                          .integer = INTEGER_32};

static enum portolan_status parse_target(struct parser *parser, struct node **target)
{
    if (parser->lexer->token.kind != TOKEN_NAME)
        parser_expected(parser, "a variable");
    if (!(*target = parser_node(parser, NODE_NAME)))
        return parser->status;
    parse_name(parser, target);
    return parser_close(parser, *target);
}

/* A comparison, evaluated in one step. */
static enum portolan_status parse_bool(struct parser *parser, struct node **condition)
{
    struct node *step = *condition = parser_node(parser, NODE_STEP);
    if (!step)
        return parser->status;
    parse_expression(parser, &step->a);
    enum operation operation = parser_is(parser, "<")    ? OPERATION_LESS
                               : parser_is(parser, ">")  ? OPERATION_GREATER
                               : parser_is(parser, "==") ? OPERATION_EQUAL
                                                         : OPERATION_NONE;
    if (operation == OPERATION_NONE)
        return parser_expected(parser, "'<', '>' or '=='");
    if (parser_parent(parser, NODE_BINARY, &step->a))
        return parser->status;
    parser_advance(parser);
    step->a->operation = operation;
    parse_expression(parser, &step->a->b);
    parser_close(parser, step->a);
    return parser_close(parser, step);
}

/* --------------------------------------------------------------- statements */

static enum portolan_status parse_statements(struct printed *p, const char *closing, const char *wanted,
                                             struct node **block);

static enum portolan_status parse_braces(struct printed *p, struct node **block)
{
    parser_expect(p->parser, "{", "'{'");
    return parse_statements(p, "}", "a statement or '}'", block);
}

static enum portolan_status parse_if(struct printed *p, struct node *node)
{
    node->kind = NODE_IF;
    parse_bool(p->parser, &node->a);
    if (!parser_take(p->parser, "then"))
        return p->parser->status;
    parse_braces(p, &node->b);
    return parser_take(p->parser, "else") ? parse_braces(p, &node->c) : p->parser->status;
}

static enum portolan_status parse_while(struct printed *p, struct node *node)
{
    node->kind = NODE_WHILE;
    parse_bool(p->parser, &node->a);
    return parse_braces(p, &node->b);
}

static enum portolan_status parse_cas(struct parser *parser, struct node *node)
{
    struct node *statement = parser_node(parser, NODE_EXPRESSION), *cas = parser_node(parser, NODE_CAS);
    if (!statement || !cas)
        return parser->status;
    node->kind = NODE_STEP;
    node->a = statement;
    statement->a = cas;
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    parse_target(parser, &cas->a);
    parser_expect(parser, ",", "','");
    parse_expression(parser, &cas->b);
    parser_expect(parser, ",", "','");
    parse_expression(parser, &cas->c);
    parser_expect(parser, ")", "')'");
    parser_close(parser, cas);
    return parser_close(parser, statement);
}

static enum portolan_status parse_assignment(struct parser *parser, struct node *node)
{
    struct node *assignment = parser_node(parser, NODE_ASSIGN);
    if (!assignment)
        return parser->status;
    node->kind = NODE_STEP;
    node->a = assignment;
    parse_target(parser, &assignment->a);
    parser_expect(parser, ":=", "':='");
    parse_expression(parser, &assignment->b);
    return parser_close(parser, assignment);
}

/* ---------------------------------------------------------- indexer(...) */

struct argument {
    const char *word;
    enum { IS_CONSTANT, IS_LOCAL, IS_TARGET, IS_NUMBER } kind;
    struct node *node;
};

static const struct declaration *find_declaration(const struct printed *p, const char *name)
{
    const struct declaration *d = p->parser->syntax->declarations;
    while (d && strcmp(d->name, name) != 0)
        d = d->next;
    return d;
}

/* The counters must be the thread's own: only the target is shared. */
static enum portolan_status check_local(const struct printed *p, const struct node *node, bool constant)
{
    const struct declaration *d = p->parser->status ? NULL : find_declaration(p, node->name);
    if (p->parser->status || (d && ((d->kind == DECLARED_VARIABLE && d->is_local && !d->is_array) ||
                                    (constant && d->kind == DECLARED_CONSTANT))))
        return p->parser->status;
    parser_fail(p->parser, &node->at, "'%.60s' must be %s here", node->name, constant ? "constant" : "local");
    hint(p->parser->error, "declare it as: %s %.60s 1%s", constant ? "const" : "local", node->name,
         constant ? " VALUE" : "");
    return p->parser->status;
}

static enum portolan_status parse_parameter(struct parser *parser, const char *word, bool first)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "'%s='", word);
    if (!first)
        parser_expect(parser, ",", "','");
    if (!parser_take(parser, word))
        parser_expected(parser, wanted);
    return parser_expect(parser, "=", "'='");
}

static enum portolan_status parse_arguments(struct printed *p, struct argument *argument, size_t count)
{
    struct parser *parser = p->parser;
    parser_expect(parser, "(", "'('");
    for (size_t i = 0; i < count; i++) {
        parse_parameter(parser, argument[i].word, i == 0);
        if (argument[i].kind == IS_NUMBER)
            argument[i].node = parse_integer(parser);
        else
            parse_target(parser, &argument[i].node);
        if (argument[i].kind <= IS_LOCAL)
            check_local(p, argument[i].node, argument[i].kind == IS_CONSTANT);
    }
    return parser_expect(parser, ")", "')'");
}

/* Puts the arguments into the place of their words, and everything at the place of the statement. */
static void instantiate(struct node *list, const struct node *statement, const struct argument *argument, size_t count)
{
    for (struct node *node = list; node; node = node->next) {
        instantiate(node->a, statement, argument, count);
        instantiate(node->b, statement, argument, count);
        instantiate(node->c, statement, argument, count);
        node->at = statement->at;
        node->start = statement->start;
        node->length = statement->length;
        for (size_t i = 0; node->kind == NODE_NAME && i < count; i++)
            if (strcmp(node->name, argument[i].word) == 0) {
                *node = *argument[i].node;
                break;
            }
    }
}

static enum portolan_status parse_indexer(struct printed *p, struct node *node)
{
    static const char body[] = "while (m < max) {\n"
                               "    m = m + 1; w = m * nprocs + tid; h = w * 7 % size;\n"
                               "    while (cas(target, 0, w) == 0) h = (h + 1) % size;\n"
                               "}\n";
    struct node tid = {.kind = NODE_INTEGER, .value = p->process}, *whole;
    struct argument argument[] = {{"max", IS_CONSTANT, NULL},  {"size", IS_CONSTANT, NULL}, {"m", IS_LOCAL, NULL},
                                  {"w", IS_LOCAL, NULL},       {"h", IS_LOCAL, NULL},       {"target", IS_TARGET, NULL},
                                  {"nprocs", IS_NUMBER, NULL}, {"tid", IS_NUMBER, &tid}};
    enum { ARGUMENTS = sizeof argument / sizeof *argument, H = 4, TARGET = 5 };
    struct parser *parser = p->parser;
    if (parse_arguments(p, argument, ARGUMENTS - 1))
        return parser->status;
    struct node *target = argument[TARGET].node;
    const struct declaration *d = target->kind == NODE_NAME ? find_declaration(p, target->name) : NULL;
    if (d && d->is_array) { /* the table alone: its element h */
        target->kind = NODE_INDEX;
        target->a = argument[H].node;
    }
    node->length = (size_t)(parser->last_end - node->start);
    struct lexer lexer;
    struct parser inner = *parser;
    inner.language = &program_language;
    inner.lexer = &lexer;
    lexer_init(&lexer, &program_rules, "indexer", body, sizeof body - 1);
    parser_advance(&inner);
    parse_statement(&inner, &whole);
    lexer_clear(&lexer);
    if (!(parser->status = inner.status)) {
        instantiate(whole, node, argument, ARGUMENTS);
        *node = *whole;
    }
    return parser->status;
}

/* ------------------------------------------------------------------ program */

static enum portolan_status parse_printed_statement(struct printed *p, struct node **statement)
{
    struct parser *parser = p->parser;
    struct node *node = *statement = parser_node(parser, NODE_BLOCK);
    if (!node || parser_enter(parser))
        return parser->status;
    if (parser_take(parser, "if"))
        parse_if(p, node);
    else if (parser_take(parser, "while"))
        parse_while(p, node);
    else if (parser_is(parser, "cas"))
        parse_cas(parser, node);
    else if (parser_take(parser, "indexer"))
        parse_indexer(p, node);
    else
        parse_assignment(parser, node);
    parser->depth--;
    return parser_close(parser, node);
}

static enum portolan_status parse_statements(struct printed *p, const char *closing, const char *wanted,
                                             struct node **block)
{
    struct parser *parser = p->parser;
    struct node *node = *block = parser_node(parser, NODE_BLOCK);
    if (!node)
        return parser->status;
    struct node **end = &node->a;
    do {
        if (parser->lexer->token.kind != TOKEN_NAME)
            return parser_expected(parser, wanted);
        if (parse_printed_statement(p, end))
            return parser->status;
        end = &(*end)->next;
    } while (!parser_is(parser, closing));
    parser_advance(parser);
    return parser_close(parser, node);
}

static enum portolan_status parse_process(struct printed *p)
{
    struct parser *parser = p->parser;
    struct declaration *thread = parser_declare(parser, DECLARED_THREAD);
    char *name;
    if (parser_get(parser, 24, &name))
        return parser->status;
    snprintf(name, 24, "p%lld", (long long)p->process);
    thread->name = name;
    thread->single = true;
    parser_expect(parser, "[", "a process, which starts with '['");
    return parse_statements(p, "]", "a statement or ']'", &thread->body);
}

enum portolan_status parse_printed_program(struct parser *parser)
{
    struct printed p = {.parser = parser};
    struct position at;
    int64_t processes = 0;
    parse_declarations(parser, &processes, &at);
    for (; !parser->status && (p.process == 0 || parser->lexer->token.kind != TOKEN_END); p.process++)
        parse_process(&p);
    if (!parser->status && p.process != processes) {
        parser_fail(parser, &at, "%lld processes are announced, but there are %lld", (long long)processes,
                    (long long)p.process);
        hint(parser->error, "the number after the name counts the [ ... ] blocks, repeated ones included");
    }
    return parser->status;
}
