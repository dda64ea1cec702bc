/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: clang's code before it is instrumented, as text (LLVM's .ll): its names, operands and functions.
 */
#include "cli/cc_code.h"

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "base/vector.h"

#include <ctype.h>
#include <string.h>

struct names {
    VECTOR(struct name) list;
};

struct name name_at(const char *text)
{
    const char *end = text + 1;
    if (*end == '"')
        end += 1 + strcspn(end + 1, "\"") + 1;
    else
        while (isalnum((unsigned char)*end) || (*end && strchr("$._-", *end)))
            end++;
    return (struct name){text, (size_t)(end - text)};
}

bool is_same(struct name a, struct name b)
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

bool text_begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* A call of something else than what the compiler itself understands. */
bool is_call(const char *text, const char *end)
{
    const char *callee = memchr(text, '@', (size_t)(end - text));
    bool calls = text_begins(text, "call ") || text_begins(text, "invoke ") || text_begins(text, "tail call ") ||
                 text_begins(text, "musttail call ") || text_begins(text, "notail call ");
    return calls && !(callee && (text_begins(callee, "@llvm.dbg.") || text_begins(callee, "@llvm.lifetime.") ||
                                 text_begins(callee, "@llvm.mem")));
}

/* Where the first operand of a store ends: at a comma that is in no brackets. */
const char *end_of_operand(const char *text, const char *end)
{
    int depth = 0;
    for (; text < end && (depth || !strchr(",)]}>", *text)); text++) {
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
        if (!text_begins(equals, " = "))
            return false;
        text = equals + 3;
    }
    if (text_begins(text, "getelementptr") || text_begins(text, "bitcast") || text_begins(text, "addrspacecast")) {
        if (has_any(names, text, end))
            *fine = *fine && vector_push(&names->list, result);
        return false;
    }
    if (text_begins(text, "store "))
        return has_any(names, text, end_of_operand(text, end));
    bool keeps = text_begins(text, "load ") || text_begins(text, "icmp ") || text_begins(text, "alloca ") ||
                 text_begins(text, "atomicrmw ") || text_begins(text, "cmpxchg ");
    bool is_intrinsic = (strstr(text, "call ") && strstr(text, "call ") < end) && !is_call(text, end);
    return !keeps && !is_intrinsic && has_any(names, text, end);
}

/* Is the address of a variable known elsewhere, as far as the rest of its function tells? */
bool is_given_away(struct name variable, const char *from, const char *to, bool *fine)
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

static void declare(const char *text, bool opaque, const struct declaration *called, FILE *out)
{
    for (; called && called->name; called++) {
        const char *known = strstr(text, called->name);
        if (called->opaque == opaque && !(known && known[strlen(called->name)] == '('))
            fprintf(out, "\ndeclare void %s%s\n", called->name, called->parameters);
    }
}

enum portolan_status code_rewrite(const char *path, rewrite_function *rewrite, const struct declaration *called,
                                  struct portolan_error *error)
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
        const char *function = text_begins(at, "define ") ? at : strstr(at, "\ndefine "), *end = text + length;
        if (function && function > at) {
            fwrite(at, 1, (size_t)(function + 1 - at), out);
            at = function + 1;
        }
        const char *stop = function ? strstr(at, "\n}\n") : NULL;
        end = stop ? stop + 3 : end;
        fine = stop ? rewrite(at, end, opaque, out) : fwrite(at, 1, (size_t)(end - at), out) <= length;
        at = end;
    }
    if (fine)
        declare(text, opaque, called, out);
    if (out)
        fine = fclose(out) == 0 && fine;
    free(text);
    return status != PORTOLAN_OK ? status : fine ? PORTOLAN_OK : fail(error, PORTOLAN_IO, "%s cannot be written", path);
}
