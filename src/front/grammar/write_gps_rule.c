/* SPDX-License-Identifier: Apache-2.0 */
/* A rule as a graph whose labels say what becomes of its parts: del:, new:, not:, forall: and so on. */
#include "front/grammar/write_gps.h"

#include "front/grammar/write.h"

#include "base/diagnostic.h"

#include <inttypes.h>
#include <string.h>

static const char *const role_words[] = {"use", "del", "new", "not"};

/* ------------------------------------------------------------------ levels */

/* The prefix of an edge: its role, and its level where its ends do not tell it. */
static const char *edge_prefix(const struct rule *rule, const struct rule_edge *edge, char *text, size_t size)
{
    uint32_t from = rule->nodes.item[edge->from].level, to = rule->nodes.item[edge->to].level;
    if (edge->level != 0 && edge->level != from && edge->level != to)
        snprintf(text, size, "%s=q%" PRIu32 ":", role_words[edge->role], edge->level);
    else
        snprintf(text, size, "%s:", role_words[edge->role]);
    return text;
}

static void write_levels(struct gps_writer *w, const struct rule *rule)
{
    static const char *const words[] = {"", "forall", "forallx", "exists", "existsx"};
    char name[32];
    for (uint32_t i = 1; i < rule->levels.count; i++) {
        const struct rule_level *level = &rule->levels.item[i];
        snprintf(name, sizeof name, "=q%" PRIu32 ":", i);
        gps_node(w, "q", i);
        gps_edge(w, "q", i, "q", i, words[level->kind], name, NULL);
    }
}

/* Behind the nodes that they lead to. */
static void write_level_edges(struct gps_writer *w, const struct rule *rule)
{
    for (uint32_t i = 1; i < rule->levels.count; i++) {
        const struct rule_level *level = &rule->levels.item[i];
        if (level->parent != 0)
            gps_edge(w, "q", i, "q", level->parent, "nested:in", NULL);
        if (level->count != NO_NUMBER)
            gps_edge(w, "q", i, "n", level->count, "nested:count", NULL);
    }
}

/* ------------------------------------------------------------------ nodes */

static void write_type(struct gps_writer *w, const struct rule_node *node, uint32_t number)
{
    char variable[32];
    if (node->type_variable != NO_NUMBER) {
        snprintf(variable, sizeof variable, "type:?v%" PRIu32, node->type_variable);
        gps_edge(w, "n", number, "n", number, variable, NULL);
    }
    if (node->type != NO_NUMBER)
        gps_edge(w, "n", number, "n", number,
                 node->is_exact_type ? "#" : "type:", w->grammar->labels.item[node->type].text, NULL);
}

static void write_value_node(struct gps_writer *w, const struct rule_node *node, uint32_t number)
{
    static const char *const sorts[] = {"", "int:", "real:", "bool:", "string:"};
    char text[1024];
    gps_edge(w, "n", number, "n", number, node->role == ROLE_EMBARGO ? "not:" : "",
             node->value != NO_NUMBER ? gps_value(w, node->value, text, sizeof text) : sorts[node->sort], NULL);
}

static void write_nodes(struct gps_writer *w, const struct rule *rule)
{
    for (uint32_t i = 0; i < rule->nodes.count; i++) {
        const struct rule_node *node = &rule->nodes.item[i];
        gps_node(w, "n", i);
        if (node->role != ROLE_READER && node->sort == SORT_NONE)
            gps_edge(w, "n", i, "n", i, role_words[node->role], ":", NULL);
        if (node->sort != SORT_NONE)
            write_value_node(w, node, i);
        write_type(w, node, i);
        if (node->level != 0)
            gps_edge(w, "n", i, "q", node->level, "nested:at", NULL);
    }
}

static void write_parameters(struct gps_writer *w, const struct rule *rule)
{
    static const char *const words[] = {"parin:", "parout:", "par:"};
    char number[16];
    uint32_t shown = 0;
    for (size_t i = 0; i < rule->parameters.count; i++) {
        const struct rule_parameter *parameter = &rule->parameters.item[i];
        snprintf(number, sizeof number, "%" PRIu32, shown);
        shown += !parameter->is_hidden;
        gps_edge(w, "n", parameter->node, "n", parameter->node, words[parameter->direction],
                 parameter->is_hidden ? "" : number, NULL);
    }
}

/* ------------------------------------------------------------------ edges */

static bool is_bare(const char *text)
{
    size_t length = strlen(text);
    size_t plain =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"); /* a hyphen only within */
    return length && plain == length;
}

/* A label as an expression has it: in quotes where it needs them. */
static void write_atom(FILE *out, const char *text)
{
    if (is_bare(text)) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('\'', out);
}

static void write_choice(const struct gps_writer *w, const struct label_choice *choice, FILE *out)
{
    static const char *const kinds[] = {"", "flag:", "type:"};
    fprintf(out, "%s?", kinds[choice->kind]);
    if (choice->variable != NO_NUMBER)
        fprintf(out, "v%" PRIu32, choice->variable);
    for (size_t i = 0; i < choice->labels.count; i++) {
        fputs(i ? "," : choice->is_complement ? "[^" : "[", out);
        write_atom(out, w->grammar->labels.item[choice->labels.item[i]].text);
    }
    if (choice->labels.count)
        putc(']', out);
}

static void write_expression(const struct gps_writer *w, const struct rule *rule, const struct rule_edge *edge,
                             FILE *out)
{
    static const char *const kinds[] = {"", "flag:", "type:"};
    if (edge->kind == EDGE_PATH) {
        int length;
        const char *core = path_core(&rule->paths.item[edge->path], &length);
        fprintf(out, "{%s%.*s}", edge->is_negated ? "!" : "", length, core);
        return;
    }
    fputs(edge->is_negated ? "!" : "", out);
    if (edge->kind == EDGE_EQUAL) {
        putc('=', out);
    } else if (edge->kind == EDGE_CHOICE) {
        write_choice(w, &rule->choices.item[edge->choice], out);
    } else {
        const struct label *label = &w->grammar->labels.item[edge->label];
        fputs(kinds[label->kind], out);
        if (label->kind == LABEL_BINARY)
            write_atom(out, label->text);
        else
            fputs(label->text, out);
    }
}

static void write_edges(struct gps_writer *w, const struct rule *rule)
{
    for (size_t i = 0; i < rule->edges.count && !w->status; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        char prefix[32], *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        if (!stream) {
            w->status = fail_memory(w->error);
            return;
        }
        write_expression(w, rule, edge, stream);
        if (fclose(stream) != 0)
            w->status = fail_memory(w->error);
        else
            gps_edge(w, "n", edge->from, "n", edge->to, edge_prefix(rule, edge, prefix, sizeof prefix), text, NULL);
        free(text);
    }
}

/* ------------------------------------------------------------------ operations */

/* Each is a product node with edges to its operands, and one with its name to the result. */
static void write_operations(struct gps_writer *w, const struct rule *rule)
{
    static const char *const names[] = {[OPERATOR_ADD] = "add",
                                        [OPERATOR_SUB] = "sub",
                                        [OPERATOR_MUL] = "mul",
                                        [OPERATOR_DIV] = "div",
                                        [OPERATOR_MOD] = "mod",
                                        [OPERATOR_MIN] = "min",
                                        [OPERATOR_MAX] = "max",
                                        [OPERATOR_NEG] = "neg",
                                        [OPERATOR_ABS] = "abs",
                                        [OPERATOR_EQ] = "eq",
                                        [OPERATOR_NEQ] = "neq",
                                        [OPERATOR_LT] = "lt",
                                        [OPERATOR_LE] = "le",
                                        [OPERATOR_GT] = "gt",
                                        [OPERATOR_GE] = "ge",
                                        [OPERATOR_AND] = "and",
                                        [OPERATOR_OR] = "or",
                                        [OPERATOR_NOT] = "not",
                                        [OPERATOR_IMPLIES] = "implies",
                                        [OPERATOR_CONCAT] = "concat",
                                        [OPERATOR_LENGTH] = "length",
                                        [OPERATOR_ITE] = "ite",
                                        [OPERATOR_TO_INT] = "toInt",
                                        [OPERATOR_TO_REAL] = "toReal",
                                        [OPERATOR_TO_STRING] = "toString"};
    static const char *const sorts[] = {"", "int:", "real:", "bool:", "string:"};
    for (uint32_t i = 0; i < rule->operations.count; i++) {
        const struct rule_operation *operation = &rule->operations.item[i];
        char argument[24];
        if (operation->embargo != NO_NUMBER) {
            gps_refuse(w, "rule '%.100s': a .gps has no conditions on values in an embargo", rule->name);
            return;
        }
        gps_node(w, "p", i);
        gps_edge(w, "p", i, "p", i, "prod:", NULL);
        if (operation->level != 0)
            gps_edge(w, "p", i, "q", operation->level, "nested:at", NULL);
        for (uint32_t j = 0; j < operation->operand_count; j++) {
            snprintf(argument, sizeof argument, "arg:%" PRIu32, j);
            gps_edge(w, "p", i, "n", operation->operand[j], argument, NULL);
        }
        gps_edge(w, "p", i, "n", operation->result, sorts[operation->sort], names[operation->kind], NULL);
    }
}

/* ------------------------------------------------------------------ embargoes */

static uint32_t root_of(const uint32_t *parent, uint32_t node)
{
    while (parent[node] != node)
        node = parent[node];
    return node;
}

/* Parts of an embargo belong together there if nodes of its own connect them; an edge between others is one alone. */
static bool is_connected(const struct rule *rule, uint32_t embargo, uint32_t *parent)
{
    uint32_t groups = 0, alone = 0;
    for (uint32_t i = 0; i < rule->nodes.count; i++) {
        parent[i] = i;
        groups += rule->nodes.item[i].embargo == embargo;
    }
    for (size_t i = 0; i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        if (edge->embargo != embargo)
            continue;
        bool from = rule->nodes.item[edge->from].embargo == embargo, to = rule->nodes.item[edge->to].embargo == embargo;
        uint32_t a = root_of(parent, edge->from), b = root_of(parent, edge->to);
        alone += !from && !to;
        if (from && to && a != b) {
            parent[a] = b;
            groups--;
        }
    }
    return groups + alone <= 1;
}

static void check_embargoes(struct gps_writer *w, const struct rule *rule)
{
    uint32_t *parent = calloc(rule->nodes.count + 1, sizeof *parent);
    if (!parent)
        w->status = fail_memory(w->error);
    for (uint32_t i = 0; i < rule->embargoes.count && !w->status; i++)
        if (!is_connected(rule, i, parent))
            gps_refuse(w, "rule '%.100s': in a .gps nodes of an embargo connect all of it, and here they do not",
                       rule->name);
    free(parent);
}

/* ------------------------------------------------------------------ the rule */

static void write_attribute(struct gps_writer *w, const char *name, const char *value)
{
    fprintf(w->out, "        <attr name=\"%s\"><string>%s</string></attr>\n", name, value);
}

enum portolan_status gps_write_rule(struct gps_writer *w, const struct rule *rule)
{
    char priority[24];
    check_embargoes(w, rule);
    snprintf(priority, sizeof priority, "%" PRId64, rule->priority);
    if (rule->priority)
        write_attribute(w, "priority", priority);
    if (!rule->is_enabled)
        write_attribute(w, "enabled", "false");
    if (rule->is_injective)
        write_attribute(w, "injective", "true");
    if (rule->action_role != ACTION_BY_EFFECT)
        write_attribute(w, "actionRole", rule->action_role == ACTION_CONDITION ? "condition" : "transformer");
    write_levels(w, rule);
    write_nodes(w, rule);
    write_level_edges(w, rule);
    write_operations(w, rule);
    write_edges(w, rule);
    write_parameters(w, rule);
    return w->status;
}
