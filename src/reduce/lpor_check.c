/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check mode of local partial-order reduction: definitions 1 and 2 of the document (can enable, depends on) and the
 * contract of conditions, tested in one state by taking every step and every two steps.
 */
#include "reduce/lpor.h"

#include "base/diagnostic.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct portolan_lpor_relations *r;
    const struct portolan_lpor_steps *steps;
    const void *state;
    uint32_t *enabled, *later, *after_other; /* lists: here, after one step, after another */
    uint32_t enabled_count, later_count;
    bool *is_enabled, *is_later; /* per transition */
    bool *held;                  /* per condition */
    void *next, *end, *other, *other_end;
    struct portolan_error *error;
};

/* ------------------------------------------------------------------- messages */

static void describe(const struct portolan_lpor_steps *steps, const void *state, char *text, size_t size)
{
    if (steps->describe) {
        steps->describe(steps->user, state, text, size);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "state ");
    for (size_t i = 0; i < steps->state_bytes && used + 3 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%02x", ((const unsigned char *)state)[i]);
}

static void name_of(const struct portolan_lpor_steps *steps, uint32_t t, char *text, size_t size)
{
    if (steps->name)
        steps->name(steps->user, t, text, size);
    else
        snprintf(text, size, "%u", t);
}

/* "in STATE: 't' reason 'u'"; u may be UINT32_MAX. */
static enum portolan_status lie(const struct check *c, const void *state, uint32_t t, const char *reason, uint32_t u)
{
    char shown[160], first[64], second[64];
    describe(c->steps, state, shown, sizeof shown);
    name_of(c->steps, t, first, sizeof first);
    if (u == UINT32_MAX)
        return fail(c->error, PORTOLAN_BAD_INPUT, "in %s: '%s' %s", shown, first, reason);
    name_of(c->steps, u, second, sizeof second);
    return fail(c->error, PORTOLAN_BAD_INPUT, "in %s: '%s' %s '%s'", shown, first, reason, second);
}

/* ------------------------------------------------------------------ conditions */

static bool contains(const struct portolan_lists *lists, uint32_t list, uint32_t wanted)
{
    for_list (item, *lists, list)
        if (*item == wanted)
            return true;
    return false;
}

static bool has_all(const struct check *c, const void *state, uint32_t t)
{
    const struct portolan_lpor_relations *r = c->r;
    for_list (condition, r->needs, t)
        if (!r->holds(r->user, state, *condition))
            return false;
    if (!r->quorums)
        return true;
    for_list (q, r->quorums_of, t) {
        uint32_t there = 0;
        for_list (condition, r->quorum, *q)
            there += r->holds(r->user, state, *condition);
        if (there < r->least[*q])
            return false;
    }
    return true;
}

/* An enabled transition has what it asks for; without can_enable, a disabled one has not. */
static enum portolan_status check_needs(const struct check *c, const void *state, const bool *is_enabled)
{
    for (uint32_t t = 0; c->r->conditions && t < c->r->transitions; t++) {
        bool all = has_all(c, state, t);
        if (is_enabled[t] && !all)
            return lie(c, state, t, "is enabled, but a condition that it asks for does not hold", UINT32_MAX);
        if (!is_enabled[t] && all && !c->r->can_enable.offset)
            return lie(c, state, t, "is disabled, but all its conditions hold and there is no can_enable", UINT32_MAX);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_flips(const struct check *c, uint32_t t)
{
    for (uint32_t i = 0; i < c->r->conditions; i++)
        if (!c->held[i] && c->r->holds(c->r->user, c->next, i) && !contains(&c->r->enablers, i, t)) {
            char reason[96];
            snprintf(reason, sizeof reason, "makes condition %u true, but is not among its enablers", i);
            return lie(c, c->state, t, reason, UINT32_MAX);
        }
    return PORTOLAN_OK;
}

/* ----------------------------------------------------------------------- steps */

static enum portolan_status look(struct check *c, const void *state, uint32_t *list, uint32_t *count, bool *is_enabled)
{
    *count = c->steps->enabled(c->steps->user, state, list);
    memset(is_enabled, 0, c->r->transitions * sizeof *is_enabled);
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] >= c->r->transitions)
            return fail(c->error, PORTOLAN_BAD_INPUT, "transition %u is enabled, but there are only %u", list[i],
                        c->r->transitions);
        is_enabled[list[i]] = true;
    }
    return check_needs(c, state, is_enabled);
}

/* Does u, followed by t, lead to c->end? */
static bool other_order_leads_there(struct check *c, uint32_t u, uint32_t t)
{
    const struct portolan_lpor_steps *s = c->steps;
    for (uint32_t i = 0; i < s->successors(s->user, c->state, u); i++) {
        s->fire(s->user, c->state, u, i, c->other);
        uint32_t count = s->enabled(s->user, c->other, c->after_other);
        bool there = false;
        for (uint32_t k = 0; k < count; k++)
            there |= c->after_other[k] == t;
        for (uint32_t k = 0; there && k < s->successors(s->user, c->other, t); k++) {
            s->fire(s->user, c->other, t, k, c->other_end);
            if (memcmp(c->end, c->other_end, s->state_bytes) == 0)
                return true;
        }
    }
    return false;
}

/* t has been taken; does u, enabled before, depend on it, and is that said? */
static enum portolan_status check_dependency(struct check *c, uint32_t t, uint32_t u)
{
    const struct portolan_lpor_steps *s = c->steps;
    if (t == u || contains(&c->r->depends_on, u, t))
        return PORTOLAN_OK;
    if (!c->is_later[u])
        return lie(c, c->state, u, "is not declared to depend on, but is disabled by,", t);
    for (uint32_t i = 0; i < s->successors(s->user, c->next, u); i++) {
        s->fire(s->user, c->next, u, i, c->end);
        if (!other_order_leads_there(c, u, t))
            return lie(c, c->state, u, "is not declared to depend on, but leads elsewhere after,", t);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_step(struct check *c, uint32_t t, uint32_t number)
{
    const struct portolan_lpor_steps *s = c->steps;
    s->fire(s->user, c->state, t, number, c->next);
    enum portolan_status status = look(c, c->next, c->later, &c->later_count, c->is_later);
    if (status == PORTOLAN_OK)
        status = check_flips(c, t);
    if (status == PORTOLAN_OK && c->r->visible && !c->r->visible[t] && s->observed &&
        s->observed(s->user, c->state) != s->observed(s->user, c->next))
        status = lie(c, c->state, t, "is not declared to be visible, but changes what is observed", UINT32_MAX);
    for (uint32_t i = 0; i < c->later_count && status == PORTOLAN_OK; i++)
        if (c->r->can_enable.offset && !c->is_enabled[c->later[i]] && !contains(&c->r->can_enable, t, c->later[i]))
            status = lie(c, c->state, t, "is not declared to enable, but enables,", c->later[i]);
    for (uint32_t i = 0; i < c->enabled_count && status == PORTOLAN_OK; i++)
        status = check_dependency(c, t, c->enabled[i]);
    return status;
}

static enum portolan_status check_state(struct check *c)
{
    enum portolan_status status = look(c, c->state, c->enabled, &c->enabled_count, c->is_enabled);
    for (uint32_t i = 0; i < c->r->conditions; i++)
        c->held[i] = c->r->holds(c->r->user, c->state, i);
    for (uint32_t i = 0; i < c->enabled_count && status == PORTOLAN_OK; i++) {
        uint32_t t = c->enabled[i], count = c->steps->successors(c->steps->user, c->state, t);
        for (uint32_t k = 0; k < count && status == PORTOLAN_OK; k++)
            status = check_step(c, t, k);
    }
    return status;
}

enum portolan_status lpor_check(const struct portolan_lpor_relations *relations,
                                const struct portolan_lpor_steps *steps, const void *state,
                                struct portolan_error *error)
{
    enum portolan_status status = lpor_check_lists(relations, false, error);
    if (status != PORTOLAN_OK)
        return status;
    if (!state || !steps->enabled || !steps->successors || !steps->fire)
        return fail(error, PORTOLAN_BAD_OPTION, "the state, or one of the functions of the steps, is NULL");
    size_t n = (size_t)relations->transitions + 1, bytes = steps->state_bytes;
    struct check c = {.r = relations, .steps = steps, .state = state, .error = error};
    uint32_t *lists = calloc(3 * n, sizeof *lists);
    bool *flags = calloc(2 * n + relations->conditions, sizeof *flags);
    unsigned char *states[4] = {malloc(bytes + 1), malloc(bytes + 1), malloc(bytes + 1), malloc(bytes + 1)};
    if (lists && flags && states[0] && states[1] && states[2] && states[3]) {
        c.enabled = lists;
        c.later = lists + n;
        c.after_other = lists + 2 * n;
        c.is_enabled = flags;
        c.is_later = flags + n;
        c.held = flags + 2 * n;
        c.next = states[0];
        c.end = states[1];
        c.other = states[2];
        c.other_end = states[3];
        status = check_state(&c);
    } else {
        status = fail_memory(error);
    }
    free(lists);
    free(flags);
    for (size_t i = 0; i < 4; i++)
        free(states[i]);
    return status;
}

/* ------------------------------------------------------------ lists by asking */

enum portolan_status portolan_lists_new(uint32_t from, uint32_t to, bool (*related)(void *user, uint32_t i, uint32_t j),
                                        void *user, struct portolan_lists *lists, struct portolan_error *error)
{
    struct lists_builder builder = {0};
    if (!related || !lists)
        return fail(error, PORTOLAN_BAD_OPTION, "the function, or the place for the lists, is NULL");
    for (uint32_t i = 0; i < from; i++)
        for (uint32_t j = 0; j < to; j++)
            if (related(user, i, j))
                lists_add(&builder, i, j);
    return lists_finish(&builder, from, lists) ? PORTOLAN_OK : fail_memory(error);
}

void portolan_lists_clear(struct portolan_lists *lists)
{
    if (lists)
        lists_clear(lists);
}
