/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random high-level nets: states, arcs, dead states and verdicts against a naive interpreter, grounded and run as they
 * are, without a reduction and with every one that the net allows, one property at a time.
 *
 *     random_highlevel [--nets N] [--seed S] [--first K]
 *
 * A net that fails is made smaller as long as it fails, and printed.
 */
#include "random_highlevel.h"

#include "highlevel/system.h"
#include "random_frame.h"

#include <unistd.h>

enum { QUESTIONS = 3 + 2 * MOST_PROPOSITIONS + 2 * MOST_PLACES };

struct question {
    enum portolan_kind kind;
    char text[80];
    bool holds;
};

struct check {
    struct draft_net draft;
    struct draft_truth truth;
    struct portolan_system *system;
    enum grounding grounding;
    struct question question[QUESTIONS];
    unsigned questions;
    char failure[700];
    bool is_refused;
    uint64_t answers, reduced;
};

static char file[] = "/tmp/random_highlevel_XXXXXX.lna";

static const char *way(const struct check *c)
{
    return c->grounding == GROUND_NEVER ? "as it is" : "grounded";
}

/* ------------------------------------------------------------------ questions */

static __attribute__((format(printf, 4, 5))) void ask(struct check *c, enum portolan_kind kind, bool holds,
                                                      const char *format, ...)
{
    struct question *q = &c->question[c->questions++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(q->text, sizeof q->text, format, arguments);
    va_end(arguments);
    q->kind = kind;
    q->holds = holds;
}

/* What the system states itself need not be there where it surely holds. */
static bool ask_stated(struct check *c, const char *name, bool holds)
{
    for (size_t i = 0; i < c->system->stated_count; i++)
        if (strcmp(c->system->stated[i].name, name) == 0) {
            ask(c, PORTOLAN_INVARIANT, holds, "%s", c->system->stated[i].text);
            return true;
        }
    return holds || wrong(c, "%s: nothing is said about '%s', which does not hold", way(c), name);
}

static bool make_questions(struct check *c)
{
    c->questions = 0;
    ask(c, PORTOLAN_NO_DEADLOCK, c->truth.dead == 0, "%s", "");
    for (int i = 0; i < c->draft.propositions; i++) {
        ask(c, PORTOLAN_INVARIANT, c->truth.always[i], "q%d", i);
        ask(c, PORTOLAN_REACH, c->truth.ever[i], "q%d", i);
    }
    for (int p = 0; p < c->draft.places; p++) {
        ask(c, PORTOLAN_INVARIANT, true, "p%d <= %d", p, c->truth.most[p]);
        ask(c, PORTOLAN_REACH, true, "p%d == %d", p, c->truth.most[p]);
    }
    return ask_stated(c, "everything can be evaluated", c->truth.errors == 0) &&
           ask_stated(c, "capacities hold", !c->truth.exceeds);
}

/* ------------------------------------------------------------------ searches */

static bool check_counts(struct check *c, const char *search)
{
    struct portolan_options options = {.reduction = "none",
                                       .search = search,
                                       .state_limit = 5000,
                                       .threads = tester_threads(),
                                       .store = tester_store()};
    struct portolan_error error = {0};
    struct portolan_result result;
    if (search_system(c->system, &options, &result, &error) != PORTOLAN_OK)
        return wrong(c, "%s: %s", way(c), error.message);
    const struct portolan_statistics s = result.statistics;
    result_clear(&result);
    if (s.states != c->truth.states || s.transitions != c->truth.arcs || s.deadlocks != c->truth.dead)
        return wrong(c, "%s: %" PRIu64 " states, %" PRIu64 " arcs, %" PRIu64 " dead, not %u, %u, %u", way(c), s.states,
                     s.transitions, s.deadlocks, c->truth.states, c->truth.arcs, c->truth.dead);
    return true;
}

/* Refused combinations are no answer; anything else must be right. */
static bool check_question(struct check *c, const struct variant *v, const struct question *q)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    bool is_patient = v->reduction_class && !v->reduction_class->has_search; /* others may take very long */
    struct portolan_options options = {.state_limit = 5000, .time_limit = is_patient ? 0 : 0.01};
    enum portolan_status status = ask_one(c->system, v, q->kind, *q->text ? q->text : NULL, options, &result, &error);
    if (status == PORTOLAN_REFUSED)
        return true;
    if (status != PORTOLAN_OK)
        return wrong(c, "%s: %s, %s, %s: %s: %s", way(c), v->reduction, v->proviso, v->search, q->text, error.message);
    enum portolan_verdict verdict = result.answers[0].verdict;
    c->reduced += verdict == PORTOLAN_HOLDS && result.statistics.states < c->truth.states;
    result_clear(&result);
    c->answers += verdict != PORTOLAN_UNKNOWN;
    if (verdict == PORTOLAN_UNKNOWN ? is_patient : (verdict == PORTOLAN_HOLDS) != q->holds)
        return wrong(c, "%s: %s, %s, %s: the verdict on '%s' should be that it %s", way(c), v->reduction, v->proviso,
                     v->search, *q->text ? q->text : "no deadlock", q->holds ? "holds" : "does not hold");
    return true;
}

static bool check_variants(struct check *c, uint64_t rotation)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    for (uint64_t i = 0; variant_next(&cursor, false, &v); i++)
        if (strcmp(v.reduction, "none") == 0 || i % 6 == rotation % 6)
            if (!check_question(c, &v, &c->question[(i / 6 + rotation) % c->questions]))
                return false;
    return true;
}

static bool check_way(struct check *c, enum grounding grounding, uint64_t rotation)
{
    struct portolan_error error = {0};
    struct colour_net *net;
    c->grounding = grounding;
    c->is_refused = lna_read(file, NULL, 0, &net, &error) != PORTOLAN_OK;
    if (c->is_refused) /* constants that cannot be evaluated are refused, and nothing else */
        return (error.line > 0 && strstr(error.message, "is not a value of")) || wrong(c, "%s", error.message);
    if (colour_system_new(net, grounding, &c->system, &error) != PORTOLAN_OK)
        return wrong(c, "%s: %s", way(c), error.message);
    bool fine = check_counts(c, "bfs") && check_counts(c, "dfs") && make_questions(c) && check_variants(c, rotation);
    portolan_system_free(c->system);
    return fine;
}

/* True when all is well, or the net is too large. */
static bool check_net(struct check *c, uint64_t rotation, bool *skipped)
{
    draft_explore(&c->draft, &c->truth);
    *skipped = !c->truth.is_known;
    if (*skipped)
        return true;
    FILE *out = fopen(file, "w");
    if (!out)
        return wrong(c, "cannot write to %s", file);
    draft_write(&c->draft, out);
    fclose(out);
    return check_way(c, GROUND_ALWAYS, rotation) && check_way(c, GROUND_NEVER, rotation);
}

/* ------------------------------------------------------------------ smaller nets */

static void drop_arc(struct draft_arc *arcs, int *count, int number)
{
    memmove(arcs + number, arcs + number + 1, (size_t)(*count - number - 1) * sizeof *arcs);
    --*count;
}

/* The draft without one part of a transition; false when it has no such part. */
static bool drop_part(struct draft_transition *t, int part)
{
    if (part == 0) {
        t->guard = -1;
    } else if (part == 1) {
        t->priority = -1;
    } else if ((part -= 2) < t->outs) {
        drop_arc(t->out, &t->outs, part);
    } else if ((part -= t->outs) < t->ins) {
        drop_arc(t->in, &t->ins, part);
    } else if ((part -= t->ins) < t->inhibits) {
        drop_arc(t->inhibit, &t->inhibits, part);
    } else {
        return part == t->inhibits && t->variables && t->variable[--t->variables].source != SOURCE_TOKEN;
    }
    return true;
}

static bool is_bound(const struct draft_net *net, const struct draft_transition *t, int variable)
{
    for (int i = 0; i < t->ins; i++)
        for (int k = 0; k < t->in[i].terms; k++)
            for (int c = 0; c < net->place[t->in[i].place].components; c++) {
                const struct draft_expression *e = &net->expression[t->in[i].term[k].component[c]];
                if (e->kind == EX_VARIABLE && e->number == variable && !t->in[i].term[k].has_iterator &&
                    t->in[i].term[k].condition < 0)
                    return true;
            }
    return false;
}

/* Has every variable that comes from tokens a pattern that binds it? */
static bool is_proper(const struct draft_net *net)
{
    for (int t = 0; t < net->transitions; t++)
        for (int v = 0; v < net->transition[t].variables; v++)
            if (net->transition[t].variable[v].source == SOURCE_TOKEN && !is_bound(net, &net->transition[t], v))
                return false;
    return true;
}

static bool drop_initial(struct draft_net *net, int part)
{
    for (int p = 0; p < net->places; p++)
        if (net->place[p].initials > 0 && part-- == 0) {
            net->place[p].initials--;
            return true;
        }
    return false;
}

static bool is_smaller_failure(struct check *c, uint64_t rotation)
{
    bool skipped;
    return is_proper(&c->draft) && !check_net(c, rotation, &skipped);
}

static bool shrink_once(struct check *c, uint64_t rotation)
{
    const struct draft_net before = c->draft;
    for (int t = 0; t < before.transitions; t++) {
        c->draft = before;
        c->draft.transition[t] = before.transition[--c->draft.transitions];
        if (is_smaller_failure(c, rotation))
            return true;
        for (int part = 0; part < 12; part++) {
            c->draft = before;
            if (drop_part(&c->draft.transition[t], part) && memcmp(&c->draft, &before, sizeof before) != 0 &&
                is_smaller_failure(c, rotation))
                return true;
        }
    }
    for (int part = 0; part < before.places; part++) {
        c->draft = before;
        if (drop_initial(&c->draft, part) && is_smaller_failure(c, rotation))
            return true;
    }
    c->draft = before;
    return false;
}

static int report(struct check *c, uint64_t number, uint64_t seed)
{
    bool skipped;
    printf("net %" PRIu64 " of seed %" PRIu64 ": %s\n", number, seed, c->failure);
    while (shrink_once(c, number))
        ;
    check_net(c, number, &skipped);
    printf("smaller: %s\n", c->failure);
    draft_write(&c->draft, stdout);
    return 1;
}

/* Most nets that are drawn have few states: of several the first with so many is taken, or the largest. */
static void draw_net(struct check *c, uint64_t seed, uint64_t number)
{
    static const unsigned wanted[] = {1, 10, 40, 100, 200};
    enum { TRIES = 60 };
    unsigned most = 0;
    struct draft_net drawn;
    for (uint64_t i = 0; i < TRIES && most < wanted[number % 5]; i++) {
        draft_make(&drawn, (seed * UINT64_C(1000003) + number) * TRIES + i);
        draft_explore(&drawn, &c->truth);
        if (i > 0 && (!c->truth.is_known || c->truth.states <= most))
            continue;
        c->draft = drawn;
        most = c->truth.is_known ? c->truth.states : 0;
    }
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 300, .seed = 1};
    uint64_t checked = 0, states = 0, failing = 0, exceeding = 0, ordered = 0;
    if (!random_run_read(&run, "--nets", count, arguments))
        return 2;
    struct check *c = calloc(1, sizeof *c);
    int descriptor = mkstemps(file, 4);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a failure is seen before the net is made smaller */
    if (!c || descriptor < 0)
        return 2;
    close(descriptor);
    int status = 0;
    for (uint64_t i = run.first; i < run.first + run.count && !status; i++) {
        random_run_tell(i - run.first, run.count, i);
        bool skipped;
        draw_net(c, run.seed, i);
        if (!check_net(c, i, &skipped))
            status = report(c, i, run.seed);
        skipped = skipped || c->is_refused;
        checked += !skipped;
        states += skipped ? 0 : c->truth.states;
        failing += !skipped && c->truth.errors;
        exceeding += !skipped && c->truth.exceeds;
        ordered += !skipped && c->truth.gives_way;
    }
    unlink(file);
    if (!status)
        printf("%" PRIu64 " nets, %" PRIu64 " with failures, %" PRIu64 " beyond a capacity, %" PRIu64
               " where a priority decides, %" PRIu64 " states, %" PRIu64 " answers, %" PRIu64
               " of them with fewer states: all agree\n",
               checked, failing, exceeding, ordered, states, c->answers, c->reduced);
    bool is_poor = run.count >= 100 && (checked < run.count / 3 || states < 20 * checked || !failing || !exceeding ||
                                        !ordered || !c->reduced);
    free(c);
    return status ? status : is_poor;
}
