#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs on which something was once wrong.  Their first lines are what is expected, how many traces there are where
# one was lost, and options of portolan run.

load helpers

@test "what was once wrong is right, by every reduction and both compilers" {
    for source in "$repository"/tests/native/kept/*.c; do
        expected=$(sed -n 's|^// expected: ||p' "$source")
        executions=$(sed -n 's|^// executions: ||p' "$source")
        read -ra options < <(sed -n 's|^// options:||p' "$source")
        for compiler in gcc clang; do
            command -v "$compiler" || continue
            PORTOLAN_CC=$compiler "$program" cc -O1 "$source" -o kept
            for reduction in none optimal source lazy dpor; do
                echo "$source, $compiler, $reduction"
                run --separate-stderr timeout 60 "$program" run "${options[@]}" --json --reduction "$reduction" ./kept
                same "$(json '.error // .verdict')" "$expected"
                [ -z "$executions" ] || [ "$reduction" = none ] || same "$(json .executions)" "$executions"
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
