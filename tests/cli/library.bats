#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The library as it is installed, and moved, for a stranger's programs in C and C++.
load helpers

build=$(dirname "$program")
consumer=$repository/tests/library/consumer.c

# What the library of a build with sanitizers, or with counters, needs.
flags() {
    ! grep -q '^PORTOLAN_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" || echo "-fsanitize=address,undefined"
    ! grep -q '^PORTOLAN_COVERAGE:BOOL=ON' "$build/CMakeCache.txt" || echo "--coverage"
}

setup_file() {
    [ -f "$build/CMakeCache.txt" ] || skip "the program does not stand in its build directory"
    cmake --install "$build" --prefix "$BATS_FILE_TMPDIR/first" > "$BATS_FILE_TMPDIR/log"
    mv "$BATS_FILE_TMPDIR/first" "$BATS_FILE_TMPDIR/moved"
    cp -a "$BATS_FILE_TMPDIR/moved" "$BATS_FILE_TMPDIR/static" # a copy without the shared library
    find "$BATS_FILE_TMPDIR/static" -name 'libportolan.so*' -delete
}

moved() {
    prefix=$BATS_FILE_TMPDIR/${1:-moved}
    libraries=$(dirname "$(find "$prefix" -name libportolan.a)")
    export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
}

# consumes COMPILER ARGUMENT...: compiles the program with what pkg-config says, and runs it.
consumes() {
    # shellcheck disable=SC2046 # flags are words
    "$@" $(flags) -Wall -Werror -o consumer $(pkg-config --cflags portolan) "$source" $(pkg-config --libs $static portolan)
    run -0 ./consumer "$repository/examples/philosophers.pnml"
    same "$output" "$(printf '%s\n' 'no deadlock, 198 states: violated' 'no deadlock, 7 states: violated' '1 of 2 transitions')"
}

@test "everything is installed, and nothing says where it was first" {
    moved
    run -1 "$prefix/bin/portolan" check "$repository/examples/philosophers.pnml" -q
    for name in portolan.1 portolan.h lpor.h libportolan.a libportolan.so libportolan.so.1 portolan.pc portolan-config.cmake; do
        contains "$(find "$prefix" -name "$name")" "$name"
    done
    contains "$(readelf -d "$libraries/libportolan.so")" "SONAME"
    contains "$(readelf -d "$libraries/libportolan.so")" "[libportolan.so.1]"
    same "$(readlink "$libraries/libportolan.so")" libportolan.so.1
    run -1 grep -rIlE "$BATS_FILE_TMPDIR|$build" "$prefix"
    same "$("$prefix/bin/portolan" --version)" "portolan $(pkg-config --modversion portolan)"
}

@test "only portolan_ names leave the library" {
    moved
    names() {
        nm "$1" --defined-only "$2" | sed -n 's/^[0-9a-f]* [A-Z] //p' | sed 's/@.*//'
    }
    contains "$(names -g "$libraries/libportolan.a")" portolan_search
    contains "$(names -D "$libraries/libportolan.so")" portolan_search
    same "$(names -g "$libraries/libportolan.a" | grep -v '^portolan_')" ""
    same "$(names -D "$libraries/libportolan.so" | grep -v '^portolan_')" ""
    diff <(names -g "$libraries/libportolan.a" | sort) <(names -D "$libraries/libportolan.so" | sort)
}

# Of what programs built by `portolan cc` are linked with: names of ours, and those it stands in for.
@test "only names of libc, of libstdc++, of the compiler and portolan_ names leave the runtime of C programs" {
    moved
    runtime=$(find "$prefix" -name libportolan_run.a)
    [ -n "$runtime" ] || skip "C programs need x86-64"
    libc=$(ldd "$prefix/bin/portolan" | awk '/libc\.so/ { print $3 }')
    # those that are weak give way to the program's own
    nm -g --defined-only "$runtime" | sed -n 's/^[0-9a-f]* [A-VX-Z] //p' | grep -vE '^(portolan_|__portolan_|__wrap_|__tsan_|__atomic_|__VERIFIER_)' | sort > names
    [ -s names ]
    files=$(nm -a "$runtime" | sed -n 's/.* a //p') # what it needs of the library, and no more
    contains "$files" reversals.c
    for name in dfs.c stubborn.c lpor.c scc.c translate.c lexer.c; do
        lacks "$files" "$name"
    done
    nm -D --defined-only "$libc" "$(g++ -print-file-name=libstdc++.so.6)" | sed -n 's/^[0-9a-f]* [A-Zi] //p' | sed 's/@.*//' | sort -u > known
    same "$(comm -23 names known)" ""
    cat > names.c << 'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int fail, emit, runtime, step, lists, store_clear;
void *limits_reached(void *unused)
{
    pthread_mutex_lock(&mutex);
    emit++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int portolan_property_new(void) { return 3; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, limits_reached, 0);
    limits_reached(0);
    pthread_join(thread, 0);
    assert(emit == 2 && portolan_property_new() == 3 && fail + runtime + step + lists + store_clear == 0);
}
END
    "$prefix/bin/portolan" cc names.c -o names.out
    run -0 "$prefix/bin/portolan" run ./names.out
}

@test "a C program with names of its own, shared and static, with the lines of the page" {
    source=$consumer static=
    grep -qF 'cc program.c $(pkg-config --cflags --libs portolan)' "$repository/docs/library.md"
    grep -qF 'cc program.c $(pkg-config --cflags --libs --static portolan)' "$repository/docs/library.md"
    moved
    consumes cc
    contains "$(readelf -d consumer)" libportolan.so.1
    lacks "$(pkg-config --libs portolan)" xml2
    moved static
    static=--static
    consumes cc
    lacks "$(readelf -d consumer)" libportolan.so
}

@test "the same program in C++: the header is C++ of 2011, its macros with designators are C++ of 2020" {
    source=$PWD/consumer.cpp static=
    cp "$consumer" consumer.cpp
    moved
    consumes g++ -std=gnu++11 -Wno-missing-field-initializers
    moved static
    static=--static
    consumes g++ -std=c++20 -Wno-missing-field-initializers
    cat > strict.cpp << 'END'
#include <portolan/lpor.h>
#ifdef WITH_DESIGNATORS
portolan_options options = PORTOLAN_OPTIONS(.reduction = "none", .all = true);
#endif
END
    g++ -std=c++11 -Wall -Wextra -pedantic-errors -fsyntax-only "-I$prefix/include" strict.cpp
    g++ -std=c++20 -Wall -pedantic-errors -DWITH_DESIGNATORS -fsyntax-only "-I$prefix/include" strict.cpp
}

@test "a program with find_package of CMake" {
    moved
    cat > CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(portolan 1.0 REQUIRED)
add_executable(shared consumer.c)
target_link_libraries(shared portolan::portolan)
add_executable(static consumer.c)
target_link_libraries(static portolan::static)
END
    cp "$consumer" .
    cmake -S . -B out "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_FLAGS=$(flags)"
    cmake --build out
    run -0 out/shared "$repository/examples/philosophers.pnml"
    run -0 out/static "$repository/examples/philosophers.pnml"
}

# first_fields STRUCT FIELD FILE: takes what follows the field out of the struct.
first_fields() {
    grep -q "^struct $1 {" "$3"
    awk -v start="struct $1 {" -v last="$2" '
        $0 == start { inside = 1 }
        /^};/ { inside = skip = 0 }
        !skip { print }
        inside && $0 ~ last { skip = 1 }' "$3" > cut
    ! cmp -s cut "$3"
    mv cut "$3"
}

@test "a program compiled against a header with fewer fields runs with the library of today" {
    moved
    # shellcheck disable=SC2046
    cc $(flags) -o newer -Wl,-rpath,"$libraries" $(pkg-config --cflags --libs portolan) "$consumer" -lportolan
    cp -r "$prefix/include" older
    first_fields portolan_system ' \*relations;' older/portolan/portolan.h
    first_fields portolan_options ' property_count;' older/portolan/portolan.h
    first_fields portolan_result ' answer_count;' older/portolan/portolan.h
    first_fields portolan_lpor_options ' plain;' older/portolan/lpor.h
    # shellcheck disable=SC2046
    cc $(flags) -Wall -Werror -Iolder "$consumer" -o older-program $(pkg-config --libs portolan)
    [ "$(./newer --sizes)" != "$(./older-program --sizes)" ]
    run -0 ./older-program "$repository/examples/philosophers.pnml"
    same "${lines[1]}" "no deadlock, 7 states: violated"
    same "${lines[2]}" "1 of 2 transitions"
}

# shown COMMAND: what the page shows below "$ COMMAND".
shown() {
    awk -v line="\$ $1" '$0 == line { inside = 1; next } inside && /^(```|\$)/ { exit } inside { print }' "$repository/docs/library.md"
}

@test "the programs of the page print what it shows" {
    moved
    for example in jugs library lpor on_the_fly; do
        # shellcheck disable=SC2046
        cc $(flags) "$repository/examples/$example.c" -o "$example" $(pkg-config --cflags --libs portolan)
        run -0 "./$example"
        same "$output" "$(shown "build/tests/example_$example")"
    done
    awk '/^```c$/ { inside = 1; next } /^```$/ { exit } inside { print }' "$repository/docs/library.md" > first.c
    # shellcheck disable=SC2046
    cc $(flags) -Wall -Werror first.c -o first $(pkg-config --cflags --libs portolan)
    for expression in 'eats_1 + eats_3 <= 1' 'eats_1 + eats_2 <= 1'; do
        run -0 ./first "$repository/examples/philosophers.pnml" "$expression"
        same "$output" "$(shown "build/first examples/philosophers.pnml '$expression'")"
    done
}
