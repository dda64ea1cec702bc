/* SPDX-License-Identifier: Apache-2.0 */
// What the generated C programs of tests/random_atomics.c share.
#include <portolan/program.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "outcome.h"

static _Alignas(8) atomic_int x;
static _Alignas(8) atomic_int y;
static union { // of which parts are accessed, and all
    _Alignas(8) _Atomic unsigned char b[2];
    _Atomic unsigned short w;
} u;
static _Alignas(8) atomic_flag g;
static _Alignas(8) _Atomic unsigned char f; // a lock
#ifndef PLAIN
#define PLAIN volatile // every access is one
#endif
static _Alignas(8) PLAIN int p;
static _Alignas(8) PLAIN int q;
static volatile int vx, vy;
static int own[3];        // of each thread
static _Alignas(8) int e; // expected values: here, ...
struct node {             // ... and in a list
    struct node *next;
    int e;
};
static struct node *list;
static int out[3];

#define SEE r = (r * 5 + v + 1) % 9973;
#define ORDER(order) memory_order_##order
#define LOAD(place, order) atomic_load_explicit(&place, ORDER(order))
#define STORE(place, value, order) atomic_store_explicit(&place, value, ORDER(order))
#define EXCHANGE(place, value, order) atomic_exchange_explicit(&place, value, ORDER(order))
#define ADD(place, value, order) atomic_fetch_add_explicit(&place, value, ORDER(order))
#define OR(place, value, order) atomic_fetch_or_explicit(&place, value, ORDER(order))
#define AND(place, value, order) atomic_fetch_and_explicit(&place, value, ORDER(order))
#define SET(order) atomic_flag_test_and_set_explicit(&g, ORDER(order))
#define CLEAR(order) atomic_flag_clear_explicit(&g, ORDER(order))
#define FENCE(order) atomic_thread_fence(ORDER(order))
// Whether it succeeds, with an expected value that is in memory or is given.
#define SWAP_AT(place, expected, value, order, failed)                                                                 \
    atomic_compare_exchange_strong_explicit(&place, &expected, value, ORDER(order), ORDER(failed))
#define SWAP(place, expected, value, order, failed)                                                                    \
    ({                                                                                                                 \
        __typeof__(LOAD(place, relaxed)) wanted = expected;                                                            \
        SWAP_AT(place, wanted, value, order, failed);                                                                  \
    })
#define LOCK(order)                                                                                                    \
    while (EXCHANGE(f, 1, order)) {                                                                                    \
    }
#define UNLOCK(order) STORE(f, 0, order)

static void report(int file)
{
    char line[200], *at = line;
    at = put(at, LOAD(x, relaxed) + vx);
    at = put(at, LOAD(y, relaxed) + vy);
    at = put(at, LOAD(u.w, relaxed));
    at = put(at, SET(relaxed));
    at = put(at, p);
    at = put(at, q);
    at = put(at, e);
    at = put(at, list->next->e);
    for (int i = 0; i < 3; i++)
        at = put(at, out[i]);
    at[-1] = '\n';
    if (write(file, line, (size_t)(at - line)) != at - line)
        abort();
}

static void run_threads(void *(*const *threads)(void *), int count, int file)
{
    pthread_t t[3];
    list = malloc(sizeof *list);
    list->next = malloc(sizeof *list->next);
    list->next->e = 0;
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, threads[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    report(file);
}
