#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# portolan serve: what it answers, to whom, and how it ends.

load helpers

# serve ARGUMENT...: starts a server; sets $address and $server.
serve() {
    rm -f said # of the server before
    "$program" serve "$@" > said 2> complained &
    server=$!
    for _ in {1..100}; do
        address=$(grep -soE 'http://127.0.0.1:[0-9]+' said) && return
        sleep 0.1
    done
    cat said complained
    return 1
}

teardown() {
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null || true
}

ask() {
    output=$(curl -sS --max-time 20 "$address/$1")
}

code() {
    curl -s --max-time 20 -o /dev/null -w '%{http_code}' "$@"
}

@test "the enabled actions, a way through them, and what a reduction leaves out and why" {
    serve "$repository/examples/philosophers.pnml" --reduction stubborn
    ask state
    json_is '.enabled | length' 6
    json_is .values.fork_1 1
    local first
    first=$(json .state)
    ask 'state?path=0,1'
    json_is '.steps | join(" ")' "take_left_1 take_left_2"
    json_is '.enabled | length' 5
    json_is '.explored | join(" ")' "take_right_2 take_left_3"
    json_is '.left_out | length' 3
    contains "$(json '.because[1]')" "may disable"
    json_is .values.fork_1 0
    ask 'state?path=0,0,0,0,0,0'
    [ "$(json '.properties | length')" -le 1 ]
    ask state
    json_is .state "$first"
}

@test "messages on their way, and a picture of a graph" {
    serve "$repository/examples/protocols/two-phase-commit.mp"
    ask 'state?path=0'
    json_is '.waiting[0]' "request from Coordinator to Participant[1]"
    kill "$server"
    wait "$server" || true
    serve "$repository/examples/graphs/philosophers.gg"
    ask state
    contains "$(json .graph)" "<svg"
}

@test "a deadlock says so, and the property that it violates" {
    serve "$repository/examples/philosophers.pnml"
    ask 'state?path=0,1,1,1,1,1'
    json_is .end "a deadlock"
    json_is '.properties[0]' "no deadlock"
}

@test "every language has a page, and threads have their source" {
    for model in threads/bank.dl protocols/two-phase-commit.mp promela/peterson.pml entities/philosophers.ent dve/mutex.dve lna/philosophers.lna graphs/philosophers.gps; do
        serve "$repository/examples/$model"
        ask ""
        contains "$output" "<script"
        ask state
        [ "$(json '.enabled | length')" -gt 0 ]
        kill "$server"
        wait "$server" || true
    done
}

@test "only this machine is served, and only by its name" {
    serve "$repository/examples/philosophers.pnml"
    local port
    port=$(printf '%04X' "${address##*:}")
    grep -q "0100007F:$port" /proc/net/tcp
    ! grep -q "00000000:$port" /proc/net/tcp
    same "$(code "$address/")" 200
    same "$(code -H 'Host: elsewhere.example' "$address/")" 403
    same "$(code -H "Host: localhost:${address##*:}" "$address/")" 200
}

@test "what is not there, not allowed or not a path is refused, and the server goes on" {
    serve "$repository/examples/philosophers.pnml"
    same "$(code --path-as-is "$address/../../etc/passwd")" 404
    same "$(code "$address/page.html")" 404
    same "$(code -X POST -d x "$address/state")" 405
    same "$(code "$address/state?path=99")" 400
    same "$(code "$address/state?path=0,")" 200
    same "$(code "$address/state?path=-1")" 400
    same "$(code "$address/state?path=0x1")" 400
    same "$(code "$address/state?path=,")" 400
    same "$(code "$address/state?path=18446744073709551616")" 400
    same "$(code "$address/state")" 200
}

@test "a signal and a limit of time end it" {
    serve "$repository/examples/philosophers.pnml"
    kill -INT "$server"
    wait "$server"
    portolan 0 serve "$repository/examples/philosophers.pnml" --time 1
    contains "$output" "http://127.0.0.1:"
}

@test "a port that is taken, a model that is wrong, a reduction that does not go" {
    serve "$repository/examples/philosophers.pnml"
    refuses "cannot listen" serve "$repository/examples/philosophers.pnml" --port "${address##*:}"
    refuses "at most 65535" serve "$repository/examples/philosophers.pnml" --port 70000
    refuses "none.pnml" serve none.pnml
    refuses "probe" serve "$repository/examples/philosophers.pnml" --reduction probe
}
