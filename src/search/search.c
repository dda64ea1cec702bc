/* SPDX-License-Identifier: Apache-2.0 */
#include "search/combination.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "base/lists.h"
#include "property/attractors.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/crew.h"
#include "search/frontier.h"
#include "search/saved.h"
#include "search/search_system.h"
#include "search/walk.h"
#include "stateless/system/reschedule.h"
#include "stateless/system/search.h"
#include "store/prints.h"
#include "store/spill.h"
#include "system/arguments.h"
#include "system/compact.h"
#include "system/growing.h"
#include "system/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The actions that may change a property, or NULL when none matters; *fine is false when memory ran out. */
static bool *visible_actions(const struct search *s, bool *fine)
{
    bool *visible = NULL;
    for (size_t i = 0; i < s->options->property_count; i++) {
        if (property_needs_only_deadlocks(s->options->properties[i]))
            continue;
        if (!visible)
            visible = calloc((size_t)fixed_actions(s->system) + 1, sizeof *visible);
        if (!visible) {
            *fine = false;
            return NULL;
        }
        /* What is wrong stays wrong, and a proviso sees to it that every run is followed to where it shows; in which
         * order its steps come makes no difference.  Certificates do not know what lasts. */
        if (!s->options->properties[i]->lasting || s->options->certifiable || s->reduction_class->has_search)
            property_mark_visible(s->options->properties[i], s->system, visible);
    }
    return visible;
}

/* Of every property that is still open.  A search that goes on when all is decided looks for further goals. */
static uint32_t find_attractors(void *user, const struct choice *choice, uint32_t *member, uint32_t stamp,
                                uint32_t *list)
{
    const struct explorer *x = user;
    const struct search *s = x->search;
    uint32_t count = 0;
    for (size_t i = 0; i < s->options->property_count; i++)
        if (!is_decided(s, i) || s->options->all)
            count = attractors_find(x->attractors[i], choice->state, choice->enabled, member, stamp, list, count);
    return count;
}

static bool make_goal(struct explorer *x)
{
    const struct search *s = x->search;
    size_t count = s->options->property_count;
    bool fine = (x->attractors = calloc(count + 1, sizeof *x->attractors));
    for (size_t i = 0; fine && i < count; i++)
        fine = (x->attractors[i] = attractors_new(s->system, s->options->properties[i]));
    x->goal = (struct reduction_goal){.attractors = find_attractors, .user = x};
    return fine;
}

enum portolan_status search_make_reduction(struct explorer *x, const char *words)
{
    struct search *s = x->search;
    bool fine = true, directed = s->traits.reduction & GOAL_DIRECTED && s->options->property_count;
    if (directed)
        fine = make_goal(x);
    if (fine && !s->visible && s->reduction_class->reduces && (!directed || s->proviso_class->form != PROVISO_FREE))
        s->visible = visible_actions(s, &fine);
    if (!fine)
        return fail_memory(x->error);
    /* The safety form promises a path to a fully expanded state, by any action: of a weak set only a key may be taken
     * without losing what the others would have done.  Tests: tests/nets/weak-safety.pnml. */
    bool needs_strong = s->visible && s->proviso_class->form == PROVISO_SAFETY;
    struct reduction_demands demands = {
        .visible = s->visible,
        .goal = directed ? &x->goal : NULL,
        .prefer_strong = needs_strong || s->needs_runs || s->proviso_class->prefers_strong,
        .without_idle = s->options->property_count && !s->needs_runs && !s->options->certifiable && !s->keeps_idle,
        .repeatable = s->options->chains || s->is_repeatable,
        .judged = s->proviso_class->form != PROVISO_FREE,
        .breadth_first = s->order->order == BREADTH_FIRST,
        .beside = x->worker ? s->crew->explorers[0]->reduction : NULL};
    enum portolan_status status = s->reduction_class->make(s->system, words, &demands, &x->reduction, x->error);
    if (status != PORTOLAN_OK || !s->reduction_class->is_weak(x->reduction))
        return status;
    return check_weak_sets(s, x->error);
}

static bool answers_make(struct search *s)
{
    size_t properties = s->options->property_count;
    if (!s->decided)
        s->decided = calloc(properties + 1, sizeof *s->decided);
    if (!s->result->answers)
        s->result->answers = calloc(properties + 1, sizeof *s->result->answers);
    s->result->answer_count = s->result->answers ? properties : 0;
    s->undecided = properties;
    return s->decided && s->result->answers;
}

enum portolan_status explorer_make(struct explorer *x, const char *words)
{
    struct search *s = x->search;
    enum portolan_status status = search_make_reduction(x, words);
    if (status != PORTOLAN_OK)
        return status;
    x->fires_all = !s->reduction_class->reduces && !s->reduction_class->has_search;
    x->chooses_ahead = s->reduction_class->choose_early && !s->options->chains && !s->needs_runs;
    x->unready = STORE_NONE;
    if (s->result->fired)
        x->not_fired = s->system->actions;
    if (s->options->check_relations && s->system->relations) {
        status = relation_check_make(&x->check, s->system, x->error);
        if (status != PORTOLAN_OK)
            return status;
        x->checking = true;
    }
    if (s->system->opened && !(x->shown = malloc(s->system->opened->state_bytes)))
        return fail_memory(x->error);
    return expansion_make(x) ? PORTOLAN_OK : fail_memory(x->error);
}

void explorer_clear(struct explorer *x)
{
    const struct search *s = x->search;
    if (x->reduction)
        s->reduction_class->free(x->reduction);
    if (x->checking)
        relation_check_clear(&x->check);
    expansion_free(x);
    for (size_t i = 0; x->attractors && i < s->options->property_count; i++)
        attractors_free(x->attractors[i]);
    free(x->attractors);
    free(x->shown);
}

/* The memory that there may be: what a limit leaves, or the machine has. */
static size_t memory_there_is(const struct search *s)
{
    size_t most = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), room = limits_room();
    if (room < most)
        most = room;
    return s->options->memory_limit && s->options->memory_limit < most ? s->options->memory_limit : most;
}

/* Of bitstate hashing: half of what was allowed, or a small part of all. */
static size_t memory_for_bits(const struct search *s)
{
    bool is_limited = s->options->memory_limit || limits_room() < SIZE_MAX;
    return memory_there_is(s) / (is_limited ? 2 : 32);
}

static bool make_store_of_kind(struct search *s)
{
    enum { PART_WITHOUT_TREE = 4 };
    size_t key_bytes = s->system->key_bytes;
    switch (s->store_kind) {
    case STORE_TREE: return store_make_tree(&s->store, key_bytes);
    case STORE_HASH:
    case STORE_BITSTATE:
        s->frontier = frontier_new(s->options->threads < 1 ? 1 : s->options->threads, key_bytes);
        return s->frontier &&
               store_make_prints(&s->store, key_bytes, s->store_kind == STORE_HASH ? 0 : memory_for_bits(s));
    case STORE_PLAIN: break;
    }
    bool fine = store_make(&s->store, key_bytes);
    if (!s->options->store || strcmp(s->options->store, "auto") == 0)
        s->store.tree_at = memory_there_is(s) / PART_WITHOUT_TREE;
    return fine;
}

static enum portolan_status make_store(struct search *s, struct portolan_error *error)
{
    if (!make_store_of_kind(s))
        return fail_memory(error);
    if (s->options->threads <= 1)
        store_alone(&s->store);
    if (!s->options->spill)
        return PORTOLAN_OK;
    enum portolan_status status = spill_open(s->options->spill, &s->spill, error);
    if (status != PORTOLAN_OK)
        return status;
    store_spill(&s->store, s->spill);
    if (s->frontier)
        frontier_spill(s->frontier, s->spill);
    limits_relieve(spill_relieve, s->spill);
    return PORTOLAN_OK;
}

/* Makes the parts that choose_combination has picked. */
static enum portolan_status make_parts(struct explorer *x, const char *words)
{
    struct search *s = x->search;
    uint32_t threads = s->options->threads < STORE_MOST_THREADS ? s->options->threads : STORE_MOST_THREADS;
    if (has_fixed_actions(s->system) && !s->reduction_class->has_search &&
        !(s->result->fired = calloc((size_t)s->system->actions + 1, sizeof *s->result->fired)))
        return fail_memory(x->error);
    enum portolan_status status = explorer_make(x, words);
    if (status != PORTOLAN_OK)
        return status;
    bool weak = s->reduction_class->is_weak(x->reduction);
    x->strategy->proviso =
        s->proviso_class->make(s->proviso_class, fixed_actions(s->system), weak || s->options->certifiable);
    if (!x->strategy->proviso || !answers_make(s))
        return fail_memory(x->error);
    status = make_store(s, x->error);
    if (status != PORTOLAN_OK)
        return status;
    if (s->options->state_limit && !is_saved(s) && s->options->state_limit < s->store.most)
        s->store.most = (uint32_t)s->options->state_limit;
    s->result->threads = threads > 1 ? threads : 1;
    return threads > 1 || s->frontier ? crew_make(x, s->result->threads, words) : PORTOLAN_OK;
}

void search_clear_parts(struct explorer *x)
{
    struct search *s = x->search;
    explorer_clear(x);
    crew_free(s->crew);
    if (x->strategy->proviso)
        s->proviso_class->free(x->strategy->proviso);
    store_clear(&s->store);
    frontier_free(s->frontier);
    if (s->spill)
        limits_relieve(NULL, NULL);
    spill_close(s->spill);
    free(s->visible);
    free(s->decided);
}

/* A limit was reached before the search began: a result that says so. */
static enum portolan_status cut_short(struct explorer *x)
{
    struct search *s = x->search;
    if (!answers_make(s))
        return fail(x->error, PORTOLAN_NO_MEMORY, "out of memory");
    s->result->statistics.seconds = seconds_since(&s->start);
    end_search(s, limits_stop_or_memory());
    return PORTOLAN_OK;
}

/* Names a variable that grows without bound, once a limit was hit. */
static void name_growing(struct search *s)
{
    if (s->result->stop <= PORTOLAN_DECIDED || s->result->stop == PORTOLAN_INTERRUPTED)
        return;
    uint32_t variable = find_growing_variable(s->system->opened ? s->system->opened : s->system);
    if (variable == NOT_GROWING)
        return;
    s->result->unbounded = true;
    snprintf(s->result->growing, sizeof s->result->growing, "%s", s->system->variable_name(s->system->model, variable));
}

static enum portolan_status prepare(struct explorer *x, const struct search_task *task, struct recording *recording)
{
    struct search *s = x->search;
    const struct search_parts *parts = task->parts;
    const char *words = "";
    enum portolan_status status = choose_combination(s, &words, x->error);
    if (status == PORTOLAN_OK)
        status = check_saving(s, x->error);
    if (status != PORTOLAN_OK)
        return status;
    s->is_repeatable |= is_saved(s) || task->is_repeatable;
    if (parts && parts->reduction)
        s->reduction_class = parts->reduction;
    if (parts && parts->proviso)
        s->proviso_class = parts->proviso;
    status = make_parts(x, words);
    if (parts && parts->without_invisible)
        s->needs_runs = false;
    if (status != PORTOLAN_OK || (!task->property && !s->proviso_class->afterwards))
        return status;
    bool by_agent = task->property && s->options->fairness == PORTOLAN_FAIR_AGENTS;
    if (!recording_make(recording, s->system, task->property, by_agent))
        return fail_memory(x->error);
    x->strategy->recording = recording;
    return PORTOLAN_OK;
}

/* How states were kept; what a store that forgets has seen is not all that there is. */
static void tell_store(struct search *s)
{
    struct portolan_result *result = s->result;
    enum store_kind kind = s->store.tree ? STORE_TREE : s->store_kind;
    snprintf(result->store, sizeof result->store, "%s", store_descriptions[kind].name);
    if (!s->store.prints)
        return;
    result->statistics.coverage = prints_coverage(s->store.prints, result->statistics.states);
    if (result->stop == PORTOLAN_COMPLETE)
        end_search(s, PORTOLAN_FORGETFUL);
}

enum portolan_status search_perform(struct portolan_system *system, const struct portolan_options *options,
                                    const struct search_task *task, struct portolan_result *result,
                                    struct portolan_error *error)
{
    memset(result, 0, sizeof *result);
    struct search s = {.system = system, .options = options, .result = result};
    struct strategy strategy = {0};
    struct explorer x = {.search = &s, .strategy = &strategy, .system = system, .error = error};
    struct recording recording = {0};
    clock_gettime(CLOCK_MONOTONIC, &s.start);
    x.status = prepare(&x, task, &recording);
    if (x.status == PORTOLAN_OK) {
        result->stop = PORTOLAN_COMPLETE;
        task->run(&x);
        saving_waits(&x);
        observe_completion(&x);
        tell_store(&s);
        result->fired_all =
            result->fired && !task->property && result->stop == PORTOLAN_COMPLETE && !s.reduction_class->reduces;
    }
    if (x.status == PORTOLAN_STOPPED)
        x.status = cut_short(&x);
    if (x.status == PORTOLAN_OK)
        x.status = task->conclude(&x);
    if (x.status == PORTOLAN_OK)
        name_growing(&s);
    saving_ends(&x);
    recording_clear(&recording);
    search_clear_parts(&x);
    if (x.status != PORTOLAN_OK)
        result_clear(result);
    return x.status;
}

void explore_states(struct explorer *x)
{
    struct search *s = x->search;
    observe_length(x);
    if (s->reduction_class->has_search)
        search_probe(x);
    else
        s->order->run(x);
    if (s->proviso_class->afterwards && !s->ended && x->status == PORTOLAN_OK)
        search_repair(x);
}

/* A store that forgets states proves nothing. */
static void note_coverage(struct portolan_answer *answer, double coverage)
{
    if (coverage > 0.999999)
        snprintf(answer->note, sizeof answer->note, "nothing found, more than 99.9999%% covered");
    else
        snprintf(answer->note, sizeof answer->note, "nothing found, about %.4g%% covered", 100 * coverage);
}

/* Fills the verdicts, and replays every trace: none is given out that the model does not allow. */
static enum portolan_status conclude_in_time(struct explorer *x)
{
    const struct search *s = x->search;
    for (size_t i = 0; i < s->options->property_count; i++) {
        const struct portolan_property *property = s->options->properties[i];
        struct portolan_answer *answer = &s->result->answers[i];
        answer->verdict = verdict_of(property->kind, s->decided[i], s->result->stop);
        if (!s->decided[i] && !answer->has_trace) {
            if (s->result->stop == PORTOLAN_FORGETFUL)
                note_coverage(answer, s->result->statistics.coverage);
            continue;
        }
        if (!answer->has_trace)
            return fail(x->error, PORTOLAN_NO_MEMORY, "out of memory: the trace of '%s' could not be put together",
                        portolan_property_text(property));
        if (s->system->footprint && s->system->footprint->in_columns)
            reschedule(s->system, answer->trace, answer->trace_length);
        struct portolan_error wrong;
        enum portolan_status status = replay_answer(s->system, property, answer, &wrong);
        if (status == PORTOLAN_STOPPED)
            answer_withdraw(answer, &s->result->stop);
        else if (status != PORTOLAN_OK)
            return fail(x->error, status, "internal error: the trace of '%s' does not replay: %s",
                        portolan_property_text(property), wrong.message);
    }
    return PORTOLAN_OK;
}

static enum portolan_status conclude(struct explorer *x)
{
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_REPLAYING);
    enum portolan_status status = conclude_in_time(x);
    limits_end(&finishing);
    return status;
}

static void walk_and_explore(struct explorer *x)
{
    const struct portolan_options *options = x->search->options;
    if (options->walk == PORTOLAN_WALK_BESIDE)
        walk_beside(x);
    else if (options->walk)
        walk_about(x, options->walk);
    if (!x->search->ended)
        explore_states(x);
}

static const struct search_task of_states = {.run = walk_and_explore, .conclude = conclude};

/* May actions that only stop something be left out?  See struct portolan_system. */
static bool may_leave_out_stops(const struct portolan_system *system, const struct portolan_options *options)
{
    bool *visible = calloc((size_t)fixed_actions(system) + 1, sizeof *visible);
    bool may = visible && system->leave_out && !wants_full_exploration(options) && options->property_count &&
               !options->certifiable;
    for (size_t i = 0; may && i < options->property_count; i++) {
        const struct portolan_property *property = options->properties[i];
        may = !property_is_temporal(property) &&
              !(property->expression && expression_mentions_deadlock(property->expression));
        property_mark_visible(property, system, visible);
    }
    if (may)
        for_list (action, system->stops, 0)
            may &= !visible[*action];
    free(visible);
    return may;
}

static enum portolan_status search_executions_of(struct portolan_system *system, const struct portolan_options *options,
                                                 struct portolan_result *result, struct portolan_error *error)
{
    const struct method *method;
    enum portolan_status status = choose_method(system, options, &method, error);
    if (status == PORTOLAN_OK)
        status = search_stateless(system, options, method, result, error);
    if (status == PORTOLAN_OK)
        result->threads = options->threads > 1 ? options->threads : 1;
    return status;
}

static enum portolan_status search_within(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error)
{
    bool temporal = false;
    for (size_t i = 0; i < options->property_count; i++)
        temporal |= property_is_temporal(options->properties[i]);
    if (temporal && !wants_executions(options))
        return search_temporal(system, options, result, error);
    enum portolan_status status = wants_executions(options)
                                      ? search_executions_of(system, options, result, error)
                                      : search_perform(system, options, &of_states, result, error);
    for (size_t i = 0; status == PORTOLAN_OK && i < result->answer_count; i++)
        result->answers[i].cycle_start = PORTOLAN_NO_CYCLE;
    return status;
}

static enum portolan_status search_compactly(struct portolan_system *system, const struct portolan_options *options,
                                             struct portolan_result *result, struct portolan_error *error)
{
    /* Relations may not pass by what does not fit, and what is forgotten cannot be converted. */
    bool stores = !wants_executions(options) && !options->check_relations && !store_forgets(options);
    struct portolan_system *own = stores ? compact_begin(system) : system;
    if (!own)
        return fail_memory(error);
    enum portolan_status status = search_within(own, options, result, error);
    compact_end(own, system);
    return status;
}

enum portolan_status search_system(struct portolan_system *system, const struct portolan_options *options,
                                   struct portolan_result *result, struct portolan_error *error)
{
    memset(result, 0, sizeof *result);
    enum portolan_status status = check_system(system, error);
    if (status == PORTOLAN_OK)
        status = check_search_options(system, options, error);
    if (status == PORTOLAN_OK)
        status = check_lists(system, error);
    if (status != PORTOLAN_OK)
        return status;
    struct portolan_limits limits;
    limits_begin(&limits, options->time_limit, 0, options->interrupt);
    if (options->checkpoint || options->shard)
        limits_be_patient(&limits);
    if (may_leave_out_stops(system, options)) {
        struct portolan_system *rest = system->leave_out(system);
        status = rest ? search_compactly(rest, options, result, error) : fail_memory(error);
        result->fired_all = false;
        portolan_system_free(rest);
    } else {
        status = search_compactly(system, options, result, error);
    }
    limits_end(&limits);
    if (status == PORTOLAN_OVERFLOW && system->is_bounded)
        status = fail(error, PORTOLAN_STOPPED, "%s", system->too_large);
    return status;
}
