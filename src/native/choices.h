/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of the program, and assumptions. */
#ifndef NATIVE_CHOICES_H
#define NATIVE_CHOICES_H

#include "native/threads.h"

/* Any number below the count, each of which is explored; 0 in a program that just runs. */
unsigned choose_among(unsigned count, uintptr_t caller);
/* This execution is like another one, or not wanted: it ends here, silently. */
void rule_out(uintptr_t caller) __attribute__((noreturn));
/* Is it a thread of ours, from which another one takes its choices? */
bool is_chooser(uint32_t agent);
/* Is the operation part of how a choice is made?  Who reads the number has chosen it. */
bool is_about_choice(const struct pending *operation);
/* Has a thread come to where an assumption does not hold? */
bool is_ruled_out(void);

#endif
