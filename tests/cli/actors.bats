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

@test "a queue that overflows is an error" {
    printf 'channels fifo 1 message m process A { rule go { send m to B } } process B { }' >"$BATS_TEST_TMPDIR/full.mp"
    portolan 2 check "$BATS_TEST_TMPDIR/full.mp"
    contains "$stderr" "a queue is full"
}
