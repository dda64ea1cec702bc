/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic sections of the Competition on Software Verification (SV-COMP): between __VERIFIER_atomic_begin and _end, and
 * in functions whose names begin with __VERIFIER_atomic_.  One is executed at a time.
 */
#include "native/sections.h"
#include "native/runtime.h"
#include "native/symbols.h"
#include "native/threads.h"

#include <pthread.h>
#include <stdbool.h>

enum { MOST_SECTIONS = 256 };

KEPT uint32_t section_count;
static KEPT struct code_range ranges[MOST_SECTIONS];
static pthread_mutex_t sections = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* they call each other */

EXPORT void __VERIFIER_atomic_begin(void);
EXPORT void __VERIFIER_atomic_begin(void)
{
    pthread_mutex_lock(&sections);
}

EXPORT void __VERIFIER_atomic_end(void);
EXPORT void __VERIFIER_atomic_end(void)
{
    pthread_mutex_unlock(&sections);
}

void sections_find(void)
{
    section_count = find_functions("__VERIFIER_atomic_", ranges, MOST_SECTIONS);
}

static bool is_section(uintptr_t address)
{
    for (uint32_t i = 0; i < section_count; i++)
        if (address - ranges[i].start < ranges[i].size)
            return true;
    return false;
}

void function_begins(uintptr_t address)
{
    if (is_inside() && is_section(address))
        __VERIFIER_atomic_begin();
}

void function_ends(uintptr_t address)
{
    if (is_inside() && is_section(address))
        __VERIFIER_atomic_end();
}
