/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches of a model that become faster on the way.  A long one has the layout of its states compiled beside it, and
 * goes on with the compiled functions when they are there; when the layout widens it goes on without, and when that has
 * lasted for a while the new layout is compiled.
 */
#ifndef EMIT_QUICKEN_H
#define EMIT_QUICKEN_H

#include "portolan/portolan.h"

/* Makes compact systems of this one able to do that, when it was made by model_system. */
void emit_attach(struct portolan_system *system);

#endif
