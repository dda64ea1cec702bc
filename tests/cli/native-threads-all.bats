#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Several processes explore one tree: the answer and the number of executions are those of one, for all small programs.
load helpers

# answer OPTION...: what must be the same.  Which execution fails first is chance.
answer() {
    "$program" run --json --states 5000 "$@" ./program >answer 2>/dev/null || true
    jq -r 'if .verdict == "holds" then [.verdict, .executions, .blocked] else [.verdict, .error] end | tostring' answer
}

@test "two, three and eight processes explore what one explores, in any order" {
    local source one more
    for source in "$repository"/tests/native/{waits,threads,messages,kept,state}/*.c "$repository"/examples/c/*.c; do
        "$program" cc -O1 "$source" -o program 2>/dev/null || continue
        one=$(answer --threads 1)
        [[ $one == *unknown* ]] && continue # there are more executions than that
        for threads in 2 3 8; do
            for seed in 1 2; do
                more=$(answer --threads "$threads" --lesson 1 --seed "$seed")
                same "$source with $threads processes, seed $seed: $more" "$source with $threads processes, seed $seed: $one"
            done
        done
    done
}
