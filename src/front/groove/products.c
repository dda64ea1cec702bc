/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on values: the table of operators, and product nodes (prod:) with their arguments (arg:0). */
#include "base/diagnostic.h"
#include "base/nearest.h"
#include "front/groove/draft.h"

#include <stdlib.h>
#include <string.h>

enum {
    INT = 1 << SORT_INT,
    REAL = 1 << SORT_REAL,
    BOOL = 1 << SORT_BOOL,
    STRING = 1 << SORT_STRING,
    NUMBER = INT | REAL,
    ORDERED = NUMBER | STRING,
    ANY = ORDERED | BOOL
};

static const struct operator_of_values operators[] = {
    {"add", OPERATOR_ADD, 2, NUMBER, SORT_NONE},
    {"sub", OPERATOR_SUB, 2, NUMBER, SORT_NONE},
    {"mul", OPERATOR_MUL, 2, NUMBER, SORT_NONE},
    {"div", OPERATOR_DIV, 2, NUMBER, SORT_NONE},
    {"mod", OPERATOR_MOD, 2, INT, SORT_NONE},
    {"min", OPERATOR_MIN, 2, NUMBER, SORT_NONE},
    {"max", OPERATOR_MAX, 2, NUMBER, SORT_NONE},
    {"neg", OPERATOR_NEG, 1, NUMBER, SORT_NONE},
    {"abs", OPERATOR_ABS, 1, NUMBER, SORT_NONE},
    {"eq", OPERATOR_EQ, 2, ANY, SORT_BOOL},
    {"neq", OPERATOR_NEQ, 2, ANY, SORT_BOOL},
    {"lt", OPERATOR_LT, 2, ORDERED, SORT_BOOL},
    {"le", OPERATOR_LE, 2, ORDERED, SORT_BOOL},
    {"gt", OPERATOR_GT, 2, ORDERED, SORT_BOOL},
    {"ge", OPERATOR_GE, 2, ORDERED, SORT_BOOL},
    {"and", OPERATOR_AND, 2, BOOL, SORT_NONE},
    {"or", OPERATOR_OR, 2, BOOL, SORT_NONE},
    {"not", OPERATOR_NOT, 1, BOOL, SORT_NONE},
    {"implies", OPERATOR_IMPLIES, 2, BOOL, SORT_NONE},
    {"concat", OPERATOR_CONCAT, 2, STRING, SORT_NONE},
    {"length", OPERATOR_LENGTH, 1, STRING, SORT_INT},
    {"ite", OPERATOR_ITE, 3, ANY, SORT_NONE},
    {"toInt", OPERATOR_TO_INT, 1, REAL, SORT_INT},
    {"toReal", OPERATOR_TO_REAL, 1, INT, SORT_REAL},
    {"toString", OPERATOR_TO_STRING, 1, NUMBER | BOOL, SORT_STRING},
};

enum { OPERATORS = sizeof operators / sizeof *operators };

const struct operator_of_values *find_operator(const char *name, enum sort sort)
{
    for (size_t i = 0; i < OPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0 && (sort == SORT_NONE || operators[i].sorts & (1U << sort)))
            return &operators[i];
    return NULL;
}

bool add_operation(struct draft *draft, struct rule_operation operation)
{
    struct place at = {operation.line, operation.column};
    const struct rule *rule = draft->labels.rule;
    for (uint32_t i = 0; i <= operation.operand_count && operation.level != NO_NUMBER; i++) {
        uint32_t node = i < operation.operand_count ? operation.operand[i] : operation.result;
        operation.level = deeper_level(draft, at, operation.level, rule->nodes.item[node].level);
    }
    operation.embargo = NO_NUMBER;
    return operation.level != NO_NUMBER &&
           (vector_push(&draft->labels.rule->operations, operation) || no_memory(draft->labels.reading));
}

/* The arguments of a product node, in their order. */
static bool find_arguments(struct draft *draft, uint32_t product, struct rule_operation *operation)
{
    const struct gxl *gxl = draft->gxl;
    struct label_parts parts;
    bool given[MOST_OPERANDS] = {false};
    for (size_t i = 0; i < gxl->edges.count; i++) {
        const struct gxl_edge *edge = &gxl->edges.item[i];
        if (edge->from != product)
            continue;
        if (!label_split(draft->labels.reading, draft->labels.file, edge, IN_RULE, &parts))
            return false;
        if (parts.aspect != ASPECT_ARGUMENT)
            continue;
        const char *text = parts.content ? parts.content : parts.text;
        size_t number = (size_t)(*text - '0');
        if (number >= MOST_OPERANDS || text[1] || given[number])
            return draft_wrong(draft, parts.at, "arguments are numbered from 0, each once");
        if (draft->nodes[edge->to].number == NO_NUMBER || draft->nodes[edge->to].sort == SORT_NONE)
            return draft_wrong(draft, parts.at, "an argument is a value");
        given[number] = true;
        operation->operand[number] = draft->nodes[edge->to].number;
        operation->operand_count++;
    }
    for (uint32_t i = 0; i < operation->operand_count; i++)
        if (!given[i])
            return draft_wrong(draft, draft->nodes[product].at, "an argument of this product is missing");
    return true;
}

static bool unknown_operator(struct draft *draft, const struct label_parts *parts)
{
    struct nearest nearest = nearest_to(parts->text);
    for (size_t i = 0; i < OPERATORS; i++)
        if (operators[i].sorts & (1U << sort_of(parts->aspect)))
            nearest_offer(&nearest, operators[i].name);
    groove_wrong(draft->labels.reading, draft->labels.file, parts->at,
                 "the operator '%.80s' is not known, or not supported", parts->text);
    if (nearest.best)
        hint(draft->labels.reading->error, "did you mean '%s'?", nearest.best);
    return false;
}

static bool check_sorts(struct draft *draft, const struct label_parts *parts, const struct operator_of_values *known,
                        const struct rule_operation *operation)
{
    const struct rule_node *nodes = draft->labels.rule->nodes.item;
    enum sort result = known->result == SORT_NONE ? operation->sort : known->result;
    if (operation->operand_count != known->operands)
        return draft_wrong(draft, parts->at, "the operator takes a different number of arguments");
    for (uint32_t i = 0; i < known->operands; i++)
        if (nodes[operation->operand[i]].sort != (known->kind == OPERATOR_ITE && i == 0 ? SORT_BOOL : operation->sort))
            return draft_wrong(draft, parts->at, "an argument of this operator has a different sort");
    return nodes[operation->result].sort == result ||
           draft_wrong(draft, parts->at, "the result of this operator has a different sort");
}

/* An edge from a product to its result: int:add */
static bool read_operator(struct draft *draft, const struct gxl_edge *edge)
{
    struct label_parts parts;
    const struct draft_node *product = &draft->nodes[edge->from], *result = &draft->nodes[edge->to];
    if (!label_split(draft->labels.reading, draft->labels.file, edge, IN_RULE, &parts))
        return false;
    enum sort sort = sort_of(parts.aspect);
    if (parts.aspect == ASPECT_ARGUMENT && !product->is_product)
        return draft_wrong(draft, parts.at, "arguments begin at a product node, which has the label 'prod:'");
    if (sort == SORT_NONE || edge->from == edge->to)
        return true;
    const struct operator_of_values *known = find_operator(parts.text, sort);
    if (!known)
        return unknown_operator(draft, &parts);
    if (!product->is_product || result->number == NO_NUMBER)
        return draft_wrong(draft, parts.at, "an operator leads from a product node to a value");
    struct rule_operation operation = {.kind = known->kind,
                                       .sort = sort,
                                       .level = product->level,
                                       .result = result->number,
                                       .line = parts.at.line,
                                       .column = parts.at.column};
    return find_arguments(draft, edge->from, &operation) && check_sorts(draft, &parts, known, &operation) &&
           add_operation(draft, operation);
}

bool draft_products(struct draft *draft)
{
    for (size_t i = 0; i < draft->gxl->edges.count; i++)
        if (*draft->gxl->edges.item[i].label && !read_operator(draft, &draft->gxl->edges.item[i]))
            return false;
    return true;
}
