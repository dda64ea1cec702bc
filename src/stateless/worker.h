/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker explores executions depth first: it goes on until nobody can, looks
 * at what it has, returns to the last node with something left to explore.
 * What is explored from a node is decided by a method: `none`, `dpor`,
 * `source`, `optimal` or `lazy`.
 */
#ifndef STATELESS_WORKER_H
#define STATELESS_WORKER_H

#include "stateless/node.h"

struct worker;
struct split; /* split.h */
struct common_node;
struct common_tree; /* common_tree.h */
struct leaf_source; /* leaves.h */

struct method {
    const char *name;
    const char *summary;
    /* What it preserves: an execution of every trace, hence deadlocks, final states, data races and the order of steps
     * that depend on each other.  If not, it is as published and known to lose traces: its end proves nothing. */
    bool preserves_traces;
    /* With a bound on preemptions it preserves every trace that has an execution within the bound. */
    bool preserves_bounded_traces;
    bool sleeps; /* it uses sleep sets */
    enum {
        FIRST_STEPS, /* a backtrack set: of a sequence only the first step counts */
        HINTS,       /* the others are followed unless one sleeps */
        WAKE_UP      /* a wake-up tree: all are followed */
    } sequences;
    /* A node was entered that nobody had been to. */
    bool (*entered)(struct worker *worker, size_t depth);
    /* An event was appended. */
    bool (*appended)(struct worker *worker, uint32_t event);
    /* Nobody can go on: there is nobody enabled, or (blocked) all who are sleep. */
    bool (*ended)(struct worker *worker, bool blocked);
    /* Instead of all this: explores by itself, with one worker. */
    void (*run)(struct worker *worker);
};

extern const struct method method_none, method_dpor, method_dpor_plain, method_source, method_lazy, method_optimal;
extern const struct method method_bounded; /* preemptions.c */
extern const struct method method_random;  /* random_runs.c; not in the tables */
/* The methods that every machine can be explored by, ended by NULL. */
extern const struct method *const machine_methods[];
/* The method of this name in a table, or NULL. */
const struct method *method_find(const struct method *const *table, const char *name);

struct search_shared; /* what the workers have in common: shared.h */
enum {
    MOST_WORKERS = 64,
    LONGEST_EXECUTION = 1000000 /* steps; whoever needs more has a loop that does not end */
};

struct worker {
    struct search_shared *shared;
    const struct method *method;
    struct machine *machine;
    struct execution execution;
    struct node_pool pool;
    VECTOR(struct node *) stack; /* one more than events: the last is the present point */
    struct portolan_step step, other_step;
    VECTOR(uint32_t) picked, relevant; /* scratch of reversals */
    uint32_t *floor;                   /* of a step that waits */
    VECTOR(uint32_t) given;            /* agents of the path to the stack that another worker gave */
    bool waits, has_been_given;        /* under the mutex of the shared part */
    size_t seen_events;                /* races of the events before were reversed */
    struct masks news;                 /* of the events since; all objects where that is not noted */
    bool somebody_waits;               /* at the present point, at which nobody can go on */
    uint32_t favourite;                /* the agent that went last */
    struct hint *hint;                 /* of the leaf below which the worker is on its first way; or NULL */
    struct split *split;               /* NULL: the search is not split */
    struct common_tree *tree;          /* NULL: the worker's tree is its own */
    VECTOR(struct common_node *) path; /* in the common tree, to the leaf below which the worker explores */
    VECTOR(struct common_node *) next_path;
    bool has_leaf;
    struct leaf_source *leaves; /* of a tree that is kept elsewhere; NULL: there is none */
    size_t common;              /* so many nodes, above its leaf, are not the worker's own */
    uint32_t bound;             /* steps of one agent; 0: none */
    enum portolan_status status;
    struct portolan_error error;

    uint64_t executions, blocked, cut, steps, deadlocks, left_out;
    double guarantee; /* of random runs, as in the statistics */
    uint32_t agents_seen;
    size_t deepest;
    size_t more_bytes;               /* that a method with a run of its own holds */
    struct portolan_statistics told; /* a copy of these, under the mutex of the shared part */
};

bool worker_make(struct worker *worker, struct search_shared *shared, const struct method *method,
                 struct machine *machine);
/* Nodes go back to pools, not always to the ones they came from: all workers drop their stacks before one is cleared.
 */
void worker_drop_stack(struct worker *worker);
void worker_clear(struct worker *worker);

/* Explores all there is below and on the worker's stack, and then what others give it; returns when nobody has
 * anything left or the search is over. */
void worker_explore(struct worker *worker);
/* Was the search asked to end? */
bool is_interrupted(const struct worker *worker);

static inline struct node *node_at(const struct worker *worker, size_t depth)
{
    return worker->stack.item[depth];
}

/* The agent's next step at the present point; false when it has none, or has used up its bound. */
bool worker_next(struct worker *worker, uint32_t agent, struct portolan_step *step);
/* Takes the agent's step, which is in worker->step, from the present node. */
void worker_step(struct worker *worker, uint32_t agent);
/* Follows another hint from now on, or none. */
void worker_set_hint(struct worker *worker, struct hint *hint);
/* Leaves the present node for the one before. */
void worker_go_back(struct worker *worker);
/* How many events that step must follow whatever it touches; they are in execution.follows. */
size_t worker_follows(struct worker *worker, uint32_t agent);
bool worker_is_cut(const struct worker *worker, uint32_t agent);
/* Ends the search because of an error, which worker->error holds. */
void worker_give_up(struct worker *worker, enum portolan_status status);
/* Has a step, an end or a mere question shown an error, or that the search must begin again?  Then the search is over.
 */
bool worker_failed(struct worker *worker);
/* Nobody who is awake can go on: counts the execution and has it looked at. */
void worker_finish_execution(struct worker *worker);

/* Finds out who is enabled at the present point. */
void find_enabled(struct worker *worker, struct node *node);
/* Adds an agent to the backtrack set of a node, unless it is there or sleeps. */
bool add_to_backtrack(struct worker *worker, size_t depth, uint32_t agent);
/* Is everything explored from the node at a depth? */
bool is_above_split(const struct worker *worker, size_t depth);

/* --- preemptions.c */

/* Counts the preemptions on the way to a node that was just entered, if they are bounded. */
void count_preemptions(struct worker *worker, size_t depth);
/* Does the bound allow the agent to go next, from a node at which it is known who is enabled?  If not, that is noted.
 */
bool bound_allows(struct worker *worker, size_t depth, uint32_t agent);

/* --- reversals.c: sequences in which a race goes the other way */

/* What to do with a sequence that could be taken from the node at a depth. */
typedef bool take_sequence(struct worker *worker, size_t depth, struct sequence *sequence);

/* Reverses the races of an execution that has ended, all but those that nothing new in it can matter to. */
bool reverse_all_races(struct worker *worker, take_sequence *take);
/* Reverses the races of an event with those before it.  Sequences hold the events up to `limit`. */
bool reverse_races(struct worker *worker, uint32_t event, size_t limit, take_sequence *take);
/* The same for the next steps of agents that wait at the present point. */
bool reverse_waits(struct worker *worker, take_sequence *take);

/* An execution is complete. */
void count_execution(struct worker *worker);

#endif
