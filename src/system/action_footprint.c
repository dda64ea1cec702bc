/* SPDX-License-Identifier: Apache-2.0 */
#include "system/action_footprint.h"

#include <stdlib.h>
#include <string.h>

bool action_footprint_make(struct action_footprint *f, uint32_t actions, uint32_t objects, size_t accesses)
{
    f->view.agents = actions;
    f->view.objects = objects;
    f->first = calloc((size_t)actions + 1, sizeof *f->first);
    f->accesses = calloc(accesses + 1, sizeof *f->accesses);
    f->waits_for = malloc(((size_t)actions + 1) * sizeof *f->waits_for);
    if (!f->first || !f->accesses || !f->waits_for)
        return false;
    for (uint32_t a = 0; a < actions; a++)
        f->waits_for[a] = PORTOLAN_NO_OBJECT;
    return true;
}

void action_footprint_clear(struct action_footprint *f)
{
    free(f->first);
    free(f->accesses);
    free(f->waits_for);
    memset(f, 0, sizeof *f);
}

void action_footprint_add(struct action_footprint *f, uint32_t action, uint32_t object, bool writes, bool needs)
{
    f->accesses[f->count++] = (struct portolan_access){.object = object, .writes = writes, .synchronises = true};
    for (; f->begun < action; f->begun++)
        f->first[f->begun + 1] = f->count - 1; /* actions without any, and the one before */
    if (f->count - f->first[action] > f->view.most_accesses)
        f->view.most_accesses = f->count - f->first[action];
    if (needs)
        f->waits_for[action] = f->waits_for[action] == PORTOLAN_NO_OBJECT ? object : PORTOLAN_SEVERAL_OBJECTS;
}

void action_footprint_finish(struct action_footprint *f)
{
    for (; f->begun < f->view.agents; f->begun++)
        f->first[f->begun + 1] = f->count;
}

void action_footprint_step(const struct action_footprint *f, uint32_t action, struct portolan_step *step)
{
    uint32_t first = f->first[action], count = f->first[action + 1] - first;
    step->action = action;
    step->waits_for = f->waits_for[action];
    step->varies = false;
    step->access_count = count;
    if (count)
        memcpy(step->accesses, f->accesses + first, count * sizeof *step->accesses);
}
