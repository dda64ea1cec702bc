#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --distributed: one search by several processes that mpirun has started.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# ranks N STATUS ARGUMENT...: a command of portolan by N ranks
ranks() {
    local count=$1 status=$2
    shift 2
    run "-$status" --separate-stderr mpirun --oversubscribe -n "$count" "$PORTOLAN" "$@" --distributed
}

@test "ranks together see the same graph, and only the first speaks" {
    family kanban 2
    for count in 1 2 4; do
        ranks "$count" 0 explore kanban.pnml --json
        json_is .states 4600
        json_is .transitions 28120
        same "${#lines[@]}" "$(jq . <<<"$output" | wc -l)"
    done
}

@test "ranks find a shortest trace, and it is replayed" {
    family philosophers 5
    ranks 3 1 check philosophers.pnml --reduction none
    contains "$output" "trace      5 steps, replayed, shortest"
    ranks 2 1 check philosophers.pnml --json
    json_is .reduction stubborn
}

@test "limits end all ranks" {
    family kanban 6
    ranks 2 3 explore kanban.pnml --states 5000 --json
    json_is .stop "state limit"
    ranks 2 3 explore kanban.pnml --time 0.3 --json
    json_is .stop "time limit"
}

@test "what ranks cannot do is refused by name" {
    family philosophers 3
    echo 'int x; thread a { x = 1; }' >model.dl
    refuses "--distributed cannot be combined with probe sets" check philosophers.pnml --distributed --reduction probe
    refuses "--distributed cannot be combined with properties of runs" check philosophers.pnml --distributed --ltl 'F deadlock'
    refuses "use --shards" check model.dl --distributed --reduction optimal
    refuses "--distributed cannot be combined with output that needs every state" explore philosophers.pnml --distributed --export aut
}
