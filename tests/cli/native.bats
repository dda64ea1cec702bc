#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs: portolan cc and portolan run.

load helpers

# built NAME [ARGUMENT...]: compiles the program on standard input to NAME.
built() {
    local name=$1
    shift
    cat >"$name.c"
    "$program" cc -O1 -Wall "$@" "$name.c" -o "$name"
}

two_threads() { # the second function's body, main's body between create and join
    cat <<END
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
atomic_int x, y;
int plain; char *q;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Thread_local int local;
static void *other(void *argument) { $1; return argument; }
int main(void) { pthread_t t; pthread_create(&t, NULL, other, NULL); $2; pthread_join(t, NULL); return 0; }
END
}

# finds ERROR SECOND MAIN: the program with these two threads has this error.
finds() {
    two_threads "$2" "$3" | built program
    portolan 1 run ./program --trace never
    contains "$output" "found      $1"
}

@test "every example has its verdict and its number of executions, by every reduction" {
    for source in "$repository"/examples/c/*.c; do
        "$program" cc -O1 "$source" -o example
        expected=$(sed -n 's|^// expected: ||p' "$source")
        echo "$source: $expected"
        if [[ $expected == holds* ]]; then
            for reduction in optimal source lazy dpor; do
                portolan 0 run --reduction "$reduction" --json ./example
                same "$(json '"\(.verdict), \(.executions) executions"')" "$expected"
            done
        else
            portolan 1 run --json ./example
            json_is .error "$expected"
        fi
    done
}

@test "known numbers of executions" {
    for case in writers:6:720 readers:10:1024 lastzero:8:704 indexer:13:64; do
        IFS=: read -r name n count <<<"$case"
        "$program" cc -O2 -DN="$n" "$repository/examples/c/$name.c" -o example
        portolan 0 run --json ./example
        same "$name $(json .executions) $(json .blocked)" "$name $count 0"
        for reduction in optimal lazy source dpor; do
            portolan 0 run --json --threads 2 --reduction "$reduction" ./example
            same "$name $(json .executions)" "$name $count"
        done
    done
}

# outcomes PROGRAM SEED...: what its executions write is the same by every reduction, and nothing is lost.
outcomes() {
    "$program" cc -O1 "$repository/tests/native/$1.c" -o "$1"
    for seed in "${@:2}"; do
        for reduction in none optimal source lazy dpor; do
            run "$program" run -q --states 8k --reduction "$reduction" "./$1" "$seed" 9 9>outcomes
            echo "$1 $seed $reduction $status"
            [ "$status" = 0 ] || [ "$reduction" = none ]
            sort -u outcomes >"$reduction"
            [ "$reduction" = none ] || cmp "$reduction" optimal
        done
        same "$(comm -23 none optimal)" ""
        for journal in never unchecked; do # going back by running again, or by undoing alone
            run "$program" run -q --journal "$journal" "./$1" "$seed" 9 9>outcomes
            sort -u outcomes >again
            cmp again optimal
        done
        run "$program" run -q --lesson 1 --threads 3 "./$1" "$seed" 9 9>>outcomes
        sort -u outcomes >again
        cmp again optimal
    done
}

@test "several processes: an error that another one found is shown" {
    "$program" cc -O1 -DN=7 "$repository/examples/c/writers.c" -o holds
    sed 's/return 0;/if (x == 3 \&\& seen == 2) __builtin_trap(); return 0;/; s/^static atomic_int x;/&static atomic_int seen;/;
        s/atomic_store(&x, (int)(long)argument);/& if ((long)argument == 0) seen = x;/' \
        "$repository/examples/c/writers.c" >late.c
    "$program" cc -O1 -DN=7 late.c -o late
    portolan 0 run --threads 3 --json ./holds
    json_is .executions 5040
    portolan 1 run --threads 3 ./late
    contains "$output" "found      crash"
    contains "$output" "seen"
}

@test "every outcome of every interleaving is seen by every reduction" {
    outcomes random 1 4 6 7 9 11 12 15
}

@test "loops that wait for several variables are waited for, not unrolled" {
    outcomes spinning 3 9 26 36 41
}

@test "a failed assertion comes with its schedule, its values and its own output only" {
    two_threads 'int old = x; x = old + 1; printf("from %d\n", old)' 'x++; pthread_join(t, NULL); assert(x == 2); return 0' |
        built program
    portolan 1 run --trace schedule ./program
    contains "$output" "found      assertion"
    contains "$output" "assertion 'x == 2' failed"
    contains "$output" "read x: 0  program.c:12"
    contains "$output" "x: 0 -> 1  program.c:13"
    contains "$output" "output of this execution:
from 0"
    portolan 1 replay ./program schedule
    contains "$output" "assertion 'x == 2' failed"
    ./program
    mkdir directory
    refuses "a schedule must be a file" replay ./program directory
    : >empty
    refuses "is empty: there is no schedule in it" replay ./program empty
    refuses "a schedule must be a file" replay ./program /dev/stdin < <(cat schedule)
    portolan 2 run --reduction optimum ./program
    contains "$stderr" "did you mean optimal?"
}

@test "a deadlock tells who waits for what, and can be replayed" {
    two_threads 'pthread_mutex_lock(&m)' 'pthread_mutex_lock(&m)' | built program
    portolan 1 run --trace schedule ./program
    contains "$output" "found      deadlock"
    contains "$output" "main waits at program.c:13: join thread 1"
    contains "$output" "thread 1 waits at program.c:12: lock m, held by main"
    portolan 1 replay ./program schedule
    contains "$output" "found      deadlock"
}

@test "a data race has both its places; ordered accesses are none; interleaved it is none" {
    two_threads 'plain = 1' 'plain = 2' | built program
    portolan 1 run ./program
    contains "$output" "found      data race"
    contains "$output" "program.c:12"
    contains "$output" "program.c:13"
    contains "$output" ": plain"
    portolan 0 run --interleave --json ./program
    json_is .executions 2
    two_threads 'plain = 1; atomic_store_explicit(&x, 1, memory_order_release)' \
        'if (atomic_load_explicit(&x, memory_order_acquire)) plain = 2' | built program
    portolan 0 run ./program
    two_threads 'plain = 1; atomic_store_explicit(&x, 1, memory_order_relaxed)' \
        'if (atomic_load_explicit(&x, memory_order_acquire)) plain = 2' | built program
    portolan 1 run ./program
    two_threads 'plain = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&x, 1, memory_order_relaxed)' \
        'if (atomic_load_explicit(&x, memory_order_relaxed)) { atomic_thread_fence(memory_order_acquire); plain = 2; }' |
        built program
    portolan 0 run ./program
}

@test "crashes, aborts, misuse and memory errors" {
    finds crash 'if (x) *(int *)(long)(x - 1) = 1' 'x = 1'
    finds abort 'if (x) abort()' 'x = 1'
    finds misuse 'pthread_mutex_unlock(&m)' ''
    finds "memory error" 'q = malloc(4); free(q); if (x) free(q)' 'x = 1'
    finds "memory error" 'q = malloc(4); free(q); if (x) *q = 1' 'x = 1'
    finds "memory error" 'q = malloc(5); q[x * 5] = 1' 'x = 1'
    finds "memory error" 'q = malloc(5); strcpy(q, x ? "12345" : "1234")' 'x = 1'
    finds "memory error" 'if (x) free(&plain)' 'x = 1'
    finds deadlock 'while (x == 0) { }' ''
}

@test "what is not modelled is refused with a sentence" {
    two_threads 'if (x) fork()' 'x = 1' | built program
    portolan 2 run ./program
    contains "$output" "calls fork, which is not modelled"
    refuses "-static cannot be combined with portolan cc" cc -static program.c
    refuses "was not built by 'portolan cc'" run /bin/true
    refuses "cannot be run" run ./missing
}

@test "variables, thread-local storage and the heap begin anew in each execution" {
    two_threads 'local++; assert(local == 1); plain++; assert(plain == 1); char *p = malloc(9); assert(!p[3]); p[3] = 1; x = 1' \
        'assert(local == 0); local = 7; x = 2; assert(local == 7)' | built program
    portolan 0 run --json ./program
    json_is .executions 2
}

@test "whichever waits may be woken by a signal" {
    built program <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, woken;
static void *waiter(void *is_second)
{
    pthread_mutex_lock(&m);
    int place = ++waiting;
    pthread_cond_wait(&c, &m);
    assert(woken++ > 0 || place == 1 || !is_second); /* who waits last, and was created last, is not woken first */
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, &m);
    pthread_mutex_lock(&m);
    if (waiting == 2)
        pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
END
    portolan 1 run ./program
    contains "$output" "|| !is_second' failed"
}

@test "a loop that counts does not wait for others, one that does not is a wait" {
    two_threads 'for (int i = 0; i < 5 && !x; i++) { }' '' | built program
    portolan 0 run --json ./program
    json_is .executions 1
    two_threads 'while (!x) { }' 'y = 1; x = 1' | built program
    portolan 0 run ./program
}

@test "limits leave the verdict open" {
    two_threads 'for (;;) x++' '' | built program
    portolan 3 run --bound 5 --json ./program
    json_is .verdict unknown
    portolan 3 run --states 10 --reduction none --bound 5 ./program
}

@test "objects are compiled and linked apart, by gcc and clang" {
    echo 'int twice(int x) { return 2 * x; }' >twice.c
    echo '#include <assert.h>
int twice(int x);
int main(void) { assert(twice(2) == 4); return 0; }' >main.c
    for compiler in gcc clang; do
        command -v "$compiler" || continue
        PORTOLAN_CC=$compiler "$program" cc -c twice.c
        PORTOLAN_CC=$compiler "$program" cc -c main.c -o main.o
        PORTOLAN_CC=$compiler "$program" cc main.o twice.o -o main
        portolan 0 run ./main
    done
}

@test "what is undone on the way back: memory of the heap, and what a thread knows of others" {
    built program <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int first;
static void *store(void *unused)
{
    atomic_store(&first, 1);
    return unused;
}
static void *allocate(void *unused)
{
    volatile char *block = malloc(atomic_load(&first) ? 1000 : 10); // 1000 in the first execution
    block[500] = 1;
    free((void *)block);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, store, NULL);
    pthread_create(&two, NULL, allocate, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
    portolan 1 run --journal unchecked --json ./program
    json_is .error "memory error"
    json_is .executions 2
    # only when the reader comes first is there a race
    built program <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready, other;
static int data;
static void *write_it(void *unused)
{
    data = 1;
    atomic_store(&ready, 1);
    return unused;
}
static void *read_it(void *unused)
{
    if (!atomic_load(&ready))
        atomic_load(&other);
    data++;
    return unused;
}
int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_create(&reader, NULL, read_it, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
END
    portolan 1 run --journal unchecked --json ./program
    json_is .error "data race"
    json_is .executions 2
}
