/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a tester run one at a time, and a seed decides which: so a wrong schedule is found again.  Whoever runs
 * may lose its turn at each atomic access of a file that is compiled with -include of this one, and at each call of
 * pthread, which the linker leads here (--wrap).  When nobody can go on, the program says so and aborts.
 */
#ifndef TESTS_SCHEDULER_H
#define TESTS_SCHEDULER_H

#include <stdint.h>

/* The calling thread, and all that it starts until scheduler_end, take turns.  In between all others must have ended.
 */
void scheduler_begin(uint64_t seed);
void scheduler_end(void);
/* Turns that another thread got, since the program began. */
uint64_t scheduler_switches(void);
/* Here a thread may lose its turn. */
void scheduler_point(void);

#ifdef SCHEDULED
#define __atomic_load_n(...) (scheduler_point(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...) (scheduler_point(), __atomic_store_n(__VA_ARGS__))
#define __atomic_fetch_add(...) (scheduler_point(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_fetch_or(...) (scheduler_point(), __atomic_fetch_or(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (scheduler_point(), __atomic_compare_exchange_n(__VA_ARGS__))
#endif

#endif
