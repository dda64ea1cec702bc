/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets that forget: of a state they keep a few bits of its hash, so two states may be taken for one and something stay
 * unseen.  For hunting errors in what does not fit into memory otherwise.
 *
 * Fingerprints (hash compaction; Wolper and Leroy, "Reliable hashing without collision detection", CAV 1993): 44 bits
 * of the hash.  A slot has 32 bits; where it stands tells the rest (Cleary, "Compact hash tables using bidirectional
 * linear probing", 1984): a fingerprint lies in one of eight buckets from its home on, and the slot says in which.  The
 * table is made of segments with a lock each, which grow one at a time, by an eighth.
 *
 * Bits (bitstate hashing; Holzmann, "An analysis of bitstate hashing", 1998): three of an array of fixed size.
 */
#ifndef STORE_PRINTS_H
#define STORE_PRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prints;

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
