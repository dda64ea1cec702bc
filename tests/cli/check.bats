#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan check: verdicts, exit statuses, traces and reports.

load helpers

@test "a property that holds: status 0" {
    family philosophers-atomic 4
    portolan 0 check philosophers-atomic.pnml
    contains "$output" "no deadlock: HOLDS"
    contains "$output" "covered"
    lacks "$output" "trace"
    same "$stderr" ""
}

@test "a property that is violated: status 1, and a trace that ends in the deadlock" {
    family philosophers 3
    portolan 1 check philosophers.pnml
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "trace      3 steps, replayed"
    contains "$output" "has_left_1=1 has_left_2=1 has_left_3=1, all else 0"
    contains "$output" "nothing is enabled: a deadlock"
    same "$stderr" ""
}

@test "quiet: the verdict only" {
    family philosophers 3
    for word in -q --quiet; do
        portolan 1 check philosophers.pnml $word
        same "$output" "model      philosophers.pnml"$'\n'"property   no deadlock: VIOLATED"
    done
}

@test "every way to ask for the absence of deadlock" {
    family philosophers 2
    portolan 1 check philosophers.pnml --deadlock -q
    contains "$output" "no deadlock: VIOLATED"
    for text in "no deadlock" "deadlock"; do
        portolan 1 check philosophers.pnml -P "$text" -q
        contains "$output" "no deadlock: VIOLATED"
    done
    portolan 0 check philosophers.pnml --reach deadlock -q
    portolan 1 check philosophers.pnml --invariant '!deadlock' -q
}

@test "invariants" {
    family szymanski 3
    portolan 0 check szymanski.pnml --invariant 'critical_1 + critical_2 + critical_3 <= 1'
    contains "$output" "HOLDS"
    portolan 0 check szymanski.pnml -i 'tokens(critical_1, critical_2) <= 1' -q
    portolan 1 check szymanski.pnml --property 'invariant critical_1 = 0' -q
    portolan 1 check szymanski.pnml -P 'invariant critical_1 = 0' -q
    contains "$output" "invariant critical_1 = 0: VIOLATED"
}

@test "reachability: found is 'holds', with a trace" {
    family philosophers 3
    portolan 0 check philosophers.pnml --reach 'eats_2 = 1'
    contains "$output" "HOLDS"
    contains "$output" "take_right_2"
    portolan 1 check philosophers.pnml -r 'eats_1 + eats_2 = 2'
    contains "$output" "VIOLATED"
    lacks "$output" "trace "
    portolan 0 check philosophers.pnml -P 'reach fireable(put_back_3)' -q
}

@test "the initial state counts: a trace of no steps" {
    family philosophers 3
    portolan 1 check philosophers.pnml -i 'fork_1 = 0' --json
    json_is '.trace | length' 0
    json_is '.trace | type' array
}

@test "several properties in one run, each with its verdict; the worst decides the status" {
    family philosophers 3
    portolan 1 check philosophers.pnml -P 'no deadlock' -i 'fork_1 <= 1' -r 'eats_1 = 1'
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "invariant fork_1 <= 1: HOLDS"
    contains "$output" "reach eats_1 = 1: HOLDS"
    portolan 0 check philosophers.pnml -i 'fork_1 <= 1' -i 'fork_2 <= 1' -r 'eats_1 = 1' -q
    portolan 1 check philosophers.pnml -P 'no deadlock' -i 'fork_1 <= 1' -r 'eats_1 = 2' --json
    json_is '.properties | map(.verdict) | join(" ")' "violated holds violated"
    json_is '.properties | map(.trace | type) | join(" ")' "array null null"
    json_is .verdict violated
}

@test "a violated property outweighs an undecided one" {
    family unbounded
    portolan 1 check unbounded.pnml -i 'buffer < 5' -i 'buffer < 100000' --states 5000 --json
    json_is '.properties | map(.verdict) | join(" ")' "violated unknown"
    json_is .verdict violated
}

@test "the fields of the JSON report" {
    family philosophers 3
    portolan 1 check philosophers.pnml --json
    local keys
    keys=$(json 'keys | @json')
    for field in model format property verdict reduction proviso search states transitions deadlocks executions blocked \
        seconds peak_rss_bytes trace; do
        contains "$keys" "\"$field\""
    done
    json_is '.model, .format, .property, .verdict' $'philosophers.pnml\npnml\nno deadlock\nviolated'
    json_is '.executions, .blocked' $'null\nnull'
    json_is '.reduction, .proviso, .search | type' $'string\nstring\nstring'
    json_is '.states, .transitions, .seconds, .peak_rss_bytes | type' $'number\nnumber\nnumber\nnumber'
    json_is '.peak_rss_bytes > 100000, .seconds >= 0' $'true\ntrue'
    json_is '[.trace[].action] | sort | join(" ")' "take_left_1 take_left_2 take_left_3"
    json_is '.trace[-1].changes | length' 3
    same "$stderr" ""
}

@test "deadlocks: null when the search stopped at the first, a number with --all" {
    family bakery 2 2
    portolan 1 check bakery.pnml --json
    json_is .deadlocks null
    for word in --all -a; do
        portolan 1 check bakery.pnml $word --json
        json_is .deadlocks 4
        json_is .verdict violated
        json_is '.trace | type' array
    done
    portolan 0 check bakery.pnml -i 'critical_1 + critical_2 <= 1' --reduction none --json
    json_is .deadlocks 4
}

@test "a report in a file, the words on standard output" {
    family kanban 1
    portolan 0 check kanban.pnml --json=report.json
    contains "$output" "no deadlock: HOLDS"
    same "$(jq -r .verdict report.json)" holds
}

@test "breadth-first traces are shortest" {
    # the long way has four steps, the short one two
    net ways.pnml <<'XML'
<place id="start"><initialMarking><text>1</text></initialMarking></place>
<place id="a"/><place id="b"/><place id="c"/><place id="d"/><place id="end"/>
<transition id="long1"/><transition id="long2"/><transition id="long3"/><transition id="long4"/>
<transition id="short1"/><transition id="short2"/>
<arc id="1" source="start" target="long1"/><arc id="2" source="long1" target="a"/>
<arc id="3" source="a" target="long2"/><arc id="4" source="long2" target="b"/>
<arc id="5" source="b" target="long3"/><arc id="6" source="long3" target="c"/>
<arc id="7" source="c" target="long4"/><arc id="8" source="long4" target="end"/>
<arc id="9" source="start" target="short1"/><arc id="10" source="short1" target="d"/>
<arc id="11" source="d" target="short2"/><arc id="12" source="short2" target="end"/>
XML
    portolan 0 check ways.pnml -r 'end = 1' --reduction none --search bfs
    contains "$output" "trace      2 steps, replayed, shortest"
    portolan 1 check ways.pnml --reduction none --search bfs --json
    json_is '[.trace[].action] | join(" ")' "short1 short2"
    portolan 0 check ways.pnml -r 'end = 1' --reduction none --search dfs --as-found
    contains "$output" "trace      4 steps, replayed"
    lacks "$output" "shortest"
    family peterson 2
    portolan 0 check peterson.pnml -r 'critical_1 = 1' --reduction none --search bfs --json
    local shortest
    shortest=$(json '.trace | length')
    portolan 0 check peterson.pnml -r 'critical_1 = 1' --json
    [ "$(json '.trace | length')" -ge "$shortest" ]
}

@test "traces are made shorter before they are shown, unless --as-found is given" {
    net ways.pnml <<'XML'
<place id="start"><initialMarking><text>1</text></initialMarking></place>
<place id="a"/><place id="b"/><place id="end"/><place id="idle"><initialMarking><text>3</text></initialMarking></place>
<transition id="rest"/><transition id="long1"/><transition id="long2"/><transition id="long3"/><transition id="short"/>
<arc id="0" source="idle" target="rest"/>
<arc id="1" source="start" target="long1"/><arc id="2" source="long1" target="a"/>
<arc id="3" source="a" target="long2"/><arc id="4" source="long2" target="b"/>
<arc id="5" source="b" target="long3"/><arc id="6" source="long3" target="end"/>
<arc id="9" source="start" target="short"/><arc id="10" source="short" target="end"/>
XML
    portolan 0 check ways.pnml -r 'end = 1' --reduction none --search dfs --as-found
    contains "$output" "trace      3 steps, replayed"
    lacks "$output" "shortest"
    portolan 0 check ways.pnml -r 'end = 1' --reduction none --search dfs --trace found
    contains "$output" "trace      1 step, replayed, shortest"
    portolan 0 replay ways.pnml found
    contains "$output" "short"
}

@test "'-' reads the model from standard input" {
    family philosophers 3
    portolan 1 check - --json < philosophers.pnml
    json_is .model -
    json_is .verdict violated
    run bash -c "'$program' generate kanban 2 | '$program' explore - --json | jq .states"
    same "$output" 4600
}

@test "the relations that a model declares are as it says" {
    for words in "philosophers 3" "szymanski 2" "readers-writers 3 2" "bakery 2 2" "kanban 1"; do
        # shellcheck disable=SC2086
        family $words
        portolan 0 explore "${words%% *}.pnml" --check-relations
    done
    portolan 1 check philosophers.pnml --check-relations -q
}

@test "names with spaces, quotes and backslashes" {
    net names.pnml <<'XML'
<place id="p1"><name><text>my place</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="p2"><name><text>the "other" \ one</text></name></place>
<transition id="t1"><name><text>go "now" \ or &lt;never&gt;</text></name></transition>
<arc id="a1" source="p1" target="t1"/><arc id="a2" source="t1" target="p2"/>
XML
    portolan 0 check names.pnml -r '"my place" = 0 && "the \"other\" \\ one" = 1' -q
    portolan 0 check names.pnml -r 'p1 = 0 && p2 = 1' -q
    portolan 0 check names.pnml -i '"my place" = 1 -> fireable(t1)' -q
    portolan 1 check names.pnml --trace t --json
    json_is '.trace[0].action' 'go "now" \ or <never>'
    json_is '.trace[0].changes["the \"other\" \\ one"]' 1
    portolan 0 replay names.pnml t
    contains "$output" "replayed   1 step "
}

@test "two places of the same name: no key occurs twice in JSON" {
    net twins.pnml <<'XML'
<place id="p1"><name><text>p</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="p2"><name><text>p</text></name></place>
<transition id="t"/><arc id="1" source="p1" target="t"/><arc id="2" source="t" target="p2"/>
XML
    portolan 1 check twins.pnml --json
    json_is '.trace[0].changes | length' 2
}

@test "a net without nodes has one state, a deadlock" {
    net empty.pnml < /dev/null
    portolan 1 check empty.pnml --all --json
    json_is .states 1
    json_is .deadlocks 1
}

@test "a name that is one place's id and another's name is ambiguous" {
    net two.pnml << 'XML'
<place id="a"><name><text>x</text></name></place><place id="b"><name><text>a</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="c"><name><text>twin</text></name></place><place id="d"><name><text>twin</text></name></place>
<transition id="t"><name><text>u</text></name></transition><transition id="u"/>
<arc id="q" source="b" target="t"/><arc id="r" source="t" target="b"/><arc id="s" source="c" target="u"/>
XML
    refuses "'a' may mean several variables" check two.pnml -i 'a = 0'
    contains "$stderr" 'write "id:a" or "id:b"'
    refuses "'twin' may mean several variables" check two.pnml -i 'twin = 0'
    contains "$stderr" 'several have this name'
    refuses "'u' may mean several actions" check two.pnml -r 'fireable(u)'
    refuses "'a' may mean several variables" check two.pnml --ltl 'G (a = 0)'
    portolan 0 check two.pnml -i '"id:a" = 0 && x = 0 && b = 1 && "id:b" = 1 && c = d'
    portolan 0 check two.pnml -r 'fireable(t) && !fireable("id:u")' --trace trace
}

@test "parallel arcs: normal ones add up, each condition of the others must be true" {
    for tokens in 1 2 3 4; do
        net arcs.pnml << XML
<place id="a"><initialMarking><text>$tokens</text></initialMarking></place><place id="b"><initialMarking><text>$tokens</text></initialMarking></place>
<place id="c"><initialMarking><text>$tokens</text></initialMarking></place>
<transition id="reads"/><transition id="takes"/><transition id="waits"/>
<arc id="1" source="a" target="reads"><type value="test"/><inscription><text>2</text></inscription></arc>
<arc id="2" source="a" target="reads"><type value="test"/><inscription><text>2</text></inscription></arc>
<arc id="3" source="b" target="takes"><inscription><text>2</text></inscription></arc>
<arc id="4" source="b" target="takes"/>
<arc id="5" source="c" target="waits"><type value="inhibitor"/><inscription><text>3</text></inscription></arc>
<arc id="6" source="c" target="waits"><type value="inhibitor"/><inscription><text>2</text></inscription></arc>
XML
        portolan $((tokens < 2)) check arcs.pnml -r 'fireable(reads)' -q
        portolan $((tokens < 3)) check arcs.pnml -r 'fireable(takes)' -q
        portolan $((tokens >= 2)) check arcs.pnml -r 'fireable(waits)' -q
    done
}
