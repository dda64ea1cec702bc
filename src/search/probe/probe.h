/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the search by probe sets share.  search.c has the
 * algorithm and its argument; trace.c the trace of a vector as a partial order;
 * states.c the states; choose.c the strategies; missed.c the missed actions; sleep.c sleep sets;
 * tell.c callbacks; explain.c the table; beside.c the plain search that takes turns with it.
 *
 * Entities are numbered from 1 here, one more than in the view: number 0 is a
 * made-up entity that every visible action writes, which makes visible actions
 * depend on each other.
 */
#ifndef SEARCH_PROBE_PROBE_H
#define SEARCH_PROBE_PROBE_H

#include "base/bits.h"
#include "base/sequences.h"
#include "reduce/probe.h"
#include "search/search.h"

enum { VISIBLE_ENTITY = 0, NOTHING = UINT32_MAX, OPENED = UINT32_C(1) << 31 };

struct touch {
    uint32_t entity, low, high;
    int32_t change;
    bool writes;
    bool silent; /* tested, but makes no dependency: only as printed */
};

struct action { /* of the view, with its touches in actions.touches */
    uint32_t first, count;
    bool idle; /* changes nothing: firing it leads nowhere */
};

/* One event's access to one entity; those of an entity form a list in the order of the trace. */
struct access {
    uint32_t entity, event;
    uint32_t before;            /* the access before, or NOTHING */
    uint32_t after;             /* the access after, or NOTHING */
    uint32_t count;             /* of the entity after this access */
    uint32_t old_low, old_high; /* to undo */
    bool writes;
};

/* The accesses to one entity, and its counts along the trace. */
struct chain {
    uint32_t stamp; /* valid only when it is that of the trace */
    uint32_t first, last;
};

/* A vector that is being explored: its start state, its trace w, its target. */
struct trace {
    uint32_t start; /* number of the start state */
    uint32_t events;
    size_t words;     /* of a set of events */
    uint32_t *action; /* per event */
    uint32_t *level;  /* per event: of its Foata normal form, from 1 */
    uint64_t *below;  /* per event: the set of events strictly below */
    size_t event_capacity, below_capacity;
    /* per entity */
    uint32_t entities, entity_capacity;
    uint32_t *start_count, *count; /* in the start state, in the target */
    uint32_t *low, *high;          /* least and greatest along the trace */
    uint32_t *scratch;             /* of search.c: as start_count, but for p->changed */
    struct chain *chain;
    uint32_t stamp;
    VECTOR(struct access) accesses;
};

struct probed { /* an action of a probe set */
    uint32_t action;
    uint64_t *discharged; /* a set of events */
};

struct pending {
    uint32_t vector;
    uint32_t ages; /* a sequence of (action, age), or NOTHING */
};

struct numbers {
    uint32_t *item;
    size_t count, capacity;
};

/* A plain search that takes turns with the one by probe sets. */
struct beside {
    bool wanted, begun, won;
    uint64_t work; /* that it has done, as p->work */
    struct bfs bfs;
    struct strategy strategy;           /* of the search that is not having its turn; the other has the explorer's */
    struct portolan_statistics counted; /* the same */
};

struct prober {
    struct explorer *explorer;
    struct beside beside;
    uint64_t work; /* done so far; see beside.c for the unit */
    uint64_t work_of_view;
    const struct probe *options;
    const struct portolan_entities *entities;
    void *view;
    bool aging;        /* proviso age */
    bool age_printed;  /* ages belong to the vector, and no other proviso is kept */
    uint32_t bound;    /* as in the options */
    uint32_t ages_now; /* those of the vector being explored */
    uint32_t oldest;
    bool breadth_first;

    VECTOR(struct touch) touches;
    VECTOR(struct action) actions;
    uint32_t *in_trace; /* per action: == trace.stamp when it is in the trace */
    uint32_t *met;      /* per action: == met_stamp when it was met in this enumeration */
    size_t action_capacity;
    uint32_t met_stamp;

    struct sequences states;  /* start states and targets */
    struct sequences nodes;   /* of which they are made; see states.c */
    struct numbers changed;   /* scratch: entities */
    struct sequences vectors; /* start state, then the trace in Foata normal form */
    struct sequences ages;
    struct sequences aged; /* with age_printed: vectors and their ages */
    struct sequences sleep_sets;
    VECTOR(uint32_t) vector_sleep; /* per vector: the sleep set with which it is explored */
    struct numbers sleeping;       /* scratch */
    VECTOR(uint32_t) shown;        /* per state: the state of the system, where the view has several for one */
    VECTOR(uint32_t) state_number; /* per state of the system: as the callbacks know it, or NOTHING */
    VECTOR(bool) state_done;       /* per state of the system: was observed */
    VECTOR(uint32_t) origin;       /* per state: a sequence in `origins`, or NOTHING */
    VECTOR(uint32_t) explored;     /* per state: the vectors explored with this target; OPENED: see search.c */
    struct sequences origins;      /* a start state, then the actions that lead on from it */
    uint32_t numbered;
    VECTOR(struct pending) pending;
    size_t taken; /* of pending, when breadth first */

    struct trace trace;
    uint32_t vector, target; /* being explored: numbers of the vector and of its target */
    uint32_t path_start;     /* where the state being observed comes from: a start state, */
    struct numbers path;     /* and the actions from there */
    struct numbers enabled, candidates, seen, draft, levels;
    VECTOR(uint64_t) keys; /* scratch */
    bool enabled_idle;     /* is an action enabled that changes nothing? */

    /* choose.c */
    uint64_t *cause;     /* per enabled action: its prime cause in the trace */
    uint64_t *discharge; /* per enabled action: what of it is discharged */
    uint64_t *conflict;  /* per enabled action: the set of enabled actions that depend on it */
    size_t cause_capacity, discharge_capacity, conflict_capacity;
    size_t conflict_words;
    uint64_t *member; /* scratch: sets of enabled actions */
    size_t member_capacity;
    uint32_t *age; /* per enabled action; with age_printed one more, and 0 when it has none */
    size_t age_capacity;
    VECTOR(struct probed) chosen;
    bool chosen_all;
    uint32_t keeper; /* an action; NOTHING when all enabled ones are explored */
    uint64_t random;

    /* missed.c */
    uint64_t *prefix; /* scratch: sets of events */
    size_t prefix_capacity;
    VECTOR(uint32_t) readers;

    VECTOR(uint32_t) told; /* tell.c */

    /* explain.c */
    VECTOR(char) line;
    struct numbers new_states;
    uint64_t iteration;
};

static inline int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static inline void numbers_sort(struct numbers *list)
{
    enum { FEW = 64 };
    if (list->count > FEW) {
        qsort(list->item, list->count, sizeof *list->item, by_number);
        return;
    }
    for (size_t i = 1; i < list->count; i++) {
        uint32_t moved = list->item[i];
        size_t j = i;
        for (; j > 0 && list->item[j - 1] > moved; j--)
            list->item[j] = list->item[j - 1];
        list->item[j] = moved;
    }
}

static inline struct touch *touches_of(const struct prober *p, uint32_t action)
{
    return p->touches.item + p->actions.item[action].first;
}

/* What callbacks and counters know of a state. */
static inline uint32_t shown_state(const struct prober *p, uint32_t state)
{
    return p->entities->state_number ? p->shown.item[state] : state;
}

/* --- trace.c.  False when memory is exhausted. */

/* Makes room for what the view has met meanwhile. */
bool trace_make_room(struct prober *p);
/* Loads a vector. */
bool trace_load(struct prober *p, uint32_t vector);
void trace_release(struct trace *trace);
/* Adds an action that is enabled in the target as the last event, takes it away again. */
bool trace_push(struct prober *p, uint32_t action);
void trace_pop(struct prober *p);
/* The prime cause of an action in the trace: the events that it depends on, and those below. */
void trace_cause(const struct prober *p, uint32_t action, uint64_t *cause);
/* Reads the actions' touches from the view once. */
bool learn_action(struct prober *p, uint32_t action);
/* Do they touch a common entity that one of them changes? */
bool depend(const struct prober *p, uint32_t a, uint32_t b);
bool counts_enable(const struct prober *p, const uint32_t *count, uint32_t action, bool silent_only);

/* --- states.c.  NOTHING and false when memory is exhausted. */

enum { NO_NODE = 0 }; /* of the trees: the empty one */
bool states_start(struct prober *p);
/* The number of the state that has these counts; they differ from those of the state `base` (NOTHING: the empty one)
 * for the entities in p->changed at most. */
uint32_t state_of_counts(struct prober *p, uint32_t base, const uint32_t *count);
/* That of the target of the trace. */
uint32_t target_state(struct prober *p);
/* Makes it the start state of the trace, which has no events. */
bool load_start(struct prober *p, uint32_t state);

static inline uint64_t *events_below(const struct trace *trace, uint32_t event)
{
    return trace->below + (size_t)event * trace->words;
}

static inline bool sets_meet(const uint64_t *left, const uint64_t *right, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (left[i] & right[i])
            return true;
    return false;
}

static inline bool set_within(const uint64_t *inner, const uint64_t *outer, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (inner[i] & ~outer[i])
            return false;
    return true;
}

static inline uint32_t set_size(const uint64_t *set, size_t words)
{
    uint32_t size = 0;
    for (size_t i = 0; i < words; i++)
        size += (uint32_t)__builtin_popcountll(set[i]);
    return size;
}

/* --- choose.c */

/* Fills p->chosen with a probe set for the loaded vector, whose enabled actions are in p->enabled, its ages in
 * p->ages_now. */
bool choose_probe_set(struct prober *p);

/* --- missed.c */

/* The last event of the trace was just pushed: finds the actions missed because of it and hands on each.  *is_known:
 * false when the view cannot list them; then some may have been handed on. */
bool find_missed(struct prober *p, bool *is_known);

/* --- sleep.c: sleep sets have numbers; NOTHING and false when memory is exhausted */

enum { SLEEP_NONE = 0 }; /* the empty one */
bool sleep_sets_start(struct prober *p);
bool sleep_set_keep(struct prober *p, uint32_t vector, uint32_t sleep);
uint32_t sleep_set_meet(struct prober *p, uint32_t left, uint32_t right);
/* Behind an action of the probe set, when `sleep` was before it. */
uint32_t sleep_set_behind(struct prober *p, uint32_t sleep, const struct probed *probed);
bool sleep_set_skips(const struct prober *p, uint32_t sleep, const struct probed *probed);

/* --- search.c, for missed.c */

/* The action is missed: it was enabled after the set of events `prefix`.  Adds the vector that starts behind it. */
bool add_missed(struct prober *p, const uint64_t *prefix, uint32_t action);
/* Adds to p->work what the view has done since it was last asked. */
void count_work_of_view(struct prober *p);

/* --- beside.c */

bool beside_is_wanted(const struct prober *p);
/* Lets the plain search catch up; p->beside.won says that it is done.  False when the search must end. */
bool beside_take_turn(struct prober *p);
void beside_end(struct prober *p);

/* --- tell.c: to the callback, where there is one.  False when memory is exhausted. */

bool tell_vector(struct prober *p);

/* --- explain.c: nothing happens unless somebody listens */

void explain_start(struct prober *p);
void explain_vector(struct prober *p);
/* One action of the probe set, which is the last event of the trace; then what it brings; then the line ends. */
void explain_step(struct prober *p, const struct probed *probed, uint32_t vector, bool is_new);
void explain_state(struct prober *p, uint32_t state);
void explain_missing(struct prober *p, const uint64_t *prefix, uint32_t action, uint32_t start, bool is_new);
/* The vector is not explored: its start state is expanded instead. */
void explain_opened(struct prober *p);
void explain_flush(struct prober *p);

#endif
