/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fits together.  Each property asks for one of four things:
 *   deadlocks    any stubborn set, no proviso
 *   states       visibility and a proviso of the safety form (or liveness, which is stronger)
 *   runs         visibility, strong sets, an invisible action where one is enabled, a proviso of the liveness form
 *   every state  no reduction at all
 * and the most demanding one counts.  A formula that is a safety property asks for states: a run is wrong when what can
 * be seen of a finite part of it is, and the safety form keeps that (Valmari, "The state explosion problem", 1998).
 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "property/property.h"
#include "stateless/worker.h"

#include <stdio.h>
#include <string.h>

const struct named search_names[] = {{"dfs", "depth-first"},
                                     {"bfs", "breadth-first; without a reduction its traces are shortest"},
                                     {"stateless", "execution after execution, no states stored"},
                                     {"scc", "LTL: strong components of the product"},
                                     {"ndfs", "LTL: nested depth-first search of the product"},
                                     {0}};

const struct named probe_provisos[] = {{"nodup", "no trace of a vector holds an action twice"},
                                       {"age", "nodup, and an action passed over for longest is explored first"},
                                       {0}};

enum demand { DEMAND_NOTHING, DEMAND_DEADLOCKS, DEMAND_STATES, DEMAND_RUNS, DEMAND_EVERY_STATE };

/* Why no reduction preserves the property, or NULL. */
static const char *why_unreduced(const struct portolan_options *options, const struct portolan_property *property)
{
    if (property_is_temporal(property) && options->fairness != PORTOLAN_UNFAIR)
        return "fairness looks at every action";
    return property_why_every_state(property);
}

static enum demand demand_of(const struct portolan_options *options, const struct portolan_property *property)
{
    if (property_needs_only_deadlocks(property))
        return DEMAND_DEADLOCKS;
    if (why_unreduced(options, property))
        return DEMAND_EVERY_STATE;
    return property_needs_runs(property) ? DEMAND_RUNS : DEMAND_STATES;
}

static enum demand greatest_demand(const struct portolan_options *options, const struct portolan_property **by)
{
    enum demand greatest = DEMAND_NOTHING;
    for (size_t i = 0; i < options->property_count; i++) {
        enum demand demand = demand_of(options, options->properties[i]);
        if (demand > greatest) {
            greatest = demand;
            *by = options->properties[i];
        }
    }
    return greatest;
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
    for (size_t m = 0; methods[m]; m++)
        nearest_offer(&nearest, methods[m]->name);
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
    for (const struct named *own = probe_provisos; own->name; own++)
        nearest_offer(&nearest, own->name);
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
    for (const struct named *search = search_names; search->name; search++)
        nearest_offer(&nearest, search->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no search '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "the searches are dfs and bfs, for LTL scc and ndfs, and stateless");
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status pick_reduction(struct search *s, enum demand demand, const struct portolan_property *by,
                                           const char **words)
{
    const char *text = s->options->reduction;
    if (is_auto(text))
        text = s->system->relations && demand != DEMAND_NOTHING && demand != DEMAND_EVERY_STATE ? "stubborn" : "none";
    s->reduction_class = reduction_find(text, words);
    if (!s->reduction_class) {
        return unknown_reduction(text, s->error);
    }
    if (s->reduction_class->needs_relations && !s->system->relations)
        return fail(s->error, PORTOLAN_REFUSED, "reduction '%s' needs the relations view, which this model lacks",
                    s->reduction_class->name);
    if (s->reduction_class->needs_entities && !s->system->entities)
        return fail(s->error, PORTOLAN_REFUSED, "reduction '%s' needs the entities view, which this model lacks",
                    s->reduction_class->name);
    if (s->reduction_class->has_search && by && property_is_temporal(by))
        return fail(s->error, PORTOLAN_REFUSED, "reduction '%s' does not keep runs, as '%.200s' asks",
                    s->reduction_class->name, portolan_property_text(by));
    if (s->reduction_class->reduces && demand == DEMAND_EVERY_STATE) {
        fail(s->error, PORTOLAN_REFUSED, "no reduction preserves '%.200s': %s", portolan_property_text(by),
             why_unreduced(s->options, by));
        hint(s->error, "use --reduction none");
        return PORTOLAN_REFUSED;
    }
    return PORTOLAN_OK;
}

/* "stack", "queue" and "scc" stand for the form that the properties need. */
static const struct proviso_class *find_proviso(const char *name, enum demand demand)
{
    char full[64];
    snprintf(full, sizeof full, "%s:%s", name, demand == DEMAND_RUNS ? "liveness" : "safety");
    const struct proviso_class *found = proviso_find(full);
    return found ? found : proviso_find(name);
}

static bool is_own_proviso(const char *name)
{
    for (const struct named *own = probe_provisos; own->name; own++)
        if (strcmp(name, own->name) == 0)
            return true;
    return false;
}

/* Probe sets have provisos of their own, which both preserve all that probe sets do; `none` is what runs beside. */
static enum portolan_status pick_own_proviso(struct search *s, const char **name)
{
    s->proviso_class = proviso_find("none");
    *name = is_auto(s->options->proviso) ? "nodup" : s->options->proviso;
    if (is_own_proviso(*name))
        return PORTOLAN_OK;
    if (!find_proviso(*name, DEMAND_STATES))
        return unknown_proviso(*name, s->error);
    fail(s->error, PORTOLAN_REFUSED, "proviso '%s' does not go with reduction '%s'", *name, s->reduction_class->name);
    hint(s->error, "use --proviso nodup or --proviso age");
    return PORTOLAN_REFUSED;
}

/* The rules as printed lose deadlocks: they may be looked at, but answer no question. */
static enum portolan_status check_printed(struct search *s, const char *words, const struct portolan_property *by)
{
    if (!s->reduction_class->has_search || !s->options->property_count || !strstr(words, "printed-"))
        return PORTOLAN_OK;
    fail(s->error, PORTOLAN_REFUSED, "rules as printed do not preserve '%.200s'", portolan_property_text(by));
    hint(s->error, "'portolan explore' shows what they find");
    return PORTOLAN_REFUSED;
}

static enum portolan_status pick_proviso(struct search *s, enum demand demand, const struct portolan_property *by,
                                         const char *order)
{
    const char *name = s->options->proviso;
    bool needed = s->reduction_class->reduces && (demand == DEMAND_STATES || demand == DEMAND_RUNS);
    if (is_auto(name))
        name = !needed ? "none" : strcmp(order, "bfs") == 0 ? "queue" : "scc";
    s->proviso_class = find_proviso(name, demand);
    if (is_own_proviso(name))
        return fail(s->error, PORTOLAN_REFUSED, "proviso '%s' goes with reduction 'probe' only", name);
    if (!s->proviso_class)
        return unknown_proviso(name, s->error);
    if (needed && s->proviso_class->form == PROVISO_FREE) {
        fail(s->error, PORTOLAN_REFUSED,
             "without a proviso '%.200s' is not preserved: an action could be ignored for ever",
             portolan_property_text(by));
        hint(s->error, "use --proviso %s (depth-first) or --proviso queue (breadth-first)",
             demand == DEMAND_RUNS ? "scc, color-star, color or stack" : "scc or safe");
        return PORTOLAN_REFUSED;
    }
    if (s->reduction_class->reduces && demand == DEMAND_RUNS && s->proviso_class->form != PROVISO_LIVENESS) {
        fail(s->error, PORTOLAN_REFUSED, "proviso '%s' has the safety form, which does not preserve '%.200s'",
             s->proviso_class->name, portolan_property_text(by));
        hint(s->error, "use --proviso scc, color-star, color, stack or queue");
        return PORTOLAN_REFUSED;
    }
    return PORTOLAN_OK;
}

/* The order in which states are explored: the proviso's, the one asked for, or the better one. */
static enum portolan_status pick_order(struct search *s, enum demand demand, const char *wanted, const char **order)
{
    bool own = s->reduction_class->has_search || is_auto(s->options->proviso);
    const struct proviso_class *proviso = own ? NULL : find_proviso(s->options->proviso, demand);
    bool fixed = proviso && strcmp(proviso->search, "any") != 0;
    if (is_auto(wanted))
        wanted = fixed ? proviso->search : s->reduction_class->reduces ? "dfs" : "bfs";
    if (strcmp(wanted, "scc") == 0 || strcmp(wanted, "ndfs") == 0)
        return fail(s->error, PORTOLAN_BAD_OPTION, "search '%s' is for LTL", wanted);
    if (strcmp(wanted, "dfs") != 0 && strcmp(wanted, "bfs") != 0)
        return unknown_search(wanted, s->error);
    if (fixed && strcmp(proviso->search, wanted) != 0)
        return fail(s->error, PORTOLAN_REFUSED, "proviso '%s' is sound in %s only, not in %s", s->options->proviso,
                    proviso->search, wanted);
    *order = wanted;
    return PORTOLAN_OK;
}

/* How an accepting cycle is looked for. */
static enum portolan_status pick_emptiness(struct search *s, const struct portolan_property *by, const char **search)
{
    const char *wanted = s->options->search;
    enum automaton_strength strength = by->ltl->counterexamples->strength;
    bool fair = s->options->fairness != PORTOLAN_UNFAIR;
    if (is_auto(wanted))
        wanted = strength == AUTOMATON_TERMINAL ? "reach" : strength == AUTOMATON_WEAK && !fair ? "weak" : "scc";
    else if (strcmp(wanted, "scc") != 0 && strcmp(wanted, "ndfs") != 0) {
        fail(s->error, PORTOLAN_REFUSED, "search '%s' finds no cycles, as '%.200s' asks", wanted,
             portolan_property_text(by));
        hint(s->error, "use --search scc or ndfs");
        return PORTOLAN_REFUSED;
    } else if (fair && strcmp(wanted, "ndfs") == 0)
        return fail(s->error, PORTOLAN_REFUSED, "fair runs are looked for by --search scc only");
    if (s->options->fairness == PORTOLAN_FAIR_AGENTS && !s->system->footprint)
        return fail(s->error, PORTOLAN_REFUSED,
                    "fairness to processes needs the footprint view, which this model lacks");
    *search = wanted;
    return PORTOLAN_OK;
}

static enum portolan_status check_chains(struct search *s, enum demand demand, const struct portolan_property *by)
{
    if (!s->options->chains)
        return PORTOLAN_OK;
    if (!s->reduction_class->reduces)
        return fail(s->error, PORTOLAN_REFUSED, "chains need a reduction: without one every state matters");
    if (s->reduction_class->has_search)
        return fail(s->error, PORTOLAN_REFUSED, "chains do not go with reduction '%s': it explores vectors, not states",
                    s->reduction_class->name);
    if (demand > DEMAND_DEADLOCKS)
        return fail(s->error, PORTOLAN_REFUSED, "chains pass by states that '%.200s' may need to see",
                    portolan_property_text(by));
    if (s->proviso_class->form != PROVISO_FREE)
        return fail(s->error, PORTOLAN_REFUSED, "chains do not go with a proviso: it would not see every state");
    return PORTOLAN_OK;
}

static enum portolan_status check_stateful(struct search *s)
{
    if (s->options->bound || s->options->callbacks.execution || s->options->threads > 1) {
        fail(s->error, PORTOLAN_REFUSED, "%s belongs to a stateless search",
             s->options->bound         ? "a bound on the steps of a thread"
             : s->options->threads > 1 ? "exploring with several threads"
                                       : "a list of executions");
        hint(s->error, "use --reduction optimal");
        return PORTOLAN_REFUSED;
    }
    for (size_t i = 0; i < s->options->property_count; i++)
        if (s->options->properties[i]->kind == PORTOLAN_NO_RACE) {
            fail(s->error, PORTOLAN_REFUSED, "data races are found by a stateless search only");
            hint(s->error, "use --reduction optimal");
            return PORTOLAN_REFUSED;
        }
    return PORTOLAN_OK;
}

/* A reduction that was not asked for by name is left out in silence, but for a note. */
static void note_unreduced(struct search *s, const struct portolan_property *by)
{
    if (is_auto(s->options->reduction) && s->system->relations && property_is_temporal(by))
        snprintf(s->note, sizeof s->note, "no reduction: %s", why_unreduced(s->options, by));
}

enum portolan_status choose_combination(struct search *s, const char **words, const char **order)
{
    const struct portolan_property *by = NULL;
    const char *proviso = NULL;
    enum demand demand = greatest_demand(s->options, &by);
    bool temporal = by && property_is_temporal(by);
    const char *search = NULL;
    enum portolan_status status = check_stateful(s);
    if (status == PORTOLAN_OK)
        status = pick_reduction(s, demand, by, words);
    if (status == PORTOLAN_OK && temporal)
        status = pick_emptiness(s, by, &search);
    if (status == PORTOLAN_OK)
        status = pick_order(s, demand, temporal ? NULL : s->options->search, order);
    if (status == PORTOLAN_OK)
        status = s->reduction_class->has_search ? pick_own_proviso(s, &proviso) : pick_proviso(s, demand, by, *order);
    if (status == PORTOLAN_OK)
        status = check_chains(s, demand, by);
    if (status == PORTOLAN_OK)
        status = check_printed(s, *words, by);
    if (status == PORTOLAN_OK) {
        s->needs_runs = demand == DEMAND_RUNS;
        if (demand == DEMAND_EVERY_STATE)
            note_unreduced(s, by);
        snprintf(s->result->reduction, sizeof s->result->reduction, "%s%s%s", s->reduction_class->name,
                 **words ? ":" : "", *words);
        snprintf(s->result->proviso, sizeof s->result->proviso, "%s", proviso ? proviso : s->proviso_class->name);
        snprintf(s->result->search, sizeof s->result->search, "%s", temporal ? search : *order);
    }
    return status;
}
