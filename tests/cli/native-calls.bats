#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs: what they call of libc, and memory that is not theirs.

load helpers

calls=$repository/tests/native/calls

@test "attributes, masks, handlers, sleeping and atexit are as they should be" {
    for compiler in gcc clang; do
        PORTOLAN_CC=$compiler portolan 0 run --cflags -w "$calls/harmless.c"
        contains "$output" "holds      no error in any schedule"
    done
}

@test "mappings of nothing and of files are blocks" {
    portolan 0 run --leaks "$calls/mappings.c"
    for wrong in "RACE found      data race" "LATE found      memory error"; do
        portolan 1 run --cflags "-D${wrong%% *}" "$calls/mappings.c"
        contains "$output" "${wrong#* }"
    done
    portolan 2 run --cflags -DPART "$calls/mappings.c"
    contains "$output" "calls munmap for what is not one whole mapping"
}

@test "a block of hundreds of megabytes is a block" {
    for flags in "" -DFILL; do
        portolan 0 run --json --cflags "$flags" "$calls/large-heap.c"
        json_is .executions 6
    done
    portolan 1 run --cflags -DFREED_EARLY "$calls/large-heap.c"
    contains "$output" "found      memory error"
}

@test "memory of libraries that threads use without order leaves the verdict open" {
    portolan 1 run "$calls/line-raced.c"
    contains "$output" "found      data race"
    portolan 0 run --cflags "-O2 -DORDERED" "$calls/stream.c"
    portolan 3 run --cflags -O2 "$calls/stream.c"
    contains "$output" "several threads use memory that a library has allocated"
    portolan 0 run --cflags -std=c++20 "$calls/exception.cc"
    portolan 3 run --cflags "-std=c++20 -DRACE" "$calls/exception.cc"
    contains "$output" "several threads use memory that a library has allocated"
}

@test "what is written to files goes to copies" {
    echo 5 >number
    echo kept >kept
    for compiler in gcc clang; do
        PORTOLAN_CC=$compiler portolan 0 run --cflags -DLEAST=6 "$calls/files.c"
        PORTOLAN_CC=$compiler portolan 1 run --cflags -DLEAST=7 "$calls/files.c"
        contains "$output" "assertion 'value >= LEAST' failed" || contains "$output" "'value >= 7' failed"
    done
    same "$(cat number kept)" $'5\nkept'
    [ ! -e made ] && [ ! -e directory ] && ! ls temporary-*
}
