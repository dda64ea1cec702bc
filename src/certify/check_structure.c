/* SPDX-License-Identifier: Apache-2.0 */
/* What the structure of a net says of deadlocks: a transition that is always enabled; siphons that contain traps. */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "certify/check_simplified.h"
#include "property/property.h"

#include <inttypes.h>

static enum portolan_status check_is_deadlock(struct checker *c, const struct claim *claim)
{
    return claim->property && claim->property->kind == PORTOLAN_NO_DEADLOCK
               ? PORTOLAN_OK
               : not_valid(c, "this decides 'no deadlock' only, not '%.200s'", claim->text);
}

/* " T": it tests nothing */
enum portolan_status check_always(struct checker *c, const struct net *net, const struct claim *claim)
{
    uint32_t t;
    enum portolan_status status = check_is_deadlock(c, claim);
    if (status != PORTOLAN_OK)
        return status;
    if (!reader_take(&c->reader, " ") || !reader_number(&c->reader, &t) || t >= net->transitions ||
        !reader_at_end(&c->reader))
        return reader_expected(&c->reader, "a transition of the small net");
    for_arcs_in(arc, net, t) if (tests(arc)) return not_valid(c, "transition %" PRIu32 " is not always enabled", t);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------- siphons */

enum where { OPEN, INSIDE, OUTSIDE };
enum { MANY_PLACES = 5000 }; /* so deep may the tree be */

struct siphons {
    struct checker *c;
    const struct net *net;
    enum where *where; /* of each place: in the siphons that are looked at, in none of them, or in some */
    bool *trap;
};

/* In a net without weights a read arc takes a token and puts it back. */
static bool takes_from(const struct net_arc *arc)
{
    return arc->need > 0;
}

static bool puts_into(const struct net_arc *arc)
{
    return arc->produce > 0 || arc->need > arc->consume;
}

/* Has what is inside a trap that is marked initially?  The largest trap is what is left when no transition takes from
 * it without putting something into it. */
static bool has_marked_trap(struct siphons *s)
{
    const struct net *net = s->net;
    for (uint32_t p = 0; p < net->places; p++)
        s->trap[p] = s->where[p] == INSIDE;
    for (bool again = true; again && !limits_reached();) {
        again = false;
        for (uint32_t t = 0; t < net->transitions; t++) {
            bool puts = false;
            for_arcs_in(arc, net, t) puts |= s->trap[arc->place] && puts_into(arc);
            for_arcs_in(arc, net, t) if (!puts && s->trap[arc->place] && takes_from(arc))
            {
                s->trap[arc->place] = false;
                again = true;
            }
        }
    }
    for (uint32_t p = 0; p < net->places; p++)
        if (s->trap[p] && net->initial[p])
            return true;
    return false;
}

/* A siphon with what is inside takes from every transition that puts into it: one of the open places of T's is in it.
 */
static enum portolan_status check_growth(struct siphons *s, uint32_t t)
{
    bool puts = false, takes = false;
    for_arcs_in(arc, s->net, t)
    {
        puts |= s->where[arc->place] == INSIDE && puts_into(arc);
        takes |= s->where[arc->place] == INSIDE && takes_from(arc);
    }
    return puts && !takes ? PORTOLAN_OK : not_valid(s->c, "transition %" PRIu32 " asks for no further place", t);
}

/* The next set of the tree; places are tried in the order of the arcs, and stay outside when they have been. */
static enum portolan_status check_set_of_places(struct siphons *s)
{
    struct reader *r = &s->c->reader;
    uint32_t t;
    if (limits_reached())
        return fail_memory(s->c->error);
    if (reader_take(r, " -"))
        return has_marked_trap(s) ? PORTOLAN_OK : not_valid(s->c, "a set of places has no marked trap");
    if (!reader_take(r, " ") || !reader_number(r, &t) || t >= s->net->transitions)
        return reader_expected(r, "'-' or a transition of the small net");
    enum portolan_status status = check_growth(s, t);
    VECTOR(uint32_t) tried = {0};
    for_arcs_in(arc, s->net, t)
    {
        if (status != PORTOLAN_OK || !takes_from(arc) || s->where[arc->place] != OPEN)
            continue;
        s->where[arc->place] = INSIDE;
        status = check_set_of_places(s);
        s->where[arc->place] = OUTSIDE;
        if (!vector_push(&tried, arc->place))
            status = fail_memory(s->c->error);
    }
    for (size_t i = 0; i < tried.count; i++)
        s->where[tried.item[i]] = OPEN;
    free(tried.item);
    return status;
}

static bool is_ordinary(const struct net *net)
{
    for (uint32_t i = 0; i < net->arc_offset[net->transitions]; i++)
        if (net->arc[i].inhibit || net->arc[i].need > 1 || net->arc[i].produce > 1)
            return false;
    return net->transitions > 0 && net->places <= MANY_PLACES;
}

/* " SET ...": for each place in turn the siphons that contain it and none of those before it */
enum portolan_status check_siphons(struct checker *c, const struct net *net, const struct claim *claim)
{
    struct siphons s = {.c = c, .net = net};
    enum portolan_status status = check_is_deadlock(c, claim);
    if (status == PORTOLAN_OK && !is_ordinary(net))
        return not_valid(c, "siphons decide only nets without weights and inhibitor arcs, of at most %d places",
                         MANY_PLACES);
    s.where = calloc((size_t)net->places + 1, sizeof *s.where);
    s.trap = calloc((size_t)net->places + 1, sizeof *s.trap);
    if (!s.where || !s.trap)
        status = fail_memory(c->error);
    for (uint32_t p = 0; status == PORTOLAN_OK && p < net->places; p++) {
        s.where[p] = INSIDE;
        status = check_set_of_places(&s);
        s.where[p] = OUTSIDE;
    }
    free(s.where);
    free(s.trap);
    return status == PORTOLAN_OK && !reader_at_end(&c->reader) ? reader_expected(&c->reader, "the end of the line")
                                                               : status;
}
