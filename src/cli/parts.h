/* SPDX-License-Identifier: Apache-2.0 */
/* C programs explored part by part: checkpoints and shards. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "cli/supervise.h"

/* Is that asked for? */
bool wants_parts(const struct settings *settings);
/* Does it go with the rest? */
enum portolan_status check_parts(const struct settings *settings, bool is_source, struct portolan_error *error);

/* Before the program is started: what it is to do, and what was done before. */
enum portolan_status parts_begin(struct watched *watched, struct portolan_error *error);
/* Now and then: writes the checkpoint when it is time. */
void save_program(struct watched *watched);
/* When all is told: writes or removes the checkpoint, writes the answer of a shard; returns the exit status. */
int parts_end(struct watched *watched, int exit_status);

/* Writes shards of a program; puts the answers together.  Both return the exit status. */
int plan_program(struct settings *settings, char **arguments);
int merge_program(const struct settings *settings, char **arguments);

#endif
