#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --shards, portolan shard and portolan merge: one search by jobs that share nothing but files.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$repository/examples/threads/stack.dl" .
}

counts='.executions, .deadlocks, .verdict, .stop'

@test "shards together say what one process says" {
    portolan 0 check stack.dl --reduction optimal --json
    whole=$(jq "$counts" <<<"$output")
    portolan 0 check stack.dl --reduction optimal --shards 3 jobs --every 5m
    for k in 2 3 1; do
        run -0 "jobs/$k.job" --json
        json_is .verdict unknown
        json_is .stop "one shard of several"
    done
    portolan 0 merge jobs
    contains "$output" "assertions hold: HOLDS"
    lacks "$output" "shard "
    portolan 0 merge jobs --json
    same "$(jq "$counts" <<<"$output")" "$whole"
    portolan 0 shard jobs 2
    contains "$stderr" "shard 2 is done"
}

@test "GNU parallel runs the jobs, twice if need be" {
    portolan 0 check stack.dl --reduction optimal --shards 3 jobs
    run -0 parallel --will-cite -j 2 --retries 2 ::: jobs/*.job
    portolan 0 merge jobs --json
    json_is .executions 46
}

@test "an error that one shard finds is the answer, with its trace" {
    cp "$repository/examples/threads/bank.dl" lost.dl
    portolan 1 check lost.dl --reduction optimal --json
    whole=$(jq .verdict <<<"$output")
    portolan 0 check lost.dl --reduction optimal --shards 2 jobs
    for k in 1 2; do "jobs/$k.job" >/dev/null || [ $? = 1 ]; done
    portolan 1 merge jobs --json
    same "$(jq .verdict <<<"$output")" "$whole"
    json_is '.trace | length > 0' true
}

@test "a shard that was stopped goes on" {
    portolan 0 check stack.dl --reduction optimal --shards 2 jobs
    run -3 jobs/1.job --states 4
    contains "$output" "executions"
    [ -e jobs/1.saved ]
    portolan 2 merge jobs
    run -0 jobs/1.job --states 1M
    [ ! -e jobs/1.saved ]
    run -0 jobs/2.job
    portolan 0 merge jobs
}

@test "what is missing, foreign or wrong is refused" {
    portolan 0 check stack.dl --reduction optimal --shards 2 jobs
    run -0 jobs/1.job
    refuses "of 2 shards 1 has no answer yet: 2" merge jobs
    refuses "cannot create the directory 'jobs'" check stack.dl --reduction optimal --shards 2 jobs
    refuses "there is no shard '3': shards are numbered from 1 to 2" shard jobs 3
    refuses "cannot read 'nowhere/plan'" merge nowhere
    refuses "usage: portolan merge DIR" merge
    refuses "usage: portolan shard DIR K" shard jobs
    refuses "--shards takes N DIR, not '0'" check stack.dl --shards 0 other
    refuses "--every" check stack.dl --reduction optimal --shards 2 other --every soon
    refuses "--shards cannot be combined with --threads" check stack.dl --reduction optimal --threads 2 --shards 2 other
    [ ! -e other ]
    cp jobs/1.answer jobs/2.answer
    refuses "" merge jobs
    rm jobs/2.answer
    cp "$repository/examples/threads/bank.dl" stack.dl
    run -2 --separate-stderr jobs/2.job
    contains "$stderr" "belongs to another model or an earlier version of it, or was written with other options"
}

@test "a full disk leaves no directory behind" {
    run -2 bash -c 'ulimit -f 0 && trap "" XFSZ && "$1" check stack.dl --reduction optimal --shards 3 jobs' bash "$PORTOLAN"
    contains "$output" "cannot write"
    [ ! -e jobs ]
    portolan 0 check stack.dl --reduction optimal --shards 3 jobs
}
