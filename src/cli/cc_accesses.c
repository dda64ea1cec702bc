/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: accesses that clang's instrumentation leaves out.  Of loads and stores it reports those of 1, 2, 4, 8
 * and 16 bytes; bit-fields are often in 3, 5, 6 or 7, a long double has 10, vectors may have more.  And a structure
 * that is handed over by value is copied by no instruction: a call says "byval", whoever it belongs to.  So in the code
 * before it is instrumented, such accesses get a call of the runtime before them, unless they are to a variable of
 * which nobody else knows.  (Structures that are loaded or stored as one value are in registers between a call and a
 * variable of this function; they have 16 bytes.)
 *
 * A parameter that was handed over by value is in the frame of the caller, where the next call puts its own, and nobody
 * reports that.  If its address is given away, it is copied to a variable of the function, like any other: so what
 * others write there is known to be gone when the function returns (src/native/own_words.c).
 */
#include "cli/cc.h"
#include "cli/cc_code.h"

#include "base/vector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A function that is looked through, and where it is written. */
struct function {
    const char *from, *to;
    bool opaque; /* pointers have no types */
    FILE *out;
    unsigned made; /* names */
    bool fine;
};

struct text {
    const char *at;
    size_t length;
};

static struct text text_between(const char *from, const char *to)
{
    return (struct text){from, (size_t)(to - from)};
}

static const char *end_of_line(const char *line, const char *to)
{
    const char *end = memchr(line, '\n', (size_t)(to - line));
    return end ? end : to;
}

/* --- types */

static unsigned bits_of_element(struct text type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"half", 16}, {"bfloat", 16}, {"float", 32}, {"double", 64}, {"fp128", 128}, {"x86_fp80", 80}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == type.length && memcmp(type.at, types[i].name, type.length) == 0)
            return types[i].bits;
    char *end;
    unsigned long bits = type.length > 1 && type.at[0] == 'i' ? strtoul(type.at + 1, &end, 10) : 0;
    if (bits && end == type.at + type.length)
        return (unsigned)bits;
    bool is_pointer = type.length && (type.at[type.length - 1] == '*' || text_begins(type.at, "ptr"));
    return is_pointer ? 64 : 0;
}

/* 0 of what is neither a number nor a vector of them. */
static unsigned bytes_of(struct text type)
{
    unsigned long count = 1;
    if (type.length && type.at[0] == '<') {
        char *rest;
        count = strtoul(type.at + 1, &rest, 10);
        if (!text_begins(rest, " x "))
            return 0;
        type = text_between(rest + 3, type.at + type.length - 1);
    }
    return (unsigned)(count * bits_of_element(type) + 7) / 8;
}

static bool is_reported(unsigned bytes)
{
    return bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

/* Of a value with its type before it. */
static struct text type_of(const char *text, const char *end)
{
    const char *stop = memchr(text, *text == '<' ? '>' : ' ', (size_t)(end - text));
    stop = stop ? stop + (*text == '<') : end;
    return text_between(text, stop);
}

/* --- whose memory it is */

static struct text last_word(struct text operand)
{
    const char *at = operand.at + operand.length;
    while (at > operand.at && at[-1] != ' ')
        at--;
    return text_between(at, operand.at + operand.length);
}

/* What the function says of a name, behind "="; NULL of its parameters. */
static const char *definition_of(const struct function *f, struct name name)
{
    for (const char *line = f->from; line < f->to; line = end_of_line(line, f->to) + 1)
        if (text_begins(line, "  %") && is_same(name_at(line + 2), name) && text_begins(line + 2 + name.length, " = "))
            return line + 2 + name.length + 3;
    return NULL;
}

/* Is it a parameter that was handed over by value?  It has been copied if its address is given away. */
static bool is_own_parameter(const struct function *f, struct name name)
{
    const char *end = end_of_line(f->from, f->to);
    for (const char *at = f->from; (at = memmem(at, (size_t)(end - at), "byval(", 6)); at++) {
        const char *stop = end_of_operand(end_of_operand(at + 6, end) + 1, end);
        struct text word = last_word(text_between(at, stop));
        if (word.length == name.length && memcmp(word.at, name.at, name.length) == 0)
            return true;
    }
    return false;
}

/* A variable of the function of which nobody else knows, or a part of one. */
static bool is_private(struct function *f, struct text pointer)
{
    for (unsigned depth = 0; depth < 16; depth++) {
        struct text word = last_word(pointer);
        if (!word.length || *word.at != '%')
            return false;
        struct name name = name_at(word.at);
        const char *made = name.length == word.length ? definition_of(f, name) : NULL;
        if (!made)
            return is_own_parameter(f, name);
        const char *end = end_of_line(made, f->to), *first = end_of_operand(made, end);
        if (text_begins(made, "alloca "))
            return !is_given_away(name, end, f->to, &f->fine);
        const char *to = memmem(made, (size_t)(end - made), " to ", 4);
        if (text_begins(made, "bitcast ") && to)
            pointer = text_between(made, to);
        else if (text_begins(made, "getelementptr ") && first < end)
            pointer = text_between(first + 2, end_of_operand(first + 2, end));
        else
            return false;
    }
    return false;
}

/* --- reports */

/* The place in the source, which is at the end of the instruction: perhaps on the next line. */
static struct text place_of(const char *line, const char *to)
{
    const char *end = end_of_line(line, to);
    if (text_begins(end, "\n          to label "))
        end = end_of_line(end + 1, to);
    const char *at = memmem(line, (size_t)(end - line), ", !dbg !", 8);
    const char *stop = at ? at + 8 : NULL;
    while (stop && isdigit((unsigned char)*stop))
        stop++;
    return at ? text_between(at, stop) : (struct text){"", 0};
}

static void report(struct function *f, struct text pointer, const char *size, bool writes, bool is_volatile,
                   struct text place)
{
    unsigned number = f->made++;
    const char *kind = writes ? "write" : "read", *bytes = f->opaque ? "ptr" : "i8*";
    if (f->opaque)
        fprintf(f->out, "  %%portolan.at.%u = getelementptr i8, %.*s, i64 0\n", number, (int)pointer.length,
                pointer.at);
    else
        fprintf(f->out, "  %%portolan.at.%u = bitcast %.*s to i8*\n", number, (int)pointer.length, pointer.at);
    if (!is_volatile) {
        fprintf(f->out, "  call void @__tsan_%s_range(%s %%portolan.at.%u, i64 %s)%.*s\n", kind, bytes, number, size,
                (int)place.length, place.at);
        return;
    }
    for (unsigned long i = 0, count = strtoul(size, NULL, 10); i < count; i++) {
        fprintf(f->out, "  %%portolan.at.%u.%lu = getelementptr i8, %s %%portolan.at.%u, i64 %lu\n", number, i, bytes,
                number, i);
        fprintf(f->out, "  call void @__tsan_volatile_%s1(%s %%portolan.at.%u.%lu)%.*s\n", kind, bytes, number, i,
                (int)place.length, place.at);
    }
}

/* "load i24, i24* %x, ..." or "store i24 1, i24* %x, ..." */
static void look_at_access(struct function *f, const char *line, const char *text, const char *end)
{
    bool writes = text_begins(text, "store ");
    text += strlen(writes ? "store " : "load ");
    bool is_volatile = text_begins(text, "volatile ");
    text += is_volatile ? strlen("volatile ") : 0;
    const char *comma = end_of_operand(text, end);
    struct text type = writes ? type_of(text, comma) : text_between(text, comma);
    if (text_begins(text, "atomic ") || comma >= end)
        return;
    unsigned bytes = bytes_of(type);
    struct text pointer = text_between(comma + 2, end_of_operand(comma + 2, end));
    if (is_reported(bytes) || is_private(f, pointer))
        return;
    char size[16];
    snprintf(size, sizeof size, "%u", bytes);
    report(f, pointer, size, writes, is_volatile, place_of(line, f->to));
}

/* How many bytes a type has, as an expression. */
static char *size_of(const struct function *f, struct text type)
{
    char *size = NULL;
    int length = (int)type.length;
    if (asprintf(&size,
                 f->opaque ? "ptrtoint (ptr getelementptr (%.*s, ptr null, i32 1) to i64)"
                           : "ptrtoint (%.*s* getelementptr (%.*s, %.*s* null, i32 1) to i64)",
                 length, type.at, length, type.at, length, type.at) < 0)
        return NULL;
    return size;
}

/* Where the value begins that is behind "byval(TYPE)". */
static const char *value_behind(const char *text)
{
    text += strspn(text, " )");
    if (text_begins(text, "align ")) {
        text += strlen("align ");
        text += strspn(text, "0123456789");
    }
    return text + strspn(text, " ");
}

static void look_at_call(struct function *f, const char *line, const char *end)
{
    for (const char *at = line; (at = memmem(at, (size_t)(end - at), " byval(", 7)); at++) {
        const char *stop = end_of_operand(at + 7, end), *value = value_behind(stop);
        struct text type = text_between(at + 7, stop), name = text_between(value, end_of_operand(value, end));
        if (text_begins(value, "undef") || text_begins(value, "poison") || is_private(f, name))
            continue;
        char *size = size_of(f, type), *pointer = NULL;
        f->fine = f->fine && size &&
                  asprintf(&pointer, "%.*s%s %.*s", f->opaque ? 0 : (int)type.length, type.at, f->opaque ? "ptr" : "*",
                           (int)name.length, name.at) >= 0;
        if (f->fine)
            report(f, (struct text){pointer, strlen(pointer)}, size, false, false, place_of(line, f->to));
        free(size);
        free(pointer);
    }
}

static bool report_accesses(const char *from, const char *to, bool opaque, FILE *out)
{
    struct function f = {.from = from, .to = to, .opaque = opaque, .out = out, .fine = true};
    for (const char *line = from; line < to && f.fine;) {
        const char *end = end_of_line(line, to), *text = line + strspn(line, " ");
        if (*text == '%' && text > line) {
            const char *behind = text + name_at(text).length;
            text = text_begins(behind, " = ") ? behind + 3 : text;
        }
        if (text_begins(text, "load ") || text_begins(text, "store "))
            look_at_access(&f, line, text, end);
        else if (is_call(text, end))
            look_at_call(&f, line, end);
        end += end < to;
        fwrite(line, 1, (size_t)(end - line), out);
        line = end;
    }
    return f.fine;
}

/* --- parameters */

struct copy {
    struct name parameter;
    struct text type, alignment;
};

typedef VECTOR(struct copy) copies_t;

static void find_copies(struct function *f, copies_t *copies)
{
    const char *end = end_of_line(f->from, f->to);
    for (const char *at = f->from; f->fine && (at = memmem(at, (size_t)(end - at), " byval(", 7)); at++) {
        const char *stop = end_of_operand(at + 7, end), *value = value_behind(stop);
        const char *alignment = stop + strspn(stop, " )");
        if (*value != '%' || !text_begins(alignment, "align "))
            continue;
        struct name parameter = name_at(value);
        alignment += strlen("align ");
        struct copy copy = {parameter, text_between(at + 7, stop), {alignment, strspn(alignment, "0123456789")}};
        if (is_given_away(parameter, end, f->to, &f->fine))
            f->fine = f->fine && vector_push(copies, copy);
    }
}

static void write_copy(struct function *f, const struct copy *copy, size_t number)
{
    char *size = size_of(f, copy->type);
    int type = (int)copy->type.length, align = (int)copy->alignment.length;
    const char *aligned = copy->alignment.at;
    f->fine = f->fine && size;
    if (!f->fine)
        return;
    fprintf(f->out, "  %%portolan.copy.%zu = alloca %.*s, align %.*s\n", number, type, copy->type.at, align, aligned);
    if (f->opaque) {
        fprintf(f->out,
                "  call void @llvm.memcpy.p0.p0.i64(ptr align %.*s %%portolan.copy.%zu, ptr align %.*s %.*s, i64 %s, "
                "i1 false)\n",
                align, aligned, number, align, aligned, (int)copy->parameter.length, copy->parameter.at, size);
    } else {
        fprintf(f->out, "  %%portolan.to.%zu = bitcast %.*s* %%portolan.copy.%zu to i8*\n", number, type, copy->type.at,
                number);
        fprintf(f->out, "  %%portolan.from.%zu = bitcast %.*s* %.*s to i8*\n", number, type, copy->type.at,
                (int)copy->parameter.length, copy->parameter.at);
        fprintf(f->out,
                "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align %.*s %%portolan.to.%zu, i8* align %.*s "
                "%%portolan.from.%zu, i64 %s, i1 false)\n",
                align, aligned, number, align, aligned, number, size);
    }
    free(size);
}

/* Writes a line in which the copies take the place of the parameters. */
static void write_with_copies(struct function *f, const copies_t *copies, const char *line, const char *end)
{
    const char *written = line;
    for (const char *at = line; (at = memchr(at, '%', (size_t)(end - at)));) {
        struct name name = name_at(at);
        for (size_t i = 0; i < copies->count; i++)
            if (is_same(copies->item[i].parameter, name)) {
                fprintf(f->out, "%.*s%%portolan.copy.%zu", (int)(at - written), written, i);
                written = at + name.length;
            }
        at += name.length;
    }
    fwrite(written, 1, (size_t)(end - written), f->out);
}

static bool copy_parameters(const char *from, const char *to, bool opaque, FILE *out)
{
    struct function f = {.from = from, .to = to, .opaque = opaque, .out = out, .fine = true};
    copies_t copies = {0};
    find_copies(&f, &copies);
    const char *body = end_of_line(from, to), *second = body < to ? end_of_line(body + 1, to) : to;
    if (memchr(body, ':', (size_t)(second - body)) && body + 1 < to && body[1] != ' ')
        body = second; /* behind the label of the first block */
    body += body < to;
    fwrite(from, 1, (size_t)(body - from), out);
    for (size_t i = 0; i < copies.count; i++)
        write_copy(&f, &copies.item[i], i);
    write_with_copies(&f, &copies, body, to);
    free(copies.item);
    return f.fine;
}

enum portolan_status show_accesses(const char *path, struct portolan_error *error)
{
    static const struct declaration called[] = {{"@llvm.memcpy.p0i8.p0i8.i64", "(i8*, i8*, i64, i1)", false},
                                                {"@llvm.memcpy.p0.p0.i64", "(ptr, ptr, i64, i1)", true},
                                                {0}};
    static const struct declaration reporting[] = {{"@__tsan_read_range", "(i8*, i64)", false},
                                                   {"@__tsan_write_range", "(i8*, i64)", false},
                                                   {"@__tsan_volatile_read1", "(i8*)", false},
                                                   {"@__tsan_volatile_write1", "(i8*)", false},
                                                   {"@__tsan_read_range", "(ptr, i64)", true},
                                                   {"@__tsan_write_range", "(ptr, i64)", true},
                                                   {"@__tsan_volatile_read1", "(ptr)", true},
                                                   {"@__tsan_volatile_write1", "(ptr)", true},
                                                   {0}};
    enum portolan_status status = code_rewrite(path, copy_parameters, called, error);
    return status == PORTOLAN_OK ? code_rewrite(path, report_accesses, reporting, error) : status;
}
