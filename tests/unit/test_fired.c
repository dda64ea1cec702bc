/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which actions were fired: on random models a search that says that it fired all that can be fired has fired what a
 * plain walk finds, and no search has fired anything else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vector.h"
#include "front/petri/system.h"
#include "front/protocols/protocols.h"
#include "random_net.h"
#include "random_program.h"
#include "random_protocol.h"
#include "sanitized.h"
#include "search/search_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 400, NETS = SOME(300), PROGRAMS = SOME(150), PROTOCOLS = 60 };

/* --- the walk */

struct walk {
    const struct portolan_system *system;
    VECTOR(unsigned char) states;
    size_t count;
    uint32_t *enabled;
    bool *fired;
};

static unsigned char *state_at(const struct walk *w, size_t number)
{
    return w->states.item + number * w->system->state_bytes;
}

/* False when there are too many states. */
static bool add(struct walk *w, const unsigned char *state)
{
    size_t bytes = w->system->state_bytes;
    for (size_t i = 0; i < w->count; i++)
        if (memcmp(state_at(w, i), state, w->system->key_bytes) == 0)
            return true;
    if (w->count == MOST_STATES || !vector_reserve(&w->states, bytes))
        return false;
    memcpy(w->states.item + w->states.count, state, bytes);
    w->states.count += bytes;
    w->count++;
    return true;
}

static bool walk_from(struct walk *w, const unsigned char *from, unsigned char *to)
{
    const struct portolan_system *system = w->system;
    uint32_t count = system->enabled(system->model, from, w->enabled);
    for (uint32_t i = 0; i < count; i++) {
        if (system->fire(system->model, from, w->enabled[i], to) != PORTOLAN_FIRED || !add(w, to))
            return false;
        w->fired[w->enabled[i]] = true;
    }
    return true;
}

/* False when the model is too large for it, or asks for a wider layout. */
static bool walk(struct walk *w, const struct portolan_system *system)
{
    unsigned char *from = calloc(1, system->state_bytes + 1), *to = calloc(1, system->state_bytes + 1);
    *w = (struct walk){.system = system,
                       .enabled = calloc((size_t)system->actions + 1, sizeof *w->enabled),
                       .fired = calloc((size_t)system->actions + 1, sizeof *w->fired)};
    assert_true(from && to && w->enabled && w->fired);
    system->initial(system->model, from);
    bool fine = add(w, from);
    for (size_t i = 0; i < w->count && fine; i++) {
        memcpy(from, state_at(w, i), system->state_bytes);
        fine = walk_from(w, from, to);
    }
    free(from);
    free(to);
    return fine;
}

/* --- what searches say */

static const struct {
    const char *reduction, *proviso, *search;
    bool tells; /* all, when it is complete */
} searches[] = {{"none", "none", "dfs", true},     {"none", "none", "bfs", true},   {"stubborn", "none", "dfs", false},
                {"stubborn", "scc", "dfs", false}, {"lpor", "queue", "bfs", false}, {"dpor", NULL, NULL, true},
                {"source", NULL, NULL, true},      {"optimal", NULL, NULL, true},   {"lazy", NULL, NULL, true},
                {"stubborn", "none", "bfs", false}};

struct tally {
    unsigned models, told, never;
};

static void check_search(const struct walk *w, struct portolan_system *system, size_t i, struct tally *tally)
{
    struct portolan_options options = {.reduction = searches[i].reduction,
                                       .proviso = searches[i].proviso,
                                       .search = searches[i].search,
                                       .chains = i == sizeof searches / sizeof *searches - 1,
                                       .state_limit = 500,
                                       .bound = searches[i].search ? 0 : 8};
    struct portolan_result result;
    if (search_system(system, &options, &result, NULL) != PORTOLAN_OK)
        return;
    assert_non_null(result.fired);
    assert_int_equal(result.fired_all, searches[i].tells && result.stop == PORTOLAN_COMPLETE);
    for (uint32_t a = 0; a < system->actions; a++) {
        if (result.fired[a] && !w->fired[a])
            fail_msg("%s: '%s' was fired", searches[i].reduction, system->action_name(system->model, a));
        if (result.fired_all && w->fired[a] && !result.fired[a])
            fail_msg("%s: '%s' was not fired", searches[i].reduction, system->action_name(system->model, a));
        tally->never += result.fired_all && !result.fired[a];
    }
    tally->told += result.fired_all;
    result_clear(&result);
}

static void check_model(struct portolan_system *system, struct tally *tally)
{
    struct walk w;
    if (walk(&w, system)) {
        tally->models++;
        for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
            check_search(&w, system, i, tally);
    }
    free(w.states.item);
    free(w.enabled);
    free(w.fired);
    portolan_system_free(system);
}

static void enough(const struct tally *tally, unsigned models)
{
    assert_true(tally->models > models / 3);
    assert_true(tally->told > 2 * tally->models); /* not only the searches without a reduction */
    assert_true(tally->never > 0);
}

static void nets(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint32_t i = 0; i < NETS; i++) {
        struct random random = random_from(5, i);
        struct draft draft;
        struct portolan_system *system;
        draft_random(&draft, &random);
        assert_int_equal(net_system_new(draft_net(&draft, "random"), &system, NULL), PORTOLAN_OK);
        check_model(system, &tally);
    }
    enough(&tally, NETS);
}

static void programs(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        char *text = random_program(i);
        struct portolan_system *system = open_program(text);
        assert_non_null(system);
        check_model(system, &tally);
        free(text);
    }
    enough(&tally, PROGRAMS);
}

static void protocols(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t i = 0; i < PROTOCOLS; i++) {
        char *text = random_protocol(i);
        struct portolan_system *system;
        if (protocols_open_text("random.mp", text, strlen(text), NULL, 0, &system, NULL) == PORTOLAN_OK)
            check_model(system, &tally);
        free(text);
    }
    enough(&tally, PROTOCOLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nets), cmocka_unit_test(programs), cmocka_unit_test(protocols)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
