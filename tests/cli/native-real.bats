#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Libraries that others wrote, from packages of Debian: used as they are meant to be, and not.

load helpers

# Concurrency Kit orders by fences of the processor, not of C: its accesses are explored as if they were atomic.
ck() { # STATUS FLAGS SOURCE
    portolan "$1" run --interleave --cflags "-DCK_USE_CC_BUILTINS=1 $2" "$repository/tests/native/real/$3"
}

@test "spinlocks of Concurrency Kit" {
    for lock in fas cas ticket dec; do
        ck 0 "-DLOCK=$lock" ck-spinlock.c
        contains "$output" "holds      no error in any schedule"
    done
    ck 1 "-DLOCK=fas -DFORGETS" ck-spinlock.c
    contains "$output" "found      deadlock"
}

@test "the ring of Concurrency Kit, with one producer and with two" {
    ck 0 -DPRODUCERS=1 ck-ring.c
    ck 1 -DPRODUCERS=2 ck-ring.c
    contains "$output" "found      assertion"
}

@test "a queue for one reader and one writer, with one writer and with two" {
    portolan 0 run --cflags -DWRITERS=1 "$repository/tests/native/real/readerwriterqueue.cc"
    contains "$output" "holds      no error in any schedule under sequential consistency"
    portolan 1 run --cflags -DWRITERS=2 "$repository/tests/native/real/readerwriterqueue.cc"
    contains "$output" "found      data race"
}
