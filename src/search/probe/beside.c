/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain search beside the one by probe sets.
 *
 * A vector costs several times what a state costs in a plain search, and
 * nobody can tell in advance whether there will be few of them.  So once probe
 * sets have had their allowance, every state is explored as well, breadth
 * first, and the two take turns such that the plain search has done about as
 * much work as the other.  Whichever is done first has the answer.  So the
 * whole costs at most the allowance and about twice what the cheaper one of the two
 * would cost alone.  This is Levin's universal search (1973): run the
 * candidates side by side, each for a fixed share of the work.
 *
 * Work is counted, not timed, so that a search can be repeated.
 *
 * Whatever either search sees is reachable, so a state that decides a property
 * may be found by either.  What is counted and told about the states is
 * that of the search that is done first.  For this reason there is no plain search when
 * somebody is told of states one by one, or limits their number.
 */
#include "search/probe/probe.h"

#include "base/enabled.h"

#include <stdio.h>
#include <string.h>

/* In units of about 200 instructions, as measured on nets. */
enum { ALLOWANCE = 5000 /* by the bound */, WORK_OF_STATE = 4, WORK_OF_TRANSITION = 2 };
/* Where actions are found by matching, as measured on graph grammars. */
enum { WORK_OF_MATCHING = 10, WORK_OF_APPLYING = 25 };

bool beside_is_wanted(const struct prober *p)
{
    const struct portolan_options *options = p->explorer->search->options;
    const struct portolan_callbacks *callbacks = &options->callbacks;
    return p->bound != PROBE_UNBOUNDED && !options->state_limit && !options->check_relations && !callbacks->edge &&
           !callbacks->expanded && !callbacks->deadlock && !callbacks->explain;
}

/* Each search has the explorer's strategy and counters in turn. */
static void change_places(struct prober *p)
{
    struct explorer *x = p->explorer;
    struct beside *b = &p->beside;
    struct strategy strategy = *x->strategy;
    struct portolan_statistics counted = x->counted;
    *x->strategy = b->strategy;
    x->counted = b->counted;
    b->strategy = strategy;
    b->counted = counted;
}

static bool begin(struct prober *p)
{
    struct beside *b = &p->beside;
    b->begun = true;
    b->strategy = (struct strategy){.proviso = p->explorer->strategy->proviso};
    change_places(p);
    bool fine = bfs_begin(p->explorer, &b->bfs);
    change_places(p);
    return fine;
}

/* Half of the memory is enough for it: the other search may still be done. */
static bool is_too_large(const struct prober *p)
{
    const struct search *s = p->explorer->search;
    return s->options->memory_limit && store_bytes(&s->store) > s->options->memory_limit / 2;
}

static void give_up(struct prober *p)
{
    struct search *s = p->explorer->search;
    p->beside.wanted = false;
    store_clear(&s->store);
    if (!store_make(&s->store, s->system->key_bytes))
        end_short_of_memory(s);
}

/* The plain search was first: it has the explorer now, and the answer. */
static void win(struct prober *p)
{
    struct explorer *x = p->explorer;
    char *reduction = x->search->result->reduction;
    size_t used = strlen(reduction);
    x->counted.vectors = p->beside.counted.vectors;
    x->counted.missed = p->beside.counted.missed;
    snprintf(reduction + used, sizeof x->search->result->reduction - used, ", given up for none");
    x->counted.bytes += p->beside.counted.bytes;
    p->beside.won = true;
}

bool beside_take_turn(struct prober *p)
{
    struct explorer *x = p->explorer;
    struct beside *b = &p->beside;
    uint64_t allowance = (uint64_t)p->bound * ALLOWANCE;
    bool is_matching = p->entities->work && !has_fixed_actions(x->search->system);
    if (!b->wanted || b->won || p->work < allowance + b->work)
        return true;
    if (!b->begun && !begin(p))
        return false;
    change_places(p);
    bool fine = true;
    while (fine && b->work + allowance < p->work && !bfs_is_done(x, &b->bfs) && search_goes_on(x)) {
        fine = bfs_step(x, &b->bfs, expand_fully);
        b->work += is_matching ? WORK_OF_MATCHING + (uint64_t)WORK_OF_APPLYING * x->now.enabled_count
                               : WORK_OF_STATE + (uint64_t)WORK_OF_TRANSITION * x->now.enabled_count;
        observe_limits(x);
    }
    if (fine && bfs_is_done(x, &b->bfs) && search_goes_on(x)) {
        win(p);
        return true;
    }
    change_places(p);
    if (is_too_large(p))
        give_up(p);
    return fine;
}

void beside_end(struct prober *p)
{
    bfs_end(&p->beside.bfs);
}
