#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --checkpoint and portolan resume: what was ended or killed goes on, and what is not whole is refused.

load helpers

counts='.states, .transitions, .deadlocks, .fully_expanded, .stop, .verdict'

@test "a limit ends a search, and resume ends it with the same numbers" {
    family kanban 3
    for search in dfs bfs; do
        portolan 0 explore kanban.pnml --search $search --json
        whole=$(jq "$counts" <<<"$output")
        portolan 3 explore kanban.pnml --search $search --checkpoint kept --states 20000
        contains "$output" "checkpoint kept: 'portolan resume kept' goes on"
        portolan 3 resume kept --states 40000 --json
        json_is .stop "state limit"
        json_is .checkpoint "$PWD/kept"
        portolan 0 resume kept --states 1M --json
        same "$(jq "$counts" <<<"$output")" "$whole"
        [ ! -e kept ]
    done
}

@test "several threads: a limit ends a search, and resume ends it with the same numbers, by as many threads as one likes" {
    family kanban 3
    for search in dfs bfs; do
        for threads in "2 3" "8 2"; do
            read -r before after <<<"$threads"
            portolan 3 explore kanban.pnml --search $search --threads "$before" --checkpoint kept --states 20000
            contains "$output" "checkpoint kept: 'portolan resume kept' goes on"
            portolan 3 resume kept --states 40000 --threads "$after" --json
            json_is .stop "state limit"
            json_is .threads "$after"
            portolan 0 resume kept --states 1M --json
            json_is '.states, .transitions, .deadlocks, .fully_expanded, .stop' $'58400\n446400\n0\n58400\ncomplete'
            [ ! -e kept ]
        done
    done
    for threads in "1 3" "3 1"; do # breadth-first it makes no difference whether there were several
        read -r before after <<<"$threads"
        portolan 3 explore kanban.pnml --search bfs --threads "$before" --checkpoint kept --states 20000
        portolan 0 resume kept --states 1M --threads "$after" --json
        json_is '.states, .transitions' $'58400\n446400'
    done
    portolan 3 explore kanban.pnml --search dfs --threads 2 --checkpoint kept --states 20000
    portolan 2 resume kept --threads 1
    contains "$stderr" "was written with other options"
}

@test "several threads: errors are found, with traces that are shortest breadth-first" {
    for search in bfs dfs; do
        family philosophers 8
        portolan 3 explore philosophers.pnml --search $search --threads 3 --checkpoint kept --states 300
        portolan 0 resume kept --states 100k --json
        json_is '.states, .deadlocks' $'1154\n1'
        portolan 3 check philosophers.pnml --reduction none --search bfs --threads 3 --checkpoint kept --states 300
        portolan 1 resume kept --states 100k --json
        json_is .verdict violated
        json_is '.trace | length' 8
        family philosophers 40
        portolan 3 check philosophers.pnml --reduction stubborn --search $search --threads 3 --checkpoint kept --states 100
        portolan 1 resume kept --states 100k --json
        json_is .verdict violated
    done
}

@test "a trace is the same" {
    family philosophers 8
    portolan 1 check philosophers.pnml --search bfs --json --checkpoint kept
    whole=$(jq "$counts, .trace" <<<"$output")
    portolan 3 check philosophers.pnml --search bfs --checkpoint kept --states 20
    portolan 1 resume kept --states 100k --json
    same "$(jq "$counts, .trace" <<<"$output")" "$whole"
}

@test "executions go on, too" {
    cp "$BATS_TEST_DIRNAME/../../examples/threads/stack.dl" .
    cat >races.dl <<'END' # races among events from before the file was written must be looked at again
int x, y;
atomic int flag;
thread t0 { assert(flag != 1); fetch_add(x, 2); }
thread t1 { flag = 0; }
thread t2 { y++; }
thread t3 { y = x; }
END
    for model in stack races; do
        portolan 0 explore $model.dl --reduction optimal --json
        whole=$(jq '.executions, .transitions, .blocked' <<<"$output")
        portolan 3 explore $model.dl --reduction optimal --checkpoint kept --states 3
        portolan 0 resume kept --states 1M --json
        same "$(jq '.executions, .transitions, .blocked' <<<"$output")" "$whole"
    done
}

@test "Ctrl-C and SIGTERM leave a file" {
    family kanban 6
    for signal in "INT 1" "TERM 1" "TERM 3"; do
        "$PORTOLAN" explore kanban.pnml --threads "${signal#* }" --checkpoint kept --json >answer & search=$!
        while kill -0 $search && [ "$(awk '{print $2}' "/proc/$search/statm")" -le 3000 ]; do :; done
        kill "-${signal% *}" $search
        wait $search || [ $? = 3 ]
        same "$(jq -r .stop answer)" interrupted
        portolan 3 resume kept --states 1000 --json
        [ "$(jq .states <<<"$output")" -ge "$(jq .states answer)" ]
        rm kept
    done
}

@test "kill -9 leaves the last file" {
    family kanban 4
    portolan 0 explore kanban.pnml --json
    whole=$(jq "$counts" <<<"$output")
    for threads in 1 2 3; do
        "$PORTOLAN" explore kanban.pnml --threads $threads --checkpoint kept,0.01 >answer & search=$!
        until [ -e kept ] || ! kill -0 $search 2>/dev/null; do :; done
        kill -9 $search 2>/dev/null || true
        wait $search || true
        [ -e kept ] || continue # it was done before
        portolan 0 resume kept --json
        same "$(jq "$counts" <<<"$output")" "$whole"
    done
}

@test "what was written on the way counts, and nothing of it is left behind" {
    family kanban 4
    for threads in 1 2; do
        portolan 0 explore kanban.pnml --threads $threads --checkpoint kept,0.01 --json
        json_is .states 454475
        [ "$(json .checkpoints)" -ge 1 ]
        same "$(compgen -G 'kept*' || true)" ""
    done
}

@test "what is of another model, or other options, is refused" {
    family kanban 3
    portolan 3 explore kanban.pnml --checkpoint kept --states 2000
    cp kanban.pnml good.pnml
    "$PORTOLAN" generate kanban 4 -o kanban.pnml
    portolan 2 resume kept
    contains "$stderr" "belongs to another model or an earlier version of it, or was written with other options"
    cp good.pnml kanban.pnml
    portolan 2 resume kept --search dfs
    contains "$stderr" "was written with other options"
    head -c 1000 kept >torn
    portolan 2 resume torn
    contains "$stderr" "'torn' is damaged"
    cp kept older
    printf '1.0.0\0\0' | dd of=older bs=1 seek=16 conv=notrunc status=none
    portolan 2 resume older
    contains "$stderr" "'older' was written by version 1.0.0 of portolan"
    portolan 2 resume good.pnml
    contains "$stderr" "'good.pnml' is not a checkpoint"
    portolan 2 resume
    contains "$stderr" "usage: portolan resume FILE"
    portolan 0 resume kept --states 1M
}

@test "what cannot be kept is refused by name" {
    family philosophers 4
    portolan 2 check philosophers.pnml --checkpoint kept --reduction probe
    contains "$stderr" "--checkpoint cannot be combined with reduction 'probe'"
    portolan 2 check philosophers.pnml --checkpoint kept --ltl 'G true'
    contains "$stderr" "--checkpoint cannot be combined with a search for cycles"
    portolan 2 explore philosophers.pnml --checkpoint kept --export aut
    contains "$stderr" "--checkpoint cannot be combined with --export"
    portolan 2 explore philosophers.pnml --checkpoint /nowhere/kept
    contains "$stderr" "cannot write '/nowhere/kept'"
    portolan 2 explore philosophers.pnml --checkpoint kept,soon
    contains "$stderr" "--checkpoint takes FILE[,TIME]"
    [ ! -e kept ]
}

@test "a full disk costs the file, not the search" {
    family kanban 3
    (ulimit -f 16 && trap '' XFSZ && "$PORTOLAN" explore kanban.pnml --checkpoint kept,0.001 --json >answer)
    same "$(jq .states answer)" 58400
    contains "$(jq -r .checkpoint_trouble answer)" "cannot write 'kept'"
    [ ! -e kept.partial ]
}
