#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Control programs of graph grammars.

load helpers

# Two items, a shelf, and what the control program says.
shelf() {
    cat >shelf.gg <<END
grammar shelf
graph start { x: Item; y: Item; s: Shelf }
rule put(i) { i: Item; s: Shelf; + i -on-> s; not i -on-> s }
rule take(i) { i: Item; s: Shelf; - i -on-> s }
rule close { s: Shelf; + s: Closed; not s: Closed }
control { $1 }
END
}

# counts PROGRAM ISOMORPHISM STATES TRANSITIONS DEADLOCKS
counts() {
    shelf "$1"
    portolan 0 explore shelf.gg --isomorphism "$2" --json
    json_is '[.states, .transitions, .deadlocks] | join(" ")' "$3 $4 $5"
}

@test "a sequence, to its end and into a dead end" {
    counts 'put; put; close;' off 5 5 0
    counts 'put; put; put;' off 4 4 1
    counts 'put; put; put;' on 3 3 1
}

@test "loops and attempts" {
    counts 'alap put; close;' off 5 5 0
    counts 'try take; else close;' off 2 1 0
    counts 'while (put) take;' on 2 3 0
    counts 'put*; close;' on 6 6 0
}

@test "a recipe is one step, or none" {
    counts 'recipe fill() { put; alap put; } fill; close;' on 3 3 0
    counts 'recipe fill() { put; put; put; } try fill; else close;' on 2 1 0
    counts 'try < put; put; put; > else close;' on 2 1 0
    counts '< put; put; > close;' on 4 4 0
}

@test "a variable has a node, also up to isomorphism" {
    counts 'node n; put(out n); take(n);' off 4 4 0
    counts 'node n; put(out n); take(n);' on 3 3 0
    counts 'node n; put; put(out n); take(n); put;' on 5 5 0
    counts 'node n, m; put(out n); put(out m); take(m); take(m);' on 4 4 1
}

@test "the trace of a dead end names recipes, and can be replayed" {
    shelf 'recipe fill() { put; put; } choice { fill; take; } or { fill; close; } take; take;'
    portolan 1 check shelf.gg --trace trace.txt
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "fill(put("
    portolan 0 replay shelf.gg trace.txt
    contains "$output" "fill(put("
}

@test "errors are shown where they are" {
    shelf 'put; tak;'
    refuses "shelf.gg:6:16: error: there is no rule, function or recipe 'tak'" check shelf.gg
    contains "$stderr" "did you mean take?"
    shelf 'int n; put(out n);'
    refuses "'put' takes a node here, and this is an int" check shelf.gg
}

@test "where a multiplicity is violated a program cannot go on" {
    cd "$BATS_TEST_TMPDIR"
    counts() { # PROGRAM
        printf '%s\n' 'types { A [f]; B; A -e-> B out 0..1 }' 'graph g { a: A; b: B; c: B }' \
            'rule link { x: A; y: B; + not x -e-> y }' 'rule mark { x: A; + not x[f] }' "control { $1 }" >m.gg
        "$PORTOLAN" explore m.gg --isomorphism off --json | jq -r '"\(.states) \(.transitions) \(.deadlocks)"'
    }
    same "$(counts 'link; link; mark;')" "4 4 1"
    same "$(counts 'recipe both() { link; link; } both; mark;')" "2 2 1"
    same "$(counts 'recipe both() { link; link; mark; } try both; else mark;')" "2 1 0"
    same "$(counts 'link; try { link; try mark; }')" "4 4 1"
}
