/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stateless search in shards: processes that share nothing, on one machine or many, at the same time or not.  The
 * plan says at which depth the tree is split (split.h) and how many points there are; shard k of n explores what is
 * below each n-th of them and writes its answer; the answers are put together when all are there.
 *
 * In a directory:  plan      the question, the depth, a number that no other plan has
 *                  K.job     what a batch engine starts
 *                  K.saved   from which shard K goes on
 *                  K.answer  what it has found, when nothing is left to do
 *                  K.lesson  (C programs) it has learned what the plan does not know; how long a lesson it wants
 *                  stopped   why whoever hands them out has ended before all were done; answers may be missing then
 */
#ifndef STATELESS_SHARDS_H
#define STATELESS_SHARDS_H

#include "checkpoint/archive.h"

enum {
    MOST_SHARDS = 100000,
    HANDED_OUT
}; /* the latter: there are no shards, but leaves (leaves.h) that ranks hand out */

enum shard_task { SHARDS_PLAN, SHARD_EXPLORE, SHARDS_MERGE };

struct shard_order {
    enum shard_task task;
    uint32_t shard, shards; /* from 1; or a process that explores leaves, and HANDED_OUT */
    const char *directory;
    const char *mailbox;    /* where a process has its leaves from; NULL: it explores a shard */
    uint64_t plan;          /* which plan */
    uint64_t mark;          /* of the question */
    uint64_t depth, points; /* of the plan */
    uint64_t lesson;        /* of C programs: executions before */
};

/* What every answer begins with. */
struct shard_answer {
    uint64_t plan, mark, shard, shards;
    uint64_t stop; /* enum portolan_stop */
    uint64_t points;
    struct portolan_statistics statistics;
};

/* The plan in its file, but for who asks what. */
void plan_keep(struct shard_order *order, struct archive *archive);
/* Marks what only this shard can go on with. */
uint64_t shard_mark(const struct shard_order *order, uint64_t mark);
void shard_path(const struct shard_order *order, uint32_t shard, const char *ending, char path[4096]);

/* Begins the file with the answer of this shard; what follows is the caller's, and archive_close. */
void shard_answer_begin(const struct shard_order *order, struct shard_answer *answer, struct archive *archive);

/* Of an answer that was written: why the shard ended, and what it counted. */
enum portolan_status shard_answer_look(const char *path, struct shard_answer *answer, struct portolan_error *error);
/* All ended early; the reason is for those who put the answers together. */
enum portolan_status shards_write_stop(const struct shard_order *order, enum portolan_stop stop,
                                       struct portolan_error *error);

/* For one answer; reads what follows in its file, and may find that it does not fit (archive->failed). */
typedef void take_answer(void *user, const struct shard_answer *answer, struct archive *archive);
/* All answers, in the order of the shards, and what they add up to; refuses what is missing, doubled or foreign. */
enum portolan_status shards_collect(const struct shard_order *order, take_answer *take, void *user,
                                    struct shard_answer *sum, struct portolan_error *error);

#endif
