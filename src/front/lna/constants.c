/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and parameters of .lna, and expressions whose value is known when they are read. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "highlevel/evaluate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- folding */

static bool is_known(const struct node *node)
{
    return node->kind == NODE_NUMBER || (node->kind == NODE_CONSTANT && !node->may_fail);
}

static bool are_known(const struct node *list)
{
    for (; list; list = list->next)
        if (!is_known(list))
            return false;
    return true;
}

/* Values that depend on nothing else than the operands. */
static bool is_foldable(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_CONSTANT:
    case NODE_LOCAL:
    case NODE_CALL:
    case NODE_ITERATION: return false;
    case NODE_ATTRIBUTE: return node->a && is_known(node->a);
    default: return are_known(node->a) && are_known(node->b) && are_known(node->c);
    }
}

/* Evaluates into memory of the arena; NULL when there is no value, with the reason in *evaluation. */
static int64_t *evaluate(struct parser *p, const struct node *node, struct colour_evaluation *evaluation)
{
    int64_t *cells = NULL;
    *evaluation = (struct colour_evaluation){.frame = calloc((size_t)p->syntax->frame + 1, sizeof(int64_t))};
    if (!evaluation->frame) {
        p->status = fail_memory(p->error);
        return NULL;
    }
    if (!parser_get(p, (node->colour->cells + 1) * sizeof *cells, &cells) && !colour_value(node, evaluation, cells))
        cells = NULL;
    if (evaluation->is_out_of_memory)
        p->status = fail_memory(p->error);
    colour_evaluation_clear(evaluation);
    free(evaluation->frame);
    return cells;
}

static struct node *make_constant(struct parser *p, struct node *node, const int64_t *cells)
{
    struct node *constant = lna_node_like(p, node, NODE_CONSTANT, node->colour);
    if (!constant)
        return node;
    constant->cells = cells;
    if (lna_is_scalar(node->colour)) {
        constant->kind = NODE_NUMBER;
        constant->value = cells[0];
    }
    constant->next = node->next;
    return constant;
}

struct node *lna_fold_constant(struct parser *p, struct node *node)
{
    struct colour_evaluation evaluation;
    if (p->status || !is_foldable(node))
        return node;
    const int64_t *cells = evaluate(p, node, &evaluation);
    return cells ? make_constant(p, node, cells) : node;
}

static enum portolan_status no_value(struct parser *p, const struct node *node,
                                     const struct colour_evaluation *evaluation)
{
    const struct node *at = evaluation->failed_at ? evaluation->failed_at : node;
    return parser_fail(p, &at->at, "this has no value: %s", evaluation->failure);
}

static bool calls(const struct node *node)
{
    for (; node; node = node->next) {
        if (node->kind == NODE_CALL || (node->kind == NODE_CONSTANT && node->may_fail))
            return true;
        for (const struct iterator *it = node->kind == NODE_ITERATION ? node->iterators : NULL; it; it = it->next)
            if (calls(it->low) || calls(it->high) || calls(it->container))
                return true;
        if (calls(node->a) || calls(node->b) || calls(node->c))
            return true;
    }
    return false;
}

/* A number that no variable and no function is part of. */
static enum portolan_status evaluate_number(struct parser *p, struct node **node)
{
    struct colour_evaluation evaluation = {0};
    if (p->syntax->locals.count > 0 || calls(*node)) {
        parser_fail(p, &(*node)->at, "this must be constant");
        hint(p->error, "it cannot contain variables or functions");
        return p->status;
    }
    const int64_t *cells = evaluate(p, *node, &evaluation);
    if (!cells)
        return p->status ? p->status : no_value(p, *node, &evaluation);
    *node = make_constant(p, *node, cells);
    return p->status;
}

int64_t lna_static_number(struct parser *p, struct node **node, const struct colour_type *wanted)
{
    if (p->status || lna_type_any(p, node, wanted))
        return 0;
    if (wanted ? (*node)->colour->root != wanted->root : !lna_is_number((*node)->colour))
        lna_wrong_type(p, *node, wanted ? wanted : p->syntax->integer);
    else if ((*node)->kind != NODE_NUMBER)
        evaluate_number(p, node);
    return p->status ? 0 : (*node)->value;
}

/* -------------------------------------------------------------- declarations */

static struct constant *new_constant(struct parser *p, const struct position *at, const char *name)
{
    struct constant *constant = NULL;
    if (!p->status && lna_find_constant(p, name))
        lna_declared_twice(p, at, "constant", name);
    if (parser_get(p, sizeof *constant, &constant))
        return NULL;
    constant->name = name;
    if (!arena_push(p->arena, &p->syntax->constants, constant))
        p->status = fail_memory(p->error);
    return constant;
}

static enum portolan_status evaluate_constant(struct parser *p, struct constant *constant, const struct node *value)
{
    struct colour_evaluation evaluation = {0};
    const int64_t *cells = p->status ? NULL : evaluate(p, value, &evaluation);
    if (cells)
        memcpy(constant->cells, cells, constant->colour->cells * sizeof *cells);
    else if (!p->status)
        no_value(p, value, &evaluation);
    return p->status;
}

/* constant T NAME := e; */
enum portolan_status lna_read_constant(struct parser *p)
{
    const struct colour_type *colour = lna_read_type_name(p);
    struct position at = p->lexer->token.at;
    const char *name = NULL;
    struct node *value = NULL;
    p->syntax->frame = 0;
    parser_new_name(p, "the name of a constant", &name);
    parser_expect(p, ":=", "':='");
    parse_expression(p, &value);
    lna_type_value(p, &value, colour);
    parser_expect(p, ";", "';'");
    struct constant *constant = new_constant(p, &at, name);
    if (p->status || parser_get(p, colour->cells * sizeof *constant->cells, &constant->cells))
        return p->status;
    constant->colour = colour;
    if (!calls(value))
        return evaluate_constant(p, constant, value);
    constant->late = value;
    constant->frame = p->syntax->frame;
    return p->status;
}

enum portolan_status lna_evaluate_late_constants(struct parser *p)
{
    for (size_t i = 0; i < p->syntax->constants.count && !p->status; i++) {
        struct constant *constant = p->syntax->constants.item[i];
        p->syntax->frame = constant->frame;
        if (constant->late)
            evaluate_constant(p, constant, constant->late);
    }
    return p->status;
}

/* ---------------------------------------------------------------- parameters */

static const char *definition_of(const struct parser *p, const char *name)
{
    size_t length = strlen(name);
    const char *found = NULL;
    for (size_t i = 0; i < p->syntax->definition_count; i++)
        if (strncmp(p->syntax->definitions[i], name, length) == 0 && p->syntax->definitions[i][length] == '=')
            found = p->syntax->definitions[i]; /* the last one counts */
    return found;
}

static enum portolan_status define(struct parser *p, const char *definition, int64_t *value)
{
    const char *number = strchr(definition, '=') + 1;
    char *end = NULL;
    errno = 0;
    long long given = strtoll(number, &end, 10);
    if (end == number || *end || errno || given != (int32_t)given)
        return p->status = fail(p->error, PORTOLAN_BAD_OPTION,
                                "'%.64s' is not a definition of a parameter, NAME=NUMBER", definition);
    *value = given;
    return PORTOLAN_OK;
}

/* NAME := number */
static enum portolan_status read_parameter(struct parser *p)
{
    struct position at = p->lexer->token.at;
    const char *name = NULL;
    struct node *value = NULL;
    parser_new_name(p, "the name of a parameter", &name);
    parser_expect(p, ":=", "':='");
    parse_expression(p, &value);
    int64_t number = lna_static_number(p, &value, p->syntax->integer);
    struct constant *constant = new_constant(p, &at, name);
    const char *definition = p->status ? NULL : definition_of(p, name);
    if (definition)
        define(p, definition, &number);
    if (p->status || parser_get(p, sizeof *constant->cells, &constant->cells))
        return p->status;
    constant->colour = p->syntax->integer;
    constant->is_parameter = true;
    constant->cells[0] = number;
    return p->status;
}

enum portolan_status lna_read_parameters(struct parser *p)
{
    if (!parser_take(p, "("))
        return p->status;
    do
        read_parameter(p);
    while (parser_take(p, ","));
    return parser_expect(p, ")", "',' or ')'");
}

static bool is_parameter(const struct parser *p, const char *definition)
{
    for (size_t i = 0; i < p->syntax->constants.count; i++)
        if (p->syntax->constants.item[i]->is_parameter) {
            size_t length = strlen(p->syntax->constants.item[i]->name);
            if (strncmp(p->syntax->constants.item[i]->name, definition, length) == 0 && definition[length] == '=')
                return true;
        }
    return false;
}

static enum portolan_status unknown_parameter(struct parser *p, const char *definition)
{
    char name[65];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(definition, "="), definition);
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < p->syntax->constants.count; i++)
        if (p->syntax->constants.item[i]->is_parameter)
            nearest_offer(&nearest, p->syntax->constants.item[i]->name);
    p->status = fail(p->error, PORTOLAN_BAD_OPTION, "the net has no parameter '%s'", name);
    if (nearest.best)
        hint(p->error, "did you mean %s?", nearest.best);
    return p->status;
}

enum portolan_status lna_check_definitions(struct parser *p)
{
    for (size_t i = 0; i < p->syntax->definition_count && !p->status; i++)
        if (strchr(p->syntax->definitions[i], '=') && strncmp(p->syntax->definitions[i], "import=", 7) != 0 &&
            !is_parameter(p, p->syntax->definitions[i]))
            unknown_parameter(p, p->syntax->definitions[i]);
    return p->status;
}
