/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a rule as text: level by level, in each what is matched, deleted, created, forbidden, and the levels below.
 */
#include "front/grammar/write.h"

#include "base/diagnostic.h"
#include "front/grammar/ast.h"

#include <inttypes.h>
#include <string.h>

static const char *const role_prefix[] = {"", "- ", "+ ", ""};

/* ------------------------------------------------------------------ nodes */

static const struct rule_node *node_of(const struct writer *w, uint32_t node)
{
    return &w->rule->nodes.item[node];
}

static bool names_are_distinct(const struct rule *rule)
{
    struct names names = {0};
    bool is_distinct = true;
    for (size_t i = 0; i < rule->nodes.count && is_distinct; i++) {
        const struct rule_node *node = &rule->nodes.item[i];
        uint32_t known = names_count(&names), number;
        if (node->value == NO_NUMBER)
            is_distinct = node->name && node->name[0] && names_add(&names, node->name, &number) && number == known;
    }
    names_clear(&names);
    return is_distinct;
}

void write_node_name(struct writer *w, uint32_t node)
{
    const struct rule_node *n = node_of(w, node);
    if (n->value != NO_NUMBER)
        write_value(w, &w->grammar->values.item[n->value]);
    else if (w->keeps_names)
        write_name(w, n->name);
    else
        fprintf(w->out, "n%" PRIu32, node);
}

/* Could the edge, a loop, stand in its node's declaration?  It has the node's role, level and embargo then. */
static bool fits_declaration(const struct writer *w, const struct rule_edge *edge)
{
    const struct rule_node *node = node_of(w, edge->from);
    bool is_label = edge->kind == EDGE_LABEL && label_kind(w, edge->label) != LABEL_BINARY && !edge->is_negated;
    bool same_role = edge->role == node->role || (edge->role == ROLE_READER && node->role == ROLE_ERASER);
    return is_label && edge->from == edge->to && same_role && edge->level == node->level &&
           edge->embargo == node->embargo;
}

/* All flags do, and the first type of a node that has none of its own. */
static bool is_in_declaration(const struct writer *w, const struct rule_edge *edge)
{
    if (!fits_declaration(w, edge))
        return false;
    if (label_kind(w, edge->label) == LABEL_FLAG)
        return true;
    for (const struct rule_edge *other = w->rule->edges.item; other < edge; other++)
        if (other->from == edge->from && fits_declaration(w, other) && label_kind(w, other->label) == LABEL_TYPE)
            return false;
    return node_of(w, edge->from)->type == NO_NUMBER && node_of(w, edge->from)->type_variable == NO_NUMBER;
}

static void write_choice(struct writer *w, uint32_t number)
{
    const struct label_choice *choice = &w->rule->choices.item[number];
    putc('?', w->out);
    if (choice->variable != NO_NUMBER)
        fprintf(w->out, "v%" PRIu32, choice->variable);
    for (size_t i = 0; i < choice->labels.count; i++) {
        fputs(i ? "," : choice->is_complement ? "[^" : "[", w->out);
        write_name(w, label_text(w, choice->labels.item[i]));
    }
    if (choice->labels.count)
        putc(']', w->out);
}

static void write_node_type(struct writer *w, const struct rule_node *n)
{
    if (n->sort != SORT_NONE)
        fprintf(w->out, ": %s", gg_sort_word(n->sort));
    else if (n->type != NO_NUMBER && n->type_variable != NO_NUMBER)
        refuse(w, "a node has a type and a variable for it");
    else if (n->type_variable != NO_NUMBER)
        fprintf(w->out, ": ?v%" PRIu32, n->type_variable);
    if (n->type == NO_NUMBER)
        return;
    fputs(n->is_exact_type ? ": #" : ": ", w->out);
    write_name(w, label_text(w, n->type));
}

static void write_type(struct writer *w, uint32_t node)
{
    for (size_t i = 0; i < w->rule->edges.count; i++) {
        const struct rule_edge *edge = &w->rule->edges.item[i];
        if (edge->from != node || !is_in_declaration(w, edge) || label_kind(w, edge->label) != LABEL_TYPE)
            continue;
        fputs(": ", w->out);
        write_name(w, label_text(w, edge->label));
    }
}

static void write_flags(struct writer *w, uint32_t node)
{
    const char *before = " [";
    for (size_t i = 0; i < w->rule->edges.count; i++) {
        const struct rule_edge *edge = &w->rule->edges.item[i];
        if (edge->from != node || !is_in_declaration(w, edge) || label_kind(w, edge->label) != LABEL_FLAG)
            continue;
        fputs(before, w->out);
        write_name(w, label_text(w, edge->label));
        before = ", ";
    }
    if (*before == ',')
        putc(']', w->out);
}

static void write_declaration(struct writer *w, uint32_t node)
{
    write_node_name(w, node);
    write_node_type(w, node_of(w, node));
    write_type(w, node);
    write_flags(w, node);
    w->is_declared[node] = true;
}

/* ------------------------------------------------------------------ edges */

const char *path_core(const struct path *path, int *length)
{
    const char *text = path->text + strspn(path->text, " \t");
    size_t size = strlen(text);
    while (size && strchr(" \t", text[size - 1]))
        size--;
    if (size >= 2 && text[0] == '{' && text[size - 1] == '}' && !memchr(text, '}', size - 1)) {
        text++;
        size -= 2;
    }
    bool is_negated = size && text[0] == '!';
    *length = (int)size - is_negated;
    return text + is_negated;
}

static void write_label(struct writer *w, const struct rule_edge *edge)
{
    int length;
    enum label_kind kind = LABEL_BINARY;
    if (edge->kind == EDGE_LABEL && !edge->is_negated) {
        write_name(w, label_text(w, edge->label));
        return;
    }
    if (edge->kind == EDGE_CHOICE)
        kind = w->rule->choices.item[edge->choice].kind;
    if (edge->kind == EDGE_PATH && strpbrk(w->rule->paths.item[edge->path].text, "\n\r"))
        refuse(w, "a path of several lines");
    if (edge->kind == EDGE_PATH && strstr(w->rule->paths.item[edge->path].text, "}-"))
        refuse(w, "a path with }- in it");
    bool in_braces = edge->kind == EDGE_PATH || kind != LABEL_BINARY || edge->is_negated;
    fprintf(w->out, "%s%s%s", in_braces ? "{" : "", edge->is_negated ? "!" : "",
            kind == LABEL_TYPE   ? "type:"
            : kind == LABEL_FLAG ? "flag:"
                                 : "");
    if (edge->kind == EDGE_PATH) {
        const char *core = path_core(&w->rule->paths.item[edge->path], &length);
        fprintf(w->out, "%.*s", length, core);
    } else if (edge->kind == EDGE_LABEL)
        write_name(w, label_text(w, edge->label));
    else
        write_choice(w, edge->choice);
    fputs(in_braces ? "}" : "", w->out);
}

/* Is the node found by matching?  A value that nothing leads to in its own part is computed, or counts a level. */
static bool is_matched(const struct writer *w, uint32_t node)
{
    const struct rule_node *n = node_of(w, node);
    if (n->sort == SORT_NONE)
        return true;
    for (size_t i = 0; i < w->rule->edges.count; i++) {
        const struct rule_edge *edge = &w->rule->edges.item[i];
        if (edge->to == node && edge->role != ROLE_CREATOR && edge->level == n->level && edge->embargo == n->embargo)
            return true;
    }
    for (size_t i = 0; i < w->rule->operations.count; i++)
        if (w->rule->operations.item[i].result == node)
            return false;
    for (size_t i = 0; i < w->rule->levels.count; i++)
        if (w->rule->levels.item[i].count == node)
            return false;
    return true;
}

/* An end of an edge, declared here if it is new and belongs to the same part of the rule. */
static void write_end(struct writer *w, const struct rule_edge *edge, uint32_t node)
{
    const struct rule_node *n = node_of(w, node);
    bool same_part = n->level == edge->level && n->embargo == edge->embargo &&
                     (n->role == ROLE_CREATOR) == (edge->role == ROLE_CREATOR);
    if (w->is_declared[node])
        write_node_name(w, node);
    else if (same_part && is_matched(w, node))
        write_declaration(w, node);
    else
        refuse(w, "an edge leads to something that nothing defines");
}

static void write_edge(struct writer *w, const struct rule_edge *edge, const char *equal)
{
    bool is_label = edge->kind == EDGE_LABEL && label_kind(w, edge->label) != LABEL_BINARY;
    write_end(w, edge, edge->from);
    if (is_label) {
        bool is_type = label_kind(w, edge->label) == LABEL_TYPE;
        fputs(is_type ? ": " : " [", w->out);
        write_name(w, label_text(w, edge->label));
        fputs(is_type ? "" : "]", w->out);
        return;
    }
    if (edge->kind == EDGE_EQUAL) {
        fprintf(w->out, " %s ", edge->is_negated ? "!=" : equal);
    } else {
        fputs(" -", w->out);
        write_label(w, edge);
        fputs("-> ", w->out);
    }
    write_end(w, edge, edge->to);
}

/* ------------------------------------------------------------------ operations */

static const char *const infix[] = {
    [OPERATOR_ADD] = "+", [OPERATOR_SUB] = "-",      [OPERATOR_MUL] = "*",    [OPERATOR_DIV] = "/",
    [OPERATOR_MOD] = "%", [OPERATOR_EQ] = "==",      [OPERATOR_NEQ] = "!=",   [OPERATOR_LT] = "<",
    [OPERATOR_LE] = "<=", [OPERATOR_GT] = ">",       [OPERATOR_GE] = ">=",    [OPERATOR_AND] = "&&",
    [OPERATOR_OR] = "||", [OPERATOR_IMPLIES] = "=>", [OPERATOR_CONCAT] = "+", [OPERATOR_TO_STRING] = NULL};
static const char *const prefix[] = {
    [OPERATOR_MIN] = "min",      [OPERATOR_MAX] = "max",        [OPERATOR_NEG] = "-",
    [OPERATOR_ABS] = "abs",      [OPERATOR_NOT] = "!",          [OPERATOR_LENGTH] = "length",
    [OPERATOR_TO_INT] = "toInt", [OPERATOR_TO_REAL] = "toReal", [OPERATOR_TO_STRING] = "toString"};

static void write_operation(struct writer *w, const struct rule_operation *operation)
{
    const char *between = infix[operation->kind];
    if (operation->kind == OPERATOR_ITE) {
        write_node_name(w, operation->operand[0]);
        fputs(" ? ", w->out);
        write_node_name(w, operation->operand[1]);
        fputs(" : ", w->out);
        write_node_name(w, operation->operand[2]);
        return;
    }
    if (!between)
        fprintf(w->out, "%s(", prefix[operation->kind]);
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        if (i)
            fprintf(w->out, between ? " %s " : "%s ", between ? between : ",");
        write_node_name(w, operation->operand[i]);
    }
    fputs(between ? "" : ")", w->out);
}

static bool operands_are_declared(const struct writer *w, const struct rule_operation *operation)
{
    for (uint32_t i = 0; i < operation->operand_count; i++)
        if (!w->is_declared[operation->operand[i]])
            return false;
    return true;
}

/* let m = a + b; where a < b; where (a + b) == m */
static void write_computation(struct writer *w, const struct rule_operation *operation)
{
    const struct rule_node *result = node_of(w, operation->result);
    bool is_constant = result->value != NO_NUMBER;
    bool is_true = is_constant && result->sort == SORT_BOOL && w->grammar->values.item[result->value].integer;
    if (!w->is_declared[operation->result]) {
        fputs("let ", w->out);
        write_node_name(w, operation->result);
        fputs(" = ", w->out);
        write_operation(w, operation);
        w->is_declared[operation->result] = true;
        return;
    }
    fputs(is_true ? "where " : "where (", w->out);
    write_operation(w, operation);
    if (is_true)
        return;
    fputs(") == ", w->out);
    write_node_name(w, operation->result);
}

/* In an order in which what is needed comes first; false when some are left. */
static bool write_operations(struct writer *w, uint32_t level, uint32_t embargo)
{
    bool left = true;
    for (bool grew = true; grew && left;) {
        grew = left = false;
        for (size_t i = 0; i < w->rule->operations.count; i++) {
            const struct rule_operation *operation = &w->rule->operations.item[i];
            if (w->is_done[i] || operation->level != level || operation->embargo != embargo)
                continue;
            left = true;
            if (!operands_are_declared(w, operation))
                continue;
            write_indent(w);
            write_computation(w, operation);
            fputs(";\n", w->out);
            grew = w->is_done[i] = true;
        }
    }
    return !left;
}

/* ------------------------------------------------------------------ parts of a level */

static void write_nodes(struct writer *w, uint32_t level, uint32_t embargo, bool created)
{
    for (uint32_t i = 0; i < w->rule->nodes.count; i++) {
        const struct rule_node *node = node_of(w, i);
        if (node->level != level || node->embargo != embargo || node->value != NO_NUMBER ||
            (node->role == ROLE_CREATOR) != created || w->is_declared[i] || !is_matched(w, i))
            continue;
        write_indent(w);
        fputs(created ? "+ " : "", w->out);
        write_declaration(w, i);
        fputs(";\n", w->out);
    }
}

/* Edges at a deleted node need no sign. */
static const char *edge_prefix(const struct writer *w, const struct rule_edge *edge)
{
    bool goes_with_node = node_of(w, edge->from)->role == ROLE_ERASER || node_of(w, edge->to)->role == ROLE_ERASER;
    return edge->role == ROLE_ERASER && goes_with_node ? "" : role_prefix[edge->role];
}

/* Edges that are found with or without a sign before them, or are created. */
static void write_edges(struct writer *w, uint32_t level, uint32_t embargo, char sign, bool labels)
{
    for (size_t i = 0; i < w->rule->edges.count; i++) {
        const struct rule_edge *edge = &w->rule->edges.item[i];
        const char *before = edge_prefix(w, edge);
        bool is_label = edge->kind == EDGE_LABEL && label_kind(w, edge->label) != LABEL_BINARY;
        if (edge->level != level || edge->embargo != embargo || before[0] != sign || is_in_declaration(w, edge) ||
            is_label != labels)
            continue;
        write_indent(w);
        fputs(before, w->out);
        write_edge(w, edge, "=");
        fputs(";\n", w->out);
    }
}

static void write_deleted_nodes(struct writer *w, uint32_t level)
{
    for (uint32_t i = 0; i < w->rule->nodes.count; i++) {
        const struct rule_node *node = node_of(w, i);
        if (node->level != level || node->role != ROLE_ERASER)
            continue;
        write_indent(w);
        fputs("- ", w->out);
        write_node_name(w, i);
        fputs(";\n", w->out);
    }
}

/* What is found, or what is forbidden together: edges, nodes without any, further labels. */
static void write_pattern(struct writer *w, uint32_t level, uint32_t embargo)
{
    write_edges(w, level, embargo, '\0', false);
    write_nodes(w, level, embargo, false);
    write_edges(w, level, embargo, '\0', true);
}

static void write_created(struct writer *w, uint32_t level)
{
    write_edges(w, level, NO_NUMBER, '+', false);
    write_nodes(w, level, NO_NUMBER, true);
    write_edges(w, level, NO_NUMBER, '+', true);
}

static bool is_forbidden_node(const struct writer *w, uint32_t node)
{
    return node_of(w, node)->role == ROLE_EMBARGO;
}

/* The one edge that, with its ends, is all of an embargo; NULL when it has more, or a != would find a node of it. */
static const struct rule_edge *only_edge(const struct writer *w, uint32_t embargo)
{
    const struct rule_edge *only = NULL;
    for (size_t i = 0; i < w->rule->operations.count; i++)
        if (w->rule->operations.item[i].embargo == embargo)
            return NULL;
    for (size_t i = 0; i < w->rule->edges.count; i++) {
        const struct rule_edge *edge = &w->rule->edges.item[i];
        if (edge->embargo != embargo || is_in_declaration(w, edge))
            continue;
        if (only)
            return NULL;
        only = edge->is_negated ? NULL : edge;
        if (!only)
            return NULL;
    }
    for (uint32_t i = 0; i < w->rule->nodes.count && only; i++)
        if (w->rule->nodes.item[i].embargo == embargo && i != only->from && i != only->to)
            return NULL;
    if (only && only->kind == EDGE_EQUAL && (is_forbidden_node(w, only->from) || is_forbidden_node(w, only->to)))
        return NULL;
    return only;
}

static void write_embargo(struct writer *w, uint32_t level, uint32_t embargo)
{
    const struct rule_edge *only = only_edge(w, embargo);
    write_indent(w);
    if (only) {
        fputs(only->kind == EDGE_EQUAL ? "" : "not ", w->out);
        write_edge(w, only, "!=");
        fputs(";\n", w->out);
        return;
    }
    fputs("not {\n", w->out);
    w->indent++;
    write_pattern(w, level, embargo);
    if (!write_operations(w, level, embargo))
        refuse(w, "a value in an embargo is computed from one that nothing defines");
    w->indent--;
    write_indent(w);
    fputs("};\n", w->out);
}

static void write_level(struct writer *w, uint32_t level);

static void write_sublevels(struct writer *w, uint32_t level)
{
    static const char *const words[] = {"", "forall", "forall nonempty", "exists", "exists optional"};
    for (uint32_t i = 1; i < w->rule->levels.count && !w->status; i++) {
        const struct rule_level *below = &w->rule->levels.item[i];
        if (below->parent != level)
            continue;
        write_indent(w);
        fputs(words[below->kind], w->out);
        if (below->count != NO_NUMBER) {
            fputs(" count ", w->out);
            write_node_name(w, below->count);
            if (!w->is_declared[below->count])
                fputs(": int", w->out);
            w->is_declared[below->count] = true;
        }
        fputs(" {\n", w->out);
        w->indent++;
        write_level(w, i);
        w->indent--;
        write_indent(w);
        fputs("}\n", w->out);
    }
}

/* A parameter that is a constant needs a name. */
static void write_constant_parameters(struct writer *w)
{
    for (size_t i = 0; i < w->rule->parameters.count; i++)
        if (node_of(w, w->rule->parameters.item[i].node)->value != NO_NUMBER) {
            fprintf(w->out, "    let parameter%zu = ", i);
            write_node_name(w, w->rule->parameters.item[i].node);
            fputs(";\n", w->out);
        }
}

static bool has_counts(const struct writer *w, uint32_t level)
{
    for (size_t i = 1; i < w->rule->levels.count; i++)
        if (w->rule->levels.item[i].parent == level && w->rule->levels.item[i].count != NO_NUMBER)
            return true;
    return false;
}

/* What levels below count can be created only behind these levels. */
static void write_level(struct writer *w, uint32_t level)
{
    write_pattern(w, level, NO_NUMBER);
    if (level == 0)
        write_constant_parameters(w);
    write_edges(w, level, NO_NUMBER, '-', false);
    write_edges(w, level, NO_NUMBER, '-', true);
    write_deleted_nodes(w, level);
    write_operations(w, level, NO_NUMBER);
    for (uint32_t i = 0; i < w->rule->embargoes.count; i++)
        if (w->rule->embargoes.item[i].level == level)
            write_embargo(w, level, i);
    bool counts = has_counts(w, level);
    if (!counts)
        write_created(w, level);
    write_sublevels(w, level);
    if (!write_operations(w, level, NO_NUMBER))
        refuse(w, "a value is computed from one that nothing defines");
    if (counts)
        write_created(w, level);
}

/* ------------------------------------------------------------------ the rule */

static void write_parameters(struct writer *w)
{
    static const char *const words[] = {"in ", "out ", ""};
    for (size_t i = 0; i < w->rule->parameters.count; i++) {
        const struct rule_parameter *parameter = &w->rule->parameters.item[i];
        fprintf(w->out, "%s%s%s", i ? ", " : "(", parameter->is_hidden ? "hidden " : "", words[parameter->direction]);
        if (node_of(w, parameter->node)->value != NO_NUMBER)
            fprintf(w->out, "parameter%zu", i);
        else
            write_node_name(w, parameter->node);
    }
    if (w->rule->parameters.count)
        putc(')', w->out);
}

static void write_head(struct writer *w)
{
    static const char *const roles[] = {"", " transformer", " condition"};
    const struct rule *rule = w->rule;
    fputs("\nrule ", w->out);
    write_name(w, rule->name);
    write_parameters(w);
    if (rule->priority)
        fprintf(w->out, " priority %" PRId64, rule->priority);
    fprintf(w->out, "%s%s%s%s {\n", rule->is_injective ? " injective" : "", rule->checks_dangling ? " dangling" : "",
            rule->is_enabled ? "" : " disabled", roles[rule->action_role]);
}

/* Variables in a path have the names of its text, all others get new ones. */
static void check_paths(struct writer *w)
{
    for (size_t i = 0; i < w->rule->paths.count; i++)
        for (size_t j = 0; j < w->rule->paths.item[i].steps.count; j++) {
            const struct path_step *step = &w->rule->paths.item[i].steps.item[j];
            if (step->kind == PATH_CHOICE && w->rule->choices.item[step->choice].variable != NO_NUMBER)
                refuse(w, "a path with a variable for a label");
        }
}

enum portolan_status write_rule(struct writer *w, const struct rule *rule)
{
    w->rule = rule;
    check_paths(w);
    w->keeps_names = names_are_distinct(rule);
    w->is_declared = calloc(rule->nodes.count + 1, sizeof *w->is_declared);
    w->is_done = calloc(rule->operations.count + 1, sizeof *w->is_done);
    if (w->is_declared && w->is_done) {
        for (size_t i = 0; i < rule->nodes.count; i++)
            w->is_declared[i] = rule->nodes.item[i].value != NO_NUMBER;
        w->indent = 1;
        write_head(w);
        write_level(w, 0);
        fputs("}\n", w->out);
    } else {
        w->status = fail_memory(w->error);
    }
    free(w->is_declared);
    free(w->is_done);
    w->rule = NULL;
    return w->status;
}
