/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/handout.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "cli/limits.h"
#include "report/progress.h"
#include "search/combination.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARDS_EACH = 8, NAP = 2000000 };
static const double EVERY = 600, LOOK_SECONDS = 0.2, PROGRESS_SECONDS = 0.25, LONGEST_FAREWELL = 0.5;

double handout_seconds(const struct handout *h)
{
    return (double)monotonic_now() / 1e9 - h->start;
}

static bool is_first(const struct handout *h)
{
    return h->transport->rank == 0;
}

/* ------------------------------------------------------------------------- letters */

/* ASK: for a job; GIVE: a shard, with its checkpoint; END: there are no more jobs.  Of a shard: ANSWER and SAVED come
 * with the file, LIMIT with which one it has reached, LESSON with how long a one it wants, WRONG with what it has
 * printed.  BYE: this rank sends nothing any more. */
enum kind { ASK, GIVE, END, ANSWER, SAVED, LIMIT, LESSON, WRONG, BYE };

struct letter {
    uint32_t kind, shard;
    uint64_t number;
};

static void take_letter(struct handout *h, uint32_t from, const struct letter *letter, const void *bytes, size_t count);

static const char *ending_of(enum kind kind)
{
    return kind == ANSWER ? ".answer" : kind == WRONG ? ".log" : ".saved";
}

/* With the file of the shard, where the kind has one and it is there. */
static void send_letter(struct handout *h, uint32_t to, struct letter letter)
{
    char path[4096];
    unsigned char *bytes = NULL, *all;
    size_t count = 0;
    bool has_file = letter.kind == GIVE || letter.kind == ANSWER || letter.kind == SAVED || letter.kind == WRONG;
    if (to == h->transport->rank) {
        take_letter(h, to, &letter, NULL, 0); /* the file is where it belongs */
        return;
    }
    shard_path(&h->order, letter.shard, ending_of((enum kind)letter.kind), path);
    if (has_file && !read_whole(path, &bytes, &count))
        count = 0;
    all = malloc(sizeof letter + count);
    if (all) {
        memcpy(all, &letter, sizeof letter);
        if (count)
            memcpy(all + sizeof letter, bytes, count);
    }
    if (!all || !h->transport->send(h->transport, to, all, sizeof letter + count))
        h->transport->lost(); /* nobody else would know where this shard is */
    free(all);
    free(bytes);
}

static void receive_letters(struct handout *h)
{
    uint32_t from;
    size_t count;
    const unsigned char *bytes;
    while ((bytes = h->transport->receive(h->transport, &from, &count))) {
        struct letter letter;
        memcpy(&letter, bytes, sizeof letter);
        take_letter(h, from, &letter, bytes + sizeof letter, count - sizeof letter);
    }
}

/* ------------------------------------------------------------------------- the first rank */

static void end_all(struct handout *h, enum portolan_stop stop)
{
    if (h->is_ending)
        return;
    h->stop = stop;
    for (uint32_t i = h->transport->ranks; i-- > 0;)
        send_letter(h, i, (struct letter){.kind = END});
}

static void give(struct handout *h, uint32_t to)
{
    while (h->next <= h->order.shards && h->handed[h->next] != TO_DO)
        h->next++;
    if (h->is_ending || h->next > h->order.shards) {
        send_letter(h, to, (struct letter){.kind = END});
        return;
    }
    h->handed[h->next] = GIVEN;
    send_letter(h, to, (struct letter){.kind = GIVE, .shard = h->next, .number = h->executions});
}

static void fail_with(struct handout *h, const char *text)
{
    if (!h->failed)
        fprintf(stderr, "%s", text);
    h->failed = true;
    end_all(h, PORTOLAN_INTERRUPTED);
}

/* Counts an answer that is there. */
static void count_answer(struct handout *h, uint32_t shard)
{
    char path[4096];
    struct shard_answer answer = {0};
    struct portolan_error error;
    shard_path(&h->order, shard, ".answer", path);
    if (shard_answer_look(path, &answer, &error) != PORTOLAN_OK) {
        fail_with(h, error.message);
        return;
    }
    h->handed[shard] = DONE;
    h->done++;
    h->executions += answer.statistics.executions;
    shard_path(&h->order, shard, ".saved", path);
    (void)unlink(path);
    if (answer.stop == PORTOLAN_DECIDED)
        end_all(h, PORTOLAN_DECIDED);
}

static void report_wrong(struct handout *h, uint32_t shard)
{
    char path[4096], text[600] = "portolan: error: a shard of the search could not be explored\n";
    unsigned char *bytes = NULL;
    size_t count = 0;
    shard_path(&h->order, shard, ".log", path);
    if (read_whole(path, &bytes, &count) && count)
        snprintf(text, sizeof text, "%.*s", (int)(count < 500 ? count : 500), (char *)bytes);
    free(bytes);
    fail_with(h, text);
}

/* --- every rank */

static void take_letter(struct handout *h, uint32_t from, const struct letter *letter, const void *bytes, size_t count)
{
    char path[4096];
    bool is_of_shard = letter->shard >= 1 && letter->shard <= h->order.shards;
    if (!is_of_shard && letter->kind != ASK && letter->kind != END && letter->kind != BYE)
        return;
    if (bytes && count) {
        shard_path(&h->order, letter->shard, ending_of((enum kind)letter->kind), path);
        if (!write_whole(path, bytes, count) && letter->kind != SAVED)
            h->transport->lost();
    }
    switch ((enum kind)letter->kind) {
    case ASK: give(h, from); break;
    case GIVE:
        h->executions = letter->number;
        if (!job_start(h, letter->shard))
            send_letter(h, 0, (struct letter){.kind = WRONG, .shard = letter->shard});
        break;
    case END: h->is_ending = true; break;
    case ANSWER: count_answer(h, letter->shard); break;
    case SAVED: break;
    case LIMIT: end_all(h, (enum portolan_stop)letter->number); break;
    case LESSON:
        h->lesson = letter->number > h->lesson ? letter->number : h->lesson;
        end_all(h, PORTOLAN_INTERRUPTED);
        break;
    case WRONG: report_wrong(h, letter->shard); break;
    case BYE: h->away--; break;
    }
}

static bool is_there(const struct handout *h, const char *ending)
{
    char path[4096];
    shard_path(&h->order, h->shard, ending, path);
    return access(path, F_OK) == 0;
}

static uint64_t wanted_lesson(const struct handout *h)
{
    char path[4096];
    uint64_t lesson = 0;
    shard_path(&h->order, h->shard, ".lesson", path);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%" SCNu64, &lesson) != 1)
        lesson = 0;
    if (file)
        fclose(file);
    return lesson;
}

/* A job has only these limits, and says which one it was. */
static enum portolan_stop limit_of(const struct handout *h)
{
    char path[4096];
    unsigned char *bytes = NULL;
    size_t count = 0;
    shard_path(&h->order, h->shard, ".log", path);
    bool is_memory =
        read_whole(path, &bytes, &count) && memmem(bytes, count, "memory limit", sizeof "memory limit" - 1);
    free(bytes);
    return is_memory ? PORTOLAN_MEMORY_LIMIT : PORTOLAN_STATE_LIMIT;
}

static void job_ended(struct handout *h)
{
    struct letter letter = {.shard = h->shard};
    h->job = 0;
    if (is_there(h, ".answer")) {
        letter.kind = ANSWER;
    } else if (wanted_lesson(h)) {
        letter.kind = LESSON;
        letter.number = wanted_lesson(h);
    } else if (h->is_ending || is_there(h, ".saved")) {
        send_letter(h, 0, (struct letter){.kind = SAVED, .shard = h->shard});
        if (h->is_ending)
            return;
        letter.kind = LIMIT;
        letter.number = limit_of(h);
    } else {
        letter.kind = WRONG;
    }
    send_letter(h, 0, letter);
    if (!h->is_ending)
        send_letter(h, 0, (struct letter){.kind = ASK});
}

/* The first rank has the files of its own jobs; those of others are sent when they have changed. */
static void look_at_checkpoint(struct handout *h)
{
    char path[4096];
    struct stat about;
    if (is_first(h) || !h->settings->checkpoint)
        return;
    shard_path(&h->order, h->shard, ".saved", path);
    if (stat(path, &about) != 0 ||
        (about.st_mtim.tv_sec == h->last_saved.tv_sec && about.st_mtim.tv_nsec == h->last_saved.tv_nsec))
        return;
    h->last_saved = about.st_mtim;
    send_letter(h, 0, (struct letter){.kind = SAVED, .shard = h->shard});
}

/* ------------------------------------------------------------------------- the loop */

static void save(struct handout *h)
{
    struct portolan_error error;
    h->trouble[0] = '\0';
    if (handout_save(h, &error) == PORTOLAN_OK)
        h->is_saved = true;
    else
        snprintf(h->trouble, sizeof h->trouble, "%.159s", error.message);
}

static void save_when_due(struct handout *h)
{
    double every = h->settings->checkpoint_every > 0 ? h->settings->checkpoint_every : EVERY;
    if (!h->settings->checkpoint || h->is_ending || handout_seconds(h) < h->next_save + every)
        return;
    save(h);
    h->next_save = handout_seconds(h);
}

static void show_progress(const struct handout *h, double *next)
{
    struct portolan_statistics so_far = {
        .seconds = handout_seconds(h), .executions = h->executions, .transitions = h->executions + 1};
    if (h->settings->quiet || h->settings->json || so_far.seconds < *next || !isatty(STDERR_FILENO))
        return;
    so_far.expected = h->done ? (double)h->executions * h->order.shards / h->done : 0;
    progress_show(stderr, &so_far);
    *next = so_far.seconds + PROGRESS_SECONDS;
}

static void look_at_limits(struct handout *h)
{
    if (h->is_ending || !limits_reached())
        return;
    if (!is_first(h)) {
        h->is_ending = true; /* the first rank has heard of it, too, or soon will */
        return;
    }
    if (h->settings->checkpoint)
        save(h); /* before anybody is waited for, who may not be there any more */
    end_all(h, limits_stop());
}

/* Until this rank has nothing left to do; the first waits for all others. */
static void work(struct handout *h)
{
    double next_look = 0, next_progress = 0, ending_since = 0;
    send_letter(h, 0, (struct letter){.kind = ASK});
    while (!h->is_ending || h->job || (is_first(h) && h->away)) {
        receive_letters(h);
        if (h->job && job_has_ended(h))
            job_ended(h);
        look_at_limits(h);
        if (handout_seconds(h) >= next_look && h->job) {
            look_at_checkpoint(h);
            next_look = handout_seconds(h) + LOOK_SECONDS;
        }
        if (is_first(h)) {
            save_when_due(h);
            show_progress(h, &next_progress);
        }
        ending_since = h->is_ending ? ending_since ? ending_since : handout_seconds(h) : 0;
        if (is_first(h) && ending_since && !h->job && *command_interrupt() &&
            handout_seconds(h) > ending_since + LONGEST_FAREWELL)
            h->transport->lost();
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    }
    if (!is_first(h))
        send_letter(h, 0, (struct letter){.kind = BYE, .shard = 0});
    do
        receive_letters(h);
    while (!h->transport->is_over(h->transport));
}

/* ------------------------------------------------------------------------- before and after */

static bool is_for_shards(const char *name)
{
    static const char *const others[] = {"distributed", "checkpoint", "every", "time",   "memory", "states",
                                         "json",        "trace",      "junit", "sarif",  "html",   "msc",
                                         "quiet",       "pictures",   "slice", "output", "lesson"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

static bool is_for_answer(const char *name)
{
    static const char *const those[] = {"json", "trace", "junit", "sarif", "html", "msc", "quiet", "pictures", "slice"};
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (strcmp(name, those[i]) == 0)
            return true;
    return false;
}

static bool is_for_one_process(const char *name)
{
    return strcmp(name, "distributed") != 0 && strcmp(name, "checkpoint") != 0;
}

/* Behind the options: "--" and a program with its arguments. */
static bool add_program(const struct handout *h, struct word_list *words)
{
    bool fine = true;
    for (size_t i = 0; fine && h->command->command == RUN && i < h->settings->words.count; i++)
        fine = vector_push(words, (char *)(uintptr_t)h->settings->words.item[i]);
    return fine && vector_push(words, NULL);
}

static int out_of_memory(struct word_list *words)
{
    struct portolan_error error;
    free(words->item);
    fail_memory(&error);
    return wrong(&error);
}

/* The plan was not needed, or not possible: what one process says to that. */
static int run_alone(const struct handout *h)
{
    struct word_list words = {0};
    struct portolan_error error;
    bool fine = vector_push(&words, (char *)"portolan") &&
                options_pick(h->settings, h->command->command, is_for_one_process, &words, &error) == PORTOLAN_OK &&
                add_program(h, &words);
    if (!fine)
        return out_of_memory(&words);
    int exit_status = job_call(h, words.item, NULL);
    free(words.item);
    return exit_status;
}

/* Has the shards written into the directory; else the exit status. */
static bool plan(struct handout *h, int *exit_status)
{
    struct word_list words = {0};
    struct portolan_error error;
    char number[16], lesson[32], log[4096];
    uint64_t wanted = h->lesson ? h->lesson : h->settings->lesson;
    snprintf(number, sizeof number, "%u", SHARDS_EACH * h->transport->ranks);
    snprintf(lesson, sizeof lesson, "%" PRIu64, wanted);
    snprintf(log, sizeof log, "%s.log", h->directory);
    bool fine = vector_push(&words, (char *)"portolan") &&
                options_pick(h->settings, h->command->command, is_for_shards, &words, &error) == PORTOLAN_OK;
    fine = fine && vector_push(&words, (char *)"--shards") && vector_push(&words, number) &&
           vector_push(&words, h->directory);
    if (wanted)
        fine = fine && vector_push(&words, (char *)"--lesson") && vector_push(&words, lesson);
    if (!fine || !add_program(h, &words)) {
        *exit_status = out_of_memory(&words);
        return false;
    }
    int status = job_call(h, words.item, log);
    (void)unlink(log);
    free(words.item);
    if (status == EXIT_HOLDS)
        return true;
    *exit_status = run_alone(h);
    return false;
}

static int merge(const struct handout *h)
{
    struct word_list words = {0}, options = {0};
    struct portolan_error error;
    bool fine = options_pick(h->settings, h->command->command, is_for_answer, &options, &error) == PORTOLAN_OK &&
                vector_push(&words, (char *)"portolan") && vector_push(&words, (char *)"merge") &&
                vector_push(&words, h->directory);
    for (size_t i = 1; fine && i < options.count; i++)
        if (options.item[i] != h->settings->words.item[0])
            fine = vector_push(&words, options.item[i]);
    free(options.item);
    if (!fine || !vector_push(&words, NULL))
        return out_of_memory(&words);
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_REPORT);
    int exit_status = job_call(h, words.item, NULL);
    limits_end(&finishing);
    free(words.item);
    return exit_status;
}

static void tell_checkpoint(const struct handout *h)
{
    const struct settings *s = h->settings;
    FILE *out = s->json ? stderr : stdout;
    if (h->trouble[0])
        fprintf(out, "checkpoint %s\n", h->trouble);
    if (h->is_saved && !s->quiet)
        fprintf(out, "checkpoint %s: 'mpirun -n N portolan resume %s' goes on\n", s->checkpoint, s->checkpoint);
}

/* The first rank, when all are back. */
static int conclude(struct handout *h)
{
    struct portolan_error error;
    bool is_over = h->done == h->order.shards || h->stop == PORTOLAN_DECIDED;
    if (h->failed)
        return EXIT_WRONG;
    if (!is_over && h->settings->checkpoint)
        save(h);
    if (h->done < h->order.shards && shards_write_stop(&h->order, h->stop, &error) != PORTOLAN_OK)
        return wrong(&error);
    if (is_over && h->settings->checkpoint && (h->is_saved || h->settings->resume))
        (void)unlink(h->settings->checkpoint);
    int exit_status = merge(h);
    if (!is_over)
        tell_checkpoint(h);
    return exit_status;
}

static enum portolan_status find_done(struct handout *h, struct portolan_error *error)
{
    char path[4096];
    h->handed = calloc((size_t)h->order.shards + 1, sizeof *h->handed);
    h->next = 1;
    h->done = 0;
    h->away = h->transport->ranks - 1;
    for (uint32_t i = 1; h->handed && i <= h->order.shards; i++) {
        shard_path(&h->order, i, ".answer", path);
        if (access(path, F_OK) == 0)
            count_answer(h, i);
    }
    return h->handed ? PORTOLAN_OK : fail_memory(error);
}

/* The first rank has a plan, and all get it.  False: there is none, and the exit status is known. */
static bool begin(struct handout *h, int *exit_status)
{
    char path[4096];
    struct portolan_error error;
    unsigned char *bytes = NULL;
    size_t count = 0;
    enum portolan_status status = directory_make(h, &error);
    snprintf(path, sizeof path, "%s/plan", h->directory ? h->directory : "");
    bool fine = status == PORTOLAN_OK;
    if (fine && is_first(h) && h->settings->resume && !h->lesson)
        fine = (status = handout_read(h, &error)) == PORTOLAN_OK;
    else if (fine && is_first(h))
        fine = plan(h, exit_status);
    else if (fine)
        fine = mkdir(h->directory, 0777) == 0;
    if (fine && is_first(h))
        fine = (status = handout_plan(h, &error)) == PORTOLAN_OK && (status = find_done(h, &error)) == PORTOLAN_OK &&
               read_whole(path, &bytes, &count);
    if (!transport_meet(h->transport, fine))
        fine = false;
    uint64_t numbers[2] = {!fine, count};
    h->transport->largest(h->transport, numbers, 2);
    if (!numbers[0] && !is_first(h))
        bytes = malloc(numbers[1] + 1);
    uint64_t short_of_memory = !numbers[0] && !bytes;
    h->transport->largest(h->transport, &short_of_memory, 1);
    fine = !numbers[0] && !short_of_memory;
    if (fine)
        h->transport->share(h->transport, 0, bytes, numbers[1]);
    if (fine && !is_first(h))
        fine = write_whole(path, bytes, numbers[1]) && handout_plan(h, &error) == PORTOLAN_OK;
    free(bytes);
    uint64_t failed = !fine;
    h->transport->largest(h->transport, &failed, 1);
    if (status != PORTOLAN_OK)
        *exit_status = wrong(&error);
    return !failed;
}

bool wants_handout(const struct settings *settings, enum command command)
{
    return settings->transport && !settings->shards && !settings->shard &&
           (command == RUN || (command & (CHECK | EXPLORE) && wants_stateless(settings)));
}

int hand_out(struct settings *settings, const struct command_help *command)
{
    struct handout h = {.settings = settings, .command = command, .transport = settings->transport};
    int exit_status = EXIT_WRONG;
    uint64_t again;
    ssize_t length = readlink("/proc/self/exe", h.program, sizeof h.program - 1);
    h.start = (double)monotonic_now() / 1e9;
    if (length < 0)
        return EXIT_WRONG;
    do {
        again = 0;
        h.is_ending = h.failed = false;
        h.stop = PORTOLAN_COMPLETE;
        h.executions = 0;
        if (begin(&h, &exit_status)) {
            h.lesson = 0;
            work(&h);
            again = h.lesson;
            h.transport->largest(h.transport, &again, 1);
            h.lesson = again;
            if (!again && is_first(&h))
                exit_status = conclude(&h);
        }
        directory_remove(&h);
        free(h.handed);
        h.handed = NULL;
    } while (again && !limits_reached());
    if (again && is_first(&h))
        fprintf(stderr, "portolan: the search ended before it was divided\n");
    return again ? EXIT_UNDECIDED : exit_status;
}
