#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ranks that reach each other over a network alone: two network namespaces with a cable between them, each with a host
# name of its own, so that MPI takes them for two machines.  Needs root, and `ip` (Debian: iproute2).

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COLUMNS=1000
    west=portolan-w$$ east=portolan-e$$
    ip netns add "$west"
    ip netns add "$east"
    ip link add name "pw$$" netns "$west" type veth peer name "pe$$" netns "$east"
    local place
    for place in "$west pw$$ 10.77.0.1/24" "$east pe$$ 10.77.0.2/24"; do
        # shellcheck disable=SC2086 # three words
        set -- $place
        ip -n "$1" address add "$3" dev "$2"
        ip -n "$1" link set "$2" up
        ip -n "$1" link set lo up
    done
    # what mpirun calls instead of ssh: AGENT HOST COMMAND...
    cat >agent <<END
#!/bin/sh
shift
exec ip netns exec $east unshare --uts sh -c "hostname east; \$*"
END
    chmod +x agent
}

teardown() {
    ip netns delete "$west"
    ip netns delete "$east"
}

# across STATUS ARGUMENT...: two ranks, one in each
across() {
    local status=$1
    shift
    run "-$status" --separate-stderr timeout 100 ip netns exec "$west" unshare --uts sh -c 'hostname west; exec "$@"' sh \
        mpirun --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --oversubscribe -host 10.77.0.1:1,10.77.0.2:1 -n 2 "$@"
}

@test "ranks in two network namespaces say what one process says" {
    family kanban 3
    across 0 sh -c 'hostname >&2; exec "$@"' rank "$PORTOLAN" explore kanban.pnml --distributed --json
    contains "$stderr" "west"
    contains "$stderr" "east"
    json_is .states 58400
    json_is .transitions 446400
    family philosophers 5
    across 1 "$PORTOLAN" check philosophers.pnml --distributed --reduction none
    contains "$output" "trace      5 steps, replayed, shortest"
    cp "$repository/examples/threads/stack.dl" .
    across 0 "$PORTOLAN" check stack.dl --distributed --reduction optimal --json
    json_is .executions 46
}
