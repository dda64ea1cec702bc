#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Several processes explore one tree: the answer and the number of executions are those of one, for all small programs.
load helpers

# answer OPTION...: what must be the same.  Which execution fails first is chance.
answer() {
    "$program" run --json --states 20000 --time 60 "$@" ./program >answer 2>/dev/null || true
    jq -r 'if .verdict == "holds" then [.verdict, .executions, .blocked] else [.verdict, .error] end | tostring' answer
}

@test "two, three and eight processes explore what one explores, in any order" {
    local source one
    for source in "$repository"/tests/native/{waits,threads,messages,kept,state}/*.c "$repository"/examples/c/*.c; do
        "$program" cc -O1 "$source" -o program 2>/dev/null || continue
        one=$(answer --threads 1)
        for threads in 2 3 8; do
            for seed in 1 2; do
                echo "$source with $threads processes, seed $seed"
                same "$(answer --threads "$threads" --lesson 1 --seed "$seed")" "$one"
            done
        done
    done
}
