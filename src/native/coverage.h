/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which statements of the program are reached.  At each a breakpoint stands, which is taken away when it is hit: so
 * going there costs something once in each process, and nothing after that.
 */
#ifndef NATIVE_COVERAGE_H
#define NATIVE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Where the code is as the compiler has made it, from where it runs. */
extern ptrdiff_t unchanged_code;

/* Puts breakpoints at the statements that the supervisor names; when the system does not allow it, none are known. */
void coverage_make(void);
/* For the handler of faults: was it one of them?  Then the program goes on. */
bool coverage_is_hit(ucontext_t *context);

#endif
