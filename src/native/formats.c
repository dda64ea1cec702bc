/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What printf and scanf and the other functions of <stdio.h> and <unistd.h> read and write on behalf of the program.
 * The arguments that a format names are found by reading it as libc does; numbered ones (%1$s) are left alone.
 */
#include "native/accesses.h"
#include "native/descriptors.h"
#include "native/memory.h"
#include "native/unseen.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

/* --- formats */

struct conversion {
    bool suppressed; /* %*d of scanf */
    bool numbered;   /* %1$d */
    long width, precision;
    char size; /* 'h', 'H' for hh, 'l', 'L' for ll and L, 'm' for scanf's own memory; 0 */
    char kind;
};

enum { NO_NUMBER = -1, IS_ARGUMENT = -2 };

static long read_number(const char **at)
{
    if (**at == '*')
        return ++*at, IS_ARGUMENT;
    char *end;
    long number = strtol(*at, &end, 10);
    if (end == *at)
        return NO_NUMBER;
    *at = end;
    return number;
}

static char read_size(const char **at)
{
    char size = 0;
    for (; **at && strchr("hlqLjzZtm", **at); ++*at)
        switch (**at) {
        case 'h': size = size == 'h' ? 'H' : 'h'; break;
        case 'l': size = size == 'l' ? 'L' : 'l'; break;
        case 'q':
        case 'L': size = 'L'; break;
        case 'm': size = 'm'; break;
        default: size = 'l';
        }
    return size;
}

/* Reads a conversion after its '%' and moves past it. */
static struct conversion read_conversion(const char **at, bool scans)
{
    struct conversion c = {.width = NO_NUMBER, .precision = NO_NUMBER};
    if (scans && **at == '*') {
        c.suppressed = true;
        ++*at;
    }
    if (!scans)
        *at += strspn(*at, "-+ #0'I");
    c.width = read_number(at);
    if (**at == '$')
        c.numbered = true;
    if (!scans && **at == '.') {
        ++*at;
        c.precision = read_number(at);
        c.precision = c.precision == NO_NUMBER ? 0 : c.precision;
    }
    if (!scans && **at == 'm') { /* the text of errno */
        c.kind = '%';
        ++*at;
        return c;
    }
    c.size = read_size(at);
    c.kind = **at;
    if (c.kind)
        ++*at;
    if (scans && c.kind == '[') {
        *at += **at == '^';
        *at += **at == ']';
        *at += strcspn(*at, "]");
        *at += **at == ']';
    }
    return c;
}

static size_t integer_size(char size)
{
    return size == 'H' ? 1 : size == 'h' ? 2 : size == 0 ? 4 : 8;
}

/* --- printing */

static void note_printed(struct conversion c, void *pointer, uintptr_t caller)
{
    if (!pointer)
        return;
    if (c.kind == 'n')
        writes(pointer, integer_size(c.size), caller);
    else if (c.kind == 's' && c.size != 'l')
        reads_text(pointer, c.precision < 0 ? WHOLE_TEXT : (size_t)c.precision, caller);
    else if (c.kind == 'S' || c.kind == 's')
        reads(pointer, wcsnlen(pointer, c.precision < 0 ? SIZE_MAX / 4 : (size_t)c.precision) * 4, caller);
}

/* Notes the format and the texts that it prints; the arguments are used up. */
static void note_format(const char *format, va_list arguments, uintptr_t caller)
{
    if (!in_program())
        return;
    reads_text(format, WHOLE_TEXT, caller);
    while ((format = strchr(format, '%'))) {
        format++;
        struct conversion c = read_conversion(&format, false);
        if (c.numbered || !c.kind)
            return;
        if (c.width == IS_ARGUMENT)
            (void)va_arg(arguments, int);
        if (c.precision == IS_ARGUMENT)
            c.precision = va_arg(arguments, int);
        if (strchr("aAeEfFgG", c.kind)) {
            if (c.size == 'L')
                (void)va_arg(arguments, long double);
            else
                (void)va_arg(arguments, double);
        } else if (c.kind != '%') {
            note_printed(c, va_arg(arguments, void *), caller);
        }
    }
}

/* The length first, so that the destination is checked before it is written. */
static int print_to(char *to, size_t size, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    va_copy(copy, arguments);
    note_format(format, copy, caller);
    va_end(copy);
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length >= 0 && size)
        writes(to, (size_t)length < size ? (size_t)length + 1 : size, caller);
    return vsnprintf(to, size, format, arguments);
}

static int print_on(FILE *file, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    va_copy(copy, arguments);
    note_format(format, copy, caller);
    va_end(copy);
    stream_used(file, caller);
    return vfprintf(file, format, arguments);
}

static int print_at(int file, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    va_copy(copy, arguments);
    note_format(format, copy, caller);
    va_end(copy);
    number_used(file, caller);
    return vdprintf(file, format, arguments);
}

static int print_new(char **text, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *made = length < 0 ? NULL : program_malloc((size_t)length + 1, caller);
    writes(text, sizeof *text, caller);
    *text = made;
    return *text ? print_to(*text, (size_t)length + 1, format, arguments, caller) : -1;
}

/* Two functions each: one with its arguments, one with a list of them. */
#define FORMATS(name, parameters, format, call)                                                                        \
    EXPORT int __wrap_v##name(UNPACK parameters, va_list arguments);                                                   \
    EXPORT int __wrap_v##name(UNPACK parameters, va_list arguments)                                                    \
    {                                                                                                                  \
        return call;                                                                                                   \
    }                                                                                                                  \
    EXPORT int __wrap_##name(UNPACK parameters, ...);                                                                  \
    EXPORT int __wrap_##name(UNPACK parameters, ...)                                                                   \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int result = call;                                                                                             \
        va_end(arguments);                                                                                             \
        return result;                                                                                                 \
    }
#define UNPACK(...) __VA_ARGS__

FORMATS(printf, (const char *format), format, print_on(stdout, format, arguments, CALLER))
FORMATS(fprintf, (FILE * file, const char *format), format, print_on(file, format, arguments, CALLER))
FORMATS(dprintf, (int file, const char *format), format, print_at(file, format, arguments, CALLER))
FORMATS(sprintf, (char *to, const char *format), format, print_to(to, INT_MAX, format, arguments, CALLER))
FORMATS(snprintf, (char *to, size_t size, const char *format), format, print_to(to, size, format, arguments, CALLER))
FORMATS(asprintf, (char **text, const char *format), format, print_new(text, format, arguments, CALLER))

/* --- scanning: what was written is known only when it is done, too late for the journal */

static void note_scanned(struct conversion c, void *pointer, uintptr_t caller)
{
    if (c.size == 'm')
        writes(pointer, sizeof(char *), caller);
    else if (strchr("aAeEfFgG", c.kind))
        writes(pointer, c.size == 'L' ? sizeof(long double) : c.size == 'l' ? sizeof(double) : sizeof(float), caller);
    else if (c.kind == 'c')
        writes(pointer, c.width > 0 ? (size_t)c.width : 1, caller);
    else if (c.size != 'l' && (c.kind == 's' || c.kind == '['))
        writes(pointer, strlen(pointer) + 1, caller);
    else if (c.kind == 'p')
        writes(pointer, sizeof(void *), caller);
    else if (strchr("diouxXn", c.kind))
        writes(pointer, integer_size(c.size), caller);
}

static void note_scan(const char *format, va_list arguments, int assigned, uintptr_t caller)
{
    while (in_program() && (format = strchr(format, '%'))) {
        format++;
        struct conversion c = read_conversion(&format, true);
        if (c.numbered || !c.kind || (assigned <= 0 && c.kind != 'n'))
            return;
        if (c.kind == '%' || c.suppressed)
            continue;
        note_scanned(c, va_arg(arguments, void *), caller);
        assigned -= c.kind != 'n';
    }
}

static int scan_text(const char *text, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    calls_unseen();
    va_copy(copy, arguments);
    reads_text(text, WHOLE_TEXT, caller);
    reads_text(format, WHOLE_TEXT, caller);
    int assigned = vsscanf(text, format, arguments);
    note_scan(format, copy, assigned, caller);
    va_end(copy);
    return assigned;
}

static int scan_file(FILE *file, const char *format, va_list arguments, uintptr_t caller)
{
    va_list copy;
    calls_unseen();
    va_copy(copy, arguments);
    reads_text(format, WHOLE_TEXT, caller);
    stream_used(file, caller);
    int assigned = vfscanf(file, format, arguments);
    note_scan(format, copy, assigned, caller);
    va_end(copy);
    return assigned;
}

#define SCANS(prefix, v)                                                                                               \
    SCAN(prefix##v##scanf, prefix##scanf, (const char *format), scan_file(stdin, format, arguments, CALLER))           \
    SCAN(prefix##v##fscanf, prefix##fscanf, (FILE * file, const char *format),                                         \
         scan_file(file, format, arguments, CALLER))                                                                   \
    SCAN(prefix##v##sscanf, prefix##sscanf, (const char *text, const char *format),                                    \
         scan_text(text, format, arguments, CALLER))
#define SCAN(list_name, name, parameters, call)                                                                        \
    EXPORT int list_name(UNPACK parameters, va_list arguments);                                                        \
    EXPORT int list_name(UNPACK parameters, va_list arguments)                                                         \
    {                                                                                                                  \
        return call;                                                                                                   \
    }                                                                                                                  \
    EXPORT int name(UNPACK parameters, ...);                                                                           \
    EXPORT int name(UNPACK parameters, ...)                                                                            \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int result = call;                                                                                             \
        va_end(arguments);                                                                                             \
        return result;                                                                                                 \
    }

SCANS(__wrap_, v)
SCANS(__wrap___isoc99_, v) /* the headers call them so, depending on the standard */
SCANS(__wrap___isoc23_, v)

/* --- texts and bytes */

EXPORT int __wrap_puts(const char *text);
EXPORT int __wrap_puts(const char *text)
{
    reads_text(text, WHOLE_TEXT, CALLER);
    return puts(text);
}

EXPORT int __wrap_fputs(const char *text, FILE *file);
EXPORT int __wrap_fputs(const char *text, FILE *file)
{
    reads_text(text, WHOLE_TEXT, CALLER);
    stream_used(file, CALLER);
    return fputs(text, file);
}

EXPORT char *__wrap_fgets(char *to, int size, FILE *file);
EXPORT char *__wrap_fgets(char *to, int size, FILE *file)
{
    calls_unseen();
    stream_used(file, CALLER);
    char *result = fgets(to, size, file);
    if (result)
        writes(to, strlen(to) + 1, CALLER);
    return result;
}

EXPORT size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file);
EXPORT size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    calls_unseen();
    stream_used(file, CALLER);
    size_t result = fread(to, size, count, file);
    writes(to, size * result, CALLER);
    return result;
}

EXPORT size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file);
EXPORT size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    reads(from, size * count, CALLER);
    stream_used(file, CALLER);
    return fwrite(from, size, count, file);
}

EXPORT ssize_t __wrap_read(int file, void *to, size_t size);
EXPORT ssize_t __wrap_read(int file, void *to, size_t size)
{
    struct call call = this_call(CALLER);
    if (in_program() && is_descriptor(file))
        return descriptor_read(file, to, size, 0, &call);
    calls_unseen();
    number_used(file, CALLER);
    ssize_t result = read(file, to, size);
    writes(to, result > 0 ? (size_t)result : 0, CALLER);
    return result;
}

EXPORT ssize_t __wrap_pread(int file, void *to, size_t size, off_t at);
EXPORT ssize_t __wrap_pread(int file, void *to, size_t size, off_t at)
{
    calls_unseen();
    number_used(file, CALLER);
    ssize_t result = pread(file, to, size, at);
    writes(to, result > 0 ? (size_t)result : 0, CALLER);
    return result;
}

EXPORT ssize_t __wrap_write(int file, const void *from, size_t size);
EXPORT ssize_t __wrap_write(int file, const void *from, size_t size)
{
    struct call call = this_call(CALLER);
    if (in_program() && is_descriptor(file))
        return descriptor_write(file, from, size, 0, &call);
    reads(from, size, CALLER);
    number_used(file, CALLER);
    return write(file, from, size);
}

EXPORT ssize_t __wrap_pwrite(int file, const void *from, size_t size, off_t at);
EXPORT ssize_t __wrap_pwrite(int file, const void *from, size_t size, off_t at)
{
    reads(from, size, CALLER);
    number_used(file, CALLER);
    return pwrite(file, from, size, at);
}
