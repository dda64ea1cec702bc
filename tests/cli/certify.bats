#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan check --certify, portolan certify: what is written is accepted, what was changed is not.

load helpers

@test "absence of deadlock" {
    family peer-to-peer 4
    portolan 0 check peer-to-peer.pnml --certify run.cert
    contains "$output" "certified  "
    portolan 0 certify run.cert peer-to-peer.pnml
    contains "$output" "model      peer-to-peer.pnml"
    contains "$output" "claim      no deadlock: CERTIFIED"
    contains "$output" "checked    "
    portolan 0 certify -q run.cert peer-to-peer.pnml
    lacks "$output" "checked"
}

@test "every reduction and proviso" {
    family token-ring 3
    invariant="critical_1 + critical_2 + critical_3 <= 1"
    for reduction in none stubborn stubborn:strong stubborn:closure stubborn:guards lpor; do
        for proviso in auto stack:safety stack:liveness safe color color-star scc queue:safety queue:liveness; do
            portolan 0 check token-ring.pnml -i "$invariant" --reduction $reduction --proviso $proviso --certify run.cert -q
            portolan 0 certify run.cert token-ring.pnml
            contains "$output" "claim      invariant $invariant: CERTIFIED"
        done
    done
}

@test "several claims; what cannot be reached; expressions of more than one line" {
    family token-ring 3
    portolan 1 check token-ring.pnml --deadlock -i $'critical_1 <= 1 # one\n && token_1 <= 1' -r 'critical_1 + critical_2 = 2' \
        --certify run.cert
    portolan 0 certify run.cert token-ring.pnml
    contains "$output" "no deadlock: CERTIFIED"
    contains "$output" "never critical_1 + critical_2 = 2: CERTIFIED"
}

@test "programs and entity systems" {
    portolan 0 check "$repository/examples/threads/peterson.dl" --search dfs --certify run.cert
    contains "$output" "certified  "
    portolan 0 certify run.cert "$repository/examples/threads/peterson.dl"
    portolan 0 check "$repository/examples/entities/producer-consumer.ent" -i 'deadlock -> true' --certify run.cert
    portolan 0 certify run.cert "$repository/examples/entities/producer-consumer.ent"
}

@test "a changed certificate is not valid: status 1, the line, the state" {
    family token-ring 3
    portolan 0 check token-ring.pnml -i 'critical_1 <= 1' --certify run.cert -q
    sed 's/critical_1 <= 1/critical_1 <= 0/' run.cert > false.cert
    portolan 1 certify false.cert token-ring.pnml
    contains "$output" "NOT VALID  false.cert:"
    contains "$output" "'invariant critical_1 <= 0' is false in state"
    sed '/^s3 /d' run.cert > less.cert
    portolan 1 certify less.cert token-ring.pnml
    contains "$output" "state 4 stands where state 3 should"
    same "$stderr" ""
}

@test "a certificate of another model" {
    family token-ring 3
    family philosophers-atomic 3
    portolan 0 check token-ring.pnml --certify run.cert -q
    portolan 1 certify run.cert philosophers-atomic.pnml
    contains "$output" "the certificate has"
}

@test "what cannot be read: status 2" {
    family token-ring 3
    portolan 0 check token-ring.pnml --certify run.cert -q
    head -n 20 run.cert > half.cert
    refuses "the certificate ends early: 'end' is missing" certify half.cert token-ring.pnml
    refuses "expected 'portolan certificate 1'" certify token-ring.pnml token-ring.pnml
    points_at token-ring.pnml 1 1 '<?xml version="1.0" encoding="UTF-8"?>'
    refuses "cannot read 'none.cert'" certify none.cert token-ring.pnml
    refuses "usage: portolan certify FILE MODEL" certify run.cert
}

@test "nothing to certify: a trace, a limit" {
    family philosophers 4
    portolan 1 check philosophers.pnml --certify run.cert
    contains "$output" "certified  nothing: a trace shows the answer"
    [ ! -e run.cert ]
    family peer-to-peer 4
    portolan 3 check peer-to-peer.pnml --states 5 --certify run.cert
    contains "$output" "certified  nothing: the search did not complete"
    [ ! -e run.cert ]
}

@test "refused: chains, a stateless search, a file that cannot be written" {
    family peer-to-peer 4
    refuses "--certify does not go with --chains" check peer-to-peer.pnml --chains --certify run.cert
    refuses "--certify does not go with a stateless search" \
        check "$repository/examples/threads/peterson.dl" --reduction optimal --certify run.cert
    refuses "there are no certificates of 'no data race'" \
        check "$repository/examples/threads/peterson.dl" -P 'no data race' --search dfs --certify run.cert
    refuses "cannot write 'no/run.cert'" check peer-to-peer.pnml --certify no/run.cert
    [ ! -e run.cert ]
}

@test "a full disk is an error, and leaves no certificate that looks whole" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    family peer-to-peer 4
    portolan 2 check peer-to-peer.pnml --certify /dev/full
    contains "$stderr" "cannot write '/dev/full'"
    [ -c /dev/full ] # a device is not ours to remove
}

@test "JSON is not disturbed" {
    family peer-to-peer 4
    portolan 0 check peer-to-peer.pnml --certify run.cert --json
    json_is .verdict holds
    portolan 0 certify run.cert peer-to-peer.pnml
}

@test "a certificate is about all runs, not only the fair ones" {
    family token-ring 3
    refuses "does not go with --fair" check token-ring.pnml --ltl 'G F token_1 = 1' --fair --certify c
    [ ! -e c ]
}
