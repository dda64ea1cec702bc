/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the files that read a symmetric net.  Declarations may stand behind what uses them, so all of the file is
 * read first: sorts, markings, guards and inscriptions as trees of elements, which are understood at the end.
 */
#ifndef FRONT_SYMMETRIC_READING_H
#define FRONT_SYMMETRIC_READING_H

#include "base/names.h"
#include "front/petri/pnml_walk.h"
#include "highlevel/net.h"

/* An element; <subterm> is left out, what is in it stands in its place. */
struct term {
    const char *element;
    const char *id, *name;
    const char *refers_to; /* the declaration, variable or partition that it names */
    const char *value, *start, *end;
    struct xml_spot spot;
    struct term *children, *next; /* a list */
};

/* The values of a sort are rows of scalars: a product is as long as its parts together. */
struct sort {
    const struct colour_type *const *parts;
    uint32_t count;
};

enum declared_kind { DECLARED_SORT, DECLARED_VARIABLE, DECLARED_CONSTANT, DECLARED_PARTITION };

struct declared {
    enum declared_kind kind;
    struct term *term; /* of the declaration */
    enum { NOT_RESOLVED, BEING_RESOLVED, RESOLVED } progress;
    struct sort sort;              /* of sorts, variables, constants (one part) */
    int64_t value;                 /* of a constant */
    const struct colour_type *cut; /* of a partition: the sort with its parts */
    /* of a variable, in the transition that is being made */
    uint32_t transition, local; /* number + 1, first cell */
};

struct node_read { /* a place or transition */
    const char *id, *name;
    struct xml_spot spot;
};

struct place_read {
    struct node_read node;
    struct term *sort, *marking; /* NULL: not given */
    struct sort domain;
};

struct transition_read {
    struct node_read node;
    struct term *condition; /* NULL: true */
};

struct arc_read {
    struct pnml_ends ends;
    struct term *inscription; /* NULL: not given */
};

/* A variable of the present transition. */
struct variable_used {
    struct colour_variable variable;
    bool is_bound; /* by a token */
};

struct reading {
    struct pnml_walk *walk;
    struct colour_net *net;
    struct names ids; /* of the declarations */
    VECTOR(struct declared) declared;
    VECTOR(struct term *) declarations;
    VECTOR(struct place_read) places;
    VECTOR(struct transition_read) transitions;
    VECTOR(struct arc_read) arcs;
    const struct colour_type *dot, *boolean;
    /* what is being made */
    uint32_t transition; /* number + 1; 0: an initial marking, which has no variables */
    uint32_t frame;
    VECTOR(struct variable_used) variables;
};

/* Zeroed memory of the net; NULL after having reported that there is none. */
void *reading_get(struct reading *reading, size_t size);
const char *reading_copy(struct reading *reading, const char *text);
/* Reports an error at an element; returns false. */
#define term_wrong(reading, term, ...) xml_wrong(&(reading)->walk->cursor, (term)->spot, __VA_ARGS__)
bool term_is(const struct term *term, const char *element);
/* The number of children is right, or an error is reported. */
bool check_children(struct reading *reading, const struct term *term, size_t least, size_t most);

/* sorts.c */
bool read_declarations(struct reading *reading);
bool resolve_sort(struct reading *reading, const struct term *term, struct sort *sort);
/* What an element refers to, of the kind that is wanted; NULL after an error. */
struct declared *find_declared(struct reading *reading, const struct term *term, enum declared_kind kind);
bool is_same_type(const struct colour_type *a, const struct colour_type *b);
const struct colour_type *range_type(struct reading *reading, const struct term *term);
/* Reads a whole number from an attribute. */
bool term_number(struct reading *reading, const struct term *term, const char *attribute, const char *text,
                 int64_t *number);

/* values.c: what terms mean for one binding */
struct node *new_node(struct reading *reading, const struct term *term, unsigned kind,
                      const struct colour_type *colour);
/* Appends the scalars of a value: of a product several. */
typedef VECTOR(struct node *) node_list;
bool value_of(struct reading *reading, const struct term *term, node_list *scalars);
struct node *truth_of(struct reading *reading, const struct term *term);

/* multisets.c: the label of an arc at a place, or its initial marking */
bool label_of(struct reading *reading, const struct term *term, const struct place_read *place, bool binds,
              struct arc_term **label);

/* build.c */
bool build_net(struct reading *reading);

#endif
