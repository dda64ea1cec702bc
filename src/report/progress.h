/* SPDX-License-Identifier: Apache-2.0 */
/* A line on a terminal that tells how far a search is. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include "portolan/portolan.h"

/* For callbacks.progress: its user is the FILE. */
void progress_show(void *file, const struct portolan_statistics *so_far);
/* Takes the line away. */
void progress_end(void *file);

#endif
