#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Random walks beside a search of states.

load helpers

# switches N: N switches that are set and cleared forever, which is 2^N states.
switches() {
    local i
    for ((i = 0; i < $1; i++)); do
        echo "<place id='off$i'><initialMarking><text>1</text></initialMarking></place><place id='on$i'/>"
        echo "<transition id='set$i'/><transition id='clear$i'/>"
        echo "<arc id='a$i' source='off$i' target='set$i'/><arc id='b$i' source='set$i' target='on$i'/>"
        echo "<arc id='c$i' source='on$i' target='clear$i'/><arc id='d$i' source='clear$i' target='off$i'/>"
    done | net switches.pnml
}

# for_all N TEXT: TEXT with each number in place of '#', joined by '&&'.
for_all() {
    local i text=""
    for ((i = 0; i < $1; i++)); do
        text+=" && ${2//\#/$i}"
    done
    echo "${text:4}"
}

@test "a walk goes towards a goal: numbers, conjunctions, actions that are to be enabled" {
    switches 24
    for property in "--reach=$(for_all 24 'on# == 1')" "--reach=$(for_all 24 'fireable(clear#)')" \
        "--reach=$(for_all 24 '!(off# > 0)')"; do
        portolan 0 check switches.pnml "$property" --walk 20000 --states 1 --json
        json_is .verdict holds
        json_is .found_by walk
        json_is '.trace | length' 24
    done
    portolan 1 check switches.pnml --invariant "!($(for_all 24 'on# == 1'))" --walk 20000 --states 1
    contains "$output" "trace      24 steps, found by a random walk, replayed"
    contains "$output" "walks      "
}

@test "walks help a search that takes long, and only that" {
    switches 24
    portolan 0 check switches.pnml --reach "$(for_all 24 'on# == 1')" --reduction none --json
    json_is .found_by walk
    json_is '.states > 1000 and .states < 100000' true
    json_is '.trace | length' 24
    portolan 3 check switches.pnml --reach "$(for_all 24 'on# == 1')" --reduction none --walk none --states 20k --json
    json_is .walks 0
    switches 8
    portolan 0 check switches.pnml --reach "$(for_all 8 'on# == 1')" --reduction none --json
    json_is .walks 0
    json_is .found_by search
}

@test "a search that was asked for by name, every violation, a certificate: no walk" {
    switches 12
    local all
    all=$(for_all 12 'on# == 1')
    portolan 1 check switches.pnml --invariant "!($all)" --reduction none --json
    json_is .found_by walk
    for words in "--search bfs" "--all" "--certify c" "--check-relations" "--walk none"; do
        # shellcheck disable=SC2086
        portolan 1 check switches.pnml --invariant "!($all)" --reduction none $words --json
        json_is .walks 0
        json_is .found_by search
        json_is .states 4096
    done
    portolan 1 check switches.pnml --invariant "!($all)" --search bfs --reduction none
    contains "$output" "12 steps, replayed, shortest"
    portolan 0 explore switches.pnml --json
    json_is .walks 0
    portolan 1 check switches.pnml --invariant "!($all)" --search bfs --reduction none --walk 100k --as-found
    contains "$output" "found by a random walk, replayed"
    lacks "$output" "shortest"
}

@test "what walks do depends on the seed alone" {
    switches 24
    local seed
    for seed in 7 7 8; do
        "$program" check switches.pnml --reach "$(for_all 24 'on# == 1')" --seed $seed --walk 100k --json |
            jq 'del(.seconds, .bytes, .peak_rss_bytes)' > answer
        [ ! -e $seed ] || cmp answer $seed
        mv answer $seed
    done
    ! cmp -s 7 8
}

@test "that walks find nothing proves nothing" {
    switches 12
    portolan 3 check switches.pnml --walk 10000 --states 1 --json
    json_is .verdict unknown
    json_is '.walk_steps + .walks >= 10000' true
    portolan 0 check switches.pnml --walk 10000 --json --reduction none
    json_is .verdict holds
    json_is .found_by null
    json_is .states 4096
}

@test "where nothing can be done, walks come to an end" {
    echo "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'/>" | net dead.pnml
    portolan 1 check dead.pnml --reach 'p == 1' --simplify none --walk 1000 --json
    json_is .walk_steps 0
    json_is .verdict violated
}

@test "several properties: each is decided by whoever comes first" {
    switches 16
    portolan 0 check switches.pnml --walk 50000 --reduction none --json --deadlock \
        --reach "$(for_all 16 'on# == 1')" --reach "$(for_all 16 'on# + off# == 1')"
    json_is '[.properties[].verdict] | join(" ")' "holds holds holds"
    json_is '[.properties[].found_by] | join(" ")' " walk walk"
    json_is .states 65536
    portolan 1 check switches.pnml --walk 50000 --json --reach "$(for_all 16 'on# == 1')" --reach "on0 == 2"
    json_is '.properties[0].found_by' walk
    json_is '.properties[1].found_by' null
}

@test "a walk through every language" {
    local examples="$repository/examples" model
    for model in philosophers.pnml threads/philosophers.dl protocols/paxos-no-promise.mp entities/philosophers.ent \
        graphs/philosophers.gg graphs/philosophers.gps; do
        portolan 1 check "$examples/$model" --walk 100k --states 1 --json --trace trace
        json_is .found_by walk
        portolan 0 replay "$examples/$model" trace --quiet
    done
}

@test "an invariant that has no value is violated there, as a search says" {
    switches 3
    portolan 1 check switches.pnml --invariant '1 / (3 - on0 - on1 - on2) >= 0' --walk 10000 --states 1
    contains "$output" "3 steps, to a state in which the property has no value, found by a random walk"
    contains "$output" "note       in the last state"
}

@test "a walk ends at a limit" {
    switches 24
    portolan 3 check switches.pnml --simplify none --walk 1000000M --time 0.2 --json
    json_is .stop "time limit"
    json_is '.seconds < 5' true
}

@test "walks have no use for LTL and for executions" {
    refuses "--walk needs a search that stores states" check "$repository/examples/philosophers.pnml" --walk 5 --ltl 'G true'
    refuses "--walk needs a search that stores states" check "$repository/examples/threads/bank.dl" --walk 5 --reduction optimal
    refuses "did you mean none?" check "$repository/examples/philosophers.pnml" --walk non
    refuses "'0'" check "$repository/examples/philosophers.pnml" --walk 0
}
