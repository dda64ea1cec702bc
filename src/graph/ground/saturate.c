/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which applications there can be; see ground.h.
 *
 * An application is possible when every two entities that it needs can be there together.  Then what it adds can be
 * there together, and with everything that can be there beside all it needs and that it does not take away.  A node
 * that it creates was not there before, and so no edge at it was.
 */
#include "graph/ground/ground.h"

#include "base/bits.h"
#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------------ matches */

/* Is the node one that tells applications apart? */
bool is_anchor(const struct rule *rule, uint32_t node)
{
    if (rule->nodes.item[node].role == ROLE_ERASER)
        return true;
    for (size_t i = 0; i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        if ((edge->role == ROLE_ERASER || edge->role == ROLE_CREATOR) && (edge->from == node || edge->to == node))
            return true;
    }
    for (size_t i = 0; i < rule->parameters.count; i++)
        if (rule->parameters.item[i].node == node)
            return true;
    return false;
}

static size_t write_anchor(const struct matching *m, uint32_t rule, uint32_t *out)
{
    size_t length = 0;
    out[length++] = rule;
    for (uint32_t i = 0; i < m->rule->nodes.count; i++)
        if (is_lhs(m->rule->nodes.item[i].role) && is_anchor(m->rule, i))
            out[length++] = m->node[i];
    for (uint32_t i = 0; i < m->rule->edges.count; i++)
        if (m->rule->edges.item[i].role == ROLE_ERASER && m->rule->edges.item[i].kind == EDGE_CHOICE)
            out[length++] = m->graph->edges.item[m->edge[i]].label;
    return length;
}

static size_t match_length(const struct rule *rule)
{
    return 1 + rule->nodes.count + rule->edges.count + rule->label_variables;
}

void load_match(const struct saturation *s, uint32_t match, struct matching *m)
{
    size_t length;
    const uint32_t *item = sequence_get(&s->matches, match, &length) + 1;
    memcpy(m->node, item, m->rule->nodes.count * sizeof *item);
    memcpy(m->edge, item + m->rule->nodes.count, m->rule->edges.count * sizeof *item);
    if (m->rule->label_variables)
        memcpy(m->label, item + m->rule->nodes.count + m->rule->edges.count, m->rule->label_variables * sizeof *item);
}

static uint32_t creators(const struct rule *rule)
{
    uint32_t count = 0;
    for (size_t i = 0; i < rule->nodes.count; i++)
        count += rule->nodes.item[i].role == ROLE_CREATOR && rule->nodes.item[i].sort == SORT_NONE;
    return count;
}

/* ------------------------------------------------------------------ applications */

static bool push_entity(struct saturation *s, uint32_t entity, uint32_t *count)
{
    return entity == NO_NUMBER || (vector_push(&s->items, entity) && ++*count);
}

static bool push_needed(struct saturation *s, const struct matching *m, uint32_t *count)
{
    bool fine = true;
    for (size_t i = 0; fine && i < m->rule->nodes.count; i++)
        if (is_lhs(m->rule->nodes.item[i].role))
            fine = push_entity(s, s->graph.nodes.item[m->node[i]].entity, count);
    for (size_t i = 0; fine && i < m->rule->edges.count; i++)
        if (is_lhs(m->rule->edges.item[i].role) && m->edge[i] != NO_NUMBER)
            fine = push_entity(s, s->graph.edges.item[m->edge[i]].entity, count);
    return fine;
}

/* The node of a creator: the first two of `name` are the rule and the creator, the third is k. */
static uint32_t fresh_node(struct saturation *s, const struct application *a, const struct matching *m,
                           uint32_t creator, uint32_t k)
{
    size_t length;
    const uint32_t *anchor = sequence_get(&s->anchors, a->anchor, &length);
    const struct rule_node *pattern = &m->rule->nodes.item[creator];
    uint32_t type = pattern->type_variable != NO_NUMBER ? m->label[pattern->type_variable] : pattern->type;
    uint32_t *name = malloc((length + 2) * sizeof *name);
    if (!name)
        return NO_NUMBER;
    name[0] = creator;
    name[1] = k;
    memcpy(name + 2, anchor, length * sizeof *name);
    uint32_t node = ground_fresh(&s->graph, name, length + 2, type);
    free(name);
    return node;
}

/* Notes an application: a match, and for each creator how many nodes of its name are there already. */
static bool add_application(struct saturation *s, const struct matching *m, uint32_t rule, uint32_t match,
                            uint32_t anchor, const uint32_t *taken)
{
    bool is_new;
    uint32_t count = creators(m->rule), fresh = 0;
    uint32_t *name = malloc((count + 1) * sizeof *name);
    if (!name)
        return false;
    name[0] = match;
    for (uint32_t i = 0; i < count; i++)
        name[i + 1] = taken ? taken[i] : 0;
    bool fine = sequence_insert(&s->names, name, count + 1, &is_new) != SEQUENCE_NONE;
    struct application a = {.rule = rule, .match = match, .anchor = anchor, .first = s->items.count};
    if (fine && is_new)
        fine = push_needed(s, m, &a.needed);
    for (uint32_t i = 0; fine && is_new && i < m->rule->nodes.count; i++) {
        if (m->rule->nodes.item[i].role != ROLE_CREATOR || m->rule->nodes.item[i].sort != SORT_NONE)
            continue;
        fresh++;
        for (uint32_t k = 0; fine && k < name[fresh]; k++) {
            uint32_t node = fresh_node(s, &a, m, i, k);
            fine = node != NO_NUMBER && push_entity(s, s->graph.nodes.item[node].entity, &a.needed);
        }
    }
    fine = fine && (!is_new || vector_push(&s->applications, a));
    free(name);
    s->is_too_large |= s->applications.count > 4 * s->most;
    return fine && !s->is_too_large;
}

struct finder {
    struct saturation *s;
    uint32_t rule;
};

static bool found_match(struct matching *m, void *user)
{
    const struct finder *finder = user;
    struct saturation *s = finder->s;
    size_t length = match_length(m->rule);
    uint32_t *item = malloc((length + 1) * sizeof *item);
    if (!item)
        return false;
    bool is_new, is_new_anchor;
    item[0] = finder->rule;
    memcpy(item + 1, m->node, m->rule->nodes.count * sizeof *item);
    memcpy(item + 1 + m->rule->nodes.count, m->edge, m->rule->edges.count * sizeof *item);
    memcpy(item + length - m->rule->label_variables, m->label, m->rule->label_variables * sizeof *item);
    uint32_t match = sequence_insert(&s->matches, item, length, &is_new), anchor = SEQUENCE_NONE;
    if (match != SEQUENCE_NONE && is_new)
        anchor = sequence_insert(&s->anchors, item, write_anchor(m, finder->rule, item), &is_new_anchor);
    free(item);
    if (match == SEQUENCE_NONE || !is_new)
        return match != SEQUENCE_NONE;
    return anchor != SEQUENCE_NONE && add_application(s, m, finder->rule, match, anchor, NULL);
}

/* ------------------------------------------------------------------ what an application does */

static bool is_erased(const struct matching *m, uint32_t node)
{
    for (size_t i = 0; i < m->rule->nodes.count; i++)
        if (m->rule->nodes.item[i].role == ROLE_ERASER && m->node[i] == node)
            return true;
    return false;
}

static uint32_t label_of(const struct matching *m, const struct rule_edge *edge)
{
    return edge->kind == EDGE_LABEL ? edge->label : m->label[m->rule->choices.item[edge->choice].variable];
}

/* Gives the creators of a match their nodes, and notes what is added. */
static bool push_added(struct saturation *s, struct application *a, struct matching *m, const uint32_t *taken)
{
    const struct rule *rule = m->rule;
    uint32_t fresh = 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < rule->nodes.count; i++) {
        if (rule->nodes.item[i].role != ROLE_CREATOR)
            continue;
        m->node[i] = rule->nodes.item[i].sort != SORT_NONE ? s->graph.value_node.item[rule->nodes.item[i].value]
                                                           : fresh_node(s, a, m, i, taken[fresh++]);
        fine = m->node[i] != NO_NUMBER && push_entity(s, s->graph.nodes.item[m->node[i]].entity, &a->added);
    }
    for (uint32_t i = 0; fine && i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        if (edge->role != ROLE_CREATOR || is_node_type(s->graph.grammar, label_of(m, edge)) ||
            is_erased(m, m->node[edge->from]) || is_erased(m, m->node[edge->to]))
            continue;
        uint32_t number = ground_edge(&s->graph, m->node[edge->from], label_of(m, edge), m->node[edge->to]);
        fine = number != NO_NUMBER && push_entity(s, s->graph.edges.item[number].entity, &a->added);
    }
    return fine;
}

static bool push_deleted(struct saturation *s, struct application *a, const struct matching *m)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < m->rule->nodes.count; i++)
        if (m->rule->nodes.item[i].role == ROLE_ERASER)
            fine = push_entity(s, s->graph.nodes.item[m->node[i]].entity, &a->deleted);
    for (uint32_t i = 0; fine && i < m->rule->edges.count; i++)
        if (m->rule->edges.item[i].role == ROLE_ERASER && m->edge[i] != NO_NUMBER)
            fine = push_entity(s, s->graph.edges.item[m->edge[i]].entity, &a->deleted);
    return fine;
}

/* Moves what it needs to the end of the items and adds the rest there; then the same with one more node of each name.
 */
static bool expand(struct saturation *s, uint32_t number)
{
    struct application a = s->applications.item[number];
    const struct rule *rule = &s->graph.grammar->rules.item[a.rule];
    struct matching m;
    size_t length, old = a.first;
    bool fine = matching_start(&m, &s->graph, rule) && vector_reserve(&s->items, a.needed);
    uint32_t count = creators(rule), *taken = calloc(count + 1, sizeof *taken);
    fine = fine && taken;
    if (fine) {
        memcpy(taken, sequence_get(&s->names, number, &length) + 1, count * sizeof *taken);
        load_match(s, a.match, &m);
        a.first = s->items.count;
        memcpy(s->items.item + a.first, s->items.item + old, a.needed * sizeof *s->items.item);
        s->items.count += a.needed;
        fine = push_added(s, &a, &m, taken) && push_deleted(s, &a, &m);
        a.is_possible = true;
        s->applications.item[number] = a;
    }
    for (uint32_t i = 0; fine && i < count; i++) {
        taken[i]++;
        fine = add_application(s, &m, a.rule, a.match, a.anchor, taken);
        taken[i]--;
    }
    free(taken);
    matching_clear(&m);
    s->is_too_large |= s->graph.entities.count > s->most;
    return fine && !s->is_too_large;
}

/* ------------------------------------------------------------------ saturation */

static bool implies(const struct pairs *pairs, uint32_t entity, uint32_t other)
{
    return entity != other && !pairs_have(pairs, there(entity), missing(other));
}

/* Leaves out what is there whenever another one of them is; of two that imply each other the first stays. */
static void drop_implied(const struct pairs *pairs, uint32_t *entity, size_t *count)
{
    for (size_t i = *count; i-- > 0;)
        for (size_t j = 0; j < *count; j++)
            if (j != i && (j < i ? implies(pairs, entity[j], entity[i]) || entity[j] == entity[i]
                                 : implies(pairs, entity[j], entity[i]) && entity[j] != entity[i] &&
                                       !implies(pairs, entity[i], entity[j]))) {
                memmove(entity + i, entity + i + 1, (--*count - i) * sizeof *entity);
                break;
            }
}

bool find_completion(struct saturation *s, const struct matching *m)
{
    bool fine = true;
    s->completion.count = 0;
    for (size_t i = 0; fine && i < m->rule->edges.count; i++)
        if (m->rule->edges.item[i].role == ROLE_EMBARGO && m->rule->edges.item[i].embargo == m->embargo &&
            m->edge[i] != NO_NUMBER)
            fine = vector_push(&s->completion, s->graph.edges.item[m->edge[i]].entity);
    for (size_t i = 0; fine && i < m->rule->nodes.count; i++)
        if (m->rule->nodes.item[i].role == ROLE_EMBARGO && m->rule->nodes.item[i].embargo == m->embargo &&
            s->graph.nodes.item[m->node[i]].entity != NO_NUMBER)
            fine = vector_push(&s->completion, s->graph.nodes.item[m->node[i]].entity);
    drop_implied(&s->pairs, s->completion.item, &s->completion.count);
    return fine;
}

/* A completion of an embargo that is there when a single entity is: that one must be missing. */
static bool demand_missing(struct matching *m, void *user)
{
    struct saturation *s = user;
    if (!find_completion(s, m))
        return false;
    return s->completion.count != 1 || vector_push(&s->demanded, missing(s->completion.item[0]));
}

static bool demand_by_embargoes(struct saturation *s, const struct application *a)
{
    const struct rule *rule = &s->graph.grammar->rules.item[a->rule];
    struct matching m;
    bool fine = true;
    if (rule->embargoes.count == 0)
        return true;
    fine = matching_start(&m, &s->graph, rule);
    if (fine)
        load_match(s, a->match, &m);
    for (uint32_t i = 0; fine && i < rule->embargoes.count; i++)
        fine = match_embargo(&m, i, demand_missing, s);
    matching_clear(&m);
    return fine;
}

/* The facts that must be true when it is applied, as far as they are known now. */
static bool find_demanded(struct saturation *s, const struct application *a)
{
    s->demanded.count = 0;
    for (uint32_t i = 0; i < a->needed; i++)
        if (!vector_push(&s->demanded, there(s->items.item[a->first + i])))
            return false;
    return demand_by_embargoes(s, a);
}

static bool can_be_together(const struct saturation *s)
{
    const uint32_t *fact = s->demanded.item;
    for (size_t i = 0; i < s->demanded.count; i++)
        for (size_t j = 0; j <= i; j++)
            if (!pairs_have(&s->pairs, fact[i], fact[j]))
                return false;
    return true;
}

/* What an embargo demands may change with any pair. */
static bool is_stale(const struct saturation *s, const struct application *a)
{
    if (s->demanded.count == 0 || s->graph.grammar->rules.item[a->rule].embargoes.count)
        return a->checked < s->pairs.clock;
    for (size_t i = 0; i < s->demanded.count; i++)
        if (s->pairs.changed[s->demanded.item[i]] > a->checked)
            return true;
    return false;
}

/* What can be true beside all that the application needs. */
static void find_beside(const struct saturation *s, uint64_t *beside)
{
    const struct pairs *pairs = &s->pairs;
    for (size_t w = 0; w < pairs->words; w++) {
        beside[w] = ~UINT64_C(0);
        for (size_t i = 0; i < s->demanded.count; i++)
            beside[w] &= pairs->row[s->demanded.item[i] * pairs->words + w];
    }
    for (uint32_t f = 0; s->demanded.count == 0 && f < pairs->capacity; f++)
        if (!pairs_have(pairs, f, f))
            bit_clear(beside, f);
}

static void replace(uint64_t *facts, uint32_t old, uint32_t now)
{
    bit_clear(facts, old);
    bit_set(facts, now);
}

/* The entity is missing, and with a node all edges at it. */
static void take_away(uint64_t *facts, const struct ground_graph *g, uint32_t entity)
{
    replace(facts, there(entity), missing(entity));
    if (!g->entities.item[entity].is_node)
        return;
    const struct ground_node *node = &g->nodes.item[g->entities.item[entity].number];
    for (uint32_t e = node->first_out; e != NO_NUMBER; e = g->edges.item[e].next_out)
        replace(facts, there(g->edges.item[e].entity), missing(g->edges.item[e].entity));
    for (uint32_t e = node->first_in; e != NO_NUMBER; e = g->edges.item[e].next_in)
        replace(facts, there(g->edges.item[e].entity), missing(g->edges.item[e].entity));
}

/* Does to a set of facts what the application does. */
static void change_facts(const struct saturation *s, const struct application *a, uint64_t *facts)
{
    const uint32_t *added = s->items.item + a->first + a->needed, *deleted = added + a->added;
    for (uint32_t i = 0; i < a->deleted; i++)
        take_away(facts, &s->graph, deleted[i]);
    for (uint32_t i = 0; i < a->added; i++)
        replace(facts, missing(added[i]), there(added[i]));
}

/* What does not end soon is likely not to end at all. */
static bool within_budget(struct saturation *s, size_t words)
{
    enum { MOST_WORDS = 1 << 28 };
    s->work += words;
    s->is_too_large |= s->work > MOST_WORDS;
    return !s->is_too_large;
}

static bool apply(struct saturation *s, const struct application *a)
{
    size_t words = s->pairs.words;
    uint64_t *after = malloc(2 * words * sizeof *after);
    const uint32_t *added = s->items.item + a->first + a->needed;
    uint32_t fact, other;
    if (!after)
        return false;
    uint64_t *changed = after + words;
    find_beside(s, after);
    for (uint32_t i = 0; i < a->added; i++) /* a node that it creates is missing before */
        if (s->graph.entities.item[added[i]].is_node)
            take_away(after, &s->graph, added[i]);
    change_facts(s, a, after);
    memset(changed, 0, words * sizeof *changed);
    change_facts(s, a, changed);
    for (size_t w = 0; w < words; w++)
        for_bits(fact, changed[w], w) for (size_t v = 0; v < words; v++)
            for_bits(other, after[v] & ~s->pairs.row[fact * words + v], v) pairs_add(&s->pairs, fact, other);
    free(after);
    return within_budget(s, words * (s->demanded.count + 2 * ((size_t)a->added + a->deleted) + 1));
}

/* An entity that is met now was missing until now, whatever was true. */
static bool meet_entities(struct saturation *s)
{
    if (!pairs_grow(&s->pairs, 2 * (uint32_t)s->graph.entities.count))
        return false;
    for (; s->met_entities < s->graph.entities.count; s->met_entities++) {
        uint32_t fact = missing(s->met_entities);
        pairs_add(&s->pairs, fact, fact);
        for (uint32_t f = 0; f < fact; f++)
            if (pairs_have(&s->pairs, f, f))
                pairs_add(&s->pairs, f, fact);
    }
    return true;
}

static bool try_application(struct saturation *s, uint32_t number)
{
    struct application *a = &s->applications.item[number];
    if (!find_demanded(s, a) || !within_budget(s, 16))
        return false;
    if (!is_stale(s, a))
        return true;
    a->checked = s->pairs.clock;
    if (!can_be_together(s))
        return true;
    if (!a->is_possible) {
        if (!expand(s, number) || !meet_entities(s) || !find_demanded(s, &s->applications.item[number]))
            return false;
        s->applications.item[number].checked = s->pairs.clock;
    }
    return apply(s, &s->applications.item[number]) && !limits_reached();
}

/* Looks for matches that hold an entity met since. */
static bool match_new_entities(struct saturation *s)
{
    const struct grammar *grammar = s->graph.grammar;
    bool fine = true;
    for (; fine && s->seen_entities < s->graph.entities.count; s->seen_entities++) {
        struct ground_entity entity = s->graph.entities.item[s->seen_entities];
        for (uint32_t r = 0; fine && r < grammar->rules.count; r++) {
            struct finder finder = {.s = s, .rule = r};
            struct matching m;
            if (!grammar->rules.item[r].is_enabled)
                continue;
            fine = matching_start(&m, &s->graph, &grammar->rules.item[r]);
            m.found = found_match;
            m.user = &finder;
            fine = fine && (entity.is_node ? match_with_node(&m, entity.number) : match_with_edge(&m, entity.number));
            matching_clear(&m);
        }
    }
    return fine;
}

/* Rules that need nothing. */
static bool match_empty_rules(struct saturation *s)
{
    const struct grammar *grammar = s->graph.grammar;
    bool fine = true;
    for (uint32_t r = 0; fine && r < grammar->rules.count; r++) {
        const struct rule *rule = &grammar->rules.item[r];
        struct finder finder = {.s = s, .rule = r};
        struct matching m;
        bool is_empty = rule->is_enabled;
        for (size_t i = 0; i < rule->nodes.count; i++)
            is_empty &= !is_lhs(rule->nodes.item[i].role) || rule->nodes.item[i].value != NO_NUMBER;
        fine = matching_start(&m, &s->graph, rule);
        m.found = found_match;
        m.user = &finder;
        fine = fine && (!is_empty || match_all(&m));
        matching_clear(&m);
    }
    return fine;
}

bool saturate(struct saturation *s, struct grammar *grammar)
{
    enum { MOST = 1 << 12 };
    if (s->most == 0)
        s->most = MOST;
    s->pairs.clock = 1;
    bool fine = ground_start(&s->graph, grammar) && pairs_grow(&s->pairs, 2 * (uint32_t)s->graph.entities.count + 1) &&
                match_empty_rules(s);
    s->start_entities = s->met_entities = (uint32_t)s->graph.entities.count;
    for (uint32_t a = 0; fine && a < s->start_entities; a++)
        for (uint32_t b = 0; b <= a; b++)
            pairs_add(&s->pairs, there(a), there(b));
    uint32_t clock = 0;
    while (fine && (clock < s->pairs.clock || s->seen_entities < s->graph.entities.count)) {
        clock = s->pairs.clock;
        fine = match_new_entities(s);
        for (uint32_t a = 0; fine && a < s->applications.count; a++)
            fine = try_application(s, a);
    }
    return fine;
}

void saturation_clear(struct saturation *s)
{
    ground_clear(&s->graph);
    pairs_clear(&s->pairs);
    sequences_clear(&s->matches);
    sequences_clear(&s->anchors);
    sequences_clear(&s->names);
    free(s->applications.item);
    free(s->items.item);
    free(s->demanded.item);
    free(s->completion.item);
}
