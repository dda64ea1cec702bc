/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: local variables, for clang.  Its instrumentation leaves out local variables whose address nobody gets to
 * know; but of an element of an array, or a member of a structure, it asks only for the address of that element (up to
 * LLVM 14), so that others may know the whole and write to it unseen.  So in the code before it is instrumented, the
 * address of a variable that has parts, and that is given away anywhere, is made to come out of an empty piece of
 * inline assembly: then it is an address like any other.
 */
#include "cli/cc.h"

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "base/vector.h"

#include <ctype.h>
#include <string.h>

/* A name in the code, "%x" or "%\"a b\"", which stays the text's. */
struct name {
    const char *at;
    size_t length;
};

struct names {
    VECTOR(struct name) list;
};

static struct name name_at(const char *text)
{
    const char *end = text + 1;
    if (*end == '"')
        end += 1 + strcspn(end + 1, "\"") + 1;
    else
        while (isalnum((unsigned char)*end) || (*end && strchr("$._-", *end)))
            end++;
    return (struct name){text, (size_t)(end - text)};
}

static bool is_same(struct name a, struct name b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* Is one of the names between these two places? */
static bool has_any(const struct names *names, const char *from, const char *to)
{
    for (const char *at = from; (at = memchr(at, '%', (size_t)(to - at))); at++) {
        struct name here = name_at(at);
        for (size_t i = 0; i < names->list.count; i++)
            if (is_same(names->list.item[i], here))
                return true;
    }
    return false;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* A call of something else than what the compiler itself understands. */
static bool is_call(const char *text, const char *end)
{
    const char *callee = memchr(text, '@', (size_t)(end - text));
    bool calls = begins(text, "call ") || begins(text, "invoke ") || begins(text, "tail call ") ||
                 begins(text, "musttail call ") || begins(text, "notail call ");
    return calls && !(callee && (begins(callee, "@llvm.dbg.") || begins(callee, "@llvm.lifetime.") ||
                                 begins(callee, "@llvm.mem")));
}

/* Where the first operand of a store ends: at a comma that is in no brackets. */
static const char *end_of_operand(const char *text, const char *end)
{
    int depth = 0;
    for (; text < end && (depth || *text != ','); text++) {
        if (*text == '"')
            while (++text < end && *text != '"')
                ;
        depth += strchr("([{<", *text) != NULL;
        depth -= strchr(")]}>", *text) != NULL;
    }
    return text;
}

/* Looks at one instruction: does it give one of the names away?  What has such an address, too, joins them. */
static bool gives_away(struct names *names, const char *line, const char *end, bool *fine)
{
    const char *text = line + strspn(line, " "), *equals = text;
    struct name result = {0};
    if (*text == '%') {
        result = name_at(text);
        equals = text + result.length;
        if (!begins(equals, " = "))
            return false;
        text = equals + 3;
    }
    if (begins(text, "getelementptr") || begins(text, "bitcast") || begins(text, "addrspacecast")) {
        if (has_any(names, text, end))
            *fine = *fine && vector_push(&names->list, result);
        return false;
    }
    if (begins(text, "store "))
        return has_any(names, text, end_of_operand(text, end));
    bool keeps = begins(text, "load ") || begins(text, "icmp ") || begins(text, "alloca ") ||
                 begins(text, "atomicrmw ") || begins(text, "cmpxchg ");
    bool is_intrinsic = (strstr(text, "call ") && strstr(text, "call ") < end) && !is_call(text, end);
    return !keeps && !is_intrinsic && has_any(names, text, end);
}

/* Is the address of a variable known elsewhere, as far as the rest of its function tells? */
static bool is_given_away(struct name variable, const char *from, const char *to, bool *fine)
{
    struct names names = {0};
    bool given = false;
    *fine = *fine && vector_push(&names.list, variable);
    for (const char *line = from; line < to && !given && *fine;) {
        const char *end = memchr(line, '\n', (size_t)(to - line));
        end = end ? end : to;
        given = gives_away(&names, line, end, fine);
        line = end + 1;
    }
    free(names.list.item);
    return given;
}

/* "  %x = alloca TYPE, align 4", or with a number of them: writes it so that it is not known to be a variable. */
static bool write_variable(const char *line, const char *end, const char *behind, const char *to, bool opaque,
                           FILE *out, bool *fine)
{
    const char *text = line + strspn(line, " ");
    struct name name = *text == '%' ? name_at(text) : (struct name){0};
    const char *type = text + name.length + strlen(" = alloca ");
    if (!name.length || !begins(text + name.length, " = alloca "))
        return false;
    const char *type_end = end_of_operand(type, end);
    bool has_parts = strchr("[{%<", *type) || (type_end < end && !begins(type_end, ", align"));
    if (!has_parts || !is_given_away(name, behind, to, fine))
        return false;
    int length = opaque ? 3 : (int)(type_end - type);
    const char *pointed = opaque ? "ptr" : type, *star = opaque ? "" : "*";
    bool quoted = name.at[1] == '"';
    int bare = (int)name.length - 1 - 2 * quoted;
    fprintf(out, "  %%\"portolan.%.*s\" = alloca %.*s\n", bare, name.at + 1 + quoted, (int)(end - type), type);
    fprintf(out, "  %.*s = call %.*s%s asm \"\", \"=r,0\"(%.*s%s %%\"portolan.%.*s\")\n", (int)name.length, name.at,
            length, pointed, star, length, pointed, star, bare, name.at + 1 + quoted);
    return true;
}

static bool write_function(const char *from, const char *to, bool opaque, FILE *out)
{
    bool fine = true;
    for (const char *line = from; line < to && fine;) {
        const char *end = memchr(line, '\n', (size_t)(to - line));
        end = end ? end : to;
        const char *behind = end < to ? end + 1 : to;
        if (!write_variable(line, end, behind, to, opaque, out, &fine))
            fwrite(line, 1, (size_t)(behind - line), out);
        line = behind;
    }
    return fine;
}

enum portolan_status hide_locals(const char *path, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    char *ended = status == PORTOLAN_OK ? realloc(text, length + 1) : NULL;
    FILE *out = ended ? fopen(path, "w") : NULL;
    bool fine = out;
    if (ended) {
        text = ended;
        text[length] = '\0';
    }
    bool opaque = ended && strstr(text, ", ptr ");
    for (const char *at = text; fine && at < text + length;) {
        const char *function = begins(at, "define ") ? at : strstr(at, "\ndefine "), *end = text + length;
        if (function && function > at) {
            fwrite(at, 1, (size_t)(function + 1 - at), out);
            at = function + 1;
        }
        const char *stop = function ? strstr(at, "\n}\n") : NULL;
        end = stop ? stop + 3 : end;
        fine = stop ? write_function(at, end, opaque, out) : fwrite(at, 1, (size_t)(end - at), out) <= length;
        at = end;
    }
    if (out)
        fine = fclose(out) == 0 && fine;
    free(text);
    return status != PORTOLAN_OK ? status : fine ? PORTOLAN_OK : fail(error, PORTOLAN_IO, "%s cannot be written", path);
}
