/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the searches share: the store, the state being expanded, limits,
 * properties.  A search takes states out of the store, has them expanded, and
 * decides which of the successors to take next.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "proviso/proviso.h"
#include "reduce/reduction.h"
#include "search/recording.h"
#include "store/store.h"
#include "system/check_relations.h"

#include <time.h>

struct named {
    const char *name, *summary;
};

/* Each ended by one without a name: the searches, and the provisos that belong to probe sets. */
extern const struct named search_names[], probe_provisos[];

/* The state being expanded.  Arrays have an entry per enabled action. */
struct expansion {
    uint32_t state;
    unsigned char *bytes; /* the state itself */
    uint32_t *enabled;
    uint32_t enabled_count;
    size_t enabled_capacity;
    size_t capacity;          /* of the arrays below that have no room of their own */
    unsigned char *successor; /* state_bytes each, ... */
    size_t room;              /* ... for so many */
    uint64_t *hash;
    uint32_t *fired; /* == stamp: successor and hash are there */
    uint32_t stamp;
    uint32_t *chosen; /* indexes of the reduced set */
    uint32_t chosen_count;
    uint32_t *target; /* of chosen[i]: the successor's number */
    uint32_t *action; /* of chosen[i] */
    struct seen_successor *seen;
    bool fully;
};

/* Parts to use in place of those that the options name: for tests of what happens when one is wrong. */
struct search_parts {
    const struct reduction_class *reduction;
    const struct proviso_class *proviso;
    bool without_invisible; /* a set need not have an invisible action */
};

struct product;

struct search {
    struct portolan_system *system;
    const struct portolan_options *options;
    struct portolan_result *result;
    struct portolan_error *error;
    enum portolan_status status; /* other than PORTOLAN_OK: the search must end */
    bool ended;                  /* result->stop says why */

    const struct reduction_class *reduction_class;
    const struct proviso_class *proviso_class;
    struct reduction *reduction;
    struct proviso *proviso;
    struct store store;
    struct expansion now;
    unsigned char *shown; /* a state for callbacks, as the opened system has it; NULL when they get the search's own */
    unsigned char *chain_anchor, *chain_next; /* scratch of chains */
    uint32_t *chain_enabled, *chain_chosen;

    enum standing (*standing)(struct search *search, uint32_t state);
    /* Writes the actions of a path to a state; the length, or SIZE_MAX on failure. */
    size_t (*path)(struct search *search, uint32_t state, uint32_t **actions);
    size_t (*stack_bytes)(const struct search *search);
    uint64_t (*own_states)(const struct search *search); /* how many, when they are not in the store; or NULL */
    void *own;                                           /* of the running search */

    /* of LTL */
    bool *visible;   /* per action: it may change a property; NULL when that makes no difference */
    bool needs_runs; /* sets must keep infinite runs: strong, with an invisible action where one is enabled */
    struct recording *recording;          /* of the explored graph; NULL: none is wanted */
    struct product *product;              /* that is being searched */
    void (*watch)(struct search *search); /* called when there are next_watch states */
    uint32_t next_watch;
    char note[160]; /* for the answer */

    bool checking; /* the declared relations, in every state */
    struct relation_check check;

    uint32_t not_fired; /* actions, as result->fired says; 0 as well when nobody notes them */
    bool *decided;      /* per property */
    size_t undecided;
    struct timespec start;
    double next_progress;
    uint32_t until_check; /* expansions until limits are looked at */
};

/* The searches.  They leave when search->ended or search->status is set, or when nothing is left to do. */
void search_dfs(struct search *search);
void search_bfs(struct search *search);
/* Afterwards, for provisos that are made true then: expands states of the recording until every cycle has a fully
 * expanded one. */
void search_repair(struct search *search);
void search_probe(struct search *search, bool breadth_first);

/* --- search.c */

/* Makes the parts that choose_combination has picked. */
enum portolan_status search_make(struct search *search, const char *reduction_options);
void search_clear(struct search *search);
/* A limit was reached before the search began: a result that says so. */
enum portolan_status cut_short(struct search *search);

/* --- ltl_search.c: properties of runs, each in a search of its own */

enum portolan_status search_temporal(struct portolan_system *system, const struct portolan_options *options,
                                     struct portolan_result *result, struct portolan_error *error);
/* One property; parts may be NULL. */
enum portolan_status search_one_temporal(struct portolan_system *system, const struct portolan_options *options,
                                         const struct search_parts *parts, struct portolan_result *result,
                                         struct portolan_error *error);

/* --- expand.c */

bool expansion_make(struct search *search);
void expansion_free(struct search *search);

/* Inserts the initial state as number 0; false when the search must end. */
bool insert_initial(struct search *search);
/* Copies a stored state and lists its enabled actions; false when the search must end. */
bool load_state(struct search *search, uint32_t state);
/* Chooses a reduced set that the proviso accepts and inserts its successors; false when the search must end. */
bool expand(struct search *search, uint32_t state);
/* Expands a state by all its enabled actions, or (count > 0) by the given ones. */
bool expand_fully(struct search *search, uint32_t state);
bool expand_by(struct search *search, uint32_t state, const uint32_t *actions, uint32_t count);
/* Follows the path that chains took from `from` by one enabled action; when it comes by `to`, its actions are
 * appended and true returned. */
struct action_path {
    uint32_t *item;
    size_t count, capacity;
};
bool find_step(struct search *search, uint32_t from, uint32_t to, struct action_path *path);

/* --- observe.c: what happens beside the exploration */

/* Looks at the state just expanded: properties, deadlocks, callbacks, statistics. */
void observe_state(struct search *search);
/* Tells the callback that the present state is, or has been further, expanded. */
void tell_expanded(struct search *search, bool fully);
/* Ends the search when a limit has been reached; also shows progress.  Cheap: looks at the clock now and then. */
void observe_limits(struct search *search);
/* The same within a step; false when the search must end. */
bool search_goes_on(struct search *search);
/* When nothing is left to do: completes the statistics. */
void observe_completion(struct search *search);
void end_search(struct search *search, enum portolan_stop stop);
/* Something failed as it fails when memory runs out: that, or a limit that was reached on the way. */
void end_short_of_memory(struct search *search);
double seconds_since(const struct timespec *start);
/* Names a variable that grows without bound, once a limit was hit. */
void name_growing(struct search *search);

/* --- combination.c: what fits together */

/* Fills in the classes from the options and the properties, or refuses. */
enum portolan_status choose_combination(struct search *search, const char **reduction_options, const char **order);

#endif
