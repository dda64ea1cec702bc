/* SPDX-License-Identifier: Apache-2.0 */
/* Between relations.c, which knows guards, and commuting.c, which compares actions in pairs. */
#ifndef MODEL_RELATING_H
#define MODEL_RELATING_H

#include "model/derived.h"

/* Which locations of another process matter to an access of an action. */
enum minds {
    MINDS_ALL,   /* all may, or the access is to something else */
    MINDS_SOME,  /* those in its list of places */
    MINDS_TESTED /* the same, and the action is enabled only where the process is at one of them */
};

struct relating {
    struct derived *d;
    const struct model *m;
    struct lists_builder guards_of, enablers, disablers, not_commuting, never;
    struct walk walk;
    struct portolan_lists touchers; /* cell -> accesses */
    struct portolan_lists of;       /* process -> its actions */
    struct lists_builder dying;
    struct portolan_lists killers; /* cell -> actions that lead to where it is dead from where it is not */
    uint32_t *owner;               /* access -> action */
    enum minds *minds;             /* per access */
    struct portolan_lists places;  /* access -> locations */
    uint32_t *only_with;           /* access -> another process: it comes about only where that is ...; MODEL_NONE */
    bool *only_by_test;            /* the same: a test of the action says so, its code does not ask */
    struct portolan_lists only_at; /* access -> ... at one of these locations */
    bool *is_twin;                 /* per cell: the same actions do the same to the one before it */
    uint32_t *seen, stamp;         /* per action */
    size_t pairs_left;
    bool failed;
};

static inline bool appends(const struct access *a)
{
    return a->kind == ACCESS_APPENDS || a->kind == ACCESS_MAY_APPEND;
}

/* wants.c: what is read only to find out whether the action blocks. */
bool find_what_is_wanted(struct derived *d);
/* May what one writes be what the other wants, or be something else? */
bool may_satisfy(const struct access *read, const struct access *write);
bool may_dissatisfy(const struct access *read, const struct access *write);

/* places.c: which locations matter to accesses of where other processes are. */
bool find_places(struct relating *r);
bool minds_place(const struct relating *r, uint32_t access, uint32_t location);
/* Does it matter to an action with this access whether another one has moved its process, ... */
bool minds_move(const struct relating *r, uint32_t access, uint32_t action);
/* ... to its code, whatever its tests say, ... */
bool code_minds_move(const struct relating *r, uint32_t access, uint32_t action);
/* ... where both are enabled? */
bool minds_departure(const struct relating *r, uint32_t access, uint32_t action);

/* May the access come about where the action has an edge, ... */
bool comes_about_at_source(const struct relating *r, uint32_t access, uint32_t action);
/* ... or after it? */
bool comes_about_around(const struct relating *r, uint32_t access, uint32_t action);
/* The same where the code may be tried though the tests do not hold. */
bool code_comes_about_around(const struct relating *r, uint32_t access, uint32_t action);

/* local.c: where what a process does concerns nobody else. */
bool find_local(struct relating *r);

/* commuting.c: fills not_commuting and never. */
void relate_pairs(struct relating *r);
void relate_processes(struct relating *r);

#endif
