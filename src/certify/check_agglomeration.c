/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agglomerations in a certificate: "post P", "pre P", "free P".  Every transition that puts tokens into P is joined
 * with every one that takes them; the new transitions get the next numbers, by producer and then by consumer.
 */
#include "base/diagnostic.h"
#include "certify/check_simplified.h"

enum form { POST, PRE, FREE };

struct junction {
    struct checker *c;
    struct smaller *s;
    uint32_t place, weight;
    VECTOR(uint32_t) producers, consumers;
};

static enum portolan_status refuse(const struct junction *j, const char *why)
{
    return not_valid(j->c, "place '%.100s' cannot be agglomerated: %s", j->s->net->place_id[j->place], why);
}

static bool stays_hidden(const struct junction *j, uint32_t p)
{
    if (j->s->place[p].observed)
        return false;
    for_users_of(t, arc, j->s, p) if (arc->inhibit) return false;
    return true;
}

static enum portolan_status find_neighbours(struct junction *j)
{
    for_users_of(t, arc, j->s, j->place)
    {
        if (j->s->transitions.item[t].named || (!only_puts(arc) && !only_takes(arc)))
            return refuse(j, "a transition does more than put or take tokens, or belongs to a claim");
        if (only_takes(arc) && j->weight && j->weight != arc->consume)
            return refuse(j, "its consumers take different numbers of tokens");
        if (only_takes(arc))
            j->weight = arc->consume;
        if (!(only_takes(arc) ? vector_push(&j->consumers, t) : vector_push(&j->producers, t)))
            return fail_memory(j->c->error);
    }
    return j->producers.count && j->consumers.count ? PORTOLAN_OK : refuse(j, "no transition puts or takes tokens");
}

/* A consumer can always follow at once, and nobody minds what it puts. */
static enum portolan_status check_post(const struct junction *j)
{
    bool several = j->consumers.count > 1;
    uint32_t tokens = j->s->place[j->place].tokens;
    if (several ? tokens > 0 : tokens % j->weight != 0)
        return refuse(j, "its initial tokens do not go to one consumer");
    for (size_t i = 0; i < j->producers.count; i++) {
        uint32_t put = smaller_arc(j->s, j->producers.item[i], j->place)->produce;
        if (several ? put != j->weight : put % j->weight != 0)
            return refuse(j, "a producer puts what consumers do not take");
    }
    for (size_t i = 0; i < j->consumers.count; i++)
        for_arcs_of(arc, j->s, j->consumers.item[i]) if (
            arc->place != j->place &&
            (!only_puts(arc) ||
             !stays_hidden(
                 j, arc->place))) return refuse(j,
                                                "a consumer needs more than this place, or what it puts can be seen");
    return PORTOLAN_OK;
}

static bool is_shared(const struct junction *j, uint32_t p, uint32_t producer)
{
    for_users_of(t, arc, j->s, p) if (t != producer && tests(arc)) return true;
    return false;
}

/* A producer can wait for a consumer, and nobody minds what it has not taken yet. */
static enum portolan_status check_pre(const struct junction *j, bool alone)
{
    if (j->s->place[j->place].tokens)
        return refuse(j, "it has initial tokens");
    for (size_t i = 0; i < j->producers.count; i++) {
        uint32_t h = j->producers.item[i];
        if (smaller_arc(j->s, h, j->place)->produce != j->weight)
            return refuse(j, "a producer puts what one consumer does not take");
        if (j->s->transitions.item[h].arcs.count < 2)
            return refuse(j, "a producer takes nothing");
        for_arcs_of(arc, j->s, h)
        {
            if (arc->place == j->place)
                continue;
            if (!only_takes(arc) || !stays_hidden(j, arc->place))
                return refuse(j, "a producer does more than taking tokens, or what it takes can be seen");
            if (alone && is_shared(j, arc->place, h))
                return refuse(j, "what a producer takes matters to others");
        }
    }
    return PORTOLAN_OK;
}

/* ----------------------------------------------------------------- the change */

/* h and then `times` times f, at a place other than the one between them. */
static enum portolan_status join_at(const struct junction *j, const struct net_arc *h, const struct net_arc *f,
                                    uint64_t times, struct smaller_arcs *out)
{
    uint64_t need = f->need ? (uint64_t)h->consume + f->need : h->need, consume = (uint64_t)h->consume + f->consume,
             produce = h->produce + times * f->produce;
    if (need > NET_MAX_TOKENS || consume > NET_MAX_TOKENS || produce > NET_MAX_TOKENS)
        return refuse(j, "a weight becomes too large");
    struct net_arc arc = {.place = h->place > f->place ? h->place : f->place,
                          .need = (uint32_t)need,
                          .inhibit = h->inhibit ? h->inhibit : f->inhibit,
                          .consume = (uint32_t)consume,
                          .produce = (uint32_t)produce};
    return vector_push(out, arc) ? PORTOLAN_OK : fail_memory(j->c->error);
}

static enum portolan_status join(const struct junction *j, uint32_t producer, uint32_t consumer,
                                 struct smaller_arcs *out)
{
    static const struct net_arc nothing;
    const struct smaller_arcs *one = &j->s->transitions.item[producer].arcs,
                              *two = &j->s->transitions.item[consumer].arcs;
    uint64_t times = smaller_arc(j->s, producer, j->place)->produce / j->weight;
    enum portolan_status status = PORTOLAN_OK;
    for (size_t a = 0, b = 0; status == PORTOLAN_OK && (a < one->count || b < two->count);) {
        bool from_one = a < one->count && (b == two->count || one->item[a].place <= two->item[b].place);
        bool from_two = b < two->count && (a == one->count || two->item[b].place <= one->item[a].place);
        const struct net_arc *h = from_one ? &one->item[a] : &nothing, *f = from_two ? &two->item[b] : &nothing;
        a += from_one;
        b += from_two;
        if ((from_one ? h : f)->place != j->place)
            status = join_at(j, h, f, times, out);
    }
    return status;
}

static enum portolan_status join_all(const struct junction *j)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t a = 0; a < j->producers.count; a++)
        for (size_t b = 0; status == PORTOLAN_OK && b < j->consumers.count; b++) {
            struct smaller_arcs arcs = {0};
            status = join(j, j->producers.item[a], j->consumers.item[b], &arcs);
            if (status != PORTOLAN_OK)
                free(arcs.item);
            else if (!smaller_add(j->s, arcs))
                status = fail_memory(j->c->error);
        }
    for (size_t i = 0; i < j->producers.count; i++)
        j->s->transitions.item[j->producers.item[i]].gone = true;
    for (size_t i = 0; i < j->consumers.count; i++)
        j->s->transitions.item[j->consumers.item[i]].gone = true;
    return status;
}

/* The initial tokens of a post-agglomeration go where the one consumer puts them. */
static enum portolan_status pass_tokens(const struct junction *j)
{
    uint64_t times = j->s->place[j->place].tokens / j->weight;
    for_arcs_of(arc, j->s, j->consumers.item[0])
    {
        uint64_t tokens = j->s->place[arc->place].tokens + times * arc->produce;
        if (tokens > NET_MAX_TOKENS)
            return refuse(j, "there are too many initial tokens");
        j->s->place[arc->place].tokens = (uint32_t)tokens;
    }
    return PORTOLAN_OK;
}

static enum portolan_status agglomerate(struct junction *j, enum form form)
{
    if (j->s->exact || j->s->place[j->place].observed || (form == FREE && j->s->deadlocks))
        return refuse(j, "it matters to a claim");
    enum portolan_status status = find_neighbours(j);
    if (status == PORTOLAN_OK)
        status = form == POST ? check_post(j) : check_pre(j, form == PRE);
    if (status == PORTOLAN_OK && form == POST)
        status = pass_tokens(j);
    if (status == PORTOLAN_OK)
        status = join_all(j);
    if (status == PORTOLAN_OK)
        smaller_remove_place(j->s, j->place);
    return status;
}

enum portolan_status check_agglomeration(struct checker *c, struct smaller *s)
{
    static const char *const words[] = {[POST] = "post ", [PRE] = "pre ", [FREE] = "free "};
    struct junction j = {.c = c, .s = s};
    int form = POST;
    while (form <= FREE && !reader_take(&c->reader, words[form]))
        form++;
    if (form > FREE)
        return reader_expected(&c->reader, "a rule, or 'net'");
    if (!reader_number(&c->reader, &j.place) || j.place >= s->net->places || s->place[j.place].gone ||
        !reader_at_end(&c->reader))
        return reader_expected(&c->reader, "a place that is left");
    enum portolan_status status = agglomerate(&j, (enum form)form);
    free(j.producers.item);
    free(j.consumers.item);
    return status;
}
