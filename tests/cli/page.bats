#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The pages that --html writes: one file, and in it what the answer says.  tests/browser looks at them in a browser.

load helpers

# The data of the page $1, by a filter of jq.
data() {
    sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$1" | sed 's/^<script[^>]*>//; s/^.*id="data">//; s/<\/script>$//' | jq -r "$2"
}

# Nothing is fetched, and no tag of the model's becomes one of the page's.
is_self_contained() {
    ! grep -qE '(src|href)="?https?:|@import|url\(' "$1"
    same "$(grep -c '</script>' "$1")" 2
}

@test "a net: each step, the tokens at the start and what changes, the picture" {
    portolan 1 check "$repository/examples/philosophers.pnml" --html page.html
    is_self_contained page.html
    same "$(data page.html '.properties[0].verdict')" violated
    same "$(data page.html '.properties[0].trace.steps | length')" 6
    same "$(data page.html '.properties[0].trace.start.fork_1')" 1
    same "$(data page.html '.properties[0].trace.steps[0].changes | tojson')" '{"fork_1":"0","thinks_1":"0","has_left_1":"1"}'
    same "$(data page.html '.net.places | length')" 24
    contains "$(data page.html .net.picture)" 'id="p3"'
    contains "$(< page.html)" "<pre>model      "
}

@test "threads have agents, texts and the source" {
    portolan 1 check "$repository/examples/threads/double-checked-wrong.dl" --html page.html
    same "$(data page.html '.properties[1].trace.steps[4] | [.agent, .text] | join(": ")')" "user[1]: read ready = 1"
    contains "$(data page.html .source)" "thread user(id) * 2"
    contains "$(data page.html '.properties[1].trace.message')" "failed at line 19"
}

@test "protocols have messages, names of values and the chart" {
    portolan 1 check "$repository/examples/protocols/two-phase-commit-crash.mp" --html page.html
    same "$(data page.html '.properties[0].trace.steps[1].messages[1]')" "sends vote(false) to Coordinator"
    same "$(data page.html '.properties[0].trace.start["Coordinator.decision"]')" undecided
    contains "$(data page.html '.properties[0].trace.chart')" "<svg"
}

@test "graph grammars have a picture of each state" {
    portolan 1 check "$repository/examples/graphs/philosophers.gg" --start two --html page.html
    same "$(data page.html '.properties[0].trace | (.graphs | length) - (.steps | length)')" 1
}

@test "a lasso says where it begins" {
    portolan 1 check "$repository/examples/promela/peterson.pml" --html page.html
    portolan 1 check "$repository/examples/promela/peterson.pml" --json
    same "$(data page.html '.properties[2].trace.cycle_start')" "$(json '.properties[2].cycle_start')"
}

@test "what has no trace has a page, too" {
    portolan 0 check "$repository/examples/protocols/two-phase-commit.mp" --html page.html
    same "$(data page.html '.properties | map(.verdict + (.trace | tostring)) | unique | tojson')" '["holdsnull"]'
    contains "$(data page.html .coverage)" "134 states"
}

@test "compare has a row for each variant, explore a picture of a small state space" {
    portolan 0 compare "$repository/examples/philosophers.pnml" --html page.html --json
    same "$(data page.html '.rows | length')" "$(json '.rows | length')"
    same "$(data page.html '.rows[0].count')" 198
    portolan 0 explore "$repository/examples/philosophers.pnml" --reduction stubborn --html page.html
    contains "$(data page.html .graph)" "<svg"
    portolan 0 explore "$repository/examples/philosophers.pnml" --html page.html
    same "$(data page.html .graph)" null # too large to be looked at
    contains "$(data page.html .coverage)" "198 states"
}

@test "names that look like tags stay text" {
    net evil.pnml <<< '<place id="&lt;/script>&lt;b>"><initialMarking><text>1</text></initialMarking></place><transition id="t&lt;i>"/><arc id="a" source="&lt;/script>&lt;b>" target="t&lt;i>"/>'
    portolan 1 check evil.pnml --simplify none --html page.html
    is_self_contained page.html
    same "$(data page.html '.properties[0].trace.start | keys[0]')" "</script><b>"
}

@test "a thousand steps take less than a megabyte" {
    printf '%s\n' 'int x;' 'thread t { while (x < 500) { x = x + 1; } assert(false); }' > long.dl
    portolan 1 check long.dl -P 'no deadlock' -P 'assertions hold' --html page.html
    [ "$(data page.html '.properties[1].trace.steps | length')" -ge 1000 ]
    [ "$(stat -c %s page.html)" -lt 1000000 ]
}

@test "without dot there is a page without a picture, which says so" {
    run -1 env PATH=/nowhere "$program" check "$repository/examples/philosophers.pnml" --html page.html
    same "$(data page.html .net)" null
    contains "$(data page.html .no_picture)" "cannot run dot"
}

@test "a page that cannot be written is refused before the search" {
    refuses "no/page.html" check "$repository/examples/philosophers.pnml" --html no/page.html
}
