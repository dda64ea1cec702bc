/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that preserve which combinations of observed places can be reached, but not deadlocks.
 *
 * Source: A. Rakow, "Slicing Petri nets" (2008) for what is irrelevant; Y. Thierry-Mieg, "Structural reductions
 * revisited" (2020), for sources.
 */
#include "simplify/work.h"

#include "base/limits.h"

#include <inttypes.h>

static bool states_only(const struct work *work)
{
    return !work->question->deadlocks && !work->question->exact;
}

/* ------------------------------------------------------------------ relevance */

struct slice {
    struct work *work;
    bool *place, *transition; /* relevant */
    VECTOR(uint32_t) open;    /* places */
};

static void take_place(struct slice *s, uint32_t p)
{
    if (!s->place[p]) {
        s->place[p] = true;
        s->work->failed |= !vector_push(&s->open, p);
    }
}

/* What changes the place matters, and so does all that it tests. */
static void follow(struct slice *s, uint32_t place)
{
    const struct work_users *users = work_users_of(s->work, place);
    for (size_t i = 0; i < users->count; i++) {
        uint32_t t = users->item[i];
        if (s->transition[t] || arc_effect(work_arc(s->work, t, place)) == 0)
            continue;
        s->transition[t] = true;
        for_work_arcs (arc, s->work, t)
            if (arc_tests(arc))
                take_place(s, arc->place);
    }
}

static bool slice_make(struct slice *s, struct work *work)
{
    *s = (struct slice){.work = work,
                        .place = calloc((size_t)work->original->places + 1, sizeof(bool)),
                        .transition = calloc(work->transitions.count + 1, sizeof(bool))};
    if (!s->place || !s->transition)
        return false;
    for_live_places(p, work) if (work->place[p].observed) take_place(s, p);
    for_live_transitions(t, work) if (work->transitions.item[t].named)
    {
        s->transition[t] = true;
        for_work_arcs (arc, work, t)
            if (arc_tests(arc))
                take_place(s, arc->place);
    }
    while (s->open.count && !work->failed) {
        follow(s, s->open.item[--s->open.count]);
        work->failed |= limits_reached();
    }
    return !work->failed;
}

static void keep_slice(const struct slice *s)
{
    struct work *work = s->work;
    uint32_t before = work->fired[RULE_IRRELEVANT];
    for_live_transitions(t, work) if (!s->transition[t])
    {
        work_note(work, "%s t%" PRIu32, work->fired[RULE_IRRELEVANT] == before ? "irrelevant" : "", t);
        work_remove_transition(work, t);
        work->fired[RULE_IRRELEVANT]++;
    }
    for_live_places(p, work) if (!s->place[p])
    {
        work_note(work, "%s p%" PRIu32, work->fired[RULE_IRRELEVANT] == before ? "irrelevant" : "", p);
        work_remove_place(work, p);
        work->fired[RULE_IRRELEVANT]++;
    }
    if (work->fired[RULE_IRRELEVANT] != before)
        work_note(work, "\n");
}

/* A transition that changes nothing of which an observed place depends, by however long a chain, may stay away. */
void remove_irrelevant(struct work *work)
{
    struct slice s;
    if (!states_only(work))
        return;
    bool fine = slice_make(&s, work);
    work->failed |= !fine;
    if (fine)
        keep_slice(&s);
    free(s.place);
    free(s.transition);
    free(s.open.item);
}

/* -------------------------------------------------------------------- sources */

/* Tests nothing, and what it puts is neither observed nor kept small by an inhibitor arc. */
static bool is_harmless_source(struct work *work, uint32_t t)
{
    bool is_source = !work->transitions.item[t].named && work->transitions.item[t].arcs.count > 0;
    for_work_arcs (arc, work, t)
        is_source = is_source && arc_only_puts(arc) && !work->place[arc->place].observed &&
                    !work_is_inhibited(work, arc->place);
    return is_source;
}

/* Whoever needs tokens of the place first fires the source until there are enough. */
static void serve(struct work *work, uint32_t user, const struct net_arc *source, uint32_t recipe)
{
    const struct net_arc *arc = work_arc(work, user, source->place);
    struct work_transition *transition = &work->transitions.item[user];
    if (!arc->need)
        return;
    uint32_t times = arc->need / source->produce + (arc->need % source->produce != 0);
    transition->recipe = recipes_compose(&work->recipes, (struct recipe_part){recipe, times},
                                         (struct recipe_part){transition->recipe, 1});
    work->failed |= transition->recipe == UINT32_MAX;
}

/* Where a transition can always put tokens, nobody has to wait for them: its places go. */
static void use_source(struct work *work, uint32_t source)
{
    uint32_t recipe = work->transitions.item[source].recipe;
    work_note(work, "source %" PRIu32 "\n", source);
    while (work->transitions.item[source].arcs.count) {
        struct net_arc arc = work->transitions.item[source].arcs.item[0];
        const struct work_users *users = work_users_of(work, arc.place);
        for (size_t i = 0; i < users->count && !work->failed; i++)
            serve(work, users->item[i], &arc, recipe);
        work_remove_place(work, arc.place);
    }
    work_remove_transition(work, source);
    work->fired[RULE_SOURCE]++;
}

void remove_sources(struct work *work)
{
    if (!states_only(work))
        return;
    for_live_transitions(t, work)
    {
        work->failed |= limits_reached();
        if (work->failed)
            return;
        if (is_harmless_source(work, t))
            use_source(work, t);
    }
}
