#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs explored part by part: --checkpoint and resume, --shards and merge.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# example NAME [OPTION...]: one of examples/c
example() {
    "$PORTOLAN" cc -O1 -g "${@:2}" "$repository/examples/c/$1.c" -o "$1" -lpthread
}

shown() { jq -c '[.executions, .verdict]' <<<"$output"; }

@test "a program that a limit ended goes on, to the same numbers" {
    for name in once readers thread-pool; do
        example $name
        portolan 0 run --json ./$name
        whole=$(shown)
        portolan 3 run --lesson 5 --checkpoint kept --states 30 ./$name
        contains "$output" "checkpoint kept: 'portolan resume kept' goes on"
        portolan 3 resume kept --states 60
        portolan 0 resume kept --states 1M --json
        same "$(shown)" "$whole"
        [ ! -e kept ]
    done
}

@test "a program that was killed goes on" {
    example writers -DN=8
    "$PORTOLAN" run --lesson 10 --checkpoint kept,0.001 ./writers >answer & search=$!
    until [ -e kept ] || ! kill -0 $search 2>/dev/null; do :; done
    kill -9 $search 2>/dev/null || true
    wait $search || true
    if [ -e kept ]; then # else it was done before
        portolan 0 resume kept --json
        same "$(shown)" '[40320,"holds"]'
    fi
}

@test "an error is found behind a checkpoint, too" {
    example bounded-buffer-if
    portolan 3 run --lesson 2 --checkpoint kept --states 10 ./bounded-buffer-if
    if [ -e kept ]; then
        portolan 1 resume kept --states 1M --json
        json_is .verdict violated
    fi
}

@test "shards of a program together say what one process says" {
    for name in once readers thread-pool; do
        example $name
        portolan 0 run --json ./$name
        whole=$(shown)
        portolan 0 run --lesson 5 --shards 3 "jobs-$name" ./$name
        contains "$output" "3 shards in jobs-$name"
        for k in 3 1 2; do
            run -0 "jobs-$name/$k.job"
            contains "$output" "one shard of several"
        done
        portolan 0 merge "jobs-$name"
        contains "$output" "holds      no error in any schedule"
        portolan 0 merge "jobs-$name" --json
        same "$(shown)" "$whole"
    done
}

@test "an error that a shard finds is shown by merge" {
    example thread-pool-wrong
    portolan 0 run --lesson 5 --shards 3 jobs ./thread-pool-wrong
    for k in 1 2 3; do "jobs/$k.job" >/dev/null || [ $? = 1 ]; done
    portolan 1 merge jobs
    contains "$output" "has found an error"
    contains "$output" "schedule "
    portolan 1 merge jobs --json
    json_is .verdict violated
}

@test "a shard that was stopped goes on; what is missing, changed or cannot be kept is refused" {
    example writers -DN=6
    portolan 0 run --lesson 5 --shards 2 jobs ./writers
    run -3 jobs/1.job --states 100
    [ -e jobs/1.saved ]
    run -0 jobs/1.job --states 1M
    refuses "of 2 shards 1 has no answer yet: 2" merge jobs
    run -0 jobs/2.job
    portolan 0 merge jobs --json
    same "$(shown)" '[720,"holds"]'
    refuses "--checkpoint cannot be combined with --threads" run --checkpoint kept --threads 2 ./writers
    refuses "--shards cannot be combined with --all" run --all --shards 2 other ./writers
    refuses "needs a program that stays" run --checkpoint kept "$repository/examples/c/writers.c"
    portolan 3 run --lesson 5 --checkpoint kept --states 200 ./writers
    example writers -DN=5
    refuses "is of another program, or of one that was changed, or other options were given" resume kept
    refuses "is of another program, or of one that was changed, or other options were given" merge jobs
}
