/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 60000, MOST_WALKS = 3000 };

/* -------------------------------------------------------------------- formulas */

/* Appends to a text of fixed size. */
static void add(struct oracle_formula *f, const char *text)
{
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof f->text - used, "%s", text);
}

static void add_random(struct oracle_formula *f, struct random *random, uint32_t size, bool with_next)
{
    static const char *const unary[] = {"!", "F ", "G ", "G F ", "F G ", "X "};
    static const char *const binary[] = {" && ", " || ", " -> ", " U ", " R ", " W "};
    add(f, "(");
    if (size == 0) {
        add(f, (char[]){'a', (char)('0' + random_below(random, ORACLE_ATOMS)), 0});
    } else if (random_chance(random, 50)) {
        add(f, unary[random_below(random, with_next ? 6 : 5)]);
        add_random(f, random, size - 1, with_next);
    } else {
        uint32_t left = random_below(random, size);
        add_random(f, random, left, with_next);
        add(f, binary[random_below(random, 6)]);
        add_random(f, random, size - 1 - left, with_next);
    }
    add(f, ")");
}

void oracle_formula_random(struct oracle_formula *f, struct random *random, uint32_t places, uint32_t transitions,
                           bool with_next)
{
    /* the last ones have an X that makes no difference, as they only look at changes */
    static const char *const usual[] = {"G F a0",
                                        "F G a0",
                                        "G(a0 -> F a1)",
                                        "G F a0 -> G F a1",
                                        "a0 U a1",
                                        "G(a0 -> G a1)",
                                        "F a0 && G F !a1",
                                        "G F a0 && G F !a0",
                                        "G(a0 -> a1 U a2)",
                                        "F(a0 && F a1)",
                                        "G(a0 || a1)",
                                        "a0 W (a1 W a2)",
                                        "G a0",
                                        "G(a0 -> F G a1)",
                                        "F(!a0 && X a0)",
                                        "!F(!a0 && X a0)",
                                        "!F(a0 && !a1 && X a1)",
                                        "!F(!a0 && a1 && X(a0 && F !a1))",
                                        "G F(a0 && X !a0)",
                                        "!G F(!a0 && X a0 && F a1)",
                                        "!F(!a0 && !a1 && X(a0 && !a1 && F a2))"};
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; i < ORACLE_ATOMS; i++) {
        uint32_t draw = random_below(random, 40);
        f->atoms[i].kind = draw == 0 ? ATOM_DEADLOCK : draw < 8 && transitions ? ATOM_CAN_FIRE : ATOM_TOKENS;
        if (places == 0 && f->atoms[i].kind == ATOM_TOKENS)
            f->atoms[i].kind = ATOM_DEADLOCK;
        f->atoms[i].index = f->atoms[i].kind == ATOM_DEADLOCK
                                ? 0
                                : random_below(random, f->atoms[i].kind == ATOM_CAN_FIRE ? transitions : places);
        f->atoms[i].tokens = 1 + random_chance(random, 15);
    }
    if (!with_next && random_chance(random, 60))
        add(f, usual[random_below(random, sizeof usual / sizeof *usual)]);
    else
        add_random(f, random, 1 + random_below(random, 5), with_next);
}

void oracle_formula_write(const struct oracle_formula *f, char *text, size_t size)
{
    size_t used = 0;
    for (const char *c = f->text; *c && used + 1 < size; c++) {
        if (*c != 'a') {
            text[used++] = *c;
            text[used] = '\0';
            continue;
        }
        const struct oracle_atom *atom = &f->atoms[*++c - '0'];
        int written = atom->kind == ATOM_TOKENS
                          ? snprintf(text + used, size - used, "(p%u >= %u)", atom->index, atom->tokens)
                      : atom->kind == ATOM_CAN_FIRE ? snprintf(text + used, size - used, "fireable(t%u)", atom->index)
                                                    : snprintf(text + used, size - used, "deadlock");
        used += (size_t)written < size - used ? (size_t)written : size - used - 1;
    }
}

/* --------------------------------------------------------------------- the graph */

static bool holds(const struct naive *naive, const struct oracle_atom *atom, uint32_t marking)
{
    switch (atom->kind) {
    case ATOM_TOKENS: return naive_marking(naive, marking)[atom->index] >= atom->tokens;
    case ATOM_CAN_FIRE: return naive_step(naive, marking, atom->index) != NAIVE_NONE;
    case ATOM_DEADLOCK: return naive_enabled(naive, marking) == 0;
    }
    return false;
}

static bool find_letters(struct oracle *o)
{
    o->letters = calloc((size_t)o->naive->count + 1, sizeof *o->letters);
    for (uint32_t m = 0; o->letters && m < o->naive->count; m++)
        for (size_t a = 0; a < o->ltl.atoms.count; a++) {
            const struct oracle_atom *atom = &o->formula->atoms[o->ltl.atoms.item[a].text[1] - '0'];
            o->letters[m] |= (uint64_t)holds(o->naive, atom, m) << a;
        }
    return o->letters;
}

bool oracle_make(struct oracle *o, const struct naive *naive, const struct oracle_formula *formula)
{
    *o = (struct oracle){.naive = naive, .formula = formula};
    struct automaton_options plain = {.negated = true, .unreduced = true};
    if (!ltl_init(&o->ltl))
        return false;
    if (ltl_parse(&o->ltl, NULL, "formula", formula->text, &o->root, NULL) == PORTOLAN_OK &&
        automaton_of_formula(&o->ltl, o->root, &plain, &o->automaton, NULL) == PORTOLAN_OK &&
        (uint64_t)o->automaton->states * naive->count < MOST_NODES && find_letters(o))
        return true;
    oracle_clear(o);
    return false;
}

void oracle_clear(struct oracle *o)
{
    ltl_clear(&o->ltl);
    automaton_free(o->automaton);
    free(o->letters);
    memset(o, 0, sizeof *o);
}

/* Calls `see` for every edge of the product whose ends are alive; node = marking * automaton states + state. */
struct sweep {
    const struct oracle *oracle;
    bool *alive, *reaches;
    bool fair;
    uint32_t set; /* acceptance sets, then transitions */
    bool changed;
};

/* Is the edge in the set under consideration? */
static bool in_set(const struct sweep *s, uint32_t marking, const struct automaton_edge *edge, uint32_t action)
{
    uint32_t sets = s->oracle->automaton->sets;
    if (s->set < sets)
        return edge->acceptance >> s->set & 1;
    if (s->set == sets)
        return true; /* every infinite run */
    uint32_t transition = s->set - sets - 1;
    return action == transition || naive_step(s->oracle->naive, marking, transition) == NAIVE_NONE;
}

static void see_edge(struct sweep *s, uint32_t marking, const struct automaton_edge *edge, uint32_t action,
                     uint32_t target_marking)
{
    uint32_t states = s->oracle->automaton->states;
    uint32_t from = marking * states + edge->source, to = target_marking * states + edge->target;
    if (!s->alive[from] || !s->alive[to] || s->reaches[from])
        return;
    if (s->reaches[to] || in_set(s, marking, edge, action))
        s->reaches[from] = s->changed = true;
}

static void sweep_once(struct sweep *s)
{
    const struct oracle *o = s->oracle;
    const struct naive *n = o->naive;
    for (uint32_t m = n->count; m-- > 0;)
        for (uint32_t e = 0; e < o->automaton->first[o->automaton->states]; e++) {
            const struct automaton_edge *edge = &o->automaton->edges[e];
            if (!automaton_edge_takes(edge, o->letters[m]))
                continue;
            for (uint32_t i = n->edge_offset.item[m]; i < n->edge_offset.item[m + 1]; i++)
                see_edge(s, m, edge, n->edges.item[i].action, n->edges.item[i].target);
            if (naive_enabled(n, m) == 0)
                see_edge(s, m, edge, UINT32_MAX, m);
        }
}

/* Keeps the nodes from which an edge of each set can be reached among those kept, until nothing changes. */
static void fixpoint(struct sweep *s, size_t nodes)
{
    uint32_t sets = s->oracle->automaton->sets + 1 + (s->fair ? s->oracle->naive->net->transitions : 0);
    bool shrunk = true;
    while (shrunk) {
        shrunk = false;
        for (s->set = 0; s->set < sets; s->set++) {
            memset(s->reaches, 0, nodes);
            do {
                s->changed = false;
                sweep_once(s);
            } while (s->changed);
            for (size_t i = 0; i < nodes; i++) {
                shrunk |= s->alive[i] && !s->reaches[i];
                s->alive[i] &= s->reaches[i];
            }
        }
    }
}

/* All nodes are alive at first, reachable or not; in the end the initial node must reach one that is. */
bool oracle_violated(const struct oracle *o, bool fair)
{
    size_t nodes = (size_t)o->naive->count * o->automaton->states;
    struct sweep s = {.oracle = o, .fair = fair, .alive = malloc(nodes + 1), .reaches = malloc(nodes + 1)};
    if (!s.alive || !s.reaches)
        abort();
    memset(s.alive, true, nodes);
    fixpoint(&s, nodes);
    /* what is alive can go on forever as wanted; whoever reaches it can, so the initial node is alive or there is none
     */
    bool violated = s.alive[o->automaton->initial];
    free(s.alive);
    free(s.reaches);
    return violated;
}

/* ------------------------------------------------------------------------ lassos */

static bool is_false(const struct oracle *o, const uint32_t *markings, size_t length, size_t loop)
{
    uint64_t *letters = calloc(length + 1, sizeof *letters);
    bool result = true;
    if (!letters)
        abort();
    for (size_t i = 0; i < length; i++)
        letters[i] = o->letters[markings[i]];
    if (!ltl_holds_on_lasso(&o->ltl, o->root, letters, length, loop, &result))
        abort();
    free(letters);
    return !result;
}

static bool walk(const struct oracle *o, uint32_t *path, size_t length, size_t longest, uint32_t *walks)
{
    const struct naive *n = o->naive;
    uint32_t last = path[length - 1];
    if (++*walks > MOST_WALKS)
        return false;
    if (naive_enabled(n, last) == 0)
        return is_false(o, path, length, length - 1);
    for (uint32_t i = n->edge_offset.item[last]; i < n->edge_offset.item[last + 1]; i++) {
        path[length] = n->edges.item[i].target;
        for (size_t loop = 0; loop < length; loop++)
            if (path[loop] == path[length] && is_false(o, path, length, loop))
                return true;
        if (length < longest && walk(o, path, length + 1, longest, walks))
            return true;
    }
    return false;
}

bool oracle_short_violation(const struct oracle *o, size_t longest)
{
    uint32_t path[16] = {0}, walks = 0;
    return walk(o, path, 1, longest < 14 ? longest : 14, &walks);
}

bool oracle_refutes(const struct oracle *o, const uint32_t *trace, size_t length, size_t cycle_start)
{
    uint32_t *markings = calloc(length + 1, sizeof *markings);
    bool refutes = markings, closes = cycle_start <= length;
    for (size_t i = 0; refutes && i < length; i++) {
        markings[i + 1] = naive_step(o->naive, markings[i], trace[i]);
        refutes = markings[i + 1] != NAIVE_NONE;
    }
    if (refutes && !closes) { /* a prefix: one way to go on must do, and every one does */
        uint32_t *longer = calloc(length + 1 + o->naive->count, sizeof *longer);
        size_t count = length, loop = SIZE_MAX;
        if (!longer)
            abort();
        memcpy(longer, markings, (length + 1) * sizeof *longer);
        while (loop == SIZE_MAX) {
            uint32_t last = longer[count++];
            uint32_t next =
                naive_enabled(o->naive, last) ? o->naive->edges.item[o->naive->edge_offset.item[last]].target : last;
            for (size_t i = length; i < count && loop == SIZE_MAX; i++)
                loop = longer[i] == next ? i : SIZE_MAX;
            if (loop == SIZE_MAX)
                longer[count] = next;
        }
        refutes = is_false(o, longer, count, loop);
        free(longer);
    } else if (refutes && cycle_start == length) {
        refutes = naive_enabled(o->naive, markings[length]) == 0 && is_false(o, markings, length + 1, length);
    } else if (refutes) {
        refutes = markings[length] == markings[cycle_start] && is_false(o, markings, length, cycle_start);
    }
    free(markings);
    return refutes;
}
