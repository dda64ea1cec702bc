/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/pnml_nodes.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *pnml_nodes_id(const struct pnml_nodes *table, uint32_t node)
{
    return table->ids.item + table->nodes.item[node].id;
}

/* The slot that holds this id, or the free one where it belongs. */
static size_t find_slot(const struct pnml_nodes *table, const char *id, size_t length)
{
    size_t at = XXH3_64bits(id, length) & (table->slots - 1);
    for (; table->slot[at]; at = (at + 1) & (table->slots - 1)) {
        const char *other = pnml_nodes_id(table, table->slot[at] - 1);
        if (strncmp(other, id, length) == 0 && other[length] == '\0')
            break;
    }
    return at;
}

/* Keeps at least half of the slots free. */
static bool make_room(struct pnml_nodes *table)
{
    if (table->nodes.count < table->slots / 2)
        return true;
    size_t slots = table->slots ? 2 * table->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    for (uint32_t node = 0; node < table->nodes.count; node++) {
        const char *id = pnml_nodes_id(table, node);
        table->slot[find_slot(table, id, strlen(id))] = node + 1;
    }
    return true;
}

bool pnml_nodes_mention(struct pnml_nodes *table, const char *id, size_t length, uint32_t *node)
{
    if (!make_room(table))
        return false;
    size_t at = find_slot(table, id, length);
    if (!table->slot[at]) {
        if (table->nodes.count >= UINT32_MAX - 1 || !vector_reserve(&table->nodes, 1) ||
            !vector_reserve(&table->ids, length + 1))
            return false;
        table->nodes.item[table->nodes.count++] = (struct pnml_node){.id = table->ids.count};
        memcpy(table->ids.item + table->ids.count, id, length);
        table->ids.count += length;
        table->ids.item[table->ids.count++] = '\0';
        table->slot[at] = (uint32_t)table->nodes.count;
    }
    *node = table->slot[at] - 1;
    return true;
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
    free(table->ids.item);
    free(table->slot);
    *table = (struct pnml_nodes){0};
}
