/* SPDX-License-Identifier: Apache-2.0 */
#include "search/chooser.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "search/combination.h"

#include <stdio.h>
#include <string.h>

struct chooser {
    struct search search;
    struct strategy strategy;
    struct explorer explorer;
    struct portolan_result result;
    struct portolan_error error;
    uint32_t *member, *attractors; /* scratch, per action */
    uint32_t stamp;
    char name[96];
};

static enum portolan_status refuse(const char *name, struct portolan_error *error)
{
    fail(error, PORTOLAN_REFUSED,
         "reduction '%s' goes by what was done before, so a state alone does not tell its choice", name);
    hint(error, "stubborn and lpor choose in each state%s",
         strncmp(name, "probe", 5) == 0 ? "; 'check --explain' shows what probe sets do" : "");
    return PORTOLAN_REFUSED;
}

static enum portolan_status make(struct chooser *c)
{
    struct search *s = &c->search;
    size_t actions = (size_t)fixed_actions(s->system) + 1;
    const char *words = "";
    c->member = calloc(actions, sizeof *c->member);
    c->attractors = calloc(actions, sizeof *c->attractors);
    s->decided = calloc(s->options->property_count + 1, sizeof *s->decided);
    if (!c->member || !c->attractors || !s->decided)
        return fail_memory(&c->error);
    if (wants_executions(s->options))
        return refuse(s->options->reduction ? s->options->reduction : "stateless", &c->error);
    enum portolan_status status = choose_combination(s, &words, &c->error);
    if (status != PORTOLAN_OK)
        return status;
    if (s->reduction_class->has_search)
        return refuse(s->reduction_class->name, &c->error);
    snprintf(c->name, sizeof c->name, "%s%s%s", s->reduction_class->name, words[0] ? ":" : "", words);
    return search_make_reduction(&c->explorer, words);
}

enum portolan_status chooser_new(struct portolan_system *system, const struct portolan_options *options,
                                 struct chooser **chooser, struct portolan_error *error)
{
    struct chooser *c = calloc(1, sizeof *c);
    *chooser = NULL;
    if (!c)
        return fail_memory(error);
    c->search = (struct search){
        .system = system, .options = options, .result = &c->result, .is_repeatable = true, .keeps_idle = true};
    c->explorer =
        (struct explorer){.search = &c->search, .strategy = &c->strategy, .system = system, .error = &c->error};
    enum portolan_status status = make(c);
    if (status == PORTOLAN_OK) {
        *chooser = c;
    } else {
        if (error)
            *error = c->error;
        chooser_free(c);
    }
    return status;
}

void chooser_free(struct chooser *c)
{
    if (!c)
        return;
    search_clear_parts(&c->explorer);
    free(c->member);
    free(c->attractors);
    free(c);
}

const char *chooser_name(const struct chooser *c)
{
    return c->name;
}

const char *chooser_proviso(const struct chooser *c)
{
    return c->search.proviso_class->name;
}

static struct choice choice_of(const void *state, const uint32_t *enabled, uint32_t enabled_count)
{
    return (struct choice){.state = state, .enabled = enabled, .enabled_count = enabled_count};
}

enum portolan_status chooser_choose(struct chooser *c, const void *state, const uint32_t *enabled,
                                    uint32_t enabled_count, uint32_t *chosen, uint32_t *count,
                                    struct portolan_error *error)
{
    struct choice choice = choice_of(state, enabled, enabled_count);
    *count = enabled_count ? c->search.reduction_class->choose(c->explorer.reduction, &choice, 0, chosen) : 0;
    return limits_reached() ? fail_memory(error) : PORTOLAN_OK;
}

/* The attractors of a set that was directed at a goal. */
static void find_attractors(struct chooser *c, struct chosen_set *set)
{
    struct choice choice = choice_of(set->state, set->enabled, set->enabled_count);
    if (++c->stamp == 0)
        memset(c->member, 0, fixed_actions(c->search.system) * sizeof *c->member), c->stamp = 1;
    const struct reduction_goal *goal = &c->explorer.goal;
    set->attractor_count = goal->attractors(goal->user, &choice, c->member, c->stamp, c->attractors);
    set->attractors = c->attractors;
}

enum portolan_status chooser_explain(struct chooser *c, const void *state, const uint32_t *enabled,
                                     uint32_t enabled_count, uint32_t *chosen, uint32_t *count,
                                     struct set_explanation *explanation, struct portolan_error *error)
{
    const struct reduction_class *class = c->search.reduction_class;
    memset(explanation, 0, sizeof *explanation);
    enum portolan_status status = chooser_choose(c, state, enabled, enabled_count, chosen, count, error);
    if (status != PORTOLAN_OK || *count == enabled_count || !class->needs_relations)
        return status;
    struct chosen_set set = {.system = c->search.system,
                             .state = state,
                             .enabled = enabled,
                             .enabled_count = enabled_count,
                             .chosen = chosen,
                             .chosen_count = *count,
                             .visible = c->search.visible,
                             .is_weak = class->is_weak(c->explorer.reduction)};
    if (c->explorer.reduction->complete)
        find_attractors(c, &set);
    return explain_set(&set, explanation, error);
}
