/* SPDX-License-Identifier: Apache-2.0 */
/* Which signal woke whom: condition variables as src/native/operations.c has them, along the recorded execution. */
#include "account/account.h"

#include <stdlib.h>

/* A signal that somebody may still be woken by. */
struct permit {
    size_t event;
    uint64_t address, agents; /* those who waited then */
    bool is_used;
};

struct wakes {
    const struct failed_execution *failed;
    size_t *partners;
    uint64_t waiting[64]; /* per agent: the condition variable at which it waits; 0: none */
    size_t released[64];  /* the broadcast that has let it go, + 1 */
    VECTOR(struct permit) permits;
};

static uint64_t those_who_wait(const struct wakes *w, uint64_t address)
{
    uint64_t agents = 0;
    for (unsigned i = 0; i < 64; i++)
        if (w->waiting[i] == address && !w->released[i])
            agents |= UINT64_C(1) << i;
    return agents;
}

static bool signal_one(struct wakes *w, size_t event, uint64_t address)
{
    uint64_t agents = those_who_wait(w, address);
    int permits = 0;
    for (size_t i = 0; i < w->permits.count; i++)
        permits += w->permits.item[i].address == address && !w->permits.item[i].is_used;
    return __builtin_popcountll(agents) <= permits ||
           vector_push(&w->permits, ((struct permit){event, address, agents, false}));
}

static void broadcast(struct wakes *w, size_t event, uint64_t address)
{
    uint64_t agents = those_who_wait(w, address);
    for (unsigned i = 0; i < 64; i++)
        if (agents >> i & 1)
            w->released[i] = event + 1;
    for (size_t i = 0; i < w->permits.count; i++)
        w->permits.item[i].is_used = w->permits.item[i].is_used || w->permits.item[i].address == address;
}

static void wake(struct wakes *w, size_t event, uint32_t agent, uint64_t address)
{
    size_t by = w->released[agent];
    for (size_t i = 0; i < w->permits.count && !by; i++) {
        struct permit *permit = &w->permits.item[i];
        if (permit->address != address || permit->is_used || !(permit->agents >> agent & 1))
            continue;
        permit->is_used = true;
        by = permit->event + 1;
        w->partners[permit->event] = event + 1;
    }
    w->partners[event] = by;
    w->waiting[agent] = w->released[agent] = 0;
}

bool find_wakes(const struct failed_execution *failed, size_t *partners)
{
    struct wakes *w = calloc(1, sizeof *w);
    bool fine = w;
    if (w)
        *w = (struct wakes){.failed = failed, .partners = partners};
    for (size_t i = 0; i < failed->events.count && fine; i++) {
        const struct recorded_event *event = &failed->events.item[i];
        uint32_t agent = event->agent % 64;
        partners[i] = 0;
        switch (event->form) {
        case FORM_WAIT: w->waiting[agent] = event->address; break;
        case FORM_SIGNAL: fine = signal_one(w, i, event->address); break;
        case FORM_BROADCAST: broadcast(w, i, event->address); break;
        case FORM_WAKE: wake(w, i, agent, event->address); break;
        default: break;
        }
    }
    if (w)
        free(w->permits.item);
    free(w);
    return fine;
}
