/* SPDX-License-Identifier: Apache-2.0 */
/* The shards of a model's stateless search: stateless/shards.h. */
#ifndef STATELESS_SYSTEM_SHARDS_H
#define STATELESS_SYSTEM_SHARDS_H

#include "stateless/shards.h"
#include "stateless/split.h"
#include "stateless/system/properties.h"

/* Can this search be had in shards? */
enum portolan_status shards_check(const struct portolan_system *system, const struct portolan_options *options,
                                  const struct method *method, struct portolan_error *error);

/* Explores with a machine of the model; with how many points, if it is to be split. */
typedef enum portolan_status explore_system(struct properties *properties, struct search_shared *shared,
                                            const struct method *method, struct portolan_error *error);
/* Finds the least depth with points enough, and writes it into the order. */
enum portolan_status shards_plan(struct properties *properties, const struct method *method, explore_system *explore,
                                 struct portolan_error *error);
/* The split of the shard that the options order. */
struct split shard_split(const struct shard_order *order);
/* When the search has ended: writes the answer, if nothing is left to do, and removes the checkpoint.  `split`: NULL
 * if it explored leaves. */
enum portolan_status shard_end(struct properties *properties, const struct split *split, struct portolan_error *error);
/* Puts the answers together, as if one process had found them. */
enum portolan_status shards_merge(struct properties *properties, struct portolan_error *error);

#endif
