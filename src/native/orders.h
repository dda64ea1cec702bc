/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory orders weaker than seq_cst.  Only interleavings are explored, so a verdict about a program that asks for less
 * is one under sequential consistency; which places ask for less is remembered here.  A program without data races that
 * has none has no other executions.
 */
#ifndef NATIVE_ORDERS_H
#define NATIVE_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

/* Called once, before there are several processes; false when there is no memory. */
bool orders_make(void);
void remember_weaker(uintptr_t caller);
/* Does all that other threads have done, or will do, happen before or after what the present one does now? */
bool is_alone(void);

/* An atomic access, or a fence, with this order is about to be made by the program. */
static inline void note_order(int order, uintptr_t caller)
{
    if (order != __ATOMIC_SEQ_CST)
        remember_weaker(caller);
}

/* A volatile object is about to be accessed, as if it were a relaxed atomic. */
void note_volatile(uintptr_t caller);

/* Puts all of them into the record. */
void orders_record(void);

#endif
