/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the names in the options to the parts of a search.  Names are looked up here and nowhere else; what goes
 * together is decided by the table of src/soundness, also for what was left to `auto`.
 */
#include "search/combination.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "ltl/ltl_property.h"
#include "property/property.h"
#include "proviso/all.h"
#include "soundness/soundness.h"
#include "stateless/stateless.h"
#include "stateless/system/methods.h"

#include <stdio.h>
#include <string.h>

/* --- names */

const struct search_class search_executions = {
    .name = "stateless", .summary = "execution after execution, no states stored", .of = OF_EXECUTIONS};

const struct search_class *const search_classes[] = {
    &search_dfs, &search_bfs, &search_executions, &search_scc, &search_ndfs, &search_cndfs, NULL};

const struct search_class *search_find(const char *name)
{
    for (size_t i = 0; search_classes[i]; i++)
        if (strcmp(search_classes[i]->name, name) == 0)
            return search_classes[i];
    return NULL;
}

static bool is_auto(const char *text)
{
    return !text || strcmp(text, "auto") == 0;
}

static enum portolan_status unknown_reduction(const char *name, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (size_t r = 0; reductions[r]; r++)
        nearest_offer(&nearest, reductions[r]->name);
    for (size_t m = 0; system_methods[m]; m++)
        nearest_offer(&nearest, system_methods[m]->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no reduction '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "'portolan list' shows the reductions");
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status unknown_proviso(const char *name, struct portolan_error *error)
{
    static const char *const short_names[] = {"stack", "queue", "scc", NULL};
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; short_names[i]; i++)
        nearest_offer(&nearest, short_names[i]);
    for (size_t i = 0; provisos[i]; i++)
        nearest_offer(&nearest, provisos[i]->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no proviso '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "'portolan list' shows the provisos");
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status unknown_search(const char *name, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; search_classes[i]; i++)
        nearest_offer(&nearest, search_classes[i]->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no search '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "the searches are dfs and bfs, for LTL scc, ndfs and cndfs, and stateless");
    return PORTOLAN_BAD_OPTION;
}

/* "stack", "queue" and "scc" stand for the form that the properties need. */
static const struct proviso_class *find_proviso(const char *name, unsigned demand)
{
    char full[64];
    snprintf(full, sizeof full, "%s:%s", name, demand & ASKS_RUNS ? "liveness" : "safety");
    const struct proviso_class *found = proviso_find(full);
    return found ? found : proviso_find(name);
}

/* --- traits */

unsigned traits_of_reduction(const struct reduction_class *reduction, const char *words)
{
    bool directed = reduction == &reduction_stubborn && strstr(words, "goal");
    return (reduction->reduces ? REDUCES : FULL_EXPLORATION) |
           (directed             ? GOAL_DIRECTED
            : reduction->reduces ? UNDIRECTED
                                 : 0) |
           (reduction->needs_relations ? NEEDS_RELATIONS : 0) | (reduction->needs_entities ? NEEDS_ENTITIES : 0) |
           (reduction->has_search ? EXPLORES_VECTORS : EXPLORES_STATES) |
           (reduction->has_search && strstr(words, "printed-") ? AS_PRINTED : 0);
}

unsigned traits_of_proviso(const struct proviso_class *proviso)
{
    if (proviso->of_vectors)
        return PROVISO_OF_VECTORS;
    unsigned form = proviso->form == PROVISO_FREE     ? WITHOUT_PROVISO
                    : proviso->form == PROVISO_SAFETY ? SAFETY_FORM
                                                      : LIVENESS_FORM;
    unsigned order = proviso->order == DEPTH_FIRST     ? PROVISO_IN_DEPTH
                     : proviso->order == BREADTH_FIRST ? PROVISO_IN_BREADTH
                                                       : 0;
    return PROVISO_OF_STATES | form | order;
}

unsigned traits_of_search(const struct search_class *search)
{
    switch (search->of) {
    case OF_STATES: return STORES_STATES | (search->order == DEPTH_FIRST ? IN_DEPTH : IN_BREADTH);
    case OF_RUNS:
        return STORES_STATES | FINDS_CYCLES | (search->finds_fair_runs ? 0 : FINDS_NO_FAIR_RUNS) |
               (search->several_threads || search->behind_threads ? 0 : FINDS_CYCLES_ALONE);
    case OF_EXECUTIONS: return STATELESS;
    }
    return 0;
}

/* --- stores */

const struct store_description store_descriptions[] = {
    {"plain", "every state as it is"},
    {"tree", "states share equal parts: less memory, more time"},
    {"hash", "44 bits of each state: may take two states for one, so nothing is ever said to hold"},
    {"bitstate", "three bits of each state in an array of fixed size: the same, more often"},
    {NULL, NULL}};

/* The one without a name when there is none of this name. */
static const struct store_description *find_store(const char *name)
{
    const struct store_description *store = store_descriptions;
    while (store->name && strcmp(store->name, name) != 0)
        store++;
    return store;
}

bool store_forgets(const struct portolan_options *options)
{
    return options->store && (strcmp(options->store, "hash") == 0 || strcmp(options->store, "bitstate") == 0);
}

static enum portolan_status pick_store(struct search *s, struct portolan_error *error)
{
    const char *name = s->options->store;
    const struct store_description *store = find_store(is_auto(name) ? "plain" : name);
    s->store_kind = (enum store_kind)(store - store_descriptions);
    if (store->name)
        return PORTOLAN_OK;
    struct nearest nearest = nearest_to(name);
    for (store = store_descriptions; store->name; store++)
        nearest_offer(&nearest, store->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no store '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "the stores are plain, tree, hash and bitstate");
    return PORTOLAN_BAD_OPTION;
}

/* --- a search that stores states */

struct picker {
    struct search *search;
    const struct portolan_options *options;
    struct traits traits;
    struct part_names names;
    const char *words; /* options of the reduction */
    struct portolan_error *error;
};

static enum portolan_status check(const struct picker *p)
{
    const struct portolan_system *system = p->search->system;
    enum portolan_status status = check_soundness(&p->traits, &p->names, p->options, p->error);
    if (status != PORTOLAN_OK && p->error && system->why_no_entities &&
        broken_rule(&p->traits)->traits.model & GRAPHS_LACK_ENTITIES)
        system->why_no_entities(system->model, p->error);
    return status;
}

/* Would it be sound without chains?  Chains go with few things, and the rules about them say so. */
static bool is_sound_unchained(struct traits traits)
{
    traits.option &= ~(unsigned)WITH_CHAINS;
    return is_sound(&traits);
}

static void take_reduction(struct picker *p, const struct reduction_class *reduction, const char *words)
{
    p->search->reduction_class = reduction;
    p->words = words;
    p->traits.reduction = traits_of_reduction(reduction, words);
    p->names.reduction = reduction->name;
}

/* Goal-directed sets have no proviso and end at the goal, so whoever names a proviso or goes on wants others. */
static bool may_be_directed(const struct picker *p)
{
    return p->traits.demand & (ASKS_STATES | ASKS_EVERY_STATE) && is_auto(p->options->proviso) && !p->options->all;
}

/* Stubborn sets where they are allowed and something is asked. */
static enum portolan_status pick_reduction(struct picker *p)
{
    const char *text = p->options->reduction, *words = "";
    if (is_auto(text)) {
        take_reduction(p, &reduction_stubborn, "goal");
        if (may_be_directed(p) && is_sound_unchained(p->traits))
            return check(p);
        take_reduction(p, &reduction_stubborn, "");
        if (!(p->traits.demand & ASKS_SOMETHING) || !is_sound_unchained(p->traits))
            take_reduction(p, &reduction_none, "");
        return check(p);
    }
    const struct reduction_class *reduction = reduction_find(text, &words);
    if (!reduction)
        return unknown_reduction(text, p->error);
    take_reduction(p, reduction, words);
    return check(p);
}

/* How an accepting cycle is looked for. */
static enum portolan_status pick_emptiness(struct picker *p)
{
    const char *wanted = p->options->search;
    bool fair = p->traits.option & FAIR_RUNS;
    enum automaton_strength strength = p->options->properties[0]->ltl->counterexamples->strength;
    const struct search_class *emptiness = strength == AUTOMATON_TERMINAL        ? &search_reach
                                           : strength == AUTOMATON_WEAK && !fair ? &search_weak
                                                                                 : &search_scc;
    if (p->traits.option & SEVERAL_THREADS)
        emptiness = fair ? &search_scc : &search_cndfs;
    if (!is_auto(wanted)) {
        emptiness = search_find(wanted);
        p->names.search = wanted;
        p->traits.search |= emptiness && emptiness->of == OF_RUNS ? traits_of_search(emptiness) : FINDS_NO_CYCLES;
    }
    p->search->emptiness = emptiness;
    return check(p);
}

/* The order in which states are explored: the one asked for, or the better of those that the proviso allows. */
static enum portolan_status pick_order(struct picker *p)
{
    const char *wanted = p->options->search;
    bool in_depth = p->search->reduction_class->reduces && !(p->traits.option & (SEVERAL_THREADS | FORGETS_STATES));
    if (p->search->emptiness || is_auto(wanted)) {
        p->search->order = in_depth ? &search_dfs : &search_bfs;
        struct traits traits = {.proviso = p->traits.proviso,
                                .search = traits_of_search(p->search->order),
                                .option = p->traits.option & (ONE_THREAD | SEVERAL_THREADS | FORGETS_STATES)};
        if (!is_sound(&traits))
            p->search->order = in_depth ? &search_bfs : &search_dfs;
    } else {
        p->search->order = search_find(wanted);
        p->names.search = wanted;
        if (!p->search->order)
            return unknown_search(wanted, p->error);
    }
    p->traits.search |= traits_of_search(p->search->order);
    return check(p);
}

static enum portolan_status pick_named_proviso(struct picker *p)
{
    if (is_auto(p->options->proviso))
        return PORTOLAN_OK;
    p->names.proviso = p->options->proviso;
    p->search->proviso_class = find_proviso(p->options->proviso, p->traits.demand);
    if (!p->search->proviso_class)
        return unknown_proviso(p->options->proviso, p->error);
    p->traits.proviso = traits_of_proviso(p->search->proviso_class);
    return PORTOLAN_OK;
}

/* The first that is allowed; goal-directed sets can do without, but with one there is more to choose from. */
static enum portolan_status pick_proviso(struct picker *p)
{
    static const struct proviso_class *const best_first[] = {&proviso_none,           &proviso_scc,
                                                             &proviso_scc_liveness,   &proviso_queue_safety,
                                                             &proviso_queue_liveness, &proviso_nodup};
    struct traits traits = p->traits;
    for (size_t i = traits.reduction & GOAL_DIRECTED ? 1 : 0;
         !p->search->proviso_class && i < sizeof best_first / sizeof *best_first; i++) {
        traits.proviso = traits_of_proviso(best_first[i]);
        if (!is_sound_unchained(traits))
            continue;
        p->search->proviso_class = best_first[i];
        p->names.proviso = best_first[i]->name;
        p->traits.proviso = traits.proviso;
    }
    return check(p);
}

/* Leaving out a reduction that nobody asked for by name is not an error, but worth a note. */
static void note_unreduced(struct search *s)
{
    const char *why = why_unreduced(s->options, s->options->properties[0]);
    if (is_auto(s->options->reduction) && s->system->relations && why)
        snprintf(s->note, sizeof s->note, "no reduction: %s", why);
}

enum portolan_status choose_combination(struct search *s, const char **words, struct portolan_error *error)
{
    struct picker p = {.search = s,
                       .options = s->options,
                       .traits = traits_of_request(s->system, s->options),
                       .names.search = "",
                       .error = error};
    bool temporal = p.traits.demand & ASKS_FORMULA;
    p.traits.search = STORES_STATES;
    enum portolan_status status = pick_store(s, error);
    if (status == PORTOLAN_OK)
        status = pick_reduction(&p);
    if (status == PORTOLAN_OK && temporal)
        status = pick_emptiness(&p);
    if (status == PORTOLAN_OK)
        status = pick_named_proviso(&p);
    if (status == PORTOLAN_OK)
        status = pick_order(&p);
    if (status == PORTOLAN_OK)
        status = pick_proviso(&p);
    if (status != PORTOLAN_OK)
        return status;
    s->needs_runs = p.traits.demand & ASKS_RUNS;
    s->traits = p.traits;
    if (temporal)
        note_unreduced(s);
    *words = p.words;
    struct portolan_result *result = s->result;
    snprintf(result->reduction, sizeof result->reduction, "%s%s%s", s->reduction_class->name, *p.words ? ":" : "",
             p.words);
    snprintf(result->proviso, sizeof result->proviso, "%s", s->proviso_class->name);
    snprintf(result->search, sizeof result->search, "%s", temporal ? s->emptiness->name : s->order->name);
    return PORTOLAN_OK;
}

enum portolan_status check_weak_sets(const struct search *s, struct portolan_error *error)
{
    struct traits traits = s->traits;
    struct part_names names = {.reduction = s->reduction_class->name, .proviso = s->proviso_class->name};
    traits.reduction |= WEAK_SETS;
    return check_soundness(&traits, &names, s->options, error);
}

/* --- a search that stores none */

/* Is something asked for that only executions can tell? */
static bool asks_for_executions(const struct portolan_options *options)
{
    for (size_t i = 0; i < options->property_count; i++)
        if (options->properties[i]->kind == PORTOLAN_NO_RACE)
            return true;
    return options->bound || options->callbacks.execution;
}

bool wants_executions(const struct portolan_options *options)
{
    const char *words;
    if (options->bounds_preemptions || options->random_runs)
        return true; /* whatever else is asked for goes with it or is refused */
    if (!is_auto(options->search) && search_find(options->search) == &search_executions)
        return true;
    if (is_auto(options->reduction))
        return is_auto(options->search) && asks_for_executions(options);
    return !reduction_find(options->reduction, &words) && method_find(system_methods, options->reduction);
}

bool lacks_view(const struct portolan_system *system, const struct portolan_options *options)
{
    const char *words;
    if (!system->footprint && (wants_executions(options) || options->fairness == PORTOLAN_FAIR_AGENTS))
        return true;
    const struct reduction_class *r = is_auto(options->reduction) ? NULL : reduction_find(options->reduction, &words);
    return r && ((r->needs_relations && !system->relations) || (r->needs_entities && !system->entities));
}

bool wants_full_exploration(const struct portolan_options *options)
{
    const char *words;
    return !is_auto(options->reduction) && reduction_find(options->reduction, &words) == &reduction_none;
}

bool wants_runs(const struct portolan_options *options)
{
    const struct search_class *search = is_auto(options->search) ? NULL : search_find(options->search);
    return search && search->of == OF_RUNS;
}

/* A proviso that is not known has no use either. */
static unsigned traits_of_named_proviso(const char *name)
{
    const struct proviso_class *proviso = is_auto(name) ? &proviso_none : find_proviso(name, ASKS_STATES);
    return proviso ? traits_of_proviso(proviso) : (unsigned)SAFETY_FORM;
}

enum portolan_status choose_method(const struct portolan_system *system, const struct portolan_options *options,
                                   const struct method **method, struct portolan_error *error)
{
    struct traits traits = traits_of_request(system, options);
    struct part_names names = {.proviso = options->proviso, .search = options->search};
    enum portolan_status status = method_choose(system_methods, options, method, &traits, error);
    if (status != PORTOLAN_OK)
        return status;
    names.reduction = traits.reduction & REDUCTION_BY_NAME ? options->reduction : (*method)->name;
    traits.proviso = traits_of_named_proviso(options->proviso);
    if (!is_auto(options->search) && search_find(options->search) != &search_executions)
        traits.search |= STATELESS_OTHER_SEARCH;
    return check_soundness(&traits, &names, options, error);
}
