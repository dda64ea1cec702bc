/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program built by `portolan cc` begins: it runs once as usual, or explores itself when `portolan run` asks. */
#include "native/awaits.h"
#include "native/calls.h"
#include "native/context.h"
#include "native/coverage.h"
#include "native/descriptors.h"
#include "native/environment.h"
#include "native/errors.h"
#include "native/journal.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/memory.h"
#include "native/orders.h"
#include "native/own_words.h"
#include "native/races.h"
#include "native/report.h"
#include "native/reservations.h"
#include "native/sections.h"
#include "native/settings.h"
#include "native/signals.h"
#include "native/unseen.h"
#include "stateless/stateless.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_WRONG = 2 };

KEPT struct chosen chosen;

/* --- running once */

/* Runs each thread in turn until it waits, or for a number of steps, since it may wait for another in a loop. */
static int run_once(void)
{
    enum { STEPS_IN_TURN = 1000 };
    uint32_t last = 0, steps = 0;
    awaits_are_off = true; /* a loop that waits takes its turns */
    begin_run();
    while (run.failure.kind == NO_FAILURE && !run.process_exits) {
        uint32_t tried = 0, agent = last;
        if (++steps % STEPS_IN_TURN == 0 || !can_step(agent))
            do
                agent = (agent + 1) % agents.limit;
            while (!can_step(agent) && ++tried < agents.limit);
        if (tried == agents.limit) {
            bool ended = true;
            for (uint32_t a = 0; a < agents.limit; a++)
                ended = ended && (!threads[a].exists || threads[a].ended);
            if (ended)
                break;
            run.failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
            snprintf(run.failure.text, sizeof run.failure.text, "deadlock: every thread waits");
            break;
        }
        run.top = 0; /* nobody goes back */
        if (!take_step(agent))
            return EXIT_WRONG;
        last = agent;
    }
    if (run.failure.kind == NO_FAILURE)
        return run.exit_status;
    fflush(stdout);
    fprintf(stderr, "%s\n", run.failure.text);
    return run.failure.kind == FAILED_REFUSED ? EXIT_WRONG : 134;
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
                                     .interrupt = &supervision->stop,
                                     .callbacks = {.progress = live_progress}};
}

static int replay(const struct run_settings *settings, FILE *errors)
{
    return machine_prepare(MOST_THREADS) && read_schedule(settings->replay, errors) ? report(NULL, errors) : EXIT_WRONG;
}

/* For a debugger: it has the terminal, and there is nobody to report to. */
static int debug(const struct run_settings *settings)
{
    awaits_are_off = true;
    return machine_prepare(MOST_THREADS) && read_schedule(settings->replay, stderr) && learn_from_schedule()
               ? debug_schedule()
               : EXIT_WRONG;
}

static int explore(const struct portolan_options *options, FILE *errors)
{
    struct portolan_result result = {0};
    struct portolan_error error = {0};
    atomic_store(&supervision->state, SUPERVISION_EXPLORING);
    const struct run_settings *settings = &supervision->settings;
    enum portolan_status status =
        settings->in_parts ? explore_in_parts(options, &result, &error) : explore_together(options, &result, &error);
    if (status == PORTOLAN_OK && settings->plans && run.failure.kind == NO_FAILURE)
        return 0;
    if (result.stop == PORTOLAN_INTERRUPTED)
        result.stop = reason_to_stop();
    if (status != PORTOLAN_OK && run.failure.kind == NO_FAILURE) {
        fprintf(errors, "error: %s\n", error.message[0] ? error.message : portolan_status_text(status));
        if (error.hint[0])
            fprintf(errors, "hint: %s\n", error.hint);
        return EXIT_WRONG;
    }
    return report(&result, errors);
}

/* Output is shown only for the failing execution; until then standard output leads nowhere. */
static int be_supervised(void)
{
    const struct run_settings *settings = &supervision->settings;
    struct portolan_options options = search_options(settings);
    if (settings->debugs)
        return debug(settings);
    char *buffer = malloc(BUFSIZ);
    FILE *errors = part_open(PART_ERRORS);
    if (!errors || !buffer)
        return EXIT_WRONG;
    setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
    coverage_make();
    sections_find();
    int exit_status = settings->replay[0] ? replay(settings, errors) : explore(&options, errors);
    part_close(errors, PART_ERRORS);
    supervision_done(exit_status);
    _exit(0); /* what the program does at its end is over */
}

/* --- the beginning */

static void take_settings(void)
{
    const struct supervision *s = supervision;
    chosen.exploring = s;
    if (!s)
        return;
    chosen.all = s->settings.all;
    chosen.interleave = s->settings.interleave;
    chosen.volatile_is_plain = s->settings.volatile_is_plain;
    chosen.partial_io = s->settings.partial_io;
    chosen.leaks = s->settings.leaks;
    chosen.spurious = s->settings.spurious;
    chosen.journal = s->settings.journal;
}

static bool make_all(void)
{
    bool wanted = chosen.exploring && !supervision->settings.debugs;
    if (!threads_make() || !reservations_make() || !orders_make() || !errors_make())
        return false;
    bool all_seen = wanted && all_is_seen(supervision->settings.trusted);
    return memory_make() && descriptors_make() && journal_make(all_seen && chosen.journal != JOURNAL_NEVER) &&
           races_make() && own_words_make() && signals_make() && ends_make();
}

EXPORT int __wrap_main(int count, char **arguments, char **environment);
EXPORT int __wrap_main(int count, char **arguments, char **environment)
{
    contexts_make();
    exceptions_make();
    chosen.argument_count = count;
    chosen.arguments = arguments;
    (void)environment;
    if (!supervision_join())
        return EXIT_WRONG;
    take_settings();
    if (!make_all()) {
        fprintf(stderr, "error: %s\n", strerror(ENOMEM));
        return EXIT_WRONG;
    }
    if (chosen.exploring)
        return be_supervised();
    return machine_prepare(MOST_THREADS) ? run_once() : EXIT_WRONG;
}
