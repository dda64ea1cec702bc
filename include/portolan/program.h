/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C program can say to `portolan run`.  The functions are in the runtime that `portolan cc` links in; a program
 * that just runs chooses 0, and stops where an assumption does not hold.
 */
#ifndef PORTOLAN_PROGRAM_H
#define PORTOLAN_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Executions in which the condition does not hold are none that matter: this one ends here, silently. */
void portolan_assume(int condition);
/* Any of 0 ... count - 1: each is explored. */
unsigned portolan_choose(unsigned count);

#ifdef __cplusplus
}
#endif

#ifndef PORTOLAN_LONG_NAMES_ONLY
#define assume(condition) portolan_assume(!!(condition))
#define choose(count) portolan_choose(count)
#endif

#endif
