#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What portolan cc and portolan run do not see is named, and is never said to hold.

load helpers

native=$repository/tests/native

# not_seen KIND [ARGUMENT...]: compiles that case to ./program.
not_seen() {
    local kind=$1
    shift
    "$program" cc -O2 -DNOT_SEEN="$kind" "$native/not-seen.c" "$@" -o program 2>warnings
}

# open_because TEXT: the verdict is open, and the report names TEXT.
open_because() {
    portolan 3 run ./program
    contains "$output" "unknown    no error in any schedule of what was seen"
    contains "$output" "not seen   $1"
    portolan 3 run --json --threads 2 ./program
    json_is .verdict unknown
    contains "$(json '.reservations[] | select(.undecided) | .text')" "$1"
}

# trusted PATTERN TEXT: with --trust it holds, and the report still names it.
trusted() {
    portolan 0 run --trust "$1" ./program
    contains "$output" "holds "
    contains "$output" "note       $2 (trusted)"
    portolan 3 run --trust "not$1" ./program
}

counting_object() {
    echo 'extern int counter; void count(void) { counter++; }' >"$1.c"
}

@test "an object that was not compiled here leaves the verdict open, unless it is trusted" {
    counting_object plain
    gcc -c plain.c
    not_seen 1 plain.o
    contains "$(cat warnings)" "plain.o was not compiled by portolan cc: what it does is not seen"
    open_because "plain.o was not compiled by 'portolan cc'"
    portolan 3 run --junit answer.xml ./program
    contains "$(cat answer.xml)" "plain.o was not compiled"
    trusted 'pl*.o' "plain.o was not compiled by 'portolan cc'"
    not_seen 1 plain.o --trust plain.o
    same "$(cat warnings)" ""
    portolan 0 run ./program
    not_seen 1 --trust='*' plain.o
    portolan 0 run ./program
    "$program" cc -O1 -c plain.c
    not_seen 1 plain.o
    same "$(cat warnings)" ""
    portolan 1 run ./program
    contains "$output" "data race"
    gcc -c "$native/not-seen.c" -DNOT_SEEN=7 -o program.o # with main
    "$program" cc program.o -o program 2>warnings
    open_because "program.o was not"
}

@test "a file may have any name: it is still seen, and its places are shown" {
    local name=$'it\'s "n\\o\xc3\xa9 \xff.c'
    counting_object "${name%.c}"
    for compiler in gcc clang; do
        PORTOLAN_CC=$compiler not_seen 1 -g "$name"
        same "$(cat warnings)" ""
        cp program "${name%.c}"
        portolan 1 run "./${name%.c}"
        contains "$output" "thread 1 at $name:"
    done
}

@test "an error found beside what is not seen names it" {
    counting_object plain
    gcc -c plain.c
    echo 'int counter; int main(void) { return 1; }' >main.c
    "$program" cc main.c plain.o -o program 2>warnings
    portolan 1 run ./program
    contains "$output" "not seen   plain.o was not compiled by 'portolan cc'"
}

@test "members of archives, parts of objects, assembly and link-time optimisation are looked at too" {
    counting_object plain
    echo 'int unused(void) { return 0; }' >unused.c
    gcc -c plain.c unused.c
    ar rcs libplain.a plain.o unused.o
    for linker in bfd gold lld; do
        command -v "ld.$linker" >/dev/null || continue
        not_seen 1 -fuse-ld="$linker" -L. -lplain
        open_because "./libplain.a(plain.o) was not compiled"
        lacks "$output" unused.o
    done
    trusted 'libplain.a*' "./libplain.a(plain.o) was not compiled by 'portolan cc'"
    mkdir thin
    ar rcsT thin/libthin.a plain.o
    not_seen 1 thin/libthin.a
    open_because "thin/../plain.o was not compiled"
    "$program" cc -c unused.c
    ld -r plain.o unused.o -o both.o
    not_seen 1 both.o
    open_because "both.o(plain.c) was not compiled"
    gcc -O1 -S plain.c -o plain.S
    not_seen 1 plain.S
    open_because "plain.S was not compiled"
    "$program" cc -c plain.S -o assembled.o
    not_seen 1 assembled.o
    open_because "assembled.o was not compiled"
    gcc -flto -c plain.c -o optimised.o
    not_seen 1 -flto optimised.o
    open_because "optimised.o was not compiled"
    "$program" cc -flto -c plain.c
    not_seen 1 -flto plain.o
    portolan 1 run ./program
}

@test "inline assembly that touches memory is named with its place" {
    line=$(grep -n 'lock; incl' "$native/not-seen.c" | cut -d: -f1)
    for PORTOLAN_CC in gcc clang; do
        export PORTOLAN_CC
        not_seen 2
        contains "$(cat warnings)" "inline assembly is not seen: $native/not-seen.c:$line"
        open_because "inline assembly at $native/not-seen.c:$line: lock"
        portolan 0 run --trust "not-seen.c:$line" ./program
        portolan 0 run --trust 'not-seen.c' ./program
        not_seen 3
        same "$(cat warnings)" ""
        portolan 0 run ./program
        lacks "$output" note
        not_seen 4
        open_because "inline assembly at not-seen.c: inc"
    done
}

@test "shared libraries and functions of libc that are not known are named" {
    counting_object plain
    gcc -shared -fPIC plain.c -o libplain.so
    not_seen 1 -L. -lplain -Wl,-rpath,"$PWD"
    contains "$(cat warnings)" "libplain.so was not compiled"
    open_because "the library libplain.so"
    trusted 'libplain.*' "the library libplain.so"
    not_seen 5
    open_because "what the function tsearch of libc reads and writes"
    trusted tsearch "what the function tsearch of libc reads and writes"
    not_seen 8
    portolan 1 run ./program
    contains "$output" "write and write are not ordered: about"
}

@test "every access of the source is reported, whatever the optimisation" {
    gcc -w -c "$native/accesses-count.c" -o count.o
    for PORTOLAN_CC in gcc clang; do
        export PORTOLAN_CC
        for level in -O0 -O1 -O2 -O3; do
            "$program" cc -w "$level" -c "$native/accesses.c" -o accesses.o
            gcc accesses.o count.o -Wl,--wrap=memcpy,--wrap=memset -o accesses
            ./accesses
        done
        for kind in 6 7; do
            not_seen "$kind"
            portolan 1 run ./program
            contains "$output" "data race"
        done
        not_seen 6 --accesses=optimised
        portolan 0 run ./program
        contains "$output" "note       accesses that the compiler removed from not-seen.c were not looked at"
    done
}

@test "accesses that a compiler does not report are named, and found with the other" {
    line=$(grep -n 'shared = make' "$native/not-seen.c" | cut -d: -f1)
    PORTOLAN_CC=gcc not_seen 9
    contains "$(cat warnings)" "access is not seen: $native/not-seen.c:$line: shared is returned by value"
    open_because "the access at $native/not-seen.c:$line: shared is returned by value"
    PORTOLAN_CC=gcc not_seen 12
    contains "$(cat warnings)" "shared is handed over by value"
    for PORTOLAN_CC in gcc clang; do
        export PORTOLAN_CC
        "$program" cc -O2 -DSHARED=0 "$native/local-value.c" -o program
        portolan 0 run ./program
        lacks "$output" "not seen"
    done
    "$program" cc -O2 -DSHARED=1 "$native/local-value.c" -o program
    portolan 1 run ./program
    PORTOLAN_CC=gcc "$program" cc -O2 -DSHARED=1 "$native/local-value.c" -o program
    open_because "the access at $native/local-value.c:$(grep -n "local = make" "$native/local-value.c" | cut -d: -f1): local is returned by value"
    PORTOLAN_CC=clang not_seen 9
    portolan 1 run ./program
    contains "$output" "data race"
}

@test "what a call returns is not seen with g++, unless nobody knows of it yet" {
    for level in -O1 -O2; do
        for kind in 1 2 3; do
            for PORTOLAN_CXX in g++ clang++; do
                export PORTOLAN_CXX
                "$program" c++ "$level" -DRETURNED="$kind" "$native/returned.cc" -o program 2>warnings
                case $PORTOLAN_CXX$kind in
                *3) portolan 0 run ./program ;;
                g++*) open_because "the access at $native/returned.cc:$(grep -n "make(1)" "$native/returned.cc" | sed -n "$((kind + 1))s/:.*//p"): " ;;
                clang++*) portolan 1 run ./program ;;
                esac
            done
        done
    done
}

@test "accesses of any width are reported, and what is handed over by value" {
    for kind in 10 11 12; do
        for accesses in source optimised; do
            PORTOLAN_CC=clang not_seen "$kind" "--accesses=$accesses"
            portolan 1 run ./program
            contains "$output" "data race"
            [ "$accesses" = optimised ] || lacks "$output" "not seen"
        done
        PORTOLAN_CC=gcc not_seen "$kind"
        portolan 1 run ./program
        contains "$output" "data race"
    done
}

@test "memory orders weaker than seq_cst are named: the verdict is one under sequential consistency" {
    places=$(grep -n '// weaker' "$native/weaker-orders.c" | sed 's/^\([0-9]*\).*/weaker-orders.c:\1/' | paste -sd ' ')
    for PORTOLAN_CC in gcc clang; do
        export PORTOLAN_CC
        "$program" cc -O2 "$native/weaker-orders.c" -o strong
        portolan 0 run --json ./strong
        json_is '.weaker_orders | length' 0
        json_is '.reservations | length' 0
        "$program" cc -O2 -DWEAKER "$native/weaker-orders.c" -o weak
        for threads in 1 2; do
            portolan 0 run --threads "$threads" --junit weak.xml ./weak
            contains "$output" "holds      no error in any schedule under sequential consistency; 5 accesses ask for less"
            contains "$output" "${places// /, }"
            contains "$(cat weak.xml)" "under sequential consistency; 5 accesses ask for less"
        done
        portolan 0 run --json ./weak
        json_is .verdict holds
        json_is '.weaker_orders | join(" ")' "$places"
    done
}

@test "the orders in which threads use a file are explored" {
    "$program" cc -O1 "$native/file-order.c" -o program
    portolan 0 run ./program
    for wrong in "-DWRONG=1" "-DWRONG=1 -DREVERSED" "-DWRONG=2" "-DWRONG=2 -DREVERSED" "-DWRONG=3"; do
        # shellcheck disable=SC2086 # several words
        "$program" cc -O1 $wrong "$native/file-order.c" -o program
        for reduction in optimal none; do
            portolan 1 run --reduction "$reduction" ./program
            contains "$output" "found      assertion"
        done
    done
}

@test "what would make threads, or leave something out, is refused by portolan cc" {
    echo 'int main(void) { return 0; }' >main.c
    for option in -static-pie -r -nostdlib -nostartfiles -nodefaultlibs -fopenmp -lgomp -ftree-parallelize-loops=2 -fgnu-tm \
        -m32 -mx32 --target=aarch64-linux-gnu -fsanitize=address -fsanitize=thread,undefined -fno-sanitize=thread -pg \
        --coverage -fprofile-arcs -fprofile-generate=here; do
        refuses "$option cannot be combined with portolan cc: " cc "$option" main.c
        [ ! -e a.out ]
    done
    refuses "cannot be combined with portolan cc" cc -mllvm -tsan-instrument-atomics=0 main.c
    refuses "--trust needs PATTERN" cc main.c --trust
    refuses "--accesses needs 'source' or 'optimised'" cc --accesses=all main.c
    refuses "-o names one file" cc -c main.c main.c -o main.o
    cat >calls.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(void) { return dlsym(RTLD_DEFAULT, "pthread_mutex_lock") == 0; }
END
    "$program" cc calls.c -o calls
    portolan 2 run ./calls
    contains "$output" "calls dlsym, which is not modelled"
}

@test "functions of archives are the program's own, whatever their names" {
    echo 'int err(int x) { return x + 1; } int index(int x) { return x; }' >own.c
    echo 'int err(int x); int index(int x); int main(void) { return err(3) != 4 || index(2) != 2; }' >main.c
    "$program" cc -w -c own.c
    ar rcs libown.a own.o
    for words in "-L. -lown" "-L . -l own" "-L. -l:libown.a" libown.a; do
        # shellcheck disable=SC2086 # several words
        "$program" cc -w main.c $words -o program
        portolan 0 run ./program
    done
}

@test "what the runtime takes from libc itself is known, since the program may take it too" {
    ar p "$(dirname "$program")/libportolan_run.a" >runtime.o
    # names of the linker and of libgcc, and those that nobody calls
    others='^_GLOBAL_OFFSET_TABLE_$|^_DYNAMIC$|^__(init|fini)_array_|^_Unwind_|^__data_start$|^__executable_start$|^_end$|^etext$|^__(start|stop)_portolan_kept$|^__popcountdi2$|^__libc_|^_ZSt[0-9]+__throw_|^_ZTI|^__gcc_personality_v0$'
    nm -u runtime.o | sed 's/.* //' | grep -v '^__real_' | grep -Ev "$others" >imports
    [ -s imports ]
    while read -r name; do
        grep -qw -- "$name" "$repository"/src/native/{harmless,known_calls,names,cplusplus*,exceptions}.c || {
            echo "$name is neither in harmless.c nor redirected"
            return 1
        }
    done <imports
}

@test "objects, assembly and dependencies come out where the compiler would put them" {
    mkdir out
    echo 'int one(void) { return 1; }' >one.c
    printf '#include "two.h"\nint two(void) { return TWO; }\n' >two.c
    echo '#define TWO 2' >two.h
    for PORTOLAN_CC in gcc clang; do
        export PORTOLAN_CC
        rm -f -- *.o *.d out/*
        "$program" cc -O2 -pipe -MMD -c one.c two.c
        [ -e one.o ] && [ -e two.o ]
        contains "$(cat two.d)" "two.o: two.c two.h"
        "$program" cc -O2 -MD -c two.c -o out/other.o
        contains "$(cat out/other.d)" "out/other.o: two.c"
        "$program" cc -O2 -S two.c -o out/two.s
        "$program" cc -c out/two.s -o out/two.o
        contains "$(readelf -p .portolan.compiled out/two.o)" "compiled source two.c"
        "$program" cc -O2 -c two.c -o /dev/null
        run -1 "$program" cc -O2 -c missing.c
        [ ! -e missing.o ]
    done
}
