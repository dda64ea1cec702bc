/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads the searches of a tester have: PORTOLAN_TEST_THREADS=3 in the environment, else one. */
#ifndef TESTS_THREADS_H
#define TESTS_THREADS_H

#include <stdint.h>
#include <stdlib.h>

/* search/levels.c: smaller levels are not shared; models of testers are small. */
extern uint32_t levels_least;

static inline uint32_t tester_threads(void)
{
    const char *text = getenv("PORTOLAN_TEST_THREADS");
    uint32_t threads = text ? (uint32_t)strtoul(text, NULL, 10) : 0;
    if (threads > 1)
        levels_least = 1;
    return threads;
}

/* PORTOLAN_TEST_STORE=tree: how they keep states. */
static inline const char *tester_store(void)
{
    return getenv("PORTOLAN_TEST_STORE");
}

#endif
