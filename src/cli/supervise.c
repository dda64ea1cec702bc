/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/supervise.h"

#include "account/account.h"
#include "base/diagnostic.h"
#include "cli/interrupts.h"
#include "cli/parts.h"
#include "debuginfo/debuginfo.h"
#include "report/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LOOK_SECONDS = 0.05, PROGRESS_SECONDS = 0.25;
/* How long a program that was told to stop may take, unless a part of the time limit is less. */
static const double GRACE_SECONDS = 1, LEAST_GRACE = 0.1;
/* An error that was found should not be lost: its report may take as long again, or this if that is more. */
static const double REPORT_GRACE = 2;

/* --- what both sides share */

static enum portolan_status read_statuses(const char *text, struct run_settings *s, struct portolan_error *error)
{
    while (text && *text) {
        char *end;
        size_t length = strcspn(text, ",");
        unsigned long status = strtoul(text, &end, 10);
        bool is_number = end == text + length && length && status < 256 && *text >= '0' && *text <= '9';
        bool is_any = length == 3 && strncmp(text, "any", 3) == 0;
        if (!is_number && !is_any) {
            fail(error, PORTOLAN_BAD_OPTION, "--exit-status takes numbers from 0 to 255 or 'any', not '%.*s'",
                 (int)length, text);
            hint(error, "--exit-status 1,2 allows both besides 0");
            return PORTOLAN_BAD_OPTION;
        }
        s->allows_any_status = s->allows_any_status || is_any;
        if (is_number)
            s->allows_status[status] = true;
        text += length + (text[length] == ',');
    }
    return PORTOLAN_OK;
}

/* The patterns of --trust, one in a line; false when they do not fit. */
static bool join_patterns(const struct settings *from, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < from->trusted.count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s\n", from->trusted.item[i]);
    return used < size;
}

static bool read_journal_mode(const char *text, enum journal_mode *mode)
{
    static const char *const words[] = {[JOURNAL_USUAL] = "usual",
                                        [JOURNAL_NEVER] = "never",
                                        [JOURNAL_UNCHECKED] = "unchecked",
                                        [JOURNAL_STRICT] = "strict"};
    size_t i = 0;
    while (text && i < sizeof words / sizeof *words && strcmp(words[i], text) != 0)
        i++;
    *mode = (enum journal_mode)i;
    return i < sizeof words / sizeof *words;
}

static enum portolan_status fill_settings(const struct settings *from, const char *replay, struct run_settings *to,
                                          struct portolan_error *error)
{
    if (from->reduction && strlen(from->reduction) >= sizeof to->reduction)
        return fail(error, PORTOLAN_BAD_OPTION, "there is no reduction '%s'", from->reduction);
    if (replay && strlen(replay) >= sizeof to->replay)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", replay, strerror(ENAMETOOLONG));
    *to = (struct run_settings){.memory = from->memory,
                                .states = from->states,
                                .bound = from->bound,
                                .preemptions = from->preemptions,
                                .random_runs = from->random_runs,
                                .bug_depth = from->bug_depth,
                                .seed = from->seed,
                                .threads = from->threads < MOST_PROCESSES ? from->threads : MOST_PROCESSES,
                                .bounds_preemptions = from->bounds_preemptions,
                                .all = from->all && !replay,
                                .interleave = from->interleave,
                                .volatile_is_plain = from->volatile_is_plain,
                                .partial_io = from->partial_io,
                                .leaks = from->leaks,
                                .spurious = from->spurious,
                                .quiet = from->quiet,
                                .lesson = from->lesson};
    snprintf(to->reduction, sizeof to->reduction, "%s", from->reduction ? from->reduction : "");
    snprintf(to->replay, sizeof to->replay, "%s", replay ? replay : "");
    if (!read_journal_mode(from->journal, &to->journal))
        return fail(error, PORTOLAN_BAD_OPTION, "--journal takes usual, never, unchecked or strict, not '%s'",
                    from->journal);
    if (!join_patterns(from, to->trusted, sizeof to->trusted))
        return fail(error, PORTOLAN_BAD_OPTION, "the patterns of --trust are too long");
    return read_statuses(from->exit_status, to, error);
}

struct supervision *supervision_make(const struct settings *settings, const char *replay, int *file,
                                     struct portolan_error *error)
{
    size_t size = sizeof(struct supervision);
    int first = memfd_create("portolan", MFD_CLOEXEC);
    *file = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, 3); /* 0 to 2 may have been closed */
    if (first >= 0)
        close(first);
    void *memory = MAP_FAILED;
    if (*file >= 0 && ftruncate(*file, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    if (memory == MAP_FAILED) {
        fail(error, PORTOLAN_NO_MEMORY, "cannot share memory with the program: %s", strerror(errno));
    } else if (fill_settings(settings, replay, &((struct supervision *)memory)->settings, error) == PORTOLAN_OK) {
        ((struct supervision *)memory)->version = VERSION_BLOCK;
        return memory;
    }
    if (memory != MAP_FAILED)
        munmap(memory, size);
    if (*file >= 0)
        close(*file);
    return NULL;
}

bool supervision_announce(int file)
{
    char number[16];
    snprintf(number, sizeof number, "%d", file);
    return fcntl(file, F_SETFD, 0) == 0 && setenv(SUPERVISION_VARIABLE, number, 1) == 0;
}

/* --- starting */

/* What it does to its descriptors is of no consequence: it has none of ours.  Those beyond the first three that the
 * user has opened for it are its own. */
static bool take_descriptors_away(int file)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool fine = nothing >= 0;
    for (int i = 0; i < 3; i++)
        fine = fine && (nothing == i ? fcntl(i, F_SETFD, 0) : dup2(nothing, i)) >= 0;
    return fine && supervision_announce(file);
}

static void become(const struct watched *w, int file, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_WRONG);
    sigprocmask(SIG_SETMASK, interrupts_before(), NULL);
    if (take_descriptors_away(file))
        execv(w->arguments[0], (char *const *)(uintptr_t)w->arguments);
    w->shared->start_error = errno;
    _exit(EXIT_WRONG);
}

static enum portolan_status start(struct watched *w, int file, struct portolan_error *error)
{
    pid_t parent = getpid();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* nobody gets away */
    fflush(stdout);
    w->process = fork();
    if (w->process == 0)
        become(w, file, parent);
    if (w->process < 0)
        return fail(error, PORTOLAN_IO, "%s cannot be run: %s", w->arguments[0], strerror(errno));
    setpgid(w->process, w->process);
    return PORTOLAN_OK;
}

/* --- limits */

double watched_seconds(const struct watched *w)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - w->start.tv_sec) + (double)(now.tv_nsec - w->start.tv_nsec) / 1e9;
}

uint64_t watched_executions(const struct watched *w)
{
    uint64_t sum = 0;
    for (int i = 0; i < MOST_PROCESSES; i++)
        sum += atomic_load(&w->shared->live[i].executions);
    return sum;
}

/* Of a process: what it alone has in memory, and its share of the rest; or, which is faster, all of it. */
static uint64_t process_memory(pid_t process, bool exact)
{
    char path[64], line[128];
    uint64_t amount = 0, resident = 0;
    snprintf(path, sizeof path, exact ? "/proc/%d/smaps_rollup" : "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (exact && sscanf(line, "Pss: %" SCNu64, &amount) == 1)
            amount *= 1024;
        else if (!exact && sscanf(line, "%*u %" SCNu64, &resident) == 1)
            amount = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    if (file)
        fclose(file);
    return amount;
}

static uint64_t memory_of_all(const struct watched *w, bool exact)
{
    uint64_t sum = 0;
    for (int i = 0; i < MOST_PROCESSES; i++) {
        pid_t process = atomic_load(&w->shared->live[i].process);
        sum += process ? process_memory(process, exact) : 0;
    }
    return sum;
}

static bool is_too_large(const struct watched *w)
{
    size_t limit = w->settings->memory;
    return limit && memory_of_all(w, false) > limit && memory_of_all(w, true) > limit;
}

/* It may have left its group. */
static void signal_all(const struct watched *w, int number)
{
    kill(-w->process, number);
    kill(w->process, number);
}

/* The first reason counts. */
static void ask_to_stop(struct watched *w, enum supervision_stop reason, double grace)
{
    if (w->stop != STOP_NOT)
        return;
    w->stop = reason;
    w->end_at = watched_seconds(w) + grace;
    w->shared->stop = w->shared->team_stop = (sig_atomic_t)reason;
}

static double time_grace(double limit)
{
    double part = limit / 2;
    return part < LEAST_GRACE ? LEAST_GRACE : part > GRACE_SECONDS ? GRACE_SECONDS : part;
}

static void look_at_limits(struct watched *w)
{
    double now = watched_seconds(w), limit = w->settings->time;
    if (limit > 0 && now >= limit)
        ask_to_stop(w, STOP_TIME, time_grace(limit));
    else if (w->stop == STOP_NOT && is_too_large(w))
        ask_to_stop(w, STOP_MEMORY, LEAST_GRACE);
    bool reports = !w->insists && atomic_load(&w->shared->state) == SUPERVISION_REPORTING;
    double longer = w->stop == STOP_TIME && limit * 0.4 > REPORT_GRACE ? limit * 0.4 : REPORT_GRACE;
    if (w->stop == STOP_NOT || w->was_ended || now < w->end_at + (reports ? longer : 0))
        return;
    signal_all(w, SIGKILL);
    w->was_ended = true;
}

/* --- following it */

/* Ctrl-Z stops both, and both go on. */
static void suspend(const struct watched *w)
{
    signal_all(w, SIGSTOP);
    raise(SIGSTOP);
    signal_all(w, SIGCONT);
}

static void look_at_process(struct watched *w)
{
    siginfo_t how = {0};
    if (waitid(P_PID, (id_t)w->process, &how, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 || !how.si_pid)
        return;
    w->how = how;
    w->is_over = true;
}

static void handle(struct watched *w, int number)
{
    switch (number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
        if (w->stop == STOP_NOT)
            ask_to_stop(w, STOP_SIGNAL, GRACE_SECONDS);
        else
            w->insists = true, w->end_at = 0;
        break;
    case SIGTSTP: suspend(w); break;
    default: break;
    }
}

static void show_progress(const struct watched *w, double *next)
{
    struct portolan_statistics so_far = {.seconds = watched_seconds(w), .executions = watched_executions(w)};
    if (so_far.seconds < *next)
        return;
    *next = so_far.seconds + PROGRESS_SECONDS;
    for (int i = 0; i < MOST_PROCESSES; i++) {
        so_far.transitions += atomic_load(&w->shared->live[i].steps);
        so_far.expected += atomic_load(&w->shared->live[i].expected);
    }
    if (so_far.transitions)
        progress_show(stderr, &so_far);
}

static double next_look(const struct watched *w)
{
    double until = LOOK_SECONDS, limit = w->settings->time - watched_seconds(w);
    return w->stop == STOP_NOT && w->settings->time > 0 && limit < until ? limit > 0 ? limit : 0 : until;
}

static void follow(struct watched *w)
{
    bool visible = !w->settings->quiet && !w->settings->json && isatty(STDERR_FILENO);
    double next = PROGRESS_SECONDS;
    while (!w->is_over) {
        struct timespec until = {.tv_nsec = (long)(next_look(w) * 1e9)};
        int number = sigtimedwait(interrupts_held(), NULL, &until);
        if (number > 0)
            handle(w, number);
        look_at_process(w);
        if (w->is_over)
            break;
        look_at_limits(w);
        save_program(w);
        if (visible)
            show_progress(w, &next);
    }
    if (visible)
        progress_end(stderr);
}

/* Ends whoever is left, also those who have left the group: they become our children when their parent has ended.  All
 * who have ended are taken leave of before the next look, since there may be thousands. */
static void end_all(const struct watched *w)
{
    signal_all(w, SIGKILL);
    do {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        signal_descendants(getpid(), SIGKILL);
    } while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static enum portolan_status prepare(struct watched *w, const char *replay, int *file, struct portolan_error *error)
{
    clock_gettime(CLOCK_MONOTONIC, &w->start);
    if (!debuginfo_load(error))
        return error->status;
    w->shared = supervision_make(w->settings, replay, file, error);
    if (!w->shared)
        return error->status;
    if (w->settings->suppress_file &&
        read_suppressions(w->settings->suppress_file, w->arguments[0], &w->shared->suppressed, error) != PORTOLAN_OK) {
        close(*file);
        return error->status;
    }
    if (!replay)
        list_statements(w->arguments[0], &w->shared->coverage);
    if (!replay && wants_parts(w->settings) && parts_begin(w, error) != PORTOLAN_OK) {
        close(*file);
        return error->status;
    }
    return PORTOLAN_OK;
}

enum portolan_status watch(struct watched *w, const char *replay, struct portolan_error *error)
{
    int file;
    interrupts_hold();
    enum portolan_status status = prepare(w, replay, &file, error);
    if (status == PORTOLAN_OK) {
        status = start(w, file, error);
        close(file);
    }
    if (status == PORTOLAN_OK) {
        follow(w);
        end_all(w);
    }
    interrupts_release();
    return status;
}

void watched_clear(struct watched *w)
{
    if (w->shared)
        munmap(w->shared, sizeof *w->shared);
}

int supervise(const struct settings *settings, char **arguments, const char *replay)
{
    struct watched w = {.settings = settings, .arguments = (const char *const *)(uintptr_t)arguments};
    struct portolan_error error;
    int exit_status = watch(&w, replay, &error) == PORTOLAN_OK ? deliver(&w) : wrong(&error);
    if (!replay && wants_parts(settings) && w.shared)
        exit_status = parts_end(&w, exit_status);
    watched_clear(&w);
    return exit_status;
}

int supervise_nothing(const struct settings *settings, char **arguments)
{
    struct watched w = {
        .settings = settings, .arguments = (const char *const *)(uintptr_t)arguments, .stop = STOP_SIGNAL};
    struct portolan_error error;
    int file;
    clock_gettime(CLOCK_MONOTONIC, &w.start);
    w.was_ended = true;
    w.shared = supervision_make(settings, NULL, &file, &error);
    if (!w.shared)
        return wrong(&error);
    close(file);
    int exit_status = deliver(&w);
    watched_clear(&w);
    return exit_status;
}
