/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/check_simplified.h"

#include "base/diagnostic.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "property/state_expression.h"
#include "system/compact.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------- what is asked */

/* An expression over places: these, and what the transitions test whose enabling it asks for, must stay. */
static bool note_expression(struct smaller *s, const struct expression *expression)
{
    for (size_t i = 0; i < expression->nodes.count; i++) {
        const struct node *node = expression->nodes.item[i];
        if (node->kind == NODE_VARIABLE && node->value >= s->net->places)
            return false;
        if (node->kind == NODE_VARIABLE)
            s->place[node->value].observed = true;
        s->exact |= node->kind == NODE_DEADLOCK;
        if (node->kind != NODE_FIREABLE)
            continue;
        s->transitions.item[node->value].named = true;
        for_arcs_of(arc, s, node->value) if (tests(arc)) s->place[arc->place].observed = true;
    }
    return true;
}

bool smaller_note(struct smaller *s, const struct claim *claim)
{
    bool fine = true;
    if (claim->property && claim->property->kind == PORTOLAN_NO_DEADLOCK)
        s->deadlocks = true;
    else if (claim->property)
        fine = note_expression(s, claim->property->expression);
    s->exact |= claim->ltl != NULL;
    for (size_t i = 0; fine && claim->ltl && i < claim->ltl->atoms.count; i++)
        fine = note_expression(s, claim->ltl->atoms.item[i].expression);
    return fine;
}

/* ------------------------------------------------------------ the same claims */

struct numbers {
    uint32_t *place, *transition; /* of the original net, for those of the small one */
};

static bool is_same(const struct expression *one, const struct expression *small, const struct numbers *n)
{
    bool same = one->nodes.count == small->nodes.count;
    for (size_t i = 0; same && i < one->nodes.count; i++) {
        const struct node *a = one->nodes.item[i], *b = small->nodes.item[i];
        same = a->kind == b->kind && (a->kind == NODE_VARIABLE   ? a->value == n->place[b->value]
                                      : a->kind == NODE_FIREABLE ? a->value == n->transition[b->value]
                                                                 : a->value == b->value);
    }
    return same;
}

/* Names mean the same nodes in both nets. */
static bool is_same_claim(const struct claim *one, const struct claim *small, const struct numbers *n)
{
    if (one->property)
        return !one->property->expression || is_same(one->property->expression, small->property->expression, n);
    bool same = one->ltl->atoms.count == small->ltl->atoms.count;
    for (size_t i = 0; same && i < one->ltl->atoms.count; i++)
        same = is_same(one->ltl->atoms.item[i].expression, small->ltl->atoms.item[i].expression, n);
    return same;
}

static bool numbers_make(struct numbers *n, const struct smaller *s)
{
    uint32_t places = 0, transitions = 0;
    *n = (struct numbers){calloc((size_t)s->net->places + 1, sizeof *n->place),
                          calloc(s->transitions.count + 1, sizeof *n->transition)};
    for (uint32_t p = 0; n->place && p < s->net->places; p++)
        if (!s->place[p].gone)
            n->place[places++] = p;
    for (uint32_t t = 0; n->transition && t < s->transitions.count; t++)
        if (!s->transitions.item[t].gone)
            n->transition[transitions++] = t;
    return n->place && n->transition;
}

/* Adds the claim as one of the small net. */
static enum portolan_status add_claim(struct checker *c, struct claims *claims, const struct claim *claim,
                                      const struct numbers *n)
{
    enum portolan_status status = claims_add(claims, c->small, claim->text, c->error);
    if (status == PORTOLAN_OK && !is_same_claim(claim, &claims->list.item[claims->list.count - 1], n))
        status = not_valid(c, "'%.200s' asks something else of the small net", claim->text);
    return status;
}

/* ----------------------------------------------------------------- the parts */

static enum portolan_status check_steps(struct checker *c, struct smaller *s)
{
    struct reader *r = &c->reader;
    enum portolan_status status;
    while ((status = reader_line(r)) == PORTOLAN_OK && !reader_take(r, "net ")) {
        status = check_step(c, s);
        if (status != PORTOLAN_OK)
            return status;
        c->size.steps++;
    }
    return status;
}

/* "net PLACES TRANSITIONS" */
static enum portolan_status make_small_system(struct checker *c, const struct smaller *s)
{
    struct reader *r = &c->reader;
    uint32_t places, transitions;
    if (!reader_number(r, &places) || !reader_take(r, " ") || !reader_number(r, &transitions) || !reader_at_end(r))
        return reader_expected(r, "the numbers of places and transitions");
    struct net *net = smaller_finish(s);
    if (!net)
        return fail_memory(c->error);
    if (net->places != places || net->transitions != transitions) {
        enum portolan_status status =
            not_valid(c, "after these steps there are %" PRIu32 " places and %" PRIu32 " transitions", net->places,
                      net->transitions);
        net_free(net);
        return status;
    }
    return net_system_new(net, &c->small, c->error);
}

/* "decided N REASON": claim N is true by the structure of the small net */
static enum portolan_status check_decided(struct checker *c, const struct claims *claims, bool *decided)
{
    static const struct {
        const char *word;
        enum portolan_status (*check)(struct checker *c, const struct net *net, const struct claim *claim);
    } reasons[] = {{" always", check_always}, {" siphons", check_siphons}, {" equation", check_equation}};
    uint32_t number;
    if (!reader_number(&c->reader, &number) || number >= claims->list.count || decided[number])
        return reader_expected(&c->reader, "the number of a claim that is open");
    decided[number] = true;
    c->size.decided++;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reader_take(&c->reader, reasons[i].word))
            return reasons[i].check(c, net_of_system(c->small), &claims->list.item[number]);
    return reader_expected(&c->reader, "'always', 'siphons' or 'equation'");
}

/* The claims that the structure does not decide are left to the graph that follows, which is one of the small net. */
static enum portolan_status switch_claims(struct checker *c, const struct claims *original, const struct numbers *n)
{
    struct claims all = {0};
    bool *decided = calloc(original->list.count + 1, sizeof *decided);
    enum portolan_status status = decided ? PORTOLAN_OK : fail_memory(c->error);
    for (size_t i = 0; status == PORTOLAN_OK && i < original->list.count; i++)
        status = add_claim(c, &all, &original->list.item[i], n);
    if (status == PORTOLAN_OK)
        status = reader_line(&c->reader);
    while (status == PORTOLAN_OK && reader_take(&c->reader, "decided ")) {
        status = check_decided(c, &all, decided);
        if (status == PORTOLAN_OK)
            status = reader_line(&c->reader);
    }
    for (size_t i = 0; status == PORTOLAN_OK && i < all.list.count; i++)
        if (!decided[i])
            status = claims_add(&c->claims, c->small, all.list.item[i].text, c->error);
    claims_clear(&all);
    free(decided);
    return status;
}

static enum portolan_status switch_systems(struct checker *c)
{
    c->opened = c->small;
    c->system = compact_begin(c->small);
    return c->system ? PORTOLAN_OK : fail_memory(c->error);
}

enum portolan_status check_simplified(struct checker *c)
{
    const struct net *net = net_of_system(c->opened);
    struct smaller s = {0};
    struct numbers n = {0};
    if (!net || net->priority || c->opened->variables != net->places)
        return not_valid(c, "only Petri nets without priorities can be simplified");
    c->stated = c->claims;
    memset(&c->claims, 0, sizeof c->claims);
    enum portolan_status status = smaller_make(&s, net) ? PORTOLAN_OK : fail_memory(c->error);
    for (size_t i = 0; status == PORTOLAN_OK && i < c->stated.list.count; i++)
        if (!smaller_note(&s, &c->stated.list.item[i]))
            status = not_valid(c, "'%.200s' asks for more than places", c->stated.list.item[i].text);
    if (status == PORTOLAN_OK)
        status = check_steps(c, &s);
    if (status == PORTOLAN_OK)
        status = numbers_make(&n, &s) ? make_small_system(c, &s) : fail_memory(c->error);
    if (status == PORTOLAN_OK)
        status = switch_claims(c, &c->stated, &n);
    if (status == PORTOLAN_OK)
        status = switch_systems(c);
    free(n.place);
    free(n.transition);
    if (s.place)
        smaller_clear(&s);
    return status;
}
