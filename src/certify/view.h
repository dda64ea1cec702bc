/* SPDX-License-Identifier: Apache-2.0 */
/* The relations view with its transposes: who has a guard, which guards an action may turn. */
#ifndef CERTIFY_VIEW_H
#define CERTIFY_VIEW_H

#include "base/lists.h"

struct view {
    const struct portolan_relations *relations;
    struct portolan_lists users;       /* guard -> transitions that have it */
    struct portolan_lists may_enable;  /* transition -> guards of which it is an enabler */
    struct portolan_lists may_disable; /* transition -> guards of which it is a disabler */
};

/* False when memory ran out.  Without relations it stays empty. */
bool view_make(struct view *view, const struct portolan_system *system);
void view_clear(struct view *view);
/* Two transitions that are never enabled in the same state cannot be in each other's way. */
bool view_never_together(const struct view *view, uint32_t t, uint32_t u);

#endif
