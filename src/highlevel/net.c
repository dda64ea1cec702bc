/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a high-level net: all of it stands in its arena. */
#include "highlevel/net.h"

#include <dlfcn.h>
#include <string.h>

struct colour_net *colour_net_new(const char *name)
{
    struct colour_net *net = calloc(1, sizeof *net);
    if (!net)
        return NULL;
    net->format = "lna";
    if (!(net->arena = calloc(1, sizeof *net->arena)) || !(net->name = arena_copy(net->arena, name, strlen(name)))) {
        colour_net_free(net);
        return NULL;
    }
    return net;
}

bool colour_find_transition(const struct colour_net *net, const char *name, uint32_t *transition)
{
    for (size_t i = 0; i < net->transitions.count; i++) {
        const struct colour_transition *t = &net->transitions.item[i];
        if (strcmp(t->name, name) != 0 && (!t->id || strcmp(t->id, name) != 0))
            continue;
        *transition = (uint32_t)i;
        return true;
    }
    return false;
}

void colour_net_free(struct colour_net *net)
{
    if (net && net->library)
        dlclose(net->library);
    if (net && net->arena)
        arena_clear(net->arena);
    if (net)
        free(net->arena);
    free(net);
}

/* The old items stay where they are until the arena goes. */
bool arena_grow(struct arena *arena, void **items, size_t *capacity, size_t count, size_t size)
{
    size_t larger = *capacity * 2 + 4;
    void *moved = larger > SIZE_MAX / size ? NULL : arena_get(arena, larger * size);
    if (!moved)
        return false;
    if (count > 0)
        memcpy(moved, *items, count * size);
    *items = moved;
    *capacity = larger;
    return true;
}
