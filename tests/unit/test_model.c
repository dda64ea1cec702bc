/* SPDX-License-Identifier: Apache-2.0 */
/* Models made in memory: what no thread program has. */
#include "model/model.h"
#include "search/search_system.h"
#include "system/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct portolan_system *system_of(struct model *m)
{
    struct portolan_system *system = NULL;
    m->name = "test";
    m->listed = (uint32_t)m->variables.count;
    assert_int_equal(model_system(m, &system, NULL), PORTOLAN_OK);
    return system;
}

static uint32_t process_with(struct model *m, const char *name, uint32_t locations)
{
    uint32_t process = model_process(m, name);
    for (uint32_t i = 0; i < locations; i++)
        model_location(m, (struct location){.process = process, .dead = MODEL_NONE, .is_end = i + 1 == locations});
    return process;
}

static uint32_t shared_cell(struct model *m, const char *name, int64_t initial, int64_t low, int64_t high)
{
    struct cell cell = {.values = {low, high}, .initial = initial, .owner = MODEL_NONE, .widens = true};
    cell.object = model_object(m, name);
    uint32_t number = model_cells(m, cell, 1);
    model_variable(m, (struct variable){.name = model_copy(m, name), .kind = VARIABLE_CELL, .what = number});
    return number;
}

static uint32_t add_then_rest(struct model *m, uint32_t cell, int32_t by, uint32_t location)
{
    struct instruction add = {.code = CODE_ADD, .flags = A_IS_NUMBER | B_IS_NUMBER, .a = by, .c = (int32_t)cell};
    uint32_t code = model_emit(m, add);
    model_emit(m, (struct instruction){.code = CODE_REST, .c = (int32_t)location});
    return code;
}

static void add_action(struct model *m, const char *name, uint32_t process, uint32_t from, uint32_t code)
{
    model_action(m, (struct action){.name = model_copy(m, name), .process = process, .common = MODEL_NONE});
    model_edge(m, from, code);
}

/* States and deadlocks of an exploration; with the relations checked it is the opened system that is explored. */
static struct portolan_statistics explore(struct portolan_system *system, const char *reduction, bool check)
{
    struct portolan_options options = {.reduction = reduction, .proviso = "none", .check_relations = check};
    struct portolan_result result;
    struct portolan_error error;
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s", error.message);
    struct portolan_statistics statistics = result.statistics;
    result_clear(&result);
    return statistics;
}

static void assert_states(struct portolan_system *system, uint64_t states, uint64_t deadlocks)
{
    assert_int_equal(explore(system, "none", false).states, states);
    assert_int_equal(explore(system, "none", true).states, states);
    assert_int_equal(explore(system, "stubborn", true).deadlocks, deadlocks);
    assert_int_equal(explore(system, "none", false).deadlocks, deadlocks);
    portolan_system_free(system);
}

/* Two send, one takes: messages that are counted commute. */
static struct model *senders(uint32_t *messages)
{
    struct model *m = model_new("test");
    *messages = shared_cell(m, "messages", 0, 0, 100);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t process = process_with(m, i ? "b" : "a", 2), first = 2 * i;
        add_action(m, i ? "b sends" : "a sends", process, first, add_then_rest(m, *messages, 1, first + 1));
    }
    uint32_t taker = process_with(m, "c", 2);
    add_action(m, "c takes", taker, 4, add_then_rest(m, *messages, -1, 5));
    model_test(m, *messages, 1, 100);
    return m;
}

static void counted_messages(void **unused)
{
    (void)unused;
    uint32_t messages;
    struct portolan_system *system = system_of(senders(&messages));
    const struct portolan_relations *r = system->relations;
    for (uint32_t t = 0; t < 3; t++)
        assert_int_equal(r->not_commuting.offset[t], r->not_commuting.offset[t + 1]);
    assert_states(system, 7, 0); /* who has sent: 4; taken as well: 3 */
}

/* Once the receiver has ended, what is sent to it makes no difference and is dropped. */
static void dead_cells(void **unused)
{
    (void)unused;
    uint32_t messages;
    struct model *m = senders(&messages);
    m->cells.item[messages].owner = 2;
    uint32_t set = model_dead_set(m, 2);
    model_dead_cell(m, set, messages);
    m->locations.item[5].dead = set;
    add_action(m, "c stops", 2, 4, model_emit(m, (struct instruction){.code = CODE_REST, .c = 5}));
    struct portolan_system *system = system_of(m);
    unsigned char state[system->state_bytes], next[system->state_bytes];
    static const uint32_t order[] = {0, 2, 1};
    system->initial(system->model, state);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(system->fire(system->model, state, order[i], next), PORTOLAN_FIRED);
        memcpy(state, next, sizeof state);
    }
    assert_int_equal(system->value(system->model, state, 0), 0);
    assert_states(system, 8, 0); /* who has sent, whether the receiver has ended */
}

/* A message that nobody takes may be lost: an action of nobody.  Two actions leave one location. */
static void actions_of_nobody_and_choices(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    uint32_t x = shared_cell(m, "x", 0, 0, 3), p = process_with(m, "p", 2);
    add_action(m, "one", p, 0, add_then_rest(m, x, 1, 1));
    add_action(m, "two", p, 0, add_then_rest(m, x, 2, 1));
    add_action(m, "lose", MODEL_NONE, MODEL_NONE, add_then_rest(m, x, -1, MODEL_NONE));
    model_test(m, x, 1, 3);
    struct portolan_system *system = system_of(m);
    assert_int_equal(system->footprint->agents, 3);
    assert_states(system, 4, 0); /* at the start, and 2, 1, 0 left afterwards */
}

/* A queue of two: what is put in last comes out last, and who finds it full waits forever here. */
static void queues(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    struct cell slot = {.values = {0, 9}, .owner = MODEL_NONE, .widens = true, .object = model_object(m, "queue")};
    uint32_t queue = model_cells(m, slot, 2), got = shared_cell(m, "got", 0, 0, 9);
    uint32_t sender = process_with(m, "sender", 3), taker = process_with(m, "taker", 2);
    m->processes.item[taker].most_registers = 1;
    for (uint32_t i = 0; i < 2; i++) {
        struct instruction append = {.code = CODE_APPEND, .flags = A_IS_NUMBER, .a = (int32_t)i + 5};
        append.c = (int32_t)queue;
        append.length = 2;
        append.d = -1;
        uint32_t code = model_emit(m, append);
        model_emit(m, (struct instruction){.code = CODE_REST, .c = (int32_t)i + 1});
        add_action(m, i ? "second" : "first", sender, i, code);
    }
    struct instruction take = {.code = CODE_TAKE, .c = (int32_t)queue, .length = 2};
    uint32_t code = model_emit(m, take);
    model_emit(m, (struct instruction){.code = CODE_STORE, .flags = B_IS_NUMBER, .c = (int32_t)got});
    model_emit(m, (struct instruction){.code = CODE_REST, .c = 4});
    add_action(m, "take", taker, 3, code);
    model_test(m, queue, 1, 9);
    struct portolan_system *system = system_of(m);
    unsigned char state[system->state_bytes], next[system->state_bytes];
    system->initial(system->model, state);
    for (uint32_t t = 0; t < 3; t++) {
        assert_int_equal(system->fire(system->model, state, t, next), PORTOLAN_FIRED);
        memcpy(state, next, sizeof state);
    }
    assert_int_equal(system->value(system->model, state, 0), 5);
    assert_states(system, 5, 0);
}

/* A rendezvous: one action moves both. */
static void rendezvous(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    uint32_t a = process_with(m, "a", 2), b = process_with(m, "b", 3);
    uint32_t where = m->processes.item[b].location_cell;
    struct instruction move = {.code = CODE_STORE, .flags = A_IS_NUMBER | B_IS_NUMBER, .a = 2, .c = (int32_t)where};
    uint32_t code = model_emit(m, move);
    model_emit(m, (struct instruction){.code = CODE_REST, .c = 1});
    add_action(m, "meet", a, 0, code);
    model_test(m, where, 1, 1);
    code = model_emit(m, (struct instruction){.code = CODE_REST, .c = 3});
    add_action(m, "b comes", b, 2, code);
    code = model_emit(m, (struct instruction){.code = CODE_REST, .c = 2});
    add_action(m, "b goes back", b, 3, code);
    assert_states(system_of(m), 3, 0);
}

/* What a compact system learns, what was opened does not: its states are those of the beginning. */
/* Two actions of one process, each from two locations: in either order both are taken, and the end is another one
 * exactly when `same` is false. */
static struct portolan_system *two_orders(bool same)
{
    struct model *m = model_new("test");
    uint32_t count = shared_cell(m, "count", 0, 0, 100), process = process_with(m, "a", 4);
    for (uint32_t i = 0; i < 2; i++) {
        add_action(m, i ? "one" : "two", process, 0, add_then_rest(m, count, 1, 1));
        model_edge(m, 1, add_then_rest(m, count, 1, same ? 3 : 2 + i));
    }
    return system_of(m);
}

static bool commutes(const struct portolan_system *system, uint32_t t)
{
    return system->relations->not_commuting.offset[t] == system->relations->not_commuting.offset[t + 1];
}

static void ends_decide_what_commutes(void **unused)
{
    (void)unused;
    struct portolan_system *system = two_orders(true);
    assert_true(commutes(system, 0) && commutes(system, 1));
    assert_states(system, 3, 0);
    system = two_orders(false);
    assert_false(commutes(system, 0) || commutes(system, 1));
    assert_states(system, 4, 1); /* only the last location is an end */
}

/* Additions commute with each other, not with a store to the same cell, nor with who reads it. */
static void additions_and_others(void **unused)
{
    (void)unused;
    for (int reads = 0; reads < 2; reads++) {
        struct model *m = model_new("test");
        uint32_t cell = shared_cell(m, "cell", 0, 0, 100), copy = shared_cell(m, "copy", 0, 0, 100);
        uint32_t adder = process_with(m, "a", 2), other = process_with(m, "b", 2);
        m->processes.item[other].most_registers = 1;
        add_action(m, "adds", adder, 0, add_then_rest(m, cell, 1, 1));
        struct instruction load = {.code = CODE_LOAD, .flags = B_IS_NUMBER, .length = 1, .c = (int32_t)cell};
        struct instruction store = {.code = CODE_STORE, .length = 1, .c = (int32_t)(reads ? copy : cell)};
        store.flags = B_IS_NUMBER | (reads ? 0 : A_IS_NUMBER);
        store.a = reads ? 0 : 5;
        uint32_t code = reads ? model_emit(m, load) : MODEL_NONE, then = model_emit(m, store);
        model_emit(m, (struct instruction){.code = CODE_REST, .c = 3});
        add_action(m, "other", other, 2, reads ? code : then);
        struct portolan_system *system = system_of(m);
        assert_false(commutes(system, 0) || commutes(system, 1));
        assert_states(system, 5, 0);
    }
}

/* What is taken without a test may go below the lowest value that its field can hold: then the field is widened. */
static void taking_untested(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    uint32_t cell = shared_cell(m, "cell", 0, -5, 5), process = process_with(m, "a", 3);
    uint32_t common = add_then_rest(m, cell, -1, (uint32_t)-1);
    model_action(m, (struct action){.name = "takes", .process = process, .common = common});
    for (uint32_t from = 0; from < 2; from++)
        model_edge(m, from, model_emit(m, (struct instruction){.code = CODE_REST, .c = (int32_t)from + 1}));
    struct portolan_system *system = system_of(m);
    struct portolan_property *property;
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "cell = -2", &property, NULL), PORTOLAN_OK);
    const struct portolan_property *const properties[] = {property};
    struct portolan_options options = {.reduction = "none", .properties = properties, .property_count = 1};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_HOLDS);
    result_clear(&result);
    portolan_property_free(property);
    assert_states(system, 3, 0);
}

static void the_opened_system_never_changes(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    uint32_t x = shared_cell(m, "x", 7, 0, 1000), p = process_with(m, "p", 1);
    add_action(m, "count", p, 0, add_then_rest(m, x, 1, 0));
    model_test(m, x, 0, 999);
    struct portolan_system *system = system_of(m), *compact = system->compact(system);
    unsigned char before[system->state_bytes], after[system->state_bytes], small[8], next[8];
    size_t bytes = system->state_bytes;
    assert_non_null(compact);
    assert_int_equal(compact->key_bytes, 1);
    system->initial(system->model, before);
    compact->initial(compact->model, small);
    assert_int_equal(compact->fire(compact->model, small, 0, next), PORTOLAN_TOO_NARROW);
    assert_int_equal(compact->widen(compact), PORTOLAN_OK);
    unsigned char wider[8];
    compact->convert(compact->model, small, wider);
    assert_int_equal(compact->fire(compact->model, wider, 0, next), PORTOLAN_FIRED);
    compact->open_state(compact->model, next, after);
    assert_int_equal(system->value(system->model, after, 0), 8);
    portolan_system_free(compact);
    assert_int_equal(explore(system, "none", false).states, 994);
    assert_int_equal(system->state_bytes, bytes);
    system->initial(system->model, after);
    assert_memory_equal(before, after, bytes);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_messages),
                                       cmocka_unit_test(dead_cells),
                                       cmocka_unit_test(actions_of_nobody_and_choices),
                                       cmocka_unit_test(queues),
                                       cmocka_unit_test(rendezvous),
                                       cmocka_unit_test(ends_decide_what_commutes),
                                       cmocka_unit_test(additions_and_others),
                                       cmocka_unit_test(taking_untested),
                                       cmocka_unit_test(the_opened_system_never_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
