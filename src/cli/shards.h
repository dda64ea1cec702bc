/* SPDX-License-Identifier: Apache-2.0 */
/* Searches in shards: stateless/shards.h. */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

#include "cli/command.h"
#include "search/combination.h"
#include "stateless/shards.h"

/* What is to be planned. */
enum portolan_status shards_begin(const struct settings *settings, struct shard_order *order,
                                  struct portolan_error *error);
/* Writes the directory, when it is known where the search is split. */
enum portolan_status shards_write(const struct settings *settings, struct shard_order *order,
                                  struct portolan_error *error);
/* The plan in a directory, and the command that was planned; head must be cleared in any case. */
enum portolan_status plan_read(const char *directory, struct shard_order *order, struct archive_head *head,
                               struct portolan_error *error);
/* Makes the plan in a directory one whose leaves ranks hand out. */
enum portolan_status plan_hand_out(const char *directory, struct portolan_error *error);
/* Both for a model; returns the exit status. */
int plan_model(struct job *job, const struct settings *settings);

#endif
