/* SPDX-License-Identifier: Apache-2.0 */
/* What draws the families of the table; n are the parameters, as generate.h says. */
#ifndef FRONT_PETRI_GENERATE_FAMILIES_H
#define FRONT_PETRI_GENERATE_FAMILIES_H

#include "front/petri/generate/draw.h"

/* classic.c */
void draw_philosophers(struct drawing *d, const long *n);
void draw_philosophers_atomic(struct drawing *d, const long *n);
void draw_readers_writers(struct drawing *d, const long *n);
void draw_kanban(struct drawing *d, const long *n);
void draw_unbounded(struct drawing *d, const long *n);
void draw_figure2_002(struct drawing *d, const long *n);
void draw_figure3_002(struct drawing *d, const long *n);
void draw_figure_003(struct drawing *d, const long *n);

/* programs.c */
void draw_filesystem(struct drawing *d, const long *n);
void draw_indexer(struct drawing *d, const long *n);

/* mutex.c */
void draw_bakery(struct drawing *d, const long *n);
void draw_szymanski(struct drawing *d, const long *n);
void draw_peterson(struct drawing *d, const long *n);
void draw_lamport(struct drawing *d, const long *n);

/* szymanski.c */
void draw_szymanski_bits(struct drawing *d, const long *n);

/* protocols.c */
void draw_slotted_ring(struct drawing *d, const long *n);
void draw_token_ring(struct drawing *d, const long *n);
void draw_allocation(struct drawing *d, const long *n);
void draw_peer_to_peer(struct drawing *d, const long *n);

/* balancer.c */
void draw_load_balancer(struct drawing *d, const long *n);

#endif
