/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/invariants.h"
#include "front/petri/system.h"

#include "support.h"

#include <stdlib.h>

/* A transition that takes `taken` tokens from the first place and puts `put` on the second. */
static struct net *make_step(uint32_t taken, uint32_t put)
{
    struct net_builder *b = net_builder_new("step");
    uint32_t from = net_builder_place(b, "from", NULL, 6), to = net_builder_place(b, "to", NULL, 0),
             t = net_builder_transition(b, "t", NULL);
    assert_true(net_builder_arc(b, NET_CONSUME, from, t, taken) && net_builder_arc(b, NET_PRODUCE, to, t, put));
    return net_builder_finish(b, NULL);
}

static uint32_t count_told(uint32_t taken, uint32_t put, uint32_t first)
{
    struct net *net = make_step(taken, put);
    const uint32_t order[] = {first, !first};
    const bool must_stay[] = {false, false};
    struct invariants v;
    assert_true(invariants_find(&v, net, order, must_stay));
    uint32_t told = v.told;
    assert_int_equal(v.kept + told, 2);
    if (told) {
        assert_int_equal(v.order[0], first);
        assert_int_equal(v.order[1], !first);
        assert_int_equal(v.factor[0], first ? -(int64_t)(taken / put) : -(int64_t)(put / taken));
    }
    invariants_clear(&v);
    net_free(net);
    return told;
}

/* Only whole factors count: two tokens that become one are told by it, but not it by them. */
static void test_whole_factors(void **state)
{
    (void)state;
    assert_int_equal(count_told(1, 1, 0), 1);
    assert_int_equal(count_told(1, 1, 1), 1);
    assert_int_equal(count_told(2, 1, 1), 1);
    assert_int_equal(count_told(2, 1, 0), 0);
    assert_int_equal(count_told(3, 2, 0), 0);
    assert_int_equal(count_told(3, 2, 1), 0);
}

static void test_what_must_stay(void **state)
{
    struct net *net = make_step(1, 1);
    const uint32_t order[] = {0, 1};
    const bool second[] = {false, true}, both[] = {true, true};
    struct invariants v;
    (void)state;
    assert_true(invariants_find(&v, net, order, second));
    assert_int_equal(v.told, 1);
    assert_int_equal(v.order[0], 1);
    invariants_clear(&v);
    assert_true(invariants_find(&v, net, order, both));
    assert_int_equal(v.told, 0);
    assert_int_equal(v.order[0], 0);
    invariants_clear(&v);
    net_free(net);
}

enum { RINGS = 20, PLACES = 5 };

/* Rings in which tokens go round, some of several tokens; the last place of each gets twice as many, and two more
 * places count twice those of two neighbours each, which they need not watch. */
static struct net *make_rings(void)
{
    struct net_builder *b = net_builder_new("rings");
    for (uint32_t ring = 0; ring < RINGS; ring++) {
        uint32_t place[PLACES];
        char name[32];
        for (uint32_t i = 0; i < PLACES; i++) {
            snprintf(name, sizeof name, "p%u_%u", ring, i);
            place[i] = net_builder_place(b, name, NULL, i == 1 ? 1 + ring % 4 : 0);
        }
        uint32_t both[2];
        for (uint32_t i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "both%u_%u", ring, i);
            both[i] = net_builder_place(b, name, NULL, i == 0 ? 2 * (1 + ring % 4) : 0);
        }
        for (uint32_t i = 0; i < PLACES; i++) {
            snprintf(name, sizeof name, "t%u_%u", ring, i);
            uint32_t t = net_builder_transition(b, name, NULL);
            net_builder_arc(b, NET_CONSUME, place[i], t, i == PLACES - 1 ? 2 : 1);
            net_builder_arc(b, NET_PRODUCE, place[(i + 1) % PLACES], t, i == PLACES - 2 ? 2 : 1);
            if (i < 2)
                net_builder_arc(b, NET_PRODUCE, both[i], t, 2);
            if (i >= 2 && i < 4)
                net_builder_arc(b, NET_CONSUME, both[i - 2], t, 2);
        }
    }
    return net_builder_finish(b, NULL);
}

/* Random runs of a compact system, through every widening: the key alone tells the state, before and after. */
static void test_keys_tell_states(void **state)
{
    struct portolan_system *system;
    (void)state;
    assert_int_equal(net_system_new(make_rings(), &system, NULL), PORTOLAN_OK);
    struct portolan_system *compact = system->compact(system);
    assert_non_null(compact);
    assert_non_null(compact->restore);
    uint64_t now[64] = {0}, next[64] = {0}, random = 7;
    uint32_t enabled[RINGS * PLACES], widened = 0;
    compact->initial(compact->model, now);
    for (int step = 0; step < 20000; step++) {
        uint32_t count = compact->enabled(compact->model, now, enabled);
        assert_true(count > 0);
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t action = enabled[(random >> 33) % count];
        while (compact->fire(compact->model, now, action, next) != PORTOLAN_FIRED) {
            uint64_t key[64] = {0}, wide[64], wider[64];
            memcpy(key, now, compact->key_bytes);
            assert_int_equal(compact->widen(compact), PORTOLAN_OK);
            compact->convert(compact->model, now, wide);
            compact->convert(compact->model, key, wider);
            assert_memory_equal(wide, wider, compact->state_bytes);
            memcpy(now, wide, compact->state_bytes);
            widened++;
        }
        uint64_t restored[64] = {0}, opened[128], tokens[128], description[1024];
        assert_true(compact->state_bytes <= sizeof now && compact->key_bytes + 8 <= compact->state_bytes);
        memcpy(restored, next, compact->key_bytes);
        assert_true(compact->describe_layout(compact->model, NULL) <= sizeof description);
        compact->describe_layout(compact->model, description);
        assert_true(compact->open_described(compact->model, description, restored, opened));
        compact->open_state(compact->model, next, tokens);
        assert_memory_equal(opened, tokens, system->state_bytes);
        compact->restore(compact->model, restored);
        assert_memory_equal(restored, next, compact->state_bytes);
        memcpy(now, next, compact->state_bytes);
    }
    assert_true(widened > 0);
    portolan_system_free(compact);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_factors),
        cmocka_unit_test(test_what_must_stay),
        cmocka_unit_test(test_keys_tell_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
