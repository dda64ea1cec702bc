/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provisos that need no memory of their own: none, in-stack and in-queue.
 *
 * In-stack, liveness (Peled 1994, C2_s^L of Evangelista and Pajault): no action of a reduced set reaches the
 * stack.  Safety (Godefroid 1996, C2_s^S): one action that does not is enough, because it leads to a state that is
 * left earlier, and so on until a fully expanded one.
 * In-queue (Bosnacki and Holzmann 2005, C2_q): the same for breadth-first search; a state that is new or still in
 * the queue is expanded later.
 * Those of probe sets, nodup and age, are kept by the search over vectors itself (search/probe).
 * scc:liveness accepts everything; the search makes it true afterwards (search/repair.c).
 */
#include "proviso/all.h"

#include <stdlib.h>

static struct proviso *make(const struct proviso_class *class, uint32_t actions, bool weak_sets)
{
    (void)actions;
    (void)weak_sets;
    return proviso_new(class, sizeof(struct proviso));
}

static void free_proviso(struct proviso *proviso)
{
    free(proviso);
}

static bool accept_always(struct proviso *proviso, uint32_t state, const struct seen_successor *successors,
                          size_t count)
{
    (void)proviso;
    (void)state;
    (void)successors;
    (void)count;
    return true;
}

static size_t count_standing(const struct seen_successor *successors, size_t count, enum standing standing)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += successors[i].standing == standing;
    return found;
}

static bool some_off_stack(struct proviso *proviso, uint32_t state, const struct seen_successor *successors,
                           size_t count)
{
    (void)proviso;
    (void)state;
    return count_standing(successors, count, STANDING_OPEN) < count;
}

static bool all_off_stack(struct proviso *proviso, uint32_t state, const struct seen_successor *successors,
                          size_t count)
{
    (void)proviso;
    (void)state;
    return count_standing(successors, count, STANDING_OPEN) == 0;
}

static bool some_unexpanded(struct proviso *proviso, uint32_t state, const struct seen_successor *successors,
                            size_t count)
{
    (void)proviso;
    (void)state;
    return count_standing(successors, count, STANDING_CLOSED) < count;
}

static bool all_unexpanded(struct proviso *proviso, uint32_t state, const struct seen_successor *successors,
                           size_t count)
{
    (void)proviso;
    (void)state;
    return count_standing(successors, count, STANDING_CLOSED) == 0;
}

const struct proviso_class proviso_none = {.name = "none",
                                           .summary = "no proviso: deadlocks only",
                                           .order = ANY_ORDER,
                                           .form = PROVISO_FREE,
                                           .make = make,
                                           .free = free_proviso,
                                           .accept = accept_always};
const struct proviso_class proviso_stack_safety = {.name = "stack:safety",
                                                   .summary = "some successor is off the stack",
                                                   .order = DEPTH_FIRST,
                                                   .form = PROVISO_SAFETY,
                                                   .make = make,
                                                   .free = free_proviso,
                                                   .accept = some_off_stack};
const struct proviso_class proviso_stack_liveness = {.name = "stack:liveness",
                                                     .summary = "every successor is off the stack",
                                                     .order = DEPTH_FIRST,
                                                     .form = PROVISO_LIVENESS,
                                                     .make = make,
                                                     .free = free_proviso,
                                                     .accept = all_off_stack};
const struct proviso_class proviso_queue_safety = {.name = "queue:safety",
                                                   .summary = "some successor is new or in the queue",
                                                   .order = BREADTH_FIRST,
                                                   .form = PROVISO_SAFETY,
                                                   .make = make,
                                                   .free = free_proviso,
                                                   .accept = some_unexpanded};
const struct proviso_class proviso_queue_liveness = {.name = "queue:liveness",
                                                     .summary = "every successor is new or in the queue",
                                                     .order = BREADTH_FIRST,
                                                     .form = PROVISO_LIVENESS,
                                                     .make = make,
                                                     .free = free_proviso,
                                                     .accept = all_unexpanded};
const struct proviso_class proviso_scc_liveness = {.name = "scc:liveness",
                                                   .summary = "afterwards, expand a state of each cycle that has none",
                                                   .order = DEPTH_FIRST,
                                                   .form = PROVISO_LIVENESS,
                                                   .afterwards = true,
                                                   .make = make,
                                                   .free = free_proviso,
                                                   .accept = accept_always};
const struct proviso_class proviso_nodup = {.name = "nodup",
                                            .summary = "no trace of a vector holds an action twice",
                                            .of_vectors = true,
                                            .make = make,
                                            .free = free_proviso,
                                            .accept = accept_always};
const struct proviso_class proviso_age = {.name = "age",
                                          .summary = "nodup, and an action passed over for longest is explored first",
                                          .of_vectors = true,
                                          .make = make,
                                          .free = free_proviso,
                                          .accept = accept_always};
const struct proviso_class proviso_age_printed = {.name = "age:printed",
                                                  .summary =
                                                      "ages alone, as part of the vector; need not end on cycles",
                                                  .of_vectors = true,
                                                  .may_not_end = true,
                                                  .make = make,
                                                  .free = free_proviso,
                                                  .accept = accept_always};
