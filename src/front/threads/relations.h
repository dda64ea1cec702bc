/* SPDX-License-Identifier: Apache-2.0 */
/* What can be known of a thread program before it runs: the relations view. */
#ifndef FRONT_THREADS_RELATIONS_H
#define FRONT_THREADS_RELATIONS_H

#include "front/threads/program.h"

struct thread_relations {
    struct portolan_relations view;
    struct portolan_lists changers; /* of the program's variables */
    uint32_t *waiting;              /* guards from view.transitions on: the point that may wait */
    bool too_large;                 /* too many pairs of steps to be listed: the view is not there */
    bool can_fail;                  /* some step, or the start of some agent */
};

/* Also sets most_accesses of the program; false when memory is out. */
bool thread_relations_make(struct thread_relations *relations, struct program *program);
void thread_relations_clear(struct thread_relations *relations);

#endif
