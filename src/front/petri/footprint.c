#include "front/petri/footprint.h"

#include <stdlib.h>
#include <string.h>

bool net_footprint_make(struct net_footprint *footprint, const struct net *net)
{
    uint32_t arcs = net->arc_offset[net->transitions];
    footprint->accesses = calloc((size_t)arcs + 1, sizeof *footprint->accesses);
    footprint->waits_for = calloc((size_t)net->transitions + 1, sizeof *footprint->waits_for);
    if (!footprint->accesses || !footprint->waits_for)
        return false;
    footprint->view.agents = net->transitions;
    footprint->view.objects = net->places;
    for (uint32_t t = 0; t < net->transitions; t++) {
        uint32_t count = net->arc_offset[t + 1] - net->arc_offset[t];
        if (count > footprint->view.most_accesses)
            footprint->view.most_accesses = count;
        footprint->waits_for[t] = PORTOLAN_NO_OBJECT;
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
            const struct net_arc *arc = &net->arc[i];
            footprint->accesses[i] = (struct portolan_access){
                .object = arc->place, .writes = arc->consume != arc->produce, .synchronises = true};
            if (arc->need || arc->inhibit)
                footprint->waits_for[t] =
                    footprint->waits_for[t] == PORTOLAN_NO_OBJECT ? arc->place : PORTOLAN_SEVERAL_OBJECTS;
        }
    }
    return true;
}

void net_footprint_clear(struct net_footprint *footprint)
{
    free(footprint->accesses);
    free(footprint->waits_for);
    memset(footprint, 0, sizeof *footprint);
}

void net_footprint_step(const struct net_footprint *footprint, const struct net *net, uint32_t transition,
                        struct portolan_step *step)
{
    uint32_t first = net->arc_offset[transition], count = net->arc_offset[transition + 1] - first;
    step->action = transition;
    step->waits_for = footprint->waits_for[transition];
    step->varies = false;
    step->access_count = count;
    if (count)
        memcpy(step->accesses, footprint->accesses + first, count * sizeof *step->accesses);
}
