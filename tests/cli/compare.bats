#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan compare: every combination agrees with full exploration.

load helpers

agrees() {
    portolan 0 compare "$@"
    lacks "$output" ERROR
    same "$stderr" ""
}

@test "all combinations agree on the deadlocks of every family" {
    for words in "philosophers 4" "philosophers-atomic 4" figure2-002 figure3-002 figure-003 "filesystem 2" "indexer 2" \
        "bakery 2 2" "szymanski 3" "peterson 2" "lamport 2" "token-ring 3" "slotted-ring 2" "load-balancer 2 1" \
        "allocation 2 2 2" "peer-to-peer 2" "readers-writers 3 2" "kanban 1"; do
        # shellcheck disable=SC2086
        family $words
        agrees "${words%% *}.pnml"
    done
}

@test "all combinations agree on invariants and reachability" {
    family figure3-002
    agrees figure3-002.pnml --reach 'bad = 1'
    family szymanski 2
    agrees szymanski.pnml --invariant 'critical_1 + critical_2 <= 1'
    agrees szymanski.pnml -i 'critical_1 = 0' -r 'critical_2 = 1' --deadlock
    family philosophers 4
    agrees philosophers.pnml -P 'reach eats_1 = 1 && eats_3 = 1' -i 'fork_1 <= 1'
}

@test "a line for each different result, full exploration first, the best marked, within 80 columns" {
    family readers-writers 3 2
    agrees readers-writers.pnml --quiet
    same "${lines[0]}" "model      readers-writers.pnml"
    same "${lines[1]}" "property   no deadlock"
    [[ "${lines[2]}" =~ ^\ +states\ +smaller\ +verdict\ +time\ reduction,\ proviso,\ search$ ]]
    [[ "${lines[3]}" =~ ^\ +10\ +1.0\ x\ +holds\ +0.[0-9]+\ s\ none\ none\ bfs,\ [0-9]+\ more$ ]]
    [[ "${lines[4]}" =~ ^\*\ +[0-9]+\ +[0-9.]+\ x\ +holds ]]
    same "$(grep -c '^\*  ' <<<"$output")" 1
    for words in "kanban 2" "readers-writers 3 2"; do
        family $words
        agrees "${words%% *}.pnml" --states 300 || [ "$status" = 3 ]
        same "$(awk 'length > 80' <<<"$output")" ""
    done
}

@test "--all: the table starts with full exploration, and --csv has the same rows" {
    family philosophers 3
    portolan 0 compare philosophers.pnml --quiet --all --csv table.csv
    [[ "${lines[2]}" =~ ^reduction\ +proviso\ +search\ +states\ +transitions ]]
    [[ "${lines[3]}" =~ ^none\ +none\ +bfs\ +14\ +27\  ]]
    [[ "${lines[4]}" =~ ^none\ +none\ +dfs\ +14\ +27\  ]]
    [[ "${lines[5]}" =~ ^stubborn ]]
    same "$(sed -n 2p table.csv | cut -d, -f1-7,10)" '"none","none","bfs",14,27,14,1,violated'
    same "$(wc -l <table.csv)" "$((${#lines[@]} - 2))"
}

@test "JSON: the same rows" {
    family philosophers 3
    portolan 0 compare philosophers.pnml --json
    json_is '.properties | join(";")' "no deadlock"
    json_is '.rows[0] | "\(.reduction) \(.proviso) \(.search) \(.states)"' "none none bfs 14"
    json_is '.rows[1] | "\(.reduction) \(.proviso) \(.search) \(.states)"' "none none dfs 14"
    json_is '.rows | map(.differs) | any' false
    json_is '.rows | map(.deadlocks) | unique | join(" ")' 1
    json_is '.rows | map(.verdict) | unique | join(" ")' violated
    json_is '.rows | map(select(.reduction == "stubborn") | .proviso) | unique | join(" ")' \
        "color color-star none queue:liveness queue:safety safe safe:printed scc scc:liveness stack:liveness stack:safety"
    portolan 0 compare philosophers.pnml --json=table.json
    contains "$output" "model      philosophers.pnml"
    jq -e '.rows | length > 2' table.json
}

@test "an invariant leaves out what does not preserve it" {
    family szymanski 2
    portolan 0 compare szymanski.pnml -i 'critical_1 = 0' --json
    json_is '.rows | map(select(.reduction != "none" and .proviso == "none") | .reduction) | unique | join(" ")' stubborn:goal
    json_is '.rows | length > 2' true
}

@test "when the full exploration hits a limit nothing is known: status 3" {
    family unbounded
    portolan 3 compare unbounded.pnml --states 500
    contains "$output" "(state limit)"
    lacks "$output" ERROR
    family kanban 8
    portolan 3 compare kanban.pnml --time 1
    contains "$output" "(time limit)"
    portolan 3 compare kanban.pnml --time 100 --memory 12M
    contains "$output" "memory limit"
    portolan 3 compare kanban.pnml --memory 12k
    contains "$output" "stopped    memory limit, before there was anything to report"
}

@test "--all shows every variant, and all agree" {
    family philosophers 3
    agrees philosophers.pnml
    lacks "$output" "stubborn:guards"
    agrees philosophers.pnml --all
    for variant in "stubborn:weak" "stubborn:guards" "stubborn:closure,persistent" "lpor:plain,online,first" "probe:sleep"; do
        contains "$output" "$variant  "
    done
    agrees philosophers.pnml --all --ltl 'F eats_1 > 0 -> F eats_2 > 0'
    contains "$output" "stubborn:strong,persistent"
}

@test "goal-directed sets need not find the deadlocks that nobody asks for" {
    echo 'int x, y; thread a { x = 1; y = 1; await(x == 2); assert(y == 1); }' > stuck.dl
    portolan 0 compare stuck.dl -P 'assertions hold' --all
    contains "$output" stubborn:goal
    lacks "$output" differs
}
