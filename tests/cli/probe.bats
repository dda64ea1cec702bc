#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Probe sets on the command line.

load helpers

@test "a deadlock is found, with a trace that replays" {
    family philosophers 4
    portolan 1 check philosophers.pnml --reduction probe --trace trace.txt
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "reduction probe, proviso nodup, dfs"
    portolan 0 replay philosophers.pnml trace.txt
}

@test "every strategy, proviso, view and choice agrees" {
    family bakery 2 2
    for strategy in all-but-one independent reversing-free; do
        for tokens in explicit symbolic; do
            for choice in shortest least-influence random:7; do
                for proviso in nodup age; do
                    portolan 0 explore bakery.pnml --proviso $proviso --json \
                        --reduction "probe:strategy=$strategy,tokens=$tokens,choice=$choice"
                    json_is .deadlocks 4
                    json_is '.states < 205' true
                    json_is '.vectors > 0' true
                done
            done
        done
    done
}

@test "invariants and reachability, held and violated" {
    family philosophers 3
    portolan 0 check philosophers.pnml --reduction probe --invariant 'eats_1 + eats_2 <= 1'
    portolan 1 check philosophers.pnml --reduction probe --invariant 'eats_1 = 0'
    contains "$output" "replayed"
    portolan 0 check philosophers.pnml --reduction probe --reach 'eats_3 = 1'
    portolan 1 check philosophers.pnml --reduction probe --reach 'eats_1 = 1 && eats_3 = 1'
}

@test "the large examples of the thesis are small" {
    family filesystem 16
    family indexer 11
    portolan 0 explore filesystem.pnml --reduction probe --json
    json_is '.deadlocks, (.states < 200), (.seconds < 2)' $'1\ntrue\ntrue'
    portolan 0 explore indexer.pnml --reduction probe --json
    json_is '.deadlocks, .states, .vectors, .missed' $'1\n133\n133\n0'
}

@test "explain shows vectors, probe sets, missed actions and new states" {
    family philosophers 2
    portolan 0 explore philosophers.pnml --explain --reduction probe
    contains "${lines[0]}" "vector                        probe set                 leads to"
    contains "${lines[1]}" "1   (s0, ε)                       take_left_1 ↦ ε           (s0, take_left_1)"
    contains "$output" "take_left_2·take_right_2 to (s"
    contains "$output" "deadlock"
}

@test "explain leaves standard output to JSON and to graphs" {
    family philosophers 2
    portolan 1 check philosophers.pnml --explain --reduction probe --all --json
    json_is .verdict violated
    contains "$stderr" "probe set"
    portolan 0 explore philosophers.pnml --explain --reduction probe --export aut
    contains "${lines[0]}" "des ("
}

@test "explain without probe sets" {
    family philosophers 2
    refuses "--explain goes with --reduction probe" check philosophers.pnml --explain
    refuses "--explain goes with --reduction probe" explore philosophers.pnml --explain --reduction stubborn
}

@test "the exported graph holds what was counted" {
    family philosophers 3
    portolan 0 explore philosophers.pnml --reduction probe --export aut -o graph.aut
    states=$(sed -n '1s/.*, \([0-9]*\))$/\1/p' graph.aut)
    same "$states" "$(states_of philosophers.pnml --reduction probe)"
}

@test "limits end a search cleanly" {
    family peterson 3
    portolan 3 explore peterson.pnml --reduction probe --states 100 --json
    json_is '.stop, .states' $'state limit\n100'
    family unbounded 1
    portolan 3 explore unbounded.pnml --reduction probe --time 0.3 --json
    json_is .stop "time limit"
    portolan 3 explore unbounded.pnml --reduction probe:tokens=explicit --memory 2M --json
    json_is .stop "memory limit"
}

@test "what does not go together is refused" {
    family philosophers 2
    refuses "proviso 'scc' does not go with reduction 'probe'" check philosophers.pnml --reduction probe --proviso scc
    refuses "proviso 'age' goes with reduction 'probe' only" check philosophers.pnml --reduction stubborn --proviso age
    refuses "chains do not go with reduction 'probe'" check philosophers.pnml --reduction probe --chains
    refuses "has no option 'fast'" check philosophers.pnml --reduction probe:fast
    refuses "offers no entities view 'none'" check philosophers.pnml --reduction probe:tokens=none
    refuses "rules as printed do not preserve" check philosophers.pnml --reduction probe:printed-keys
    refuses "no reduction preserves" check philosophers.pnml --reduction probe --invariant 'deadlock || eats_1 = 0'
}

@test "a seed is taken as it is written, or refused" {
    family philosophers 3
    for seed in 18446744073709551616 99999999999999999999999999 -1 ' 5' 5x; do
        refuses "has no option 'choice=random:$seed'" check philosophers.pnml --reduction "probe:choice=random:$seed"
    done
    portolan 1 check philosophers.pnml --reduction probe:choice=random:18446744073709551615
}
