/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a callback which vector is explored and how. */
#include "search/probe/probe.h"

static bool append(struct prober *p, uint32_t action)
{
    return vector_push(&p->told, p->entities->action(p->view, action));
}

static bool append_discharged(struct prober *p, const struct probed *probed)
{
    uint32_t event;
    if (!vector_push(&p->told, set_size(probed->discharged, p->trace.words)))
        return false;
    for (size_t w = 0; w < p->trace.words; w++)
        for_bits(event, probed->discharged[w], w) if (!append(p, p->trace.action[event])) return false;
    return true;
}

bool tell_vector(struct prober *p)
{
    const struct portolan_callbacks *callbacks = &p->explorer->search->options->callbacks;
    const struct trace *t = &p->trace;
    if (!callbacks->vector)
        return true;
    p->told.count = 0;
    for (uint32_t i = 0; i < t->events; i++)
        if (!append(p, t->action[i]))
            return false;
    for (size_t i = 0; i < p->chosen.count; i++)
        if (!append(p, p->chosen.item[i].action))
            return false;
    for (size_t i = 0; i < p->chosen.count; i++)
        if (!append_discharged(p, &p->chosen.item[i]))
            return false;
    bool keeps = p->chosen.count && p->keeper != NOTHING;
    callbacks->vector(callbacks->user,
                      &(struct portolan_vector){.count = t->start_count + 1,
                                                .entities = t->entities - 1,
                                                .trace = p->told.item,
                                                .length = t->events,
                                                .keeper = keeps ? p->entities->action(p->view, p->keeper) : NOTHING,
                                                .explored = p->told.item + t->events,
                                                .explored_count = p->chosen.count,
                                                .discharged = p->told.item + t->events + p->chosen.count});
    return true;
}
