/* SPDX-License-Identifier: Apache-2.0 */
/* A search in the product of the graph and the automaton of the path. */
#include "graph/path.h"

#include "base/bits.h"

#include <string.h>

/* A pair (state, node) that was reached and not gone on from. */
struct pair {
    uint32_t state, node;
};

typedef VECTOR(struct pair) pairs;

static uint32_t place_of(const struct path_walk *w, uint32_t node)
{
    return w->matcher->present->place_of.item[node];
}

static bool is_end(const struct path_walk *w, uint32_t state)
{
    return w->backwards ? state == 0 : w->path->accepting.item[state];
}

/* A node may be reached in several accepting states: bits behind those of the pairs say that it has been told. */
static bool reach(struct path_walk *w, pairs *open, uint32_t state, uint32_t node)
{
    struct matcher *m = w->matcher;
    if (node >= m->present->place_of.count || place_of(w, node) == NO_NUMBER)
        return true;
    uint32_t places = (uint32_t)m->present->places.count, bit = state * places + place_of(w, node),
             told = w->path->states * places + place_of(w, node);
    if (bit_get(m->visited, bit))
        return true;
    bit_set(m->visited, bit);
    if (is_end(w, state) && !bit_get(m->visited, told)) {
        bit_set(m->visited, told);
        if (!vector_push(&w->reached, node))
            return false;
    }
    return vector_push(open, ((struct pair){state, node}));
}

static bool step_takes(const struct path_walk *w, const struct path_step *s, uint32_t label)
{
    if (s->kind == PATH_LABEL)
        return label == s->label;
    const struct label_choice *choice = &w->rule->choices.item[s->choice];
    if (w->matcher->universe->grammar->labels.item[label].kind != choice->kind)
        return false;
    uint32_t bound =
        choice->variable == NO_NUMBER ? NO_NUMBER : w->matcher->image.item[variable_binding(w->rule, choice->variable)];
    if (bound != NO_NUMBER && bound != label)
        return false;
    for (size_t i = 0; i < choice->labels.count; i++)
        if (choice->labels.item[i] == label)
            return !choice->is_complement;
    return choice->is_complement;
}

static bool node_has_type(const struct path_walk *w, uint32_t node, const struct path_step *s)
{
    const links *out = links_out(w->matcher->present, node);
    const struct grammar *g = w->matcher->universe->grammar;
    uint32_t found = NO_NUMBER;
    for (size_t i = 0; i < out->count && found == NO_NUMBER; i++)
        if (out->item[i].other == node && g->labels.item[out->item[i].label].kind == LABEL_TYPE &&
            (out->item[i].label == s->label || (!s->is_exact && is_subtype(g, out->item[i].label, s->label))))
            found = out->item[i].label;
    if (w->matcher->present->looks)
        looks_note_type(w->matcher->present->looks, g, node, s->label, s->is_exact, found);
    return found != NO_NUMBER;
}

static bool follow(struct path_walk *w, pairs *open, struct pair at, const struct path_step *s)
{
    uint32_t target = w->backwards ? s->from : s->to;
    if (s->kind == PATH_TYPE)
        return !node_has_type(w, at.node, s) || reach(w, open, target, at.node);
    bool is_in = s->backwards != w->backwards;
    const links *few = is_in ? links_in(w->matcher->present, at.node) : links_out(w->matcher->present, at.node);
    note_look(w->matcher->present,
              s->kind != PATH_LABEL ? LOOK_LINKS
              : is_in               ? LOOK_IN
                                    : LOOK_OUT,
              at.node, s->kind == PATH_LABEL ? s->label : 0, 0);
    for (size_t i = 0; i < few->count; i++)
        if (step_takes(w, s, few->item[i].label) && !reach(w, open, target, few->item[i].other))
            return false;
    return true;
}

static bool make_visited(struct path_walk *w)
{
    struct matcher *m = w->matcher;
    size_t words = ((size_t)w->path->states + 1) * m->present->places.count / 64 + 1;
    if (!vector_grow((void **)&m->visited, &m->visited_words, words, sizeof *m->visited))
        return false;
    memset(m->visited, 0, words * sizeof *m->visited);
    return true;
}

bool path_reach(struct path_walk *w, uint32_t node)
{
    pairs open = {0};
    bool fine = make_visited(w);
    for (uint32_t state = 0; state < w->path->states && fine; state++)
        if (w->backwards ? w->path->accepting.item[state] : state == 0)
            fine = reach(w, &open, state, node);
    while (open.count > 0 && fine) {
        struct pair at = open.item[--open.count];
        for (size_t i = 0; i < w->path->steps.count && fine; i++) {
            const struct path_step *s = &w->path->steps.item[i];
            if ((w->backwards ? s->to : s->from) == at.state)
                fine = follow(w, &open, at, s);
        }
    }
    free(open.item);
    return fine;
}
