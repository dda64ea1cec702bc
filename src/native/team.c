/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program explored by several processes: each has all of it, and the tree is split between them (stateless/split.h).
 * Before, one process goes through a few executions, to learn what objects, threads and loops there are; when another
 * one learns more on the way, that is not known to the others, so all begin again: after the first process has gone
 * through the execution in which it was learned, or if it cannot learn from that, with a longer time to learn.
 */
#include "native/errors.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/objects.h"
#include "native/settings.h"
#include "native/signals.h"
#include "native/threads.h"

#include "base/diagnostic.h"
#include "stateless/common_tree.h"
#include "stateless/split.h"
#include "stateless/stateless.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_LESSON = 100, POINTS_EACH = 4, LONGER = 16, DEEPEST_SPLIT = 200, GRACE = 1 };

/* What comes after a round: somebody may have learned on the way. */
enum next { IS_OVER, AGAIN, AFTER_LONGER_LESSON };

/* Shared by all. */
struct team {
    atomic_bool learned; /* somebody did */
    atomic_flag found;   /* whoever sets it writes what follows */
    struct failure failure;
    atomic_flag is_taught; /* the same for the second execution, in which a member learned */
    struct told {
        uint32_t order_count, agent_count;
        struct birth births[MOST_THREADS];
        uint32_t order[LONGEST_EXECUTION];
    } failing, lesson;
    struct member {
        bool fine;
        pid_t process; /* 0: it has ended, or was never started */
        enum portolan_stop stop;
        struct portolan_statistics statistics;
    } members[MOST_WORKERS];
    _Atomic uint64_t taken[SPLIT_CAPACITY];
    struct common_objects objects;
};

static KEPT struct team *present_team; /* that this process leads; NULL: there is none */

static void stop_team(void)
{
    supervision->team_stop = 1;
}

/* Errors after which it goes on are none when it is over. */
static enum portolan_status search(struct machine *machine, const struct portolan_options *options, struct split *split,
                                   struct leaf_source *leaves, struct portolan_result *result,
                                   struct portolan_error *error)
{
    enum portolan_status status = search_machine(machine, options, split, leaves, result, error);
    errors_end();
    return status;
}

static struct machine *prepare(void)
{
    return machine_prepare(agents.count > 2 ? agents.count : 2);
}

enum portolan_status explore_alone_once(const struct portolan_options *options, struct split *split,
                                        struct leaf_source *leaves, struct portolan_result *result,
                                        struct portolan_error *error)
{
    struct machine *machine = prepare();
    if (!machine)
        return fail_memory(error);
    errors_begin();
    return search(machine, options, split, leaves, result, error);
}

enum portolan_status explore_alone(const struct portolan_options *options, struct split *split,
                                   struct portolan_result *result, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    do
        status = explore_alone_once(options, split, NULL, result, error);
    while (run.failure.kind == SEARCH_AGAIN);
    return status;
}

bool count_points(const struct portolan_options *options, struct split *split)
{
    struct portolan_options all = {
        .reduction = options->reduction, .bound = options->bound, .interrupt = options->interrupt};
    struct portolan_result result = {0};
    struct portolan_error error;
    split->only_counts = true;
    split->points = split->deep = 0;
    struct machine *machine = prepare();
    bool fine = machine && search(machine, &all, split, NULL, &result, &error) == PORTOLAN_OK;
    split->only_counts = false;
    return fine && !*options->interrupt && run.failure.kind == NO_FAILURE;
}

/* The least depth with points enough for everybody; false when there is none. */
static bool choose_depth(const struct portolan_options *options, uint32_t enough, struct split *split)
{
    for (split->depth = 1; split->depth <= DEEPEST_SPLIT; split->depth++) {
        if (!count_points(options, split) || split->points > SPLIT_CAPACITY / 2)
            return false;
        if (split->points >= (uint64_t)enough * options->threads)
            return true;
    }
    return false;
}

/* Methods with wake-up trees explore one together; for others the tree is split at a depth. */
static bool divide(const struct portolan_options *options, uint32_t enough, struct split *split)
{
    if (wants_common_tree(options)) {
        *split = (struct split){.everybody = true, .tree = common_tree_make()};
        if (split->tree)
            split->tree->disorder = options->seed;
        return split->tree;
    }
    split_relate(split);
    return choose_depth(options, enough, split);
}

/* Does somebody else know a step by other objects than this process? */
static bool is_confused(const struct split *split)
{
    return split->tree && atomic_load(&split->tree->differs);
}

static void tell_births(struct told *told)
{
    told->agent_count = agents.count;
    memcpy(told->births, agents.births, sizeof told->births);
}

/* The steps up to where it learned; the one that it was taking, if it was, is the last. */
static void teach(struct team *team)
{
    uint32_t count = (uint32_t)run.top;
    bool is_first = own_live == &supervision->live[0];
    if (is_first || run.failure.kind != SEARCH_AGAIN || atomic_flag_test_and_set(&team->is_taught))
        return;
    for (uint32_t i = 0; i < count; i++)
        team->lesson.order[i] = run.steps.item[i].agent;
    if (atomic_load(&own_live->depth) == count + 1 && count < LONGEST_SCHEDULE) {
        team->lesson.order[count] = own_live->order[count];
        count++;
    }
    team->lesson.order_count = count;
    tell_births(&team->lesson);
}

/* Goes through the execution in which a member learned, asking what the search asks; false when there is nothing to
 * learn from it. */
static bool learn_from(const struct told *lesson)
{
    bool learned = false;
    if (!lesson->agent_count || agents.count > lesson->agent_count)
        return false;
    agents.count = lesson->agent_count;
    memcpy(agents.births, lesson->births, sizeof agents.births);
    do {
        if (!prepare())
            return false;
        begin_run();
        for (uint32_t i = 0, taken = true; taken && run.failure.kind == NO_FAILURE; i++) {
            for (uint32_t agent = 0; agent < agents.limit; agent++)
                can_step(agent);
            uint32_t next = i < lesson->order_count ? lesson->order[i] : UINT32_MAX;
            taken = next < agents.limit && can_step(next) && take_step(next);
        }
        learned = learned || run.failure.kind == SEARCH_AGAIN;
    } while (run.failure.kind == SEARCH_AGAIN && !supervision->stop);
    run.failure.kind = NO_FAILURE;
    return learned;
}

/* What this process found, for everybody. */
static void tell_team(struct team *team, const struct split *split)
{
    bool learned = run.failure.kind == SEARCH_AGAIN || split_was_wrong(split) || is_confused(split);
    if (run.failure.kind == NO_FAILURE && !learned)
        return;
    if (learned && (run.failure.kind == NO_FAILURE || run.failure.kind == SEARCH_AGAIN)) {
        teach(team);
        atomic_store(&team->learned, true);
    } else if (!atomic_flag_test_and_set(&team->found)) {
        team->failure = run.failure;
        tell_births(&team->failing);
        team->failing.order_count = (uint32_t)failing.agents.count;
        memcpy(team->failing.order, failing.agents.item, failing.agents.count * sizeof *team->failing.order);
    }
    stop_team();
}

static enum portolan_status take_part(struct team *team, uint32_t number, const struct portolan_options *options,
                                      const struct split *common, struct portolan_result *result,
                                      struct portolan_error *error)
{
    struct split split = *common;
    struct portolan_options own = *options;
    split.taken = team->taken;
    split.capacity = SPLIT_CAPACITY;
    own.interrupt = &supervision->team_stop;
    if (!split.tree) /* where executions are counted together */
        own.state_limit = (options->state_limit + options->threads - 1) / options->threads;
    if (number)
        own.callbacks = (struct portolan_callbacks){0};
    struct machine *machine = prepare();
    if (!machine)
        return fail_memory(error);
    enum portolan_status status = search(machine, &own, &split, NULL, result, error);
    tell_team(team, &split);
    struct member *member = &team->members[number];
    member->stop = result->stop;
    member->statistics = result->statistics;
    member->fine = status == PORTOLAN_OK || run.failure.kind != NO_FAILURE || is_confused(&split);
    if (!member->fine)
        stop_team();
    return status;
}

static pid_t start_member(struct team *team, uint32_t number, const struct portolan_options *options,
                          const struct split *split)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    struct portolan_result result = {0};
    struct portolan_error error;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    live_is(number);
    if (getppid() == parent && signals_make()) /* timers are not inherited */
        take_part(team, number, options, split, &result, &error);
    _exit(0);
}

/* Adds up what the members have done; what is left open when one of them has left something. */
static enum portolan_status sum_up(const struct team *team, const struct split *split, uint32_t count,
                                   struct portolan_result *result, struct portolan_error *error)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct member *member = &team->members[i];
        const struct portolan_statistics *s = &member->statistics;
        if (!member->fine)
            return fail(error, PORTOLAN_REFUSED, "a worker process died");
        result->statistics.executions += s->executions;
        result->statistics.blocked += s->blocked;
        result->statistics.cut += s->cut;
        result->statistics.transitions += s->transitions;
        result->statistics.deadlocks += s->deadlocks;
        result->statistics.bytes += s->bytes;
        if (s->depth > result->statistics.depth)
            result->statistics.depth = s->depth;
        if (result->stop == PORTOLAN_COMPLETE || member->stop == PORTOLAN_DECIDED)
            result->stop = member->stop;
    }
    if (split->tree)
        result->statistics.bytes += common_tree_bytes(split->tree);
    return PORTOLAN_OK;
}

/* The failure that somebody found is this process's now: the report runs it again. */
static bool adopt_failure(const struct team *team)
{
    const struct told *told = &team->failing;
    agents.count = told->agent_count;
    memcpy(agents.births, told->births, sizeof told->births);
    failing.agents.count = 0;
    if (!prepare() || !vector_reserve(&failing.agents, (size_t)told->order_count + 1))
        return false;
    memcpy(failing.agents.item, told->order, told->order_count * sizeof *told->order);
    failing.agents.count = told->order_count;
    run.failure = team->failure;
    return true;
}

/* --- losing members */

/* Somebody who cannot go on: killed, stopped, or gone without having told anything. */
static bool is_lost(const struct member *member, const siginfo_t *how)
{
    return how->si_code != CLD_EXITED || !member->fine;
}

/* Looks at once, since this process may be busy for long: with one member less the rest is in vain. */
static void on_child(int number)
{
    int error_number = errno;
    (void)number;
    for (uint32_t i = 1; present_team && i < MOST_PROCESSES; i++) {
        const struct member *member = &present_team->members[i];
        siginfo_t how = {0};
        if (member->process &&
            waitid(P_PID, (id_t)member->process, &how, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 && how.si_pid &&
            is_lost(member, &how))
            stop_team();
    }
    errno = error_number;
}

static void listen_to_members(struct team *team)
{
    struct sigaction action = {.sa_handler = team ? on_child : SIG_DFL, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    present_team = team;
    sigaction(SIGCHLD, &action, NULL);
}

static void describe_loss(const siginfo_t *how, struct portolan_error *error)
{
    if (how->si_code == CLD_EXITED)
        fail(error, PORTOLAN_REFUSED, "a worker process ended by itself, with status %d", how->si_status);
    else
        fail(error, PORTOLAN_REFUSED, "a worker process was %s by signal %d (%s)",
             how->si_code == CLD_STOPPED ? "stopped" : "killed", how->si_status, strsignal(how->si_status));
}

/* It was told to stop and did not: what it has done so far is known. */
static void give_up_member(struct member *member, const struct live *live)
{
    kill(member->process, SIGKILL);
    waitpid(member->process, NULL, 0);
    member->process = 0;
    member->fine = true;
    member->stop = PORTOLAN_INTERRUPTED;
    member->statistics.executions = atomic_load(&live->executions);
    member->statistics.transitions = atomic_load(&live->steps);
}

/* Has the member ended?  When it is lost, the error says how. */
static bool look_at_member(struct member *member, bool *lost, struct portolan_error *error)
{
    siginfo_t how = {0};
    if (waitid(P_PID, (id_t)member->process, &how, WEXITED | WSTOPPED | WNOHANG) != 0 || !how.si_pid)
        return false;
    if (is_lost(member, &how) && !*lost) {
        *lost = true;
        describe_loss(&how, error);
    }
    if (how.si_code != CLD_STOPPED)
        member->process = 0;
    return !member->process;
}

/* Until all have ended.  Those who do not stop when they should are ended. */
static enum portolan_status wait_for_members(struct team *team, uint32_t count, struct portolan_error *error)
{
    time_t stopped = 0;
    bool lost = false;
    for (uint32_t left = count; left;) {
        left = 0;
        if (supervision->team_stop && !stopped)
            stopped = time(NULL);
        for (uint32_t i = 1; i < count; i++) {
            struct member *member = &team->members[i];
            if (!member->process || look_at_member(member, &lost, error))
                continue;
            if (lost || (stopped && time(NULL) > stopped + GRACE))
                give_up_member(member, &supervision->live[i]);
            else
                left++;
        }
        if (left)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return lost ? PORTOLAN_REFUSED : PORTOLAN_OK;
}

static void start_members(struct team *team, uint32_t count, const struct portolan_options *options,
                          const struct split *split)
{
    supervision->team_stop = 0;
    if (supervision->stop)
        stop_team();
    listen_to_members(team);
    for (uint32_t i = 1; i < count; i++) {
        pid_t process = start_member(team, i, options, split);
        if (process > 0)
            team->members[i].process = process;
        else
            team->members[i].fine = true; /* there is no such process: the others do its part */
    }
}

static enum portolan_status run_team(struct team *team, const struct portolan_options *options,
                                     const struct split *split, struct portolan_result *result,
                                     struct portolan_error *error)
{
    uint32_t count = options->threads < MOST_WORKERS ? options->threads : MOST_WORKERS;
    struct portolan_error loss;
    run.failure.kind = NO_FAILURE; /* who never gets to run anything has not learned */
    errors_begin();
    start_members(team, count, options, split);
    enum portolan_status status = take_part(team, 0, options, split, result, error);
    if (status != PORTOLAN_OK)
        stop_team();
    enum portolan_status losses = wait_for_members(team, count, &loss);
    listen_to_members(NULL);
    bool found = atomic_flag_test_and_set(&team->found), learned = atomic_load(&team->learned);
    if (losses != PORTOLAN_OK && !found) {
        *error = loss;
        return losses;
    }
    if (losses == PORTOLAN_OK && status == PORTOLAN_OK && !learned)
        status = sum_up(team, split, count, result, error);
    if (found && !learned && !adopt_failure(team))
        status = fail_memory(error);
    return status;
}

/* A round of all; *next says whether there must be another. */
static enum portolan_status explore_round(const struct portolan_options *options, const struct split *seen,
                                          struct portolan_result *result, enum next *next, struct portolan_error *error)
{
    uint64_t chosen_lesson = supervision->settings.lesson;
    struct split split = *seen;
    *next = IS_OVER;
    struct team *team =
        mmap(NULL, sizeof *team, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (team == MAP_FAILED || !divide(options, chosen_lesson ? 1 : POINTS_EACH, &split))
        return explore_alone(options, NULL, result, error);
    if (split.tree)
        objects_share(&team->objects);
    uint32_t agents_before = agents.count;
    enum portolan_status status = run_team(team, options, &split, result, error);
    objects_share(NULL);
    if (atomic_load(&team->learned)) {
        bool knows_more = run.failure.kind == SEARCH_AGAIN;
        if (agents.count == agents_before) /* else the numbers of threads may mean others */
            knows_more |= learn_from(&team->lesson);
        *next = knows_more ? AGAIN : AFTER_LONGER_LESSON;
    }
    common_tree_free(split.tree);
    munmap(team, sizeof *team);
    return status;
}

enum portolan_status explore_together(const struct portolan_options *options, struct portolan_result *result,
                                      struct portolan_error *error)
{
    if (options->threads < 2 || options->random_runs || options->bounds_preemptions)
        return explore_alone(options, NULL, result, error);
    uint64_t chosen_lesson = supervision->settings.lesson;
    for (uint64_t lesson = chosen_lesson ? chosen_lesson : FIRST_LESSON;; lesson *= LONGER) {
        struct portolan_options first = *options;
        struct split split = {0};
        enum next next;
        bool is_all = options->state_limit && options->state_limit <= lesson;
        first.state_limit = is_all ? options->state_limit : lesson;
        enum portolan_status status = explore_alone(&first, &split, result, error);
        if (status != PORTOLAN_OK || is_all || result->stop != PORTOLAN_STATE_LIMIT)
            return status;
        do
            status = explore_round(options, &split, result, &next, error);
        while (next == AGAIN);
        if (next == IS_OVER)
            return status;
    }
}
