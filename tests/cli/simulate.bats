#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One run of a model, step by step.

load helpers

# says COMMANDS ARGUMENT...: an interactive simulation with these lines on standard input.
says() {
    local lines=$1 status_wanted=$2
    shift 2
    run --separate-stderr "-$status_wanted" timeout 120 "$program" simulate --interactive "$@" <<< "$lines"
}

@test "at random: the same seed gives the same run, another seed another one, and replay knows both" {
    family token-ring 4
    portolan 0 simulate token-ring.pnml --seed 3 --steps 20 -o first
    local first=$output
    contains "$first" "simulated  20 steps of token-ring"
    contains "$first" "ended      after the steps asked for; more could follow"
    portolan 0 simulate token-ring.pnml --seed 3 --steps 20
    same "$output" "$first"
    portolan 0 simulate token-ring.pnml --seed 4 --steps 20 -o second
    [ "$output" != "$first" ]
    portolan 0 replay token-ring.pnml first
    contains "$output" "replayed   20 steps"
    portolan 0 replay token-ring.pnml second
}

@test "a deadlock, a violated invariant and a reached state are said, and end a random run" {
    family philosophers 2
    portolan 1 simulate philosophers.pnml --seed 1 --steps 1000
    contains "$output" "and nothing is enabled: a deadlock"
    contains "$output" "property   no deadlock: VIOLATED after step"
    contains "$output" "ended      a deadlock"
    portolan 1 simulate philosophers.pnml -i 'thinks_1 = 1' --seed 2 --steps 1000
    contains "$output" "property   invariant thinks_1 = 1: VIOLATED after step"
    portolan 0 simulate philosophers.pnml -r 'thinks_1 = 0' --seed 2 --steps 1000 --json
    json_is '.properties[0]' "reach thinks_1 = 0"
    json_is '.trace | length' "$(json .steps)"
}

@test "a failed assertion" {
    cat > wrong.dl <<'DL'
int x;
thread a { x = 1; x = 0; }
thread b { assert(x == 0); }
DL
    "$program" check wrong.dl --trace trace -q > answer || [ $? = 1 ]
    [ -s trace ]
    portolan 1 simulate wrong.dl --trace trace
    contains "$output" "assertions hold: VIOLATED after step"
}

@test "along a trace, then further" {
    family philosophers 3
    portolan 1 check philosophers.pnml --trace trace -q
    portolan 1 simulate philosophers.pnml --trace trace
    contains "$output" "simulated  3 steps"
    contains "$output" "VIOLATED after step 3"
    portolan 1 simulate philosophers.pnml --trace trace --interactive < /dev/null
    contains "$output" "  nothing is enabled"
    says $'back 2\nrandom\ntrace\n' 1 philosophers.pnml --trace trace
    contains "$output" "after step 1"
    contains "$output" "  2  take_"
    printf 'take_left_1\ntake_left_1\n' > trace
    refuses "trace:2:1: error: step 2: 'take_left_1' is not enabled" simulate philosophers.pnml --trace trace
    printf 'take_left_9\n' > trace
    refuses "the model has no action 'take_left_9'" simulate philosophers.pnml --trace trace
}

@test "as the user says: by number and by name, back, again, and what is wrong is no end" {
    family philosophers 3
    says $'1 2\nback\ntake_left_3\nstate\nstate has_left_3\nstate nothing\n9\nnonsense\nback x\nsave steps\nrestart\nlist\nquit\n1\n' \
        0 philosophers.pnml
    contains "$output" "  2  take_left_2  fork_2 1->0"
    contains "$output" "  after step 1"
    contains "$output" "  2  take_left_3  fork_3 1->0"
    contains "$output" "  has_left_3 = 1"
    contains "$output" "? there is no variable 'nothing'"
    contains "$output" "? there is no action 9 in the list"
    contains "$output" "? 'nonsense' is neither a command nor enabled here"
    contains "$output" "? 'x' is not a number of steps"
    contains "$output" "  2 steps written to steps"
    contains "$output" "  after step 0"
    same "$(grep -v '^#' steps)" $'take_left_1\ntake_left_3'
    says $'take_left_1\ntake_left_2\ntake_left_3\nback' 1 philosophers.pnml
    contains "$output" "property   no deadlock: VIOLATED after step 3"
}

@test "what a reduction would leave out, and why" {
    family philosophers 3
    says $'1\nwhy\nwhy 3\nwhy take_left_2\n' 0 philosophers.pnml --reduction stubborn
    contains "$output" "  3  take_left_3   (left out)"
    contains "$output" "reduction  stubborn explores 2 of 3 enabled actions here"
    contains "$output" "  explored  the set begins with take_right_1"
    contains "$output" "  explored  take_right_1 may disable take_left_2"
    contains "$output" "  left out  take_left_3"
    contains "$output" "  take_left_3 is left out: no member of the set asks for it"
    portolan 0 simulate philosophers.pnml --reduction lpor --steps 1 --json
    json_is '.reduction' lpor
    json_is '[.explored, .left_out | length] | add' "$(json '.enabled | length')"
    says $'why\n' 0 philosophers.pnml -i 'eats_1 + eats_2 <= 1'
    contains "$output" "reduction  stubborn:goal explores"
    refuses "chooses by what was done before" simulate philosophers.pnml --reduction optimal
    refuses "there is no reduction 'stubbon'" simulate philosophers.pnml --reduction stubbon
}

@test "every language" {
    for model in threads/bank.dl protocols/paxos.mp dve/mutex.dve entities/door.ent graphs/ferry.gg lna/letters.lna \
        nets/peterson.pnml graphs/philosophers.gps; do
        run --separate-stderr timeout 120 "$program" simulate "$repository/examples/$model" --steps 8 -o steps
        [ "$status" -le 1 ]
        same "$stderr" ""
        contains "$output" "simulated  "
        portolan 0 replay "$repository/examples/$model" steps
        run timeout 120 "$program" simulate "$repository/examples/$model" -I <<< $'why\n1\nstate\nback\nrandom 3\n'
        [ "$status" -le 1 ]
        lacks "$output" "?"
    done
}

@test "limits, interruptions and files that cannot be written" {
    family token-ring 4
    portolan 3 simulate token-ring.pnml --steps 1000000000 --time 0.3 -q
    contains "$output" "ended      time limit"
    run --separate-stderr -3 timeout 20 "$program" simulate token-ring.pnml -I --time 0.3 --json < <(sleep 3)
    json_is .end "time limit"
    timeout 60 "$program" simulate token-ring.pnml --steps 100000000000 -q > answer &
    local running=$!
    sleep 0.5
    kill -INT "$(pgrep -P $running)"
    local status=0
    wait $running || status=$?
    same "$status" 3
    contains "$(cat answer)" "ended      interrupted"
    portolan 2 simulate token-ring.pnml -o /dev/full
    contains "$stderr" "cannot write"
    refuses "usage: portolan simulate MODEL" simulate
}
