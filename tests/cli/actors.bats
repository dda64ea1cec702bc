#!/usr/bin/env bats
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
