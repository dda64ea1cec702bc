/* SPDX-License-Identifier: Apache-2.0 */
#include "proviso/proviso.h"

#include "proviso/all.h"

#include <stdlib.h>
#include <string.h>

const struct proviso_class *const provisos[] = {&proviso_none,         &proviso_stack_safety,   &proviso_stack_liveness,
                                                &proviso_queue_safety, &proviso_queue_liveness, &proviso_safe,
                                                &proviso_safe_printed, &proviso_color,          &proviso_color_star,
                                                &proviso_scc,          &proviso_scc_liveness,   &proviso_nodup,
                                                &proviso_age,          &proviso_age_printed,    NULL};

const char *state_order_name(enum state_order order)
{
    switch (order) {
    case ANY_ORDER: return "any";
    case DEPTH_FIRST: return "dfs";
    case BREADTH_FIRST: return "bfs";
    }
    return "";
}

struct proviso *proviso_new(const struct proviso_class *class, size_t size)
{
    struct proviso *proviso = calloc(1, size);
    if (proviso)
        proviso->class = class;
    return proviso;
}

const struct proviso_class *proviso_find(const char *name)
{
    for (size_t i = 0; provisos[i]; i++)
        if (strcmp(provisos[i]->name, name) == 0)
            return provisos[i];
    return NULL;
}
