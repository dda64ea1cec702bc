#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Libraries that are loaded when they are needed, and not before.
load helpers

build=$(dirname "$program")

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/broken"
}

# breaks NAME: the loader finds something else under the name of this library; sets $LD_LIBRARY_PATH.
breaks() {
    local file
    file=$(grep -rhoE "[\"]$1[.]so[.0-9]*" "$build/compile_commands.json" | head -n 1 | tr -d '"')
    [ -n "$file" ] || skip "this build links $1"
    : > "$BATS_FILE_TMPDIR/broken/$file"
    export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/broken
}

@test "the program starts without them" {
    grep -q libxml2.so "$build/compile_commands.json" || skip "this build links them"
    needed=$(ldd "$program")
    for name in libxml2 libicu libmicrohttpd libgnutls libdw libelf; do
        [[ $needed != *$name* ]] || { echo "$needed"; return 1; }
    done
}

@test "no libxml2: XML cannot be read, everything else can" {
    breaks libxml2
    run -2 "$program" check "$repository/examples/philosophers.pnml"
    contains "$output" "reading XML needs a library that cannot be loaded"
    contains "$output" "hint: Debian has it as libxml2"
    run -2 "$program" check "$repository/examples/graphs/philosophers.gps"
    contains "$output" "reading XML needs a library that cannot be loaded"
    run -0 "$program" check "$repository/examples/protocols/two-phase-commit.mp"
}

@test "no libmicrohttpd: no pages" {
    breaks libmicrohttpd
    run -2 "$program" serve "$repository/examples/protocols/two-phase-commit.mp"
    contains "$output" "'serve' needs a library that cannot be loaded"
}

@test "no libdw: no C programs" {
    breaks libdw
    "$program" cc -O1 "$repository/examples/c/counter-wrong.c" -o counter
    run -2 "$program" run ./counter
    contains "$output" "exploring C programs needs a library that cannot be loaded"
}
