/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the searches share: the store, the state being expanded, limits,
 * properties.  A search takes states out of the store, has them expanded, and
 * decides which of the successors to take next.
 *
 * Three structs, three owners: struct search is shared, struct explorer belongs to one worker, struct strategy to the
 * order in which states are taken.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "base/apart.h"
#include "base/vector.h"
#include "proviso/proviso.h"
#include "reduce/reduction.h"
#include "search/recording.h"
#include "soundness/soundness.h"
#include "store/store.h"
#include "system/check_relations.h"

#include <stdatomic.h>
#include <time.h>

struct closing;
struct crew;
struct explorer;
struct product;

/* A way to explore: states in some order, or the product with an automaton for an accepting cycle. */
struct search_class {
    const char *name;
    const char *summary; /* for portolan list; NULL: never asked for by name */
    enum { OF_STATES, OF_RUNS, OF_EXECUTIONS } of;
    enum state_order order;                      /* of states */
    void (*run)(struct explorer *explorer);      /* of states */
    void (*find_cycle)(struct product *product); /* of runs */
    bool one_acceptance_set;                     /* its automata have at most one */
    bool finds_fair_runs;
    bool several_threads; /* of runs: it can do with more than one */
    bool behind_threads;  /* of runs: it goes by itself over what several have explored */
};

/* All that can be asked for, ended by NULL. */
extern const struct search_class *const search_classes[];
extern const struct search_class search_dfs, search_bfs;                                           /* of states */
extern const struct search_class search_scc, search_ndfs, search_weak, search_reach, search_cndfs; /* of runs */
extern const struct search_class search_executions;                                                /* src/stateless */

/* The state being expanded.  Arrays have an entry per enabled action. */
struct expansion {
    uint32_t state;
    unsigned char *bytes; /* the state itself */
    uint32_t *enabled;
    uint32_t enabled_count;
    size_t enabled_capacity;
    size_t capacity;          /* of the arrays below that have no room of their own */
    unsigned char *successor; /* state_bytes each, ... */
    size_t room;              /* ... for so many, ... */
    unsigned char *block;     /* ... in this */
    uint64_t *hash;
    bool all_fired;  /* those of every enabled action are there: struct portolan_system.successors */
    uint32_t *fired; /* == stamp: successor and hash are there */
    uint32_t stamp;
    uint32_t *chosen; /* indexes of the reduced set */
    uint32_t chosen_count;
    uint32_t *target; /* of chosen[i]: the successor's number; until it is inserted what store_guess told, ... */
    uint32_t guessed; /* ... when store.settled was this */
    uint32_t *action; /* of chosen[i] */
    struct seen_successor *seen;
    bool fully;
    bool complete; /* fully, or by a set that needs no proviso */
};

enum { MOST_AHEAD = 8 };

/* States that will be expanded next, in a ring.  The actions of `fired` of them have been fired, so the slots of their
 * successors are on the way; of `guessed` of these the slots have come, and the records are on the way. */
struct ahead {
    struct expansion states[MOST_AHEAD]; /* the first most_fired of them are the ring */
    uint32_t first, fired, guessed;
    uint32_t most_fired, most_guessed;
};

/* Parts to use in place of those that the options name: for tests of what happens when one is wrong. */
struct search_parts {
    const struct reduction_class *reduction;
    const struct proviso_class *proviso;
    bool without_invisible; /* a set need not have an invisible action */
};

/* What every worker of a search sees: the model, what is asked of it, what has been found. */
struct search {
    struct portolan_system *system;
    const struct portolan_options *options;
    struct portolan_result *result;
    const struct reduction_class *reduction_class;
    const struct proviso_class *proviso_class;
    const struct search_class *order;     /* of states */
    struct traits traits;                 /* of the combination */
    const struct search_class *emptiness; /* how an accepting cycle is looked for; NULL: there is no formula */
    enum store_kind store_kind;
    struct store store;
    struct frontier *frontier; /* beside a store that forgets states */
    struct spill *spill;       /* where the store keeps states in a file, or NULL */
    uint32_t layout;           /* how often the layout of states has changed */
    struct crew *crew;         /* NULL: one worker */
    bool *visible;             /* per action: it may change a property; NULL when that makes no difference */
    bool is_repeatable;        /* sets must depend on the state alone, with or without chains */
    bool keeps_idle;           /* actions that change nothing are actions like others */
    bool needs_runs;           /* sets must keep infinite runs: strong, with an invisible action where one is enabled */
    bool *decided;             /* per property */
    _Atomic size_t undecided;
    _Atomic bool ended; /* result->stop says why, to the end */
    struct timespec start;
    double next_progress;
    double next_checkpoint;  /* when it is due, in seconds; 0: not known yet */
    struct closing *closing; /* the last checkpoint, on its way to the disk; NULL: it is there, or there is none */
    char note[160];          /* for the answer */
};

/* What one worker owns: the state it is at, its buffers, its counters.  Nobody else writes here.  What it writes with
 * each step is kept a line of the cache away from what others read, or they would wait for each other. */
struct explorer {
    unsigned char apart[CACHE_LINE];
    struct search *search;
    struct strategy *strategy;
    uint32_t worker;                /* its number */
    bool within_step;               /* it expands a state, perhaps waiting for others in the middle of that */
    bool puts_off;                  /* a state whose successors do not fit the layout, ... */
    bool was_put_off;               /* ... as it has done now */
    uint32_t layout;                /* that its buffers are made for */
    struct portolan_system *system; /* the search's; looked at several times for each transition, so kept at hand */
    enum portolan_status status;    /* other than PORTOLAN_OK: the search must end */
    struct portolan_error *error;
    struct reduction *reduction;
    struct attractors **attractors; /* per property, where sets are directed at a goal; else NULL */
    struct reduction_goal goal;
    struct expansion now;
    uint32_t next, next_end; /* the states that will be expanded after this one; none: not known */
    struct ahead ahead;
    unsigned char *shown; /* a state for callbacks, as the opened system has it; NULL when they get the search's own */
    unsigned char *chain_anchor, *chain_next; /* scratch of chains */
    uint32_t *chain_enabled, *chain_chosen;
    const unsigned char *taken; /* the key of the present state, where the store has none */
    unsigned char *goal_key;    /* scratch of paths: the state that a step leads to */
    unsigned char *block;       /* all of these states, and the present one */
    bool fires_all;             /* what is enabled */
    bool chooses_ahead;         /* sets that are known without asking where successors stand */
    uint32_t unready;           /* the state that could not be fired ahead; STORE_NONE: not known */
    bool was_asked;             /* ... since its set is not known so early */
    bool checking;              /* the declared relations, in every state */
    struct relation_check check;
    struct portolan_statistics counted;
    uint32_t not_fired;   /* actions, as result->fired says; 0 as well when nobody notes them */
    uint32_t until_check; /* expansions until limits are looked at */
    unsigned char apart_too[CACHE_LINE];
};

/* What the order of exploration remembers: the proviso's data, a stack or a queue, a recording.  The functions are
 * those of the search that runs. */
struct strategy {
    struct proviso *proviso;
    void *own; /* of the running search */
    enum standing (*standing)(struct explorer *explorer, uint32_t state);
    /* Writes the actions of a path to a state; the length, or SIZE_MAX on failure. */
    size_t (*path)(struct explorer *explorer, uint32_t state, uint32_t **actions);
    size_t (*bytes)(const struct strategy *strategy);
    void (*keep)(struct explorer *explorer, struct archive *archive); /* what it remembers, to a file or from it */
    uint64_t (*states)(const struct strategy *strategy); /* how many, when they are not in the store; or NULL */
    /* several workers: a new state, by this action; false: no memory; or NULL */
    bool (*found)(struct explorer *explorer, uint32_t state, const unsigned char *key, uint32_t action);
    struct recording *recording;              /* of the explored graph; NULL: none is wanted */
    struct product *product;                  /* that is being searched */
    void (*watch)(struct explorer *explorer); /* called when there are next_watch states */
    uint32_t next_watch;
};

/* Searches leave when search->ended or explorer->status is set, or when nothing is left to do. */
void search_probe(struct explorer *explorer);
/* Afterwards, for provisos that are made true then: expands states of the recording until every cycle has a fully
 * expanded one. */
void search_repair(struct explorer *explorer);

/* --- search.c */

/* What a search is for. */
struct search_task {
    const struct ltl_property *property; /* NULL: the properties are of states */
    const struct search_parts *parts;    /* or NULL */
    void (*run)(struct explorer *explorer);
    enum portolan_status (*conclude)(struct explorer *explorer);
    bool is_repeatable; /* sets must depend on the state alone */
};

enum portolan_status search_perform(struct portolan_system *system, const struct portolan_options *options,
                                    const struct search_task *task, struct portolan_result *result,
                                    struct portolan_error *error);
/* Makes the reduction that choose_combination has picked, with its options. */
enum portolan_status search_make_reduction(struct explorer *explorer, const char *words);
/* What each worker has for itself. */
enum portolan_status explorer_make(struct explorer *explorer, const char *words);
void explorer_clear(struct explorer *explorer);
/* Releases all parts; those that were never made, too. */
void search_clear_parts(struct explorer *explorer);
/* Explores the states in the order chosen, and makes the proviso true afterwards where it is to be. */
void explore_states(struct explorer *explorer);

/* --- ltl_search.c: properties of runs, each in a search of its own */

enum portolan_status search_temporal(struct portolan_system *system, const struct portolan_options *options,
                                     struct portolan_result *result, struct portolan_error *error);
/* One property; parts may be NULL. */
enum portolan_status search_one_temporal(struct portolan_system *system, const struct portolan_options *options,
                                         const struct search_parts *parts, struct portolan_result *result,
                                         struct portolan_error *error);

/* --- bfs.c: step by step */

struct state_range {
    uint32_t next, end;
};

struct bfs {
    struct state_range present;      /* the states to expand next */
    VECTOR(struct state_range) left; /* others of this level: several workers had come that far */
    uint32_t level_end;              /* where the next level starts */
    VECTOR(uint32_t) level;          /* where each level starts */
};

/* Makes it the explorer's strategy.  False when the search must end. */
bool bfs_begin(struct explorer *explorer, struct bfs *bfs);
/* What it remembers, to a file or from it. */
void bfs_keep(struct bfs *bfs, struct archive *archive);
/* Is nothing left? */
bool bfs_is_done(const struct explorer *explorer, const struct bfs *bfs);
/* Expands one state, by `expand` or expand_fully, and observes it. */
bool bfs_step(struct explorer *explorer, struct bfs *bfs, bool (*how)(struct explorer *explorer, uint32_t state));
void bfs_end(struct bfs *bfs);

/* --- levels.c: by several workers */

void search_levels(struct explorer *explorer);
extern uint32_t levels_least; /* states of a level that is shared; tests make it 1 */

/* --- forgetful.c: with a store that forgets states */

void search_forgetful(struct explorer *explorer);

/* --- pool.c: depth-first by several workers */

void search_pool(struct explorer *explorer);

/* --- buffers.c: false when memory ran out */

bool expansion_make(struct explorer *explorer);
void expansion_free(struct explorer *explorer);
/* Another worker may have widened states: room for them. */
bool follow_layout(struct explorer *explorer);
/* States of the present layout; what was fired ahead is forgotten. */
bool resize_states(struct explorer *explorer);
/* Arrays of a state that is fired ahead, when it is the first in this place. */
bool room_ahead(const struct explorer *explorer, struct expansion *expansion);
/* So many successors. */
bool room_for_successors(const struct explorer *explorer, struct expansion *expansion, size_t count);
/* How many are fired ahead from here on; there must be none now. */
void distance_ahead(struct explorer *explorer);

/* --- expand.c */

/* Inserts the initial state as number 0; false when the search must end. */
bool insert_initial(struct explorer *explorer);
/* Copies a stored state and lists its enabled actions; false when the search must end. */
bool load_state(struct explorer *explorer, uint32_t state);
/* Chooses a reduced set that the proviso accepts and inserts its successors; false when the search must end. */
bool expand(struct explorer *explorer, uint32_t state);
/* Expands a state by all its enabled actions, or (count > 0) by the given ones. */
bool expand_fully(struct explorer *explorer, uint32_t state);
bool expand_by(struct explorer *explorer, uint32_t state, const uint32_t *actions, uint32_t count);
/* Some count does not fit: a wider layout for states, those in the store included; false when the search must end. */
bool widen_states(struct explorer *explorer);
/* --- find_step.c */

/* Follows the path that chains took from `from` by one enabled action; when it comes by `to`, its actions are
 * appended and true returned. */
struct action_path {
    uint32_t *item;
    size_t count, capacity;
};
bool find_step(struct explorer *explorer, uint32_t from, uint32_t to, struct action_path *path);
/* The only action to explore in a state, or UINT32_MAX.  Depends on the state alone, so that a path can be found again.
 */
uint32_t chain_action(struct explorer *explorer, const unsigned char *state);

/* --- observe.c: what happens beside the exploration */

/* Looks at the state just expanded: properties, deadlocks, callbacks, statistics. */
void observe_state(struct explorer *explorer);
/* Tells the callback that the present state is, or has been further, expanded. */
void tell_expanded(struct explorer *explorer, bool fully);
/* Ends the search when a limit has been reached; also shows progress.  Cheap: looks at the clock now and then. */
void observe_limits(struct explorer *explorer);
/* A search that becomes long may be made faster: portolan_options.engine. */
void observe_length(struct explorer *explorer);
/* For the one worker that others wait for: what may change something for all. */
void observe_between(struct explorer *explorer);
/* The same within a step; false when the search must end. */
bool search_goes_on(struct explorer *explorer);
/* When nothing is left to do: completes the statistics. */
void observe_completion(struct explorer *explorer);
void end_search(struct search *search, enum portolan_stop stop);
/* Has the property been decided, perhaps by another worker just now? */
static inline bool is_decided(const struct search *search, size_t property)
{
    return __atomic_load_n(&search->decided[property], __ATOMIC_RELAXED);
}
/* Something failed as it fails when memory runs out: that, or a limit that was reached on the way. */
void end_short_of_memory(struct search *search);

#endif
