#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program, built where something is missing.
load helpers

@test "without its tools the program can be configured, but its tests cannot pass" {
    mkdir bin
    ln -s /usr/bin/* bin
    rm -f bin/bats bin/jq bin/clang-format
    configure() {
        env -u CMAKE_C_COMPILER_LAUNCHER PATH="$PWD/bin" cmake -S "$repository" -B "$1" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF "${@:2}"
    }
    run -0 configure quiet
    contains "$output" "bats is missing: its tests fail"
    contains "$output" "clang_format is missing: its tests fail"
    run ! ctest --test-dir quiet -R needs_
    contains "$output" "needs_bats"
    run ! configure strict -DPORTOLAN_TESTS=ON
    contains "$output" "BATS"
}

@test "on another processor all but C programs is built and tested, and that is said" {
    run -0 env -u CMAKE_C_COMPILER_LAUNCHER cmake -S "$repository" -B elsewhere -DPORTOLAN_NATIVE=OFF
    contains "$output" "C programs need x86-64: 'portolan cc' and 'portolan run' are left out, with their tests"
    run -0 ctest --test-dir elsewhere -N
    contains "$output" cli_check
    contains "$output" executions
    lacks "$output" native
    lacks "$output" $': random_c\n' # random_control is another one
    run -0 cmake --build elsewhere --target help
    contains "$output" portolan_shared
    lacks "$output" portolan_run
}
