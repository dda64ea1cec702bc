/* SPDX-License-Identifier: Apache-2.0 */
#include "random_entities.h"

#include "base/lists.h"
#include "system/entity_lists.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- drafts */

void entity_draft_random(struct entity_draft *d, struct random *random)
{
    memset(d, 0, sizeof *d);
    d->entities = 2 + random_below(random, ENTITY_DRAFT_ENTITIES - 2);
    d->actions = 1 + random_below(random, ENTITY_DRAFT_ACTIONS);
    uint32_t reads = random_below(random, 25), forbids = random_below(random, 20);
    uint32_t deletes = 8 + random_below(random, 22), creates = 5 + random_below(random, 20);
    uint32_t full = 30 + random_below(random, 60);
    for (uint32_t e = 0; e < d->entities; e++)
        d->initial |= (uint16_t)(random_chance(random, full) << e);
    for (uint32_t a = 0; a < d->actions; a++)
        for (uint32_t e = 0; e < d->entities; e++) {
            uint32_t role = random_below(random, 100);
            uint16_t bit = (uint16_t)(1 << e);
            if (role < reads)
                d->reads[a] |= bit;
            else if (role < reads + forbids)
                d->forbids[a] |= bit;
            else if (role < reads + forbids + deletes)
                d->deletes[a] |= bit;
            else if (role < reads + forbids + deletes + creates)
                d->creates[a] |= bit;
        }
}

static void print_set(const char *what, uint16_t set)
{
    bool first = true;
    for (uint32_t e = 0; e < ENTITY_DRAFT_ENTITIES; e++)
        if (set >> e & 1) {
            printf("%s%s e%u", first ? " " : "", first ? what : "", e);
            first = false;
        }
}

void entity_draft_print(const struct entity_draft *d)
{
    print_set("initial", d->initial);
    printf("\n");
    for (uint32_t a = 0; a < d->actions; a++) {
        printf(" action a%u:", a);
        print_set("reads", d->reads[a]);
        print_set("forbids", d->forbids[a]);
        print_set("deletes", d->deletes[a]);
        print_set("creates", d->creates[a]);
        printf("\n");
    }
}

bool entity_draft_enabled(const struct entity_draft *d, uint16_t state, uint32_t a)
{
    uint16_t needed = d->reads[a] | d->deletes[a], absent = d->forbids[a] | d->creates[a];
    return (state & needed) == needed && (state & absent) == 0;
}

static uint16_t successor(const struct entity_draft *d, uint16_t state, uint32_t a)
{
    return (uint16_t)((state & ~d->deletes[a]) | d->creates[a]);
}

void entity_draft_explore(const struct entity_draft *d, struct entity_truth *truth)
{
    uint16_t stack[ENTITY_DRAFT_STATES];
    size_t depth = 0;
    memset(truth, 0, sizeof *truth);
    stack[depth++] = d->initial;
    truth->reachable[d->initial] = true;
    while (depth) {
        uint16_t state = stack[--depth];
        truth->deadlock[state] = true;
        for (uint32_t a = 0; a < d->actions; a++) {
            if (!entity_draft_enabled(d, state, a))
                continue;
            uint16_t next = successor(d, state, a);
            truth->deadlock[state] = false;
            if (!truth->reachable[next])
                stack[depth++] = next;
            truth->reachable[next] = true;
        }
    }
}

/* ------------------------------------------------------------------ as a system */

struct model {
    const struct entity_draft *draft;
    struct entity_lists lists;
    uint64_t initial;
    struct portolan_lists changers;
    char entity_name[ENTITY_DRAFT_ENTITIES][4], action_name[ENTITY_DRAFT_ACTIONS][4];
};

static void initial(const void *model, void *state)
{
    *(uint64_t *)state = ((const struct model *)model)->initial;
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct entity_draft *d = ((const struct model *)model)->draft;
    uint32_t count = 0;
    for (uint32_t a = 0; a < d->actions; a++)
        if (entity_draft_enabled(d, (uint16_t) * (const uint64_t *)state, a))
            out[count++] = a;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *next)
{
    *(uint64_t *)next = successor(((const struct model *)model)->draft, (uint16_t) * (const uint64_t *)state, action);
    return PORTOLAN_FIRED;
}

static const char *action_name(const void *model, uint32_t action)
{
    return ((const struct model *)model)->action_name[action];
}

static const char *variable_name(const void *model, uint32_t variable)
{
    return ((const struct model *)model)->entity_name[variable];
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct model *m = model;
    for (*variable = 0; *variable < m->draft->entities; ++*variable)
        if (strcmp(m->entity_name[*variable], name) == 0)
            return true;
    return false;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return *(const uint64_t *)state >> variable & 1;
}

static void destroy(void *model)
{
    struct model *m = model;
    lists_clear(&m->lists.reads);
    lists_clear(&m->lists.forbids);
    lists_clear(&m->lists.deletes);
    lists_clear(&m->lists.creates);
    lists_clear(&m->changers);
    free(m);
}

static void *open_view(const struct portolan_system *system)
{
    return entity_lists_open(&((const struct model *)system->model)->lists);
}

static const struct portolan_entities view = {.name = "entities", .open = open_view, ENTITY_LISTS_VIEW};
static const struct portolan_entities *const views[] = {&view, NULL};

static bool make_lists(const struct entity_draft *d, const uint16_t *sets, struct portolan_lists *lists)
{
    struct lists_builder builder = {0};
    for (uint32_t a = 0; a < d->actions; a++)
        for (uint32_t e = 0; e < d->entities; e++)
            if (sets[a] >> e & 1)
                lists_add(&builder, a, e);
    return lists_finish(&builder, d->actions, lists);
}

static bool fill_model(struct model *m, const struct entity_draft *d)
{
    struct lists_builder changers = {0};
    m->draft = d;
    m->initial = d->initial;
    for (uint32_t a = 0; a < d->actions; a++) {
        snprintf(m->action_name[a], sizeof m->action_name[a], "a%u", a % ENTITY_DRAFT_ACTIONS);
        for (uint32_t e = 0; e < d->entities; e++)
            if ((d->deletes[a] | d->creates[a]) >> e & 1)
                lists_add(&changers, e, a);
    }
    for (uint32_t e = 0; e < d->entities; e++)
        snprintf(m->entity_name[e], sizeof m->entity_name[e], "e%u", e % ENTITY_DRAFT_ENTITIES);
    m->lists.entities = d->entities;
    m->lists.actions = d->actions;
    m->lists.initial = &m->initial;
    return lists_finish(&changers, d->entities, &m->changers) && make_lists(d, d->reads, &m->lists.reads) &&
           make_lists(d, d->forbids, &m->lists.forbids) && make_lists(d, d->deletes, &m->lists.deletes) &&
           make_lists(d, d->creates, &m->lists.creates);
}

struct portolan_system *entity_draft_system(const struct entity_draft *draft)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct model *m = calloc(1, sizeof *m);
    if (!system || !m || !fill_model(m, draft)) {
        if (m)
            destroy(m);
        free(system);
        return NULL;
    }
    *system = (struct portolan_system){.model = m,
                                       .name = "entities",
                                       .format = "ent",
                                       .state_bytes = 8,
                                       .key_bytes = 8,
                                       .actions = draft->actions,
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .action_name = action_name,
                                       .variables = draft->entities,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .value = value,
                                       .changers = m->changers,
                                       .entities = views,
                                       .destroy = destroy};
    return system;
}

/* ------------------------------------------------------------------- shrinking */

static void drop_action(struct entity_draft *d, uint32_t action)
{
    for (uint32_t a = action; a + 1 < d->actions; a++) {
        d->reads[a] = d->reads[a + 1];
        d->forbids[a] = d->forbids[a + 1];
        d->deletes[a] = d->deletes[a + 1];
        d->creates[a] = d->creates[a + 1];
    }
    d->actions--;
}

static bool try_sets(struct entity_draft *d, uint16_t *set, entity_draft_fails *fails, void *user)
{
    bool shrunk = false;
    for (uint32_t e = 0; e < d->entities; e++) {
        uint16_t before = *set;
        *set &= (uint16_t) ~(1 << e);
        if (*set == before)
            continue;
        if (fails(user, d))
            shrunk = true;
        else
            *set = before;
    }
    return shrunk;
}

static bool shrink_once(struct entity_draft *d, entity_draft_fails *fails, void *user)
{
    for (uint32_t a = 0; a < d->actions; a++) {
        struct entity_draft smaller = *d;
        drop_action(&smaller, a);
        if (smaller.actions && fails(user, &smaller)) {
            *d = smaller;
            return true;
        }
    }
    bool shrunk = try_sets(d, &d->initial, fails, user);
    for (uint32_t a = 0; a < d->actions; a++) {
        shrunk |= try_sets(d, &d->reads[a], fails, user);
        shrunk |= try_sets(d, &d->forbids[a], fails, user);
        shrunk |= try_sets(d, &d->deletes[a], fails, user);
        shrunk |= try_sets(d, &d->creates[a], fails, user);
    }
    return shrunk;
}

void entity_draft_shrink(struct entity_draft *draft, entity_draft_fails *fails, void *user)
{
    while (shrink_once(draft, fails, user))
        ;
}
