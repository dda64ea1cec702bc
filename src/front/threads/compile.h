/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From trees to a model, shared by the files compile*.c.  Every agent (an instance of a thread) is a process with code
 * of its own, in which its number and parameters are constants.  A location is before each shared access (or atomic
 * step), and has one action: the access, and what is local up to the next.  The first error sticks in `status`; what is
 * compiled after it does not matter, so nobody tests for errors on the way.
 */
#ifndef FRONT_THREADS_COMPILE_H
#define FRONT_THREADS_COMPILE_H

#include "front/threads/ast.h"
#include "model/model.h"

enum symbol_kind {
    NAMES_CONSTANT,  /* base is the value */
    NAMES_SHARED,    /* base is its first cell */
    NAMES_LOCK,      /* base is its first cell */
    NAMES_CONDITION, /* base is the first number */
    NAMES_LOCAL,     /* base is its first register */
    NAMES_FUNCTION,
    NAMES_THREAD
};

struct name {
    enum symbol_kind kind;
    const char *name;
    const struct declaration *declaration; /* NULL for locals */
    enum type type;
    bool is_array, is_atomic, read_only, used;
    int32_t base;
    uint32_t length;
    unsigned line;
};

struct operand {
    bool is_number;
    int32_t value; /* the number, or the register */
};

static inline struct operand number(int32_t value)
{
    return (struct operand){.is_number = true, .value = value};
}

static inline struct operand slot(int32_t value)
{
    return (struct operand){.value = value};
}

struct loop {
    struct loop *outer;
    int32_t end, next; /* labels */
};

struct call {
    struct call *outer;
    const struct declaration *function; /* NULL: the thread itself */
    int32_t result;                     /* register */
    int32_t end;                        /* label */
};

struct agent { /* beside its process */
    const struct declaration *thread;
    uint32_t parent; /* who spawns it, MODEL_NONE when it starts by itself */
    int32_t number;  /* instance */
};

struct pending_failure {
    int32_t label;
    unsigned line;
    uint32_t scope;
    const char *reason;
};

struct compiler {
    struct model *model;
    const struct syntax *syntax;
    struct portolan_error *error;
    enum portolan_status status;
    VECTOR(struct name) names; /* the global ones, then those of the scopes that are open */
    size_t globals, visible;   /* locals before `visible` belong to a caller */
    VECTOR(int32_t) labels;    /* where they are, -1 before */
    VECTOR(struct pending_failure) failing;
    VECTOR(struct agent) agents;
    uint32_t agent;
    uint32_t conditions;  /* that there are */
    uint32_t top, most;   /* registers in use, and at most */
    uint32_t temporaries; /* registers from here on are no variables of the statement being compiled */
    size_t last_label;    /* where the last one was placed */
    unsigned atomic;      /* depth of atomic { } */
    bool synchronising;   /* the atomic step is one of ours */
    struct loop *loop;
    struct call *call;
    unsigned discarding;      /* what is compiled will be thrown away */
    uint32_t copies;          /* how often a spawn here may run */
    bool endless;             /* within a loop of which nobody knows how often it runs */
    const struct node *text;  /* names the steps, when not NULL */
    struct instruction spare; /* written to when memory is out */
};

/* ----------------------------------------------------------------- compile.c */

void compile_fail(struct compiler *c, const struct position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void compile_hint(struct compiler *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void compile_memory(struct compiler *c);
/* Enough of them: the status says so. */
struct instruction *emit(struct compiler *c, enum code code);
/* A new location and its action, unless an atomic step is around; text is behind verb. */
void begin_step(struct compiler *c, const char *verb, const struct node *text);
/* A shared instruction: a step of its own, or a part of the atomic one around it. */
struct instruction *emit_shared(struct compiler *c, enum code code, const char *verb, const struct node *text);
void set_a(struct instruction *i, struct operand operand);
void set_b(struct instruction *i, struct operand operand);
void set_d(struct instruction *i, struct operand operand);
int32_t new_label(struct compiler *c);
void place_label(struct compiler *c, int32_t label);
void emit_jump(struct compiler *c, int32_t label);
void emit_move(struct compiler *c, int32_t to, struct operand value);
/* The label of a failure of the present agent. */
int32_t failure_label(struct compiler *c, const struct position *at, const char *reason);
void add_variable(struct compiler *c, struct variable variable);
/* Compiles into a new model; on failure *model is NULL. */
enum portolan_status compile_program(const struct syntax *syntax, struct model **model, struct portolan_error *error);
int32_t new_slots(struct compiler *c, const struct position *at, uint32_t count);
struct name *find_name(struct compiler *c, const char *name);
struct name *declare_name(struct compiler *c, struct name name, const struct position *at);
unsigned line_of(const struct compiler *c, const struct position *at);
/* Compiled only to be checked: nothing of it stays. */
struct discard {
    size_t code, failing, variables;
    uint32_t top;
};
struct discard discard_begin(struct compiler *c);
void discard_end(struct compiler *c, const struct discard *discard);
/* The agents that spawns here may start; *count of them. */
uint32_t new_children(struct compiler *c, const struct declaration *thread, const struct position *at, uint32_t *count);

enum { MOST_CELLS = 1 << 16 }; /* of a state: it is copied on the stack */

/* ------------------------------------------------------------- compile_end.c */

void compile_end(struct compiler *c);

/* ------------------------------------------------------ compile_expression.c */

struct operand compile_expression(struct compiler *c, const struct node *node);
int32_t compile_constant(struct compiler *c, const struct node *node);
/* Whether it is made of constants only; such a condition decides before the program runs what is compiled. */
bool is_constant(struct compiler *c, const struct node *node);
/* Jumps when the condition is as `when` says. */
void branch(struct compiler *c, const struct node *condition, int32_t label, bool when);
/* Jumps unless a operation b. */
void jump_unless(struct compiler *c, enum operation operation, struct operand a, struct operand b, int32_t label);
/* What a name (with an index) stands for, checked to be of the kind wanted; NULL after an error. */
const struct name *compile_target(struct compiler *c, const struct node *node, enum symbol_kind wanted,
                                  struct operand *index);
/* The same for assignments: local or shared. */
const struct name *compile_variable(struct compiler *c, const struct node *node, struct operand *index);
/* The value of the variable; slots from `top` on are free for it. */
struct operand compile_load(struct compiler *c, const struct node *node, const struct name *name, struct operand index,
                            uint32_t top);
struct operand calculate_values(struct compiler *c, const struct node *node, enum operation operation, struct operand a,
                                struct operand b, uint32_t top);
/* The cell or condition of a shared instruction. */
void set_place(struct compiler *c, struct instruction *i, const struct name *name, struct operand index);

/* ------------------------------------------------------- compile_statement.c */

void compile_statement(struct compiler *c, const struct node *statement);
/* A name for expressions about states: reader[1].i, with a number when another scope has it. */
void name_local(struct compiler *c, const char *name, int32_t base, uint32_t length, bool is_array);
/* The variables from number `from` on are no longer in scope. */
void close_variables(struct compiler *c, size_t from);
/* What is compiled between the two is one step. */
void begin_atomic(struct compiler *c, const struct node *text, bool synchronising);
void end_atomic(struct compiler *c);
void compile_printed_condition(struct compiler *c, const struct node *step, int32_t label, bool when);

#endif
