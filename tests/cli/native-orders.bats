#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs: what happens before what, and which memory atomics touch.

load helpers

sources=$repository/tests/native

# cases SOURCE [OPTION...]: every case of a program that lists them is as it says, by both compilers.
cases() {
    local source=$1 compiler name expected how ways=("optimal 1" "dpor 1" "source 2")
    shift
    for compiler in gcc clang; do
        command -v "$compiler" || continue
        PORTOLAN_CC=$compiler "$program" cc -w "$@" "$source" -o cases
        ./cases >list
        [ -s list ]
        while read -r name expected; do
            for how in "${ways[@]}"; do
                echo "$compiler, $name, $how"
                run --separate-stderr timeout 60 "$program" run --json --reduction "${how% *}" --threads "${how#* }" \
                    ./cases "$name"
                same "$(json '.error // .verdict')" "$expected"
            done
        done <list
        ways=("optimal 1")
    done
}

@test "races are found whatever comes first, also where operations leave the value as it was" {
    cases "$sources/orders.c" -O1
}

@test "the expected value of a compare-exchange is accessed like any other memory" {
    cases "$sources/expected.c" -O0
    cases "$sources/expected.c" -O2
}

@test "a block that is handed over without order is a race with its allocation, however it was made" {
    cat >block.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static _Atomic(char *) handed;
static int way;
static memory_order order;
static char *aligned(void) { void *block = NULL; return posix_memalign(&block, 64, 8) ? NULL : block; }
static char *printed(void) { char *text = NULL; return asprintf(&text, "%d", way) < 0 ? NULL : text; }
static char *made(void)
{
    switch (way) {
    case 0: return malloc(8);
    case 1: return calloc(1, 8);
    case 2: return realloc(malloc(2), 8);
    case 3: return aligned_alloc(16, 16);
    case 4: return aligned();
    case 5: return strdup("text");
    default: return printed();
    }
}
static void *make(void *argument) { atomic_store_explicit(&handed, made(), order); return argument; }
static void *use(void *argument)
{
    char *block = atomic_load_explicit(&handed, memory_order_acquire);
    if (block && way % 2)
        *block = 1;
    else if (block)
        atomic_store((_Atomic char *)block, 1);
    return argument;
}
int main(int count, char **arguments)
{
    pthread_t t[2];
    (void)count;
    way = arguments[1][0] - '0';
    order = arguments[2] ? memory_order_release : memory_order_relaxed;
    pthread_create(&t[0], NULL, make, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
    "$program" cc -O1 -w block.c -o block
    for way in 0 1 2 3 4 5 6; do
        portolan 1 run --json ./block "$way"
        json_is .error "data race"
        portolan 0 run ./block "$way" release
    done
    portolan 1 run ./block 1
    contains "$output" "write and allocation are not ordered: handed[0], byte 0 of a block of 8 bytes allocated at block.c:16 by thread 1"
}

@test "atomic objects that are not modelled are no silence" {
    cat >odd.c <<'END'
#include <stdatomic.h>
#ifdef LARGE
struct large { long a[5]; } value;
static _Atomic struct large object;
int main(void) { atomic_store(&object, value); return 0; }
#else
static struct __attribute__((packed, aligned(8))) { char before[6]; int object; char after[6]; } s;
int main(void) { __atomic_store_n(&s.object, 1, __ATOMIC_SEQ_CST); return 0; }
#endif
END
    for compiler in gcc clang; do
        command -v "$compiler" || continue
        PORTOLAN_CC=$compiler "$program" cc -w -DLARGE odd.c -o odd
        portolan 2 run ./odd
        contains "$output" "an atomic object of 40 bytes is not modelled"
        PORTOLAN_CC=$compiler "$program" cc -w odd.c -o odd
        portolan 1 run ./odd
        contains "$output" "has an atomic object that is not aligned"
    done
}
