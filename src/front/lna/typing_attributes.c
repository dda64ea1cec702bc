/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes (T'first, place'card, list'suffix), iterators and what is made of them. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <string.h>

/* ----------------------------------------------------------------- attributes */

static const char *const attributes[] = {
    [ATTRIBUTE_SIZE] = "size",
    [ATTRIBUTE_SPACE] = "space",
    [ATTRIBUTE_CAPACITY] = "capacity",
    [ATTRIBUTE_IS_FULL] = "full",
    [ATTRIBUTE_IS_EMPTY] = "empty",
    [ATTRIBUTE_FIRST] = "first",
    [ATTRIBUTE_LAST] = "last",
    [ATTRIBUTE_FIRST_INDEX] = "first_index",
    [ATTRIBUTE_LAST_INDEX] = "last_index",
    [ATTRIBUTE_PREFIX] = "prefix",
    [ATTRIBUTE_SUFFIX] = "suffix",
    [ATTRIBUTE_CARDINALITY] = "card",
    [ATTRIBUTE_MULTIPLICITY] = "mult",
};

enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static unsigned find_attribute(const char *name)
{
    unsigned i = 0;
    while (i < ATTRIBUTES && strcmp(attributes[i], name) != 0)
        i++;
    return i == ATTRIBUTES && strcmp(name, "length") == 0 ? ATTRIBUTE_SIZE : i;
}

bool lna_attribute_counts(const char *name)
{
    unsigned attribute = find_attribute(name);
    return attribute <= ATTRIBUTE_CAPACITY || attribute == ATTRIBUTE_CARDINALITY || attribute == ATTRIBUTE_MULTIPLICITY;
}

static enum portolan_status unknown_attribute(struct parser *p, const struct node *n)
{
    struct nearest nearest = nearest_to(n->name);
    for (unsigned i = 0; i < ATTRIBUTES; i++)
        nearest_offer(&nearest, attributes[i]);
    parser_fail(p, &n->at, "this has no attribute '%.64s'", n->name);
    if (nearest.best && strcmp(nearest.best, n->name) != 0)
        hint(p->error, "did you mean %s?", nearest.best);
    return p->status;
}

/* A count is of any type of numbers. */
static const struct colour_type *count_type(const struct parser *p, const struct colour_type *hint)
{
    return hint && lna_is_number(hint) && hint->kind != COLOUR_CYCLIC ? hint->root : p->syntax->integer;
}

static enum portolan_status type_attribute_of_type(struct parser *p, struct node **node, unsigned attribute,
                                                   const struct colour_type *type, const struct colour_type *hint)
{
    bool is_first = attribute == ATTRIBUTE_FIRST, is_last = attribute == ATTRIBUTE_LAST;
    if (!lna_is_scalar(type) || (!is_first && !is_last && attribute != ATTRIBUTE_CARDINALITY))
        return unknown_attribute(p, *node);
    *node = is_first  ? lna_number_like(p, *node, type->low, type)
            : is_last ? lna_number_like(p, *node, type->high, type)
                      : lna_number_like(p, *node, type->high - type->low + 1, count_type(p, hint));
    return p->status;
}

static enum portolan_status no_marking(struct parser *p, const struct position *at)
{
    parser_fail(p, at, "the tokens of a place cannot be asked for here");
    hint(p->error, "propositions can ask for them");
    return p->status;
}

static enum portolan_status type_attribute_of_place(struct parser *p, struct node *n, unsigned attribute,
                                                    uint32_t place, const struct colour_type *hint)
{
    if (!p->syntax->sees_marking)
        return no_marking(p, &n->at);
    n->operation = attribute;
    n->a = NULL;
    n->value = place;
    n->colour = count_type(p, hint);
    return p->status;
}

/* An index of the language counts from the first value of its type on. */
static enum portolan_status type_index_attribute(struct parser *p, struct node **node)
{
    struct node *n = *node;
    const struct colour_type *type = n->a->colour->indexes.item[0];
    n->colour = type->root;
    if (n->operation == ATTRIBUTE_FIRST_INDEX) {
        *node = lna_number_like(p, n, type->low, type);
        return p->status;
    }
    struct node *sum = lna_node_like(p, n, NODE_BINARY, type->root);
    if (type->low == 0 || !sum)
        return p->status;
    sum->operation = OPERATION_ADD;
    sum->a = n;
    sum->b = lna_number_like(p, n, type->low, type->root);
    *node = sum;
    return p->status;
}

static enum portolan_status type_attribute_of_value(struct parser *p, struct node **node, unsigned attribute,
                                                    const struct colour_type *hint)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, NULL))
        return p->status;
    const struct colour_type *of = n->a->colour;
    bool is_of_list = attribute >= ATTRIBUTE_FIRST && attribute <= ATTRIBUTE_SUFFIX;
    if (!lna_is_container(of) || attribute >= ATTRIBUTE_CARDINALITY || (is_of_list && of->kind != COLOUR_LIST))
        return unknown_attribute(p, n);
    n->operation = attribute;
    switch ((enum attribute)attribute) {
    case ATTRIBUTE_IS_FULL:
    case ATTRIBUTE_IS_EMPTY: n->colour = p->syntax->truth; return p->status;
    case ATTRIBUTE_FIRST:
    case ATTRIBUTE_LAST: n->colour = of->of; return p->status;
    case ATTRIBUTE_PREFIX:
    case ATTRIBUTE_SUFFIX: n->colour = of; return p->status;
    case ATTRIBUTE_FIRST_INDEX:
    case ATTRIBUTE_LAST_INDEX: return type_index_attribute(p, node);
    default: n->colour = count_type(p, hint); return p->status;
    }
}

/* A name before ' may be that of a variable, of a place and of a type: the attribute tells. */
enum portolan_status lna_type_attribute(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    unsigned attribute = find_attribute(n->name);
    if (attribute == ATTRIBUTES)
        return unknown_attribute(p, n);
    if (n->a->kind != NODE_NAME || n->a->colour)
        return type_attribute_of_value(p, node, attribute, hint);
    const char *name = n->a->name;
    const struct colour_type *type = lna_find_type(p, name);
    const struct local *local = lna_find_local(p, name);
    const struct constant *constant = lna_find_constant(p, name);
    bool is_value = local ? lna_is_container(local->colour) : constant && lna_is_container(constant->colour);
    bool is_of_place = attribute == ATTRIBUTE_CARDINALITY || attribute == ATTRIBUTE_MULTIPLICITY;
    uint32_t place;
    if (is_of_place && lna_find_place(p, name, &place) && (p->syntax->sees_marking || !type))
        return type_attribute_of_place(p, n, attribute, place, hint);
    return type && !is_value ? type_attribute_of_type(p, node, attribute, type, hint)
                             : type_attribute_of_value(p, node, attribute, hint);
}

/* ------------------------------------------------------------------ iterators */

static enum portolan_status iterate_type(struct parser *p, struct iterator *it, const struct colour_type *type)
{
    if (!lna_is_scalar(type))
        return parser_fail(p, &it->container->at, "the values of '%.64s' cannot be enumerated", type->name);
    it->container = NULL;
    it->colour = type;
    if (it->low && !lna_type_like(p, &it->low, type))
        lna_type_like(p, &it->high, type);
    return p->status;
}

static enum portolan_status iterate_place(struct parser *p, struct iterator *it, uint32_t place)
{
    if (!p->syntax->sees_marking)
        return no_marking(p, &it->container->at);
    it->container = NULL;
    it->place = place;
    it->colour = p->syntax->net->places.item[place].tuple;
    return p->status;
}

static enum portolan_status iterate_container(struct parser *p, struct iterator *it)
{
    if (lna_type_any(p, &it->container, NULL))
        return p->status;
    if (!lna_is_container(it->container->colour))
        return parser_fail(p, &it->container->at, "this is neither a type nor a place, list or set");
    it->colour = it->container->colour->of;
    return p->status;
}

static bool names_a_value(const struct parser *p, const char *name)
{
    const struct local *local = lna_find_local(p, name);
    const struct constant *constant = lna_find_constant(p, name);
    return local ? lna_is_container(local->colour) : constant && lna_is_container(constant->colour);
}

static enum portolan_status find_domain(struct parser *p, struct iterator *it)
{
    const char *name = it->container->kind == NODE_NAME ? it->container->name : NULL;
    const struct colour_type *type = name && !names_a_value(p, name) ? lna_find_type(p, name) : NULL;
    uint32_t place;
    bool is_place = name && !names_a_value(p, name) && lna_find_place(p, name, &place);
    if (is_place && !it->low && (p->syntax->sees_marking || !type))
        return iterate_place(p, it, place);
    if (type)
        return iterate_type(p, it, type);
    if (it->low)
        return parser_fail(p, &it->low->at, "only the values of a type have a range");
    return iterate_container(p, it);
}

enum portolan_status lna_type_iterator(struct parser *p, struct iterator *it)
{
    if (!p->status && !find_domain(p, it))
        it->local = lna_declare_local(p, it->name, it->colour, true);
    return p->status;
}

enum portolan_status lna_type_iterators(struct parser *p, struct iterator *list)
{
    for (; list && !p->status; list = list->next)
        lna_type_iterator(p, list);
    return p->status;
}

/* ----------------------------------------------------------------- iterations */

static enum portolan_status type_result(struct parser *p, struct node *n, const struct colour_type *hint)
{
    const struct colour_type *truth = p->syntax->truth;
    bool adds = n->operation == ITERATION_SUM || n->operation == ITERATION_PRODUCT;
    if (n->operation == ITERATION_CARDINALITY || n->operation == ITERATION_MULTIPLICITY) {
        n->colour = count_type(p, hint);
        return p->status;
    }
    n->colour = truth;
    if (n->operation == ITERATION_EXISTS || n->operation == ITERATION_FORALL)
        return n->b ? lna_type_value(p, &n->b, truth) : p->status;
    if (lna_type_any(p, &n->b, hint))
        return p->status;
    if (!lna_is_scalar(n->b->colour) || (adds && !lna_is_number(n->b->colour)))
        return parser_fail(p, &n->b->at, "this is of type '%.64s', but a number is expected", n->b->colour->name);
    n->colour = n->b->colour->root;
    return p->status;
}

enum portolan_status lna_type_iteration(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    size_t outside = p->syntax->locals.count;
    lna_type_iterators(p, n->iterators);
    if (!p->status && n->operation == ITERATION_MULTIPLICITY && (n->iterators->next || n->iterators->place == NO_PLACE))
        parser_fail(p, &n->at, "mult ranges over the tokens of one place");
    if (n->a)
        lna_type_condition(p, &n->a);
    if (!p->status)
        type_result(p, n, hint);
    p->syntax->locals.count = outside;
    if (!p->status && n->colour->kind == COLOUR_CYCLIC)
        *node = lna_convert(p, n, n->colour, false);
    return p->status;
}
