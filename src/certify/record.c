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

struct portolan_callbacks record_callbacks(struct record *record)
{
    return (struct portolan_callbacks){.user = record, .edge = on_edge};
}

void record_clear(struct record *record)
{
    free(record->edges.item);
    memset(record, 0, sizeof *record);
}
