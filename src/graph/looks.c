/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/looks.h"

void looks_note(struct looks *l, struct look look)
{
    if (!l->is_off && !vector_push(&l->list, look))
        l->no_memory = true;
}

/* Where types do not change, one that is not there never will be. */
void looks_note_type(struct looks *l, const struct grammar *g, uint32_t node, uint32_t type, bool is_exact,
                     uint32_t found)
{
    if (found != NO_NUMBER)
        looks_note(l, (struct look){LOOK_EDGE, node, found, node});
    if (!l->types_change || (found != NO_NUMBER && type != NO_NUMBER))
        return;
    for (uint32_t i = 0; i < g->labels.count; i++)
        if (g->labels.item[i].kind == LABEL_TYPE && i != found &&
            (type == NO_NUMBER || i == type || (!is_exact && is_subtype(g, i, type))))
            looks_note(l, (struct look){LOOK_EDGE, node, i, node});
}
