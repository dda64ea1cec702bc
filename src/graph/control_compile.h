/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler of control programs shares between its files. */
#ifndef GRAPH_CONTROL_COMPILE_H
#define GRAPH_CONTROL_COMPILE_H

#include "base/arena.h"
#include "graph/control_build.h"
#include "graph/control_syntax.h"

/* What a name stands for: a variable, or what was given for a parameter. */
struct binding {
    const char *name;
    enum sort sort;
    struct control_argument is; /* CONTROL_GIVEN or CONTROL_VALUE */
    bool may_be_assigned;
    struct binding *outer;
};

/* A function or recipe with its arguments, compiled once. */
struct expansion {
    const struct procedure *procedure;
    uint32_t first_argument, argument_count; /* in program.arguments */
    uint32_t term;
};

struct term_list {
    uint32_t *item;
    size_t count, capacity;
};

struct declaration {
    struct position at;
    const struct control_source *source;
};

struct compiler {
    struct grammar *grammar;
    struct control_program *program;
    struct portolan_error *error;
    enum portolan_status status;
    struct arena arena;
    struct control_source *sources;
    size_t source_count;
    const struct control_source *source; /* whose statements are being compiled */
    struct terms terms;
    struct named_calls calls;
    struct binding *scope;
    VECTOR(struct expansion) expansions;
    VECTOR(struct declaration) declared; /* one a variable */
    uint32_t mark;                       /* of procedures that have been looked at */
    unsigned depth;
};

struct action { /* a rule, or a function or recipe */
    const struct rule *rule;
    struct procedure *procedure;
};

/* Notes the first failure of memory, or a limit; returns NO_TERM. */
uint32_t control_no_memory(struct compiler *compiler);

/* Notes the first error at a place of the present source; is NO_TERM. */
#define complain(c, at, ...)                                                                                           \
    ((c)->status ? NO_TERM : ((c)->status = lexer_fail(&(c)->source->lexer, at, (c)->error, __VA_ARGS__), NO_TERM))

/* An imported name, one of the package, or the name as it stands. */
struct action control_resolve(const struct compiler *compiler, const char *name);

static inline bool is_found(struct action action)
{
    return action.rule || action.procedure;
}

/* The term of a call, whose arguments follow those there are from `first` on. */
bool control_arguments(struct compiler *compiler, const struct statement *call, const struct action *action,
                       uint32_t *first);
uint32_t control_call(struct compiler *compiler, const struct position *at, const struct action *action,
                      uint32_t first);

/* A balanced tree of choices, so that many alternatives do not make a deep term. */
uint32_t control_choice(struct compiler *compiler, struct term_list *list);

/* any, other: all of the prefix, NULL for all there are. */
uint32_t control_group(struct compiler *compiler, const struct position *at, const char *prefix, bool below,
                       bool is_other);

#endif
