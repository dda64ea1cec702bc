/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program built by `portolan cc` begins: it runs once as usual, or explores itself when `portolan run` asks. */
#include "native/orders.h"
#include "native/reservations.h"
#include "native/runtime.h"
#include "native/signals.h"
#include "native/unseen.h"
#include "stateless/stateless.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_WRONG = 2 };

struct runtime *runtime;

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

static struct portolan_options search_options(const struct run_settings *s)
{
    return (struct portolan_options){.reduction = s->reduction[0] ? s->reduction : NULL,
                                     .memory_limit = s->memory,
                                     .state_limit = s->states,
                                     .bound = (uint32_t)s->bound,
                                     .bounds_preemptions = s->bounds_preemptions,
                                     .preemptions = (uint32_t)s->preemptions,
                                     .random_runs = s->random_runs,
                                     .bug_depth = (uint32_t)s->bug_depth,
                                     .seed = s->seed,
                                     .threads = (uint32_t)s->threads,
                                     .interrupt = &runtime->supervision->stop,
                                     .callbacks = {.progress = live_progress}};
}

static int replay(const struct run_settings *settings, const struct portolan_options *options, FILE *errors)
{
    return machine_prepare(MOST_THREADS) && read_schedule(settings->replay, errors) ? report(NULL, options, errors)
                                                                                    : EXIT_WRONG;
}

/* For a debugger: it has the terminal, and there is nobody to report to. */
static int debug(const struct run_settings *settings)
{
    return machine_prepare(MOST_THREADS) && read_schedule(settings->replay, stderr) && learn_from_schedule()
               ? debug_schedule()
               : EXIT_WRONG;
}

static int explore(const struct portolan_options *options, FILE *errors)
{
    struct portolan_result result = {0};
    struct portolan_error error = {0};
    atomic_store(&runtime->supervision->state, SUPERVISION_EXPLORING);
    enum portolan_status status = explore_together(options, &result, &error);
    if (result.stop == PORTOLAN_INTERRUPTED)
        result.stop = reason_to_stop();
    if (status != PORTOLAN_OK && runtime->failure.kind == NO_FAILURE) {
        fprintf(errors, "error: %s\n", error.message[0] ? error.message : portolan_status_text(status));
        if (error.hint[0])
            fprintf(errors, "hint: %s\n", error.hint);
        return EXIT_WRONG;
    }
    return report(&result, options, errors);
}

/* What it prints is wanted only of the execution that is shown: standard output is nothing, from the start. */
static int be_supervised(void)
{
    const struct run_settings *settings = &runtime->supervision->settings;
    struct portolan_options options = search_options(settings);
    if (settings->debugs)
        return debug(settings);
    char *buffer = malloc(BUFSIZ);
    FILE *errors = part_open(PART_ERRORS);
    if (!errors || !buffer)
        return EXIT_WRONG;
    setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
    int exit_status = settings->replay[0] ? replay(settings, &options, errors) : explore(&options, errors);
    part_close(errors, PART_ERRORS);
    supervision_done(exit_status);
    _exit(0); /* what the program does at its end is over */
}

/* --- the beginning */

static void take_settings(void)
{
    const struct supervision *s = runtime->supervision;
    runtime->exploring = s;
    if (!s)
        return;
    runtime->interleave = s->settings.interleave;
    runtime->leaks = s->settings.leaks;
    runtime->spurious = s->settings.spurious;
}

static bool make_all(void)
{
    const char *journal = getenv("PORTOLAN_JOURNAL"); /* for tests: "never", "unchecked", "strict" */
    bool wanted = runtime->exploring && !runtime->supervision->settings.debugs;
    if (!reservations_make() || !orders_make())
        return false;
    bool all_seen = wanted && all_is_seen(runtime->supervision->settings.trusted);
    bool journaled = all_seen && !(journal && strcmp(journal, "never") == 0);
    runtime->journal_is_trusted = journal && strcmp(journal, "unchecked") == 0;
    runtime->journal_is_suspect = journal && strcmp(journal, "strict") == 0;
    return memory_make() && journal_make(journaled) && races_make() && signals_make() && ends_make();
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
    runtime->argument_count = count;
    runtime->arguments = arguments;
    (void)environment;
    if (!supervision_join()) {
        fprintf(stderr, "error: this is for 'portolan run' to start\n");
        return EXIT_WRONG;
    }
    take_settings();
    if (!make_all()) {
        fprintf(stderr, "error: %s\n", strerror(ENOMEM));
        return EXIT_WRONG;
    }
    if (runtime->exploring)
        return be_supervised();
    return machine_prepare(MOST_THREADS) ? run_once() : EXIT_WRONG;
}
