# SPDX-License-Identifier: Apache-2.0
# C++: small programs with their verdicts and numbers of executions.
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    programs=$BATS_TEST_DIRNAME/../native/cplusplus
}

# Compiles a file of small programs and runs each; prints what is not as expected.
run_cases() { # FILE COMPILER LEVEL
    PORTOLAN_CXX=$2 "$portolan" c++ -std=c++20 "$3" -Wno-terminate -Wno-exceptions "$programs/$1.cc" -o cases
    ./cases >list
    while read -r name expected count; do
        "$portolan" run --quiet --json ./cases "$name" >answer.json || true
        read -r verdict error executions < <(jq -r '[.verdict, ((.error // "-") | gsub(" "; "_")), .executions] | join(" ")' answer.json)
        if [ "$expected" = holds ]; then
            [ "$verdict" = holds ] && { [ "$count" = '*' ] || [ "$count" = "$executions" ]; } && continue
        else
            [ "$verdict" = violated ] && [ "$error" = "$expected" ] && continue
        fi
        echo "$2 $3 $1: $name: expected $expected $count, not $verdict $error $executions"
    done <list
    [ -s list ]
}

check_cases() {
    run run_cases "$@"
    [ "$status" -eq 0 ]
    [ "$output" = "" ] || { echo "$output"; false; }
}
