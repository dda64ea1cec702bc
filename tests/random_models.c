/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random models of guarded commands, built through src/model, against a naive second interpreter of their description:
 * what is enabled and where it leads state by state; every search, reduction and proviso, one property at a time, with
 * the declared relations tested in each visited state; stateless searches by the set of their last states.
 *
 *     random_models [--models N] [--seed S] [--first K]
 *
 * A model that fails is made smaller as long as it fails, and printed.
 *
 * Formulas are told by which runs avoid a value, without an automaton.  Variants come from search/variants.h: those
 * that do not reduce with every model, one in sixteen of the others.
 *
 * Planted in src/model, these errors are noticed within 300 models of seed 1: enablers and disablers by location, of
 * tests, of trial guards, by coming and leaving, by a rendezvous, by cells that die; a trial guard left out; stores,
 * additions, appends and steps that look at a location said to commute; actions said never to be together; changers of
 * cells, registers, locations and `failed` left out; what tests and actions touch, what a signal writes, the step of a
 * process as if it were earlier; of queues, that a message enables, fills the last place, is looked at by a poll, a
 * sorted send or code that wants it, may be lost, that taking it enables and disables, and that it is wanted for what
 * it is; a store of 0 as if it did not empty a queue; what the common part finds as if it decided nothing; cells taken
 * for twins whose values differ, or of which one decides.  In src/reduce: the reasons of a set that is carried over not
 * checked, reasons left out that no enabled transition tells, an enabled transition with a single guard deleted as if
 * it were disabled.
 *
 * No error in sets: that reading a head, or taking it, commutes with taking.  Each needs a message there, which a guard
 * says that taking disables; random_dve notices the latter as a wrong relation.
 *
 * Noticed elsewhere: what is sent where that is no constant (random_dve); that different ends do not commute, what is
 * taken untested (test_model); the order of appends, what changes a table or a condition (test_protocols_random); code
 * that looks at another's location (random_dve); that compare-and-swap, unlock and spawning write, and what varies
 * (tests/executions); what a step that waits for several lists (1,000 of seed 9).
 */
#include "base/vector.h"
#include "random_frame.h"
#include "random_model.h"
#include "reduce/reduction.h"
#include "stateless/system/methods.h"
#include "stubborn_judge.h"

enum { MOST_STATES = 400, MOST_EXECUTIONS = 1500, VALUES = MODEL_CELLS + 2 * MODEL_PROCESSES };

struct truth {
    struct naive_state states[MOST_STATES];
    int count, transitions, deadlocks, ends; /* ends: nothing is enabled */
    bool is_end[MOST_STATES], is_deadlock[MOST_STATES], has_cycle;
    int depth[MOST_STATES];
};

struct check {
    const struct model_draft *draft;
    struct truth truth;
    struct portolan_system *system;
    unsigned char *bytes[MOST_STATES]; /* of the opened system, as those of the truth */
    char failure[512];
    unsigned searches, told; /* how many gave an answer to compare */
    bool has_agents;         /* its processes are the agents of stateless searches */
};

/* ------------------------------------------------------------------------ the truth */

static int find_state(const struct truth *t, const struct naive_state *state)
{
    int i = 0;
    while (i < t->count && memcmp(&t->states[i], state, sizeof *state) != 0)
        i++;
    return i;
}

/* False when there are too many states, or a count overflows. */
static bool find_truth(struct check *c)
{
    struct truth *t = &c->truth;
    memset(t, 0, sizeof *t);
    naive_initial(c->draft, &t->states[t->count++]);
    for (int i = 0; i < t->count; i++) {
        int enabled = 0;
        for (int a = 0; a < c->draft->actions; a++) {
            struct naive_state next;
            enum naive_fired fired = naive_fire(c->draft, &t->states[i], a, &next);
            if (fired == NAIVE_OVERFLOW)
                return false;
            if (fired == NAIVE_DISABLED)
                continue;
            int to = find_state(t, &next);
            if (to == MOST_STATES)
                return false;
            if (to == t->count)
                t->states[t->count++] = next;
            enabled++;
        }
        t->transitions += enabled;
        t->is_end[i] = enabled == 0;
        t->is_deadlock[i] = enabled == 0 && !naive_is_final(c->draft, &t->states[i]);
        t->ends += t->is_end[i];
        t->deadlocks += t->is_deadlock[i];
    }
    return true;
}

/* Which states of the set begin a run that never leaves it: one that goes on forever or, where ends count, stays at an
 * end.  Takes out whatever cannot go on, until nothing more is. */
static void find_staying(const struct check *c, bool *set, bool ends_count)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < c->truth.count; i++) {
            bool stays = !set[i] || (ends_count && c->truth.is_end[i]);
            for (int a = 0; a < c->draft->actions && !stays; a++) {
                struct naive_state next;
                stays = naive_fire(c->draft, &c->truth.states[i], a, &next) == NAIVE_FIRED &&
                        set[find_state(&c->truth, &next)];
            }
            more |= !stays;
            set[i] &= stays;
        }
    }
}

static void find_cycles(struct check *c)
{
    bool set[MOST_STATES];
    memset(set, true, sizeof set);
    find_staying(c, set, false);
    c->truth.has_cycle = false;
    for (int i = 0; i < c->truth.count; i++)
        c->truth.has_cycle |= set[i];
}

/* ---------------------------------------------------------------- state by state */

/* Cells, locations, registers, in the order of the variables. */
static int value_in(const struct model_draft *d, const struct naive_state *s, int variable)
{
    int process = variable - MODEL_CELLS;
    return process < 0 ? s->cell[variable] : process < d->processes ? s->at[process] : s->kept[process - d->processes];
}

static bool same_values(struct check *c, int state, const void *bytes)
{
    const struct portolan_system *system = c->system;
    for (int v = 0; v < MODEL_CELLS + 2 * c->draft->processes; v++) {
        int64_t value = system->value(system->model, bytes, (uint32_t)v);
        if (value != value_in(c->draft, &c->truth.states[state], v))
            return wrong(c, "state %d: %s is %" PRId64 ", not %d", state,
                         system->variable_name(system->model, (uint32_t)v), value,
                         value_in(c->draft, &c->truth.states[state], v));
    }
    return true;
}

static bool same_step(struct check *c, int from, int action, bool enabled)
{
    const struct portolan_system *system = c->system;
    struct naive_state next;
    bool expected = naive_fire(c->draft, &c->truth.states[from], action, &next) == NAIVE_FIRED;
    if (enabled != expected)
        return wrong(c, "state %d: action a%d is %s", from, action, enabled ? "enabled" : "not enabled");
    if (!enabled)
        return true;
    int to = find_state(&c->truth, &next);
    unsigned char *bytes = calloc(1, system->state_bytes + 1);
    enum portolan_fired fired = system->fire(system->model, c->bytes[from], (uint32_t)action, bytes);
    if (fired != PORTOLAN_FIRED) {
        free(bytes);
        return wrong(c, "state %d: action a%d was not fired: %d", from, action, (int)fired);
    }
    bool same = same_values(c, to, bytes);
    if (same && c->bytes[to] && memcmp(c->bytes[to], bytes, system->key_bytes) != 0)
        same = wrong(c, "state %d has two forms", to);
    if (c->bytes[to])
        free(bytes);
    else
        c->bytes[to] = bytes;
    return same;
}

static bool same_states(struct check *c)
{
    const struct portolan_system *system = c->system;
    c->bytes[0] = calloc(1, system->state_bytes + 1);
    system->initial(system->model, c->bytes[0]);
    bool same = same_values(c, 0, c->bytes[0]);
    for (int i = 0; i < c->truth.count && same; i++) {
        uint32_t out[MODEL_ACTIONS], count = system->enabled(system->model, c->bytes[i], out);
        for (int a = 0; a < c->draft->actions && same; a++) {
            int times = 0;
            for (uint32_t k = 0; k < count; k++)
                times += out[k] == (uint32_t)a;
            same = times < 2 ? same_step(c, i, a, times) : wrong(c, "state %d: a%d twice", i, a);
        }
        if (same && system->is_final(system->model, c->bytes[i]) != naive_is_final(c->draft, &c->truth.states[i]))
            same = wrong(c, "state %d: final or not", i);
    }
    return same;
}

/* ---------------------------------------------------------------------- searches */

/* The verdict, PORTOLAN_UNKNOWN when the combination is refused or has too many executions; what else goes wrong is a
 * failure. */
static enum portolan_verdict ask(struct check *c, const struct variant *v, enum portolan_kind kind, const char *text,
                                 struct portolan_statistics *statistics, bool tests_relations)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    enum portolan_verdict verdict = PORTOLAN_UNKNOWN;
    c->searches++;
    struct portolan_options options = {
        .all = true, .check_relations = tests_relations, .state_limit = v->method ? MOST_EXECUTIONS : 0};
    enum portolan_status status = ask_one(c->system, v, kind, text, options, &result, &error);
    if (status == PORTOLAN_OK) {
        verdict = result.answers[0].verdict;
        *statistics = result.statistics;
        if (verdict == PORTOLAN_UNKNOWN && result.stop != PORTOLAN_STATE_LIMIT)
            wrong(c, "%s %s, %s: no verdict, stop %d", v->reduction, v->proviso, text ? text : "no deadlock",
                  (int)result.stop);
        result_clear(&result);
        c->told++;
    } else if (status != PORTOLAN_REFUSED) {
        wrong(c, "%s %s %s, %s: %s", v->reduction, v->proviso, v->search, text ? text : "no deadlock", error.message);
    }
    return verdict;
}

static bool check_deadlocks(struct check *c, const struct variant *v)
{
    struct portolan_statistics statistics;
    enum portolan_verdict verdict = ask(c, v, PORTOLAN_NO_DEADLOCK, NULL, &statistics, true);
    if (c->failure[0] || verdict == PORTOLAN_UNKNOWN)
        return !c->failure[0];
    if (statistics.deadlocks != (uint64_t)c->truth.deadlocks)
        return wrong(c, "%s %s %s: %" PRIu64 " deadlocks, not %d", v->reduction, v->proviso, v->search,
                     statistics.deadlocks, c->truth.deadlocks);
    if (!v->reduction_class->reduces &&
        (statistics.states != (uint64_t)c->truth.count || statistics.transitions != (uint64_t)c->truth.transitions))
        return wrong(c, "%s: %" PRIu64 " states and %" PRIu64 " transitions, not %d and %d", v->search,
                     statistics.states, statistics.transitions, c->truth.count, c->truth.transitions);
    return (verdict == PORTOLAN_HOLDS) == (c->truth.deadlocks == 0) || wrong(c, "%s: deadlock", v->reduction);
}

/* Is the value of a variable ever above the limit? */
static bool exceeds(const struct check *c, int variable, int limit)
{
    for (int i = 0; i < c->truth.count; i++) {
        const struct naive_state *s = &c->truth.states[i];
        int value = variable < VALUES ? value_in(c->draft, s, variable) : naive_failed(c->draft, s);
        if (value > limit)
            return true;
    }
    return false;
}

static bool check_variable(struct check *c, const struct variant *v, int variable, const char *name, int limit)
{
    char text[64];
    struct portolan_statistics statistics;
    bool above = exceeds(c, variable, limit);
    snprintf(text, sizeof text, "%s <= %d", name, limit);
    enum portolan_verdict invariant = ask(c, v, PORTOLAN_INVARIANT, text, &statistics, false);
    if (c->failure[0] || (invariant != PORTOLAN_UNKNOWN && (invariant == PORTOLAN_HOLDS) == above))
        return c->failure[0] ? false : wrong(c, "%s %s %s: %s", v->reduction, v->proviso, v->search, text);
    snprintf(text, sizeof text, "%s > %d", name, limit);
    enum portolan_verdict reach = ask(c, v, PORTOLAN_REACH, text, &statistics, false);
    if (c->failure[0] || (reach != PORTOLAN_UNKNOWN && (reach == PORTOLAN_HOLDS) != above))
        return c->failure[0] ? false : wrong(c, "%s %s %s: reach %s", v->reduction, v->proviso, v->search, text);
    return true;
}

static bool check_invariants(struct check *c, const struct variant *v, uint64_t number)
{
    char name[16];
    int variable = (int)(number % (uint64_t)(MODEL_CELLS + 2 * c->draft->processes));
    snprintf(name, sizeof name, "%s", c->system->variable_name(c->system->model, (uint32_t)variable));
    return check_variable(c, v, variable, name, (int)(number / 7 % 3)) && check_variable(c, v, VALUES, "failed", 0);
}

/* ----------------------------------------------------------------------- formulas */

enum { FORMULAS = 3, FORMULA_TEXT = 64 };

struct formula {
    char text[FORMULA_TEXT];
    bool holds;
};

/* Whether a value is reached in every run, again and again, or whenever a process is somewhere: told by which runs
 * avoid it, without an automaton. */
static void draw_formulas(const struct check *c, uint64_t number, struct formula *formula)
{
    const struct truth *t = &c->truth;
    int cell = (int)(number % MODEL_CELLS), process = (int)(number % (uint64_t)c->draft->processes);
    int at = (int)(number / 3 % 3), from = (int)(number / 9 % 3);
    bool low[MOST_STATES], away[MOST_STATES];
    for (int i = 0; i < t->count; i++) {
        low[i] = t->states[i].cell[cell] <= 0;
        away[i] = t->states[i].at[process] != at;
    }
    find_staying(c, low, true);
    find_staying(c, away, true);
    snprintf(formula[0].text, FORMULA_TEXT, "F (c%d > 0)", cell);
    snprintf(formula[1].text, FORMULA_TEXT, "G F (l%d = %d)", process, at);
    snprintf(formula[2].text, FORMULA_TEXT, "G (l%d = %d -> F (c%d > 0))", process, from, cell);
    formula[0].holds = !low[0];
    formula[1].holds = formula[2].holds = true;
    for (int i = 0; i < t->count; i++) {
        formula[1].holds &= !away[i];
        formula[2].holds &= !(low[i] && t->states[i].at[process] == from);
    }
}

/* One in so many of the variants that reduce, other ones with each model. */
static bool is_turn(const struct variant *v, uint64_t number)
{
    enum { ONE_IN = 16 };
    return !v->reduction_class || !v->reduction_class->reduces || number % ONE_IN == 0;
}

static bool check_formulas(struct check *c, uint64_t number)
{
    struct formula formula[FORMULAS];
    struct variant_cursor cursor = {0};
    struct variant v;
    draw_formulas(c, number, formula);
    for (uint64_t k = number; variant_next(&cursor, true, &v); k++)
        for (int i = 0; i < FORMULAS && is_turn(&v, k); i++) {
            struct portolan_statistics statistics;
            enum portolan_verdict verdict = ask(c, &v, PORTOLAN_LTL, formula[i].text, &statistics, false);
            if (!c->failure[0] && verdict != PORTOLAN_UNKNOWN && (verdict == PORTOLAN_HOLDS) != formula[i].holds)
                wrong(c, "%s %s %s: %s", v.reduction, v.proviso, v.search, formula[i].text);
            if (c->failure[0])
                return false;
        }
    return true;
}

/* --------------------------------------------------------------------- executions */

struct ends {
    struct check *check;
    bool met[MOST_STATES];
    bool strange;
};

static void on_execution(void *user, const struct portolan_execution *execution)
{
    struct ends *ends = user;
    struct check *c = ends->check;
    int i = 0;
    while (i < c->truth.count && memcmp(c->bytes[i], execution->last_state, c->system->key_bytes) != 0)
        i++;
    if (i < c->truth.count && c->truth.is_end[i])
        ends->met[i] = true;
    else
        ends->strange = true;
}

static bool check_executions(struct check *c, const struct variant *v)
{
    const char *method = v->reduction;
    struct ends ends = {.check = c};
    struct portolan_error error = {0};
    struct portolan_result result;
    struct portolan_options options = {.reduction = method,
                                       .search = v->search,
                                       .state_limit = MOST_EXECUTIONS,
                                       .callbacks = {.user = &ends, .execution = on_execution}};
    if (search_system(c->system, &options, &result, &error) != PORTOLAN_OK)
        return wrong(c, "%s: %s", method, error.message);
    bool complete = result.stop == PORTOLAN_COMPLETE;
    c->searches++;
    c->told += complete;
    result_clear(&result);
    if (ends.strange)
        return wrong(c, "%s: an execution ends where none does", method);
    for (int i = 0; i < c->truth.count && complete; i++)
        if (c->truth.is_end[i] && !ends.met[i])
            return wrong(c, "%s: no execution ends in state %d", method, i);
    return check_variable(c, v, VALUES, "failed", 0) && check_variable(c, v, 0, "c0", 1);
}

/* ------------------------------------------------------------------------- models */

static bool check_all(struct check *c, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    if (!same_states(c) || !check_formulas(c, number))
        return false;
    find_cycles(c);
    for (uint64_t k = number; variant_next(&cursor, false, &v); k++) {
        bool fine = true;
        if (v.method)
            fine =
                c->truth.has_cycle || !v.method->preserves_traces || !c->system->footprint || check_executions(c, &v);
        else if (!v.reduction_class->has_search && is_turn(&v, k))
            fine = check_deadlocks(c, &v) && check_invariants(c, &v, k);
        if (!fine)
            return false;
    }
    return true;
}

/* True when all is well; *skipped when the model is too large. */
static bool check_model(const struct model_draft *draft, uint64_t number, struct check *c, bool *skipped)
{
    struct portolan_error error = {0};
    memset(c, 0, sizeof *c);
    c->draft = draft;
    *skipped = !find_truth(c);
    if (*skipped)
        return true;
    if (model_draft_system(draft, &c->system, &error) != PORTOLAN_OK)
        return wrong(c, "no system: %s", error.message);
    c->has_agents = c->system->footprint && c->system->footprint->next_as_if;
    bool fine = check_all(c, number) && sets_are_right(c->system, number, c->failure, sizeof c->failure);
    portolan_system_free(c->system);
    for (int i = 0; i < c->truth.count; i++)
        free(c->bytes[i]);
    return fine;
}

static bool still_fails(struct model_draft *draft, uint64_t number, struct check *c)
{
    bool skipped;
    model_draft_settle(draft);
    return !check_model(draft, number, c, &skipped);
}

/* Leaves out actions, edges, tests, branches and steps as long as it fails. */
static void shrink(struct model_draft *draft, uint64_t number, struct check *c)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int a = 0; a < draft->actions; a++)
            for (int part = 0; part < 2 + MODEL_TESTS + MODEL_EDGES * (MODEL_STEPS + 1) && a < draft->actions; part++) {
                struct model_draft less = *draft;
                struct draft_action *action = &less.action[a];
                int step = part - 2 - MODEL_TESTS, edge = step / (MODEL_STEPS + 1), at = step % (MODEL_STEPS + 1);
                if (part == 0)
                    less.action[a] = less.action[--less.actions];
                else if (part == 1)
                    action->edges = 1;
                else if (part < 2 + MODEL_TESTS)
                    action->tests[part - 2].cell = -1;
                else if (at < MODEL_STEPS)
                    action->edge[edge].steps[at] = (struct draft_step){0};
                else
                    action->edge[edge].branches = false;
                if (memcmp(&less, draft, sizeof less) != 0 && still_fails(&less, number, c)) {
                    *draft = less;
                    smaller = true;
                }
            }
    }
    still_fails(draft, number, c);
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 300, .seed = 1};
    if (!random_run_read(&run, "--models", count, arguments))
        return 2;
    struct check *c = calloc(1, sizeof *c);
    uint64_t checked = 0, states = 0, told = 0, acyclic = 0, agents = 0, failed = 0;
    for (uint64_t i = run.first; c && i < run.first + run.count; i++) {
        random_run_tell(i - run.first, run.count, i);
        struct model_draft draft;
        bool skipped;
        model_draft_random(&draft, run.seed, i);
        if (!check_model(&draft, i, c, &skipped)) {
            printf("model %" PRIu64 " of seed %" PRIu64 ": %s\n", i, run.seed, c->failure);
            shrink(&draft, i, c);
            printf("smaller: %s\n", c->failure);
            model_draft_print(&draft);
            free(c);
            return 1;
        }
        checked += !skipped;
        states += skipped ? 0 : (uint64_t)c->truth.count;
        told += c->told;
        acyclic += !skipped && !c->truth.has_cycle;
        agents += !skipped && !c->truth.has_cycle && c->has_agents;
        for (int k = 0; k < c->truth.count && !skipped; k++)
            failed += naive_failed(&draft, &c->truth.states[k]) > 0;
    }
    free(c);
    printf("%" PRIu64 " models, %" PRIu64 " without cycles, %" PRIu64 " of them of threads, %" PRIu64
           " states, %" PRIu64 " with a failure, %" PRIu64 " answers: all agree\n",
           checked, acyclic, agents, states, failed, told);
    return run.count >= 100 &&
           (checked < run.count / 3 || agents < checked / 6 || !acyclic || !failed || told < checked * 40);
}
