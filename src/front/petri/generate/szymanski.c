/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Szymanski's mutual exclusion with three bits a process (a: waits outside, w: is in the waiting room, s: has shut
 * the door), which looks at the others one by one: the steps of the model `szymanski` of the BEEM database, and the
 * sizes that Burgman's thesis prints in table A.2, "Helena model".
 *
 * The index of the loops is a part of the local state wherever the process is, so outside too: there it still has the
 * value with which the critical section was left.
 */
#include "front/petri/generate/families.h"

/* Process i goes on from one place, with the index j of its loop, to another with index k. */
static void draw_move(struct drawing *d, const char *from, long j, const char *to, long k, const char *arcs)
{
    draw_let_word(d, 'f', from);
    draw_let_word(d, 't', to);
    draw_let(d, 'j', j);
    draw_let(d, 'k', k);
    uint32_t move = draw_step(d, "{f}_{i}_at_{j}_to_{t}_at_{k}: {f}_{i}_at_{j} -> {t}_{i}_at_{k}");
    draw_arcs(d, move, arcs);
}

/* The same with "bit := value", one transition for each old value. */
static void draw_set(struct drawing *d, const char *from, long j, const char *to, const char *bit, long value)
{
    draw_let_word(d, 'f', from);
    draw_let_word(d, 't', to);
    draw_let_word(d, 'b', bit);
    draw_let(d, 'j', j);
    draw_let(d, 'v', value);
    DRAW_EACH (d, o, 0, 1)
        draw_step(d, "{f}_{i}_at_{j}_from_{o}: {f}_{i}_at_{j} {b}_{i}_is_{o} -> {t}_{i}_at_0 {b}_{i}_is_{v}");
}

/* Two bits at once, with old values o and p. */
static void draw_two(struct drawing *d, const char *text)
{
    DRAW_EACH (d, o, 0, 1)
        DRAW_EACH (d, p, 0, 1)
            draw_step(d, text);
}

static void draw_arrival(struct drawing *d, long i, long n)
{
    draw_set(d, "outside", 0, "arrive", "outside", 1); /* as it began */
    if (i > 1)
        draw_set(d, "outside", i - 1, "arrive", "outside", 1); /* as it left */
    for (long j = 0; j < n; j++)
        draw_move(d, "arrive", j, "arrive", j + 1, "test shut_{k}_is_0");
    draw_move(d, "arrive", n, "enter", n, "");
    draw_two(d, "enter_{i}_at_{n}_from_{o}_{p}: enter_{i}_at_{n} inside_{i}_is_{o} outside_{i}_is_{p} -> "
                "look_{i}_at_{n} inside_{i}_is_1 outside_{i}_is_0");
}

/* In the waiting room: does anybody still wait outside? */
static void draw_room(struct drawing *d, long n)
{
    for (long j = 0; j <= n; j++) {
        draw_move(d, "look", j, "leave", 0, "test shut_{i}_is_1");
        draw_move(d, "look", j, "scan", 0, "test shut_{i}_is_0");
    }
    for (long j = 0; j < n; j++) {
        draw_move(d, "scan", j, "scan", j + 1, "test outside_{j+1}_is_0");
        draw_move(d, "scan", j, "decide", j, "test outside_{j+1}_is_1");
        draw_move(d, "decide", j, "wait", j, "");
    }
    draw_move(d, "scan", n, "decide", n, "");
    draw_set(d, "decide", n, "shut", "shut", 1);
}

/* The door is shut: somebody outside opens it again; else all who are inside leave. */
static void draw_door(struct drawing *d, long n)
{
    for (long j = 0; j < n; j++) {
        draw_move(d, "shut", j, "shut", j + 1, "test outside_{j+1}_is_0");
        draw_move(d, "shut", j, "wait", j, "shut_{i}_is_1 -> shut_{i}_is_0 test outside_{j+1}_is_1");
        draw_move(d, "empty", j, "empty", j + 1, "test inside_{j+1}_is_0");
    }
    draw_set(d, "shut", n, "empty", "inside", 0);
    draw_move(d, "empty", n, "wait", n, "");
}

/* Looks for a process that has left the room behind the shut door. */
static void draw_wait(struct drawing *d, long i, long n)
{
    for (long j = 0; j < n; j++) {
        draw_move(d, "wait", j, "find", 0, "");
        draw_move(d, "find", j, "find", j + 1, "test inside_{j+1}_is_1");
        draw_step(d, "open_{i}_at_{j}: find_{i}_at_{j} -> find_{i}_at_{j+1} test inside_{j+1}_is_0 shut_{j+1}_is_0");
        draw_move(d, "find", j, "join", j, "test inside_{j+1}_is_0 shut_{j+1}_is_1");
        if (j + 1 == i)
            draw_move(d, "join", j, "look", j, "");
        else
            draw_two(d, "join_{i}_at_{j}_from_{o}_{p}: join_{i}_at_{j} shut_{i}_is_{o} inside_{i}_is_{p} -> "
                        "look_{i}_at_{j} shut_{i}_is_1 inside_{i}_is_0");
    }
    draw_move(d, "wait", n, "join", n, "");
    draw_move(d, "find", n, "join", n, "");
    draw_move(d, "join", n, "look", n, "");
}

static void draw_leaving(struct drawing *d, long i)
{
    for (long j = 0; j + 1 < i; j++)
        draw_move(d, "leave", j, "leave", j + 1, "test inside_{j+1}_is_0 shut_{j+1}_is_0");
    draw_step(d, "leave_{i}_at_{i-1}_to_critical_at_{i-1}: leave_{i}_at_{i-1} -> critical_{i}");
    DRAW_EACH (d, o, 0, 1)
        draw_step(d, "critical_{i}_at_{i-1}_from_{o}: critical_{i} shut_{i}_is_{o} -> outside_{i}_at_{i-1} "
                     "shut_{i}_is_0");
}

/* The places of process i, with the indexes that its loops can have there. */
static void draw_process_places(struct drawing *d, long i, long n)
{
    static const char *const loop[] = {"look", "scan", "decide", "shut", "empty", "wait", "find", "join"};
    uint32_t first = names_count(&d->places);
    draw_places(d, i > 1 ? "outside_{i}_at_0=1 outside_{i}_at_{i-1}" : "outside_{i}_at_0=1");
    DRAW_EACH (d, j, 0, n)
        draw_places(d, "arrive_{i}_at_{j}");
    draw_places(d, "enter_{i}_at_{n}");
    for (size_t l = 0; l < sizeof loop / sizeof loop[0]; l++) {
        draw_let_word(d, 'f', loop[l]);
        DRAW_EACH (d, j, 0, n)
            draw_places(d, "{f}_{i}_at_{j}");
    }
    DRAW_EACH (d, j, 0, i - 1)
        draw_places(d, "leave_{i}_at_{j}");
    draw_places(d, "critical_{i}");
    draw_unit_from(d, first);
}

void draw_szymanski_bits(struct drawing *d, const long *n)
{
    draw_let(d, 'n', *n);
    DRAW_EACH (d, i, 1, *n)
        draw_variable(d, "outside_{i}", 1);
    DRAW_EACH (d, i, 1, *n)
        draw_variable(d, "inside_{i}", 1);
    DRAW_EACH (d, i, 1, *n)
        draw_variable(d, "shut_{i}", 1);
    DRAW_EACH (d, i, 1, *n) {
        draw_process_places(d, i, *n);
        draw_arrival(d, i, *n);
        draw_room(d, *n);
        draw_door(d, *n);
        draw_wait(d, i, *n);
        draw_leaving(d, i);
    }
}
