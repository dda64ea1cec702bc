/* SPDX-License-Identifier: Apache-2.0 */
/* Opening graph grammars.  Definitions: "start=GRAPH", "isomorphism=on" or "isomorphism=off". */
#ifndef LIBRARY_OPEN_GRAMMAR_H
#define LIBRARY_OPEN_GRAMMAR_H

#include "portolan/portolan.h"

enum portolan_status open_gg(const char *path, const char *const *definitions, size_t count,
                             struct portolan_system **system, struct portolan_error *error);
enum portolan_status open_gps(const char *path, const char *const *definitions, size_t count,
                              struct portolan_system **system, struct portolan_error *error);

#endif
