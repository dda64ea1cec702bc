#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# SQLite, from its package of Debian: 240,000 lines, which take a minute to compile.

load helpers

@test "two threads and one connection of SQLite, with its mutexes and without" {
    sources=$("$repository/scripts/sources" sqlite3)
    mkdir amalgamation
    (cd amalgamation && "$sources/configure" && make sqlite3.c) >log 2>&1 || { tail log; false; }
    "$program" cc -O1 -g -w -DSQLITE_OMIT_LOAD_EXTENSION -DHAVE_USLEEP -c amalgamation/sqlite3.c -o sqlite3.o
    for mutexes in FULLMUTEX NOMUTEX; do
        "$program" cc -O1 -g -Iamalgamation -DMUTEXES=SQLITE_OPEN_$mutexes "$repository/tests/native/real/sqlite.c" sqlite3.o -o $mutexes
    done
    # tokens of the parser, which are handed over by value, are no other thread's
    portolan 0 run --json --trust 'sqlite3.c:*' ./FULLMUTEX
    json_is .verdict holds
    portolan 1 run --json --trust 'sqlite3.c:*' ./NOMUTEX
    json_is .error "data race"
}
