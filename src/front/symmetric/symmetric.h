/* SPDX-License-Identifier: Apache-2.0 */
/* Nets in PNML of any kind that is supported: place/transition nets, and symmetric nets. */
#ifndef FRONT_SYMMETRIC_SYMMETRIC_H
#define FRONT_SYMMETRIC_SYMMETRIC_H

#include "front/petri/net.h"
#include "highlevel/net.h"

/* Reads PNML; "-" is standard input.  The type of the net decides which of *net and *coloured is set, the other is
 * NULL. The error names file, line and column. */
enum portolan_status pnml_read_any(const char *path, struct net **net, struct colour_net **coloured,
                                   struct portolan_error *error);
/* The same from memory, for tests and fuzzers; name stands for the file in errors. */
enum portolan_status pnml_read_any_memory(const char *name, const char *text, size_t length, struct net **net,
                                          struct colour_net **coloured, struct portolan_error *error);

#endif
