/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/certify.h"

#include <string.h>

static void on_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct record *record = user;
    struct record_edge edge = {from, action, to};
    if (!vector_push(&record->edges, edge))
        record->failed = true;
}

/* The lengths of four lists, the keeper, then the lists: counts, trace, explored, discharged. */
static void on_vector(void *user, const struct portolan_vector *vector)
{
    struct record *record = user;
    size_t discharged = 0;
    for (size_t i = 0; i < vector->explored_count; i++)
        discharged += vector->discharged[discharged] + 1;
    const struct {
        const uint32_t *item;
        size_t count;
    } lists[] = {{vector->count, vector->entities},
                 {vector->trace, vector->length},
                 {vector->explored, vector->explored_count},
                 {vector->discharged, discharged}};
    enum { LISTS = sizeof lists / sizeof *lists };
    for (size_t l = 0; l < LISTS; l++)
        record->failed |= !vector_push(&record->vectors, (uint32_t)lists[l].count);
    record->failed |= !vector_push(&record->vectors, vector->keeper);
    for (size_t l = 0; l < LISTS; l++)
        for (size_t i = 0; i < lists[l].count; i++)
            record->failed |= !vector_push(&record->vectors, lists[l].item[i]);
}

struct portolan_callbacks record_callbacks(struct record *record)
{
    return (struct portolan_callbacks){.user = record, .edge = on_edge, .vector = on_vector};
}

void record_restart(void *user)
{
    struct record *record = user;
    record->edges.count = record->vectors.count = 0;
}

void record_clear(struct record *record)
{
    free(record->edges.item);
    free(record->vectors.item);
    memset(record, 0, sizeof *record);
}
