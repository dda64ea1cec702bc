/* SPDX-License-Identifier: Apache-2.0 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "base/lists.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/search_system.h"
#include "stateless/reschedule.h"
#include "stateless/stateless.h"
#include "system/arguments.h"
#include "system/compact.h"
#include "system/replay.h"

#include <stdlib.h>
#include <string.h>

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

enum portolan_status search_make(struct search *s, const char *words)
{
    const struct portolan_system *system = s->system;
    bool fine = true;
    s->visible = s->reduction_class->reduces ? visible_actions(s, &fine) : NULL;
    if (!fine)
        return fail_memory(s->error);
    /* The safety form promises a path to a fully expanded state, by any action: of a weak set only a key may be taken
     * without losing what the others would have done.  Tests: tests/nets/weak-safety.pnml. */
    bool needs_strong = s->visible && s->proviso_class->form == PROVISO_SAFETY;
    struct reduction_demands demands = {.visible = s->visible,
                                        .prefer_strong =
                                            needs_strong || s->needs_runs || s->proviso_class->prefers_strong,
                                        .repeatable = s->options->chains};
    enum portolan_status status = s->reduction_class->make(system, words, &demands, &s->reduction, s->error);
    if (status != PORTOLAN_OK)
        return status;
    bool weak = s->reduction_class->is_weak(s->reduction);
    if (weak && s->needs_runs)
        return fail(s->error, PORTOLAN_REFUSED, "weak sets do not preserve runs: use '%s:strong'",
                    s->reduction_class->name);
    if (weak && needs_strong) {
        fail(s->error, PORTOLAN_REFUSED, "weak sets keep more than deadlocks only with a proviso of the liveness form");
        hint(s->error, "use --reduction stubborn:strong, or --proviso color-star");
        return PORTOLAN_REFUSED;
    }
    s->proviso = s->proviso_class->make(s->proviso_class, fixed_actions(system), weak || s->options->certifiable);
    size_t properties = s->options->property_count;
    s->decided = calloc(properties + 1, sizeof *s->decided);
    s->result->answers = calloc(properties + 1, sizeof *s->result->answers);
    s->result->answer_count = properties;
    s->undecided = properties;
    if (s->options->check_relations && system->relations) {
        status = relation_check_make(&s->check, system, s->error);
        if (status != PORTOLAN_OK)
            return status;
        s->checking = true;
    }
    if (has_fixed_actions(system) && !s->reduction_class->has_search) {
        s->not_fired = system->actions;
        if (!(s->result->fired = calloc((size_t)system->actions + 1, sizeof *s->result->fired)))
            return fail_memory(s->error);
    }
    if (system->opened && !(s->shown = malloc(system->opened->state_bytes)))
        return fail_memory(s->error);
    if (!s->proviso || !s->decided || !s->result->answers || !store_make(&s->store, system->key_bytes) ||
        !expansion_make(s))
        return fail_memory(s->error);
    return PORTOLAN_OK;
}

void search_clear(struct search *s)
{
    if (s->reduction)
        s->reduction_class->free(s->reduction);
    if (s->proviso)
        s->proviso_class->free(s->proviso);
    if (s->checking)
        relation_check_clear(&s->check);
    store_clear(&s->store);
    expansion_free(s);
    free(s->visible);
    free(s->decided);
    free(s->shown);
}

enum portolan_status cut_short(struct search *s)
{
    struct portolan_result *result = s->result;
    size_t properties = s->options->property_count;
    if (!result->answers)
        result->answers = calloc(properties + 1, sizeof *result->answers);
    if (!s->decided)
        s->decided = calloc(properties + 1, sizeof *s->decided);
    if (!result->answers || !s->decided)
        return fail(s->error, PORTOLAN_NO_MEMORY, "out of memory");
    result->answer_count = properties;
    result->statistics.seconds = seconds_since(&s->start);
    end_search(s, limits_stop_or_memory());
    return PORTOLAN_OK;
}

/* Fills the verdicts, and replays every trace: none is given out that the model does not allow. */
static enum portolan_status conclude_in_time(struct search *s)
{
    for (size_t i = 0; i < s->options->property_count; i++) {
        const struct portolan_property *property = s->options->properties[i];
        struct portolan_answer *answer = &s->result->answers[i];
        answer->verdict = verdict_of(property->kind, s->decided[i], s->result->stop);
        if (!s->decided[i])
            continue;
        if (!answer->has_trace)
            return fail(s->error, PORTOLAN_NO_MEMORY, "out of memory: the trace of '%s' could not be put together",
                        portolan_property_text(property));
        if (s->system->footprint && s->system->footprint->in_columns)
            reschedule(s->system, answer->trace, answer->trace_length);
        struct portolan_error wrong;
        enum portolan_status status = replay_answer(s->system, property, answer, &wrong);
        if (status == PORTOLAN_STOPPED)
            answer_withdraw(answer, &s->result->stop);
        else if (status != PORTOLAN_OK)
            return fail(s->error, status, "internal error: the trace of '%s' does not replay: %s",
                        portolan_property_text(property), wrong.message);
    }
    return PORTOLAN_OK;
}

static enum portolan_status conclude(struct search *s)
{
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_REPLAYING);
    enum portolan_status status = conclude_in_time(s);
    limits_end(&finishing);
    return status;
}

static enum portolan_status search_states(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error)
{
    memset(result, 0, sizeof *result);
    struct search s = {.system = system, .options = options, .result = result, .error = error};
    struct recording recording = {0};
    const char *words = "", *order = "";
    clock_gettime(CLOCK_MONOTONIC, &s.start);
    s.status = choose_combination(&s, &words, &order);
    if (s.status == PORTOLAN_OK)
        s.status = search_make(&s, words);
    if (s.status == PORTOLAN_OK && s.proviso_class->afterwards) {
        if (recording_make(&recording, system, NULL, false))
            s.recording = &recording;
        else
            s.status = fail_memory(error);
    }
    if (s.status == PORTOLAN_OK) {
        result->stop = PORTOLAN_COMPLETE;
        if (s.reduction_class->has_search)
            search_probe(&s, strcmp(order, "bfs") == 0);
        else if (strcmp(order, "bfs") == 0)
            search_bfs(&s);
        else
            search_dfs(&s);
        if (s.proviso_class->afterwards && !s.ended && s.status == PORTOLAN_OK)
            search_repair(&s);
        observe_completion(&s);
        result->fired_all = result->fired && result->stop == PORTOLAN_COMPLETE && !s.reduction_class->reduces;
    }
    if (s.status == PORTOLAN_STOPPED)
        s.status = cut_short(&s);
    if (s.status == PORTOLAN_OK)
        s.status = conclude(&s);
    if (s.status == PORTOLAN_OK && result->stop > PORTOLAN_DECIDED)
        name_growing(&s);
    recording_clear(&recording);
    search_clear(&s);
    if (s.status != PORTOLAN_OK)
        result_clear(result);
    return s.status;
}

/* May actions that only stop something be left out?  See struct portolan_system. */
static bool may_leave_out_stops(const struct portolan_system *system, const struct portolan_options *options)
{
    bool reduces = !options->reduction || strncmp(options->reduction, "none", 4) != 0;
    bool *visible = calloc((size_t)fixed_actions(system) + 1, sizeof *visible);
    bool may = visible && system->leave_out && reduces && options->property_count && !options->certifiable;
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

static enum portolan_status search_with(struct portolan_system *system, const struct portolan_options *options,
                                        struct portolan_result *result, struct portolan_error *error)
{
    bool leaves_out = may_leave_out_stops(system, options);
    if (leaves_out)
        system->leave_out(system->model, true);
    enum portolan_status status = is_stateless(options) ? search_stateless(system, options, result, error)
                                                        : search_states(system, options, result, error);
    if (leaves_out) {
        system->leave_out(system->model, false);
        result->fired_all = false;
    }
    return status;
}

static enum portolan_status search_within(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error)
{
    bool temporal = false;
    for (size_t i = 0; i < options->property_count; i++)
        temporal |= property_is_temporal(options->properties[i]);
    if (temporal && !is_stateless(options))
        return search_temporal(system, options, result, error);
    enum portolan_status status = search_with(system, options, result, error);
    for (size_t i = 0; status == PORTOLAN_OK && i < result->answer_count; i++)
        result->answers[i].cycle_start = PORTOLAN_NO_CYCLE;
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
    bool stores = !is_stateless(options) && !options->check_relations; /* which may not pass by what does not fit */
    struct portolan_system *own = stores ? compact_begin(system) : system;
    if (!own)
        return fail_memory(error);
    struct portolan_limits limits;
    limits_begin(&limits, options->time_limit, 0, options->interrupt);
    status = search_within(own, options, result, error);
    limits_end(&limits);
    compact_end(own, system);
    return status;
}
