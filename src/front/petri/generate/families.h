/* SPDX-License-Identifier: Apache-2.0 */
/* The build functions behind the table of families; see generate.h for their contract. */
#ifndef FRONT_PETRI_GENERATE_FAMILIES_H
#define FRONT_PETRI_GENERATE_FAMILIES_H

#include "front/petri/net.h"

/* classic.c */
struct net *build_philosophers(const long *parameter);
struct net *build_philosophers_atomic(const long *parameter);
struct net *build_readers_writers(const long *parameter);
struct net *build_kanban(const long *parameter);
struct net *build_unbounded(const long *parameter);

/* figures.c */
struct net *build_figure2_002(const long *parameter);
struct net *build_figure3_002(const long *parameter);
struct net *build_figure_003(const long *parameter);

/* programs.c */
struct net *build_filesystem(const long *parameter);
struct net *build_indexer(const long *parameter);

/* mutex.c */
struct net *build_bakery(const long *parameter);
struct net *build_szymanski(const long *parameter);
struct net *build_peterson(const long *parameter);
struct net *build_lamport(const long *parameter);

/* protocols.c */
struct net *build_slotted_ring(const long *parameter);
struct net *build_token_ring(const long *parameter);
struct net *build_allocation(const long *parameter);
struct net *build_peer_to_peer(const long *parameter);

/* balancer.c */
struct net *build_load_balancer(const long *parameter);

#endif
