/* SPDX-License-Identifier: Apache-2.0 */
/* --shards N DIR, portolan shard DIR K, portolan merge DIR: one search by processes that share nothing but files. */
#include "cli/shards.h"

#include "base/diagnostic.h"
#include "checkpoint/head.h"
#include "stateless/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------- writing them */

/* As a word of a shell. */
static void quote(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

/* Batch engines copy what they run, so it names the directory whole. */
static enum portolan_status write_job(const struct shard_order *order, const char *program, uint32_t shard,
                                      struct portolan_error *error)
{
    char path[4096];
    shard_path(order, shard, ".job", path);
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    fprintf(out,
            "#!/bin/sh\n# Shard %u of %u.  It can be started again at any time, and goes on from its last checkpoint.\n"
            "exec ",
            shard, order->shards);
    quote(program, out);
    fputs(" shard ", out);
    quote(order->directory, out);
    fprintf(out, " %u \"$@\"\n", shard);
    if (!close_output(out, path, error))
        return PORTOLAN_IO;
    if (chmod(path, 0777 & ~umask(umask(022))) != 0)
        return fail(error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(errno));
    return PORTOLAN_OK;
}

/* The plan comes last: without it there are no shards. */
static enum portolan_status write_plan(struct shard_order *order, const char *const *words,
                                       struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    snprintf(path, sizeof path, "%s/plan", order->directory);
    archive_create(&archive, path);
    archive_put_head(&archive, ARCHIVE_PLAN, words);
    plan_keep(order, &archive);
    return archive_close(&archive, error);
}

static enum portolan_status make_directory(const char *name, char **path, struct portolan_error *error)
{
    if (mkdir(name, 0777) != 0) {
        fail(error, PORTOLAN_IO, "cannot create the directory '%s': %s", name, strerror(errno));
        if (errno == EEXIST)
            hint(error, "shards are written into a new directory");
        return PORTOLAN_IO;
    }
    *path = realpath(name, NULL);
    return *path ? PORTOLAN_OK : fail_memory(error);
}

/* A directory that is not whole would be in the way of the next attempt. */
static void take_back(const struct shard_order *order, uint32_t written)
{
    char path[4096];
    for (uint32_t i = 1; i <= written; i++) {
        shard_path(order, i, ".job", path);
        (void)unlink(path);
    }
    (void)rmdir(order->directory);
}

enum portolan_status shards_begin(const struct settings *settings, struct shard_order *order,
                                  struct portolan_error *error)
{
    *order = (struct shard_order){.task = SHARDS_PLAN, .shards = (uint32_t)settings->shards};
    if (settings->shards > MOST_SHARDS)
        return fail(error, PORTOLAN_BAD_OPTION, "--shards writes at most %d", MOST_SHARDS);
    if (getrandom(&order->plan, sizeof order->plan, 0) != sizeof order->plan)
        return fail(error, PORTOLAN_IO, "cannot get random numbers: %s", strerror(errno));
    return PORTOLAN_OK;
}

enum portolan_status shards_write(const struct settings *settings, struct shard_order *order,
                                  struct portolan_error *error)
{
    char program[4096] = "portolan", *path = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0)
        program[length] = '\0';
    enum portolan_status status = make_directory(settings->shards_directory, &path, error);
    order->directory = path;
    uint32_t written = 0;
    while (written < order->shards && status == PORTOLAN_OK)
        status = write_job(order, program, ++written, error);
    if (status == PORTOLAN_OK)
        status = write_plan(order, settings->as_given, error);
    if (status != PORTOLAN_OK && path)
        take_back(order, written);
    if (status == PORTOLAN_OK && !settings->quiet)
        printf("%u shards in %s, for %llu parts of the search\n  run    %s/*.job, each when and where you like\n"
               "  then   portolan merge %s\n",
               order->shards, settings->shards_directory, (unsigned long long)order->points, settings->shards_directory,
               settings->shards_directory);
    free(path);
    return status;
}

int plan_model(struct job *job, const struct settings *settings)
{
    struct portolan_error error;
    struct shard_order order;
    enum portolan_status status = shards_begin(settings, &order, &error);
    job->options.shard = &order;
    if (status == PORTOLAN_OK && !wants_executions(&job->options)) {
        status = fail(&error, PORTOLAN_REFUSED, "--shards is for searches that store no states");
        hint(&error, "give --search stateless, or --distributed to share the states of one search");
    }
    if (status == PORTOLAN_OK)
        status = job_run(job, settings->quiet, &error);
    if (status == PORTOLAN_OK)
        status = shards_write(settings, &order, &error);
    job->options.shard = NULL;
    return status == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
}

/* ------------------------------------------------------------------------- running one, and putting together */

enum portolan_status plan_read(const char *directory, struct shard_order *order, struct archive_head *head,
                               struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    snprintf(path, sizeof path, "%s/plan", directory);
    enum portolan_status status = archive_open(&archive, path, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_get_head(&archive, head);
    bool is_plan = !archive.failed && head->kind == ARCHIVE_PLAN && head->word_count && command_find(head->words[0]);
    if (is_plan)
        plan_keep(order, &archive);
    else
        archive.failed = true;
    return archive_close(&archive, error);
}

enum portolan_status plan_hand_out(const char *directory, struct portolan_error *error)
{
    struct archive_head head = {0};
    struct shard_order order = {0};
    enum portolan_status status = plan_read(directory, &order, &head, error);
    order.directory = directory;
    order.shards = HANDED_OUT;
    if (status == PORTOLAN_OK)
        status = write_plan(&order, (const char *const *)head.words, error);
    archive_head_clear(&head);
    return status;
}

/* Runs the command that was planned. */
static int run_planned(const struct archive_head *head, int count, char **arguments, const struct resumption *from)
{
    struct portolan_error error;
    struct word_list words = {0};
    int exit_status = join_words(head, count, arguments, &words, &error) == PORTOLAN_OK
                          ? run_command(command_find(head->words[0]), (int)words.count - 2, words.item + 1, from)
                          : wrong(&error);
    free(words.item);
    return exit_status;
}

/* Nobody else may run the same shard now: a byte of the plan is locked for each. */
static enum portolan_status lock_shard(const struct shard_order *order, struct portolan_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/plan", order->directory);
    int file = open(path, O_RDWR | O_CLOEXEC); /* closed at the end of the process */
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = order->shard, .l_len = 1};
    if (file >= 0 && fcntl(file, F_SETLK, &lock) == 0)
        return PORTOLAN_OK;
    if (file >= 0 && (errno == EACCES || errno == EAGAIN))
        return fail(error, PORTOLAN_REFUSED, "shard %u is being run by another process", order->shard);
    return fail(error, PORTOLAN_IO, "cannot lock '%s': %s", path, strerror(errno));
}

static enum portolan_status read_number_of_shard(const char *text, struct shard_order *order,
                                                 struct portolan_error *error)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number < 1 || number > order->shards)
        return fail(error, PORTOLAN_BAD_OPTION, "there is no shard '%s': shards are numbered from 1 to %u", text,
                    order->shards);
    order->shard = (uint32_t)number;
    return PORTOLAN_OK;
}

static int explore_shard(struct shard_order *order, const struct archive_head *head, int count, char **arguments)
{
    char saved[4096], answer[4096];
    struct portolan_error error;
    shard_path(order, order->shard, ".saved", saved);
    shard_path(order, order->shard, ".answer", answer);
    if (access(answer, F_OK) == 0) {
        fprintf(stderr, "shard %u is done\n", order->shard);
        return EXIT_HOLDS;
    }
    if (lock_shard(order, &error) != PORTOLAN_OK)
        return wrong(&error);
    struct resumption from = {.file = access(saved, F_OK) == 0 ? saved : NULL, .checkpoint = saved, .shard = order};
    order->mailbox = order->shards == HANDED_OUT ? getenv(MAILBOX_VARIABLE) : NULL;
    if (order->mailbox)
        from.file = from.checkpoint = NULL;
    int status = run_planned(head, count, arguments, &from);
    return status == EXIT_UNDECIDED && access(answer, F_OK) == 0 ? EXIT_HOLDS : status;
}

static int with_plan(enum shard_task task, int words, int count, char **arguments)
{
    struct portolan_error error;
    struct archive_head head = {0};
    struct shard_order order = {.task = task};
    char *path = NULL;
    enum portolan_status status = plan_read(arguments[0], &order, &head, &error);
    if (status == PORTOLAN_OK)
        status = go_there(&head, arguments[0], &path, &error);
    order.directory = path;
    if (status == PORTOLAN_OK && task == SHARD_EXPLORE)
        status = read_number_of_shard(arguments[1], &order, &error);
    int exit_status = EXIT_WRONG;
    if (status != PORTOLAN_OK)
        exit_status = wrong(&error);
    else if (task == SHARD_EXPLORE)
        exit_status = explore_shard(&order, &head, count - words, arguments + words);
    else
        exit_status = run_planned(&head, count - words, arguments + words, &(struct resumption){.shard = &order});
    archive_head_clear(&head);
    free(path);
    return exit_status;
}

int command_shard(int count, char **arguments)
{
    if (count < 2 || arguments[0][0] == '-' || arguments[1][0] == '-')
        return wrong_usage("shard");
    return with_plan(SHARD_EXPLORE, 2, count, arguments);
}

int command_merge(int count, char **arguments)
{
    if (count < 1 || arguments[0][0] == '-')
        return wrong_usage("merge");
    return with_plan(SHARDS_MERGE, 1, count, arguments);
}
