/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local partial-order reduction without a store: a depth-first search that visits a state as often as it comes by, for
 * the column "stateless" of bench/lpor.  Usage: tree MODEL SECONDS.  Prints steps, executions, seconds of processor
 * time, and "complete" or "time limit".
 */
#include <portolan/lpor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct frame {
    unsigned char *state;
    uint32_t *set;
    uint32_t count, next;
};

struct tree {
    struct portolan_system *system;
    struct portolan_lpor *lpor;
    struct frame *frames;
    size_t depth, capacity;
    uint64_t steps, executions;
};

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Makes room for the next state; false when memory is exhausted. */
static bool grow(struct tree *t)
{
    if (t->depth < t->capacity)
        return true;
    struct frame *moved = realloc(t->frames, (t->capacity + 1) * sizeof *moved);
    if (!moved)
        return false;
    t->frames = moved;
    struct frame *f = &t->frames[t->capacity];
    f->state = malloc(t->system->state_bytes);
    f->set = malloc((t->system->actions + 1) * sizeof *f->set);
    t->capacity++;
    return f->state && f->set;
}

/* Opens the frame whose state has just been written. */
static void enter(struct tree *t)
{
    struct frame *f = &t->frames[t->depth++];
    uint32_t enabled = t->system->enabled(t->system->model, f->state, f->set);
    f->count = portolan_lpor_set(t->lpor, f->state, f->set, enabled, PORTOLAN_LPOR_BEST, f->set);
    f->next = 0;
    t->executions += f->count == 0;
}

/* From the initial state to the end, or to the first state that does not fit. */
static enum portolan_fired search(struct tree *t, double limit)
{
    struct portolan_system *system = t->system;
    t->depth = t->steps = t->executions = 0;
    if (!grow(t))
        return PORTOLAN_TOO_LARGE;
    system->initial(system->model, t->frames[0].state);
    enter(t);
    while (t->depth > 0 && ((t->steps & 0xfff) != 0 || processor_time() < limit)) {
        if (t->frames[t->depth - 1].next == t->frames[t->depth - 1].count) {
            t->depth--;
            continue;
        }
        if (!grow(t))
            return PORTOLAN_TOO_LARGE;
        struct frame *f = &t->frames[t->depth - 1];
        enum portolan_fired fired = system->fire(system->model, f->state, f->set[f->next++], t->frames[t->depth].state);
        if (fired != PORTOLAN_FIRED)
            return fired;
        t->steps++;
        enter(t);
    }
    return PORTOLAN_FIRED;
}

/* What may change an invariant that the model states; NULL when memory is exhausted. */
static bool *visible_actions(const struct portolan_system *system)
{
    bool *visible = calloc(system->actions + 1, sizeof *visible);
    for (size_t i = 0; visible && i < system->stated_count; i++) {
        uint32_t variable;
        char name[128] = "";
        sscanf(system->stated[i].text, "%127[A-Za-z0-9_]", name);
        if (system->stated[i].kind != PORTOLAN_INVARIANT || !system->find_variable(system->model, name, &variable))
            continue;
        for (uint32_t k = system->changers.offset[variable]; k < system->changers.offset[variable + 1]; k++)
            visible[system->changers.item[k]] = true;
    }
    return visible;
}

static void free_frames(struct tree *t)
{
    for (size_t i = 0; i < t->capacity; i++) {
        free(t->frames[i].state);
        free(t->frames[i].set);
    }
    free(t->frames);
    t->frames = NULL;
    t->capacity = 0;
}

int main(int count, char **arguments)
{
    struct tree t = {0};
    struct portolan_error error = {0};
    if (count != 3)
        return 2;
    bool *visible = NULL, failed = portolan_open(arguments[1], &t.system, &error) != PORTOLAN_OK;
    failed = failed || !(visible = visible_actions(t.system)) ||
             portolan_lpor_of_system(t.system, visible, NULL, &t.lpor, &error) != PORTOLAN_OK;
    double limit = atof(arguments[2]);
    enum portolan_fired fired = PORTOLAN_TOO_LARGE;
    while (!failed && (fired = search(&t, limit)) == PORTOLAN_TOO_NARROW) { /* once more with wider states */
        free_frames(&t);
        failed = t.system->widen(t.system) != PORTOLAN_OK;
    }
    if (!failed && fired == PORTOLAN_FIRED)
        printf("%llu %llu %.3f %s\n", (unsigned long long)t.steps, (unsigned long long)t.executions, processor_time(),
               t.depth ? "time limit" : "complete");
    else
        fprintf(stderr, "%s: %s\n", arguments[1], error.message);
    free_frames(&t);
    portolan_lpor_free(t.lpor);
    free(visible);
    if (t.system)
        portolan_system_free(t.system);
    return failed || fired != PORTOLAN_FIRED ? 1 : 0;
}
