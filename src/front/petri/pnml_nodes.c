/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/pnml_nodes.h"

const char *pnml_nodes_id(const struct pnml_nodes *table, uint32_t node)
{
    return names_get(&table->ids, node);
}

bool pnml_nodes_mention(struct pnml_nodes *table, const char *id, size_t length, uint32_t *node)
{
    if (!names_add_piece(&table->ids, id, length, node))
        return false;
    return *node < table->nodes.count || vector_push(&table->nodes, (struct pnml_node){0});
}

static bool is_reference(const struct pnml_node *node)
{
    return node->kind == PNML_REFERENCE_PLACE || node->kind == PNML_REFERENCE_TRANSITION;
}

/* Where the references from `start` end, and the last one before; a walk that meets its own trail found a cycle. */
static enum pnml_reference_fault walk(struct pnml_nodes *table, uint32_t start, uint32_t *last, uint32_t *end)
{
    enum pnml_kind wanted = table->nodes.item[start].kind == PNML_REFERENCE_PLACE ? PNML_PLACE : PNML_TRANSITION;
    uint32_t at = start;
    while (is_reference(&table->nodes.item[at])) {
        struct pnml_node *node = &table->nodes.item[at];
        if (node->walk == start + 1)
            return PNML_REFERENCE_CYCLE;
        node->walk = start + 1;
        *last = at;
        at = node->number;
    }
    *end = at;
    if (table->nodes.item[at].kind == PNML_MENTIONED)
        return PNML_REFERENCE_DANGLING;
    return table->nodes.item[at].kind == wanted ? PNML_REFERENCES_FINE : PNML_REFERENCE_WRONG_KIND;
}

enum pnml_reference_fault pnml_nodes_resolve(struct pnml_nodes *table, uint32_t *wrong)
{
    for (uint32_t start = 0; start < table->nodes.count; start++) {
        if (!is_reference(&table->nodes.item[start]))
            continue;
        uint32_t last = start, end = start;
        enum pnml_reference_fault fault = walk(table, start, &last, &end);
        if (fault != PNML_REFERENCES_FINE) {
            *wrong = fault == PNML_REFERENCE_DANGLING ? last : start;
            return fault;
        }
        /* shorten the whole trail, so that long chains are walked once */
        for (uint32_t at = start; at != end;) {
            struct pnml_node *node = &table->nodes.item[at];
            at = node->number;
            node->number = end;
        }
    }
    return PNML_REFERENCES_FINE;
}

const struct pnml_node *pnml_nodes_target(const struct pnml_nodes *table, uint32_t node)
{
    const struct pnml_node *found = &table->nodes.item[node];
    return is_reference(found) ? &table->nodes.item[found->number] : found;
}

void pnml_nodes_clear(struct pnml_nodes *table)
{
    free(table->nodes.item);
    names_clear(&table->ids);
    *table = (struct pnml_nodes){0};
}
