/* SPDX-License-Identifier: Apache-2.0 */
/* What names mean at a place of a protocol: between resolve.c and types.c. */
#ifndef FRONT_PROTOCOLS_SCOPE_H
#define FRONT_PROTOCOLS_SCOPE_H

#include "front/protocols/evaluate.h"

#include <string.h>

struct scope {
    struct syntax *syntax;
    struct portolan_error *error;
    enum portolan_status status;        /* the first error sticks */
    const struct process_type *process; /* whose variables are in scope; NULL in conditions about the state */
    bool is_global;                     /* in a condition about the state */
    bool is_constant;                   /* nothing but constants */
    const struct rule *quorum;          /* in a rule with a quorum */
    bool in_aggregate, in_body;
    struct {
        const char *name;
        bool of_message;
        struct value_type holds;
    } bound[MOST_SLOTS]; /* slot -> its name */
    int32_t count;
};

/* The first of a list of declarations with the name, or NULL. */
#define FIND(list, wanted)                                                                                             \
    ({                                                                                                                 \
        __typeof__(&*(list)) found = (list);                                                                           \
        while (found && strcmp(found->name, wanted) != 0)                                                              \
            found = found->next;                                                                                       \
        found;                                                                                                         \
    })

#define CHECK(s, check, ...)                                                                                           \
    do {                                                                                                               \
        if ((s)->status == PORTOLAN_OK)                                                                                \
            (s)->status = check(&(s)->syntax->lexer, __VA_ARGS__, (s)->error);                                         \
    } while (0)

static const struct value_type integers = {.kind = VALUE_INTEGER, .integer = INTEGER_64},
                               booleans = {.kind = VALUE_BOOLEAN};

/* The first error sticks. */
void scope_fail(struct scope *s, const struct position *at, const char *format, const char *name);
void unknown_name(struct scope *s, const struct position *at, const char *name, const char *what);
/* The value of an expression of constants. */
int32_t constant_integer(struct scope *s, struct node *node);

/* --- types.c */

struct domain process_domain(struct scope *s, struct process_type *p);
struct domain type_domain(struct scope *s, const struct type_node *type);
struct value_type type_values(struct scope *s, struct type_node *type);
/* Makes every literal of every enumeration known. */
void collect_literals(struct scope *s);
/* Gives variables, or the fields of a message, which must be plain, their types and cells. */
void resolve_variables(struct scope *s, struct declared *list, uint32_t *cells, bool plain);

#endif
