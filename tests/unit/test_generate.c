/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every family is built and explored by a plain breadth-first search of its own, which shares nothing with
 * the engine; the numbers of states are those that papers print or that can be derived by hand.
 */
#include "base/diagnostic.h"
#include "front/petri/generate/draw.h"
#include "front/petri/generate/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---------------------------------------------------------------- explorer */

enum { NO_STATE = UINT32_MAX };

struct space {
    const struct net *net;
    uint8_t *tokens; /* the state s is tokens + s * places */
    uint32_t *table; /* open addressing, NO_STATE is a free entry */
    size_t states, capacity, entries;
    size_t edges, deadlocks;
};

static uint64_t hash_tokens(const uint8_t *tokens, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ tokens[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static size_t find_entry(const struct space *space, const uint8_t *tokens)
{
    size_t places = space->net->places, at = hash_tokens(tokens, places) & (space->entries - 1);
    while (space->table[at] != NO_STATE && memcmp(space->tokens + space->table[at] * places, tokens, places) != 0)
        at = (at + 1) & (space->entries - 1);
    return at;
}

static void grow(struct space *space)
{
    space->capacity = space->capacity ? 2 * space->capacity : 1024;
    space->entries = 2 * space->capacity;
    space->tokens = realloc(space->tokens, (space->capacity + 1) * space->net->places);
    space->table = realloc(space->table, space->entries * sizeof *space->table);
    assert_non_null(space->tokens);
    assert_non_null(space->table);
    memset(space->table, 0xff, space->entries * sizeof *space->table);
    for (size_t s = 0; s < space->states; s++)
        space->table[find_entry(space, space->tokens + s * space->net->places)] = (uint32_t)s;
}

/* The candidate lies behind the last state; it becomes one when it is new. */
static void insert_candidate(struct space *space)
{
    size_t entry = find_entry(space, space->tokens + space->states * space->net->places);
    if (space->table[entry] != NO_STATE)
        return;
    space->table[entry] = (uint32_t)space->states++;
    if (space->states == space->capacity)
        grow(space);
}

static bool is_enabled(const struct net *net, const uint8_t *tokens, uint32_t t)
{
    for (uint32_t a = net->arc_offset[t]; a < net->arc_offset[t + 1]; a++) {
        const struct net_arc *arc = &net->arc[a];
        if (tokens[arc->place] < arc->need || (arc->inhibit && tokens[arc->place] >= arc->inhibit))
            return false;
    }
    return true;
}

static void fire(const struct net *net, const uint8_t *from, uint32_t t, uint8_t *to)
{
    memcpy(to, from, net->places);
    for (uint32_t a = net->arc_offset[t]; a < net->arc_offset[t + 1]; a++) {
        const struct net_arc *arc = &net->arc[a];
        uint32_t tokens = to[arc->place] - arc->consume + arc->produce;
        assert_true(tokens <= UINT8_MAX);
        to[arc->place] = (uint8_t)tokens;
    }
}

/* Explores everything, or stops once there are `limit` states. */
static struct space explore(const struct net *net, size_t limit)
{
    struct space space = {.net = net};
    grow(&space);
    for (uint32_t p = 0; p < net->places; p++)
        space.tokens[p] = (uint8_t)net->initial[p];
    insert_candidate(&space);
    for (size_t s = 0; s < space.states && space.states < limit; s++) {
        bool dead = true;
        for (uint32_t t = 0; t < net->transitions; t++) {
            if (!is_enabled(net, space.tokens + s * net->places, t))
                continue;
            dead = false;
            space.edges++;
            fire(net, space.tokens + s * net->places, t, space.tokens + space.states * net->places);
            insert_candidate(&space);
        }
        space.deadlocks += dead;
    }
    return space;
}

static void release(struct space *space)
{
    free(space->tokens);
    free(space->table);
}

/* ----------------------------------------------------------------- helpers */

static struct net *build(const char *family, size_t count, const long *parameters)
{
    struct net *net = NULL;
    struct portolan_error error = {0};
    enum portolan_status status = generate_net(family, parameters, count, &net, &error);
    if (status != PORTOLAN_OK)
        print_error("%s: %s\n", family, error.message);
    assert_int_equal(status, PORTOLAN_OK);
    assert_non_null(net);
    return net;
}

#define BUILD(family, ...) build(family, sizeof((long[]){__VA_ARGS__}) / sizeof(long), (const long[]){__VA_ARGS__})

/* The number of states and of deadlocks of a net, which is released. */
static void assert_size(struct net *net, size_t states, size_t deadlocks)
{
    struct space space = explore(net, SIZE_MAX);
    if (space.states != states || space.deadlocks != deadlocks)
        print_error("%s: %zu states and %zu deadlocks, not %zu and %zu\n", net->name, space.states, space.deadlocks,
                    states, deadlocks);
    assert_int_equal(space.states, states);
    assert_int_equal(space.deadlocks, deadlocks);
    release(&space);
    net_free(net);
}

static uint32_t place_named(const struct net *net, const char *id)
{
    for (uint32_t p = 0; p < net->places; p++)
        if (strcmp(net->place_id[p], id) == 0)
            return p;
    fail_msg("%s has no place %s", net->name, id);
    return 0;
}

/* The largest number of marked places with a prefix over all states. */
static unsigned most_marked(const struct space *space, const char *prefix)
{
    unsigned most = 0;
    for (size_t s = 0; s < space->states; s++) {
        unsigned marked = 0;
        for (uint32_t p = 0; p < space->net->places; p++)
            if (space->tokens[s * space->net->places + p] &&
                strncmp(space->net->place_id[p], prefix, strlen(prefix)) == 0)
                marked++;
        if (marked > most)
            most = marked;
    }
    return most;
}

/* ---------------------------------------------------------- all the families */

/* Small parameters with which a family can be explored. */
static struct net *smallest(const struct family *family)
{
    long parameters[FAMILY_PARAMETERS];
    for (unsigned i = 0; i < family->parameter_count; i++)
        parameters[i] = family->minimum[i] + (i == 0);
    return build(family->name, family->parameter_count, parameters);
}

static void for_every_family(void (*check)(const struct net *))
{
    size_t count;
    const struct family *family = generate_families(&count);
    for (size_t i = 0; i < count; i++) {
        struct net *net = smallest(&family[i]);
        check(net);
        net_free(net);
        net = build(family[i].name, 0, NULL);
        check(net);
        net_free(net);
    }
}

static bool is_xml_name(const char *id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "0123456789.-";
    if (!*id || !strchr(letters, *id))
        return false;
    for (; *id; id++)
        if (!strchr(letters, *id) && !strchr(others, *id))
            return false;
    return true;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void check_ids(const struct net *net)
{
    size_t count = (size_t)net->places + net->transitions;
    const char **id = malloc(count * sizeof *id);
    assert_non_null(id);
    for (uint32_t p = 0; p < net->places; p++)
        id[p] = net->place_id[p];
    for (uint32_t t = 0; t < net->transitions; t++)
        id[net->places + t] = net->transition_id[t];
    qsort(id, count, sizeof *id, by_text);
    for (size_t i = 0; i < count; i++) {
        if (!is_xml_name(id[i]) || (i && strcmp(id[i - 1], id[i]) == 0))
            fail_msg("%s: the id %s is not valid or not unique", net->name, id[i]);
    }
    assert_true(is_xml_name(net->name));
    free(id);
}

static void check_unit(const struct net *net, const bool *inside)
{
    uint64_t tokens = 0;
    for (uint32_t p = 0; p < net->places; p++)
        tokens += inside[p] ? net->initial[p] : 0;
    assert_int_equal(tokens, 1);
    for (uint32_t t = 0; t < net->transitions; t++) {
        int64_t change = 0;
        for (uint32_t a = net->arc_offset[t]; a < net->arc_offset[t + 1]; a++)
            if (inside[net->arc[a].place])
                change += (int64_t)net->arc[a].produce - (int64_t)net->arc[a].consume;
        if (change)
            fail_msg("%s: %s changes a unit", net->name, net->transition_id[t]);
    }
}

static void check_units(const struct net *net)
{
    bool *covered = calloc(net->places, sizeof *covered);
    bool *inside = calloc(net->places, sizeof *inside);
    assert_non_null(covered);
    assert_non_null(inside);
    for (uint32_t u = 0; u < net->units; u++) {
        memset(inside, 0, net->places * sizeof *inside);
        for (uint32_t i = 0; i < net->unit[u].count; i++) {
            uint32_t place = net->unit_places[net->unit[u].first + i];
            assert_true(place < net->places);
            assert_false(covered[place]);
            covered[place] = inside[place] = true;
        }
        check_unit(net, inside);
    }
    free(covered);
    free(inside);
}

/* A transition without arcs, or with a place that no arc touches, is a slip of a generator. */
static void check_connected(const struct net *net)
{
    bool *touched = calloc(net->places, sizeof *touched);
    assert_non_null(touched);
    for (uint32_t t = 0; t < net->transitions; t++) {
        assert_true(net->arc_offset[t] < net->arc_offset[t + 1]);
        for (uint32_t a = net->arc_offset[t]; a < net->arc_offset[t + 1]; a++)
            touched[net->arc[a].place] = true;
    }
    for (uint32_t p = 0; p < net->places; p++)
        if (!touched[p])
            fail_msg("%s: no arc at %s", net->name, net->place_id[p]);
    free(touched);
}

static void ids_are_valid_and_unique(void **state)
{
    (void)state;
    for_every_family(check_ids);
}

static void units_are_disjoint_invariants(void **state)
{
    (void)state;
    for_every_family(check_units);
}

static void nothing_is_left_unconnected(void **state)
{
    (void)state;
    for_every_family(check_connected);
}

static void the_largest_parameters_build(void **state)
{
    (void)state;
    size_t count;
    const struct family *family = generate_families(&count);
    for (size_t i = 0; i < count; i++)
        net_free(build(family[i].name, family[i].parameter_count, family[i].maximum));
}

/* ------------------------------------------------------------------ errors */

static enum portolan_status attempt(const char *family, size_t count, struct portolan_error *error)
{
    struct net *net = NULL;
    const long parameters[] = {-1, 2, 3, 4};
    enum portolan_status status = generate_net(family, parameters, count, &net, error);
    assert_null(net);
    return status;
}

static void an_unknown_family_is_refused_with_a_guess(void **state)
{
    (void)state;
    struct portolan_error error;
    assert_int_equal(attempt("philosofers", 0, &error), PORTOLAN_BAD_OPTION);
    assert_non_null(strstr(error.hint, "'philosophers'"));
    assert_int_equal(attempt("slottedring", 0, &error), PORTOLAN_BAD_OPTION);
    assert_non_null(strstr(error.hint, "'slotted-ring'"));
    assert_int_equal(attempt("", 0, &error), PORTOLAN_BAD_OPTION);
    assert_int_equal(attempt("a name much longer than any family could ever have, to test the bound", 0, NULL),
                     PORTOLAN_BAD_OPTION);
}

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    struct portolan_error error;
    assert_int_equal(attempt("kanban", 1, &error), PORTOLAN_BAD_OPTION);
    assert_string_equal(error.message, "parameter 1 of family 'kanban' is -1, out of range");
    assert_int_equal(attempt("kanban", 2, &error), PORTOLAN_BAD_OPTION);
    assert_string_equal(error.message, "family 'kanban' takes 1 parameter, not 2");
    assert_int_equal(attempt("figure-003", 1, &error), PORTOLAN_BAD_OPTION);
    assert_int_equal(attempt("allocation", 4, &error), PORTOLAN_BAD_OPTION);
}

static void missing_parameters_take_the_usual_value(void **state)
{
    (void)state;
    struct net *net = BUILD("bakery", 3);
    assert_string_equal(net->name, "bakery-3-3");
    net_free(net);
}

/* ------------------------------------------------------------------- sizes */

static size_t power(size_t base, unsigned exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

static void philosophers_have_one_deadlock(void **state)
{
    (void)state;
    /* The eigenvalues of the transfer matrix are 0 and 1 +- sqrt 2: a(n) = 2 a(n - 1) + a(n - 2). */
    size_t before = 2, now = 6;
    for (long n = 2; n <= 9; n++) {
        assert_size(BUILD("philosophers", n), now, 1);
        size_t next = 2 * now + before;
        before = now;
        now = next;
    }
    struct net *net = BUILD("philosophers", 3);
    struct space space = explore(net, SIZE_MAX);
    assert_int_equal(most_marked(&space, "has_left"), 3);
    assert_int_equal(most_marked(&space, "eats"), 1);
    release(&space);
    net_free(net);
}

static void atomic_philosophers_are_lucas_numbers(void **state)
{
    (void)state;
    size_t before = 1, now = 3;
    for (long n = 2; n <= 12; n++) {
        assert_size(BUILD("philosophers-atomic", n), now, 0);
        size_t next = now + before;
        before = now;
        now = next;
    }
}

static void figures_have_the_states_they_show(void **state)
{
    (void)state;
    assert_size(build("figure2-002", 0, NULL), 10, 1);
    assert_size(build("figure-003", 0, NULL), 11, 2);
    struct net *net = build("figure3-002", 0, NULL);
    struct space space = explore(net, SIZE_MAX);
    assert_int_equal(space.states, 3);
    assert_int_equal(space.deadlocks, 0);
    assert_int_equal(most_marked(&space, "bad"), 1);
    release(&space);
    net_free(net);
}

/* "a i -> b i": the second place stands on both sides at the same spot, so it is tested, not taken and put back. */
static void arcs_are_drawn_as_written(void **state)
{
    (void)state;
    struct drawing drawing;
    assert_true(draw_begin(&drawing, "drawn"));
    draw_let(&drawing, 'i', 4);
    draw_places(&drawing, "a=2 b i_{i+1} c");
    draw_arcs(&drawing, draw_step(&drawing, "t: a*2 i_{i+1} -> b i_5 unless c"), "-> a");
    struct net *net = draw_finish(&drawing);
    assert_non_null(net);
    static const struct net_arc expected[] = {
        {.place = 0, .need = 2, .consume = 2, .produce = 1},
        {.place = 1, .produce = 1},
        {.place = 2, .need = 1},
        {.place = 3, .inhibit = 1},
    };
    assert_int_equal(net->arc_offset[1], 4);
    assert_memory_equal(net->arc, expected, sizeof expected);
    assert_int_equal(net->initial[0], 2);
    net_free(net);
}

static void an_unknown_place_is_not_drawn(void **state)
{
    (void)state;
    struct drawing drawing;
    assert_true(draw_begin(&drawing, "drawn"));
    draw_places(&drawing, "a=1");
    draw_step(&drawing, "t: a -> b");
    assert_null(draw_finish(&drawing));
}

static void figure_003_enables_t1_t4_t5(void **state)
{
    (void)state;
    static const char *const enabled[] = {"t1", "t4", "t5"};
    struct net *net = build("figure-003", 0, NULL);
    struct space space = explore(net, 1);
    unsigned found = 0;
    for (uint32_t t = 0; t < net->transitions; t++)
        if (is_enabled(net, space.tokens, t))
            assert_string_equal(net->transition_id[t], enabled[found++]);
    assert_int_equal(found, 3);
    release(&space);
    net_free(net);
}

static void filesystem_has_six_states_per_thread(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 6; threads++)
        assert_size(BUILD("filesystem", (long)threads), power(6, threads), 1);
}

static void indexer_has_thirteen_states_per_thread(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_size(BUILD("indexer", (long)threads), power(13, threads), 1);
}

/* Removes the token of every thread but two, so that their collision can be explored alone. */
static void keep_two_threads(struct net *net, const char *start, unsigned one, unsigned other)
{
    char first[64], second[64];
    snprintf(first, sizeof first, "%s_%u", start, one);
    snprintf(second, sizeof second, "%s_%u", start, other);
    for (uint32_t p = 0; p < net->places; p++) {
        const char *id = net->place_id[p];
        size_t length = strlen(start);
        bool is_start = strncmp(id, start, length) == 0 && id[length] == '_';
        size_t digits = strcspn(id + length + is_start, "_") + length + is_start;
        if (is_start && (digits != strlen(first) || strncmp(id, first, digits) != 0) &&
            (digits != strlen(second) || strncmp(id, second, digits) != 0))
            net->initial[p] = 0;
    }
}

static bool some_deadlock_marks(const struct space *space, const char *id)
{
    uint32_t place = place_named(space->net, id);
    for (size_t s = 0; s < space->states; s++) {
        const uint8_t *tokens = space->tokens + s * space->net->places;
        bool dead = true;
        for (uint32_t t = 0; t < space->net->transitions && dead; t++)
            dead = !is_enabled(space->net, tokens, t);
        if (dead && tokens[place])
            return true;
    }
    return false;
}

static void colliding_files_take_the_next_block(void **state)
{
    (void)state;
    struct net *net = BUILD("filesystem", 14);
    keep_two_threads(net, "start", 0, 13);
    struct space space = explore(net, SIZE_MAX);
    assert_int_equal(space.deadlocks, 1);
    assert_true(some_deadlock_marks(&space, "busy_0_is_1"));
    assert_true(some_deadlock_marks(&space, "busy_1_is_1"));
    assert_true(some_deadlock_marks(&space, "done_0"));
    assert_true(some_deadlock_marks(&space, "done_13"));
    assert_int_equal(most_marked(&space, "locked_0_block_1"), 1);
    assert_int_equal(most_marked(&space, "locked_13_block_1"), 1);
    release(&space);
    net_free(net);
}

static void files_of_one_inode_take_one_block(void **state)
{
    (void)state;
    struct net *net = BUILD("filesystem", 33);
    keep_two_threads(net, "start", 1, 1);
    struct space alone = explore(net, SIZE_MAX);
    assert_int_equal(alone.states, 6);
    release(&alone);
    net_free(net);

    net = BUILD("filesystem", 33);
    keep_two_threads(net, "start", 0, 32);
    struct space space = explore(net, SIZE_MAX);
    assert_int_equal(space.deadlocks, 1);
    assert_true(some_deadlock_marks(&space, "busy_0_is_1"));
    assert_true(some_deadlock_marks(&space, "busy_1_is_0"));
    assert_true(some_deadlock_marks(&space, "inode_0_is_1"));
    release(&space);
    net_free(net);
}

static void colliding_messages_take_the_next_slot(void **state)
{
    (void)state;
    struct net *net = BUILD("indexer", 12);
    keep_two_threads(net, "ready", 0, 11);
    struct space space = explore(net, SIZE_MAX);
    assert_int_equal(space.deadlocks, 1);
    assert_true(some_deadlock_marks(&space, "done_0"));
    assert_true(some_deadlock_marks(&space, "done_11"));
    /* Word 22 is the second message of thread 0 and the first of thread 11; its hash is 26. */
    assert_int_equal(most_marked(&space, "probe_0_message_1_slot_27"), 1);
    assert_int_equal(most_marked(&space, "probe_11_message_0_slot_27"), 1);
    assert_true(some_deadlock_marks(&space, "slot_26_is_1"));
    assert_true(some_deadlock_marks(&space, "slot_27_is_1"));
    assert_true(space.states > power(13, 2));
    release(&space);
    net_free(net);
}

static void bakery_has_the_printed_sizes(void **state)
{
    (void)state;
    static const size_t two[] = {205, 351, 497, 643, 789, 935, 1081}; /* Burgman, table A.1, Helena model */
    for (long tickets = 2; tickets <= 8; tickets++)
        assert_size(BUILD("bakery", 2, tickets), two[tickets - 2], 4);
    assert_size(BUILD("bakery", 3, 2), 5773, 25);
    assert_size(BUILD("bakery", 3, 3), 12454, 40);
}

static void szymanski_has_the_printed_sizes(void **state)
{
    (void)state;
    static const size_t printed[] = {5, 25, 112, 469, 1894}; /* Burgman, table A.2, DRoP model */
    for (long n = 1; n <= 5; n++)
        assert_size(BUILD("szymanski", n), printed[n - 1], 0);
    static const size_t of_bits[] = {17, 489, 20264}; /* the same table, Helena model */
    for (long n = 1; n <= 3; n++)
        assert_size(BUILD("szymanski-bits", n), of_bits[n - 1], 0);
}

static void no_two_processes_are_critical(void **state)
{
    (void)state;
    struct net *nets[] = {BUILD("bakery", 3, 3), BUILD("szymanski", 6), BUILD("peterson", 2),  BUILD("peterson", 3),
                          BUILD("lamport", 2),   BUILD("lamport", 3),   BUILD("token-ring", 5)};
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        struct space space = explore(nets[i], SIZE_MAX);
        assert_int_equal(most_marked(&space, "critical"), 1);
        release(&space);
        net_free(nets[i]);
    }
}

static void mutual_exclusion_algorithms_do_not_deadlock(void **state)
{
    (void)state;
    assert_size(BUILD("peterson", 2), 158, 0);
    assert_size(BUILD("peterson", 3), 20754, 0);
    assert_size(BUILD("lamport", 2), 380, 0);
    assert_size(BUILD("lamport", 3), 19742, 0);
}

static void rings_have_their_known_sizes(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        assert_size(BUILD("token-ring", (long)n), 3 * n * power(2, n - 1), 0);
    static const size_t delannoy[] = {13, 63, 321, 1683}; /* 2^n times a central Delannoy number */
    for (unsigned n = 2; n <= 5; n++)
        assert_size(BUILD("slotted-ring", (long)n), power(2, n) * delannoy[n - 2], 0);
}

static void kanban_has_its_known_sizes(void **state)
{
    (void)state;
    assert_size(BUILD("kanban", 1), 160, 0);
    assert_size(BUILD("kanban", 2), 4600, 0);
    assert_size(BUILD("kanban", 3), 58400, 0);
}

static void readers_exclude_writers(void **state)
{
    (void)state;
    for (unsigned readers = 1; readers <= 6; readers++)
        for (unsigned writers = 1; writers <= 3; writers++)
            assert_size(BUILD("readers-writers", (long)readers, (long)writers), power(2, readers) + writers, 0);
}

static void clients_and_peers_do_not_deadlock(void **state)
{
    (void)state;
    assert_size(BUILD("load-balancer", 2, 1), 91, 0);
    assert_size(BUILD("load-balancer", 3, 2), 1728, 0);
    assert_size(BUILD("load-balancer", 3, 3), 4065, 0);
    assert_size(BUILD("peer-to-peer", 2), 23, 0);
    assert_size(BUILD("peer-to-peer", 5), 8808, 0);
    assert_size(BUILD("allocation", 2, 4, 2), 468, 0);
}

static void clients_that_want_too_much_deadlock(void **state)
{
    (void)state;
    /* A client waits for a resource while it holds others: stuck once all hold one less than their limit. */
    for (long clients = 1; clients <= 3; clients++)
        for (long resources = 1; resources <= 4; resources++)
            for (long limit = 1; limit <= 2; limit++) {
                struct net *net = BUILD("allocation", clients, resources, limit);
                struct space space = explore(net, SIZE_MAX);
                assert_int_equal(space.deadlocks > 0, resources <= clients * (limit - 1));
                release(&space);
                net_free(net);
            }
}

static void the_unbounded_buffer_grows(void **state)
{
    (void)state;
    struct net *net = BUILD("unbounded", 1);
    struct space space = explore(net, 400);
    uint32_t buffer = place_named(net, "buffer");
    unsigned most = 0;
    for (size_t s = 0; s < space.states; s++)
        if (space.tokens[s * net->places + buffer] > most)
            most = space.tokens[s * net->places + buffer];
    assert_true(most > 50);
    release(&space);
    net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_valid_and_unique),
        cmocka_unit_test(units_are_disjoint_invariants),
        cmocka_unit_test(nothing_is_left_unconnected),
        cmocka_unit_test(the_largest_parameters_build),
        cmocka_unit_test(an_unknown_family_is_refused_with_a_guess),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(missing_parameters_take_the_usual_value),
        cmocka_unit_test(philosophers_have_one_deadlock),
        cmocka_unit_test(atomic_philosophers_are_lucas_numbers),
        cmocka_unit_test(figures_have_the_states_they_show),
        cmocka_unit_test(figure_003_enables_t1_t4_t5),
        cmocka_unit_test(filesystem_has_six_states_per_thread),
        cmocka_unit_test(indexer_has_thirteen_states_per_thread),
        cmocka_unit_test(colliding_files_take_the_next_block),
        cmocka_unit_test(files_of_one_inode_take_one_block),
        cmocka_unit_test(colliding_messages_take_the_next_slot),
        cmocka_unit_test(bakery_has_the_printed_sizes),
        cmocka_unit_test(szymanski_has_the_printed_sizes),
        cmocka_unit_test(no_two_processes_are_critical),
        cmocka_unit_test(mutual_exclusion_algorithms_do_not_deadlock),
        cmocka_unit_test(rings_have_their_known_sizes),
        cmocka_unit_test(kanban_has_its_known_sizes),
        cmocka_unit_test(readers_exclude_writers),
        cmocka_unit_test(clients_and_peers_do_not_deadlock),
        cmocka_unit_test(clients_that_want_too_much_deadlock),
        cmocka_unit_test(the_unbounded_buffer_grows),
        cmocka_unit_test(arcs_are_drawn_as_written),
        cmocka_unit_test(an_unknown_place_is_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
