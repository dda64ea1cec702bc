/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of thread programs: every reachable state, found by a search that shares nothing with the engine. */
#ifndef TESTS_UNIT_THREADS_SUPPORT_H
#define TESTS_UNIT_THREADS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vector.h"
#include "random_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state_set { /* states in the order of discovery, and a table of their numbers + 1 */
    unsigned char *bytes;
    size_t bytes_capacity;
    size_t count, size;
    uint32_t *slots;
    size_t slot_count;
};

static inline uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 29;
}

static inline unsigned char *state_at(const struct state_set *set, size_t number)
{
    return set->bytes + number * set->size;
}

static inline void grow_slots(struct state_set *set)
{
    free(set->slots);
    set->slot_count = set->slot_count ? set->slot_count * 2 : 1024;
    set->slots = calloc(set->slot_count, sizeof *set->slots);
    assert_non_null(set->slots);
    for (size_t i = 0; i < set->count; i++) {
        size_t at = hash_bytes(state_at(set, i), set->size) % set->slot_count;
        while (set->slots[at])
            at = (at + 1) % set->slot_count;
        set->slots[at] = (uint32_t)i + 1;
    }
}

/* False when it was there before. */
static inline bool state_add(struct state_set *set, const unsigned char *state)
{
    if (set->count * 2 >= set->slot_count)
        grow_slots(set);
    size_t at = hash_bytes(state, set->size) % set->slot_count;
    for (; set->slots[at]; at = (at + 1) % set->slot_count)
        if (memcmp(state_at(set, set->slots[at] - 1), state, set->size) == 0)
            return false;
    assert_true(vector_grow((void **)&set->bytes, &set->bytes_capacity, (set->count + 1) * set->size, 1));
    memcpy(state_at(set, set->count), state, set->size);
    set->slots[at] = (uint32_t)++set->count;
    return true;
}

static inline void state_set_clear(struct state_set *set)
{
    free(set->bytes);
    free(set->slots);
    memset(set, 0, sizeof *set);
}

static inline struct state_set all_states(const struct portolan_system *system)
{
    struct state_set set = {.size = system->state_bytes};
    unsigned char *state = malloc(system->state_bytes), *next = malloc(system->state_bytes);
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    assert_true(state && next && enabled);
    system->initial(system->model, state);
    state_add(&set, state);
    for (size_t i = 0; i < set.count; i++) {
        memcpy(state, state_at(&set, i), set.size);
        uint32_t count = system->enabled(system->model, state, enabled);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(system->fire(system->model, state, enabled[k], next), PORTOLAN_FIRED);
            state_add(&set, next);
        }
    }
    free(state);
    free(next);
    free(enabled);
    return set;
}

static inline int64_t value_of(const struct portolan_system *system, const void *state, const char *name)
{
    uint32_t variable;
    if (!system->find_variable(system->model, name, &variable))
        fail_msg("there is no variable %s", name);
    return system->value(system->model, state, variable);
}

static inline struct portolan_system *opened(const char *text)
{
    struct portolan_system *system = open_program(text);
    assert_non_null(system);
    return system;
}

static inline int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "1 0": the values of the variables, and what is wrong. */
static inline char *outcome(const struct portolan_system *system, const void *state, const char *variables)
{
    char text[200], names[100], *out = text;
    strcpy(names, variables);
    for (const char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        out += sprintf(out, "%s%lld", out == text ? "" : " ", (long long)value_of(system, state, name));
    if (!system->is_final(system->model, state))
        out += sprintf(out, " deadlock");
    if (value_of(system, state, "failed"))
        sprintf(out, " failed");
    return strdup(text);
}

/* The outcomes of all states in which nothing is enabled, sorted, each once, separated by "; ". */
static inline char *ends_of(const struct portolan_system *system, const char *variables)
{
    struct state_set set = all_states(system);
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    VECTOR(char *) outcomes = {0};
    for (size_t i = 0; i < set.count; i++)
        if (system->enabled(system->model, state_at(&set, i), enabled) == 0)
            assert_true(vector_push(&outcomes, outcome(system, state_at(&set, i), variables)));
    if (outcomes.count)
        qsort(outcomes.item, outcomes.count, sizeof *outcomes.item, by_text);
    char *all = calloc(outcomes.count + 1, 204);
    for (size_t i = 0; i < outcomes.count; i++) {
        if (i == 0 || strcmp(outcomes.item[i], outcomes.item[i - 1]) != 0) {
            strcat(all, *all ? "; " : "");
            strcat(all, outcomes.item[i]);
        }
    }
    for (size_t i = 0; i < outcomes.count; i++)
        free(outcomes.item[i]);
    free(outcomes.item);
    free(enabled);
    state_set_clear(&set);
    return all;
}

/* Explores a program fully and compares how it can end. */
static inline void assert_ends(const char *program, const char *variables, const char *expected)
{
    struct portolan_system *system = opened(program);
    char *ends = ends_of(system, variables);
    assert_string_equal(ends, expected);
    free(ends);
    portolan_system_free(system);
}

/* ---------------------------------------------------------------------- traces */

struct tracer {
    const struct portolan_system *system;
    size_t complete;
};

static inline bool steps_conflict(const struct portolan_step *a, const struct portolan_step *b)
{
    for (uint32_t i = 0; i < a->access_count; i++)
        for (uint32_t k = 0; k < b->access_count; k++)
            if (a->accesses[i].object == b->accesses[k].object && (a->accesses[i].writes || b->accesses[k].writes))
                return true;
    return false;
}

/* Sleep sets (Godefroid 1996) alone complete exactly one execution of each Mazurkiewicz trace. */
static inline void trace_from(struct tracer *t, const void *state, uint64_t asleep)
{
    const struct portolan_system *system = t->system;
    const struct portolan_footprint *f = system->footprint;
    struct portolan_access accesses[64][64];
    struct portolan_step step[64];
    unsigned char next[system->state_bytes];
    uint64_t enabled = 0;
    assert_true(f->agents <= 64 && f->most_accesses <= 64);
    for (uint32_t a = 0; a < f->agents; a++) {
        step[a] = (struct portolan_step){.accesses = accesses[a]};
        if (f->next(system->model, state, a, &step[a]) && step[a].enabled)
            enabled |= UINT64_C(1) << a;
    }
    t->complete += enabled == 0;
    for (uint32_t a = 0; a < f->agents; a++) {
        if (!(enabled & ~asleep & UINT64_C(1) << a))
            continue;
        uint64_t still = 0;
        for (uint32_t b = 0; b < f->agents; b++)
            if (asleep >> b & 1 && !steps_conflict(&step[a], &step[b]))
                still |= UINT64_C(1) << b;
        system->fire(system->model, state, step[a].action, next);
        trace_from(t, next, still);
        asleep |= UINT64_C(1) << a;
    }
}

static inline size_t count_traces(const struct portolan_system *system)
{
    struct tracer t = {.system = system};
    unsigned char state[system->state_bytes];
    system->initial(system->model, state);
    trace_from(&t, state, 0);
    return t.complete;
}

#endif
