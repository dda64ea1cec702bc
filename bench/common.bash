# SPDX-License-Identifier: Apache-2.0
# What the benchmarks share.  A script sources this file first; its first argument is the program to measure.
# The environment may set LIMIT (seconds per run), MEMORY (per run) and MODELS (the directory of the contest nets).
# shellcheck shell=bash
set -euo pipefail

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$bench")
portolan=${1:-$root/build/portolan}
MODELS=${MODELS:-$root/../shared/models/mcc}
LIMIT=${LIMIT:-60}
MEMORY=${MEMORY:-8G}
export LC_ALL=C

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "$0: $tool is needed (scripts/setup bench)" >&2; exit 2; }
    done
}
need awk jq
[ -x "$portolan" ] || { echo "$0: no program $portolan; build it or name it as the first argument" >&2; exit 2; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# load: how busy the machine already is, to judge times by.
load() { echo "Load of the machine at the start: $(cut -d " " -f 1 /proc/loadavg) on $(nproc) cores."; }

# heading TEXT...: what is compared, one sentence a line.
heading() {
    printf '%s\n' "$@"
    echo
}

# A table is rows of tab-separated cells.  The first column is aligned left, the others right.
row() {
    local IFS=$'\t'
    echo "$*" >>"$scratch/table"
    [ -t 2 ] && printf '\r\033[K%s ' "$1" >&2
    return 0
}

print_table() {
    [ -t 2 ] && printf '\r\033[K' >&2
    awk -F '\t' '
        { rows = NR; for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) }
          fields[NR] = NF }
        END {
            for (r = 1; r <= rows; r++) {
                line = sprintf("%-" width[1] "s", cell[r, 1])
                for (i = 2; i <= fields[r]; i++) line = line "  " sprintf("%" width[i] "s", cell[r, i])
                sub(/ +$/, "", line)
                print line
            }
        }' "$scratch/table"
    rm -f "$scratch/table"
    echo
}

# timed COMMAND...: runs a command and leaves its processor time in $cpu, in seconds.  On a busy machine it says more
# than the clock: a search has one thread, and time spent waiting for a core is not the search's.
timed() {
    local status=0 TIMEFORMAT='%U %S'
    { time "$@" >"$scratch/output" 2>"$scratch/errors"; } 2>"$scratch/time" || status=$?
    # shellcheck disable=SC2034
    cpu=$(awk '{ print $1 + $2 }' "$scratch/time")
    return "$status"
}

# measure ARGUMENTS...: runs the program and leaves its JSON in $answer, its time in $cpu.  A violated or undecided property is an answer
# too (status 1 and 3); anything else stops the benchmark, since a figure of a failed run would mislead.
measure() {
    local status=0
    timed "$portolan" "$@" --json --memory "$MEMORY" || status=$?
    answer=$(<"$scratch/output")
    case $status in
    0 | 1 | 3) ;;
    *)
        echo "$0: portolan $* ended with status $status:" >&2
        cat "$scratch/errors" >&2
        exit 2
        ;;
    esac
}

# instructions PROGRAM ARGUMENTS...: of a run, counted by valgrind, in $count; its JSON in $answer.  A run that a limit ends is one too.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$scratch/log" "$@" --json >"$scratch/output" || true
    answer=$(<"$scratch/output")
    # shellcheck disable=SC2034
    count=$(awk '/Collected/ { print $NF }' "$scratch/log")
}

# get FILTER: a value of the last answer.
get() { jq -r "$1" <<<"$answer"; }
# complete: did the last run see all that it meant to see?
complete() { [ "$(get .stop)" = complete ]; }

# calculate EXPRESSION [FORMAT]: arithmetic on reals; "-" when it cannot be done, as with a divisor of zero.
calculate() { awk "BEGIN { value = $1; printf \"${2:-%.2f}\", value }" 2>/dev/null || printf -- '-'; }
# true_that CONDITION: a condition on reals.
true_that() { awk "BEGIN { exit !($1) }"; }
least() { printf '%s\n' "$@" | sort -g | head -n 1; }
median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# mark CONDITION: leaves "met" or "MISSED" in $verdict, for the script to print; the counts are for summary.
met=0
missed=0
mark() {
    if true_that "$1"; then
        verdict=met
        met=$((met + 1))
    else
        # shellcheck disable=SC2034
        verdict=MISSED
        missed=$((missed + 1))
    fi
}
summary() { echo "Targets: $met met, $missed missed."; }

# contest NAME: the path of a contest net in $net; false when it is not there.
contest() {
    net=$MODELS/$1.pnml
    [ -r "$net" ]
}
# The table of known answers, without its heading: instance, places, transitions, states, deadlock, TAPAAL's states.
answers() { tail -n +2 "$MODELS/answers.csv"; }
need_contest() {
    [ -r "$MODELS/answers.csv" ] || { echo "skipped: the contest nets are not in $MODELS"; exit 0; }
}
