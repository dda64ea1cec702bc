/* SPDX-License-Identifier: Apache-2.0 */
/* The edges of a rule: which role each has, and what its label is. */
#include "base/diagnostic.h"
#include "front/groove/draft.h"

#include <string.h>

/* The role of an edge: its own, else that of an end that is no reader.  An embargo at an end wins. */
static bool find_role(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts,
                      enum aspect *role)
{
    enum aspect from = draft->nodes[edge->from].role, to = draft->nodes[edge->to].role;
    *role = parts->role;
    if (from == ASPECT_EMBARGO || to == ASPECT_EMBARGO)
        *role = ASPECT_EMBARGO;
    if (*role != ASPECT_NONE && *role != ASPECT_READER)
        return true;
    bool erases = from == ASPECT_ERASER || to == ASPECT_ERASER;
    bool adds = from == ASPECT_ADDER || to == ASPECT_ADDER;
    bool creates = from == ASPECT_CREATOR || to == ASPECT_CREATOR || adds;
    if (erases && creates)
        return draft_wrong(draft, parts->at, "an edge connects a node that is deleted with one that is new");
    *role = erases ? ASPECT_ERASER : adds ? ASPECT_ADDER : creates ? ASPECT_CREATOR : ASPECT_READER;
    return true;
}

static bool is_known_type(const struct grammar *grammar, uint32_t label)
{
    for (size_t i = 0; i < grammar->node_types.count; i++)
        if (grammar->node_types.item[i].label == label)
            return true;
    return false;
}

/* A type of a node in a typed grammar is not an edge. */
static bool set_type(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts,
                     const struct edge_label *label)
{
    struct rule_node *node = &draft->labels.rule->nodes.item[draft->nodes[edge->from].number];
    if (edge->from != edge->to)
        return draft_wrong(draft, parts->at, "a type is a label of one node, not of an edge");
    if (node->type != NO_NUMBER && node->type != label->label)
        return draft_wrong(draft, parts->at, "a node has two types");
    if (!is_known_type(draft->labels.reading->grammar, label->label))
        return groove_wrong(draft->labels.reading, draft->labels.file, parts->at, "the type graph has no type '%.80s'",
                            draft->labels.reading->grammar->labels.item[label->label].text);
    node->type = label->label;
    node->is_exact_type = label->is_exact;
    return true;
}

/* "not this type" has to know of subtypes, as paths do. */
static bool type_as_path(struct draft *draft, struct edge_label *label)
{
    struct path path = {.text = draft->labels.reading->grammar->labels.item[label->label].text, .states = 2};
    struct path_step step = {.to = 1, .kind = PATH_TYPE, .label = label->label, .is_exact = label->is_exact};
    label->kind = EDGE_PATH;
    label->path = (uint32_t)draft->labels.rule->paths.count;
    if (vector_push(&path.steps, step) && vector_push(&path.accepting, false) && vector_push(&path.accepting, true) &&
        vector_push(&draft->labels.rule->paths, path))
        return true;
    free(path.steps.item);
    free(path.accepting.item);
    return no_memory(draft->labels.reading);
}

/* What may be created and deleted: labels, wildcards that are known, and equality as a merger. */
static bool check_change(struct draft *draft, const struct label_parts *parts, enum aspect role,
                         const struct edge_label *label)
{
    const struct rule *rule = draft->labels.rule;
    if (label->is_negated)
        return draft_wrong(draft, parts->at, "what must be absent can be neither created nor deleted");
    if (label->kind == EDGE_PATH)
        return draft_wrong(draft, parts->at, "a path can be neither created nor deleted");
    if (label->kind == EDGE_EQUAL && role == ASPECT_ERASER)
        return draft_wrong(draft, parts->at, "'=' cannot be deleted");
    if (label->kind == EDGE_CHOICE && role != ASPECT_ERASER && rule->choices.item[label->choice].variable == NO_NUMBER)
        return draft_wrong(draft, parts->at, "which label is to be created? A wildcard needs a name here, as ?x");
    return true;
}

/* Settles the role once the label is known: paths, equality and negations do not inherit deletion. */
static bool settle_role(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts,
                        struct edge_label *label, enum aspect *role)
{
    bool at_embargo = draft->nodes[edge->from].role == ASPECT_EMBARGO || draft->nodes[edge->to].role == ASPECT_EMBARGO;
    bool explicit = parts->role != ASPECT_NONE && parts->role != ASPECT_READER;
    if (!explicit && !at_embargo && *role == ASPECT_ERASER &&
        (label->kind == EDGE_PATH || label->kind == EDGE_EQUAL || label->is_negated))
        *role = ASPECT_READER;
    if (*role == ASPECT_ERASER || *role == ASPECT_CREATOR || *role == ASPECT_ADDER)
        return check_change(draft, parts, *role, label);
    if (!label->is_negated)
        return true;
    if (*role == ASPECT_EMBARGO && !at_embargo)
        return draft_wrong(draft, parts->at, "'not:' and '!' together say that something is there");
    if (!at_embargo)
        label->is_negated = false; /* an embargo of its own */
    *role = ASPECT_EMBARGO;
    return true;
}

static enum role role_of_edge(enum aspect role)
{
    switch (role) {
    case ASPECT_ERASER: return ROLE_ERASER;
    case ASPECT_CREATOR:
    case ASPECT_ADDER: return ROLE_CREATOR;
    case ASPECT_EMBARGO: return ROLE_EMBARGO;
    default: return ROLE_READER;
    }
}

static bool find_level(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts,
                       uint32_t *level)
{
    *level = deeper_level(draft, parts->at, draft->nodes[edge->from].level, draft->nodes[edge->to].level);
    if (!parts->level || *level == NO_NUMBER)
        return *level != NO_NUMBER;
    const struct rule *rule = draft->labels.rule;
    for (size_t i = 0; i < rule->levels.count; i++)
        if (rule->levels.item[i].name && strcmp(rule->levels.item[i].name, parts->level) == 0) {
            *level = deeper_level(draft, parts->at, *level, (uint32_t)i);
            return *level != NO_NUMBER;
        }
    return groove_wrong(draft->labels.reading, draft->labels.file, parts->at, "there is no quantifier '%.80s'",
                        parts->level);
}

/* GROOVE numbers nodes by the digits of their names. */
static unsigned long number_in_name(const struct draft *draft, uint32_t node)
{
    const char *name = names_get(&draft->gxl->ids, node);
    return strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

/* Of two nodes that are merged the first one stays, in GROOVE that with the smaller number; this tells graphs apart
 * where isomorphic ones are several states. */
static bool is_merged_backwards(const struct draft *draft, const struct gxl_edge *edge, enum aspect role,
                                const struct edge_label *label)
{
    return label->kind == EDGE_EQUAL && role_of_edge(role) == ROLE_CREATOR &&
           number_in_name(draft, edge->from) > number_in_name(draft, edge->to);
}

static bool make_edge(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts)
{
    struct edge_label label;
    enum aspect role;
    uint32_t level;
    if (draft->nodes[edge->from].number == NO_NUMBER || draft->nodes[edge->to].number == NO_NUMBER)
        return draft_wrong(draft, parts->at, "an edge with this label cannot be at a quantifier or product node");
    if (!path_expression_parse(&draft->labels, parts, &label) || !find_role(draft, edge, parts, &role) ||
        !settle_role(draft, edge, parts, &label, &role) || !find_level(draft, edge, parts, &level))
        return false;
    if (label.is_type && label.kind == EDGE_LABEL) {
        bool is_nodes_own = role == ASPECT_READER || role == draft->nodes[edge->from].role;
        if (is_nodes_own && !label.is_negated)
            return set_type(draft, edge, parts, &label);
        if (role != ASPECT_EMBARGO)
            return draft_wrong(draft, parts->at, "the type of a node cannot change");
        if (!type_as_path(draft, &label))
            return false;
    }
    if (role == ASPECT_ADDER) {
        uint32_t number = (uint32_t)draft->labels.rule->edges.count;
        if (!vector_push(&draft->adders, number))
            return no_memory(draft->labels.reading);
    }
    bool backwards = is_merged_backwards(draft, edge, role, &label);
    return add_rule_edge(draft, (struct rule_edge){.role = role_of_edge(role),
                                                   .kind = label.kind,
                                                   .is_negated = label.is_negated,
                                                   .level = level,
                                                   .embargo = NO_NUMBER,
                                                   .from = draft->nodes[backwards ? edge->to : edge->from].number,
                                                   .to = draft->nodes[backwards ? edge->from : edge->to].number,
                                                   .label = label.label,
                                                   .choice = label.choice,
                                                   .path = label.path,
                                                   .line = parts->at.line,
                                                   .column = parts->at.column});
}

static bool connect_embargoes(struct draft *draft, const struct gxl_edge *edge, const struct label_parts *parts)
{
    if (draft->nodes[edge->from].role != ASPECT_EMBARGO || draft->nodes[edge->to].role != ASPECT_EMBARGO)
        return draft_wrong(draft, parts->at, "'or:' connects two nodes that are forbidden");
    struct connection connection = {draft->nodes[edge->from].number, draft->nodes[edge->to].number};
    return vector_push(&draft->connections, connection) || no_memory(draft->labels.reading);
}

static bool read_edge(struct draft *draft, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (draft->nodes[edge->from].is_remark || draft->nodes[edge->to].is_remark || *edge->label == '\0')
        return true;
    if (!label_split(draft->labels.reading, draft->labels.file, edge, IN_RULE, &parts))
        return false;
    switch (parts.aspect) {
    case ASPECT_NESTED:
        return nesting(draft, edge) || draft_wrong(draft, parts.at, "'at', 'in' or 'count' is expected here");
    case ASPECT_OR: return connect_embargoes(draft, edge, &parts);
    case ASPECT_PATH: return make_edge(draft, edge, &parts);
    case ASPECT_NONE: break;
    default: return true; /* of a node, or of a product */
    }
    if (edge->from == edge->to && *parts.text == '\0' && !parts.is_literal)
        return true;
    if (*parts.text == '\0')
        return draft_wrong(draft, parts.at, "an edge between two nodes has a role but no label");
    return nesting(draft, edge) || make_edge(draft, edge, &parts);
}

bool draft_edges(struct draft *draft)
{
    for (size_t i = 0; i < draft->gxl->edges.count; i++)
        if (!read_edge(draft, &draft->gxl->edges.item[i]))
            return false;
    return true;
}
