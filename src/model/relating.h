/* SPDX-License-Identifier: Apache-2.0 */
/* Between relations.c, which knows guards, and commuting.c, which compares actions in pairs. */
#ifndef MODEL_RELATING_H
#define MODEL_RELATING_H

#include "model/derived.h"

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
    bool *is_twin;                 /* per cell: the same actions do the same to the one before it */
    uint32_t *seen, stamp;         /* per action */
    size_t pairs_left;
    bool failed;
};

static inline bool appends(const struct access *a)
{
    return a->kind == ACCESS_APPENDS || a->kind == ACCESS_MAY_APPEND;
}

/* commuting.c: fills not_commuting and never. */
void relate_pairs(struct relating *r);
void relate_processes(struct relating *r);

#endif
