/* SPDX-License-Identifier: Apache-2.0 */
/* What is derived from a model, shared by the files of src/model; and instances, which have layouts of their own. */
#ifndef MODEL_DERIVED_H
#define MODEL_DERIVED_H

#include "base/name_index.h"
#include "codec/packed.h"
#include "model/model.h"

/* How an access of an action touches a cell. */
enum access_kind {
    ACCESS_READS,
    ACCESS_READS_HEAD, /* of a queue that is not empty where the action is enabled */
    ACCESS_WRITES,     /* anything */
    ACCESS_SETS,       /* to value */
    ACCESS_ADDS,       /* value, which may be negative */
    ACCESS_APPENDS,    /* value, 0: anything, to a queue that has room where the action is enabled */
    ACCESS_MAY_APPEND, /* the same where it may be full, and nothing happens */
    ACCESS_TAKES
};

/* What is done with what a read finds. */
enum wants {
    WANTS_MORE,  /* anything */
    WANTS_EQUAL, /* the action blocks unless it is equal to a number, and that is all, ... */
    WANTS_OTHER, /* ... unless it is another one, ... */
    WANTS_SOME   /* ... unless something of it holds */
};

struct access {
    uint32_t cell;
    enum access_kind kind;
    int64_t value;
    bool decides;     /* what is found may have to do with whether the action blocks */
    enum wants wants; /* found with the relations */
    int64_t wanted;
};

static inline bool is_change(const struct access *a)
{
    return a->kind > ACCESS_READS_HEAD;
}

/* What can be known of an action before it runs. */
struct action_summary {
    uint32_t first_access, accesses;                             /* of all code that it may run */
    uint32_t process, location_cell, first_location, first_cell; /* of the process, its cells of registers */
    uint32_t common;
    uint32_t code, live;                   /* of the only edge; MODEL_NONE: it has several */
    uint32_t first_register, writes, uses; /* in registers: those that its code uses, first those it writes */
    bool is_plain;                         /* it has a process, one edge and no common code */
    bool may_block;                        /* its code may, beyond what its tests say */
    bool writes_first;                     /* and may have written by then: to be tried on a copy */
    bool is_single; /* one instruction that touches cells, the first of the only edge, and nothing before it */
    bool varies;    /* what it touches depends on the values it finds */
    bool may_fail;
    uint32_t waits_for; /* PORTOLAN_NO_OBJECT, PORTOLAN_SEVERAL_OBJECTS, or 0: the first that it touches */
};

struct departure { /* of an action from a location; what is asked in every state stands here */
    uint32_t action, code;
    uint32_t first_test;
    uint16_t tests;
    bool may_block, is_stop, is_fallback;
    bool is_rare;        /* one of the last two */
    uint32_t lock;       /* the first cell of the locks with which its code begins, blocking nowhere else; MODEL_NONE */
    uint32_t lock_index; /* cell that says which of them; MODEL_NONE: the first */
};

struct derived {
    struct model *model;
    struct portolan_lists dead_cells; /* dead set -> cells */
    struct action_summary *summaries;
    VECTOR(struct access) accesses;
    VECTOR(uint16_t) registers;
    struct portolan_lists objects; /* action -> objects it may touch */
    struct portolan_lists targets; /* action -> locations at which its process may be afterwards */
    uint32_t *first_departure;     /* location -> departures */
    struct departure *departures;
    uint32_t *nobodys, nobodys_count; /* actions of nobody */
    bool agents_are_processes;        /* no location has two actions, and every action a process and one edge */
    bool *is_stop;                    /* per action: it may be left out */
    uint32_t most_registers;
    bool may_fail;
    bool has_fallbacks;
    struct portolan_relations relations;
    bool too_many_pairs;                                 /* the relations are not there */
    uint32_t location_guards, test_guards, trial_guards; /* in this order, then one of stops */
    struct portolan_lists guard_locations;               /* location guard -> where it holds */
    uint32_t *guard_process;                             /* guard -> its process if it is about one location */
    uint32_t *local;                                     /* per action: see struct portolan_relations */
    uint32_t *guard_tests;                               /* test guard -> a test */
    uint32_t *guard_actions;                             /* trial guard -> action */
    struct portolan_lists changers;
    struct portolan_footprint footprint;
    struct portolan_columns columns;
    struct portolan_rules rules;
    struct name_index *action_names, *variable_names;
    struct range *limits;    /* per cell */
    uint64_t *alike;         /* per cell */
    struct instance *widest; /* the opened system */
    uint64_t *initial;       /* state of the widest */
};

/* Coming to rest at a location. */
struct arrival {
    uint64_t keep, bits; /* of the word in which the location of its process is */
    uint32_t word;
    uint32_t live, dead; /* of the location */
};

/* What the functions of a system are given as its model. */
struct instance {
    struct packed packed; /* first, as src/codec wants it */
    const struct derived *derived;
    const struct model *model;
    bool is_compact;
    bool without_stops;
    uint32_t *order;          /* of the cells in a state: what was widened last comes last, so that little else moves */
    struct arrival *arrivals; /* per location */
    /* dead cells: per dead set the bits that stay, in the words that the sets of its process touch */
    uint32_t *keep_first_word, *keep_words; /* per process */
    uint64_t **keep;                        /* per dead set */
    struct guard *guards;                   /* what they look at; NULL: there are no relations yet, or no guards */
    struct quick *quick;                    /* what is done by words, NULL: nothing is */
    void *quickening;                       /* of src/emit: what makes a compact system faster, or NULL */
};

/* ----------------------------------------------------------------- summary.c */

/* Finds locations, registers, departures and what each action may touch; false when memory is out. */
bool derive_summaries(struct derived *d);

/* Every instruction that can be reached from some code, each once. */
struct walk {
    const struct model *model;
    uint32_t *seen, stamp;
    VECTOR(uint32_t) open;
    bool failed;
};
bool walk_make(struct walk *walk, const struct model *model);
void walk_clear(struct walk *walk);
void walk_begin(struct walk *walk, uint32_t code);
bool walk_next(struct walk *walk, uint32_t *at);

/* ---------------------------------------------------- relations.c, changers.c */

bool derive_relations(struct derived *d);
bool derive_changers(struct derived *d);

/* ------------------------------------------------------------------ guards.c */

/* Lays out for the instance what its guards look at, once there are relations; false when memory is out. */
bool guards_make(struct instance *in);
bool machine_guard_holds(const struct instance *in, const uint64_t *state, uint32_t guard);
bool machine_guards_are(const struct instance *in, const uint64_t *state, const uint32_t *guards, uint32_t count,
                        bool value);

/* ---------------------------------------------------------------- instance.c */

bool instance_make(struct instance *in, const struct derived *d, bool compact);
void instance_clear(struct instance *in);
bool instance_widen(struct instance *in);

static inline uint32_t location_of(const struct instance *in, const uint64_t *state, uint32_t process)
{
    const struct process *p = &in->model->processes.item[process];
    return p->first_location + (uint32_t)field_get(&in->packed.layout.field[p->location_cell], state);
}

/* The code that an action runs from a location, MODEL_NONE: none.  Edges come by location. */
static inline uint32_t edge_code(const struct model *m, const struct action *a, uint32_t location)
{
    const struct edge *edge = m->edges.item + a->first_edge;
    uint32_t low = 0, high = a->edges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edge[middle].from < location)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->edges && edge[low].from == location ? edge[low].code : MODEL_NONE;
}

static inline int64_t cell_value(const struct instance *in, const uint64_t *state, uint32_t cell)
{
    return field_get(&in->packed.layout.field[cell], state);
}

/* ------------------------------------------------------------------ system.c */

/* As in struct portolan_system, for whoever makes a compact system faster. */
struct portolan_system *model_compact(const struct portolan_system *system);
enum portolan_status model_widen(struct portolan_system *system);
void model_free_instance(void *model);
/* Was it made by model_system? */
bool is_of_model(const struct portolan_system *system);

/* ----------------------------------------------------------------- machine.c */

void machine_initial(const struct instance *widest, uint64_t *state);
/* As in struct portolan_system. */
enum portolan_fired machine_fire(const void *model, const void *state, uint32_t action, void *successor);
uint32_t machine_enabled(const void *model, const void *state, uint32_t *out);
bool machine_is_enabled(const struct instance *in, const uint64_t *state, uint32_t action);
/* Tests of cells only: neither where the process is, nor what its code finds. */
static inline bool tests_hold(const struct instance *in, const uint64_t *state, uint32_t first, uint32_t count)
{
    const struct test *test = in->model->tests.item + first, *end = test + count;
    for (; test < end; test++) {
        int64_t value = cell_value(in, state, test->cell);
        if (value < test->values.low || value > test->values.high)
            return false;
    }
    return true;
}
/* Whether the code of an action that starts where its process is does not block. */
bool machine_can_go_on(const struct instance *in, const uint64_t *state, uint32_t action, uint32_t code);
bool machine_can_depart(const struct instance *in, const uint64_t *state, const struct departure *departure);
/* The only action that leaves the location of a process, NULL: none, or it is not born. */
const struct departure *machine_next(const struct instance *in, const uint64_t *state, uint32_t process);
/* The code that an action runs where its process is, MODEL_NONE when it has no edge there. */
uint32_t machine_code(const struct instance *in, const uint64_t *state, uint32_t action);

/* --------------------------------------------------------------- footprint.c */

void derive_rules(struct derived *d);
bool derive_footprint(struct derived *d);

/* ------------------------------------------------------------------- words.c */

bool derive_names(struct derived *d);
/* NULL where the model is not made of processes.  The footprint has a better table where agents are threads. */
const struct portolan_columns *derive_columns(struct derived *d);
const char *action_name(const void *model, uint32_t action);
bool find_action(const void *model, const char *name, uint32_t *action);
const char *variable_name(const void *model, uint32_t variable);
bool find_variable(const void *model, const char *name, uint32_t *variable);
int64_t variable_value(const void *model, const void *state, uint32_t variable);
void step_text(const void *model, const void *state, uint32_t agent, char *text, size_t size);
bool standing(const void *model, const void *state, uint32_t agent, char *text, size_t size);
bool failure(const void *model, const void *state, char *text, size_t size);
bool place(const void *model, const void *state, uint32_t agent, char *text, size_t size);
void guard_text(const void *model, uint32_t guard, char *text, size_t size);

#endif
