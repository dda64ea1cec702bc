/* SPDX-License-Identifier: Apache-2.0 */
#include "system/check_footprints.h"

#include "base/accesses.h"
#include "base/limits.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct footprint_check {
    const struct portolan_system *system;
    const struct portolan_footprint *view;
    bool *has_step;                     /* per agent */
    bool *is_step;                      /* per action: of an enabled step */
    struct portolan_step *steps;        /* per agent, and one more */
    struct portolan_access *accesses;   /* of those */
    unsigned char *after, *one, *other; /* states */
    size_t after_bytes, one_bytes, other_bytes;
};

struct footprint_check *footprint_check_make(const struct portolan_system *system)
{
    struct footprint_check *c = calloc(1, sizeof *c);
    const struct portolan_footprint *view = system->footprint;
    if (!c)
        return NULL;
    size_t agents = (size_t)view->agents + 1, most = (size_t)view->most_accesses + 1;
    c->system = system;
    c->view = view;
    c->has_step = calloc(agents, sizeof *c->has_step);
    c->is_step = calloc((size_t)system->actions + 1, sizeof *c->is_step);
    c->steps = calloc(agents, sizeof *c->steps);
    c->accesses = calloc(agents * most, sizeof *c->accesses);
    if (!c->has_step || !c->is_step || !c->steps || !c->accesses) {
        footprint_check_free(c);
        return NULL;
    }
    for (size_t i = 0; i < agents; i++)
        c->steps[i].accesses = c->accesses + i * most;
    return c;
}

void footprint_check_free(struct footprint_check *c)
{
    if (!c)
        return;
    free(c->has_step);
    free(c->is_step);
    free(c->steps);
    free(c->accesses);
    free(c->after);
    free(c->one);
    free(c->other);
    free(c);
}

static bool touches_alike(const struct portolan_step *a, const struct portolan_step *b)
{
    for (uint32_t i = 0; i < a->access_count; i++) {
        uint32_t j = 0;
        while (j < b->access_count && b->accesses[j].object != a->accesses[i].object)
            j++;
        if (j == b->access_count || a->accesses[i].writes != b->accesses[j].writes ||
            a->accesses[i].group != b->accesses[j].group)
            return false;
    }
    return a->access_count == b->access_count;
}

static bool is_same(const struct portolan_step *a, const struct portolan_step *b)
{
    return a->action == b->action && a->enabled == b->enabled && touches_alike(a, b);
}

/* The next step of every agent, against what is enabled. */
static struct footprint_lie check_steps(struct footprint_check *c, const void *state, const bool *is_enabled)
{
    const void *model = c->system->model;
    struct portolan_step *again = &c->steps[c->view->agents];
    memset(c->is_step, 0, c->system->actions * sizeof *c->is_step);
    for (uint32_t agent = 0; agent < c->view->agents; agent++) {
        struct portolan_step *step = &c->steps[agent];
        c->has_step[agent] = c->view->next(model, state, agent, step);
        if (!c->has_step[agent])
            continue;
        if (step->enabled != is_enabled[step->action])
            return (struct footprint_lie){step->action, UINT32_MAX,
                                          step->enabled ? "is disabled, but an agent's next step that is not"
                                                        : "is enabled, but an agent's next step that is not"};
        c->is_step[step->action] |= step->enabled;
        if (c->view->next_as_if && (!c->view->next_as_if(model, state, agent, state, again) || !is_same(step, again)))
            return (struct footprint_lie){step->action, UINT32_MAX, "is another step as if nothing had changed"};
    }
    for (uint32_t action = 0; action < c->system->actions; action++)
        if (is_enabled[action] && !c->is_step[action])
            return (struct footprint_lie){action, UINT32_MAX, "is enabled, but no agent's next step"};
    return (struct footprint_lie){0};
}

static bool fires(const struct footprint_check *c, const void *from, uint32_t action, void *to)
{
    return c->system->fire(c->system->model, from, action, to) == PORTOLAN_FIRED;
}

/* What the step of an agent, which leads to c->after, has to do with that of another that it has no conflict with. */
static struct footprint_lie check_pair(struct footprint_check *c, const void *state, uint32_t agent, uint32_t other)
{
    const struct portolan_step *a = &c->steps[agent], *b = &c->steps[other];
    struct portolan_step *later = &c->steps[c->view->agents];
    if (!c->view->next(c->system->model, c->after, other, later) || later->action != b->action)
        return (struct footprint_lie){a->action, b->action, "has no conflict with, but takes away, the next step"};
    if (later->enabled != b->enabled)
        return (struct footprint_lie){a->action, b->action, "has no conflict with, but enables or disables,"};
    if (!touches_alike(later, b))
        return (struct footprint_lie){a->action, b->action, "has no conflict with, but changes what is touched by,"};
    if (!b->enabled || !fires(c, c->after, b->action, c->one) || !fires(c, state, b->action, c->other) ||
        !fires(c, c->other, a->action, c->after)) /* from here on c->after is the end of the other order */
        return (struct footprint_lie){0};
    if (memcmp(c->one, c->after, c->system->key_bytes) != 0)
        return (struct footprint_lie){a->action, b->action, "has no conflict with, but does not commute with,"};
    return (struct footprint_lie){0};
}

static bool make_room(struct footprint_check *c)
{
    size_t bytes = c->system->state_bytes;
    return vector_grow((void **)&c->after, &c->after_bytes, bytes, 1) &&
           vector_grow((void **)&c->one, &c->one_bytes, bytes, 1) &&
           vector_grow((void **)&c->other, &c->other_bytes, bytes, 1);
}

bool check_footprints(struct footprint_check *c, const void *state, const bool *is_enabled, struct footprint_lie *lie)
{
    if (!make_room(c))
        return false;
    *lie = check_steps(c, state, is_enabled);
    for (uint32_t agent = 0; agent < c->view->agents && !lie->reason; agent++) {
        const struct portolan_step *a = &c->steps[agent];
        if (!c->has_step[agent] || !a->enabled)
            continue;
        for (uint32_t other = 0; other < c->view->agents && !lie->reason && !limits_reached(); other++) {
            const struct portolan_step *b = &c->steps[other];
            if (other == agent || !c->has_step[other] ||
                accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count) ||
                !fires(c, state, a->action, c->after))
                continue;
            *lie = check_pair(c, state, agent, other);
        }
    }
    return true;
}
