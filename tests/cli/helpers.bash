# shellcheck shell=bash disable=SC2154 # bats sets output and stderr
# SPDX-License-Identifier: Apache-2.0
# What the command-line tests share.  Each test runs in a directory of its own; `portolan STATUS ARGUMENT...` runs the
# program, expects that exit status, and leaves $output (standard output) and $stderr behind.

bats_require_minimum_version 1.5.0

repository=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
program=$(realpath -m "${PORTOLAN:-$repository/build/portolan}")

setup() {
    if [ ! -x "$program" ]; then
        echo "there is no program '$program'; build it, or name it in PORTOLAN" >&2
        return 1
    fi
    export COLUMNS=1000                            # lines are whole; width.bats looks at where they end
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache # of compiled models: nothing is left behind
    cd "$BATS_TEST_TMPDIR" || return 1
}

# A hang is a failure too: timeout gives status 124.
portolan() {
    local status_wanted=$1
    shift
    run --separate-stderr "-$status_wanted" timeout 120 "$program" "$@"
}

# For tests of C programs beside others.
needs_c_programs() {
    [[ $("$program" run none 2>&1) != *"x86-64 only"* ]] || skip "C programs need x86-64"
}

# A refusal: status 2, nothing on standard output, and a message that contains TEXT.
refuses() {
    local text=$1
    shift
    portolan 2 "$@"
    same "$output" ""
    contains "$stderr" "error: "
    contains "$stderr" "$text"
}

# family NAME N... writes the net to NAME.pnml.
family() {
    "$program" generate "$@" -o "$1.pnml"
}

# net FILE: a net around the nodes and arcs on standard input, which start on line 3.
net() {
    {
        echo '<pnml><net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet">'
        echo '<page id="page">'
        cat
        echo '</page></net></pnml>'
    } > "$1"
}

contains() {
    [[ "$1" == *"$2"* ]] || {
        printf "'%s' is not in:\n%s\n" "$2" "$1"
        return 1
    }
}

lacks() {
    [[ "$1" != *"$2"* ]] || {
        printf "'%s' should not be in:\n%s\n" "$2" "$1"
        return 1
    }
}

same() {
    [ "$1" = "$2" ] || {
        printf "got '%s', not '%s'\n" "$1" "$2"
        return 1
    }
}

# json FILTER: what jq makes of the last output.
json() {
    jq -r "$1" <<< "$output"
}

# json_is FILTER VALUE
json_is() {
    local value
    value=$(json "$1") || return 1
    same "$1: $value" "$1: $2"
}

# points_at FILE LINE COLUMN SOURCE: "file:line:column: error:", the line of the source, a caret below the column.
points_at() {
    local line
    mapfile -t line <<< "$stderr"
    contains "${line[0]}" "$1:$2:$3: error: "
    same "${line[1]}" "    $4"
    same "${line[2]}" "$(printf '%*s^' $((3 + $3)) '')"
}

# The number of states that `explore` counts.
states_of() {
    timeout 600 "$program" explore "$@" --json | jq .states
}
