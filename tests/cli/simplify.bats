#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan check --simplify: what is simplified, what is not, and what the report says of it.

load helpers

@test "the structure decides, and the report says by what" {
    family kanban 50
    portolan 0 check kanban.pnml
    contains "$output" "note       decided without a search: a transition is always enabled"
    contains "$output" "simplified 16 places, 16 transitions -> 0, 1 ("
    contains "$output" "11 post-agglomerations"
    contains "$output" "covered    no states: nothing was left to search"
    portolan 0 check kanban.pnml --json
    json_is .simplified.places 16
    json_is .simplified.small_transitions 1
    json_is .simplified.searched false
    json_is '.simplified.rules["post-agglomeration"]' 11
    json_is .states 0
}

@test "none: the net as it is" {
    family kanban 2
    portolan 0 check kanban.pnml --simplify none
    lacks "$output" "simplified"
    contains "$output" "covered    "
    portolan 0 check kanban.pnml --simplify none --json
    json_is .simplified null
    refuses "--simplify takes none|auto, not 'nono'" check kanban.pnml --simplify nono
    contains "$stderr" "did you mean none?"
}

@test "a trace of the small net becomes one of the net, which can be replayed" {
    family philosophers 5
    portolan 1 check philosophers.pnml --trace stuck
    contains "$output" "simplified 20 places"
    contains "$output" "nothing is enabled: a deadlock"
    portolan 0 replay philosophers.pnml stuck
    portolan 0 check philosophers.pnml -r 'eats_1 = 1 && eats_3 = 1' --trace eating --as-found
    contains "$output" "free agglomeration"
    contains "$output" "replayed"
    lacks "$output" "shortest"
    portolan 0 replay philosophers.pnml eating
    contains "$output" "replayed   4 steps"
}

@test "tokens that a pre-agglomeration has put off are moved before a deadlock is shown" {
    net late.pnml << XML
<place id="a"><initialMarking><text>2</text></initialMarking></place><place id="b"/><place id="c"><initialMarking><text>1</text></initialMarking></place>
<place id="d"/>
<transition id="put"/><transition id="take"/>
<arc id="1" source="a" target="put"/><arc id="2" source="put" target="b"/>
<arc id="3" source="b" target="take"/><arc id="4" source="c" target="take"/><arc id="5" source="take" target="d"/>
XML
    portolan 1 check late.pnml
    contains "$output" "1 pre-agglomeration"
    contains "$output" "trace      3 steps, replayed"
    contains "$output" "then b=1 d=1, all else 0"
}

@test "who says how to search, or wants to count, means the net as it is" {
    family philosophers 4
    for words in "--reduction stubborn" "--reduction none --search bfs" "--all" "--coverage" "--states 1000000" "--walk none"; do
        # shellcheck disable=SC2086
        portolan 1 check philosophers.pnml $words
        lacks "$output" "simplified"
    done
    portolan 1 check philosophers.pnml --reduction none --search bfs --simplify auto --as-found
    contains "$output" "simplified"
    lacks "$output" "shortest"
    portolan 0 explore philosophers.pnml
    contains "$output" "covered    34 states"
    refuses "there is no option '--simplify' here" explore philosophers.pnml --simplify none
}

@test "the state equation answers invariants and goals" {
    family kanban 200
    portolan 0 check kanban.pnml -i 'free_1 + work_1 + redo_1 + finished_1 = 200' --reduction none --states 20001 --simplify auto
    contains "$output" "decided without a search: the state equation has no such solution"
    portolan 1 check kanban.pnml -r 'work_1 + redo_1 > 200' --reduction none --states 20001 --simplify auto
    contains "$output" "VIOLATED"
    contains "$output" "decided without a search"
}

@test "expressions that may have no value are not decided by equations" {
    family philosophers 4
    portolan 1 check philosophers.pnml -i 'eats_1 = 0 || 6 / (1 - eats_1) > 0'
    contains "$output" "has no value: division by zero"
}

@test "formulas: only what preserves runs" {
    net loop.pnml << XML
<place id="a"><initialMarking><text>1</text></initialMarking></place><place id="b"/><place id="twin"/><place id="never"/>
<transition id="go"/><transition id="back"/><transition id="dead"/>
<arc id="1" source="a" target="go"/><arc id="2" source="go" target="b"/><arc id="3" source="go" target="twin"/>
<arc id="4" source="b" target="back"/><arc id="5" source="twin" target="back"/><arc id="6" source="back" target="a"/>
<arc id="7" source="never" target="dead"/>
XML
    portolan 0 check loop.pnml --ltl 'G F b = 1'
    contains "$output" "1 dead transition"
    contains "$output" "1 parallel place"
    lacks "$output" "agglomeration"
    portolan 1 check loop.pnml --ltl 'F G b = 1'
    contains "$output" "then a cycle of 2, replayed"
}
