/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of the program, and assumptions. */
#ifndef NATIVE_CHOICES_H
#define NATIVE_CHOICES_H

#include "native/threads.h"

/* Is it a thread of ours, from which another one takes its choices? */
bool is_chooser(uint32_t agent);
/* Is the operation part of how a choice is made?  Who reads the number has chosen it. */
bool is_about_choice(const struct pending *operation);
/* Has a thread come to where an assumption does not hold? */
bool is_ruled_out(void);

#endif
