#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# DVE models on the command line.

load helpers

examples=$repository/examples/dve

# dve LINE...: a file with a model, in $model
dve() {
    model=model.dve
    printf '%s\n' "$@" > "$model"
}

# states OPTION...: how many states the model has
states() {
    portolan 0 explore "$model" --json "$@"
    jq .states <<<"$output"
}

@test "what cannot be read is shown with its line, its column and a hint" {
    dve 'byte count;' 'process P {' '  state a; init a;' '  trans a -> a { effect cuont = 1; };' '}' 'system async;'
    refuses "model.dve:4:25: error: 'cuont' is not declared" check "$model"
    contains "$stderr" "hint: did you mean count?"
    dve 'process P {' '  state a;' '}' 'system async;'
    refuses "model.dve:1:9: error: process 'P' has no initial state" check "$model"
    contains "$stderr" "hint: write: state a, b; init a;"
    dve 'byte a[3];' 'process P { state s; init s; trans s -> s { effect a[3] = 1; }; }' 'system async;'
    refuses "model.dve:2:54: error: index 3 is out of bounds: 'a' has 3 elements" check "$model"
    dve 'process P { state s; init s; trans s -> t {}; }' 'system async;'
    refuses "model.dve:1:41: error: process 'P' has no state 't'" check "$model"
    dve 'channel c[1];' 'process P { state s; init s; trans s -> s { sync c!; }; }' 'system async;'
    refuses "model.dve:2:50: error: a message of 'c' has 1 value, not 0" check "$model"
    dve 'byte x;' 'process W { state q; init q; trans q -> q { effect x = 1; }; }' 'system async property W;'
    refuses "model.dve:2:36: error: the property 'W' may only observe" check "$model"
}

@test "states of the examples, and reductions agree on the verdicts" {
    model=$examples/mutex.dve
    [ "$(states)" -eq 20 ]
    model=$examples/alternating-bit.dve
    [ "$(states)" -eq 3374 ]
    for reduction in none stubborn lpor; do
        portolan 0 check "$examples/mutex.dve" --reduction $reduction -q --deadlock --invariant '!A.critical || !B.critical'
        portolan 1 check "$examples/alternating-bit.dve" --reduction $reduction -q
        contains "$output" "no deadlock: HOLDS"
        contains "$output" "the assertion of Receiver in line 21: VIOLATED"
    done
}

@test "a rendezvous passes the value, then come the sender's effects, then the receiver's" {
    dve 'channel c;' 'byte got;' \
        'process P { byte n = 5; state a, b; init a; trans a -> b { sync c!n; effect n = got + 2; }; }' \
        'process Q { state a, b; init a; trans a -> b { sync c?got; effect got = got * P->n; }; }' 'system async;'
    portolan 1 check "$model"
    contains "$output" "1  P.a->b | Q.a->b  P a->b  Q a->b  got 0->35  P.n 5->7"
    contains "$output" "and nothing is enabled: a deadlock"
}

@test "a buffer keeps the order, blocks when it is full or empty, and is shown in traces" {
    dve 'channel {byte, int} c[2];' 'byte x; int y;' \
        'process P { byte n; state a; init a; trans a -> a { guard n < 3; sync c!{n, 0 - n}; effect n = n + 1; }; }' \
        'process Q { state a; init a; trans a -> a { guard x < 2; sync c?{x, y}; }; }' 'system async;'
    portolan 0 check "$model" -q --invariant 'c.length <= 2 && x <= P.n && x + y = 0'
    portolan 1 check "$model" -q --invariant 'c.length <= 1'
    portolan 1 check "$model" --search bfs --reduction none
    contains "$output" "c.slot[0].1 empty->0  c.slot[0].2 empty->0"
    contains "$output" "Q.a->a  x 1->2  y -1->-2"
}

@test "and binds as tightly as or, and so do the operators of bits" {
    dve 'byte x = 1, y, r = 9, q = 9, s = 9;' \
        'process P { state a, z; init a; trans a -> z { effect r = x or y and y, q = 1 | 2 & 2, s = y imply y imply y; }; }' \
        'system async;'
    portolan 1 check "$model" --deadlock
    contains "$output" "r 9->0  q 9->2  s 9->0"
}

@test "numbers wrap round when they are stored, not before" {
    dve 'byte b = 255; int i = 32767; int r;' \
        'process P { state a, z; init a; trans a -> z { effect r = (b + 1) / 2, b = b + 1, i = i + 1; }; }' 'system async;'
    portolan 1 check "$model" --deadlock
    contains "$output" "then P=z b=0 i=-32768 r=128"
}

@test "an assertion is an invariant of its state" {
    dve 'byte x;' 'process P { state a, b; init a; assert b: x < 2;' \
        'trans a -> a { guard x < 2; effect x = x + 1; }, a -> b {}; }' 'system async;'
    portolan 1 check "$model" -q
    contains "$output" "the assertion of P in line 2: VIOLATED"
    sed -i 's/assert b: x < 2/assert b: x < 3/' "$model"
    portolan 1 check "$model" -q # it still ends
    contains "$output" "the assertion of P in line 2: HOLDS"
}

@test "a property process describes the wrong runs" {
    portolan 0 check "$examples/mutex.dve" -q
    contains "$output" "the property starves: HOLDS"
    dve 'byte x;' 'process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a { effect x = 0; }, b -> b {}; }' \
        'process W { state q, r; init q; accept r; trans q -> q {}, q -> r { guard P.b; }, r -> r { guard x == 1; }; }' \
        'system async property W;'
    portolan 1 check "$model"
    contains "$output" "the property W: VIOLATED"
    contains "$output" "trace      1 step, then a cycle of 1, replayed"
    sed -i 's/, b -> b {}//' "$model"
    portolan 0 check "$model" -q
    contains "$output" "the property W: HOLDS"
}

@test "a division by zero is a failure, not a deadlock" {
    dve 'byte x = 2;' 'process P { state a; init a;' \
        'trans a -> a { guard x > 0; effect x = x - 1; }, a -> a { effect x = 6 / x; }; }' 'system async;'
    portolan 1 check "$model"
    contains "$output" "no deadlock: HOLDS"
    contains "$output" "nothing fails: VIOLATED"
    contains "$output" "P.a->a@3:50  P a->failed (division by zero)"
    sed -i 's/a -> a { effect x = 6/a -> a { guard x > 0; effect x = 6/' "$model"
    portolan 1 check "$model" -q # now it ends instead
    contains "$output" "no deadlock: VIOLATED"
    contains "$output" "nothing fails: HOLDS"
}

@test "while a process is in a committed state, only steps that leave one are taken" {
    dve 'byte x;' 'channel c;' \
        'process P { state a, b, d; init a; commit b; trans a -> b { effect x = 1; }, b -> d { sync c!; effect x = 0; }; }' \
        'process Q { state s, t; init s; trans s -> t { guard x == 1; }, s -> s { sync c?; }; }' 'system async;'
    [ "$(states)" -eq 3 ]
    portolan 1 check "$model" -q --reach Q.t
    sed -i 's/commit b; //' "$model"
    [ "$(states)" -eq 4 ]
    portolan 0 check "$model" -q --reach Q.t
}

# waiting STATEMENT: states of a process that waits for a 1 beside one that does this, all and those that sets leave
waiting() {
    dve 'byte a[2] = {1, 1};' \
        'process P { byte i = 0; state s, t; init s; trans s -> t { guard a[i] == 1; }, t -> s { effect i = 1 - i; }; }' \
        "process Q { state q, r; init q; trans q -> r { effect a[0] = 1; }, r -> q { effect $1; }; }" 'system async;'
    portolan 0 explore "$model" --reduction stubborn --proviso none --search dfs --json
    local left
    left=$(jq .states <<<"$output")
    echo "$(states --check-relations --reduction none) $left"
}

@test "who waits for a number minds other numbers only" {
    [ "$(waiting 'a[1] = 1')" = "8 4" ]
    [ "$(waiting 'a[1] = 0')" = "16 10" ]
    [ "$(waiting 'a[0] = 0')" = "12 7" ]
}

@test "in a synchronous system all processes move together" {
    dve 'byte x, y;' 'process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }' \
        'process Q { state a; init a; trans a -> a { guard y == x; effect y = x; }; }' 'system sync;'
    portolan 1 check "$model"
    contains "$output" "trace      3 steps"
    contains "$output" "1  P.a->a | Q.a->a  x 0->1  y 0->1"
    [ "$(states)" -eq 4 ]
    dve 'channel c;' 'process P { state s; init s; trans s -> s { sync c!; }; }' 'system sync;'
    refuses "model.dve:2:50: error: in a synchronous system there are no channels" check "$model"
}

@test "a synchronous system with too many steps is an error at its place" {
    for i in 1 2 3 4 5 6 7; do
        echo "byte b$i; process P_$i { state s; init s; trans $(seq -s ', ' -f "s -> s { effect b$i = %g; }" 10); }"
    done > many.dve
    echo 'system sync;' >> many.dve
    refuses "many.dve:8:8: error: the synchronous system has more than 1000000 steps" explore many.dve
}

@test "what has failed is said with its reason, and a simulation that ends there has not ended well" {
    dve 'byte a[3]; byte i;' 'process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }' 'system async;'
    portolan 1 check "$model"
    contains "$output" "  P failed: the index of 'a' is out of bounds: it has 3 elements"
    portolan 1 simulate "$model"
    contains "$output" "  P failed: the index of 'a' is out of bounds: it has 3 elements"
    contains "$output" "ended      a failure"
    portolan 1 simulate "$model" --json
    json_is .end "a failure"
    json_is .message "P failed: the index of 'a' is out of bounds: it has 3 elements"
}
