#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Entity systems from the command line.

load helpers

examples=$repository/examples/entities

@test "check: the deadlock of the philosophers, step by step" {
    portolan 1 check "$examples/philosophers.ent"
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "waits1=1 waits2=1 waits3=1, all else 0"
    contains "$output" "nothing is enabled: a deadlock"
    portolan 1 check "$examples/philosophers.ent" --json --reduction none --search bfs
    json_is '.format, .verdict' $'ent\nviolated'
    json_is '[.trace[].action] | sort | join(" ")' "left1 left2 left3"
}

@test "properties speak of entities, 1 when present and 0 when absent" {
    portolan 0 check "$examples/philosophers.ent" -i 'eats1 + eats2 + eats3 <= 1' -i 'fork1 <= 1' -q
    portolan 0 check "$examples/producer-consumer.ent" -i 'deadlock -> done = 1' -q
    portolan 0 check "$examples/counters.ent" -r '"x>1" = 1 && "y>0" = 1' -q
    portolan 1 check "$examples/counters.ent" -r '"x>1" = 1 && "y>1" = 1' -q
    refuses "frok1" check "$examples/philosophers.ent" -i 'frok1 = 0'
    contains "$stderr" "did you mean fork1?"
}

@test "explore: the sizes of the examples" {
    same "$(states_of "$examples/counters.ent")" 8
    same "$(states_of "$examples/door.ent")" 4
    same "$(states_of "$examples/missed.ent")" 5
    same "$(states_of "$examples/philosophers.ent")" 14
    same "$(states_of "$examples/producer-consumer.ent")" 62
}

@test "the relations of every example stand the check" {
    for model in "$examples"/*.ent; do
        for reduction in none stubborn lpor; do
            portolan 0 explore "$model" --reduction $reduction --check-relations -q
        done
    done
}

@test "compare: every reduction finds the deadlocks of full exploration" {
    for model in "$examples"/*.ent; do
        portolan 0 compare "$model" --json
        json_is '[.rows[].deadlocks] | unique | length' 1
        json_is '[.rows[].reduction] | unique | length > 3' true
    done
}

@test "a trace is written, read and replayed" {
    portolan 1 check "$examples/missed.ent" --trace trace -q
    contains "$(cat trace)" "# model: missed"
    portolan 0 replay "$examples/missed.ent" trace
    contains "$output" "a deadlock"
    printf 'cut\nsweep\n' > wrong
    refuses "step 2: 'sweep' is not enabled" replay "$examples/missed.ent" wrong
    printf 'sweeep\n' > wrong
    refuses "the model has no action 'sweeep'" replay "$examples/missed.ent" wrong
    contains "$stderr" "did you mean sweep?"
}

@test "names with blanks survive a trace" {
    printf 'initial "one fork"\naction "take, at last": deletes "one fork"\n' > names.ent
    portolan 1 check names.ent --trace trace -q
    portolan 0 replay names.ent trace
    contains "$output" "take, at last  one fork 1->0"
}

@test "an entity system without entities, one without actions" {
    echo 'action idle:' > idle.ent
    portolan 0 check idle.ent -q
    same "$(states_of idle.ent)" 1
    echo 'initial a' > still.ent
    portolan 1 check still.ent
    contains "$output" "then a=1, all else 0"
}

@test "bad input: where, the line, and what to do" {
    refuses "No such file or directory" check missing.ent
    contains "$stderr" "missing.ent: error: "
    mkdir directory.ent
    refuses "Is a directory" check directory.ent
    : > empty.ent
    refuses "empty.ent:1:1: error: there is no action" check empty.ent
    printf 'initial a\naction move: deletes a, craetes b\n' > a.ent
    refuses "found 'craetes'" check a.ent
    points_at a.ent 2 25 "action move: deletes a, craetes b"
    contains "$stderr" "hint: did you mean creates?"
    printf 'initial a\naction move:\n  reads a\n  forbids a\n' > b.ent
    refuses "action 'move' reads 'a' and forbids it" check b.ent
    points_at b.ent 4 11 "  forbids a"
    echo '<pnml/>' > c.ent
    refuses "unexpected character '<'" explore c.ent
    points_at c.ent 1 1 "<pnml/>"
    head -c 4096 "$program" > elf.ent
    refuses "elf.ent:" check elf.ent
}

@test "list names the language" {
    portolan 0 list
    contains "$output" "(.ent); views: relations"
}
