/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application as actions of an entity system.
 *
 * An action says of each entity that it touches whether it is there before.  An application does not always: an edge
 * that it creates may be there already, an edge at a node that it deletes may be there or not (where dangling edges
 * vanish), and of an embargo of several edges one must be missing, whichever.  So there is an action for each way to
 * decide what it leaves open: (not e1) or (e1 and not e2) and so on.  They exclude each other, and one of them is
 * enabled exactly when the application is.  What can never be there together with what the application needs is not
 * asked for; all that can ever be there is known, so no edge that is met later can violate an embargo.
 */
#include "graph/ground/ground.h"

#include "base/limits.h"

#include <string.h>

enum before { OPEN, PRESENT, ABSENT };
enum effect { STAYS, VANISHES, COMES };

struct variants {
    struct saturation *s;
    const struct application *application;
    struct rows *rows;
    uint8_t *before, *effect; /* per entity */
    VECTOR(uint32_t) touched; /* entities */
    VECTOR(uint32_t) clause;  /* facts of which one must be false: a list behind its length */
    size_t made;
    bool gives_way, impossible, failed;
};

static void touch(struct variants *v, uint32_t entity)
{
    if (v->before[entity] == OPEN && v->effect[entity] == STAYS && !vector_push(&v->touched, entity))
        v->failed = true;
}

static void require(struct variants *v, uint32_t entity, enum before before)
{
    touch(v, entity);
    if (v->before[entity] != OPEN && v->before[entity] != before)
        v->impossible = true;
    v->before[entity] = (uint8_t)before;
}

static void affect(struct variants *v, uint32_t entity, enum effect effect)
{
    touch(v, entity);
    v->effect[entity] = (uint8_t)effect;
}

static uint32_t opposite(uint32_t fact)
{
    return fact ^ 1;
}

/* Is the fact, or can it be, true when all is there that the application needs? */
static bool may_be_true(const struct variants *v, uint32_t fact)
{
    const uint32_t *needed = v->s->items.item + v->application->first;
    for (uint32_t i = 0; i < v->application->needed; i++)
        if (!pairs_have(&v->s->pairs, fact, there(needed[i])))
            return false;
    return pairs_have(&v->s->pairs, fact, fact);
}

/* ------------------------------------------------------------------ what is open */

static void at_deleted_node(struct variants *v, uint32_t entity, bool checks_dangling)
{
    if (v->effect[entity] == VANISHES || !may_be_true(v, there(entity)))
        return;
    if (checks_dangling)
        require(v, entity, ABSENT);
    else
        affect(v, entity, VANISHES);
}

static void delete_entities(struct variants *v, const struct rule *rule)
{
    const struct ground_graph *u = &v->s->graph;
    const uint32_t *deleted = v->s->items.item + v->application->first + v->application->needed + v->application->added;
    for (uint32_t i = 0; i < v->application->deleted; i++)
        affect(v, deleted[i], VANISHES);
    for (uint32_t i = 0; i < v->application->deleted; i++) {
        if (!u->entities.item[deleted[i]].is_node)
            continue;
        const struct ground_node *node = &u->nodes.item[u->entities.item[deleted[i]].number];
        for (uint32_t e = node->first_out; e != NO_NUMBER; e = u->edges.item[e].next_out)
            at_deleted_node(v, u->edges.item[e].entity, rule->checks_dangling);
        for (uint32_t e = node->first_in; e != NO_NUMBER; e = u->edges.item[e].next_in)
            at_deleted_node(v, u->edges.item[e].entity, rule->checks_dangling);
    }
}

static void create_entities(struct variants *v)
{
    const uint32_t *added = v->s->items.item + v->application->first + v->application->needed;
    for (uint32_t i = 0; i < v->application->added; i++) {
        affect(v, added[i], COMES);
        if (v->s->graph.entities.item[added[i]].is_node ||
            (v->before[added[i]] == OPEN && !may_be_true(v, there(added[i]))))
            require(v, added[i], ABSENT);
    }
}

/* PRESENT: the fact is decided and true. */
static enum before decided(const struct variants *v, uint32_t fact)
{
    enum before before = v->before[fact / 2];
    return before == OPEN || fact % 2 == 0 ? before : before == PRESENT ? ABSENT : PRESENT;
}

/* Not all of these facts may be true. */
static bool add_clause(struct variants *v, uint32_t *fact, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (decided(v, fact[i]) == ABSENT || !may_be_true(v, fact[i]))
            return true;
        if (decided(v, fact[i]) != PRESENT && may_be_true(v, opposite(fact[i])))
            fact[kept++] = fact[i];
    }
    for (size_t i = 0; i < kept; i++)
        for (size_t j = 0; j < i; j++)
            if (!pairs_have(&v->s->pairs, fact[i], fact[j]))
                return true;
    if (kept == 0)
        v->impossible = true;
    if (kept == 1)
        require(v, fact[0] / 2, fact[0] % 2 ? PRESENT : ABSENT);
    bool fine = kept < 2 || vector_push(&v->clause, (uint32_t)kept);
    for (size_t i = 0; fine && kept > 1 && i < kept; i++)
        fine = vector_push(&v->clause, fact[i]);
    return fine;
}

/* A way to complete an embargo: one of its entities must be missing. */
static bool found_completion(struct matching *m, void *user)
{
    struct variants *v = user;
    struct saturation *s = v->s;
    if (!find_completion(s, m))
        return false;
    for (size_t i = 0; i < s->completion.count; i++)
        s->completion.item[i] = there(s->completion.item[i]);
    return add_clause(v, s->completion.item, s->completion.count);
}

/* An action of higher priority: one of the facts that enable it must be false. */
static bool give_way(struct variants *v, int64_t priority)
{
    struct saturation *s = v->s;
    bool fine = true;
    for (size_t i = 0; fine && !v->impossible && i < v->rows->list.count; i++) {
        const struct row *row = &v->rows->list.item[i];
        s->completion.count = 0;
        for (uint32_t k = 0; row->priority > priority && fine && k < row->count; k++) {
            uint32_t item = v->rows->items.item[row->first + k], entity = item / TOUCH_ROLES;
            bool is_there = item % TOUCH_ROLES == TOUCH_READ || item % TOUCH_ROLES == TOUCH_DELETE;
            fine = vector_push(&s->completion, is_there ? there(entity) : missing(entity));
        }
        if (row->priority > priority)
            fine = fine && add_clause(v, s->completion.item, s->completion.count);
    }
    return fine;
}

static bool find_embargoes(struct variants *v, const struct rule *rule)
{
    struct matching m;
    bool fine = matching_start(&m, &v->s->graph, rule);
    if (fine)
        load_match(v->s, v->application->match, &m);
    for (uint32_t i = 0; fine && i < rule->embargoes.count; i++)
        fine = match_embargo(&m, i, found_completion, v);
    matching_clear(&m);
    return fine;
}

/* ------------------------------------------------------------------ rows */

static void add_row(struct variants *v)
{
    enum { MOST_ROWS = 1 << 15 };
    struct rows *rows = v->rows;
    const struct rule *rule = &v->s->graph.grammar->rules.item[v->application->rule];
    struct row row = {.first = rows->items.count, .priority = v->gives_way ? rule->priority : NO_PRIORITY};
    bool fine = true;
    rows->too_many |= ++v->made > rows->most || rows->list.count > MOST_ROWS;
    for (size_t i = 0; fine && i < v->touched.count; i++) {
        uint32_t entity = v->touched.item[i];
        bool is_there = v->before[entity] == PRESENT;
        if (v->before[entity] == OPEN)
            continue;
        uint32_t role = is_there ? (v->effect[entity] == VANISHES ? TOUCH_DELETE : TOUCH_READ)
                                 : (v->effect[entity] == COMES ? TOUCH_CREATE : TOUCH_FORBID);
        fine = vector_push(&rows->items, entity * TOUCH_ROLES + role);
        row.count++;
    }
    v->failed |= !fine || !vector_push(&rows->list, row);
}

static void decide(struct variants *v, size_t touched, size_t clause);

static bool is_compatible(const struct variants *v, uint32_t fact, uint32_t decided)
{
    return v->before[decided] == OPEN ||
           pairs_have(&v->s->pairs, fact, v->before[decided] == PRESENT ? there(decided) : missing(decided));
}

static void decide_as(struct variants *v, uint32_t entity, enum before before, size_t touched, size_t clause)
{
    uint32_t fact = before == PRESENT ? there(entity) : missing(entity);
    for (size_t i = 0; i < v->touched.count; i++)
        if (!is_compatible(v, fact, v->touched.item[i]))
            return;
    v->before[entity] = (uint8_t)before;
    decide(v, touched, clause);
    v->before[entity] = OPEN;
}

/* One of the facts of the clause must be false: the first that is, and those before it true. */
static void decide_clause(struct variants *v, size_t touched, size_t clause)
{
    uint32_t open = NO_NUMBER, length = v->clause.item[clause];
    for (uint32_t i = 1; i <= length; i++) {
        uint32_t fact = v->clause.item[clause + i];
        if (decided(v, fact) == ABSENT) {
            decide(v, touched, clause + length + 1);
            return;
        }
        if (decided(v, fact) == OPEN && open == NO_NUMBER)
            open = fact;
    }
    if (open == NO_NUMBER)
        return;
    decide_as(v, open / 2, open % 2 ? PRESENT : ABSENT, touched, clause);
    decide_as(v, open / 2, open % 2 ? ABSENT : PRESENT, touched, clause);
}

static void decide(struct variants *v, size_t touched, size_t clause)
{
    if (v->failed || v->rows->too_many || limits_reached())
        return;
    while (touched < v->touched.count &&
           (v->before[v->touched.item[touched]] != OPEN || v->effect[v->touched.item[touched]] == STAYS))
        touched++;
    if (touched < v->touched.count) {
        decide_as(v, v->touched.item[touched], ABSENT, touched + 1, clause);
        decide_as(v, v->touched.item[touched], PRESENT, touched + 1, clause);
    } else if (clause < v->clause.count) {
        decide_clause(v, touched, clause);
    } else {
        add_row(v);
    }
}

/* Entities of clauses are touched, too, so that rows show them. */
static void touch_clauses(struct variants *v)
{
    for (size_t at = 0; at < v->clause.count; at += v->clause.item[at] + 1)
        for (uint32_t i = 1; i <= v->clause.item[at]; i++) {
            bool known = false;
            for (size_t j = 0; j < v->touched.count; j++)
                known |= v->touched.item[j] == v->clause.item[at + i] / 2;
            if (!known && !vector_push(&v->touched, v->clause.item[at + i] / 2))
                v->failed = true;
        }
}

bool add_variants(struct saturation *s, const struct application *application, bool gives_way, struct rows *rows)
{
    const struct rule *rule = &s->graph.grammar->rules.item[application->rule];
    struct variants v = {.s = s, .application = application, .rows = rows, .gives_way = gives_way};
    v.before = calloc(s->graph.entities.count + 1, 1);
    v.effect = calloc(s->graph.entities.count + 1, 1);
    v.failed = !v.before || !v.effect;
    for (uint32_t i = 0; !v.failed && i < application->needed; i++)
        require(&v, s->items.item[application->first + i], PRESENT);
    if (!v.failed)
        delete_entities(&v, rule);
    if (!v.failed)
        create_entities(&v);
    v.failed = v.failed || !find_embargoes(&v, rule) || (gives_way && !give_way(&v, rule->priority));
    if (!v.failed)
        touch_clauses(&v);
    if (!v.failed && !v.impossible)
        decide(&v, 0, 0);
    free(v.before);
    free(v.effect);
    free(v.touched.item);
    free(v.clause.item);
    return !v.failed && !rows->too_many && !limits_reached();
}
