/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of both syntaxes share. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

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

const char *const threads_reserved[] = {
    "const",  "int",    "bool",    "void",   "atomic",    "lock",      "cond",   "thread", "if",     "else", "while",
    "for",    "in",     "break",   "return", "await",     "continue",  "assert", "spawn",  "join",   "skip", "wait",
    "signal", "unlock", "trylock", "cas",    "broadcast", "fetch_add", "true",   "false",  "failed", NULL};

enum portolan_status parser_integer(struct parser *parser, int64_t *value)
{
    const struct token *token = &parser->lexer->token;
    if (token->kind != TOKEN_INTEGER)
        return parser_expected(parser, "an integer");
    if (token->value > INT32_MAX)
        return parser_fail(parser, &token->at, "the integer is larger than %d", INT32_MAX);
    *value = token->value;
    return parser_advance(parser);
}

struct declaration *parser_declare(struct parser *parser, enum declaration_kind kind)
{
    struct syntax *syntax = parser->syntax;
    struct declaration *declaration;
    if (parser_get(parser, sizeof *declaration, &declaration))
        return NULL;
    declaration->kind = kind;
    declaration->at = parser->lexer->token.at;
    if (!syntax->end)
        syntax->end = &syntax->declarations;
    *syntax->end = declaration;
    syntax->end = &declaration->next;
    return declaration;
}
