/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets against what they must do.  In every reachable state of a system, in no order and several times, one
 * reduction is asked for its sets.  Each is judged on the whole graph, with no use of relations, by where the actions
 * outside it lead: a member commutes with them and, once disabled, stays so; none is in a strong set, one is always
 * enabled in a weak one; nothing visible happens if a member is visible; no goal is met without a directed set.  Where
 * it is everything, a reduction that remembers nothing finds no smaller one.
 *
 * A search that is reduced sees few states and hides a wrong set behind another way to the same answer; here every one
 * is looked at.  The sets that are remembered (src/reduce/stubborn_remembered.c) are met again with other reasons,
 * other attractors, in another form, and after nothing has been kept for a while.
 */
#ifndef TESTS_STUBBORN_JUDGE_H
#define TESTS_STUBBORN_JUDGE_H

#include "portolan/portolan.h"
#include "random_net.h"

struct judge_limits {
    uint32_t most_states; /* a system with more is passed by */
    bool until_given_up;  /* also ask until the reduction remembers nothing any more; the system must be wide */
};

struct judge_tally {
    uint64_t judged, sets, given_up; /* systems; smaller sets; how often all was forgotten */
    uint64_t local;                  /* sets that are local to a process, ... */
    uint64_t beside;                 /* ... steps of others in states they lead to, with which they do not commute */
};

/* False, with a message, when a set is wrong.  The layout of states must be wide enough for all. */
bool judge_stubborn_sets(const struct portolan_system *system, struct random *random, const struct judge_limits *limits,
                         struct judge_tally *tally, char *message, size_t size);
/* The same of a random model, as it was drawn. */
static inline bool sets_are_right(const struct portolan_system *system, uint64_t number, char *failure, size_t size)
{
    struct random random = random_from(number, 0);
    struct judge_tally tally = {0};
    return judge_stubborn_sets(system, &random, &(struct judge_limits){.most_states = 400}, &tally, failure, size);
}

#endif
