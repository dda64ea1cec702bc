/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colour proviso C2_c^L of Evangelista and Pajault, section 6.1, figure 7,
 * and its variant with anticipation C2_c*^L, section 6.2.
 *
 *   green   may be reached by anyone: fully expanded, or all successors green
 *   orange  on the stack, partially expanded; may be reached when a fully
 *           expanded state lies between it and the source
 *   purple  (anticipation) orange, and known to become red
 *   red     left the stack with a successor that was not green; may be reached
 *           by fully expanded states only
 *
 * An edge from an orange state to a red one forces the source's full expansion
 * also when the target turned red after the reduced set was chosen (lines
 * VISIT.14-19); without that, cycles without a fully expanded state remain.
 */
#include "base/vector.h"
#include "checkpoint/archive.h"
#include "proviso/all.h"

#include <string.h>

enum color { GREEN, ORANGE, PURPLE, RED };

struct mark {               /* of a state */
    uint32_t expanded : 30; /* fully expanded states below it on the stack when it was pushed */
    uint32_t color : 2;
};

struct stacked {
    uint32_t state;
    bool fully;
    bool all_green; /* so far */
    bool last;      /* every outgoing edge has been followed */
};

struct colored {
    struct proviso base;
    bool anticipate;
    struct mark *mark;
    size_t capacity;
    VECTOR(struct stacked) stack;
    uint32_t expanded; /* fully expanded states on the stack */
};

static struct proviso *make(const struct proviso_class *class, uint32_t actions, bool weak_sets)
{
    struct proviso *proviso = proviso_new(class, sizeof(struct colored));
    (void)actions;
    (void)weak_sets;
    if (proviso)
        ((struct colored *)proviso)->anticipate = class == &proviso_color_star;
    return proviso;
}

static void free_proviso(struct proviso *proviso)
{
    struct colored *p = (struct colored *)proviso;
    free(p->mark);
    free(p->stack.item);
    free(p);
}

static size_t bytes(const struct proviso *proviso)
{
    const struct colored *p = (const struct colored *)proviso;
    return p->capacity * sizeof *p->mark + p->stack.capacity * sizeof *p->stack.item;
}

static bool enter(struct proviso *proviso, uint32_t state, bool last)
{
    struct colored *p = (struct colored *)proviso;
    struct stacked stacked = {.state = state, .all_green = true};
    if (!vector_grow((void **)&p->mark, &p->capacity, (size_t)state + 1, sizeof *p->mark))
        return false;
    if (p->stack.count)
        p->stack.item[p->stack.count - 1].last = last;
    if (!vector_push(&p->stack, stacked))
        return false;
    p->mark[state] = (struct mark){.expanded = p->expanded, .color = ORANGE};
    return true;
}

static bool accept(struct proviso *proviso, uint32_t state, const struct seen_successor *successors, size_t count)
{
    const struct colored *p = (const struct colored *)proviso;
    for (size_t i = 0; i < count; i++) {
        if (successors[i].standing == STANDING_NEW)
            continue;
        struct mark target = p->mark[successors[i].state];
        if (target.color == RED || (target.color != GREEN && target.expanded == p->mark[state].expanded))
            return false;
    }
    return true;
}

/* From the given depth downwards: states all of whose edges were followed and led to green become green. */
static void anticipate_green(struct colored *p, size_t depth)
{
    while (depth-- > 0) {
        const struct stacked *s = &p->stack.item[depth];
        if (p->mark[s->state].color != ORANGE || !s->last)
            return;
        p->mark[s->state].color = GREEN;
    }
}

/* From the top downwards: states that lead to one that will be red will be red themselves. */
static void anticipate_red(struct colored *p)
{
    for (size_t depth = p->stack.count; depth-- > 0;) {
        struct mark *mark = &p->mark[p->stack.item[depth].state];
        if (mark->color != ORANGE)
            return;
        mark->color = PURPLE;
    }
}

static bool expanded(struct proviso *proviso, uint32_t state, bool fully, const uint32_t *actions, size_t count)
{
    struct colored *p = (struct colored *)proviso;
    struct stacked *top = &p->stack.item[p->stack.count - 1];
    (void)actions;
    (void)count;
    top->last = false;
    if (fully && !top->fully) {
        top->fully = true;
        p->expanded++;
        p->mark[state].color = GREEN;
        if (p->anticipate)
            anticipate_green(p, p->stack.count - 1);
    }
    return true;
}

static bool edge(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last)
{
    struct colored *p = (struct colored *)proviso;
    struct stacked *top = &p->stack.item[p->stack.count - 1];
    enum color target = p->mark[to].color, source = p->mark[from].color;
    if (!returned && target == RED && source != GREEN)
        return true;
    top->last = last;
    if (target != GREEN)
        top->all_green = false;
    if (p->anticipate && target == GREEN)
        anticipate_green(p, p->stack.count);
    else if (p->anticipate && target != GREEN)
        anticipate_red(p);
    return false;
}

static void leave(struct proviso *proviso, uint32_t state)
{
    struct colored *p = (struct colored *)proviso;
    const struct stacked *top = &p->stack.item[--p->stack.count];
    struct mark *mark = &p->mark[state];
    if (top->fully)
        p->expanded--;
    if (mark->color == ORANGE)
        mark->color = top->all_green ? GREEN : RED;
    else if (mark->color == PURPLE)
        mark->color = RED;
}

static void keep(struct proviso *proviso, struct archive *archive, size_t states)
{
    struct colored *p = (struct colored *)proviso;
    uint64_t expanded = p->expanded;
    archive_known(archive, (void **)&p->mark, &p->capacity, states, sizeof *p->mark);
    archive_vector(archive, &p->stack);
    archive_number(archive, &expanded);
    p->expanded = (uint32_t)expanded;
}

const struct proviso_class proviso_color = {.name = "color",
                                            .summary = "colours keep partially expanded cycles apart",
                                            .order = DEPTH_FIRST,
                                            .form = PROVISO_LIVENESS,
                                            .make = make,
                                            .free = free_proviso,
                                            .bytes = bytes,
                                            .enter = enter,
                                            .accept = accept,
                                            .expanded = expanded,
                                            .edge = edge,
                                            .leave = leave,
                                            .keep = keep};
const struct proviso_class proviso_color_star = {.name = "color-star",
                                                 .summary = "colours, assigned as early as they are known",
                                                 .order = DEPTH_FIRST,
                                                 .form = PROVISO_LIVENESS,
                                                 .make = make,
                                                 .free = free_proviso,
                                                 .bytes = bytes,
                                                 .enter = enter,
                                                 .accept = accept,
                                                 .expanded = expanded,
                                                 .edge = edge,
                                                 .leave = leave,
                                                 .keep = keep};
