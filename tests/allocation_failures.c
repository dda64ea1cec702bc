/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line, with an allocation that fails: the first, the second, and so on.  Whichever it is, nothing may
 * crash or leak, and the answer is the usual one, "undecided", or an error that says that memory ran out.
 *
 *     allocation_failures DIRECTORY [--most N] [--only CASE [--at K]]
 *
 * The program's own allocations are wrapped by the linker (--wrap), those of libxml2 by its own hooks.
 */
#include <errno.h>
#include <ftw.h>
#include <libxml/xmlmemory.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int portolan_main(int count, char **arguments);

/* --- allocations that fail */

static _Atomic(uint64_t) allocations; /* so far */
static uint64_t fails_at;             /* 0: none */
static bool fails_after;              /* all that come later fail, too */

static bool fails(void)
{
    uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
    bool now = fails_at && (number == fails_at || (fails_after && number > fails_at));
    if (now)
        errno = ENOMEM;
    return now;
}

/* NOLINTBEGIN: the linker makes these names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_open_memstream(char **text, size_t *size);
ssize_t __real_getline(char **line, size_t *capacity, FILE *in);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_open_memstream(char **text, size_t *size);
ssize_t __wrap_getline(char **line, size_t *capacity, FILE *in);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails() ? NULL : __real_fopen(path, mode);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}

ssize_t __wrap_getline(char **line, size_t *capacity, FILE *in)
{
    return fails() ? -1 : __real_getline(line, capacity, in);
}

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
void __asan_on_error(void);
/* NOLINTEND */

/* --- the cases: every command and language */

static const char *const cases[] = {
    "check NET",
    "check NET --all --reduction none --json=out.json --junit out.xml",
    "check NET --trace out.trace --quiet --search bfs",
    "check NET --invariant FORK --reduction stubborn:strong --proviso stack",
    "check NET --invariant FORK --reduction stubborn:closure --proviso color-star",
    "check NET --invariant FORK --reduction lpor --proviso safe --search dfs",
    "check NET --invariant FORK --reduction lpor:plain --proviso queue",
    "check NET --invariant FORK --proviso safe:printed",
    "check NET --invariant FORK --proviso color",
    "check NET --walk 300",
    "check NET --invariant FORK --walk 300",
    "check NET --chains --reduction stubborn",
    "check NET --check-relations",
    "check NET --reduction probe",
    "check NET --reduction probe:strategy=independent,tokens=explicit --proviso age --explain",
    "explore NET --reduction probe:tokens=identity,sleep --explain",
    "check NET --ltl LIVE",
    "check NET --ltl LIVE --reduction none --search ndfs --json",
    "check NET --ltl SAFE --certify out.certificate",
    "check NET --invariant FORK --certify out.certificate",
    "check NET --invariant FORK --reduction probe --certify out.certificate",
    "check NET --ltl SAFE --fair=process",
    "check NET --ltl-file formula.ltl",
    "check NET --automaton automaton.hoa",
    "check NET --ltl LIVE --print-automaton",
    "check NET --random 5 --bound 6",
    "check NET --bound 2 --reduction optimal",
    "explore KANBAN --threads 3",
    "explore KANBAN --threads 3 --search dfs",
    "explore KANBAN --threads 2 --store tree --checkpoint out.saved,0.0001",
    "check KANBAN --threads 2 --reduction stubborn --search dfs --checkpoint out.saved,0.0001",
    "check KANBAN --ltl RUNS --threads 2",
    "check KANBAN --ltl RUNS --threads 2 --fair",
    "check BROKEN-NET",
    "check THREADS",
    "check THREADS --reduction stubborn --json",
    "check THREADS --reduction optimal --traces out.traces",
    "check THREADS --reduction lazy --races",
    "check THREADS --reduction source",
    "check THREADS --reduction dpor",
    "check THREADS --preemptions 1",
    "check THREADS --random 10",
    "check THREADS --search stateless --threads 2",
    "check PRINTED",
    "check BROKEN-THREADS",
    "check PROTOCOL",
    "check PROTOCOL --reduction none -D N=2",
    "check PROTOCOL --reduction lpor --json",
    "check PROTOCOL --invariant NEVER --msc out.svg",
    "check PROTOCOL --reduction optimal",
    "check BROKEN-PROTOCOL",
    "check ENTITIES",
    "check ENTITIES --reduction probe --json",
    "check BROKEN-ENTITIES",
    "explore NET --export dot",
    "explore PROTOCOL --export aut --output out.aut",
    "explore THREADS --json",
    "compare NET --json",
    "compare THREADS",
    "replay NET net.trace",
    "replay THREADS threads.trace --json",
    "replay PROTOCOL protocol.trace --msc out.svg",
    "simulate NET --reduction stubborn --steps 3 --output out.trace",
    "simulate NET --trace net.trace --reduction lpor --json",
    "simulate PROTOCOL --steps 5 --invariant NEVER",
    "simulate THREADS --trace threads.trace --steps 3",
    "explore GRAMMAR --start table-2 --isomorphism off",
    "explore CONTROL",
    "explore CONTROL --isomorphism off",
    "check GRAMMAR --start table-2",
    "check GRAMMAR --start table-2 --ground --reduction probe",
    "check GRAMMAR --start table-2 --pictures out.svg",
    "explore BROKEN-GRAMMAR",
    "check TEXT",
    "check TEXT --conditions --isomorphism off --json",
    "explore TEXT --export dot",
    "check PLAIN --ground --ltl HOLDS",
    "check PLAIN --ground --invariant HELD --certify out.certificate",
    "check PLAIN --pictures out.html --isomorphism off",
    "explore BROKEN-TEXT",
    "convert GRAMMAR out.gg",
    "convert GRAMMAR out.gps",
    "convert TEXT out.gps",
    "convert TEXT -",
    "convert CONTROL out.gps",
    "convert BROKEN-TEXT out.gg",
    "check LETTERS -D LETTERS=1",
    "check LETTERS -D LETTERS=1 -D ground=0 --json",
    "check LETTERS -D LETTERS=1 -D ground=0 --reach SENT --reduction none",
    "check LETTERS -D LETTERS=1 -D ground=0 --ltl ALL-SENT",
    "check LETTERS -D LETTERS=1 --properties letters.prop.lna",
    "check BROKEN-LETTERS",
    "check SYMMETRIC",
    "check SYMMETRIC -D ground=0 --trace out.trace",
    "check BROKEN-SYMMETRIC",
    "check NET --properties questions.xml",
    "check NET --properties questions.xml --simplify none --json",
    "check NET --properties BROKEN-QUESTIONS",
    "check DVE",
    "check DVE --reduction none --json",
    "check DVE --reach SERVED --reduction optimal",
    "explore DVE",
    "check BROKEN-DVE",
    "check PROMELA",
    "explore PROMELA --leave-out-unread --check-relations",
    "check BROKEN-PROMELA",
    "certify net.certificate NET",
    "certify ltl.certificate NET",
    "generate philosophers 3 --output out.pnml",
    "generate bakery 2 3",
    "ltl HARD",
    "ltl HARD --buchi --dot",
    "list",
    "help check",
    "check NET --reduction stuborn",
    NULL};

static const struct {
    const char *word, *meaning;
} words[] = {{"NET", "net.pnml"},
             {"KANBAN", "kanban.pnml"},
             {"RUNS", "G F finished_1 > 0"},
             {"THREADS", "threads.dl"},
             {"PRINTED", "printed.dl"},
             {"PROTOCOL", "protocol.mp"},
             {"ENTITIES", "entities.ent"},
             {"GRAMMAR", "grammar.gps"},
             {"CONTROL", "control.gg"},
             {"BROKEN-GRAMMAR", "broken.gps"},
             {"TEXT", "text.gg"},
             {"PLAIN", "plain.gg"},
             {"BROKEN-TEXT", "broken.gg"},
             {"LETTERS", "letters.lna"},
             {"BROKEN-LETTERS", "broken.lna"},
             {"SENT", "sent == 1 && all_sent"},
             {"ALL-SENT", "F all_sent"},
             {"SYMMETRIC", "symmetric.pnml"},
             {"BROKEN-SYMMETRIC", "broken-symmetric.pnml"},
             {"BROKEN-QUESTIONS", "broken.xml"},
             {"DVE", "model.dve"},
             {"PROMELA", "model.pml"},
             {"BROKEN-PROMELA", "broken.pml"},
             {"BROKEN-DVE", "broken.dve"},
             {"SERVED", "served == 2"},
             {"HELD", "\"edges(holds)\" <= 4"},
             {"HOLDS", "G \"edges(holds)\" <= 4"},
             {"BROKEN-NET", "broken.pnml"},
             {"BROKEN-THREADS", "broken.dl"},
             {"BROKEN-PROTOCOL", "broken.mp"},
             {"BROKEN-ENTITIES", "broken.ent"},
             {"FORK", "fork_1 + eats_1 <= 1 || fork_1 < 7"},
             {"NEVER", "one = 0"},
             {"LIVE", "G F \"eats_1\" > 0 || F fork_1 = 0"},
             {"SAFE", "G (fork_1 <= 1)"},
             {"HARD", "(G F a -> G F b) && (c U d || X e)"},
             {NULL, NULL}};

enum { MOST_WORDS = 20 };

static int split(const char *text, char *copy, char **arguments)
{
    int count = 1;
    arguments[0] = (char *)(uintptr_t) "portolan";
    strcpy(copy, text);
    for (char *word = strtok(copy, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) {
        arguments[count] = word;
        for (size_t i = 0; words[i].word; i++)
            if (strcmp(word, words[i].word) == 0)
                arguments[count] = (char *)(uintptr_t)words[i].meaning;
        count++;
    }
    return count;
}

/* --- running them */

static char present[200]; /* what is being run, for whoever dies */

static void tell_present(void)
{
    ssize_t ignored = write(3, present, strlen(present));
    (void)ignored;
}

void __asan_on_error(void)
{
    tell_present();
}

static void on_crash(int number)
{
    tell_present();
    signal(number, SIG_DFL);
    raise(number);
}

struct outcome {
    int status;
    bool speaks_of_memory;
    char errors[600];
};

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place)
{
    (void)status;
    (void)flag;
    (void)place;
    return remove(path);
}

static struct outcome run_case(const char *text, uint64_t at, bool after)
{
    char copy[300], *arguments[MOST_WORDS + 1] = {0};
    struct outcome outcome = {0};
    int count = split(text, copy, arguments);
    snprintf(present, sizeof present, "portolan %s, allocation %llu%s\n", text, (unsigned long long)at,
             after ? " and all that follow" : "");
    if (ftruncate(STDERR_FILENO, 0) != 0 || lseek(STDERR_FILENO, 0, SEEK_SET) != 0)
        abort();
    nftw("out.gps", remove_one, 16, FTW_DEPTH | FTW_PHYS); /* a directory is written where there is none */
    atomic_store(&allocations, 0);
    fails_at = at;
    fails_after = after;
    outcome.status = portolan_main(count, arguments);
    fails_at = 0;
    fflush(stdout);
    fflush(stderr);
    clearerr(stdout);
    ssize_t got = pread(STDERR_FILENO, outcome.errors, sizeof outcome.errors - 1, 0);
    outcome.errors[got > 0 ? got : 0] = '\0';
    outcome.speaks_of_memory = strstr(outcome.errors, "emory") || strstr(outcome.errors, "usage") ||
                               strstr(outcome.errors, "too long to show");
    return outcome;
}

/* The usual answer, "undecided", or that memory ran out. */
static bool is_fine(const struct outcome *usual, const struct outcome *outcome)
{
    if (outcome->status == 2)
        return outcome->speaks_of_memory || (usual->status == 2 && outcome->errors[0]);
    return outcome->status == usual->status || outcome->status == 3;
}

static bool check_one(FILE *out, const char *text, const struct outcome *usual, uint64_t at, bool after)
{
    struct outcome outcome = run_case(text, at, after);
    if (is_fine(usual, &outcome))
        return true;
    fprintf(out, "%.*s: status %d, not %d: %s\n", (int)strlen(present) - 1, present, outcome.status, usual->status,
            outcome.errors);
    return false;
}

/* The first failures one by one, then some of the rest. */
/* Only cases that are meant to be wrong may be: one that fails early would not get to where allocations could fail. */
static bool is_usual(const char *text, int status)
{
    bool wrong = strstr(text, "BROKEN") || strstr(text, "stuborn");
    return status >= 0 && status <= 3 && wrong == (status == 2);
}

static bool check_case(FILE *out, const char *text, uint64_t most, uint64_t only)
{
    struct outcome usual = run_case(text, 0, false);
    uint64_t total = atomic_load(&allocations);
    bool fine = is_usual(text, usual.status), leaks = false;
    if (!fine)
        fprintf(out, "portolan %s: status %d: %s\n", text, usual.status, usual.errors);
    uint64_t step = total > most ? (total - most / 2) / (most / 2) + 1 : 1;
    for (uint64_t at = only ? only : 1; at <= (only ? only : total); at += at < most / 2 ? 1 : step) {
        fine &= check_one(out, text, &usual, at, false);
        fine &= check_one(out, text, &usual, at, true);
        if (only && __lsan_do_recoverable_leak_check)
            leaks |= __lsan_do_recoverable_leak_check() != 0;
    }
    if (!only && __lsan_do_recoverable_leak_check)
        leaks = __lsan_do_recoverable_leak_check() != 0;
    if (leaks)
        fprintf(out, "portolan %s: memory leaks\n", text);
    return fine && !leaks;
}

int main(int count, char **arguments)
{
    uint64_t most = 120, only = 0;
    const char *only_case = NULL;
    for (int i = 2; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "--most") == 0)
            most = strtoull(arguments[i + 1], NULL, 10);
        else if (strcmp(arguments[i], "--only") == 0)
            only_case = arguments[i + 1];
        else if (strcmp(arguments[i], "--at") == 0)
            only = strtoull(arguments[i + 1], NULL, 10);
    }
    if (count < 2 || most < 2 || chdir(arguments[1]) != 0 || dup2(STDOUT_FILENO, 3) != 3)
        return 2;
    FILE *out = fdopen(3, "w");
    if (!out || !freopen("/dev/null", "w", stdout) || !freopen("errors", "w+", stderr) ||
        xmlMemSetup(free, __wrap_malloc, __wrap_realloc, __wrap_strdup) != 0)
        return 2;
    setvbuf(out, NULL, _IOLBF, 0);
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    bool fine = true;
    for (size_t i = 0; cases[i]; i++)
        if (!only_case || strcmp(only_case, cases[i]) == 0)
            fine &= check_case(out, cases[i], most, only);
    fprintf(out, fine ? "allocation_failures: all fine\n" : "allocation_failures: something is wrong\n");
    fclose(out);
    return !fine;
}
