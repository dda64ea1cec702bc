# shellcheck shell=bash disable=SC2154 # helpers.bash
# SPDX-License-Identifier: Apache-2.0
# Processes that mpirun has started.

setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COLUMNS=1000
}

# started N ARGUMENT...: a command of portolan by N ranks
started() {
    local count=$1
    shift
    timeout 120 mpirun --oversubscribe -n "$count" "$PORTOLAN" "$@"
}

# ranks N STATUS ARGUMENT...
ranks() {
    local count=$1 status=$2
    shift 2
    run "-$status" --separate-stderr started "$count" "$@" --distributed
}

# resumed N STATUS ARGUMENT...
resumed() {
    local count=$1 status=$2
    shift 2
    run "-$status" --separate-stderr started "$count" resume "$@"
}

# appears FILE: waits for it
appears() {
    for _ in $(seq 400); do
        [ ! -e "$1" ] || return 0
        sleep 0.02
    done
    echo "there is no $1"
    return 1
}

# last_rank: the number of a process of this test
last_rank() {
    local process
    for process in $(pgrep -f "^$PORTOLAN .*--distributed"); do
        [ "$(readlink "/proc/$process/cwd")" != "$PWD" ] || echo "$process"
    done | tail -n 1
}

# threads N FILE: as many threads that write the same variable, which gives N! executions
threads() {
    {
        echo 'int x;'
        for i in $(seq "$1"); do echo "thread t$i { x = $i; }"; done
    } >"$2"
}
