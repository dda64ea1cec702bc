/* SPDX-License-Identifier: Apache-2.0 */
/* The prefixes of a label, as in "del=level:flag:busy": what it says of its edge or node, before the text itself. */
#ifndef FRONT_GROOVE_ASPECTS_H
#define FRONT_GROOVE_ASPECTS_H

#include "front/groove/gxl.h"

enum graph_role { IN_HOST = 1, IN_RULE = 2, IN_TYPE = 4 };

enum aspect {
    ASPECT_NONE,
    ASPECT_REMARK,
    ASPECT_READER, /* roles, in this order */
    ASPECT_ERASER,
    ASPECT_CREATOR,
    ASPECT_ADDER,
    ASPECT_EMBARGO,
    ASPECT_BOOL, /* sorts */
    ASPECT_INT,
    ASPECT_REAL,
    ASPECT_STRING,
    ASPECT_ARGUMENT,
    ASPECT_PRODUCT,
    ASPECT_TEST,
    ASPECT_LET,
    ASPECT_PARAMETER,
    ASPECT_PARAMETER_IN,
    ASPECT_PARAMETER_OUT,
    ASPECT_ABSTRACT,
    ASPECT_SUBTYPE,
    ASPECT_MULTIPLICITY_IN,
    ASPECT_MULTIPLICITY_OUT,
    ASPECT_PART,
    ASPECT_MULTIPLICITY,
    ASPECT_PATH,
    ASPECT_FORALL, /* quantifiers, in this order */
    ASPECT_FORALL_NON_EMPTY,
    ASPECT_EXISTS,
    ASPECT_EXISTS_OPTIONAL,
    ASPECT_NESTED,
    ASPECT_OR,
    ASPECT_ID,
    ASPECT_COLOR,
    ASPECT_REFUSED
};

struct label_parts {
    enum aspect role;     /* ASPECT_NONE when none is given */
    enum aspect aspect;   /* what else it is */
    const char *level;    /* of a role or quantifier, "=name"; NULL */
    const char *content;  /* of another aspect, "=content"; NULL */
    enum label_kind kind; /* of what is left */
    bool is_literal;      /* no expression */
    bool is_abstract;     /* abs: */
    bool is_part;         /* part: */
    const char *in, *out; /* multiplicities of a type, NULL */
    const char *text;     /* what is left */
    struct place at;      /* of the text */
};

/* Where: one of enum graph_role. */
bool label_split(struct reading *reading, const struct file *file, const struct gxl_edge *edge, enum graph_role where,
                 struct label_parts *parts);

static inline bool is_quantifier(enum aspect aspect)
{
    return aspect >= ASPECT_FORALL && aspect <= ASPECT_EXISTS_OPTIONAL;
}

/* SORT_NONE when the aspect is none. */
enum sort sort_of(enum aspect aspect);

/* Splits "0..1", "3", "1..*"; false when it is none. */
bool multiplicity_split(const char *text, uint32_t *least, uint32_t *most);

#endif
