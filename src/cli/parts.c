/* SPDX-License-Identifier: Apache-2.0 */
/* C programs explored part by part (native/parts.c): checkpoints, shards, and their answers put together. */
#include "cli/parts.h"

#include "base/diagnostic.h"
#include "checkpoint/head.h"
#include "cli/shards.h"
#include "report/json.h"
#include "system/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const double EVERY = 600;

/* ------------------------------------------------------------------------- what is asked */

bool wants_parts(const struct settings *settings)
{
    return settings->checkpoint || settings->resume || settings->shards || settings->shard;
}

enum portolan_status check_parts(const struct settings *settings, bool is_source, struct portolan_error *error)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{settings->all, "--all"},
                  {settings->random_runs, "--random"},
                  {settings->bounds_preemptions, "--preemptions"},
                  {settings->threads > 1, "--threads: use shards instead, or one thread"},
                  {settings->suppress_file, "--suppress"},
                  {settings->reduction && strcmp(settings->reduction, "dpor:no-sleep") == 0,
                   "a method without sleep sets: shards would explore the same"}};
    const char *what = settings->shards ? "--shards" : "--checkpoint";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return fail(error, PORTOLAN_REFUSED, "%s cannot be combined with %s", what, others[i].name);
    if (settings->shards && settings->checkpoint && !settings->shard)
        return fail(error, PORTOLAN_REFUSED,
                    "--shards cannot be combined with --checkpoint: each shard has one of its own");
    if (is_source) {
        fail(error, PORTOLAN_REFUSED, "%s needs a program built beforehand: sources are compiled anew each time", what);
        hint(error, "portolan cc -O1 -g FILE.c -o PROGRAM");
        return PORTOLAN_REFUSED;
    }
    return settings->checkpoint ? archive_can_create(settings->checkpoint, error) : PORTOLAN_OK;
}

/* The program, its arguments, and what decides which executions there are. */
static enum portolan_status mark_program(const struct watched *w, uint64_t *mark, struct portolan_error *error)
{
    struct run_settings what = w->shared->settings;
    struct stat about;
    what.memory = what.states = what.quiet = 0;
    what.in_parts = what.plans = false;
    what.shard = 0;
    memset(what.mailbox, 0, sizeof what.mailbox);
    memset(&what.from, 0, sizeof what.from);
    *mark = fingerprint_add(1, &what, sizeof what);
    for (size_t i = 1; w->arguments[i]; i++)
        *mark = fingerprint_add(*mark, w->arguments[i], strlen(w->arguments[i]) + 1);
    int file = open(w->arguments[0], O_RDONLY | O_CLOEXEC);
    void *bytes = file >= 0 && fstat(file, &about) == 0 && about.st_size
                      ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", w->arguments[0], strerror(errno));
    *mark = fingerprint_add(*mark, bytes, (size_t)about.st_size);
    munmap(bytes, (size_t)about.st_size);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------------- the file */

static void keep(struct part_of_search *part, struct coverage *coverage, struct archive *a)
{
    uint64_t *const numbers[] = {&part->depth,   &part->points, &part->lesson, &part->done,   &part->executions,
                                 &part->blocked, &part->cut,    &part->steps,  &part->deepest};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        archive_number(a, numbers[i]);
    archive_bytes(a, part->reservations, sizeof part->reservations);
    part->reservations[sizeof part->reservations - 1] = '\0';
    archive_same(a, coverage->count);
    archive_bytes(a, coverage->reached, coverage->count * sizeof *coverage->reached);
    archive_same(a, ARCHIVE_PROGRAM); /* it really ends here */
}

static enum portolan_status read_saved(struct watched *w, const char *path, struct portolan_error *error)
{
    struct archive archive;
    uint64_t mark = 0;
    enum portolan_status status = archive_open_as(&archive, path, ARCHIVE_PROGRAM, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_number(&archive, &mark);
    if (mark != w->mark) {
        archive.failed = true;
        archive_close(&archive, NULL);
        return fail(error, PORTOLAN_REFUSED,
                    "'%s' belongs to another program or an earlier build of it, or was written with other options",
                    path);
    }
    keep(&w->shared->settings.from, &w->shared->coverage, &archive);
    w->is_saved = true;
    return archive_close(&archive, error);
}

/* What is whole, while the program goes on. */
static bool read_part(const struct supervision *s, struct part_of_search *part)
{
    for (int tries = 0; tries < 1000; tries++) {
        uint32_t before = atomic_load(&s->part_version);
        *part = s->part;
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && before == atomic_load(&s->part_version))
            return part->depth;
    }
    return false;
}

static void save(struct watched *w)
{
    struct part_of_search part;
    struct archive archive;
    struct portolan_error error;
    if (!read_part(w->shared, &part))
        return;
    archive_create(&archive, w->settings->checkpoint);
    archive_put_head(&archive, ARCHIVE_PROGRAM, w->settings->as_given);
    archive_number(&archive, &w->mark);
    keep(&part, &w->shared->coverage, &archive);
    w->trouble[0] = '\0';
    if (archive_close(&archive, &error) == PORTOLAN_OK)
        w->is_saved = true;
    else
        snprintf(w->trouble, sizeof w->trouble, "%.159s", error.message);
}

void save_program(struct watched *w)
{
    double now = watched_seconds(w), every = w->settings->checkpoint_every > 0 ? w->settings->checkpoint_every : EVERY;
    if (!w->settings->checkpoint || now < w->next_save + every)
        return;
    save(w);
    w->next_save = watched_seconds(w);
}

enum portolan_status parts_begin(struct watched *w, struct portolan_error *error)
{
    const struct settings *settings = w->settings;
    struct run_settings *to = &w->shared->settings;
    struct shard_order *order = settings->shard;
    to->in_parts = true;
    to->shards = settings->shards;
    enum portolan_status status = mark_program(w, &w->mark, error);
    if (status != PORTOLAN_OK || !order) {
        to->plans = settings->shards && !order;
        return status == PORTOLAN_OK && settings->resume ? read_saved(w, settings->resume, error) : status;
    }
    if (order->task == SHARDS_PLAN) {
        to->plans = true;
        order->mark = w->mark;
    } else if (order->mark != w->mark) {
        return fail(error, PORTOLAN_REFUSED,
                    "'%s' belongs to another program or an earlier build of it, or was written with other options",
                    order->directory);
    }
    w->mark = shard_mark(order, w->mark);
    to->shard = order->shard;
    snprintf(to->mailbox, sizeof to->mailbox, "%s", order->mailbox ? order->mailbox : "");
    to->from = (struct part_of_search){.depth = order->depth, .points = order->points, .lesson = order->lesson};
    return settings->resume ? read_saved(w, settings->resume, error) : PORTOLAN_OK;
}

/* ------------------------------------------------------------------------- the end */

/* What it has found: the numbers, the exit status, reservations, and the schedule of an error. */
static void keep_answer(uint64_t *exit_status, char **reservations, char **schedule, struct archive *a)
{
    archive_number(a, exit_status);
    archive_text(a, reservations);
    archive_text(a, schedule);
}

static enum portolan_status write_answer(const struct watched *w, const struct part_of_search *part, int exit_status,
                                         struct portolan_error *error)
{
    const struct supervision *s = w->shared;
    uint64_t size = s->sizes[PART_TRACE], status = (uint64_t)exit_status;
    bool failed = exit_status == EXIT_VIOLATED;
    char *schedule = failed && size < PART_CAPACITY ? strndup(s->parts[PART_TRACE], size) : strdup("");
    char *reservations = (char *)(uintptr_t)part->reservations;
    struct archive archive;
    struct shard_answer answer = {.stop = failed ? PORTOLAN_DECIDED : part->stop,
                                  .points = part->points,
                                  .statistics = {.executions = part->executions,
                                                 .blocked = part->blocked,
                                                 .cut = part->cut,
                                                 .transitions = part->steps,
                                                 .depth = part->deepest,
                                                 .seconds = watched_seconds(w)}};
    if (!schedule)
        return fail_memory(error);
    shard_answer_begin(w->settings->shard, &answer, &archive);
    keep_answer(&status, &reservations, &schedule, &archive);
    archive_same(&archive, ARCHIVE_SHARD); /* it really ends here */
    free(schedule);
    return archive_close(&archive, error);
}

/* For whoever started this shard: see native/parts.c. */
static void write_lesson(const struct watched *w, uint64_t lesson)
{
    char path[4096];
    shard_path(w->settings->shard, w->settings->shard->shard, ".lesson", path);
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    fprintf(out, "%" PRIu64 "\n", lesson);
    fclose(out);
}

int parts_end(struct watched *w, int exit_status)
{
    const struct settings *settings = w->settings;
    struct part_of_search part = {0};
    struct portolan_error error;
    bool is_planned = read_part(w->shared, &part);
    bool is_over = exit_status == EXIT_HOLDS || exit_status == EXIT_VIOLATED ||
                   (exit_status == EXIT_UNDECIDED && is_planned && part.done == part.points);
    if (exit_status == EXIT_WRONG && settings->shard && part.wanted)
        write_lesson(w, part.wanted);
    if (exit_status == EXIT_WRONG)
        return exit_status;
    if (is_over && settings->shard && write_answer(w, &part, exit_status, &error) != PORTOLAN_OK)
        return wrong(&error);
    if (is_over && settings->checkpoint && w->is_saved)
        (void)unlink(settings->checkpoint);
    else if (!is_over && settings->checkpoint && is_planned)
        save(w);
    FILE *out = settings->json ? stderr : stdout;
    if (w->trouble[0])
        fprintf(out, "checkpoint %s\n", w->trouble);
    if (settings->shard && !settings->quiet)
        fprintf(out, "shard      %s\n",
                is_over ? "done: 'portolan merge' gives the answer when all are" : "not done: start its job again");
    else if (!is_over && settings->checkpoint && !settings->quiet)
        fprintf(out,
                w->is_saved ? "checkpoint %s: 'portolan resume %s' goes on\n"
                            : "checkpoint none: it ended before the search was divided\n",
                settings->checkpoint, settings->checkpoint);
    return exit_status;
}

/* ------------------------------------------------------------------------- shards */

int plan_program(struct settings *settings, char **arguments)
{
    struct portolan_error error;
    struct shard_order order;
    struct watched w = {.settings = settings, .arguments = (const char *const *)(uintptr_t)arguments};
    if (shards_begin(settings, &order, &error) != PORTOLAN_OK)
        return wrong(&error);
    settings->shard = &order;
    enum portolan_status status = watch(&w, NULL, &error);
    settings->shard = NULL;
    int exit_status = EXIT_WRONG;
    bool is_planned = status == PORTOLAN_OK && atomic_load(&w.shared->state) == SUPERVISION_DONE &&
                      w.shared->exit_status == EXIT_HOLDS && w.shared->part.depth;
    if (is_planned) {
        order.depth = w.shared->part.depth;
        order.points = w.shared->part.points;
        order.lesson = w.shared->part.lesson;
        status = shards_write(settings, &order, &error);
    }
    if (status != PORTOLAN_OK)
        exit_status = wrong(&error);
    else
        exit_status = is_planned ? EXIT_HOLDS : deliver(&w); /* it has found an error already, or was ended */
    watched_clear(&w);
    return exit_status;
}

struct merging {
    char *schedule;     /* of the first error; NULL: none */
    uint32_t shard;     /* that found it */
    char *reservations; /* of the first shard that left something open, or NULL */
    bool is_open;
};

static void take(void *user, const struct shard_answer *answer, struct archive *a)
{
    struct merging *m = user;
    uint64_t exit_status = EXIT_WRONG;
    char *reservations = NULL, *schedule = NULL;
    keep_answer(&exit_status, &reservations, &schedule, a);
    if (!a->failed && exit_status == EXIT_VIOLATED && !m->schedule) {
        m->schedule = schedule;
        m->shard = (uint32_t)answer->shard;
        schedule = NULL;
    }
    bool is_open = !a->failed && (answer->stop > PORTOLAN_DECIDED || strchr(reservations, '!'));
    m->is_open |= is_open;
    if (is_open && !m->reservations) {
        m->reservations = reservations;
        reservations = NULL;
    }
    free(reservations);
    free(schedule);
}

static bool is_handed_out(const struct settings *settings)
{
    return settings->shard->shards == HANDED_OUT;
}

/* The error once more, from its schedule: the report is that of a replay. */
static int show_error(const struct settings *settings, char **arguments, const struct merging *m,
                      const struct shard_answer *sum)
{
    char path[] = "/tmp/portolan-schedule-XXXXXX";
    int file = mkstemp(path), exit_status = EXIT_WRONG;
    struct settings own = *settings;
    struct portolan_error error;
    size_t length = strlen(m->schedule);
    if (!settings->json && !settings->quiet) {
        if (!is_handed_out(settings))
            printf("shards     %u, of which shard %u has found an error\n", (unsigned)sum->shards, m->shard);
        printf("executions %" PRIu64 "\n", sum->statistics.executions);
    }
    own.checkpoint = own.resume = NULL;
    own.shards = 0;
    own.shard = NULL;
    if (file >= 0 && write(file, m->schedule, length) == (ssize_t)length) {
        exit_status = supervise(&own, arguments, path);
    } else {
        fail(&error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(errno));
        wrong(&error);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return exit_status;
}

static void print_sum(const struct settings *settings, char **arguments, const struct merging *m,
                      const struct shard_answer *sum)
{
    const struct portolan_statistics *s = &sum->statistics;
    const char *verdict = m->is_open ? "unknown" : "holds";
    if (settings->json) {
        struct json json;
        json_start(&json, stdout);
        json_open(&json, NULL, '{');
        json_string(&json, "program", arguments[0]);
        json_string(&json, "verdict", verdict);
        json_string(&json, "stop", stop_word((enum portolan_stop)sum->stop));
        json_integer(&json, is_handed_out(settings) ? "processes" : "shards", (int64_t)sum->shards);
        json_integer(&json, "executions", (int64_t)s->executions);
        json_integer(&json, "blocked", (int64_t)s->blocked);
        json_integer(&json, "cut", (int64_t)s->cut);
        json_integer(&json, "steps", (int64_t)s->transitions);
        json_close(&json, '}');
        putchar('\n');
        return;
    }
    if (!m->is_open)
        puts("holds      no error in any schedule");
    else if (sum->stop > PORTOLAN_DECIDED)
        printf("unknown    %s\n", stop_word((enum portolan_stop)sum->stop));
    else
        puts("unknown    no error was found, but not everything was seen");
    const char *lines = m->is_open && m->reservations ? m->reservations : "";
    for (const char *line = lines; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        printf("  %.*s\n", (int)strcspn(line, "\n") - 1, line + 1);
    printf("executions %" PRIu64 ", %s %u %s\n", s->executions, is_handed_out(settings) ? "by" : "in",
           (unsigned)sum->shards, is_handed_out(settings) ? "processes" : "shards");
}

int merge_program(const struct settings *settings, char **arguments)
{
    struct portolan_error error;
    struct merging m = {0};
    struct shard_answer sum;
    struct watched w = {.settings = settings, .arguments = (const char *const *)(uintptr_t)arguments};
    int file, exit_status;
    w.shared = supervision_make(settings, NULL, &file, &error);
    enum portolan_status status = w.shared ? PORTOLAN_OK : error.status;
    if (w.shared) {
        close(file);
        status = parts_begin(&w, &error);
    }
    if (status == PORTOLAN_OK)
        status = shards_collect(settings->shard, take, &m, &sum, &error);
    m.is_open |= status == PORTOLAN_OK && sum.stop > PORTOLAN_DECIDED;
    if (status != PORTOLAN_OK) {
        exit_status = wrong(&error);
    } else if (m.schedule) {
        exit_status = show_error(settings, arguments, &m, &sum);
    } else {
        print_sum(settings, arguments, &m, &sum);
        exit_status = m.is_open ? EXIT_UNDECIDED : EXIT_HOLDS;
    }
    free(m.schedule);
    free(m.reservations);
    watched_clear(&w);
    return exit_status;
}
