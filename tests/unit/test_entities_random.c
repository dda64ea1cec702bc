/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random entity systems: written down, read back, explored fully and by every
 * reduction, against a naive explorer that works on the drawn sets themselves.
 */
#include "support.h"

#include "front/entities/entities.h"

#include <stdio.h>

enum { SYSTEMS = 1000, MOST_ENTITIES = 10, MOST_ACTIONS = 16, STATES = 1 << MOST_ENTITIES };

/* Sets of entities as bits. */
struct drawn_action {
    uint32_t reads, forbids, deletes, creates;
};

struct drawn {
    uint32_t entities, actions, initial;
    uint32_t spread; /* so many other entities before each, to use more words */
    struct drawn_action action[MOST_ACTIONS];
    char text[16384];
};

/* ------------------------------------------------------------------ drawing */

/* The redundant ways to say something are drawn too: reads and deletes, forbids and creates, deletes and creates. */
static void draw_use(struct drawn_action *action, uint32_t entity, uint64_t *seed)
{
    uint32_t bit = UINT32_C(1) << entity;
    switch (random_below(seed, 16)) {
    case 0:
    case 1: action->reads |= bit; break;
    case 2: action->forbids |= bit; break;
    case 3: action->reads |= bit; /* fall through */
    case 4:
    case 5:
    case 6: action->deletes |= bit; break;
    case 7: action->forbids |= bit; /* fall through */
    case 8:
    case 9:
    case 10: action->creates |= bit; break;
    case 11:
        action->deletes |= bit;
        action->creates |= bit;
        break;
    default: break;
    }
}

/* An action that moves something on: most of these are enabled somewhere. */
static void draw_move(struct drawn_action *action, uint32_t entities, uint64_t *seed)
{
    uint32_t from = random_below(seed, entities), to = random_below(seed, entities), by = random_below(seed, entities);
    action->deletes |= random_below(seed, 6) ? UINT32_C(1) << from : 0;
    action->creates |= random_below(seed, 6) ? UINT32_C(1) << to : 0;
    if (by != from && by != to && random_below(seed, 2))
        draw_use(action, by, seed);
}

static char *write_set(char *out, const char *word, uint32_t set, const struct drawn *d)
{
    if (!set)
        return out;
    out += sprintf(out, "  %s", word);
    for (uint32_t e = 0; e < d->entities; e++)
        if (set >> e & 1)
            out += sprintf(out, " e%u", e);
    return out + sprintf(out, "\n");
}

static void draw(struct drawn *d, uint64_t *seed)
{
    memset(d, 0, sizeof *d);
    d->entities = 4 + random_below(seed, MOST_ENTITIES - 3);
    d->actions = 4 + random_below(seed, MOST_ACTIONS - 3);
    d->spread = random_below(seed, 3) ? 0 : random_below(seed, 30);
    d->initial = random_below(seed, UINT32_C(1) << d->entities);
    char *out = d->text + sprintf(d->text, "entities");
    for (uint32_t e = 0; e < d->entities; e++) {
        for (uint32_t i = 0; i < d->spread; i++)
            out += sprintf(out, " other%u_%u", e, i);
        out += sprintf(out, " e%u", e);
    }
    out += sprintf(out, "\n");
    out = write_set(out, "initial", d->initial, d);
    bool moves = random_below(seed, 4);
    uint32_t touched = moves ? 0 : 1 + random_below(seed, 3); /* entities of an action, more or less */
    for (uint32_t a = 0; a < d->actions; a++) {
        if (moves)
            draw_move(&d->action[a], d->entities, seed);
        for (uint32_t e = 0; e < d->entities; e++)
            if (random_below(seed, d->entities) < touched)
                draw_use(&d->action[a], e, seed);
        out += sprintf(out, "action a%u:\n", a);
        out = write_set(out, "creates", d->action[a].creates, d);
        out = write_set(out, "reads", d->action[a].reads, d);
        out = write_set(out, "deletes", d->action[a].deletes, d);
        out = write_set(out, "forbids", d->action[a].forbids, d);
    }
}

/* -------------------------------------------------------- the naive explorer */

struct known {
    bool reached[STATES], deadlock[STATES];
    uint32_t states, transitions, deadlocks;
};

static bool enabled(const struct drawn_action *a, uint32_t state)
{
    uint32_t fresh = a->creates & ~a->deletes;
    return ((a->reads | a->deletes) & ~state) == 0 && ((a->forbids | fresh) & state) == 0;
}

static void explore_naively(const struct drawn *d, struct known *known)
{
    uint32_t queue[STATES], count = 0;
    memset(known, 0, sizeof *known);
    queue[count++] = d->initial;
    known->reached[d->initial] = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = 0;
        for (uint32_t a = 0; a < d->actions; a++) {
            if (!enabled(&d->action[a], queue[i]))
                continue;
            uint32_t next = (queue[i] & ~d->action[a].deletes) | d->action[a].creates;
            steps++;
            if (!known->reached[next])
                queue[count++] = next;
            known->reached[next] = true;
        }
        known->deadlock[queue[i]] = steps == 0;
        known->deadlocks += steps == 0;
        known->transitions += steps;
    }
    known->states = count;
}

/* -------------------------------------------------------------- the compared */

struct found {
    const struct portolan_system *system;
    uint32_t entities;
    bool deadlock[STATES];
};

static void note_deadlock(void *user, uint32_t number, const void *bytes)
{
    struct found *found = user;
    uint32_t state = 0;
    (void)number;
    for (uint32_t e = 0; e < found->entities; e++) {
        char name[16];
        uint32_t variable;
        snprintf(name, sizeof name, "e%u", e);
        assert_true(found->system->find_variable(found->system->model, name, &variable));
        if (found->system->value(found->system->model, bytes, variable))
            state |= UINT32_C(1) << e;
    }
    found->deadlock[state] = true;
}

static void assert_same_deadlocks(const struct drawn *d, const struct known *known, struct portolan_system *system,
                                  const char *reduction, const char *search)
{
    struct found found = {.system = system, .entities = d->entities};
    struct portolan_options options = {.reduction = reduction,
                                       .proviso = "none",
                                       .search = search,
                                       .check_relations = true,
                                       .callbacks = {.user = &found, .deadlock = note_deadlock}};
    struct portolan_result result;
    struct portolan_error error = {0};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s %s: %s\n%s", reduction, search, error.message, d->text);
    if (memcmp(found.deadlock, known->deadlock, sizeof found.deadlock) != 0 || result.stop != PORTOLAN_COMPLETE)
        fail_msg("%s %s: other deadlocks\n%s", reduction, search, d->text);
    if (strcmp(reduction, "none") == 0) {
        assert_int_equal(result.statistics.states, known->states);
        assert_int_equal(result.statistics.transitions, known->transitions);
    }
    assert_true(result.statistics.states <= known->states);
    result_clear(&result);
}

/* Whether some state has one entity and not another, as the reductions with their provisos see it. */
static void assert_same_verdict(const struct drawn *d, const struct known *known, struct portolan_system *system,
                                const char *reduction, uint64_t *seed)
{
    uint32_t with = random_below(seed, d->entities), without = random_below(seed, d->entities);
    bool reachable = false;
    for (uint32_t s = 0; s < STATES; s++)
        reachable |= known->reached[s] && (s >> with & 1) && !(s >> without & 1);
    char text[64];
    snprintf(text, sizeof text, "e%u = 1 && e%u = 0", with, without);
    struct portolan_property *property;
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, text, &property, NULL), PORTOLAN_OK);
    struct portolan_options options = {
        .reduction = reduction, .properties = (const struct portolan_property *const *)&property, .property_count = 1};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    if (result.answers[0].verdict != (reachable ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED))
        fail_msg("%s: wrong about %s\n%s", reduction, text, d->text);
    result_clear(&result);
    portolan_property_free(property);
}

static void test_random_systems(void **state)
{
    static const char *const reductions[] = {"none",
                                             "stubborn:strong,persistent",
                                             "stubborn:closure,persistent",
                                             "stubborn:weak",
                                             "stubborn:guards",
                                             "lpor",
                                             "lpor:plain"};
    static struct drawn d;
    static struct known known;
    uint64_t seed = 1, states = 0, deadlocks = 0, reduced = 0;
    (void)state;
    for (unsigned number = 0; number < SYSTEMS; number++) {
        draw(&d, &seed);
        explore_naively(&d, &known);
        struct entity_system *entities;
        struct portolan_system *system;
        assert_int_equal(entities_read_memory("drawn.ent", d.text, strlen(d.text), &entities, NULL), PORTOLAN_OK);
        assert_int_equal(entities_system_new(entities, "drawn.ent", &system, NULL), PORTOLAN_OK);
        for (size_t r = 0; r < sizeof reductions / sizeof *reductions; r++)
            assert_same_deadlocks(&d, &known, system, reductions[r], (number + r) % 2 ? "dfs" : "bfs");
        assert_same_verdict(&d, &known, system, number % 2 ? "stubborn" : "lpor", &seed);
        states += known.states;
        deadlocks += known.deadlocks;
        reduced += explored(system, "stubborn", "none", "dfs").states;
        portolan_system_free(system);
    }
    /* the generator is worth its name: systems with some states, deadlocks and something to leave out */
    assert_true(states > 10 * SYSTEMS);
    assert_true(deadlocks > SYSTEMS / 2);
    assert_true(reduced < states * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
