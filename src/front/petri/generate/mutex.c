/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutual exclusion algorithms.  A shared variable is one place per value; a guard "is v" is a read arc,
 * "is not v" an inhibitor arc.  The critical section of process i is the place critical_i.
 *
 * bakery     Lamport's bakery with a bound on the tickets, in the steps of the net `bakery` of Helena, whose
 *            sizes Burgman's thesis prints in table A.1.  The maximum is found by reading one number after the
 *            other.  A process that finds no ticket left stops for ever.
 * szymanski  Burgman's algorithm 10; each test of all flags is one step.  Sizes of table A.2, "DRoP model".
 * peterson   Peterson's N-process algorithm, in the steps of the net `peterson` of Helena.
 * lamport    Lamport's fast mutual exclusion, in the steps of Jorgensen and Kristensen, "Computer aided
 *            verification of Lamport's fast mutual exclusion algorithm", as in the net `lamport` of Helena.
 *            Sizes of the last two in table 2 of Evangelista and Pajault, "Solving the ignoring problem".
 */
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

/* ------------------------------------------------------------------ bakery */

struct bakery {
    struct net_builder *b;
    uint32_t n;        /* processes */
    uint32_t tickets;  /* the largest number */
    uint32_t choosing; /* boolean variables */
    uint32_t number;   /* variables with values 0 ... tickets */
};

static uint32_t number_of(const struct bakery *bakery, uint32_t process, uint32_t value)
{
    return bakery->number + process * (bakery->tickets + 1) + value;
}

/* Reads the numbers j = 0 ... n - 1 into a maximum, then takes the next one; `choose` is the place of j = 0, maximum 0.
 */
static void draw_choice(const struct bakery *bakery, uint32_t i, uint32_t choose, uint32_t loop)
{
    struct net_builder *b = bakery->b;
    uint32_t width = bakery->tickets + 1;
    for (uint32_t maximum = 0; maximum < width; maximum++) {
        for (uint32_t j = 0; j < bakery->n; j++)
            for (uint32_t read = 0; read < width; read++) {
                uint32_t larger = read > maximum ? read : maximum;
                uint32_t step = draw_step(b, choose + j * width + maximum, choose + (j + 1) * width + larger,
                                          "read_%u_of_%u_max_%u_is_%u", i + 1, j + 1, maximum, read);
                draw_test(b, step, number_of(bakery, j, read));
            }
        if (maximum == bakery->tickets)
            continue;
        uint32_t take =
            draw_step(b, choose + bakery->n * width + maximum, loop, "take_%u_ticket_%u", i + 1, maximum + 1);
        draw_move(b, take, number_of(bakery, i, 0), number_of(bakery, i, maximum + 1));
        draw_move(b, take, bakery->choosing + 2 * i + 1, bakery->choosing + 2 * i);
    }
}

/* Process i passes process j when j has no number or a larger one; the smaller index wins a tie. */
static void draw_passing(const struct bakery *bakery, uint32_t i, uint32_t j, uint32_t wait, uint32_t loop)
{
    if (i == j) {
        draw_step(bakery->b, wait, loop, "pass_%u_self", i + 1);
        return;
    }
    for (uint32_t mine = 1; mine <= bakery->tickets; mine++)
        for (uint32_t other = 0; other <= bakery->tickets; other++) {
            if (other && (other < mine || (other == mine && j < i)))
                continue;
            uint32_t pass =
                draw_step(bakery->b, wait, loop, "pass_%u_over_%u_with_%u_and_%u", i + 1, j + 1, mine, other);
            draw_test(bakery->b, pass, number_of(bakery, i, mine));
            draw_test(bakery->b, pass, number_of(bakery, j, other));
        }
}

static void draw_baker(const struct bakery *bakery, uint32_t i)
{
    struct net_builder *b = bakery->b;
    uint32_t n = bakery->n, width = bakery->tickets + 1;
    uint32_t idle = draw_place(b, 1, "idle_%u", i + 1);
    uint32_t critical = draw_place(b, 0, "critical_%u", i + 1);
    uint32_t choose = critical + 1;
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t maximum = 0; maximum < width; maximum++)
            draw_place(b, 0, "choose_%u_at_%u_max_%u", i + 1, j + 1, maximum);
    uint32_t loop = choose + (n + 1) * width, wait = loop + n + 1;
    for (uint32_t j = 0; j <= n; j++)
        draw_place(b, 0, "loop_%u_at_%u", i + 1, j + 1);
    for (uint32_t j = 0; j < n; j++)
        draw_place(b, 0, "wait_%u_for_%u", i + 1, j + 1);
    draw_unit(b, idle, wait + n - idle);

    draw_move(b, draw_step(b, idle, choose, "want_%u", i + 1), bakery->choosing + 2 * i, bakery->choosing + 2 * i + 1);
    draw_choice(bakery, i, choose, loop);
    for (uint32_t j = 0; j < n; j++) {
        draw_test(b, draw_step(b, loop + j, wait + j, "settled_%u_sees_%u", i + 1, j + 1), bakery->choosing + 2 * j);
        draw_passing(bakery, i, j, wait + j, loop + j + 1);
    }
    draw_step(b, loop + n, critical, "enter_%u", i + 1);
    for (uint32_t ticket = 1; ticket < width; ticket++) {
        uint32_t leave = draw_step(b, critical, idle, "leave_%u_ticket_%u", i + 1, ticket);
        draw_move(b, leave, number_of(bakery, i, ticket), number_of(bakery, i, 0));
    }
}

struct net *build_bakery(const long *parameter)
{
    struct bakery bakery = {
        .b = net_builder_new("bakery"), .n = (uint32_t)parameter[0], .tickets = (uint32_t)parameter[1]};
    if (!bakery.b)
        return NULL;
    bakery.choosing = 0;
    for (uint32_t i = 1; i <= bakery.n; i++)
        draw_variable(bakery.b, 2, 0, "choosing_%u", i);
    bakery.number = 2 * bakery.n;
    for (uint32_t i = 1; i <= bakery.n; i++)
        draw_variable(bakery.b, bakery.tickets + 1, 0, "number_%u", i);
    for (uint32_t i = 0; i < bakery.n; i++)
        draw_baker(&bakery, i);
    return net_builder_finish(bakery.b, NULL);
}

/* --------------------------------------------------------------- szymanski */

/* The local state gives the flag: FLAG_4 and CRITICAL both have flag 4. */
enum { FLAG_0, FLAG_1, FLAG_2, FLAG_3, FLAG_4, CRITICAL, SZYMANSKI_STATES };

/* The transition needs process j to have none of the flags lowest ... highest (4 includes the critical section). */
static void draw_no_flag(struct net_builder *b, uint32_t transition, uint32_t j, uint32_t lowest, uint32_t highest)
{
    for (uint32_t state = lowest; state <= highest; state++)
        draw_inhibit(b, transition, j * SZYMANSKI_STATES + state);
}

/* "If some process is in a state" is one transition for each process that may be the one. */
static void draw_some(struct net_builder *b, uint32_t n, uint32_t i, uint32_t from, uint32_t to, uint32_t state,
                      const char *what)
{
    uint32_t at = i * SZYMANSKI_STATES;
    for (uint32_t j = 0; j < n; j++) {
        if (j == i)
            continue;
        uint32_t see = draw_step(b, at + from, at + to, "see_%u_that_%u_%s", i + 1, j + 1, what);
        draw_test(b, see, j * SZYMANSKI_STATES + state);
    }
}

struct net *build_szymanski(const long *parameter)
{
    static const char *const state[] = {"flag_0", "flag_1", "flag_2", "flag_3", "flag_4", "critical"};
    uint32_t n = (uint32_t)parameter[0];
    struct net_builder *b = net_builder_new("szymanski");
    if (!b)
        return NULL;
    for (uint32_t i = 1; i <= n; i++)
        draw_states(b, state, SZYMANSKI_STATES, i);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i * SZYMANSKI_STATES;
        draw_step(b, at + FLAG_0, at + FLAG_1, "come_%u", i + 1);
        uint32_t enter_room = draw_step(b, at + FLAG_1, at + FLAG_3, "enter_room_%u", i + 1);
        draw_some(b, n, i, FLAG_3, FLAG_2, FLAG_1, "comes");
        uint32_t close = draw_step(b, at + FLAG_3, at + FLAG_4, "close_door_%u", i + 1);
        draw_some(b, n, i, FLAG_2, FLAG_4, FLAG_4, "closes");
        draw_some(b, n, i, FLAG_2, FLAG_4, CRITICAL, "is_critical");
        uint32_t enter = draw_step(b, at + FLAG_4, at + CRITICAL, "enter_%u", i + 1);
        uint32_t leave = draw_step(b, at + CRITICAL, at + FLAG_0, "leave_%u", i + 1);
        for (uint32_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            draw_no_flag(b, enter_room, j, FLAG_3, CRITICAL);
            draw_no_flag(b, close, j, FLAG_1, FLAG_1);
            if (j < i)
                draw_no_flag(b, enter, j, FLAG_2, CRITICAL);
            else
                draw_no_flag(b, leave, j, FLAG_2, FLAG_3);
        }
    }
    return net_builder_finish(b, NULL);
}

/* ---------------------------------------------------------------- peterson */

/* Places of one process at one level: three of the level, then four for each process that
 * is looked at (three for the process itself, which is not tested). */
enum { ASK, TEST_TURN, LEVEL_END, LEVEL_PLACES };
enum { LOOP, TEST_SELF, LOOP_END, TEST_ALONE, LOOK_PLACES };

struct peterson {
    struct net_builder *b;
    uint32_t n;
    uint32_t wants; /* boolean variables */
    uint32_t turn;  /* a variable for each level, the last process that came to it */
};

/* The number of places of a process at one level; the first of those for looking at process k. */
static uint32_t level_width(const struct peterson *peterson)
{
    return LEVEL_PLACES + peterson->n * LOOK_PLACES - 1;
}

static uint32_t look_at(uint32_t at, uint32_t i, uint32_t k)
{
    return at + LEVEL_PLACES + k * LOOK_PLACES - (k > i);
}

static void draw_level_places(const struct peterson *peterson, uint32_t i, uint32_t level)
{
    static const char *const here[] = {"ask", "test_turn", "level_end"};
    static const char *const look[] = {"loop", "test_self", "loop_end", "test_alone"};
    for (uint32_t s = 0; s < LEVEL_PLACES; s++)
        draw_place(peterson->b, 0, "%s_%u_level_%u", here[s], i + 1, level + 1);
    for (uint32_t k = 0; k < peterson->n; k++)
        for (uint32_t s = 0; s < (k == i ? TEST_ALONE : LOOK_PLACES); s++)
            draw_place(peterson->b, 0, "%s_%u_level_%u_of_%u", look[s], i + 1, level + 1, k + 1);
}

/* The loop that waits until no other process wants to enter, or another one came to the level. */
static void draw_look_round(const struct peterson *peterson, uint32_t i, uint32_t level, uint32_t at)
{
    struct net_builder *b = peterson->b;
    for (uint32_t k = 0; k < peterson->n; k++) {
        uint32_t look = look_at(at, i, k);
        draw_step(b, look + LOOP, look + TEST_SELF, "look_%u_level_%u_at_%u", i + 1, level + 1, k + 1);
        if (k == i) {
            draw_step(b, look + TEST_SELF, look + LOOP_END, "self_%u_level_%u", i + 1, level + 1);
        } else {
            draw_step(b, look + TEST_SELF, look + TEST_ALONE, "not_self_%u_level_%u_is_%u", i + 1, level + 1, k + 1);
            uint32_t busy = draw_step(b, look + TEST_ALONE, at + TEST_TURN, "not_alone_%u_level_%u_with_%u", i + 1,
                                      level + 1, k + 1);
            draw_test(b, busy, peterson->wants + 2 * k + 1);
            uint32_t idle = draw_step(b, look + TEST_ALONE, look + LOOP_END, "alone_%u_level_%u_without_%u", i + 1,
                                      level + 1, k + 1);
            draw_test(b, idle, peterson->wants + 2 * k);
        }
        uint32_t next = k + 1 < peterson->n ? look_at(at, i, k + 1) + LOOP : at + LEVEL_END;
        draw_step(b, look + LOOP_END, next, "next_%u_level_%u_after_%u", i + 1, level + 1, k + 1);
    }
}

static void draw_level(const struct peterson *peterson, uint32_t i, uint32_t level, uint32_t at)
{
    struct net_builder *b = peterson->b;
    uint32_t turn = peterson->turn + level * peterson->n;
    for (uint32_t old = 0; old < peterson->n; old++) {
        uint32_t set =
            draw_step(b, at + ASK, at + TEST_TURN, "set_turn_%u_level_%u_from_%u", i + 1, level + 1, old + 1);
        draw_move(b, set, turn + old, turn + i);
    }
    uint32_t mine = draw_step(b, at + TEST_TURN, look_at(at, i, 0) + LOOP, "turn_mine_%u_level_%u", i + 1, level + 1);
    draw_test(b, mine, turn + i);
    uint32_t other = draw_step(b, at + TEST_TURN, at + LEVEL_END, "turn_other_%u_level_%u", i + 1, level + 1);
    draw_inhibit(b, other, turn + i);
    draw_look_round(peterson, i, level, at);
}

static void draw_peterson_process(const struct peterson *peterson, uint32_t i)
{
    struct net_builder *b = peterson->b;
    uint32_t levels = peterson->n - 1, width = level_width(peterson);
    uint32_t wants = peterson->wants + 2 * i;
    uint32_t idle = draw_place(b, 1, "idle_%u", i + 1);
    uint32_t critical = draw_place(b, 0, "critical_%u", i + 1);
    uint32_t first = critical + 1;
    for (uint32_t level = 0; level < levels; level++)
        draw_level_places(peterson, i, level);
    draw_unit(b, idle, 2 + levels * width);
    draw_move(b, draw_step(b, idle, first + ASK, "want_%u", i + 1), wants, wants + 1);
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t at = first + level * width;
        draw_level(peterson, i, level, at);
        if (level + 1 < levels)
            draw_step(b, at + LEVEL_END, at + width + ASK, "rise_%u_level_%u", i + 1, level + 2);
        else
            draw_step(b, at + LEVEL_END, critical, "enter_%u", i + 1);
    }
    draw_move(b, draw_step(b, critical, idle, "leave_%u", i + 1), wants + 1, wants);
}

struct net *build_peterson(const long *parameter)
{
    struct peterson peterson = {.b = net_builder_new("peterson"), .n = (uint32_t)parameter[0]};
    if (!peterson.b)
        return NULL;
    peterson.wants = 0;
    for (uint32_t i = 1; i <= peterson.n; i++)
        draw_variable(peterson.b, 2, 0, "wants_%u", i);
    peterson.turn = 2 * peterson.n;
    for (uint32_t level = 1; level < peterson.n; level++)
        draw_variable(peterson.b, peterson.n, 0, "turn_%u", level);
    for (uint32_t i = 0; i < peterson.n; i++)
        draw_peterson_process(&peterson, i);
    return net_builder_finish(peterson.b, NULL);
}

/* ----------------------------------------------------------------- lamport */

enum {
    START,
    SET_X,
    TEST_Y,
    BACK_OFF,
    AWAIT_Y,
    SET_Y,
    TEST_X,
    WITHDRAW,
    PREPARE,
    AWAIT_ALL,
    TEST_Y_AGAIN,
    LAMPORT_CRITICAL,
    CLEAR_B,
    LAMPORT_STATES
};

struct lamport {
    struct net_builder *b;
    uint32_t n;
    uint32_t x, y; /* variables with values 0 (nobody) and 1 ... n */
    uint32_t flag; /* boolean variables b[1] ... b[n] */
};

/* A write to x or y is one transition for each value that it overwrites. */
static void draw_write(const struct lamport *lamport, uint32_t from, uint32_t to, uint32_t variable, uint32_t value,
                       const char *name, uint32_t i)
{
    for (uint32_t old = 0; old <= lamport->n; old++)
        draw_move(lamport->b, draw_step(lamport->b, from, to, "%s_%u_from_%u", name, i, old), variable + old,
                  variable + value);
}

/* Waits, in any order, until each b[j] has been seen false once. */
static void draw_await_all(const struct lamport *lamport, uint32_t i, uint32_t at)
{
    struct net_builder *b = lamport->b;
    uint32_t prepare = draw_step(b, at + PREPARE, at + AWAIT_ALL, "prepare_%u", i);
    uint32_t finish = draw_step(b, at + AWAIT_ALL, at + TEST_Y_AGAIN, "seen_all_%u", i);
    for (uint32_t j = 1; j <= lamport->n; j++) {
        uint32_t waits = draw_place(b, 0, "waits_%u_for_%u", i, j);
        uint32_t seen = draw_place(b, 0, "seen_%u_of_%u", i, j);
        draw_produce(b, prepare, waits);
        uint32_t see = draw_step(b, waits, seen, "see_%u_of_%u", i, j);
        draw_test(b, see, at + AWAIT_ALL);
        draw_test(b, see, lamport->flag + 2 * (j - 1));
        draw_consume(b, finish, seen);
    }
}

static void draw_lamport_process(const struct lamport *lamport, uint32_t i)
{
    static const char *const state[] = {"start",        "set_x",    "test_y",   "back_off", "await_y",
                                        "set_y",        "test_x",   "withdraw", "prepared", "await_all",
                                        "test_y_again", "critical", "clear_b"};
    struct net_builder *b = lamport->b;
    uint32_t at = draw_states(b, state, LAMPORT_STATES, i), flag = lamport->flag + 2 * (i - 1);
    draw_move(b, draw_step(b, at + START, at + SET_X, "raise_%u", i), flag, flag + 1);
    draw_write(lamport, at + SET_X, at + TEST_Y, lamport->x, i, "write_x", i);
    draw_inhibit(b, draw_step(b, at + TEST_Y, at + BACK_OFF, "y_taken_%u", i), lamport->y);
    draw_test(b, draw_step(b, at + TEST_Y, at + SET_Y, "y_free_%u", i), lamport->y);
    draw_move(b, draw_step(b, at + BACK_OFF, at + AWAIT_Y, "lower_%u_backing_off", i), flag + 1, flag);
    draw_test(b, draw_step(b, at + AWAIT_Y, at + START, "retry_%u", i), lamport->y);
    draw_write(lamport, at + SET_Y, at + TEST_X, lamport->y, i, "write_y", i);
    draw_test(b, draw_step(b, at + TEST_X, at + LAMPORT_CRITICAL, "enter_%u_fast", i), lamport->x + i);
    draw_inhibit(b, draw_step(b, at + TEST_X, at + WITHDRAW, "x_lost_%u", i), lamport->x + i);
    draw_move(b, draw_step(b, at + WITHDRAW, at + PREPARE, "lower_%u_withdrawing", i), flag + 1, flag);
    draw_await_all(lamport, i, at);
    draw_test(b, draw_step(b, at + TEST_Y_AGAIN, at + LAMPORT_CRITICAL, "enter_%u_slow", i), lamport->y + i);
    draw_inhibit(b, draw_step(b, at + TEST_Y_AGAIN, at + AWAIT_Y, "y_lost_%u", i), lamport->y + i);
    draw_write(lamport, at + LAMPORT_CRITICAL, at + CLEAR_B, lamport->y, 0, "free_y", i);
    draw_move(b, draw_step(b, at + CLEAR_B, at + START, "lower_%u_leaving", i), flag + 1, flag);
    draw_test(b, draw_step(b, at + CLEAR_B, at + START, "leave_%u_lowered", i), flag);
}

struct net *build_lamport(const long *parameter)
{
    struct lamport lamport = {.b = net_builder_new("lamport"), .n = (uint32_t)parameter[0]};
    if (!lamport.b)
        return NULL;
    lamport.x = draw_variable(lamport.b, lamport.n + 1, 0, "x");
    lamport.y = draw_variable(lamport.b, lamport.n + 1, 0, "y");
    lamport.flag = lamport.y + lamport.n + 1;
    for (uint32_t i = 1; i <= lamport.n; i++)
        draw_variable(lamport.b, 2, 0, "b_%u", i);
    for (uint32_t i = 1; i <= lamport.n; i++)
        draw_lamport_process(&lamport, i);
    return net_builder_finish(lamport.b, NULL);
}
