#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# C programs: what reports say, and where they go.

load helpers

# each COMMAND...: the program `source.c`, compiled by both compilers with and without optimisation.
each() {
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            echo "$compiler $level"
            PORTOLAN_CC=$compiler "$program" cc "$level" "${flags[@]}" source.c -o program
            "$@"
        done
    done
}

lacks() {
    if [[ $1 == *"$2"* ]]; then
        echo "'$2' is in:"
        echo "$1"
        return 1
    fi
}

queue_program() {
    cat >source.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct account { int id; long balance; };
struct node { struct node *next; int value; };
struct queue { pthread_mutex_t lock; pthread_cond_t filled; struct node *head; bool stop; };
enum state { IDLE, BUSY };
struct account account[3];
struct queue *queue;
enum state state;
atomic_int sum;
static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    pthread_mutex_lock(&queue->lock);
    n->next = queue->head;
    queue->head = n;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}
static void *worker(void *argument)
{
    int *result = argument;
    pthread_mutex_lock(&queue->lock);
    while (!queue->head)
        pthread_cond_wait(&queue->filled, &queue->lock);
    struct node *n = queue->head;
    queue->head = n->next;
    pthread_mutex_unlock(&queue->lock);
    *result = n->value;
    account[1].balance += n->value;
    state = BUSY;
    queue->stop = true;
    free(n);
    return NULL;
}
int main(void)
{
    pthread_t t;
    int result = 0;
    queue = calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    pthread_create(&t, NULL, worker, &result);
    push(1);
#ifdef RACE
    if (queue->stop)
        sum++;
#endif
    pthread_join(t, NULL);
    assert(state == IDLE || account[1].balance != result);
    return 0;
}
END
}

names_are_told() {
    portolan 1 run ./program
    for text in "create thread 1 (worker)  source.c:47" "  thread 1 (worker)" "lock queue->lock  source.c:27" \
        "signal queue->filled" "read queue->head: &node#1  source.c:30" "read node#1.next: NULL" \
        "account[1].balance = 1" "state = BUSY  source.c:35" "result of main = 1  source.c:33" "free &node#1  source.c:37" \
        "struct node *n = queue->head;"; do
        contains "${output//account\[1\].balance: 0 -> 1/account[1].balance = 1}" "$text"
    done
}

@test "variables, members, blocks, local variables of others, values, threads and lines of the source have their names" {
    queue_program
    flags=()
    each names_are_told
    "$program" cc -O0 -no-pie -fno-pie source.c -o program
    names_are_told
}

parts_are_told() {
    portolan 1 run ./program
    for text in "grid[1][2].second.value = 7" "word.parts.high = 3" "lists[1].anonymous[1].flag = 4000000000" \
        "lists[1].items[5] = 9" "ratio = 1.5" "mean = -2.25" "ready = true" "byte = 200" "negative = -5" \
        "there = &here of thread 1"; do
        contains "$output" "$text"
    done
}

@test "members and elements of every kind, and values by their types" {
    cat >source.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct inner { int value; };
struct pair { struct inner first, second; };
struct list { struct list *next; int *items; struct { unsigned flag; } anonymous[2]; };
struct pair grid[2][3];
union { long whole; struct { int low, high; } parts; } word;
struct list *lists;
float ratio;
double mean;
_Bool ready;
unsigned char byte;
int negative;
_Thread_local int here;
int *there;
static void *other(void *argument) {
    grid[1][2].second.value = 7;
    word.parts.high = 3;
    lists[1].anonymous[1].flag = 4000000000u;
    lists[1].items[5] = 9;
    ratio = 1.5f, mean = -2.25, ready = 1, byte = 200, negative = -5;
    here = 3;
    there = &here;
    return argument;
}
int main(void) {
    pthread_t t;
    lists = calloc(3, sizeof *lists);
    lists[1].items = calloc(8, sizeof(int));
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    int sum = grid[1][2].second.value + word.parts.high + (int)lists[1].anonymous[1].flag + lists[1].items[5];
    sum += (int)ratio + (int)mean + ready + byte + negative;
    return *there + sum;
}
END
    flags=()
    each parts_are_told
}

race_is_explained() {
    portolan 1 run --json=answer --slice ./program
    contains "$output" "write and read are not ordered: queue->stop, byte 96 of a block of 104 bytes allocated at source.c:44 by main"
    contains "$output" "missing: no lock in common; \`queue->stop\` is not atomic"
    contains "$output" " >      read queue->stop: false  source.c:50"
    contains "$output" " >      write queue->stop  source.c:36"
    output=$(cat answer)
    json_is '[.schedule[] | select(.races) | .step] | join("; ")' "read queue->stop: false; write queue->stop"
    json_is '.missing' "no lock in common; \`queue->stop\` is not atomic"
    json_is '.threads[1].function, .schedule[-1].function, .schedule[-1].line' $'worker\nworker\n36'
}

@test "a data race shows both accesses in the schedule, and what is missing between them" {
    queue_program
    flags=(-DRACE)
    each race_is_explained
}

@test "a race of threads that hold different locks says so" {
    cat >source.c <<'END'
#include <pthread.h>
int balance;
pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *argument) {
    pthread_mutex_lock(&mine);
    balance++;
    pthread_mutex_unlock(&mine);
    return argument;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&yours);
    balance++;
    pthread_mutex_unlock(&yours);
    pthread_join(t, NULL);
    return 0;
}
END
    "$program" cc -O1 source.c -o program
    portolan 1 run ./program
    [[ $output == *"no lock in common ("*"holds \`mine\`"* ]]
    [[ $output == *"holds \`yours\`"* ]]
}

@test "which signal woke whom" {
    "$program" cc -O1 "$repository/examples/c/bounded-buffer-if.c" -o program
    portolan 1 run ./program
    contains "$output" "signal not_empty: wakes thread 3"
    contains "$output" "wake up not_empty, by the signal of thread 1"
}

@test "without debug information there is a hint, once" {
    queue_program
    "$program" cc -O1 source.c -o program
    strip -g program
    portolan 1 run ./program
    same "$(grep -c "build with -g" <<<"$output")" 1
    contains "$output" "create thread 1 (worker)"
    contains "$output" "read account+24"
}

@test "rounds of a loop are folded" {
    cat >source.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
static void *other(void *argument) { x = 1; return argument; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 40; i++)
        y = atomic_load(&x) * 0;
    pthread_join(t, NULL);
    assert(x == 0);
    return 0;
}
END
    "$program" cc -O1 source.c -o program
    portolan 1 run --json=answer ./program
    contains "$output" "... 40 rounds of these"
    [ "$(wc -l <<<"$output")" -lt 20 ]
    output=$(cat answer)
    json_is '[.schedule[] | select(.rounds) | .rounds, .rows_of_a_round] | join(" ")' "40 2"
}

@test "--slice leaves out threads that do not matter" {
    cat >source.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z;
static void *matters(void *argument) { x = z + 1; return argument; }
static void *first(void *argument) { z = 1; return argument; }
static void *does_not(void *argument) { y = 1; y = 2; return argument; }
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, does_not, NULL);
    pthread_create(&t[1], NULL, matters, NULL);
    pthread_create(&t[2], NULL, first, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(x != 2);
    return 0;
}
END
    "$program" cc -O1 source.c -o program
    portolan 1 run --trace schedule ./program
    contains "$output" "y = 2"
    portolan 1 run --slice ./program
    lacks "$output" "y = 2"
    lacks "$output" "does_not"
    contains "$output" "z = 1"
    contains "$output" "read x: 2"
    contains "$output" "rows of threads that do not matter"
    portolan 1 replay --slice ./program schedule
    lacks "$output" "y = 2"
}

@test "a failed assertion names its place once; with no debug information, itself" {
    printf '#include <assert.h>\nint main(void) {\n    assert(!sizeof ": ");\n}\n' >source.c
    "$program" cc source.c -o program
    portolan 1 run ./program
    contains "$output" "main at source.c:3: assertion '!sizeof \": \"' failed"
    "$program" cc -s source.c -o program
    portolan 1 run ./program
    contains "$output" "source.c:3: main: assertion '!sizeof \": \"' failed"
}

@test "the schedule fits 80 columns; colours are for terminals" {
    queue_program
    "$program" cc -O1 source.c -o program
    unset COLUMNS
    portolan 1 run ./program
    same "$(sed -n '/^schedule/,$p' <<<"$output" | awk 'length > 80')" ""
    lacks "$output" $'\033'
    run script -qec "stty cols 60; '$program' run ./program" /dev/null
    contains "$output" $'\033[31m'
    same "$(sed -n '/^schedule/,$p' <<<"$output" | sed 's/\x1b\[[0-9]*m//g; s/\r$//' | awk 'length > 60')" ""
    NO_COLOR=1 run script -qec "'$program' run ./program" /dev/null
    contains "$output" "found      assertion"
    lacks "$output" $'\033[31m'
}

errors_program() {
    cat >source.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int hits, misses;
atomic_int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void count(void) { hits++; }
static void *other(void *argument) {
    count();
    misses = 1;
    x = 1;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    count();
    misses = 2;
    assert(x == 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}
END
}

all_are_found() {
    for threads in 1 2; do
        portolan 1 run --all --lesson 1 --threads "$threads" --json=answer --sarif answer.sarif ./program
        contains "$output" "found      4 different errors"
        output=$(cat answer)
        json_is '[.errors[] | "\(.error) \(.object // "")"] | sort | join(", ")' \
            "assertion , data race hits, data race misses, deadlock "
        json_is '[.errors[] | .schedule | length > 0] | all' true
    done
}

@test "--all goes on after an error, and lists each that has another kind or other places" {
    errors_program
    flags=()
    each all_are_found
    portolan 1 run ./program
    contains "$output" "found      data race"
    lacks "$output" "different errors"
}

suppressed_ones_are_counted() {
    cat >known <<'END'
# what is known
data race: count   # also where it was put in place
data race: mis*
deadlock: main
END
    portolan 1 run --suppress known ./program
    contains "$output" "found      assertion"
    contains "$output" "suppressed data race: mis*, seen "
    echo "assertion: source.c:23" >>known
    portolan 3 run --suppress known --json=answer ./program
    contains "$output" "unknown    no other error in any schedule"
    contains "$output" "what depends on the order of a data race that is suppressed was not explored"
    contains "$output" "suppressed assertion: source.c:23, seen 1 time"
    contains "$output" "suppressed deadlock: main, seen 1 time"
    output=$(cat answer)
    json_is '.verdict, (.suppressed | length)' $'unknown\n4'
    portolan 3 run --suppress known --threads 2 --lesson 1 ./program
}

@test "--suppress counts errors by kind and place; the rest is found" {
    errors_program
    flags=()
    each suppressed_ones_are_counted
    for line in "data race count" "data raze: count" "deadlock:"; do
        printf '\n%s\n' "$line" >wrong
        refuses "wrong:2:1: error:" run --suppress wrong ./program
    done
    refuses "cannot read 'nowhere'" run --suppress nowhere ./program
    echo "deadlock: other_*" >known
    portolan 1 run --suppress known ./program
    contains "$output" "found      data race"
    lacks "$output" "suppressed"
}

# What others do after an error could have come before it: an execution does not end there for them.
@test "behind errors that are passed over, all others are found, by every reduction" {
    cat >source.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *argument) {
    x = 1;
    assert(x != 1);
    return argument;
}
static void *second(void *argument) {
    y = 1;
    if (x == 0)
        y = 2;
    if (y == 2)
        pthread_mutex_unlock(&m);
    return argument;
}
static void *third(void *argument) {
    if (y == 1)
        *(volatile int *)argument = 1;
    return argument;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
    "$program" cc -O1 source.c -o program
    for reduction in optimal source lazy dpor none; do
        portolan 1 run --all --json --reduction "$reduction" ./program
        json_is '[.errors[].error] | sort | join(", ")' "assertion, crash, misuse"
    done
    printf 'assertion: first\nmisuse: second\n' >known
    for reduction in optimal source lazy dpor none; do
        portolan 1 run --suppress known --json --reduction "$reduction" ./program
        json_is .error crash
    done
    echo 'crash: third' >>known
    portolan 0 run --suppress known ./program
    for example in ring-buffer-wrong rw-lock-wrong array-queue-race; do
        "$program" cc -O1 "$repository/examples/c/$example.c" -o program
        for reduction in none optimal source lazy; do
            portolan 1 run --all --json --reduction "$reduction" ./program
            json '[.errors[] | .error + " " + (.object // "")] | sort | join(", ")' >"$reduction"
            cmp "$reduction" none
        done
    done
}

# The parts of the standard that code hosts ask for.
check_sarif() {
    python3 - "$1" <<'END'
import json, sys
log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
assert set(log) <= {"version", "$schema", "runs"} and len(log["runs"]) == 1
run = log["runs"][0]
driver = run["tool"]["driver"]
assert driver["name"] and set(run) <= {"tool", "invocations", "results"}
rules = [rule["id"] for rule in driver["rules"]]
assert len(rules) == len(set(rules))
assert all(isinstance(i["executionSuccessful"], bool) for i in run["invocations"])

def location(l):
    assert set(l) <= {"physicalLocation", "message"}
    physical = l.get("physicalLocation")
    if physical:
        assert physical["region"]["startLine"] >= 1 and physical["artifactLocation"]["uri"]
    return physical["region"]["startLine"] if physical else 0

for result in run["results"]:
    assert result["ruleId"] in rules and result["message"]["text"] and result["level"] in ("error", "warning", "note")
    lines = [location(l) for l in result["locations"] + result["relatedLocations"]]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [s["executionOrder"] for s in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        location(step["location"])
    print(result["ruleId"], sorted(lines))
END
}

# Two races whose places have the same sum: functions of one size, one behind the other, and addresses that are small.
@test "--all: races are told apart by their places, whatever these add up to" {
    cat >source.c <<'END'
#include <pthread.h>
int x, y;
#define AT(name, v) __attribute__((noinline, aligned(256))) void name(void) { v = 1; }
AT(first, x)
AT(second, y)
AT(third, y)
AT(fourth, x)
static void *one(void *unused) { first(); second(); return unused; }
static void *other(void *unused) { fourth(); third(); return unused; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, other, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
}
END
    for compiler in gcc clang; do
        PORTOLAN_CC=$compiler "$program" cc -O1 -no-pie source.c -o program
        addresses=($(nm program | awk '$3 ~ /^(first|second|third|fourth)$/ { print "0x" $1 }' | sort))
        same $((addresses[0] + addresses[3])) $((addresses[1] + addresses[2]))
        portolan 1 run --all --json ./program
        json_is '[.errors[] | .object] | sort | join(" ")' "x y"
    done
}

@test "SARIF: every error is a result with its places and its schedule" {
    errors_program
    "$program" cc -O0 source.c -o program
    portolan 1 run -q --all --sarif answer.sarif ./program
    same "$(check_sarif answer.sarif | LC_ALL=C sort)" "assertion [23]
data-race [10, 22]
data-race [7, 7]
deadlock [13, 25]"
    contains "$(cat answer.sarif)" '"uri": "source.c"'
    "$program" cc -O1 "$repository/examples/c/queue.c" -o program
    run "$program" run -q --sarif answer.sarif ./program
    same "$(check_sarif answer.sarif)" ""
    refuses "cannot" run --sarif nowhere/answer ./program
}

coverage_is_told() {
    portolan 0 run --json=answer ./program
    contains "$output" "reached    3 threads; 2 of 4 functions, "
    contains "$output" "never      function drop  source.c:"
    contains "$output" "never      function unlikely  source.c:"
    contains "$output" "never      source.c:19-"
    lacks "$output" "source.c:22"
    output=$(cat answer)
    json_is '.coverage | .threads, .known, .reached_functions' $'3\ntrue\n2'
    for threads in 1 2; do
        portolan 0 run --json --lesson 1 --threads "$threads" ./program
        json_is '[.coverage.never[] | .function // empty] | sort | join(" ")' "drop unlikely"
    done
}

@test "what no execution has reached is told with the verdict" {
    cat >source.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int x;
static int unlikely(int v)
{
    int y = v * 2;
    return y + 1;
}
static void drop(void)
{
    puts("never");
}
void (*drops)(void) = drop;
static void *other(void *argument)
{
    int old = atomic_fetch_add(&x, 1);
    if (old > 5) {
        x = unlikely(old);
        drops();
    } else if (old == 1) {
        printf("second %d\n", old);
    }
    return argument;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
    flags=()
    each coverage_is_told
    strip -g program
    portolan 0 run --json=answer ./program
    contains "$output" "reached    3 threads; without debug information, the code that was reached is unknown"
    output=$(cat answer)
    json_is .coverage.known false
}
