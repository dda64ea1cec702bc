/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random machines (random_machine.h), each explored by every method with one worker, with three, as two shards, and by
 * three processes, as it were, that hand out leaves to each other in disorder, and give up and begin again now and
 * then. The traces must be exactly those of the naive explorer, none twice where there are sleep sets; optimal may not
 * be blocked.
 */
#include "executions_machines.h"

#include "base/vector.h"
#include "random_machine.h"
#include "stateless/common_tree.h"
#include "stateless/shared.h"
#include "stateless/skeleton.h"
#include "stateless/split.h"
#include "stateless/stateless.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_INTERLEAVING = 20000, WITH_SLEEP_SETS = 60000, WORKERS = 3, SHARDS = 2, DISORDER = 1234567 };

/* What a search has run. */
struct watch {
    struct observer observer;
    const struct program *program;
    pthread_mutex_t mutex;
    struct trace_set traces;
    bool wrong; /* a run that is none, or no memory */
};

static void on_end(struct observer *observer, struct worker *w, enum machine_end end, bool cut)
{
    struct watch *watch = (struct watch *)observer;
    uint32_t agents[MACHINE_DEPTH];
    (void)end, (void)cut;
    for (size_t i = 0; i < w->execution.events.count; i++)
        agents[i] = w->execution.events.item[i].agent;
    uint64_t trace = program_trace(watch->program, agents, w->execution.events.count);
    pthread_mutex_lock(&watch->mutex);
    watch->wrong |= !trace || !vector_push(&watch->traces, trace);
    pthread_mutex_unlock(&watch->mutex);
}

struct search {
    const struct method *method;
    uint32_t workers;
    uint64_t disorder; /* of the common tree, or 0 */
    struct split *split;
    struct leaf_source *leaves;
    const volatile sig_atomic_t *interrupt;
};

static bool run_search(struct watch *watch, const struct search *search, uint64_t *blocked)
{
    struct machine *machines[WORKERS];
    struct portolan_options options = {.reduction = search->method->name, .interrupt = search->interrupt};
    struct portolan_result result = {0};
    struct portolan_error error = {0};
    struct search_shared shared = {.options = &options,
                                   .result = &result,
                                   .observer = &watch->observer,
                                   .worker_count = search->workers,
                                   .split = search->split,
                                   .leaves = search->leaves};
    struct common_tree *tree = search->disorder ? common_tree_make() : NULL;
    if (tree)
        tree->disorder = search->disorder;
    shared.tree = tree;
    for (uint32_t i = 0; i < search->workers; i++)
        if (!(machines[i] = program_machine(watch->program)))
            abort();
    bool fine =
        search_machines(&shared, search->method, machines, &error) == PORTOLAN_OK && result.stop == PORTOLAN_COMPLETE;
    if (!fine)
        printf("%s: %s\n", search->method->name, error.message);
    common_tree_free(tree);
    *blocked = result.statistics.blocked;
    return fine;
}

static bool is_as_expected(struct watch *watch, const struct method *method, const struct trace_set *expected)
{
    size_t executions = watch->traces.count, found = 0;
    bool each_once = trace_set_sort(&watch->traces);
    for (size_t i = 0; i < executions; i++)
        if (i == 0 || watch->traces.item[i] != watch->traces.item[i - 1])
            watch->traces.item[found++] = watch->traces.item[i];
    bool fine = !watch->wrong && (each_once || !method->sleeps) && found == expected->count &&
                memcmp(watch->traces.item, expected->item, found * sizeof *expected->item) == 0;
    if (!fine)
        printf("%zu of %zu traces in %zu executions%s: ", found, expected->count, executions,
               watch->wrong ? ", one is no execution" : "");
    return fine;
}

/* With workers, or in shards when there are none. */
static bool check_method(const struct program *p, const struct method *method, uint32_t workers, uint64_t disorder,
                         const struct trace_set *expected)
{
    struct watch watch = {.observer.ended = on_end, .program = p};
    uint64_t blocked = 0;
    bool fine = true;
    pthread_mutex_init(&watch.mutex, NULL);
    for (uint32_t shard = 0; shard < (workers ? 1 : SHARDS) && fine; shard++) {
        struct split split = {.depth = 3, .everybody = true, .shard = shard, .shards = SHARDS};
        struct search search = {method, workers ? workers : 1, disorder, workers ? NULL : &split, NULL, NULL};
        fine = run_search(&watch, &search, &blocked);
    }
    fine =
        is_as_expected(&watch, method, expected) && fine && (blocked == 0 || method->sequences != WAKE_UP || !workers);
    if (!fine)
        printf("%s with %u workers%s, %" PRIu64 " blocked\n", method->name, workers, disorder ? " in disorder" : "",
               blocked);
    pthread_mutex_destroy(&watch.mutex);
    free(watch.traces.item);
    return fine;
}

/* ------------------------------------------------------------------------- leaves that are handed out */

/* What the first rank would have. */
struct handing_out {
    pthread_mutex_t mutex;
    struct skeleton skeleton;
    struct random random;
    bool failed;
    struct watch *watch;
    const struct method *method;
    uint64_t blocked;
};

/* What another rank would have. */
struct receiver {
    struct leaf_source source;
    struct handing_out *from;
    struct skeleton_node *leaf;
    volatile sig_atomic_t interrupt; /* it ends in the middle of an execution */
};

static enum leaf_wish wish(struct leaf_source *source, const struct worker *w)
{
    struct handing_out *h = ((struct receiver *)source)->from;
    (void)w;
    pthread_mutex_lock(&h->mutex);
    uint64_t number = random_below(&h->random, 24);
    pthread_mutex_unlock(&h->mutex);
    sched_yield();
    return number == 0 ? GIVE_ALL : number < 8 ? GIVE_SOME : GO_ON;
}

static bool hear(struct leaf_source *source)
{
    struct receiver *r = (struct receiver *)source;
    pthread_mutex_lock(&r->from->mutex);
    bool fine = skeleton_hear(&r->from->skeleton, &r->leaf, source->letter.item, source->letter.count);
    r->from->failed |= !fine;
    pthread_mutex_unlock(&r->from->mutex);
    return fine;
}

/* Any open leaf. */
static struct skeleton_node *draw_leaf(struct handing_out *h)
{
    struct skeleton_node *node = h->skeleton.root->open ? h->skeleton.root : NULL;
    while (node && node->first) {
        struct skeleton_node *chosen = NULL;
        uint32_t seen = 0;
        for (struct skeleton_node *child = node->first; child; child = child->next)
            if (child->open && random_below(&h->random, ++seen) == 0)
                chosen = child;
        node = chosen;
    }
    return node;
}

static bool take_leaf(struct leaf_source *source)
{
    struct receiver *r = (struct receiver *)source;
    struct handing_out *h = r->from;
    for (bool ended = false; !ended && !r->leaf; sched_yield()) {
        pthread_mutex_lock(&h->mutex);
        struct skeleton_node *leaf = draw_leaf(h);
        if (leaf && !skeleton_take(&h->skeleton, leaf, &source->letter))
            abort();
        r->leaf = leaf;
        r->interrupt = leaf && random_below(&h->random, 12) == 0;
        ended = skeleton_is_done(&h->skeleton) || h->failed;
        pthread_mutex_unlock(&h->mutex);
    }
    return r->leaf;
}

static void *receive_leaves(void *argument)
{
    struct handing_out *h = argument;
    for (bool more = true; more;) {
        struct receiver receiver = {.source = {.wish = wish, .send = hear, .take = take_leaf}, .from = h};
        struct search search = {h->method, 1, 0, NULL, &receiver.source, &receiver.interrupt};
        uint64_t blocked = 0;
        bool fine = run_search(h->watch, &search, &blocked);
        pthread_mutex_lock(&h->mutex);
        h->failed |= !fine;
        h->blocked += blocked;
        more = !skeleton_is_done(&h->skeleton) && !h->failed;
        pthread_mutex_unlock(&h->mutex);
        free(receiver.source.letter.item);
    }
    return NULL;
}

static bool run_handed_out(struct watch *watch, const struct method *method, uint64_t seed, uint64_t *blocked)
{
    struct handing_out h = {.random = random_from(seed, 0), .watch = watch, .method = method};
    pthread_t threads[WORKERS];
    pthread_mutex_init(&h.mutex, NULL);
    if (!skeleton_make(&h.skeleton))
        abort();
    for (uint32_t i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, receive_leaves, &h) != 0)
            abort();
    for (uint32_t i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&h.mutex);
    bool fine = !h.failed && !h.skeleton.root->first; /* what is explored is forgotten */
    skeleton_clear(&h.skeleton);
    *blocked = h.blocked;
    return fine;
}

static bool check_handed_out(const struct program *p, const struct method *method, const struct trace_set *expected)
{
    struct watch watch = {.observer.ended = on_end, .program = p};
    uint64_t blocked = 0;
    pthread_mutex_init(&watch.mutex, NULL);
    bool fine = run_handed_out(&watch, method, expected->count + p->objects, &blocked);
    fine = is_as_expected(&watch, method, expected) && fine;
    if (!fine)
        printf("%s, handed out\n", method->name);
    pthread_mutex_destroy(&watch.mutex);
    free(watch.traces.item);
    return fine;
}

/* The two ways of the naive explorer against each other, where both are possible. */
static enum result find_traces(const struct program *p, struct trace_set *traces)
{
    struct trace_set all = {0};
    enum result result = program_traces(p, true, WITH_SLEEP_SETS, traces) ? PASSED : SKIPPED;
    if (result == PASSED && !trace_set_sort(traces)) {
        printf("the naive explorer has a trace twice\n");
        result = FAILED;
    }
    if (result == PASSED && program_traces(p, false, EVERY_INTERLEAVING, &all)) {
        size_t found = 0;
        trace_set_sort(&all);
        for (size_t i = 0; i < all.count; i++)
            if (i == 0 || all.item[i] != all.item[i - 1])
                all.item[found++] = all.item[i];
        if (found != traces->count || memcmp(all.item, traces->item, found * sizeof *all.item) != 0) {
            printf("the naive explorer contradicts itself: %zu and %zu traces\n", found, traces->count);
            result = FAILED;
        }
    }
    free(all.item);
    return result;
}

static enum result check_program(const struct program *p)
{
    struct trace_set traces = {0};
    enum result result = find_traces(p, &traces);
    for (const struct method *const *m = machine_methods; *m && result == PASSED; m++) {
        bool small = traces.count <= 50 || (*m)->sleeps;
        if (!(*m)->preserves_traces || (*m)->run || !small || *m == &method_none || *m == &method_bounded)
            continue;
        bool has_tree = (*m)->sequences == WAKE_UP;
        if (!check_method(p, *m, 1, 0, &traces) ||
            ((*m)->sleeps && (!check_method(p, *m, WORKERS, 0, &traces) || !check_method(p, *m, 0, 0, &traces) ||
                              !check_handed_out(p, *m, &traces))) ||
            (has_tree && (!check_method(p, *m, 1, DISORDER + traces.count, &traces) ||
                          !check_method(p, *m, WORKERS, DISORDER + traces.count, &traces))))
            result = FAILED;
    }
    free(traces.item);
    return result;
}

/* Leaves steps and agents' wishes out for as long as it still fails. */
static void shrink(struct program *p)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (uint32_t a = 0; a < p->agents; a++)
            for (uint32_t what = 0; what < MACHINE_STEPS * 3 + 1; what++) {
                struct program less = *p;
                struct program_agent *agent = &less.agent[a];
                uint32_t i = what / 3;
                if (what == MACHINE_STEPS * 3)
                    agent->parent = agent->after = 0;
                else if (i >= agent->length)
                    continue;
                else if (what % 3 == 0) {
                    memmove(&agent->step[i], &agent->step[i + 1], (MACHINE_STEPS - 1 - i) * sizeof *agent->step);
                    agent->length--;
                } else if (what % 3 == 1)
                    agent->step[i].only_if = 0;
                else
                    agent->step[i].joins = 0;
                if (memcmp(&less, p, sizeof less) != 0 && check_program(&less) == FAILED) {
                    *p = less;
                    smaller = true;
                }
            }
    }
}

enum result check_machine(uint64_t seed, uint64_t number)
{
    struct random random = random_from(seed, number);
    struct program program;
    program_draw(&program, &random);
    enum result result = check_program(&program);
    if (result == FAILED) {
        printf("machine %" PRIu64 " of seed %" PRIu64 "; made smaller:\n", number, seed);
        shrink(&program);
        program_print(&program);
        printf("again: executions --seed %" PRIu64 " --first %" PRIu64 " --machines 1\n", seed, number);
    }
    return result;
}
