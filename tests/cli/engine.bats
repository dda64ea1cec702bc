#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Models as native code, on the command line.

load helpers

examples=$repository/examples

setup() {
    cd "$BATS_TEST_TMPDIR"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR
}

# A compiler that never ends.
slow_compiler() {
    printf '#!/bin/sh\necho $$ > "%s/pid"\nexec sleep 60\n' "$PWD" > slow
    chmod +x slow
    export CC=$PWD/slow
}

# The compiler has begun, has ended, and has left nothing.
compiler_is_gone() {
    [ -s pid ]
    ! kill -0 "$(<pid)" 2> /dev/null
    [ -z "$(ls -A portolan)" ]
}

@test "compiled and interpreted runs cover the same" {
    portolan 0 explore "$examples/protocols/storage.mp" --reduction none --native never --json
    same "$(jq -r .engine <<< "$output")" interpreted
    jq 'del(.engine, .expanded_natively, .seconds, .peak_rss_bytes)' <<< "$output" > interpreted
    portolan 0 explore "$examples/protocols/storage.mp" --reduction none --native always --json
    same "$(jq -r .engine <<< "$output")" native
    [ "$(jq .expanded_natively <<< "$output")" -gt 10000 ]
    jq 'del(.engine, .expanded_natively, .seconds, .peak_rss_bytes)' <<< "$output" | diff interpreted -
    portolan 0 explore "$examples/protocols/storage.mp" --reduction none --native always
    contains "$output" ", native code"
}

@test "the same counterexample, with and without a reduction" {
    for reduction in none stubborn; do
        portolan 1 check "$examples/protocols/paxos-no-promise.mp" --reduction $reduction --native never
        grep -v '^cost' <<< "$output" > interpreted
        portolan 1 check "$examples/protocols/paxos-no-promise.mp" --reduction $reduction --native always
        grep -v '^cost' <<< "$output" | diff interpreted -
    done
}

@test "formulas too" {
    portolan 0 check "$examples/protocols/storage.mp" --ltl 'G true' --reduction none --native always --json
    same "$(jq -r .engine <<< "$output")" native
}

@test "without a compiler nothing is said" {
    CC=/nowhere/cc portolan 0 explore "$examples/threads/peterson.dl" --native always
    lacks "$output" "native"
    CC=false portolan 0 explore "$examples/threads/peterson.dl" --native always
    lacks "$output" "native"
    [ -z "$(ls -A portolan)" ]
}

@test "a compiler that is wrong is noticed" {
    printf '#!/bin/sh\nsed "s/out.c++. = 0u/out[c++] = 1u/" | cc "$@"\n' > wrong
    chmod +x wrong
    CC=$PWD/wrong refuses "compiled code and the interpreter differ" explore "$examples/protocols/paxos.mp" --native always \
        --reduction none
}

@test "a limit ends the compiler too" {
    slow_compiler
    portolan 3 explore "$examples/threads/indexer.dl" --reduction none --native always --time 1
    contains "$output" "time limit"
    compiler_is_gone
}

@test "so does an interrupt" {
    slow_compiler
    "$program" explore "$examples/threads/indexer.dl" --reduction none --memory 2G > output &
    local search=$!
    for _ in $(seq 600); do [ -s pid ] && break || sleep 0.1; done
    kill -INT $search
    wait $search || [ $? = 3 ]
    compiler_is_gone
}

@test "words that are not known" {
    refuses sometimes check "$examples/threads/peterson.dl" --native sometimes
    contains "$stderr" "always"
}
