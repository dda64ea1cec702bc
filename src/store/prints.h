/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets that forget: of a state they keep a few bits of its hash, so two states may be taken for one and something stay
 * unseen.  For hunting errors in what does not fit into memory otherwise.
 *
 * Fingerprints (hash compaction; Wolper and Leroy, "Reliable hashing without collision detection", CAV 1993): 44 bits
 * of the hash.  Where a fingerprint stands tells most of them (Cleary, "Compact hash tables using bidirectional linear
 * probing", 1984), and three bits of each slot tell where it would stand if there were no others (quotient filter;
 * Bender et al., "Don't thrash: how to cache your hash on flash", 2012): a slot has four bytes, and three from 7
 * million states on.  All 64 bits could not be kept in five bytes below 10^8 states: a set of n of them takes 64 - log2
 * n + 1.44 bits each.  The table is made of segments with a lock each, which grow one at a time, by a sixteenth; since
 * they are in order that is one pass over the segment.
 *
 * Bits (bitstate hashing; Holzmann, "An analysis of bitstate hashing", 1998): three of an array of fixed size.
 */
#ifndef STORE_PRINTS_H
#define STORE_PRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prints;

enum { PRINTS_BITS = 44 }; /* of a fingerprint */

/* bytes: the size of the array of bits; 0: fingerprints.  NULL when memory is exhausted. */
struct prints *prints_new(size_t bytes);
void prints_free(struct prints *prints);
size_t prints_bytes(const struct prints *prints);

enum prints_answer { PRINT_NEW, PRINT_SEEN, PRINT_NO_MEMORY };
/* Several threads may call these at once. */
enum prints_answer prints_insert(struct prints *prints, uint64_t hash);
bool prints_find(struct prints *prints, uint64_t hash);

/* The part of the states looked for that is expected not to have been taken for others, when `states` were new. */
double prints_coverage(const struct prints *prints, uint64_t states);

#endif
