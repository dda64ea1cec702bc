/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generalised Büchi automata with acceptance on edges.
 *
 * A word is a sequence of valuations of at most 64 atomic propositions, bit i
 * for atom i.  A run may take an edge when all positive atoms of its label
 * are true and all negative ones false.  It is accepting when it takes edges of
 * every acceptance set again and again; with no sets, every infinite run is.
 *
 * Functions that return bool give false only when memory ran out (or, where
 * that is said, when something grew too large); what they were to change is
 * then as before.  An automaton may be read from several threads at once.
 */
#ifndef LTL_AUTOMATON_H
#define LTL_AUTOMATON_H

#include "base/limits.h"
#include "base/vector.h"
#include "ltl/formula.h"
#include "portolan/portolan.h"

#include <stdio.h>

struct automaton_edge {
    uint32_t source, target;
    uint64_t positive, negative; /* the label, a conjunction: never an atom in both */
    uint64_t acceptance;         /* the sets the edge belongs to */
};

enum automaton_strength {
    AUTOMATON_TERMINAL, /* weak, and an accepting component is never left by force: reaching one decides */
    AUTOMATON_WEAK,     /* in each component every cycle is accepting, or none is */
    AUTOMATON_STRONG
};

struct automaton {
    uint32_t states, initial;
    uint32_t sets;   /* acceptance sets, at most 64 */
    uint32_t *first; /* the edges of state s are edges[first[s]] ... edges[first[s + 1] - 1] */
    struct automaton_edge *edges;
    char **atoms; /* what the bits of a valuation stand for, as text */
    uint32_t atom_count;
    enum automaton_strength strength; /* after automaton_classify */
};

static inline bool automaton_edge_takes(const struct automaton_edge *edge, uint64_t valuation)
{
    return (valuation & edge->positive) == edge->positive && !(valuation & edge->negative);
}

static inline uint64_t automaton_all_sets(const struct automaton *automaton)
{
    return automaton->sets >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << automaton->sets) - 1;
}

/* for (each edge of a state) */
#define for_edges(edge, automaton, state)                                                                              \
    for (const struct automaton_edge *edge = (automaton)->edges + (automaton)->first[state],                           \
                                     *edge##_end = (automaton)->edges + (automaton)->first[(state) + 1];               \
         edge < edge##_end; edge++)

/* ------------------------------------------------------- from LTL formulas */

struct automaton_options {
    bool negated;      /* of the negation of the formula: what a search for counterexamples wants */
    bool degeneralise; /* at most one acceptance set */
    bool unreduced;    /* no simplification, no reduction: for tests */
};

/*
 * The automaton that accepts the words on which the formula (as parsed) is true, reduced and classified.
 * PORTOLAN_OVERFLOW when it would be too large.  *out is NULL on failure.
 */
enum portolan_status automaton_of_formula(struct ltl *ltl, uint32_t formula, const struct automaton_options *options,
                                          struct automaton **out, struct portolan_error *error);
/* Accepts NULL. */
void automaton_free(struct automaton *automaton);

/*
 * The value of every atom in a state of the system that the formula was parsed for.  An atom without one counts as
 * false; *no_value (which may be NULL) is set when that makes a difference: && || -> look at their right operand only
 * where the left one leaves it open, within the parts of the formula that have no temporal operators.
 */
uint64_t ltl_valuation(const struct ltl *ltl, const struct portolan_system *system, const void *state, bool is_deadlock,
                       bool *no_value);
/* Which part has no value in the state, and why; false when the formula has one there. */
bool ltl_why_no_value(const struct ltl *ltl, const struct portolan_system *system, const void *state, bool is_deadlock,
                      char *text, size_t size);

/* Is it the letter of a state within a step?  It has no other atoms. */
static inline bool ltl_rests(const struct ltl *ltl, uint64_t letter)
{
    return ltl->resting && letter >> (ltl->resting - 1) & 1;
}

/*
 * overlook.c: where the system rests within its steps, adds the atom that says so.  To be done after all that is asked
 * of the formula alone, and followed by automaton_overlook of each automaton that reads letters of the system.
 */
enum portolan_status ltl_overlook(struct ltl *ltl, const struct portolan_system *system, struct portolan_error *error);
/* Accepts the words whose visible letters, infinitely many, the automaton accepted; replaces it, and classifies. */
bool automaton_overlook(struct automaton **automaton, const struct ltl *ltl);
/* The letters that count, and where they go on after the end: *count is no more than *loop when none does forever. */
bool ltl_visible_letters(const struct ltl *ltl, const uint64_t *letters, size_t length, size_t *loop,
                         uint64_t **visible, size_t *count);

enum ltl_answer { LTL_NO, LTL_YES, LTL_UNKNOWN };

/*
 * Whether repeating a letter, or leaving out a repetition, never changes the truth of the formula: exact where the
 * atoms of the formula and the automata are few enough to decide (LTL_UNKNOWN otherwise).
 */
enum portolan_status ltl_stutter_invariant(struct ltl *ltl, uint32_t formula, enum ltl_answer *answer,
                                           struct portolan_error *error);
/* Whether every word on which the formula is false has a finite prefix that shows it. */
enum portolan_status ltl_safety(struct ltl *ltl, uint32_t formula, enum ltl_answer *answer,
                                struct portolan_error *error);

/* ----------------------------------------------------------------- reading */

/* Reads and classifies an automaton in the HOA format, version 1: docs/ltl.md says what of it. */
enum portolan_status automaton_read_hoa(const char *file, const char *text, size_t length, struct automaton **out,
                                        struct portolan_error *error);
/* name may be NULL. */
void automaton_write_hoa(const struct automaton *automaton, const char *name, FILE *out);
void automaton_write_dot(const struct automaton *automaton, FILE *out);

/* ---------------------------------------------------------------- checking */

/* Whether the automaton accepts letters[0] ... letters[length - 1] going on with letters[loop] after the end. */
bool automaton_accepts_lasso(const struct automaton *automaton, const uint64_t *letters, size_t length, size_t loop,
                             bool *accepts);
bool automaton_is_empty(const struct automaton *automaton, bool *empty);
/* In each state at most one edge for each letter. */
bool automaton_is_deterministic(const struct automaton *automaton);

/* ---------------------------------------------------------------- changing */

struct automaton_edges {
    VECTOR(struct automaton_edge) list;
    bool failed;
};

static inline void edges_add(struct automaton_edges *edges, struct automaton_edge edge)
{
    if (limits_reached() || !vector_push(&edges->list, edge))
        edges->failed = true;
}

/* An automaton without edges; the atoms are those of the formulas, or none (NULL). */
struct automaton *automaton_new(uint32_t states, uint32_t initial, uint32_t sets, const struct ltl *ltl);
/* The same with the atoms of another automaton. */
struct automaton *automaton_like(const struct automaton *automaton, uint32_t states, uint32_t initial, uint32_t sets);
/* Gives it these edges in place of its own, ordered, labels merged where that is easy; releases the list. */
bool automaton_set_edges(struct automaton *automaton, struct automaton_edges *edges);
/* Replaces states, initial state, number of sets and edges by those of another one, which is released. */
void automaton_take(struct automaton *automaton, struct automaton *other);

/* Strongly connected components of what can be reached; a component has a larger number than those it leads to. */
struct components {
    uint32_t count;
    uint32_t *of;    /* by state; UINT32_MAX when it cannot be reached */
    uint32_t *order; /* the states that can be reached, by component */
    uint32_t reached;
    uint64_t *acceptance; /* by component: the sets seen on its inner edges */
    bool *has_cycle;
};
bool components_find(const struct automaton *automaton, struct components *components);
void components_clear(struct components *components);
static inline bool component_accepts(const struct automaton *automaton, const struct components *components,
                                     uint32_t component)
{
    return components->has_cycle[component] && components->acceptance[component] == automaton_all_sets(automaton);
}

/* Whether every letter of the label of `edge` is in the label of one of the others. */
bool label_is_covered(uint64_t positive, uint64_t negative, const struct automaton_edge *const *others, size_t count);

/* The language of both; sets of the second come behind those of the first, at most 64 together.  NULL: no memory. */
struct automaton *automaton_product(const struct automaton *one, const struct automaton *other);

/* Each of these keeps the language. */
bool automaton_prune(struct automaton *automaton);                   /* states and edges no accepting run needs */
bool automaton_simplify_acceptance(struct automaton *automaton);     /* fewer sets, full ones in weak components */
bool automaton_simulate(struct automaton *automaton, bool backward); /* quotient by direct simulation */
bool automaton_reduce(struct automaton *automaton);                  /* all of the above until nothing changes */
/* Labels with fewer letters in common, so that a product has less to choose from; the last step, as others undo it. */
bool automaton_sharpen(struct automaton *automaton);
/* At most one set. */
bool automaton_degeneralise(struct automaton *automaton);
/*
 * Makes the smallest weak deterministic automaton of the language; *minimal is NULL when there is none, or when it
 * would be too large to find.  complement must accept exactly the words that the automaton does not.
 */
bool automaton_minimise_weak(const struct automaton *automaton, const struct automaton *complement,
                             struct automaton **minimal);
bool automaton_classify(struct automaton *automaton);

#endif
