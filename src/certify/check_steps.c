/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a simplification: each line names a rule and what it is used on; the conditions of the rule are looked
 * at here, without the code that used it.  docs/certificates.md has them in words, with what each rule preserves.
 */
#include "certify/check_simplified.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <inttypes.h>

struct steps {
    struct checker *c;
    struct smaller *s;
};

static const char *place_text(const struct steps *x, uint32_t p)
{
    const struct net *net = x->s->net;
    return net->place_name[p] ? net->place_name[p] : net->place_id[p];
}

static enum portolan_status refuse_place(const struct steps *x, uint32_t p, const char *why)
{
    return not_valid(x->c, "place '%.100s' %s", place_text(x, p), why);
}

static enum portolan_status refuse_transition(const struct steps *x, uint32_t t, const char *why)
{
    const struct net *net = x->s->net;
    if (t >= net->transitions)
        return not_valid(x->c, "the joined transition %" PRIu32 " %s", t, why);
    const char *name = net->transition_name[t] ? net->transition_name[t] : net->transition_id[t];
    return not_valid(x->c, "transition '%.100s' %s", name, why);
}

static bool is_place(const struct steps *x, uint32_t p)
{
    return p < x->s->net->places && !x->s->place[p].gone;
}

static bool is_transition(const struct steps *x, uint32_t t)
{
    return t < x->s->transitions.count && !x->s->transitions.item[t].gone;
}

/* The next number after a blank and a mark, of a place or transition that is left. */
static bool take_place(const struct steps *x, const char *mark, uint32_t *p)
{
    struct reader *r = &x->c->reader;
    return reader_take(r, mark) && reader_number(r, p) && is_place(x, *p);
}

static bool take_transition(const struct steps *x, const char *mark, uint32_t *t)
{
    struct reader *r = &x->c->reader;
    return reader_take(r, mark) && reader_number(r, t) && is_transition(x, *t);
}

static enum portolan_status expected_place(const struct steps *x)
{
    return reader_expected(&x->c->reader, "a place that is left");
}

static enum portolan_status expected_transition(const struct steps *x)
{
    return reader_expected(&x->c->reader, "a transition that is left");
}

static bool is_named(const struct steps *x, uint32_t t)
{
    return x->s->transitions.item[t].named;
}

static bool is_inhibited(const struct steps *x, uint32_t p)
{
    for_users_of(t, arc, x->s, p) if (arc->inhibit) return true;
    return false;
}

/* --------------------------------------------------------------- what can happen */

/* The places that may get more or fewer tokens than at first, and the transitions that may fire, at most. */
struct bounds {
    bool *grows, *falls, *fires;
};

static void bounds_clear(struct bounds *b)
{
    free(b->grows);
    free(b->falls);
    free(b->fires);
}

static bool may_fire(const struct steps *x, const struct bounds *b, uint32_t t)
{
    for_arcs_of(arc, x->s, t)
    {
        uint32_t tokens = x->s->place[arc->place].tokens;
        if ((arc->need > tokens && !b->grows[arc->place]) ||
            (arc->inhibit && arc->inhibit <= tokens && !b->falls[arc->place]))
            return false;
    }
    return true;
}

static bool bounds_make(const struct steps *x, struct bounds *b)
{
    size_t places = (size_t)x->s->net->places + 1, transitions = x->s->transitions.count;
    *b = (struct bounds){calloc(places, sizeof(bool)), calloc(places, sizeof(bool)),
                         calloc(transitions + 1, sizeof(bool))};
    bool again = true, fine = b->grows && b->falls && b->fires;
    while (fine && again) {
        again = false;
        for (uint32_t t = 0; t < transitions; t++) {
            if (b->fires[t] || x->s->transitions.item[t].gone || !may_fire(x, b, t))
                continue;
            again = b->fires[t] = true;
            for_arcs_of(arc, x->s, t)
            {
                b->grows[arc->place] |= effect_of(arc) > 0;
                b->falls[arc->place] |= effect_of(arc) < 0;
            }
        }
        fine = !limits_reached();
    }
    return fine;
}

/* "dead T ..." */
static enum portolan_status check_dead(struct steps *x)
{
    struct bounds b;
    enum portolan_status status = bounds_make(x, &b) ? PORTOLAN_OK : fail_memory(x->c->error);
    while (status == PORTOLAN_OK && !reader_at_end(&x->c->reader)) {
        uint32_t t;
        if (!take_transition(x, " ", &t))
            status = expected_transition(x);
        else if (b.fires[t] || is_named(x, t))
            status = refuse_transition(x, t, b.fires[t] ? "may fire" : "belongs to a claim");
        else
            x->s->transitions.item[t].gone = true;
    }
    bounds_clear(&b);
    return status;
}

static enum portolan_status relax(struct steps *x, const struct bounds *b, uint32_t t, uint32_t p)
{
    struct smaller_arcs *arcs = &x->s->transitions.item[t].arcs;
    struct net_arc *arc = arcs->item;
    while (arc < arcs->item + arcs->count && arc->place != p)
        arc++;
    if (arc == arcs->item + arcs->count || !b->fires[t] || is_named(x, t))
        return refuse_transition(x, t, "has no test there that it may do without");
    uint32_t tokens = x->s->place[p].tokens;
    bool enough = arc->need && arc->need <= tokens && !b->falls[p];
    bool few = arc->inhibit > tokens && !b->grows[p];
    if (!enough && !few)
        return refuse_transition(x, t, "has a test there that may fail");
    if (enough) {
        arc->produce -= arc->consume;
        arc->need = arc->consume = 0;
    }
    if (few)
        arc->inhibit = 0;
    if (tests(arc) || arc->produce)
        return PORTOLAN_OK;
    for (; arc + 1 < arcs->item + arcs->count; arc++)
        arc[0] = arc[1];
    arcs->count--;
    return PORTOLAN_OK;
}

/* "relax T/P ...": tests that always hold */
static enum portolan_status check_relax(struct steps *x)
{
    struct bounds b;
    enum portolan_status status = bounds_make(x, &b) ? PORTOLAN_OK : fail_memory(x->c->error);
    while (status == PORTOLAN_OK && !reader_at_end(&x->c->reader)) {
        uint32_t t, p;
        if (!take_transition(x, " ", &t))
            status = expected_transition(x);
        else if (!take_place(x, "/", &p))
            status = expected_place(x);
        else
            status = relax(x, &b, t, p);
    }
    bounds_clear(&b);
    return status;
}

/* -------------------------------------------------------------------- places */

/* "untested P": nobody looks at it */
static enum portolan_status check_untested(struct steps *x)
{
    uint32_t p;
    if (!take_place(x, " ", &p))
        return expected_place(x);
    if (x->s->place[p].observed)
        return refuse_place(x, p, "belongs to a claim");
    for_users_of(t, arc, x->s, p) if (tests(arc)) return refuse_place(x, p, "is tested");
    smaller_remove_place(x->s, p);
    return PORTOLAN_OK;
}

struct factors {
    uint32_t place;
    int64_t scale, *of; /* of each place, over the scale */
    __int128 at_first;  /* their sum over the initial tokens */
};

/* Does the transition leave the sum at or below what the place has, and need it only where the sum is enough? */
static bool respects(const struct steps *x, const struct factors *f, uint32_t t)
{
    const struct net_arc *own = smaller_arc(x->s, t, f->place);
    __int128 change = 0, least = -f->at_first;
    for_arcs_of(arc, x->s, t)
    {
        change += (__int128)f->of[arc->place] * effect_of(arc);
        least += (__int128)f->of[arc->place] * arc->need;
    }
    int64_t missing = (int64_t)own->need - x->s->place[f->place].tokens;
    return (__int128)f->scale * effect_of(own) >= change && (!own->need || least >= (__int128)f->scale * missing);
}

static enum portolan_status read_factors(const struct steps *x, struct factors *f)
{
    struct reader *r = &x->c->reader;
    uint32_t q;
    if (!reader_take(r, " ") || !reader_large(r, &f->scale) || f->scale == 0)
        return reader_expected(r, "a number that is not 0");
    while (!reader_at_end(r)) {
        if (!take_place(x, " ", &q) || q == f->place || f->of[q])
            return expected_place(x);
        if (!reader_take(r, "*") || !reader_large(r, &f->of[q]))
            return reader_expected(r, "'*' and a factor");
        f->at_first += (__int128)f->of[q] * x->s->place[q].tokens;
    }
    return PORTOLAN_OK;
}

/* "implied P SCALE Q*FACTOR ..." */
static enum portolan_status check_implied(struct steps *x)
{
    struct factors f = {.of = calloc((size_t)x->s->net->places + 1, sizeof *f.of)};
    enum portolan_status status = f.of ? PORTOLAN_OK : fail_memory(x->c->error);
    if (status == PORTOLAN_OK && !take_place(x, " ", &f.place))
        status = expected_place(x);
    if (status == PORTOLAN_OK)
        status = read_factors(x, &f);
    if (status == PORTOLAN_OK && (x->s->place[f.place].observed || is_inhibited(x, f.place)))
        status = refuse_place(x, f.place, "belongs to a claim, or to an inhibitor arc");
    for (uint32_t t = 0; status == PORTOLAN_OK && t < x->s->transitions.count; t++)
        if (!x->s->transitions.item[t].gone && !respects(x, &f, t))
            status = refuse_transition(x, t, "does not respect these factors");
    if (status == PORTOLAN_OK)
        smaller_remove_place(x->s, f.place);
    free(f.of);
    return status;
}

/* --------------------------------------------------------------- transitions */

/* Is `easy` enabled wherever `hard` is, by their arcs alone? */
static bool is_easier(const struct steps *x, uint32_t easy, uint32_t hard)
{
    for_arcs_of(arc, x->s, easy)
    {
        const struct net_arc *its = smaller_arc(x->s, hard, arc->place);
        if (arc->need > its->need || (arc->inhibit && (!its->inhibit || its->inhibit > arc->inhibit)))
            return false;
    }
    return true;
}

static bool changes_as(const struct steps *x, uint32_t one, uint32_t other)
{
    for_arcs_of(arc, x->s, one) if (effect_of(arc) != effect_of(smaller_arc(x->s, other, arc->place))) return false;
    return true;
}

/* "dominated T U" */
static enum portolan_status check_dominated(struct steps *x)
{
    uint32_t t, u;
    if (!take_transition(x, " ", &t) || !take_transition(x, " ", &u) || t == u)
        return expected_transition(x);
    if (is_named(x, t) || !is_easier(x, u, t) || !changes_as(x, t, u) || !changes_as(x, u, t))
        return refuse_transition(x, t, "is not dominated by that one");
    x->s->transitions.item[t].gone = true;
    return PORTOLAN_OK;
}

/* "idle T", with deadlocks "idle T U": U keeps every marking alive that T does */
static enum portolan_status check_idle(struct steps *x)
{
    uint32_t t, u;
    if (!take_transition(x, " ", &t))
        return expected_transition(x);
    for_arcs_of(arc, x->s, t) if (effect_of(arc)) return refuse_transition(x, t, "is not idle");
    if (is_named(x, t) || x->s->exact)
        return refuse_transition(x, t, "matters to a claim");
    if (x->s->deadlocks && (!take_transition(x, " ", &u) || u == t || !is_easier(x, u, t)))
        return refuse_transition(x, t, "may be the last one that is enabled");
    x->s->transitions.item[t].gone = true;
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------- claims about states */

static bool about_states_only(const struct steps *x)
{
    return !x->s->deadlocks && !x->s->exact;
}

/* What goes must change nothing that stays, and what stays must not test what goes. */
static enum portolan_status check_slice(const struct steps *x, const bool *place, const bool *transition)
{
    for (uint32_t t = 0; t < x->s->transitions.count; t++) {
        if (!transition[t])
            continue;
        if (is_named(x, t))
            return refuse_transition(x, t, "belongs to a claim");
        for_arcs_of(arc, x->s, t) if (effect_of(arc) &&
                                      !place[arc->place]) return refuse_transition(x, t, "changes a place that stays");
    }
    for (uint32_t p = 0; p < x->s->net->places; p++) {
        if (!place[p])
            continue;
        if (x->s->place[p].observed)
            return refuse_place(x, p, "belongs to a claim");
        for_users_of(t, arc, x->s, p) if (tests(arc) && !transition[t]) return refuse_place(
            x, p, "is tested by a transition that stays");
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_slice(const struct steps *x, bool *place, bool *transition)
{
    uint32_t number;
    while (!reader_at_end(&x->c->reader)) {
        if (take_transition(x, " t", &number))
            transition[number] = true;
        else if (take_place(x, " p", &number))
            place[number] = true;
        else
            return reader_expected(&x->c->reader, "'t' or 'p' and a node that is left");
    }
    return check_slice(x, place, transition);
}

/* "irrelevant tT ... pP ..." */
static enum portolan_status check_irrelevant(struct steps *x)
{
    if (!about_states_only(x))
        return not_valid(x->c, "a claim is about more than states: everything is relevant");
    bool *place = calloc((size_t)x->s->net->places + 1, sizeof *place),
         *transition = calloc(x->s->transitions.count + 1, sizeof *transition);
    enum portolan_status status = place && transition ? read_slice(x, place, transition) : fail_memory(x->c->error);
    for (uint32_t t = 0; status == PORTOLAN_OK && t < x->s->transitions.count; t++)
        x->s->transitions.item[t].gone |= transition[t];
    for (uint32_t p = 0; status == PORTOLAN_OK && p < x->s->net->places; p++)
        if (place[p])
            smaller_remove_place(x->s, p);
    free(place);
    free(transition);
    return status;
}

/* "source T": it can put as many tokens as anybody wants */
static enum portolan_status check_source(struct steps *x)
{
    uint32_t t;
    if (!take_transition(x, " ", &t))
        return expected_transition(x);
    if (!about_states_only(x) || is_named(x, t))
        return refuse_transition(x, t, "matters to a claim");
    for_arcs_of(arc, x->s, t) if (!only_puts(arc) || x->s->place[arc->place].observed ||
                                  is_inhibited(x, arc->place)) return refuse_transition(x, t,
                                                                                        "is not a harmless source");
    struct smaller_arcs *arcs = &x->s->transitions.item[t].arcs;
    while (arcs->count)
        smaller_remove_place(x->s, arcs->item[0].place);
    x->s->transitions.item[t].gone = true;
    return PORTOLAN_OK;
}

/* ----------------------------------------------------------------- the table */

enum portolan_status check_step(struct checker *c, struct smaller *s)
{
    static const struct {
        const char *word;
        enum portolan_status (*check)(struct steps *x);
    } rules[] = {{"dead", check_dead},
                 {"relax", check_relax},
                 {"untested", check_untested},
                 {"implied", check_implied},
                 {"dominated", check_dominated},
                 {"idle", check_idle},
                 {"irrelevant", check_irrelevant},
                 {"source", check_source}};
    struct steps x = {.c = c, .s = s};
    enum portolan_status status;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!reader_take(&c->reader, rules[i].word))
            continue;
        status = rules[i].check(&x);
        return status == PORTOLAN_OK && !reader_at_end(&c->reader) ? reader_expected(&c->reader, "the end of the line")
                                                                   : status;
    }
    return check_agglomeration(c, s);
}
