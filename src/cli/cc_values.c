/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: structures that are handed over by value.  gcc does not report the reading of one that is an argument of
 * a call, nor the writing of one that a call returns.  Its last tree dump has what is left of them when calls have been
 * put in place: a call and its operands on a line, each with its place.  What is no register and no variable of the
 * function alone is memory that others may see.
 */
#include "cli/cc.h"

#include "base/diagnostic.h"
#include "base/text_file.h"

#include <ctype.h>
#include <string.h>

/* What the dump says of one function: its declarations, then its statements. */
struct function {
    char *text;
    FILE *mark;
    bool cplusplus;
};

static size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
}

/* Where the name stands alone, from `text` on; NULL when nowhere. */
static const char *find_name(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = memmem(at, strlen(at), name, length)); at += length)
        if ((at == text || !name_length((char[]){at[-1], '\0'})) && !name_length(at + length))
            return at;
    return NULL;
}

/* Is it declared there, as a variable that each call has for itself? */
static bool is_declared(const char *declarations, const char *name, size_t length)
{
    const char *at = find_name(declarations, name, length), *line = at;
    while (line && line > declarations && line[-1] != '\n')
        line--;
    return at && strncmp(line, "  static ", 9) != 0 && strncmp(line, "  extern ", 9) != 0;
}

static bool has_address_taken(const char *body, const char *name, size_t length)
{
    for (const char *at = body; (at = find_name(at, name, length)); at += length)
        if (at[-1] == '&')
            return true;
    return false;
}

enum owner { NOBODY, FUNCTION, FUNCTION_AND_OTHERS, EVERYBODY };

/* Whose is it?  A parameter or variable of the function is known to others when it gives its address away. */
static enum owner owner_of(const struct function *f, const char *name, size_t length)
{
    char *body = strstr(f->text, "\n  __BB(");
    if (!body)
        return EVERYBODY;
    *body = '\0';
    bool declared = is_declared(f->text, name, length);
    *body = '\n';
    return !declared ? EVERYBODY : has_address_taken(body, name, length) ? FUNCTION_AND_OTHERS : FUNCTION;
}

/* "x_3", "_3" and "x_3(D)" are registers, if x is the function's own. */
static bool is_register(const struct function *f, const char *text, size_t length)
{
    size_t digits = length;
    while (digits && isdigit((unsigned char)text[digits - 1]))
        digits--;
    if (digits == length || !digits || text[digits - 1] != '_')
        return false;
    return digits == 1 || owner_of(f, text, digits - 1) != EVERYBODY || strncmp(text + length, "(D)", 3) == 0;
}

/* Who may see the memory that this operand is in? */
static enum owner operand_owner(const struct function *f, const char *text)
{
    size_t length = name_length(text);
    if (!*text || strchr("&\"'-(0123456789{", *text) || strcmp(text, "NULL") == 0 || strncmp(text, "_Literal", 8) == 0)
        return NOBODY;
    if (!length || strncmp(text, "__MEM", 5) == 0 || strstr(text, "->"))
        return EVERYBODY;
    if (is_register(f, text, length))
        return NOBODY;
    if (memchr(text, '.', length) && owner_of(f, text, length) == EVERYBODY)
        length = strcspn(text, "."); /* a member, unless the compiler made the name */
    return owner_of(f, text, length);
}

/* Cuts the next operand off. */
static char *next_operand(char **rest)
{
    char *start = *rest, *at = start;
    unsigned depth = 0;
    if (!start || !*start)
        return NULL;
    for (; *at && (depth || (*at != ',' && *at != '>') || at[-1] == '-'); at++) {
        if (*at == '"')
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\' && at[1];
        depth += *at == '(' || *at == '<';
        depth -= depth && (*at == ')' || (*at == '>' && at[-1] != '-'));
    }
    *rest = *at == ',' ? at + 1 : NULL;
    *at = '\0';
    return start + strspn(start, " ");
}

/* What the compiler has made itself, also for loops over ranges: nobody knows where it is before it is there. */
static bool is_temporary(const char *name)
{
    return strncmp(name, "__for_", 6) == 0 ||
           (strncmp(name, "D_", 2) == 0 && name[2 + strspn(name + 2, "0123456789")] == '\0');
}

/* The headers of libstdc++ were looked through: what they hand over are names of threads and the like. */
static bool is_of_library(const char *place)
{
    return strstr(place, "/include/c++/") || strstr(place, "/portolan/c++/");
}

/* Does the function give variables their first values that are not its own? */
static bool initialises_variables(const struct function *f)
{
    static const char *const names[] = {"__static_initialization_and_destruction", "_GLOBAL__sub_I_", "__tls_init",
                                        "__cxa_guard_acquire"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(f->text, names[i]))
            return true;
    return false;
}

/* May somebody know of what is written when a call returns it?  It is a variable that is not the function's own, or is
 * where a pointer points, and not what the function has just allocated or constructs, nor what it returns itself. */
static bool may_be_known(const struct function *f, const char *operand)
{
    bool is_memory = strncmp(operand, "__MEM", 5) == 0;
    if (operand_owner(f, operand) != EVERYBODY ||
        (is_memory && (strstr(operand, "retval") || strstr(operand, ")this_"))))
        return false;
    return is_memory ? !strstr(f->text, "gimple_call <&operator new,")
                     : name_length(operand) && !strstr(operand, "->") && !initialises_variables(f);
}

/* "  [file.c:12:3] gimple_call <function, result, argument...>" */
static void look_at_call(const struct function *f, char *line)
{
    char *call = strstr(line, "gimple_call <"), *rest = call ? call + 13 : NULL, *operand;
    char *place = line + strspn(line, " ["), *end = call ? strchr(place, ']') : NULL;
    /* In C++, only what is being initialised is written by who returns it (that, too, is what an optimisation does
     * which cc_compile.c has off); nobody knows of it yet, or somebody may. */
    bool is_initialisation = call && strstr(call, "[return slot optimization]");
    if (!call || !next_operand(&rest) || strstr(call + 13, "__builtin___tsan"))
        return;
    bool has_place = end && end < call, initialises = f->cplusplus && is_initialisation;
    if (has_place) {
        *end = '\0';
        if (strrchr(place, ':'))
            *strrchr(place, ':') = '\0'; /* the column */
    }
    static const char *const kinds[] = {[FUNCTION_AND_OTHERS] = "local", [EVERYBODY] = "unreported"};
    if (f->cplusplus && has_place && is_of_library(place))
        return;
    for (bool result = true; (operand = next_operand(&rest)); result = false)
        if (operand_owner(f, operand) > FUNCTION &&
            !(result && ((initialises && !may_be_known(f, operand)) || is_temporary(operand))))
            fprintf(f->mark, "%s %s: %s is %s by value\n", kinds[operand_owner(f, operand)],
                    has_place ? place : "a call", strncmp(operand, "__", 2) == 0 ? "a structure" : operand,
                    result ? "returned" : "handed over");
}

static void look_at_function(const struct function *f)
{
    char *copy = strdup(f->text), *rest = copy, *line;
    while (copy && (line = strsep(&rest, "\n")))
        look_at_call(f, line);
    free(copy);
}

/* Removes the places of operands, "[file.c:12:3] "; those of statements stay. */
static void remove_places(char *text)
{
    char *to = text;
    for (bool starts = true; *text; text++) {
        char *end = *text == '[' && !starts ? strchr(text, ']') : NULL;
        if (end && end[1] == ' ' && memchr(text, ':', (size_t)(end - text))) {
            text = end + 1;
            continue;
        }
        starts = *text == '\n' || (starts && *text == ' ');
        *to++ = *text;
    }
    *to = '\0';
}

enum portolan_status find_values(const char *dump, bool cplusplus, FILE *mark, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    enum portolan_status status = text_file_read(dump, &text, &length, error);
    char *ended = status == PORTOLAN_OK ? realloc(text, length + 1) : NULL;
    if (ended) {
        text = ended;
        text[length] = '\0';
        remove_places(text);
    }
    for (char *at = ended, *next; at; at = next) {
        next = strstr(at, "\n}\n");
        if (next) {
            *next = '\0';
            next += 3;
        }
        look_at_function(&(struct function){.text = at, .mark = mark, .cplusplus = cplusplus});
    }
    free(text);
    return status == PORTOLAN_OK && !ended ? fail_memory(error) : status;
}
