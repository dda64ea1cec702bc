#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Which reductions, provisos and searches go together, and that all of those give the same answer.

load helpers

reductions="none stubborn stubborn:weak stubborn:strong stubborn:closure stubborn:deletion stubborn:persistent
    stubborn:strong,persistent"
depth_first="stack stack:safety stack:liveness safe color color-star scc"
breadth_first="queue queue:safety queue:liveness"

@test "every reduction, in both searches, finds the one deadlock" {
    family philosophers 4
    for reduction in $reductions; do
        for search in dfs bfs; do
            portolan 1 check philosophers.pnml --reduction $reduction --search $search --all --json
            json_is '"\(.reduction) \(.search) \(.deadlocks)"' "$reduction $search 1"
        done
    done
}

@test "every reduction and proviso sees the ignored action of figure 3" {
    family figure3-002
    for reduction in $reductions; do
        for proviso in $depth_first $breadth_first auto; do
            [ $reduction != stubborn:weak ] || [[ $proviso == *liveness || $proviso == color* ]] || continue
            portolan 0 check figure3-002.pnml -r 'bad = 1' --reduction $reduction --proviso $proviso -q
        done
    done
}

@test "the automatic choice for the ignoring problem is sound" {
    family figure3-002
    for search in auto dfs bfs; do
        portolan 0 check figure3-002.pnml -r 'bad = 1' --search $search --json
        json_is '.verdict, .proviso == "none", ([.trace[].action] | join(" "))' $'holds\nfalse\nbegin fail'
    done
}

@test "a proviso decides the search when none is named" {
    family figure3-002
    for proviso in $depth_first; do
        portolan 1 check figure3-002.pnml -i 'bad = 0' --proviso $proviso --json
        json_is .search dfs
    done
    for proviso in $breadth_first; do
        portolan 1 check figure3-002.pnml -i 'bad = 0' --proviso $proviso --json
        json_is .search bfs
    done
}

@test "refused: an invariant without a proviso" {
    family figure3-002
    for property in "--reach bad=1" "--invariant bad=0"; do
        # shellcheck disable=SC2086
        refuses "an action could be ignored forever" check figure3-002.pnml $property --reduction stubborn --proviso none
        contains "$stderr" "hint: use --proviso scc or safe"
    done
    portolan 0 check figure3-002.pnml --reduction stubborn --proviso none -q
    portolan 0 check figure3-002.pnml -r 'bad = 1' --reduction none --proviso none -q
}

@test "refused: weak sets with a proviso of the safety form, where more than deadlocks matters" {
    family figure3-002
    for proviso in stack queue safe scc auto; do
        refuses "weak sets keep more than deadlocks only with a proviso of the liveness form" \
            check figure3-002.pnml -r 'bad = 1' --reduction stubborn:weak --proviso $proviso
        portolan 0 check figure3-002.pnml --reduction stubborn:weak --proviso $proviso -q
    done
}

@test "refused: a proviso in the wrong search" {
    family figure3-002
    for proviso in $depth_first; do
        refuses "proviso '$proviso' is sound in dfs only, not in bfs" \
            check figure3-002.pnml --proviso $proviso --search bfs
    done
    for proviso in $breadth_first; do
        refuses "proviso '$proviso' is sound in bfs only, not in dfs" \
            check figure3-002.pnml --proviso $proviso --search dfs
    done
}

@test "refused: a reduction for a property that tells live states from deadlocks" {
    family figure3-002
    refuses "no reduction preserves 'reach deadlock || bad = 1'" \
        check figure3-002.pnml -r 'deadlock || bad = 1' --reduction stubborn
    contains "$stderr" "hint: use --reduction none"
    portolan 0 check figure3-002.pnml -r 'deadlock || bad = 1' --proviso scc --json
    json_is .reduction none
}

@test "goal-directed sets: the default for invariants and reachability, also where every state matters" {
    family figure3-002
    portolan 1 check figure3-002.pnml -i 'bad = 0' --json
    json_is .reduction stubborn:goal
    json_is .proviso scc
    portolan 0 check figure3-002.pnml -r 'deadlock || bad = 1' --json
    json_is .reduction stubborn:goal
    for proviso in none $depth_first; do
        portolan 0 check figure3-002.pnml -r 'bad = 1' --reduction stubborn:goal --proviso $proviso -q
        portolan 0 check figure3-002.pnml -r 'deadlock || bad = 1' --reduction stubborn:goal --proviso $proviso -q
    done
    portolan 0 check figure3-002.pnml -r 'bad = 1' --deadlock --simplify none --json
    json_is .reduction stubborn
    portolan 1 check figure3-002.pnml -i 'bad = 0' --all --json
    json_is .reduction stubborn
}

@test "refused: goal-directed sets for deadlocks, formulas, and without a goal" {
    family figure3-002
    refuses "goal-directed sets do not lead to every deadlock, which 'no deadlock' needs" \
        check figure3-002.pnml -r 'bad = 1' --deadlock --reduction stubborn:goal
    refuses "goal-directed sets lead to states, but 'ltl G bad = 0' is about runs" \
        check figure3-002.pnml --ltl 'G bad = 0' --reduction stubborn:goal
    refuses "goal-directed sets need an invariant or a reachability property" explore figure3-002.pnml --reduction stubborn:goal
}

@test "goal-directed sets pass by what has nothing to do with the goal" {
    net=$BATS_TEST_DIRNAME/../nets/modules.pnml
    portolan 0 check "$net" --simplify none -i 'a1 + b1 <= 4' --json
    json_is .states 36
    portolan 0 check "$net" --simplify none -i 'a1 + b1 <= 4' --reduction stubborn --json
    json_is '.states > 36' true
    portolan 1 check "$net" --simplify none -r 'c5 >= 1' --json
    json_is .states 1
}

@test "a transition that changes nothing does not tie modules together" {
    net=$BATS_TEST_DIRNAME/../nets/modules.pnml
    portolan 0 check "$net" --simplify none --json
    json_is .states 3
    portolan 0 check "$net" --simplify none -i 'a1 <= 2' --certify modules.cert --json
    portolan 0 certify modules.cert "$net" -q
}

@test "refused: chains where states matter" {
    family philosophers 3
    refuses "chains need a reduction" check philosophers.pnml --chains --reduction none
    refuses "chains pass by states that 'invariant eats_1 = 0' may need to see" \
        check philosophers.pnml --chains -i 'eats_1 = 0'
    refuses "chains cannot be combined with a proviso" check philosophers.pnml --chains --proviso stack
    refuses "--export cannot be combined with --chains" explore philosophers.pnml --export dot --chains --reduction stubborn
}

@test "chains: the same deadlocks, fewer stored states" {
    family indexer 3
    portolan 1 check indexer.pnml --all --json
    json_is .deadlocks 1
    local stored
    stored=$(json .states)
    portolan 1 check indexer.pnml --all --chains --json
    json_is .deadlocks 1
    [ "$(json .states)" -lt "$stored" ]
    portolan 0 explore indexer.pnml --reduction stubborn --chains
    contains "$output" "stored"
}

@test "chains: a step that is followed again in wider states counts once" {
    echo 'int x; thread t { for (int i = 0; i < 30; i++) x = x + x + 1; }' >grow.dl
    portolan 0 explore grow.dl --reduction stubborn --chains --json
    json_is .transitions 90
    json_is .visited 91
}

@test "unknown names of reductions, provisos, searches and options of a reduction" {
    family philosophers 2
    refuses "there is no reduction 'ample'" check philosophers.pnml --reduction ample
    contains "$stderr" "hint: 'portolan list' shows the reductions"
    refuses "there is no proviso 'stak'" check philosophers.pnml --proviso stak
    contains "$stderr" "hint: did you mean stack?"
    refuses "there is no proviso 'persistence'" check philosophers.pnml --proviso persistence
    contains "$stderr" "hint: 'portolan list' shows the provisos"
    refuses "there is no search 'ids'" check philosophers.pnml --search ids
    contains "$stderr" "hint: the searches are dfs and bfs"
    refuses "reduction 'stubborn' has no option 'odd'" check philosophers.pnml --reduction stubborn:odd
    refuses "reduction 'none' has no option 'x'" check philosophers.pnml --reduction none:x
    refuses "weak stubborn sets are computed by deletion" check philosophers.pnml --reduction stubborn:weak,closure
}
