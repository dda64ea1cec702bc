/* SPDX-License-Identifier: Apache-2.0 */
/* Values in rules of .gg files: constants, expressions, conditions; and patterns of labels. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"
#include "front/groove/expression.h"

#include <string.h>

/* ------------------------------------------------------------------ the language of expressions */

static const char *const reserved[] = {"true", "false", NULL};

static enum portolan_status parse_value(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    struct node *node = *expression;
    bool is_string = token->kind == TOKEN_QUOTED && token->start[0] == '"';
    if (!(node->name = arena_copy(parser->arena, token->name, strlen(token->name))))
        return parser->status = fail_memory(parser->error);
    bool is_word = token->kind == TOKEN_NAME;
    if (parser_advance(parser))
        return parser->status;
    if (is_string) {
        node->kind = GG_STRING;
    } else if (is_word && (strcmp(node->name, "true") == 0 || strcmp(node->name, "false") == 0)) {
        node->kind = NODE_NUMBER;
        node->gives.kind = VALUE_BOOLEAN;
        node->value = node->name[0] == 't';
    } else if (is_word && parser_is(parser, "(")) {
        node->kind = GG_CALL;
        return parse_list(parser, &node->a);
    }
    return parser->status;
}

/* 2.5: an integer, and what follows it. */
static enum portolan_status complete_number(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    if (node->kind != NODE_NUMBER || node->gives.kind == VALUE_BOOLEAN || !parser_is(parser, "."))
        return PORTOLAN_OK;
    parser_advance(parser);
    if (parser->status || parser->lexer->token.kind != TOKEN_INTEGER)
        return parser_expected(parser, "the digits after the point");
    node->kind = GG_REAL;
    return parser_advance(parser);
}

const struct language gg_language = {.binaries = "=> || or && and == != < <= > >= + - * / %",
                                     .unaries = "- ! not",
                                     .question = "?",
                                     .reserved = reserved,
                                     .most_open = 200,
                                     .deepest = 200,
                                     .primary = parse_value,
                                     .complete = complete_number,
                                     .wanted = "a value",
                                     .largest = INT64_MAX,
                                     .integer = INTEGER_64};

/* ------------------------------------------------------------------ constants */

uint32_t gg_constant_node(struct scope *scope, const struct value *value, const struct position *at)
{
    struct reader *r = scope->reader;
    uint32_t number = gg_value_number(r, value);
    for (size_t i = 0; i < scope->rule->nodes.count && !r->parser.status; i++)
        if (scope->rule->nodes.item[i].value == number)
            return (uint32_t)i;
    /* a value is there in every graph: it belongs to the root, whoever writes it */
    struct scope root = {.reader = r, .rule = scope->rule, .role = ROLE_READER, .embargo = NO_NUMBER};
    uint32_t node = gg_add_node(&root, at, NULL);
    if (node != NO_NUMBER) {
        scope->rule->nodes.item[node].sort = value->sort;
        scope->rule->nodes.item[node].value = number;
    }
    return node;
}

static struct value truth(bool is_true)
{
    return (struct value){.sort = SORT_BOOL, .integer = is_true};
}

/* ------------------------------------------------------------------ operations */

struct operation_row {
    const char *word; /* of a call; NULL: an operator */
    enum operation operation;
    enum operator_kind kind;
    uint32_t operands;
    const char *sorts; /* that the operands may have: i, r, b, s */
    char result;       /* or = for that of the operands */
};

static const struct operation_row rows[] = {{NULL, OPERATION_NEGATE, OPERATOR_NEG, 1, "ir", '='},
                                            {NULL, OPERATION_NOT, OPERATOR_NOT, 1, "b", '='},
                                            {NULL, OPERATION_ADD, OPERATOR_ADD, 2, "ir", '='},
                                            {NULL, OPERATION_ADD, OPERATOR_CONCAT, 2, "s", '='},
                                            {NULL, OPERATION_SUBTRACT, OPERATOR_SUB, 2, "ir", '='},
                                            {NULL, OPERATION_MULTIPLY, OPERATOR_MUL, 2, "ir", '='},
                                            {NULL, OPERATION_DIVIDE, OPERATOR_DIV, 2, "ir", '='},
                                            {NULL, OPERATION_REMAINDER, OPERATOR_MOD, 2, "i", '='},
                                            {NULL, OPERATION_EQUAL, OPERATOR_EQ, 2, "irbs", 'b'},
                                            {NULL, OPERATION_NOT_EQUAL, OPERATOR_NEQ, 2, "irbs", 'b'},
                                            {NULL, OPERATION_LESS, OPERATOR_LT, 2, "irs", 'b'},
                                            {NULL, OPERATION_LESS_EQUAL, OPERATOR_LE, 2, "irs", 'b'},
                                            {NULL, OPERATION_GREATER, OPERATOR_GT, 2, "irs", 'b'},
                                            {NULL, OPERATION_GREATER_EQUAL, OPERATOR_GE, 2, "irs", 'b'},
                                            {NULL, OPERATION_AND, OPERATOR_AND, 2, "b", 'b'},
                                            {NULL, OPERATION_OR, OPERATOR_OR, 2, "b", 'b'},
                                            {NULL, OPERATION_IMPLIES, OPERATOR_IMPLIES, 2, "b", 'b'},
                                            {"min", 0, OPERATOR_MIN, 2, "ir", '='},
                                            {"max", 0, OPERATOR_MAX, 2, "ir", '='},
                                            {"abs", 0, OPERATOR_ABS, 1, "ir", '='},
                                            {"length", 0, OPERATOR_LENGTH, 1, "s", 'i'},
                                            {"toInt", 0, OPERATOR_TO_INT, 1, "rs", 'i'},
                                            {"toReal", 0, OPERATOR_TO_REAL, 1, "is", 'r'},
                                            {"toString", 0, OPERATOR_TO_STRING, 1, "irb", 's'}};
enum { ROWS = sizeof rows / sizeof *rows };

static const char letters[] = " irbs"; /* by sort */

static enum sort sort_of_node(const struct scope *scope, uint32_t node)
{
    return scope->rule->nodes.item[node].sort;
}

static uint32_t add_operation(struct scope *scope, const struct node *expression, enum operator_kind kind,
                              enum sort sort, const uint32_t *operand, uint32_t count, uint32_t result)
{
    struct rule_operation operation = {.kind = kind,
                                       .sort = sort,
                                       .level = scope->level,
                                       .embargo = scope->role == ROLE_EMBARGO ? scope->embargo : NO_NUMBER,
                                       .operand_count = count,
                                       .result = result,
                                       .line = expression->at.line,
                                       .column = expression->at.column};
    memcpy(operation.operand, operand, count * sizeof *operand);
    if (!scope->reader->parser.status && !vector_push(&scope->rule->operations, operation))
        gg_no_memory(scope->reader);
    return result;
}

/* The node of a result: part of the match, or of the embargo. */
static uint32_t result_node(struct scope *scope, const struct node *expression, enum sort sort)
{
    enum role role = scope->role;
    if (role != ROLE_EMBARGO)
        scope->role = ROLE_READER;
    uint32_t node = gg_add_node(scope, &expression->at, NULL);
    scope->role = role;
    if (node != NO_NUMBER)
        scope->rule->nodes.item[node].sort = sort;
    return node;
}

static const struct operation_row *find_row(const struct node *e, enum sort sort, uint32_t count, bool *is_known)
{
    *is_known = false;
    for (size_t i = 0; i < ROWS; i++) {
        const struct operation_row *row = &rows[i];
        bool is_this = e->kind == GG_CALL ? row->word && strcmp(row->word, e->name) == 0
                                          : !row->word && row->operation == e->operation && row->operands == count;
        *is_known |= is_this;
        if (is_this && row->operands == count && strchr(row->sorts, letters[sort]))
            return row;
    }
    return NULL;
}

static uint32_t bad_operation(struct scope *scope, const struct node *e, bool is_known, enum sort first)
{
    struct reader *r = scope->reader;
    if (!is_known) {
        parser_fail(&r->parser, &e->at, "there is no function '%.60s'", e->name);
        hint(r->parser.error, "there are min, max, abs, length, toInt, toReal and toString");
    } else {
        parser_fail(&r->parser, &e->at, "this operation does not take %s", gg_sort_word(first));
    }
    return NO_NUMBER;
}

/* The operands of a node, at most three; UINT32_MAX when they are too many. */
static uint32_t add_operands(struct scope *scope, const struct node *e, uint32_t *operand)
{
    const struct node *children[] = {e->a, e->kind == GG_CALL && e->a ? e->a->next : e->b,
                                     e->kind == GG_CALL && e->a && e->a->next ? e->a->next->next : e->c};
    uint32_t count = 0;
    while (count < MOST_OPERANDS && children[count] && !scope->reader->parser.status) {
        operand[count] = gg_expression_node(scope, children[count]);
        count++;
    }
    if (e->kind == GG_CALL && count == MOST_OPERANDS && children[2]->next)
        parser_fail(&scope->reader->parser, &e->at, "the function has too many arguments");
    return count;
}

static bool same_sorts(struct scope *scope, const struct node *e, const uint32_t *operand, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (sort_of_node(scope, operand[i]) != sort_of_node(scope, operand[0])) {
            parser_fail(&scope->reader->parser, &e->at, "one operand is %s, the other %s",
                        gg_sort_word(sort_of_node(scope, operand[0])), gg_sort_word(sort_of_node(scope, operand[i])));
            return false;
        }
    return true;
}

static enum sort result_sort(const struct operation_row *row, enum sort sort)
{
    return row->result == '=' ? sort : (enum sort)(strchr(letters, row->result) - letters);
}

/* result: the node that must have the value; NO_NUMBER: a new one. */
static uint32_t operation_node(struct scope *scope, const struct node *e, uint32_t result)
{
    uint32_t operand[MOST_OPERANDS], count = add_operands(scope, e, operand);
    bool is_known;
    if (scope->reader->parser.status)
        return NO_NUMBER;
    if (count == 0)
        return bad_operation(scope, e, false, SORT_NONE);
    if (e->kind == NODE_CONDITIONAL) {
        if (sort_of_node(scope, operand[0]) != SORT_BOOL ||
            sort_of_node(scope, operand[1]) != sort_of_node(scope, operand[2])) {
            parser_fail(&scope->reader->parser, &e->at, "it is written b ? x : y, x and y of one sort");
            return NO_NUMBER;
        }
        enum sort sort = sort_of_node(scope, operand[1]);
        result = result == NO_NUMBER ? result_node(scope, e, sort) : result;
        return add_operation(scope, e, OPERATOR_ITE, sort, operand, count, result);
    }
    if (!same_sorts(scope, e, operand, count))
        return NO_NUMBER;
    enum sort sort = sort_of_node(scope, operand[0]);
    const struct operation_row *row = find_row(e, sort, count, &is_known);
    if (!row)
        return bad_operation(scope, e, is_known, sort);
    if (result == NO_NUMBER)
        result = result_node(scope, e, result_sort(row, sort));
    else if (result_sort(row, sort) != SORT_BOOL)
        parser_fail(&scope->reader->parser, &e->at, "a condition is true or false, this is %s",
                    gg_sort_word(result_sort(row, sort)));
    return add_operation(scope, e, row->kind, sort, operand, count, result);
}

static uint32_t variable_node(struct scope *scope, const struct node *e)
{
    struct reader *r = scope->reader;
    uint32_t node = gg_find_binding(scope, e->name);
    if (node == NO_NUMBER) {
        parser_fail(&r->parser, &e->at, "there is no value '%.100s'", e->name);
        hint(r->parser.error, "reach a value along an edge first: a -size-> %.60s: int", e->name);
    } else if (sort_of_node(scope, node) == SORT_NONE) {
        parser_fail(&r->parser, &e->at, "'%.100s' is a node, not a value", e->name);
        node = NO_NUMBER;
    }
    return node;
}

/* -3 is a constant. */
static uint32_t negative_node(struct scope *scope, const struct node *e)
{
    struct value value = {.sort = SORT_INT, .integer = -e->value};
    if (e->kind == GG_REAL)
        value = (struct value){.sort = SORT_REAL, .real = -strtod(e->start, NULL)};
    if (e->gives.kind != VALUE_BOOLEAN)
        return gg_constant_node(scope, &value, &e->at);
    parser_fail(&scope->reader->parser, &e->at, "a boolean has no sign");
    return NO_NUMBER;
}

uint32_t gg_expression_node(struct scope *scope, const struct node *e)
{
    struct reader *r = scope->reader;
    struct value value = {.sort = SORT_INT, .integer = e->value};
    bool is_negative = e->kind == NODE_UNARY && e->operation == OPERATION_NEGATE;
    if (is_negative && (e->a->kind == GG_REAL || e->a->kind == NODE_NUMBER))
        return negative_node(scope, e->a);
    switch (e->kind) {
    case NODE_NUMBER: value.sort = e->gives.kind == VALUE_BOOLEAN ? SORT_BOOL : SORT_INT; break;
    case GG_REAL:
        value.sort = SORT_REAL;
        value.real = strtod(e->start, NULL);
        break;
    case GG_STRING:
        value.sort = SORT_STRING;
        value.string = e->name;
        break;
    case NODE_NAME: return variable_node(scope, e);
    default: return operation_node(scope, e, NO_NUMBER);
    }
    return r->parser.status ? NO_NUMBER : gg_constant_node(scope, &value, &e->at);
}

enum portolan_status gg_add_condition(struct scope *scope, const struct node *e)
{
    struct reader *r = scope->reader;
    struct value yes = truth(true);
    if (e->kind == NODE_BINARY && e->operation == OPERATION_AND)
        return gg_add_condition(scope, e->a) ? r->parser.status : gg_add_condition(scope, e->b);
    if (e->kind == NODE_NAME || e->kind == NODE_NUMBER || e->kind == GG_REAL || e->kind == GG_STRING) {
        parser_fail(&r->parser, &e->at, "a condition must be a comparison");
        hint(r->parser.error, "write: where x == true");
        return r->parser.status;
    }
    uint32_t result = gg_constant_node(scope, &yes, &e->at);
    if (!r->parser.status)
        operation_node(scope, e, result);
    return r->parser.status;
}

/* ------------------------------------------------------------------ patterns of labels */

/* The text with what says of which kind its labels are. */
static const char *pattern_text(struct scope *scope, const struct label_text *pattern, enum label_kind kind)
{
    static const char *const prefixes[] = {"", "flag:", "type:"};
    size_t prefix = strlen(prefixes[kind]), length = strlen(pattern->text);
    char *text = arena_get(&scope->reader->arena, prefix + length + 1);
    if (!text) {
        gg_no_memory(scope->reader);
        return NULL;
    }
    memcpy(text, prefixes[kind], prefix);
    memcpy(text + prefix, pattern->text, length);
    return text;
}

/* The notation is that of GROOVE, and so is the reader. */
enum portolan_status gg_add_pattern(struct scope *scope, struct rule_edge *edge, const struct label_text *pattern,
                                    enum label_kind kind)
{
    struct reader *r = scope->reader;
    struct reading reading = {.grammar = r->grammar, .error = r->parser.error};
    struct file file = {.name = r->lexer.file, .text = (char *)r->text, .length = r->length};
    struct rule_labels labels = {
        .reading = &reading, .file = &file, .rule = scope->rule, .variables = scope->variables};
    struct label_parts parts = {.text = pattern_text(scope, pattern, kind),
                                .at = {pattern->at.line, pattern->at.column}};
    struct edge_label label;
    if (!parts.text)
        return r->parser.status;
    bool is_read = path_expression_parse(&labels, &parts, &label);
    scope->variables = labels.variables;
    arena_clear(&reading.scratch);
    if (!is_read)
        return r->parser.status = reading.status;
    if (label.is_negated && scope->role != ROLE_EMBARGO)
        return parser_fail(&r->parser, &pattern->at, "'!' is written 'not' here");
    edge->is_negated = label.is_negated;
    edge->kind = label.kind;
    edge->label = label.label;
    edge->choice = label.choice;
    edge->path = label.path;
    return PORTOLAN_OK;
}

uint32_t gg_label_variable(struct scope *scope, const char *name)
{
    uint32_t number = NO_NUMBER;
    if (!names_add(&scope->variables, name, &number))
        gg_no_memory(scope->reader);
    else if (number >= scope->rule->label_variables)
        scope->rule->label_variables = number + 1;
    return number;
}
