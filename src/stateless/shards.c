/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/shards.h"

#include "base/diagnostic.h"
#include "checkpoint/head.h"
#include "stateless/saved.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ENDING[] = ".answer";

void plan_keep(struct shard_order *order, struct archive *a)
{
    uint64_t shards = order->shards;
    archive_number(a, &order->plan);
    archive_number(a, &shards);
    archive_number(a, &order->mark);
    archive_number(a, &order->depth);
    archive_number(a, &order->points);
    archive_number(a, &order->lesson);
    order->shards = (uint32_t)shards;
    if (!shards || shards > HANDED_OUT)
        a->failed = true;
}

uint64_t shard_mark(const struct shard_order *order, uint64_t mark)
{
    return mark ^ order->plan * (2 * (uint64_t)order->shard + 1);
}

void shard_path(const struct shard_order *order, uint32_t shard, const char *ending, char path[4096])
{
    snprintf(path, 4096, "%s/%u%s", order->directory, shard, ending);
}

static void keep_answer(struct shard_answer *answer, struct archive *a)
{
    struct portolan_statistics *s = &answer->statistics;
    uint64_t agents = s->agents, depth = s->depth, bytes = s->bytes;
    uint64_t *const numbers[] = {&answer->plan,   &answer->mark,  &answer->shard, &answer->shards, &answer->stop,
                                 &answer->points, &s->executions, &s->blocked,    &s->cut,         &s->transitions,
                                 &s->deadlocks,   &s->left_out,   &agents,        &depth,          &bytes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        archive_number(a, numbers[i]);
    archive_bytes(a, &s->seconds, sizeof s->seconds);
    s->agents = (uint32_t)agents;
    s->depth = depth;
    s->bytes = bytes;
}

void shard_answer_begin(const struct shard_order *order, struct shard_answer *answer, struct archive *a)
{
    char path[4096];
    shard_path(order, order->shard, ENDING, path);
    answer->plan = order->plan;
    answer->mark = order->mark;
    answer->shard = order->shard;
    answer->shards = order->shards;
    archive_create(a, path);
    archive_put_head(a, ARCHIVE_SHARD, NULL);
    keep_answer(answer, a);
}

/* ------------------------------------------------------------------------- putting together */

static void add(struct portolan_statistics *sum, const struct portolan_statistics *s)
{
    sum->executions += s->executions;
    sum->blocked += s->blocked;
    sum->cut += s->cut;
    sum->transitions += s->transitions;
    sum->deadlocks += s->deadlocks;
    sum->left_out += s->left_out;
    sum->seconds += s->seconds;
    sum->agents = s->agents > sum->agents ? s->agents : sum->agents;
    sum->depth = s->depth > sum->depth ? s->depth : sum->depth;
    sum->bytes = s->bytes > sum->bytes ? s->bytes : sum->bytes;
}

/* A shard that has decided everything counts most, one that was cut more than one that saw all. */
static uint64_t join_stops(uint64_t a, uint64_t b)
{
    if (a == PORTOLAN_DECIDED || b == PORTOLAN_DECIDED)
        return PORTOLAN_DECIDED;
    return a > b ? a : b;
}

/* Opens an answer, and reads how it begins. */
static enum portolan_status open_answer(const char *path, struct shard_answer *answer, struct archive *a,
                                        struct portolan_error *error)
{
    enum portolan_status status = archive_open_as(a, path, ARCHIVE_SHARD, error);
    if (status == PORTOLAN_OK)
        keep_answer(answer, a);
    return status;
}

enum portolan_status shard_answer_look(const char *path, struct shard_answer *answer, struct portolan_error *error)
{
    struct archive archive;
    enum portolan_status status = open_answer(path, answer, &archive, error);
    return status == PORTOLAN_OK ? archive_close(&archive, error) : status;
}

static void keep_stop(const struct shard_order *order, uint64_t *stop, struct archive *a)
{
    archive_same(a, order->plan);
    archive_number(a, stop);
}

enum portolan_status shards_write_stop(const struct shard_order *order, enum portolan_stop stop,
                                       struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    uint64_t number = stop;
    snprintf(path, sizeof path, "%s/stopped", order->directory);
    archive_create(&archive, path);
    archive_put_head(&archive, ARCHIVE_SHARD, NULL);
    keep_stop(order, &number, &archive);
    return archive_close(&archive, error);
}

/* Why they were ended early; PORTOLAN_COMPLETE: they were not. */
static enum portolan_status read_stop(const struct shard_order *order, uint64_t *stop, struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    *stop = PORTOLAN_COMPLETE;
    snprintf(path, sizeof path, "%s/stopped", order->directory);
    if (access(path, F_OK) != 0)
        return PORTOLAN_OK;
    enum portolan_status status = archive_open_as(&archive, path, ARCHIVE_SHARD, error);
    if (status != PORTOLAN_OK)
        return status;
    keep_stop(order, stop, &archive);
    return archive_close(&archive, error);
}

static enum portolan_status judge(const struct shard_order *order, const char *path, const struct shard_answer *answer,
                                  char *const *names, struct portolan_error *error)
{
    if (answer->plan != order->plan || answer->mark != order->mark || answer->shards != order->shards)
        return fail(error, PORTOLAN_REFUSED, "'%s' belongs to another search", path);
    if (answer->shard < 1 || answer->shard > order->shards || !saved_is_over((enum portolan_stop)answer->stop))
        return fail(error, PORTOLAN_BAD_INPUT, "'%s' holds something else than was expected", path);
    if (names[answer->shard])
        return fail(error, PORTOLAN_REFUSED, "shard %u is there twice: '%s' and '%s'", (unsigned)answer->shard,
                    names[answer->shard], path);
    if (answer->stop != PORTOLAN_DECIDED && answer->points != order->points)
        return fail(error, PORTOLAN_REFUSED, "'%s' tells of a tree with %llu points, and the plan of one with %llu",
                    path, (unsigned long long)answer->points, (unsigned long long)order->points);
    return PORTOLAN_OK;
}

static enum portolan_status note_answer(const struct shard_order *order, const char *name, char **names,
                                        struct portolan_error *error)
{
    char path[4096];
    struct shard_answer answer = {0};
    snprintf(path, sizeof path, "%s/%s", order->directory, name);
    enum portolan_status status = shard_answer_look(path, &answer, error);
    if (status == PORTOLAN_OK)
        status = judge(order, path, &answer, names, error);
    if (status == PORTOLAN_OK && !(names[answer.shard] = strdup(path)))
        status = fail_memory(error);
    return status;
}

static bool is_answer(const char *name)
{
    size_t length = strlen(name), ending = sizeof ENDING - 1;
    return length > ending && strcmp(name + length - ending, ENDING) == 0;
}

static enum portolan_status find_answers(const struct shard_order *order, char **names, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    DIR *directory = opendir(order->directory);
    if (!directory)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", order->directory, strerror(errno));
    for (struct dirent *entry; status == PORTOLAN_OK && (entry = readdir(directory));)
        if (is_answer(entry->d_name))
            status = note_answer(order, entry->d_name, names, error);
    closedir(directory);
    return status;
}

/* Which are not there, and whether they were begun. */
static enum portolan_status check_all_there(const struct shard_order *order, char *const *names,
                                            struct portolan_error *error)
{
    enum { MOST_NAMED = 10 };
    char list[160] = "", path[4096];
    size_t used = 0;
    uint32_t missing = 0, begun = 0;
    for (uint32_t i = 1; i <= order->shards; i++) {
        if (names[i])
            continue;
        shard_path(order, i, ".saved", path);
        begun += access(path, F_OK) == 0;
        if (missing++ < MOST_NAMED)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", missing > 1 ? ", " : "", i);
    }
    if (!missing)
        return PORTOLAN_OK;
    fail(error, PORTOLAN_REFUSED, "of %u shards %u %s no answer yet: %s%s", order->shards, missing,
         missing == 1 ? "has" : "have", list, missing > MOST_NAMED ? ", ..." : "");
    hint(error, "run %s again, %s", missing == 1 ? "its job" : "their jobs",
         begun ? "which go on from their checkpoints" : "and then merge");
    return PORTOLAN_REFUSED;
}

static enum portolan_status take_all(char *const *names, const struct shard_order *order, take_answer *take, void *user,
                                     struct shard_answer *sum, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (uint32_t i = 1; i <= order->shards && status == PORTOLAN_OK; i++) {
        struct shard_answer answer = {0};
        struct archive archive;
        if (!names[i])
            continue;
        status = open_answer(names[i], &answer, &archive, error);
        if (status != PORTOLAN_OK)
            break;
        take(user, &answer, &archive);
        archive_same(&archive, ARCHIVE_SHARD); /* it really ends here */
        status = archive_close(&archive, error);
        add(&sum->statistics, &answer.statistics);
        sum->stop = join_stops(sum->stop, answer.stop);
        sum->shards++;
    }
    return status;
}

enum portolan_status shards_collect(const struct shard_order *order, take_answer *take, void *user,
                                    struct shard_answer *sum, struct portolan_error *error)
{
    char **names = calloc((size_t)order->shards + 1, sizeof *names);
    *sum = (struct shard_answer){.stop = PORTOLAN_COMPLETE};
    enum portolan_status status = names ? find_answers(order, names, error) : fail_memory(error);
    uint64_t stop = PORTOLAN_COMPLETE;
    if (status == PORTOLAN_OK)
        status = read_stop(order, &stop, error);
    if (status == PORTOLAN_OK && stop == PORTOLAN_COMPLETE &&
        order->shards != HANDED_OUT) /* else the ranks see to it */
        status = check_all_there(order, names, error);
    if (status == PORTOLAN_OK)
        status = take_all(names, order, take, user, sum, error);
    sum->stop = join_stops(sum->stop, stop);
    for (uint32_t i = 1; names && i <= order->shards; i++)
        free(names[i]);
    free(names);
    return status;
}
