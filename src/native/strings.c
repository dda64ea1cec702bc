/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of <string.h> and the like touch memory on behalf of the program: the linker gives it `__wrap_NAME` for
 * NAME (scripts/runtime).  What is touched is noted first and looked at after that, since where plain accesses are
 * explored another thread may go in between.
 */
#include "native/accesses.h"
#include "native/memory.h"
#include "native/settings.h"
#include "native/unseen.h"

#include <stdlib.h>
#include <strings.h>

/* The shortest way from an address to the end of a word, at most `most`. */
static size_t in_word(const void *address, size_t most)
{
    size_t left = 8 - (uintptr_t)address % 8;
    return left < most ? left : most;
}

/* Word by word where each is a step of its own, so that a value is that of the moment of its step. */
static void copy(void *to, const void *from, size_t size, uintptr_t caller)
{
    if (!in_program() || !chosen.interleave) {
        reads(from, size, caller);
        writes(to, size, caller);
        memmove(to, from, size);
        return;
    }
    bool backward = (uintptr_t)to - (uintptr_t)from < size;
    uint64_t word;
    for (size_t done = 0, length; done < size; done += length) {
        size_t at = done;
        length = in_word((const char *)from + at, in_word((char *)to + at, size - at));
        if (backward) {
            length = 1;
            at = size - 1 - done;
        }
        reads((const char *)from + at, length, caller);
        memcpy(&word, (const char *)from + at, length);
        writes((char *)to + at, length, caller);
        memcpy((char *)to + at, &word, length);
    }
}

static void fill(void *to, int byte, size_t size, uintptr_t caller)
{
    bool apart = in_program() && chosen.interleave;
    for (size_t done = 0, length; done < size; done += length) {
        length = apart ? in_word((char *)to + done, size - done) : size;
        writes((char *)to + done, length, caller);
        memset((char *)to + done, byte, length);
    }
}

/* --- memory */

#define COPIES(name)                                                                                                   \
    EXPORT void *name(void *to, const void *from, size_t size);                                                        \
    EXPORT void *name(void *to, const void *from, size_t size)                                                         \
    {                                                                                                                  \
        copy(to, from, size, CALLER);                                                                                  \
        return to;                                                                                                     \
    }
#define FILLS(name)                                                                                                    \
    EXPORT void *name(void *to, int byte, size_t size);                                                                \
    EXPORT void *name(void *to, int byte, size_t size)                                                                 \
    {                                                                                                                  \
        fill(to, byte, size, CALLER);                                                                                  \
        return to;                                                                                                     \
    }

COPIES(__wrap_memcpy)
COPIES(__wrap_memmove)
COPIES(__tsan_memcpy) /* by clang */
COPIES(__tsan_memmove)
FILLS(__wrap_memset)
FILLS(__tsan_memset)

EXPORT void *__wrap_mempcpy(void *to, const void *from, size_t size);
EXPORT void *__wrap_mempcpy(void *to, const void *from, size_t size)
{
    copy(to, from, size, CALLER);
    return (char *)to + size;
}

EXPORT void *__wrap_memccpy(void *to, const void *from, int byte, size_t size);
EXPORT void *__wrap_memccpy(void *to, const void *from, int byte, size_t size)
{
    const char *end = memchr(from, byte, size);
    size_t length = end ? (size_t)(end - (const char *)from) + 1 : size;
    copy(to, from, length, CALLER);
    return end ? (char *)to + length : NULL;
}

EXPORT void __wrap_bcopy(const void *from, void *to, size_t size);
EXPORT void __wrap_bcopy(const void *from, void *to, size_t size)
{
    copy(to, from, size, CALLER);
}

EXPORT void __wrap_bzero(void *to, size_t size);
EXPORT void __wrap_bzero(void *to, size_t size)
{
    fill(to, 0, size, CALLER);
}

EXPORT void __wrap_explicit_bzero(void *to, size_t size);
EXPORT void __wrap_explicit_bzero(void *to, size_t size)
{
    fill(to, 0, size, CALLER);
}

#define COMPARES(name)                                                                                                 \
    EXPORT int __wrap_##name(const void *a, const void *b, size_t size);                                               \
    EXPORT int __wrap_##name(const void *a, const void *b, size_t size)                                                \
    {                                                                                                                  \
        reads(a, size, CALLER);                                                                                        \
        reads(b, size, CALLER);                                                                                        \
        return memcmp(a, b, size);                                                                                     \
    }

COMPARES(memcmp)
COMPARES(bcmp)

EXPORT void *__wrap_memchr(const void *in, int byte, size_t size);
EXPORT void *__wrap_memchr(const void *in, int byte, size_t size)
{
    const void *found = memchr(in, byte, size);
    reads(in, found ? (size_t)((const char *)found - (const char *)in) + 1 : size, CALLER);
    return memchr(in, byte, size);
}

EXPORT void *__wrap_memmem(const void *in, size_t size, const void *part, size_t part_size);
EXPORT void *__wrap_memmem(const void *in, size_t size, const void *part, size_t part_size)
{
    reads(in, size, CALLER);
    reads(part, part_size, CALLER);
    return memmem(in, size, part, part_size);
}

/* --- texts */

EXPORT size_t __wrap_strlen(const char *text);
EXPORT size_t __wrap_strlen(const char *text)
{
    return reads_text(text, WHOLE_TEXT, CALLER);
}

EXPORT size_t __wrap_strnlen(const char *text, size_t size);
EXPORT size_t __wrap_strnlen(const char *text, size_t size)
{
    return reads_text(text, size, CALLER);
}

EXPORT char *__wrap_strcpy(char *to, const char *from);
EXPORT char *__wrap_strcpy(char *to, const char *from)
{
    copy(to, from, strlen(from) + 1, CALLER);
    return to;
}

EXPORT char *__wrap_stpcpy(char *to, const char *from);
EXPORT char *__wrap_stpcpy(char *to, const char *from)
{
    size_t length = strlen(from);
    copy(to, from, length + 1, CALLER);
    return to + length;
}

EXPORT char *__wrap_strncpy(char *to, const char *from, size_t size);
EXPORT char *__wrap_strncpy(char *to, const char *from, size_t size)
{
    size_t length = reads_text(from, size, CALLER);
    copy(to, from, length, CALLER);
    fill(to + length, 0, size - length, CALLER);
    return to;
}

static char *append(char *to, const char *from, size_t most, uintptr_t caller)
{
    size_t used = reads_text(to, WHOLE_TEXT, caller), length = reads_text(from, most, caller);
    copy(to + used, from, length, caller);
    fill(to + used + length, 0, 1, caller);
    return to;
}

EXPORT char *__wrap_strcat(char *to, const char *from);
EXPORT char *__wrap_strcat(char *to, const char *from)
{
    return append(to, from, WHOLE_TEXT, CALLER);
}

EXPORT char *__wrap_strncat(char *to, const char *from, size_t size);
EXPORT char *__wrap_strncat(char *to, const char *from, size_t size)
{
    return append(to, from, size, CALLER);
}

/* Both up to where they differ or end. */
static void reads_both(const char *a, const char *b, size_t most, uintptr_t caller)
{
    size_t i = 0;
    while (i < most && a[i] && a[i] == b[i])
        i++;
    reads(a, i < most ? i + 1 : most, caller);
    reads(b, i < most ? i + 1 : most, caller);
}

EXPORT int __wrap_strcmp(const char *a, const char *b);
EXPORT int __wrap_strcmp(const char *a, const char *b)
{
    reads_both(a, b, WHOLE_TEXT, CALLER);
    return strcmp(a, b);
}

EXPORT int __wrap_strncmp(const char *a, const char *b, size_t size);
EXPORT int __wrap_strncmp(const char *a, const char *b, size_t size)
{
    reads_both(a, b, size, CALLER);
    return strncmp(a, b, size);
}

EXPORT int __wrap_strcasecmp(const char *a, const char *b);
EXPORT int __wrap_strcasecmp(const char *a, const char *b)
{
    reads_text(a, WHOLE_TEXT, CALLER);
    reads_text(b, WHOLE_TEXT, CALLER);
    return strcasecmp(a, b);
}

EXPORT int __wrap_strncasecmp(const char *a, const char *b, size_t size);
EXPORT int __wrap_strncasecmp(const char *a, const char *b, size_t size)
{
    reads_text(a, size, CALLER);
    reads_text(b, size, CALLER);
    return strncasecmp(a, b, size);
}

#define FINDS_BYTE(name)                                                                                               \
    EXPORT char *__wrap_##name(const char *text, int byte);                                                            \
    EXPORT char *__wrap_##name(const char *text, int byte)                                                             \
    {                                                                                                                  \
        reads_text(text, WHOLE_TEXT, CALLER);                                                                          \
        return (char *)(uintptr_t)name(text, byte);                                                                    \
    }
#define FINDS_TEXT(type, name)                                                                                         \
    EXPORT type __wrap_##name(const char *text, const char *other);                                                    \
    EXPORT type __wrap_##name(const char *text, const char *other)                                                     \
    {                                                                                                                  \
        reads_text(text, WHOLE_TEXT, CALLER);                                                                          \
        reads_text(other, WHOLE_TEXT, CALLER);                                                                         \
        return name(text, other);                                                                                      \
    }

FINDS_BYTE(strchr)
FINDS_BYTE(strchrnul)
FINDS_BYTE(strrchr)
FINDS_BYTE(index)
FINDS_BYTE(rindex)
FINDS_TEXT(char *, strstr)
FINDS_TEXT(char *, strcasestr)
FINDS_TEXT(char *, strpbrk)
FINDS_TEXT(size_t, strspn)
FINDS_TEXT(size_t, strcspn)

/* --- tokens */

static char *token(char *text, const char *separators, char **rest, uintptr_t caller)
{
    reads_text(separators, WHOLE_TEXT, caller);
    reads(rest, sizeof *rest, caller);
    if (!text)
        text = *rest;
    if (!text)
        return NULL;
    reads_text(text, WHOLE_TEXT, caller);
    text += strspn(text, separators);
    char *end = text + strcspn(text, separators);
    if (*end) {
        writes(end, 1, caller);
        *end++ = '\0';
    }
    writes(rest, sizeof *rest, caller);
    *rest = end;
    return *text ? text : NULL;
}

EXPORT char *__wrap_strtok_r(char *text, const char *separators, char **rest);
EXPORT char *__wrap_strtok_r(char *text, const char *separators, char **rest)
{
    return token(text, separators, rest, CALLER);
}

/* Two threads that call it race for its state, which begins anew in each run like all our variables. */
static char *strtok_state;
EXPORT char *__wrap_strtok(char *text, const char *separators);
EXPORT char *__wrap_strtok(char *text, const char *separators)
{
    return token(text, separators, &strtok_state, CALLER);
}

static void token_of_separated(char **rest, const char *separators, uintptr_t caller)
{
    reads_text(separators, WHOLE_TEXT, caller);
    reads_text(*rest, WHOLE_TEXT, caller);
    char *end = *rest + strcspn(*rest, separators);
    bool more = *end;
    if (more) {
        writes(end, 1, caller);
        *end = '\0';
    }
    writes(rest, sizeof *rest, caller);
    *rest = more ? end + 1 : NULL;
}

EXPORT char *__wrap_strsep(char **rest, const char *separators);
EXPORT char *__wrap_strsep(char **rest, const char *separators)
{
    char *text = *rest;
    if (!text)
        return NULL;
    token_of_separated(rest, separators, CALLER);
    return text;
}

/* --- copies on the heap */

static char *duplicate(const char *text, size_t most, uintptr_t caller)
{
    size_t length = reads_text(text, most, caller);
    char *made = program_malloc(length + 1, caller);
    if (made)
        memcpy(made, text, length);
    if (made)
        made[length] = '\0';
    return made;
}

EXPORT char *__wrap_strdup(const char *text);
EXPORT char *__wrap_strdup(const char *text)
{
    return duplicate(text, WHOLE_TEXT, CALLER);
}

EXPORT char *__wrap_strndup(const char *text, size_t size);
EXPORT char *__wrap_strndup(const char *text, size_t size)
{
    return duplicate(text, size, CALLER);
}

/* --- numbers */

#define READS_NUMBER(type, name, real)                                                                                 \
    EXPORT type __wrap_##name(const char *text, char **end);                                                           \
    EXPORT type __wrap_##name(const char *text, char **end)                                                            \
    {                                                                                                                  \
        reads_text(text, WHOLE_TEXT, CALLER);                                                                          \
        if (end)                                                                                                       \
            writes(end, sizeof *end, CALLER);                                                                          \
        return real(text, end);                                                                                        \
    }
#define READS_INTEGER(type, name, real)                                                                                \
    EXPORT type __wrap_##name(const char *text, char **end, int base);                                                 \
    EXPORT type __wrap_##name(const char *text, char **end, int base)                                                  \
    {                                                                                                                  \
        reads_text(text, WHOLE_TEXT, CALLER);                                                                          \
        if (end)                                                                                                       \
            writes(end, sizeof *end, CALLER);                                                                          \
        return real(text, end, base);                                                                                  \
    }
#define READS_ALL(type, name)                                                                                          \
    EXPORT type __wrap_##name(const char *text);                                                                       \
    EXPORT type __wrap_##name(const char *text)                                                                        \
    {                                                                                                                  \
        reads_text(text, WHOLE_TEXT, CALLER);                                                                          \
        return name(text);                                                                                             \
    }

READS_NUMBER(float, strtof, strtof)
READS_NUMBER(double, strtod, strtod)
READS_NUMBER(long double, strtold, strtold)
READS_INTEGER(long, strtol, strtol)
READS_INTEGER(unsigned long, strtoul, strtoul)
READS_INTEGER(long long, strtoll, strtoll)
READS_INTEGER(unsigned long long, strtoull, strtoull)
READS_INTEGER(long, strtoimax, strtol)
READS_INTEGER(unsigned long, strtoumax, strtoul)
READS_INTEGER(long, __isoc23_strtol, strtol) /* newer headers call them so */
READS_INTEGER(unsigned long, __isoc23_strtoul, strtoul)
READS_INTEGER(long long, __isoc23_strtoll, strtoll)
READS_INTEGER(unsigned long long, __isoc23_strtoull, strtoull)
READS_ALL(int, atoi)
READS_ALL(long, atol)
READS_ALL(long long, atoll)
READS_ALL(double, atof)

/* --- sorting: elements are moved by libc, compared by the program */

EXPORT void __wrap_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
EXPORT void __wrap_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    calls_unseen(); /* elements are moved between steps of the comparison */
    writes(array, count * size, CALLER);
    qsort(array, count, size, compare);
}

EXPORT void __wrap_qsort_r(void *array, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                           void *user);
EXPORT void __wrap_qsort_r(void *array, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                           void *user)
{
    calls_unseen();
    writes(array, count * size, CALLER);
    qsort_r(array, count, size, compare, user);
}
