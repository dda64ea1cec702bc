# shellcheck shell=bash disable=SC2154 # helpers.bash
# SPDX-License-Identifier: Apache-2.0
# The small programs of tests/native/cplusplus.

# run_cases FILE COMPILER LEVEL: compiles a file of small programs, runs each, and prints what is not as expected.
run_cases() {
    PORTOLAN_CXX=$2 "$program" c++ -std=c++20 "$3" -Wno-terminate -Wno-exceptions "$repository/tests/native/cplusplus/$1.cc" -o cases || return
    ./cases >list
    while read -r name expected count; do
        timeout 60 "$program" run --quiet --json ./cases "$name" >answer.json || true
        read -r verdict error executions < <(jq -r '[.verdict, ((.error // "-") | gsub(" "; "_")), .executions] | join(" ")' answer.json)
        if [ "$expected" = holds ]; then
            [ "$verdict" = holds ] && { [ "$count" = '*' ] || [ "$count" = "$executions" ]; } && continue
        else
            [ "$verdict" = violated ] && [ "$error" = "$expected" ] && continue
        fi
        echo "$1: $name: expected $expected $count, not $verdict $error $executions"
    done <list
    [ -s list ]
}

check_cases() {
    run -0 run_cases "$@"
    same "$output" ""
}
