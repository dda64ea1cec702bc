/* SPDX-License-Identifier: Apache-2.0 */
#include "native/errors.h"
#include "native/journal.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/memory.h"
#include "native/report.h"
#include "native/reservations.h"
#include "native/settings.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_ERRORS = 64, NO_RULE = -1 };

/* Of an error, in ascending order: two errors of a kind are the same if these are. */
struct places {
    uint32_t count;
    uintptr_t at[MOST_THREADS + 3];
};

/* In memory that all processes share, outside of what is reset between executions. */
struct found_errors {
    atomic_uint claimed;
    struct found_error {
        atomic_bool is_there;
        struct failure failure;
        struct places places;
        uint32_t agent_count, order_count;
        struct birth births[MOST_THREADS];
        uint8_t order[LONGEST_SCHEDULE];
    } list[MOST_ERRORS];
};

static struct found_errors *errors;
static KEPT size_t chosen_error = SIZE_MAX;
static KEPT uintptr_t base; /* that was added to the program's addresses */

static int find_base(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    base = info->dlpi_addr;
    return 1;
}

bool errors_make(void)
{
    dl_iterate_phdr(find_base, NULL);
    void *memory =
        mmap(NULL, sizeof *errors, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        errors = memory;
    return errors;
}

size_t errors_count(void)
{
    size_t claimed = errors ? atomic_load(&errors->claimed) : 0;
    return claimed < MOST_ERRORS ? claimed : MOST_ERRORS;
}

void errors_begin(void)
{
    for (uint32_t i = 0; supervision && i < supervision->suppressed.rule_count; i++)
        atomic_store(&supervision->suppressed.rules[i].seen, 0);
}

/* --- which error it is */

static bool is_error(enum failure_kind kind)
{
    return kind != NO_FAILURE && kind < FAILED_TOO_LONG;
}

static uintptr_t allocation_of(const struct failure *failure)
{
    const struct block *block = failure->kind == FAILED_LEAK ? block_with(failure->address) : NULL;
    return block ? block->allocated : 0;
}

/* Whoever waits is somebody. */
static bool waits(uint32_t agent)
{
    return threads[agent].exists && !threads[agent].ended;
}

static void add_place(struct places *places, uintptr_t place)
{
    uint32_t i = places->count++;
    for (; i && places->at[i - 1] > place; i--)
        places->at[i] = places->at[i - 1];
    places->at[i] = place;
}

static void find_places(const struct failure *failure, struct places *places)
{
    places->count = 0;
    add_place(places, failure->caller);
    add_place(places, allocation_of(failure));
    if (failure->kind == FAILED_RACE)
        add_place(places, failure->other_caller);
    for (uint32_t agent = 0; failure->kind == FAILED_DEADLOCK && agent < agents.limit; agent++)
        if (waits(agent))
            add_place(places, threads[agent].pending.caller);
}

static bool are_same_places(const struct places *a, const struct places *b)
{
    return a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0;
}

static struct found_error *known_error(const struct failure *failure)
{
    struct places places;
    find_places(failure, &places);
    for (size_t i = 0; i < errors_count(); i++) {
        struct found_error *error = &errors->list[i];
        if (atomic_load(&error->is_there) && error->failure.kind == failure->kind &&
            are_same_places(&error->places, &places))
            return error;
    }
    return NULL;
}

/* --- suppressed ones */

static bool is_within(const struct suppressed_range *range, uintptr_t address)
{
    return address && address - base >= range->start && address - base < range->end;
}

static bool is_at(const struct suppressed_range *range, const struct failure *failure)
{
    bool is_race = failure->kind == FAILED_RACE;
    bool found = is_within(range, failure->caller - 1) || is_within(range, failure->address) ||
                 (is_race && is_within(range, failure->other_caller - 1)) ||
                 is_within(range, allocation_of(failure) - 1);
    for (uint32_t agent = 0; failure->kind == FAILED_DEADLOCK && agent < agents.limit && !found; agent++)
        found = waits(agent) && is_within(range, threads[agent].pending.caller - 1);
    return found;
}

static int rule_for(const struct failure *failure)
{
    const struct suppressed *s = supervision ? &supervision->suppressed : NULL;
    for (uint32_t i = 0; s && i < s->range_count; i++) {
        const struct suppression_rule *rule = &s->rules[s->ranges[i].rule];
        bool is_kind = strcmp(rule->kind, "*") == 0 || strcmp(rule->kind, failure_word(failure->kind)) == 0;
        if (is_kind && is_at(&s->ranges[i], failure))
            return (int)s->ranges[i].rule;
    }
    return NO_RULE;
}

static bool is_suppressed(const struct failure *failure)
{
    int rule = rule_for(failure);
    if (rule == NO_RULE)
        return false;
    atomic_fetch_add(&supervision->suppressed.rules[rule].seen, 1);
    if (failure->kind == FAILED_RACE)
        add_reservation(true, "what depends on the order of a data race that is suppressed was not explored "
                              "(--races interleave does)");
    return true;
}

/* --- during a search */

/* Does a run go on after it?  Not the run in which it is to be shown. */
static bool is_passed_over(const struct failure *failure)
{
    if (!chosen.exploring)
        return false;
    struct found_error *known = chosen.all ? known_error(failure) : NULL;
    if (known && (size_t)(known - errors->list) == chosen_error)
        return false;
    return known || is_suppressed(failure);
}

bool errors_pass_over(const struct failure *race)
{
    return is_passed_over(race);
}

/* A thread that fails ends the process.  What others do could have come before, so they are followed as when a thread
 * calls exit: else the search would not see all executions. */
void errors_survive(uint32_t agent)
{
    struct failure *failure = &run.failure;
    if (!is_error(failure->kind) || failure->kind == FAILED_RACE || failure->agent >= agents.limit ||
        !is_passed_over(failure))
        return;
    if (failure->agent == agent) {
        journal_save(&run.process_exits, sizeof run.process_exits);
        run.process_exits = true;
        threads[agent].ended = threads[agent].exits = true;
    }
    *failure = (struct failure){.kind = NO_FAILURE};
}

/* The first one that nobody has found yet. */
static bool add_error(void)
{
    unsigned place = atomic_fetch_add(&errors->claimed, 1);
    if (place >= MOST_ERRORS) {
        atomic_store(&errors->claimed, MOST_ERRORS);
        return false;
    }
    struct found_error *error = &errors->list[place];
    error->failure = run.failure;
    find_places(&run.failure, &error->places);
    error->agent_count = agents.count;
    memcpy(error->births, agents.births, sizeof error->births);
    for (size_t i = 0; i < failing.agents.count && i < LONGEST_SCHEDULE; i++)
        error->order[error->order_count++] = (uint8_t)failing.agents.item[i];
    atomic_store(&error->is_there, true);
    return true;
}

bool errors_go_on(void)
{
    struct failure *failure = &run.failure;
    bool is_end = failure->kind == FAILED_DEADLOCK || failure->kind == FAILED_LEAK; /* nothing comes after it */
    if (!is_error(failure->kind))
        return false;
    if (is_passed_over(failure))
        return true;
    if (!chosen.all || !add_error())
        return false;
    if (!is_end) /* else nothing behind it would be explored */
        failure->kind = SEARCH_AGAIN;
    return is_end;
}

void errors_end(void)
{
    if (is_error(run.failure.kind) && ((chosen.all && known_error(&run.failure)) || rule_for(&run.failure) != NO_RULE))
        run.failure.kind = NO_FAILURE;
}

/* --- afterwards */

bool errors_choose(size_t i)
{
    const struct found_error *error = &errors->list[i];
    chosen_error = i;
    agents.count = error->agent_count;
    memcpy(agents.births, error->births, sizeof error->births);
    failing.agents.count = 0;
    if (!machine_prepare(agents.count > 2 ? agents.count : 2))
        return false;
    for (uint32_t k = 0; k < error->order_count; k++)
        if (!vector_push(&failing.agents, error->order[k]))
            return false;
    run.failure = error->failure;
    return true;
}
