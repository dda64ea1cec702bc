/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local partial-order reduction in a model checker that is not Portolan: its states, its transitions and its search are
 * below; of the library it uses portolan/lpor.h alone.
 *
 * The model: four servers each prepare twice and then vote; a collector takes any three votes that are there.  Taking
 * votes is one transition with several successors, a quorum.  What is taken stays known, so there are four ends.
 *
 * Build against an installed library with
 *     cc lpor.c $(pkg-config --cflags --libs --static portolan)
 */
#include <portolan/lpor.h>

#include <stdio.h>
#include <string.h>

enum { SERVERS = 4, QUORUM = 3, COLLECT = 3 * SERVERS, TRANSITIONS, MOST_STATES = 2000 };

struct votes {
    unsigned char steps[SERVERS]; /* of each server: 2 when prepared, 3 when it has voted */
    unsigned char there, taken;   /* votes, a bit for each server */
};

/* --- the system: transition 3 * i + k is step k of server i; COLLECT takes votes */

static uint32_t enabled(void *user, const void *state, uint32_t *out)
{
    const struct votes *v = state;
    uint32_t count = 0;
    (void)user;
    for (uint32_t i = 0; i < SERVERS; i++)
        if (v->steps[i] < 3)
            out[count++] = 3 * i + v->steps[i];
    if (!v->taken && __builtin_popcount(v->there) >= QUORUM)
        out[count++] = COLLECT;
    return count;
}

static uint32_t successors(void *user, const void *state, uint32_t t)
{
    (void)user; /* all the votes that are there, or all but one of them */
    return t != COLLECT || __builtin_popcount(((const struct votes *)state)->there) == QUORUM ? 1 : SERVERS;
}

static void fire(void *user, const void *state, uint32_t t, uint32_t number, void *successor)
{
    struct votes *v = successor;
    (void)user;
    memcpy(v, state, sizeof *v);
    if (t == COLLECT) {
        v->taken = v->there;
        if (__builtin_popcount(v->there) > QUORUM)
            v->taken &= (unsigned char)~(1U << number);
        v->there &= (unsigned char)~v->taken;
    } else if (++v->steps[t / 3] == 3) {
        v->there |= (unsigned char)(1U << t / 3);
    }
}

/* --- what interferes with what, as questions about pairs */

static bool is_vote(uint32_t t)
{
    return t != COLLECT && t % 3 == 2;
}

static bool can_enable(void *user, uint32_t t, uint32_t u)
{
    (void)user;
    return u == COLLECT ? is_vote(t) : t != COLLECT && u == t + 1 && !is_vote(t);
}

/* With one more vote there is more to choose from, also when there are enough: collecting depends on voting.  Voting
 * does not depend on collecting: what it then leads to can be had in the other order as well. */
static bool depends_on(void *user, uint32_t t, uint32_t u)
{
    const bool *forgetful = user;
    return t == COLLECT && is_vote(u) && !*forgetful;
}

/* --- what a transition needs: condition i is "server i has voted", and collecting needs a quorum of these */

static bool holds(const void *user, const void *state, uint32_t condition)
{
    (void)user;
    return ((const struct votes *)state)->steps[condition] == 3;
}

static bool enables_condition(void *user, uint32_t condition, uint32_t t)
{
    (void)user;
    return t == 3 * condition + 2;
}

static bool asks_for_quorum(void *user, uint32_t t, uint32_t quorum)
{
    (void)user;
    (void)quorum;
    return t == COLLECT;
}

static bool always(void *user, uint32_t i, uint32_t j)
{
    (void)user;
    (void)i;
    (void)j;
    return true;
}

static bool never(void *user, uint32_t i, uint32_t j)
{
    return !always(user, i, j);
}

/* --- the search: a list of states; the next one is the oldest (breadth-first) or the youngest (depth-first) */

static void search(const char *name, struct portolan_lpor *lpor, bool breadth_first)
{
    static struct votes found[MOST_STATES];
    uint32_t waiting[MOST_STATES], set[TRANSITIONS], first = 0, last = 1, states = 1, deadlocks = 0;
    memset(found, 0, sizeof found);
    waiting[0] = 0;
    while (first < last) {
        const struct votes now = found[breadth_first ? waiting[first++] : waiting[--last]];
        uint32_t count = enabled(NULL, &now, set);
        deadlocks += count == 0;
        if (lpor)
            count = portolan_lpor_set(lpor, &now, set, count, PORTOLAN_LPOR_BEST, set);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < successors(NULL, &now, set[i]); k++) {
                uint32_t known = 0;
                fire(NULL, &now, set[i], k, &found[states]);
                while (memcmp(&found[known], &found[states], sizeof now) != 0)
                    known++;
                if (known == states)
                    waiting[last++] = states++;
            }
    }
    printf("%-24s %4u states, %u deadlocks\n", name, (unsigned)states, (unsigned)deadlocks);
}

int main(void)
{
    bool forgetful = false;
    uint32_t least = QUORUM;
    struct portolan_error error;
    struct portolan_lpor_relations relations =
        PORTOLAN_LPOR_RELATIONS(.transitions = TRANSITIONS, .conditions = SERVERS, .holds = holds, .quorums = 1,
                                .least = &least);
    struct portolan_lpor_steps steps = PORTOLAN_LPOR_STEPS(.state_bytes = sizeof(struct votes), .enabled = enabled,
                                                           .successors = successors, .fire = fire);
    struct portolan_lpor *lpor = NULL;
    const struct {
        struct portolan_lists *lists;
        bool (*related)(void *, uint32_t, uint32_t);
        uint32_t from, to;
    } all[] = {{&relations.can_enable, can_enable, TRANSITIONS, TRANSITIONS},
               {&relations.depends_on, depends_on, TRANSITIONS, TRANSITIONS},
               {&relations.needs, never, TRANSITIONS, SERVERS},
               {&relations.enablers, enables_condition, SERVERS, TRANSITIONS},
               {&relations.quorums_of, asks_for_quorum, TRANSITIONS, 1},
               {&relations.quorum, always, 1, SERVERS}};
    enum { RELATIONS = sizeof all / sizeof *all };
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < RELATIONS && status == PORTOLAN_OK; i++)
        status = portolan_lists_new(all[i].from, all[i].to, all[i].related, &forgetful, all[i].lists, &error);
    if (status == PORTOLAN_OK)
        status = portolan_lpor_new(&relations, NULL, &lpor, &error);
    if (status == PORTOLAN_OK) {
        search("everything", NULL, true);
        search("reduced, breadth-first", lpor, true);
        search("reduced, depth-first", lpor, false);
    }

    /* Are the relations right?  Asked here of one state; ask it of each that you visit, while they are young. */
    struct votes three = {.steps = {3, 3, 3, 2}, .there = 7};
    if (status == PORTOLAN_OK)
        status = portolan_lpor_check(&relations, &steps, &three, &error);
    if (status == PORTOLAN_OK) {
        forgetful = true;
        portolan_lists_clear(&relations.depends_on);
        status = portolan_lists_new(TRANSITIONS, TRANSITIONS, depends_on, &forgetful, &relations.depends_on, &error);
    }
    if (status == PORTOLAN_OK && portolan_lpor_check(&relations, &steps, &three, &error) != PORTOLAN_OK)
        printf("without the dependency:  %s\n", error.message);
    if (status != PORTOLAN_OK)
        fprintf(stderr, "%s\n", error.message);
    portolan_lpor_free(lpor);
    for (size_t i = 0; i < RELATIONS; i++)
        portolan_lists_clear(all[i].lists);
    return status == PORTOLAN_OK ? 0 : 1;
}
