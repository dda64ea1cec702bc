/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reduction picks, in a state, a subset of the enabled actions that is
 * enough to explore.  It knows the system's views, not the search; what the
 * search may tell it is whether an action's successor was seen before.
 */
#ifndef REDUCE_REDUCTION_H
#define REDUCE_REDUCTION_H

#include "portolan/portolan.h"

/* Where the successor by an action stands. */
enum successor {
    SUCCESSOR_NEW,
    SUCCESSOR_SEEN,   /* stored: it costs no new state */
    SUCCESSOR_REFUSED /* stored, and the proviso would not have it as the only one */
};

/* The state in which to choose. */
struct choice {
    const void *state;
    const uint32_t *enabled;
    uint32_t enabled_count;
    /* Where does the successor by enabled[index] stand?  NULL when nobody knows. */
    enum successor (*successor)(void *user, uint32_t index);
    /* A word ahead that `successor` will be asked of every action; may be NULL. */
    void (*look_ahead)(void *user);
    void *user;
    bool was_asked; /* choose_early has been asked of this state last, in vain */
};

/* What a goal-directed set is directed at. */
struct reduction_goal {
    /* Sets member[a] to stamp, and adds a to list, for every a of a set of actions one of which occurs on every path
     * from the state to a goal; returns how many.  `list` has room for all. */
    uint32_t (*attractors)(void *user, const struct choice *choice, uint32_t *member, uint32_t stamp, uint32_t *list);
    void *user;
};

struct reduction;

/* What a search asks of a reduction. */
struct reduction_demands {
    const bool *visible;               /* NULL or one flag per action: a visible one may change a property */
    const struct reduction_goal *goal; /* NULL: there is none to be directed at */
    bool prefer_strong; /* unless the options say otherwise, no action that others outside the set can disable */
    bool without_idle;  /* an action that changes nothing may be left out: only states matter, not runs */
    bool repeatable;    /* the set depends on the state alone, not on what was chosen before */
    bool judged;        /* by a proviso, so that it matters where successors stand */
    bool breadth_first; /* states are explored in this order */
    /* Another worker's for the same search, made with the same demands and options, or NULL: what is learned about sets
     * may be shared with it, as long as both are there. */
    const struct reduction *beside;
};

/* A reduction with options that are worth trying: for portolan compare and the testers. */
struct reduction_variant {
    const char *text; /* "name" or "name:options" */
    bool is_shown;    /* by compare without --all */
};

struct reduction_class {
    const char *name;
    const char *summary;                      /* one line */
    const char *options;                      /* what may stand after the colon, one line; empty when nothing */
    const char *preserves;                    /* for portolan list */
    const struct reduction_variant *variants; /* ended by one without a text */
    bool needs_relations, needs_entities;
    bool has_search; /* explores in a way of its own, with provisos age and nodup: no choose, no choose_with */
    bool reduces;    /* false: every enabled action, always */
    enum portolan_status (*make)(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error);
    /* Writes indexes into choice->enabled, returns how many, all of them when nothing smaller is known; none only when
     * no goal can be reached.   Attempt 0 is
     * the best set; further attempts give others, for a proviso that refused the ones before, until all come. */
    uint32_t (*choose)(struct reduction *reduction, const struct choice *choice, unsigned attempt, uint32_t *out);
    /* optional: what choose would give as the first set, where that is known without asking where successors stand and
     * needs no proviso; 0: choose must be asked.  `successor` is NULL. */
    uint32_t (*choose_early)(struct reduction *reduction, const struct choice *choice, uint32_t *out);
    /* optional: a set that needs no proviso though it may not be all: see struct reduction */
    uint32_t (*choose_complete)(struct reduction *reduction, const struct choice *choice, uint32_t *out);
    /* The same as choose for a set that contains the given enabled action. */
    uint32_t (*choose_with)(struct reduction *reduction, const struct choice *choice, uint32_t action, uint32_t *out);
    /* May a chosen set hold an action that others outside can disable (Valmari's weak sets)? */
    bool (*is_weak)(const struct reduction *reduction);
    size_t (*bytes)(const struct reduction *reduction);
    void (*free)(struct reduction *reduction);
};

/* Every reduction starts with its class. */
struct reduction {
    const struct reduction_class *class;
    bool complete; /* the set chosen last has the next step on every way to a goal: no proviso need be asked */
};

/* All reductions, ended by NULL. */
extern const struct reduction_class *const reductions[];

/* Finds "name" or "name:options"; *options points behind the colon or to "". */
const struct reduction_class *reduction_find(const char *text, const char **options);

/* Takes the next of the words that commas separate; false at the end.  A word too long for any option is cut. */
struct option_word {
    char text[64]; /* the largest seed fits */
};
bool next_option(const char **options, struct option_word *word);
/* "reduction 'stubborn' has no option 'stong'", with the one that was meant. */
enum portolan_status unknown_option(const struct reduction_class *reduction, const char *word,
                                    struct portolan_error *error);

extern const struct reduction_class reduction_none;
extern const struct reduction_class reduction_stubborn;
extern const struct reduction_class reduction_lpor;
extern const struct reduction_class reduction_probe;

#endif
