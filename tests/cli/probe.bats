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
    for strategy in all-but-one independent reversing-free reversing-free-strict; do
        for tokens in explicit symbolic identity; do
            for choice in shortest least-influence random:7; do
                for proviso in nodup age; do
                    portolan 0 explore bakery.pnml --proviso $proviso --json \
                        --reduction "probe:strategy=$strategy,tokens=$tokens,choice=$choice,persistent"
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
    portolan 3 explore unbounded.pnml --reduction probe:tokens=identity --time 0.3 --json
    json_is .stop "time limit"
}

@test "what does not go together is refused" {
    family philosophers 2
    refuses "proviso 'scc' cannot be combined with reduction 'probe'" check philosophers.pnml --reduction probe --proviso scc
    refuses "proviso 'age' works only with reduction 'probe'" check philosophers.pnml --reduction stubborn --proviso age
    refuses "chains cannot be combined with reduction 'probe'" check philosophers.pnml --reduction probe --chains
    refuses "has no option 'fast'" check philosophers.pnml --reduction probe:fast
    refuses "offers no entities view 'none'" check philosophers.pnml --reduction probe:tokens=none
    contains "$stderr" "it offers 'symbolic', 'explicit', 'identity'"
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

@test "vectors do not explode: a plain search takes turns and answers first" {
    family kanban 2
    portolan 0 explore kanban.pnml --reduction probe --json
    json_is '.states, .transitions, .deadlocks, (.vectors < 2000)' $'4600\n28120\n0\ntrue'
    json_is .reduction 'probe, given up for none'
    portolan 0 check kanban.pnml --reduction probe
    portolan 1 check kanban.pnml --reduction probe --invariant 'work_1 < 2'
    contains "$output" "replayed"
}

@test "where probe sets reduce, they are done first, and persistent changes nothing" {
    family filesystem 14
    portolan 0 explore filesystem.pnml --reduction probe --json
    local states=$(jq .states <<<"$output")
    json_is .reduction probe
    portolan 0 explore filesystem.pnml --reduction probe:persistent --json
    json_is .states "$states"
}

@test "who wants to see the vectors gets them, but a bounded number" {
    family kanban 2
    portolan 0 explore kanban.pnml --reduction probe --export aut -o graph.aut --json
    json_is '.reduction, (.vectors < 60000), .deadlocks' $'probe\ntrue\n0'
    family philosophers 5
    portolan 0 explore philosophers.pnml --reduction probe:bound=0 --explain
    contains "$output" "all of s"
    portolan 2 explore philosophers.pnml --reduction probe:bound=many
}

@test "ages as printed need not end" {
    family token-ring 4
    portolan 0 explore token-ring.pnml --reduction probe:strategy=independent --proviso age
    portolan 3 explore token-ring.pnml --reduction probe:strategy=independent --proviso age:printed --time 0.3
    contains "$output" "time limit"
    family filesystem 4
    portolan 0 explore filesystem.pnml --reduction probe:strategy=independent --proviso age:printed
    contains "$output" "1 deadlock"
}

@test "ages as printed where nothing is enabled at the start" {
    portolan 0 generate philosophers 2 -o net.pnml
    sed 's/<text>1</<text>0</' net.pnml >empty.pnml
    portolan 0 explore empty.pnml --reduction probe --proviso age:printed
    contains "$output" "covered    1 state, 0 transitions, 1 fully expanded, 1 deadlock"
}

# drain TOKENS: a net whose only transition moves that many tokens, one at a time.
drain() {
    cat <<EOF
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>$1</text></initialMarking></place><place id="q"/><transition id="t"/>
<arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/></page></net></pnml>
EOF
}

@test "the explicit view is linear in the number of tokens" {
    local bytes=()
    for tokens in 2000 8000; do
        drain $tokens >drain.pnml
        portolan 0 explore drain.pnml --reduction probe:persistent,tokens=explicit --json
        json_is '.states, .vectors, .deadlocks' "$((tokens + 1))"$'\n'"$((tokens + 1))"$'\n1'
        bytes+=("$(jq .bytes <<<"$output")")
    done
    [ "${bytes[1]}" -lt $((bytes[0] * 6)) ]
}

@test "tokens with identity: every token that may be taken is an action" {
    local net="$BATS_TEST_DIRNAME/../../examples/entities/three-tokens.pnml"
    portolan 0 explore "$net" --reduction probe:tokens=identity --explain
    local action
    for action in 'eat(0) ↦ ε' 'eat(1) ↦ ε' 'eat(2) ↦ ε'; do
        contains "$output" "$action"
    done
    portolan 0 explore "$net" --reduction probe:tokens=identity --json
    json_is '.states, .deadlocks' $'4\n1'
}

@test "states that differ in the names of tokens only are one" {
    drain 4 >drain.pnml
    portolan 0 explore drain.pnml --reduction probe:tokens=identity,persistent --json
    json_is '.states, .deadlocks' $'5\n1'
    [ "$(jq .vectors <<<"$output")" -gt 5 ]
    portolan 0 explore drain.pnml --reduction probe:tokens=identity --export aut -o graph.aut
    same "$(sed -n '1s/.*, \([0-9]*\))$/\1/p' graph.aut)" 5
}
