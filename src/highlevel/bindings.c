/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "highlevel/binder.h"
#include "highlevel/words.h"

#include <string.h>

/* Fewer tokens than these are looked through faster than an index is asked. */
enum { FEW_TOKENS = 8 };

/* ------------------------------------------------------------------ evaluating */

/* Is every variable that it uses there? */
static bool has_values(const struct binder *b, const struct formula *formula)
{
    for (uint32_t i = 0; i < formula->use_count; i++)
        if (b->has_failed[formula->uses[i]])
            return false;
    return true;
}

/* What failed is the step's from now on. */
static void take_failure(struct binder *b, struct step *step)
{
    step->failure = b->evaluation.failure;
    step->failed_at = b->evaluation.failed_at;
    b->evaluation.failure = NULL;
}

static bool evaluate(struct binder *b, struct step *step, const struct formula *formula, int64_t *cells)
{
    if (!has_values(b, formula))
        return false;
    if (colour_value(formula->node, &b->evaluation, cells))
        return true;
    take_failure(b, step);
    return false;
}

/* ------------------------------------------------------------------ matching */

static int64_t *variable_cells(const struct binder *b, const struct rule *rule, uint32_t variable)
{
    return b->evaluation.frame + rule->transition->variables.item[variable].local;
}

static bool is_same(const int64_t *a, const int64_t *b, uint32_t cells)
{
    return memcmp(a, b, cells * sizeof *a) == 0;
}

/* False: there is a component that cannot be evaluated. */
static bool make_key(struct binder *b, const struct pattern *pattern, struct step *step)
{
    bool complete = true;
    step->failure = NULL;
    for (uint32_t c = 0; c < pattern->components; c++) {
        const struct component *component = &pattern->component[c];
        if (step->role[c] != ROLE_KEY)
            continue;
        step->is_wild[c] = !evaluate(b, step, &component->value, step->key + component->offset);
        complete = complete && !step->is_wild[c];
    }
    return complete;
}

/* Does the token fit, as far as this step can tell?  Then its variables are bound. */
static bool bind_token(struct binder *b, const struct rule *rule, const struct step *step, uint32_t token)
{
    const struct pattern *pattern = &rule->pattern[step->number];
    const int64_t *cells = token_cells(b->tokens, token);
    for (uint32_t c = 0; c < pattern->components; c++) {
        const struct component *component = &pattern->component[c];
        const int64_t *value = cells + component->offset;
        if (step->role[c] == ROLE_KEY && !step->is_wild[c] &&
            !is_same(step->key + component->offset, value, component->cells))
            return false;
        if (step->role[c] == ROLE_SAME &&
            !is_same(variable_cells(b, rule, component->variable), value, component->cells))
            return false;
        if (step->role[c] != ROLE_BIND)
            continue;
        if (component->narrower && !colour_has(component->narrower, value))
            return false;
        memcpy(variable_cells(b, rule, component->variable), value, component->cells * sizeof *value);
    }
    return true;
}

/* Chooses where candidates come from; false when memory is exhausted. */
static bool find_candidates(struct binder *b, const struct pattern *pattern, struct step *step, bool is_anchor)
{
    bool complete = make_key(b, pattern, step);
    step->at = 0;
    step->count = 0;
    step->by_index = false;
    step->one = NO_TOKEN;
    if (is_anchor) {
        step->one = b->anchor;
    } else if (complete && step->is_look_up) {
        uint32_t token;
        if (token_find(b->tokens, pattern->place, step->key, &token) && b->source->most(b->source->user, token))
            step->one = token;
    } else {
        b->source->tokens(b->source->user, pattern->place, &step->count);
        step->by_index = complete && step->index && step->count > FEW_TOKENS;
        if (step->by_index)
            return token_index_first(step->index, step->key, &step->at);
    }
    return true;
}

/* The source may move its tokens while a binding is given. */
static uint32_t next_candidate(const struct binder *b, const struct pattern *pattern, struct step *step)
{
    uint32_t count, token = step->one;
    step->one = NO_TOKEN;
    if (token != NO_TOKEN)
        return token;
    if (!step->by_index)
        return step->at < step->count ? b->source->tokens(b->source->user, pattern->place, &count)[step->at++]
                                      : NO_TOKEN;
    while (step->at != NO_ENTRY) {
        token = token_index_token(step->index, step->at);
        step->at = token_index_next(step->index, step->at);
        if (b->source->most(b->source->user, token))
            return token;
    }
    return NO_TOKEN;
}

/* With the plan that begins with pattern `first`, patterns before it do not take the anchor: other plans do that. */
static bool may_take(const struct binder *b, uint32_t pattern, uint32_t first, uint32_t token)
{
    return token != b->anchor || pattern >= first;
}

static bool match_next(struct binder *b, const struct rule *rule, struct step *step, uint32_t first)
{
    for (uint32_t token; (token = next_candidate(b, &rule->pattern[step->number], step)) != NO_TOKEN;) {
        if (!may_take(b, step->number, first, token) || !bind_token(b, rule, step, token))
            continue;
        b->matched[step->number] = token;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ steps */

static bool compare_component(struct binder *b, const struct rule *rule, struct step *step)
{
    const struct component *component = &rule->pattern[step->number].component[step->component];
    const int64_t *cells = token_cells(b->tokens, b->matched[step->number]);
    return !evaluate(b, step, &component->value, b->labels.tuple) ||
           is_same(b->labels.tuple, cells + component->offset, component->cells);
}

/* A part of the guard counts only while those before it have values. */
static bool check(struct binder *b, const struct rule *rule, const struct plan *plan, struct step *step)
{
    for (const struct step *before = plan->step; before < step; before++)
        if (before->kind == STEP_CHECK && (before->failure || !has_values(b, &rule->check[before->number])))
            return true;
    int64_t truth = 1;
    return !evaluate(b, step, &rule->check[step->number], &truth) || truth;
}

static void fail_variable(struct binder *b, const struct rule *rule, struct step *step)
{
    b->has_failed[step->number] = true;
    memset(variable_cells(b, rule, step->number), 0,
           rule->transition->variables.item[step->number].colour->cells * sizeof(int64_t));
    if (b->evaluation.failure)
        take_failure(b, step);
}

static void let(struct binder *b, const struct rule *rule, struct step *step)
{
    const struct colour_variable *variable = &rule->transition->variables.item[step->number];
    b->has_failed[step->number] = false;
    if (!evaluate(b, step, &rule->value[step->number], b->labels.tuple))
        fail_variable(b, rule, step);
    else
        memcpy(b->evaluation.frame + variable->local, b->labels.tuple, variable->colour->cells * sizeof(int64_t));
}

/* A list may hold a value twice, which makes no second binding. */
static bool is_repeated(struct binder *b, const struct colour_variable *variable, struct step *step)
{
    uint32_t cells = variable->colour->cells;
    const int64_t *value = b->evaluation.frame + variable->local;
    if (variable->source != VARIABLE_PICK || !variable->pick->container)
        return false;
    for (size_t at = 0; at < step->seen.count; at += cells)
        if (is_same(step->seen.item + at, value, cells))
            return true;
    for (uint32_t i = 0; i < cells; i++)
        if (!vector_push(&step->seen, value[i]))
            b->evaluation.is_out_of_memory = true;
    return false;
}

/* The first value (which a variable that fails has, too), or the next one. */
static bool try_value(struct binder *b, const struct rule *rule, struct step *step, bool first)
{
    const struct colour_variable *variable = &rule->transition->variables.item[step->number];
    if (variable->source != VARIABLE_PICK) {
        if (!first)
            return colour_next(variable->colour, b->evaluation.frame + variable->local);
        colour_first(variable->colour, b->evaluation.frame + variable->local);
        return true;
    }
    if (first) {
        step->seen.count = 0;
        b->has_failed[step->number] = false;
        if (has_values(b, &rule->value[step->number]) &&
            iterator_begin(variable->pick, &step->iteration, &b->evaluation))
            return true;
    } else if (!b->has_failed[step->number] && iterator_next(variable->pick, &step->iteration, &b->evaluation)) {
        return true;
    }
    bool fails = b->evaluation.failure || !has_values(b, &rule->value[step->number]);
    if (fails && !b->has_failed[step->number]) {
        fail_variable(b, rule, step);
        return true;
    }
    return false;
}

static bool each(struct binder *b, const struct rule *rule, struct step *step, bool first)
{
    const struct colour_variable *variable = &rule->transition->variables.item[step->number];
    while (try_value(b, rule, step, first)) {
        if (b->has_failed[step->number] || !is_repeated(b, variable, step))
            return true;
        first = false;
    }
    iteration_clear(&step->iteration);
    b->has_failed[step->number] = false;
    return false;
}

/* Does what comes first in a step, or what comes next; false when there is nothing more. */
static bool run_step(struct binder *b, const struct rule *rule, struct plan *plan, struct step *step, bool first,
                     uint32_t anchored)
{
    if (first)
        step->failure = NULL;
    else if (step->kind != STEP_MATCH && step->kind != STEP_EACH)
        return false;
    switch (step->kind) {
    case STEP_MATCH:
        if (first && !find_candidates(b, &rule->pattern[step->number], step, step->number == anchored))
            return !(b->evaluation.is_out_of_memory = true);
        return match_next(b, rule, step, anchored);
    case STEP_COMPARE: return compare_component(b, rule, step);
    case STEP_CHECK: return check(b, rule, plan, step);
    case STEP_LET: let(b, rule, step); return true;
    case STEP_EACH: return each(b, rule, step, first);
    }
    return false;
}

/* ------------------------------------------------------------------ a binding */

static void note_failure(struct binder *b, const char *failure, const struct node *at)
{
    if (b->failure || !failure)
        return;
    b->failure = failure;
    b->failed_at = at;
}

static void add_labels(struct binder *b, const struct label *labels, uint32_t count, struct token_bag *bag)
{
    for (uint32_t i = 0; i < count && !b->evaluation.is_out_of_memory; i++)
        if (has_values(b, &labels[i].uses) && !label_add(&b->labels, labels[i].place, labels[i].terms, bag)) {
            note_failure(b, b->evaluation.failure, b->evaluation.failed_at);
            b->evaluation.failure = NULL;
        }
}

static void sort_bag(struct binder *b, struct token_bag *bag, bool least)
{
    if (!bag_sort(bag, least))
        note_failure(b, "too many tokens", NULL);
}

/* What it takes; false when the source does not have that. */
static bool find_inputs(struct binder *b, const struct rule *rule)
{
    b->in.count = 0;
    for (uint32_t i = 0; i < rule->patterns; i++) {
        struct token_count taken = {b->matched[i], rule->pattern[i].count};
        if (!vector_push(&b->in, taken))
            return !(b->evaluation.is_out_of_memory = true);
    }
    add_labels(b, rule->in, rule->ins, &b->in);
    sort_bag(b, &b->in, false);
    for (size_t i = 0; i < b->in.count; i++)
        if (b->in.item[i].count > b->source->most(b->source->user, b->in.item[i].token))
            return false;
    return true;
}

static int64_t find_priority(struct binder *b, const struct rule *rule)
{
    if (!rule->priority.node)
        return 0;
    int64_t priority = has_values(b, &rule->priority) ? colour_scalar(rule->priority.node, &b->evaluation) : INT64_MAX;
    if (!b->evaluation.failure)
        return priority;
    note_failure(b, b->evaluation.failure, b->evaluation.failed_at);
    b->evaluation.failure = NULL;
    return INT64_MAX; /* nothing keeps the failure from being seen */
}

static const int64_t *clean_frame(struct binder *b, const struct rule *rule)
{
    memset(b->clean, 0, rule->transition->frame * sizeof *b->clean);
    for (size_t v = 0; v < rule->transition->variables.count; v++) {
        const struct colour_variable *variable = &rule->transition->variables.item[v];
        memcpy(b->clean + variable->local, b->evaluation.frame + variable->local,
               variable->colour->cells * sizeof *b->clean);
    }
    return b->clean;
}

/* Where the anchor need not be matched, it must be among what is evaluated, and nowhere else. */
static bool takes_anchor(const struct binder *b, const struct rule *rule)
{
    for (uint32_t i = 0; i < rule->patterns; i++)
        if (b->matched[i] == b->anchor)
            return false;
    for (size_t i = 0; i < b->in.count; i++)
        if (b->in.item[i].token == b->anchor)
            return true;
    return false;
}

static bool offer(struct binder *b, const struct rule *rule, const struct plan *plan, uint32_t anchored,
                  struct binding *binding)
{
    b->failure = NULL;
    for (uint32_t s = 0; s < plan->steps; s++)
        note_failure(b, plan->step[s].failure, plan->step[s].failed_at);
    if (!find_inputs(b, rule) || (b->anchor != NO_TOKEN && anchored == NO_PATTERN && !takes_anchor(b, rule)))
        return false;
    b->out.count = 0;
    b->inhibit.count = 0;
    add_labels(b, rule->inhibit, rule->inhibits, &b->inhibit);
    sort_bag(b, &b->inhibit, true);
    add_labels(b, rule->out, rule->outs, &b->out);
    sort_bag(b, &b->out, false);
    *binding = (struct binding){.transition = (uint32_t)(rule - b->rule),
                                .frame = clean_frame(b, rule),
                                .in = b->in.item,
                                .inhibit = b->inhibit.item,
                                .out = b->out.item,
                                .in_count = (uint32_t)b->in.count,
                                .inhibit_count = (uint32_t)b->inhibit.count,
                                .priority = find_priority(b, rule)};
    binding->failure = b->failure;
    binding->failed_at = b->failed_at;
    binding->out_count = b->failure ? 0 : (uint32_t)b->out.count;
    return true;
}

/* ------------------------------------------------------------------ finding them */

struct receiver {
    bool (*give)(void *user, const struct binding *binding);
    void *user;
};

static void rest(struct binder *b, const struct rule *rule, struct plan *plan)
{
    for (uint32_t s = 0; s < plan->steps; s++)
        iteration_clear(&plan->step[s].iteration);
    memset(b->has_failed, 0, rule->transition->variables.count * sizeof *b->has_failed);
}

/* Backtracking along the plan. */
static bool run_plan(struct binder *b, const struct rule *rule, struct plan *plan, uint32_t anchored,
                     const struct receiver *receiver)
{
    uint32_t at = 0;
    bool forward = true, goes_on = true;
    while (goes_on) {
        if (at == plan->steps) {
            struct binding binding;
            if (offer(b, rule, plan, anchored, &binding) && !b->evaluation.is_out_of_memory)
                goes_on = receiver->give(receiver->user, &binding);
            forward = false;
        } else {
            forward = run_step(b, rule, plan, &plan->step[at], forward, anchored);
            at += forward;
        }
        goes_on = goes_on && !b->evaluation.is_out_of_memory && --b->steps_left && !limits_reached();
        if (!forward && at-- == 0)
            break;
    }
    rest(b, rule, plan);
    return goes_on;
}

static bool takes_from(const struct label *labels, uint32_t count, uint32_t place)
{
    for (uint32_t i = 0; i < count; i++)
        if (labels[i].place == place)
            return true;
    return false;
}

bool find_bindings(struct binder *binder, uint32_t transition, const struct token_source *source, uint32_t anchor,
                   bool (*give)(void *user, const struct binding *binding), void *user)
{
    struct rule *rule = &binder->rule[transition];
    const struct receiver receiver = {give, user};
    uint32_t place = anchor == NO_TOKEN ? 0 : token_place(binder->tokens, anchor);
    bool fine = true;
    binder->source = source;
    binder->anchor = anchor;
    binder->evaluation.is_out_of_memory = false;
    for (uint32_t i = 0; fine && anchor != NO_TOKEN && i < rule->patterns; i++) {
        if (rule->pattern[i].place != place)
            continue;
        struct plan *plan = plan_for(binder, rule, i);
        fine = plan && run_plan(binder, rule, plan, i, &receiver);
    }
    if (fine && (anchor == NO_TOKEN || takes_from(rule->in, rule->ins, place))) {
        struct plan *plan = plan_for(binder, rule, NO_PATTERN);
        fine = plan && run_plan(binder, rule, plan, NO_PATTERN, &receiver);
    }
    return fine;
}

/* ------------------------------------------------------------------ making a binder */

/* The largest of what one transition, place or value asks for. */
static bool make_scratch(struct binder *b, const struct colour_net *net)
{
    uint32_t tuple = 1, variables = 1, terms = 1;
    b->frame = initial_frame(net) + 1;
    for (size_t p = 0; p < net->places.count; p++)
        tuple = tuple_cells(net, (uint32_t)p) > tuple ? tuple_cells(net, (uint32_t)p) : tuple;
    for (size_t t = 0; t < net->transitions.count; t++) {
        const struct colour_transition *transition = &net->transitions.item[t];
        b->frame = transition->frame >= b->frame ? transition->frame + 1 : b->frame;
        if (transition->variables.count > variables)
            variables = (uint32_t)transition->variables.count;
        if (b->rule[t].patterns > terms)
            terms = b->rule[t].patterns;
    }
    tuple = tuple > b->frame ? tuple : b->frame; /* a let's value is kept there, too */
    b->labels = (struct labels){.net = net, .tokens = b->tokens, .evaluation = &b->evaluation};
    b->labels.tuple = calloc(tuple, sizeof *b->labels.tuple);
    b->evaluation.frame = calloc(b->frame, sizeof *b->evaluation.frame);
    b->clean = calloc(b->frame, sizeof *b->clean);
    b->has_failed = calloc(variables, sizeof *b->has_failed);
    b->matched = calloc(terms, sizeof *b->matched);
    return b->labels.tuple && b->evaluation.frame && b->clean && b->has_failed && b->matched;
}

struct binder *binder_new(const struct colour_net *net, struct tokens *tokens, struct portolan_error *error)
{
    struct binder *b = calloc(1, sizeof *b);
    bool fine = b != NULL;
    if (fine) {
        b->net = net;
        b->tokens = tokens;
        b->steps_left = UINT64_MAX;
        b->rule = arena_get(&b->arena, (net->transitions.count + 1) * sizeof *b->rule);
        fine = b->rule != NULL;
    }
    for (size_t t = 0; fine && t < net->transitions.count; t++)
        fine = prepare_rule(b, &b->rule[t], &net->transitions.item[t]);
    if (fine && make_scratch(b, net))
        return b;
    binder_free(b);
    fail_memory(error);
    return NULL;
}

static void free_plans(struct rule *rule)
{
    for (uint32_t i = 0; rule->plan && i <= rule->patterns; i++)
        for (uint32_t s = 0; s < rule->plan[i].steps; s++)
            free(rule->plan[i].step[s].seen.item);
}

void binder_free(struct binder *b)
{
    if (!b)
        return;
    for (size_t t = 0; b->rule && t < b->net->transitions.count; t++)
        free_plans(&b->rule[t]);
    token_indexes_free(b->indexes);
    labels_clear(&b->labels);
    colour_evaluation_clear(&b->evaluation);
    free(b->evaluation.frame);
    free(b->labels.tuple);
    free(b->clean);
    free(b->has_failed);
    free(b->matched);
    free(b->in.item);
    free(b->out.item);
    free(b->inhibit.item);
    arena_clear(&b->arena);
    free(b);
}

static bool tell_failure(struct binder *b, const struct colour_place *place, const char *what,
                         struct portolan_error *error)
{
    const struct node *at = b->evaluation.failed_at;
    struct position where = at ? at->at : place->at;
    char why[300];
    failure_words(b->evaluation.failure, at, why, sizeof why);
    if (b->evaluation.is_out_of_memory)
        fail_memory(error);
    else
        fail_at(error, b->net->file, where.line, where.column, NULL, "the %s of %s: %s", what, place->name, why);
    b->evaluation.failure = NULL;
    return false;
}

bool initial_tokens(struct binder *b, const struct token_count **initial, uint32_t *count, struct portolan_error *error)
{
    const struct colour_net *net = b->net;
    b->in.count = 0;
    b->evaluation.is_out_of_memory = false;
    for (uint32_t p = 0; p < net->places.count; p++)
        if (!label_add(&b->labels, p, net->places.item[p].initial, &b->in))
            return tell_failure(b, &net->places.item[p], "initial marking", error);
    bag_sort(&b->in, false); /* a token stands in one label */
    *initial = b->in.item;
    *count = (uint32_t)b->in.count;
    return true;
}

bool place_capacity(struct binder *b, uint32_t place, int64_t *capacity, struct portolan_error *error)
{
    const struct colour_place *p = &b->net->places.item[place];
    b->evaluation.is_out_of_memory = false;
    *capacity = colour_scalar(p->capacity, &b->evaluation);
    return !b->evaluation.failure || tell_failure(b, p, "capacity", error);
}

void binder_limit(struct binder *b, uint64_t steps)
{
    b->steps_left = steps;
}

bool binder_is_spent(const struct binder *b)
{
    return b->steps_left == 0;
}
