#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is built where C programs cannot be explored.  It takes a build of its own (label long).
load helpers

@test "C programs are refused in one sentence, models are checked, make run shows what there is" {
    cmake -S "$repository" -B build -DPORTOLAN_NATIVE=OFF
    cmake --build build --target portolan
    program=$PWD/build/portolan
    echo 'int main(void) { return 0; }' > program.c
    cc program.c -o program
    for arguments in "cc program.c" "run ./program" "debug ./program schedule"; do
        # shellcheck disable=SC2086 # words
        refuses "C programs can be explored on x86-64 only" $arguments
    done
    portolan 0 cc --help
    portolan 1 check "$repository/examples/philosophers.pnml" -q
    run -0 "$repository/scripts/demo" "$program"
    contains "$output" "left out: C programs can be explored on x86-64 only"
    [ ! -e build/libportolan_run.a ]
    run -0 ldd build/portolan
    [[ $output != *libdw* ]] # nor is elfutils needed
}
