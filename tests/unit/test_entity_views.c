/* SPDX-License-Identifier: Apache-2.0 */
/* The entities views of random nets keep their contract along random walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vector.h"
#include "front/petri/entities.h"
#include "front/petri/system.h"
#include "random_net.h"

#include <string.h>

enum { STEPS = 40, ENTITIES = 4096, FEW_ENTITIES = 32 };

struct walk {
    const struct portolan_entities *entities;
    void *view;
    struct portolan_system *system;
    uint32_t count[ENTITIES], low[ENTITIES], high[ENTITIES];
    VECTOR(uint32_t) given;
    VECTOR(uint32_t) taken;
};

static bool give(void *user, uint32_t action)
{
    return vector_push(&((struct walk *)user)->given, action);
}

static bool was_given(const struct walk *w, uint32_t action)
{
    for (size_t i = 0; i < w->given.count; i++)
        if (w->given.item[i] == action)
            return true;
    return false;
}

/* The enabled actions of the view are those of the system, and their touches say so.  There is one each, or with tokens
 * that have names at least one, and none is given twice. */
static void check_enabled(struct walk *w, const void *state)
{
    uint32_t enabled[DRAFT_TRANSITIONS];
    uint32_t expected = w->system->enabled(w->system->model, state, enabled);
    bool seen[DRAFT_TRANSITIONS] = {false}, has_names = w->entities->state_number;
    assert_true(has_names || w->given.count == expected);
    for (size_t i = 0; i < w->given.count; i++) {
        uint32_t touches, t = w->entities->action(w->view, w->given.item[i]);
        const struct portolan_touch *touch = w->entities->touches(w->view, w->given.item[i], &touches);
        assert_true(has_names || !seen[t]);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(w->given.item[j], w->given.item[i]);
        seen[t] = true;
        for (uint32_t j = 0; j < touches; j++) {
            assert_true(j == 0 || touch[j - 1].entity < touch[j].entity);
            assert_in_range(w->count[touch[j].entity], touch[j].low, touch[j].high);
        }
    }
    uint32_t kinds = 0;
    for (uint32_t t = 0; t < DRAFT_TRANSITIONS; t++)
        kinds += seen[t];
    assert_int_equal(kinds, expected);
    for (uint32_t i = 0; i < expected; i++)
        assert_true(seen[enabled[i]]);
}

/* Fires in the view and in the system; both must come to the same state. */
static void fire(struct walk *w, uint32_t action, unsigned char **state)
{
    uint32_t touches;
    const struct portolan_touch *touch = w->entities->touches(w->view, action, &touches);
    for (uint32_t j = 0; j < touches; j++)
        w->count[touch[j].entity] += (uint32_t)touch[j].change;
    unsigned char *by_view = malloc(w->system->state_bytes);
    enum portolan_fired written;
    while ((written = w->entities->state(w->view, w->count, by_view)) == PORTOLAN_TOO_NARROW) {
        unsigned char *wider;
        assert_int_equal(w->system->widen(w->system), PORTOLAN_OK);
        wider = malloc(w->system->state_bytes);
        w->system->convert(w->system->model, *state, wider);
        free(*state);
        *state = wider;
        by_view = realloc(by_view, w->system->state_bytes);
    }
    assert_int_equal(written, PORTOLAN_FIRED);
    unsigned char *by_system = malloc(w->system->state_bytes);
    uint32_t t = w->entities->action(w->view, action);
    assert_int_equal(w->system->fire(w->system->model, *state, t, by_system), PORTOLAN_FIRED);
    assert_memory_equal(by_view, by_system, w->system->key_bytes);
    free(*state);
    free(by_view);
    *state = by_system;
}

/* What was enabled anywhere on the walk is possible with the counts of the walk, by each entity that it touches. */
static void check_possible(struct walk *w)
{
    const struct portolan_receiver receiver = {.give = give, .user = w};
    for (size_t i = 0; i < w->taken.count; i++) {
        uint32_t touches;
        w->entities->touches(w->view, w->taken.item[i], &touches);
        for (uint32_t j = 0; j < touches; j++) {
            uint32_t entity = w->entities->touches(w->view, w->taken.item[i], &touches)[j].entity;
            w->given.count = 0;
            assert_true(w->entities->possible(w->view, entity, w->low, w->high, &receiver));
            assert_true(was_given(w, w->taken.item[i]));
        }
    }
}

static void walk_at_random(struct walk *w, struct random *random)
{
    const struct portolan_receiver receiver = {.give = give, .user = w};
    unsigned char *state = malloc(w->system->state_bytes);
    w->system->initial(w->system->model, state);
    w->entities->initial(w->view, w->count);
    memcpy(w->low, w->count, sizeof w->low);
    memcpy(w->high, w->count, sizeof w->high);
    uint32_t most = w->entities->state_number ? FEW_ENTITIES : ENTITIES / 2; /* names multiply actions */
    for (uint32_t step = 0; step < STEPS && w->entities->entities(w->view) < most; step++) {
        w->given.count = 0;
        assert_true(w->entities->enabled(w->view, w->count, &receiver));
        check_enabled(w, state);
        for (size_t i = 0; i < w->given.count; i++)
            assert_true(vector_push(&w->taken, w->given.item[i]));
        if (w->given.count == 0)
            break;
        fire(w, w->given.item[random_below(random, (uint32_t)w->given.count)], &state);
        for (uint32_t e = 0; e < ENTITIES; e++) {
            w->low[e] = w->count[e] < w->low[e] ? w->count[e] : w->low[e];
            w->high[e] = w->count[e] > w->high[e] ? w->count[e] : w->high[e];
        }
    }
    check_possible(w);
    free(state);
}

static void test_views_of_nets(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++)
        for (size_t v = 0; net_entities[v]; v++) {
            struct random random = random_from(99, k);
            struct draft draft;
            struct walk *w = calloc(1, sizeof *w);
            draft_random(&draft, &random);
            assert_int_equal(net_system_new(draft_net(&draft, "walked"), &w->system, NULL), PORTOLAN_OK);
            w->entities = net_entities[v];
            w->view = w->entities->open(w->system);
            assert_non_null(w->view);
            walk_at_random(w, &random);
            w->entities->close(w->view);
            portolan_system_free(w->system);
            free(w->given.item);
            free(w->taken.item);
            free(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_views_of_nets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
