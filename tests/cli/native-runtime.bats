#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runtime of C programs: what it knows of threads, memory and libc, and how it tells.

load helpers

sources=$repository/tests/native

# built NAME [ARGUMENT...]: compiles the program on standard input to NAME.
built() {
    local name=$1
    shift
    cat >"$name.c"
    "$program" cc -O1 "$@" "$name.c" -o "$name"
}

# two_threads SECOND MAIN: a program whose second thread and whose main do this; line 18 and line 19.
# `which` is the program's argument.
two_threads() {
    cat <<END
#define _GNU_SOURCE
#ifndef TEXT
#define TEXT "1 2"
#endif
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
atomic_int x;
char text[64] = TEXT, to[64]; int number; time_t now; unsigned state;
static pthread_t thread;
static int which;
static void *other(void *argument) { $1; return argument; }
int main(int count, char **arguments) { which = count > 1 ? atoi(arguments[1]) : 0; pthread_create(&thread, NULL, other, NULL); $2; pthread_join(thread, NULL); return 0; }
END
}

# as_expected SOURCE: the verdict and the number of executions that its first line tells.
as_expected() {
    local expected reduction
    "$program" cc -O1 -D_GNU_SOURCE "$1" -o program
    expected=$(sed -n 's|^// expected: ||p' "$1")
    echo "$1: $expected"
    if [[ $expected != holds* ]]; then
        portolan 1 run --json ./program
        json_is .error "$expected"
        return
    fi
    for reduction in optimal dpor; do
        portolan 0 run --journal strict --reduction "$reduction" --json ./program
        same "$(json '"\(.verdict), \(.executions) executions"')" "$expected"
    done
}

@test "threads, locks and their like do what POSIX and C11 say, in as many executions as there are orders" {
    for source in "$sources"/threads/*.c; do
        as_expected "$source"
    done
}

@test "methods that need states of a model are refused, and what is not sound" {
    "$program" cc -O1 "$repository/examples/c/peterson.c" -o peterson
    for method in lazy:as-printed lazy:as-printed,stateful stubborn; do
        refuses "reduction '$method' cannot be combined with a stateless search" run --reduction "$method" ./peterson
    done
    refuses "reduction 'lazy' is not sound with a bound on preemptions" run --reduction lazy --preemptions 1 ./peterson
}

@test "the runtime has no search of states in it" {
    nm "$(dirname "$program")/libportolan_run.a" >names
    grep -q ' t search_machine$' names
    ! grep -E ' t (search_dfs|store_insert|ltl_|automaton_|expression_|property_|reduction_|proviso_)' names
}

@test "readers and writers: every outcome of every interleaving is seen by every reduction" {
    "$program" cc -O1 "$sources/random-locks.c" -o random
    for seed in 4 8 14 17 28; do
        for reduction in none optimal source lazy dpor; do
            : >outcomes
            portolan 0 run -q --reduction "$reduction" ./random "$seed" outcomes
            sort -u outcomes >"$reduction"
            echo "seed $seed $reduction"
            cmp none "$reduction"
        done
    done
}

@test "libc does what it should" {
    as_expected "$sources/library.c"
    portolan 0 run --interleave --reduction optimal ./program
}

@test "what libc reads and writes for the program takes part in races" {
    local pair number=0 second='switch (which) {' first='switch (which) {'
    for pair in 'sprintf(to, "x")|to[0] = 1' 'snprintf(to, 9, "%d", 7)|to[0] = 1' 'printf("%5s", text)|text[0] = 1' \
        'printf("%.*s", 1, text)|text[0] = 1' 'printf("%d%d%d%d%d%Lf%n", 1, 2, 3, 4, 5, 1.0L, &number)|number = 1' 'puts(text)|text[1] = 1' \
        'sscanf("5", "%d", &number)|number = 1' 'sscanf("5 a", "%*d %s", to)|to[1] = 1' 'fputs(text, stdout)|text[2] = 1' \
        'write(1, text, 3)|text[2] = 1' 'fwrite(text, 1, 3, stdout)|text[2] = 1' 'number = atoi(text)|text[0] = 50' \
        'number = (int)strtol(text, NULL, 10)|text[0] = 50' 'qsort(text, 3, 1, (int (*)(const void *, const void *))strcmp)|text[0] = 50' \
        'strtok(to, ",")|strtok(text, ",")' 'gmtime(&now)|localtime(&now)' 'rand_r(&state)|rand_r(&state)' \
        'stpcpy(to, "ab")|to[2] = 1' 'mempcpy(to, "ab", 2)|to[1] = 1' 'bzero(to, 5)|to[4] = 1' \
        'number = (int)strspn(text, "1")|text[0] = 50' 'free(strdup(text))|text[1] = 50'; do
        number=$((number + 1))
        second+=" case $number: ${pair%%|*}; break;"
        first+=" case $number: ${pair#*|}; break;"
    done
    two_threads "$second }" "$first }" | built program
    while ((number > 0)); do
        echo "pair $number"
        portolan 1 run -q ./program "$number"
        contains "$output" "found      data race"
        number=$((number - 1))
    done
}

@test "what libc does not touch is in no race" {
    two_threads 'sprintf(to + 8, "%.2s", "abc"); printf("%.2s%d", text, 1); sscanf("5 x", "%d %d", &number, (int *)to)' \
        'to[0] = to[11] = 1; text[2] = 1; char own[] = "a,b", *rest; strtok_r(own, ",", &rest)' | built program
    portolan 0 run ./program
}

@test "in interleavings a copy has what was there at the moment of its step" {
    two_threads 'memcpy(to, text, 8)' \
        'text[0] = 50; int seen = to[0]; pthread_join(thread, NULL); assert(seen || to[0] == 50); return 0' | built program
    portolan 1 run --interleave ./program # the old value, copied when another thread has gone on
    contains "$output" "'seen || to[0] == 50' failed"
    two_threads 'memset(to, 1, 16)' 'int first = to[0], second = to[8]; assert(!first || second)' | built program
    portolan 1 run --interleave ./program
    contains "$output" "'!first || second' failed"
}

@test "in interleavings neighbours in a word are told apart" {
    "$program" cc -O1 "$repository/examples/c/ticket-lock.c" -o program # its four variables are in two words
    for reduction in optimal source lazy dpor; do
        portolan 0 run --interleave --reduction "$reduction" --json ./program
        json_is .executions 6
    done
    two_threads '*(int *)(long)x = 1' '' | built program
    portolan 1 run --interleave ./program
    contains "$output" "dereferences a null pointer"
}

@test "a race has both its stacks, and every error that of its thread" {
    cat >program.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int total; static atomic_int flag; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void add(int n) {
    total += n; }
static __attribute__((noinline)) void deep(int n) {
    if (n == 0) abort();
    deep(n - 1); total++; }
static void add_twice(void) {
    add(1);
    add(2); }
static void *worker(void *kind) {
    if (!kind) add_twice();
    else pthread_mutex_lock(&m);
    return NULL; }
int main(int count, char **arguments) {
    pthread_t t;
    if (count > 2) deep(2);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, count > 1 ? arguments : NULL);
    if (count == 1) { add(3); flag = 1; }
    pthread_join(t, NULL);
    return 0; }
END
    for compiler in gcc clang; do
        PORTOLAN_CC=$compiler "$program" cc -O1 program.c -o program
        portolan 1 run ./program
        contains "$output" "in add  program.c:7
      in main  program.c:23"
        contains "$output" "in add  program.c:7
      in add_twice  program.c:12
      in worker  program.c:15"
        portolan 1 run ./program abort now
        contains "$output" "  main at program.c:9: calls abort
      in deep  program.c:9
      in deep  program.c:10
      in deep  program.c:10
      in main  program.c:20"
        portolan 1 run --json ./program stuck
        json_is .error deadlock
        json_is '[.stacks[] | "\(.thread): \([.frames[].function] | join(" "))"] | join(", ")' "0: main, 1: worker"
        json_is '.stacks[1].frames[0].place' program.c:16
    done
}

@test "a stack goes through a crash, through libc, and past a jump" {
    built program <<'END'
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf place; static int *nowhere;
static __attribute__((noinline)) void jump(void) { longjmp(place, 1); }
static int compare(const void *a, const void *b) {
    return *nowhere + (a == b); }
static __attribute__((noinline)) void overflow(char *p) { char big[65536]; big[0] = *p + 1; overflow(big); p[0] = big[0]; }
int main(int count, char **arguments) {
    int two[2] = {2, 1};
    (void)arguments;
    if (!setjmp(place)) jump();
    char c = 0;
    if (count > 1) overflow(&c);
    qsort(two, 2, sizeof *two, compare);
    return 0; }
END
    portolan 1 run ./program
    contains "$output" "dereferences a null pointer"
    contains "$output" "      in compare  program.c:6"
    contains "$output" "      in main  program.c:14"
    lacks "$output" "in jump"
    portolan 1 run ./program deep
    contains "$output" "overflows its stack"
    contains "$output" "      in overflow  program.c:7
      ..."
}

@test "stacks are as large as glibc's, or as asked for" {
    built program <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { MEGABYTE = 1 << 20 };
static void *fill(void *size) {
    char large[(size_t)size];
    memset(large, 1, sizeof large);
    return (void *)(size_t)large[sizeof large / 2]; }
static void in_thread(size_t asked, size_t used) {
    pthread_attr_t how; pthread_t thread; void *result;
    pthread_attr_init(&how);
    if (asked) assert(pthread_attr_setstacksize(&how, asked * MEGABYTE) == 0);
    pthread_create(&thread, &how, fill, (void *)(used * MEGABYTE));
    pthread_join(thread, &result);
    assert(result == (void *)1); }
int main(int count, char **arguments) {
    if (count == 1) fill((void *)(7 * MEGABYTE + MEGABYTE / 2)), in_thread(0, 7), in_thread(64, 60);
    else in_thread(strtoul(arguments[1], NULL, 10), strtoul(arguments[2], NULL, 10));
    return 0; }
END
    portolan 0 run ./program
    portolan 1 run ./program 0 60
    contains "$output" "thread 1 at program.c:8: overflows its stack"
    portolan 2 run ./program 10000 1
    contains "$output" "main at program.c:14: asks for a stack of 10000 MB, which is too large here"
}

@test "a call of what is no function, and a stack that was overwritten, are crashes" {
    built program <<'END'
#include <string.h>
static void (*volatile function)(void) = (void (*)(void))16;
static volatile int size = 200;
static __attribute__((noinline)) void call(void) {
    function();
    size = 0; }
static __attribute__((noinline)) void smash(int byte) { char small[8]; memset(small, byte, (size_t)size); }
int main(int count, char **arguments) {
    (void)arguments;
    if (count == 1) call();
    smash(count == 2 ? 0xee : 0);
    return 0; }
END
    portolan 1 run ./program
    contains "$output" "main at program.c:5: calls an address that is not a function (SIGSEGV, address 0x10)"
    contains "$output" "      in call  program.c:5
      in main  program.c:10"
    portolan 1 run ./program other
    contains "$output" "found      crash"
    portolan 1 run ./program and another
    contains "$output" "found      crash"
}

@test "memory errors tell the block, where it was allocated and where it was freed" {
    local case where line
    "$program" cc -O1 -w "$sources/memory.c" -o memory
    portolan 0 run ./memory
    given="of a block of 10 bytes allocated at memory.c:$(grep -n 'line that reports' "$sources/memory.c" | cut -d: -f1) by main"
    freed="$given, freed at memory.c:$(grep -n 'and this one' "$sources/memory.c" | cut -d: -f1)"
    while IFS='|' read -r case message; do
        portolan 1 run -q ./memory "$case"
        echo "$case"
        contains "$output" "found      memory error"
        contains "$output" "$message"
    done <<END
beyond|writes memory beyond a block
beyond|byte 10 $given
before|byte -1 $given
across|byte 10 $given
far|byte -20 of a block of 64 bytes
memcpy|byte 10 $given
memset|byte 10 $given
strlen|reads memory beyond a block
strcat|byte 10 $given
sprintf|byte 10 $given
snprintf|byte 10 $given
sscanf|byte 10 $given
freed|reads memory that was freed
freed|byte 3 $freed
printf|byte 0 $freed
lock|byte 0 $freed
twice|frees a block that was freed before
twice|byte 0 $freed
inside|frees memory that malloc did not return, but a part of a block that it did
inside|byte 4 $given
aligned-inside|byte 16 of a block of 64 bytes
variable|the address is wild
local|the address is a local variable of main
realloc-freed|frees a block that was freed before
realloc-old|writes memory that was freed
raced|writes memory that was freed
lock-raced|reads memory that was freed
END
    for case in null null-atomic null-memcpy; do
        portolan 1 run -q ./memory "$case"
        contains "$output" "main at memory.c:$(($(grep -n "\"$case\"" "$sources/memory.c" | cut -d: -f1) + 1)): dereferences a null pointer"
    done
}

@test "blocks that are lost at the end are found with --leaks, in the schedule that loses them" {
    built program <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[20]; };
static struct node *list;
static _Atomic(char *) slot;
static void *work(void *argument) {
    char *mine = malloc(5);
    char *old = atomic_exchange(&slot, mine);
    if (argument) free(old);
    return NULL; }
int main(int count, char **arguments) {
    pthread_t t;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node; }
    char *held = malloc(7), *inside = malloc(9) + 4;
    if (count > 2) list = list->next;
    pthread_create(&t, NULL, work, count > 1 ? &t : NULL);
    work(count > 1 ? &t : NULL);
    pthread_join(t, NULL);
    if (strcmp(arguments[count - 1], "exit") == 0) exit(held == inside);
    free(held), free(inside - 4);
    return 0; }
END
    portolan 0 run ./program
    portolan 1 run --leaks ./program
    contains "$output" "found      memory leak"
    contains "$output" "1 block of 5 bytes in all is lost at the end"
    contains "$output" "byte 0 of a block of 5 bytes allocated at program.c:9 by"
    contains "$output" "slot: NULL -> block 6 of main  program.c:10"
    portolan 1 run --leaks --trace schedule ./program
    portolan 1 replay ./program schedule
    contains "$output" "found      memory leak"
    portolan 0 run --leaks ./program fine
    portolan 0 run --leaks ./program exit # held and inside are still on the stack of main
    portolan 1 run --leaks ./program fine more
    contains "$output" "1 block of 32 bytes in all is lost"
}

@test "with --spurious a wait ends for no reason, or never" {
    waiting() {
        built program "$@" <<'END'
#include <assert.h>
#include <pthread.h>
#include <threads.h>
static mtx_t m; static cnd_t c; static int ready;
static int waiter(void *unused) {
    (void)unused;
    mtx_lock(&m);
    CHECK (!ready) cnd_wait(&c, &m);
    assert(ready || !SIGNAL);
    mtx_unlock(&m);
    return 0; }
int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain); cnd_init(&c);
    thrd_create(&t, waiter, NULL);
    mtx_lock(&m);
    if (SIGNAL) { ready = 1; cnd_signal(&c); }
    mtx_unlock(&m);
    thrd_join(t, NULL);
    return 0; }
END
    }
    waiting -DCHECK=if -DSIGNAL=1
    portolan 0 run ./program
    portolan 1 run --spurious --trace schedule ./program
    contains "$output" "assertion 'ready || !SIGNAL' failed"
    contains "$output" "disturb c"
    portolan 1 replay ./program schedule
    waiting -DCHECK=while -DSIGNAL=1
    for reduction in optimal source lazy dpor; do
        portolan 0 run --spurious --reduction "$reduction" --json ./program
        json_is .executions 7
    done
    waiting -DCHECK=if -DSIGNAL=0
    portolan 1 run --spurious ./program
    contains "$output" "found      deadlock"
}

@test "a program that does not do the same again is told what differs" {
    built program <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <stdio.h>
static atomic_int x, y;
static void *other(void *unused) { x = 1; return unused; }
int main(void) {
    pthread_t t;
    struct stat file;
    int before = fstat(7, &file) == 0 && file.st_size;
    pthread_create(&t, NULL, other, NULL);
    if (before) {
        x = 2; }
    else {
        y = 1; x = 3; }
    pthread_join(t, NULL);
    return write(7, "x", 1) != 1; }
END
    portolan 2 run ./program 7>seen # no file of the program's: what is written there stays
    contains "$output" "found      nondeterminism"
    contains "$output" "program.c:15"
    contains "$output" "program.c:13"
}

@test "files that an execution leaves open are closed before the next" {
    built program <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int x, number;
static void *other(void *unused) { for (int i = 0; i < 5; i++) if (x++ < 0) abort(); return unused; }
int main(void) {
    pthread_t t;
    FILE *file = fopen("program.c", "r");
    number = open("program.c", O_RDONLY);
    assert(file && number >= 0);
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 5; i++) if (x++ < 0) abort();
    pthread_join(t, NULL);
    fclose(stdout);
    close(1);
    return 0; }
END
    ulimit -n 50
    portolan 0 run --json ./program
    json_is .executions 252
}

@test "what is not modelled is refused by name" {
    local call number=0 cases='switch (which) {'
    local calls=('vfork()' 'execl("a", "b", NULL)' 'raise(10)' 'pause()' 'alarm(1)' 'pthread_cancel(thread)'
        'pthread_atfork(NULL, NULL, NULL)' 'at_quick_exit(abort)' 'sbrk(4)' 'syscall(1)')
    for call in "${calls[@]}"; do
        number=$((number + 1))
        cases+=" case $number: $call; break;"
    done
    two_threads "$cases }" '' | built program -w
    number=0
    for call in "${calls[@]}"; do
        number=$((number + 1))
        portolan 2 run ./program "$number"
        contains "$output" "calls ${call%%(*}, which is not modelled"
    done
    two_threads 'pthread_mutexattr_t a; pthread_mutex_t m; pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, 1); pthread_mutex_init(&m, &a)' '' |
        built program
    portolan 2 run ./program
    contains "$output" "shared between processes"
}

@test "the program's own functions are its own, whatever their names" {
    echo 'int calls; void wait(int *n) { calls += *n; } void error(const char *text) { calls += text[0] == 119; } int random(void) { return 4; }' >own.c
    echo '#include <assert.h>
extern int calls; void wait(int *n); void error(const char *text); int random(void);
int main(void) { int n = 3; wait(&n); error("w"); assert(calls == 4 && random() == 4); return 0; }' >main.c
    "$program" cc -w own.c main.c -o program
    portolan 0 run ./program
    "$program" cc -w -c own.c
    "$program" cc -w -c main.c
    "$program" cc main.o own.o -o program
    portolan 0 run ./program
}

@test "gcc and clang, with and without optimisation, agree" {
    local compiler level name
    for compiler in gcc clang; do
        command -v "$compiler" || continue
        for level in 0 1 2; do
            for name in counter-wrong treiber-stack; do
                PORTOLAN_CC=$compiler "$program" cc "-O$level" "$repository/examples/c/$name.c" -o example
                expected=$(sed -n 's|^// expected: ||p' "$repository/examples/c/$name.c")
                run "$program" run --json ./example
                echo "$compiler -O$level $name: $expected"
                same "$(json 'if .error then .error else "\(.verdict), \(.executions) executions" end')" "$expected"
            done
        done
    done
}

@test "whichever linker makes a program, going back undoes all that it wrote" {
    for linker in bfd gold lld; do
        command -v "ld.$linker" || continue
        "$program" cc "-fuse-ld=$linker" -O1 "$repository/examples/c/writers.c" -o program
        portolan 0 run --journal strict ./program
    done
}
