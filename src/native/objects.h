/* SPDX-License-Identifier: Apache-2.0 */
/* The things that threads synchronise with: addresses in the program, numbered. */
#ifndef NATIVE_OBJECTS_H
#define NATIVE_OBJECTS_H

#include "base/vector.h"
#include "native/run.h"
#include "native/threads.h"

#include <stdatomic.h>

struct cell; /* clocks.c */

struct object {
    uintptr_t address;
    uint32_t size;
    bool is_split;               /* atomics touch different parts of it: it has a cell for each byte */
    bool is_awaited, has_groups; /* loops wait for it; operations on it commute */
    bool is_crowded;             /* more threads come to the barrier than it waits for */
    uint8_t touched_offset, touched_size;
    struct cell *cells;
    uint8_t thing;               /* that it was last; it belongs to the run, too */
    uint32_t run;                /* what follows belongs to this run; else it is as at the beginning */
    uint32_t owner;              /* agent + 1 */
    uint32_t count;              /* recursion, readers, a semaphore, those at a barrier, the state of a once */
    uint32_t generation;         /* of a barrier; it goes on with the next one at this place */
    agent_set waiting, released; /* at a condition variable, and those of them that broadcasts let go; or
                                    who has come to a barrier */
    agent_set leaving;           /* whom a condition variable which is gone has let go */
    uint32_t dropped;            /* who will not come to a barrier again */
    size_t began;                /* how many steps were taken before */
    uint32_t permits;            /* signals not yet used */
    agent_set permitted[];       /* who may use each: those who waited then; as many as agents */
};

/* What several processes that explore one tree have to agree on: they came to know these objects, and that there are
 * such operations on them, after they were told apart. */
enum { MOST_COMMON_OBJECTS = 1 << 22, SOME_AWAIT = 1, SOME_COMMUTE = 2 };
struct common_objects {
    atomic_flag lock;
    uint32_t count;
    struct common_object {
        uintptr_t address;
        uint8_t part, size;
        _Atomic uint8_t known; /* of all objects */
    } list[MOST_COMMON_OBJECTS];
};

extern struct objects {
    VECTOR(struct object *) list;
} objects; /* for the functions below */

/* The object of an address accessed with a size; UINT32_MAX when memory is short. */
uint32_t object_at(uintptr_t address, size_t size);
/* From now on objects have the numbers that all processes give them, in zeroed memory that they share; NULL: no longer.
 */
void objects_share(struct common_objects *common);
/* Some process knows this of an object now.  What is known of it? */
uint8_t object_is_known(uint32_t number, uint8_t what);
/* Makes room for all agents in the clocks of all objects; false when memory is short. */
bool objects_prepare(void);

static inline uint32_t object_count(void)
{
    return (uint32_t)objects.list.count;
}

static inline struct object *object_numbered(uint32_t number)
{
    return objects.list.item[number];
}

/* As at the beginning. */
static inline void object_clear(struct object *object)
{
    object->owner = object->count = object->permits = object->generation = object->dropped = 0;
    object->waiting = object->released = object->leaving = 0;
    object->began = 0;
    object->thing = NO_THING;
    object->run = run.number;
}

/* Its state in this run. */
static inline struct object *object_state(uint32_t number)
{
    struct object *object = object_numbered(number);
    if (object->run != run.number)
        object_clear(object);
    return object;
}

#endif
