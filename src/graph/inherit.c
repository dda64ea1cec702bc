/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/inherit.h"

#include "graph/engine.h"

#include <string.h>

enum { MOST_BYTES = 32 << 20 }; /* of what is left at graphs that wait to be expanded */
/* Where a step changes more, looking for matches anew costs little beside it. */
enum { MOST_CHANGES = 64 };

struct heritage {
    uint32_t matches, removed, added; /* how many: numbers of matches, then changes */
    uint32_t item[];
};

/* An entity that was removed or added.  Its ends may be gone: then nothing is matched to them. */
struct changed {
    uint32_t from, label, to;
};

static bool is_left(enum role role)
{
    return role == ROLE_READER || role == ROLE_ERASER;
}

/* Can the matches of the rule be inherited? */
static bool is_inheritable(const struct program *p)
{
    const struct rule *r = p->rule;
    bool is = !p->is_condition && r->levels.count == 1 && !r->paths.count && !r->choices.count &&
              !r->operations.count && !r->label_variables;
    for (size_t i = 0; i < r->nodes.count && is; i++)
        is = r->nodes.item[i].type_variable == NO_NUMBER;
    for (size_t i = 0; i < r->edges.count && is; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        is = !e->is_negated && (e->kind == EDGE_LABEL || !is_left(e->role));
    }
    return is;
}

static bool has_edge(const struct rule *r, uint32_t node)
{
    bool forbids = r->nodes.item[node].role == ROLE_EMBARGO;
    for (size_t i = 0; i < r->edges.count; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        if (e->kind == EDGE_LABEL && (forbids ? e->role == ROLE_EMBARGO : is_left(e->role)) &&
            (e->from == node || e->to == node))
            return true;
    }
    return false;
}

/* A node without edges in the rule is found, or forbidden, by itself; its type is no more than that, since a node keeps
 * the one that it has. */
static void use_node(struct program *p, uint32_t node, uint32_t node_label)
{
    enum role role = p->rule->nodes.item[node].role;
    if (role != ROLE_CREATOR && !has_edge(p->rule, node))
        p->label_use[node_label] |= role == ROLE_EMBARGO ? LABEL_FORBIDDEN : LABEL_FOUND;
}

bool inheritance_prepare(const struct grammar *g, struct program *p)
{
    p->is_inheritable = is_inheritable(p);
    p->label_use = calloc(g->labels.count + 1, 1);
    if (!p->label_use)
        return false;
    for (uint32_t i = 0; i < p->rule->nodes.count; i++)
        use_node(p, i, (uint32_t)g->labels.count);
    for (size_t i = 0; i < p->rule->edges.count; i++) {
        const struct rule_edge *e = &p->rule->edges.item[i];
        if (e->kind == EDGE_LABEL && e->role != ROLE_CREATOR)
            p->label_use[e->label] |= e->role == ROLE_EMBARGO ? LABEL_FORBIDDEN : LABEL_FOUND;
    }
    return true;
}

void inheritance_clear(struct inheritance *h)
{
    for (size_t i = 0; i < h->left.count; i++)
        free(h->left.item[i]);
    free(h->left.item);
    sequences_clear(&h->matches);
    free(h->action.item);
    free(h->round.item);
    free(h->list.item);
    free(h->given.item);
    free(h->scratch.item);
}

/* ------------------------------------------------------------------ the list */

void inheritance_begin(struct engine *e)
{
    e->inheritance.list.count = 0;
    e->inheritance.graph = NO_NUMBER;
}

/* The number of a match: its rule and images. */
static uint32_t number_match(struct inheritance *h, const uint32_t *match, size_t length)
{
    bool is_new;
    uint32_t number = sequence_insert(&h->matches, match, length, &is_new);
    if (number != SEQUENCE_NONE && is_new && (!vector_push(&h->action, NO_NUMBER) || !vector_push(&h->round, 0)))
        return SEQUENCE_NONE;
    return number;
}

static bool list_match(struct engine *e, uint32_t match)
{
    struct inheritance *h = &e->inheritance;
    if (h->round.item[match] == e->round)
        return true;
    h->round.item[match] = e->round;
    return vector_push(&h->list, match);
}

bool inheritance_note(struct engine *e, uint32_t action)
{
    struct inheritance *h = &e->inheritance;
    const struct program *p = e->matcher.program;
    size_t nodes = p->rule->nodes.count;
    if (!p->is_inheritable)
        return true;
    h->scratch.count = 0;
    if (!vector_reserve(&h->scratch, nodes + 1))
        return false;
    h->scratch.item[0] = p->number;
    memcpy(h->scratch.item + 1, e->matcher.root.item, nodes * sizeof *h->scratch.item);
    uint32_t match = number_match(h, h->scratch.item, nodes + 1);
    if (match == SEQUENCE_NONE)
        return false;
    h->action.item[match] = action;
    return list_match(e, match);
}

/* ------------------------------------------------------------------ leaving */

/* Does the match use this entity? */
static bool uses(const struct engine *e, const struct rule *r, const uint32_t *image, const struct entity *gone)
{
    bool is_node = gone->label == e->universe.node_label;
    for (size_t i = 0; i < r->nodes.count && is_node; i++)
        if (is_left(r->nodes.item[i].role) && image[i] == gone->from)
            return true;
    for (size_t i = 0; i < r->edges.count && !is_node; i++) {
        const struct rule_edge *edge = &r->edges.item[i];
        if (edge->label == gone->label && is_left(edge->role) && image[edge->from] == gone->from &&
            image[edge->to] == gone->to)
            return true;
    }
    return false;
}

static bool survives(const struct engine *e, const struct rule *r, const uint32_t *image)
{
    for (size_t i = 0; i < e->effect.removed.count; i++)
        if (uses(e, r, image, entity_get(&e->universe, e->effect.removed.item[i])))
            return false;
    return true;
}

static void write_changes(const struct engine *e, const numbers *some, uint32_t *to)
{
    for (size_t i = 0; i < some->count; i++) {
        const struct entity *x = entity_get(&e->universe, some->item[i]);
        *to++ = x->from;
        *to++ = x->label;
        *to++ = x->to;
    }
}

static bool make_room(struct inheritance *h, uint32_t graph)
{
    while (h->left.count <= graph)
        if (!vector_push(&h->left, NULL))
            return false;
    return true;
}

static size_t bytes_of(const struct heritage *x)
{
    return sizeof *x + (x->matches + 3 * (size_t)(x->removed + x->added)) * sizeof *x->item;
}

void inheritance_leave(struct engine *e, uint32_t graph)
{
    struct inheritance *h = &e->inheritance;
    size_t length, changes = e->effect.removed.count + e->effect.added.count;
    if (h->bytes > MOST_BYTES || changes > MOST_CHANGES || !make_room(h, graph) || h->left.item[graph])
        return;
    struct heritage *x = malloc(sizeof *x + (h->list.count + 3 * changes) * sizeof *x->item);
    if (!x)
        return;
    *x = (struct heritage){.removed = (uint32_t)e->effect.removed.count, .added = (uint32_t)e->effect.added.count};
    for (size_t i = 0; i < h->list.count; i++) {
        const uint32_t *match = sequence_get(&h->matches, h->list.item[i], &length);
        if (survives(e, e->programs[match[0]].rule, match + 1))
            x->item[x->matches++] = h->list.item[i];
    }
    write_changes(e, &e->effect.removed, x->item + x->matches);
    write_changes(e, &e->effect.added, x->item + x->matches + 3 * x->removed);
    h->bytes += bytes_of(x);
    h->left.item[graph] = x;
}

struct heritage *inheritance_take(struct engine *e, uint32_t graph)
{
    struct inheritance *h = &e->inheritance;
    struct heritage *x = graph < h->left.count ? h->left.item[graph] : NULL;
    if (x) {
        h->left.item[graph] = NULL;
        h->bytes -= bytes_of(x);
    }
    return x;
}

/* ------------------------------------------------------------------ taking */

/* Looks for matches with some nodes given, beginning with one of them. */
static bool match_from(struct engine *e, const struct program *p, uint32_t node)
{
    return match_rule_from(&e->matcher, p, &p->from_node[node], e->inheritance.given.item);
}

static bool give_nobody(struct engine *e, const struct program *p)
{
    numbers *given = &e->inheritance.given;
    given->count = 0;
    if (!vector_reserve(given, p->rule->nodes.count + 1))
        return false;
    memset(given->item, 0xff, (p->rule->nodes.count + 1) * sizeof *given->item);
    return true;
}

static bool match_at(struct engine *e, const struct program *p, uint32_t node, uint32_t image)
{
    if (!give_nobody(e, p))
        return false;
    e->inheritance.given.item[node] = image;
    return match_from(e, p, node);
}

/* A new node, where the rule has one without edges. */
static bool match_with_node(struct engine *e, const struct program *p, uint32_t node)
{
    bool fine = true;
    for (uint32_t i = 0; i < p->rule->nodes.count && fine; i++)
        if (is_left(p->rule->nodes.item[i].role) && !has_edge(p->rule, i))
            fine = match_at(e, p, i, node);
    return fine;
}

static bool match_with_added(struct engine *e, const struct program *p, const struct changed *x)
{
    const struct rule *r = p->rule;
    bool fine = true;
    if (!(p->label_use[x->label] & LABEL_FOUND))
        return true;
    if (x->label == e->universe.node_label)
        return match_with_node(e, p, x->from);
    for (size_t i = 0; i < r->edges.count && fine; i++) {
        const struct rule_edge *edge = &r->edges.item[i];
        if (edge->label != x->label || !is_left(edge->role) || (edge->from == edge->to && x->from != x->to))
            continue;
        fine = give_nobody(e, p);
        if (fine) {
            e->inheritance.given.item[edge->from] = x->from;
            e->inheritance.given.item[edge->to] = x->to;
            fine = match_from(e, p, edge->from);
        }
    }
    return fine;
}

/* The matches that an edge of an embargo forbade; *anew: it is not known where they are. */
static bool match_without(struct engine *e, const struct program *p, const struct rule_edge *edge,
                          const struct changed *x, bool *anew)
{
    const struct rule_node *nodes = p->rule->nodes.item;
    bool of_rule[2] = {nodes[edge->from].role != ROLE_EMBARGO, nodes[edge->to].role != ROLE_EMBARGO};
    if (!of_rule[0] && !of_rule[1]) {
        *anew = true;
        return true;
    }
    if (edge->from == edge->to && x->from != x->to)
        return true;
    if (!give_nobody(e, p))
        return false;
    if (of_rule[0])
        e->inheritance.given.item[edge->from] = x->from;
    if (of_rule[1])
        e->inheritance.given.item[edge->to] = x->to;
    return match_from(e, p, of_rule[0] ? edge->from : edge->to);
}

static bool match_with_removed(struct engine *e, const struct program *p, const struct changed *x, bool *anew)
{
    const struct rule *r = p->rule;
    bool fine = true, forbade = p->label_use[x->label] & LABEL_FORBIDDEN;
    *anew |= forbade && x->label == e->universe.node_label;
    for (uint32_t i = 0; i < r->nodes.count && fine && r->checks_dangling; i++)
        if (r->nodes.item[i].role == ROLE_ERASER)
            fine = match_at(e, p, i, x->from) && match_at(e, p, i, x->to);
    for (size_t i = 0; i < r->edges.count && fine && forbade && !*anew; i++)
        if (r->edges.item[i].role == ROLE_EMBARGO && r->edges.item[i].kind == EDGE_LABEL &&
            r->edges.item[i].label == x->label)
            fine = match_without(e, p, &r->edges.item[i], x, anew);
    return fine;
}

/* May something that was added forbid a match which survives? */
static bool may_forbid(const struct program *p, const struct changed *x)
{
    return p->rule->checks_dangling || p->label_use[x->label] & LABEL_FORBIDDEN;
}

/* The first node of the rule that is given. */
static uint32_t first_given(const struct program *p, const numbers *given)
{
    for (uint32_t i = 0; i < p->rule->nodes.count; i++)
        if (is_left(p->rule->nodes.item[i].role) && given->item[i] != NO_NUMBER)
            return i;
    return NO_NUMBER;
}

static bool match_again(struct engine *e, const struct program *p, uint32_t match)
{
    size_t length;
    const uint32_t *old = sequence_get(&e->inheritance.matches, match, &length);
    if (!give_nobody(e, p))
        return false;
    memcpy(e->inheritance.given.item, old + 1, (length - 1) * sizeof *old);
    uint32_t first = first_given(p, &e->inheritance.given);
    return first == NO_NUMBER ? match_rule(&e->matcher, p, NULL) : match_from(e, p, first);
}

/* The key of a match of a rule without levels: its anchor. */
static bool enable_match(struct engine *e, const struct program *p, uint32_t match)
{
    struct inheritance *h = &e->inheritance;
    const numbers *anchor = &p->levels[0].anchor;
    size_t length;
    if (h->action.item[match] == NO_NUMBER || e->isomorphism) { /* where nodes have other names in every graph */
        const uint32_t *image = sequence_get(&h->matches, match, &length) + 1;
        h->scratch.count = 0;
        if (!vector_reserve(&h->scratch, anchor->count + 1))
            return false;
        h->scratch.item[0] = p->number;
        for (size_t i = 0; i < anchor->count; i++)
            h->scratch.item[i + 1] = image[anchor->item[i]];
        h->action.item[match] = engine_application(e, p, h->scratch.item, anchor->count + 1);
    }
    return h->action.item[match] != NO_NUMBER && engine_enable(e, h->action.item[match]) && list_match(e, match);
}

static bool take_survivors(struct engine *e, const struct program *p, const struct heritage *x)
{
    const struct changed *added = (const struct changed *)(x->item + x->matches) + x->removed;
    bool again = false, fine = true;
    size_t length;
    for (uint32_t i = 0; i < x->added && !again; i++)
        again = may_forbid(p, &added[i]);
    for (uint32_t i = 0; i < x->matches && fine; i++)
        if (sequence_get(&e->inheritance.matches, x->item[i], &length)[0] == p->number)
            fine = again ? match_again(e, p, x->item[i]) : enable_match(e, p, x->item[i]);
    return fine;
}

bool inheritance_match(struct engine *e, const struct program *p, const struct heritage *x)
{
    const struct changed *removed = (const struct changed *)(x->item + x->matches), *added = removed + x->removed;
    bool anew = false, fine = take_survivors(e, p, x);
    for (uint32_t i = 0; i < x->added && fine; i++)
        fine = match_with_added(e, p, &added[i]);
    for (uint32_t i = 0; i < x->removed && fine && !anew; i++)
        fine = match_with_removed(e, p, &removed[i], &anew);
    return fine && (!anew || match_rule(&e->matcher, p, NULL));
}
