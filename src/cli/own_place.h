/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OWN_PLACE_H
#define CLI_OWN_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* The directory of this program, without a slash at its end; empty, and false, when it cannot be told. */
bool find_own_directory(char *path, size_t size);

#endif
