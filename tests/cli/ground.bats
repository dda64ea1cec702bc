#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Graph grammars whose applications are listed in advance: --ground.

load helpers

graphs=$repository/examples/graphs

@test "figure 4 of the paper on probe sets, on a graph grammar" {
    portolan 0 explore "$graphs/counters.gg" --ground --reduction probe:choice=shortest --search bfs --explain
    expected='vector|probe set|leads to|missed|new states
1|(s0, ε)|to1(x) ↦ ε|(s0, to1(x))|s0 s1
2|(s0, to1(x))|to2(x) ↦ ε|(s0, to1(x)·to2(x))|s2
3|(s0, to1(x)·to2(x))|to0(x) ↦ to1(x)·to2(x)|(s2, to0(x))
to1(y) ↦ ε|(s0, to1(x)·to1(y)·to2(x)) to1(y)·to2(y) to (s4, ε)|s3 s5 s4
4|(s2, to0(x))|to1(x) ↦ to0(x)|known: (s0, to1(x))
5|(s0, to1(x)·to1(y)·to2(x))|deadlock
6|(s4, ε)|to1(x) ↦ ε|(s4, to1(x))|s6
to0(y) ↦ ε|(s4, to0(y))
7|(s4, to1(x))|deadlock
8|(s4, to0(y))|to1(x) ↦ to0(y)|known: (s0, to1(x))'
    table=$(sed '/^model/,$d; s/^ *//; s/   */|/g; s/ *$//; s/|$//' <<<"$output")
    [ "$table" = "$expected" ] || { echo "$table"; false; }
    [[ $output == *"8 vectors, 1 missed action"* ]]
}

@test "the same states with and without a list of applications" {
    for grammar in counters philosophers; do
        full=$("$PORTOLAN" explore "$graphs/$grammar.gg" --isomorphism off --json | jq -c '[.states, .transitions, .deadlocks]')
        ground=$("$PORTOLAN" explore "$graphs/$grammar.gg" --ground --reduction none --json |
            jq -c '[.states, .transitions, .deadlocks]')
        [ "$full" = "$ground" ]
    done
}

@test "every kind of reduction and property, replayed" {
    for reduction in none stubborn lpor probe; do
        portolan 1 check "$graphs/philosophers.gg" --ground --reduction "$reduction"
        [[ $output == *"4 steps, replayed"* ]]
    done
    portolan 0 check "$graphs/philosophers.gg" --ground -q --invariant '"edges(holds)" <= 4 && nodes = 8'
    portolan 0 check "$graphs/philosophers.gg" --ground -q --reach '"applies(putDown)" && "edges(holds)" = 4'
    portolan 1 check "$graphs/philosophers.gg" --ground -q --ltl 'G F "applies(takeLeft)"'
}

@test "executions instead of states" {
    echo 'graph g { a: A; b: A; c: B } rule go { x: A; not x[f]; + x[f] } rule see { x: A[f]; c: B; not c[g]; + c[g] }' \
        >"$BATS_TEST_TMPDIR/go.gg"
    portolan 0 explore "$BATS_TEST_TMPDIR/go.gg" --ground --reduction optimal
    [[ $output == *"2 executions"* ]]
}

@test "a certificate of a reduced search" {
    "$PORTOLAN" check "$graphs/philosophers.gg" --ground --reduction stubborn --invariant '"edges(holds)" <= 4' \
        --certify "$BATS_TEST_TMPDIR/c"
    portolan 0 certify "$BATS_TEST_TMPDIR/c" "$graphs/philosophers.gg" --ground
}

@test "what cannot be listed is refused with the reason" {
    echo 'graph g { a: A } rule grow { a: A; + a -next-> b: A }' >"$BATS_TEST_TMPDIR/grow.gg"
    portolan 2 explore "$BATS_TEST_TMPDIR/grow.gg" --ground
    [[ $stderr == *"cannot be listed in advance: there are too many, perhaps infinitely many"* ]]
    portolan 2 explore "$graphs/counters.gg" --ground --isomorphism on
    [[ $stderr == *"not up to isomorphism"* ]]
    portolan 2 check "$graphs/counters.gg" --ground=never --reduction stubborn
    [[ $stderr == *"needs the relations view"*"--ground"* ]]
    portolan 2 check "$graphs/counters.gg" --ground=never --reduction optimal
    [[ $stderr == *"needs the footprint view"*"--ground"* ]]
    portolan 2 check "$graphs/counters.gg" --ground=sometimes
    [[ $stderr == *"--ground takes"*"never"* ]]
}

@test "a refusal names the rule and the place" {
    portolan 2 check "$graphs/election.gg" --isomorphism off --ground=never --conditions --reduction probe
    [[ $stderr == *"election.gg:44:6: error: reduction 'probe' needs the entities view"*"rule 'two' changes nothing, and is a step"*"rule two {"* ]]
    portolan 2 check "$graphs/platoon.gg" --reduction stubborn
    [[ $stderr == *"platoon.gg:24:13: error: "*"cannot be listed in advance: rule 'join' has a path expression"* ]]
    [[ $stderr == *"reduction 'stubborn' needs such a list"* ]]
    portolan 2 check "$graphs/counters.gg" --ground=never --reduction probe
    [[ $stderr == *"up to isomorphism"*"--isomorphism off or --ground"* ]]
    echo 'graph g { a: A -n-> 1 } rule up { a: A -n-> x: int; - a -n-> x;
        + a -n-> (x * 9) }' >"$BATS_TEST_TMPDIR/up.gg"
    portolan 2 explore "$BATS_TEST_TMPDIR/up.gg" --reduction stubborn
    [[ $stderr == *"up.gg:2:"*"rule 'up' computes a number that may be too large"* ]]
    cp -r "$graphs/philosophers.gps" "$BATS_TEST_TMPDIR/paths.gps"
    sed -i 's/del:hold/{hold.hold}/' "$BATS_TEST_TMPDIR/paths.gps/put-back.gpr"
    portolan 2 explore "$BATS_TEST_TMPDIR/paths.gps" --reduction lpor
    [[ $stderr == *"paths.gps/put-back.gpr:"*"rule 'put-back' has a path expression"* ]]
}

@test "a list is made by itself where what is asked needs one" {
    for reduction in stubborn lpor; do
        asked=$("$PORTOLAN" explore "$graphs/philosophers.gg" --ground --reduction $reduction --json |
            jq -c '[.states, .transitions, .deadlocks]')
        portolan 0 explore "$graphs/philosophers.gg" --reduction $reduction
        [[ $output == *$'\n'"grammar    applications of rules are listed in advance, as with --ground"$'\n'* ]]
        by_itself=$("$PORTOLAN" explore "$graphs/philosophers.gg" --reduction $reduction --json)
        [ "$(jq -c '[.states, .transitions, .deadlocks]' <<<"$by_itself")" = "$asked" ]
        [ "$(jq -r .opened_with <<<"$by_itself")" = ground=1 ]
    done
    portolan 0 explore "$graphs/append.gg" --isomorphism off --reduction probe
    [[ $output != *grammar\ * ]]
    portolan 0 explore "$graphs/append.gg" --reduction none
    [[ $output != *grammar\ * ]]
    echo 'graph g { a: A; b: A; c: B } rule go { x: A; not x[f]; + x[f] } rule see { x: A[f]; c: B; not c[g]; + c[g] }' \
        >"$BATS_TEST_TMPDIR/go.gg"
    portolan 0 explore "$BATS_TEST_TMPDIR/go.gg" --reduction optimal
    [[ $output == *"grammar    applications"*"2 executions"* ]]
}

@test "where there is no list, probe sets compare graphs for equality" {
    echo 'graph g { a: A } rule grow { a: A; not a -next-> z; + a -next-> b: A }' >"$BATS_TEST_TMPDIR/grow.gg"
    portolan 3 explore "$BATS_TEST_TMPDIR/grow.gg" --reduction probe --states 50
    [[ $output == *"grammar    graphs are compared for equality, as with --isomorphism off"* ]]
    portolan 2 explore "$BATS_TEST_TMPDIR/grow.gg" --reduction probe --isomorphism on
    [[ $stderr == *"not up to isomorphism"* ]]
}

@test "a trace and a certificate of a list that was made by itself" {
    run -1 "$PORTOLAN" check "$graphs/circular-buffer.gg" --reduction stubborn --reach 'nodes > 100' -q
    run -1 "$PORTOLAN" check "$graphs/circular-buffer.gg" --reduction stubborn --invariant 'nodes < 7' -q \
        --trace "$BATS_TEST_TMPDIR/t"
    grep -q '^# opened with: ground=1$' "$BATS_TEST_TMPDIR/t"
    portolan 0 replay "$graphs/circular-buffer.gg" "$BATS_TEST_TMPDIR/t"
    [[ $output == *"replayed "* ]]
    "$PORTOLAN" check "$graphs/philosophers.gg" --invariant '"edges(holds)" <= 4' --certify "$BATS_TEST_TMPDIR/c"
    portolan 0 certify "$BATS_TEST_TMPDIR/c" "$graphs/philosophers.gg"
    [[ $output == *CERTIFIED* ]]
    portolan 2 check "$graphs/platoon.gg" --certify "$BATS_TEST_TMPDIR/d"
    [[ $stderr == *"a certificate needs such a list"* ]]
}

@test "probe sets need no list of applications" {
    portolan 0 explore "$graphs/append.gg" --isomorphism off --reduction probe
    [[ $output == *"covered    9 states, "*" 2 deadlocks"* ]]
    portolan 0 explore "$graphs/counters.gg" --isomorphism off --reduction probe
    [[ $output == *"covered    5 states, "*" 2 deadlocks"* ]]
    portolan 1 check "$graphs/append.gg" --isomorphism off --reduction probe
    [[ $output == *"VIOLATED"*"replayed"*"a deadlock"* ]]
    echo 'graph g { a: A } rule grow { a: A; not a -next-> z; + a -next-> b: A }' >"$BATS_TEST_TMPDIR/grow.gg"
    portolan 3 explore "$BATS_TEST_TMPDIR/grow.gg" --isomorphism off --reduction probe --states 50
    [[ $output == *"covered    50 states"* ]]
}

@test "up to isomorphism no action has a name that lasts: fairness and fireable are refused" {
    run -2 --separate-stderr "$PORTOLAN" check "$graphs/philosophers.gg" --ltl 'G F "applies(takeLeft)"' --fair=transition
    [[ $stderr == *"graphs up to isomorphism do not tell"* ]]
    run -2 --separate-stderr "$PORTOLAN" check "$graphs/philosophers.gg" --invariant '!fireable("takeLeft(n4,n1)")'
    [[ $stderr == *"--isomorphism off"* ]]
    run -1 "$PORTOLAN" check "$graphs/philosophers.gg" --isomorphism off --invariant '!fireable("takeLeft(p1,f1)")' -q
    run "$PORTOLAN" check "$graphs/philosophers.gg" --isomorphism off --ltl 'G F "applies(takeLeft)"' --fair=transition -q
    [[ $status != 2 ]]
}

@test "up to isomorphism and for equality: the same verdicts, of every kind of property" {
    both() { # STATUS MODEL OPTION...
        for isomorphism in on off; do
            run --separate-stderr "$PORTOLAN" check "$graphs/$2.gg" --isomorphism "$isomorphism" --ground=never "${@:3}" -q
            [ "$status" -eq "$1" ] || { echo "$2, isomorphism $isomorphism, ${*:3}: $status, not $1: $stderr"; return 1; }
        done
    }
    both 1 philosophers
    both 0 philosophers --invariant '"edges(holds)" <= 4'
    both 1 philosophers --invariant '"edges(holds)" <= 3'
    both 0 philosophers --reach '"edges(holds)" == 4'
    both 1 philosophers --reach '"edges(holds)" == 5'
    both 1 philosophers --invariant '"applies(takeLeft)"'
    both 0 philosophers --ltl 'G ("edges(holds)" <= 4)'
    both 1 philosophers --ltl 'G F "applies(takeLeft)"'
    both 1 philosophers --ltl 'F "edges(holds)" == 4'
    both 0 append --ltl 'F G !"applies(append)"'
    both 1 append --ltl 'G "applies(append)"'
}

@test "up to isomorphism a trace names nodes by their places, whatever was met before" {
    # the search meets a and b before c, the trace c first: the applications of the block come in the order of places
    cat >"$BATS_TEST_TMPDIR/order.gg" <<'END'
graph g { s [S] }
rule makeA { not { a [A] }; + a [A, N] }
rule makeB { not { b [B] }; + b [B, N] }
rule makeC { not { c [C] }; + c [C, N] }
rule note { s [S]; c [C]; not { a [A] }; not { b [B] }; not s [first]; + s [first] }
rule all { s [S, first]; a [A]; b [B]; c [C]; not a [done]; forall { x [N]; + x [done] } }
END
    portolan 0 check "$BATS_TEST_TMPDIR/order.gg" --reach '"edges(done)" == 3' --trace "$BATS_TEST_TMPDIR/t"
    grep -q '^all(|n[0-3]|n[0-3]|n[0-3])$' "$BATS_TEST_TMPDIR/t"
    portolan 0 replay "$BATS_TEST_TMPDIR/order.gg" "$BATS_TEST_TMPDIR/t"
}

@test "probe sets: a node that may be there has its type" {
    cat >"$BATS_TEST_TMPDIR/typed.gg" <<'END'
types { T [q]; A < T; T -b-> T }
graph s { x: A; y: A; z: T }
rule once priority 1 { not { n: T [q] }; + m: T [q] }
rule loop { x: T; + x -b-> x }
END
    portolan 0 explore "$BATS_TEST_TMPDIR/typed.gg" --isomorphism off --reduction none
    [[ $output == *"covered    17 states"* ]]
    for strategy in reversing-free independent all-but-one; do # more states than there are once came from a second "once"
        states=$("$PORTOLAN" explore "$BATS_TEST_TMPDIR/typed.gg" --isomorphism off --ground=never --json \
            --reduction "probe:strategy=$strategy,persistent" | jq .states)
        [ "$states" -le 17 ]
    done
}
