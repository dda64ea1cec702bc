/* SPDX-License-Identifier: Apache-2.0 */
#include "expression/parse.h"

#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ errors */

enum portolan_status parser_fail(struct parser *parser, const struct position *at, const char *format, ...)
{
    char message[sizeof parser->error->message];
    if (parser->status)
        return parser->status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return parser->status = lexer_fail(parser->lexer, at, parser->error, "%s", message);
}

enum portolan_status parser_expected(struct parser *parser, const char *wanted)
{
    if (!parser->status)
        parser->status = lexer_expected(parser->lexer, parser->error, wanted);
    return parser->status;
}

static enum portolan_status too_deep(struct parser *parser, const struct position *at, unsigned most)
{
    return parser_fail(parser, at, "this is nested too deeply (more than %u levels)", most);
}

/* ------------------------------------------------------------------ tokens */

enum portolan_status parser_advance(struct parser *parser)
{
    if (parser->status)
        return parser->status;
    parser->last_end = parser->lexer->token.start + parser->lexer->token.length;
    return parser->status = lexer_next(parser->lexer, parser->error);
}

bool parser_is(const struct parser *parser, const char *text)
{
    return !parser->status && token_is(&parser->lexer->token, text);
}

bool parser_take(struct parser *parser, const char *text)
{
    return parser_is(parser, text) && !parser_advance(parser);
}

enum portolan_status parser_expect(struct parser *parser, const char *text, const char *wanted)
{
    return parser_is(parser, text) ? parser_advance(parser) : parser_expected(parser, wanted);
}

enum portolan_status parser_expect_word(struct parser *parser, const char *word)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "'%s'", word);
    return parser_is(parser, word) ? parser_advance(parser) : parser_expected(parser, wanted);
}

enum portolan_status parser_name(struct parser *parser, const char *wanted, const char **name)
{
    const struct token *token = &parser->lexer->token;
    if (parser->status || token->kind != TOKEN_NAME)
        return parser_expected(parser, wanted);
    *name = arena_copy(parser->arena, token->name, token->length);
    return *name ? parser_advance(parser) : (parser->status = fail_memory(parser->error));
}

enum portolan_status parser_new_name(struct parser *parser, const char *wanted, const char **name)
{
    for (const char *const *word = parser->language->reserved; *word; word++)
        if (parser_is(parser, *word))
            return parser_fail(parser, &parser->lexer->token.at, "'%s' is a word of the language and cannot be a name",
                               *word);
    return parser_name(parser, wanted, name);
}

/* ------------------------------------------------------------------- nodes */

enum portolan_status parser_get(struct parser *parser, size_t size, void *result)
{
    void *got = parser->status ? NULL : arena_get(parser->arena, size);
    *(void **)result = got;
    if (!got && !parser->status)
        parser->status = fail_memory(parser->error);
    return parser->status;
}

struct node *parser_node(struct parser *parser, unsigned kind)
{
    struct node *node;
    if (parser_get(parser, sizeof *node, &node))
        return NULL;
    node->kind = kind;
    node->at = parser->lexer->token.at;
    node->start = parser->lexer->token.start;
    return node;
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
    if (parser->status)
        return parser->status;
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
        return parser->status;
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

/* The precedence is that of C. */
static const struct operator binaries[] = {
    {"<->", PRECEDENCE_IFF, OPERATION_IFF, false, NULL},
    {"iff", PRECEDENCE_IFF, OPERATION_IFF, false, NULL},
    {"->", PRECEDENCE_IMPLIES, OPERATION_IMPLIES, true, NULL},
    {"=>", PRECEDENCE_IMPLIES, OPERATION_IMPLIES, true, NULL},
    {"imply", PRECEDENCE_IMPLIES, OPERATION_IMPLIES, true, NULL},
    {"implies", PRECEDENCE_IMPLIES, OPERATION_IMPLIES, true, NULL},
    {"||", PRECEDENCE_OR, OPERATION_OR, false, NULL},
    {"or", PRECEDENCE_OR, OPERATION_OR, false, NULL},
    {"&&", PRECEDENCE_AND, OPERATION_AND, false, NULL},
    {"and", PRECEDENCE_AND, OPERATION_AND, false, NULL},
    {"|", PRECEDENCE_BIT_OR, OPERATION_BIT_OR, false, NULL},
    {"^", PRECEDENCE_BIT_XOR, OPERATION_BIT_XOR, false, NULL},
    {"&", PRECEDENCE_BIT_AND, OPERATION_BIT_AND, false, NULL},
    {"==", PRECEDENCE_EQUALITY, OPERATION_EQUAL, false, NULL},
    {"=", PRECEDENCE_EQUALITY, OPERATION_EQUAL, false, NULL},
    {"!=", PRECEDENCE_EQUALITY, OPERATION_NOT_EQUAL, false, NULL},
    {"<", PRECEDENCE_ORDER, OPERATION_LESS, false, NULL},
    {"<=", PRECEDENCE_ORDER, OPERATION_LESS_EQUAL, false, NULL},
    {">", PRECEDENCE_ORDER, OPERATION_GREATER, false, NULL},
    {">=", PRECEDENCE_ORDER, OPERATION_GREATER_EQUAL, false, NULL},
    {"<<", PRECEDENCE_SHIFT, OPERATION_SHIFT_LEFT, false, NULL},
    {">>", PRECEDENCE_SHIFT, OPERATION_SHIFT_RIGHT, false, NULL},
    {"+", PRECEDENCE_SUM, OPERATION_ADD, false, NULL},
    {"-", PRECEDENCE_SUM, OPERATION_SUBTRACT, false, NULL},
    {"*", PRECEDENCE_PRODUCT, OPERATION_MULTIPLY, false, NULL},
    {"/", PRECEDENCE_PRODUCT, OPERATION_DIVIDE, false, NULL},
    {"%", PRECEDENCE_PRODUCT, OPERATION_REMAINDER, false, NULL},
    {0},
};

static const struct operator unaries[] = {
    {"-", 1, OPERATION_NEGATE, false, NULL},     {"+", 1, OPERATION_NONE, false, NULL},
    {"!", 1, OPERATION_NOT, false, NULL},        {"not", 1, OPERATION_NOT, false, NULL},
    {"~", 1, OPERATION_COMPLEMENT, false, NULL}, {0},
};

static const struct operator* operator_at(const struct parser *parser, const struct operator* table)
{
    for (; table && table->precedence; table++)
        if (parser_is(parser, table->text))
            return table;
    return NULL;
}

/* The same, if it is on the language's list. */
static const struct operator*
    listed_operator(const struct parser *parser, const struct operator* table, const char *list)
{
    const struct operator* found = list ? operator_at(parser, table) : NULL;
    for (size_t length; found && *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        if (strncmp(list, found->text, length) == 0 && !found->text[length])
            return found;
    }
    return NULL;
}

static const struct operator* binary_at(const struct parser *parser)
{
    const struct operator* own = operator_at(parser, parser->language->own);
    return own ? own : listed_operator(parser, binaries, parser->language->binaries);
}

/* The tree of a node is there: its end, and what the language makes of it. */
static enum portolan_status complete(struct parser *parser, struct node **node)
{
    if (!parser_close(parser, *node) && parser->language->complete)
        parser->status = parser->language->complete(parser, node);
    return parser->status;
}

static enum portolan_status parse_number(struct parser *parser, struct node *node)
{
    const struct token *token = &parser->lexer->token;
    if (token->value > parser->language->largest)
        return parser_fail(parser, &token->at, "the integer is larger than %lld", (long long)parser->language->largest);
    node->kind = NODE_NUMBER;
    node->value = token->value;
    node->gives.integer = parser->language->integer;
    return parser_advance(parser);
}

static enum portolan_status parse_parentheses(struct parser *parser, struct node **expression)
{
    struct position at = parser->lexer->token.at;
    parser_advance(parser);
    if (!parse_expression(parser, expression))
        (*expression)->at = at;
    return parser_expect(parser, ")", "')'");
}

static enum portolan_status parse_primary(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    if (parser_is(parser, "("))
        return parse_parentheses(parser, expression);
    if (!(*expression = parser_node(parser, NODE_NAME)))
        return parser->status;
    if (token->kind == TOKEN_INTEGER)
        parse_number(parser, *expression);
    else if (token->kind == TOKEN_NAME || token->kind == TOKEN_QUOTED ||
             (token->kind == TOKEN_OPERATOR && parser->language->reads_symbols))
        parser->status = parser->language->primary(parser, expression);
    else
        parser_expected(parser, parser->language->wanted);
    return complete(parser, expression);
}

static enum portolan_status parse_operand(struct parser *parser, struct node **expression)
{
    if (!parse_primary(parser, expression) && parser->language->postfix)
        parser->status = parser->language->postfix(parser, expression);
    return parser->status;
}

static enum portolan_status parse_unary(struct parser *parser, struct node **expression)
{
    const struct operator* unary = listed_operator(parser, unaries, parser->language->unaries);
    if (!unary)
        return parse_operand(parser, expression);
    parser_enter(parser);
    if (!(*expression = parser_node(parser, NODE_UNARY)))
        return parser->status;
    (*expression)->operation = unary->operation;
    parser_advance(parser);
    parse_unary(parser, &(*expression)->a);
    parser->depth--;
    return complete(parser, expression);
}

static enum portolan_status comparisons_chain(struct parser *parser)
{
    parser_fail(parser, &parser->lexer->token.at, "comparisons do not chain");
    hint(parser->error, "write a < b && b < c, or parentheses");
    return parser->status;
}

/* The operator at the current token and its right operand, joined to the left one. */
static enum portolan_status parse_right(struct parser *parser, const struct operator* binary, struct node **left)
{
    if (parser_parent(parser, NODE_BINARY, left))
        return parser->status;
    struct node *node = *left;
    node->operation = binary->operation;
    parser_advance(parser);
    bool alone = compares(binary->operation) && !parser->language->chains;
    if (binary->right)
        binary->right(parser, node);
    else
        parse_tight(parser, alone ? PRECEDENCE_ORDER + 1 : binary->precedence + !binary->groups_right, &node->b);
    return complete(parser, left);
}

enum portolan_status parse_tight(struct parser *parser, unsigned weakest, struct node **expression)
{
    const struct operator* binary;
    bool compared = false; /* what stands on the left is a comparison without parentheses */
    parser_enter(parser);
    parse_unary(parser, expression);
    while ((binary = binary_at(parser)) && binary->precedence >= weakest) {
        bool comparison = compares(binary->operation);
        if (compared && comparison && !parser->language->chains)
            return comparisons_chain(parser);
        compared = comparison;
        parse_right(parser, binary, expression);
    }
    parser->depth--;
    return parser->status;
}

enum portolan_status parse_expression(struct parser *parser, struct node **expression)
{
    parse_tight(parser, 1, expression);
    const char *question = parser->language->question;
    if (!question || !parser_is(parser, question) || parser_parent(parser, NODE_CONDITIONAL, expression))
        return parser->status;
    struct node *node = *expression;
    parser_enter(parser);
    parser_advance(parser);
    parse_expression(parser, &node->b);
    parser_expect(parser, ":", "':'");
    parse_expression(parser, &node->c);
    parser->depth--;
    return complete(parser, expression);
}

enum portolan_status parse_list(struct parser *parser, struct node **list)
{
    parser_expect(parser, "(", "'('");
    for (bool more = !parser_is(parser, ")"); more; list = &(*list)->next) {
        if (parse_expression(parser, list))
            return parser->status;
        more = parser_take(parser, ",");
    }
    return parser_expect(parser, ")", "',' or ')'");
}

bool parse_index(struct parser *parser, struct node **index)
{
    if (!parser_take(parser, "["))
        return false;
    parse_expression(parser, index);
    return !parser_expect(parser, "]", "']'");
}
