/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

/* From a reading of CLOCK_MONOTONIC until now. */
double seconds_since(const struct timespec *start);

#endif
