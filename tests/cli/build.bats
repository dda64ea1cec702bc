#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program as it is installed, and built where something is missing.
load helpers

build=$(dirname "$program")

# The flags of a build with sanitizers, which its library needs.
flags() {
    ! grep -q '^PORTOLAN_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" || echo "-fsanitize=address,undefined"
    ! grep -q '^PORTOLAN_COVERAGE:BOOL=ON' "$build/CMakeCache.txt" || echo "--coverage"
}

@test "an installed copy: the program runs, and a stranger's program compiles with the line of the page" {
    [ -f "$build/CMakeCache.txt" ] || skip "the program does not stand in its build directory"
    cmake --install "$build" --prefix "$PWD/prefix" > log
    run -1 prefix/bin/portolan check "$repository/examples/philosophers.pnml" -q
    contains "$(find prefix -name '*.1')" portolan.1
    cat > consumer.c << 'END'
#include <portolan/lpor.h>
#include <portolan/portolan.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    struct portolan_error error;
    struct portolan_system *system;
    struct portolan_property *property;
    struct portolan_result *result;
    if (count != 2 || portolan_open(arguments[1], &system, &error) != PORTOLAN_OK)
        return 2;
    if (portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, &error) != PORTOLAN_OK)
        return 2;
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = PORTOLAN_OPTIONS(.properties = properties, .property_count = 1);
    if (portolan_search(system, &options, &result, &error) != PORTOLAN_OK)
        return 2;
    printf("%s: %s\n", portolan_property_text(property),
           result->answers[0].verdict == PORTOLAN_VIOLATED ? "violated" : "not violated");
    portolan_result_free(result);
    portolan_property_free(property);
    portolan_system_free(system);
    return 0;
}
END
    PKG_CONFIG_PATH=$(dirname "$(find "$PWD/prefix" -name portolan.pc)")
    export PKG_CONFIG_PATH
    line=$(grep -o 'cc program.c $(pkg-config --cflags --libs portolan)' "$repository/docs/library.md")
    line=${line/program.c/consumer.c $(flags) -o consumer}
    eval "${line/pkg-config/pkg-config --define-prefix}"
    run -0 ./consumer "$repository/examples/philosophers.pnml"
    same "$output" "no deadlock: violated"
}

@test "without its tools the program can be configured, but its tests cannot pass" {
    mkdir bin
    ln -s /usr/bin/* bin
    rm -f bin/bats bin/jq bin/clang-format
    configure() {
        env -u CMAKE_C_COMPILER_LAUNCHER PATH="$PWD/bin" cmake -S "$repository" -B "$1" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF "${@:2}"
    }
    run -0 configure quiet
    contains "$output" "bats is missing: its tests fail"
    contains "$output" "clang_format is missing: its tests fail"
    run ! ctest --test-dir quiet -R needs_
    contains "$output" "needs_bats"
    run ! configure strict -DPORTOLAN_TESTS=ON
    contains "$output" "BATS"
}
