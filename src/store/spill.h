/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in a file: what does not fit into memory is written there by the kernel, page by page, and read again when it
 * is needed.  The file has no name: nothing is left of it when the process ends, however it does.  Its blocks are taken
 * before they are used, so a full disk is noticed here, and not by a signal later.
 */
#ifndef STORE_SPILL_H
#define STORE_SPILL_H

#include "portolan/portolan.h"

struct spill;

/* A file in this directory; *spill is released by spill_close. */
enum portolan_status spill_open(const char *directory, struct spill **spill, struct portolan_error *error);
/* Accepts NULL.  What was mapped must have been unmapped. */
void spill_close(struct spill *spill);

/* Bytes, all 0; NULL when the disk is full, which counts as a limit reached, or memory has run out.  Several threads
 * may map and unmap at once. */
void *spill_map(struct spill *spill, size_t bytes);
/* Gives memory and disk back; accepts NULL memory. */
void spill_unmap(struct spill *spill, void *memory, size_t bytes);
/* That are in use, in memory or on the disk. */
size_t spill_bytes(const struct spill *spill);
/* For limits_relieve: nothing of it stays resident; what is used comes back. */
void spill_relieve(void *spill);

#endif
