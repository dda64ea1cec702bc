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

@test "the stack, the read-write lock and the sequence lock of Concurrency Kit" {
    for source in stack rwlock sequence; do
        ck 0 "" "ck-$source.c"
        contains "$output" "holds      no error in any schedule"
    done
    ck 1 -DPUSHES_BACK ck-stack.c
    contains "$output" "found      assertion"
    ck 1 -DFORGETS ck-rwlock.c
    ck 1 -DTRUSTS ck-sequence.c
    contains "$output" "found      assertion"
}

@test "a queue for one reader and one writer, with one writer and with two" {
    portolan 0 run --cflags -DWRITERS=1 "$repository/tests/native/real/readerwriterqueue.cc"
    contains "$output" "holds      no error in any schedule under sequential consistency"
    portolan 1 run --cflags -DWRITERS=2 "$repository/tests/native/real/readerwriterqueue.cc"
    contains "$output" "found      data race"
}

# Its atomics for x86 are assembly; those for other processors are builtins of the compiler.  It orders by fences, too.
urcu() { # STATUS FLAGS [SOURCE]
    portolan "$1" run --interleave \
        --cflags "-D_LGPL_SOURCE -D_URCU_ARCH_UATOMIC_X86_H -include urcu/uatomic/generic.h $2" \
        "$repository/tests/native/real/${3:-urcu-queue.c}"
}

@test "the wait-free queue of liburcu, with one thread that takes out of it and with two" {
    urcu 0 -DCONSUMERS=1
    contains "$output" "holds      no error in any schedule"
    urcu 1 -DCONSUMERS=2 # two take the same, or one waits for ever: what comes first depends on the order
    [[ $output == *"found      deadlock"* || $output == *"found      assertion"* ]]
}

@test "the stacks of liburcu" {
    for flags in "" -DWAIT_FREE; do
        urcu 0 "$flags" urcu-stack.c
        contains "$output" "holds      no error in any schedule"
    done
}

@test "the queue of GLib" {
    touch config.h
    sources=$("$repository/scripts/sources" glib2.0)/glib
    flags="-w -I. -I$sources -I$sources/.. $(pkg-config --cflags glib-2.0) -DGLIB_COMPILATION -DG_LOG_DOMAIN=NULL"
    flags+=" -DHAVE_PTHREAD_CONDATTR_SETCLOCK=1"
    portolan 0 run --leaks --json --cflags "$flags" "$repository/tests/native/real/glib-queue.c"
    json_is '"\(.verdict) \(.executions)"' "holds 88"
    portolan 1 run --json --cflags "$flags -DFORGETS_TO_LOCK" "$repository/tests/native/real/glib-queue.c"
}
