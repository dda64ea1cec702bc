#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs are followed from outside: whatever they do, the limits hold and there is an answer.

load helpers

setup_file() {
    export PORTOLAN_ENDS=$BATS_FILE_TMPDIR/program
    "${PORTOLAN:-$BATS_TEST_DIRNAME/../../build/portolan}" cc --trust '*' -O1 -g -w -D_GNU_SOURCE \
        "$BATS_TEST_DIRNAME/../native/ends.c" -o "$PORTOLAN_ENDS"
}

# xml_is XPATH VALUE: what stands there in junit.xml.
xml_is() {
    xmllint --noout junit.xml
    same "$(xmllint --xpath "string($1)" junit.xml)" "$2"
}

# ends STATUS SECONDS OPTION... -- KIND: explores tests/native/ends.c, which must be over by then.
ends() {
    local status_wanted=$1 seconds=$2
    shift 2
    run --separate-stderr "-$status_wanted" timeout "$seconds" "$program" run --volatile plain "${@:1:$#-1}" "$PORTOLAN_ENDS" "${@: -1}"
}

# followed KIND OPTION...: starts it in the background; $process is the supervisor, $explored the program.
followed() {
    "$program" run --volatile plain "${@:2}" "$PORTOLAN_ENDS" "$1" >out 2>err 3>&- &
    process=$!
    for _ in $(seq 200); do
        explored=$(pgrep -P "$process" || true)
        [ -z "$explored" ] || [ "$(cat "/proc/$explored/comm")" != program ] || break
        sleep 0.01
    done
    sleep 0.3
}

# One of the processes that help the explored one.
worker() {
    local workers
    for _ in $(seq 200); do
        workers=$(pgrep -P "$explored" || true)
        [ -z "$workers" ] || break
        sleep 0.02
    done
    tail -1 <<<"$workers"
}

teardown() {
    [ -z "${process:-}" ] || kill -KILL "$process" 2>/dev/null || true
}

# answered STATUS: what `followed` started has ended with this status; nothing of it is left.
answered() {
    status=0
    for _ in $(seq 500); do
        kill -0 "$process" 2>/dev/null || break
        sleep 0.02
    done
    kill -KILL "$process" 2>/dev/null || true # by now it should have ended
    wait "$process" || status=$?
    output=$(cat out) stderr=$(cat err)
    same "$status" "$1"
    same "left: $(pgrep -g "$explored" || true)" "left: "
}

@test "a thread that spins on a plain variable is switched away from: the race is found" {
    for kind in volatile plain; do
        ends 1 20 --json "$kind"
        json_is .error "data race"
    done
}

@test "a loop that nothing can end is a deadlock, alone and by two processes" {
    for kind in empty sleeping; do
        ends 1 20 --json "$kind"
        json_is .error deadlock
        contains "$(json .message)" "thread 1 loops forever at ends.c"
    done
    ends 1 20 --threads 2 sleeping
    contains "$output" "loops forever"
}

@test "a loop that only goes on ends with the limit, with a report in every form" {
    mkfifo fifo
    for kind in counting calling blocked elsewhere copying; do
        for limit in 0.5 5; do # a busy machine may need longer until the program has begun
            ends 3 "$((${limit%.*} + 6))" --time "$limit" --junit junit.xml --json=answer --trace schedule "$kind"
            contains "$output" "unknown    time limit"
            [[ $output != *"schedule   "* ]] || break
        done
        contains "$output" "schedule   "
        same "$stderr" ""
        output=$(cat answer)
        json_is ".verdict, .stop, .seconds < $limit + 3" $'unknown\ntime limit\ntrue'
        xml_is //testsuite/@skipped 1
        contains "$(cat schedule)" "thread 1 0 0"
    done
}

@test "signals end a search, and a program that does not listen" {
    for signal in INT TERM HUP; do
        followed search
        kill "-$signal" "$process"
        answered 3
        contains "$output" "unknown    interrupted"
        lacks "$output" "executions 0"
    done
    followed counting --json
    kill -INT "$process"
    sleep 0.1
    kill -INT "$process" # at once
    answered 3
    json_is '.verdict, .stop' $'unknown\ninterrupted'
}

@test "a memory limit counts all that the program has" {
    ends 3 20 --memory 100M --json growing
    json_is '.verdict, .stop' $'unknown\nmemory limit'
    ends 3 20 --memory 100M --time 10 --threads 2 --json growing
    json_is '.verdict, .stop' $'unknown\nmemory limit'
}

@test "a program that vanishes is told, with what is known" {
    ends 2 20 --junit junit.xml system-call
    contains "$output" "exited with status 0 in the middle of the search"
    contains "$output" "x = 1  ends.c:"
    contains "$output" "then       thread 2 takes its next step, and the program ends"
    contains "$stderr" "error: "
    xml_is //testsuite/@errors 1
    ends 2 20 --json --trace schedule killed
    json_is '.verdict, .error, (.schedule | length > 0)' $'refused\nno report\ntrue'
    contains "$(json .message)" "killed by signal 9"
    run ! timeout 20 "$program" replay "$PORTOLAN_ENDS" schedule # it does so again
    contains "$output" "killed by signal 9"
    "$program" cc -DBEFORE_MAIN -D_GNU_SOURCE -w "$repository/tests/native/ends.c" -o early
    portolan 2 run ./early
    contains "$stderr" "exited with status 5"
}

@test "exit inside a library ends the execution, not the search" {
    ends 0 20 --json library
    json_is '.verdict, .executions > 1' $'holds\ntrue'
}

@test "an exit status other than 0 is an error, unless it is allowed" {
    run -1 --separate-stderr "$program" run --json --junit junit.xml --trace schedule "$PORTOLAN_ENDS" status 3
    json_is '.error, .output' $'exit status\nno \\xff good'
    contains "$(json .message)" "ends the program with status 3"
    xml_is //failure/@type "exit status"
    portolan 1 replay "$PORTOLAN_ENDS" schedule
    contains "$output" "found      exit status"
    portolan 0 run -q --exit-status 2,3 "$PORTOLAN_ENDS" status 3
    portolan 0 run -q --exit-status any "$PORTOLAN_ENDS" status 259
    portolan 1 run -q --exit-status 2 "$PORTOLAN_ENDS" status 3
    refuses "--exit-status takes numbers from 0 to 255 or 'any', not '256'" run --exit-status 1,256 "$PORTOLAN_ENDS"
    run -3 "$PORTOLAN_ENDS" status 3
}

@test "workers that are killed or stopped are noticed at once, and so is the program" {
    for signal in KILL STOP; do
        followed search --threads 3
        kill "-$signal" "$(worker)"
        answered 2
        contains "$stderr" "a worker process was"
        contains "$output" "executions"
        followed search --threads 3
        kill "-$signal" "$explored"
        answered 2
        contains "$stderr" "by signal"
    done
}

@test "nothing survives its supervisor" {
    followed search --threads 3
    kill -KILL "$process"
    wait "$process" || true
    for _ in $(seq 100); do
        pgrep -g "$explored" >/dev/null || return 0
        sleep 0.02
    done
    return 1
}

@test "what cannot be written is an error" {
    for option in --quiet --json; do
        run -2 --separate-stderr bash -c "'$program' run $option '$PORTOLAN_ENDS' none >/dev/full"
        contains "$stderr" "cannot write 'standard output': No space left on device"
        run -2 --separate-stderr bash -c "'$program' run $option '$PORTOLAN_ENDS' none >&-"
        contains "$stderr" "cannot write 'standard output'"
    done
    for option in --json=/dev/full "--junit /dev/full" "--trace /dev/full"; do
        # shellcheck disable=SC2086 # two words
        run -2 --separate-stderr "$program" run $option "$PORTOLAN_ENDS" status 1
        contains "$stderr" "cannot write '/dev/full': No space left on device"
    done
    run -2 bash -c "'$program' run '$PORTOLAN_ENDS' status 1 <&- >&- 2>&-"
}

@test "a program has no descriptor of the checker" {
    run -0 --separate-stderr bash -c "'$program' run --json=answer --junit junit.xml '$PORTOLAN_ENDS' descriptors 3>&-"
    contains "$output" "holds      no error in any schedule"
    lacks "$output$stderr$(cat answer junit.xml)" "belong here"
    output=$(cat answer)
    json_is .verdict holds
}

@test "JSON is valid whatever the bytes" {
    cp "$PORTOLAN_ENDS" $'a\377b'
    portolan 1 run --json --trace $'trace\377' $'./a\377b' status $'1\377'
    json_is .verdict violated
    portolan 2 run --json $'./a\377b' system-call
    contains "$(json .message)" './a\xffb exited with status 0'
    portolan 1 replay --json $'./a\377b' $'trace\377'
    json_is .error "exit status"
}

@test "a deadlock's message says who waits for what; an address that cannot be is not null" {
    "$program" cc -O1 -g "$repository/examples/c/philosophers.c" -o philosophers
    portolan 1 run --json ./philosophers
    contains "$(json .message)" "waits at philosophers.c"
    contains "$(json .message)" "held by"
    ends 1 20 noncanonical
    contains "$output" "dereferences an invalid pointer"
}

@test "numbers arrive as they are" {
    refuses "'4294967297' is too large" run --bound 4294967297 "$PORTOLAN_ENDS"
    portolan 0 run --json --states 200000000000000000 "$PORTOLAN_ENDS"
    json_is .stop complete
}

@test "what is not a program built by portolan cc is called what it is" {
    echo 'int main(void);' >source.h
    printf '#!/bin/sh\n' >script
    chmod +x script
    cp "$PORTOLAN_ENDS" locked
    chmod -x locked
    refuses "source.h is a header, not a program" run source.h
    contains "$stderr" "hint: portolan run FILE.c, for a source that includes it"
    refuses "missing cannot be run: No such file or directory" run missing
    refuses ". is a directory" run .
    refuses "script is not a program" run ./script
    refuses "was not built by 'portolan cc'" run /bin/true
    refuses "locked cannot be run: Permission denied" run ./locked
    refuses "is a model" run "$repository/examples/philosophers.pnml"
    refuses "usage: portolan run" run
}

@test "a program of another version of Portolan is refused before it is started" {
    objcopy --dump-section .portolan.version=version "$PORTOLAN_ENDS" /dev/null
    same "$(stat -c %s version)" 48
    # what says another release, and another layout under the same release
    sed 's/[0-9]\.[0-9.]*/9.8.7/' version | head -c 48 >other
    truncate -s 48 other
    objcopy --update-section .portolan.version=other "$PORTOLAN_ENDS" other-release
    refuses "other-release was built by 'portolan cc' of version 9.8.7, and this is 1." run ./other-release ends
    contains "$stderr" "hint: build it again with 'portolan cc'"
    { head -c 16 version; printf '\001'; tail -c 31 version; } >other
    objcopy --update-section .portolan.version=other "$PORTOLAN_ENDS" other-layout
    refuses "other-layout was built by 'portolan cc' of another build of version 1." run ./other-layout ends
    refuses "build it again with 'portolan cc'" debug ./other-layout schedule
    objcopy --remove-section .portolan.version "$PORTOLAN_ENDS" older
    refuses "older was built by 'portolan cc' of an earlier version" run ./older ends
    contains "$stderr" "hint: build it again with 'portolan cc'"
}

@test "a program does not take settings from anybody but portolan run of its own version" {
    PORTOLAN_SUPERVISION=0 run -2 "$PORTOLAN_ENDS" ends </dev/null
    contains "$output" "error: PORTOLAN_SUPERVISION is for 'portolan run' of version 1."
    objcopy --dump-section .portolan.version=version "$PORTOLAN_ENDS" /dev/null
    truncate -s "$(od -An -tu4 -j20 -N4 version | tr -d ' ')" empty # as large as the block, and all zero
    [ -s empty ]
    PORTOLAN_SUPERVISION=0 run -2 "$PORTOLAN_ENDS" ends <empty
    contains "$output" "error: PORTOLAN_SUPERVISION is for"
}

@test "the checker does not explore itself, under whatever name" {
    refuses "is Portolan itself" run "$program"
    ln -s "$program" another
    refuses "another is Portolan itself" run ./another
    cp "$program" copy
    refuses "copy was not built by 'portolan cc'" run ./copy
}

@test "how a program goes back is chosen by words" {
    refuses "--journal takes usual, never, unchecked or strict, not 'sometimes'" run --journal sometimes "$PORTOLAN_ENDS"
}

@test "an execution of hundreds of thousands of accesses is told at once" {
    cat >long.c <<'END'
#include <assert.h>
#include <pthread.h>
static int count;
static void *run(void *unused) { while (count < 200000) count++; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    assert(count == 0); }
END
    "$program" cc -g long.c -o long
    run timeout -k 1 20 "$program" run --time 2 ./long
    same "$status" 1
    contains "$output" "assertion 'count == 0' failed"
}
