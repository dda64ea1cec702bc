/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/handout.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "cli/limits.h"
#include "cli/shards.h"
#include "report/progress.h"
#include "search/combination.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAP = 500000 };
static const double COUNT_SECONDS = 0.05, PROGRESS_SECONDS = 0.25, LONGEST_FAREWELL = 0.5;

double handout_seconds(const struct handout *h)
{
    return (double)monotonic_now() / 1e9 - h->start;
}

static bool is_first(const struct handout *h)
{
    return h->transport->rank == 0;
}

/* ------------------------------------------------------------------------- letters */

static void take_letter(struct handout *h, uint32_t from, const struct letter *letter, const void *bytes, size_t count);

void send_letter(struct handout *h, uint32_t to, struct letter letter, const void *bytes, size_t count)
{
    if (to == h->transport->rank) {
        take_letter(h, to, &letter, bytes, count);
        return;
    }
    unsigned char *all = malloc(sizeof letter + count);
    if (all) {
        memcpy(all, &letter, sizeof letter);
        if (count)
            memcpy(all + sizeof letter, bytes, count);
    }
    if (!all || !h->transport->send(h->transport, to, all, sizeof letter + count))
        h->transport->lost(); /* nobody else would know what is explored */
    free(all);
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

/* With a file of the process; the first rank's are where they belong. */
static void send_file(struct handout *h, struct letter letter, const char *ending)
{
    char path[4096];
    unsigned char *bytes = NULL;
    size_t count = 0;
    shard_path(&h->order, letter.process, ending, path);
    if (!is_first(h) && !read_whole(path, &bytes, &count))
        count = 0;
    send_letter(h, 0, letter, bytes, count);
    free(bytes);
}

static void keep_file(struct handout *h, uint32_t from, const struct letter *letter, const char *ending,
                      const void *bytes, size_t count)
{
    char path[4096];
    shard_path(&h->order, letter->process, ending, path);
    if (from != h->transport->rank && !write_whole(path, bytes, count))
        first_fail(h, "portolan: error: an answer cannot be written\n");
}

/* ------------------------------------------------------------------------- the process that explores */

static void tell_to_end(struct handout *h)
{
    if (!h->job)
        return;
    atomic_store(&h->mailbox->ended, 1);
    atomic_store(&h->mailbox->wish, GIVE_ALL);
    h->told_to_end = handout_seconds(h);
}

static void put_leaf(struct handout *h, const void *words, size_t bytes)
{
    if (bytes > h->mailbox->room * sizeof *h->mailbox->letter)
        h->transport->lost();
    memcpy(h->mailbox->letter, words, bytes);
    h->mailbox->count = (uint32_t)(bytes / sizeof *h->mailbox->letter);
    h->waits = false;
    atomic_store(&h->mailbox->holds, LEAF);
}

/* A new process finds the leaf when it begins. */
static void take_leaf(struct handout *h, const struct letter *letter, const void *words, size_t bytes)
{
    if (!letter->process) {
        if (h->job) /* else it has just ended, and the first rank will hear of it */
            put_leaf(h, words, bytes);
        return;
    }
    h->process = letter->process;
    h->told_executions = 0;
    h->told_to_end = 0;
    h->mailbox = mailbox_make(h->mailbox_name, &h->mailbox_file);
    if (h->mailbox)
        put_leaf(h, words, bytes);
    if (!h->mailbox || !job_start(h, letter->number))
        send_letter(h, 0, (struct letter){.kind = WRONG, .process = letter->process}, NULL, 0);
}

/* --- every rank */

static void take_letter(struct handout *h, uint32_t from, const struct letter *letter, const void *bytes, size_t count)
{
    struct receiver *r = h->receivers ? &h->receivers[from] : NULL;
    switch ((enum kind)letter->kind) {
    case LEAF_TO_EXPLORE: take_leaf(h, letter, bytes, count); break;
    case GIVE:
        if (h->job && !h->told_to_end)
            atomic_store(&h->mailbox->wish, GIVE_SOME);
        break;
    case END:
        h->is_ending = true;
        h->may_be_killed = letter->number != PORTOLAN_COMPLETE;
        tell_to_end(h);
        break;
    case RETIRE: tell_to_end(h); break;
    case ASK: r->asks = true; break;
    case REPORT_OF_LEAF: first_hear_report(h, from, bytes, count); break;
    case COUNT: r->executions = letter->number; break;
    case ANSWER:
        keep_file(h, from, letter, ".answer", bytes, count);
        first_hear_answer(h, from, letter->process, letter->number);
        break;
    case LESSON:
        first_lose(h, from);
        h->lesson = letter->number > h->lesson ? letter->number : h->lesson;
        first_end(h, PORTOLAN_INTERRUPTED);
        break;
    case WRONG:
        keep_file(h, from, letter, ".log", bytes, count);
        first_hear_wrong(h, from, letter->process);
        break;
    case LIMIT:
        if (letter->process)
            first_lose(h, from);
        first_end(h, (enum portolan_stop)letter->number);
        break;
    case BYE: h->away--; break;
    }
}

static bool is_there(const struct handout *h, const char *ending)
{
    char path[4096];
    shard_path(&h->order, h->process, ending, path);
    return access(path, F_OK) == 0;
}

static uint64_t wanted_lesson(const struct handout *h)
{
    char path[4096];
    uint64_t lesson = 0;
    shard_path(&h->order, h->process, ".lesson", path);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%" SCNu64, &lesson) != 1)
        lesson = 0;
    if (file)
        fclose(file);
    return lesson;
}

/* What is in the mailbox; true when there was something. */
static bool empty_mailbox(struct handout *h)
{
    struct mailbox *m = h->mailbox;
    uint64_t executions = atomic_load_explicit(&m->executions, memory_order_relaxed);
    if (atomic_load(&m->holds) == REPORT) {
        send_letter(h, 0, (struct letter){.kind = REPORT_OF_LEAF}, m->letter, m->count * sizeof *m->letter);
        atomic_store(&m->holds, NOBODYS);
        return true;
    }
    if (atomic_load(&m->asks) && atomic_load(&m->holds) == NOBODYS && !atomic_load(&m->ended)) {
        atomic_store(&m->asks, 0);
        h->waits = true;
        send_letter(h, 0, (struct letter){.kind = ASK}, NULL, 0);
        return true;
    }
    if (executions != h->told_executions && handout_seconds(h) > h->next_count) {
        send_letter(h, 0, (struct letter){.kind = COUNT, .number = executions}, NULL, 0);
        h->told_executions = executions;
        h->next_count = handout_seconds(h) + COUNT_SECONDS;
    }
    return false;
}

static void job_ended(struct handout *h)
{
    struct letter letter = {.process = h->process};
    while (empty_mailbox(h)) {
    }
    uint32_t stop = atomic_load(&h->mailbox->stop);
    bool has_none = h->waits || atomic_load(&h->mailbox->holds) == LEAF;
    if (stop == PORTOLAN_INTERRUPTED) /* by its supervisor, whom nothing else was asked to watch */
        stop = PORTOLAN_MEMORY_LIMIT;
    mailbox_free(h->mailbox, h->mailbox_file);
    h->mailbox = NULL;
    h->job = 0;
    if (is_there(h, ".answer")) {
        letter.kind = ANSWER;
        letter.number = (h->told_to_end ? PORTOLAN_COMPLETE : stop) | (has_none ? HAS_NO_LEAF : 0);
        send_file(h, letter, ".answer");
    } else if (wanted_lesson(h)) {
        letter.kind = LESSON;
        letter.number = wanted_lesson(h);
        send_letter(h, 0, letter, NULL, 0);
    } else if (stop != PORTOLAN_COMPLETE) {
        letter.kind = LIMIT;
        letter.number = stop;
        send_letter(h, 0, letter, NULL, 0);
    } else {
        letter.kind = WRONG;
        send_file(h, letter, ".log");
    }
    h->told_to_end = 0;
}

/* ------------------------------------------------------------------------- the loop */

static void show_progress(const struct handout *h, double *next)
{
    uint64_t executions = first_executions(h);
    struct portolan_statistics so_far = {
        .seconds = handout_seconds(h), .executions = executions, .transitions = executions + 1};
    if (h->settings->quiet || h->settings->json || so_far.seconds < *next || !isatty(STDERR_FILENO))
        return;
    progress_show(stderr, &so_far);
    *next = so_far.seconds + PROGRESS_SECONDS;
}

static void look_at_limits(struct handout *h)
{
    if (h->is_ending || h->has_told_limit || !limits_reached())
        return;
    h->has_told_limit = true;
    send_letter(h, 0, (struct letter){.kind = LIMIT, .number = limits_stop()}, NULL, 0);
}

/* Until this rank has nothing left to do; the first waits for all others. */
static void work(struct handout *h)
{
    double next_progress = 0, ending_since = 0;
    while (!h->is_ending || h->job || (is_first(h) && h->away)) {
        receive_letters(h);
        bool is_busy = h->job && empty_mailbox(h);
        if (h->job && job_has_ended(h))
            job_ended(h);
        look_at_limits(h);
        if (is_first(h)) {
            first_look(h);
            show_progress(h, &next_progress);
        }
        ending_since = h->is_ending ? ending_since ? ending_since : handout_seconds(h) : 0;
        if (is_first(h) && ending_since && !h->job && *command_interrupt() &&
            handout_seconds(h) > ending_since + LONGEST_FAREWELL)
            h->transport->lost();
        if (!is_busy)
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    }
    if (!is_first(h))
        send_letter(h, 0, (struct letter){.kind = BYE}, NULL, 0);
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
    char lesson[32], log[4096];
    uint64_t wanted = h->lesson ? h->lesson : h->settings->lesson;
    snprintf(lesson, sizeof lesson, "%" PRIu64, wanted);
    snprintf(log, sizeof log, "%s.log", h->directory);
    bool fine = vector_push(&words, (char *)"portolan") &&
                options_pick(h->settings, h->command->command, is_for_shards, &words, &error) == PORTOLAN_OK;
    fine = fine && vector_push(&words, (char *)"--shards") && vector_push(&words, (char *)"1") &&
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
    if (status == EXIT_HOLDS) {
        status = plan_hand_out(h->directory, &error) == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
        *exit_status = status;
        return status == EXIT_HOLDS;
    }
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
    bool is_over = h->stop == PORTOLAN_COMPLETE || h->stop == PORTOLAN_DECIDED;
    if (h->failed)
        return EXIT_WRONG;
    if (h->has_lost && h->stop == PORTOLAN_COMPLETE) {
        fprintf(stderr, "portolan: error: a process has explored a part of the search and left no answer\n");
        return EXIT_WRONG;
    }
    if (!is_over && h->settings->checkpoint)
        first_save_at_end(h);
    if (h->stop != PORTOLAN_COMPLETE && shards_write_stop(&h->order, h->stop, &error) != PORTOLAN_OK)
        return wrong(&error);
    if (is_over && h->settings->checkpoint && (h->is_saved || h->settings->resume))
        (void)unlink(h->settings->checkpoint);
    int exit_status = merge(h);
    if (!is_over)
        tell_checkpoint(h);
    return exit_status;
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
        fine = (status = handout_plan(h, &error)) == PORTOLAN_OK && (status = first_begin(h, &error)) == PORTOLAN_OK &&
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
        h.is_ending = h.failed = h.has_lost = h.has_told_limit = h.may_be_killed = false;
        h.stop = PORTOLAN_COMPLETE;
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
        free(h.receivers);
        h.receivers = NULL;
        skeleton_clear(&h.skeleton);
    } while (again && !limits_reached());
    if (again && is_first(&h))
        fprintf(stderr, "portolan: the search ended before it was divided\n");
    return again ? EXIT_UNDECIDED : exit_status;
}
