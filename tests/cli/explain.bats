#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --explain with stubborn sets and lpor: what was explored in each state, why, and why the rest can wait.

load helpers

net=$repository/examples/philosophers.pnml

@test "each state with its set, the reason for each member and for each action left out" {
    portolan 0 explore "$net" --reduction stubborn --search dfs --explain
    contains "$output" "state 0    6 of 6 enabled actions explored"
    contains "$output" "state 1    2 of 6 enabled actions explored
  explored  the set begins with take_right_1
  explored  take_right_1 may disable take_left_2 (fork_2 >= 1)
  left out  take_left_3: before or after each of the 2 explored actions, it leads to the same state"
    same "$(grep -c '^state' <<< "$output")" "$(sed -n 's/^covered    \([0-9]*\) states.*/\1/p' <<< "$output")"
}

@test "explored actions are as many as the search took" {
    local model
    for model in "$net" "$repository/examples/threads/bank.dl" "$repository/examples/protocols/two-phase-commit.mp"; do
        portolan 0 explore "$model" --reduction lpor --explain
        same "$(sed -n 's/^state [0-9 ]* \([0-9]*\) of .*/\1/p' <<< "$output" | paste -sd+ | bc)" \
            "$(sed -n 's/^covered .* states, \([0-9,]*\) transitions.*/\1/p' <<< "$output" | tr -d ,)"
        lacks "$output" "not stubborn"
    done
}

@test "a proviso that asks for more is named" {
    portolan 1 check "$net" --invariant 'eats_1 = 0' --reduction stubborn --proviso stack:safety --all --explain
    contains "$output" "would do, but proviso stack:safety asks for all"
}

@test "it leaves standard output to JSON, and says what it does not go with" {
    portolan 1 check "$net" --explain --json
    same "$(jq -r .verdict <<< "$output")" violated
    contains "$stderr" "the set begins with"
    refuses "--explain cannot be combined with --chains: it follows one search state by state" check "$net" --explain --chains
    refuses "--explain follows one search, and each LTL property has one of its own" \
        check "$repository/examples/promela/peterson.pml" --explain
    portolan 0 check "$repository/examples/promela/peterson.pml" -P 'ltl never_both' --explain
    contains "$output" "state 0 "
}
