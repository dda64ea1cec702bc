/* SPDX-License-Identifier: Apache-2.0 */
/* A system of the caller's own, with all its views in the size that the library knows. */
#include "base/diagnostic.h"
#include "library/sized.h"
#include "system/arguments.h"

#include <stdlib.h>

struct own_system {
    struct portolan_system system; /* first: portolan_system_free frees it */
    struct portolan_relations relations;
    struct portolan_footprint footprint;
    struct portolan_columns columns;
    struct portolan_messages messages;
    struct portolan_rules rules;
    struct portolan_graphs graphs;
    const struct portolan_entities **list; /* behind the views that it points to */
    struct portolan_entities entities[];
};

static struct own_system *allocate(size_t views)
{
    struct own_system *own = calloc(1, sizeof *own + views * sizeof *own->entities + (views + 1) * sizeof *own->list);
    if (own)
        own->list = (const struct portolan_entities **)(own->entities + views);
    return own;
}

static bool has_all_functions(const struct portolan_entities *view)
{
    return view->open && view->close && view->entities && view->initial && view->enabled && view->possible &&
           view->touches && view->action && view->state;
}

static enum portolan_status copy_entities(struct own_system *own, const struct portolan_entities *const *theirs,
                                          struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; theirs && theirs[i] && status == PORTOLAN_OK; i++) {
        own->list[i] = &own->entities[i];
        status = SIZED_COPY(&own->entities[i], theirs[i], "PORTOLAN_ENTITIES", error);
        if (status == PORTOLAN_OK && !has_all_functions(own->list[i]))
            status = fail(error, PORTOLAN_BAD_OPTION, "the entities view lacks a function");
    }
    own->system.entities = theirs ? own->list : NULL;
    return status;
}

static enum portolan_status copy_views(struct own_system *own, const struct portolan_system *theirs,
                                       struct portolan_error *error)
{
    enum portolan_status status = copy_entities(own, theirs->entities, error);
    if (theirs->relations && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->relations, theirs->relations, "PORTOLAN_RELATIONS", error);
        own->system.relations = &own->relations;
    }
    if (theirs->footprint && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->footprint, theirs->footprint, "PORTOLAN_FOOTPRINT", error);
        own->system.footprint = &own->footprint;
    }
    if (theirs->graphs && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->graphs, theirs->graphs, "PORTOLAN_GRAPHS", error);
        own->system.graphs = &own->graphs;
    }
    if (theirs->columns && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->columns, theirs->columns, "PORTOLAN_COLUMNS", error);
        own->system.columns = &own->columns;
    }
    if (theirs->messages && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->messages, theirs->messages, "PORTOLAN_MESSAGES", error);
        own->system.messages = &own->messages;
    }
    if (theirs->rules && status == PORTOLAN_OK) {
        status = SIZED_COPY(&own->rules, theirs->rules, "PORTOLAN_RULES", error);
        own->system.rules = &own->rules;
    }
    return status;
}

static void fill_defaults(struct portolan_system *system)
{
    system->size = 0;
    if (!system->name)
        system->name = "system";
    if (!system->format)
        system->format = "library";
    if (!system->key_bytes)
        system->key_bytes = system->state_bytes;
}

enum portolan_status portolan_system_new(const struct portolan_system *yours, struct portolan_system **system,
                                         struct portolan_error *error)
{
    struct portolan_system full;
    size_t views = 0;
    if (check_pointer(system, "the place for the system", error))
        return PORTOLAN_BAD_OPTION;
    *system = NULL;
    if (check_pointer(yours, "the struct of the system", error) || SIZED_COPY(&full, yours, "PORTOLAN_SYSTEM", error))
        return PORTOLAN_BAD_OPTION;
    while (full.entities && full.entities[views])
        views++;
    struct own_system *own = allocate(views);
    if (!own)
        return fail_memory(error);
    own->system = full;
    fill_defaults(&own->system);
    enum portolan_status status = copy_views(own, &full, error);
    if (status == PORTOLAN_OK)
        status = check_system(&own->system, error);
    if (status == PORTOLAN_OK)
        status = check_lists(&own->system, error);
    if (status == PORTOLAN_OK)
        *system = &own->system;
    else
        free(own);
    return status;
}
