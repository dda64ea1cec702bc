/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accepting cycles by several threads that take turns (scheduler.h): small random graphs, mostly without cycles but for
 * a few edges that lead back, some nodes of which accept; whether one of them lies on a cycle is known from the
 * closure. What several nested depth-first searches hide from each other shows in graphs as small as these, under one
 * schedule of many.
 *
 *     cycles [--graphs N] [--seed S] [--first K]
 */
#include "random_net.h"
#include "random_run.h"
#include "scheduler.h"
#include "search/search_system.h"

enum { MOST_NODES = 20, MOST_EDGES = 3, SCHEDULES = 3 };

struct graph {
    uint32_t nodes, edges[MOST_NODES]; /* so many lead from each */
    uint32_t target[MOST_NODES][MOST_EDGES];
    bool accepts[MOST_NODES];
};

struct at {
    int32_t node, unused;
};

static void initial(const void *model, void *state)
{
    (void)model;
    *(struct at *)state = (struct at){0};
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    uint32_t count = ((const struct graph *)model)->edges[((const struct at *)state)->node];
    for (uint32_t i = 0; i < count; i++)
        out[i] = i;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct graph *graph = model;
    *(struct at *)successor = (struct at){.node = (int32_t)graph->target[((const struct at *)state)->node][action]};
    return PORTOLAN_FIRED;
}

static const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    (void)variable;
    return "accepts";
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)variable;
    return ((const struct graph *)model)->accepts[((const struct at *)state)->node];
}

/* The last one leads nowhere and does not accept, so runs may end there. */
static void draw(struct graph *graph, struct random *random)
{
    graph->nodes = 4 + random_below(random, MOST_NODES - 3);
    uint32_t last = graph->nodes - 1, back = 3 + random_below(random, 12), accepting = 10 + random_below(random, 40);
    for (uint32_t i = 0; i < last; i++) {
        graph->accepts[i] = random_chance(random, accepting);
        graph->edges[i] = 1 + random_below(random, MOST_EDGES);
        for (uint32_t k = 0; k < graph->edges[i]; k++)
            graph->target[i][k] =
                random_chance(random, back) ? random_below(random, i + 1) : i + 1 + random_below(random, last - i);
    }
}

static bool has_cycle(const struct graph *graph)
{
    uint32_t reached[MOST_NODES] = {0};
    for (uint32_t i = 0; i < graph->nodes; i++)
        for (uint32_t k = 0; k < graph->edges[i]; k++)
            reached[i] |= UINT32_C(1) << graph->target[i][k];
    for (uint32_t via = 0; via < graph->nodes; via++)
        for (uint32_t i = 0; i < graph->nodes; i++)
            if (reached[i] >> via & 1)
                reached[i] |= reached[via];
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (graph->accepts[i] && reached[i] >> i & 1 && (i == 0 || reached[0] >> i & 1))
            return true;
    return false;
}

static struct tally {
    uint64_t searches, violated;
} tally;

static bool try_schedule(const struct graph *graph, struct portolan_system *system, struct random *random)
{
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    enum portolan_status status = portolan_property_new(system, PORTOLAN_LTL, "F G accepts != 1", &property, &error);
    const struct portolan_property *const properties[] = {property};
    struct portolan_options options = {.reduction = "none",
                                       .search = "cndfs",
                                       .threads = 2 + random_below(random, 3),
                                       .properties = properties,
                                       .property_count = 1};
    bool violated = has_cycle(graph), fine = false;
    if (status == PORTOLAN_OK) {
        scheduler_begin(random->state);
        status = search_system(system, &options, &result, &error);
        scheduler_end();
    }
    if (status == PORTOLAN_OK) {
        fine = result.answers[0].verdict == (violated ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS);
        if (!fine)
            printf("%u threads: %s\n", options.threads, violated ? "a cycle was missed" : "a cycle was made up");
        result_clear(&result);
    } else {
        printf("%s\n", error.message);
    }
    portolan_property_free(property);
    tally.searches++;
    tally.violated += violated;
    return fine;
}

static bool try_graph(const struct random_run *run, uint64_t number)
{
    struct random random = random_from(run->seed, number);
    struct graph graph = {0};
    struct portolan_system *system = NULL;
    draw(&graph, &random);
    struct portolan_system described =
        PORTOLAN_SYSTEM(.model = &graph, .state_bytes = sizeof(struct at), .actions = MOST_EDGES, .initial = initial,
                        .enabled = enabled, .fire = fire, .variables = 1, .variable_name = variable_name,
                        .value = value);
    bool fine = portolan_system_new(&described, &system, NULL) == PORTOLAN_OK;
    for (int i = 0; fine && i < SCHEDULES; i++)
        fine = try_schedule(&graph, system, &random);
    if (!fine)
        printf("graph %" PRIu64 " of seed %" PRIu64 "\n", number, run->seed);
    portolan_system_free(system);
    return fine;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 5000, .seed = 1};
    bool fine = random_run_read(&run, "--graphs", count, arguments);
    if (!fine)
        return 2;
    for (uint64_t number = run.first; fine && number < run.first + run.count; number++)
        fine = try_graph(&run, number);
    printf("cycles: %" PRIu64 " searches, %" PRIu64 " of graphs with an accepting cycle, %" PRIu64 " turns\n",
           tally.searches, tally.violated, scheduler_switches());
    return fine ? 0 : 1;
}
