/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/relations.h"

#include "base/lists.h"
#include "front/petri/exclusion.h"

#include <stdlib.h>
#include <string.h>

/* A guard as one number that sorts by place, kind and threshold; the transition it stands for comes along. */
struct guard_use {
    uint64_t key;
    uint32_t transition;
};

static int by_key(const void *left, const void *right)
{
    const struct guard_use *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

static uint64_t guard_key(uint32_t place, bool below, uint32_t threshold)
{
    return (uint64_t)place << 32 | (uint64_t)below << 31 | threshold;
}

static bool number_guards(struct net_relations *r, const struct net *net)
{
    VECTOR(struct guard_use) uses = {0};
    struct lists_builder guards_of = {0};
    bool fine = true;
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t) {
            struct guard_use enough = {guard_key(arc->place, false, arc->need), t};
            struct guard_use few = {guard_key(arc->place, true, arc->inhibit), t};
            fine = fine && (!arc->need || vector_push(&uses, enough)) && (!arc->inhibit || vector_push(&uses, few));
        }
    if (uses.count)
        qsort(uses.item, uses.count, sizeof *uses.item, by_key);
    r->guard = calloc(uses.count + 1, sizeof *r->guard);
    fine = fine && r->guard;
    uint32_t guards = 0;
    for (size_t i = 0; fine && i < uses.count; i++) {
        uint64_t key = uses.item[i].key;
        if (i == 0 || key != uses.item[i - 1].key)
            r->guard[guards++] = (struct net_guard){
                .place = (uint32_t)(key >> 32), .threshold = (uint32_t)key & INT32_MAX, .below = key >> 31 & 1};
        lists_add(&guards_of, uses.item[i].transition, guards - 1);
    }
    free(uses.item);
    r->view.transitions = net->transitions;
    r->view.guards = guards;
    guards_of.failed |= !fine;
    return lists_finish(&guards_of, net->transitions, &r->view.guards_of);
}

/*
 * Who may turn "at least k" on and off.  A transition that raises p can make it true only when it needs fewer
 * than k tokens itself; one that lowers p can make it false only when it leaves fewer than k behind.
 * "Fewer than k" is the same with the roles exchanged.
 */
static void add_effect(const struct net_guard *guard, uint32_t number, const struct net_arc *arc, uint32_t t,
                       struct lists_builder *enablers, struct lists_builder *disablers)
{
    bool raises = arc->produce > arc->consume && arc->need < guard->threshold &&
                  !(arc->inhibit && arc->inhibit - 1 + (uint64_t)arc->produce - arc->consume < guard->threshold);
    bool lowers = arc->produce < arc->consume && arc->need - arc->consume + arc->produce < guard->threshold;
    if (raises)
        lists_add(guard->below ? disablers : enablers, number, t);
    if (lowers)
        lists_add(guard->below ? enablers : disablers, number, t);
}

static bool relate_guards(struct net_relations *r, const struct net *net)
{
    struct lists_builder guards_at = {0}, enablers = {0}, disablers = {0};
    struct portolan_lists at = {0};
    for (uint32_t g = 0; g < r->view.guards; g++)
        lists_add(&guards_at, r->guard[g].place, g);
    if (!lists_finish(&guards_at, net->places, &at))
        return false;
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t)
            for_list (g, at, arc->place)
                add_effect(&r->guard[*g], *g, arc, t, &enablers, &disablers);
    lists_clear(&at);
    bool fine = lists_finish(&enablers, r->view.guards, &r->view.enablers);
    return lists_finish(&disablers, r->view.guards, &r->view.disablers) && fine;
}

static bool list_changers(struct net_relations *r, const struct net *net)
{
    struct lists_builder changers = {0};
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t)
            if (arc->produce != arc->consume)
                lists_add(&changers, arc->place, t);
    return lists_finish(&changers, net->places, &r->changers);
}

static bool relate_exclusions(struct net_relations *r, const struct net *net)
{
    struct place_matrix *together = places_together(net);
    bool fine = exclude_transitions(net, together, &r->view.never_together);
    place_matrix_free(together);
    return fine;
}

bool net_relations_make(struct net_relations *r, const struct net *net)
{
    memset(r, 0, sizeof *r);
    struct lists_builder none = {0}; /* markings add up: whatever can fire in both orders ends in the same marking */
    bool fine = number_guards(r, net) && relate_guards(r, net) && list_changers(r, net) &&
                lists_finish(&none, net->transitions, &r->view.not_commuting) && relate_exclusions(r, net);
    if (!fine)
        net_relations_clear(r);
    return fine;
}

void net_relations_clear(struct net_relations *r)
{
    lists_clear(&r->view.guards_of);
    lists_clear(&r->view.enablers);
    lists_clear(&r->view.disablers);
    lists_clear(&r->view.not_commuting);
    lists_clear(&r->view.never_together);
    lists_clear(&r->changers);
    free(r->guard);
    memset(r, 0, sizeof *r);
}
