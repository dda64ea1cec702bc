/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local partial-order reduction on the relations view: a transition depends on another when one may disable the other
 * or they do not commute; its conditions are its guards, which say exactly when it is enabled.  The algorithm is in
 * lpor.c.
 */
#include "base/diagnostic.h"
#include "reduce/lpor.h"
#include "reduce/reduction.h"
#include "system/arguments.h"

#include <stdlib.h>
#include <string.h>

struct conflicts {
    const struct portolan_relations *r;
    struct portolan_lists users;       /* guard -> transitions that have it */
    struct portolan_lists may_disable; /* transition -> guards that it may turn false */
};

static void add_conflicts(const void *user, uint32_t t, uint64_t *row)
{
    const struct conflicts *c = user;
    for_list (g, c->r->guards_of, t)
        for_list (u, c->r->disablers, *g)
            bit_set(row, *u);
    for_list (g, c->may_disable, t)
        for_list (u, c->users, *g)
            bit_set(row, *u);
    for_list (u, c->r->not_commuting, t)
        bit_set(row, *u);
    if (c->r->never_together.offset)
        for_list (u, c->r->never_together, t)
            bit_clear(row, *u);
}

enum portolan_status lpor_of_system(const struct portolan_system *system, const bool *visible,
                                    const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                                    struct portolan_error *error)
{
    if (check_system(system, error) || check_pointer(lpor, "the place for the result", error))
        return PORTOLAN_BAD_OPTION;
    const struct portolan_relations *r = system->relations;
    if (!r)
        return fail(error, PORTOLAN_REFUSED, "this system does not provide the relations that lpor needs");
    *lpor = NULL;
    const struct portolan_lpor_relations relations = {.transitions = r->transitions,
                                                      .user = system->model,
                                                      .conditions = r->guards,
                                                      .needs = r->guards_of,
                                                      .enablers = r->enablers,
                                                      .holds = r->holds,
                                                      .visible = visible};
    struct conflicts conflicts = {.r = r};
    const struct lpor_dependencies dependencies = {add_conflicts, &conflicts};
    enum portolan_status status = lpor_check_lists(&relations, true, error);
    if (status == PORTOLAN_OK && (!lists_transpose(&r->guards_of, r->transitions, r->guards, &conflicts.users) ||
                                  !lists_transpose(&r->disablers, r->guards, r->transitions, &conflicts.may_disable)))
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        status = lpor_make(&relations, &dependencies, options, lpor, error);
    lists_clear(&conflicts.users);
    lists_clear(&conflicts.may_disable);
    return status;
}

struct lpor {
    struct reduction base;
    struct portolan_lpor_options options;
    bool first; /* the first enabled transition is the initial one; else the best is found */
    struct portolan_lpor *library;
};

static uint32_t write_set(const struct lpor *l, const struct choice *choice, uint32_t initial, uint32_t *out)
{
    uint32_t count = 0;
    lpor_choose(l->library, choice->state, choice->enabled, choice->enabled_count, initial);
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (bit_get(l->library->best, choice->enabled[i]))
            out[count++] = i;
    return count;
}

/* Attempt k > 0, for a proviso that refused the sets before, takes the k-th enabled transition as the initial one. */
static uint32_t choose(struct reduction *reduction, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    const struct lpor *l = (const struct lpor *)reduction;
    uint32_t count = choice->enabled_count;
    if (count <= 1) {
        out[0] = 0;
        return count;
    }
    bool best = attempt == 0 && !l->first;
    return write_set(l, choice, best ? PORTOLAN_LPOR_BEST : choice->enabled[attempt % count], out);
}

static uint32_t choose_with(struct reduction *reduction, const struct choice *choice, uint32_t action, uint32_t *out)
{
    return write_set((const struct lpor *)reduction, choice, action, out);
}

static void free_lpor(struct reduction *reduction)
{
    struct lpor *l = (struct lpor *)reduction;
    portolan_lpor_free(l->library);
    free(l);
}

static enum portolan_status read_options(struct lpor *l, const char *options, struct portolan_error *error)
{
    struct option_word word;
    while (next_option(&options, &word)) {
        if (strcmp(word.text, "plain") == 0)
            l->options.plain = true;
        else if (strcmp(word.text, "net") == 0)
            l->options.plain = false;
        else if (strcmp(word.text, "online") == 0)
            l->options.online = true;
        else if (strcmp(word.text, "first") == 0)
            l->first = true;
        else if (strcmp(word.text, "persistent") == 0)
            l->options.adaptive = false;
        else
            return unknown_option(&reduction_lpor, word.text, error);
    }
    return PORTOLAN_OK;
}

static enum portolan_status make(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error)
{
    struct lpor *l = calloc(1, sizeof *l);
    if (!l)
        return fail_memory(error);
    l->base.class = &reduction_lpor;
    l->options.adaptive = true;
    enum portolan_status status = read_options(l, options, error);
    l->options.adaptive &= !demands->repeatable;
    if (status == PORTOLAN_OK)
        status = lpor_of_system(system, demands->visible, &l->options, &l->library, error);
    if (status == PORTOLAN_OK)
        *reduction = &l->base;
    else
        free_lpor(&l->base);
    return status;
}

static bool is_weak(const struct reduction *reduction)
{
    (void)reduction;
    return false;
}

static size_t bytes(const struct reduction *reduction)
{
    return lpor_bytes(((const struct lpor *)reduction)->library);
}

static const struct reduction_variant variants[] = {{"lpor", true},
                                                    {"lpor:plain", true},
                                                    {"lpor:first", false},
                                                    {"lpor:online", false},
                                                    {"lpor:plain,online,first", false},
                                                    {NULL, false}};

const struct reduction_class reduction_lpor = {
    .name = "lpor",
    .summary = "local partial-order reduction",
    .options = "net | plain, online (compute nothing in advance), first (not the best initial one), persistent",
    .preserves = "deadlocks; with a proviso invariants, and LTL without X",
    .variants = variants,
    .needs_relations = true,
    .reduces = true,
    .make = make,
    .choose = choose,
    .choose_with = choose_with,
    .is_weak = is_weak,
    .bytes = bytes,
    .free = free_lpor};
