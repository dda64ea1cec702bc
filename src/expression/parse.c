/* SPDX-License-Identifier: Apache-2.0 */
#include "expression/parse.h"

#include "base/diagnostic.h"

#include <stdio.h>

/* ------------------------------------------------------------------ tokens */

enum portolan_status parser_advance(struct parser *parser)
{
    parser->last_end = parser->lexer->token.start + parser->lexer->token.length;
    return lexer_next(parser->lexer, parser->error);
}

bool parser_is(const struct parser *parser, unsigned symbol)
{
    return token_is_operator(&parser->lexer->token, symbol);
}

bool parser_is_word(const struct parser *parser, const char *word)
{
    return token_is_word(&parser->lexer->token, word);
}

enum portolan_status parser_take(struct parser *parser, unsigned symbol, bool *taken)
{
    *taken = parser_is(parser, symbol);
    return *taken ? parser_advance(parser) : PORTOLAN_OK;
}

enum portolan_status parser_take_word(struct parser *parser, const char *word, bool *taken)
{
    *taken = parser_is_word(parser, word);
    return *taken ? parser_advance(parser) : PORTOLAN_OK;
}

enum portolan_status parser_expect(struct parser *parser, unsigned symbol, const char *wanted)
{
    if (parser_is(parser, symbol))
        return parser_advance(parser);
    return lexer_expected(parser->lexer, parser->error, wanted);
}

enum portolan_status parser_expect_word(struct parser *parser, const char *word)
{
    char wanted[32];
    if (parser_is_word(parser, word))
        return parser_advance(parser);
    snprintf(wanted, sizeof wanted, "'%s'", word);
    return lexer_expected(parser->lexer, parser->error, wanted);
}

enum portolan_status parser_name(struct parser *parser, const char *wanted, const char **name)
{
    const struct token *token = &parser->lexer->token;
    if (token->kind != TOKEN_NAME)
        return lexer_expected(parser->lexer, parser->error, wanted);
    *name = arena_copy(parser->arena, token->name, token->length);
    return *name ? parser_advance(parser) : fail_memory(parser->error);
}

/* ------------------------------------------------------------------- nodes */

enum portolan_status parser_get(struct parser *parser, size_t size, void *result)
{
    void *got = arena_get(parser->arena, size);
    *(void **)result = got;
    return got ? PORTOLAN_OK : fail_memory(parser->error);
}

struct node *parser_node(struct parser *parser, unsigned kind)
{
    struct node *node = arena_get(parser->arena, sizeof *node);
    if (node) {
        node->kind = kind;
        node->at = parser->lexer->token.at;
        node->start = parser->lexer->token.start;
    }
    return node;
}

enum portolan_status parser_memory(struct parser *parser)
{
    return fail_memory(parser->error);
}

static enum portolan_status too_deep(struct parser *parser, const struct position *at, unsigned most)
{
    lexer_fail(parser->lexer, at, parser->error, "this is nested too deeply (more than %u levels)", most);
    return PORTOLAN_BAD_INPUT;
}

static unsigned deepest(const struct node *list)
{
    unsigned depth = 0;
    for (; list; list = list->next)
        if (list->depth > depth)
            depth = list->depth;
    return depth;
}

enum portolan_status parser_close(struct parser *parser, struct node *node)
{
    node->length = (size_t)(parser->last_end - node->start);
    const struct node *children[] = {node->a, node->b, node->c};
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        unsigned depth = deepest(children[i]) + 1;
        if (depth > node->depth)
            node->depth = depth;
    }
    unsigned most = parser->language->deepest;
    return most && node->depth > most ? too_deep(parser, &node->at, most) : PORTOLAN_OK;
}

enum portolan_status parser_parent(struct parser *parser, unsigned kind, struct node **child_and_parent)
{
    struct node *child = *child_and_parent, *parent = parser_node(parser, kind);
    if (!parent)
        return parser_memory(parser);
    parent->a = child;
    parent->at = child->at;
    parent->start = child->start;
    *child_and_parent = parent;
    return PORTOLAN_OK;
}

enum portolan_status parser_enter(struct parser *parser)
{
    unsigned most = parser->language->most_open;
    return ++parser->depth > most ? too_deep(parser, &parser->lexer->token.at, most) : PORTOLAN_OK;
}

/* ----------------------------------------------------------------- grammar */

static const struct operator* operator_at(const struct parser *parser, const struct operator* table)
{
    for (; table->precedence; table++)
        if (parser_is(parser, table->symbol) || (table->word && parser_is_word(parser, table->word)))
            return table;
    return NULL;
}

/* The tree of a node is there: its end, and what the language makes of it. */
static enum portolan_status complete(struct parser *parser, struct node **node)
{
    enum portolan_status status = parser_close(parser, *node);
    return status || !parser->language->complete ? status : parser->language->complete(parser, node);
}

static enum portolan_status parse_number(struct parser *parser, struct node *node)
{
    const struct token *token = &parser->lexer->token;
    if (token->value > parser->language->largest)
        return lexer_fail(parser->lexer, &token->at, parser->error, "the integer is larger than %lld",
                          (long long)parser->language->largest);
    node->kind = NODE_NUMBER;
    node->value = token->value;
    node->gives.integer = parser->language->integer;
    return parser_advance(parser);
}

static enum portolan_status parse_parentheses(struct parser *parser, struct node **expression)
{
    struct position at = parser->lexer->token.at;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, expression);
    if (status)
        return status;
    (*expression)->at = at;
    return parser_expect(parser, parser->language->close, "')'");
}

static enum portolan_status parse_primary(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    if (parser_is(parser, parser->language->open))
        return parse_parentheses(parser, expression);
    enum portolan_status status;
    if (!(*expression = parser_node(parser, NODE_NAME)))
        return parser_memory(parser);
    if (token->kind == TOKEN_INTEGER)
        status = parse_number(parser, *expression);
    else if (token->kind == TOKEN_NAME || token->kind == TOKEN_QUOTED)
        status = parser->language->primary(parser, expression);
    else
        status = lexer_expected(parser->lexer, parser->error, parser->language->wanted);
    return status ? status : complete(parser, expression);
}

static enum portolan_status parse_unary(struct parser *parser, struct node **expression)
{
    const struct operator* unary = operator_at(parser, parser->language->unaries);
    if (!unary)
        return parse_primary(parser, expression);
    enum portolan_status status = parser_enter(parser);
    if (status)
        return status;
    if (!(*expression = parser_node(parser, NODE_UNARY)))
        return parser_memory(parser);
    (*expression)->operation = unary->operation;
    if (!(status = parser_advance(parser)) && !(status = parse_unary(parser, &(*expression)->a)))
        status = complete(parser, expression);
    parser->depth--;
    return status;
}

static enum portolan_status comparisons_chain(struct parser *parser)
{
    lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error, "comparisons do not chain");
    hint(parser->error, "write a < b && b < c, or parentheses");
    return PORTOLAN_BAD_INPUT;
}

/* The operator at the current token and its right operand, joined to the left one. */
static enum portolan_status parse_right(struct parser *parser, const struct operator* binary, struct node **left)
{
    enum portolan_status status = parser_parent(parser, NODE_BINARY, left);
    if (status)
        return status;
    struct node *node = *left;
    node->operation = binary->operation;
    if ((status = parser_advance(parser)))
        return status;
    if (binary->right)
        status = binary->right(parser, node);
    else
        status = parse_tight(parser, binary->precedence + !binary->groups_right, &node->b);
    return status ? status : complete(parser, left);
}

enum portolan_status parse_tight(struct parser *parser, unsigned weakest, struct node **expression)
{
    enum portolan_status status = parser_enter(parser);
    if (!status)
        status = parse_unary(parser, expression);
    const struct operator* binary;
    bool compared = false; /* what stands on the left is a comparison without parentheses */
    while (!status && (binary = operator_at(parser, parser->language->binaries)) && binary->precedence >= weakest) {
        bool comparison = compares(binary->operation);
        if (compared && comparison && !parser->language->chains)
            return comparisons_chain(parser);
        compared = comparison;
        status = parse_right(parser, binary, expression);
    }
    parser->depth--;
    return status;
}

enum portolan_status parse_expression(struct parser *parser, struct node **expression)
{
    enum portolan_status status = parse_tight(parser, 1, expression);
    if (status || !parser_is(parser, parser->language->question))
        return status;
    if ((status = parser_parent(parser, NODE_CONDITIONAL, expression)))
        return status;
    struct node *node = *expression;
    if ((status = parser_enter(parser)) || (status = parser_advance(parser)) ||
        (status = parse_expression(parser, &node->b)) ||
        (status = parser_expect(parser, parser->language->colon, "':'")) ||
        (status = parse_expression(parser, &node->c)))
        return status;
    parser->depth--;
    return complete(parser, expression);
}

enum portolan_status parse_list(struct parser *parser, unsigned comma, struct node **list)
{
    enum portolan_status status = parser_expect(parser, parser->language->open, "'('");
    bool more = !parser_is(parser, parser->language->close);
    for (; !status && more; list = &(*list)->next)
        if ((status = parse_expression(parser, list)) || (status = parser_take(parser, comma, &more)))
            return status;
    return status ? status : parser_expect(parser, parser->language->close, "',' or ')'");
}
