/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutual exclusion algorithms.  A shared variable is one place per value; a guard "is v" is a read arc,
 * "is not v" an inhibitor arc.  The critical section of process i is the place critical_i.
 *
 * bakery     Lamport's bakery with a bound on the tickets, in the steps of the net `bakery` of Helena, whose
 *            sizes Burgman's thesis prints in table A.1.  The maximum is found by reading one number after the
 *            other.  A process that finds no ticket left stops forever.
 * szymanski  Burgman's algorithm 10; each test of all flags is one step.  Sizes of table A.2, "DRoP model".
 * peterson   Peterson's N-process algorithm, in the steps of the net `peterson` of Helena.
 * lamport    Lamport's fast mutual exclusion, in the steps of Jorgensen and Kristensen, "Computer aided
 *            verification of Lamport's fast mutual exclusion algorithm", as in the net `lamport` of Helena.
 *            Sizes of the last two in table 2 of Evangelista and Pajault, "Solving the ignoring problem".
 */
#include "front/petri/generate/families.h"

/* ------------------------------------------------------------------ bakery */

static void draw_baker_places(struct drawing *d, const long *n)
{
    uint32_t first = names_count(&d->places);
    draw_places(d, "idle_{i}=1 critical_{i}");
    DRAW_EACH (d, j, 1, n[0] + 1)
        DRAW_EACH (d, m, 0, n[1])
            draw_places(d, "choose_{i}_at_{j}_max_{m}");
    DRAW_EACH (d, j, 1, n[0] + 1)
        draw_places(d, "loop_{i}_at_{j}");
    DRAW_EACH (d, j, 1, n[0])
        draw_places(d, "wait_{i}_for_{j}");
    draw_unit_from(d, first);
}

/* Reads the numbers of all into a maximum, then takes the next one. */
static void draw_choice(struct drawing *d, const long *n)
{
    DRAW_EACH (d, m, 0, n[1]) {
        DRAW_EACH (d, j, 1, n[0])
            DRAW_EACH (d, r, 0, n[1]) {
                draw_let(d, 'l', r > m ? r : m);
                draw_step(d, "read_{i}_of_{j}_max_{m}_is_{r}: choose_{i}_at_{j}_max_{m} -> "
                             "choose_{i}_at_{j+1}_max_{l} test number_{j}_is_{r}");
            }
        if (m < n[1])
            draw_step(d, "take_{i}_ticket_{m+1}: choose_{i}_at_{n+1}_max_{m} number_{i}_is_0 choosing_{i}_is_1 -> "
                         "loop_{i}_at_1 number_{i}_is_{m+1} choosing_{i}_is_0");
    }
}

/* Process i passes process j when j has no number or a larger one; the smaller index wins a tie. */
static void draw_passing(struct drawing *d, long i, long j, long tickets)
{
    draw_step(d, "settled_{i}_sees_{j}: loop_{i}_at_{j} -> wait_{i}_for_{j} test choosing_{j}_is_0");
    if (i == j) {
        draw_step(d, "pass_{i}_self: wait_{i}_for_{j} -> loop_{i}_at_{j+1}");
        return;
    }
    DRAW_EACH (d, m, 1, tickets)
        DRAW_EACH (d, o, 0, tickets)
            if (o == 0 || o > m || (o == m && j > i))
                draw_step(d, "pass_{i}_over_{j}_with_{m}_and_{o}: wait_{i}_for_{j} -> loop_{i}_at_{j+1} "
                             "test number_{i}_is_{m} number_{j}_is_{o}");
}

void draw_bakery(struct drawing *d, const long *n)
{
    draw_let(d, 'n', n[0]);
    DRAW_EACH (d, i, 1, n[0])
        draw_variable(d, "choosing_{i}", 1);
    DRAW_EACH (d, i, 1, n[0])
        draw_variable(d, "number_{i}", n[1]);
    DRAW_EACH (d, i, 1, n[0]) {
        draw_baker_places(d, n);
        draw_step(d, "want_{i}: idle_{i} choosing_{i}_is_0 -> choose_{i}_at_1_max_0 choosing_{i}_is_1");
        draw_choice(d, n);
        DRAW_EACH (d, j, 1, n[0])
            draw_passing(d, i, j, n[1]);
        draw_step(d, "enter_{i}: loop_{i}_at_{n+1} -> critical_{i}");
        DRAW_EACH (d, t, 1, n[1])
            draw_step(d, "leave_{i}_ticket_{t}: critical_{i} number_{i}_is_{t} -> idle_{i} number_{i}_is_0");
    }
}

/* --------------------------------------------------------------- szymanski */

/* One transition for each other process j: "if some process is in a state". */
static void draw_some(struct drawing *d, long i, long n, const char *text)
{
    DRAW_EACH (d, j, 1, n)
        if (j != i)
            draw_step(d, text);
}

/* The local state gives the flag: flag_4 and critical both have flag 4. */
void draw_szymanski(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n)
        draw_unit(d, "flag_0_{i}=1 flag_1_{i} flag_2_{i} flag_3_{i} flag_4_{i} critical_{i}");
    DRAW_EACH (d, i, 1, *n) {
        draw_step(d, "come_{i}: flag_0_{i} -> flag_1_{i}");
        uint32_t enter_room = draw_step(d, "enter_room_{i}: flag_1_{i} -> flag_3_{i}");
        draw_some(d, i, *n, "see_{i}_that_{j}_comes: flag_3_{i} -> flag_2_{i} test flag_1_{j}");
        uint32_t close = draw_step(d, "close_door_{i}: flag_3_{i} -> flag_4_{i}");
        draw_some(d, i, *n, "see_{i}_that_{j}_closes: flag_2_{i} -> flag_4_{i} test flag_4_{j}");
        draw_some(d, i, *n, "see_{i}_that_{j}_is_critical: flag_2_{i} -> flag_4_{i} test critical_{j}");
        uint32_t enter = draw_step(d, "enter_{i}: flag_4_{i} -> critical_{i}");
        uint32_t leave = draw_step(d, "leave_{i}: critical_{i} -> flag_0_{i}");
        DRAW_EACH (d, j, 1, *n) {
            if (j == i)
                continue;
            draw_arcs(d, enter_room, "unless flag_3_{j} flag_4_{j} critical_{j}");
            draw_arcs(d, close, "unless flag_1_{j}");
            if (j < i)
                draw_arcs(d, enter, "unless flag_2_{j} flag_3_{j} flag_4_{j} critical_{j}");
            else
                draw_arcs(d, leave, "unless flag_2_{j} flag_3_{j}");
        }
    }
}

/* ---------------------------------------------------------------- peterson */

/* Process i at level l looks at each process k; there is nothing to test of itself. */
static void draw_peterson_places(struct drawing *d, long i, long n)
{
    uint32_t first = names_count(&d->places);
    draw_places(d, "idle_{i}=1 critical_{i}");
    DRAW_EACH (d, l, 1, n - 1) {
        draw_places(d, "ask_{i}_level_{l} test_turn_{i}_level_{l} level_end_{i}_level_{l}");
        DRAW_EACH (d, k, 1, n) {
            draw_places(d, "loop_{i}_level_{l}_of_{k} test_self_{i}_level_{l}_of_{k} loop_end_{i}_level_{l}_of_{k}");
            if (k != i)
                draw_places(d, "test_alone_{i}_level_{l}_of_{k}");
        }
    }
    draw_unit_from(d, first);
}

/* The loop that waits until no other process wants to enter, or another one came to the level. */
static void draw_look(struct drawing *d, long i, long k, long n)
{
    draw_step(d, "look_{i}_level_{l}_at_{k}: loop_{i}_level_{l}_of_{k} -> test_self_{i}_level_{l}_of_{k}");
    if (k == i) {
        draw_step(d, "self_{i}_level_{l}: test_self_{i}_level_{l}_of_{k} -> loop_end_{i}_level_{l}_of_{k}");
    } else {
        draw_step(d,
                  "not_self_{i}_level_{l}_is_{k}: test_self_{i}_level_{l}_of_{k} -> test_alone_{i}_level_{l}_of_{k}");
        draw_step(d, "not_alone_{i}_level_{l}_with_{k}: test_alone_{i}_level_{l}_of_{k} -> test_turn_{i}_level_{l} "
                     "test wants_{k}_is_1");
        draw_step(d, "alone_{i}_level_{l}_without_{k}: test_alone_{i}_level_{l}_of_{k} -> "
                     "loop_end_{i}_level_{l}_of_{k} test wants_{k}_is_0");
    }
    uint32_t next = draw_step(d, "next_{i}_level_{l}_after_{k}: loop_end_{i}_level_{l}_of_{k}");
    draw_arcs(d, next, k < n ? "-> loop_{i}_level_{l}_of_{k+1}" : "-> level_end_{i}_level_{l}");
}

/* The turn of a level is the last process that came to it, numbered from 0. */
static void draw_level(struct drawing *d, long i, long n)
{
    DRAW_EACH (d, o, 1, n)
        draw_step(d, "set_turn_{i}_level_{l}_from_{o}: ask_{i}_level_{l} turn_{l}_is_{o-1} -> "
                     "test_turn_{i}_level_{l} turn_{l}_is_{i-1}");
    draw_step(d, "turn_mine_{i}_level_{l}: test_turn_{i}_level_{l} -> loop_{i}_level_{l}_of_1 test turn_{l}_is_{i-1}");
    draw_step(d, "turn_other_{i}_level_{l}: test_turn_{i}_level_{l} -> level_end_{i}_level_{l} "
                 "unless turn_{l}_is_{i-1}");
    DRAW_EACH (d, k, 1, n)
        draw_look(d, i, k, n);
}

void draw_peterson(struct drawing *d, const long *n)
{
    DRAW_EACH (d, i, 1, *n)
        draw_variable(d, "wants_{i}", 1);
    DRAW_EACH (d, l, 1, *n - 1)
        draw_variable(d, "turn_{l}", *n - 1);
    DRAW_EACH (d, i, 1, *n) {
        draw_peterson_places(d, i, *n);
        draw_step(d, "want_{i}: idle_{i} wants_{i}_is_0 -> ask_{i}_level_1 wants_{i}_is_1");
        DRAW_EACH (d, l, 1, *n - 1) {
            draw_level(d, i, *n);
            draw_step(d, l + 1 < *n ? "rise_{i}_level_{l+1}: level_end_{i}_level_{l} -> ask_{i}_level_{l+1}"
                                    : "enter_{i}: level_end_{i}_level_{l} -> critical_{i}");
        }
        draw_step(d, "leave_{i}: critical_{i} wants_{i}_is_1 -> idle_{i} wants_{i}_is_0");
    }
}

/* ----------------------------------------------------------------- lamport */

/* A write to x or y is one transition for each value o that it overwrites. */
static void draw_write(struct drawing *d, long n, const char *text)
{
    DRAW_EACH (d, o, 0, n)
        draw_step(d, text);
}

/* Waits, in any order, until each b[j] has been seen false once. */
static void draw_await_all(struct drawing *d, long n)
{
    uint32_t prepare = draw_step(d, "prepare_{i}: prepared_{i} -> await_all_{i}");
    uint32_t finish = draw_step(d, "seen_all_{i}: await_all_{i} -> test_y_again_{i}");
    DRAW_EACH (d, j, 1, n) {
        draw_places(d, "waits_{i}_for_{j} seen_{i}_of_{j}");
        draw_arcs(d, prepare, "-> waits_{i}_for_{j}");
        draw_step(d, "see_{i}_of_{j}: waits_{i}_for_{j} -> seen_{i}_of_{j} test await_all_{i} b_{j}_is_0");
        draw_arcs(d, finish, "seen_{i}_of_{j}");
    }
}

static void draw_lamport_process(struct drawing *d, long n)
{
    draw_unit(d, "start_{i}=1 set_x_{i} test_y_{i} back_off_{i} await_y_{i} set_y_{i} test_x_{i} withdraw_{i} "
                 "prepared_{i} await_all_{i} test_y_again_{i} critical_{i} clear_b_{i}");
    draw_step(d, "raise_{i}: start_{i} b_{i}_is_0 -> set_x_{i} b_{i}_is_1");
    draw_write(d, n, "write_x_{i}_from_{o}: set_x_{i} x_is_{o} -> test_y_{i} x_is_{i}");
    draw_step(d, "y_taken_{i}: test_y_{i} -> back_off_{i} unless y_is_0");
    draw_step(d, "y_free_{i}: test_y_{i} -> set_y_{i} test y_is_0");
    draw_step(d, "lower_{i}_backing_off: back_off_{i} b_{i}_is_1 -> await_y_{i} b_{i}_is_0");
    draw_step(d, "retry_{i}: await_y_{i} -> start_{i} test y_is_0");
    draw_write(d, n, "write_y_{i}_from_{o}: set_y_{i} y_is_{o} -> test_x_{i} y_is_{i}");
    draw_step(d, "enter_{i}_fast: test_x_{i} -> critical_{i} test x_is_{i}");
    draw_step(d, "x_lost_{i}: test_x_{i} -> withdraw_{i} unless x_is_{i}");
    draw_step(d, "lower_{i}_withdrawing: withdraw_{i} b_{i}_is_1 -> prepared_{i} b_{i}_is_0");
    draw_await_all(d, n);
    draw_step(d, "enter_{i}_slow: test_y_again_{i} -> critical_{i} test y_is_{i}");
    draw_step(d, "y_lost_{i}: test_y_again_{i} -> await_y_{i} unless y_is_{i}");
    draw_write(d, n, "free_y_{i}_from_{o}: critical_{i} y_is_{o} -> clear_b_{i} y_is_0");
    draw_step(d, "lower_{i}_leaving: clear_b_{i} b_{i}_is_1 -> start_{i} b_{i}_is_0");
    draw_step(d, "leave_{i}_lowered: clear_b_{i} -> start_{i} test b_{i}_is_0");
}

void draw_lamport(struct drawing *d, const long *n)
{
    draw_variable(d, "x", *n);
    draw_variable(d, "y", *n);
    DRAW_EACH (d, i, 1, *n)
        draw_variable(d, "b_{i}", 1);
    DRAW_EACH (d, i, 1, *n)
        draw_lamport_process(d, *n);
}
