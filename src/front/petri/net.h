/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place/transition net with weighted, inhibitor and read arcs, as the PNML
 * reader and the generators build it.  Everything is numbered: places and
 * transitions from 0 in the order of their declaration.
 *
 * A transition t is enabled in a marking m when for each of its arcs at p
 *   m[p] >= consume + read needs (the threshold of an input or read arc) and
 *   m[p] <  inhibit threshold    (an inhibitor arc);
 * firing it takes `consume` and adds `produce`.
 */
#ifndef FRONT_PETRI_NET_H
#define FRONT_PETRI_NET_H

#include "portolan/portolan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_MAX_TOKENS = INT32_MAX }; /* weights, thresholds and token counts stay at or below this */

/* What one transition has to do with one place; at most one such record per pair. */
struct net_arc {
    uint32_t place;
    uint32_t need;    /* smallest marking that enables: max of consumed weight and read threshold; 0 is none */
    uint32_t inhibit; /* the marking must stay below this; 0 is no inhibitor arc */
    uint32_t consume;
    uint32_t produce;
};

/* A unit of the NUPN tool section: at most one of its own places is marked, or so the file says; exclusion.c proves it
 * before use. */
struct net_unit {
    uint32_t first; /* its places are unit_places[first] ... unit_places[first + count - 1] */
    uint32_t count;
};

struct net {
    char *name; /* id or name of the net */
    uint32_t places;
    uint32_t transitions;
    char **place_id;        /* unique */
    char **place_name;      /* NULL when the same as the id */
    char **transition_id;   /* unique */
    char **transition_name; /* NULL when the same as the id */
    uint32_t *initial;      /* tokens of each place */
    uint32_t *arc_offset;   /* transitions + 1 entries into arc */
    struct net_arc *arc;    /* of each transition by increasing place */
    int64_t *priority;      /* of each transition: only the enabled ones with the highest fire; NULL: all are equal */
    uint32_t units;
    struct net_unit *unit;
    uint32_t *unit_places;
};

/* for (each arc of a transition) */
#define for_arcs(each, net, t)                                                                                         \
    for (const struct net_arc *each = (net)->arc + (net)->arc_offset[t],                                               \
                              *each##_end = (net)->arc + (net)->arc_offset[(t) + 1];                                   \
         each < each##_end; each++)

/*
 * Builds a net step by step.  Every call returns false only when memory is exhausted (the builder then stays
 * failed, later calls do nothing).  Strings are copied.  Ids must be unique, which the caller checks.
 */
struct net_builder;

enum net_arc_kind { NET_CONSUME, NET_PRODUCE, NET_READ, NET_INHIBIT };

struct net_builder *net_builder_new(const char *name);
/* Replaces the name given at the start. */
bool net_builder_name(struct net_builder *builder, const char *name);
/* Return the number of the new place or transition; name may be NULL. */
uint32_t net_builder_place(struct net_builder *builder, const char *id, const char *name, uint32_t tokens);
uint32_t net_builder_transition(struct net_builder *builder, const char *id, const char *name);
/* Parallel arcs of one kind between the same two nodes add up (consume, produce) or take the stricter
 * threshold (read: the larger, inhibit: the smaller).  weight is at least 1. */
bool net_builder_arc(struct net_builder *builder, enum net_arc_kind kind, uint32_t place, uint32_t transition,
                     uint32_t weight);
/* A NUPN unit with its own places. */
bool net_builder_unit(struct net_builder *builder, const uint32_t *places, uint32_t count);
/* Releases the builder and returns the net, or NULL when memory ran out; *overflow is set (and NULL returned)
 * when parallel arcs added up beyond NET_MAX_TOKENS. overflow may be NULL. */
struct net *net_builder_finish(struct net_builder *builder, bool *overflow);
void net_builder_free(struct net_builder *builder);

void net_free(struct net *net);
bool net_has_inhibitors(const struct net *net);

/* Reads PNML; "-" is standard input.  The error names file, line and column. */
enum portolan_status pnml_read(const char *path, struct net **net, struct portolan_error *error);
/* The same from memory, for tests and fuzzers; name stands for the file in errors. */
enum portolan_status pnml_read_memory(const char *name, const char *text, size_t length, struct net **net,
                                      struct portolan_error *error);

#include <stdio.h>
/* Writes PNML that pnml_read reads back as the same net; false when a write failed. */
bool pnml_write(const struct net *net, FILE *out);

#endif
