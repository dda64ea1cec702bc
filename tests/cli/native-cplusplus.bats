#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C++: portolan c++, sources that are run at once, and drivers with one word as a name.

load helpers
load cplusplus

@test "C++: atomics, semaphores, latches and barriers" {
    check_cases atomics g++ -O1
}

@test "C++: what is in libstdc++.so and not known is named, as its source has it" {
    cat >wide.cc <<'END'
#include <fstream>
#include <thread>
int main() { std::thread t([] {}); std::ofstream f("/dev/null"); f << 1; t.join(); }
END
    portolan 3 run wide.cc
    contains "$output" "what the function std::basic_ofstream<char, std::char_traits<char> >::basic_ofstream("
    contains "$output" "of libstdc++ reads and writes"
    portolan 0 run --trust 'std::*' --trust '_Z*' wide.cc
}

@test "C++: what only a handler of exceptions needs is part of the state in which a loop waits" {
    cat >handler.cc <<'END'
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> x;
__attribute__((noinline)) static void fail() { throw 1; }
static void waiter()
{
    int last = 0;
    try {
        for (int now; (now = x.load()) != 2;)
            last = now;
        fail();
    } catch (int) {
        assert(last != 1);
    }
}
int main() { std::thread t(waiter); x.store(1); x.store(2); t.join(); }
END
    for compiler in g++ clang++; do
        PORTOLAN_CXX=$compiler portolan 1 run --cflags -O2 handler.cc
        contains "$output" "found      assertion"
    done
}

@test "C++: what a destructor in the library writes is undone" {
    cat >task.cc <<'END'
#include <future>
#include <memory>
#include <thread>
int main()
{
    auto task = std::make_shared<std::packaged_task<int()>>([] { return 1; });
    auto result = task->get_future();
    std::thread worker([task] { (*task)(); }), other([task] {});
    task.reset();
    result.get();
    worker.join();
    other.join();
}
END
    portolan 0 run --journal strict task.cc
}

@test "C++: names are those of the source" {
    cat >names.cc <<'END'
#include <thread>
namespace bank { struct account { int balance; } savings; void pay() { savings.balance++; } }
int main() { std::thread t(bank::pay); bank::pay(); t.join(); }
END
    portolan 1 run names.cc
    contains "$output" "found      data race"
    contains "$output" "bank::savings"
    contains "$output" "in bank::pay()  names.cc:2"
}

@test "C++: what nobody catches is shown with its text, where it was thrown" {
    cat >thrown.cc <<'END'
#include <stdexcept>
#include <thread>
int main() {
    std::thread t([] {
        throw std::runtime_error("no way");
    });
    t.join();
}
END
    portolan 1 run thrown.cc
    contains "$output" "found      exception"
    contains "$output" "thread 1 at thrown.cc:5: throws std::runtime_error, which is not caught: no way"
}

@test "C++ is not for portolan cc, and other languages are not for portolan c++" {
    echo 'int main() {}' >a.cc
    refuses "'a.cc' is C++: portolan cc compiles C only" cc a.cc -o a
    contains "$stderr" "portolan c++"
    refuses "portolan c++ compiles C and C++ only" c++ a.f90 -o a
}

@test "sources are compiled and run in one step, and nothing is left behind" {
    export TMPDIR=$BATS_TEST_TMPDIR/temporary
    mkdir "$TMPDIR" include
    echo 'int add(int a, int b);' >include/add.h
    printf '#include "add.h"\nint add(int a, int b) { return a + b; }\n' >add.c
    cat >main.c <<'END'
#include "add.h"
#include <string.h>
int main(int count, char **words) { return add(count, N) + (count > 1 && strcmp(words[1], "-q x")); }
END
    portolan 0 run --cflags "-Iinclude -DN=-2 -O2" main.c add.c -- "-q x"
    portolan 0 run main.c --cflags "-Iinclude -DN=-2" add.c -q --json=answer.json -- "-q x" # options may stand behind sources
    [ -s answer.json ]
    portolan 1 run --cflags "-Iinclude '-DN=5 - 2'" main.c add.c
    contains "$output" "status 4"
    echo 'int main(void) { return x; }' >wrong.c
    portolan 2 run wrong.c
    contains "$stderr" "error: ‘x’ undeclared" || contains "$stderr" "'x' undeclared"
    cat >long.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *count(void *a) { for (int i = 0; i < 1000; i++) x = i; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); count(0); pthread_join(t, 0); return 0; }
END
    "$program" run long.c >answer 2>&1 &
    search=$!
    for _ in $(seq 100); do
        compgen -G "$TMPDIR/portolan-run-*/long" >/dev/null && break
        sleep 0.1
    done
    sleep 0.3
    kill -INT $search
    wait $search || status=$?
    same "$status" 3
    same "$(ls "$TMPDIR")" ""
}

# A compiler that waits until it is told to go on, so that the moment is known.
@test "a signal while sources are compiled, or before the search begins, ends the run" {
    export TMPDIR=$BATS_TEST_TMPDIR/temporary
    mkdir "$TMPDIR"
    printf '%s\n' '#!/bin/sh' 'touch begun' 'while [ ! -e go ]; do sleep 0.02; done' \
        'exec gcc "$@"' >slow-gcc
    chmod +x slow-gcc
    echo '#include <stdatomic.h>
atomic_int x;
int main(void) { for (;;) x++; }' >endless.c
    for signal in INT TERM; do
        for moment in while between; do
            rm -f begun go
            PORTOLAN_CC=$PWD/slow-gcc "$program" run --json=answer.json endless.c >answer 2>&1 &
            search=$!
            for _ in $(seq 500); do
                [ -e begun ] && break
                sleep 0.02
            done
            # What is stopped finds the signal when it goes on, whatever the compiler has done by then.
            if [ $moment = between ]; then
                kill -STOP $search
                kill -$signal $search
                touch go
                sleep 0.5
                kill -CONT $search
            else
                kill -$signal $search
            fi
            status=0
            wait $search || status=$?
            same "$signal $moment $status" "$signal $moment 3"
            contains "$(cat answer)" "unknown    interrupted"
            output=$(cat answer.json)
            json_is .verdict unknown
            same "$(ls "$TMPDIR")" ""
        done
    done
}

@test "portolan-cc and portolan-c++ do what configure scripts ask of a compiler" {
    cc=$(dirname "$program")/portolan-cc
    cxx=$(dirname "$program")/portolan-c++
    echo 'int main(void) { return 0; }' >conftest.c
    "$cc" -o conftest -O2 -g conftest.c -lm
    ./conftest
    "$cc" -c conftest.c -o conftest.o
    [ -s conftest.o ]
    "$cc" -E conftest.c | grep -q 'int main'
    "$cc" -M conftest.c | grep -q '^conftest.o:'
    "$cc" -dumpmachine
    echo 'char not_there(void); int main(void) { return not_there(); }' >conftest.c
    ! "$cc" -o conftest conftest.c 2>/dev/null
    echo '#include <thread>
int main() { std::thread t([] {}); t.join(); }' >conftest.cc
    "$cxx" -o conftest conftest.cc
    portolan 0 run ./conftest
}

@test "a shared library of the same build is part of the program" {
    cc=$(dirname "$program")/portolan-cc
    mkdir lib
    cat >counter.c <<'END'
static int begun;
int counter;
__attribute__((constructor)) static void begin(void) { begun++; }
void count(void) { counter++; }
int counted(void) { return begun == 1 ? counter : -1; }
END
    cat >use.c <<'END'
#include <assert.h>
#include <pthread.h>
void count(void);
int counted(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *a) {
    if (LOCKS) pthread_mutex_lock(&m);
    count();
    if (LOCKS) pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    assert(counted() == 2);
    return 0;
}
END
    "$cc" -fPIC -c counter.c
    "$cc" -shared -Wl,-z,defs counter.o -o lib/libcounter.so
    "$cc" -DLOCKS=1 use.c -Llib -lcounter -o use
    portolan 0 run --json ./use
    json_is .executions 2
    "$cc" -DLOCKS=0 use.c lib/libcounter.so -o use
    portolan 1 run ./use
    contains "$output" "found      data race"
    contains "$output" "counter.c:4"
}

@test "a program waits at a futex, and is woken up or not" {
    cat >futex.c <<'END'
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int word;
static void *wake(void *a) {
    word = 1;
    if (WAKES) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, wake, NULL);
    while (!word) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    pthread_join(t, NULL);
    return 0;
}
END
    portolan 0 run --cflags -DWAKES=1 futex.c
    portolan 1 run --cflags -DWAKES=0 futex.c
    contains "$output" "found      deadlock"
}
