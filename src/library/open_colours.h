/* SPDX-License-Identifier: Apache-2.0 */
/* Opening high-level nets. */
#ifndef LIBRARY_OPEN_COLOURS_H
#define LIBRARY_OPEN_COLOURS_H

#include "portolan/portolan.h"

/* Definitions are parameters, symbols of the preprocessor, and ground=1 or ground=0: list the bindings in advance, or
 * do not.  Without it that is done where it ends soon. */
enum portolan_status open_lna(const char *path, const char *const *definitions, size_t count,
                              struct portolan_system **system, struct portolan_error *error);
/* A net in PNML, of any kind; the only definitions are ground=1 and ground=0, for symmetric nets. */
enum portolan_status open_pnml(const char *path, const char *const *definitions, size_t count,
                               struct portolan_system **system, struct portolan_error *error);

#endif
