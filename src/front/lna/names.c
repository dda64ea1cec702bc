/* SPDX-License-Identifier: Apache-2.0 */
/* What names mean in .lna.  Types, places, functions and values have names of their own: one name may be of several. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <string.h>

struct local *lna_find_local(const struct parser *p, const char *name)
{
    for (size_t i = p->syntax->locals.count; i-- > 0;) /* the last one hides those before it */
        if (strcmp(p->syntax->locals.item[i].name, name) == 0)
            return &p->syntax->locals.item[i];
    return NULL;
}

struct constant *lna_find_constant(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->syntax->constants.count; i++)
        if (strcmp(p->syntax->constants.item[i]->name, name) == 0)
            return p->syntax->constants.item[i];
    return NULL;
}

const struct colour_type *lna_find_type(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->syntax->types.count; i++)
        if (strcmp(p->syntax->types.item[i]->name, name) == 0)
            return p->syntax->types.item[i];
    return NULL;
}

struct colour_function *lna_find_function(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->syntax->functions.count; i++)
        if (strcmp(p->syntax->functions.item[i]->name, name) == 0)
            return p->syntax->functions.item[i];
    return NULL;
}

bool lna_find_place(const struct parser *p, const char *name, uint32_t *place)
{
    const struct colour_net *net = p->syntax->net;
    for (size_t i = 0; i < net->places.count; i++)
        if (strcmp(net->places.item[i].name, name) == 0) {
            *place = (uint32_t)i;
            return true;
        }
    return false;
}

bool lna_find_value(const struct colour_type *type, const char *name, int64_t *value)
{
    if (type->kind != COLOUR_NAMED)
        return false;
    for (int64_t i = type->root->low; i <= type->root->high; i++)
        if (strcmp(type->root->names[i - type->root->low], name) == 0) {
            *value = i;
            return true;
        }
    return false;
}

uint32_t lna_declare_local(struct parser *p, const char *name, const struct colour_type *colour, bool is_constant)
{
    struct syntax *syntax = p->syntax;
    uint32_t at = syntax->frame;
    if (!p->status && !vector_push(&syntax->locals, ((struct local){name, colour, at, is_constant})))
        p->status = fail_memory(p->error);
    if (!p->status)
        syntax->frame += colour->cells;
    return at;
}

/* -------------------------------------------------------------------- errors */

static void offer_values(const struct parser *p, struct nearest *nearest)
{
    const struct syntax *syntax = p->syntax;
    for (size_t i = 0; i < syntax->locals.count; i++)
        nearest_offer(nearest, syntax->locals.item[i].name);
    for (size_t i = 0; i < syntax->constants.count; i++)
        nearest_offer(nearest, syntax->constants.item[i]->name);
    for (size_t i = 0; i < syntax->types.count; i++)
        for (int64_t v = 0; syntax->types.item[i]->kind == COLOUR_NAMED && v <= syntax->types.item[i]->root->high; v++)
            nearest_offer(nearest, syntax->types.item[i]->root->names[v]);
}

static enum portolan_status unknown(struct parser *p, const struct nearest *nearest)
{
    if (nearest->best)
        hint(p->error, "did you mean %s?", nearest->best);
    return p->status;
}

enum portolan_status lna_unknown_value(struct parser *p, const struct node *node)
{
    uint32_t place;
    if (p->status)
        return p->status;
    parser_fail(p, &node->at, "there is no variable, constant or value '%.64s' here", node->name);
    if (lna_find_place(p, node->name, &place))
        hint(p->error, "a place has no value: %s'card is the number of its tokens", node->name);
    else if (lna_find_type(p, node->name))
        hint(p->error, "a type has no value: %s'first is its first one", node->name);
    struct nearest nearest = nearest_to(node->name);
    offer_values(p, &nearest);
    return unknown(p, &nearest);
}

enum portolan_status lna_unknown_function(struct parser *p, const struct node *node)
{
    struct nearest nearest = nearest_to(node->name);
    for (size_t i = 0; i < p->syntax->functions.count; i++)
        nearest_offer(&nearest, p->syntax->functions.item[i]->name);
    for (size_t i = 0; i < p->syntax->types.count; i++)
        nearest_offer(&nearest, p->syntax->types.item[i]->name);
    parser_fail(p, &node->at, "there is no function or type '%.64s'", node->name);
    return unknown(p, &nearest);
}

enum portolan_status lna_unknown_place(struct parser *p, const struct position *at, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < p->syntax->net->places.count; i++)
        nearest_offer(&nearest, p->syntax->net->places.item[i].name);
    parser_fail(p, at, "there is no place '%.64s'", name);
    return unknown(p, &nearest);
}

const struct colour_type *lna_read_type_name(struct parser *p)
{
    struct position at = p->lexer->token.at;
    const char *name = NULL;
    if (parser_new_name(p, "the name of a type", &name))
        return NULL;
    const struct colour_type *type = lna_find_type(p, name);
    if (type)
        return type;
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < p->syntax->types.count; i++)
        nearest_offer(&nearest, p->syntax->types.item[i]->name);
    parser_fail(p, &at, "there is no type '%.64s'", name);
    unknown(p, &nearest);
    return NULL;
}

enum portolan_status lna_declared_twice(struct parser *p, const struct position *at, const char *what, const char *name)
{
    return parser_fail(p, at, "there is already a %s '%.64s'", what, name);
}
