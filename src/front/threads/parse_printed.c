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
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST_NESTING = 200 };

struct printed {
    struct parser *parser;
    int64_t process; /* the number of the present one */
};

/* ------------------------------------------------------------- declarations */

static enum portolan_status parse_declaration(struct printed *p)
{
    struct parser *parser = p->parser;
    struct declaration *declaration = parser_declare(parser, DECLARED_VARIABLE);
    if (!declaration)
        return parser_memory(parser);
    bool constant = parser_is_word(p->parser, "const");
    enum portolan_status status = PORTOLAN_OK;
    declaration->type = TYPE_INT;
    declaration->is_local = parser_is_word(p->parser, "local");
    if (constant || declaration->is_local)
        status = parser_advance(parser);
    declaration->at = parser->lexer->token.at;
    if (!status)
        status = parser_name(parser, "a declaration", &declaration->name);
    declaration->size = status ? NULL : parser_node(parser, NODE_INTEGER);
    if (!status && !declaration->size)
        status = parser_memory(parser);
    if (!status)
        status = parser_integer(parser, &declaration->size->value);
    for (struct node **end = &declaration->values; !status && parser->lexer->token.kind == TOKEN_INTEGER;
         end = &(*end)->next) {
        *end = parser_node(parser, NODE_INTEGER);
        status = *end ? parser_integer(parser, &(*end)->value) : parser_memory(parser);
    }
    if (status)
        return status;
    declaration->is_array = declaration->size->value != 1;
    if (!constant)
        return PORTOLAN_OK;
    if (declaration->is_array || !declaration->values)
        return lexer_fail(parser->lexer, &declaration->at, parser->error, "a constant has length 1 and one value");
    declaration->kind = DECLARED_CONSTANT;
    return PORTOLAN_OK;
}

/* < "name" processes, declaration, ... > */
static enum portolan_status parse_declarations(struct printed *p, int64_t *processes, struct position *at)
{
    struct parser *parser = p->parser;
    enum portolan_status status = parser_expect(parser, SYMBOL_LESS, "'<'");
    const struct token *token = &parser->lexer->token;
    if (!status && token->kind == TOKEN_QUOTED) {
        parser->syntax->name = arena_copy(&parser->syntax->arena, token->name, strlen(token->name));
        status = parser->syntax->name ? parser_advance(parser) : parser_memory(parser);
    }
    *at = token->at;
    if (!status && token->kind != TOKEN_INTEGER)
        return lexer_expected(parser->lexer, parser->error, "the number of processes");
    if (!status)
        status = parser_integer(parser, processes);
    while (!status && parser_is(p->parser, SYMBOL_COMMA)) {
        status = parser_advance(parser);
        if (status || parser_is(p->parser, SYMBOL_GREATER))
            break;
        status = parse_declaration(p);
    }
    return status ? status : parser_expect(parser, SYMBOL_GREATER, "',' or '>'");
}

/* -------------------------------------------------------------- expressions */

static const struct operator binaries[] = {
    {.symbol = SYMBOL_PLUS, .precedence = 1, .operation = OPERATION_ADD},
    {.symbol = SYMBOL_MINUS, .precedence = 1, .operation = OPERATION_SUBTRACT},
    {.symbol = SYMBOL_TIMES, .precedence = 1, .operation = OPERATION_MULTIPLY},
    {.symbol = SYMBOL_OVER, .precedence = 1, .operation = OPERATION_DIVIDE},
    {.symbol = SYMBOL_MODULO, .precedence = 1, .operation = OPERATION_REMAINDER},
    {.precedence = 0},
};

/* x, a[e] */
static enum portolan_status parse_name(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    bool is_array = false;
    enum portolan_status status = parser_name(parser, parser->language->wanted, &node->name);
    if (!status)
        status = parser_take(parser, SYMBOL_OPEN_INDEX, &is_array);
    if (status || !is_array)
        return status;
    node->kind = NODE_INDEX;
    status = parse_expression(parser, &node->a);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE_INDEX, "']'");
}

const struct language printed_language = {.binaries = binaries,
                                          .unaries = &binaries[5],
                                          .open = SYMBOL_OPEN,
                                          .close = SYMBOL_CLOSE,
                                          .question = NO_SYMBOL,
                                          .most_open = DEEPEST_NESTING,
                                          .deepest = 400,
                                          .primary = parse_name,
                                          .wanted = "a variable, an integer or '('",
                                          .largest = INT32_MAX,
                                          .integer = INTEGER_32};

static enum portolan_status parse_target(struct printed *p, struct node **target)
{
    struct parser *parser = p->parser;
    if (parser->lexer->token.kind != TOKEN_NAME)
        return lexer_expected(parser->lexer, parser->error, "a variable");
    if (!(*target = parser_node(parser, NODE_NAME)))
        return parser_memory(parser);
    enum portolan_status status = parse_name(parser, target);
    return status ? status : parser_close(parser, *target);
}

/* A comparison, evaluated in one step. */
static enum portolan_status parse_bool(struct printed *p, struct node **condition)
{
    struct parser *parser = p->parser;
    struct node *step = parser_node(parser, NODE_STEP);
    if (!step)
        return parser_memory(parser);
    *condition = step;
    enum portolan_status status = parse_expression(parser, &step->a);
    if (status)
        return status;
    enum operation operation = parser_is(p->parser, SYMBOL_LESS)      ? OPERATION_LESS
                               : parser_is(p->parser, SYMBOL_GREATER) ? OPERATION_GREATER
                               : parser_is(p->parser, SYMBOL_EQUALS)  ? OPERATION_EQUAL
                                                                      : OPERATION_NONE;
    if (operation == OPERATION_NONE)
        return lexer_expected(parser->lexer, parser->error, "'<', '>' or '=='");
    if ((status = parser_parent(parser, NODE_BINARY, &step->a)) || (status = parser_advance(parser)))
        return status;
    step->a->operation = operation;
    status = parse_expression(parser, &step->a->b);
    if (!status)
        status = parser_close(parser, step->a);
    return status ? status : parser_close(parser, step);
}

/* --------------------------------------------------------------- statements */

static enum portolan_status parse_statements(struct printed *p, unsigned closing, const char *wanted,
                                             struct node **block);

static enum portolan_status parse_braces(struct printed *p, struct node **block)
{
    enum portolan_status status = parser_expect(p->parser, SYMBOL_OPEN_BLOCK, "'{'");
    return status ? status : parse_statements(p, SYMBOL_CLOSE_BLOCK, "a statement or '}'", block);
}

static enum portolan_status parse_if(struct printed *p, struct node *node)
{
    node->kind = NODE_IF;
    enum portolan_status status = parser_advance(p->parser);
    if (!status)
        status = parse_bool(p, &node->a);
    if (!status && parser_is_word(p->parser, "then")) {
        status = parser_advance(p->parser);
        if (!status)
            status = parse_braces(p, &node->b);
        if (!status && parser_is_word(p->parser, "else")) {
            status = parser_advance(p->parser);
            if (!status)
                status = parse_braces(p, &node->c);
        }
    }
    return status;
}

static enum portolan_status parse_while(struct printed *p, struct node *node)
{
    node->kind = NODE_WHILE;
    enum portolan_status status = parser_advance(p->parser);
    if (!status)
        status = parse_bool(p, &node->a);
    return status ? status : parse_braces(p, &node->b);
}

static enum portolan_status parse_cas(struct printed *p, struct node *node)
{
    struct parser *parser = p->parser;
    struct node *statement = parser_node(parser, NODE_EXPRESSION), *cas = parser_node(parser, NODE_CAS);
    if (!statement || !cas)
        return parser_memory(parser);
    node->kind = NODE_STEP;
    node->a = statement;
    statement->a = cas;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (!status)
        status = parse_target(p, &cas->a);
    if (!status)
        status = parser_expect(parser, SYMBOL_COMMA, "','");
    if (!status)
        status = parse_expression(p->parser, &cas->b);
    if (!status)
        status = parser_expect(parser, SYMBOL_COMMA, "','");
    if (!status)
        status = parse_expression(p->parser, &cas->c);
    if (!status)
        status = parser_expect(parser, SYMBOL_CLOSE, "')'");
    if (!status)
        status = parser_close(parser, cas);
    return status ? status : parser_close(parser, statement);
}

static enum portolan_status parse_assignment(struct printed *p, struct node *node)
{
    struct node *assignment = parser_node(p->parser, NODE_ASSIGN);
    if (!assignment)
        return parser_memory(p->parser);
    node->kind = NODE_STEP;
    node->a = assignment;
    enum portolan_status status = parse_target(p, &assignment->a);
    if (!status)
        status = parser_expect(p->parser, SYMBOL_ASSIGN_PRINTED, "':='");
    if (!status)
        status = parse_expression(p->parser, &assignment->b);
    return status ? status : parser_close(p->parser, assignment);
}

/* ---------------------------------------------------------- indexer(...) */

struct indexer {
    struct node *max, *size, *m, *w, *h, *target;
    int64_t multiplier;
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
    const struct declaration *d = find_declaration(p, node->name);
    if (d &&
        ((d->kind == DECLARED_VARIABLE && d->is_local && !d->is_array) || (constant && d->kind == DECLARED_CONSTANT)))
        return PORTOLAN_OK;
    enum portolan_status status = lexer_fail(p->parser->lexer, &node->at, p->parser->error, "'%.60s' must be %s here",
                                             node->name, constant ? "constant" : "local");
    hint(p->parser->error, "declare it as: %s %.60s 1%s", constant ? "const" : "local", node->name,
         constant ? " VALUE" : "");
    return status;
}

static enum portolan_status parse_parameter(struct printed *p, const char *word, bool first)
{
    struct parser *parser = p->parser;
    enum portolan_status status = first ? PORTOLAN_OK : parser_expect(parser, SYMBOL_COMMA, "','");
    if (!status && !parser_is_word(p->parser, word)) {
        char wanted[32] = "'";
        strncat(wanted, word, 20);
        return lexer_expected(parser->lexer, parser->error, strcat(wanted, "='"));
    }
    if (!status)
        status = parser_advance(parser);
    return status ? status : parser_expect(parser, SYMBOL_ASSIGN, "'='");
}

static enum portolan_status parse_indexer_arguments(struct printed *p, struct indexer *x)
{
    struct parser *parser = p->parser;
    struct {
        const char *word;
        struct node **node;
        bool constant;
    } parts[] = {{"max", &x->max, true},
                 {"size", &x->size, true},
                 {"m", &x->m, false},
                 {"w", &x->w, false},
                 {"h", &x->h, false}};
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++) {
        status = parse_parameter(p, parts[i].word, i == 0);
        if (!status)
            status = parse_target(p, parts[i].node);
        if (!status)
            status = check_local(p, *parts[i].node, parts[i].constant);
    }
    if (!status)
        status = parse_parameter(p, "target", false);
    if (!status)
        status = parse_target(p, &x->target);
    if (!status)
        status = parse_parameter(p, "nprocs", false);
    if (!status)
        status = parser_integer(parser, &x->multiplier);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE, "')'");
}

/* A small tree at the place of the statement; NULL stays NULL, so that memory is tested once. */
static struct node *make(struct printed *p, const struct node *statement, unsigned kind, struct node *a, struct node *b)
{
    struct node *node = parser_node(p->parser, kind);
    if (!node || !a || !b)
        return NULL;
    node->at = statement->at;
    node->start = statement->start;
    node->length = statement->length;
    node->a = a;
    node->b = b;
    return node;
}

static struct node *operate(struct printed *p, const struct node *statement, enum operation operation, struct node *a,
                            struct node *b)
{
    struct node *node = make(p, statement, NODE_BINARY, a, b);
    if (node)
        node->operation = operation;
    return node;
}

static struct node *number(struct printed *p, int64_t value)
{
    struct node *node = parser_node(p->parser, NODE_INTEGER);
    if (node)
        node->value = value;
    return node;
}

/* { m := m + 1; w := m * nprocs + tid; h := w * 7 % size; while (cas(target, 0, w) == 0) h := (h + 1) % size } */
static struct node *indexer_round(struct printed *p, const struct node *s, const struct indexer *x)
{
    struct node *count = make(p, s, NODE_ASSIGN, x->m, operate(p, s, OPERATION_ADD, x->m, number(p, 1)));
    struct node *message = operate(p, s, OPERATION_MULTIPLY, x->m, number(p, x->multiplier));
    message = make(p, s, NODE_ASSIGN, x->w, operate(p, s, OPERATION_ADD, message, number(p, p->process)));
    struct node *hash = operate(p, s, OPERATION_MULTIPLY, x->w, number(p, 7));
    hash = make(p, s, NODE_ASSIGN, x->h, operate(p, s, OPERATION_REMAINDER, hash, x->size));
    struct node *cas = make(p, s, NODE_CAS, x->target, number(p, 0));
    struct node *forward = operate(p, s, OPERATION_ADD, x->h, number(p, 1));
    forward = make(p, s, NODE_ASSIGN, x->h, operate(p, s, OPERATION_REMAINDER, forward, x->size));
    if (cas)
        cas->c = x->w;
    struct node *attempts = make(p, s, NODE_WHILE, operate(p, s, OPERATION_EQUAL, cas, number(p, 0)), forward);
    struct node *block = make(p, s, NODE_BLOCK, count, attempts);
    if (!block || !message || !hash)
        return NULL;
    block->b = NULL;
    count->next = message;
    message->next = hash;
    hash->next = attempts;
    return block;
}

static enum portolan_status parse_indexer(struct printed *p, struct node *node)
{
    struct parser *parser = p->parser;
    struct indexer x = {0};
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parse_indexer_arguments(p, &x);
    if (status)
        return status;
    if (x.target->kind == NODE_NAME) { /* the table alone: its element h */
        const struct declaration *d = find_declaration(p, x.target->name);
        if (d && d->is_array) {
            x.target->kind = NODE_INDEX;
            x.target->a = x.h;
        }
    }
    node->length = (size_t)(parser->last_end - node->start);
    node->kind = NODE_WHILE;
    node->a = operate(p, node, OPERATION_LESS, x.m, x.max);
    node->b = indexer_round(p, node, &x);
    return node->a && node->b ? PORTOLAN_OK : parser_memory(parser);
}

/* ------------------------------------------------------------------ program */

static enum portolan_status parse_printed_statement(struct printed *p, struct node **statement)
{
    struct parser *parser = p->parser;
    struct node *node = parser_node(parser, NODE_BLOCK);
    enum portolan_status status;
    if (!node)
        return parser_memory(parser);
    *statement = node;
    if (++parser->depth > DEEPEST_NESTING)
        return lexer_fail(parser->lexer, &node->at, parser->error, "this is nested too deeply (more than %d levels)",
                          DEEPEST_NESTING);
    if (parser_is_word(p->parser, "if"))
        status = parse_if(p, node);
    else if (parser_is_word(p->parser, "while"))
        status = parse_while(p, node);
    else if (parser_is_word(p->parser, "cas"))
        status = parse_cas(p, node);
    else if (parser_is_word(p->parser, "indexer"))
        status = parse_indexer(p, node);
    else
        status = parse_assignment(p, node);
    parser->depth--;
    return status ? status : parser_close(parser, node);
}

static enum portolan_status parse_statements(struct printed *p, unsigned closing, const char *wanted,
                                             struct node **block)
{
    struct parser *parser = p->parser;
    struct node *node = parser_node(parser, NODE_BLOCK);
    if (!node)
        return parser_memory(parser);
    *block = node;
    enum portolan_status status = PORTOLAN_OK;
    struct node **end = &node->a;
    do {
        if (parser->lexer->token.kind != TOKEN_NAME)
            return lexer_expected(parser->lexer, parser->error, wanted);
        status = parse_printed_statement(p, end);
        if (status)
            return status;
        end = &(*end)->next;
    } while (!parser_is(p->parser, closing));
    status = parser_advance(parser);
    return status ? status : parser_close(parser, node);
}

static enum portolan_status parse_process(struct printed *p)
{
    struct parser *parser = p->parser;
    struct declaration *thread = parser_declare(parser, DECLARED_THREAD);
    char *name = arena_get(&parser->syntax->arena, 24);
    if (!thread || !name)
        return parser_memory(parser);
    snprintf(name, 24, "p%lld", (long long)p->process);
    thread->name = name;
    thread->single = true;
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN_INDEX, "a process, which starts with '['");
    return status ? status : parse_statements(p, SYMBOL_CLOSE_INDEX, "a statement or ']'", &thread->body);
}

enum portolan_status parse_printed_program(struct parser *parser)
{
    struct printed p = {.parser = parser};
    struct position at;
    int64_t processes = 0;
    enum portolan_status status = parse_declarations(&p, &processes, &at);
    for (; !status && (p.process == 0 || parser->lexer->token.kind != TOKEN_END); p.process++)
        status = parse_process(&p);
    if (!status && p.process != processes) {
        status = lexer_fail(parser->lexer, &at, parser->error, "%lld processes are announced, but there are %lld",
                            (long long)processes, (long long)p.process);
        hint(parser->error, "the number behind the name counts the [ ... ] blocks, repeated ones included");
    }
    return status;
}
