#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Message-passing protocols on the command line.

load helpers

examples=$repository/examples/protocols

@test "right protocols hold under every reduction, with true relations" {
    for model in paxos echo-multicast storage two-phase-commit ring-election raft-election alternating-bit; do
        for reduction in none stubborn lpor lpor:plain; do
            portolan 0 check "$examples/$model.mp" --reduction $reduction -q
            contains "$output" "invariant"
            lacks "$output" "VIOLATED"
        done
    done
    for model in storage two-phase-commit ring-election raft-election alternating-bit; do
        portolan 0 check "$examples/$model.mp" --reduction none --check-relations -q
    done
}

# The figures are those of the documentation: all undelivered messages, none that is dead, and two ways to reduce.
@test "--keep-dead keeps messages that nobody can take, and changes no verdict" {
    portolan 0 check "$examples/paxos.mp" --reduction none --keep-dead
    contains "$output" "34,596 states"
    portolan 0 check "$examples/paxos.mp" --reduction none
    contains "$output" "3,612 states"
    portolan 1 check "$examples/paxos-own-value.mp" --keep-dead -q
    contains "$output" "invariant agreement: VIOLATED"
    portolan 2 check "$repository/examples/philosophers.pnml" --keep-dead
    contains "$stderr" "no messages"
}

@test "lpor with necessary enabling sets never leaves more states than without" {
    for instance in "paxos" "paxos -D proposers=3" "paxos -D acceptors=4" "storage" "storage -D writes=3" "storage -D objects=4" \
        "paxos-no-promise" "paxos-own-value" "storage-atomic" "echo-multicast" "raft-election"; do
        set -- $instance
        model=$1
        shift
        for reduction in lpor:plain lpor lpor:persistent; do
            run "$program" explore "$examples/$model.mp" "$@" --reduction $reduction --json
            states[${#states[@]}]=$(jq .states <<<"$output")
        done
        [ "${states[1]}" -le "${states[0]}" ]
        [ "${states[2]}" -le "${states[0]}" ]
        unset states
    done
}

@test "lpor takes protocols of more than 4,096 transitions" {
    portolan 3 explore "$examples/paxos.mp" -D proposers=4 -D acceptors=5 --reduction lpor --states 3000
    contains "$output" "3,000 states"
    portolan 3 explore "$examples/storage.mp" -D writes=3 -D objects=7 --reduction lpor --states 3000
    contains "$output" "3,000 states"
}

@test "wrong protocols break under every reduction" {
    for reduction in none stubborn lpor lpor:plain; do
        portolan 1 check "$examples/paxos-own-value.mp" --reduction $reduction -q
        contains "$output" "invariant agreement: VIOLATED"
        portolan 1 check "$examples/paxos-no-promise.mp" --reduction $reduction -q
        contains "$output" "invariant agreement: VIOLATED"
        portolan 1 check "$examples/echo-multicast-few.mp" --reduction $reduction -q
        contains "$output" "invariant agreement: VIOLATED"
        portolan 1 check "$examples/storage-atomic.mp" --reduction $reduction -q
        contains "$output" "invariant atomic: VIOLATED"
        portolan 1 check "$examples/two-phase-commit-crash.mp" --reduction $reduction -q
        contains "$output" "no deadlock: VIOLATED"
        contains "$output" "invariant atomic: HOLDS"
    done
}

@test "traces tell what is received and sent" {
    portolan 1 check "$examples/echo-multicast-few.mp" --reduction none
    contains "$output" "Receiver[1] echo"
    contains "$output" "receives initial(0) from Sender"
    contains "$output" "sends echo(0) to Receiver[1], Receiver[2]"
}

@test "--msc draws the trace, from check and from replay" {
    portolan 1 check "$examples/storage-atomic.mp" --msc "$BATS_TEST_TMPDIR/a.svg" --trace "$BATS_TEST_TMPDIR/a.trace"
    svg=$(cat "$BATS_TEST_TMPDIR/a.svg")
    contains "$svg" "<svg"
    contains "$svg" ">Object[3]</text>"
    contains "$svg" "reply(1, 1)"
    contains "$svg" "invariant atomic: VIOLATED"
    contains "$svg" "</svg>"
    portolan 0 replay "$examples/storage-atomic.mp" "$BATS_TEST_TMPDIR/a.trace" --msc "$BATS_TEST_TMPDIR/b.svg"
    contains "$(cat "$BATS_TEST_TMPDIR/b.svg")" "reply(1, 1)"
    portolan 2 check "$repository/examples/philosophers.pnml" --msc "$BATS_TEST_TMPDIR/c.svg"
    contains "$stderr" "needs processes that exchange messages"
    [ ! -e "$BATS_TEST_TMPDIR/c.svg" ]
}

# The receiver is always ready: only when the sender goes twice in a row is there no room.
@test "a step that sends to a full queue fails, and no reduction misses it" {
    cat >"$BATS_TEST_TMPDIR/full.mp" <<-END
	channels fifo 1
	message m
	process A { var n: 0..2 rule go when n < 2 { n = n + 1 send m to B } }
	process B { rule take on m { } }
	final true
	END
    for reduction in none stubborn lpor lpor:plain source optimal; do
        portolan 1 check "$BATS_TEST_TMPDIR/full.mp" --reduction $reduction
        contains "$output" "no step fails: VIOLATED"
        contains "$output" "A go fails: a queue is full"
    done
    sed -i 's/fifo 1/fifo 2/' "$BATS_TEST_TMPDIR/full.mp"
    portolan 0 check "$BATS_TEST_TMPDIR/full.mp"
    lacks "$output" "no step fails"
}

@test "dynamic reductions check the invariants of the file" {
    for reduction in source optimal lazy; do
        portolan 0 check "$examples/paxos.mp" --reduction $reduction -q
        contains "$output" "invariant agreement: HOLDS"
        portolan 1 check "$examples/paxos-own-value.mp" --reduction $reduction -q
        contains "$output" "invariant agreement: VIOLATED"
        portolan 1 check "$examples/storage-atomic.mp" --reduction $reduction -q
        contains "$output" "invariant atomic: VIOLATED"
    done
}

@test "-D gives constants other values" {
    portolan 0 check "$examples/paxos.mp" -D proposers=3 -D faults=0
    contains "$output" "invariant agreement: HOLDS"
    portolan 1 check "$examples/paxos-own-value.mp" --define acceptors=5 --trace "$BATS_TEST_TMPDIR/five.trace"
    contains "$output" "Acceptor[5]"
    portolan 0 replay "$examples/paxos-own-value.mp" "$BATS_TEST_TMPDIR/five.trace" -D acceptors=5
    portolan 2 replay "$examples/paxos-own-value.mp" "$BATS_TEST_TMPDIR/five.trace"
    portolan 2 check "$examples/paxos.mp" -D proposer=3
    contains "$stderr" "no constant 'proposer'"
    contains "$stderr" "did you mean proposers?"
    portolan 2 check "$examples/paxos.mp" -D proposers=many
    contains "$stderr" "NAME=NUMBER"
    portolan 2 check "$examples/paxos.mp" -D acceptors=0
    contains "$stderr" "paxos.mp:"
    portolan 2 check "$repository/examples/philosophers.pnml" -D n=3
    contains "$stderr" "has no constants"
}

@test "an expression means the same in the file and on the command line" {
    local verdicts=0
    while read -r wanted text; do
        printf 'process P { var x: 0..3 rule up when x < 3 { x = x + 1 } }\ninvariant one: %s\nfinal P.x == 3\n' "$text" > two.mp
        for words in "one == 1" "$text"; do
            portolan "$wanted" check two.mp --invariant "$words" --json
            verdicts=$((verdicts + 1))
        done
        portolan "$wanted" check two.mp -q # both properties of the file
    done << 'END'
1 6 / P.x >= 0
1 6 % P.x >= 0
1 6 / P.x >= 0 || P.x >= 0
0 P.x >= 0 || 6 / P.x >= 0
0 P.x == 0 || 6 / P.x >= 2
1 !(6 / P.x < 0)
0 P.x > 0 -> 6 % P.x == 0
0 -7 / (P.x + 2) <= -1
0 -7 % 2 == -1 && 7 % -2 == 1 && -7 / 2 == -3 && 7 / -2 == -3
0 P.x * 1000000 * 1000000 >= P.x
0 P.x * 1000000 * 1000000 / 1000000 / 1000000 == P.x
1 P.x * 1000000 * 1000000 * 1000000 * 1000 >= 0
1 0 - P.x * 1000000 * 1000000 * 1000000 * 10 <= 0
0 1 + 2 * 3 - 4 == 3 && 10 - 4 - 3 == 3 && 100 / 10 / 5 == 2
0 P.x < 2 -> P.x < 3 -> P.x < 4
0 P.x > 5 && P.x > 6 || P.x < 4
0 -P.x * 2 == 0 - 2 * P.x
END
    [ "$verdicts" -eq 34 ]
    printf 'process P { var x: 0..3 }\ninvariant one: 0 < P.x < 3\nfinal true\n' > chain.mp
    refuses "comparisons do not chain" check chain.mp
    refuses "comparisons do not chain" check two.mp -i '0 < P.x < 3'
    refuses "has no value in a reachable state" check two.mp --ltl 'G (6 / P.x >= 0)'
    refuses "has no value in a reachable state" check two.mp --ltl 'G (P.x > 0 -> 6 / P.x >= 2)'
    portolan 0 check two.mp --ltl 'G (6 / (P.x + 1) >= 1)'
}
