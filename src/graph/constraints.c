/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/constraints.h"

#include "base/diagnostic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool bounds_in(const struct edge_type *t)
{
    return t->least_in > 0 || t->most_in != NO_NUMBER;
}

static bool bounds_out(const struct edge_type *t)
{
    return t->least_out > 0 || t->most_out != NO_NUMBER;
}

bool has_constraints(const struct grammar *g)
{
    for (size_t i = 0; i < g->edge_types.count; i++)
        if (g->edge_types.item[i].is_part || bounds_in(&g->edge_types.item[i]) || bounds_out(&g->edge_types.item[i]))
            return true;
    return false;
}

/* ------------------------------------------------------------------ what can be counted */

static bool have_common_subtype(const struct grammar *g, uint32_t a, uint32_t b)
{
    bool have = is_subtype(g, a, b) || is_subtype(g, b, a);
    for (size_t i = 0; i < g->node_types.count && !have; i++)
        have = is_subtype(g, g->node_types.item[i].label, a) && is_subtype(g, g->node_types.item[i].label, b);
    return have;
}

static bool is_sort(const struct grammar *g, uint32_t type)
{
    static const char *const sorts[] = {"int", "real", "bool", "string"};
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(g->labels.item[type].text, sorts[i]) == 0)
            return true;
    return false;
}

enum portolan_status constraints_check(const struct grammar *g, struct portolan_error *error)
{
    if (g->edges_are_nodes && has_constraints(g))
        return fail(error, PORTOLAN_REFUSED,
                    "multiplicities and parts of a type graph cannot be combined with parallel edges");
    for (size_t i = 0; i < g->edge_types.count; i++) {
        const struct edge_type *t = &g->edge_types.item[i];
        const char *label = g->labels.item[t->label].text;
        if (t->least_in > 0 && is_sort(g, t->to))
            return fail(
                error, PORTOLAN_REFUSED,
                "'%.80s': a value exists only where an edge leads to it, so its incoming edges can have no lower bound",
                label);
        for (size_t k = 0; k < g->edge_types.count; k++) {
            const struct edge_type *o = &g->edge_types.item[k];
            if (k != i && o->label == t->label && (bounds_in(t) || bounds_out(t)) &&
                have_common_subtype(g, o->from, t->from) && have_common_subtype(g, o->to, t->to))
                return fail(error, PORTOLAN_REFUSED,
                            "two kinds of edges '%.80s' fit the same edge, and one of them has a multiplicity", label);
        }
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ multiplicities */

static bool is_of_type(const struct present *p, uint32_t node, uint32_t type)
{
    static const char *const sorts[] = {"", "int", "real", "bool", "string"};
    const struct grammar *g = p->universe->grammar;
    uint32_t value = value_of_node(p->universe, node);
    if (value != NO_NUMBER)
        return strcmp(g->labels.item[type].text, sorts[g->values.item[value].sort]) == 0;
    const links *out = links_out(p, node);
    for (size_t i = 0; i < out->count; i++)
        if (out->item[i].other == node && g->labels.item[out->item[i].label].kind == LABEL_TYPE)
            return is_subtype(g, out->item[i].label, type);
    return false;
}

static uint32_t count_links(const struct present *p, const links *some, uint32_t label, uint32_t type)
{
    uint32_t count = 0;
    for (size_t i = 0; i < some->count; i++)
        count += some->item[i].label == label && is_of_type(p, some->item[i].other, type);
    return count;
}

static bool is_wrong_at(const struct present *p, const struct edge_type *t, uint32_t node, struct violation *v)
{
    if (bounds_out(t) && is_of_type(p, node, t->from)) {
        uint32_t count = count_links(p, links_out(p, node), t->label, t->to);
        *v = (struct violation){.type = t, .node = node, .count = count};
        if (count < t->least_out || count > t->most_out)
            return true;
    }
    if (bounds_in(t) && is_of_type(p, node, t->to)) {
        uint32_t count = count_links(p, links_in(p, node), t->label, t->from);
        *v = (struct violation){.type = t, .node = node, .is_in = true, .count = count};
        if (count < t->least_in || count > t->most_in)
            return true;
    }
    return false;
}

/* At ordinary nodes, and at the values that an edge of this kind leads to. */
static bool is_wrong(const struct present *p, const struct edge_type *t, struct violation *v)
{
    const numbers *nodes = &p->by_label[p->universe->node_label], *edges = &p->by_label[t->label];
    for (size_t i = 0; i < nodes->count; i++)
        if (is_wrong_at(p, t, entity_get(p->universe, nodes->item[i])->from, v))
            return true;
    for (size_t i = 0; i < edges->count && bounds_in(t); i++) {
        uint32_t to = entity_get(p->universe, edges->item[i])->to;
        if (value_of_node(p->universe, to) != NO_NUMBER && is_wrong_at(p, t, to, v))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ parts */

static bool is_part_label(const struct grammar *g, uint32_t label)
{
    for (size_t i = 0; i < g->edge_types.count; i++)
        if (g->edge_types.item[i].label == label && g->edge_types.item[i].is_part)
            return true;
    return false;
}

static size_t index_of(const numbers *some, uint32_t number)
{
    size_t i = 0;
    while (i < some->count && some->item[i] != number)
        i++;
    return i;
}

static bool has_owner(const struct present *p, const numbers *left, uint32_t node)
{
    const links *in = links_in(p, node);
    for (size_t i = 0; i < in->count; i++)
        if (is_part_label(p->universe->grammar, in->item[i].label) && index_of(left, in->item[i].other) < left->count)
            return true;
    return false;
}

/* Nodes that nobody left owns are taken away, until none is left or all are on the way from or to a circle. */
static bool find_circle(const struct present *p, bool *found, struct violation *v)
{
    const numbers *nodes = &p->by_label[p->universe->node_label];
    numbers left = {0};
    bool fine = true;
    for (size_t i = 0; i < nodes->count && fine; i++)
        fine = vector_push(&left, entity_get(p->universe, nodes->item[i])->from);
    for (size_t before = left.count + 1; fine && left.count < before;) {
        before = left.count;
        for (size_t i = left.count; i-- > 0;)
            if (!has_owner(p, &left, left.item[i]))
                left.item[i] = left.item[--left.count];
    }
    *found = left.count > 0;
    if (*found)
        *v = (struct violation){.is_circle = true, .node = left.item[0]};
    free(left.item);
    return fine;
}

/* ------------------------------------------------------------------ together */

bool find_violation(const struct present *p, bool *found, struct violation *v)
{
    const struct grammar *g = p->universe->grammar;
    bool has_parts = false;
    *found = false;
    for (size_t i = 0; i < g->edge_types.count && !*found; i++) {
        const struct edge_type *t = &g->edge_types.item[i];
        has_parts |= t->is_part;
        *found = (bounds_in(t) || bounds_out(t)) && is_wrong(p, t, v);
    }
    return *found || !has_parts || find_circle(p, found, v);
}

enum portolan_status fail_violation(const struct universe *u, const struct violation *v, struct portolan_error *error)
{
    if (v->is_circle)
        return fail(error, PORTOLAN_BAD_INPUT, "in the start graph parts contain each other in a cycle");
    uint32_t least = v->is_in ? v->type->least_in : v->type->least_out;
    uint32_t most = v->is_in ? v->type->most_in : v->type->most_out;
    const char *name = u->nodes.item[v->node].name;
    char bound[30];
    if (most == NO_NUMBER)
        snprintf(bound, sizeof bound, "%" PRIu32 "..*", least);
    else
        snprintf(bound, sizeof bound, "%" PRIu32 "..%" PRIu32, least, most);
    return fail(error, PORTOLAN_BAD_INPUT,
                "in the start graph %" PRIu32 " edges '%.80s' %s node '%.80s', but the type graph allows %s", v->count,
                u->grammar->labels.item[v->type->label].text, v->is_in ? "lead to" : "leave", name ? name : "", bound);
}
