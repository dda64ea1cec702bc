/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of expressions: precedence climbing, with types checked and
 * constants folded as the postfix nodes are made.
 *
 * a -> b becomes (not a) or b; tokens(p, q) becomes p + q; fireable(t, u)
 * becomes fireable(t) or fireable(u).
 */
#include "property/expression.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/lexer.h"
#include "base/nearest.h"
#include "base/vector.h"
#include "property/symbols.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 1000, MAX_NODES = UINT32_MAX / 2 };

static const char *const symbols[] = {EXPRESSION_SYMBOLS, NULL};

static const struct lexer_rules rules = {.operators = symbols, .name_characters = ".[]@", .hash_comments = true};

enum type { INTEGER, BOOLEAN };

struct binary {
    enum symbol symbol;
    const char *word; /* the same in letters, or NULL */
    unsigned precedence;
    enum expression_operation operation;
    enum type takes, gives;
};

enum { LOWEST_PRECEDENCE = 1, COMPARISON_PRECEDENCE = 5 };

static const struct binary binaries[] = {
    {IFF, "iff", 1, EXPRESSION_IFF, BOOLEAN, BOOLEAN},
    {IMPLIES, "implies", 2, EXPRESSION_OR, BOOLEAN, BOOLEAN}, /* of the negated left operand */
    {OR, "or", 3, EXPRESSION_OR, BOOLEAN, BOOLEAN},
    {AND, "and", 4, EXPRESSION_AND, BOOLEAN, BOOLEAN},
    {EQUALS, NULL, 5, EXPRESSION_EQUAL, INTEGER, BOOLEAN},
    {EQUAL, NULL, 5, EXPRESSION_EQUAL, INTEGER, BOOLEAN},
    {NOT_EQUAL, NULL, 5, EXPRESSION_NOT_EQUAL, INTEGER, BOOLEAN},
    {LESS_EQUAL, NULL, 5, EXPRESSION_LESS_EQUAL, INTEGER, BOOLEAN},
    {GREATER_EQUAL, NULL, 5, EXPRESSION_GREATER_EQUAL, INTEGER, BOOLEAN},
    {LESS, NULL, 5, EXPRESSION_LESS, INTEGER, BOOLEAN},
    {GREATER, NULL, 5, EXPRESSION_GREATER, INTEGER, BOOLEAN},
    {PLUS, NULL, 6, EXPRESSION_ADD, INTEGER, INTEGER},
    {MINUS, NULL, 6, EXPRESSION_SUBTRACT, INTEGER, INTEGER},
    {TIMES, NULL, 7, EXPRESSION_MULTIPLY, INTEGER, INTEGER},
    {OVER, NULL, 7, EXPRESSION_DIVIDE, INTEGER, INTEGER},
    {MODULO, NULL, 7, EXPRESSION_REMAINDER, INTEGER, INTEGER},
};

static const char *const keywords[] = {"iff",  "implies", "or",       "and",      "not",
                                       "true", "false",   "deadlock", "fireable", "tokens"};

/* A parsed piece: where it starts in the text and in the nodes.  It ends where the next piece starts. */
struct operand {
    struct position at;
    size_t first;
    enum type type;
};

struct parser {
    const struct portolan_system *system;
    struct lexer lexer;
    struct portolan_error *error;
    unsigned depth;
    VECTOR(struct expression_node) nodes;
};

/* --------------------------------------------------- making and folding nodes */

/* Appends the node whose children are already there, starting at node `first`. */
static enum portolan_status push(struct parser *parser, enum expression_operation operation, size_t first,
                                 int64_t operand)
{
    if (parser->nodes.count >= MAX_NODES)
        return lexer_fail(&parser->lexer, &parser->lexer.token.at, parser->error, "the expression is too long");
    struct expression_node node = {
        .operation = operation, .size = (uint32_t)(parser->nodes.count - first) + 1, .operand = operand};
    return vector_push(&parser->nodes, node) ? PORTOLAN_OK : fail_memory(parser->error);
}

static enum portolan_status push_leaf(struct parser *parser, enum expression_operation operation, int64_t operand)
{
    return push(parser, operation, parser->nodes.count, operand);
}

/* Replaces everything from node `first` on by a constant. */
static enum portolan_status replace(struct parser *parser, size_t first, int64_t value)
{
    parser->nodes.count = first;
    return push_leaf(parser, EXPRESSION_CONSTANT, value);
}

static bool is_comparison(enum expression_operation operation)
{
    return operation >= EXPRESSION_EQUAL && operation <= EXPRESSION_LESS_EQUAL;
}

/* Negates the piece that starts at node `first` and ends the nodes. */
static enum portolan_status make_not(struct parser *parser, size_t first)
{
    struct expression_node *last = &parser->nodes.item[parser->nodes.count - 1];
    if (last->operation == EXPRESSION_CONSTANT) {
        last->operand = !last->operand;
    } else if (last->operation == EXPRESSION_NOT) {
        parser->nodes.count--;
    } else if (is_comparison(last->operation)) {
        unsigned which = last->operation - EXPRESSION_EQUAL;
        last->operation = EXPRESSION_EQUAL + (which ^ 1u); /* its neighbour */
    } else {
        return push(parser, EXPRESSION_NOT, first, 0);
    }
    return PORTOLAN_OK;
}

static enum portolan_status make_negation(struct parser *parser, size_t first)
{
    int64_t value;
    struct expression_node *last = &parser->nodes.item[parser->nodes.count - 1];
    if (last->operation != EXPRESSION_CONSTANT)
        return push(parser, EXPRESSION_NEGATE, first, 0);
    if (!expression_apply(EXPRESSION_SUBTRACT, 0, last->operand, &value))
        return push(parser, EXPRESSION_NEGATE, first, 0);
    last->operand = value;
    return PORTOLAN_OK;
}

/* One operand of a boolean operator was the constant `value` and has been removed; the other is what starts at `first`.
 */
static enum portolan_status fold_boolean(struct parser *parser, enum expression_operation operation, size_t first,
                                         bool value)
{
    if (operation == EXPRESSION_IFF)
        return value ? PORTOLAN_OK : make_not(parser, first);
    bool decides = value == (operation == EXPRESSION_OR);
    return decides ? replace(parser, first, value) : PORTOLAN_OK;
}

/* May a piece have no value?  Then it stays, whatever it is joined with. */
static bool may_fail(const struct parser *parser, size_t first, size_t end)
{
    for (size_t n = first; n < end; n++)
        if (expression_may_fail(parser->nodes.item[n].operation))
            return true;
    return false;
}

/* Joins two pieces, the left from node `first` on, the right from node `second` to the end. */
static enum portolan_status make_binary(struct parser *parser, enum expression_operation operation, size_t first,
                                        size_t second)
{
    struct expression_node *left = &parser->nodes.item[second - 1];
    struct expression_node *right = &parser->nodes.item[parser->nodes.count - 1];
    bool left_constant = left->operation == EXPRESSION_CONSTANT;
    bool right_constant = right->operation == EXPRESSION_CONSTANT;
    bool boolean = operation >= EXPRESSION_IFF;
    int64_t value;
    if (left_constant && right_constant && expression_apply(operation, left->operand, right->operand, &value))
        return replace(parser, first, value);
    if (boolean && right_constant && !may_fail(parser, first, second)) {
        parser->nodes.count--;
        return fold_boolean(parser, operation, first, right->operand);
    }
    if (boolean && left_constant) {
        bool decides = left->operand;
        parser->nodes.count--;
        memmove(left, left + 1, (parser->nodes.count - first) * sizeof *left);
        return fold_boolean(parser, operation, first, decides);
    }
    return push(parser, operation, first, 0);
}

/* ------------------------------------------------------------------- types */

static const char *type_name(enum type type)
{
    return type == INTEGER ? "an integer" : "a boolean";
}

static enum portolan_status check_type(struct parser *parser, const struct operand *operand, enum type wanted,
                                       const char *advice)
{
    if (operand->type == wanted)
        return PORTOLAN_OK;
    enum portolan_status status = lexer_fail(&parser->lexer, &operand->at, parser->error, "expected %s, found %s",
                                             type_name(wanted), type_name(operand->type));
    hint(parser->error, "%s", advice);
    return status;
}

static enum portolan_status check_operand(struct parser *parser, const struct operand *operand,
                                          const struct binary *binary)
{
    const char *advice = "an integer becomes a boolean by a comparison, as in x > 0";
    if (is_comparison(binary->operation))
        advice = "comparisons do not chain: a < b && b < c; booleans are compared with <->";
    else if (binary->takes == INTEGER)
        advice = "arithmetic is on integers; comparisons and boolean operators give booleans";
    return check_type(parser, operand, binary->takes, advice);
}

/* ------------------------------------------------------------------- names */

/* The variables or the actions of the system, whichever a name is looked for among. */
struct names {
    const char *kind;
    uint32_t count;
    const char *(*name)(const void *model, uint32_t index);
    bool (*find)(const void *model, const char *name, uint32_t *index);
};

static struct names variables_of(const struct portolan_system *system)
{
    uint32_t count = system->value ? system->variables + system->unlisted : 0;
    return (struct names){"variable", count, system->variable_name, system->find_variable};
}

static struct names actions_of(const struct portolan_system *system)
{
    if (!has_fixed_actions(system)) /* those not met yet can only be asked for by name */
        return (struct names){"action", system->find_action ? UINT32_MAX : 0, NULL, system->find_action};
    return (struct names){"action", system->actions, system->action_name, system->find_action};
}

static bool find(const struct portolan_system *system, const struct names *names, const char *name, uint32_t *index)
{
    if (!names->count)
        return false;
    if (names->find)
        return names->find(system->model, name, index) && *index < names->count;
    for (uint32_t i = 0; names->name && i < names->count; i++) {
        const char *other = names->name(system->model, i);
        if (other && strcmp(other, name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* The known name that looks most like this one, NULL when none comes close. */
static const char *nearest_name(const struct portolan_system *system, const struct names *names, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; names->name && i < names->count; i++)
        nearest_offer(&nearest, names->name(system->model, i));
    return nearest.best;
}

static bool is_keyword(const char *name)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(name, keywords[i]) == 0)
            return true;
    return false;
}

static void hint_at_names(struct parser *parser, const struct names *names, const struct names *others,
                          const char *name)
{
    uint32_t index;
    const char *nearest = nearest_name(parser->system, names, name);
    if (find(parser->system, others, name, &index))
        hint(parser->error, "%s is the name of %s %s%s", name, others->kind[0] == 'a' ? "an" : "a", others->kind,
             others->kind[0] == 'a' ? ": ask whether it is enabled with fireable(...)" : "");
    else if (nearest && lexer_is_bare_name(&rules, nearest) && !is_keyword(nearest))
        hint(parser->error, "did you mean %s?", nearest);
    else if (nearest)
        hint(parser->error, "did you mean \"%s\"?", nearest);
    else if (!names->count || !(names->find || names->name))
        hint(parser->error, "this model has no named %ss", names->kind);
    else
        hint(parser->error, "a name with other characters than letters, digits and _.[]@ is quoted, as in \"p-1\"");
}

/* Looks up the name that is the current token, and reads on. */
static enum portolan_status parse_name(struct parser *parser, bool is_action, uint32_t *index)
{
    const struct token *token = &parser->lexer.token;
    struct names variables = variables_of(parser->system), actions = actions_of(parser->system);
    const struct names *names = is_action ? &actions : &variables;
    bool is_name = token->kind == TOKEN_QUOTED || (token->kind == TOKEN_NAME && !is_keyword(token->name));
    if (!is_name) {
        enum portolan_status status = lexer_expected(&parser->lexer, parser->error,
                                                     is_action ? "the name of an action" : "the name of a variable");
        if (token->kind == TOKEN_NAME)
            hint(parser->error, "a name that is a keyword is quoted: \"%s\"", token->name);
        return status;
    }
    char advice[200];
    if (parser->system->is_ambiguous &&
        parser->system->is_ambiguous(parser->system->model, is_action, token->name, advice, sizeof advice)) {
        lexer_fail(&parser->lexer, &token->at, parser->error, "'%s' may mean several %ss", token->name, names->kind);
        hint(parser->error, "%s", advice);
        return PORTOLAN_BAD_INPUT;
    }
    if (!find(parser->system, names, token->name, index)) {
        enum portolan_status status =
            lexer_fail(&parser->lexer, &token->at, parser->error, "unknown %s '%s'", names->kind, token->name);
        hint_at_names(parser, names, is_action ? &variables : &actions, token->name);
        return status;
    }
    return lexer_next(&parser->lexer, parser->error);
}

/* ----------------------------------------------------------------- grammar */

static enum portolan_status parse_binary(struct parser *parser, unsigned minimum, struct operand *out);

static enum portolan_status advance(struct parser *parser)
{
    return lexer_next(&parser->lexer, parser->error);
}

static enum portolan_status expect(struct parser *parser, enum symbol symbol)
{
    if (token_is_operator(&parser->lexer.token, symbol))
        return advance(parser);
    char wanted[8];
    snprintf(wanted, sizeof wanted, "'%s'", symbols[symbol]);
    return lexer_expected(&parser->lexer, parser->error, wanted);
}

static enum portolan_status enter(struct parser *parser)
{
    if (++parser->depth <= MAX_DEPTH)
        return PORTOLAN_OK;
    enum portolan_status status =
        lexer_fail(&parser->lexer, &parser->lexer.token.at, parser->error, "the expression is nested too deeply");
    hint(parser->error, "at most %d operators and parentheses may be open at once", MAX_DEPTH);
    return status;
}

/* "(" name { "," name } ")" after fireable or tokens. */
static enum portolan_status parse_list(struct parser *parser, bool is_action, struct operand *out)
{
    char word[16];
    snprintf(word, sizeof word, "%s", parser->lexer.token.name);
    enum portolan_status status = advance(parser);
    if (!status && !token_is_operator(&parser->lexer.token, OPEN)) {
        status = lexer_expected(&parser->lexer, parser->error, "'('");
        hint(parser->error, "the name itself is written with quotes: \"%s\"", word);
    }
    out->type = is_action ? BOOLEAN : INTEGER;
    bool first = true;
    do {
        uint32_t index = 0;
        size_t second = parser->nodes.count;
        if (!status)
            status = advance(parser);
        if (!status)
            status = parse_name(parser, is_action, &index);
        if (!status)
            status = push_leaf(parser, is_action ? EXPRESSION_FIREABLE : EXPRESSION_VARIABLE, index);
        if (!status && !first)
            status = make_binary(parser, is_action ? EXPRESSION_OR : EXPRESSION_ADD, out->first, second);
        first = false;
    } while (!status && token_is_operator(&parser->lexer.token, COMMA));
    return status ? status : expect(parser, CLOSE);
}

static enum portolan_status parse_parentheses(struct parser *parser, struct operand *out)
{
    struct position at = out->at;
    enum portolan_status status = advance(parser);
    if (!status)
        status = parse_binary(parser, LOWEST_PRECEDENCE, out);
    out->at = at;
    return status ? status : expect(parser, CLOSE);
}

/* A leaf that is its token alone. */
static enum portolan_status parse_leaf(struct parser *parser, enum type type, enum expression_operation operation,
                                       int64_t value, struct operand *out)
{
    out->type = type;
    enum portolan_status status = push_leaf(parser, operation, value);
    return status ? status : advance(parser);
}

static enum portolan_status parse_primary(struct parser *parser, struct operand *out)
{
    const struct token *token = &parser->lexer.token;
    uint32_t variable = 0;
    if (token->kind == TOKEN_INTEGER)
        return parse_leaf(parser, INTEGER, EXPRESSION_CONSTANT, token->value, out);
    if (token_is_word(token, "true") || token_is_word(token, "false"))
        return parse_leaf(parser, BOOLEAN, EXPRESSION_CONSTANT, token->name[0] == 't', out);
    if (token_is_word(token, "deadlock"))
        return parse_leaf(parser, BOOLEAN, EXPRESSION_DEADLOCK, 0, out);
    if (token_is_word(token, "fireable") || token_is_word(token, "tokens"))
        return parse_list(parser, token->name[0] == 'f', out);
    if (token_is_operator(token, OPEN))
        return parse_parentheses(parser, out);
    if (token->kind != TOKEN_QUOTED && (token->kind != TOKEN_NAME || is_keyword(token->name)))
        return lexer_expected(&parser->lexer, parser->error, "a value");
    out->type = INTEGER;
    enum portolan_status status = parse_name(parser, false, &variable);
    return status ? status : push_leaf(parser, EXPRESSION_VARIABLE, variable);
}

static enum portolan_status parse_unary(struct parser *parser, struct operand *out)
{
    const struct token *token = &parser->lexer.token;
    *out = (struct operand){.at = token->at, .first = parser->nodes.count};
    bool is_not = token_is_operator(token, NOT) || token_is_word(token, "not");
    if (!is_not && !token_is_operator(token, MINUS))
        return parse_primary(parser, out);
    struct operand inner;
    enum portolan_status status = enter(parser);
    if (!status)
        status = advance(parser);
    if (!status)
        status = parse_unary(parser, &inner);
    parser->depth--;
    if (!status && is_not)
        status = check_type(parser, &inner, BOOLEAN, "'not' binds tighter than a comparison: !(x = 1)");
    else if (!status)
        status = check_type(parser, &inner, INTEGER, "the negation of a boolean is written !");
    if (status)
        return status;
    out->type = inner.type;
    return is_not ? make_not(parser, out->first) : make_negation(parser, out->first);
}

static const struct binary *binary_at(const struct token *token)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (token_is_operator(token, binaries[i].symbol) ||
            (binaries[i].word && token_is_word(token, binaries[i].word)))
            return &binaries[i];
    return NULL;
}

/* The operator at the current token and its right operand, joined to the left one. */
static enum portolan_status parse_right(struct parser *parser, const struct binary *binary, struct operand *left)
{
    struct operand right;
    /* only -> groups to the right */
    unsigned minimum = binary->symbol == IMPLIES ? binary->precedence : binary->precedence + 1;
    enum portolan_status status = check_operand(parser, left, binary);
    if (!status && binary->symbol == IMPLIES)
        status = make_not(parser, left->first);
    if (!status)
        status = advance(parser);
    if (!status)
        status = parse_binary(parser, minimum, &right);
    if (!status)
        status = check_operand(parser, &right, binary);
    if (!status)
        status = make_binary(parser, binary->operation, left->first, right.first);
    left->type = binary->gives;
    return status;
}

/* An expression of operators that bind at least as tightly as `minimum`. */
static enum portolan_status parse_binary(struct parser *parser, unsigned minimum, struct operand *out)
{
    enum portolan_status status = enter(parser);
    if (!status)
        status = parse_unary(parser, out);
    while (!status) {
        const struct binary *binary = binary_at(&parser->lexer.token);
        if (!binary || binary->precedence < minimum)
            break;
        status = parse_right(parser, binary, out);
    }
    parser->depth--;
    return status;
}

static enum portolan_status parse_whole(struct parser *parser)
{
    struct operand whole;
    enum portolan_status status = advance(parser);
    if (!status)
        status = parse_binary(parser, LOWEST_PRECEDENCE, &whole);
    if (!status && parser->lexer.token.kind != TOKEN_END)
        status = lexer_expected(&parser->lexer, parser->error, "an operator");
    if (!status)
        status = check_type(parser, &whole, BOOLEAN, "an integer becomes a boolean by a comparison, as in x > 0");
    return status;
}

enum portolan_status expression_parse_named(const struct portolan_system *system, const char *file, const char *text,
                                            struct expression **out, struct portolan_error *error)
{
    struct parser parser = {.system = system, .error = error};
    lexer_init(&parser.lexer, &rules, file, text, strlen(text));
    *out = NULL;
    enum portolan_status status = parse_whole(&parser);
    lexer_clear(&parser.lexer);
    if (status) {
        free(parser.nodes.item);
        return status;
    }
    return expression_compile(system, parser.nodes.item, parser.nodes.count, out, error);
}

enum portolan_status expression_parse(const struct portolan_system *system, const char *text, struct expression **out,
                                      struct portolan_error *error)
{
    return expression_parse_named(system, "<expression>", text, out, error);
}

enum portolan_status expression_parse_atom(const struct portolan_system *system, struct lexer *lexer,
                                           struct expression **out, struct portolan_error *error)
{
    struct parser parser = {.system = system, .error = error, .lexer = *lexer};
    struct operand atom;
    *out = NULL;
    enum portolan_status status = parse_binary(&parser, COMPARISON_PRECEDENCE, &atom);
    if (!status)
        status = check_type(&parser, &atom, BOOLEAN, "an integer becomes a boolean by a comparison, as in x > 0");
    *lexer = parser.lexer;
    if (status) {
        free(parser.nodes.item);
        return status;
    }
    return expression_compile(system, parser.nodes.item, parser.nodes.count, out, error);
}
