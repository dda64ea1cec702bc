/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds on preemptions: random thread programs and nets, with every bound up to 3 and without one.
 *
 *     preemptions [--programs N] [--nets N] [--seed S] [--first K] [FILE.dl ...]
 *
 * A search of its own, which shares nothing with the engine but the model, runs every interleaving within the bound.
 * The last states that `none` finds must be the same; `bpor` must find the same traces, last states and verdicts as
 * `none`. That something was left out must be said exactly when it was.
 */
#include "base/diagnostic.h"
#include "base/vector.h"
#include "front/petri/system.h"
#include "random_net.h"
#include "random_program.h"
#include "search/search_system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_EXECUTIONS = 4000, MOST_BOUND = 3, NO_BOUND = 1000000, NET_STEPS = 2 };

struct hashes {
    uint64_t *item;
    size_t count, capacity;
};

struct outcome {
    const struct portolan_system *system;
    struct hashes traces, ends;
    bool complete, out_of_memory;
    enum portolan_verdict verdicts[3];
    uint64_t executions, left_out;
};

static uint64_t hash_state(const struct portolan_system *system, const void *state)
{
    uint64_t hash = 0;
    if (!system->widen)
        return XXH3_64bits(state, system->key_bytes);
    for (uint32_t v = 0; v < system->variables; v++) { /* packed differently from time to time */
        int64_t value = system->value(system->model, state, v);
        hash = XXH3_64bits_withSeed(&value, sizeof value, hash + v);
    }
    return hash;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void make_set(struct hashes *hashes)
{
    size_t kept = 0;
    if (hashes->count)
        qsort(hashes->item, hashes->count, sizeof *hashes->item, by_value);
    for (size_t i = 0; i < hashes->count; i++)
        if (kept == 0 || hashes->item[kept - 1] != hashes->item[i])
            hashes->item[kept++] = hashes->item[i];
    hashes->count = kept;
}

static bool equal(const struct hashes *a, const struct hashes *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->item, b->item, a->count * sizeof *a->item) == 0);
}

static void outcome_clear(struct outcome *outcome)
{
    free(outcome->traces.item);
    free(outcome->ends.item);
}

/* --- the oracle: every interleaving, by recursion */

struct oracle {
    struct portolan_system *system;
    uint32_t bound;
    struct hashes ends;
    uint64_t executions;
    bool left_out, gives_up;
};

static void explore(struct oracle *o, const unsigned char *state, uint32_t last, uint32_t used)
{
    const struct portolan_system *system = o->system;
    const struct portolan_footprint *view = system->footprint;
    uint32_t agents = view->agents;
    bool any = false, last_enabled = false;
    struct portolan_step *steps = calloc((size_t)agents + 1, sizeof *steps);
    struct portolan_access *accesses = calloc((size_t)agents * view->most_accesses + 1, sizeof *accesses);
    unsigned char *successor = malloc(system->state_bytes);
    if (!steps || !accesses || !successor)
        abort();
    for (uint32_t a = 0; a < agents; a++) {
        steps[a].accesses = accesses + (size_t)a * view->most_accesses;
        steps[a].enabled = view->next(system->model, state, a, &steps[a]) && steps[a].enabled;
        any = any || steps[a].enabled;
        last_enabled = last_enabled || (a == last && steps[a].enabled);
    }
    for (uint32_t a = 0; a < agents && !o->gives_up; a++) {
        if (!steps[a].enabled)
            continue;
        uint32_t more = used + (a != last && last_enabled);
        if (more > o->bound)
            o->left_out = true;
        else if (system->fire(system->model, state, steps[a].action, successor) == PORTOLAN_FIRED)
            explore(o, successor, a, more);
    }
    if (!any && (!vector_push(&o->ends, hash_state(system, state)) || ++o->executions > MOST_EXECUTIONS))
        o->gives_up = true;
    free(successor);
    free(accesses);
    free(steps);
}

/* --- the searches */

static void on_execution(void *user, const struct portolan_execution *execution)
{
    struct outcome *outcome = user;
    uint64_t trace = XXH3_64bits(execution->agents, execution->length * sizeof *execution->agents);
    if (!vector_push(&outcome->traces, trace) ||
        !vector_push(&outcome->ends, hash_state(outcome->system, execution->last_state)))
        outcome->out_of_memory = true;
}

struct subject {
    struct portolan_system *system;
    struct portolan_property *properties[3];
    uint32_t steps; /* of one agent; 0: any number */
};

static bool search(const struct subject *s, const char *reduction, uint32_t bound, uint32_t threads,
                   struct outcome *outcome, char *wrong, size_t size)
{
    struct portolan_options options = {.reduction = reduction,
                                       .search = "stateless",
                                       .properties = (const struct portolan_property *const *)s->properties,
                                       .property_count = 3,
                                       .all = true,
                                       .bound = s->steps,
                                       .bounds_preemptions = bound != NO_BOUND,
                                       .preemptions = bound,
                                       .threads = threads,
                                       .state_limit = MOST_EXECUTIONS,
                                       .callbacks = {.user = outcome, .execution = on_execution}};
    struct portolan_result result;
    struct portolan_error error = {0};
    *outcome = (struct outcome){.system = s->system};
    if (search_system(s->system, &options, &result, &error) != PORTOLAN_OK) {
        snprintf(wrong, size, "%s: %s", reduction, error.message);
        return false;
    }
    for (size_t i = 0; i < 3; i++)
        outcome->verdicts[i] = result.answers[i].verdict;
    outcome->complete = result.stop == PORTOLAN_COMPLETE || result.stop == PORTOLAN_PREEMPTION_LIMIT ||
                        result.stop == PORTOLAN_STEP_LIMIT; /* within the bounds */
    outcome->executions = result.statistics.executions;
    outcome->left_out = result.statistics.left_out;
    result_clear(&result);
    make_set(&outcome->traces);
    make_set(&outcome->ends);
    return !outcome->out_of_memory;
}

static bool same_as_oracle(const struct subject *s, uint32_t bound, const struct outcome *none, char *wrong,
                           size_t size)
{
    struct oracle o = {.system = s->system, .bound = bound};
    unsigned char *initial = malloc(s->system->state_bytes);
    if (!initial)
        return false;
    s->system->initial(s->system->model, initial);
    explore(&o, initial, UINT32_MAX, 0);
    make_set(&o.ends);
    bool same = o.gives_up ||
                (equal(&o.ends, &none->ends) && o.executions == none->executions && o.left_out == (none->left_out > 0));
    if (!same)
        snprintf(wrong, size,
                 "bound %u: none has %zu last states in %" PRIu64 " executions, the oracle %zu in %" PRIu64, bound,
                 none->ends.count, none->executions, o.ends.count, o.executions);
    free(initial);
    free(o.ends.item);
    return same;
}

/* Verdicts agree; but what `none` leaves open because of the bound, `bpor` may know to hold, as `without` the bound. */
static bool agree(const struct outcome *none, const struct outcome *found, const struct outcome *without)
{
    for (size_t i = 0; i < 3; i++)
        if (found->verdicts[i] != none->verdicts[i] &&
            (found->left_out || found->verdicts[i] != PORTOLAN_HOLDS || none->verdicts[i] != PORTOLAN_UNKNOWN ||
             (without->complete && without->verdicts[i] != PORTOLAN_HOLDS)))
            return false;
    return found->left_out || !without->complete || equal(&found->traces, &without->traces);
}

static uint64_t executions_of_none, executions_of_bpor;

enum result { PASSED, FAILED, SKIPPED };

static enum result check_bound(const struct subject *s, uint32_t bound, const struct outcome *without, char *wrong,
                               size_t size)
{
    struct outcome none, found = {0};
    enum result result = FAILED;
    if (search(s, "none", bound, 1, &none, wrong, size)) {
        result = !none.complete ? SKIPPED : PASSED;
        if (result == PASSED && !s->steps && !same_as_oracle(s, bound, &none, wrong, size))
            result = FAILED;
    }
    for (uint32_t threads = 1; threads <= 2 && result == PASSED; threads++) {
        if (threads > 1 && s->system->widen)
            break;
        outcome_clear(&found);
        if (!search(s, "bpor", bound, threads, &found, wrong, size)) {
            result = FAILED;
        } else if (!equal(&found.traces, &none.traces) || !equal(&found.ends, &none.ends) ||
                   !agree(&none, &found, without)) {
            snprintf(wrong, size,
                     "bound %u, %u threads: %zu of %zu traces, %zu of %zu last states, verdicts %d %d %d for %d %d %d",
                     bound, threads, found.traces.count, none.traces.count, found.ends.count, none.ends.count,
                     found.verdicts[0], found.verdicts[1], found.verdicts[2], none.verdicts[0], none.verdicts[1],
                     none.verdicts[2]);
            result = FAILED;
        }
    }
    if (result == PASSED) {
        executions_of_none += none.executions;
        executions_of_bpor += found.executions;
    }
    outcome_clear(&none);
    outcome_clear(&found);
    return result;
}

/* Takes the system over. */
static enum result check_system(struct portolan_system *system, uint32_t steps, char *wrong, size_t size)
{
    struct subject s = {.system = system, .steps = steps};
    struct outcome without = {0};
    const char *stated = system->stated_count ? system->stated[0].text : NULL;
    enum portolan_kind kind = stated ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK;
    enum result result = FAILED;
    if (portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &s.properties[0], NULL) == PORTOLAN_OK &&
        portolan_property_new(system, kind, stated, &s.properties[1], NULL) == PORTOLAN_OK &&
        portolan_property_new(system, PORTOLAN_NO_RACE, NULL, &s.properties[2], NULL) == PORTOLAN_OK &&
        search(&s, "none", NO_BOUND, 1, &without, wrong, size))
        result = PASSED;
    for (uint32_t bound = 0; bound <= MOST_BOUND && result == PASSED; bound++)
        result = check_bound(&s, bound, &without, wrong, size);
    if (result == PASSED && without.complete) /* every interleaving has fewer than this */
        result = check_bound(&s, NO_BOUND - 1, &without, wrong, size);
    for (int i = 0; i < 3; i++)
        portolan_property_free(s.properties[i]);
    outcome_clear(&without);
    portolan_system_free(system);
    return result;
}

/* Leaves lines out for as long as the program still opens and still fails. */
static void shrink_text(char *text)
{
    char wrong[600];
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (char *line = text; *line;) {
            size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL), rest = strlen(line + length) + 1;
            char *saved = strndup(line, length);
            if (!saved)
                return;
            memmove(line, line + length, rest);
            struct portolan_system *system = open_quietly(text);
            if (system && check_system(system, 0, wrong, sizeof wrong) == FAILED) {
                smaller = true;
            } else {
                memmove(line + length, line, rest);
                memcpy(line, saved, length);
                line += length;
            }
            free(saved);
        }
    }
}

static enum result check_program(uint64_t seed, uint64_t number)
{
    char wrong[600] = "";
    char *text = random_program(seed * 1000003 + number);
    struct portolan_system *system = text ? open_program(text) : NULL;
    enum result result = system ? check_system(system, 0, wrong, sizeof wrong) : FAILED;
    if (result == FAILED && text) {
        printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", number, seed, wrong);
        shrink_text(text);
        printf("%s", text);
    }
    free(text);
    return result;
}

static enum result check_net(uint64_t seed, uint64_t number)
{
    char wrong[600] = "";
    struct random random = random_from(seed, number);
    struct draft draft;
    struct portolan_system *system = NULL;
    draft_random(&draft, &random);
    while (draft.transitions > 5) /* every interleaving is a lot */
        draft_drop_transition(&draft, draft.transitions - 1);
    struct net *net = draft_net(&draft, "random");
    if (!net || net_system_new(net, &system, NULL) != PORTOLAN_OK)
        return FAILED;
    enum result result = check_system(system, NET_STEPS, wrong, sizeof wrong);
    if (result == FAILED)
        printf("net %" PRIu64 " of seed %" PRIu64 ": %s\n", number, seed, wrong);
    return result;
}

static enum result check_file(const char *path)
{
    char wrong[600] = "";
    struct portolan_system *system;
    struct portolan_error error;
    enum result result = FAILED;
    if (portolan_open(path, &system, &error) != PORTOLAN_OK)
        diagnostic_write(&error, stdout);
    else
        result = check_system(system, 0, wrong, sizeof wrong);
    if (result == FAILED)
        printf("%s: %s\n", path, wrong);
    return result;
}

int main(int argc, char **argv)
{
    uint64_t programs = 0, nets = 0, seed = 1, first = 0, tally[3] = {0};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            programs = value;
        else if (strcmp(argv[i], "--nets") == 0)
            nets = value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            first = value;
        else
            return 2;
    }
    for (; i < argc; i++)
        tally[check_file(argv[i])]++;
    for (uint64_t k = first; k < first + programs; k++)
        tally[check_program(seed, k)]++;
    for (uint64_t k = first; k < first + nets; k++)
        tally[check_net(seed, k)]++;
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " too large; executions: none %" PRIu64 ", bpor %" PRIu64
           "\n",
           tally[PASSED], tally[FAILED], tally[SKIPPED], executions_of_none, executions_of_bpor);
    return tally[FAILED] != 0 || tally[PASSED] == 0;
}
