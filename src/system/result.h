/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYSTEM_RESULT_H
#define SYSTEM_RESULT_H

#include "portolan/portolan.h"

/* Releases what a result holds; result may be NULL. */
void result_clear(struct portolan_result *result);

#endif
