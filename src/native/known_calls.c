/*
 * Functions of libc whose accesses follow from their arguments: what they will read and write for the program is noted,
 * then libc does it.  One line for each; the caller's registers and stack are left as they are, so that a description
 * is all that is needed.  What is written here as the whole of a buffer may be less.
 */
#include "native/accesses.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <wchar.h>

enum { MOST_TOUCHED = 4, ALONE = 7 };

struct touched {
    enum { NOTHING, A_TEXT, A_WIDE_TEXT, READ, WRITTEN } how;
    uint8_t argument; /* the pointer */
    uint8_t count;    /* the argument that says how many; ALONE: one */
    uint16_t size;    /* of each */
};

struct known_call {
    struct touched touched[MOST_TOUCHED];
};

void portolan_note_call(const struct known_call *call, const uintptr_t *saved, uintptr_t caller);

/* The registers were pushed from the first argument to the sixth, then rax. */
__attribute__((visibility("hidden"))) void portolan_note_call(const struct known_call *call, const uintptr_t *saved,
                                                              uintptr_t caller)
{
    if (!in_program())
        return;
    calls_unseen(); /* what becomes of files and of libc's own variables */
    for (size_t i = 0; i < MOST_TOUCHED && call->touched[i].how != NOTHING; i++) {
        const struct touched *t = &call->touched[i];
        void *address = (void *)saved[6 - t->argument]; // NOLINT
        size_t size = t->size * (t->count == ALONE ? 1 : saved[6 - t->count]);
        if (!address)
            continue;
        if (t->how == A_TEXT)
            reads_text(address, WHOLE_TEXT, caller);
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
#define WIDE(n)                                                                                                        \
    {                                                                                                                  \
        A_WIDE_TEXT, n, ALONE, 4                                                                                       \
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

KNOWN(access, TEXT(0));
KNOWN(chmod, TEXT(0));
KNOWN(fstat, WRITES(1, sizeof(struct stat)));
KNOWN(readlink, TEXT(0), WRITES_MANY(1, 1, 2));
KNOWN(getcwd, WRITES_MANY(0, 1, 1));
KNOWN(link, TEXT(0), TEXT(1));
KNOWN(lstat, TEXT(0), WRITES(1, sizeof(struct stat)));
KNOWN(mkdir, TEXT(0));
KNOWN(opendir, TEXT(0));
KNOWN(remove, TEXT(0));
KNOWN(rename, TEXT(0), TEXT(1));
KNOWN(rmdir, TEXT(0));
KNOWN(stat, TEXT(0), WRITES(1, sizeof(struct stat)));
KNOWN(statvfs, TEXT(0), WRITES(1, sizeof(struct statvfs)));
KNOWN(symlink, TEXT(0), TEXT(1));
KNOWN(truncate, TEXT(0));
KNOWN(unlink, TEXT(0));
KNOWN(fread_unlocked, WRITES_MANY(0, 1, 1));
KNOWN(gethostname, WRITES_MANY(0, 1, 1));
KNOWN(uname, WRITES(0, sizeof(struct utsname)));
KNOWN(getrlimit, WRITES(1, sizeof(struct rlimit)));

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
KNOWN(sigfillset, WRITES(0, sizeof(sigset_t)));
KNOWN(sigdelset, WRITES(0, sizeof(sigset_t)));
KNOWN(pthread_condattr_getpshared, WRITES(1, sizeof(int)));
KNOWN(pthread_mutexattr_getpshared, WRITES(1, sizeof(int)));
KNOWN(pthread_mutexattr_getrobust, WRITES(1, sizeof(int)));
KNOWN(nrand48, WRITES(0, 6));
KNOWN(jrand48, WRITES(0, 6));
KNOWN(erand48, WRITES(0, 6));
KNOWN(_setjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(setjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(__sigsetjmp, WRITES(0, sizeof(jmp_buf)));
KNOWN(longjmp, READS(0, sizeof(jmp_buf)));
KNOWN(_longjmp, READS(0, sizeof(jmp_buf)));
KNOWN(siglongjmp, READS(0, sizeof(jmp_buf)));
KNOWN(__longjmp_chk, READS(0, sizeof(jmp_buf)));

/* --- what is known afterwards only */

ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *file);

static ssize_t read_line(char **line, size_t *capacity, int end, FILE *file, uintptr_t caller)
{
    calls_unseen();
    writes(line, sizeof *line, caller);
    writes(capacity, sizeof *capacity, caller);
    if (*line)
        writes(*line, *capacity, caller);
    ssize_t length = __getdelim(line, capacity, end, file);
    if (length >= 0)
        writes(*line, (size_t)length + 1, caller);
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
