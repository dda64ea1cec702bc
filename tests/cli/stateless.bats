#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The stateless search on the command line.

load helpers

program_text() {
    cat >"$1"
}

setup_programs() {
    program_text deadlock.dl <<'END'
lock a, b;
thread left { lock(a); lock(b); unlock(b); unlock(a); }
thread right { lock(b); lock(a); unlock(a); unlock(b); }
END
    program_text race.dl <<'END'
int x, y;
lock m;
thread writer { x = 1; lock(m); y = 1; unlock(m); }
thread reader { lock(m); y; unlock(m); x; }
END
    program_text assertion.dl <<'END'
int x;
thread adder * 2 { int old = x; x = old + 1; }
thread checker { assert(x != 1); }
END
    program_text spin.dl <<'END'
int go;
thread waiter { while (go == 0) { } }
thread starter { go = 1; }
END
}

@test "a deadlock is shown with who waits for what" {
    setup_programs
    portolan 1 check deadlock.dl --reduction optimal
    contains "$output" "property   no deadlock: VIOLATED"
    contains "$output" "2 steps, 1 switch, replayed"
    contains "$output" "left waits at line 2: lock(b)"
    contains "$output" "right waits at line 3: lock(a)"
}

@test "every method finds it, and the same number of traces" {
    setup_programs
    for method in none dpor dpor:no-sleep source lazy optimal; do
        portolan 1 check deadlock.dl --reduction "$method" --search stateless --all --traces traces
        sort -u traces >"traces.$method"
        cmp "traces.none" "traces.$method"
    done
    same "$(wc -l <traces.optimal)" 3
    same "$(grep -c deadlock traces.optimal)" 1
}

@test "a data race is two accesses that can be made at once" {
    setup_programs
    portolan 1 check race.dl --races
    contains "$output" "property   no data race: VIOLATED"
    contains "$output" "x = 1"
    contains "$output" "read x = "
    sed -i 's/^int x, y;/atomic int x; int y;/' race.dl
    portolan 0 check race.dl --races
    contains "$output" "property   no data race: HOLDS"
}

@test "races and bounds choose the stateless search by themselves" {
    setup_programs
    portolan 1 check race.dl -P 'no data race' --json
    same "$(jq -r .search <<<"$output")" stateless
    portolan 3 check spin.dl --bound 5 --json
    same "$(jq -r .search <<<"$output")" stateless
}

@test "a failed assertion ends the trace, and nothing stands in it that is not needed" {
    setup_programs
    portolan 1 check assertion.dl --reduction lazy --trace trace
    contains "$output" "checker failed at line 3"
    contains "$output" "3 steps"
    portolan 0 replay assertion.dl trace
}

@test "a loop that need not end is cut by a bound, and the report says so" {
    setup_programs
    portolan 3 check spin.dl --bound 5
    contains "$output" "no deadlock: UNDECIDED"
    portolan 3 check spin.dl --reduction optimal --states 50
    portolan 0 check spin.dl
    contains "$output" "no deadlock: HOLDS"
}

@test "several threads explore the same traces" {
    setup_programs
    portolan 1 check assertion.dl --reduction optimal --all --traces one
    portolan 1 check assertion.dl --reduction optimal --all --traces two --threads 3
    sort one >one.sorted
    sort two >two.sorted
    cmp one.sorted two.sorted
    contains "$output" "3 threads"
}

@test "explore counts executions" {
    setup_programs
    portolan 0 explore assertion.dl --reduction source --json
    same "$(jq -r '.executions > 3 and .states == 0' <<<"$output")" true
}

@test "compare has the executions of every method" {
    setup_programs
    portolan 0 compare assertion.dl --json
    same "$(jq -r '[.rows[] | select(.search == "stateless") | .reduction] | index("optimal") != null' <<<"$output")" true
    same "$(jq -r '[.rows[] | .differs] | any' <<<"$output")" false
}

@test "what a stateless search cannot see is refused" {
    setup_programs
    refuses "does not see every state" check race.dl --reduction optimal --invariant 'deadlock || x < 2'
    refuses "stores no states" check race.dl --reduction optimal --search bfs
    refuses "no use for a proviso" check race.dl --reduction optimal --proviso scc
    refuses "data races are found by a stateless search" check race.dl --reduction stubborn --races
}

@test "nets have executions too" {
    family philosophers 3
    portolan 1 check philosophers.pnml --reduction optimal --bound 2
    contains "$output" "no deadlock: VIOLATED"
}
