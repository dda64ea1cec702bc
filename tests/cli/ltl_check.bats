#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan check --ltl: verdicts, runs with a cycle, automata, fairness, and what is refused.

load helpers

# A philosopher who eats stops; who may starve does.
good='G F eating_1 > 0 || F G idle_1 > 0'
bad='G F eating_1 > 0'

@test "a formula that holds, reduced and in full" {
    family philosophers-atomic 5
    portolan 0 check philosophers-atomic.pnml --ltl "$good"
    contains "$output" "property   ltl $good: HOLDS"
    contains "$output" "search     reduction stubborn, proviso scc:liveness, scc"
    contains "$output" "product    "
    for search in scc ndfs; do
        portolan 0 check philosophers-atomic.pnml --ltl "$good" --reduction none --search $search
        contains "$output" "reduction none, proviso none, $search"
        for proviso in stack color color-star queue scc; do
            portolan 0 check philosophers-atomic.pnml --ltl "$good" --proviso $proviso --search $search -q
            portolan 0 check philosophers-atomic.pnml --ltl "$good" --reduction lpor --proviso $proviso -q
        done
    done
}

@test "a counterexample is a prefix and a cycle, which replay understands" {
    family philosophers-atomic 3
    portolan 1 check philosophers-atomic.pnml --ltl "$bad" --reduction none --trace run.txt
    contains "$output" "VIOLATED"
    contains "$output" "trace      0 steps, then a cycle of 2, replayed"
    contains "$output" "repeated forever:"
    contains "$(<run.txt)" "# cycle: what follows is repeated forever"
    portolan 0 replay philosophers-atomic.pnml run.txt
    contains "$output" "replayed   2 steps of philosophers-atomic-3, the cycle closes"
    contains "$output" "repeated forever:"
    portolan 0 replay philosophers-atomic.pnml run.txt --json
    json_is .cycle_start 0
    sed -i '$d' run.txt
    refuses "the cycle does not close" replay philosophers-atomic.pnml run.txt
}

@test "a run that ends stays where it is" {
    family philosophers 3
    portolan 1 check philosophers.pnml --ltl 'G(has_left_1 > 0 -> F eats_1 > 0)' --reduction none --trace run.txt
    contains "$output" "trace      3 steps, then its last state forever, replayed"
    contains "$(<run.txt)" "# cycle: nothing is enabled, the last state is repeated"
    portolan 0 replay philosophers.pnml run.txt
    contains "$output" "and nothing is enabled then"
    sed -i '/take_left_3/d' run.txt
    refuses "something is enabled" replay philosophers.pnml run.txt
    portolan 1 check philosophers.pnml --ltl 'G !deadlock' -q
    portolan 0 check philosophers.pnml --ltl 'F deadlock || G F (eats_1 > 0 || eats_2 > 0 || eats_3 > 0) ||
        G F (fireable(take_left_1) || fireable(take_left_2) || fireable(take_left_3))' -q
}

@test "a run has no steps that are not needed, and its cycle begins as early as it can" {
    printf '%s\n' 'initial a c' 'action t1: deletes a, creates b' 'action t2: deletes b, creates a' 'action u: deletes c, creates d' > turn.ent
    portolan 1 check turn.ent --ltl 'G (b = 1 -> F d = 0)' --as-found
    contains "$output" "trace      2 steps, then a cycle of 2"
    portolan 1 check turn.ent --ltl 'G (b = 1 -> F d = 0)'
    contains "$output" "trace      1 step, then a cycle of 2"
    family philosophers 6
    portolan 1 check philosophers.pnml --ltl 'G F eats_1 > 0'
    contains "$output" "trace      6 steps, then its last state forever"
}

@test "a safety property is decided by a prefix" {
    family philosophers 3
    portolan 1 check philosophers.pnml --ltl 'G !(eats_1 > 0)' --reduction none --json
    json_is .verdict violated
    json_is .search reach
    json_is .cycle_start null
    json_is '.trace | length' 2
    portolan 0 check philosophers.pnml --ltl 'G !(eats_1 > 0 && eats_2 > 0)'
    contains "$output" "proviso scc, reach"
}

@test "X switches the reduction off, unless it makes no difference" {
    family philosophers 3
    portolan 1 check philosophers.pnml --ltl 'G(has_left_1 > 0 -> X eats_1 > 0)'
    contains "$output" "note       no reduction: it is not invariant under stuttering"
    contains "$output" "reduction none"
    portolan 1 check philosophers.pnml --ltl 'G(has_left_1 > 0 -> X eats_1 > 0)' --json
    json_is .note "no reduction: it is not invariant under stuttering"
    portolan 1 check philosophers.pnml --ltl 'G !(!(eats_1 > 0) && X eats_1 > 0)' --reduction stubborn -q
    portolan 1 check philosophers.pnml --ltl 'F deadlock -> G eats_1 > 0'
    contains "$output" "note       no reduction: it distinguishes live states from deadlocks"
}

@test "what would not be sound is refused in one line" {
    family philosophers 3
    refuses "not invariant under stuttering" check philosophers.pnml --ltl 'X eats_1 > 0' --reduction stubborn
    refuses "proviso 'safe' has the safety form" check philosophers.pnml --ltl 'G F eats_1 > 0' --proviso safe
    refuses "without a proviso" check philosophers.pnml --ltl 'G F eats_1 > 0' --proviso none
    refuses "weak sets do not preserve runs" check philosophers.pnml --ltl 'G F eats_1 > 0' --reduction stubborn:weak
    refuses "search 'bfs' finds no cycles" check philosophers.pnml --ltl 'G F eats_1 > 0' --search bfs
    refuses "fairness looks at every action" check philosophers.pnml --ltl 'F eats_1 > 0' --fair --reduction lpor
    refuses "only --search scc finds fair runs" check philosophers.pnml --ltl 'G F eats_1 > 0' --fair --search ndfs
    refuses "a stateless search does not see" check philosophers.pnml --ltl 'G F eats_1 > 0' --reduction optimal
    refuses "chains pass by states" check philosophers.pnml --ltl 'G F eats_1 > 0' --chains
}

@test "fairness: what is always enabled is taken in the end" {
    net loop.pnml << 'END'
<place id="l"><initialMarking><text>1</text></initialMarking></place>
<place id="a"><initialMarking><text>1</text></initialMarking></place>
<place id="b"/>
<transition id="loop"/><transition id="step"/>
<arc id="1" source="l" target="loop"/><arc id="2" source="loop" target="l"/>
<arc id="3" source="a" target="step"/><arc id="4" source="step" target="b"/>
END
    portolan 1 check loop.pnml --ltl 'F b > 0' -q
    portolan 0 check loop.pnml --ltl 'F b > 0' --fair
    contains "$output" "note       no reduction: fairness looks at every action"
    portolan 0 check loop.pnml --ltl 'F b > 0' --fair=process -q
    refuses "--fair takes [=process|transition], not 'perhaps'" check loop.pnml --ltl 'F b > 0' --fair=perhaps
}

@test "several formulas, other properties, a formula from a file" {
    family philosophers 3
    printf '// nobody starves\nG F eats_1 > 0\n' > live.ltl
    portolan 1 check philosophers.pnml --ltl-file live.ltl --ltl 'G fork_1 <= 1' --deadlock -P 'ltl F G true' --json
    json_is '.properties | length' 4
    json_is '[.properties[].verdict] | join(" ")' "violated holds violated holds"
    printf 'G F\n  nope > 0\n' > wrong.ltl
    refuses "unknown variable 'nope'" check philosophers.pnml --ltl-file wrong.ltl
    points_at wrong.ltl 2 3 "  nope > 0"
    refuses "No such file" check philosophers.pnml --ltl-file missing.ltl
    refuses "expected a formula" check philosophers.pnml --ltl 'G F'
}

@test "automata are written and read; they stand for the counterexamples" {
    family philosophers-atomic 4
    portolan 0 check philosophers-atomic.pnml --ltl "$bad" --print-automaton
    contains "$output" "HOA: v1"
    contains "$output" 'AP: 1 "eating_1 > 0"'
    echo "$output" > bad.hoa
    portolan 1 check philosophers-atomic.pnml --automaton bad.hoa
    contains "$output" "property   automaton bad.hoa: VIOLATED"
    contains "$output" "note       no reduction: whether it is invariant under stuttering is not known"
    "$program" check philosophers-atomic.pnml --ltl "$good" --print-automaton > good.hoa
    portolan 0 check philosophers-atomic.pnml --automaton good.hoa --search ndfs -q
    sed 's/eating_1/feasting_1/' bad.hoa > unknown.hoa
    refuses "unknown variable 'feasting_1'" check philosophers-atomic.pnml --automaton unknown.hoa
    refuses "No such file" check philosophers-atomic.pnml --automaton missing.hoa
    refuses "--print-automaton needs a formula" check philosophers-atomic.pnml --print-automaton
}

@test "limits leave a formula undecided, unless it is decided by then" {
    family unbounded 3
    portolan 3 check unbounded.pnml --ltl 'G F true' --ltl 'G !(F G buffer < 0)' --states 5000 --reduction none
    contains "$output" "UNDECIDED"
    contains "$output" "stopped    state limit"
}

@test "compare puts the searches side by side" {
    family philosophers-atomic 4
    portolan 0 compare philosophers-atomic.pnml --all --ltl "$good"
    contains "$output" "ndfs"
    contains "$output" "scc:liveness"
    lacks "$output" "differs"
    portolan 0 compare philosophers-atomic.pnml --ltl "$bad" --json
    json_is '[.rows[].verdict] | unique | join(" ")' violated
    json_is '.rows | map(.search) | unique | join(" ")' "ndfs scc"
    portolan 0 compare philosophers-atomic.pnml --ltl "$bad" --deadlock --fair
    lacks "$output" "stubborn"
}
