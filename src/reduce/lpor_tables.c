/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What local partial-order reduction knows before the first state: who can enable whom, and the forward enable sets
 * (algorithm 1 of the document), transposed and already met with the dependencies: for each t the transitions that can
 * begin a sequence of enablings whose last one t depends on.
 */
#include "reduce/lpor.h"

#include "base/diagnostic.h"
#include "base/sequences.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_WORDS = 16, MOST_WORDS = 4096 }; /* in all rows of needed_by */

/* ------------------------------------------------------------------ the input */

static enum portolan_status check_list(const struct portolan_lists *lists, const char *what, uint32_t count,
                                       uint32_t limit, struct portolan_error *error)
{
    if (!lists->offset)
        return fail(error, PORTOLAN_BAD_INPUT, "the relation %s is missing", what);
    for (uint32_t i = 0; i < count; i++) {
        if (lists->offset[i] > lists->offset[i + 1])
            return fail(error, PORTOLAN_BAD_INPUT, "the relation %s: list %u ends before it starts", what, i);
        for_list (item, *lists, i)
            if (*item >= limit)
                return fail(error, PORTOLAN_BAD_INPUT, "the relation %s: list %u holds %u, which is out of range", what,
                            i, *item);
    }
    return PORTOLAN_OK;
}

enum portolan_status lpor_check_lists(const struct portolan_lpor_relations *r, struct portolan_error *error)
{
    const struct {
        const struct portolan_lists *lists;
        const char *what;
        uint32_t count, limit;
        bool needed;
    } all[] = {{&r->depends_on, "depends_on", r->transitions, r->transitions, true},
               {&r->can_enable, "can_enable", r->transitions, r->transitions, r->can_enable.offset || !r->needs.offset},
               {&r->needs, "needs", r->transitions, r->conditions, r->conditions || !r->can_enable.offset},
               {&r->enablers, "enablers", r->conditions, r->transitions, r->conditions},
               {&r->quorums_of, "quorums_of", r->transitions, r->quorums, r->quorums},
               {&r->quorum, "quorum", r->quorums, r->conditions, r->quorums}};
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == PORTOLAN_OK; i++)
        if (all[i].needed)
            status = check_list(all[i].lists, all[i].what, all[i].count, all[i].limit, error);
    if (status == PORTOLAN_OK && r->conditions && !r->holds)
        status = fail(error, PORTOLAN_BAD_INPUT, "there are conditions, but no function 'holds'");
    if (status == PORTOLAN_OK && r->quorums && !r->least)
        status = fail(error, PORTOLAN_BAD_INPUT, "there are quorums, but no array 'least'");
    if (status == PORTOLAN_OK && r->conditions > UINT32_MAX / 2 - r->transitions)
        status = fail(error, PORTOLAN_BAD_INPUT, "there are too many conditions");
    return status;
}

/* ------------------------------------------------------------------ the lists */

/* What t asks for, and what it can do for others. */
static bool make_conditions(struct portolan_lpor *l)
{
    const struct portolan_lpor_relations *r = &l->r;
    struct lists_builder needs = {0}, enables = {0};
    bool told = r->can_enable.offset;
    l->conditions = r->conditions + (told ? r->transitions : 0);
    for (uint32_t t = 0; t < r->transitions; t++) {
        for_list (c, r->needs, t)
            lists_add(&needs, t, *c);
        if (!told)
            continue;
        lists_add(&needs, t, r->conditions + t);
        for_list (u, r->can_enable, t)
            if (*u != t)
                lists_add(&enables, t, r->conditions + *u);
    }
    for (uint32_t c = 0; c < r->conditions; c++)
        for_list (t, r->enablers, c)
            lists_add(&enables, *t, c);
    bool fine = lists_finish(&needs, r->transitions, &l->needs);
    return lists_finish(&enables, r->transitions, &l->enables) && fine;
}

static bool make_kinds(struct portolan_lpor *l)
{
    struct sequences kinds = {0};
    bool is_new, fine = true;
    l->kind = calloc((size_t)l->r.transitions + 1, sizeof *l->kind);
    for (uint32_t t = 0; l->kind && fine && t < l->r.transitions; t++) {
        l->kind[t] =
            sequence_insert(&kinds, l->enables.item + l->enables.offset[t], list_length(&l->enables, t), &is_new);
        fine = l->kind[t] != SEQUENCE_NONE;
    }
    sequences_clear(&kinds);
    return l->kind && fine;
}

static bool make_users(struct portolan_lpor *l)
{
    const struct portolan_lpor_relations *r = &l->r;
    struct lists_builder users = {0};
    for (uint32_t t = 0; t < r->transitions; t++) {
        if (!list_length(&l->enables, t))
            continue; /* whether it can happen matters to nobody's conditions */
        for_list (c, l->needs, t)
            lists_add(&users, *c, t);
        if (r->quorums)
            for_list (q, r->quorums_of, t)
                for_list (c, r->quorum, *q)
                    lists_add(&users, *c, t);
    }
    return lists_finish(&users, l->conditions, &l->users);
}

/* Of each transition those that can enable it; conditions say it when can_enable does not. */
static bool make_enablers(struct portolan_lpor *l)
{
    const struct portolan_lpor_relations *r = &l->r;
    struct lists_builder enablers = {0};
    if (r->can_enable.offset)
        return lists_transpose(&r->can_enable, r->transitions, r->transitions, &l->enablers);
    for (uint32_t t = 0; t < r->transitions; t++) {
        for_list (c, r->needs, t)
            for_list (u, r->enablers, *c)
                lists_add(&enablers, t, *u);
        if (r->quorums)
            for_list (q, r->quorums_of, t)
                for_list (c, r->quorum, *q)
                    for_list (u, r->enablers, *c)
                        lists_add(&enablers, t, *u);
    }
    return lists_finish(&enablers, r->transitions, &l->enablers);
}

/* ------------------------------------------------------------------- the rows */

static void fill_dependencies(struct portolan_lpor *l)
{
    uint32_t n = l->r.transitions;
    uint64_t *visible = l->row;
    memset(visible, 0, l->words * sizeof *visible);
    for (uint32_t t = 0; l->r.visible && t < n; t++)
        if (l->r.visible[t])
            bit_set(visible, t);
    for (uint32_t t = 0; t < n; t++) {
        uint64_t *row = l->depends_on + t * l->words;
        if (bit_get(visible, t))
            memcpy(row, visible, l->words * sizeof *row);
        for_list (u, l->r.depends_on, t)
            bit_set(row, *u);
        bit_clear(row, t);
    }
}

/* Whatever a dependency of t depends on, t depends on too. */
static bool is_transitive(const struct portolan_lpor *l)
{
    for (uint32_t t = 0; t < l->r.transitions; t++) {
        const uint64_t *row = l->depends_on + t * l->words;
        for (size_t w = 0; w < l->words; w++) {
            uint32_t u;
            for_bits(u, row[w], w) for (size_t v = 0; v < l->words; v++)
            {
                uint64_t more = l->depends_on[u * l->words + v] & ~row[v];
                if (v == t / 64)
                    more &= ~(UINT64_C(1) << t % 64);
                if (more)
                    return false;
            }
        }
    }
    return true;
}

void lpor_find_leads(const struct portolan_lpor *l, uint32_t t, uint64_t *row, uint32_t *queue)
{
    const uint64_t *depends_on = l->depends_on + t * l->words;
    uint32_t count = 0, u;
    memcpy(row, depends_on, l->words * sizeof *row);
    for (size_t w = 0; w < l->words; w++)
        for_bits(u, depends_on[w], w) queue[count++] = u;
    for (uint32_t i = 0; i < count; i++)
        for_list (enabler, l->enablers, queue[i]) {
            if (bit_get(row, *enabler))
                continue;
            bit_set(row, *enabler);
            queue[count++] = *enabler;
        }
    bit_clear(row, t);
}

/* Worth it where many transitions share few conditions, as the instances of quorums do. */
static bool make_needed_by(struct portolan_lpor *l)
{
    size_t words = l->conditions * l->words;
    bool pays = words <= FEW_WORDS || (words <= MOST_WORDS && l->conditions <= l->r.transitions / 4);
    if (l->options.plain || l->options.online || !pays)
        return true;
    l->needed_by = calloc(words + 1, sizeof *l->needed_by);
    for (uint32_t t = 0; l->needed_by && t < l->r.transitions; t++)
        for_list (c, l->needs, t)
            bit_set(l->needed_by + *c * l->words, t);
    return l->needed_by;
}

static bool allocate_rows(struct portolan_lpor *l)
{
    size_t n = l->r.transitions;
    l->words = bit_words(l->r.transitions);
    l->depends_on = calloc(n * l->words + 1, sizeof *l->depends_on);
    if (!l->options.online)
        l->leads_to = calloc(n * l->words + 1, sizeof *l->leads_to);
    l->row = calloc(l->words + 1, sizeof *l->row);
    l->queue = calloc(n + l->conditions + 1, sizeof *l->queue);
    return l->depends_on && (l->leads_to || l->options.online) && l->row && l->queue;
}

enum portolan_status lpor_tables_make(struct portolan_lpor *l, struct portolan_error *error)
{
    if (!l->options.plain && (!make_conditions(l) || !make_kinds(l) || !make_users(l)))
        return fail_memory(error);
    if (!make_enablers(l) || !allocate_rows(l) || !make_needed_by(l))
        return fail_memory(error);
    fill_dependencies(l);
    l->is_transitive = is_transitive(l);
    for (uint32_t t = 0; l->leads_to && t < l->r.transitions; t++)
        lpor_find_leads(l, t, l->leads_to + t * l->words, l->queue);
    return PORTOLAN_OK;
}

void lpor_tables_clear(struct portolan_lpor *l)
{
    lists_clear(&l->needs);
    lists_clear(&l->enables);
    lists_clear(&l->enablers);
    lists_clear(&l->users);
    free(l->kind);
    free(l->depends_on);
    free(l->leads_to);
    free(l->needed_by);
    free(l->row);
    free(l->queue);
}
