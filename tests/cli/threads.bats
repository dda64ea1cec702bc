#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Thread programs on the command line.

load helpers

examples=$repository/examples/threads

@test "check looks for deadlocks and failed assertions by default" {
    portolan 0 check "$examples/peterson.dl"
    contains "$output" "property   no deadlock: HOLDS"
    contains "$output" "property   assertions hold: HOLDS"
    portolan 1 check "$examples/philosophers.dl"
    contains "$output" "property   no deadlock: VIOLATED"
    contains "$output" "philosopher[3] waits at line 7: lock(fork[0])"
    portolan 1 check "$examples/double-checked-wrong.dl"
    contains "$output" "property   no deadlock: HOLDS"
    contains "$output" "property   assertions hold: VIOLATED"
    lacks "$output" "a deadlock"
}

@test "a property of one's own replaces both" {
    portolan 0 check "$examples/philosophers.dl" --reach 'fork[0] = 1 && fork[1] = 2'
    lacks "$output" "no deadlock"
    portolan 1 check "$examples/bank.dl" --invariant 'balance[0] + balance[1] == 200'
    contains "$output" "balance[0] = 90"
    portolan 0 check "$examples/peterson.dl" --invariant '!(p[0]@12 = 1 && p[1]@12 = 1)'
}

@test "a program in which nothing can fail is checked for deadlocks only" {
    printf 'int x; thread t(i) * 2 { x = i; }\n' > plain.dl
    portolan 0 check plain.dl
    lacks "$output" "failed"
}

@test "explore counts, and a valid end is no deadlock" {
    portolan 0 explore "$examples/document/listing-1.1.dl" --reduction none
    contains "$output" "32 states, 80 transitions"
    contains "$output" "0 deadlocks"
    portolan 0 explore "$examples/philosophers.dl" --reduction none --json
    json_is .format dl
    json_is .deadlocks 1
}

@test "relations are true on every example" {
    for file in "$examples"/*.dl "$examples"/document/*.dl; do
        portolan 0 explore "$file" --reduction none --check-relations --states 3000 || [ "$status" = 3 ]
        lacks "$stderr" "error"
    done
}

@test "compare agrees on thread programs" {
    portolan 0 compare "$examples/stack.dl" --all
    contains "$output" "stubborn"
    contains "$output" "lpor"
    lacks "$output" "differ"
}

@test "a trace is written and replayed" {
    portolan 1 check "$examples/spawn.dl" --trace lost.trace
    contains "$(cat lost.trace)" "main:10 spawn worker(1)"
    portolan 0 replay "$examples/spawn.dl" lost.trace
    contains "$output" "failed=1"
}

@test "bad programs: place, line, caret and hint" {
    printf 'int count;\nthread t {\n    cuont = 1;\n}\n' > bad.dl
    refuses "bad.dl:3:5: error: 'cuont' is not declared" check bad.dl
    contains "$stderr" "    cuont = 1;"
    contains "$stderr" "hint: did you mean count?"
    printf '<2, x 1>\n<{2 [ x := y$ ] }>\n' > printed.dl
    refuses "printed.dl:2:12: error: 'y0' is not declared" check printed.dl
    refuses "cannot read the file" check missing.dl
}

@test "a local variable that a step may leave alone keeps its value" {
    cat > kept.dl << 'END'
int g = 0;
thread a { int l = 5; g = 0; atomic { if (g == 1) { l = 7; } } g = 2; assert(l == 5); }
END
    for reduction in none stubborn optimal; do
        portolan 0 check kept.dl --reduction $reduction
        contains "$output" "assertions hold: HOLDS"
    done
}

@test "indexer(...): who finds a place taken tries the next one" {
    echo '< 2, const max 1 2, const size 1 7, t 7, local m 1 0, local w 1 0, local h 1 0 >
        <{2 [ indexer(max=max, size=size, m=m, w=w, h=h, target=t, nprocs=2) ] }>' >indexer.dl
    # all four begin at place 0
    portolan 0 check indexer.dl --reduction none --invariant 't[4] + t[5] + t[6] = 0'
    portolan 0 check indexer.dl --reduction none --reach 't[0] + t[1] + t[2] + t[3] = 2 + 3 + 4 + 5'
}
