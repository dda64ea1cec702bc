#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan generate: the families and their known sizes (docs/families.md).

load helpers

# has STATES DEADLOCKS FAMILY N...
has() {
    local states=$1 deadlocks=$2
    shift 2
    family "$@"
    portolan 0 explore "$1.pnml" --json
    same "$*: $(json '"\(.states) \(.deadlocks)"')" "$*: $states $deadlocks"
}

@test "alone it lists the families, each of which can be made" {
    portolan 0 generate
    local names
    names=$(awk '{print $1}' <<< "$output")
    for name in philosophers figure3-002 kanban szymanski unbounded; do
        grep -qx -- "$name" <<< "$names"
    done
    for name in $names; do
        portolan 0 generate "$name"
        contains "$output" "<pnml"
    done
}

@test "every family of the documentation is listed, and none is missing there" {
    portolan 0 generate
    same "$(awk '{print $1}' <<< "$output" | sort)" \
        "$(sed '/^## Sizes/,$d' "$repository/docs/families.md" | sed -n 's/^| `\([a-z0-9-]*\)`.*/\1/p' | sort)"
}

@test "philosophers and the figures" {
    has 6 1 philosophers 2
    has 34 1 philosophers 4
    has 6726 1 philosophers 10
    has 7 0 philosophers-atomic 4
    has 123 0 philosophers-atomic 10
    has 10 1 figure2-002
    has 3 0 figure3-002
    has 11 2 figure-003
}

@test "programs" {
    has 6 1 filesystem 1
    has 216 1 filesystem 3
    has 169 1 indexer 2
}

@test "mutual exclusion" {
    has 205 4 bakery 2 2
    has 351 4 bakery 2 3
    has 5773 25 bakery 3 2
    has 25 0 szymanski 2
    has 1894 0 szymanski 5
    has 489 0 szymanski-bits 2
    has 158 0 peterson 2
    has 380 0 lamport 2
}

@test "protocols" {
    has 36 0 token-ring 3
    has 576 0 token-ring 6
    has 52 0 slotted-ring 2
    has 504 0 slotted-ring 3
    has 91 0 load-balancer 2 1
    has 468 0 allocation 2 4 2
    has 23 0 peer-to-peer 2
    has 1101 0 peer-to-peer 4
    has 10 0 readers-writers 3 2
    has 1027 0 readers-writers 10 3
}

@test "kanban" {
    has 160 0 kanban 1
    has 4600 0 kanban 2
}

@test "reductions find the same number of deadlocks" {
    for row in "1 philosophers 8" "2 figure-003" "1 filesystem 3" "1 indexer 3" "4 bakery 2 3" "25 bakery 3 2"; do
        # shellcheck disable=SC2086
        family ${row#* }
        portolan 1 check "$(cut -d' ' -f2 <<< "$row").pnml" --all --json
        same "$row: $(json .deadlocks)" "$row: ${row%% *}"
    done
}

@test "mutual exclusion holds" {
    for words in "bakery 2 2" "szymanski 3" "peterson 2" "lamport 2"; do
        # shellcheck disable=SC2086
        family $words
        portolan 0 check "${words%% *}.pnml" -i 'critical_1 + critical_2 <= 1' -r 'critical_1 = 1' -q
    done
}

@test "a left-out parameter takes its usual value" {
    "$program" generate kanban > usual.pnml
    "$program" generate kanban 2 > two.pnml
    cmp usual.pnml two.pnml
}

@test "to a file, by the long and the short option" {
    portolan 0 generate kanban 1 -o short.pnml
    same "$output" ""
    portolan 0 generate kanban 1 --output long.pnml
    portolan 0 generate kanban 1
    same "$output" "$(cat short.pnml)"
    cmp short.pnml long.pnml
}

@test "unknown families and wrong parameters" {
    refuses "there is no family 'knban'" generate knban
    contains "$stderr" "hint: did you mean 'kanban'?"
    refuses "'two' is not a number" generate kanban two
    refuses "'2x' is not a number" generate kanban 2x
    refuses "family 'kanban' takes 1 parameter, not 2" generate kanban 1 2
    refuses "is 0, out of range" generate kanban 0
    contains "$stderr" "hint: "
    refuses "out of range" generate kanban -- -1
    refuses "out of range" generate kanban 99999999
    refuses "" generate kanban 99999999999999999999
}
