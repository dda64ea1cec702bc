/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest weak deterministic automaton of a language that has one.
 *
 * C. Dax, J. Eisinger, F. Klaedtke, "Mechanizing the powerset construction for
 * restricted classes of ω-automata", ATVA 2007; C. Löding, "Efficient
 * minimization of deterministic weak ω-automata", 2001.
 *
 * The powerset construction gives the states.  Whether a component accepts
 * is found out with one word that stays in it.  After minimisation, which is
 * that of automata on finite words once the colours of Löding are given, the result is
 * checked: it must accept nothing that the complement of the language
 * accepts, and its own complement nothing of the language.  A language without a
 * weak deterministic automaton fails there, and so would a mistake in what comes before.
 */
#include "ltl/automaton.h"

#include "base/bits.h"

#include <string.h>

enum { MAX_SUBSETS = 600, MAX_EDGES = 20000 };

/* ----------------------------------------------------------------- subsets */

struct powerset {
    const struct automaton *automaton;
    size_t words;
    VECTOR(uint64_t) subsets; /* `words` for each */
    uint32_t count;
    VECTOR(uint32_t) found_by; /* the edge that first led to each */
    struct automaton_edges edges;
    bool too_large;
};

/* The number of the subset, which is the last of subsets, not counted yet; it is counted when it is new. */
static uint32_t intern(struct powerset *powerset)
{
    const uint64_t *last = powerset->subsets.item + powerset->count * powerset->words;
    for (uint32_t i = 0; i < powerset->count; i++)
        if (memcmp(powerset->subsets.item + i * powerset->words, last, powerset->words * sizeof *last) == 0)
            return i;
    powerset->too_large |= powerset->count >= MAX_SUBSETS;
    powerset->edges.failed |= !vector_push(&powerset->found_by, (uint32_t)powerset->edges.list.count);
    return powerset->count++;
}

/* A subset with no members yet, behind the counted ones; NULL when memory ran out. */
static uint64_t *new_subset(struct powerset *powerset)
{
    powerset->subsets.count = powerset->count * powerset->words;
    if (!vector_reserve(&powerset->subsets, powerset->words)) {
        powerset->edges.failed = true;
        return NULL;
    }
    uint64_t *subset = powerset->subsets.item + powerset->subsets.count;
    memset(subset, 0, powerset->words * sizeof *subset);
    powerset->subsets.count += powerset->words;
    return subset;
}

/* Adds the edges of a subset for the letters of a cube; edges[] are those of its members that agree with the cube. */
static void add_letters(struct powerset *powerset, uint32_t source, uint64_t positive, uint64_t negative,
                        const struct automaton_edge **edges, size_t count)
{
    uint64_t atom = 0;
    if (powerset->edges.failed || powerset->too_large)
        return;
    for (size_t i = 0; i < count && !atom; i++) {
        uint64_t open = (edges[i]->positive | edges[i]->negative) & ~(positive | negative);
        atom = open & -open;
    }
    if (!atom) {
        uint64_t *subset = new_subset(powerset);
        for (size_t i = 0; subset && i < count; i++)
            bit_set(subset, edges[i]->target);
        struct automaton_edge edge = {.source = source, .positive = positive, .negative = negative};
        edge.target = subset ? intern(powerset) : 0;
        powerset->too_large |= powerset->edges.list.count >= MAX_EDGES;
        edges_add(&powerset->edges, edge);
        return;
    }
    for (int value = 0; value < 2; value++) { /* those that agree come to the front; the order of the rest is kept */
        const struct automaton_edge **agreeing = malloc((count + 1) * sizeof(struct automaton_edge *));
        size_t agree = 0;
        for (size_t i = 0; agreeing && i < count; i++)
            if (!((value ? edges[i]->negative : edges[i]->positive) & atom))
                agreeing[agree++] = edges[i];
        powerset->edges.failed |= !agreeing;
        if (agreeing)
            add_letters(powerset, source, value ? positive | atom : positive, value ? negative : negative | atom,
                        agreeing, agree);
        free(agreeing);
    }
}

static void expand(struct powerset *powerset, uint32_t subset)
{
    const struct automaton *automaton = powerset->automaton;
    VECTOR(const struct automaton_edge *) edges = {0};
    for (uint32_t s = 0; s < automaton->states; s++)
        if (bit_get(powerset->subsets.item + subset * powerset->words, s))
            for_edges(edge, automaton, s) powerset->edges.failed |= !vector_push(&edges, edge);
    add_letters(powerset, subset, 0, 0, edges.item, edges.count);
    free(edges.item);
}

/* The deterministic and complete automaton of subsets, in which nothing is accepting; its edges stay in order. */
static struct automaton *determinise(struct powerset *powerset)
{
    uint64_t *subset = new_subset(powerset);
    if (subset) {
        bit_set(subset, powerset->automaton->initial);
        intern(powerset);
    }
    for (uint32_t i = 0; i < powerset->count && !powerset->edges.failed && !powerset->too_large; i++)
        expand(powerset, i);
    if (powerset->edges.failed || powerset->too_large)
        return NULL;
    struct automaton *result = automaton_like(powerset->automaton, powerset->count, 0, 1);
    struct automaton_edges copy = {0};
    for (size_t i = 0; i < powerset->edges.list.count; i++)
        edges_add(&copy, powerset->edges.list.item[i]);
    if (result && automaton_set_edges(result, &copy))
        return result;
    powerset->edges.failed = true;
    free(copy.list.item);
    automaton_free(result);
    return NULL;
}

/* -------------------------------------------------------------- acceptance */

struct word {
    VECTOR(uint64_t) letters;
    bool failed;
};

static void push_letter(struct word *word, uint64_t letter)
{
    word->failed |= !vector_push(&word->letters, letter);
}

/* The letters that lead to a subset from the first one. */
static void add_path(const struct powerset *powerset, uint32_t subset, struct word *word)
{
    while (subset != 0) {
        const struct automaton_edge *edge = &powerset->edges.list.item[powerset->found_by.item[subset]];
        push_letter(word, edge->positive);
        subset = edge->source;
    }
    for (size_t i = 0, j = word->letters.count; i + 1 < j; i++) {
        uint64_t letter = word->letters.item[--j];
        word->letters.item[j] = word->letters.item[i];
        word->letters.item[i] = letter;
    }
}

/* The letters of a shortest cycle through a state, within its component. */
static void add_cycle(const struct automaton *automaton, const struct components *components, uint32_t start,
                      struct word *word)
{
    const struct automaton_edge **towards = calloc(automaton->states, sizeof(struct automaton_edge *));
    uint32_t *queue = malloc(automaton->states * sizeof *queue);
    size_t head = 0, tail = 0;
    bool closed = false;
    word->failed |= !towards || !queue;
    if (!word->failed)
        queue[tail++] = start;
    /* backwards: towards[s] is the first edge of a shortest way from s to start */
    while (!word->failed && head < tail && !closed) {
        uint32_t target = queue[head++];
        for (uint32_t e = 0; e < automaton->first[automaton->states]; e++) {
            const struct automaton_edge *edge = &automaton->edges[e];
            if (edge->target != target || components->of[edge->source] != components->of[start] ||
                towards[edge->source])
                continue;
            towards[edge->source] = edge;
            closed |= edge->source == start;
            if (edge->source != start)
                queue[tail++] = edge->source;
        }
    }
    uint32_t state = start;
    while (!word->failed && closed) {
        push_letter(word, towards[state]->positive);
        state = towards[state]->target;
        if (state == start)
            break;
    }
    free(towards);
    free(queue);
}

/* Whether the language has the words that stay in a component. */
static bool judge(const struct powerset *powerset, const struct automaton *subsets, const struct components *components,
                  uint32_t member, bool *accepting)
{
    struct word word = {0};
    add_path(powerset, member, &word);
    size_t loop = word.letters.count;
    add_cycle(subsets, components, member, &word);
    bool fine = !word.failed &&
                automaton_accepts_lasso(powerset->automaton, word.letters.item, word.letters.count, loop, accepting);
    free(word.letters.item);
    return fine;
}

/*
 * Löding's colours: even where accepting, never larger than those of what can be reached, as large as possible.
 * Only whether they are even is needed afterwards.
 */
static bool colour(const struct powerset *powerset, const struct automaton *subsets, bool *accepting)
{
    struct components components;
    if (!components_find(subsets, &components))
        return false;
    int32_t *colours = malloc(((size_t)components.count + 1) * sizeof *colours);
    bool fine = colours != NULL;
    for (uint32_t i = 0; i < components.reached && fine;) {
        uint32_t c = components.of[components.order[i]], first = i;
        int32_t least = 2 * (int32_t)MAX_SUBSETS;
        bool accepts = true;
        for (; i < components.reached && components.of[components.order[i]] == c; i++)
            for_edges(edge, subsets, components.order[i])
            {
                uint32_t other = components.of[edge->target];
                if (other != c && colours[other] < least)
                    least = colours[other];
            }
        if (components.has_cycle[c])
            fine = judge(powerset, subsets, &components, components.order[first], &accepts);
        bool fits = !components.has_cycle[c] || accepts == (least % 2 == 0);
        colours[c] = fits ? least : least - 1;
    }
    for (uint32_t i = 0; i < components.reached && fine; i++)
        accepting[components.order[i]] = colours[components.of[components.order[i]]] % 2 == 0;
    free(colours);
    components_clear(&components);
    return fine;
}

/* ------------------------------------------------------------ minimisation */

/* Whether two states lead to the same classes with the same letters. */
static bool alike(const struct automaton *automaton, const uint32_t *class, uint32_t one, uint32_t other)
{
    if (class[one] != class[other])
        return false;
    for_edges(a, automaton, one) for_edges(b, automaton, other)
    {
        bool agree = !(a->positive & b->negative) && !(a->negative & b->positive);
        if (agree && class[a->target] != class[b->target])
            return false;
    }
    return true;
}

/* Splits the classes until none can be split (Moore); returns how many there are. */
static uint32_t split(const struct automaton *automaton, uint32_t *class, uint32_t *next, uint32_t *leader)
{
    uint32_t count = 2, before;
    do {
        before = count;
        count = 0;
        for (uint32_t s = 0; s < automaton->states; s++) {
            uint32_t c = 0;
            while (c < count && !limits_reached() && !alike(automaton, class, leader[c], s))
                c++;
            if (c == count)
                leader[count++] = s;
            next[s] = c;
        }
        memcpy(class, next, automaton->states * sizeof *class);
    } while (count > before);
    return count;
}

/* The automaton of classes; flipped, what it does not accept. */
static struct automaton *classes(const struct automaton *subsets, const bool *accepting, const uint32_t *class,
                                 const uint32_t *leader, uint32_t count, bool flipped)
{
    struct automaton_edges edges = {0};
    struct automaton *result = automaton_like(subsets, count, class[subsets->initial], 1);
    for (uint32_t c = 0; c < count; c++)
        for_edges(edge, subsets, leader[c])
        {
            struct automaton_edge kept = *edge;
            kept.source = c;
            kept.target = class[edge->target];
            kept.acceptance = accepting[leader[c]] != flipped;
            edges_add(&edges, kept);
        }
    if (result && automaton_set_edges(result, &edges))
        return result;
    free(edges.list.item);
    automaton_free(result);
    return NULL;
}

static bool are_disjoint(const struct automaton *one, const struct automaton *other, bool *disjoint)
{
    struct automaton *product = automaton_product(one, other);
    bool fine = product && automaton_is_empty(product, disjoint);
    automaton_free(product);
    return fine;
}

/* Makes *minimal, or leaves it NULL when the check fails. */
static bool conclude(const struct automaton *automaton, const struct automaton *complement,
                     const struct automaton *subsets, const bool *accepting, struct automaton **minimal)
{
    size_t states = subsets->states;
    uint32_t *class = malloc(3 * states * sizeof *class);
    if (!class)
        return false;
    for (uint32_t s = 0; s < states; s++)
        class[s] = accepting[s];
    uint32_t count = split(subsets, class, class + states, class + 2 * states);
    struct automaton *result = classes(subsets, accepting, class, class + 2 * states, count, false);
    struct automaton *flipped = classes(subsets, accepting, class, class + 2 * states, count, true);
    bool right = false, sound = false;
    bool fine = result && flipped && !limits_reached() && are_disjoint(result, complement, &sound) &&
                are_disjoint(automaton, flipped, &right) && automaton_prune(result) &&
                automaton_simplify_acceptance(result);
    free(class);
    automaton_free(flipped);
    if (fine && sound && right)
        *minimal = result;
    else
        automaton_free(result);
    return fine;
}

bool automaton_minimise_weak(const struct automaton *automaton, const struct automaton *complement,
                             struct automaton **minimal)
{
    struct powerset powerset = {.automaton = automaton, .words = bit_words(automaton->states)};
    *minimal = NULL;
    if (automaton->sets > 62 || complement->sets > 62)
        return true;
    struct automaton *subsets = determinise(&powerset);
    bool *accepting = subsets ? calloc(subsets->states, sizeof *accepting) : NULL;
    bool fine = subsets ? accepting && colour(&powerset, subsets, accepting) &&
                              conclude(automaton, complement, subsets, accepting, minimal)
                        : !powerset.edges.failed;
    automaton_free(subsets);
    free(accepting);
    free(powerset.subsets.item);
    free(powerset.found_by.item);
    free(powerset.edges.list.item);
    return fine;
}
