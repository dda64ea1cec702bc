#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Promela models on the command line.  Numbers of states are those of Spin (spin -a -o1 -o2 -o3, -DSAFETY -DNOREDUCE).

load helpers

examples=$repository/examples/promela

# promela LINE...: a file with a model, in $model
promela() {
    model=model.pml
    printf '%s\n' "$@" > "$model"
}

# states OPTION...: how many states the model has
states() {
    portolan 0 explore "$model" --reduction none --json "$@"
    jq .states <<<"$output"
}

@test "what cannot be read is shown with its line, its column and the line itself" {
    promela 'byte count;' 'active proctype P() { cuont = 1 }'
    refuses "model.pml:2:23: error: 'cuont' is not declared" check "$model"
    promela 'active proctype P() {' '  goto nowhere }'
    refuses "model.pml:2:3: error: there is no label 'nowhere'" check "$model"
    promela 'byte a[3];' 'active proctype P() { a[3] = 1 }'
    refuses "model.pml:2:25: error: the index is out of bounds: 'a' has 3 elements" check "$model"
    promela 'proctype P() { skip }'
    refuses "error: no process is started" check "$model"
    contains "$stderr" "hint: write 'active' before a proctype"
    promela 'proctype Q(byte x) { skip }' 'init { run Q() }'
    refuses "model.pml:2:8: error: 'Q' has 1 parameter, not 0" check "$model"
    promela 'active proctype P() { skip }' 'active proctype Q() { M: skip }' 'ltl f { [] !Q[0]@M }'
    refuses "error: process 0 is of type 'P', not 'Q'" check "$model"
    promela 'chan c = [1] of { byte };' 'active proctype P() { c!1,2 }'
    refuses "model.pml:2:23: error: a message of this channel has 1 value, not 2" check "$model"
}

@test "what is left out is refused by name" {
    promela 'int x; active proctype P() { STDIN?x }'
    refuses "'STDIN' is not declared" check "$model"
    contains "$stderr" "not supported: a model is checked for every input"
}

@test "priorities: of those that can do something the highest may, also within atomic sequences" {
    promela 'byte x, y;' 'active proctype A() priority 2 { do :: x < 3 -> x++ :: y == 2 -> break :: else od; y = 4 }' \
        'active proctype B() priority 3 { x == 2; y = 2; set_priority(_pid, 1); x = 0 }' 'active proctype C() priority 1 { x = 9 }'
    [ "$(states)" -eq 25 ]
    portolan 0 check "$model" -q
    promela 'bit t;' 'proctype P() { t = 1 }' 'init { pid p; atomic { p = run P() priority 3; _priority = get_priority(p); skip }; t = 0 }'
    [ "$(states)" -eq 7 ]
    promela 'active proctype A() priority 2 { set_priority(_pid, 300) }'
    portolan 1 check "$model"
    contains "$output" "a priority is not between 1 and 255"
    promela 'chan c = [0] of { byte };' 'active proctype A() priority 2 { c!1 }'
    refuses "priorities cannot be combined with rendezvous channels" check "$model"
    promela 'byte x;' 'active proctype A() priority 2 { x = 1 }'
    portolan 2 check "$model" --reduction stubborn
    contains "$stderr" "takes no account of priorities"
}

@test "provided is asked before a d_step, not within it, and before each statement of an atomic sequence" {
    promela 'bit t;' 'active proctype P() provided (t != 1) { d_step { t = 3; skip }; skip }'
    portolan 1 check "$model" -q
    contains "$output" "no deadlock: VIOLATED"
    [ "$(states)" -eq 2 ]
    promela 'bit t;' 'active proctype P() provided (t != 1) { atomic { t = 1; skip; t = 0 } }' 'active proctype Q() { t == 1; t = 0 }'
    portolan 0 check "$model" -q
    [ "$(states)" -eq 8 ]
}

@test "trace and notrace" {
    local channel='mtype = { a, b }; chan c = [2] of { mtype };'
    promela "$channel" 'trace { do :: c!a; c?a :: c!b; c?b od }' 'active proctype P() { c!a; c?a; c!b; c?b }'
    portolan 0 check "$model" -q
    promela "$channel" 'trace { do :: c!a; c?a :: c!b; c?b od }' 'active proctype P() { c!a; c!b }'
    portolan 1 check "$model"
    contains "$output" "the trace assertion does not allow this message here"
    promela "$channel" 'trace { do :: c!a; c!a :: c!a; c!b od }' 'active proctype P() { c!a; c!b }'
    portolan 1 check "$model"
    contains "$output" "two moves of the trace assertion match this message"
    promela "$channel" 'notrace { c!a; c!_ }' 'active proctype P() { c!a; c?a; c!b }'
    portolan 1 check "$model"
    contains "$output" "the messages match what notrace rules out"
    promela "$channel" 'notrace { c!a; c!_ }' 'active proctype P() { c!b; c?b; c!a; c!b }'
    portolan 0 check "$model" -q
    promela "$channel" 'trace { c!a; c?a; c!b }' 'active proctype P() { c!a; c?a; if :: c!b :: skip fi; end: false }'
    portolan 1 check "$model" -q -P 'no deadlock'
    portolan 0 check "$model" -q -P 'assertions hold'
    promela "$channel" 'byte x;' 'trace { x == 1; c!a }' 'active proctype P() { skip }'
    refuses "a trace has sends, receives, choices, loops and jumps, nothing else" check "$model"
}

@test "loops with choices in atomic sequences are one step, and where they are more no formula sees it" {
    promela 'byte x, y;' 'active proctype P() { atomic { x = 1; do :: x < 4 -> x++ :: x > 2 -> break od; y = x }; y = 0 }' \
        'active proctype Q() { x = 2; y = 3 }'
    [ "$(states)" -eq 41 ]
    promela 'byte x;' 'active proctype P() { atomic { x = 1; do :: x < 100 -> x++ :: x < 100 -> x = x + 2 :: x > 99 -> break od; x = 0 } }' \
        'ltl f { [] (x == 0) }'
    portolan 0 check "$model" -q
    portolan 1 check "$model" -q --invariant 'x == 0'
    local loop='do :: x < 100 -> x++ :: x < 100 -> x = x + 2 :: x > 99 -> break od'
    promela 'byte x, y;' "active proctype P() { atomic { x = 1; $loop }; y = 1; atomic { x = 0; $loop; y = 2; x = 0 } }" \
        'ltl next { X (x >= 100 && X (y == 1 && X (y == 2 && x == 0))) }' 'ltl not_yet { X (x < 100) }' \
        'never never_between { do :: x == 0 :: x > 99 :: else -> break od }' 'ltl ends { <> (y == 2) }'
    portolan 1 check "$model" -q
    contains "$output" "ltl next: HOLDS"
    contains "$output" "ltl not_yet: VIOLATED"
    contains "$output" "never claim never_between: HOLDS"
    contains "$output" "ltl ends: HOLDS"
    # Q can move whenever P is not within a sequence, which it is again and again: not to move is not fair
    promela 'byte x, y;' "active proctype P() { do :: atomic { x = 0; $loop }; x = 0 od }" 'active proctype Q() { y = 1 }' \
        'ltl moves { <> (y == 1) }' 'ltl turns { []<> (x == 0) }'
    portolan 1 check "$model" -q
    contains "$output" "ltl moves: VIOLATED"
    contains "$output" "ltl turns: HOLDS"
    portolan 0 check "$model" -q --fair=process -P 'ltl moves' -P 'ltl turns'
    # R moves once in each round, in which Q can move: the cycle has to show that
    promela 'byte x, y;' "active proctype P() { do :: atomic { x = 0; $loop }; x = 0 od }" \
        'active proctype Q() { do :: y = 1; y = 0 od }' 'active proctype R() { do :: y = 1 -> y = 0 od }' 'ltl never_two { []<> (y == 2) }'
    portolan 1 check "$model" -q --fair=process -P 'ltl never_two'
    # a formula needs no value where it is not looked at
    promela 'byte x;' "active proctype P() { atomic { $loop; x = 0 } }" 'ltl f { [] (6 / (x - 50) == 0) }'
    portolan 0 check "$model" -q
    # what has gone wrong has, whatever comes
    promela 'byte x;' 'active proctype P() { x = 5; atomic { x = 0; do :: x = 1 - x :: x = 0 :: x = 1 od } }' 'ltl f { [] (x != 5) }'
    portolan 1 check "$model" -q
    # whoever goes round forever within a sequence comes to no state that a formula sees, as in Spin
    promela 'byte x;' 'active proctype P() { atomic { do :: x = 1 - x :: x = 0 :: x = 1 :: x = 2 :: break od; x = 3 } }' 'ltl done { <> (x == 3) }'
    portolan 0 check "$model" -q
}

@test "atomic sequences of claims are one move, however long" {
    local many='true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true; true'
    promela 'byte x;' 'active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }' \
        "never { do :: atomic { x == 3; $many; x > 3 } -> break :: true od; accept: do :: true od }"
    portolan 0 check "$model" -q -P 'never claim never'
    promela 'byte x;' 'active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }' \
        "never { do :: atomic { x == 3; $many; x > 2 } -> break :: true od; accept: do :: true od }"
    portolan 1 check "$model" -q -P 'never claim never'
    promela 'byte x;' 'active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }' \
        'never { atomic { do :: x == 0 -> skip :: x == 3 -> break od }; accept: do :: true od }'
    portolan 0 check "$model" -q -P 'never claim never'
}

@test "claims with variables of their own" { # verdicts are those of Spin
    local p='active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 od }'
    local claim='never { byte n = 1; short a[2]; int k; do :: x == n && n < 4 -> n++; a[n & 1] = a[n & 1] + n
        :: n == 4 -> d_step { k = a[0]; k = k + a[1] }; break :: else od;'
    promela 'byte x;' "$p" "$claim assert(k < 9); accept: do :: x < 5 od }"
    portolan 1 check "$model" -q -P 'never claim never'
    promela 'byte x;' "$p" "$claim assert(k < 10); accept: do :: k == 8 && x < 5 od }"
    portolan 0 check "$model" -q -P 'never claim never'
    promela 'byte x;' "$p" "$claim assert(k < 10); accept: do :: k == 9 && x < 5 od }"
    portolan 1 check "$model" -q -P 'never claim never'
    promela 'byte x;' "$p" 'never { byte n; do :: x == 0 -> n++ :: x != 0 && n < 3 :: x == 2 && n > 5 -> break od }'
    portolan 0 check "$model" -q -P 'never claim never'
}

@test "claims that keep values of the system, or change it, are part of the model" { # verdicts are those of Spin
    local p='active proctype P() { do :: x = (x + 1) % 4 od }' found='never claim never'
    promela 'byte x, old;' "$p" 'never { do :: atomic { x >= old -> old = x } :: atomic { x < old -> assert(false) } od }'
    portolan 1 check "$model" -q
    [ "$output" = "model      model.pml
property   never claim never: VIOLATED
property   assertions hold: VIOLATED" ]
    promela 'byte x, old;' 'active proctype P() { do :: x < 3 -> x++ od }' 'never { do :: atomic { x >= old -> old = x } :: atomic { x < old -> assert(false) } od }'
    portolan 0 check "$model" -q
    promela 'byte x, y;' "$p" 'never { do :: y = 1 - y :: x == 2 && y == 1 -> break od }'
    portolan 0 check "$model" -q -P "$found"
    promela 'byte x, y;' "$p" 'never { do :: y = 1 - y :: x == 2 && y == 0 -> break od }'
    portolan 1 check "$model" -q -P "$found"
    # its own variables, records among them, and what is more than assignments in a d_step
    promela 'typedef R { byte a; byte b[2] };' 'byte x;' "$p" \
        'never { R r; do :: d_step { r.b[0] = r.a; r.a = x; if :: r.b[0] > r.a -> r.b[1] = 1 :: else fi } :: r.b[1] == 1 -> break od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x;' "$p" 'never { byte n; do :: n = x :: n == 5 -> break od }'
    portolan 0 check "$model" -q -P "$found"
    promela 'byte x;' "$p" 'never { int n; do :: n++ od }'
    portolan 3 check "$model" -q -P "$found" --states 2000
    # what it does atomically it does, or not
    promela 'byte x, y;' "$p" 'never { do :: atomic { y = 1; x == 2; y = 2; x == 3; y = 3 } :: y == 1 || y == 2 -> break :: true od }'
    portolan 0 check "$model" -q -P "$found"
    # where the system has ended or waits, also for a timeout, the claim goes on
    promela 'byte x, y;' 'active proctype P() { x = 1; x = 2 }' 'never { do :: y < 200 -> y++ :: y == 200 && x == 2 -> break od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x, y;' 'active proctype P() { do :: x < 2 -> x++ :: timeout -> x = 0 od }' 'never { do :: y = x :: y == x && x == 2 -> break od; do :: y == x; y = x + 0 od; accept: y == 2; goto accept }'
    portolan 0 check "$model" -q -P "$found"
    promela 'byte x, y;' 'active proctype P() { x = 1 }' 'never { accept: do :: y = x; true od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x, y;' 'active proctype P() { timeout -> x = 1 }' 'never { y = x; accept: do :: x == 0 -> y = x od }'
    portolan 0 check "$model" -q -P "$found"
    promela 'byte x, y;' 'active proctype P() { do :: x = (x + 1) % 4; assert(y != 1) od }' 'never { do :: atomic { y = 1; x == 2; y = 2 } :: true od }'
    portolan 0 check "$model" -q
    promela 'byte x, y, z;' 'active proctype P() { do :: x = (x + 1) % 4 :: z = _last od }' 'active proctype Q() { do :: x == 3 -> z = 5 od }' 'never { do :: y = x :: z == 2 -> break od }'
    portolan 0 check "$model" -q -P "$found"
    # it asks for processes as other claims do
    promela 'byte x, k;' 'active proctype P() { do :: x = 1 - x; progress: skip od }' 'active proctype Q() { do :: x = 1 - x od }' \
        'never { do :: true :: np_ -> k = x; break od; accept: do :: np_ && k != 2 od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x, k;' 'active proctype P() { do :: x = 1; progress: x = 2 od }' 'never { do :: k = x :: np_ && x == 1 -> break od }'
    portolan 0 check "$model" -q -P "$found"
    promela 'byte x, k;' 'active proctype P() { x = 1; x = 2; false }' 'never { do :: enabled(0) -> k = x :: !enabled(0) && k == 1 && x == 2 -> break od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x, k;' 'active proctype P() { x = 1; x = 2; false }' 'never { do :: !timeout -> k = x :: timeout && k == 1 -> break od }'
    portolan 1 check "$model" -q -P "$found"
    promela 'byte x, k;' 'active proctype P() { x = 1; x = 2; false }' 'never { do :: !timeout -> k = x :: timeout && x == 1 -> break od }'
    portolan 0 check "$model" -q -P "$found"
    # a model has one such claim and nothing else, and no deadlocks
    promela 'byte x, y;' "$p" 'never { do :: y = x od }' 'ltl f { [] true }'
    refuses "there can be no other claim or formula" check "$model"
    contains "$stderr" "hint: put them between '#ifdef NAME' and '#endif'"
    promela 'byte x, y;' "$p" 'never { do :: y = x od }'
    refuses "deadlocks are not looked for in a model that has a claim within it" check "$model" --deadlock
    promela 'byte x, y;' "$p" 'never { do :: c_code { now.y = now.x + 1; } :: x == 3 && y == 3 -> break od }'
    portolan 1 check "$model" -q -P "$found" --allow-c
}

@test "files are included as by the preprocessor of C" {
    mkdir -p headers
    echo '#define LIMIT 3' > headers/limits.pml
    promela '#include <limits.pml>' 'active proctype P() { byte x; do :: x < LIMIT -> x++ od }'
    CPATH=/nowhere:headers portolan 1 check "$model" -q
    promela '#include "limits.pml"' 'active proctype P() { byte x = LIMIT; x < LIMIT }'
    CPATH=headers portolan 1 check "$model" -q
    refuses "limits.pml: error: cannot read the file" check "$model"
    promela '#include <limits.pml>' 'active proctype P() { skip }'
    refuses "limits.pml: error: cannot read the file" check "$model"
    promela '#include <limits.pml' 'active proctype P() { skip }'
    refuses "#include needs the name of a file in quotes or angle brackets" check "$model"
}

@test "a rendezvous on any of several channels is one step, on which both agree" {
    promela 'chan c[4] = [0] of { byte }; byte got[4];' 'active [3] proctype P() { byte k = _pid; do :: c[k]!_pid + 10 :: k < 3 -> k++ od }' \
        'active proctype Q() { byte i, x; do :: c[i]?x -> assert(x - 10 <= i); got[i] = x; x = 0 :: i = (i + 1) % 3 :: c[3]?x; break od }'
    [ "$(states)" -eq 27980 ]
    portolan 0 check "$model" -q -P 'assertions hold'
    portolan 0 explore "$model" --reduction stubborn --check-relations
}

@test "a formula without a name gets Spin's, a loop over a field is refused" {
    promela 'byte x; active proctype P() { x = 1 }' 'ltl p { [] (x <= 1) }' 'ltl { <> (x == 1) }'
    portolan 0 check "$model" -q -P 'ltl ltl_0'
    promela 'typedef T { byte f[3] }; T t[2];' 'active proctype P() { byte i; for (i in t[1].f) { skip } }'
    refuses "'in' takes an array by its own name, not a field" check "$model"
    contains "$stderr" "write for (i : 0 .. 2)"
}

@test "what printf prints is shown beside its step, with and without channels" {
    local statements='active proctype P() { printf("%d is not %e\n", x, m); printm(m); m = bye; assert(m == hello) }'
    for channels in '' 'chan c = [1] of { byte };'; do
        promela "mtype = { hello, bye }; mtype m = hello; byte x = 7; $channels" "$statements"
        portolan 1 check "$model" --trace trace.json
        contains "$output" "    prints: 7 is not hello"
        contains "$output" "    prints: hello"
        portolan 0 replay "$model" trace.json
        contains "$output" "    prints: 7 is not hello"
        portolan 1 simulate "$model"
        contains "$output" ": 7 is not hello"
    done
}

@test "how tightly operators bind where an expression is not the whole" {
    promela 'chan c = [1] of { byte };' 'byte x;' 'active proctype P() { c!2; c?<2>; c?2; unsigned u : 2 = !!3; x = 1 }' \
        'ltl both { [] x < 2 && x == 0 }' 'ltl one { <> x == 1 || x == 5 }' 'ltl wrong { [] x == 0 || x == 0 }'
    portolan 0 check "$model" -q -P 'no deadlock' -P 'ltl both' -P 'ltl one' -P 'ltl wrong'
}

@test "C runs only where that is allowed" {
    promela 'byte x;' 'active proctype P() {' '  c_code { now.x = 1; } }'
    refuses "model.pml:3:3: error: the model contains C code, which would run with all your permissions" check "$model"
    contains "$stderr" "hint: --allow-c compiles and runs it"
    promela 'c_decl { int y; }' 'active proctype P() { skip }'
    refuses "model.pml:1:1: error: the model contains C code" explore "$model"
    refuses "--allow-c is for Promela" explore "$repository/examples/philosophers.dl" --allow-c
}

@test "now, Pname, c_state, c_track: as Spin has them" {
    promela 'c_decl { typedef struct Coord { int x, y; } Coord;' '\#include <stdio.h>' '}' \
        'c_state "Coord pt" "Global"' 'c_state "int count = 0" "Hidden"' 'c_state "short z" "Local ex1" "7"' \
        "c_code { int twice(int a) { return a * 2 + ('\"' - '\"'); } int trk = 5; }" 'c_track "&trk" "sizeof(int)"' \
        'typedef R { byte f; bit g[2] }; R r[2]; byte x; bit b; int arr[3];' \
        'active proctype ex1() { byte loc;' \
        'do :: c_expr { now.pt.x < 3 && Pex1->z == 7 } ->' \
        'c_code { now.pt.x++; now.x = twice(now.pt.x); Pex1->loc = now.x; trk++; now.r[1].g[0] = 1; }' \
        ':: x > 4 -> break' \
        ':: c_expr { now.x == 4 } -> c_code [now.x == 4] { now.arr[1] = Pex1->_pid + now._nr_pr; }' 'od }' \
        'active proctype ex2() { c_expr { now.b == 0 }; c_code { now.b = 1; Printf("hello\n"); } }' \
        'ltl low { [] (c_expr { now.pt.x <= 3 && trk <= 8 }) }'
    [ "$(states --allow-c)" -eq 64 ]
    [ "$(states --allow-c --native always)" -eq 64 ]
    for reduction in none stubborn lpor; do
        portolan 0 check "$model" --allow-c -q --reduction $reduction
    done
    sed -i 's/now.pt.x++/now.pt.q++/' "$model"
    refuses "model.pml:12:16: error: the compiler refuses the model's C: " check "$model" --allow-c
}

@test "a condition in front of C must hold, and a formula of C is checked" {
    promela 'byte x;' 'active proctype P() { do :: c_code [now.x < 3] { now.x++; } od }' 'ltl few { [] (c_expr { now.x < 3 }) }'
    portolan 1 check "$model" --allow-c -q
    contains "$output" "property   assertions hold: VIOLATED" "property   ltl few: VIOLATED"
    portolan 1 check "$model" --allow-c -P 'assertions hold'
    contains "$output" "the condition in front of a block of C does not hold"
}

@test "what C may reach counts as what it reads and writes" {
    # b is changed by a function that knows now, through a pointer, and by name
    for code in 'change();' 'char *p = (char *)&now; p[(char *)&now.b - p] = 1;' 'now.b = 1;'; do
        promela 'byte a, b;' 'c_code { void change(void) { now.b = 1; } }' "active proctype P() { c_code { $code } }" \
            'active proctype Q() { byte seen; seen = b; a = seen; assert(a == 0) }'
        portolan 1 check "$model" --allow-c -q
    done
    promela 'byte a, b;' 'active proctype P() { c_code { now.a = 1; } }' 'active proctype Q() { c_code { now.b = 1; } }'
    portolan 0 explore "$model" --allow-c --reduction stubborn --json
    [ "$(jq .states <<<"$output")" -lt "$(states --allow-c)" ]
}

@test "a loop over the messages of a channel takes each and puts it back" {
    promela 'typedef M { byte a; short b };' 'chan c = [4] of { M };' 'byte sum;' \
        'active proctype P() { M m; M n; m.a = 1; c!m; m.a = 3; c!m; for (n in c) { sum = sum + n.a }' \
        'assert(sum == 4 && len(c) == 2); sum = 0 }'
    [ "$(states)" -eq 20 ]
    portolan 0 check "$model" -q
}

@test "a model with timeouts is reduced" {
    promela 'byte a, b, c;' 'active proctype P() { a = 1; a = 2; a = 3 }' 'active proctype Q() { b = 1; b = 2; b = 3 }' \
        'active proctype T() { timeout -> c = a + b; assert(c == 6) }'
    full=$(states)
    for reduction in stubborn stubborn:weak lpor; do
        portolan 0 check "$model" --deadlock --reduction $reduction --json
        [ "$(jq .states <<<"$output")" -lt "$full" ]
    done
    portolan 0 check "$model" -q
    portolan 0 explore "$model" --reduction stubborn --check-relations
    refuses "goal-directed sets take no account of timeouts" check "$model" --reduction stubborn:goal --invariant 'c <= 6'
    refuses "a stateless search takes no account of timeouts" check "$model" --search stateless
}

@test "variables that are only written can be left out, as Spin does without -o2" {
    promela 'byte x, y, z;' 'active proctype P() { do :: x = 1 - x :: y = 3 * x; z++; z = z % 2 od }'
    [ "$(states)" -eq 16 ]
    [ "$(states --leave-out-unread)" -eq 12 ]
    portolan 0 check "$model" --leave-out-unread -q --invariant 'z < 2 || x < 2'
    refuses "y" check "$model" --leave-out-unread --invariant 'y < 4'
}

@test "a failure without a line of its own names none" {
    promela 'chan d;' 'active proctype P() { d!1 }'
    portolan 1 check "$model"
    contains "$output" "P[0] failed: a channel that does not exist is used"
}

@test "states of the examples are Spin's, and reductions agree on the verdicts" {
    model=$examples/peterson.pml
    [ "$(states)" -eq 38 ]
    model=$examples/retransmission.pml
    [ "$(states)" -eq 109 ]
    model=$examples/relay.pml
    [ "$(states)" -eq 170 ]
    for reduction in none stubborn lpor; do
        portolan 0 check "$examples/peterson.pml" --reduction $reduction -q --deadlock --invariant 'critical <= 1'
        portolan 1 check "$examples/relay.pml" --reduction $reduction -q
        contains "$output" "no deadlock: VIOLATED"
        contains "$output" "assertions hold: HOLDS"
    done
}

# left: how many states of the model stubborn sets leave
left() {
    portolan 0 explore "$model" --reduction stubborn --proviso none --search dfs --check-relations --json
    jq .states <<<"$output"
}

@test "who alone sends to a channel or alone receives from it commutes with the others" {
    local -a pipeline=('mtype = { data, stop };' 'chan a = [3] of { mtype, byte };' 'chan b = [3] of { byte };'
        'active proctype S() { byte i; do :: i < 6 -> a!data(i); i++ :: else -> a!stop(0); break od }'
        'active proctype M() { byte x; do :: a?data(x) -> b!x + 1 :: a?stop(_) -> break od }'
        'active proctype R() { byte x, n; do :: n < 6 -> b?x; n++ :: else -> break od }')
    promela "${pipeline[@]}"
    [ "$(states)" -eq 1003 ]
    [ "$(left)" -eq 56 ]
    promela "${pipeline[@]}" 'byte seen;' 'active proctype L() { seen = len(a); seen = 9; nempty(b); seen = 8 }'
    [ "$(left)" -gt 200 ] # somebody looks
    promela "${pipeline[@]}" 'active proctype T() { byte x; b?x }'
    portolan 1 check "$model" -q
    contains "$output" "no deadlock: VIOLATED" # somebody else receives, too
}

@test "a step that may meet another process minds only where it can meet it" {
    local -a meeting=('chan c = [0] of { byte };'
        'active proctype S() { byte k; do :: k < 4 -> k++ :: atomic { k > 0; c!7 } :: k == 4 -> k = 0 od }')
    promela "${meeting[@]}" 'active proctype R() { byte m; c?m; m++; m++; m = 0 }'
    [ "$(states)" -eq 80 ]
    [ "$(left)" -eq 40 ] # the steps after the meeting come alone
    promela "${meeting[@]}" 'active proctype R() { byte m; do :: c?m; m++; m = 0 od }'
    [ "$(states)" -eq 42 ]
    [ "$(left)" -eq 18 ] # and so does the last one, which leads to the next meeting
    promela "${meeting[@]}" 'active proctype R() { byte m; do :: c?m :: d_step { m > 6; m-- } od }'
    [ "$(states)" -eq 30 ]
    [ "$(left)" -eq 30 ] # where they can meet it changes what is passed
    promela "${meeting[@]}" 'active proctype R() { byte m; do :: c?m :: m > 6 -> m-- od }'
    [ "$(states)" -eq 48 ]
    [ "$(left)" -eq 34 ] # m-- leads to where they can meet, but is elsewhere itself
    promela "${meeting[@]}" 'active proctype R() { byte m; do :: c?m; if :: m > 6 -> m = 0 :: m < 7 fi :: m == 0 -> m = 3 od }'
    [ "$(states)" -gt "$(left)" ]
    promela "${meeting[@]}" 'active proctype R() { byte m; c?m; m++; m++; m = 0 }' 'active proctype L() { R:m == 8 -> skip }'
    [ "$(left)" -gt 80 ] # somebody looks at what was passed
    for reduction in none stubborn; do
        portolan 0 explore "$model" --reduction $reduction --proviso none --json
        [ "$(jq .deadlocks <<<"$output")" -eq 8 ]
    done
}

@test "formulas and claims" {
    portolan 1 check "$examples/peterson.pml" -q
    contains "$output" "ltl never_both: HOLDS"
    contains "$output" "ltl first_again: VIOLATED"
    promela 'byte x;' 'active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }' \
        'never high { do :: x == 7 -> break :: else od }' \
        'never low { do :: x == 3 -> break :: else od }'
    portolan 1 check "$model" -q
    contains "$output" "never claim high: HOLDS"
    contains "$output" "never claim low: VIOLATED"
    portolan 0 check "$model" -q --ltl 'G F (x = 0)'
    portolan 1 check "$model" -q --ltl 'F G !np_ '
}

@test "the claim counts in _nr_pr, as in Spin" {
    promela 'proctype Q() { skip }' 'init { run Q(); _nr_pr == 1; assert(false) }' 'ltl f { [] (_nr_pr <= 2) }'
    portolan 1 check "$model" -q
    contains "$output" "ltl f: VIOLATED"
    portolan 0 check "$model" -q --invariant 'failed = 0'
}

@test "one claim alone, and cycles as Spin looks for them" {
    portolan 0 check "$examples/peterson.pml" -q -P 'ltl never_both' -P 'assertions hold'
    contains "$output" "ltl never_both: HOLDS"
    lacks "$output" "first_again"
    refuses "the model states no property 'never claim high'" check "$examples/peterson.pml" -P 'never claim high'
    refuses "'no acceptance cycle' is for Promela models" check "$repository/examples/philosophers.pnml" -P 'no acceptance cycle'
    promela 'active proctype P() { accept: false }' # a run that ends there stays there, but makes no cycle
    portolan 1 check "$model" -q -P 'no acceptance cycle'
    portolan 0 check "$model" -q -P 'no non-progress cycle'
    promela 'byte x;' 'active proctype P() { do :: x = 1 - x; progress: skip od }'
    portolan 0 check "$model" -q -P 'no acceptance cycle' -P 'no non-progress cycle'
    promela 'byte x;' 'active proctype P() { accept: do :: x = 1 - x od }'
    portolan 1 check "$model" -q -P 'no acceptance cycle' -P 'no non-progress cycle' --all
    contains "$output" "no acceptance cycle: VIOLATED"
    contains "$output" "no non-progress cycle: VIOLATED"
    promela 'byte x;' 'active proctype P() { do :: timeout -> x = 1 - x od }'
    portolan 1 check "$model" -q -P 'no non-progress cycle'
    promela 'byte x;' 'active proctype P() { do :: timeout -> x++; if :: x == 3 -> break :: else fi od }'
    portolan 0 check "$model" -q -P 'no non-progress cycle'
}

@test "the language of a file whose name does not tell" {
    cp "$examples/peterson.pml" peterson.txt
    refuses "hint: use --language NAME" check peterson.txt
    refuses "there is no language 'spin'" check peterson.txt --language spin
    portolan 0 check peterson.txt -q --language promela -P 'ltl never_both'
    portolan 0 explore peterson.txt -q --language promela
    cp "$repository/examples/philosophers.pnml" net.pml
    portolan 1 check net.pml -q --language pnml
}

@test "atomic sequences are one step, unless they block" {
    promela 'byte a, b;' \
        'active proctype P() { atomic { a = 1; b == 1; a = 2; if :: b == 1 -> a = 3 :: b == 2 -> a = 4 fi; b = 5; goto L }; a = 9;' \
        'L: atomic { a = 6; skip; a = 7 }; goto M; atomic { skip; M: a = 8; b = 0 } }' \
        'active proctype Q() { b = 1; a == 2; b = 2; a == 8 }' \
        'active proctype Z() { do :: b == 1 -> b = 2 :: b == 2 -> b = 1 :: break od }'
    [ "$(states)" -eq 59 ]
}

@test "rendezvous, sorted sends, random receives, polls" {
    promela 'mtype = { red, green }; chan r = [0] of { mtype, byte }; byte g;' \
        'active proctype A() { do :: r!red(1) :: r!green,g :: atomic { g < 2; g++; r!red,2; g = 3 } :: else -> g = 0 od }' \
        'active proctype B() { byte v; end: do :: r?red(v) :: atomic { r?green,v -> v = v + 1; g = v } :: r?red,eval(v) od }'
    [ "$(states)" -eq 514 ]
    promela 'chan c = [2] of { byte, bit }; chan d = [1] of { short }; byte z;' \
        'active proctype S() { byte i; do :: i < 3 -> c!i,1; i++ :: c!!2,0 :: d!-1 :: i == 3 -> break od }' \
        'active proctype R() { byte a; bit b; short s; do :: c?a,1 :: c??2,b :: d?s :: c?<a,b> :: c?[2,0] -> z = 1' \
        '  :: full(c) -> z = 2 :: nempty(d) && len(c) == 1 -> z = 3 od }'
    [ "$(states)" -eq 7153 ]
    portolan 0 explore "$model" --reduction stubborn --check-relations -q
    promela 'chan c = [2] of { bit, byte };' 'proctype P() { c!!_pid,0 }' 'init { atomic { run P(); run P() } }'
    [ "$(states)" -eq 13 ]
    promela 'chan c = [1] of { bit }; chan r = [0] of { bool }; chan s = [0] of { bool, byte }; byte x, y, z;' \
        'active proctype P() { c!3; c?x; r!3; s!2,0 }' \
        'active proctype Q() { r?y; s?z,_; assert(x == 3 && y == 3 && z == 0) }'
    portolan 0 check "$model" -q
}

@test "processes are run, get the lowest number, and end in reverse order" {
    promela 'byte n; pid p;' \
        'proctype W(byte k) { byte q = k; q--; if :: q > 0 -> run W(q) :: else fi; n++ }' \
        'init { run W(2); p = run W(1); _nr_pr == 1; n = 0 }'
    [ "$(states)" -eq 130 ]
}

@test "while an atomic sequence waits, or where priorities count, processes end and their numbers are given again" {
    promela 'chan c = [1] of { bit };' 'byte x;' 'proctype A() { c!1 }' 'proctype B() { x = _pid; assert(x != 1) }' \
        'init { atomic { run A(); c?1; run B(); skip } }'
    portolan 1 check "$model"
    contains "$output" "assertions hold: VIOLATED"
    promela 'chan c = [1] of { bit };' 'byte x;' 'proctype A() { c!1 }' 'proctype B() { x = _pid }' \
        'init { atomic { run A(); c?1; run B(); skip } }'
    [ "$(states)" = 13 ]
    promela 'byte x;' 'proctype A() { skip }' 'proctype B() { x = _pid }' \
        'init { atomic { run A() priority 3; run B(); skip }; false }'
    [ "$(states)" = 7 ]
}

@test "a search that meets more processes than expected is undecided" {
    promela 'int n; byte k;' 'proctype V() { n < 0 }' 'proctype W() { n < 0 }' \
        'init { do :: n < 9000 -> n++ :: n == 9000 -> break od;' \
        '  do :: k < 60 -> k++; if :: run V() :: run W() fi :: k == 60 -> break od; assert(false) }'
    for options in '' '--reduction none' '--search dfs' '--native always' '--search stateless' '--ltl true'; do
        # shellcheck disable=SC2086 # several words
        portolan 3 check "$model" -q $options
        contains "$output" "stopped    the model runs more processes at once than expected"
    done
    portolan 3 explore "$model" -q
}

@test "unless, timeout, else" {
    promela 'byte x, y;' 'active proctype P() { do :: x++ :: x > 5 -> x = 0 od unless { y == 1; x = 9 }; y = 3 }' \
        'active proctype Q() { x == 3; y = 1; y == 3; y = 4 }'
    [ "$(states)" -eq 1780 ]
    promela 'byte t; bool f;' \
        'active proctype T() { do :: timeout -> t++; if :: t == 3 -> break :: else fi :: f -> f = false od }' \
        'active proctype U() { f = true; !f; f = true; t == 2; f = true; !f }'
    [ "$(states)" -eq 26 ]
}

@test "escapes come before everything else, and else looks at what stands before it" {
    local others='active proctype Q() { b = 1; b = 0 } active proctype R() { d = 1; d = 0 }'
    promela 'byte a, b, c, d;' 'active proctype P() { if :: { a == 0 -> a = 1 } unless { b == 1 -> b = 2 }' \
        ':: { c == 0 -> c = 1 } unless { d == 0 -> d = 1 } fi }' 'active proctype Q() { b = 1 }'
    [ "$(states)" -eq 10 ]
    promela 'byte a, b, d;' 'active proctype P() { { a == 0 -> a = 1; a = 2 } unless { if :: b == 1 -> b = 2 :: else -> d = 5 fi } }' \
        'active proctype Q() { b = 1 }'
    [ "$(states)" -eq 15 ]
    promela 'byte a, b, c, d;' 'active proctype P() { do :: a == 0 -> a = 2 :: { c == 0 -> c = 1 } unless b == 1 -> c = 7' \
        ':: else -> a = 4; break od unless d == 1; a = 9 }' 'active proctype Q() { b = 1; b = 0 }' \
        'active proctype R() { d = 1; d = 0; a = 5 }'
    portolan 0 explore "$model" --reduction none --json
    [ "$(jq -c '[.states, .transitions]' <<<"$output")" = '[369,817]' ]
    promela 'byte b, d = 1;' 'active proctype P() { if :: if :: b == 1 :: else -> assert(false) fi :: d == 1 fi }'
    portolan 1 check "$model" -q
    # in one group: a simple statement is numbered behind what it is left for
    promela 'byte a, b, d;' 'active proctype P() { { a == 0 unless b == 1 -> a = 3 } unless d == 1 }' "$others"
    portolan 0 explore "$model" --reduction none --json
    [ "$(jq -c '[.states, .transitions]' <<<"$output")" = '[51,96]' ]
}

@test "a message that is handed over passes escapes by, but for one that takes it" {
    local sender='active proctype Q() { c!3 } active proctype R() { c!4 }'
    promela 'chan c = [0] of { byte }; byte n;' 'active proctype P() { c?n unless skip }' "$sender"
    portolan 0 explore "$model" --reduction none --json
    [ "$(jq -c '[.states, .transitions]' <<<"$output")" = '[5,4]' ]
    promela 'chan c = [0] of { byte }; byte n;' 'active proctype P() { c?n unless { if :: c?3 -> n = 5 :: n == 9 fi } }' "$sender"
    portolan 0 explore "$model" --reduction none --json
    [ "$(jq -c '[.states, .transitions]' <<<"$output")" = '[5,4]' ]
}

@test "without a number the first process of its type that there is now is meant" {
    promela 'byte b = 1;' 'proctype P() { at: skip }' 'proctype Q() { false }' 'init { run Q(); run P() }' \
        'never { do :: true :: P@at -> goto accept od; accept: do :: b < 2 od }'
    portolan 1 check "$model"
    contains "$output" "never claim never: VIOLATED"
    promela 'byte b;' 'proctype P(byte x) { false }' 'proctype Q() { false }' 'init { run Q(); run P(3); b = P:x; assert(b == 3) }'
    portolan 1 check "$model"
    contains "$output" "assertions hold: HOLDS"
}

@test "the parameters of an inline are not those of C in it" {
    promela 'int x = 3, y = 5, v = 7;' 'inline f(v) { c_code { now.v = now.v + 1; }; v = v + 10; c_expr { now.v > 0 } }' \
        'active proctype P() { f(x); f(y); assert(v == 9 && x == 13 && y == 15) }'
    portolan 0 check "$model" -q --allow-c
}

@test "steps that do nothing stay in for loops, and are left out in options" {
    promela 'active proctype P() { short y; for (y : 0 .. 1) { skip; skip } }'
    [ "$(states)" -eq 12 ]
    promela 'active proctype P() { short y; y = 0; do :: y <= 1 -> skip; skip; y++ :: else -> break od }'
    [ "$(states)" -eq 10 ]
}

@test "numbers wrap round as their types do" {
    promela 'byte x = 250; short s = 32767; unsigned u:3; int i; bit b; bool bb[2];' \
        'active proctype P() { x = x + 10; s = s + 1; u = 9; i = 2147483647; i = i + 1; b = 2; bb[1] = 3; x = -1;' \
        '  assert(x == 255 && s == -32768 && u == 1 && i < 0 && b == 0 && bb[1] == 3) }'
    portolan 0 check "$model" -q
    promela 'chan c = [1] of { byte }; unsigned u : 2; active proctype P() { c!254; c?u; assert(u == 2) }'
    portolan 0 check "$model" -q
    promela 'byte x;' 'active proctype P() { x = 1 / x }'
    portolan 1 check "$model"
    contains "$output" "division by zero"
}

@test "the preprocessor" {
    promela '#define F(a, b) (a + b)' '#ifdef X' 'byte bad' '#else' 'byte x;' '#endif' \
        '#if F(1, 2) == 3 && !defined(Y)' 'byte y;' '#endif' "active proctype A() { x = F(x," " 2); y = 'a'; assert(x == N) }"
    portolan 0 check "$model" -q -D N=2
    portolan 1 check "$model" -q -D N=3
    refuses "model.pml:10" check "$model"
}

@test "what formulas of the model read is not left out" {
    promela 'byte x; ltl a { [] (x != 5) } active proctype A() { x = 5; x = 3 }'
    portolan 1 check "$model" -q --leave-out-unread
    contains "$output" "ltl a: VIOLATED"
}

@test "macros make strings and join words" {
    promela '#define SAY(x)  printf(#x)' '#define JOIN(a, b) a ## b' '#define MAKE(n) byte JOIN(v_, n) = n' '#define EMPTY' \
        'MAKE(3); MAKE(4);' 'active proctype P() {' '  SAY( <>  "q\n" ); JOIN(v, JOIN)_4++;' '}'
    refuses "'vJOIN" check "$model"
    promela '#define SAY(x)  printf(#x)' '#define JOIN(a, b) a ## b' '#define TWICE(a, b) JOIN(a, b)' '#define MAKE(n) byte v_##n = n' '#define W v_' \
        'MAKE(3); MAKE(4);' 'active proctype P() {' '  SAY( <>  "q\n" ); TWICE(W, 4)++; assert(v_4 == 5 && JOIN(v_ , 3) == 3)' '}'
    portolan 0 check "$model" -q
    portolan 0 simulate "$model" --steps 3
    contains "$output" 'prints: <> "q\n"'
}

@test "C that the preprocessor makes may reach everything" {
    promela 'int x, y; c_decl { \#define CAT(a, b) a##b' '};' \
        'active proctype A() { c_code { CAT(no, w).x = 1; }; y = 1 }' \
        'active proctype B() { (y == 1) -> assert(x == 0) }'
    portolan 1 check "$model" -q --allow-c
    contains "$output" "assertions hold: VIOLATED"
}

@test "a number in C is a number in a claim" {
    promela 'int x; active proctype A() { x = 1; x = 2; x = 1 }' \
        'never { do :: !(c_expr { now.x } < 2) -> break :: true od }'
    portolan 1 check "$model" -q --allow-c
    contains "$output" "never claim never: VIOLATED"
}

@test "steps of for and select say what they do, at the line of the loop" {
    printf '%s\n' 'byte sum, i, k;' 'active proctype p() {' '  for (i : 1 .. 2) {' '    sum = sum + i' '  }' '  select (k : 1 .. 3);' '  assert(sum + k < 6)' '}' > loops.pml
    portolan 1 check loops.pml
    contains "$output" "3: i = 1"
    contains "$output" "3: i <= 2"
    contains "$output" "3: i++"
    contains "$output" "3: else"
    contains "$output" "6: k = 3"
    [[ $output != *assignment* && $output != *": step"* ]]
}

@test "a process that only has to end does not wait" {
    printf '%s\n' 'byte x;' 'active [2] proctype inc() { x = x + 1 }' 'active proctype watch() { x > 0; assert(x == 2) }' > ends.pml
    portolan 1 check ends.pml
    contains "$output" "failed: assertion x == 2 does not hold"
    [[ $output != *"-end-"* && $output != *"line 0"* ]]
}

@test "an index out of bounds is told with the array, also that of a record; a failed simulation has not ended well" {
    promela 'byte a[3]; byte i;' 'active proctype P() { do :: a[i] = 1; i++ od }'
    portolan 1 check "$model"
    contains "$output" "P[0] failed: the index of 'a' is out of bounds: it has 3 elements"
    portolan 1 simulate "$model"
    contains "$output" "ended      a failure"
    promela 'typedef r { byte f[2] }; r x; byte i;' 'active proctype P() { byte b[4]; b[i] = 1; i = 3; b[i] = 1; x.f[i] = 1 }'
    portolan 1 check "$model"
    contains "$output" "P[0] failed: the index of 'f' is out of bounds: it has 2 elements"
}
