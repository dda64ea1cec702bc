#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs explored part by part: --checkpoint and resume, --shards and merge.

load helpers
load ranks

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
    refuses "needs a program built beforehand" run --checkpoint kept "$repository/examples/c/writers.c"
    portolan 3 run --lesson 5 --checkpoint kept --states 200 ./writers
    example writers -DN=5
    refuses "belongs to another program or an earlier build of it, or was written with other options" resume kept
    refuses "belongs to another program or an earlier build of it, or was written with other options" merge jobs
}

@test "ranks explore a program together, with a lesson that was too short as well" {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    cat >late.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *put(void *value) { atomic_store(&x, (int)(long)value); atomic_fetch_add(&x, 10); return 0; }
static void *more(void *value) { atomic_store(&x, 7); return value; }
int main(void)
{
    pthread_t t[4], u;
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, put, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    if (atomic_load(&x) == 31) { /* a thread that few executions have */
        pthread_create(&u, 0, more, 0);
        atomic_fetch_add(&x, 1);
        pthread_join(u, 0);
    }
    return 0;
}
END
    "$PORTOLAN" cc -O1 -g late.c -o late
    portolan 0 run --json ./late
    whole=$(shown)
    portolan 0 run --lesson 1 --shards 2 jobs ./late
    run -2 --separate-stderr jobs/1.job
    contains "$stderr" "has learned of the program what the plan does not know"
    for lesson in 1 2000; do
        run -0 --separate-stderr timeout 100 mpirun --oversubscribe -n 2 "$PORTOLAN" run --lesson $lesson --distributed --json ./late
        same "$(shown)" "$whole"
    done
    json_is .processes 2
    example mcs-lock-wrong
    run -1 --separate-stderr timeout 100 mpirun --oversubscribe -n 2 "$PORTOLAN" run --distributed --json ./mcs-lock-wrong
    json_is '.verdict' violated
}

# unbalanced: a program in which one order of the first threads, of 24, is followed by nearly all executions
unbalanced() {
    cat >unbalanced.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int order, y;
static void *first(void *n)
{
    int o = atomic_load(&order);
    while (!atomic_compare_exchange_strong(&order, &o, o * 4 + (int)(long)n)) { }
    return 0;
}
static void *second(void *n) { atomic_store(&y, (int)(long)n); return 0; }
int main(void)
{
    pthread_t t[3], u[8];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, first, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    if (atomic_load(&order) == 2 * 16 + 3 * 4 + 1) {
        for (long i = 0; i < 8; i++) pthread_create(&u[i], 0, second, (void *)i);
        for (int i = 0; i < 8; i++) pthread_join(u[i], 0);
    }
    return 0;
}
END
    "$PORTOLAN" cc -O1 -g unbalanced.c -o unbalanced
}

@test "ranks that explore a program are killed and go on, with another number of them" {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    unbalanced
    portolan 0 run --json ./unbalanced
    whole=$(jq .executions <<<"$output")
    started 2 run --distributed --lesson 10 --checkpoint kept,0.1 ./unbalanced 2>said &
    appears kept
    kill -KILL "$(last_rank)"
    if wait $!; then return 1; fi
    resumed 3 0 kept --json
    json_is .executions "$whole"
    json_is .verdict holds
    [ ! -e kept ]
}
