#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan explore: counts and graphs.

load helpers

@test "counts of a small net" {
    family philosophers 3
    portolan 0 explore philosophers.pnml
    contains "$output" "covered    14 states, 27 transitions"
    contains "$output" "1 deadlock"
    same "$stderr" ""
}

@test "JSON: no property, no verdict, no trace" {
    family philosophers 3
    portolan 0 explore philosophers.pnml --json
    json_is '.property, .verdict, .trace' $'null\nnull\nnull'
    json_is '.model, .format, .reduction, .proviso' $'philosophers.pnml\npnml\nnone\nnone'
    json_is '.states, .transitions, .deadlocks' $'14\n27\n1'
}

@test "both searches count the same" {
    family peterson 2
    for search in dfs bfs; do
        portolan 0 explore peterson.pnml --search $search --json
        json_is .states 158
        json_is .search $search
    done
}

@test "a reduction explores less, and says so" {
    family indexer 3
    portolan 0 explore indexer.pnml --reduction stubborn --json
    json_is .reduction stubborn
    json_is .deadlocks 1
    json_is '.states < 2197' true
    portolan 0 explore indexer.pnml --reduction stubborn --proviso scc --json
    json_is .proviso scc
    json_is .deadlocks 1
}

@test "quiet" {
    family kanban 1
    portolan 0 explore kanban.pnml --quiet
    contains "$output" "160 states"
    portolan 0 explore kanban.pnml --export aut -q
    contains "$output" "des (0, "
    same "$stderr" ""
}

@test "the graph has standard output to itself, the report goes to standard error" {
    family philosophers 3
    portolan 0 explore philosophers.pnml --export dot
    same "${lines[0]}" 'digraph "philosophers-3" {'
    same "${lines[-1]}" "}"
    contains "$stderr" "14 states"
    lacks "$output" "covered"
}

@test "dot: one node a state, one arrow a transition, and graphviz accepts it" {
    family philosophers 3
    for words in "" "--search dfs" "--reduction stubborn" "--reduction stubborn --proviso stack"; do
        # shellcheck disable=SC2086
        portolan 0 explore philosophers.pnml --export dot -o graph.dot --json $words
        same "$(grep -c '^  [0-9]* \[label=' graph.dot)" "$(json .states)"
        same "$(grep -c ' -> ' graph.dot)" "$(json .transitions)"
        same "$(grep -c 'style=filled' graph.dot)" "$(json .deadlocks)"
    done
    command -v dot > /dev/null || skip "graphviz is not installed"
    dot -Tsvg graph.dot > graph.svg
    contains "$(head -c 2000 graph.svg)" "<svg"
}

@test "aut: the header counts what follows" {
    for words in "kanban 1" "figure-003" "bakery 2 2"; do
        # shellcheck disable=SC2086
        family $words
        for more in "" "--search dfs" "--reduction stubborn"; do
            # shellcheck disable=SC2086
            portolan 0 explore "${words%% *}.pnml" --export aut --output graph.aut --json $more
            same "$(head -1 graph.aut)" "des (0, $(json .transitions), $(json .states))"
            same "$(tail -n +2 graph.aut | wc -l)" "$(json .transitions)"
            # every state but the first is somewhere entered, and none beyond the last
            same "$(tail -n +2 graph.aut | sed 's/.*, \([0-9]*\))$/\1/' | grep -vx 0 | sort -un | wc -l)" \
                "$(($(json .states) - 1))"
        done
    done
}

@test "names with quotes in a graph" {
    net names.pnml <<'XML'
<place id="p1"><name><text>my "first" \ place</text></name><initialMarking><text>2</text></initialMarking></place>
<transition id="t1"><name><text>say "go" \</text></name></transition>
<arc id="a1" source="p1" target="t1"/>
XML
    portolan 0 explore names.pnml --export aut -q
    contains "$output" '(0, "say \"go\" \\", 1)'
    portolan 0 explore names.pnml --export dot -o graph.dot -q
    contains "$(cat graph.dot)" '2my \"first\" \\ place'
    command -v dot > /dev/null || skip "graphviz is not installed"
    dot -Tsvg graph.dot > graph.svg
}

@test "export options that do not fit" {
    family philosophers 2
    refuses "--export takes dot or aut, not 'svg'" explore philosophers.pnml --export svg
    refuses "--output needs --export" explore philosophers.pnml -o graph.dot
    [ ! -e graph.dot ]
}

@test "a graph cut off by a limit is still well-formed" {
    family kanban 4
    portolan 3 explore kanban.pnml --states 50 --export aut -o graph.aut --json
    json_is .stop "state limit"
    same "$(head -1 graph.aut | sed 's/des (0, \([0-9]*\),.*/\1/')" "$(tail -n +2 graph.aut | wc -l)"
}
