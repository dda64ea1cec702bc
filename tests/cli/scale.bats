#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Searches of states by several threads, and how states are kept.

load helpers

@test "several threads see the same graph" {
    "$PORTOLAN" generate kanban 2 >kanban.pnml
    for search in bfs dfs; do
        for threads in 1 2 3 8; do
            portolan 0 explore kanban.pnml --search "$search" --threads "$threads" --json
            json_is .states 4600
            json_is .transitions 28120
            json_is .deadlocks 0
            json_is .threads "$threads"
        done
    done
}

@test "several threads: breadth-first traces are shortest, and the answer says who searched" {
    "$PORTOLAN" generate philosophers 6 >philosophers.pnml
    for threads in 1 2 8; do
        portolan 1 check philosophers.pnml --reduction none --search bfs --threads "$threads" --json
        json_is '.trace | length' 6
    done
    portolan 1 check philosophers.pnml --reduction none --search bfs --threads 2 --store tree
    contains "$output" "search     reduction none, proviso none, bfs, 2 threads, store tree"
}

@test "several threads: formulas" {
    "$PORTOLAN" generate philosophers 4 >philosophers.pnml
    for reduction in none auto; do
        portolan 1 check philosophers.pnml --ltl 'F deadlock' --reduction "$reduction" --threads 3 --json
        json_is .search cndfs
        portolan 0 check philosophers.pnml --ltl 'G (deadlock -> G deadlock)' --reduction "$reduction" --threads 3 --json
        json_is .search cndfs
    done
}

@test "several threads: fair runs" {
    cat >two.dl <<'END'
int x, done;
thread walker { while (done == 0) { x = 1 - x; } }
thread ender { done = 1; }
END
    for threads in 1 3; do
        portolan 1 check two.dl --ltl 'F done == 1' --threads $threads --json
        portolan 0 check two.dl --ltl 'F done == 1' --fair --threads $threads --json
        json_is '.search, .threads' $'scc\n'$threads
        portolan 1 check two.dl --ltl 'G done == 0' --fair --threads $threads
    done
}

@test "several threads: what is not sound, or not done, is refused" {
    "$PORTOLAN" generate philosophers 3 >p.pnml
    refuses "two threads could close each other's cycle" check p.pnml --invariant true --reduction stubborn --proviso stack --threads 2
    refuses "two threads could close each other's cycle" check p.pnml --invariant true --reduction stubborn --proviso scc --threads 2
    refuses "runs on one thread only" check p.pnml --reduction probe --threads 2
    refuses "runs on one thread only" check p.pnml --ltl 'F deadlock' --search ndfs --threads 2
    refuses "only --search scc finds fair runs" check p.pnml --ltl 'F deadlock' --fair --search cndfs --threads 2
}

@test "several threads: limits and interrupts end all of them" {
    "$PORTOLAN" generate kanban 6 >kanban.pnml
    for search in bfs dfs; do
        portolan 3 explore kanban.pnml --search "$search" --threads 3 --states 5000 --json
        json_is .stop "state limit"
        json_is .states 5000
        portolan 3 explore kanban.pnml --search "$search" --threads 3 --time 0.2 --json
        json_is .stop "time limit"
        portolan 3 explore kanban.pnml --search "$search" --threads 3 --memory 30M --json
        json_is .stop "memory limit"
    done
}

@test "stores: a tree sees the same graph" {
    "$PORTOLAN" generate kanban 2 >kanban.pnml
    for threads in 1 3; do
        portolan 0 explore kanban.pnml --store tree --threads "$threads" --json
        json_is .states 4600
        json_is .transitions 28120
        json_is .store tree
    done
}

@test "stores that forget states never say that something holds" {
    "$PORTOLAN" generate kanban 2 >kanban.pnml
    for store in hash bitstate; do
        for threads in 1 3; do
            portolan 3 check kanban.pnml --store "$store" --memory 500M --threads "$threads" --reduction none --json
            json_is .verdict unknown
            json_is .states 4600
            json_is '.covered > 0.99 and .covered <= 1' true
            contains "$output" "nothing found"
        done
    done
}

@test "stores that forget states find errors, with shortest traces" {
    "$PORTOLAN" generate philosophers 6 >philosophers.pnml
    for store in hash bitstate; do
        for threads in 1 3; do
            portolan 1 check philosophers.pnml --store "$store" --memory 500M --threads "$threads" --reduction none --json
            json_is .verdict violated
            json_is '.trace | length' 6
        done
    done
    portolan 1 check philosophers.pnml --store hash --reduction stubborn
    contains "$output" "replayed"
}

@test "stores: what cannot be combined with them is refused" {
    "$PORTOLAN" generate philosophers 3 >p.pnml
    refuses "forget states" check p.pnml --store hash --ltl 'F deadlock'
    refuses "forget states" check p.pnml --store bitstate --chains --reduction stubborn
    refuses "need --search bfs" check p.pnml --store hash --search dfs
    refuses "it cannot be combined with --store or --spill" check p.pnml --store tree --reduction probe
    refuses "did you mean tree?" check p.pnml --store tre
}

@test "spill: more states than memory, in a file that leaves nothing behind" {
    "$PORTOLAN" generate kanban 5 >kanban.pnml
    mkdir spill
    for options in "" "--threads 2" "--store tree"; do
        # shellcheck disable=SC2086
        portolan 0 explore kanban.pnml $options --memory 31M --spill spill --json
        json_is .states 2546432
        json_is '.spilled > 9000000' true
        json_is '.bytes < 20000000' true
        same "$(ls -A spill)" ""
    done
    portolan 3 explore kanban.pnml --memory 31M --json # without it they do not fit
    json_is .stop "memory limit"
}

@test "spill: a full disk ends the search with what was covered" {
    "$PORTOLAN" generate kanban 5 >kanban.pnml
    for options in "" "--threads 3" "--store tree" "--search dfs --threads 2"; do
        # shellcheck disable=SC2086
        (ulimit -f 8000 && run --separate-stderr -3 timeout 120 "$program" check kanban.pnml --reduction none --invariant true --walk none $options --spill . --json &&
            json_is .stop "disk full" && json_is .verdict unknown && json_is '.states > 100' true)
    done
}

@test "spill: what does not go with it is refused" {
    "$PORTOLAN" generate philosophers 3 >p.pnml
    refuses "there can be no file in 'nowhere'" check p.pnml --reduction none --spill nowhere
    refuses "it cannot be combined with --store or --spill" check p.pnml --reduction probe --spill .
    refuses "it cannot be combined with --store or --spill" check p.pnml --reduction optimal --spill .
}

@test "several threads: compare, of states and of runs" {
    "$PORTOLAN" generate philosophers 4 >p.pnml
    portolan 0 compare p.pnml --threads 2 --all --json
    json_is '[.rows[].differs] | any' false
    json_is '.rows | length > 5' true
    json_is '[.rows[] | select(.executions == null) | .threads] | unique | join(" ")' 2
    portolan 0 compare p.pnml --threads 2 --ltl 'F deadlock' --json
    json_is '.rows[0].search' cndfs
    json_is '.rows[0].verdict' violated
    refuses "a run must be followed back" compare p.pnml --store hash --ltl 'F deadlock'
}
