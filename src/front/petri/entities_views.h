/* SPDX-License-Identifier: Apache-2.0 */
/* The views behind entities.h, one file each. */
#ifndef FRONT_PETRI_ENTITIES_VIEWS_H
#define FRONT_PETRI_ENTITIES_VIEWS_H

#include "portolan/portolan.h"

extern const struct portolan_entities net_entities_symbolic;
extern const struct portolan_entities net_entities_explicit;
extern const struct portolan_entities net_entities_identity;

#endif
