/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closing an archive while whoever wrote it goes on: what takes long is not writing but waiting until all of it is on
 * the disk, before it takes the place of the last one.
 */
#ifndef CHECKPOINT_CLOSING_H
#define CHECKPOINT_CLOSING_H

#include "checkpoint/archive.h"

struct closing;

/* Takes over an archive that was written.  NULL: that is not possible now, and the archive is the caller's as before.
 */
struct closing *closing_begin(struct archive *archive);
bool closing_is_over(const struct closing *closing);
/* Waits until it is over and frees it; what archive_close has returned. */
enum portolan_status closing_end(struct closing *closing, struct portolan_error *error);

#endif
