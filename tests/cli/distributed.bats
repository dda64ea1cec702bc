#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --distributed: one search by several processes that mpirun has started.

load helpers
load ranks

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

@test "colours do not get into files" {
    family kanban 1
    export TERM=xterm
    ranks 2 0 check kanban.pnml
    contains "$output" "HOLDS"
    lacks "$output" $'\033'
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
    refuses "--distributed cannot be combined with probe sets" check philosophers.pnml --distributed --reduction probe
    refuses "--distributed cannot be combined with properties of runs" check philosophers.pnml --distributed --ltl 'F deadlock'
    refuses "--distributed cannot be combined with output that needs every state" explore philosophers.pnml --distributed --export aut
}

@test "a model that one rank cannot read ends all" {
    family philosophers 3
    run -2 --separate-stderr timeout 60 mpirun --oversubscribe -n 1 "$PORTOLAN" check philosophers.pnml --distributed : \
        -n 1 "$PORTOLAN" check nowhere.pnml --distributed
    contains "$stderr" "another rank could not begin"
}

@test "a search that a limit has ended goes on with another number of ranks" {
    family kanban 3
    ranks 2 3 explore kanban.pnml --states 20000 --checkpoint kept
    contains "$output" "checkpoint kept: 'mpirun -n N portolan resume kept' goes on"
    same "$(find . -name 'kept.*' | wc -l)" 2
    resumed 3 3 kept --states 40000
    same "$(find . -name 'kept.*' | wc -l)" 3
    resumed 1 0 kept --states 1M --json
    same "$(jq -c '[.states, .transitions, .fully_expanded]' <<<"$output")" '[58400,446400,58400]'
    same "$(find . -name 'kept*' | wc -l)" 0
}

@test "a rank that is killed ends the search with the last checkpoint, from which three go on" {
    family kanban 4
    started 2 explore kanban.pnml --distributed --checkpoint kept,0.01 2>said &
    appears kept
    kill -KILL "$(last_rank)"
    if wait $!; then return 1; fi
    contains "$(cat said)" "a rank ended early"
    contains "$(cat said)" "'mpirun -n N portolan resume kept' continues from the last checkpoint"
    resumed 3 0 kept --json
    same "$(jq -c '[.states, .transitions, .deadlocks]' <<<"$output")" '[454475,3979850,0]'
}

@test "executions of a model are handed out to ranks" {
    mkdir own
    export TMPDIR=$PWD/own
    threads 6 model.dl
    portolan 0 check model.dl --reduction optimal --json
    whole=$(jq '.executions, .deadlocks, .verdict, .stop' <<<"$output")
    for count in 2 4; do
        ranks "$count" 0 check model.dl --reduction optimal --json
        same "$(jq '.executions, .deadlocks, .verdict, .stop' <<<"$output")" "$whole"
    done
    ranks 2 1 check "$repository/examples/threads/bank.dl" --reduction optimal --json
    json_is '.trace | length > 0' true
    ranks 2 2 check model.dl --reduction optimal --random 5
    contains "$stderr" "random runs"
    same "$(find own -name 'portolan-ranks-*' | wc -l)" 0
}

@test "a tree that is large in one place only is shared by every method" {
    cat >model.dl <<'END'
int order, y;
thread first(n) { atomic { order = order * 4 + n; } }
thread second(n) { y = n; }
thread main {
    int a = spawn first(1); int b = spawn first(2); int c = spawn first(3);
    join(a); join(b); join(c);
    if (order == 45) {
        spawn second(1); spawn second(2); spawn second(3); spawn second(4); spawn second(5); spawn second(6);
        spawn second(7);
    }
}
END
    portolan 0 check model.dl --reduction optimal --json
    whole=$(jq -c '[.executions, .verdict]' <<<"$output")
    same "$(jq .executions <<<"$output")" 5045
    for count in 1 2 4; do
        ranks "$count" 0 check model.dl --reduction optimal --json
        same "$(jq -c '[.executions, .verdict]' <<<"$output")" "$whole"
    done
    for method in source dpor lazy; do
        ranks 3 0 check model.dl --reduction "$method" --json
        json_is .executions 5045
    done
    threads 5 small.dl
    portolan 0 check small.dl --search stateless --reduction none --json
    whole=$(jq .executions <<<"$output")
    ranks 3 0 check small.dl --search stateless --reduction none --json
    json_is .executions "$whole"
}
