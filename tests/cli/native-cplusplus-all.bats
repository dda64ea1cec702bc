#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C++: all small programs, by both compilers, without optimisation and with it.

load helpers
load cplusplus

@test "C++: locks, by all compilers" {
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            check_cases locks "$compiler" "$level"
        done
    done
}

@test "C++: atomics, by all compilers" {
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            check_cases atomics "$compiler" "$level"
        done
    done
}

@test "C++: objects, by all compilers" {
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            check_cases objects "$compiler" "$level"
        done
    done
}

@test "a queue for many readers and writers, of another project" {
    portolan 0 run --cflags -DITEMS=2 "$repository/tests/native/real/concurrentqueue.cc"
    contains "$output" "holds      no error in any schedule under sequential consistency"
    portolan 1 run --cflags -DITEMS=1 "$repository/tests/native/real/concurrentqueue.cc"
    contains "$output" "found      assertion"
}
