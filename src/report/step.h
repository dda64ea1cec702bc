/* SPDX-License-Identifier: Apache-2.0 */
/* A step and a state, for people. */
#ifndef REPORT_STEP_H
#define REPORT_STEP_H

#include "system/stepper.h"

#include <stdio.h>

enum { LONGEST_TEXT = 400 }; /* of what an action does */

/* What it is called; a number, where actions have no names. */
const char *step_name(const struct portolan_system *system, uint32_t action, char buffer[16]);

/* Changes are shown by what the last step did to each variable; a wider layout on the way does not matter, since
 * values are taken before and after.  Only variables that the action may change are looked at: a large net has many. */
struct values {
    int64_t *before, *after, *first;
    struct portolan_lists changed_by; /* action -> variables; without items when that is not known */
    uint32_t *all, variables;
};

/* values_clear is due, also after a failure, which is one of memory. */
bool values_make(struct values *values, const struct portolan_system *system);
void values_clear(struct values *values);
/* In the first state; or after the stepper was moved by other means than a step. */
void values_take_all(struct values *values, const struct stepper *stepper);
/* After a step by the action. */
void values_take(struct values *values, const struct stepper *stepper, uint32_t action);
/* The variables that an action may change, in order, and how many. */
const uint32_t *changed_variables(const struct values *values, uint32_t action, uint32_t *count);

/* The step that the stepper has taken last, by this action: its number, the name, what it changes; one line, or one and
 * those of its messages. */
void step_print(const struct stepper *stepper, const struct values *values, uint32_t action, int step_width,
                int name_width, FILE *out);
/* The present state; what is as it was, where values have names, and what is 0 elsewhere, need not be told. */
void state_print(const struct stepper *stepper, const struct values *values, FILE *out);

#endif
