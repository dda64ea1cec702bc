/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime that is linked into a program built by `portolan cc`.
 *
 * The program is its own checker.  Its threads are user-level contexts on one kernel thread; each stops before a
 * visible operation, so that what it is about to do is known to the search (machine.c).  An execution starts from
 * a copy of the program's variables; to go back the program is run again from the start.
 *
 * Variables of the runtime are reset with those of the program when a run begins; those that must survive that are
 * marked KEPT.  Code that runs in a context of the program may not allocate; what needs memory is done by the
 * scheduler.
 */
#ifndef NATIVE_RUNTIME_H
#define NATIVE_RUNTIME_H

#define EXPORT __attribute__((visibility("default")))
/* Where the program called us; the address of that is remembered for who wants to know what is the program's. */
#define CALLER (remember_entry(__builtin_frame_address(0)), (uintptr_t)__builtin_return_address(0))

/* A variable that no reset touches.  The linker puts all of them next to each other and tells where (memory.c). */
#define KEPT __attribute__((section("portolan_kept")))

extern void *entered;
static inline void remember_entry(void *frame)
{
    entered = frame;
}

enum { PAGE = 4096 };

#endif
