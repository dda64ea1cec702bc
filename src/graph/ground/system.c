/* SPDX-License-Identifier: Apache-2.0 */
/* The entity system of a grammar: its entities and actions with names, and what properties can ask. */
#include "graph/ground/ground.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "graph/constraints.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIANTS = 256 };

static const char *why_not_edge(const struct grammar *grammar, const struct rule *rule, const struct rule_edge *edge)
{
    if (edge->kind == EDGE_PATH)
        return "has a path expression";
    if (edge->kind == EDGE_EQUAL && edge->role == ROLE_CREATOR)
        return "merges nodes";
    if (edge->is_negated && edge->kind != EDGE_EQUAL)
        return "has an embargo within an embargo";
    if (edge->kind == EDGE_CHOICE && grammar->is_typed && rule->choices.item[edge->choice].kind == LABEL_TYPE)
        return "has a wildcard for types";
    return NULL;
}

static struct obstacle why_not_rule(const struct grammar *grammar, const struct rule *rule)
{
    struct obstacle o = {.rule = rule, .reason = rule->levels.count > 1 ? "has quantifiers" : NULL};
    for (size_t i = 0; !o.reason && i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        o.reason = why_not_edge(grammar, rule, edge);
        o.line = edge->line;
        o.column = edge->column;
    }
    return o;
}

static struct obstacle why_not_ground(const struct grammar *grammar)
{
    struct obstacle o = {.reason = grammar->control ? "a control program says which of them may be applied" : NULL};
    if (!o.reason && has_constraints(grammar))
        o.reason = "its types have multiplicities or parts";
    for (size_t r = 0; !o.reason && r < grammar->rules.count; r++)
        if (grammar->rules.item[r].is_enabled)
            o = why_not_rule(grammar, &grammar->rules.item[r]);
    return o;
}

/* ------------------------------------------------------------------ names */

struct namer {
    char *text;
    size_t length;
    bool failed;
};

static void write_text(struct namer *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_text(struct namer *n, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : realloc(n->text, n->length + (size_t)length + 1);
    if (text) {
        vsnprintf(text + n->length, (size_t)length + 1, format, again);
        n->text = text;
        n->length += (size_t)length;
    }
    n->failed |= !text;
    va_end(again);
    va_end(arguments);
}

static void write_value(struct namer *n, const struct value *value)
{
    switch (value->sort) {
    case SORT_REAL: write_text(n, "%g", value->real); break;
    case SORT_BOOL: write_text(n, "%s", value->integer ? "true" : "false"); break;
    case SORT_STRING: write_text(n, "\"%s\"", value->string); break;
    default: write_text(n, "%lld", (long long)value->integer);
    }
}

static void write_node(struct namer *n, const struct ground_graph *g, uint32_t node)
{
    const struct ground_node *it = &g->nodes.item[node];
    if (it->value != NO_NUMBER)
        write_value(n, &g->grammar->values.item[it->value]);
    else if (it->name)
        write_text(n, "%s", it->name);
    else
        write_text(n, "new%u", node);
}

static void write_entity(struct namer *n, const struct ground_graph *g, struct ground_entity entity)
{
    n->length = 0;
    if (entity.is_node) {
        write_node(n, g, entity.number);
        return;
    }
    const struct ground_edge *edge = &g->edges.item[entity.number];
    const struct label *label = &g->grammar->labels.item[edge->label];
    write_node(n, g, edge->from);
    if (edge->from == edge->to) {
        write_text(n, ".%s", label->text);
        return;
    }
    write_text(n, "-%s->", label->text);
    write_node(n, g, edge->to);
}

static void write_application(struct namer *n, const struct saturation *s, const struct application *a)
{
    size_t length;
    const struct rule *rule = &s->graph.grammar->rules.item[a->rule];
    const uint32_t *anchor = sequence_get(&s->anchors, a->anchor, &length);
    n->length = 0;
    write_text(n, "%s(", rule->name);
    size_t at = 1;
    for (uint32_t i = 0; i < rule->nodes.count && at < length; i++) {
        if (!is_lhs(rule->nodes.item[i].role) || !is_anchor(rule, i))
            continue;
        write_text(n, at > 1 ? "," : "%s", "");
        write_node(n, &s->graph, anchor[at++]);
    }
    write_text(n, ")");
}

/* Adds a name, with a number behind it when it is taken: types and flags of one text, variants of an application. */
static bool add_name(struct names *names, struct namer *n)
{
    uint32_t number = 0, before = names_count(names);
    size_t length = n->length;
    if (n->failed || !names_add(names, n->text, &number))
        return false;
    for (unsigned i = 2; number < before; i++) {
        n->length = length;
        write_text(n, "#%u", i);
        if (n->failed || !names_add(names, n->text, &number))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ what properties can ask */

static bool name_patterns(struct entity_system *e, const struct grammar *grammar, struct namer *n)
{
    bool fine = true;
    for (size_t r = 0; fine && r < grammar->rules.count; r++) {
        n->length = 0;
        write_text(n, "applies(%s)", grammar->rules.item[r].name);
        fine = add_name(&e->patterns, n);
    }
    return fine;
}

/* ------------------------------------------------------------------ the entity system */

struct range {
    uint32_t first, end; /* rows */
};

struct writing {
    struct saturation s;
    struct entity_system *e;
    struct namer namer;
    struct lists_builder lists[TOUCH_ROLES], applicable;
    uint32_t written; /* rows in the lists */
    struct rows rows;
    const struct rule *last_rule;     /* whose rows were made last */
    struct range *actions, *patterns; /* of an application */
    uint32_t *number;                 /* entity -> its number: those that change come first */
    uint32_t *touched;                /* the same, without the others */
};

/* Actions come by the nodes that they are about, then in the order of the rules: an order that saturation has no part
 * in. */
struct placed {
    const uint32_t *anchor;
    size_t length;
    uint32_t number; /* of the application */
};

static int by_anchor(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    for (size_t i = 1; i < a->length && i < b->length; i++)
        if (a->anchor[i] != b->anchor[i])
            return a->anchor[i] < b->anchor[i] ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    if (a->anchor[0] != b->anchor[0])
        return a->anchor[0] < b->anchor[0] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static struct placed *order_applications(const struct saturation *s, size_t *count)
{
    struct placed *placed = calloc(s->applications.count + 1, sizeof *placed);
    *count = 0;
    for (uint32_t i = 0; placed && i < s->applications.count; i++) {
        struct placed *p = &placed[*count];
        *count += s->applications.item[i].is_possible;
        p->anchor = sequence_get(&s->anchors, s->applications.item[i].anchor, &p->length);
        p->number = i;
    }
    if (placed && *count)
        qsort(placed, *count, sizeof *placed, by_anchor);
    return placed;
}

/* A rule that only looks is no action. */
static bool is_pattern_only(const struct writing *w, uint32_t application)
{
    return is_condition(&w->s.graph.grammar->rules.item[w->s.applications.item[application].rule]);
}

static int64_t priority_of(const struct saturation *s, uint32_t application)
{
    return s->graph.grammar->rules.item[s->applications.item[application].rule].priority;
}

/* The rows of an application, as an action or as a pattern. */
static bool find_rows_of(struct writing *w, uint32_t number, bool are_actions)
{
    struct range *range = &(are_actions ? w->actions : w->patterns)[number];
    range->first = (uint32_t)w->rows.list.count;
    w->last_rule = &w->s.graph.grammar->rules.item[w->s.applications.item[number].rule];
    if (!add_variants(&w->s, &w->s.applications.item[number], are_actions, &w->rows))
        return false;
    range->end = (uint32_t)w->rows.list.count;
    return true;
}

/* Finds the rows of all actions, those of the highest priority first. */
static bool find_actions(struct writing *w, const struct placed *placed, size_t count)
{
    int64_t above = INT64_MAX, priority = NO_PRIORITY;
    do {
        priority = NO_PRIORITY;
        for (size_t i = 0; i < count; i++)
            if (priority_of(&w->s, placed[i].number) < above && priority_of(&w->s, placed[i].number) > priority)
                priority = priority_of(&w->s, placed[i].number);
        for (size_t i = 0; i < count; i++)
            if (priority_of(&w->s, placed[i].number) == priority && !is_pattern_only(w, placed[i].number) &&
                !find_rows_of(w, placed[i].number, true))
                return false;
        above = priority;
    } while (priority > NO_PRIORITY);
    return true;
}

/* The same where nothing has to give way: what properties ask. */
static bool find_patterns(struct writing *w, const struct placed *placed, size_t count)
{
    const struct grammar *grammar = w->s.graph.grammar;
    bool has_priorities = false;
    for (size_t i = 0; i < grammar->rules.count; i++)
        has_priorities |= grammar->rules.item[i].priority != grammar->rules.item[0].priority;
    for (size_t i = 0; i < count; i++)
        if ((has_priorities || is_pattern_only(w, placed[i].number)) && !find_rows_of(w, placed[i].number, false))
            return false;
    return true;
}

static bool write_rows_of(struct writing *w, const struct application *a, struct range range, bool are_actions,
                          bool are_patterns)
{
    bool fine = true;
    for (uint32_t row = range.first; fine && row < range.end; row++) {
        for (uint32_t i = 0; i < w->rows.list.item[row].count; i++) {
            uint32_t item = w->rows.items.item[w->rows.list.item[row].first + i];
            if (w->touched[item / TOUCH_ROLES] != NO_NUMBER)
                lists_add(&w->lists[item % TOUCH_ROLES], w->written, w->touched[item / TOUCH_ROLES]);
        }
        if (are_patterns)
            lists_add(&w->applicable, a->rule, w->written);
        w->written++;
        write_application(&w->namer, &w->s, a);
        fine = !are_actions || add_name(&w->e->actions, &w->namer);
    }
    return fine;
}

/* First the actions, which are patterns, too, unless those have rows of their own behind. */
static bool write_rows(struct writing *w)
{
    size_t count;
    struct placed *placed = order_applications(&w->s, &count);
    w->actions = calloc(w->s.applications.count + 1, sizeof *w->actions);
    w->patterns = calloc(w->s.applications.count + 1, sizeof *w->patterns);
    bool fine =
        placed && w->actions && w->patterns && find_actions(w, placed, count) && find_patterns(w, placed, count);
    for (size_t i = 0; fine && i < count; i++) {
        uint32_t number = placed[i].number;
        bool are_patterns = w->patterns[number].first == w->patterns[number].end && w->patterns[number].end == 0;
        fine = write_rows_of(w, &w->s.applications.item[number], w->actions[number], true, are_patterns);
    }
    for (size_t i = 0; fine && i < count; i++)
        fine = write_rows_of(w, &w->s.applications.item[placed[i].number], w->patterns[placed[i].number], false, true);
    free(placed);
    return fine;
}

static void count_entities(struct writing *w, struct lists_builder *counted, uint32_t label, bool of_nodes)
{
    const struct ground_graph *g = &w->s.graph;
    for (uint32_t i = 0; i < g->entities.count; i++) {
        struct ground_entity entity = g->entities.item[i];
        uint32_t type = entity.is_node ? g->nodes.item[entity.number].type : NO_NUMBER;
        if (entity.is_node
                ? of_nodes && (label == NO_NUMBER || (type != NO_NUMBER && is_subtype(g->grammar, type, label)))
                : !of_nodes && g->edges.item[entity.number].label == label)
            lists_add(counted, names_count(&w->e->counts) - 1, w->number[i]);
    }
}

/* "nodes", "nodes(T)", "edges(a)": how many there are. */
static bool name_counts(struct writing *w)
{
    const struct grammar *grammar = w->s.graph.grammar;
    struct lists_builder counted = {0};
    w->namer.length = 0;
    write_text(&w->namer, "nodes");
    bool fine = add_name(&w->e->counts, &w->namer);
    if (fine)
        count_entities(w, &counted, NO_NUMBER, true);
    for (uint32_t label = 0; fine && label < grammar->labels.count; label++) {
        bool of_nodes = is_node_type(grammar, label);
        w->namer.length = 0;
        write_text(&w->namer, "%s(%s)", of_nodes ? "nodes" : "edges", grammar->labels.item[label].text);
        fine = add_name(&w->e->counts, &w->namer);
        if (fine)
            count_entities(w, &counted, label, of_nodes);
    }
    return lists_finish(&counted, names_count(&w->e->counts), &w->e->counted) && fine;
}

static bool is_constant(const struct saturation *s, uint32_t entity)
{
    return entity < s->start_entities && !pairs_have(&s->pairs, missing(entity), missing(entity));
}

/* Numbers those that change, or those that do not. */
static bool number_entities(struct writing *w, bool constants)
{
    const struct ground_graph *g = &w->s.graph;
    for (uint32_t i = 0; i < g->entities.count; i++) {
        if (is_constant(&w->s, i) != constants)
            continue;
        w->number[i] = names_count(&w->e->entities);
        w->touched[i] = constants ? NO_NUMBER : w->number[i];
        if (i < w->s.start_entities)
            bit_set(w->e->initial, w->number[i]);
        w->e->constant += constants;
        write_entity(&w->namer, g, g->entities.item[i]);
        if (!add_name(&w->e->entities, &w->namer))
            return false;
    }
    return true;
}

static bool write_entities(struct writing *w)
{
    const struct ground_graph *g = &w->s.graph;
    w->e->initial = calloc(bit_words((uint32_t)g->entities.count) + 1, sizeof *w->e->initial);
    w->number = calloc(g->entities.count + 1, sizeof *w->number);
    w->touched = calloc(g->entities.count + 1, sizeof *w->touched);
    return w->e->initial && w->number && w->touched && number_entities(w, false) && number_entities(w, true) &&
           name_counts(w) && name_patterns(w->e, g->grammar, &w->namer);
}

static bool write_system(struct writing *w)
{
    struct portolan_lists *lists[TOUCH_ROLES] = {[TOUCH_READ] = &w->e->reads,
                                                 [TOUCH_DELETE] = &w->e->deletes,
                                                 [TOUCH_FORBID] = &w->e->forbids,
                                                 [TOUCH_CREATE] = &w->e->creates};
    w->rows.most = MOST_VARIANTS;
    bool fine = write_entities(w) && write_rows(w);
    for (int role = 0; role < TOUCH_ROLES; role++)
        fine = lists_finish(&w->lists[role], w->written, lists[role]) && fine;
    return lists_finish(&w->applicable, (uint32_t)w->s.graph.grammar->rules.count, &w->e->applicable) && fine;
}

static enum portolan_status refuse(const struct obstacle *obstacle, struct portolan_error *error)
{
    fail(error, PORTOLAN_REFUSED, "the applications of rules cannot be listed in advance");
    obstacle_tell(obstacle, error);
    hint(error, "omit --ground");
    return PORTOLAN_REFUSED;
}

/* What became of it that could not be seen before. */
static enum portolan_status give_up(const struct writing *w, struct portolan_error *error)
{
    struct obstacle o = w->s.graph.no_value;
    if (!o.reason && w->rows.too_many)
        o = (struct obstacle){.reason = "has an application with too many variants", .rule = w->last_rule};
    else if (!o.reason && w->s.is_too_large)
        o = (struct obstacle){.reason = "there are too many, perhaps infinitely many"};
    return o.reason ? refuse(&o, error) : fail_memory(error);
}

enum portolan_status ground_system_new(struct grammar *grammar, struct portolan_system **system,
                                       struct portolan_error *error)
{
    struct obstacle obstacle = why_not_ground(grammar);
    *system = NULL;
    if (obstacle.reason)
        return refuse(&obstacle, error);
    struct writing w = {.e = calloc(1, sizeof *w.e)};
    bool fine = w.e && saturate(&w.s, grammar) && write_system(&w);
    enum portolan_status status = fine ? PORTOLAN_OK : give_up(&w, error);
    saturation_clear(&w.s);
    free(w.namer.text);
    free(w.number);
    free(w.rows.list.item);
    free(w.rows.items.item);
    free(w.actions);
    free(w.patterns);
    free(w.touched);
    if (!fine) {
        for (int role = 0; role < TOUCH_ROLES; role++)
            free(w.lists[role].pairs.item);
        free(w.applicable.pairs.item);
        entity_system_free(w.e);
        return status;
    }
    status = entities_system_new(w.e, grammar->name, system, error);
    if (status == PORTOLAN_OK)
        (*system)->format = grammar->format;
    return status;
}
