#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs: parts of all schedules, gdb, CI systems, build systems.  Some of it for models too.

load helpers

# example NAME [ARGUMENT...]: compiles examples/c/NAME.c to NAME.
example() {
    local name=$1
    shift
    "$program" cc -O1 "$@" "$repository/examples/c/$name.c" -o "$name"
}

# Two threads; one stores 1 and 2, the other reads twice: the assertion fails when it sees both, in the middle of the other.
twice_interrupted() {
    cat >program.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x;
static void *other(void *argument) { x = 1; x = 2; return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    int first = x, second = x;
    if (first == 1)
        printf("<&\"\033\377\n");
    assert(first != 1 || second != 2);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$program" cc -O1 program.c -o program
}

# --- preemptions

@test "few preemptions: what needs more is not found, and nobody says it holds" {
    twice_interrupted
    for reduction in auto none bpor; do
        portolan 3 run --preemptions 0 --reduction "$reduction" --json ./program
        json_is .verdict unknown
        json_is .stop "preemption bound"
        portolan 1 run --preemptions 2 --reduction "$reduction" ./program
        contains "$output" "found      assertion"
    done
    portolan 3 run --preemptions 1 ./program
    contains "$output" "unknown    no error within 1 preemption"
}

@test "few preemptions: when there is nothing beyond the bound, the answer is whole" {
    example philosophers-ordered
    portolan 0 run --preemptions 50 --json ./philosophers-ordered
    json_is .verdict holds
    json_is .left_out 0
    portolan 3 run --preemptions 1 --json ./philosophers-ordered
    [ "$(json .left_out)" -gt 0 ]
}

@test "few preemptions: every outcome that every interleaving within the bound has" {
    "$program" cc -O1 "$repository/tests/native/random.c" -o random
    for seed in 1 4 6 9; do
        for reduction in none bpor; do
            run "$program" run -q --time 20 --preemptions 2 --reduction "$reduction" ./random "$seed" 9 9>outcomes
            sort -u outcomes >"$reduction"
        done
        [ -s none ]
        cmp none bpor
    done
}

@test "few preemptions: models, and what does not go together" {
    cat >program.dl <<'END'
int x;
thread a { x = 1; x = 2; }
thread b { int r = x; int s = x; assert(r != 1 || s != 2); }
END
    portolan 3 check program.dl --preemptions 1
    contains "$output" "property   assertions hold: UNDECIDED"
    contains "$output" "bound      1 preemption; executions with more were left out"
    portolan 1 check program.dl --preemptions 2
    sed -i 's/s != 2/s != 3/' program.dl
    portolan 0 check program.dl --preemptions 9
    contains "$output" "bound      9 preemptions; no execution needs more"
    portolan 3 explore program.dl --preemptions 0
    family philosophers 3
    portolan 1 check philosophers.pnml --preemptions 2 --bound 2
    refuses "reduction 'optimal' is not sound with a bound on preemptions" check program.dl --preemptions 1 --reduction optimal
    refuses "--preemptions takes N, not '-1'" check program.dl --preemptions -1
    refuses "cannot be combined with --search bfs" check program.dl --preemptions 1 --search bfs --reduction bpor
    refuses "cannot be combined with --search bfs" check program.dl --preemptions 1 --search bfs
    refuses "cannot be combined with a stateless search" check program.dl --preemptions 1 --reduction stubborn
    portolan 3 check program.dl --preemptions 0 --reduction none
    contains "$output" "search     reduction none, stateless"
    refuses "a stateless search" check program.dl --preemptions 1 --ltl 'G x < 3'
    portolan 3 check program.dl --preemptions 0 --invariant 'x < 3'
}

# --- random priorities

@test "random runs: find it, show it shortened, can be repeated" {
    twice_interrupted
    portolan 1 run --random 10k --seed 5 --trace schedule ./program
    contains "$output" "found      assertion"
    contains "$output" "5 steps, 4 context switches"
    local first=$output
    portolan 1 run --random 10k --seed 5 ./program
    same "$(grep -av ^executions <<<"$output")" "$(grep -av ^executions <<<"$first")"
    portolan 1 replay ./program schedule
}

@test "random runs: whatever the seed, the error shows up again in the schedule that is shown" {
    example treiber-stack
    for seed in 0 1 2 3 4 5 6 7; do
        portolan 1 run --random 1000 --seed $seed ./treiber-stack
        contains "$output" "found      data race"
    done
}

@test "random runs: finding nothing proves nothing, but is worth something" {
    example philosophers-ordered
    portolan 3 run --random 1000 --depth 2 ./philosophers-ordered
    contains "$output" "unknown    no error in these executions"
    contains "$output" "an error of depth 2 would have been found with probability 0.99"
    portolan 3 run --random 100 --json ./philosophers-ordered
    json_is .executions 100
    json_is '.guarantee > 0 and .guarantee < 0.9' true
}

@test "random runs: an error in a program with too many schedules to try all" {
    cat >large.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, bad;
static void *work(void *argument)
{
    for (int i = 0; i < 100; i++)
        if (atomic_fetch_add(&x, 1) < 0)
            bad = 2;
    bad = 1;
    bad = 0;
    return argument;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    assert(!bad);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
    "$program" cc -O1 large.c -o large
    portolan 3 run --states 3000 ./large
    portolan 1 run --random 20k --depth 2 ./large
    contains "$output" "assertion '!bad' failed"
}

@test "random runs: models, and what does not go together" {
    cat >program.dl <<'END'
int x;
thread a { x = 1; x = 2; }
thread b { int r = x; int s = x; assert(r != 1 || s != 2); }
END
    portolan 1 check program.dl --random 1000 --depth 3 --seed 7
    contains "$output" "search     random priorities, seed 7"
    sed -i 's/s != 2/s != 3/' program.dl
    portolan 3 check program.dl --random 1000
    contains "$output" "chance     an error of depth 3 would have been found with probability 0.99"
    family philosophers 3
    portolan 1 check philosophers.pnml --random 1000 --bound 2
    portolan 3 check "$repository/examples/protocols/paxos.mp" --random 100
    portolan 1 check "$repository/examples/protocols/paxos-no-promise.mp" --random 10k
    portolan 0 check philosophers.pnml --reach 'eats_1 = 1' --random 100 --bound 2
    refuses "random runs have no use for reduction 'lazy'" check program.dl --random 10 --reduction lazy
    refuses "random" check program.dl --random 10 --search dfs
    refuses "a stateless search" check program.dl --random 10 --ltl 'G x < 3'
    refuses "random runs have no bound on preemptions" check program.dl --random 10 --preemptions 1
    refuses "'random' runs on one thread only" check program.dl --random 10 --threads 2
    refuses "--depth needs --random RUNS" check program.dl --depth 2
    portolan 0 check program.dl --seed 1 # it is that of random walks, too
    refuses "--seed needs --random RUNS or --threads N" run --seed 1 ./program
    refuses "--depth needs --random RUNS" run --depth 2 ./program
    refuses "--random takes RUNS, not '0'" run --random 0 ./program
}

# --- data races

@test "data races are reported, or interleaved; schedules know which" {
    cat >race.c <<'END'
#include <assert.h>
#include <pthread.h>
static int plain;
static void *other(void *argument) { plain++; return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    plain++;
    pthread_join(thread, NULL);
    assert(plain == 2);
    return 0;
}
END
    "$program" cc -O1 race.c -o race
    for words in "" "--races report" "--races=report"; do
        # shellcheck disable=SC2086
        portolan 1 run $words ./race
        contains "$output" "found      data race"
    done
    for words in "--races interleave" "--interleave"; do
        # shellcheck disable=SC2086
        portolan 1 run $words --trace schedule ./race
        contains "$output" "found      assertion"
        portolan 1 replay ./race schedule
        contains "$output" "found      assertion"
    done
    refuses "--races takes report|interleave, not 'never'" run --races never ./race
}

# --- JUnit

# xml XPATH VALUE: what stands there in junit.xml.
xml_is() {
    xmllint --noout junit.xml
    same "$(xmllint --xpath "string($1)" junit.xml)" "$2"
}

@test "JUnit: a failure has its schedule, whatever bytes the program prints" {
    twice_interrupted
    portolan 1 run --junit junit.xml ./program
    xml_is //testsuite/@name ./program
    xml_is //testsuite/@failures 1
    xml_is //failure/@type assertion
    xml_is "//property[@name='reduction']/@value" optimal
    xml_is "//property[@name='executions']/@value > 0" true
    contains "$(xmllint --xpath 'string(//failure/@message)' junit.xml)" "assertion 'first != 1 || second != 2' failed"
    contains "$(xmllint --xpath 'string(//failure)' junit.xml)" 'x = 1  program.c:6'
    contains "$(xmllint --xpath 'string(//failure)' junit.xml)" '<&"\x1b\xff'
}

@test "JUnit: passed, undecided, refused" {
    example philosophers-ordered
    portolan 0 run --junit junit.xml ./philosophers-ordered
    xml_is "count(//testcase/*)" 0
    xml_is //testsuite/@tests 1
    portolan 3 run --junit junit.xml --preemptions 1 ./philosophers-ordered
    xml_is //skipped/@message "no error within 1 preemption"
    printf '#include <unistd.h>\nint main(void) { return fork(); }\n' >fork.c
    "$program" cc fork.c -o fork
    portolan 2 run --junit junit.xml ./fork
    xml_is //error/@type refused
    refuses "cannot write 'missing/junit.xml'" run --junit missing/junit.xml ./fork
}

@test "JUnit: one case for each property of a model" {
    cat >program.dl <<'END'
lock a, b; int x;
thread left { lock(a); lock(b); }
thread right { lock(b); lock(a); assert(x == 0); }
END
    portolan 1 check program.dl --junit junit.xml
    xml_is //testsuite/@name program.dl
    xml_is //testsuite/@tests 2
    xml_is //testsuite/@failures 1
    xml_is "//testcase[failure]/@name" "no deadlock"
    contains "$(xmllint --xpath 'string(//failure)' junit.xml)" "right waits at line 3: lock(b)"
    refuses "cannot write 'missing/junit.xml'" check program.dl --junit missing/junit.xml
}

# --- gdb

# in_gdb SCHEDULE COMMAND...: gdb's output on ./program.
in_gdb() {
    command -v gdb || skip "there is no gdb"
    local schedule=$1 commands=()
    shift
    for command in "$@"; do
        commands+=(-ex "$command")
    done
    run timeout 60 "$program" debug ./program "$schedule" -- -nx -batch "${commands[@]}"
    echo "$output"
    [ "$status" = 0 ]
}

@test "gdb stops where it fails, and before each step" {
    twice_interrupted
    portolan 1 run --trace schedule ./program
    in_gdb schedule "print first" "portolan-step 1" "info symbol \$pc" portolan-next "print (int)x"
    contains "$output" "assertion 'first != 1 || second != 2' failed"
    contains "$output" "assert(first != 1 || second != 2);"
    contains "$output" "step 2, thread 1: write x"
    contains "$output" "step 3, main: read x"
    contains "$output" "other + "
    contains "$output" "\$2 = 1"
}

@test "gdb shows every thread of a deadlock" {
    cat >program.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *other(void *argument) { both(&b, &a); return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    both(&a, &b);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$program" cc -O0 program.c -o program
    portolan 1 run --trace schedule ./program
    in_gdb schedule "print first == &a" continue "print first == &b"
    contains "$output" "deadlock: each waits forever; main: lock b"
    contains "$output" "deadlock: each waits forever; thread 1: lock a"
    contains "$output" "\$1 = 1"
    contains "$output" "\$2 = 1"
}

@test "gdb: the program gets its arguments; what cannot be debugged is refused" {
    printf '#include <assert.h>\n#include <string.h>\nint main(int n, char **words) { assert(n < 2 || strcmp(words[1], "two\\n words\\\\") != 0); return 0; }\n' >program.c
    "$program" cc program.c -o program
    portolan 1 run --trace schedule ./program $'two\n words\\'
    portolan 1 replay ./program schedule
    in_gdb schedule "print n"
    contains "$output" "assertion 'n < 2"
    refuses "usage: portolan debug" debug ./program
    refuses "was not built by 'portolan cc'" debug /bin/true schedule
    refuses "cannot read 'missing'" debug ./program missing
    run --separate-stderr env PATH=/nowhere "$program" debug ./program schedule
    same "$status" 2
    contains "$stderr" "gdb cannot be run"
    contains "$stderr" "hint: install the package 'gdb'"
}

# --- help and progress

@test "run --help lists what run takes, no more" {
    portolan 0 run --help
    for option in --reduction --bound --preemptions --random --depth --seed --races --time --memory --states --json --junit \
        --trace --quiet --help; do
        contains "$output" "$option"
    done
    for option in --proviso --invariant --ltl --chains --export --msc --search; do
        lacks "$output" "$option"
    done
    same "$(grep -c -- --bound <<<"$output")" 1
    local long=$output
    portolan 0 help run
    same "$output" "$long"
    refuses "there is no option '--proviso' here" run --proviso safe ./program
    contains "$stderr" "hint: "
    refuses "there is no option '--preemption' here" run --preemption 2 ./program
    contains "$stderr" "hint: did you mean --preemptions?"
    portolan 0 debug --help
    contains "$output" "portolan-next"
}

@test "progress on a terminal, and only there" {
    command -v script || skip "there is no script(1)"
    example writers -DN=12
    run -3 --separate-stderr "$program" run --time 0.8 ./writers
    same "$stderr" ""
    script -qec "'$program' run --time 0.8 ./writers" /dev/null >shown || true
    contains "$(cat shown)" " executions  "
    contains "$(cat shown)" "of perhaps"
    script -qec "'$program' run --quiet --time 0.8 ./writers" /dev/null >shown || true
    lacks "$(cat shown)" "of perhaps"
}

# --- build systems

sources() {
    echo 'int twice(int x);' >twice.h
    printf '#include "twice.h"\nint twice(int x) { return 2 * x; }\n' >twice.c
    cat >main.c <<'END'
#include "twice.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *other(void *argument) { x = twice(x + 1); return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    x = 5;
    pthread_join(thread, 0);
    assert(x != 12);
    return 0;
}
END
}

explores() {
    portolan 1 run -q "$1"
    contains "$output" "found      assertion"
}

@test "a Makefile with CC=\"portolan cc\"" {
    sources
    printf 'CFLAGS = -O1 -MMD\nmain: main.o twice.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n' >Makefile
    make CC="$program cc"
    contains "$(cat main.d)" "twice.h"
    explores ./main
}

@test "CMake with portolan cc as its compiler" {
    sources
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(demo C)
find_package(Threads REQUIRED)
add_library(twice STATIC twice.c)
add_executable(demo main.c)
target_link_libraries(demo twice Threads::Threads)
END
    cmake -B built -DCMAKE_C_COMPILER="$program;cc" >log
    cmake --build built >log
    explores built/demo
}

@test "sources, objects, archives, response files, another language" {
    sources
    "$program" cc -O1 -pthread -MMD main.c twice.c -o together
    explores ./together
    contains "$(cat main.d)" "main.o: main.c twice.h"
    "$program" cc -c twice.c
    ar rcs libtwice.a twice.o
    "$program" cc main.c -L. -ltwice -o archive
    explores ./archive
    printf -- "-O1 'main.c'\n\"twice.c\" -o res\\\\ponse" >words
    echo @words >more
    "$program" cc @more
    explores ./response
    cp main.c main.text
    "$program" cc -x c main.text -x none twice.o -o renamed
    explores ./renamed
    "$program" cc -fsanitize=thread main.c twice.c -o sanitized
    explores ./sanitized
    echo 'int main(void) { return 0; }' | "$program" cc -x c - -o piped
    portolan 0 run ./piped
    echo @circle >circle
    refuses "includes itself" cc @circle
}

@test "only preprocessing, assembling, dependencies, questions" {
    sources
    contains "$("$program" cc -E main.c)" "pthread_create"
    "$program" cc -S main.c
    contains "$(cat main.s)" __tsan_
    same "$("$program" cc -MM main.c)" "main.o: main.c twice.h"
    contains "$("$program" cc --version)" "gcc"
    contains "$("$program" cc -v 2>&1)" "gcc version"
    "$program" cc -fsyntax-only main.c
    run "$program" cc main.c
    [ "$status" = 1 ] # twice is missing
    contains "$output" "undefined reference"
}

@test "what portolan cc refuses" {
    sources
    touch other.cpp
    refuses "'other.cpp' is C++: portolan cc compiles C only" cc main.c other.cpp
    refuses "is C++" cc -c other.cpp
    refuses "is C++" cc -x c++ main.c
    refuses "-static cannot be combined with portolan cc" cc -static main.c
}
