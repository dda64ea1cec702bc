/* SPDX-License-Identifier: Apache-2.0 */
/* Terms that have one value in a binding: constants, variables, tuples of them, neighbours, and truths. */
#include "front/symmetric/reading.h"

#include <stdio.h>
#include <string.h>

struct node *new_node(struct reading *reading, const struct term *term, unsigned kind, const struct colour_type *colour)
{
    struct node *node = reading_get(reading, sizeof *node);
    if (node) {
        node->kind = kind;
        node->colour = colour;
        node->at = (struct position){.line = term->spot.line, .column = 1};
        node->start = term->element;
        node->length = strlen(term->element);
    }
    return node;
}

static bool push(struct reading *reading, node_list *scalars, struct node *node)
{
    if (!node)
        return false;
    return vector_push(scalars, node) ? true : xml_no_memory(&reading->walk->cursor);
}

static bool push_number(struct reading *reading, const struct term *term, const struct colour_type *colour,
                        int64_t value, node_list *scalars)
{
    struct node *node = new_node(reading, term, NODE_NUMBER, colour);
    if (node)
        node->value = value;
    return push(reading, scalars, node);
}

/* ------------------------------------------------------------------ variables */

/* A name for one part of a variable whose sort is a product. */
static const char *part_name(struct reading *reading, const struct declared *declared, uint32_t part)
{
    const char *name = declared->term->name && *declared->term->name ? declared->term->name : declared->term->id;
    if (declared->sort.count == 1)
        return name;
    char text[256];
    snprintf(text, sizeof text, "%.200s.%u", name, part + 1);
    return reading_copy(reading, text);
}

/* A variable gets its cells where it is first used in a transition. */
static bool use_variable(struct reading *reading, struct declared *declared)
{
    if (declared->transition == reading->transition)
        return true;
    declared->transition = reading->transition;
    declared->local = reading->frame;
    for (uint32_t i = 0; i < declared->sort.count; i++) {
        struct variable_used used = {.variable = {.name = part_name(reading, declared, i),
                                                  .colour = declared->sort.parts[i],
                                                  .local = reading->frame++,
                                                  .source = VARIABLE_FREE}};
        if (!used.variable.name || !vector_push(&reading->variables, used))
            return xml_no_memory(&reading->walk->cursor);
    }
    return true;
}

static bool push_variable(struct reading *reading, const struct term *term, node_list *scalars)
{
    struct declared *declared = find_declared(reading, term, DECLARED_VARIABLE);
    if (!declared)
        return false;
    if (!reading->transition)
        return term_wrong(reading, term, "a variable has no value in an initial marking");
    if (!use_variable(reading, declared))
        return false;
    for (uint32_t i = 0; i < declared->sort.count; i++) {
        struct node *node = new_node(reading, term, NODE_LOCAL, declared->sort.parts[i]);
        if (node)
            node->value = declared->local + i;
        if (!push(reading, scalars, node))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ other values */

static bool push_range_constant(struct reading *reading, const struct term *term, node_list *scalars)
{
    int64_t value;
    struct sort sort;
    if (!check_children(reading, term, 1, 1) || !resolve_sort(reading, term->children, &sort) ||
        !term_number(reading, term, "value", term->value, &value))
        return false;
    const struct colour_type *type = sort.parts[0];
    if (sort.count != 1 || type->kind != COLOUR_RANGE || value < type->low || value > type->high)
        return term_wrong(reading, term, "%s is not in its range", xml_quote(term->value).text);
    return push_number(reading, term, type, value, scalars);
}

/* The only scalar that a term has; NULL after an error. */
static struct node *scalar_of(struct reading *reading, const struct term *term)
{
    node_list scalars = {0};
    struct node *node = NULL;
    if (value_of(reading, term, &scalars)) {
        node = scalars.item[0];
        if (scalars.count != 1) {
            term_wrong(reading, term, "found a product where a single value is expected");
            node = NULL;
        }
    }
    free(scalars.item);
    return node;
}

static bool push_neighbour(struct reading *reading, const struct term *term, node_list *scalars)
{
    if (!check_children(reading, term, 1, 1))
        return false;
    struct node *of = scalar_of(reading, term->children);
    if (!of)
        return false;
    if (of->colour == reading->dot || of->colour == reading->boolean)
        return term_wrong(reading, term, "<%s> is only for enumerations and ranges", term->element);
    unsigned kind = term_is(term, "successor") ? NODE_SUCCESSOR : NODE_PREDECESSOR;
    struct node *node = new_node(reading, term, kind, of->colour);
    if (node)
        node->a = of;
    return push(reading, scalars, node);
}

/* Which part of a partition a value is in. */
static bool push_part(struct reading *reading, const struct term *term, node_list *scalars)
{
    const struct declared *partition = find_declared(reading, term, DECLARED_PARTITION);
    if (!partition || !check_children(reading, term, 1, 1))
        return false;
    struct node *of = scalar_of(reading, term->children);
    if (!of)
        return false;
    if (!is_same_type(of->colour, partition->cut))
        return term_wrong(reading, term, "the value is not of the sort that '%s' partitions",
                          xml_quote(term->refers_to).text);
    struct node *cut = new_node(reading, term, of->kind, partition->cut);
    struct node *node = cut ? new_node(reading, term, NODE_PART, partition->sort.parts[0]) : NULL;
    if (node) {
        *cut = *of;
        cut->colour = partition->cut;
        node->a = cut;
    }
    return push(reading, scalars, node);
}

static bool push_tuple(struct reading *reading, const struct term *term, node_list *scalars)
{
    if (!check_children(reading, term, 1, SIZE_MAX))
        return false;
    for (const struct term *child = term->children; child; child = child->next)
        if (!value_of(reading, child, scalars))
            return false;
    return true;
}

static bool push_constant(struct reading *reading, const struct term *term, node_list *scalars)
{
    const struct declared *constant = find_declared(reading, term, DECLARED_CONSTANT);
    return constant && push_number(reading, term, constant->sort.parts[0], constant->value, scalars);
}

bool value_of(struct reading *reading, const struct term *term, node_list *scalars)
{
    static const struct {
        const char *element;
        bool (*push)(struct reading *reading, const struct term *term, node_list *scalars);
    } terms[] = {{"variable", push_variable},
                 {"useroperator", push_constant},
                 {"tuple", push_tuple},
                 {"finiteintrangeconstant", push_range_constant},
                 {"successor", push_neighbour},
                 {"predecessor", push_neighbour},
                 {"partitionelementof", push_part}};
    if (term_is(term, "dotconstant"))
        return push_number(reading, term, reading->dot, 0, scalars);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (term_is(term, terms[i].element))
            return terms[i].push(reading, term, scalars);
    return push(reading, scalars, truth_of(reading, term));
}

/* ------------------------------------------------------------------ truths */

static struct node *operate(struct reading *reading, const struct term *term, enum operation operation, struct node *a,
                            struct node *b)
{
    struct node *node = new_node(reading, term, b ? NODE_BINARY : NODE_UNARY, reading->boolean);
    if (node) {
        node->operation = operation;
        node->a = a;
        node->b = b;
    }
    return node;
}

/* Two values, scalar by scalar: all are equal, or some differ; of an order there is one scalar. */
static struct node *compare_values(struct reading *reading, const struct term *term, enum operation operation,
                                   const node_list *a, const node_list *b)
{
    bool by_order = operation != OPERATION_EQUAL && operation != OPERATION_NOT_EQUAL;
    struct node *all = NULL;
    if (a->count != b->count || (by_order && a->count != 1)) {
        term_wrong(reading, term, "values of %zu and %zu parts are compared by <%s>", a->count, b->count,
                   term->element);
        return NULL;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!is_same_type(a->item[i]->colour, b->item[i]->colour)) {
            term_wrong(reading, term, "values of the sorts %s and %s are compared",
                       xml_quote(a->item[i]->colour->name).text, xml_quote(b->item[i]->colour->name).text);
            return NULL;
        }
        struct node *one = operate(reading, term, operation, a->item[i], b->item[i]);
        enum operation joins = operation == OPERATION_NOT_EQUAL ? OPERATION_OR : OPERATION_AND;
        if (!one || !(all = all ? operate(reading, term, joins, all, one) : one))
            return NULL;
    }
    return all;
}

static struct node *comparison(struct reading *reading, const struct term *term, enum operation operation)
{
    node_list a = {0}, b = {0};
    struct node *node = NULL;
    if (check_children(reading, term, 2, 2) && value_of(reading, term->children, &a) &&
        value_of(reading, term->children->next, &b))
        node = compare_values(reading, term, operation, &a, &b);
    free(a.item);
    free(b.item);
    return node;
}

/* and, or, imply: of truths, from the left. */
static struct node *connective(struct reading *reading, const struct term *term, enum operation operation)
{
    struct node *all = NULL;
    if (!check_children(reading, term, 1, operation == OPERATION_IMPLIES ? 2 : SIZE_MAX))
        return NULL;
    for (const struct term *child = term->children; child; child = child->next) {
        struct node *one = truth_of(reading, child);
        if (!one || !(all = all ? operate(reading, term, operation, all, one) : one))
            return NULL;
    }
    return all;
}

static struct node *truth_value(struct reading *reading, const struct term *term)
{
    struct node *node = scalar_of(reading, term);
    if (node && node->colour != reading->boolean) {
        term_wrong(reading, term, "found a value of the sort %s where a boolean is expected",
                   xml_quote(node->colour->name).text);
        return NULL;
    }
    return node;
}

static struct node *negation(struct reading *reading, const struct term *term)
{
    struct node *of = check_children(reading, term, 1, 1) ? truth_of(reading, term->children) : NULL;
    return of ? operate(reading, term, OPERATION_NOT, of, NULL) : NULL;
}

static struct node *constant_truth(struct reading *reading, const struct term *term)
{
    struct node *node = new_node(reading, term, NODE_NUMBER, reading->boolean);
    if (node)
        node->value = term->value && strcmp(term->value, "true") == 0;
    return node;
}

struct node *truth_of(struct reading *reading, const struct term *term)
{
    static const struct {
        const char *element;
        enum operation operation;
        struct node *(*make)(struct reading *reading, const struct term *term, enum operation operation);
    } operators[] = {
        {"and", OPERATION_AND, connective},
        {"or", OPERATION_OR, connective},
        {"imply", OPERATION_IMPLIES, connective},
        {"equality", OPERATION_EQUAL, comparison},
        {"inequality", OPERATION_NOT_EQUAL, comparison},
        {"lessthan", OPERATION_LESS, comparison},
        {"lessthanorequal", OPERATION_LESS_EQUAL, comparison},
        {"greaterthan", OPERATION_GREATER, comparison},
        {"greaterthanorequal", OPERATION_GREATER_EQUAL, comparison},
        {"ltp", OPERATION_LESS, comparison}, /* of parts of a partition */
        {"gtp", OPERATION_GREATER, comparison},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (term_is(term, operators[i].element))
            return operators[i].make(reading, term, operators[i].operation);
    if (term_is(term, "not"))
        return negation(reading, term);
    if (term_is(term, "booleanconstant"))
        return constant_truth(reading, term);
    if (term_is(term, "variable") || term_is(term, "useroperator"))
        return truth_value(reading, term);
    term_wrong(reading, term, "<%s> is not supported here", xml_quote(term->element).text);
    return NULL;
}
