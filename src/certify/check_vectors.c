/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate by probe sets: one line a vector, in the order in which the vectors are found here. */
#include "certify/check.h"
#include "certify/vectors.h"

#include "base/diagnostic.h"
#include "property/property.h"
#include "system/deadlock.h"

#include <inttypes.h>

static bool read_action(struct checker *c, uint32_t *action)
{
    return reader_number(&c->reader, action) && *action < c->system->actions;
}

/* "ACTION/DISCHARGED.DISCHARGED ..." */
static enum portolan_status read_probed(struct checker *c, struct probe_set *set)
{
    struct reader *r = &c->reader;
    struct probed_action probed = {.first = (uint32_t)set->discharged.count};
    uint32_t discharged;
    if (!reader_take(r, " ") || !read_action(c, &probed.action))
        return reader_expected(r, "an action of the model");
    for (const char *mark = "/"; reader_take(r, mark); mark = ".") {
        if (!read_action(c, &discharged))
            return reader_expected(r, "an action of the model");
        if (!vector_push(&set->discharged, discharged))
            return fail_memory(c->error);
        probed.count++;
    }
    return vector_push(&set->actions, probed) ? PORTOLAN_OK : fail_memory(c->error);
}

/* "vN KEEPER ACTIONS" */
static enum portolan_status read_set(struct checker *c, struct probe_set *set)
{
    struct reader *r = &c->reader;
    uint32_t number;
    enum portolan_status status = PORTOLAN_OK;
    set->keeper = NO_KEEPER;
    set->actions.count = set->discharged.count = 0;
    if (!reader_number(r, &number) || number != c->size.vectors)
        return reader_expected(r, "the number of the next vector");
    if (!reader_take(r, " *") && (!reader_take(r, " ") || !read_action(c, &set->keeper)))
        return reader_expected(r, "'*' or an action of the model");
    while (status == PORTOLAN_OK && !reader_at_end(r))
        status = read_probed(c, set);
    return status;
}

static enum portolan_status check_claims(struct checker *c, const struct vectors *v)
{
    bool deadlock = is_deadlock(c->opened, v->state, v->enabled_count);
    for (size_t i = 0; i < c->claims.list.count; i++) {
        const struct claim *claim = &c->claims.list.item[i];
        if (claim->ltl)
            return not_valid(c, "probe sets prove no formula");
        if (property_is_decided_by(claim->property, c->opened, v->state, deadlock))
            return not_valid(c, "'%.200s' is false behind vector %" PRIu32, claim->text, v->number);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_vector(struct checker *c, struct vectors *v, struct probe_set *set)
{
    uint32_t action = 0, number = (uint32_t)c->size.vectors;
    enum portolan_status status = read_set(c, set);
    if (status != PORTOLAN_OK)
        return status;
    if (number >= v->vectors.count)
        return not_valid(c, "vector %" PRIu32 " has not been reached", number);
    if (!vectors_load(v, number))
        return fail_memory(c->error);
    const char *wrong = vectors_judge(v, set, &action);
    if (wrong)
        return not_valid(c, "vector %" PRIu32 ": '%s' %s", number, action_text(c, action), wrong);
    status = check_claims(c, v);
    if (status != PORTOLAN_OK)
        return status;
    c->size.vectors++;
    c->size.edges += set->actions.count;
    return vectors_follow(v, set) ? PORTOLAN_OK : fail_memory(c->error);
}

static enum portolan_status check_end(struct checker *c, const struct vectors *v)
{
    struct reader *r = &c->reader;
    uint32_t vectors, edges;
    if (!reader_number(r, &vectors) || !reader_take(r, " ") || !reader_number(r, &edges) || !reader_at_end(r))
        return reader_expected(r, "the numbers of vectors and explored actions");
    if (c->size.vectors < v->vectors.count)
        return not_valid(c, "vector %" PRIu64 " is reached, but has no line", c->size.vectors);
    if (vectors != c->size.vectors || edges != (uint32_t)c->size.edges)
        return not_valid(c,
                         "there are %" PRIu64 " vectors and %" PRIu64 " explored actions, not %" PRIu32 " and %" PRIu32,
                         c->size.vectors, c->size.edges, vectors, edges);
    return PORTOLAN_OK;
}

static enum portolan_status check_lines(struct checker *c, struct vectors *v, struct probe_set *set)
{
    struct reader *r = &c->reader;
    enum portolan_status status;
    while ((status = reader_line(r)) == PORTOLAN_OK) {
        if (reader_take(r, "end "))
            return check_end(c, v);
        status = reader_take(r, "v") ? check_vector(c, v, set) : reader_expected(r, "a vector or 'end'");
        if (status != PORTOLAN_OK)
            break;
    }
    return status;
}

enum portolan_status check_vectors(struct checker *c)
{
    struct vectors vectors;
    struct probe_set set = {0};
    if (!c->opened->entities)
        return not_valid(c, "this model has no entities, so there are no probe sets");
    enum portolan_status status =
        vectors_make(&vectors, c->opened, c->claims.visible) ? PORTOLAN_OK : fail_memory(c->error);
    if (status == PORTOLAN_OK)
        status = vectors.ambiguous
                     ? not_valid(c, "what an action does to entities depends on the state, so there are no probe sets")
                     : check_lines(c, &vectors, &set);
    vectors_clear(&vectors);
    probe_set_clear(&set);
    return status;
}
