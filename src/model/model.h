/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes as guarded commands over cells: what every textual language lowers to.
 *
 *   cells      integers with a range and an initial value.  An array is a run of cells, a queue too (see code.h), a
 *              multiset of messages is a cell for each message that counts it.  What two processes may touch belongs to
 *              an object, which footprints name; objects may have several cells.
 *   processes  each is at one of its locations (which is a cell as well: it may be tested, and another process may
 * store to it, as a rendezvous does) and has registers.  Register r is kept in cell first_register + r while the
 *              process rests at a location where r < live, and is 0 when it leaves a location where that is not so; all
 *              others live during a step only.
 *   actions    a process, tests on cells, and edges: from which location which code is run.  An action is enabled when
 *              its process is at the source of an edge, all tests hold and the code there does not block.  Several
 *              actions may leave a location.  The code of all edges of an action may begin with a common part.
 *   dead cells where a process is at a location, the cells of its dead set hold 0: what they would hold makes no
 *              difference any more.
 *
 * From that, and from nothing else, model_system() derives everything a struct portolan_system can offer.  A model is
 * made by filling its vectors through the functions below; the first failure sticks in `failed`, so nobody needs to
 * look on the way.  Once finished it is never changed, and shared by the systems made of it.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/lists.h"
#include "base/vector.h"
#include "codec/layout.h"
#include "model/code.h"
#include "model/foreign.h"
#include "portolan/portolan.h"

#define MODEL_NONE UINT32_MAX

struct cell {
    struct range values; /* all that it may ever hold */
    int64_t initial;
    uint32_t object; /* MODEL_NONE: nobody but `owner` touches it */
    uint32_t alike;  /* the same number for cells that are likely to grow alike: those of an array */
    uint32_t owner;  /* process whose location decides whether it is dead; MODEL_NONE: none */
    bool widens;     /* its field begins as narrow as the initial value allows; else it is as wide as `values` */
    bool counts;     /* a field that widens begins with room for 0 and 1 */
};

struct process {
    const char *name;
    uint32_t location_cell;             /* its location, counted from first_location on */
    uint32_t first_location, locations; /* found by model_system */
    uint32_t start; /* code that is run before anything else and ends at the first location; MODEL_NONE: none */
    uint32_t first_register; /* cell; found by model_system ... */
    uint32_t registers;      /* ... as many as are live anywhere */
    struct range values;     /* of registers at rest */
    uint32_t most_registers; /* with those that live during a step only */
    uint32_t life;           /* cell: UNBORN, BORN, ENDED; MODEL_NONE: it starts by itself */
};

struct location {
    uint32_t process;
    uint32_t live;       /* registers */
    unsigned line;       /* 0: none */
    uint32_t place;      /* compared with the scope of variables */
    const char *failure; /* the process has failed, and why; NULL: it has not */
    bool is_end;         /* nothing need happen any more */
    bool is_unborn;      /* until an action is enabled here the process is not there, and need not be */
    uint32_t dead;       /* list in dead_cells; MODEL_NONE: none is dead */
};

struct test { /* low <= cell <= high */
    uint32_t cell;
    struct range values;
    bool or_empty; /* found by model_system: as a guard it holds for 0 as well, which another test excludes */
};

struct edge {
    uint32_t from; /* location; MODEL_NONE for an action of nobody, which has one edge */
    uint32_t code;
};

struct action {
    const char *name;
    uint32_t process; /* MODEL_NONE: nobody */
    unsigned line;
    bool is_block;    /* in words it is its name, whatever it does */
    bool is_fallback; /* enabled only where no action is that is not one: a timeout */
    uint32_t first_test, tests;
    uint32_t first_edge, edges; /* by increasing source, each source once */
    uint32_t common; /* code that is run before that of the edge, up to its CODE_REST, and does not block; MODEL_NONE */
    /* Instruction of its only edge's code, 0: none.  When it comes there, it goes on as one of the actions that leave
     * `pause` would which are enabled by then, whichever of them another action with the same pause goes on as; where
     * there are none, one of these rests there. */
    uint32_t pause_code, pause;
};

enum variable_kind {
    VARIABLE_CELL,     /* what = cell */
    VARIABLE_REGISTER, /* what = register of process, where from <= place < to, elsewhere 0 */
    VARIABLE_WAITERS,  /* what = first of a run of cells, one per process: how many are not 0 */
    VARIABLE_FAILED,   /* how many processes have failed */
    VARIABLE_LINE,     /* is process at line `what`? */
    VARIABLE_TABLE,    /* table[what + number of the location of process within it] */
    VARIABLE_NUMBER,   /* table[what] */
    VARIABLE_CONDITION /* what the language says of others, those in its list of reads */
};

struct variable {
    const char *name;
    enum variable_kind kind;
    uint32_t process, what;
    uint32_t from, to;
};

/* What a language adds to what is derived; all may be NULL.  The first argument of each function is that of struct
 * portolan_system: see model_of, model_cell_value and model_location_of. */
struct model_extras {
    void *language; /* what the functions need */
    void (*free)(void *language);
    int64_t (*value)(const void *model, const void *state, uint32_t variable); /* of a condition */
    bool (*is_final)(const void *model, const void *state);
    bool (*why_not_final)(const void *model, const void *state, char *text, size_t size);
    void (*value_text)(const void *model, uint32_t variable, int64_t value, char *text, size_t size);
    const struct portolan_type *(*variable_type)(const void *model, uint32_t variable);
    void (*why_no_value)(const void *model, const void *state, uint32_t variable, char *text, size_t size);
    bool (*prints)(const void *model, const void *state, uint32_t action, char *text, size_t size);
    const struct portolan_messages *messages;
    const struct portolan_rules *rules; /* NULL: the lines of actions */
};

struct model {
    const char *name;   /* of the model */
    const char *format; /* of the language */
    VECTOR(struct integer_type) types;
    VECTOR(struct cell) cells;
    VECTOR(const char *) objects; /* names */
    VECTOR(struct process) processes;
    VECTOR(struct location) locations; /* those of a process side by side */
    VECTOR(struct instruction) code;
    VECTOR(struct action) actions;
    VECTOR(struct test) tests;
    VECTOR(struct edge) edges;
    VECTOR(struct variable) variables; /* of each kind those that are not listed last */
    VECTOR(int64_t) table;
    struct lists_builder reads;                     /* variable -> variables, of conditions */
    uint32_t listed;                                /* variables that are printed */
    struct lists_builder dead_builder;              /* dead set -> cells */
    VECTOR(uint32_t) dead_sets;                     /* of which process; all its locations may have it */
    VECTOR(struct portolan_stated_property) stated; /* besides that nothing fails, where something may */
    struct portolan_lists stops;                    /* see struct portolan_system; one list, or none */
    struct model_extras extras;
    struct foreign *foreign; /* blocks of C, NULL: there are none */
    uint32_t priorities; /* cells, one per process: of those that can do something the highest may; MODEL_NONE: none */
    bool in_columns;     /* processes are threads: a trace is shown as a table */
    const char *too_large;   /* what it means that a value fits no cell */
    bool lacks_relations;    /* nobody is going to ask for them, and they cost more than all the rest */
    bool is_tried;           /* its system is only to be stepped through, until model_finish gives it the rest */
    bool rests_within_steps; /* there are states that a run should not show, those where ... */
    uint32_t resting;        /* ... this variable, + 1, is not 0 */
    bool never_ends;         /* see struct portolan_system */
    bool is_bounded;         /* and that this is no error of the model, but of what was made of it */
    struct arena arena;      /* for names, which live as long as the model */
    bool failed;             /* memory ran out while it was made */
};

struct model *model_new(const char *format);
void model_free(struct model *model);

uint8_t model_type(struct model *m, struct integer_type type);
/* Each returns the number of the first one made; the object's name and those of others are copied. */
uint32_t model_object(struct model *m, const char *name);
uint32_t model_cells(struct model *m, struct cell cell, uint32_t count);
/* Without `start` it begins at its first location, with registers of 0. */
uint32_t model_process(struct model *m, const char *name);
uint32_t model_location(struct model *m, struct location location);
uint32_t model_action(struct model *m, struct action action); /* without tests and edges: they follow */
void model_test(struct model *m, uint32_t cell, int64_t low, int64_t high);
void model_edge(struct model *m, uint32_t from, uint32_t code);
uint32_t model_emit(struct model *m, struct instruction instruction);
uint32_t model_variable(struct model *m, struct variable variable);
/* A new dead set of a process; cells are added with model_dead_cell. */
uint32_t model_dead_set(struct model *m, uint32_t process);
void model_dead_cell(struct model *m, uint32_t set, uint32_t cell);
const char *model_copy(struct model *m, const char *text);
/* The model is called after its file, without directories and the ending, NULL: any. */
void model_name_after(struct model *m, const char *path, const char *ending);

/* Makes a system of a model, which it takes over, also on failure. */
enum portolan_status model_system(struct model *m, struct portolan_system **system, struct portolan_error *error);

/* What the system of a model lacks that is_tried: views, names.  On failure it is still to be freed. */
enum portolan_status model_finish(struct portolan_system *system, struct portolan_error *error);

/* For extras: of the first argument of the functions of such a system. */
const struct model *model_of(const void *system_model);
int64_t model_cell_value(const void *system_model, const void *state, uint32_t cell);
/* Where a process is, as a number of model.locations. */
uint32_t model_location_of(const void *system_model, const void *state, uint32_t process);
/* Is an action of the process enabled, or of MODEL_NONE, anyone, that is no fallback? */
bool model_process_is_enabled(const void *system_model, const void *state, uint32_t process);
/* Can no process do anything, not even as a fallback? */
bool model_is_stuck(const void *system_model, const void *state);

#endif
