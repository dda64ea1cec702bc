/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was opened never changes: two searches on one system at once, in two threads or one within the other, find what
 * each finds on a system of its own.  The models have values that make the states of a search widen, and crashes that a
 * reduction leaves out.
 */
#include "front/protocols/protocols.h"
#include "front/threads/system.h"
#include "support.h"

#include <pthread.h>

static const char counting[] = "int x = 0, y = 0;\n"
                               "thread a { for (int i = 0; i < 20; i++) { x = x + 1000; } }\n"
                               "thread b { for (int i = 0; i < 20; i++) { y = y + 3; } }\n";

static const char crashing[] =
    "protocol p\n"
    "const most = 4\n"
    "message tell(n: 0..most)\n"
    "crashes 1 of Receiver\n"
    "process Sender {\n"
    "    var sent: 0..most\n"
    "    rule begin when sent == 0 { sent = 1 send tell(1) to Receiver }\n"
    "    rule next on tell(n) from Receiver when n < most {\n"
    "        sent = n + 1\n"
    "        send tell(n + 1) to Receiver\n"
    "    }\n"
    "}\n"
    "process Receiver[i: 1..2] {\n"
    "    var last: 0..most\n"
    "    rule take on tell(n) from Sender { last = n if i == 1 { send tell(n) to sender } }\n"
    "}\n"
    "final true\n";

static const char growing[] =
    "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">"
    "<place id=\"many\"><initialMarking><text>40</text></initialMarking></place><place id=\"p\"/><place id=\"q\"/>"
    "<transition id=\"t\"/><transition id=\"u\"/>"
    "<arc id=\"a\" source=\"many\" target=\"t\"/>"
    "<arc id=\"b\" source=\"t\" target=\"p\"><inscription><text>50</text></inscription></arc>"
    "<arc id=\"c\" source=\"many\" target=\"u\"/>"
    "<arc id=\"d\" source=\"u\" target=\"q\"><inscription><text>2000</text></inscription></arc>"
    "</page></net></pnml>";

static struct portolan_system *open_threads(void)
{
    struct portolan_system *system = NULL;
    assert_int_equal(threads_open_text("a.dl", counting, strlen(counting), &system, NULL), PORTOLAN_OK);
    return system;
}

static struct portolan_system *open_protocol(void)
{
    struct portolan_system *system = NULL;
    assert_int_equal(protocols_open_text("p.mp", crashing, strlen(crashing), NULL, 0, &system, NULL), PORTOLAN_OK);
    return system;
}

static struct portolan_system *open_net(void)
{
    struct net *net = NULL;
    struct portolan_system *system = NULL;
    assert_int_equal(pnml_read_memory("n.pnml", growing, strlen(growing), &net, NULL), PORTOLAN_OK);
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    return system;
}

static struct portolan_system *(*const models[])(void) = {open_threads, open_protocol, open_net};
enum { MODELS = 3 };

/* --- searches */

struct figures {
    uint64_t states, transitions, executions, deadlocks;
};

static const struct way {
    const char *reduction, *search;
    bool asks; /* whether there is a deadlock, so that crashes may be left out */
} ways[] = {{"none", "dfs", false},
            {"stubborn", "bfs", true},
            {"lpor", "dfs", true},
            {"optimal", "stateless", true},
            {"source", "stateless", false}};
enum { WAYS = sizeof ways / sizeof *ways };

static struct figures search(struct portolan_system *system, const struct way *way,
                             const struct portolan_callbacks *callbacks)
{
    struct portolan_property *property = NULL;
    struct portolan_result *result = NULL;
    struct portolan_options options =
        PORTOLAN_OPTIONS(.reduction = way->reduction, .search = way->search, .state_limit = 2000, .all = true);
    if (callbacks)
        options.callbacks = *callbacks;
    struct figures found = {0};
    if (portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL) == PORTOLAN_OK) {
        const struct portolan_property *asked = property;
        options.properties = &asked;
        options.property_count = way->asks;
        if (portolan_search(system, &options, &result, NULL) == PORTOLAN_OK) {
            const struct portolan_statistics *s = &result->statistics;
            found = (struct figures){s->states, s->transitions, s->executions, s->deadlocks};
        }
    }
    portolan_result_free(result);
    portolan_property_free(property);
    return found;
}

static void assert_same(struct figures found, struct figures expected)
{
    assert_int_equal(found.states, expected.states);
    assert_int_equal(found.transitions, expected.transitions);
    assert_int_equal(found.executions, expected.executions);
    assert_int_equal(found.deadlocks, expected.deadlocks);
    assert_true(found.states > 1 || found.executions > 0);
}

/* On a system of its own. */
static struct figures search_alone(size_t model, const struct way *way)
{
    struct portolan_system *system = models[model]();
    struct figures found = search(system, way, NULL);
    portolan_system_free(system);
    return found;
}

/* --- in two threads */

struct share {
    struct portolan_system *system;
    pthread_barrier_t *together;
    size_t first; /* the way that it begins with */
    struct figures found[WAYS];
};

static void *search_every_way(void *argument)
{
    struct share *mine = argument;
    pthread_barrier_wait(mine->together);
    for (size_t i = 0; i < WAYS; i++) {
        size_t w = (mine->first + i) % WAYS;
        mine->found[w] = search(mine->system, &ways[w], NULL);
    }
    return NULL;
}

static void search_in_two_threads(struct portolan_system *system, size_t first, const struct figures *expected)
{
    pthread_barrier_t together;
    struct share shares[2] = {{system, &together, 0, {{0}}}, {system, &together, first, {{0}}}};
    pthread_t threads[2];
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, search_every_way, &shares[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    for (int i = 0; i < 2; i++)
        for (size_t w = 0; w < WAYS; w++)
            assert_same(shares[i].found[w], expected[w]);
}

static void two_threads_search_one_system(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        struct portolan_system *system = models[m]();
        struct figures expected[WAYS];
        for (size_t w = 0; w < WAYS; w++)
            expected[w] = search_alone(m, &ways[w]);
        for (size_t first = 0; first < WAYS; first++)
            search_in_two_threads(system, first, expected);
        portolan_system_free(system);
    }
}

/* --- one within another */

struct inner {
    struct portolan_system *system;
    const struct way *way;
    struct figures found;
    uint64_t calls;
};

static void search_within(struct inner *inner)
{
    if (inner->calls++ == 0)
        inner->found = search(inner->system, inner->way, NULL);
}

static void on_expanded(void *user, uint32_t number, const void *bytes, uint32_t enabled, bool fully)
{
    (void)number, (void)bytes, (void)enabled, (void)fully;
    search_within(user);
}

static void on_execution(void *user, const struct portolan_execution *execution)
{
    (void)execution;
    search_within(user);
}

static void a_search_runs_within_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < (size_t)MODELS * WAYS * WAYS; i++) {
        size_t m = i / (WAYS * WAYS);
        const struct way *outer = &ways[i / WAYS % WAYS];
        struct inner inner = {.system = models[m](), .way = &ways[i % WAYS]};
        bool stores = strcmp(outer->search, "stateless") != 0;
        struct portolan_callbacks callbacks = {
            .user = &inner, .expanded = stores ? on_expanded : NULL, .execution = stores ? NULL : on_execution};
        struct figures found = search(inner.system, outer, &callbacks);
        assert_same(found, search_alone(m, outer));
        assert_same(inner.found, search_alone(m, inner.way));
        portolan_system_free(inner.system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads_search_one_system),
                                       cmocka_unit_test(a_search_runs_within_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
