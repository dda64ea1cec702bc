/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is sound for what, in one table.
 *
 * A combination of reduction, search, proviso and options on a model, for some properties, is described by its traits.
 * A rule names traits that do not go together and says why.  A combination is allowed when it breaks no rule; `auto`
 * takes the first one that is, refusals are the sentences of the rules, and the testers try what the table allows.
 *
 * Each property asks for one of four things:
 *   deadlocks    any stubborn set, no proviso
 *   states       visibility and a proviso of the safety form (or liveness, which is stronger)
 *   runs         visibility, strong sets, an invisible action where one is enabled, a proviso of the liveness form
 *   every state  no reduction at all
 * Goal-directed sets need neither visibility nor a proviso for states, and keep invariants and reachability even where
 * those ask for every state; they keep nothing else (reduce/stubborn.h).
 * A formula that is a safety property asks for states: a run is wrong when what can be seen of a finite part of it is,
 * and the safety form keeps that (Valmari, "The state explosion problem", 1998).
 */
#ifndef SOUNDNESS_SOUNDNESS_H
#define SOUNDNESS_SOUNDNESS_H

#include "portolan/portolan.h"

enum reduction_trait {
    FULL_EXPLORATION = 1,
    REDUCES = 2,
    NEEDS_RELATIONS = 4,
    NEEDS_ENTITIES = 8,
    EXPLORES_STATES = 16,
    EXPLORES_VECTORS = 32,
    AS_PRINTED = 64, /* with rules of a paper that lose something */
    WEAK_SETS = 128,
    IGNORES_PREEMPTIONS = 256, /* cannot keep to a bound on them */
    SINGLE_THREADED = 512,     /* explores with one thread only */
    REDUCTION_BY_NAME = 1024,  /* it was asked for by name */
    GOAL_DIRECTED = 2048,      /* leads to what decides the properties, and nowhere else */
    UNDIRECTED = 4096          /* reduces, but not so */
};

enum demand_trait { /* of all properties together */
                    ASKS_DEADLOCKS = 1,
                    ASKS_STATES = 2,
                    ASKS_RUNS = 4,
                    ASKS_EVERY_STATE = 8,
                    ASKS_RACES = 16,
                    ASKS_FORMULA = 32, /* a formula or an automaton, whatever it needs */
                    ASKS_NO_FORMULA = 64,
                    ASKS_NOTHING = 256,
                    ASKS_MAXIMUM = 128, /* of a number: every value that it can have must be met */
                    ASKS_SOMETHING = ASKS_DEADLOCKS | ASKS_STATES | ASKS_RUNS | ASKS_EVERY_STATE | ASKS_RACES
};

enum proviso_trait {
    WITHOUT_PROVISO = 1,
    SAFETY_FORM = 2,
    LIVENESS_FORM = 4,
    PROVISO_OF_STATES = 8,
    PROVISO_OF_VECTORS = 16,
    PROVISO_IN_DEPTH = 32, /* sound in depth-first search only */
    PROVISO_IN_BREADTH = 64
};

enum search_trait {
    STORES_STATES = 1,
    FINDS_CYCLES = 2,
    FINDS_NO_CYCLES = 4,
    FINDS_NO_FAIR_RUNS = 8,
    IN_DEPTH = 16,
    IN_BREADTH = 32,
    STATELESS = 64,
    STATELESS_OTHER_SEARCH = 128, /* stateless, but another search was asked for by name */
    RANDOM_RUNS = 256,
    EVERY_EXECUTION = 512,
    FINDS_CYCLES_ALONE = 1024 /* on one thread */
};

enum option_trait {
    WITH_CHAINS = 1,
    CHECKS_RELATIONS = 2,
    BOUNDS_STEPS = 4,
    LISTS_EXECUTIONS = 8,
    SEVERAL_THREADS = 16,
    FAIR_RUNS = 32,
    FAIR_TO_AGENTS = 64,
    BOUNDS_PREEMPTIONS = 128,
    EXPORTS_GRAPH = 256,
    ONE_THREAD = 512,
    FORGETS_STATES = 1024,  /* its store does */
    WANTS_FORGOTTEN = 2048, /* and something is asked for that needs them */
    STORE_BY_NAME = 4096
};

enum model_trait {
    LACKS_RELATIONS = 1,
    LACKS_ENTITIES = 2,
    LACKS_FOOTPRINT = 4,
    WIDENS = 8,
    GRAPHS_LACK_RELATIONS = 16, /* a list of actions would give them */
    GRAPHS_LACK_ENTITIES = 32,
    GRAPHS_LACK_FOOTPRINT = 64,
    UP_TO_ISOMORPHISM = 128,
    HAS_PRIORITIES = 256,
    HAS_FALLBACKS = 512,      /* actions enabled only where no other is */
    RESTS_WITHIN_STEPS = 1024 /* has states within what is one step, and does not tell which */
};

/* Each a set of the traits above.  What has not been chosen yet is empty, and breaks no rule. */
struct traits {
    unsigned reduction, demand, proviso, search, option, model;
};

/* Broken by a combination that has at least one trait of each set that is not empty. */
struct rule {
    struct traits traits;
    enum portolan_status status; /* 0 stands for PORTOLAN_REFUSED */
    const char *reason, *hint;   /* with {reduction}, {proviso}, {search}, {property}, {why}; hint may be NULL */
};

/* The table, ended by a rule without a reason; of several broken ones the first counts. */
extern const struct rule rules[];

/* What the parts were called by whoever asked for them; the property that a rule speaks of, and why it asks for so
 * much. */
struct part_names {
    const char *reduction, *proviso, *search, *property, *why;
};

unsigned traits_of_options(const struct portolan_options *options);
/* The first rule that is broken, or NULL. */
const struct rule *broken_rule(const struct traits *traits);
bool is_sound(const struct traits *traits);
/* The status of a broken rule, with its sentence in *error. */
enum portolan_status refuse_by_rule(const struct rule *rule, const struct part_names *names,
                                    struct portolan_error *error);

/* --- demands.c: with properties */

/* The traits of what is asked: demand, options, model. */
struct traits traits_of_request(const struct portolan_system *system, const struct portolan_options *options);
/* Of one property. */
unsigned demand_of(const struct portolan_options *options, const struct portolan_property *property);
/* Why no reduction preserves the property, or NULL. */
const char *why_unreduced(const struct portolan_options *options, const struct portolan_property *property);

/* PORTOLAN_OK, or the first broken rule's status with its sentence in *error. */
enum portolan_status check_soundness(const struct traits *traits, const struct part_names *names,
                                     const struct portolan_options *options, struct portolan_error *error);

#endif
