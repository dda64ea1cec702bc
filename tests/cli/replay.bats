#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Traces written by `check --trace` and read by `replay`.

load helpers

@test "a trace that was written can be replayed" {
    family philosophers 3
    portolan 1 check philosophers.pnml --trace trace -q
    same "$(grep -vc '^#' trace)" 3
    contains "$(cat trace)" "# property: no deadlock"
    portolan 0 replay philosophers.pnml trace
    contains "$output" "replayed   3 steps of philosophers-3"
    contains "$output" "nothing is enabled: a deadlock"
    same "$stderr" ""
}

@test "so can those of every reduction and property" {
    family bakery 2 2
    for words in "--deadlock" "-r critical_2=1" "-i critical_1=0" "--deadlock --reduction none --search dfs" \
        "--deadlock --search bfs" "--deadlock --chains" "-i critical_1=0 --proviso scc" "-i critical_1=0 --proviso queue"; do
        rm -f trace
        # shellcheck disable=SC2086
        "$program" check bakery.pnml $words --trace trace --json > report.json || [ $? = 1 ]
        [ -s trace ]
        portolan 0 replay bakery.pnml trace --json
        same "$(json .trace)" "$(jq .trace report.json)"
    done
}

@test "a name that is another transition's id: replay must do the same run" {
    net swap.pnml <<'XML'
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/><place id="r"/>
<transition id="a"><name><text>b</text></name></transition><transition id="b"><name><text>a</text></name></transition>
<arc id="1" source="p" target="a"/><arc id="2" source="a" target="q"/>
<arc id="3" source="p" target="b"/><arc id="4" source="b" target="r"/>
XML
    portolan 0 check swap.pnml -r 'r = 1' --trace trace -q
    portolan 0 replay swap.pnml trace
    contains "$output" "then r=1"
}

@test "two transitions of the same name: the trace can be replayed" {
    net twins.pnml <<'XML'
<place id="p1"><initialMarking><text>1</text></initialMarking></place><place id="p2"/><place id="p3"/>
<transition id="t1"><name><text>t</text></name></transition><transition id="t2"><name><text>t</text></name></transition>
<arc id="1" source="p1" target="t1"/><arc id="2" source="t1" target="p2"/>
<arc id="3" source="p2" target="t2"/><arc id="4" source="t2" target="p3"/>
XML
    portolan 1 check twins.pnml --trace trace -q
    portolan 0 replay twins.pnml trace
    contains "$output" "then p3=1"
}

@test "names that begin with '#' or span lines survive a trace file" {
    net names.pnml <<'XML'
<place id="p1"><initialMarking><text>1</text></initialMarking></place><place id="p2"/>
<transition id="t1"><name><text># go</text></name></transition>
<transition id="t2"><name><text>two
lines</text></name></transition>
<arc id="1" source="p1" target="t1"/><arc id="2" source="t1" target="p2"/><arc id="3" source="p2" target="t2"/>
XML
    portolan 1 check names.pnml --trace trace -q
    portolan 0 replay names.pnml trace
    contains "$output" "replayed   2 steps"
}

@test "quiet and JSON" {
    family philosophers 3
    "$program" check philosophers.pnml --trace trace -q || true
    for word in -q --quiet; do
        portolan 0 replay philosophers.pnml trace $word
        same "$output" "replayed   3 steps of philosophers-3"
    done
    portolan 0 replay philosophers.pnml trace --json
    json_is '.model, .format, .steps' $'philosophers.pnml\npnml\n3'
    json_is '.trace | length' 3
    portolan 0 replay philosophers.pnml trace --json=report.json -q
    same "$(jq .steps report.json)" 3
}

@test "comments, empty lines and line ends of other systems" {
    family philosophers 3
    printf '# a comment\n\ntake_left_1\r\ntake_right_1' > trace
    portolan 0 replay philosophers.pnml trace
    contains "$output" "replayed   2 steps"
    : > empty
    portolan 0 replay philosophers.pnml empty
    contains "$output" "replayed   0 steps"
}

@test "a step that is not enabled: where" {
    family philosophers 3
    printf 'take_left_1\ntake_left_1\n' > trace
    refuses "step 2: 'take_left_1' is not enabled" replay philosophers.pnml trace
    refuses "step 2: 'take_left_1' is not enabled" replay philosophers.pnml trace --json
}

@test "an unknown action: where, and the nearest" {
    family philosophers 3
    printf '# a comment\ntake_left_1\ntake_lft_2\n' > trace
    refuses "the model has no action 'take_lft_2'" replay philosophers.pnml trace
    points_at trace 3 1 take_lft_2
    contains "$stderr" "hint: did you mean take_left_2?"
}

@test "the trace of another model" {
    family philosophers 3
    family kanban 1
    "$program" check philosophers.pnml --trace trace -q || true
    refuses "trace:4:1: error: " replay kanban.pnml trace
}

@test "a trace that is missing, or a directory" {
    family philosophers 2
    refuses "missing: error: cannot read the file: No such file or directory" replay philosophers.pnml missing
    refuses "Is a directory" replay philosophers.pnml .
}

@test "without a violation no trace is written" {
    family kanban 1
    portolan 0 check kanban.pnml --trace trace -q
    [ ! -s trace ]
}
