/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of formulas: precedence climbing over the operators, with the
 * expressions of the model as operands.
 *
 * Precedence, from loose to tight: <->, ->, xor, ||, &&, then U R W M, then
 * ! X F G, then comparisons and arithmetic; as in Spot (A. Duret-Lutz, "Spot's
 * temporal logic formulas"), and in SPIN but for the relative order of
 * <-> and ->.  -> and the binary temporal operators group to the right.
 */
#include "ltl/formula.h"

#include "base/diagnostic.h"
#include "base/lexer.h"
#include "property/symbols.h"

#include <string.h>

static const struct lexer_rules rules = {
    .symbols = EXPRESSION_SYMBOLS " [] <> ~ & | ^ /\\ \\/ => <=>", .name_characters = ".[]@", .hash_comments = true};

struct spelling {
    const char *symbol, *word; /* or NULL */
    enum ltl_operation operation;
    unsigned precedence; /* of a binary operator */
    bool groups_right;
};

enum { LOWEST = 1 };

static const struct spelling binaries[] = {
    {"<->", "iff", LTL_IFF, 1, false},
    {"<=>", "equivalent", LTL_IFF, 1, false},
    {"->", "implies", LTL_IMPLIES, 2, true},
    {"=>", NULL, LTL_IMPLIES, 2, true},
    {"^", "xor", LTL_XOR, 3, false},
    {"||", "or", LTL_OR, 4, false},
    {"|", NULL, LTL_OR, 4, false},
    {"\\/", NULL, LTL_OR, 4, false},
    {"&&", "and", LTL_AND, 5, false},
    {"&", NULL, LTL_AND, 5, false},
    {"/\\", NULL, LTL_AND, 5, false},
    {NULL, "U", LTL_UNTIL, 6, true},
    {NULL, "until", LTL_UNTIL, 6, true},
    {NULL, "stronguntil", LTL_UNTIL, 6, true},
    {NULL, "R", LTL_RELEASE, 6, true},
    {NULL, "V", LTL_RELEASE, 6, true},
    {NULL, "release", LTL_RELEASE, 6, true},
    {NULL, "W", LTL_WEAK_UNTIL, 6, true},
    {NULL, "weakuntil", LTL_WEAK_UNTIL, 6, true},
    {NULL, "M", LTL_STRONG_RELEASE, 6, true},
};

static const struct spelling unaries[] = {
    {"!", "not", LTL_NOT, 0, true},     {"~", NULL, LTL_NOT, 0, true},
    {NULL, "X", LTL_NEXT, 0, true},     {NULL, "next", LTL_NEXT, 0, true},
    {"<>", "F", LTL_FINALLY, 0, true},  {NULL, "eventually", LTL_FINALLY, 0, true},
    {"[]", "G", LTL_GLOBALLY, 0, true}, {NULL, "always", LTL_GLOBALLY, 0, true},
};

struct parser {
    struct ltl *ltl;
    const struct portolan_system *system; /* NULL: atoms are names */
    struct lexer lexer;
    struct portolan_error *error;
    unsigned depth;
};

/* ------------------------------------------------------------------ tokens */

static enum portolan_status advance(struct parser *parser)
{
    return lexer_next(&parser->lexer, parser->error);
}

static const struct spelling *find(const struct spelling *table, size_t count, const struct token *token)
{
    for (size_t i = 0; i < count; i++)
        if ((table[i].symbol && token_is(token, table[i].symbol)) || (table[i].word && token_is(token, table[i].word)))
            return &table[i];
    return NULL;
}

#define FIND(table, token) find(table, sizeof(table) / sizeof *(table), token)

/* "GF", "XX": unary operators written together. */
static bool is_operator_run(const char *word)
{
    return word[0] && strspn(word, "XFG") == strlen(word);
}

bool ltl_is_keyword(const char *word)
{
    struct token token = {.kind = TOKEN_NAME, .name = word};
    return FIND(binaries, &token) || FIND(unaries, &token) || is_operator_run(word) || strcmp(word, "true") == 0 ||
           strcmp(word, "false") == 0;
}

static enum portolan_status too_deep(struct parser *parser)
{
    enum portolan_status status =
        lexer_fail(&parser->lexer, &parser->lexer.token.at, parser->error, "the formula is nested too deeply");
    hint(parser->error, "at most %d operators and parentheses may stand inside each other", LTL_DEPTH);
    return status;
}

static enum portolan_status make(struct parser *parser, enum ltl_operation operation, uint32_t left, uint32_t right,
                                 uint32_t *out)
{
    *out = ltl_make(parser->ltl, operation, left, right);
    if (parser->ltl->failed)
        return fail_memory(parser->error);
    return parser->ltl->nodes.item[*out].depth > LTL_DEPTH ? too_deep(parser) : PORTOLAN_OK;
}

/* ------------------------------------------------------------------- atoms */

/* A failure to add an atom knows no place: it is where the atom starts. */
static enum portolan_status add_atom(struct parser *parser, const struct position *at, const char *text,
                                     struct expression *expression, uint32_t *out)
{
    uint32_t atom;
    struct portolan_error reason = {0};
    enum portolan_status status = ltl_add_atom(parser->ltl, text, expression, &atom, &reason);
    if (status == PORTOLAN_BAD_INPUT) {
        lexer_fail(&parser->lexer, at, parser->error, "%s", reason.message);
        hint(parser->error, "%s", reason.hint);
    } else if (status) {
        fail_memory(parser->error);
    }
    return status ? status : make(parser, LTL_ATOM, atom, 0, out);
}

struct text {
    VECTOR(char) characters;
    bool failed;
};

static void append(struct text *text, const char *start, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text->failed |= !vector_push(&text->characters, start[i]);
}

/* The tokens from `start` up to `end`, with the same blanks however they were written. */
static void append_tokens(struct text *text, const char *start, const char *end)
{
    struct lexer lexer;
    bool glued = true;
    lexer_init(&lexer, &rules, NULL, start, (size_t)(end - start));
    enum token_kind before = TOKEN_END;
    while (lexer_next(&lexer, NULL) == PORTOLAN_OK && lexer.token.kind != TOKEN_END) {
        const struct token *token = &lexer.token;
        bool closes = token_is(token, ")") || token_is(token, ",");
        bool calls = token_is(token, "(") && before == TOKEN_NAME;
        if (!glued && !closes && !calls)
            append(text, " ", 1);
        append(text, token->start, token->length);
        glued = token_is(token, "(");
        before = token->kind;
    }
    lexer_clear(&lexer);
}

/* A plain name, with quotes only where it needs them. */
static void append_name(struct text *text, const char *name)
{
    if (lexer_is_bare_name(&rules, name) && !ltl_is_keyword(name)) {
        append(text, name, strlen(name));
        return;
    }
    append(text, "\"", 1);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            append(text, "\\", 1);
        append(text, *name == '\n' ? "\\n" : name, *name == '\n' ? 2 : 1);
    }
    append(text, "\"", 1);
}

static enum portolan_status parse_atom(struct parser *parser, uint32_t *out)
{
    struct token first = parser->lexer.token; /* its name is gone when the next token is read */
    struct expression *expression = NULL;
    struct text text = {0};
    enum portolan_status status = PORTOLAN_OK;
    if (parser->system) {
        status = expression_parse_atom(parser->system, &parser->lexer, &expression, parser->error);
        append_tokens(&text, first.start, parser->lexer.token.start);
    } else {
        append_name(&text, first.name);
        status = advance(parser);
    }
    append(&text, "", 1);
    if (!status && text.failed)
        status = fail_memory(parser->error);
    if (status)
        expression_free(expression);
    else
        status = add_atom(parser, &first.at, text.characters.item, expression, out);
    free(text.characters.item);
    return status;
}

static bool is_arithmetic(const struct token *token)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "=", "==", "!=", "<", "<=", ">", ">="};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (token_is(token, operators[i]))
            return true;
    return false;
}

/* Whether the parenthesis that is the current token belongs to arithmetic: an operator of that stands behind it. */
static bool opens_arithmetic(const struct parser *parser)
{
    struct lexer ahead;
    unsigned open = 0;
    bool result = false;
    if (!parser->system)
        return false;
    lexer_init(&ahead, &rules, NULL, parser->lexer.token.start,
               (size_t)(parser->lexer.end - parser->lexer.token.start));
    while (lexer_next(&ahead, NULL) == PORTOLAN_OK && ahead.token.kind != TOKEN_END) {
        open += token_is(&ahead.token, "(");
        if (token_is(&ahead.token, ")") && --open == 0) {
            result = lexer_next(&ahead, NULL) == PORTOLAN_OK && is_arithmetic(&ahead.token);
            break;
        }
    }
    lexer_clear(&ahead);
    return result;
}

/* ----------------------------------------------------------------- grammar */

static enum portolan_status parse_binary(struct parser *parser, unsigned minimum, uint32_t *out);

static enum portolan_status parse_parentheses(struct parser *parser, uint32_t *out)
{
    enum portolan_status status = advance(parser);
    if (!status)
        status = parse_binary(parser, LOWEST, out);
    if (!status && !token_is(&parser->lexer.token, ")"))
        return lexer_expected(&parser->lexer, parser->error, "an operator or ')'");
    return status ? status : advance(parser);
}

static enum portolan_status not_a_formula(struct parser *parser)
{
    const struct token *token = &parser->lexer.token;
    enum portolan_status status = lexer_expected(&parser->lexer, parser->error, "a formula");
    if (token->kind == TOKEN_NAME)
        hint(parser->error, "a name that is an operator is quoted: \"%s\"", token->name);
    return status;
}

static enum portolan_status parse_primary(struct parser *parser, uint32_t *out)
{
    const struct token *token = &parser->lexer.token;
    bool is_name = token->kind == TOKEN_QUOTED || (token->kind == TOKEN_NAME && !ltl_is_keyword(token->name));
    if (token_is(token, "true") || token_is(token, "false")) {
        *out = token->name[0] == 't' ? LTL_TRUE_NODE : LTL_FALSE_NODE;
        return advance(parser);
    }
    if (token_is(token, "(") && !opens_arithmetic(parser))
        return parse_parentheses(parser, out);
    bool is_arithmetic = token->kind == TOKEN_INTEGER || token_is(token, "(") || token_is(token, "-");
    return is_name || (is_arithmetic && parser->system) ? parse_atom(parser, out) : not_a_formula(parser);
}

/* Applies the operators of "GF" to what follows, the last one first. */
static enum portolan_status apply_run(struct parser *parser, const char *run, size_t length, uint32_t *out)
{
    enum portolan_status status = PORTOLAN_OK;
    while (!status && length--)
        status = make(parser,
                      run[length] == 'X'   ? LTL_NEXT
                      : run[length] == 'F' ? LTL_FINALLY
                                           : LTL_GLOBALLY,
                      *out, 0, out);
    return status;
}

static enum portolan_status parse_unary(struct parser *parser, uint32_t *out)
{
    struct token token = parser->lexer.token;
    const struct spelling *spelling = FIND(unaries, &token);
    if (!spelling && !(token.kind == TOKEN_NAME && is_operator_run(token.name)))
        return parse_primary(parser, out);
    enum ltl_operation operation = spelling ? spelling->operation : LTL_NOT;
    if (parser->depth >= LTL_DEPTH)
        return too_deep(parser);
    parser->depth++;
    enum portolan_status status = advance(parser);
    if (!status)
        status = parse_unary(parser, out);
    parser->depth--;
    if (status)
        return status;
    return spelling ? make(parser, operation, *out, 0, out) : apply_run(parser, token.start, token.length, out);
}

/* A formula of operators that bind at least as tightly as `minimum`. */
static enum portolan_status parse_binary(struct parser *parser, unsigned minimum, uint32_t *out)
{
    if (parser->depth >= LTL_DEPTH)
        return too_deep(parser);
    parser->depth++;
    enum portolan_status status = parse_unary(parser, out);
    while (!status) {
        const struct spelling *spelling = FIND(binaries, &parser->lexer.token);
        uint32_t right;
        if (!spelling || spelling->precedence < minimum)
            break;
        status = advance(parser);
        if (!status)
            status = parse_binary(parser, spelling->precedence + !spelling->groups_right, &right);
        if (!status)
            status = make(parser, spelling->operation, *out, right, out);
    }
    parser->depth--;
    return status;
}

enum portolan_status ltl_parse(struct ltl *ltl, const struct portolan_system *system, const char *file,
                               const char *text, uint32_t *formula, struct portolan_error *error)
{
    struct parser parser = {.ltl = ltl, .system = system, .error = error};
    lexer_init(&parser.lexer, &rules, file, text, strlen(text));
    enum portolan_status status = advance(&parser);
    if (!status)
        status = parse_binary(&parser, LOWEST, formula);
    if (!status && parser.lexer.token.kind != TOKEN_END)
        status = lexer_expected(&parser.lexer, error, "an operator");
    lexer_clear(&parser.lexer);
    ltl->stated = status ? 0 : *formula + 1;
    return status;
}
