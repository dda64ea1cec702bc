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
    same "$(data page.html .graph)" null
    contains "$(data page.html .no_picture)" "more than 150 states"
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
    [ "$(stat -c %s page.html)" -lt 200000 ]
    is_self_contained page.html
    portolan 1 check long.dl --json
    [ "$(json '.properties[1].trace | length')" -ge 1000 ]
}

@test "a thousand messages, or pictures of graphs, take less than a megabyte, too" {
    cat > ring.mp <<'MP'
const last = 1000
message token(n: 0..last)
process A { var seen: 0..last var begun: bool
  rule begin when not begun { begun = true send token(0) to B }
  rule pass on token(n) when n < last { seen = n send token(n + 1) to B } }
process B { var seen: 0..last
  rule pass on token(n) when n < last { seen = n send token(n + 1) to A } }
invariant small: B.seen < 998
final true
MP
    portolan 1 check ring.mp --html page.html
    contains "$output" "trace      1000 steps"
    [ "$(stat -c %s page.html)" -lt 1000000 ]
    cat > count.gg <<'GG'
grammar count
graph start { a: C -v-> 0 }
rule inc { a: C -v-> n: int; where n < 1000; - a -v-> n; let m = n + 1; + a -v-> m }
GG
    portolan 1 check count.gg --html page.html
    contains "$output" "trace      1000 steps"
    [ "$(stat -c %s page.html)" -lt 1000000 ]
    is_self_contained page.html
}

@test "without dot there is a page without a picture, which says so" {
    run -1 env PATH=/nowhere "$program" check "$repository/examples/philosophers.pnml" --html page.html
    same "$(data page.html .net)" null
    contains "$(data page.html .no_picture)" "cannot run dot"
}

@test "a page that cannot be written is refused before the search" {
    refuses "no/page.html" check "$repository/examples/philosophers.pnml" --html no/page.html
}

@test "a C program: threads, places in the source, values and locks as each step leaves them" {
    needs_c_programs
    portolan 1 run --html page.html "$repository/examples/c/counter-wrong.c"
    is_self_contained page.html
    same "$(data page.html .title)" "$repository/examples/c/counter-wrong.c"
    same "$(data page.html '.properties[0] | [.property, .verdict, .answer] | join(", ")')" "error found, violated, assertion"
    same "$(data page.html '.properties[0].trace.start | tojson')" '{"counter":"0"}'
    same "$(data page.html '.properties[0].trace.steps[3] | [.agent, .text, .line] | join(", ")')" "thread 2 (adder), read counter: 0, 13"
    same "$(data page.html '.properties[0].trace.steps[4].changes.counter')" 1
    same "$(data page.html '.properties[0].trace.steps[5].changes | length')" 0 # 1 again
    contains "$(data page.html '.sources[]')" "counter = old + 1;"
    contains "$(data page.html '.properties[0].trace.output')" "added to 0"
    portolan 1 run --html page.html "$repository/examples/c/philosophers.c"
    same "$(data page.html '.properties[0].trace.steps[-1].changes | tojson')" '{"fork_of[2]":"held by thread 3"}'
    portolan 1 run --html page.html "$repository/examples/c/array-queue-race.c"
    same "$(data page.html '[.properties[0].trace.steps[] | select(.races)] | length')" 2
    portolan 0 run --html page.html "$repository/examples/c/peterson.c"
    same "$(data page.html '.properties[0] | [.property, .answer] | join(": ")')" "no error in any schedule: HOLDS"
    contains "$(data page.html .coverage)" "reached "
    portolan 2 run --html no/such/page.html "$repository/examples/c/peterson.c"
}

@test "a certificate" {
    portolan 0 check "$repository/examples/nets/peterson.pnml" --certify certificate
    portolan 0 certify certificate "$repository/examples/nets/peterson.pnml" --html page.html
    same "$(data page.html '.properties[0] | [.property, .verdict, .answer] | join(", ")')" "no deadlock, holds, CERTIFIED"
    contains "$(data page.html .coverage)" "steps of simplification"
    sed -i 's/^net 39 66/net 39 65/' certificate
    portolan 1 certify certificate "$repository/examples/nets/peterson.pnml" --html page.html
    same "$(data page.html '.properties[0] | [.verdict, .answer] | join(", ")')" "violated, NOT VALID"
}

@test "messages on their way: on the page, in the chart, in the text and in graphs" {
    portolan 1 check "$repository/examples/protocols/two-phase-commit-crash.mp" --html page.html
    same "$(data page.html '.properties[0].trace.waiting | tojson')" '[]'
    same "$(data page.html '.properties[0].trace.steps[2].waiting | join("; ")')" "request from Coordinator to Participant[3]; vote(false) from Participant[1] to Coordinator; vote(false) from Participant[2] to Coordinator"
    same "$(data page.html '.properties[0].trace.steps[0].messages[0]')" "sends request to Participant[1], Participant[2], Participant[3]"
    same "$(data page.html '.properties[0].trace.steps[1].line')" 35
    contains "$(data page.html '.properties[0].trace.chart')" "decision = aborted"
    contains "$(data page.html '.properties[0].trace.chart')" "  request from Coordinator to Participant[3]"
    portolan 0 explore "$repository/examples/protocols/two-phase-commit-crash.mp" --export dot
    contains "$output" 'label="Coordinator.asked=true\nrequest to Participant[1]\nrequest to Participant[2]\nrequest to Participant[3]"'
}

@test "messages on their way in queues" {
    portolan 1 check "$repository/examples/protocols/paxos-no-promise.mp"
    contains "$output" "  on their way: prepare(1) to Acceptor[3], prepare(2) to Acceptor[3]"
    portolan 0 explore "$repository/examples/protocols/alternating-bit.mp" --export dot
    contains "$output" " to Receiver"
}

@test "graphs of thread programs show where threads are" {
    portolan 0 explore "$repository/examples/threads/double-checked-wrong.dl" --export dot
    contains "$output" '0 [label="user[0]@7 user[1]@7"'
    contains "$output" 'user[1] failed'
    contains "$output" 'user[0] ended'
}
