#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Limits and interruptions end in a clean report and status 3.

load helpers

@test "a state limit on an unbounded net names the place that grows" {
    family unbounded
    portolan 3 check unbounded.pnml --reduction none --states 20000
    contains "$output" "no deadlock: UNDECIDED"
    contains "$output" "stopped    state limit"
    contains "$output" "'buffer' can grow forever"
    portolan 3 check unbounded.pnml --reduction none --states 20000 --json
    json_is '.verdict, .stop, .unbounded, .growing, .trace' $'unknown\nstate limit\ntrue\nbuffer\nnull'
}

@test "a bounded net is not called unbounded" {
    family kanban 4
    portolan 3 check kanban.pnml --reduction none --states 2000 --json
    json_is '.unbounded, .growing' $'false\nnull'
}

@test "an unbounded net may still be decided" {
    family unbounded
    portolan 1 check unbounded.pnml -i 'buffer < 3' -q
    portolan 0 check unbounded.pnml -r 'buffer = 7' -q
    portolan 0 check unbounded.pnml --states 10000 -q
}

@test "a limit that is not reached changes nothing" {
    family kanban 2
    portolan 0 check kanban.pnml --reduction none --states 1M --time 10m --memory 4G --json
    json_is '.states, .stop' $'4600\ncomplete'
}

@test "a time limit" {
    family kanban 8
    for command in check explore; do
        for search in bfs dfs; do
            portolan 3 $command kanban.pnml --reduction none --search $search --time 0.2
            contains "$output" "stopped    time limit"
            contains "$output" "covered"
            same "$stderr" ""
        done
    done
    portolan 3 check kanban.pnml --reduction none --time 0.2 --json
    json_is '.verdict, .stop' $'unknown\ntime limit'
    json_is '.seconds > 0 and .seconds < 5' true
    json_is '.states > 0' true
}

@test "a memory limit" {
    family kanban 8
    for command in check explore; do
        for search in bfs dfs; do
            portolan 3 $command kanban.pnml --reduction none --search $search --memory 1M
            contains "$output" "stopped    memory limit"
            same "$stderr" ""
        done
    done
    portolan 3 check kanban.pnml --reduction none --memory 1M --json
    json_is '.verdict, .stop' $'unknown\nmemory limit'
}

# Waits until the program has its handler for SIGINT: before that the signal would be lost or deadly.
wait_for_handler() {
    local tries caught
    for tries in $(seq 100); do
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null) || true
        [ -z "$caught" ] || [ $((0x$caught & 2)) = 0 ] || return 0
        sleep 0.05
    done
    echo "no handler after $tries tries"
    return 1
}

# interrupt SIGNAL ARGUMENT...: status in $status, standard output in $output, standard error in $stderr
interrupt() {
    local signal=$1 process
    shift
    status=0
    "$program" "$@" > out 2> err 3>&- &
    process=$!
    wait_for_handler $process
    sleep 0.1
    kill "-$signal" $process
    wait $process || status=$?
    output=$(cat out)
    stderr=$(cat err)
}

@test "Ctrl-C and termination end with a report" {
    [ -r /proc/self/status ] || skip "needs /proc"
    family kanban 8
    for signal in INT TERM; do
        interrupt $signal check kanban.pnml --reduction none --time 30
        same "$status" 3
        contains "$output" "no deadlock: UNDECIDED"
        contains "$output" "stopped    interrupted"
        same "$stderr" ""
    done
    interrupt INT explore kanban.pnml --json --time 30
    same "$status" 3
    json_is .stop interrupted
    interrupt INT compare kanban.pnml --time 30
    same "$status" 3
    contains "$output" "(interrupted)"
}

@test "no progress is shown where there is no terminal" {
    family kanban 8
    portolan 3 check kanban.pnml --reduction none --time 0.6
    same "$stderr" ""
}

@test "a pipe that nobody writes to, or that is written slowly, does not get round the limits" {
    family philosophers 3
    "$program" check philosophers.pnml -i 'fork_1 <= 1' --certify proof -q
    for file in net.pnml program.dl protocol.mp system.ent; do
        mkfifo "$file"
        portolan 3 check "$file" --time 0.1
        contains "$output" "stopped    time limit"
        (printf ' '; sleep 0.4) > "$file" &
        portolan 3 explore "$file" --time 0.1
        wait
    done
    mkfifo unread
    portolan 3 replay philosophers.pnml unread --time 0.1
    portolan 3 check philosophers.pnml --ltl-file unread --time 0.1
    portolan 3 check philosophers.pnml --automaton unread --time 0.1
    portolan 3 certify unread philosophers.pnml --time 0.1
    cat proof > unread &
    portolan 0 certify unread philosophers.pnml
    cat philosophers.pnml > net.pnml &
    portolan 0 check net.pnml -i 'fork_1 <= 1'
    echo 'thread a { }' > program.dl &
    portolan 0 check program.dl
    : > program.dl &
    refuses "no thread" check program.dl
}

@test "a time limit that is reached within a step of a grammar is called by its name" {
    printf 'grammar growing\ngraph start { a: A }\nrule grow { x: A; + y: A; + x -next-> y }\n' > growing.gg
    run -3 "$PORTOLAN" check growing.gg --time 0.3
    [[ $output == *"stopped    time limit"* ]]
}
