/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a model: the states of the present execution, one above the other. */
#include "stateless/system/state_machine.h"

#include "base/diagnostic.h"
#include "base/enabled.h"

#include <stdlib.h>
#include <string.h>

struct state_machine {
    struct machine machine;
    struct portolan_system *system;
    const struct portolan_footprint *view;
    const bool *visible;   /* per action; NULL: none is */
    unsigned char *states; /* capacity of them */
    size_t capacity, top;  /* the last of them in use */
    unsigned char *scratch[2];
    struct portolan_access *scratch_accesses;
};

static unsigned char *state_at(const struct state_machine *m, size_t depth)
{
    return m->states + depth * m->system->state_bytes;
}

const void *state_machine_state(const struct machine *machine, size_t depth)
{
    return state_at((const struct state_machine *)machine, depth);
}

size_t state_machine_key_bytes(const struct machine *machine)
{
    return ((const struct state_machine *)machine)->system->key_bytes;
}

/* Visible steps keep their order: each writes one object more. */
static bool show(const struct state_machine *m, bool has_step, struct portolan_step *step)
{
    if (has_step && m->visible && is_visible(m->system, m->visible, step->action))
        step->accesses[step->access_count++] =
            (struct portolan_access){.object = m->view->objects, .writes = true, .synchronises = true};
    return has_step;
}

static bool next(struct machine *machine, size_t depth, uint32_t agent, struct portolan_step *step)
{
    struct state_machine *m = (struct state_machine *)machine;
    return show(m, m->view->next(m->system->model, state_at(m, depth), agent, step), step);
}

static bool next_as_if(struct machine *machine, size_t now, uint32_t agent, size_t earlier, struct portolan_step *step)
{
    struct state_machine *m = (struct state_machine *)machine;
    if (!m->view->next_as_if)
        return next(machine, earlier, agent, step);
    return show(m, m->view->next_as_if(m->system->model, state_at(m, now), agent, state_at(m, earlier), step), step);
}

static bool grow(struct state_machine *m, size_t needed)
{
    if (needed <= m->capacity)
        return true;
    size_t larger = m->capacity * 2 > needed ? m->capacity * 2 : needed;
    unsigned char *moved = realloc(m->states, larger * m->system->state_bytes);
    if (!moved)
        return false;
    m->states = moved;
    m->capacity = larger;
    return true;
}

/* A wider layout: every state on the stack is rewritten. */
static enum portolan_status widen(struct state_machine *m, struct portolan_error *error)
{
    struct portolan_system *system = m->system;
    size_t old_bytes = system->state_bytes;
    unsigned char *old = m->states;
    enum portolan_status status = system->widen ? system->widen(system) : PORTOLAN_OVERFLOW;
    if (status != PORTOLAN_OK)
        return fail(error, status, "a value became too large to represent");
    m->states = malloc(m->capacity * system->state_bytes);
    for (int i = 0; i < 2; i++) {
        free(m->scratch[i]);
        m->scratch[i] = malloc(system->state_bytes);
    }
    if (!m->states || !m->scratch[0] || !m->scratch[1]) {
        free(old);
        return fail_memory(error);
    }
    for (size_t d = 0; d <= m->top; d++)
        system->convert(system->model, old + d * old_bytes, state_at(m, d));
    free(old);
    return PORTOLAN_OK;
}

/* Fires the agents' steps on scratch states; *narrow when a layout is too narrow for one of them. */
static const unsigned char *fire_all(struct state_machine *m, size_t depth, const uint32_t *agents, size_t count,
                                     bool *narrow)
{
    const void *model = m->system->model;
    const unsigned char *present = state_at(m, depth);
    struct portolan_step taken = {.accesses = m->scratch_accesses};
    *narrow = false;
    for (size_t i = 0; i < count; i++) {
        unsigned char *following = m->scratch[i % 2];
        if (!m->view->next(model, present, agents[i], &taken) || !taken.enabled)
            return NULL;
        enum portolan_fired fired = m->system->fire(model, present, taken.action, following);
        *narrow = fired == PORTOLAN_TOO_NARROW;
        if (fired != PORTOLAN_FIRED)
            return NULL;
        present = following;
    }
    return present;
}

static bool next_after(struct machine *machine, size_t depth, const uint32_t *agents, size_t count, uint32_t agent,
                       struct portolan_step *step)
{
    struct state_machine *m = (struct state_machine *)machine;
    bool narrow;
    const unsigned char *state;
    while (!(state = fire_all(m, depth, agents, count, &narrow)) && narrow)
        if (widen(m, NULL) != PORTOLAN_OK)
            return false;
    return state && show(m, m->view->next(m->system->model, state, agent, step), step);
}

static enum portolan_status take(struct machine *machine, size_t depth, uint32_t agent,
                                 const struct portolan_step *step, struct portolan_error *error)
{
    struct state_machine *m = (struct state_machine *)machine;
    (void)agent;
    m->top = depth;
    if (!grow(m, depth + 2))
        return fail_memory(error);
    for (;;) {
        switch (m->system->fire(m->system->model, state_at(m, depth), step->action, state_at(m, depth + 1))) {
        case PORTOLAN_FIRED: m->top = depth + 1; return PORTOLAN_OK;
        case PORTOLAN_TOO_LARGE: return fail(error, PORTOLAN_OVERFLOW, "a value became too large to represent");
        case PORTOLAN_TOO_NARROW: break;
        }
        enum portolan_status status = widen(m, error);
        if (status != PORTOLAN_OK)
            return status;
    }
}

static enum machine_end end(struct machine *machine, size_t depth)
{
    struct state_machine *m = (struct state_machine *)machine;
    const struct portolan_system *system = m->system;
    return system->is_final && system->is_final(system->model, state_at(m, depth)) ? MACHINE_FINISHED
                                                                                   : MACHINE_DEADLOCKED;
}

static size_t bytes(const struct machine *machine)
{
    const struct state_machine *m = (const struct state_machine *)machine;
    return m->capacity * m->system->state_bytes;
}

static void free_machine(struct machine *machine)
{
    struct state_machine *m = (struct state_machine *)machine;
    free(m->states);
    free(m->scratch[0]);
    free(m->scratch[1]);
    free(m->scratch_accesses);
    free(m);
}

static const struct machine_class state_machine = {.next = next,
                                                   .next_as_if = next_as_if,
                                                   .next_after = next_after,
                                                   .take = take,
                                                   .end = end,
                                                   .bytes = bytes,
                                                   .free = free_machine};

struct machine *state_machine_make(struct portolan_system *system, const bool *visible)
{
    const struct portolan_footprint *view = system->footprint;
    struct state_machine *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->machine = (struct machine){&state_machine, view->agents, view->objects + 1, view->most_accesses + 1};
    m->system = system;
    m->view = view;
    m->visible = visible;
    m->capacity = 64;
    m->states = malloc(m->capacity * system->state_bytes);
    m->scratch[0] = malloc(system->state_bytes);
    m->scratch[1] = malloc(system->state_bytes);
    m->scratch_accesses = calloc((size_t)view->most_accesses + 1, sizeof *m->scratch_accesses);
    if (!m->states || !m->scratch[0] || !m->scratch[1] || !m->scratch_accesses) {
        free_machine(&m->machine);
        return NULL;
    }
    system->initial(system->model, m->states);
    return &m->machine;
}
