/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: local variables, for clang.  Its instrumentation leaves out local variables whose address nobody gets to
 * know; but of an element of an array, or a member of a structure, it asks only for the address of that element (up to
 * LLVM 14), so that others may know the whole and write to it unseen.  So in the code before it is instrumented, the
 * address of a variable that has parts, and that is given away anywhere, is made to come out of an empty piece of
 * inline assembly: then it is an address like any other.
 */
#include "cli/cc.h"
#include "cli/cc_code.h"

#include <string.h>

/* "  %x = alloca TYPE, align 4", or with a number of them: writes it so that it is not known to be a variable. */
static bool write_variable(const char *line, const char *end, const char *behind, const char *to, bool opaque,
                           FILE *out, bool *fine)
{
    const char *text = line + strspn(line, " ");
    struct name name = *text == '%' ? name_at(text) : (struct name){0};
    const char *type = text + name.length + strlen(" = alloca ");
    if (!name.length || !text_begins(text + name.length, " = alloca "))
        return false;
    const char *type_end = end_of_operand(type, end);
    bool has_parts = strchr("[{%<", *type) || (type_end < end && !text_begins(type_end, ", align"));
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
    return code_rewrite(path, write_function, NULL, error);
}
