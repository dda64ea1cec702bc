/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc whose accesses follow from their arguments: what they will read and write for the program is noted,
 * then libc does it.  One line for each; the caller's registers and stack are left as they are, so that a description
 * is all that is needed.  What is written here as the whole of a buffer may be less.
 */
#include "native/accesses.h"
#include "native/memory.h"
#include "native/own_words.h"
#include "native/unseen.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <wchar.h>

enum { MOST_TOUCHED = 4, ALONE = 7 };

struct touched {
    enum { NOTHING, A_TEXT, A_PATH, A_STREAM, A_NUMBER, A_WIDE_TEXT, JUMP, READ, WRITTEN } how;
    uint8_t argument; /* the pointer */
    uint8_t count;    /* the argument that says how many; ALONE: one */
    uint16_t size;    /* of each */
};

struct known_call {
    struct touched touched[MOST_TOUCHED];
};

void portolan_note_call(const struct known_call *call, const uintptr_t *saved, uintptr_t caller);

static bool only_prints(const struct known_call *call, const uintptr_t *saved)
{
    for (size_t i = 0; i < MOST_TOUCHED; i++) {
        uintptr_t stream = saved[6 - call->touched[i].argument];
        if (call->touched[i].how == A_STREAM && (stream == (uintptr_t)stdout || stream == (uintptr_t)stderr))
            return true;
    }
    return false;
}

/* The registers were pushed from the first argument to the sixth, then rax. */
__attribute__((visibility("hidden"))) void portolan_note_call(const struct known_call *call, const uintptr_t *saved,
                                                              uintptr_t caller)
{
    if (!in_program())
        return;
    if (!only_prints(call, saved))
        calls_unseen(); /* what becomes of files and of libc's own variables */
    for (size_t i = 0; i < MOST_TOUCHED && call->touched[i].how != NOTHING; i++) {
        const struct touched *t = &call->touched[i];
        void *address = (void *)saved[6 - t->argument]; // NOLINT
        size_t size = t->size * (t->count == ALONE ? 1 : saved[6 - t->count]);
        if (t->how == A_NUMBER)
            number_used((int)(uintptr_t)address, caller);
        if (t->how == JUMP)
            functions_are_left();
        if (!address || t->how == A_NUMBER || t->how == JUMP)
            continue;
        if (t->how <= A_PATH)
            reads_text(address, WHOLE_TEXT, caller);
        if (t->how == A_PATH)
            path_used(address, false, caller);
        else if (t->how == A_STREAM)
            stream_used(address, caller);
        else if (t->how == A_WIDE_TEXT)
            reads(address, (wcsnlen(address, (size_t)PTRDIFF_MAX / 4) + 1) * sizeof(wchar_t), caller);
        else if (t->how == WRITTEN)
            writes(address, size, caller);
        else
            reads(address, size, caller);
    }
}

#define TEXT(n)                                                                                                        \
    {                                                                                                                  \
        A_TEXT, n, ALONE, 1                                                                                            \
    }
#define PATH(n)                                                                                                        \
    {                                                                                                                  \
        A_PATH, n, ALONE, 1                                                                                            \
    }
#define STREAM(n)                                                                                                      \
    {                                                                                                                  \
        A_STREAM, n, ALONE, 1                                                                                          \
    }
#define NUMBER(n)                                                                                                      \
    {                                                                                                                  \
        A_NUMBER, n, ALONE, 1                                                                                          \
    }
#define WIDE(n)                                                                                                        \
    {                                                                                                                  \
        A_WIDE_TEXT, n, ALONE, 4                                                                                       \
    }
#define JUMPS                                                                                                          \
    {                                                                                                                  \
        JUMP, 0, ALONE, 1                                                                                              \
    }
#define READS(n, size)                                                                                                 \
    {                                                                                                                  \
        READ, n, ALONE, size                                                                                           \
    }
#define WRITES(n, size)                                                                                                \
    {                                                                                                                  \
        WRITTEN, n, ALONE, size                                                                                        \
    }
#define READS_MANY(n, size, count)                                                                                     \
    {                                                                                                                  \
        READ, n, count, size                                                                                           \
    }
#define WRITES_MANY(n, size, count)                                                                                    \
    {                                                                                                                  \
        WRITTEN, n, count, size                                                                                        \
    }

#define KNOWN(name, ...)                                                                                               \
    extern const struct known_call portolan_known_##name;                                                              \
    __attribute__((visibility("hidden"))) const struct known_call portolan_known_##name = {{__VA_ARGS__}};             \
    __asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ",@function\n__wrap_" #name ":\n"                    \
            "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %rax\n"                       \
            "movq %rsp,%rsi\nleaq portolan_known_" #name "(%rip),%rdi\nmovq 56(%rsp),%rdx\n"                           \
            "call portolan_note_call\n"                                                                                \
            "popq %rax\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"                              \
            "jmp *" #name "@GOTPCREL(%rip)\n.size __wrap_" #name ",.-__wrap_" #name "\n")

/* --- files and directories */

KNOWN(fstat, NUMBER(0), WRITES(1, sizeof(struct stat)));
KNOWN(fstat64, NUMBER(0), WRITES(1, sizeof(struct stat)));
KNOWN(readlink, PATH(0), WRITES_MANY(1, 1, 2));
KNOWN(getcwd, WRITES_MANY(0, 1, 1));
KNOWN(statvfs, TEXT(0), WRITES(1, sizeof(struct statvfs)));
KNOWN(ftruncate, NUMBER(0));
KNOWN(ftruncate64, NUMBER(0));
KNOWN(lseek, NUMBER(0));
KNOWN(lseek64, NUMBER(0));
KNOWN(dup2, NUMBER(0));
KNOWN(mincore, WRITES(2, 1));
/* what threads do to one directory at the same time is undefined */
KNOWN(readdir, WRITES(0, 8));
KNOWN(rewinddir, WRITES(0, 8));
KNOWN(closedir, WRITES(0, 8));
KNOWN(gethostname, WRITES_MANY(0, 1, 1));
KNOWN(uname, WRITES(0, sizeof(struct utsname)));
KNOWN(getrlimit, WRITES(1, sizeof(struct rlimit)));

/* --- streams */

KNOWN(getc, STREAM(0));
KNOWN(fgetc, STREAM(0));
KNOWN(getchar, {NOTHING, 0, ALONE, 0});
KNOWN(getc_unlocked, STREAM(0));
KNOWN(fgetc_unlocked, STREAM(0));
KNOWN(ungetc, STREAM(1));
KNOWN(putc, STREAM(1));
KNOWN(fputc, STREAM(1));
KNOWN(putc_unlocked, STREAM(1));
KNOWN(fputc_unlocked, STREAM(1));
KNOWN(fputs_unlocked, TEXT(0), STREAM(1));
KNOWN(fread_unlocked, STREAM(3), WRITES_MANY(0, 1, 1));
KNOWN(fwrite_unlocked, STREAM(3), READS_MANY(0, 1, 1));
KNOWN(fseek, STREAM(0));
KNOWN(fseeko, STREAM(0));
KNOWN(ftell, STREAM(0));
KNOWN(ftello, STREAM(0));
KNOWN(rewind, STREAM(0));
KNOWN(fflush, STREAM(0));
KNOWN(feof, STREAM(0));
KNOWN(fmemopen, TEXT(2), WRITES_MANY(0, 1, 1));

/* --- texts */

KNOWN(memrchr, READS_MANY(0, 1, 2));
KNOWN(strcoll, TEXT(0), TEXT(1));
KNOWN(strverscmp, TEXT(0), TEXT(1));
KNOWN(fnmatch, TEXT(0), TEXT(1));
KNOWN(strerror_r, WRITES_MANY(1, 1, 2));
KNOWN(__xpg_strerror_r, WRITES_MANY(1, 1, 2));
KNOWN(swab, READS_MANY(0, 1, 2), WRITES_MANY(1, 1, 2));
KNOWN(mbstowcs, TEXT(1), WRITES_MANY(0, 4, 2));
KNOWN(wcstombs, WIDE(1), WRITES_MANY(0, 1, 2));
KNOWN(mbrtowc, READS_MANY(1, 1, 2), WRITES(0, 4), WRITES(3, sizeof(mbstate_t)));
KNOWN(wcrtomb, WRITES(0, 1), WRITES(2, sizeof(mbstate_t)));
KNOWN(wcslen, WIDE(0));
KNOWN(wcsnlen, WIDE(0));
KNOWN(wcscmp, WIDE(0), WIDE(1));
KNOWN(wcschr, WIDE(0));
KNOWN(wcsstr, WIDE(0), WIDE(1));
KNOWN(wmemcpy, READS_MANY(1, 4, 2), WRITES_MANY(0, 4, 2));
KNOWN(wmemset, WRITES_MANY(0, 4, 2));
KNOWN(wmemcmp, READS_MANY(0, 4, 2), READS_MANY(1, 4, 2));

/* --- the rest */

KNOWN(strftime, TEXT(2), READS(3, sizeof(struct tm)), WRITES_MANY(0, 1, 1));
KNOWN(strptime, TEXT(0), TEXT(1), WRITES(2, sizeof(struct tm)));
KNOWN(mktime, WRITES(0, sizeof(struct tm)));
KNOWN(timegm, WRITES(0, sizeof(struct tm)));
KNOWN(sigaddset, WRITES(0, sizeof(sigset_t)));
KNOWN(sigemptyset, WRITES(0, sizeof(sigset_t)));
KNOWN(sigismember, READS(0, sizeof(sigset_t)));
KNOWN(sigfillset, WRITES(0, sizeof(sigset_t)));
KNOWN(sigdelset, WRITES(0, sizeof(sigset_t)));
KNOWN(pthread_condattr_getpshared, WRITES(1, sizeof(int)));
KNOWN(pthread_mutexattr_getpshared, WRITES(1, sizeof(int)));
KNOWN(pthread_mutexattr_getrobust, WRITES(1, sizeof(int)));
KNOWN(fegetenv, WRITES(0, sizeof(fenv_t)));
KNOWN(feholdexcept, WRITES(0, sizeof(fenv_t)));
KNOWN(fesetenv, READS(0, sizeof(fenv_t)));
KNOWN(feupdateenv, READS(0, sizeof(fenv_t)));
KNOWN(sched_getaffinity, WRITES_MANY(2, 1, 1));
KNOWN(sched_setaffinity, READS_MANY(2, 1, 1));
KNOWN(__sched_cpucount, READS_MANY(1, 1, 0));
KNOWN(pthread_attr_getstack, WRITES(1, sizeof(void *)), WRITES(2, sizeof(size_t)));
KNOWN(nrand48, WRITES(0, 6));
KNOWN(jrand48, WRITES(0, 6));
KNOWN(erand48, WRITES(0, 6));
KNOWN(_setjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(setjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(__sigsetjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(longjmp, READS(0, sizeof(jmp_buf)), JUMPS);
KNOWN(_longjmp, READS(0, sizeof(jmp_buf)), JUMPS);
KNOWN(siglongjmp, READS(0, sizeof(jmp_buf)), JUMPS);
KNOWN(__longjmp_chk, READS(0, sizeof(jmp_buf)), JUMPS);

/* --- what is known afterwards only */

ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *file);

/* The line is a block of the program's, of the size that libc would give it. */
static bool make_room(char **line, size_t *capacity, size_t size, uintptr_t caller)
{
    enum { LEAST = 120 };
    size_t larger = 2 * *capacity > size ? 2 * *capacity : size;
    if (*line && *capacity >= size)
        return true;
    larger = larger < LEAST ? LEAST : larger;
    char *room = program_realloc(*line, larger, caller);
    if (!room)
        return false;
    *line = room;
    *capacity = larger;
    return true;
}

static ssize_t read_line(char **line, size_t *capacity, int end, FILE *file, uintptr_t caller)
{
    char *text = NULL;
    size_t size = 0;
    calls_unseen();
    writes(line, sizeof *line, caller);
    writes(capacity, sizeof *capacity, caller);
    stream_used(file, caller);
    bool has_room = make_room(line, capacity, 1, caller);
    ssize_t length = has_room ? __getdelim(&text, &size, end, file) : -1;
    if (length >= 0 && make_room(line, capacity, (size_t)length + 1, caller)) {
        writes(*line, (size_t)length + 1, caller);
        memcpy(*line, text, (size_t)length + 1);
    } else {
        length = -1;
    }
    free(text);
    return length;
}

EXPORT ssize_t __wrap___getdelim(char **line, size_t *capacity, int end, FILE *file);
EXPORT ssize_t __wrap___getdelim(char **line, size_t *capacity, int end, FILE *file)
{
    return read_line(line, capacity, end, file, CALLER);
}

EXPORT ssize_t __wrap_getdelim(char **line, size_t *capacity, int end, FILE *file);
EXPORT ssize_t __wrap_getdelim(char **line, size_t *capacity, int end, FILE *file)
{
    return read_line(line, capacity, end, file, CALLER);
}

EXPORT ssize_t __wrap_getline(char **line, size_t *capacity, FILE *file);
EXPORT ssize_t __wrap_getline(char **line, size_t *capacity, FILE *file)
{
    return read_line(line, capacity, '\n', file, CALLER);
}

#define SPLITS(name, type, part)                                                                                       \
    EXPORT type __wrap_##name(type value, part *result);                                                               \
    EXPORT type __wrap_##name(type value, part *result)                                                                \
    {                                                                                                                  \
        writes(result, sizeof *result, CALLER);                                                                        \
        return name(value, result);                                                                                    \
    }

SPLITS(modf, double, double)
SPLITS(modff, float, float)
SPLITS(modfl, long double, long double)
SPLITS(frexp, double, int)
SPLITS(frexpf, float, int)
SPLITS(frexpl, long double, int)
