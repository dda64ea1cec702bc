/* SPDX-License-Identifier: Apache-2.0 */
/* Is what a call returns used by who called? */
#ifndef NATIVE_UNUSED_H
#define NATIVE_UNUSED_H

#include <stdbool.h>
#include <stdint.h>

/* Does the code from here on, where a call returns to, overwrite the register with the result before it reads it?  False
 * also when that is not understood. */
bool result_is_unused(uintptr_t caller);

#endif
