/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commoner's property: in a net whose arcs have weight 1, and that has no inhibitor arcs, the unmarked places of a dead
 * marking are a siphon (what puts a token into one of them takes one from another), and a trap that was marked
 * initially is still marked.  So there is no dead marking when every siphon contains a trap that is marked initially.
 *
 * A siphon without one is looked for by branching.  A set of places grows as long as some transition puts a token into
 * it and takes none: one of its input places must belong to the siphon.  A set that already contains a marked trap need
 * not grow any more, since every larger one contains it too.  The tree of these sets, in the order in which they are
 * looked at, is the proof: a transition where the set grows, '-' where it has a marked trap.
 *
 * Source: M. Hack, "Analysis of production schemata by Petri nets" (1972); T. Murata (1989), section VI.
 */
#include "simplify/decide.h"

#include "base/limits.h"
#include "base/lists.h"
#include "base/vector.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_PLACES = 5000, MOST_ARCS = 30000000 }; /* of the net; looked at before the search gives up */

enum { UNDECIDED, INSIDE, OUTSIDE };

struct siphons {
    const struct net *net;
    unsigned char *where; /* of each place */
    bool *trap;           /* scratch */
    FILE *proof;          /* NULL: nobody wants it */
    uint64_t left;        /* of the sets that may be looked at, weighed by the net's size */
    bool failed;
};

#define for_net_arcs(arc, net, t)                                                                                      \
    for (const struct net_arc *arc = (net)->arc + (net)->arc_offset[t],                                                \
                              *end_##arc = (net)->arc + (net)->arc_offset[(t) + 1];                                    \
         arc < end_##arc; arc++)

/* A read arc is one that takes a token and puts it back. */
static bool drains(const struct net_arc *arc)
{
    return arc->need > 0;
}

static bool fills(const struct net_arc *arc)
{
    return arc->produce > 0 || arc->need > arc->consume;
}

static bool is_ordinary(const struct net *net)
{
    for (uint32_t i = 0; i < net->arc_offset[net->transitions]; i++)
        if (net->arc[i].inhibit || net->arc[i].need > 1 || net->arc[i].produce > 1)
            return false;
    return true;
}

static bool spend(struct siphons *s)
{
    uint64_t cost = s->net->arc_offset[s->net->transitions] + 1;
    s->failed |= s->left < cost || limits_reached();
    s->left -= s->failed ? 0 : cost;
    return !s->failed;
}

/* The largest trap inside: a place goes as long as a transition takes from what is left and puts nothing into it. */
static void shrink_to_trap(struct siphons *s)
{
    const struct net *net = s->net;
    for (bool again = true; again && spend(s);) {
        again = false;
        for (uint32_t t = 0; t < net->transitions; t++) {
            bool taken = false, put = false;
            for_net_arcs(arc, net, t)
            {
                taken |= drains(arc) && s->trap[arc->place];
                put |= fills(arc) && s->trap[arc->place];
            }
            if (!taken || put)
                continue;
            again = true;
            for_net_arcs(arc, net, t) s->trap[arc->place] &= !drains(arc);
        }
    }
}

static bool contains_marked_trap(struct siphons *s)
{
    for (uint32_t p = 0; p < s->net->places; p++)
        s->trap[p] = s->where[p] == INSIDE;
    shrink_to_trap(s);
    for (uint32_t p = 0; p < s->net->places && !s->failed; p++)
        if (s->trap[p] && s->net->initial[p])
            return true;
    return false;
}

/* A transition that puts a token into the set and takes none, best one with few places to choose from. */
static uint32_t find_open_transition(const struct siphons *s)
{
    uint32_t best = UINT32_MAX, fewest = UINT32_MAX;
    for (uint32_t t = 0; t < s->net->transitions; t++) {
        bool put = false, taken = false;
        uint32_t choices = 0;
        for_net_arcs(arc, s->net, t)
        {
            put |= fills(arc) && s->where[arc->place] == INSIDE;
            taken |= drains(arc) && s->where[arc->place] == INSIDE;
            choices += drains(arc) && s->where[arc->place] == UNDECIDED;
        }
        if (put && !taken && choices < fewest) {
            best = t;
            fewest = choices;
        }
    }
    return best;
}

/* Is there a siphon, made of what is inside and something that is undecided, without a marked trap?  When it gives up
 * it says yes. */
static bool grows_to_bad_siphon(struct siphons *s)
{
    VECTOR(uint32_t) tried = {0};
    bool bad = false;
    if (!spend(s))
        return true;
    if (contains_marked_trap(s)) {
        if (s->proof)
            fputs(" -", s->proof);
        return false;
    }
    uint32_t t = find_open_transition(s);
    if (t == UINT32_MAX)
        return true;
    if (s->proof)
        fprintf(s->proof, " %" PRIu32, t);
    for_net_arcs(arc, s->net, t)
    {
        if (bad || !drains(arc) || s->where[arc->place] != UNDECIDED)
            continue;
        s->where[arc->place] = INSIDE;
        bad = grows_to_bad_siphon(s);
        s->where[arc->place] = OUTSIDE; /* siphons with it have all been seen */
        bad |= !vector_push(&tried, arc->place);
    }
    for (size_t i = 0; i < tried.count; i++)
        s->where[tried.item[i]] = UNDECIDED;
    free(tried.item);
    return bad;
}

bool siphons_have_marked_traps(const struct net *net, FILE *proof)
{
    struct siphons s = {.net = net, .left = MOST_ARCS, .proof = proof};
    if (!is_ordinary(net) || net->transitions == 0 || net->places > MOST_PLACES)
        return false;
    s.where = calloc((size_t)net->places + 1, sizeof *s.where);
    s.trap = calloc((size_t)net->places + 1, sizeof *s.trap);
    bool bad = !s.where || !s.trap;
    if (proof)
        fputs("siphons", proof);
    for (uint32_t p = 0; p < net->places && !bad; p++) {
        s.where[p] = INSIDE;
        bad = grows_to_bad_siphon(&s);
        s.where[p] = OUTSIDE;
    }
    if (proof)
        fputc('\n', proof);
    free(s.where);
    free(s.trap);
    return !bad && !s.failed;
}
