# SPDX-License-Identifier: Apache-2.0
# Waiting, and what else makes no execution of its own: the numbers are part of the claim.
load helpers

sources=$repository/tests/native/waits

# as_expected SOURCE [OPTION...]: the verdict and the number of executions that its first line tells.
as_expected() {
    local expected reduction source=$1
    shift
    expected=$(sed -n 's|^// expected: ||p' "$source")
    echo "$source: $expected"
    for reduction in optimal dpor; do
        if [[ $expected != holds* ]]; then
            portolan 1 run --json --reduction "$reduction" "$@" ./program
            json_is .error "$expected"
            continue
        fi
        portolan 0 run --json --reduction "$reduction" "$@" ./program
        same "$(json '"\(.verdict), \(.executions) executions"')" "$expected"
    done
}

@test "loops wait for their condition, arrivals and increments commute: with gcc" {
    for source in "$sources"/*.c; do
        "$program" cc -O2 "$source" -o program
        as_expected "$source" --journal strict
    done
}

@test "the same with clang, without a level of optimisation" {
    for source in "$sources"/*.c; do
        PORTOLAN_CC=clang "$program" cc "$source" -o program
        as_expected "$source"
    done
}

@test "several processes explore as many executions as one, none in vain, whatever each of them takes" {
    local -A count=([lastzero]=704 [indexer]=64 [writers]=720)
    "$program" cc -O2 -DN=8 "$repository/examples/c/lastzero.c" -o lastzero
    "$program" cc -O2 -DN=13 "$repository/examples/c/indexer.c" -o indexer
    "$program" cc -O2 -DN=6 "$repository/examples/c/writers.c" -o writers
    for name in lastzero indexer writers; do
        for how in "--threads 1" "--threads 2" "--threads 2 --lesson 1" "--threads 3 --lesson 1 --seed 1" "--threads 8 --lesson 1 --seed 2"; do
            echo "$name $how"
            # shellcheck disable=SC2086 # several words
            portolan 0 run --json $how "./$name"
            json_is '"\(.executions) \(.blocked)"' "${count[$name]} 0"
        done
    done
}

@test "who fails to take a lock makes no execution, not even in vain" {
    for name in test-and-set-lock test-and-test-and-set-lock compare-exchange-lock ticket-lock look-then-compare-lock; do
        "$program" cc -O2 "$sources/$name.c" -o program
        portolan 0 run --json ./program
        echo "$name"
        json_is '"\(.executions) \(.blocked)"' "90 0"
    done
}

@test "waiting costs nothing at any level of optimisation" {
    for source in "$sources/value.c" "$sources/test-and-test-and-set-lock.c" "$sources"/stack-{by-value,scopes-word}.c; do
        for compiler in "gcc -O0" "gcc -O3" "clang -O0" "clang -O2"; do
            PORTOLAN_CC=${compiler% *} "$program" cc "${compiler#* }" "$source" -o program
            as_expected "$source"
        done
    done
}

@test "interleaved, neighbours in a word do not conflict" {
    "$program" cc "$sources/neighbours.c" -o program
    as_expected "$sources/neighbours.c" --races interleave
}

@test "the report says once that volatile orders nothing; --volatile plain makes its accesses like others" {
    "$program" cc -g "$sources/volatile-flag.c" -o program
    portolan 0 run ./program
    contains "$output" "note       volatile accesses are treated as relaxed atomics, which order nothing"
    portolan 1 run --volatile plain ./program
    contains "$output" "found      data race"
    portolan 2 run --volatile none ./program
}

@test "a choice is shown as one step, and replayed" {
    "$program" cc -g "$sources/assumed-too-late.c" -o program
    portolan 1 run --trace schedule ./program
    contains "$output" "main chooses 1" || contains "$output" "chooses 1  assumed-too-late.c:"
    lacks "$output" "choices"
    portolan 1 replay ./program schedule
    contains "$output" "chooses 1  assumed-too-late.c:"
}

@test "a deadlock and a race of loops that wait are replayed" {
    for name in stuck round-raced later-round-raced; do
        "$program" cc -g "$sources/$name.c" -o program
        portolan 1 run --trace schedule ./program
        portolan 1 replay ./program schedule
        contains "$output" "$(sed -n 's|^// expected: |found      |p' "$sources/$name.c")"
    done
}

@test "values of large types are not all tried, which the verdict says" {
    cat >some.c <<END
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int condition);
int main(void) { __VERIFIER_assume(__VERIFIER_nondet_uint() < 3); return 0; }
END
    "$program" cc some.c -o program
    portolan 3 run ./program
    contains "$output" "other values of __VERIFIER_nondet_uint"
}
