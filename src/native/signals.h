/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NATIVE_SIGNALS_H
#define NATIVE_SIGNALS_H

#include <stdbool.h>

/* Catches faults of the program, and looks every second whether it goes on. */
bool signals_make(void);

#endif
