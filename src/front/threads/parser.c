/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of both syntaxes share. */
#include "front/threads/ast.h"

#define PRINTED_SYMBOLS "+ - * / % < > == ( ) [ ] { } , := ="

const struct lexer_rules printed_rules = {.symbols = PRINTED_SYMBOLS, .name_characters = "-"};
const struct lexer_rules program_rules = {.symbols = PRINTED_SYMBOLS
                                          " ; ! ~ != <= >= && || & | ^ << >> ? : ++ -- += -= *= .."};

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
