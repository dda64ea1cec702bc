/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --suppress FILE: errors that are only counted.  A line is "KIND: PATTERN"; the pattern, as in a shell, is compared
 * with the functions, the places ("file.c:12") and the global variables of the program, and what fits becomes a range
 * of addresses, so that the program needs no names to know whether an error is meant.
 */
#include "cli/supervise.h"

#include "account/account.h"
#include "base/diagnostic.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

static const char *const kinds[] = {"assertion",    "abort",       "exception", "deadlock",    "data race", "crash",
                                    "memory error", "memory leak", "misuse",    "exit status", "*",         NULL};

struct matching {
    struct suppressed *suppressed;
    uint32_t rule;
    bool is_full;
};

static bool fits(const struct matching *m, const char *name)
{
    return name && fnmatch(m->suppressed->rules[m->rule].pattern, name, 0) == 0;
}

static void add_range(struct matching *m, uint64_t start, uint64_t end)
{
    struct suppressed *s = m->suppressed;
    struct suppressed_range *last = s->range_count ? &s->ranges[s->range_count - 1] : NULL;
    if (last && last->rule == m->rule && last->end == start)
        last->end = end;
    else if (s->range_count < MOST_RANGES)
        s->ranges[s->range_count++] = (struct suppressed_range){start, end, m->rule};
    else
        m->is_full = true;
}

static void match_function(void *user, const char *name, uint64_t start, uint64_t end)
{
    struct matching *m = user;
    if (fits(m, name))
        add_range(m, start, end);
}

static void match_line(void *user, uint64_t start, uint64_t end, bool begins, const struct code_place *place)
{
    struct matching *m = user;
    char text[340];
    (void)begins;
    snprintf(text, sizeof text, "%s:%d", base_name(place->file), place->line);
    if (fits(m, text) || fits(m, base_name(place->file)))
        add_range(m, start, end);
}

static void match_variables(struct matching *m, struct debuginfo *debuginfo)
{
    size_t count;
    const struct variable *variables = debuginfo_variables(debuginfo, &count);
    for (size_t i = 0; i < count; i++)
        if (!variables[i].is_thread_local && fits(m, variables[i].name))
            add_range(m, variables[i].start, variables[i].start + variables[i].size);
}

static bool find_ranges(struct suppressed *suppressed, uint32_t rule, struct debuginfo *debuginfo)
{
    struct matching m = {.suppressed = suppressed, .rule = rule};
    debuginfo_functions(debuginfo, match_function, &m);
    debuginfo_lines(debuginfo, match_line, &m);
    match_variables(&m, debuginfo);
    return !m.is_full;
}

static bool is_kind(const char *text)
{
    size_t i = 0;
    while (kinds[i] && strcmp(kinds[i], text) != 0)
        i++;
    return kinds[i];
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
        text[--length] = '\0';
    return text;
}

static enum portolan_status wrong_line(struct portolan_error *error, const char *path, unsigned number,
                                       const char *line, const char *what)
{
    fail_at(error, path, number, 1, line, "%s", what);
    hint(error,
         "a line is KIND: PLACE, as in 'data race: stats.c:12' or 'deadlock: shut_*'; kinds are those of reports");
    return PORTOLAN_BAD_INPUT;
}

/* A line without its comment; an empty one is fine. */
static enum portolan_status read_rule(char *line, const char *path, unsigned number, struct suppressed *to,
                                      struct portolan_error *error)
{
    struct suppression_rule *rule = &to->rules[to->rule_count];
    char copy[256];
    line[strcspn(line, "#")] = '\0';
    line = trimmed(line);
    snprintf(copy, sizeof copy, "%s", line);
    if (!line[0])
        return PORTOLAN_OK;
    char *colon = strchr(line, ':');
    if (!colon)
        return wrong_line(error, path, number, copy, "there is no ':' between a kind and a place");
    *colon = '\0';
    const char *kind = trimmed(line), *pattern = trimmed(colon + 1);
    if (!is_kind(kind))
        return wrong_line(error, path, number, copy, "there is no such kind of error");
    if (!pattern[0] || strlen(pattern) >= sizeof rule->pattern)
        return wrong_line(error, path, number, copy, pattern[0] ? "the place is too long" : "there is no place");
    if (to->rule_count == MOST_RULES)
        return wrong_line(error, path, number, copy, "there are too many lines");
    snprintf(rule->kind, sizeof rule->kind, "%s", kind);
    snprintf(rule->pattern, sizeof rule->pattern, "%s", pattern);
    to->rule_count++;
    return PORTOLAN_OK;
}

static enum portolan_status read_rules(FILE *file, const char *path, struct suppressed *to,
                                       struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    char *line = NULL;
    size_t capacity = 0;
    for (unsigned number = 1; status == PORTOLAN_OK && getline(&line, &capacity, file) >= 0; number++)
        status = read_rule(line, path, number, to, error);
    free(line);
    return status;
}

enum portolan_status read_suppressions(const char *path, const char *program, struct suppressed *suppressed,
                                       struct portolan_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    enum portolan_status status = read_rules(file, path, suppressed, error);
    fclose(file);
    struct debuginfo *debuginfo = status == PORTOLAN_OK ? debuginfo_make() : NULL;
    if (status == PORTOLAN_OK && !debuginfo)
        return fail_memory(error);
    if (debuginfo) {
        debuginfo_add(debuginfo, program, 0);
        debuginfo_ready(debuginfo);
    }
    for (uint32_t i = 0; status == PORTOLAN_OK && i < suppressed->rule_count; i++)
        if (!find_ranges(suppressed, i, debuginfo))
            status = fail(error, PORTOLAN_BAD_INPUT, "%s names too many places", path);
    debuginfo_free(debuginfo);
    return status;
}
