/* SPDX-License-Identifier: Apache-2.0 */
/* Two enabled actions, fired in both orders. */
#ifndef SYSTEM_ORDERS_H
#define SYSTEM_ORDERS_H

#include "portolan/portolan.h"

enum orders {
    ORDERS_MEET,            /* both are possible and end in equal states */
    ORDERS_DIFFER,          /* both are possible and do not */
    ORDERS_FIRST_DISABLES,  /* the second one is no longer enabled after the first, */
    ORDERS_SECOND_DISABLES, /* or the other way round (or both) */
    ORDERS_UNKNOWN          /* a value does not fit, or memory is exhausted */
};

enum orders fire_both_orders(const struct portolan_system *system, const void *state, uint32_t first, uint32_t second);

#endif
