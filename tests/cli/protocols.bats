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
    contains "$stderr" "nor messages"
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
    contains "$stderr" "-D and --keep-dead cannot be used with"
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
    portolan 0 check two.mp --ltl 'G (6 / (P.x + 1) >= 1)'
}

@test "what has no value is an error with a trace, in a file as on the command line" {
    printf 'process P { var x: 0..3 rule up when x < 3 { x = x + 1 } }\nprocess Q { var y: 0..1 rule up when y < 1 { y = 1 } }
invariant one: 6 / (P.x - 2) != 9\nfinal true\n' > two.mp
    for reduction in none stubborn lpor source optimal lazy; do
        portolan 1 check two.mp --reduction $reduction
        contains "$output" "in the last state one has no value: division by zero, at 3:16 of the model"
        contains "$output" "P.x=2"
        portolan 1 check two.mp --reduction $reduction --invariant '6 / (P.x - 2) != 9'
        contains "$output" "in the last state 6 / (P.x - 2) has no value: division by zero"
        # a state without a value does not show that another is not reached
        portolan 0 check two.mp --reduction $reduction --reach '6 / (P.x - 2) == 6'
        lacks "$output" "no value"
        portolan 1 check two.mp --reduction $reduction --reach '6 / (P.x - 2) == 9'
        contains "$output" "in the last state 6 / (P.x - 2) has no value: division by zero"
        contains "$output" "P.x=2"
    done
    for reduction in none stubborn lpor; do
        portolan 1 check two.mp --reduction $reduction --ltl 'G (6 / (P.x - 2) != 9)' --trace ltl.trace
        contains "$output" "in the last state 6 / (P.x - 2) has no value: division by zero"
        contains "$output" "2 steps, to a state in which the property has no value, replayed"
        portolan 0 replay two.mp ltl.trace
        portolan 1 check two.mp --reduction $reduction --ltl 'F (P.x = 3 && 6 / (P.x - 3) = 1)'
        contains "$output" "6 / (P.x - 3) has no value"
        # the left operand leaves the right one open only where it has a value
        portolan 0 check two.mp --reduction $reduction --ltl 'G (P.x != 2 -> 6 / (P.x - 2) != 9)'
        portolan 0 check two.mp --reduction $reduction --ltl 'G (P.x = 2 || 6 / (P.x - 2) != 9)'
        portolan 0 check two.mp --reduction $reduction --ltl 'G !(P.x != 2 && 6 / (P.x - 2) = 9)'
        portolan 1 check two.mp --reduction $reduction --ltl 'G (6 / (P.x - 2) != 9 || P.x = 2)'
        # the truth of the formula does not depend on what comes later
        portolan 0 check two.mp --reduction $reduction --ltl 'P.x = 0 || G (6 / (P.x - 2) != 9)'
    done
    portolan 1 check two.mp --ltl 'G (6 / (P.x - 2) != 9)' --reduction none --search ndfs
    contains "$output" "6 / (P.x - 2) has no value"
}

@test "a final condition without a value is an error with a trace" {
    printf 'process P { var x: 0..3 = 1 rule down when x > 0 { x = x - 1 } }\nfinal P.x < 3\nfinal 6 / P.x > 3\n' > final.mp
    for reduction in none stubborn lpor dpor optimal; do
        portolan 1 check final.mp --reduction $reduction
        contains "$output" "in the last state the final condition has no value: division by zero, at 3:7 of the model"
        contains "$output" "1 step, to a state in which the property has no value, replayed"
    done
    sed -i 's/P.x < 3/P.x > 0/' final.mp # decides it before
    portolan 1 check final.mp
    lacks "$output" "no value"
}

@test "types are checked, in a file and on the command line" {
    printf 'type Colour = {red, green}\ntype Way = {north, south}
process P { var c: Colour var w: Way var b: bool rule r when c == red { c = green } }\nfinal true\n' > typed.mp
    portolan 0 check typed.mp -i 'P.c == red || P.c == green' -i '!P.b && P.b == 0 && P.b == false'
    refuses "expected a value of Colour, found a value of Way" check typed.mp -i 'P.c == P.w'
    contains "$stderr" "hint: it is one of red, green"
    refuses "expected a boolean, found an integer" check typed.mp -i 'P.b == 5'
    refuses "expected a value of Colour, found a value of Way" check typed.mp --ltl 'G (P.c != north)'
    sed 's/c == red/c == w/' typed.mp > wrong.mp
    refuses "wrong.mp:3:67: error: expected a value of Colour, found a value of Way" check wrong.mp
}
