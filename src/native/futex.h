/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a value to change. */
#ifndef NATIVE_FUTEX_H
#define NATIVE_FUTEX_H

#include "native/operations.h"

/* The next load of this address waits if it finds this value. */
extern struct announced_wait {
    uintptr_t address; /* 0: none */
    uint64_t value;
} announced_wait;

#endif
