/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleep sets (Godefroid 1996) on top of probe sets, which Kastenberg & Rensink
 * leave as future work.
 *
 * When the run z of search.c can be followed by several actions of the probe
 * set, one is enough: say, the first in the order of the set.  So behind an
 * action b of the set, none of the earlier ones that are independent of b can
 * be first in the rest of z, and that stays so until an action that depends
 * on them: until then they sleep, and a sleeping action of a probe set is
 * skipped.  The keeper is not: it is followed for the sake of others.  Where
 * there is no keeper, because all enabled actions are explored, any may be skipped.
 *
 * A vector keeps its sleep set.  When it is reached again with another, it is explored
 * again with what is in both, unless that is what it had.  So a vector
 * is explored as often as its set shrinks, at most.
 */
#include "search/probe/probe.h"

bool sleep_sets_start(struct prober *p)
{
    bool is_new;
    return sequence_insert(&p->sleep_sets, NULL, 0, &is_new) == SLEEP_NONE;
}

bool sleep_set_keep(struct prober *p, uint32_t vector, uint32_t sleep)
{
    while (p->vector_sleep.count <= vector)
        if (!vector_push(&p->vector_sleep, SLEEP_NONE))
            return false;
    p->vector_sleep.item[vector] = sleep;
    return true;
}

static bool contains(const uint32_t *item, size_t length, uint32_t wanted)
{
    for (size_t i = 0; i < length; i++)
        if (item[i] == wanted)
            return true;
    return false;
}

static uint32_t keep_sleeping(struct prober *p)
{
    bool is_new;
    return sequence_insert(&p->sleep_sets, p->sleeping.item, p->sleeping.count, &is_new);
}

uint32_t sleep_set_meet(struct prober *p, uint32_t left, uint32_t right)
{
    size_t left_length, right_length;
    const uint32_t *one = sequence_get(&p->sleep_sets, left, &left_length);
    const uint32_t *other = sequence_get(&p->sleep_sets, right, &right_length);
    p->sleeping.count = 0;
    for (size_t i = 0; i < left_length; i++)
        if (contains(other, right_length, one[i]) && !vector_push(&p->sleeping, one[i]))
            return NOTHING;
    return keep_sleeping(p);
}

uint32_t sleep_set_behind(struct prober *p, uint32_t sleep, const struct probed *probed)
{
    size_t length;
    if (!p->options->sleep || p->age_printed)
        return SLEEP_NONE;
    const uint32_t *item = sequence_get(&p->sleep_sets, sleep, &length);
    p->sleeping.count = 0;
    for (size_t i = 0; i < length; i++)
        if (!depend(p, item[i], probed->action) && !vector_push(&p->sleeping, item[i]))
            return NOTHING;
    for (const struct probed *other = p->chosen.item; other < probed; other++)
        if (!depend(p, other->action, probed->action) && !contains(item, length, other->action) &&
            !vector_push(&p->sleeping, other->action))
            return NOTHING;
    numbers_sort(&p->sleeping);
    return keep_sleeping(p);
}

bool sleep_set_skips(const struct prober *p, uint32_t sleep, const struct probed *probed)
{
    size_t length;
    const uint32_t *item = sequence_get(&p->sleep_sets, sleep, &length);
    return contains(item, length, probed->action) && probed->action != p->keeper;
}
