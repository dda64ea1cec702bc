#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Portolan explores parts of itself: every schedule of a few threads that insert into the table of states they share.

load helpers

# built OPTION [SHARED]: `store`, of the sources of the table, or with another shared.c
built() {
    local flags="-g -O1 -I$BATS_TEST_DIRNAME/../../src -I$BATS_TEST_DIRNAME/../../include"
    flags+=' -DSTORE_FIRST_SLOTS=32 -DSTORE_MOST_CHUNK_BITS=8 -DSTORE_PATIENCE=0'
    local shared=${2:-$BATS_TEST_DIRNAME/../../src/store/shared.c} parts=$BATS_FILE_TMPDIR source
    if [ ! -e "$parts/diagnostic.o" ]; then
        for source in store/store store/tree store/order store/prints store/spill base/limits base/diagnostic; do
            # shellcheck disable=SC2086 # several options
            "$PORTOLAN" cc $flags -c "$BATS_TEST_DIRNAME/../../src/$source.c" -o "$parts/$(basename $source).o"
        done
    fi
    # shellcheck disable=SC2086
    "$PORTOLAN" cc $flags "$1" "$BATS_TEST_DIRNAME/../native/own/store.c" "$shared" "$parts"/*.o -lm -o store
}

explored() {
    run "-$1" "$PORTOLAN" run --trust posix_fallocate ./store "${@:2}"
}

@test "the shared table, in every schedule: one number for each state, and one thread to which it is new" {
    cd "$BATS_TEST_TMPDIR"
    built -DNUMBERS
    explored 0 '' a a
    contains "$output" "no error in any schedule"
    explored 0 b a a
    explored 0 b a c
    explored 0 bc a a
}

@test "the shared table, in every schedule: nothing is lost when numbers are taken in blocks and made dense" {
    cd "$BATS_TEST_TMPDIR"
    built -DIN_BLOCKS
    explored 0 '' a a
    explored 0 b a a
}

@test "the shared table: what is wrong with it would be found" {
    cd "$BATS_TEST_TMPDIR"
    source=$BATS_TEST_DIRNAME/../../src/store/shared.c
    sed 's/return __atomic_compare_exchange_n(&s->slot\[i\], &before, after, .*/return __atomic_load_n(\&s->slot[i], __ATOMIC_ACQUIRE) == before \&\& (__atomic_store_n(\&s->slot[i], after, __ATOMIC_RELEASE), true);/' \
        "$source" >no-exchange.c
    sed 's/return swap_slot(s, home, 0, taken)/return s->slot[home] = taken/' "$source" >plain.c
    for planted in no-exchange plain; do
        run ! cmp -s "$source" $planted.c
        built -DNUMBERS $planted.c
        explored 1 '' a a
    done
}

# crew NAME OPTION [CREW [POOL]]: the program NAME, of the workers of a search, or with another crew.c or pool.c
crew() {
    local flags="-g -O1 -D_GNU_SOURCE -I$BATS_TEST_DIRNAME/../../src -I$BATS_TEST_DIRNAME/../../include"
    flags+=' -DCREW_TURNS=0 -DNUMBERED_CHUNK=16 -DNUMBERED_CHUNKS=1'
    local sources=$BATS_TEST_DIRNAME/../../src
    # shellcheck disable=SC2086 # several options
    "$PORTOLAN" cc $flags ${2:+"$2"} "$BATS_TEST_DIRNAME/../native/own/crew.c" "${3:-$sources/search/crew.c}" \
        "${4:-$sources/search/pool.c}" "$sources/base/limits.c" "$sources/base/diagnostic.c" -o "$1"
}

@test "workers, in every schedule: each state is expanded once, all end, and whoever is alone is" {
    cd "$BATS_TEST_TMPDIR"
    crew pool ''
    for arguments in "2 5 0" "2 5 3" "2 7 5"; do
        # shellcheck disable=SC2086
        run -0 "$PORTOLAN" run ./pool $arguments
        contains "$output" "no error in any schedule"
    done
    crew meetings -DMEETINGS
    for arguments in "2 1 0" "2 2 1" "2 2 2"; do
        # shellcheck disable=SC2086
        run -0 "$PORTOLAN" run ./meetings $arguments
        contains "$output" "no error in any schedule"
    done
}

@test "workers: what is wrong with them would be found" {
    cd "$BATS_TEST_TMPDIR"
    source=$BATS_TEST_DIRNAME/../../src/search/crew.c
    sed 's/while (c->resting < c->workers - 1)/while (c->resting + 1 < c->workers - 1)/' "$source" >early.c
    sed '/^static void rest/,/^}/s/    c->resting--;//' "$source" >restless.c
    sed 's/    c->arrived = 0;//' "$source" >late.c
    for planted in early restless; do
        run ! cmp -s "$source" $planted.c
        crew pool '' $planted.c
        run -1 "$PORTOLAN" run ./pool 2 5 3
    done
    run ! cmp -s "$source" late.c
    crew meetings -DMEETINGS late.c
    run -1 "$PORTOLAN" run ./meetings 2 2 0
    source=$BATS_TEST_DIRNAME/../../src/search/pool.c
    sed 's/    from->count -= moved;//' "$source" >twice.c
    run ! cmp -s "$source" twice.c
    crew pool '' "" twice.c
    run -1 "$PORTOLAN" run ./pool 2 5 0
}

# generations [GENERATIONS]: the program of that name, of the memory that workers share and forget, or with another generations.c
generations() {
    local sources=$BATS_TEST_DIRNAME/../../src
    "$PORTOLAN" cc -g -O1 -I"$sources" -I"$sources/../include" -DGENERATION_BLOCK=16 "$BATS_TEST_DIRNAME/../native/own/generations.c" \
        "${1:-$sources/base/generations.c}" "$sources/base/limits.c" "$sources/base/diagnostic.c" -o generations
}

@test "memory that is forgotten, in every schedule: what is found is whole, and there as long as somebody looks" {
    cd "$BATS_TEST_TMPDIR"
    generations
    for arguments in "k k" "kkk f" "kkkk kf" "kkf kkf" "kl kf" "klf kkk"; do
        # shellcheck disable=SC2086
        run -0 "$PORTOLAN" run ./generations $arguments
        contains "$output" "no error in any schedule"
    done
}

@test "memory that is forgotten: what is wrong with it would be found" {
    cd "$BATS_TEST_TMPDIR"
    source=$BATS_TEST_DIRNAME/../../src/base/generations.c
    sed 's/return held && --held->holders == 0 &&/return held \&\& --held->holders >= 0 \&\&/' "$source" >early.c
    sed 's/        holder->held->holders++;/        holder->held->holders = 1;/' "$source" >uncounted.c
    sed 's/    bool is_last = --all->users == 0;/    bool is_last = true;/' "$source" >first.c
    sed '/^static void add_block/,/^}/{s/    while (!__atomic_compare.*/    generation->blocks = block;/;/__ATOMIC_RELAXED))$/d;/^        ;$/d}' "$source" >lost.c
    for planted in early uncounted first lost; do
        run ! cmp -s "$source" $planted.c
        generations $planted.c
        found=
        for arguments in "k k" "kkk f" "kl kf" "kkkk kf"; do
            # shellcheck disable=SC2086
            run "$PORTOLAN" run ./generations $arguments
            [ "$status" -eq 0 ] || found=$arguments
        done
        [ -n "$found" ] || { echo "nobody noticed $planted" && false; }
    done
}
