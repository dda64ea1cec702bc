/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of rules: regular path expressions. */
#ifndef FRONT_GROOVE_EXPRESSION_H
#define FRONT_GROOVE_EXPRESSION_H

#include "base/names.h"
#include "front/groove/aspects.h"

/* A rule while it is read. */
struct rule_labels {
    struct reading *reading;
    const struct file *file;
    struct rule *rule;
    struct names variables; /* of labels */
};

/* What a label is, once parsed: the kind of edge, and the number of its label, choice or path. */
struct edge_label {
    enum rule_edge_kind kind;
    bool is_negated;
    uint32_t label, choice, path;
    /* a type of its node, if the expression is just that */
    bool is_type, is_exact;
};

bool path_expression_parse(struct rule_labels *labels, const struct label_parts *parts, struct edge_label *label);

#endif
