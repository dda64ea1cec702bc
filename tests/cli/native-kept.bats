#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs on which something was once wrong.  Their first lines are what is expected, and options of portolan run.

load helpers

@test "what was once wrong is right, by every reduction and both compilers" {
    for source in "$repository"/tests/native/kept/*.c; do
        expected=$(sed -n 's|^// expected: ||p' "$source")
        read -ra options < <(sed -n 's|^// options:||p' "$source")
        for compiler in gcc clang; do
            command -v "$compiler" || continue
            PORTOLAN_CC=$compiler "$program" cc -O1 "$source" -o kept
            for reduction in none optimal source lazy dpor; do
                echo "$source, $compiler, $reduction"
                run --separate-stderr timeout 60 "$program" run "${options[@]}" --json --reduction "$reduction" ./kept
                same "$(json '.error // .verdict')" "$expected"
            done
        done
    done
}

@test "the schedule of every wrong example shows its error again" {
    for source in "$repository"/examples/c/*.c; do
        expected=$(sed -n 's|^// expected: ||p' "$source")
        [[ $expected == holds* ]] && continue
        echo "$source"
        "$program" cc -O1 "$source" -o example
        portolan 1 run -q --trace schedule ./example
        portolan 1 replay -q ./example schedule
        contains "$output" "found      $expected"
    done
}

# The schedule of its deadlock is not always found again, which is then said; that all is well never is.
@test "a loop that may end by what is read behind its second read is never said to be fine" {
    cat > program.c << 'END'
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z, chosen;
int data;
static void *waiter(void *argument) {
    for (;;) {
        if (atomic_load(&x) == 1)
            break;
        if (atomic_load(&y) == 1 && data == 7)
            break;
        if (atomic_load(&z) == 1)
            break;
    }
    return argument;
}
static void *other(void *argument) {
    data = atomic_load(&chosen) ? 7 : 5;
    atomic_store(&y, 1);
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, other, NULL);
    atomic_store(&chosen, 1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
    for level in -O0 -O1 -O2; do
        portolan 0 cc $level program.c -o program
        for method in optimal dpor none; do
            if "$program" run --reduction $method ./program > report; then
                cat report
                return 1
            fi
        done
    done
}
