/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entity system as a portolan_system: a state is a bit set, an action a few
 * word operations.  An enabled action finds what it deletes present and what it
 * creates absent, so firing flips bits, and flips commute: whatever can be fired
 * in both orders ends in the same state.
 */
#include "front/entities/entities.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/lists.h"
#include "base/text_file.h"
#include "system/action_footprint.h"
#include "system/entity_lists.h"

#include <string.h>

/* What an action has to do with one word of the state. */
struct word_step {
    uint32_t word;
    uint64_t mask, value; /* enabled when (state & mask) == value */
    uint64_t flip;        /* firing it */
};

struct entity_model {
    struct entity_system *entities;
    char *name;
    size_t words;
    uint32_t *first;         /* action -> its steps, up to the first of the next action */
    struct word_step *steps; /* of each action by increasing word */
    /* An action that needs entities is looked at only when one of them, its watch, is present.  The list behind the
     * last entity holds those that need none. */
    struct portolan_lists watched_by;
    uint64_t *watches; /* entities that are one */
    struct portolan_relations relations;
    struct portolan_lists changers;
    struct action_footprint footprint;
};

/* ------------------------------------------------------------------- steps */

static void initial(const void *model, void *state)
{
    const struct entity_model *m = model;
    memcpy(state, m->entities->initial, m->words * sizeof(uint64_t));
}

static inline bool is_enabled(const struct entity_model *m, const uint64_t *state, uint32_t action)
{
    for (const struct word_step *s = m->steps + m->first[action], *end = m->steps + m->first[action + 1]; s < end; s++)
        if ((state[s->word] & s->mask) != s->value)
            return false;
    return true;
}

static inline uint32_t enabled_among(const struct entity_model *m, const uint64_t *state, uint32_t list, uint32_t *out,
                                     uint32_t count)
{
    for_list (action, m->watched_by, list)
        if (is_enabled(m, state, *action))
            out[count++] = *action;
    return count;
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct entity_model *m = model;
    const uint64_t *words = state;
    uint32_t count = enabled_among(m, state, names_count(&m->entities->entities), out, 0);
    for (size_t w = 0; w < m->words; w++) {
        uint32_t entity;
        for_bits(entity, words[w] & m->watches[w], w) count = enabled_among(m, state, entity, out, count);
    }
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct entity_model *m = model;
    uint64_t *words = successor;
    memcpy(successor, state, m->words * sizeof *words);
    for (const struct word_step *s = m->steps + m->first[action], *end = m->steps + m->first[action + 1]; s < end; s++)
        words[s->word] ^= s->flip;
    return PORTOLAN_FIRED;
}

/* ------------------------------------------------------ names and variables */

static const char *action_name(const void *model, uint32_t action)
{
    return names_get(&((const struct entity_model *)model)->entities->actions, action);
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    return names_find(&((const struct entity_model *)model)->entities->actions, name, action);
}

/* Variables are the entities, then the counts, then the patterns. */
static const struct names *names_of_variable(const struct entity_system *e, uint32_t *variable)
{
    const struct names *names[] = {&e->entities, &e->counts, &e->patterns};
    int i = 0;
    while (i < 2 && *variable >= names_count(names[i]))
        *variable -= names_count(names[i++]);
    return names[i];
}

static uint32_t variables(const struct entity_system *e)
{
    return names_count(&e->entities) + names_count(&e->counts) + names_count(&e->patterns);
}

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct names *names = names_of_variable(((const struct entity_model *)model)->entities, &variable);
    return names_get(names, variable);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct entity_system *e = ((const struct entity_model *)model)->entities;
    const struct names *names[] = {&e->entities, &e->counts, &e->patterns};
    uint32_t before = 0;
    for (int i = 0; i < 3; before += names_count(names[i++]))
        if (names_find(names[i], name, variable)) {
            *variable += before;
            return true;
        }
    return false;
}

static bool row_fits(const struct entity_system *e, const uint64_t *state, uint32_t row)
{
    const struct portolan_lists *lists[] = {&e->reads, &e->deletes, &e->forbids, &e->creates};
    for (int k = 0; k < 4; k++)
        for_list (entity, *lists[k], row)
            if (bit_get(state, *entity) != (k < 2))
                return false;
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct entity_system *e = ((const struct entity_model *)model)->entities;
    const struct names *names = names_of_variable(e, &variable);
    int64_t sum = 0;
    if (names == &e->entities)
        return bit_get(state, variable);
    if (names == &e->counts) {
        for_list (entity, e->counted, variable)
            sum += bit_get(state, *entity);
        return sum;
    }
    for_list (row, e->applicable, variable)
        if (row_fits(e, state, *row))
            return 1;
    return 0;
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    static const struct portolan_type boolean = {.kind = PORTOLAN_BOOLEAN};
    const struct entity_system *e = ((const struct entity_model *)model)->entities;
    return names_of_variable(e, &variable) == &e->patterns ? &boolean : NULL;
}

/* ---------------------------------------------------------------- relations */

/* Guard 2e says that entity e is present, guard 2e + 1 that it is absent. */
static uint32_t present(uint32_t entity)
{
    return 2 * entity;
}

static uint32_t absent(uint32_t entity)
{
    return 2 * entity + 1;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    return bit_get(state, guard / 2) != (guard & 1);
}

static void guard_text(const void *model, uint32_t guard, char *text, size_t size)
{
    const struct entity_model *m = model;
    snprintf(text, size, "%s is %s", names_get(&m->entities->entities, guard / 2), guard & 1 ? "absent" : "present");
}

static void add_changers_of(struct lists_builder *changers, const struct portolan_lists *of_entity, uint32_t entity,
                            uint32_t variable)
{
    for_list (action, *of_entity, entity)
        lists_add(changers, variable, *action);
}

/* Whoever changes an entity changes what is counted of it and what looks at it. */
static bool make_changers(struct entity_model *m, const struct portolan_lists *of_entity)
{
    const struct entity_system *e = m->entities;
    const struct portolan_lists *lists[] = {&e->reads, &e->deletes, &e->forbids, &e->creates};
    struct lists_builder changers = {0};
    uint32_t variable = 0;
    for (; variable < names_count(&e->entities); variable++)
        add_changers_of(&changers, of_entity, variable, variable);
    for (uint32_t i = 0; i < names_count(&e->counts); i++, variable++)
        for_list (entity, e->counted, i)
            add_changers_of(&changers, of_entity, *entity, variable);
    for (uint32_t i = 0; i < names_count(&e->patterns); i++, variable++)
        for_list (row, e->applicable, i)
            for (int k = 0; k < 4; k++)
                for_list (entity, *lists[k], *row)
                    add_changers_of(&changers, of_entity, *entity, variable);
    return lists_finish(&changers, variable, &m->changers);
}

/* Exact: who creates an entity found it absent, who deletes it found it present. */
static bool make_relations(struct entity_model *m)
{
    const struct entity_system *e = m->entities;
    uint32_t actions = names_count(&e->actions), entities = names_count(&e->entities);
    struct lists_builder guards_of = {0}, enablers = {0}, disablers = {0}, changers = {0}, none = {0};
    for (uint32_t a = 0; a < actions; a++) {
        for_list (i, e->reads, a)
            lists_add(&guards_of, a, present(*i));
        for_list (i, e->forbids, a)
            lists_add(&guards_of, a, absent(*i));
        for_list (i, e->deletes, a) {
            lists_add(&guards_of, a, present(*i));
            lists_add(&disablers, present(*i), a);
            lists_add(&enablers, absent(*i), a);
            lists_add(&changers, *i, a);
        }
        for_list (i, e->creates, a) {
            lists_add(&guards_of, a, absent(*i));
            lists_add(&disablers, absent(*i), a);
            lists_add(&enablers, present(*i), a);
            lists_add(&changers, *i, a);
        }
    }
    m->relations.transitions = actions;
    m->relations.guards = 2 * entities;
    m->relations.holds = holds;
    m->relations.guard_text = guard_text;
    bool fine = lists_finish(&guards_of, actions, &m->relations.guards_of);
    fine &= lists_finish(&enablers, 2 * entities, &m->relations.enablers);
    fine &= lists_finish(&disablers, 2 * entities, &m->relations.disablers);
    struct portolan_lists of_entity = {0};
    fine &= lists_finish(&changers, entities, &of_entity);
    fine = fine && make_changers(m, &of_entity);
    lists_clear(&of_entity);
    return lists_finish(&none, actions, &m->relations.not_commuting) && fine;
}

/* ---------------------------------------------------------------- compiling */

/* The step of an action for the word of an entity: the last one made, or a new one. */
static void add_to_step(struct entity_model *m, uint32_t action, uint32_t guard, bool flips)
{
    uint32_t entity = guard / 2, *end = &m->first[action + 1];
    uint64_t bit = UINT64_C(1) << entity % 64;
    if (*end == m->first[action] || m->steps[*end - 1].word != entity / 64)
        m->steps[(*end)++] = (struct word_step){.word = entity / 64};
    struct word_step *step = &m->steps[*end - 1];
    step->mask |= bit;
    step->value |= guard & 1 ? 0 : bit;
    step->flip |= flips ? bit : 0;
}

static void mark(uint64_t *set, const struct portolan_lists *lists, uint32_t list, bool in)
{
    for_list (entity, *lists, list) {
        if (in)
            bit_set(set, *entity);
        else
            bit_clear(set, *entity);
    }
}

/* Guards are sorted by entity, so the steps of an action come out by increasing word. */
static bool compile_steps(struct entity_model *m)
{
    const struct portolan_relations *r = &m->relations;
    const struct entity_system *e = m->entities;
    uint64_t *changed = calloc(m->words, sizeof *changed);
    m->first = calloc((size_t)r->transitions + 1, sizeof *m->first);
    m->steps = calloc((size_t)r->guards_of.offset[r->transitions] + 1, sizeof *m->steps);
    bool fine = changed && m->first && m->steps;
    for (uint32_t a = 0; a < r->transitions && fine; a++) {
        mark(changed, &e->deletes, a, true);
        mark(changed, &e->creates, a, true);
        m->first[a + 1] = m->first[a];
        for_list (guard, r->guards_of, a)
            add_to_step(m, a, *guard, bit_get(changed, *guard / 2));
        mark(changed, &e->deletes, a, false);
        mark(changed, &e->creates, a, false);
    }
    free(changed);
    return fine;
}

/* The needed entity that the fewest actions need, so that an action is looked at seldom. */
static uint32_t choose_watch(const struct entity_model *m, uint32_t action, const uint32_t *users)
{
    uint32_t best = names_count(&m->entities->entities);
    for_list (guard, m->relations.guards_of, action) {
        if (*guard & 1)
            continue;
        if (best == names_count(&m->entities->entities) || users[*guard / 2] < users[best])
            best = *guard / 2;
    }
    return best;
}

static bool choose_watches(struct entity_model *m)
{
    const struct portolan_relations *r = &m->relations;
    uint32_t entities = names_count(&m->entities->entities);
    uint32_t *users = calloc((size_t)entities + 1, sizeof *users);
    m->watches = calloc(m->words, sizeof *m->watches);
    struct lists_builder watched_by = {.failed = !users || !m->watches};
    for (uint32_t i = 0; users && i < r->guards_of.offset[r->transitions]; i++)
        users[r->guards_of.item[i] / 2] += !(r->guards_of.item[i] & 1);
    for (uint32_t a = 0; a < r->transitions && !watched_by.failed; a++) {
        uint32_t watch = choose_watch(m, a, users);
        lists_add(&watched_by, watch, a);
        if (watch < entities)
            bit_set(m->watches, watch);
    }
    free(users);
    return lists_finish(&watched_by, entities + 1, &m->watched_by);
}

/* --------------------------------------------------------- the other views */

static void *open_entities(const struct portolan_system *system)
{
    const struct entity_system *e = entities_of_system(system);
    return entity_lists_open(&(struct entity_lists){.entities = names_count(&e->entities),
                                                    .actions = names_count(&e->actions),
                                                    .initial = e->initial,
                                                    .reads = e->reads,
                                                    .forbids = e->forbids,
                                                    .deletes = e->deletes,
                                                    .creates = e->creates});
}

static const struct portolan_entities entities_view = {.name = "entities", .open = open_entities, ENTITY_LISTS_VIEW};
static const struct portolan_entities *const entities_views[] = {&entities_view, NULL};

static bool next_step(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct entity_model *m = model;
    action_footprint_step(&m->footprint, agent, step);
    step->enabled = is_enabled(m, state, agent);
    return true;
}

static bool make_footprint(struct entity_model *m)
{
    const struct entity_system *e = m->entities;
    const struct portolan_lists *lists[] = {&e->reads, &e->forbids, &e->deletes, &e->creates};
    uint32_t actions = names_count(&e->actions);
    size_t accesses = 0;
    for (int k = 0; k < 4; k++)
        accesses += lists[k]->offset[actions];
    if (!action_footprint_make(&m->footprint, actions, names_count(&e->entities), accesses))
        return false;
    for (uint32_t action = 0; action < actions; action++)
        for (int k = 0; k < 4; k++)
            for_list (entity, *lists[k], action)
                action_footprint_add(&m->footprint, action, *entity, k >= 2, true);
    action_footprint_finish(&m->footprint);
    m->footprint.view.next = next_step;
    return true;
}

static void destroy(void *model)
{
    struct entity_model *m = model;
    action_footprint_clear(&m->footprint);
    entity_system_free(m->entities);
    free(m->name);
    free(m->first);
    free(m->steps);
    free(m->watches);
    lists_clear(&m->watched_by);
    lists_clear(&m->relations.guards_of);
    lists_clear(&m->relations.enablers);
    lists_clear(&m->relations.disablers);
    lists_clear(&m->relations.not_commuting);
    lists_clear(&m->changers);
    free(m);
}

static struct entity_model *make_model(struct entity_system *entities, const char *path)
{
    struct entity_model *m = calloc(1, sizeof *m);
    if (!m) {
        entity_system_free(entities);
        return NULL;
    }
    size_t length;
    const char *start = file_stem(path, ".ent", &length);
    m->entities = entities;
    m->name = strndup(start, length);
    m->words = bit_words(names_count(&entities->entities));
    m->words += m->words == 0; /* without entities there is still one state */
    if (m->name && make_relations(m) && compile_steps(m) && choose_watches(m) && make_footprint(m))
        return m;
    destroy(m);
    return NULL;
}

enum portolan_status entities_system_new(struct entity_system *entities, const char *path,
                                         struct portolan_system **result, struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct entity_model *m = make_model(entities, path);
    if (!system || !m) {
        free(system);
        if (m)
            destroy(m);
        return fail_memory(error);
    }
    uint32_t count = names_count(&entities->entities);
    *system = (struct portolan_system){.model = m,
                                       .name = m->name,
                                       .format = "ent",
                                       .state_bytes = m->words * 8,
                                       .key_bytes = count ? ((size_t)count + 7) / 8 : 1,
                                       .actions = names_count(&entities->actions),
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = count - entities->constant,
                                       .unlisted = variables(entities) - count + entities->constant,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .value = value,
                                       .variable_type = names_count(&entities->patterns) ? variable_type : NULL,
                                       .changers = m->changers,
                                       .relations = &m->relations,
                                       .footprint = &m->footprint.view,
                                       .entities = entities_views,
                                       .destroy = destroy};
    *result = system;
    return PORTOLAN_OK;
}

const struct entity_system *entities_of_system(const struct portolan_system *system)
{
    return ((const struct entity_model *)system->model)->entities;
}
