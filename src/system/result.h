/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYSTEM_RESULT_H
#define SYSTEM_RESULT_H

#include "portolan/portolan.h"

/* Releases what a result holds; result may be NULL. */
void result_clear(struct portolan_result *result);
/* Adds what one of several searches has found, and clears it: its i-th answer is that of property places[i]. */
void result_add(struct portolan_result *sum, struct portolan_result *part, const size_t *places);

#endif
