#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where output goes, and that it arrives.

load helpers

@test "words on a full standard output are an error too" {
    family philosophers 3
    "$program" check philosophers.pnml --trace trace -q || true
    for words in "check philosophers.pnml" "explore philosophers.pnml" "compare philosophers.pnml" \
        "replay philosophers.pnml trace" list generate --help; do
        run -2 bash -c "'$program' $words 2>&1 > /dev/full"
        contains "$output" "No space left on device"
    done
}

@test "'--output -' is standard output, which the graph has to itself" {
    family philosophers 2
    portolan 0 explore philosophers.pnml --export aut -o -
    lacks "$output" covered
}

@test "'--trace -' is standard output" {
    family philosophers 2
    portolan 1 check philosophers.pnml -q --trace -
    [ ! -e ./- ]
    contains "$output" "take_left_1"
}

@test "a state limit is not passed" {
    family unbounded
    portolan 3 explore unbounded.pnml --search dfs --states 2000 --json
    json_is .states 2000
}

@test "a unit of bytes is no unit of time" {
    family philosophers 2
    refuses "--time takes TIME" check philosophers.pnml --time 10mB
}

@test "an output that cannot be opened is told before the search, not after" {
    family kanban 8
    portolan 2 check kanban.pnml --reduction none --time 0.5 --json=/nonexistent/x
    same "$output" ""
}
