#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/layers: the include graph against the table of docs/architecture.md.

load helpers

# Two rooms and a table in which upper may use lower.
rooms() {
    mkdir -p src/lower src/upper/inner
    echo '#include <stdio.h>' > src/lower/lower.h
    printf '#include "lower/lower.h"\n#include "portolan/portolan.h"\n' > src/upper/upper.c
    printf '#include "lower/lower.h"\n#include "upper/upper.h"\n' > src/upper/inner/inner.c
    table '' 'lower'
}

table() {
    printf '| directory | subject | may use |\n|---|---|---|\n| `src/lower/` | below | %s |\n| `src/upper/` | above | %s |\n' "$@" > table.md
}

layers() {
    run "-$1" "$repository/scripts/layers" table.md .
}

@test "the includes of the repository are those that its table allows" {
    run -0 "$repository/scripts/layers"
}

@test "what the table allows passes, also below a directory" {
    rooms
    layers 0
}

@test "a forbidden include is named with its file and line" {
    rooms
    printf '\n#include "upper/upper.h"\n' > src/lower/lower.c
    layers 1
    same "$output" 'src/lower/lower.c:2: error: src/lower may not use src/upper: #include "upper/upper.h"'
}

@test "a directory that has no row is an error" {
    rooms
    mkdir src/other
    echo '#include "lower/lower.h"' > src/other/other.c
    layers 1
    contains "$output" 'src/other/other.c:1: error: the directory of this file has no row in the table'
}

@test "rows that use each other are an error, whatever is included" {
    rooms
    table 'upper' 'lower'
    layers 1
    contains "$output" 'table.md: error: these directories use each other:'
    contains "$output" ' upper'
    contains "$output" ' lower'
}

@test "a page without a table is an error" {
    rooms
    echo nothing > table.md
    layers 1
    contains "$output" 'there is no table of directories'
}
