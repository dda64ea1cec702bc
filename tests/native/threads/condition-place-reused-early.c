/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// The thread need not be late: there is a schedule in which it is not.
#define EXPECTED is_late
#include "condition-place-reused.c"
