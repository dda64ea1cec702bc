/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of grammars share: names that can be read again, literals. */
#ifndef FRONT_GRAMMAR_WRITE_H
#define FRONT_GRAMMAR_WRITE_H

#include "base/names.h"
#include "graph/grammar.h"

#include <stdio.h>

struct writer {
    const struct grammar *grammar;
    FILE *out;
    struct portolan_error *error;
    enum portolan_status status; /* the first failure sticks */
    /* of the rule or graph */
    const struct rule *rule;
    const struct host_graph *graph;
    bool keeps_names;  /* every node has a name of its own */
    bool *is_declared; /* by node */
    bool *is_done;     /* by operation */
    int indent;
};

/* The text has no words for this. */
enum portolan_status refuse(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name, in single quotes where it needs them. */
void write_name(struct writer *w, const char *name);
void write_value(struct writer *w, const struct value *value);
void write_node_name(struct writer *w, uint32_t node);
/* Starts a line. */
void write_indent(struct writer *w);
const char *label_text(const struct writer *w, uint32_t label);
enum label_kind label_kind(const struct writer *w, uint32_t label);
/* Has every node of a graph that is no value a name of its own? */
bool host_names_are_distinct(const struct host_graph *graph);
/* The text of a path without ! and braces around it. */
const char *path_core(const struct path *path, int *length);
enum portolan_status write_rule(struct writer *w, const struct rule *rule);

#endif
