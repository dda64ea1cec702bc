#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan ltl: formulas, their automata, and what is known of them.

load helpers

@test "size, kind, stuttering and safety, then the automaton" {
    portolan 0 ltl 'G(request -> F grant)'
    contains "$output" "states     2"
    contains "$output" "kind       strong"
    contains "$output" "stuttering makes no difference"
    contains "$output" "safety     no"
    contains "$output" 'AP: 2 "request" "grant"'
    contains "$output" "acc-name: Buchi"
    contains "$output" "--END--"
}

@test "the negation is what a search for errors uses" {
    portolan 0 ltl --negate 'G(request -> F grant)'
    contains "$output" "kind       weak, nondeterministic"
    portolan 0 ltl -n 'G a'
    contains "$output" "kind       terminal, deterministic"
    contains "$output" "safety     yes"
}

@test "X makes a difference, or does not" {
    portolan 0 ltl 'G(a -> X b)'
    contains "$output" "stuttering makes a difference"
    portolan 0 ltl 'F(!a && X a)'
    contains "$output" "stuttering makes no difference"
}

@test "several acceptance sets, or one" {
    portolan 0 ltl --hoa 'GF a && GF b'
    same "${lines[0]}" "HOA: v1"
    contains "$output" "Acceptance: 2 Inf(0)&Inf(1)"
    portolan 0 ltl --hoa --buchi 'GF a && GF b'
    contains "$output" "Acceptance: 1 Inf(0)"
    contains "$output" "States: 2"
}

@test "a picture" {
    portolan 0 ltl --dot 'a U "b c"'
    same "${lines[0]}" "digraph automaton {"
    contains "$output" 'label="a & !\"b c\""'
    lacks "$output" "HOA"
}

@test "errors point at the place" {
    refuses "expected a formula, found 'R'" ltl 'a U R b'
    points_at "<formula>" 1 5 "a U R b"
    contains "$stderr" 'hint: a name that is an operator is quoted: "R"'
    refuses "expected an operator, found 'b'" ltl 'a b'
    refuses "usage: portolan ltl FORMULA" ltl
    refuses "usage: portolan ltl FORMULA" ltl a b
    refuses "there is no option '--jason' here" ltl a --jason
}
