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

@test "probe sets: every strategy and proviso" {
    family szymanski 3
    family bakery 2 2
    for strategy in all-but-one independent reversing-free reversing-free-strict; do
        for proviso in nodup age; do
            portolan 0 check szymanski.pnml --deadlock -i 'critical_1 + critical_2 <= 1' --reduction probe:strategy=$strategy \
                --proviso $proviso --certify run.cert
            contains "$output" " explored actions"
            portolan 0 certify run.cert szymanski.pnml
            contains "$output" "no deadlock: CERTIFIED"
            portolan 0 check bakery.pnml -i 'critical_1 + critical_2 <= 1' --reduction probe:strategy=$strategy \
                --proviso $proviso --certify run.cert -q
            portolan 0 certify run.cert bakery.pnml
        done
    done
    refuses "--certify cannot be combined with sleep sets" check szymanski.pnml --reduction probe:sleep --certify run.cert
    refuses "not those of single tokens" check szymanski.pnml --reduction probe:tokens=explicit --certify run.cert
}

# not_valid SED WORDS: the certificate of the probe sets of $model, changed so, is refused with these words.
not_valid() {
    sed "$1" run.cert > changed.cert
    ! cmp -s run.cert changed.cert
    portolan 1 certify changed.cert "$model"
    contains "$output" "NOT VALID  changed.cert:"
    contains "$output" "$2"
}

@test "probe sets that were changed are not valid" {
    model="$repository/examples/entities/producer-consumer.ent"
    portolan 0 check "$model" -i 'deadlock -> true' --reduction probe --certify run.cert -q
    not_valid 's|^v1 \* 0 7/6|v1 * 0|' "'stop' is enabled and not explored, and there is no keeper"
    not_valid 's|^v1 \* 0 7/6|v1 0 0|' "'stop' depends on an action of the probe set and is not in it"
    not_valid 's|^v1 \* 0 7/6|v1 * 0 0 7/6|' "'make' is listed twice"
    not_valid 's|^v1 \* 0 7/6|v1 * 0 7/6 1|' "'put1' is not enabled"
    not_valid 's|^v1 \* 0 7/6|v1 *|' "is enabled and nothing is explored"
    not_valid 's|^v2 \* 1/0|v2 * 1/6|' "'put1' discharges what is not in its prime cause"
    not_valid 's|^v2 \* 1/0|v2 * 1/8|' "'put1' discharges what is not in the trace"
    not_valid 's|^v4 3 3/1|v4 0 3/1|' "but the keeper is not in the probe set"
    not_valid 's|^v6 5 5|v6 5 5/3|' "but the keeper discharges what is not in its prime cause"
    not_valid 's|^v9 \* 8/3.7.5|v9 * 8/7.5|' "'leave' discharges an event, but not what comes before that"
    not_valid 's|^v18 \* 5/5.4|v18 * 5/4|' "'use' would occur twice in the trace"
    not_valid 's|deadlock -> true|deadlock -> done = 0|' "is false behind vector"
    not_valid 's|^end 32 35|end 32 36|' "there are 32 vectors and 35 explored actions"
    not_valid '/^v31 /d' "vector 31 is reached, but has no line"
    not_valid 's|^claim .*|claim ltl F done = 1|; s|^cycles free|cycles liveness|' "probe sets prove no formula"
    sed 's|^v3 |v4 |' run.cert > changed.cert
    refuses "expected the number of the next vector" certify changed.cert "$model"
}

@test "a changed certificate is not valid: status 1, the line, the state" {
    family token-ring 3
    portolan 0 check token-ring.pnml -i 'critical_1 <= 1' --simplify none --certify run.cert -q
    sed 's/critical_1 <= 1/critical_1 <= 0/' run.cert > false.cert
    portolan 1 certify false.cert token-ring.pnml
    contains "$output" "NOT VALID  false.cert:"
    contains "$output" "'invariant critical_1 <= 0' is false in state"
    sed '/^s3 /d' run.cert > less.cert
    portolan 1 certify less.cert token-ring.pnml
    contains "$output" "state 4 was found where state 3 was expected"
    same "$stderr" ""
}

@test "a certificate of another model" {
    family token-ring 3
    family philosophers-atomic 3
    portolan 0 check token-ring.pnml --simplify none --certify run.cert -q
    portolan 1 certify run.cert philosophers-atomic.pnml
    contains "$output" "the certificate has"
    portolan 0 check token-ring.pnml --certify run.cert -q
    portolan 1 certify run.cert philosophers-atomic.pnml
    contains "$output" "cannot be agglomerated"
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
    refuses "--certify cannot be combined with --chains" check peer-to-peer.pnml --chains --certify run.cert
    refuses "--certify cannot be combined with a stateless search" \
        check "$repository/examples/threads/peterson.dl" --reduction optimal --certify run.cert
    refuses "'no data race' cannot be certified" \
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
    refuses "cannot be combined with --fair" check token-ring.pnml --ltl 'G F token_1 = 1' --fair --certify c
    [ ! -e c ]
}
