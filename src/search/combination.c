/*
 * What fits together.  Each property asks for one of three things:
 *   deadlocks    any stubborn set, no proviso
 *   states       visibility and a proviso of the safety form (or liveness, which is stronger)
 *   every state  no reduction at all
 * and the most demanding one counts.
 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "property/property.h"

#include <stdio.h>
#include <string.h>

enum demand { DEMAND_NOTHING, DEMAND_DEADLOCKS, DEMAND_STATES, DEMAND_EVERY_STATE };

static enum demand demand_of(const struct portolan_property *property)
{
    if (property_needs_only_deadlocks(property))
        return DEMAND_DEADLOCKS;
    return property_needs_every_state(property) ? DEMAND_EVERY_STATE : DEMAND_STATES;
}

static enum demand greatest_demand(const struct portolan_options *options, const char **by)
{
    enum demand greatest = DEMAND_NOTHING;
    for (size_t i = 0; i < options->property_count; i++) {
        enum demand demand = demand_of(options->properties[i]);
        if (demand > greatest) {
            greatest = demand;
            *by = portolan_property_text(options->properties[i]);
        }
    }
    return greatest;
}

static bool is_auto(const char *text)
{
    return !text || strcmp(text, "auto") == 0;
}

static enum portolan_status pick_reduction(struct search *s, enum demand demand, const char *by, const char **words)
{
    const char *text = s->options->reduction;
    if (is_auto(text))
        text = s->system->relations && (demand == DEMAND_DEADLOCKS || demand == DEMAND_STATES) ? "stubborn" : "none";
    s->reduction_class = reduction_find(text, words);
    if (!s->reduction_class) {
        fail(s->error, PORTOLAN_BAD_OPTION, "there is no reduction '%s'", text);
        hint(s->error, "'portolan list' shows the reductions");
        return PORTOLAN_BAD_OPTION;
    }
    if (s->reduction_class->needs_relations && !s->system->relations)
        return fail(s->error, PORTOLAN_REFUSED, "reduction '%s' needs the relations view, which this model lacks",
                    s->reduction_class->name);
    if (s->reduction_class->needs_entities && !s->system->entities)
        return fail(s->error, PORTOLAN_REFUSED, "reduction '%s' needs the entities view, which this model lacks",
                    s->reduction_class->name);
    if (s->reduction_class->reduces && demand == DEMAND_EVERY_STATE) {
        fail(s->error, PORTOLAN_REFUSED, "no reduction preserves '%s': it tells live states from deadlocks", by);
        hint(s->error, "use --reduction none");
        return PORTOLAN_REFUSED;
    }
    return PORTOLAN_OK;
}

/* "stack" and "queue" stand for their safety form: that is what the properties so far need. */
static const struct proviso_class *find_proviso(const char *name)
{
    char safety[64];
    snprintf(safety, sizeof safety, "%s:safety", name);
    const struct proviso_class *found = proviso_find(name);
    return found ? found : proviso_find(safety);
}

static bool is_own_proviso(const char *name)
{
    return strcmp(name, "nodup") == 0 || strcmp(name, "age") == 0;
}

/* Probe sets have provisos of their own, which both preserve all that probe sets do; `none` is what runs beside. */
static enum portolan_status pick_own_proviso(struct search *s, const char **name)
{
    s->proviso_class = proviso_find("none");
    *name = is_auto(s->options->proviso) ? "nodup" : s->options->proviso;
    if (is_own_proviso(*name))
        return PORTOLAN_OK;
    fail(s->error, PORTOLAN_REFUSED, "proviso '%s' does not go with reduction '%s'", *name, s->reduction_class->name);
    hint(s->error, "use --proviso nodup or --proviso age");
    return PORTOLAN_REFUSED;
}

/* The rules as printed lose deadlocks: they may be looked at, but answer no question. */
static enum portolan_status check_printed(struct search *s, const char *words, const char *by)
{
    if (!s->reduction_class->has_search || !s->options->property_count || !strstr(words, "printed-"))
        return PORTOLAN_OK;
    fail(s->error, PORTOLAN_REFUSED, "rules as printed do not preserve '%s'", by);
    hint(s->error, "'portolan explore' shows what they find");
    return PORTOLAN_REFUSED;
}

static enum portolan_status pick_proviso(struct search *s, enum demand demand, const char *by, const char *order)
{
    const char *name = s->options->proviso;
    bool needed = s->reduction_class->reduces && demand == DEMAND_STATES;
    if (is_auto(name))
        name = !needed ? "none" : strcmp(order, "bfs") == 0 ? "queue" : "scc";
    s->proviso_class = find_proviso(name);
    if (is_own_proviso(name))
        return fail(s->error, PORTOLAN_REFUSED, "proviso '%s' goes with reduction 'probe' only", name);
    if (!s->proviso_class) {
        fail(s->error, PORTOLAN_BAD_OPTION, "there is no proviso '%s'", name);
        hint(s->error, "'portolan list' shows the provisos");
        return PORTOLAN_BAD_OPTION;
    }
    if (needed && s->proviso_class->form == PROVISO_FREE) {
        fail(s->error, PORTOLAN_REFUSED, "without a proviso '%s' is not preserved: an action could be ignored for ever",
             by);
        hint(s->error, "use --proviso scc or safe (depth-first) or --proviso queue (breadth-first)");
        return PORTOLAN_REFUSED;
    }
    return PORTOLAN_OK;
}

static enum portolan_status pick_order(struct search *s, const char **order)
{
    const char *wanted = s->options->search;
    bool own = s->reduction_class->has_search || is_auto(s->options->proviso);
    const struct proviso_class *proviso = own ? NULL : find_proviso(s->options->proviso);
    bool fixed = proviso && strcmp(proviso->search, "any") != 0;
    if (is_auto(wanted))
        wanted = fixed ? proviso->search : s->reduction_class->reduces ? "dfs" : "bfs";
    if (strcmp(wanted, "dfs") != 0 && strcmp(wanted, "bfs") != 0) {
        fail(s->error, PORTOLAN_BAD_OPTION, "there is no search '%s'", wanted);
        hint(s->error, "the searches are dfs and bfs");
        return PORTOLAN_BAD_OPTION;
    }
    if (fixed && strcmp(proviso->search, wanted) != 0)
        return fail(s->error, PORTOLAN_REFUSED, "proviso '%s' is sound in %s only, not in %s", s->options->proviso,
                    proviso->search, wanted);
    *order = wanted;
    return PORTOLAN_OK;
}

static enum portolan_status check_chains(struct search *s, enum demand demand, const char *by)
{
    if (!s->options->chains)
        return PORTOLAN_OK;
    if (!s->reduction_class->reduces)
        return fail(s->error, PORTOLAN_REFUSED, "chains need a reduction: without one every state matters");
    if (s->reduction_class->has_search)
        return fail(s->error, PORTOLAN_REFUSED, "chains do not go with reduction '%s': it explores vectors, not states",
                    s->reduction_class->name);
    if (demand > DEMAND_DEADLOCKS)
        return fail(s->error, PORTOLAN_REFUSED, "chains pass by states that '%s' may need to see", by);
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

enum portolan_status choose_combination(struct search *s, const char **words, const char **order)
{
    const char *by = "", *proviso = NULL;
    enum demand demand = greatest_demand(s->options, &by);
    enum portolan_status status = check_stateful(s);
    if (status == PORTOLAN_OK)
        status = pick_reduction(s, demand, by, words);
    if (status == PORTOLAN_OK)
        status = pick_order(s, order);
    if (status == PORTOLAN_OK)
        status = s->reduction_class->has_search ? pick_own_proviso(s, &proviso) : pick_proviso(s, demand, by, *order);
    if (status == PORTOLAN_OK)
        status = check_chains(s, demand, by);
    if (status == PORTOLAN_OK)
        status = check_printed(s, *words, by);
    if (status == PORTOLAN_OK) {
        snprintf(s->result->reduction, sizeof s->result->reduction, "%s%s%s", s->reduction_class->name,
                 **words ? ":" : "", *words);
        snprintf(s->result->proviso, sizeof s->result->proviso, "%s", proviso ? proviso : s->proviso_class->name);
        snprintf(s->result->search, sizeof s->result->search, "%s", *order);
    }
    return status;
}
