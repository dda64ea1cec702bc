/* SPDX-License-Identifier: Apache-2.0 */
#include "differential_check.h"

#include "differential_graph.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "search/search_system.h"
#include "search/variants.h"
#include "system/check_relations.h"
#include "threads.h"

#include <stdio.h>
#include <string.h>

/* What the naive explorer says of a formula. */
struct truth {
    bool decided;
    uint32_t distance; /* of the nearest state that decides it */
};

struct checker {
    const struct check_case *check;
    struct mismatch *mismatch;
    struct naive naive;
    struct graph graph;
    struct truth truth[CHECK_FORMULAS];
    VECTOR(uint32_t) deadlocks; /* sorted */
    uint32_t alone;             /* which formula goes alone next */
};

/* One search.  NULL for reduction, proviso and search is the engine's own choice. */
struct run {
    const char *reduction;
    const char *proviso;
    const char *search;
    bool chains;
    bool all;
    uint32_t formula[CHECK_FORMULAS];
    uint32_t formula_count;
    uint64_t walk; /* steps of random walks before the search */
};

/* ------------------------------------------------------------------- messages */

static const char *or_auto(const char *name)
{
    return name ? name : "auto";
}

/* Notes the first mismatch; returns false. */
static bool differ(struct checker *c, const struct run *run, const char *kind, const char *what)
{
    char text[FORMULA_TEXT] = "";
    snprintf(c->mismatch->kind, sizeof c->mismatch->kind, "%s", kind);
    int used = snprintf(c->mismatch->detail, sizeof c->mismatch->detail,
                        "%s: %s; reduction %s, proviso %s, search %s%s", kind, what, or_auto(run->reduction),
                        or_auto(run->proviso), or_auto(run->search), run->chains ? ", chains" : "");
    for (uint32_t i = 0; i < run->formula_count; i++) {
        const struct formula *formula = &c->check->formulas[run->formula[i]];
        formula_text(formula, c->check->net, text, sizeof text);
        if (used > 0 && (size_t)used < sizeof c->mismatch->detail)
            used += snprintf(c->mismatch->detail + used, sizeof c->mismatch->detail - (size_t)used, "\n  %s %s",
                             formula->kind == PORTOLAN_NO_DEADLOCK ? "no deadlock"
                             : formula->kind == PORTOLAN_REACH     ? "reach"
                                                                   : "invariant",
                             text);
    }
    return false;
}

static bool differ_error(struct checker *c, const struct run *run, const struct portolan_error *error)
{
    return differ(c, run, "error", error->message);
}

/* ------------------------------------------------------- systems and properties */

struct net *copy_net(const struct net *net)
{
    struct net_builder *builder = net_builder_new(net->name);
    if (!builder)
        return NULL;
    for (uint32_t p = 0; p < net->places; p++)
        net_builder_place(builder, net->place_id[p], net->place_name[p], net->initial[p]);
    for (uint32_t t = 0; t < net->transitions; t++) {
        net_builder_transition(builder, net->transition_id[t], net->transition_name[t]);
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
            const struct net_arc *arc = &net->arc[i];
            if (arc->consume)
                net_builder_arc(builder, NET_CONSUME, arc->place, t, arc->consume);
            if (arc->produce)
                net_builder_arc(builder, NET_PRODUCE, arc->place, t, arc->produce);
            if (arc->need > arc->consume)
                net_builder_arc(builder, NET_READ, arc->place, t, arc->need);
            if (arc->inhibit)
                net_builder_arc(builder, NET_INHIBIT, arc->place, t, arc->inhibit);
        }
    }
    for (uint32_t u = 0; u < net->units; u++)
        net_builder_unit(builder, net->unit_places + net->unit[u].first, net->unit[u].count);
    return net_builder_finish(builder, NULL);
}

/* A system whose layout is still the narrowest, so that every run widens it anew. */
static struct portolan_system *fresh_system(const struct net *net, struct portolan_error *error)
{
    struct net *copy = copy_net(net);
    struct portolan_system *system = NULL;
    if (!copy || net_system_new(copy, &system, error) != PORTOLAN_OK)
        return NULL;
    return system;
}

static bool make_properties(struct checker *c, const struct run *run, const struct portolan_system *system,
                            struct portolan_property **properties, struct portolan_error *error)
{
    char text[FORMULA_TEXT];
    for (uint32_t i = 0; i < run->formula_count; i++) {
        const struct formula *formula = &c->check->formulas[run->formula[i]];
        formula_text(formula, c->check->net, text, sizeof text);
        if (portolan_property_new(system, formula->kind, text, &properties[i], error) != PORTOLAN_OK)
            return false;
    }
    return true;
}

/* ----------------------------------------------------------- judging one result */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool judge_deadlocks(struct checker *c, const struct run *run, const struct portolan_result *result)
{
    char what[128];
    struct graph *g = &c->graph;
    if (g->deadlocks.count)
        qsort(g->deadlocks.item, g->deadlocks.count, sizeof *g->deadlocks.item, by_number);
    bool equal = g->deadlocks.count == c->deadlocks.count && result->statistics.deadlocks == c->deadlocks.count &&
                 (!g->deadlocks.count ||
                  memcmp(g->deadlocks.item, c->deadlocks.item, g->deadlocks.count * sizeof *g->deadlocks.item) == 0);
    if (equal)
        return true;
    snprintf(what, sizeof what, "%zu deadlock markings instead of %zu", g->deadlocks.count, c->deadlocks.count);
    return differ(c, run, "deadlocks", what);
}

/* Walks the trace on the naive graph; its last state must decide the formula. */
static bool judge_trace(struct checker *c, const struct run *run, uint32_t formula,
                        const struct portolan_answer *answer)
{
    uint32_t state = 0;
    for (size_t i = 0; i < answer->trace_length && state != NAIVE_NONE; i++)
        state = naive_step(&c->naive, state, answer->trace[i]);
    if (state == NAIVE_NONE)
        return differ(c, run, "trace", "a trace has a step that is not enabled");
    if (!formula_is_decided_by(&c->check->formulas[formula], &c->naive, state))
        return differ(c, run, "trace", "the end of a trace does not decide its property");
    bool shortest =
        !answer->by_walk && run->reduction && strcmp(run->reduction, "none") == 0 && strcmp(run->search, "bfs") == 0;
    if (shortest && answer->trace_length != c->truth[formula].distance)
        return differ(c, run, "trace", "a breadth-first trace is not the shortest");
    return true;
}

static bool judge_answers(struct checker *c, const struct run *run, struct portolan_system *system,
                          struct portolan_property *const *properties, const struct portolan_result *result)
{
    for (uint32_t i = 0; i < run->formula_count; i++) {
        const struct portolan_answer *answer = &result->answers[i];
        uint32_t formula = run->formula[i];
        bool reach = c->check->formulas[formula].kind == PORTOLAN_REACH, decided = c->truth[formula].decided;
        if (answer->verdict != (decided == reach ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED)) {
            char what[128];
            snprintf(what, sizeof what, "the verdict of property %u is wrong", i);
            return differ(c, run, "verdict", what);
        }
        if (answer->has_trace != decided)
            return differ(c, run, "trace", "a trace is missing or given without cause");
        struct portolan_error error;
        if (decided &&
            (!judge_trace(c, run, formula, answer) ||
             (portolan_replay(system, answer->trace, answer->trace_length, properties[i], &error) != PORTOLAN_OK &&
              !differ(c, run, "trace", error.message))))
            return false;
    }
    return true;
}

static bool has_word(const char *options, const char *word)
{
    return options && strstr(options, word);
}

/* What the proviso promises of the reduced graph. */
static bool judge_proviso(struct checker *c, const struct run *run)
{
    const struct proviso_class *proviso = run->proviso ? proviso_find(run->proviso) : NULL;
    if (!proviso || proviso->form == PROVISO_FREE)
        return true;
    const char *wrong;
    if (strcmp(proviso->name, "scc") == 0)
        wrong = graph_check_no_ignoring(&c->graph, has_word(run->reduction, "weak"));
    else if (proviso->form == PROVISO_LIVENESS)
        wrong = graph_check_liveness(&c->graph);
    else
        wrong = graph_check_safety(&c->graph);
    return !wrong || differ(c, run, "proviso", wrong);
}

/* A run that goes on to the end must have seen a graph that is right. */
static bool judge_graph(struct checker *c, const struct run *run, const struct portolan_result *result)
{
    struct graph *g = &c->graph;
    if (result->stop != PORTOLAN_COMPLETE)
        return differ(c, run, "states", "the search did not complete");
    const char *wrong = run->chains ? (g->wrong[0] ? g->wrong : NULL) : graph_check_steps(g);
    if (wrong)
        return differ(c, run, "states", wrong);
    if (result->statistics.states != g->states.count || g->states.count > c->naive.count)
        return differ(c, run, "states", "the number of states does not add up");
    bool full = run->reduction && strcmp(run->reduction, "none") == 0;
    if (full && (g->states.count != c->naive.count || result->statistics.transitions != c->naive.edges.count ||
                 result->statistics.expanded_fully != c->naive.count)) {
        char what[160];
        snprintf(what, sizeof what, "%zu states and %llu transitions instead of %u and %zu", g->states.count,
                 (unsigned long long)result->statistics.transitions, c->naive.count, c->naive.edges.count);
        return differ(c, run, "states", what);
    }
    return judge_deadlocks(c, run, result) && judge_proviso(c, run);
}

/* ------------------------------------------------------------------ one search */

/* Must the engine refuse this?  A reduction does not preserve what needs every state, nor without a proviso (for weak
 * sets: of the liveness form) what needs more than deadlocks; chains pass by states.  Goal-directed sets preserve all
 * that is not about deadlocks alone. */
static bool must_refuse(const struct run *run, struct portolan_property *const *properties)
{
    if (!run->reduction || strcmp(run->reduction, "none") == 0)
        return false;
    const struct proviso_class *proviso = run->proviso ? proviso_find(run->proviso) : NULL;
    if (tester_threads() > 1 && proviso && proviso->order == DEPTH_FIRST) /* there is no one stack */
        return true;
    bool directed = has_word(run->reduction, "goal");
    bool free =
        !directed && proviso &&
        (proviso->form == PROVISO_FREE || (proviso->form == PROVISO_SAFETY && has_word(run->reduction, "weak")));
    for (uint32_t i = 0; i < run->formula_count; i++)
        if (directed
                ? property_needs_only_deadlocks(properties[i])
                : property_needs_every_state(properties[i]) || (free && !property_needs_only_deadlocks(properties[i])))
            return true;
    return false;
}

static bool search(struct checker *c, const struct run *run, struct portolan_system *system,
                   struct portolan_property *const *properties)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    struct portolan_options options = {.reduction = run->reduction,
                                       .proviso = run->proviso,
                                       .search = run->search,
                                       .properties = (const struct portolan_property *const *)properties,
                                       .property_count = run->formula_count,
                                       .all = run->all,
                                       .chains = run->chains,
                                       .walk = run->walk,
                                       .threads = tester_threads(),
                                       .store = tester_store(),
                                       .state_limit = 2 * (uint64_t)c->naive.count + 64,
                                       .callbacks = graph_callbacks(&c->graph)};
    graph_start(&c->graph, &c->naive, system);
    enum portolan_status status = search_system(system, &options, &result, &error);
    bool refuse = must_refuse(run, properties);
    if (refuse || status == PORTOLAN_REFUSED) {
        if (status == PORTOLAN_OK)
            result_clear(&result);
        return refuse == (status == PORTOLAN_REFUSED) ||
               differ(c, run, "refusal", refuse ? "an unsound combination was not refused" : error.message);
    }
    if (status != PORTOLAN_OK)
        return differ_error(c, run, &error);
    bool fine = (!run->all || judge_graph(c, run, &result)) && judge_answers(c, run, system, properties, &result);
    result_clear(&result);
    return fine;
}

static bool perform(struct checker *c, const struct run *run)
{
    struct portolan_error error = {.message = "out of memory"};
    struct portolan_property *properties[CHECK_FORMULAS + 1] = {0};
    struct portolan_system *system = fresh_system(c->check->net, &error);
    bool fine = system && make_properties(c, run, system, properties, &error);
    fine = fine ? search(c, run, system, properties) : differ_error(c, run, &error);
    for (uint32_t i = 0; i < run->formula_count; i++)
        portolan_property_free(properties[i]);
    portolan_system_free(system);
    return fine;
}

/* --------------------------------------------------------- groups of properties */

enum group {
    WITHOUT_DEADLOCK, /* as a condition: every reduction with a proviso preserves it */
    OF_STATES_ALONE,  /* the same without "no deadlock" itself */
    EVERY_FORMULA
};

static void take_group(struct checker *c, struct run *run, enum group group)
{
    run->formula_count = 0;
    for (uint32_t i = 0; i < c->check->formula_count; i++)
        if (group == EVERY_FORMULA ||
            (c->check->formulas[i].frame == FRAME_NONE &&
             (group == WITHOUT_DEADLOCK || c->check->formulas[i].kind != PORTOLAN_NO_DEADLOCK)))
            run->formula[run->formula_count++] = i;
}

/* Performs the run once for each formula alone, or only for the one whose turn it is, stopping when it is decided. */
static bool perform_alone(struct checker *c, struct run run, bool each)
{
    run.all = false;
    run.formula_count = 1;
    for (uint32_t i = 0; i < (each ? c->check->formula_count : 1); i++) {
        run.formula[0] = c->alone++ % c->check->formula_count;
        if (!perform(c, &run))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------- the rounds */

/* Without a reduction: everything must be equal. */
static bool check_full(struct checker *c)
{
    static const char *const searches[] = {"bfs", "dfs"};
    for (size_t i = 0; i < 2; i++) {
        struct run run = {.reduction = "none", .proviso = "none", .search = searches[i], .all = true};
        take_group(c, &run, EVERY_FORMULA);
        if (!perform(c, &run) || !perform_alone(c, run, i == 0))
            return false;
    }
    struct run automatic = {.all = true};
    take_group(c, &automatic, EVERY_FORMULA);
    return perform(c, &automatic) && perform_alone(c, automatic, true);
}

/* Random walks decide what they can before the search: the verdicts stay, and every trace is one. */
static bool check_walks(struct checker *c)
{
    struct run run = {.reduction = "none", .search = "bfs", .walk = 200};
    take_group(c, &run, EVERY_FORMULA);
    return perform(c, &run) && perform_alone(c, run, false);
}

static bool check_without_proviso(struct checker *c, struct run run)
{
    if (!perform(c, &run) || !perform_alone(c, run, false))
        return false;
    run.chains = true;
    run.formula_count = 1; /* formula 0 is "no deadlock" */
    run.formula[0] = 0;
    return perform(c, &run) && perform_alone(c, run, false);
}

static bool check_with_proviso(struct checker *c, struct run run)
{
    if (!perform(c, &run))
        return false;
    take_group(c, &run, WITHOUT_DEADLOCK);
    return perform(c, &run) && perform_alone(c, run, false);
}

/* Goal-directed sets preserve the answers and nothing else, each property's alone and those of several together. */
static bool check_directed(struct checker *c, struct run run)
{
    run.all = false;
    take_group(c, &run, OF_STATES_ALONE);
    return (!run.formula_count || perform(c, &run)) &&
           perform_alone(c, run, strcmp(run.reduction, "stubborn:goal") == 0);
}

/* Every variant that explores states; tests/differential_probe and tests/executions try the others. */
static bool check_reductions(struct checker *c)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    while (variant_next(&cursor, false, &v)) {
        if (!v.reduction_class || !v.reduction_class->reduces || v.reduction_class->has_search)
            continue;
        struct run run = {.reduction = v.reduction, .proviso = v.proviso, .search = v.search, .all = true};
        bool free = v.proviso_class->form == PROVISO_FREE;
        if (tester_threads() > 1 && v.proviso_class->order == BREADTH_FIRST && c->alone++ % 2)
            run.search = "dfs"; /* several threads go by numbers, in any order */
        if (has_word(v.reduction, "goal") ? !check_directed(c, run)
                                          : !(free ? check_without_proviso(c, run) : check_with_proviso(c, run)))
            return false;
    }
    return true;
}

/* Combinations that must be refused whatever the properties. */
static bool check_refusals(struct checker *c)
{
    const struct run unsound[] = {
        {.reduction = "stubborn", .proviso = "safe", .search = "bfs"},
        {.reduction = "stubborn", .proviso = "color", .search = "bfs"},
        {.reduction = "stubborn", .proviso = "queue", .search = "dfs"},
        {.reduction = "stubborn", .proviso = "safe", .search = "dfs", .chains = true},
        {.reduction = "none", .proviso = "none", .search = "dfs", .chains = true},
    };
    struct portolan_error error = {.message = "out of memory"};
    struct portolan_system *system = fresh_system(c->check->net, &error);
    if (!system)
        return differ_error(c, &unsound[0], &error);
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof unsound / sizeof *unsound; i++) {
        const struct run *run = &unsound[i];
        struct portolan_result result;
        struct portolan_options options = {
            .reduction = run->reduction, .proviso = run->proviso, .search = run->search, .chains = run->chains};
        enum portolan_status status = search_system(system, &options, &result, &error);
        if (status == PORTOLAN_OK)
            result_clear(&result);
        fine = status == PORTOLAN_REFUSED || differ(c, run, "refusal", "an unsound combination was not refused");
    }
    portolan_system_free(system);
    return fine;
}

/* ------------------------------------------------------------------- relations */

struct relation_user {
    struct relation_check check;
    enum portolan_status status;
    struct portolan_error error;
};

static void look_at_relations(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct relation_user *r = user;
    (void)state;
    (void)enabled;
    (void)fully;
    if (r->status == PORTOLAN_OK)
        r->status = check_relations(&r->check, bytes, &r->error);
}

/* The declared relations on every reachable state; the first search widens the layout so that nothing is passed by. */
static bool check_declared(struct checker *c)
{
    struct relation_user user = {.error.message = "out of memory"};
    struct portolan_system *system = fresh_system(c->check->net, &user.error);
    const struct run run = {.reduction = "none", .proviso = "none", .search = "bfs"};
    user.status = system ? relation_check_make(&user.check, system, &user.error) : PORTOLAN_NO_MEMORY;
    for (int round = 0; round < 2 && user.status == PORTOLAN_OK; round++) {
        struct portolan_result result;
        struct portolan_options options = {.reduction = "none", .state_limit = 2 * (uint64_t)c->naive.count + 64};
        options.callbacks.user = &user;
        options.callbacks.expanded = round ? look_at_relations : NULL;
        enum portolan_status status = search_system(system, &options, &result, &user.error);
        if (status == PORTOLAN_OK)
            result_clear(&result);
        else
            user.status = status;
    }
    bool fine = user.status == PORTOLAN_OK || differ(c, &run, "relations", user.error.message);
    relation_check_clear(&user.check);
    portolan_system_free(system);
    return fine;
}

/* ---------------------------------------------------------------------- the net */

static bool find_truth(struct checker *c)
{
    for (uint32_t s = 0; s < c->naive.count; s++) {
        if (naive_enabled(&c->naive, s) == 0 && !vector_push(&c->deadlocks, s))
            return false;
        for (uint32_t i = 0; i < c->check->formula_count; i++)
            if (!c->truth[i].decided && formula_is_decided_by(&c->check->formulas[i], &c->naive, s))
                c->truth[i] = (struct truth){.decided = true, .distance = c->naive.distance.item[s]};
    }
    c->graph.marking = calloc((size_t)c->check->net->places + 1, sizeof *c->graph.marking);
    return c->graph.marking;
}

enum check_outcome check_net(const struct check_case *check, struct mismatch *mismatch)
{
    struct checker c = {.check = check, .mismatch = mismatch, .alone = check->rotation};
    const struct run run = {.reduction = "none", .proviso = "none", .search = "bfs"};
    enum check_outcome outcome = CHECK_SKIPPED;
    enum naive_outcome explored = naive_explore(&c.naive, check->net, check->most_states);
    if (explored != NAIVE_TOO_MANY) {
        bool fine = (explored == NAIVE_COMPLETE && find_truth(&c)) || differ(&c, &run, "error", "out of memory");
        fine = fine && check_full(&c) && check_walks(&c) && check_declared(&c) && check_refusals(&c) &&
               check_reductions(&c);
        outcome = fine ? CHECK_PASSED : CHECK_FAILED;
    }
    naive_clear(&c.naive);
    graph_clear(&c.graph);
    free(c.deadlocks.item);
    return outcome;
}
