/* SPDX-License-Identifier: Apache-2.0 */
/* What the program wants to be done about signals. */
#ifndef NATIVE_DISPOSITIONS_H
#define NATIVE_DISPOSITIONS_H

#include <signal.h>
#include <stdbool.h>

/* The running thread gets a signal: true when it is ignored or blocked, or its handler has run; false: it kills. */
bool survives_signal(int number);

#endif
