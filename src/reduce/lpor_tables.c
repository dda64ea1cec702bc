/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What local partial-order reduction knows apart from the state: who depends on whom, who can enable whom, and the
 * forward enable sets (algorithm 1 of the document), transposed and already met with the dependencies: for each t the
 * transitions that can begin a sequence of enablings whose last one t depends on.  Such a row is computed when it is
 * first asked for, and kept: of many transitions few are ever enabled.
 */
#include "reduce/lpor.h"

#include "base/diagnostic.h"
#include "base/sequences.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW_WORDS = 16,
    MOST_WORDS = 4096,      /* in all rows of needed_by */
    LITTLE_MEMORY = 1 << 20 /* after so much more, rows that are kept are weighed against what is left */
};

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

enum portolan_status lpor_check_lists(const struct portolan_lpor_relations *r, bool depends_on_is_known,
                                      struct portolan_error *error)
{
    const struct {
        const struct portolan_lists *lists;
        const char *what;
        uint32_t count, limit;
        bool needed;
    } all[] = {{&r->depends_on, "depends_on", r->transitions, r->transitions, !depends_on_is_known},
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

/* What t waits for, and who brings it about: conditions, or "t is enabled" where can_enable says it. */
static bool make_asks(struct portolan_lpor *l)
{
    const struct portolan_lpor_relations *r = &l->r;
    struct lists_builder asks = {0};
    l->asked = r->can_enable.offset ? r->transitions : r->conditions;
    for (uint32_t t = 0; t < r->transitions; t++) {
        if (r->can_enable.offset) {
            lists_add(&asks, t, t);
            continue;
        }
        for_list (c, r->needs, t)
            lists_add(&asks, t, *c);
        if (r->quorums)
            for_list (q, r->quorums_of, t)
                for_list (c, r->quorum, *q)
                    lists_add(&asks, t, *c);
    }
    if (!lists_finish(&asks, r->transitions, &l->asks))
        return false;
    l->bringers = r->enablers;
    if (!r->can_enable.offset)
        return true;
    bool fine = lists_transpose(&r->can_enable, r->transitions, r->transitions, &l->own_bringers);
    l->bringers = l->own_bringers;
    return fine;
}

/* ------------------------------------------------------------------- the rows */

void lpor_listed_dependencies(const void *relations, uint32_t t, uint64_t *row)
{
    const struct portolan_lpor_relations *r = relations;
    for_list (u, r->depends_on, t)
        bit_set(row, *u);
}

/* A row has its own bit, so that those who depend on each other have the same one. */
static bool fill_dependencies(struct portolan_lpor *l, const struct lpor_dependencies *dependencies)
{
    uint32_t n = l->r.transitions;
    uint64_t *visible = calloc(l->words + 1, sizeof *visible);
    bool fine = visible && rows_begin(&l->depends_on, n, n);
    for (uint32_t t = 0; fine && l->r.visible && t < n; t++)
        if (l->r.visible[t])
            bit_set(visible, t);
    for (uint32_t t = 0; t < n && fine; t++) {
        memset(l->row, 0, l->words * sizeof *l->row);
        dependencies->add(dependencies->user, t, l->row);
        for (size_t w = 0; w < l->words && bit_get(visible, t); w++)
            l->row[w] |= visible[w];
        bit_set(l->row, t);
        fine = rows_set(&l->depends_on, t, l->row);
    }
    free(visible);
    return fine;
}

static bool is_part_of(const struct portolan_lpor *l, uint32_t u, uint32_t t)
{
    const struct rows *rows = &l->depends_on;
    for (size_t w = 0; w < l->words && rows->number[u] != rows->number[t]; w++)
        if (row_word(rows, u, w) & ~row_word(rows, t, w))
            return false;
    return true;
}

/* Whatever a dependency of t depends on, t depends on too. */
static bool is_transitive(const struct portolan_lpor *l)
{
    uint32_t u;
    for (uint32_t t = 0; t < l->r.transitions && !limits_reached(); t++)
        for (size_t w = 0; w < l->words; w++)
            for_bits(u, row_word(&l->depends_on, t, w), w)
            {
                if (!is_part_of(l, u, t))
                    return false;
            }
    return true;
}

/* Backwards along the enablings, from what t depends on. */
static void find_leads(struct portolan_lpor *l, uint32_t t)
{
    uint32_t count = 0, u;
    if (++l->asking == 0) {
        l->asking = 1;
        memset(l->asked_in, 0, l->asked * sizeof *l->asked_in);
    }
    for (size_t w = 0; w < l->words; w++) {
        l->row[w] = row_word(&l->depends_on, t, w);
        if (w == t / 64)
            l->row[w] &= ~(UINT64_C(1) << t % 64);
        for_bits(u, l->row[w], w) l->queue[count++] = u;
    }
    for (uint32_t i = 0; i < count; i++)
        for_list (c, l->asks, l->queue[i]) {
            if (l->asked_in[*c] == l->asking)
                continue;
            l->asked_in[*c] = l->asking;
            for_list (bringer, l->bringers, *c)
                if (!bit_get(l->row, *bringer)) {
                    bit_set(l->row, *bringer);
                    l->queue[count++] = *bringer;
                }
        }
    bit_clear(l->row, t);
}

/* Where memory is short, or nothing is to be kept, the row is found again each time. */
static bool may_keep(struct portolan_lpor *l)
{
    size_t bytes = rows_bytes(&l->leads_to);
    if (bytes >= l->look_at_bytes) {
        l->look_at_bytes = 2 * bytes + LITTLE_MEMORY;
        l->options.online |= bytes > limits_room() / 4;
    }
    return !l->options.online;
}

const uint64_t *lpor_leads_to(struct portolan_lpor *l, uint32_t t)
{
    if (l->leads_to.number[t] == SEQUENCE_NONE) {
        find_leads(l, t);
        if (!may_keep(l) || !rows_set(&l->leads_to, t, l->row))
            return l->row;
    }
    for (uint32_t i = 0; i < l->live_count; i++)
        l->row[l->live[i]] = row_word(&l->leads_to, t, l->live[i]);
    return l->row;
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
    l->words = row_words(l->r.transitions);
    l->row = calloc(l->words + 1, sizeof *l->row);
    l->queue = calloc(n + l->conditions + 1, sizeof *l->queue);
    l->asked_in = calloc((size_t)l->asked + 1, sizeof *l->asked_in);
    return l->row && l->queue && l->asked_in && rows_begin(&l->leads_to, l->r.transitions, l->r.transitions);
}

enum portolan_status lpor_tables_make(struct portolan_lpor *l, const struct lpor_dependencies *dependencies,
                                      struct portolan_error *error)
{
    if (!l->options.plain && (!make_conditions(l) || !make_kinds(l) || !make_users(l)))
        return fail_memory(error);
    if (!make_asks(l) || !allocate_rows(l) || !make_needed_by(l) || !fill_dependencies(l, dependencies))
        return fail_memory(error);
    l->is_transitive = is_transitive(l);
    return limits_reached() ? fail_memory(error) : PORTOLAN_OK;
}

void lpor_tables_clear(struct portolan_lpor *l)
{
    lists_clear(&l->needs);
    lists_clear(&l->enables);
    lists_clear(&l->asks);
    lists_clear(&l->own_bringers);
    lists_clear(&l->users);
    rows_clear(&l->depends_on);
    rows_clear(&l->leads_to);
    free(l->kind);
    free(l->asked_in);
    free(l->needed_by);
    free(l->row);
    free(l->queue);
}
