/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches by several threads against one: random nets of a thousand states and more, so that levels are taken in
 * pieces, tables grow and chunks fill while all are at work.  Every store and order, some of the reductions, verdicts
 * of one property at a time, and formulas.  Without a reduction the graph must be the same, state by state and step by
 * step; with a store that forgets states the numbers must be, or be smaller, and nothing may be said to hold.
 *
 * Half of the searches are scheduled: their threads take turns, drawn from the seed (scheduler.h).
 *
 *     parallel [--models N] [--seed S] [--first K]
 */
#include "differential_formula.h"
#include "front/petri/system.h"
#include "ltl_oracle.h"
#include "random_frame.h"
#include "scheduler.h"

enum { LEAST_STATES = 1000, MOST_STATES = 8000, MOST_PARTS = 4, FORMULAS = 3, RUNS = 2, VARIANTS = 3 };

struct edge {
    uint32_t from, action, to;
};

/* What the callbacks of a search have told. */
struct graph {
    VECTOR(uint64_t) states; /* a hash of each, by number */
    VECTOR(struct edge) edges;
    uint64_t deadlocks, told;
    bool failed;
};

struct question {
    enum portolan_kind kind;
    char text[FORMULA_TEXT];
    struct portolan_answer truth;
};

struct check {
    struct portolan_system *system;
    struct random random;
    struct question questions[FORMULAS + RUNS];
    struct portolan_statistics truth;
    uint64_t states, steps; /* digests */
    bool is_scheduled;      /* the present search */
    char failure[1024];
};

static struct tally {
    uint64_t models, searches, scheduled, refused, violated, forgetful;
} tally;

/* --- the graph that a search sees */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 29;
}

static size_t state_bytes;

static void note_state(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct graph *graph = user;
    uint64_t hash = enabled + 1;
    (void)fully;
    for (size_t i = 0; i < state_bytes; i++)
        hash = mix(hash, ((const unsigned char *)bytes)[i] + (uint64_t)1);
    while (!graph->failed && graph->states.count <= state)
        graph->failed = !vector_push(&graph->states, 0);
    if (!graph->failed && graph->states.item[state])
        graph->failed = true; /* expanded twice */
    if (!graph->failed)
        graph->states.item[state] = hash;
    graph->told++;
}

static void note_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct graph *graph = user;
    graph->failed |= !vector_push(&graph->edges, ((struct edge){from, action, to}));
}

static void note_deadlock(void *user, uint32_t state, const void *bytes)
{
    (void)state;
    (void)bytes;
    ((struct graph *)user)->deadlocks++;
}

static uint64_t digest_of_states(const struct graph *graph)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < graph->states.count; i++)
        sum += mix(graph->states.item[i], 1);
    return sum;
}

static uint64_t digest_of_steps(const struct graph *graph)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct edge *edge = &graph->edges.item[i];
        if (edge->from >= graph->states.count || edge->to >= graph->states.count)
            return 0;
        sum += mix(mix(graph->states.item[edge->from], edge->action + (uint64_t)1), graph->states.item[edge->to]);
    }
    return sum;
}

static void graph_clear(struct graph *graph)
{
    free(graph->states.item);
    free(graph->edges.item);
}

/* --- one search */

static enum portolan_status search(struct check *c, const struct question *question, struct portolan_options options,
                                   struct portolan_result *result, struct portolan_error *error)
{
    struct portolan_property *property = NULL;
    enum portolan_status status = PORTOLAN_OK;
    c->is_scheduled = options.threads > 1 && random_chance(&c->random, 50);
    if (question)
        status = portolan_property_new(c->system, question->kind, question->text[0] ? question->text : NULL, &property,
                                       error);
    if (status != PORTOLAN_OK)
        return PORTOLAN_BAD_INPUT;
    const struct portolan_property *const properties[] = {property};
    options.properties = properties;
    options.property_count = question != NULL;
    options.memory_limit = 256 << 20;
    if (c->is_scheduled)
        scheduler_begin(c->random.state);
    status = search_system(c->system, &options, result, error);
    if (c->is_scheduled)
        scheduler_end();
    portolan_property_free(property);
    tally.searches++;
    tally.scheduled += c->is_scheduled;
    return status;
}

static uint32_t some_threads(struct check *c)
{
    static const uint32_t threads[] = {2, 3, 8};
    return threads[random_below(&c->random, 3)];
}

static bool complain(struct check *c, const struct portolan_options *o, const char *what, uint64_t found,
                     uint64_t truth)
{
    return wrong(c, "reduction %s, proviso %s, search %s, store %s, %u threads%s: %s %" PRIu64 ", and not %" PRIu64,
                 o->reduction, o->proviso ? o->proviso : "auto", o->search, o->store ? o->store : "auto", o->threads,
                 c->is_scheduled ? ", scheduled" : "", what, found, truth);
}

static bool same_numbers(struct check *c, const struct portolan_options *o, const struct portolan_statistics *s)
{
    const struct portolan_statistics *t = &c->truth;
    if (s->states != t->states)
        return complain(c, o, "states", s->states, t->states);
    if (s->transitions != t->transitions)
        return complain(c, o, "transitions", s->transitions, t->transitions);
    return s->deadlocks == t->deadlocks || complain(c, o, "deadlocks", s->deadlocks, t->deadlocks);
}

/* --- the whole graph, unreduced */

static bool same_graph(struct check *c, const struct portolan_options *o, const struct graph *graph)
{
    if (graph->failed)
        return complain(c, o, "a state was expanded twice, of", graph->told, c->truth.states);
    if (graph->told != c->truth.states || graph->states.count != graph->told)
        return complain(c, o, "states told", graph->told, c->truth.states);
    if (digest_of_states(graph) != c->states)
        return complain(c, o, "digest of states", digest_of_states(graph), c->states);
    if (o->callbacks.edge && digest_of_steps(graph) != c->steps)
        return complain(c, o, "digest of steps", digest_of_steps(graph), c->steps);
    return graph->deadlocks == c->truth.deadlocks ||
           complain(c, o, "deadlocks told", graph->deadlocks, c->truth.deadlocks);
}

static bool check_graph(struct check *c, const char *store, const char *order, bool with_steps)
{
    struct graph graph = {0};
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_options options = {
        .reduction = "none",
        .search = order,
        .store = store,
        .threads = some_threads(c),
        .callbacks = {
            .user = &graph, .expanded = note_state, .edge = with_steps ? note_edge : NULL, .deadlock = note_deadlock}};
    if (search(c, NULL, options, &result, &error) != PORTOLAN_OK)
        return wrong(c, "store %s, search %s: %s", store, order, error.message);
    bool fine = same_numbers(c, &options, &result.statistics) && same_graph(c, &options, &graph);
    result_clear(&result);
    graph_clear(&graph);
    return fine;
}

/* --- stores that forget states */

static bool check_forgetful(struct check *c, const char *store, const struct question *question)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_options options = {
        .reduction = "none", .search = "bfs", .store = store, .threads = some_threads(c)};
    bool keeps_all = strcmp(store, "hash") == 0, fine = true;
    if (random_chance(&c->random, 30))
        options.threads = 1;
    options.all = true;
    if (search(c, question, options, &result, &error) != PORTOLAN_OK)
        return wrong(c, "store %s: %s", store, error.message);
    const struct portolan_statistics *s = &result.statistics, *t = &c->truth;
    const struct portolan_answer *answer = &result.answers[0], *truth = &question->truth;
    if (keeps_all)
        fine = same_numbers(c, &options, s);
    else if (s->states > t->states || s->transitions > t->transitions || s->deadlocks > t->deadlocks)
        fine = complain(c, &options, "more states", s->states, t->states);
    if (fine && (answer->verdict == PORTOLAN_HOLDS) != (question->kind == PORTOLAN_REACH && answer->has_trace))
        fine = complain(c, &options, "it was said to hold:", answer->verdict, truth->verdict);
    if (fine && answer->has_trace != truth->has_trace && (keeps_all || answer->has_trace))
        fine = complain(c, &options, "traces", answer->has_trace, truth->has_trace);
    if (fine && answer->has_trace && keeps_all && answer->trace_length != truth->trace_length)
        fine = complain(c, &options, "steps", answer->trace_length, truth->trace_length);
    tally.forgetful++;
    result_clear(&result);
    return fine;
}

/* --- verdicts */

static bool check_verdict(struct check *c, const struct question *question, struct portolan_options options)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    options.threads = some_threads(c);
    enum portolan_status status = search(c, question, options, &result, &error);
    tally.refused += status == PORTOLAN_REFUSED;
    if (status == PORTOLAN_REFUSED)
        return true;
    if (status != PORTOLAN_OK)
        return wrong(c, "%s, reduction %s, search %s: %s", question->text, options.reduction, options.search,
                     error.message);
    const struct portolan_answer *answer = &result.answers[0], *truth = &question->truth;
    bool fine =
        answer->verdict == truth->verdict || complain(c, &options, question->text, answer->verdict, truth->verdict);
    bool is_full = strcmp(result.reduction, "none") == 0 && strcmp(result.search, "bfs") == 0;
    if (fine && is_full && truth->has_trace && answer->trace_length != truth->trace_length)
        fine = complain(c, &options, "steps", answer->trace_length, truth->trace_length);
    if (fine && result.stop == PORTOLAN_COMPLETE && question->kind != PORTOLAN_LTL &&
        result.statistics.deadlocks != c->truth.deadlocks)
        fine = complain(c, &options, "deadlocks", result.statistics.deadlocks, c->truth.deadlocks);
    tally.violated += truth->verdict == PORTOLAN_VIOLATED;
    result_clear(&result);
    return fine;
}

/* Others with each model. */
static bool check_reduced(struct check *c, uint64_t rotation)
{
    enum { EVERY = 11 };
    static const char *const stores[] = {"plain", "tree", "auto"};
    struct variant_cursor cursor = {0};
    struct variant v;
    for (uint32_t tried = 0; variant_next(&cursor, false, &v) && tried < VARIANTS;) {
        if (!v.reduction_class || !v.reduction_class->reduces || v.reduction_class->has_search ||
            (v.proviso && strcmp(v.proviso, "none") != 0 && strncmp(v.proviso, "queue", 5) != 0) || rotation++ % EVERY)
            continue;
        const struct question *question = &c->questions[tried++ % FORMULAS];
        struct portolan_options options = {.reduction = v.reduction,
                                           .proviso = v.proviso,
                                           .search = random_chance(&c->random, 50) ? "bfs" : "dfs",
                                           .store = stores[random_below(&c->random, 3)]};
        if (!check_verdict(c, question, options))
            return false;
    }
    return true;
}

static bool check_runs(struct check *c, const struct question *question)
{
    return check_verdict(c, question, (struct portolan_options){.reduction = "none", .search = "cndfs"}) &&
           check_verdict(c, question, (struct portolan_options){.reduction = "none", .search = "cndfs"}) &&
           check_verdict(c, question, (struct portolan_options){.reduction = "stubborn", .search = "cndfs"}) &&
           check_verdict(c, question, (struct portolan_options){.reduction = "none", .search = "scc"});
}

static bool check_all(struct check *c, uint64_t number)
{
    return check_graph(c, "plain", "bfs", number % 2) && check_graph(c, "plain", "dfs", number % 2) &&
           check_graph(c, "tree", "bfs", number % 2 == 0) && check_graph(c, "tree", "dfs", number % 2 == 0) &&
           check_forgetful(c, "hash", &c->questions[number % FORMULAS]) &&
           check_forgetful(c, "bitstate", &c->questions[(number + 1) % FORMULAS]) &&
           check_verdict(c, &c->questions[number % FORMULAS],
                         (struct portolan_options){.reduction = "none", .search = number % 2 ? "bfs" : "dfs"}) &&
           check_reduced(c, number) && check_runs(c, &c->questions[FORMULAS]) &&
           check_runs(c, &c->questions[FORMULAS + 1]);
}

/* --- the truth, by one thread */

static bool find_graph(struct check *c)
{
    struct graph graph = {0};
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_options options = {
        .reduction = "none",
        .search = "bfs",
        .store = "plain",
        .state_limit = MOST_STATES,
        .callbacks = {.user = &graph, .expanded = note_state, .edge = note_edge, .deadlock = note_deadlock}};
    if (search(c, NULL, options, &result, &error) != PORTOLAN_OK)
        return false;
    bool fine = result.stop == PORTOLAN_COMPLETE && result.statistics.states >= LEAST_STATES && !graph.failed;
    c->truth = result.statistics;
    c->states = digest_of_states(&graph);
    c->steps = digest_of_steps(&graph);
    result_clear(&result);
    graph_clear(&graph);
    return fine;
}

static bool find_verdict(struct check *c, struct question *question)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_options options = {.reduction = "none", .search = question->kind == PORTOLAN_LTL ? "scc" : "bfs"};
    if (search(c, question, options, &result, &error) != PORTOLAN_OK)
        return wrong(c, "%s: %s", question->text, error.message);
    question->truth = result.answers[0];
    question->truth.trace = NULL;
    result_clear(&result);
    return true;
}

/* --- models */

static uint32_t some_place(const struct draft *part, uint32_t first, struct random *random)
{
    return first + random_below(random, part->places);
}

/* Several drafts beside each other, with a few arcs between them; names are p0 p1 ... and t0 t1 ... */
static struct net *random_net(struct random *random)
{
    struct net_builder *builder = net_builder_new("random");
    uint32_t parts = 2 + random_below(random, MOST_PARTS - 1), places = 0, transitions = 0, last = 0;
    for (uint32_t i = 0; i < parts; i++) {
        struct draft part;
        char name[16];
        draft_random(&part, random);
        for (uint32_t p = 0; p < part.places; p++) {
            snprintf(name, sizeof name, "p%u", places + p);
            net_builder_place(builder, name, NULL, part.tokens[p]);
        }
        for (uint32_t t = 0; t < part.transitions; t++) {
            snprintf(name, sizeof name, "t%u", transitions + t);
            net_builder_transition(builder, name, NULL);
            for (uint32_t p = 0; p < part.places; p++) {
                const struct draft_arc *arc = &part.arc[t][p];
                const uint8_t weights[] = {arc->consume, arc->produce, arc->read, arc->inhibit};
                for (int kind = NET_CONSUME; kind <= NET_INHIBIT; kind++)
                    if (weights[kind])
                        net_builder_arc(builder, (enum net_arc_kind)kind, places + p, transitions + t, weights[kind]);
            }
            if (i && random_chance(random, 6))
                net_builder_arc(builder, random_chance(random, 50) ? NET_READ : NET_INHIBIT, random_below(random, last),
                                transitions + t, 1);
            if (i && random_chance(random, 3))
                net_builder_arc(builder, NET_CONSUME, some_place(&part, places, random), transitions + t, 1);
        }
        last = places += part.places;
        transitions += part.transitions;
    }
    return net_builder_finish(builder, NULL);
}

static void draw_questions(struct check *c, const struct net *net)
{
    for (uint32_t i = 1; i < FORMULAS; i++) {
        struct formula formula;
        formula_random(&formula, &c->random, net->places, net->transitions);
        c->questions[i].kind = formula.kind;
        formula_text(&formula, net, c->questions[i].text, sizeof c->questions[i].text);
    }
    c->questions[0].kind = PORTOLAN_NO_DEADLOCK;
    for (uint32_t i = 0; i < RUNS; i++) {
        struct oracle_formula formula;
        struct question *question = &c->questions[FORMULAS + i];
        oracle_formula_random(&formula, &c->random, net->places, net->transitions, false);
        question->kind = PORTOLAN_LTL;
        oracle_formula_write(&formula, question->text, sizeof question->text);
    }
}

/* False: the next one, please. */
static bool make_model(struct check *c, uint64_t seed, uint64_t number)
{
    *c = (struct check){.random = random_from(seed, number)};
    struct net *net = random_net(&c->random);
    if (!net)
        return false;
    draw_questions(c, net);
    if (net_system_new(net, &c->system, NULL) != PORTOLAN_OK)
        return false;
    state_bytes = c->system->state_bytes;
    if (find_graph(c))
        return true;
    portolan_system_free(c->system);
    return false;
}

static bool try_model(const struct random_run *run, uint64_t number)
{
    struct check c;
    bool fine = true;
    if (!make_model(&c, run->seed, number))
        return true;
    for (uint32_t i = 0; fine && i < FORMULAS + RUNS; i++)
        fine = find_verdict(&c, &c.questions[i]);
    fine = fine && check_all(&c, number);
    if (!fine)
        printf("model %" PRIu64 " of seed %" PRIu64 ", %" PRIu64 " states: %s\n", number, run->seed, c.truth.states,
               c.failure);
    portolan_system_free(c.system);
    tally.models++;
    return fine;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 20, .seed = 1};
    bool fine = random_run_read(&run, "--models", count, arguments);
    if (!fine)
        return 2;
    levels_least = 1;
    for (uint64_t number = run.first; fine && tally.models < run.count; number++)
        fine = try_model(&run, number);
    printf("parallel: %" PRIu64 " models, %" PRIu64 " searches, %" PRIu64 " scheduled with %" PRIu64 " turns, %" PRIu64
           " of stores that forget, %" PRIu64 " of what is violated, %" PRIu64 " refused\n",
           tally.models, tally.searches, tally.scheduled, scheduler_switches(), tally.forgetful, tally.violated,
           tally.refused);
    return fine ? 0 : 1;
}
