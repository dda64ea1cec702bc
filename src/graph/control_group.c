/* SPDX-License-Identifier: Apache-2.0 */
/* any and other: which rules and recipes they call, and in which order of priorities. */
#include "base/limits.h"
#include "graph/control_compile.h"

#include <string.h>

static bool statement_calls(struct compiler *c, const struct statement *statement, const struct action *wanted);

/* The body of a function or recipe, unless it has been looked at. */
static bool body_calls(struct compiler *c, struct procedure *procedure, const struct action *wanted)
{
    const struct control_source *source = c->source;
    if (procedure->mark == c->mark)
        return false;
    procedure->mark = c->mark;
    c->source = procedure->source;
    bool calls = statement_calls(c, procedure->body, wanted);
    c->source = source;
    return calls;
}

/* Whether one of the statements calls the action, also by way of functions and recipes. */
static bool statement_calls(struct compiler *c, const struct statement *statement, const struct action *wanted)
{
    for (; statement; statement = statement->next) {
        struct action called = {0};
        if (statement->kind == STATEMENT_CALL)
            called = control_resolve(c, statement->name);
        if (is_found(called) && called.rule == wanted->rule && called.procedure == wanted->procedure)
            return true;
        if (called.procedure && body_calls(c, called.procedure, wanted))
            return true;
        if (statement->parts && statement_calls(c, statement->parts, wanted))
            return true;
    }
    return false;
}

/* Whether a recipe calls the action, or anything at all does. */
static bool is_called(struct compiler *c, const struct action *wanted, bool by_anything)
{
    bool called = false;
    c->mark++;
    for (size_t s = 0; s < c->source_count && !called; s++) {
        c->source = &c->sources[s];
        called = by_anything && statement_calls(c, c->sources[s].main, wanted);
        for (struct procedure *p = c->sources[s].procedures; p && !called; p = p->next)
            called = (by_anything || p->is_recipe) && p != wanted->procedure && body_calls(c, p, wanted);
    }
    return called;
}

static bool name_is_within(const char *name, const char *prefix, bool below)
{
    size_t length = strlen(prefix);
    if (length > 0 && (strncmp(name, prefix, length) != 0 || name[length] != '.'))
        return false;
    return below || !strchr(name + length + (length > 0), '.');
}

struct group {
    const char *prefix; /* NULL: all there are */
    bool below, is_other;
    VECTOR(struct action) members;
};

static bool add_member(struct compiler *c, struct group *group, struct action action)
{
    const char *name = action.rule ? action.rule->name : action.procedure->name;
    const struct control_source *source = c->source;
    bool belongs = !group->prefix || name_is_within(name, group->prefix, group->below);
    belongs = belongs && !is_called(c, &action, group->is_other); /* what recipes call is theirs */
    c->source = source;
    if (!belongs || (vector_push(&group->members, action) && !limits_reached()))
        return true;
    control_no_memory(c);
    return false;
}

static bool find_members(struct compiler *c, struct group *group)
{
    for (size_t r = 0; r < c->grammar->rules.count; r++) {
        const struct rule *rule = &c->grammar->rules.item[r];
        if (rule->is_enabled && !is_condition(rule) && !add_member(c, group, (struct action){.rule = rule}))
            return false;
    }
    for (size_t s = 0; s < c->source_count; s++)
        for (struct procedure *p = c->sources[s].procedures; p; p = p->next)
            if (p->is_recipe && !add_member(c, group, (struct action){.procedure = p}))
                return false;
    return true;
}

static int64_t priority_of(const struct action *action)
{
    return action->rule ? action->rule->priority : action->procedure->priority;
}

/* A call that gives nothing. */
static uint32_t call_member(struct compiler *c, const struct position *at, const struct action *action)
{
    struct statement call = {.kind = STATEMENT_CALL, .at = *at};
    uint32_t first;
    call.name = action->rule ? action->rule->name : action->procedure->name;
    if (!control_arguments(c, &call, action, &first))
        return NO_TERM;
    return control_call(c, at, action, first);
}

static uint32_t call_priority(struct compiler *c, const struct position *at, const struct group *group,
                              int64_t priority)
{
    struct term_list list = {0};
    uint32_t term = NO_TERM;
    for (size_t i = 0; i < group->members.count && !c->status; i++)
        if (priority_of(&group->members.item[i]) == priority) {
            uint32_t call = call_member(c, at, &group->members.item[i]);
            if (!c->status && !vector_push(&list, call))
                control_no_memory(c);
        }
    if (!c->status)
        term = control_choice(c, &list);
    free(list.item);
    return term;
}

static bool next_priority(const struct group *group, bool is_first, int64_t *priority)
{
    bool found = false;
    int64_t next = 0;
    for (size_t i = 0; i < group->members.count; i++) {
        int64_t p = priority_of(&group->members.item[i]);
        if ((is_first || p > *priority) && (!found || p < next)) {
            next = p;
            found = true;
        }
    }
    *priority = next;
    return found;
}

/* The actions of the highest priority; if none can, those of the next. */
static uint32_t compile_members(struct compiler *c, const struct position *at, struct group *group)
{
    int64_t priority = 0;
    uint32_t stuck = term_stuck(&c->terms), done = term_done(&c->terms), term = stuck;
    if (find_members(c, group))
        for (bool more = next_priority(group, true, &priority); more && !c->status && !c->terms.has_failed;
             more = next_priority(group, false, &priority)) {
            uint32_t calls = call_priority(c, at, group, priority);
            term = c->status ? NO_TERM : term_if(&c->terms, calls, done, stuck, term);
        }
    free(group->members.item);
    return term;
}

uint32_t control_group(struct compiler *c, const struct position *at, const char *prefix, bool below, bool is_other)
{
    struct group group = {.prefix = prefix, .below = below, .is_other = is_other};
    return compile_members(c, at, &group);
}
