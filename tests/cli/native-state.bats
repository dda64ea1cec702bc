#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The state of C programs: what each execution begins with, what each thread has of its own, what is no longer there.

load helpers

sources=$repository/tests/native/state

# with_both NAME FUNCTION: builds the program in both ways and calls the function for each.
with_both() {
    local build
    for build in "gcc -O0" "clang -O2"; do
        PORTOLAN_CC=${build% *} "$program" cc "${build#* }" -w -g -frounding-math "$sources/$1.c" -o program
        echo "$1, $build"
        "$2"
    done
}

# holds [ARGUMENT...]: with the journal checked each time it is used, without it, and by two processes.
holds() {
    portolan 0 run --journal strict ./program "$@"
    portolan 0 run --journal never ./program "$@"
    portolan 0 run --lesson 1 --threads 2 ./program "$@"
}

# found ERROR TEXT [ARGUMENT...]
found() {
    local error=$1 text=$2
    shift 2
    portolan 1 run --journal strict ./program "$@"
    contains "$output" "found      $error"
    contains "$output" "$text"
}

given() { holds -ab -n 2 word; }

@test "arguments, options, environment, locale, directory and constructors begin anew in each execution" {
    with_both given given
    ./program -ab -n 2 word </dev/null
}

environment() {
    found assertion 'getenv("VARIABLE")'
    found "data race" "are not ordered" unlocked
}

@test "the environment is memory that threads share" {
    with_both environment environment
}

locals() {
    local which
    for which in 1 2 5; do
        holds "$which"
    done
    found "data race" "x" 3
    found "data race" "x" 4
    found "data race" "record.value of thread 1" 6
    found "memory error" "memory of a thread that has ended" 7
    portolan 0 run --leaks ./program 8
}

@test "each thread has its thread-local variables at addresses of its own" {
    with_both locals locals
}

@test "each thread has the thread-local variables of shared libraries, too" {
    echo '__thread int number = 3; int *where(void) { return &number; }' >library.c
    gcc -shared -fPIC -O1 library.c -o library.so
    cat >program.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int *where(void);
static atomic_int x;
static int *places[2];
static void *work(void *argument) {
    long me = (long)argument;
    places[me] = where();
    *where() = (int)me;
    atomic_fetch_add(&x, 1);
    assert(*where() == me);
    return NULL; }
int main(void) {
    pthread_t a, b;
    *where() = 7;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(*where() == 7 && places[0] != places[1]);
    return 0; }
END
    "$program" cc -O1 program.c library.so -Wl,-rpath,. -o program
    "$program" run ./program >output || [ $? = 3 ] # what the library does is not seen
    ! grep found output
}

@test "each thread has a rounding mode of its own" {
    with_both rounding holds
}

constructors() {
    holds
    found "data race" x 2
    portolan 2 run ./program 3
    contains "$output" "calls syscall, which is not modelled"
    found assertion 'which != 4' 4
    found "memory error" "frees a block that was freed before" 5
}

@test "constructors and destructors may have threads, locks and blocks, and are refused what main is" {
    with_both constructors constructors
}

blocks() {
    portolan 0 run --journal strict ./program 1
    portolan 0 run --journal strict ./program 2
    holds 3
    found "data race" "of a block of 2000000000 bytes" 4
    found "memory error" "memory beyond a block" 5
    found "memory error" "memory that was freed" 6
    found "memory error" "frees memory that malloc did not return, but a part of a block that it did" 7
    portolan 2 run ./program 8
    contains "$output" "asks for 1099511627776 bytes: a thread can allocate"
}

@test "large blocks cost what is touched of them, and too large ones are refused by name" {
    with_both blocks blocks
}

lifetimes() {
    holds 1
    holds 21
    found misuse "uses a mutex that was destroyed before" 2
    found misuse "destroys a mutex that is held" 3
    found misuse "initialises a mutex that is initialised already" 4
    found misuse "initialises a mutex that is held" 5
    found misuse "destroys a mutex that was destroyed before" 6
    found misuse "uses a barrier that was not initialised" 7
    found misuse "uses a semaphore that was not initialised" 8
    found misuse "uses a semaphore that was destroyed before" 9
    found misuse "uses a spinlock that was not initialised" 10
    found misuse "uses a mutex that was not initialised" 11
    found misuse "uses a condition variable that was not initialised" 12
    found misuse "destroys a read-write lock that is held" 13
    found misuse "uses a read-write lock that was destroyed before" 14
    found misuse "uses a condition variable that was destroyed before" 15
    found misuse "initialises a barrier that is initialised already" 16
    found misuse "uses a mutex that was destroyed before" 22
    found misuse "destroys a condition variable that threads wait at" 23
    found misuse "destroys a semaphore that threads wait at" 24
    found "data race" barrier 25
}

@test "mutexes and their like are used between their initialisation and their end" {
    with_both lifetimes lifetimes
}

frames() {
    holds 5
    found "memory error" "writes memory of a thread that has ended" 1
    found "memory error" "writes a local variable of a function that has returned" 2
    found "memory error" "reads a local variable of a function that has returned" 3
    found "memory error" "writes memory of" 4
    found "memory error" "reads memory of thread 1, which may have ended by then" 6
}

@test "local variables of ended threads and of functions that have returned are no longer there" {
    with_both frames frames
}

@test "a library makes a key of thread-specific data before main, and each execution begins with its value" {
    cat >library.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
__attribute__((constructor)) static void make(void)
{
    static int first = 7;
    if (pthread_key_create(&key, NULL) != 0 || pthread_setspecific(key, &first) != 0)
        abort();
}
int *value(void) { return pthread_getspecific(key); }
void set_value(int *new) { pthread_setspecific(key, new); }
END
    cat >program.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int *value(void);
void set_value(int *new);
static atomic_int steps;
static void *other(void *unused)
{
    static int own;
    pthread_key_t key;
    assert(!value()); // the value is that of main
    set_value(&own);
    steps++;
    assert(value() == &own && pthread_key_create(&key, NULL) == 0);
    pthread_setspecific(key, unused);
    return unused;
}
int main(void)
{
    int local;
    pthread_t thread;
    assert(value() && *value() == 7);
    pthread_create(&thread, NULL, other, NULL);
    steps++;
    set_value(&local);
    pthread_join(thread, NULL);
    assert(value() == &local);
    return 0;
}
END
    gcc -shared -fPIC -O1 library.c -o library.so
    "$program" cc -O1 --trust library.so program.c ./library.so -o program
    holds
    run -0 ./program
}

@test "large blocks are no reason to begin from the start" {
    "$program" cc -O1 "$sources/large-blocks.c" -o program
    portolan 0 run --json ./program 9>told
    local executions=$(json .executions)
    echo "$executions executions, begun $(wc -c <told) times"
    ((executions >= 64 && $(wc -c <told) <= 24))
}
