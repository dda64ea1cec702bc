/* Where a program built by `portolan cc` begins: it runs once as usual, or explores itself when `portolan run` asks. */
#include "native/runtime.h"
#include "native/signals.h"
#include "report/progress.h"
#include "stateless/stateless.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_HOLDS = 0, EXIT_FAILED = 1, EXIT_WRONG = 2, EXIT_UNDECIDED = 3 };

struct runtime *runtime;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
    team_stop();
}

/* --- running once */

/* Everybody in turn, as far as it can go, or for so many steps: it may wait for another in a loop. */
static int run_once(void)
{
    enum { STEPS_IN_TURN = 1000 };
    uint32_t last = 0, steps = 0;
    begin_run();
    while (runtime->failure.kind == NO_FAILURE && !runtime->process_exits) {
        uint32_t tried = 0, agent = last;
        if (++steps % STEPS_IN_TURN == 0 || !can_step(agent))
            do
                agent = (agent + 1) % runtime->agent_limit;
            while (!can_step(agent) && ++tried < runtime->agent_limit);
        if (tried == runtime->agent_limit) {
            bool ended = true;
            for (uint32_t a = 0; a < runtime->agent_limit; a++)
                ended = ended && (!runtime->threads[a].exists || runtime->threads[a].ended);
            if (ended)
                break;
            runtime->failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
            snprintf(runtime->failure.text, sizeof runtime->failure.text, "deadlock: every thread waits");
            break;
        }
        runtime->top = 0; /* nobody goes back */
        if (!take_step(agent))
            return EXIT_WRONG;
        last = agent;
    }
    if (runtime->failure.kind == NO_FAILURE)
        return runtime->exit_status;
    fflush(stdout);
    fprintf(stderr, "%s\n", runtime->failure.text);
    return runtime->failure.kind == FAILED_REFUSED ? EXIT_WRONG : 134;
}

/* --- exploring */

static uint64_t number_setting(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static const char *text_setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static struct portolan_options search_options(void)
{
    const char *time = text_setting("PORTOLAN_TIME");
    return (struct portolan_options){.reduction = text_setting("PORTOLAN_REDUCTION"),
                                     .time_limit = time ? strtod(time, NULL) : 0,
                                     .memory_limit = number_setting("PORTOLAN_MEMORY"),
                                     .state_limit = number_setting("PORTOLAN_STATES"),
                                     .bound = (uint32_t)number_setting("PORTOLAN_BOUND"),
                                     .bounds_preemptions = number_setting("PORTOLAN_PREEMPTIONS"), /* one more */
                                     .preemptions = (uint32_t)number_setting("PORTOLAN_PREEMPTIONS") - 1,
                                     .random_runs = number_setting("PORTOLAN_RANDOM"),
                                     .bug_depth = (uint32_t)number_setting("PORTOLAN_DEPTH"),
                                     .seed = number_setting("PORTOLAN_SEED"),
                                     .threads = (uint32_t)number_setting("PORTOLAN_THREADS"),
                                     .interrupt = &interrupted};
}

/* Only what the failing execution prints is wanted. */
static FILE *hide_output(void)
{
    int saved = dup(1), nothing = open("/dev/null", O_RDWR);
    char *buffer = malloc(BUFSIZ);
    if (saved < 0 || nothing < 0 || !buffer)
        return NULL;
    for (int file = 0; file < 3; file++)
        dup2(nothing, file);
    close(nothing);
    setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
    return fdopen(saved, "w");
}

static int explore(void)
{
    struct portolan_result result = {0};
    struct portolan_error error = {0};
    struct settings settings = {.trace_file = text_setting("PORTOLAN_TRACE"),
                                .json_file = text_setting("PORTOLAN_JSON"),
                                .replay_file = text_setting("PORTOLAN_REPLAY"),
                                .junit_file = text_setting("PORTOLAN_JUNIT"),
                                .quiet = text_setting("PORTOLAN_QUIET"),
                                .options = search_options()};
    if (text_setting("PORTOLAN_DEBUG"))
        return machine_prepare(MOST_THREADS) && read_schedule(settings.replay_file, stderr) && learn_from_schedule()
                   ? debug_schedule()
                   : EXIT_WRONG;
    FILE *errors = fdopen(dup(2), "w"), *out = hide_output();
    if (!out || !errors)
        return EXIT_WRONG;
    if (settings.replay_file) {
        if (!machine_prepare(MOST_THREADS) || !read_schedule(settings.replay_file, errors))
            return fclose(errors), EXIT_WRONG;
        return report(NULL, &settings, out, errors);
    }
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    if (text_setting("PORTOLAN_PROGRESS"))
        settings.options.callbacks = (struct portolan_callbacks){.user = errors, .progress = progress_show};
    enum portolan_status status = explore_together(&settings.options, &result, &error);
    if (settings.options.callbacks.progress)
        progress_end(errors);
    int exit_status = EXIT_WRONG;
    if (status != PORTOLAN_OK && runtime->failure.kind == NO_FAILURE)
        fprintf(errors, "error: %s\n", error.message[0] ? error.message : portolan_status_text(status));
    else
        exit_status = report(&result, &settings, out, errors);
    fflush(errors);
    return exit_status;
}

EXPORT int __wrap_main(int count, char **arguments, char **environment);
EXPORT int __wrap_main(int count, char **arguments, char **environment)
{
    runtime = calloc(1, sizeof *runtime);
    if (!runtime)
        return EXIT_WRONG;
    runtime->current = NO_AGENT;
    contexts_make();
    runtime->float_mode = float_mode();
    runtime->exploring = getenv("PORTOLAN_RUN");
    runtime->interleave = getenv("PORTOLAN_INTERLEAVE");
    runtime->leaks = getenv("PORTOLAN_LEAKS");
    runtime->spurious = getenv("PORTOLAN_SPURIOUS");
    runtime->argument_count = count;
    runtime->arguments = arguments;
    (void)environment;
    const char *journal = text_setting("PORTOLAN_JOURNAL"); /* for tests: "never", "unchecked", "strict" */
    bool journaled = runtime->exploring && !(journal && strcmp(journal, "never") == 0) && imports_are_harmless();
    runtime->journal_is_trusted = journal && strcmp(journal, "unchecked") == 0;
    runtime->journal_is_suspect = journal && strcmp(journal, "strict") == 0;
    if (!memory_make() || !journal_make(journaled) || !races_make() || !signals_make()) {
        fprintf(stderr, "error: %s\n", strerror(ENOMEM));
        return EXIT_WRONG;
    }
    if (runtime->exploring)
        return explore();
    return machine_prepare(MOST_THREADS) ? run_once() : EXIT_WRONG;
}
