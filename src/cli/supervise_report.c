/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a supervised program: its own report; or, when there is none, what is known from outside. */
#include "cli/supervise.h"

#include "account/account.h"
#include "base/diagnostic.h"
#include "cli/screen.h"
#include "page/page.h"
#include "report/run_summary.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What can be said when the program has not said it. */
struct outside {
    const struct watched *watched;
    int exit_status;
    const char *kind; /* in JSON and JUnit */
    char message[400], why[80];
    struct portolan_result result;
    struct portolan_options options;
    bool has_schedule; /* of an execution that led there */
    char *steps;       /* the schedule without its last step, as the program describes it; NULL: it does not */
    const struct account *account; /* what the program has told; NULL: nothing */
};

/* --- the present execution */

/* Of the process that leads: it is the one that ended, or whom all the others would follow. */
static const struct live *leader(const struct watched *w)
{
    return &w->shared->live[0];
}

static uint32_t schedule_length(const struct watched *w)
{
    uint32_t depth = atomic_load(&leader(w)->depth);
    return depth < LONGEST_SCHEDULE ? depth : LONGEST_SCHEDULE;
}

static void print_agent(unsigned agent, FILE *out)
{
    if (agent)
        fprintf(out, "thread %u", agent);
    else
        fprintf(out, "main");
}

/* "main 3, thread 1 2": who took how many steps, in order. */
static void print_turns(const struct watched *w, FILE *out)
{
    enum { MOST_TURNS = 40 };
    const uint8_t *order = leader(w)->order;
    uint32_t length = schedule_length(w), turns = 0;
    fprintf(out, "schedule   %" PRIu32 " step%s%s", length, length == 1 ? "" : "s", length ? ": " : "\n");
    for (uint32_t i = 0, from = 0; i < length; i++) {
        if (i + 1 < length && order[i + 1] == order[i])
            continue;
        if (turns++ < MOST_TURNS) {
            fprintf(out, "%s", from ? ", " : "");
            print_agent(order[i], out);
            if (i > from)
                fprintf(out, " (%" PRIu32 ")", i + 1 - from);
        }
        from = i + 1;
    }
    if (length)
        fprintf(out, "%s\n", turns > MOST_TURNS ? ", ..." : "");
}

static unsigned last_agent(const struct watched *w)
{
    return leader(w)->order[schedule_length(w) - 1];
}

/* In the format of src/native/schedule_file.c. */
static void write_argument(const char *text, FILE *out)
{
    fprintf(out, "argument ");
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\\')
            fputs("\\\\", out);
        else
            fputc(*text, out);
    fputc('\n', out);
}

static void write_trace(const struct watched *w, uint32_t length, FILE *out)
{
    const struct run_settings *s = &w->shared->settings;
    fprintf(out, "# an incomplete schedule\n");
    for (int i = 1; w->arguments[i]; i++)
        write_argument(w->arguments[i], out);
    fprintf(out, "%s%s%s%s%s", s->partial_io ? "partial-io\n" : "", s->interleave ? "interleave\n" : "",
            s->spurious ? "spurious\n" : "", s->leaks ? "leaks\n" : "", s->volatile_is_plain ? "volatile-plain\n" : "");
    if (s->allows_any_status)
        fprintf(out, "exit-status any\n");
    for (int i = 1; i < 256; i++)
        if (s->allows_status[i])
            fprintf(out, "exit-status %d\n", i);
    for (uint32_t i = 1; i < w->shared->threads && i < MOST_SUPERVISED_THREADS; i++)
        fprintf(out, "thread %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", i, w->shared->births[i].parent,
                w->shared->births[i].index);
    for (uint32_t i = 0; i < length; i++)
        fprintf(out, "%u\n", leader(w)->order[i]);
}

/* --- what the program has told */

/* Has the program written this part of its report? */
static bool is_reported(const struct watched *w, enum part part)
{
    return atomic_load(&w->shared->state) == SUPERVISION_DONE && w->shared->sizes[part];
}

/* Reads the record; false when there is none, or no memory. */
static bool read_record(const struct watched *w, struct account *account)
{
    const struct supervision *s = w->shared;
    *account = (struct account){.program = w->arguments[0],
                                .settings = &s->settings,
                                .suppressed = &s->suppressed,
                                .coverage = &s->coverage,
                                .slices = w->settings->slices};
    return is_reported(w, PART_RECORD) && s->sizes[PART_RECORD] <= PART_CAPACITY &&
           account_read(account, s->parts[PART_RECORD], s->sizes[PART_RECORD]);
}

/* Of standard output, for people. */
static struct page page_for(FILE *out, bool quiet)
{
    bool is_screen = out == stdout;
    struct page page = {.out = out,
                        .as_is = is_screen ? screen_unwrapped() : out,
                        .width = is_screen ? screen_width() : 80,
                        .colours = is_screen && screen_has_colours(),
                        .quiet = quiet};
    return page;
}

static char *schedule_of_record(const struct watched *w)
{
    struct account account;
    char *text = NULL;
    size_t size;
    bool fine = read_record(w, &account);
    FILE *memory = fine && account.failed.count ? open_memstream(&text, &size) : NULL;
    if (memory) {
        struct page page = page_for(memory, false);
        print_schedule(&account, &account.failed.item[0], &page);
        fclose(memory);
    }
    account_clear(&account);
    return text;
}

/* The program ended in the last step: it is run again up to there. */
static char *describe_steps(const struct watched *w)
{
    struct settings settings = *w->settings;
    struct watched again = {.settings = &settings, .arguments = w->arguments};
    struct portolan_error error;
    char path[64], *steps = NULL;
    int file = schedule_length(w) ? memfd_create("schedule", MFD_CLOEXEC) : -1;
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out)
        return NULL;
    settings.time = 5;
    settings.json = true; /* no progress is shown */
    settings.quiet = false;
    write_trace(w, schedule_length(w) - 1, out);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    if (fflush(out) == 0 && watch(&again, path, &error) == PORTOLAN_OK)
        steps = schedule_of_record(&again);
    watched_clear(&again);
    fclose(out);
    return steps;
}

/* --- what is known */

static void count(struct outside *o)
{
    const struct watched *w = o->watched;
    struct portolan_statistics *s = &o->result.statistics;
    s->executions = watched_executions(w);
    s->seconds = watched_seconds(w);
    for (int i = 0; i < MOST_PROCESSES; i++)
        s->transitions += atomic_load(&w->shared->live[i].steps);
    snprintf(o->result.reduction, sizeof o->result.reduction, "%s",
             w->shared->settings.reduction[0] ? w->shared->settings.reduction : "optimal");
    o->options.preemptions = (uint32_t)w->shared->settings.preemptions;
}

static void describe_end(const siginfo_t *how, char *text, size_t size)
{
    if (how->si_code == CLD_EXITED)
        snprintf(text, size, "exited with status %d", how->si_status);
    else
        snprintf(text, size, "was %s by signal %d (%s)", how->si_code == CLD_STOPPED ? "stopped" : "killed",
                 how->si_status, strsignal(how->si_status));
}

/* It was told to stop, did not, and was ended. */
static void tell_limit(struct outside *o)
{
    static const enum portolan_stop stops[] = {
        [STOP_TIME] = PORTOLAN_TIME_LIMIT, [STOP_MEMORY] = PORTOLAN_MEMORY_LIMIT, [STOP_SIGNAL] = PORTOLAN_INTERRUPTED};
    const struct supervision *s = o->watched->shared;
    o->exit_status = EXIT_UNDECIDED;
    o->result.stop = stops[o->watched->stop];
    o->has_schedule = o->watched->process;
    describe_unknown(&o->result, &o->options, NULL, o->why, sizeof o->why);
    o->kind = o->why;
    if (s->failure[0])
        snprintf(o->message, sizeof o->message, "an error was found (%s), but there was no time left to run it again",
                 s->failure);
    else if (!o->watched->process)
        snprintf(o->message, sizeof o->message, "the sources were still being compiled");
    else if (atomic_load(&s->state) == SUPERVISION_STARTING)
        snprintf(o->message, sizeof o->message, "the program did not reach its main function");
    else
        snprintf(o->message, sizeof o->message, "the program did not stop by itself: it was on its way to its next %s",
                 "step, or in a system call");
}

/* It ended by itself, or somebody ended it. */
static void tell_silence(struct outside *o)
{
    char how[120];
    const struct supervision *s = o->watched->shared;
    bool started = atomic_load(&s->state) != SUPERVISION_STARTING;
    o->exit_status = EXIT_WRONG;
    o->result.stop = PORTOLAN_INTERRUPTED;
    o->kind = "no report";
    o->has_schedule = started;
    o->steps = started ? describe_steps(o->watched) : NULL;
    describe_end(&o->watched->how, how, sizeof how);
    snprintf(o->message, sizeof o->message, "%s %s %s", o->watched->arguments[0], how,
             !started                                ? "before its main function"
             : o->watched->how.si_code == CLD_EXITED ? "in the middle of the search: by a library or a system call"
                                                     : "in the middle of the search");
}

/* The program said in a few words why it could not do what was asked. */
static void tell_error(struct outside *o)
{
    const struct supervision *s = o->watched->shared;
    const char *text = s->parts[PART_ERRORS], *begin = strncmp(text, "error: ", 7) == 0 ? text + 7 : text;
    o->exit_status = s->exit_status;
    o->result.stop = PORTOLAN_INTERRUPTED;
    o->kind = "error";
    snprintf(o->message, sizeof o->message, "%.*s", (int)strcspn(begin, "\n"), begin);
}

/* Filled in place: `kind` may point into it. */
static void look_from_outside(struct outside *o, const struct watched *w)
{
    *o = (struct outside){.watched = w};
    count(o);
    if (atomic_load(&w->shared->state) == SUPERVISION_DONE)
        tell_error(o);
    else if (w->was_ended)
        tell_limit(o);
    else
        tell_silence(o);
}

static void print_steps(const struct outside *o, FILE *out)
{
    fprintf(out, "%sthen       ", o->steps);
    print_agent(last_agent(o->watched), out);
    fprintf(out, " takes its next step, and the program ends\n");
}

static void print_outside(const struct outside *o, FILE *out)
{
    if (o->exit_status == EXIT_UNDECIDED)
        fprintf(out, "%-10s %s\n  %s\n", "unknown", o->why, o->message);
    else
        fprintf(out, "%-10s %s\n", "failed", o->message);
    print_counts(&o->result, &o->options, out);
    if (o->steps)
        print_steps(o, out);
    else if (o->has_schedule)
        print_turns(o->watched, out);
}

static void json_outside(const struct outside *o, FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "c");
    json_string(&json, "verdict", run_verdict(o->exit_status));
    json_counts(&o->result, &json);
    json_open(&json, "reservations", '[');
    json_close(&json, ']');
    json_string(&json, "error", o->kind);
    json_string(&json, "message", o->message);
    json_open(&json, "schedule", '[');
    for (uint32_t i = 0; o->has_schedule && i < schedule_length(o->watched); i++) {
        json_open(&json, NULL, '{');
        json_integer(&json, "thread", leader(o->watched)->order[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

static void junit_outside(const struct outside *o, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    print_outside(o, memory);
    if (fclose(memory) == 0)
        run_junit(&(struct run_answer){.result = &o->result,
                                       .program = o->watched->arguments[0],
                                       .kind = o->kind,
                                       .message = o->message,
                                       .exit_status = o->exit_status,
                                       .text = text,
                                       .text_size = size},
                  out);
    free(text);
}

static void sarif_outside(const struct outside *o, FILE *out)
{
    sarif_remark(o->watched->arguments[0], o->kind, o->message, out);
}

/* --- writing */

/* What is written where. */
enum answer_form { FORM_TEXT, FORM_JSON, FORM_JUNIT, FORM_SARIF, FORM_HTML, FORM_TRACE };

static void write_outside(const struct outside *o, enum answer_form form, FILE *out)
{
    switch (form) {
    case FORM_TEXT: print_outside(o, out); break;
    case FORM_JSON: json_outside(o, out); break;
    case FORM_JUNIT: junit_outside(o, out); break;
    case FORM_SARIF: sarif_outside(o, out); break;
    case FORM_HTML: break; /* write_html */
    case FORM_TRACE: write_trace(o->watched, schedule_length(o->watched), out); break;
    }
}

static void write_account(const struct outside *o, enum answer_form form, FILE *out)
{
    const struct supervision *s = o->watched->shared;
    struct page page = page_for(out, o->watched->settings->quiet);
    switch (form) {
    case FORM_TEXT: print_account(o->account, &page); break;
    case FORM_JSON: json_account(o->account, out); break;
    case FORM_JUNIT: junit_account(o->account, out); break;
    case FORM_SARIF: sarif_account(o->account, out); break;
    case FORM_HTML: break; /* write_html */
    case FORM_TRACE: fwrite(s->parts[PART_TRACE], 1, s->sizes[PART_TRACE], out); break;
    }
}

/* --- the page */

static enum portolan_status tell_outside(struct html_page *page, void *what, struct portolan_error *error)
{
    const struct outside *o = what;
    (void)error;
    json_open(&page->json, "properties", '[');
    json_open(&page->json, NULL, '{');
    json_string(&page->json, "property", "no error in any schedule");
    json_string(&page->json, "verdict", run_verdict(o->exit_status));
    json_string(&page->json, "answer", o->kind);
    json_string(&page->json, "note", o->message);
    json_close(&page->json, '}');
    json_close(&page->json, ']');
    return PORTOLAN_OK;
}

/* What was covered: of a verdict the whole text, of an error, which has a schedule, how much was looked at. */
static void print_covered(const struct account *account, FILE *out)
{
    struct portolan_options options = options_of(account);
    if (!account->failed.count)
        print_account(account, &(struct page){.out = out, .width = 100});
    else if (!account->search.is_replay)
        print_counts(&account->search.result, &options, out);
}

static enum portolan_status tell_account(struct html_page *page, void *what, struct portolan_error *error)
{
    const struct account *account = what;
    char *text = NULL;
    size_t size;
    FILE *memory = stepper_account(account, &page->json) ? open_memstream(&text, &size) : NULL;
    if (memory)
        print_covered(account, memory);
    bool fine = memory && fclose(memory) == 0;
    if (fine && text[0])
        json_string(&page->json, "coverage", text);
    free(text);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status write_html(const struct outside *o, bool reported, FILE *out, struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    if (reported)
        print_account(o->account, &(struct page){.out = memory, .width = 100});
    else
        print_outside(o, memory);
    enum portolan_status status = fclose(memory) == 0 ? PORTOLAN_OK : fail_memory(error);
    if (status == PORTOLAN_OK)
        status = page_of(reported ? tell_account : tell_outside, reported ? (void *)o->account : (void *)o,
                         o->watched->settings->subject, text, out, error);
    free(text);
    return status;
}

static enum portolan_status write_answer(const struct outside *o, enum answer_form form, const char *path,
                                         struct portolan_error *error)
{
    const struct supervision *s = o->watched->shared;
    enum part part = form == FORM_TRACE ? PART_TRACE : PART_RECORD;
    bool reported = is_reported(o->watched, part);
    if (reported && (s->sizes[part] > PART_CAPACITY || (form != FORM_TRACE && !o->account)))
        return s->sizes[part] > PART_CAPACITY
                   ? fail(error, PORTOLAN_IO, "the report is longer than %d MB: it was not written",
                          PART_CAPACITY >> 20)
                   : fail_memory(error);
    FILE *out = open_output(path, error);
    if (!out)
        return error->status;
    enum portolan_status status = PORTOLAN_OK;
    if (form == FORM_HTML)
        status = write_html(o, reported, out, error);
    else if (reported)
        write_account(o, form, out);
    else
        write_outside(o, form, out);
    if (out == stdout) /* which is looked at in the end, for all commands */
        return status;
    bool fine = close_output(out, path, status == PORTOLAN_OK ? error : NULL);
    return fine || status != PORTOLAN_OK ? status : error->status;
}

/* All of the report; an error on the way does not keep the rest from being written. */
static bool write_report(const struct outside *o)
{
    const struct settings *settings = o->watched->settings;
    bool is_error = strcmp(o->kind, "error") == 0, json_only = settings->json && !settings->json_file;
    bool is_answer = !is_error || is_reported(o->watched, PART_RECORD) || o->result.statistics.executions;
    bool has_trace = is_reported(o->watched, PART_TRACE) || (o->has_schedule && !is_reported(o->watched, PART_RECORD));
    const struct {
        enum answer_form form;
        const char *path;
        bool wanted;
    } answers[] = {{FORM_TRACE, settings->trace_file, settings->trace_file && has_trace},
                   {FORM_TEXT, NULL, !json_only && is_answer},
                   {FORM_JSON, settings->json_file, settings->json && is_answer},
                   {FORM_JUNIT, settings->junit_file, settings->junit_file && is_answer},
                   {FORM_SARIF, settings->sarif_file, settings->sarif_file && is_answer},
                   {FORM_HTML, settings->html_file, settings->html_file && is_answer}};
    bool fine = true;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct portolan_error error;
        if (!answers[i].wanted || write_answer(o, answers[i].form, answers[i].path, &error) == PORTOLAN_OK)
            continue;
        wrong(&error);
        fine = false;
    }
    return fine;
}

int deliver(const struct watched *w)
{
    const struct supervision *s = w->shared;
    struct portolan_error error;
    if (s->start_error) {
        fail(&error, PORTOLAN_IO, "%s cannot be run: %s", w->arguments[0], strerror(s->start_error));
        return wrong(&error);
    }
    struct outside o;
    look_from_outside(&o, w);
    bool done = atomic_load(&s->state) == SUPERVISION_DONE;
    if (done && s->sizes[PART_ERRORS] && s->sizes[PART_ERRORS] <= PART_CAPACITY)
        fwrite(s->parts[PART_ERRORS], 1, s->sizes[PART_ERRORS], stderr);
    else if (!done && o.exit_status == EXIT_WRONG) {
        fail(&error, PORTOLAN_REFUSED, "%s", o.message);
        wrong(&error);
    }
    struct account account;
    o.account = read_record(w, &account) ? &account : NULL;
    bool fine = write_report(&o);
    account_clear(&account);
    free(o.steps);
    if (!fine)
        return EXIT_WRONG;
    return done ? s->exit_status : o.exit_status;
}
