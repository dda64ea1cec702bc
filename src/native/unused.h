/* SPDX-License-Identifier: Apache-2.0 */
/* Is what a call returns used by who called? */
#ifndef NATIVE_UNUSED_H
#define NATIVE_UNUSED_H

#include <stdbool.h>
#include <stdint.h>

/* Does the code from here on, where a call returns to, overwrite the register with the result before it reads it? False
 * also when that is not understood. */
bool result_is_unused(uintptr_t caller);
/* Which of rbx, rbp, r12, r13, r14, r15 (bits, in this order) hold nothing there that is read later. */
uint8_t dead_registers(uintptr_t caller);

#endif
