/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of expressions over states: operators, names of variables and actions, fireable, tokens and deadlock.
 * Types are checked and constants folded as the tree is made.  tokens(p, q) becomes p + q; fireable(t, u) becomes
 * fireable(t) || fireable(u).
 */
#include "expression/parse.h"
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/nearest.h"
#include "property/state_expression.h"
#include "property/symbols.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 1000 };

static const struct lexer_rules rules = {
    .symbols = EXPRESSION_SYMBOLS, .name_characters = ".[]@", .hash_comments = true};

static const char *const keywords[] = {"iff",  "implies", "or",       "and",      "not",
                                       "true", "false",   "deadlock", "fireable", "tokens"};

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

/* A name that says something of this one, as edges(a) does of a; or one that only lacks what is in parentheses. */
static const char *name_about(const struct portolan_system *system, const struct names *names, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; names->name && i < names->count; i++) {
        const char *other = names->name(system->model, i), *inside = other ? strchr(other, '(') : NULL;
        if (!inside)
            continue;
        if ((strncmp(inside + 1, name, length) == 0 && strcmp(inside + 1 + length, ")") == 0) ||
            (strncmp(other, name, length) == 0 && inside == other + length))
            return other;
    }
    return NULL;
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
    const char *about = name_about(parser->system, names, name);
    if (find(parser->system, others, name, &index))
        hint(parser->error, "%s is the name of %s %s%s", name, others->kind[0] == 'a' ? "an" : "a", others->kind,
             others->kind[0] == 'a' ? ": ask whether it is enabled with fireable(...)" : "");
    else if (about)
        hint(parser->error, "did you mean \"%s\"?", about);
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
static enum portolan_status find_name(struct parser *parser, bool is_action, uint32_t *index)
{
    const struct token *token = &parser->lexer->token;
    const struct portolan_system *system = parser->system;
    struct names variables = variables_of(system), actions = actions_of(system);
    const struct names *names = is_action ? &actions : &variables;
    bool is_name = token->kind == TOKEN_QUOTED || (token->kind == TOKEN_NAME && !is_keyword(token->name));
    if (!is_name) {
        parser_expected(parser, is_action ? "the name of an action" : "the name of a variable");
        if (token->kind == TOKEN_NAME)
            hint(parser->error, "a name that is a keyword is quoted: \"%s\"", token->name);
        return parser->status;
    }
    char advice[200];
    if (system->is_ambiguous && system->is_ambiguous(system->model, is_action, token->name, advice, sizeof advice)) {
        parser_fail(parser, &token->at, "'%s' may mean several %ss", token->name, names->kind);
        hint(parser->error, "%s", advice);
        return parser->status;
    }
    if (!find(system, names, token->name, index)) {
        parser_fail(parser, &token->at, "unknown %s '%s'", names->kind, token->name);
        hint_at_names(parser, names, is_action ? &variables : &actions, token->name);
        return parser->status;
    }
    return parser->status;
}

static struct value_type type_of(const struct portolan_system *system, uint32_t variable)
{
    const struct portolan_type *type = system->variable_type ? system->variable_type(system->model, variable) : NULL;
    if (!type || type->kind == PORTOLAN_INTEGER)
        return (struct value_type){.kind = VALUE_INTEGER, .integer = INTEGER_64, .values = type};
    bool has_names = type->kind == PORTOLAN_ENUMERATION;
    return (struct value_type){.kind = has_names ? VALUE_NAMED : VALUE_BOOLEAN, .values = type};
}

static enum portolan_status parse_name(struct parser *parser, bool is_action, struct node *node)
{
    uint32_t index = 0;
    if (parser->status || find_name(parser, is_action, &index))
        return parser->status;
    node->kind = is_action ? NODE_FIREABLE : NODE_VARIABLE;
    node->value = index;
    node->gives.kind = VALUE_BOOLEAN;
    if (!is_action)
        node->gives = type_of(parser->system, index);
    node->may_fail = node->gives.values && node->gives.values->is_partial;
    if (node->gives.kind == VALUE_NAMED) {
        const char *name = parser->lexer->token.name;
        if (!(node->name = arena_copy(parser->arena, name, strlen(name))))
            return parser->status = fail_memory(parser->error);
    }
    parser_advance(parser);
    return parser_close(parser, node);
}

/* ----------------------------------------------------------------- grammar */

static enum portolan_status complete(struct parser *parser, struct node **node)
{
    parser->status = check_node(parser->lexer, *node, parser->error);
    *node = fold_node(*node);
    return parser->status;
}

/* A leaf that is its token alone. */
static enum portolan_status parse_truth(struct parser *parser, unsigned kind, int64_t value, struct node *node)
{
    node->kind = kind;
    node->value = value;
    node->gives.kind = VALUE_BOOLEAN;
    return parser_advance(parser);
}

/* ---------------------------------------------------- rules with several actions */

static bool find_rule(const struct portolan_system *system, const char *name, uint32_t *rule)
{
    const struct portolan_rules *of = system->rules;
    char text[300];
    if (!of || !of->rule_of || !of->text)
        return false;
    if (of->find)
        return of->find(system->model, name, rule) && *rule < of->count;
    for (*rule = 0; *rule < of->count; ++*rule)
        if (of->text(system->model, *rule, text, sizeof text) && strcmp(text, name) == 0)
            return true;
    return false;
}

bool expression_knows(const struct portolan_system *system, bool is_action, const char *name)
{
    struct names names = is_action ? actions_of(system) : variables_of(system);
    char advice[200];
    uint32_t number;
    if (system->is_ambiguous && system->is_ambiguous(system->model, is_action, name, advice, sizeof advice))
        return false;
    return find(system, &names, name, &number) || (is_action && find_rule(system, name, &number));
}

/* The rule that the current token names, where that is no action. */
static bool is_rule(const struct parser *parser, uint32_t *rule)
{
    const struct token *token = &parser->lexer->token;
    struct names actions = actions_of(parser->system);
    uint32_t action;
    return token->name && (token->kind == TOKEN_QUOTED || token->kind == TOKEN_NAME) &&
           !find(parser->system, &actions, token->name, &action) && find_rule(parser->system, token->name, rule);
}

/* Where actions are found on the fly the model may tell, by a variable "fireable(t)". */
static bool is_told_of_rule(const struct parser *parser, uint32_t rule, uint32_t *variable)
{
    struct names variables = variables_of(parser->system);
    char text[300], name[320];
    if (!parser->system->rules->text(parser->system->model, rule, text, sizeof text))
        return false;
    snprintf(name, sizeof name, "fireable(%s)", text);
    return find(parser->system, &variables, name, variable);
}

/* One of its actions, or the other: fireable(a) || fireable(b). */
static enum portolan_status list_actions(struct parser *parser, uint32_t rule, struct node **sum)
{
    const struct portolan_system *system = parser->system;
    bool is_first = true;
    **sum = (struct node){.kind = NODE_NUMBER, .gives.kind = VALUE_BOOLEAN, .at = (*sum)->at, .start = (*sum)->start};
    for (uint32_t i = 0; i < system->actions && !parser->status; i++) {
        if (system->rules->rule_of(system->model, i) != rule)
            continue;
        struct node *one = is_first ? *sum : parser_node(parser, NODE_FIREABLE);
        if (!one)
            break;
        one->kind = NODE_FIREABLE;
        one->value = i;
        one->gives.kind = VALUE_BOOLEAN;
        if (!is_first) {
            parser_parent(parser, NODE_BINARY, sum);
            (*sum)->operation = OPERATION_OR;
            (*sum)->b = one;
            (*sum)->gives.kind = VALUE_BOOLEAN;
        }
        is_first = false;
    }
    return parser->status;
}

/* fireable(t) of a rule is true when one of its actions is. */
static enum portolan_status parse_fireable(struct parser *parser, struct node **node)
{
    uint32_t rule, variable;
    bool is_fixed = has_fixed_actions(parser->system);
    if (parser->status || !is_rule(parser, &rule) || (!is_fixed && !is_told_of_rule(parser, rule, &variable)))
        return parse_name(parser, true, *node);
    if (is_fixed) {
        list_actions(parser, rule, node);
    } else {
        (*node)->kind = NODE_VARIABLE;
        (*node)->value = variable;
        (*node)->gives = type_of(parser->system, variable);
    }
    return parser_advance(parser) ? parser->status : parser_close(parser, *node);
}

/* One name more of fireable(...) or tokens(...). */
static enum portolan_status join(struct parser *parser, bool is_action, struct node **sum)
{
    parser_parent(parser, NODE_BINARY, sum);
    struct node *node = *sum;
    if (parser->status || !(node->b = parser_node(parser, NODE_NAME)) ||
        (is_action ? parse_fireable(parser, &node->b) : parse_name(parser, false, node->b)))
        return parser->status;
    node->operation = is_action ? OPERATION_OR : OPERATION_ADD;
    return parser_close(parser, node) ? parser->status : complete(parser, sum);
}

/* "(" name { "," name } ")" after fireable or tokens. */
static enum portolan_status parse_names(struct parser *parser, bool is_action, struct node **node)
{
    if (!parser_advance(parser) && !parser_is(parser, "(")) {
        parser_expected(parser, "'('");
        hint(parser->error, "the name itself is written with quotes: \"%s\"", is_action ? "fireable" : "tokens");
    }
    parser_advance(parser);
    if ((is_action ? parse_fireable(parser, node) : parse_name(parser, false, *node)) ||
        (parser->status = check_node(parser->lexer, *node, parser->error)))
        return parser->status;
    while (parser_take(parser, ","))
        join(parser, is_action, node);
    return parser_expect(parser, ")", "')'");
}

static enum portolan_status parse_primary(struct parser *parser, struct node **node)
{
    if (parser_is(parser, "true") || parser_is(parser, "false"))
        return parse_truth(parser, NODE_NUMBER, parser_is(parser, "true"), *node);
    if (parser_is(parser, "deadlock"))
        return parse_truth(parser, NODE_DEADLOCK, 0, *node);
    if (parser_is(parser, "fireable") || parser_is(parser, "tokens"))
        return parse_names(parser, parser_is(parser, "fireable"), node);
    if (parser->lexer->token.kind == TOKEN_NAME && is_keyword(parser->lexer->token.name))
        return parser_expected(parser, "a value");
    return parse_name(parser, false, *node);
}

static const struct language language = {.binaries = "<-> iff -> implies || or && and == = != <= >= < > + - * / %",
                                         .unaries = "! not -",
                                         .most_open = MOST_OPEN,
                                         .primary = parse_primary,
                                         .complete = complete,
                                         .wanted = "a value",
                                         .largest = INT64_MAX,
                                         .integer = INTEGER_64};

typedef enum portolan_status value_check(const struct lexer *lexer, const struct node *node,
                                         struct portolan_error *error);

/* Reads an expression of operators that bind at least as tightly as `weakest`, from the current token on. */
static enum portolan_status read_expression(const struct portolan_system *system, struct lexer *lexer, unsigned weakest,
                                            value_check *check, struct expression **out, struct portolan_error *error)
{
    struct expression *expression = *out = calloc(1, sizeof *expression);
    if (!expression)
        return fail_memory(error);
    struct parser parser = {
        .language = &language, .system = system, .lexer = lexer, .arena = &expression->arena, .error = error};
    const char *text = lexer->token.start;
    enum portolan_status status = parse_tight(&parser, weakest, &expression->tree);
    if (!status && weakest == 1 && lexer->token.kind != TOKEN_END)
        status = lexer_expected(lexer, error, "an operator");
    if (!status)
        status = check(lexer, expression->tree, error);
    if (!status && !expression_finish(expression, system, text, (size_t)(parser.last_end - text)))
        status = fail_memory(error);
    if (status) {
        expression_free(expression);
        *out = NULL;
    }
    return status;
}

static enum portolan_status read_text(const struct portolan_system *system, const char *file, const char *text,
                                      value_check *check, struct expression **out, struct portolan_error *error)
{
    struct lexer lexer;
    lexer_init(&lexer, &rules, file, text, strlen(text));
    *out = NULL;
    enum portolan_status status = lexer_next(&lexer, error);
    if (!status)
        status = read_expression(system, &lexer, 1, check, out, error);
    lexer_clear(&lexer);
    return status;
}

enum portolan_status expression_parse_named(const struct portolan_system *system, const char *file, const char *text,
                                            struct expression **out, struct portolan_error *error)
{
    return read_text(system, file, text, check_condition, out, error);
}

enum portolan_status expression_parse(const struct portolan_system *system, const char *text, struct expression **out,
                                      struct portolan_error *error)
{
    return expression_parse_named(system, "<expression>", text, out, error);
}

enum portolan_status expression_parse_number(const struct portolan_system *system, const char *text,
                                             struct expression **out, struct portolan_error *error)
{
    return read_text(system, "<expression>", text, check_integer, out, error);
}

enum portolan_status expression_parse_atom(const struct portolan_system *system, struct lexer *lexer,
                                           struct expression **out, struct portolan_error *error)
{
    return read_expression(system, lexer, PRECEDENCE_EQUALITY, check_condition, out, error);
}
