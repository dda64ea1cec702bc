/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of both syntaxes share. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

enum { DEEPEST_TREE = 400 };

#define PRINTED_TABLE                                                                                                  \
    [SYMBOL_PLUS] = "+", [SYMBOL_MINUS] = "-", [SYMBOL_TIMES] = "*", [SYMBOL_OVER] = "/", [SYMBOL_MODULO] = "%",       \
    [SYMBOL_LESS] = "<", [SYMBOL_GREATER] = ">", [SYMBOL_EQUALS] = "==", [SYMBOL_OPEN] = "(", [SYMBOL_CLOSE] = ")",    \
    [SYMBOL_OPEN_INDEX] = "[", [SYMBOL_CLOSE_INDEX] = "]", [SYMBOL_OPEN_BLOCK] = "{", [SYMBOL_CLOSE_BLOCK] = "}",      \
    [SYMBOL_COMMA] = ",", [SYMBOL_ASSIGN_PRINTED] = ":=", [SYMBOL_ASSIGN] = "="

static const char *const printed_symbols[] = {PRINTED_TABLE, NULL};

static const char *const program_symbols[] = {PRINTED_TABLE,
                                              [SYMBOL_SEMICOLON] = ";",
                                              [SYMBOL_NOT] = "!",
                                              [SYMBOL_COMPLEMENT] = "~",
                                              [SYMBOL_NOT_EQUAL] = "!=",
                                              [SYMBOL_LESS_EQUAL] = "<=",
                                              [SYMBOL_GREATER_EQUAL] = ">=",
                                              [SYMBOL_AND] = "&&",
                                              [SYMBOL_OR] = "||",
                                              [SYMBOL_BIT_AND] = "&",
                                              [SYMBOL_BIT_OR] = "|",
                                              [SYMBOL_BIT_XOR] = "^",
                                              [SYMBOL_SHIFT_LEFT] = "<<",
                                              [SYMBOL_SHIFT_RIGHT] = ">>",
                                              [SYMBOL_QUESTION] = "?",
                                              [SYMBOL_COLON] = ":",
                                              [SYMBOL_INCREMENT] = "++",
                                              [SYMBOL_DECREMENT] = "--",
                                              [SYMBOL_ADD_ASSIGN] = "+=",
                                              [SYMBOL_SUBTRACT_ASSIGN] = "-=",
                                              [SYMBOL_MULTIPLY_ASSIGN] = "*=",
                                              [SYMBOL_RANGE] = "..",
                                              NULL};

const struct lexer_rules printed_rules = {.operators = printed_symbols, .name_characters = "-"};
const struct lexer_rules program_rules = {.operators = program_symbols};

enum portolan_status parser_advance(struct parser *parser)
{
    parser->last_end = parser->lexer->token.start + parser->lexer->token.length;
    return lexer_next(parser->lexer, parser->error);
}

enum portolan_status parser_memory(struct parser *parser)
{
    return fail_memory(parser->error);
}

struct node *parser_node(struct parser *parser, enum node_kind kind)
{
    struct node *node = arena_get(&parser->syntax->arena, sizeof *node);
    if (node) {
        node->kind = kind;
        node->at = parser->lexer->token.at;
        node->start = parser->lexer->token.start;
    }
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
    node->length = (size_t)(parser->last_end - node->start);
    const struct node *children[] = {node->a, node->b, node->c};
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        unsigned depth = deepest(children[i]) + 1;
        if (depth > node->depth)
            node->depth = depth;
    }
    if (node->depth > DEEPEST_TREE)
        return lexer_fail(parser->lexer, &node->at, parser->error, "this is nested too deeply (more than %d levels)",
                          DEEPEST_TREE);
    return PORTOLAN_OK;
}

enum portolan_status parser_name(struct parser *parser, const char *wanted, const char **name)
{
    const struct token *token = &parser->lexer->token;
    if (token->kind != TOKEN_NAME)
        return lexer_expected(parser->lexer, parser->error, wanted);
    *name = arena_copy(&parser->syntax->arena, token->name, token->length);
    return *name ? parser_advance(parser) : parser_memory(parser);
}

static const char *const reserved[] = {
    "const",  "int",    "bool",    "void",   "atomic",    "lock",      "cond",   "thread", "if",    "else", "while",
    "for",    "in",     "break",   "return", "await",     "continue",  "assert", "spawn",  "join",  "skip", "wait",
    "signal", "unlock", "trylock", "cas",    "broadcast", "fetch_add", "true",   "false",  "failed"};

enum portolan_status parser_new_name(struct parser *parser, const char *wanted, const char **name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (token_is_word(&parser->lexer->token, reserved[i]))
            return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error,
                              "'%s' is a word of the language and cannot be a name", reserved[i]);
    return parser_name(parser, wanted, name);
}

enum portolan_status parser_integer(struct parser *parser, int64_t *value)
{
    const struct token *token = &parser->lexer->token;
    if (token->kind != TOKEN_INTEGER)
        return lexer_expected(parser->lexer, parser->error, "an integer");
    if (token->value > INT32_MAX)
        return lexer_fail(parser->lexer, &token->at, parser->error, "the integer is larger than %d", INT32_MAX);
    *value = token->value;
    return parser_advance(parser);
}

enum portolan_status parser_expect(struct parser *parser, unsigned symbol, const char *wanted)
{
    if (!token_is_operator(&parser->lexer->token, symbol))
        return lexer_expected(parser->lexer, parser->error, wanted);
    return parser_advance(parser);
}

struct declaration *parser_declare(struct parser *parser, enum declaration_kind kind)
{
    struct declaration *declaration = arena_get(&parser->syntax->arena, sizeof *declaration);
    if (declaration) {
        declaration->kind = kind;
        declaration->at = parser->lexer->token.at;
        *parser->end = declaration;
        parser->end = &declaration->next;
    }
    return declaration;
}
