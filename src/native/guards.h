/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of static objects in functions of C++. */
#ifndef NATIVE_GUARDS_H
#define NATIVE_GUARDS_H

#include "native/runtime.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_GUARDS = 256 };

extern struct guards {
    uint32_t count; /* that are known, in whatever run */
    uintptr_t list[MOST_GUARDS];
} guards;

static inline bool is_guard(uintptr_t address)
{
    for (uint32_t i = 0; i < guards.count; i++)
        if (guards.list[i] == address)
            return true;
    return false;
}

#endif
