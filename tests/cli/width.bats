#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where lines end: at 80 columns, or where the terminal or COLUMNS says; and who sees colours.

load helpers

# Every line of what a command prints fits into so many columns (a word that does not fit anywhere is none's fault).
fits() {
    local width=$1 output
    shift
    output=$("$program" "$@" 2> /dev/null < /dev/null) || true
    [ -n "$output" ] || { echo "nothing was printed: $*"; return 1; }
    local wide
    wide=$(awk -v most="$width" 'length($0) > most' <<< "$output")
    [ -z "$wide" ] || { echo "$*:"; echo "$wide"; return 1; }
}

every_language=(philosophers.pnml nets/database.pnml threads/filesystem.dl threads/readers-writers.dl threads/bank.dl
    protocols/paxos-no-promise.mp protocols/storage-atomic.mp entities/philosophers.ent dve/alternating-bit.dve
    promela/relay.pml promela/peterson.pml lna/philosophers.lna graphs/philosophers.gg graphs/ferry.gg graphs/philosophers.gps)

setup() {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    unset COLUMNS
    cd "$repository/examples" || return 1
}

@test "the answers of every language fit" {
    local model
    for model in "${every_language[@]}"; do
        fits 80 check "$model" -t 2
        fits 80 explore "$model" --states 2000
        fits 80 simulate "$model" --steps 12
        "$program" simulate "$model" --steps 5 -o "$BATS_TEST_TMPDIR/trace" > /dev/null || true
        fits 80 replay "$model" "$BATS_TEST_TMPDIR/trace"
    done
}

@test "comparisons, explanations, certificates and lists fit" {
    fits 80 compare philosophers.pnml
    fits 80 compare threads/bank.dl
    fits 80 explore philosophers.pnml --reduction stubborn --explain
    fits 80 check protocols/two-phase-commit.mp --reduction lpor --explain
    fits 80 check nets/peterson.pnml --certify "$BATS_TEST_TMPDIR/certificate"
    fits 80 certify "$BATS_TEST_TMPDIR/certificate" nets/peterson.pnml
    fits 80 list
    fits 80 generate
    fits 80 ltl 'G (a -> F b)'
    fits 80 --help
    local command
    for command in $("$program" --help | sed -n 's/^  portolan \([a-z+]*\) .*/\1/p'); do
        fits 80 "$command" --help
    done
}

@test "the story of make run fits two screens" {
    local output
    output=$("$repository/scripts/demo" "$program" | sed "s#$(dirname "$program")#build#")
    [ -z "$(awk 'length($0) > 80' <<< "$output")" ] || { awk 'length($0) > 80' <<< "$output"; return 1; }
    [ "$(wc -l <<< "$output")" -le 84 ]
}

@test "the errors of C programs fit, and their own output is left as it is" {
    needs_c_programs
    local file
    for file in counter-wrong philosophers array-queue-race bounded-buffer-if queue-freed; do
        fits 80 run "c/$file.c"
    done
    printf '#include <stdio.h>\nint main(void) { printf("%%0120d\\n", 0); return 1; }\n' > "$BATS_TEST_TMPDIR/long.c"
    run -1 "$program" run "$BATS_TEST_TMPDIR/long.c"
    [[ $output == *"$(printf '%0120d' 0)"* ]]
}

@test "COLUMNS and the terminal say how wide it is" {
    COLUMNS=60 fits 60 check philosophers.pnml
    [ "$(COLUMNS=400 "$program" check philosophers.pnml | grep -c 'all else 0$')" = 1 ]
    [ "$(COLUMNS=400 "$program" check philosophers.pnml | awk 'length($0) > 80' | wc -l)" -gt 0 ]
    script -qec "stty cols 50; '$program' check philosophers.pnml 2> /dev/null" /dev/null < /dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' > "$BATS_TEST_TMPDIR/said"
    [ "$(awk 'length($0) > 50' "$BATS_TEST_TMPDIR/said" | wc -l)" = 0 ]
    grep -q 'no deadlock: VIOLATED' "$BATS_TEST_TMPDIR/said"
}

@test "what programs read is not broken" {
    "$program" check philosophers.pnml --json | jq -e .verdict
    [ "$("$program" explore nets/database.pnml --export dot | grep -c '^  0 \[label=')" = 1 ]
    "$program" compare philosophers.pnml --all | awk 'length($0) > 100' | grep -q stubborn
}

@test "colours are for terminals, and NO_COLOR is heard" {
    local on_terminal="script -qec \"'$program' check philosophers.pnml\" /dev/null"
    TERM=xterm bash -c "$on_terminal" < /dev/null | grep -q $'\x1b\\[31mVIOLATED'
    ! NO_COLOR=1 TERM=xterm bash -c "$on_terminal" < /dev/null | grep -q $'\x1b'
    ! TERM=dumb bash -c "$on_terminal" < /dev/null | grep -q $'\x1b'
    ! TERM=xterm "$program" check philosophers.pnml | grep -q $'\x1b'
}
