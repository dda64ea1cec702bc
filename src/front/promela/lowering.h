/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Promela model becomes processes as guarded commands.  A model has a fixed number of processes, so there is a slot
 * for each process number that may be in use, in which the proctypes run that may get that number.
 */
#ifndef FRONT_PROMELA_LOWERING_H
#define FRONT_PROMELA_LOWERING_H

#include "base/names.h"
#include "front/promela/flow.h"
#include "model/model.h"

enum { MOST_SLOTS = 255, MOST_CHANNELS = 255, MOST_ACTIONS = 200000, MOST_CHOICES = 12, MOST_CODE = 1 << 20 };

enum failure {
    FAILURE_INDEX,
    FAILURE_DIVISION,
    FAILURE_SHIFT,
    FAILURE_CHANNEL,
    FAILURE_D_STEP,
    FAILURE_REMOTE,
    FAILURE_ENDLESS,
    FAILURE_ASSERTION,
    FAILURE_C_CONDITION,
    FAILURE_PRIORITY,
    FAILURE_TRACE,
    FAILURE_TRACE_CHOICE,
    FAILURE_TRACE_MATCHED,
    FAILURES
};

struct channel {
    const char *name;
    uint32_t id;
    const struct channel_shape *shape;
    uint32_t slot;                         /* of the process that it belongs to; MODEL_NONE: none */
    uint32_t host, cell;                   /* of which type, and of which variable it is the first value */
    uint32_t queues;                       /* one for each field, and perhaps one that only counts */
    uint32_t first_cells[MOST_FIELDS + 1]; /* of the queues */
    uint32_t presence;                     /* the queue whose places are 1 or more where there is a message */
};

struct emitted { /* code for a state, in the middle of an action */
    uint32_t element, code;
    uint32_t slot, acting_at;
    uint32_t choices; /* that were made before */
};

struct host {                 /* of a proctype in a slot */
    uint32_t frame;           /* its first cell; MODEL_NONE: it never runs here */
    uint32_t first_location;  /* of its states */
    uint32_t first_assertion; /* location */
    uint32_t first_channel;   /* of those it declares */
};

struct slot {
    uint32_t process; /* of the model */
    struct host *hosts;
    const struct proctype *initial; /* that runs here from the start; NULL: none */
    uint32_t failures;              /* code of its failures: those of enum failure, then one for each array */
    uint32_t first_location;        /* of nobody */
};

struct operand {
    bool is_number;
    int32_t value; /* or the register */
};

/* Code addresses of jumps that wait for their target. */
struct patches {
    VECTOR(uint32_t) at;
};

struct actor { /* whose variables are meant */
    uint32_t slot;
    const struct proctype *type;
};

struct states {       /* of a proctype: its elements that are states */
    uint32_t *number; /* per element */
    uint32_t count;
    uint32_t *element; /* per state */
};

struct channel_set {
    uint64_t bits[(MOST_CHANNELS + 64) / 64];
};

static inline bool is_among(const struct channel_set *set, uint32_t channel)
{
    return set->bits[channel / 64] >> channel % 64 & 1;
}

struct holding { /* what a variable of type chan may hold */
    const struct declared *variable;
    struct channel_set set;
};

struct pair {
    uint32_t slot;
    const struct proctype *type;
};

/* Which proctypes have been seen under which number, where too many are possible. */
struct pairs {
    struct pair *item;
    size_t count, capacity;
};

struct c_cell {    /* a value of a block of C */
    uint32_t cell; /* of the globals or of the frame */
    bool is_local;
    bool is_kept; /* C does not change it */
    bool is_pid;  /* no cell, but the number of the process */
    int32_t more; /* to be added */
};

enum c_use { C_STATEMENTS, C_VALUE, C_TRUTH, C_CONDITION };

struct c_block { /* a text as it is used by a proctype */
    uint32_t text;
    enum c_use use;
    const struct proctype *type;
    uint32_t number; /* in the model */
    uint32_t first, cells;
};

struct lowering {
    struct syntax *syntax;
    struct promela_language *language;
    struct model *m;
    struct portolan_error *error;
    uint32_t slots;
    uint32_t active; /* slots in use from the start */
    struct slot *slot;
    struct states *states;         /* per proctype */
    bool *runs_in;                 /* slot * proctypes + proctype */
    const struct proctype *claim;  /* that moves beside the system, in the slot behind the others; NULL: none */
    const struct proctype *beyond; /* a claim that no automaton can be, or NULL */
    bool grows;                    /* the number of slots is a guess */
    bool guesses;                  /* and so are the types in them: those of `seen` */
    const struct pairs *seen;
    uint32_t globals;    /* the first cell */
    uint32_t processes;  /* cell: _nr_pr */
    uint32_t last;       /* cell: _last; MODEL_NONE: nobody asks */
    uint32_t priorities; /* cells: one per slot; MODEL_NONE: there are none */
    uint32_t event;      /* cell: where the trace is; MODEL_NONE: there is none */
    uint32_t exclusive;  /* cell: 1 + the slot that alone may move; MODEL_NONE: not needed */
    bool wants_exclusive, needs_exclusive;
    uint32_t rounds;    /* choices in a loop of an atomic sequence that are unrolled */
    bool too_many_ways; /* through an atomic sequence */
    VECTOR(struct channel) channels;
    VECTOR(const struct declared *) arrays;
    uint32_t global_channels;
    VECTOR(struct holding) holds;
    bool too_many_channels;
    uint8_t numbers;
    struct actor actor;
    struct actor acting; /* whose action it is */
    bool may_fail;
    bool testing;       /* conditions become tests of the action, where they can */
    bool timeout;       /* what `timeout` is in the code that is made */
    uint32_t top, most; /* registers in use */
    bool failed;        /* with an error that is not that of memory */
    struct names action_names;
    VECTOR(struct c_block) c_blocks;
    VECTOR(struct c_cell) c_cells;
    bool c_knows_all; /* C may reach every variable, whatever a block names */
};

/* slots.c: how many processes there may be at once, and which types. */
bool promela_find_slots(struct lowering *l, uint32_t bound);
/* Does any process run one of the type? */
bool promela_is_run(const struct syntax *syntax, const struct proctype *p);
/* One of this type runs others, in one step from this state of it, where `processes` are there. */
bool promela_note_runs(struct pairs *seen, const struct syntax *syntax, const struct proctype *runner, uint32_t state,
                       uint32_t processes);
/* cells.c */
bool promela_make_cells(struct lowering *l);
bool promela_find_channels(struct lowering *l);
void promela_make_starts(struct lowering *l);
const char *promela_type_name(const struct proctype *p);
int64_t promela_initial(const struct lowering *l, const struct node *node);

/* Where a process is whose assertion does not hold: of the one that acts. */
uint32_t promela_assertion(const struct lowering *l, struct actor actor, uint32_t element);

/* code.c */
struct instruction *pml_emit_code(struct lowering *l, enum code code);
void pml_code_a(struct instruction *i, struct operand operand);
void pml_code_b(struct instruction *i, struct operand operand);
struct operand pml_number_operand(int64_t value);
struct operand pml_new_register(struct lowering *l);
struct operand pml_emit_value(struct lowering *l, const struct node *node);
struct operand pml_emit_load(struct lowering *l, uint32_t cell);
void pml_emit_store(struct lowering *l, uint32_t cell, struct operand value);
void pml_emit_add(struct lowering *l, uint32_t cell, int32_t more);
struct operand pml_emit_calculate(struct lowering *l, enum operation operation, struct operand a, struct operand b);
/* Jumps when the truth of the node is `sense`. */
void pml_emit_jump_if(struct lowering *l, const struct node *node, bool sense, struct patches *patches);
void pml_emit_jump_compared(struct lowering *l, struct operand a, enum operation operation, struct operand b,
                            bool sense, struct patches *patches);
void pml_emit_jump(struct lowering *l, struct patches *patches);
void pml_emit_target(struct lowering *l, struct patches *patches);
/* variable = value, which comes from the node (NULL: anywhere), as its type has it. */
void pml_emit_assign(struct lowering *l, const struct node *variable, struct operand value, const struct node *from);
struct operand pml_emit_convert(struct lowering *l, struct operand value, struct integer_type type);
/* Of enum failure, or FAILURES and the number of the array whose index is out of bounds. */
int32_t pml_failure_code(struct lowering *l, uint32_t kind);
bool promela_may_fail(const struct node *node);
/* Does it run a process? */
bool promela_runs(const struct node *node);
/* The cell that a reference always means; false where that depends on the state. */
bool promela_constant_cell(const struct lowering *l, const struct node *reference, uint32_t *cell);
/* The variables of a proctype that are not 0 at its start, in the frame of the actor. */
void pml_emit_initial_values(struct lowering *l, const struct proctype *p);
struct operand pml_emit_run(struct lowering *l, const struct node *node);
/* set_priority(a, b), or _priority = b, which takes any number. */
void pml_emit_set_priority(struct lowering *l, const struct statement *s);

/* channels.c */
/* The channels that a reference of the actor may mean: how many, and the numbers of all. */
struct candidates {
    uint32_t count;
    uint8_t item[MOST_CHANNELS];
    bool is_certain; /* nothing else is possible */
};
bool promela_may_mean(const struct lowering *l, const struct node *reference, uint32_t fields, const struct channel *c);
void promela_candidates(struct lowering *l, const struct node *reference, uint32_t fields, struct candidates *out);
void pml_emit_unless_channel(struct lowering *l, const struct node *reference, const struct channel *c,
                             struct patches *patches);
void pml_emit_unless_room(struct lowering *l, const struct channel *c, struct patches *patches);
void pml_emit_send(struct lowering *l, const struct statement *s, const struct channel *c);
/* Jumps unless there is a message that fits. */
void pml_emit_unless_message(struct lowering *l, const struct channel *c, const struct node *values, bool is_random,
                             struct patches *patches);
void pml_emit_receive(struct lowering *l, const struct statement *s, const struct channel *c);
struct operand pml_emit_length(struct lowering *l, const struct node *node);
void pml_jump_if_polled(struct lowering *l, const struct node *node, bool sense, struct patches *patches);
void pml_emit_no_channel(struct lowering *l);

/* c.c: blocks of C. */
/* How large c_states and what is tracked are: they become variables. */
enum portolan_status promela_size_c(struct parser *parser, const char *file);
void promela_declare_c(struct lowering *l);
/* A block of the text; NULL when memory ran out. */
const struct c_block *promela_c_block(struct lowering *l, uint32_t text, enum c_use use, const struct proctype *type);
const struct c_block *promela_find_c(const struct lowering *l, uint32_t text, enum c_use use,
                                     const struct proctype *type);
/* The actor runs a text; what it yields. */
struct operand pml_emit_c(struct lowering *l, uint32_t text, enum c_use use);

/* actions.c */
bool promela_lower_actions(struct lowering *l);

/* beside.c: a claim as a process. */
bool promela_place_claim(struct lowering *l);
void promela_lower_claim(struct lowering *l);
void promela_show_claim(struct lowering *l);
/* What only claims ask for: enabled(), timeout, np_. */
struct operand pml_emit_asked(struct lowering *l, const struct node *n);

/* Is it the claim that moves? */
static inline bool is_claims(const struct lowering *l, struct actor actor)
{
    return l->claim && actor.type == l->claim;
}

static inline struct host *host_of(const struct lowering *l, struct actor actor)
{
    return &l->slot[actor.slot].hosts[actor.type->number];
}

static inline bool runs_in(const struct lowering *l, uint32_t slot, const struct proctype *p)
{
    return l->runs_in[slot * l->syntax->proctypes.count + p->number];
}

#endif
