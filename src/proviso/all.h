/* SPDX-License-Identifier: Apache-2.0 */
/* One line per proviso; proviso.c lists them. */
#ifndef PROVISO_ALL_H
#define PROVISO_ALL_H

#include "proviso/proviso.h"

extern const struct proviso_class proviso_none;
extern const struct proviso_class proviso_stack_safety;
extern const struct proviso_class proviso_stack_liveness;
extern const struct proviso_class proviso_queue_safety;
extern const struct proviso_class proviso_queue_liveness;
extern const struct proviso_class proviso_safe;
extern const struct proviso_class proviso_safe_printed;
extern const struct proviso_class proviso_color;
extern const struct proviso_class proviso_color_star;
extern const struct proviso_class proviso_scc;
extern const struct proviso_class proviso_scc_liveness;
extern const struct proviso_class proviso_nodup;
extern const struct proviso_class proviso_age;
extern const struct proviso_class proviso_age_printed;

#endif
