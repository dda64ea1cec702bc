/* SPDX-License-Identifier: Apache-2.0 */
/* A formula, or an automaton, as a property of a system: what a search for counterexamples has to know of it. */
#ifndef LTL_LTL_PROPERTY_H
#define LTL_LTL_PROPERTY_H

#include "ltl/automaton.h"
#include "property/property.h"

struct ltl_property {
    struct ltl ltl;                    /* the atoms, compiled for the system */
    bool from_automaton;               /* there is no formula, only the automaton */
    uint32_t formula;                  /* of ltl */
    struct automaton *counterexamples; /* accepts the words on which the property is false */
    bool *accepting;                   /* per state of it: its component accepts */
    enum ltl_answer stutter_invariant, safety;
};

/* What property.h asks of a property of runs. */
extern const struct run_property_class ltl_property_class;

/* Compiles a formula; file stands for it in errors. */
enum portolan_status ltl_property_of_formula(const struct portolan_system *system, const char *text,
                                             struct ltl_property **out, struct portolan_error *error);
/* Reads an automaton of the counterexamples, in the HOA format; its atoms are expressions of the system. */
enum portolan_status ltl_property_of_automaton(const struct portolan_system *system, const char *path,
                                               struct ltl_property **out, struct portolan_error *error);
/* Accepts NULL. */
void ltl_property_free(struct ltl_property *property);

/* Does the truth of an atom depend on whether the state is a deadlock? */
bool ltl_property_mentions_deadlock(const struct ltl_property *property);

/*
 * Is the property false of the word letters[0] ... letters[length - 1], going on with letters[loop]?  Formulas are
 * judged by definition, not by their automaton.  False when memory ran out.
 */
bool ltl_property_fails_on(const struct ltl_property *property, const uint64_t *letters, size_t length, size_t loop,
                           bool *fails);
/* Can every infinite word that begins like this be told to be a counterexample (terminal automata only)? */
bool ltl_property_is_bad_prefix(const struct ltl_property *property, const uint64_t *letters, size_t length, bool *bad);

#endif
