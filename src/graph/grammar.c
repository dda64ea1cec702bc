/* SPDX-License-Identifier: Apache-2.0 */
/* Building a grammar, and giving it back. */
#include "graph/grammar.h"

#include "base/arena.h"

#include <string.h>

struct grammar *grammar_new(const char *name, const char *format)
{
    struct grammar *g = calloc(1, sizeof *g);
    if (g && (g->arena = calloc(1, sizeof *g->arena))) {
        g->name = grammar_text(g, name, strlen(name));
        g->format = format;
    }
    if (g && g->name)
        return g;
    grammar_free(g);
    return NULL;
}

static void rule_clear(struct rule *rule)
{
    for (size_t i = 0; i < rule->choices.count; i++)
        free(rule->choices.item[i].labels.item);
    for (size_t i = 0; i < rule->paths.count; i++) {
        free(rule->paths.item[i].steps.item);
        free(rule->paths.item[i].accepting.item);
    }
    free(rule->levels.item);
    free(rule->embargoes.item);
    free(rule->nodes.item);
    free(rule->edges.item);
    free(rule->operations.item);
    free(rule->choices.item);
    free(rule->paths.item);
    free(rule->parameters.item);
}

static void clear_graph(struct host_graph *graph)
{
    free(graph->nodes.item);
    free(graph->edges.item);
}

void grammar_free(struct grammar *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->rules.count; i++)
        rule_clear(&g->rules.item[i]);
    for (size_t i = 0; i < g->node_types.count; i++)
        free(g->node_types.item[i].supertypes.item);
    if (g->control && g->free_control)
        g->free_control(g->control);
    free(g->labels.item);
    free(g->values.item);
    free(g->node_types.item);
    free(g->edge_types.item);
    for (size_t i = 0; i < g->other_starts.count; i++)
        clear_graph(&g->other_starts.item[i]);
    free(g->other_starts.item);
    clear_graph(&g->start);
    free(g->rules.item);
    names_clear(&g->label_index);
    sequences_clear(&g->value_index);
    if (g->arena)
        arena_clear(g->arena);
    free(g->arena);
    free(g);
}

const char *grammar_text(struct grammar *g, const char *text, size_t length)
{
    return arena_copy(g->arena, text, length);
}

uint32_t grammar_label(struct grammar *g, enum label_kind kind, const char *text)
{
    static const char prefix[] = "bft";
    size_t length = strlen(text);
    char *key = malloc(length + 2);
    uint32_t number = NO_NUMBER;
    if (!key)
        return NO_NUMBER;
    key[0] = prefix[kind];
    memcpy(key + 1, text, length + 1);
    bool fine = names_add(&g->label_index, key, &number);
    free(key);
    if (!fine || number < g->labels.count)
        return fine ? number : NO_NUMBER;
    const char *copy = grammar_text(g, text, length);
    return copy && vector_push(&g->labels, ((struct label){kind, copy})) ? number : NO_NUMBER;
}

/* A value as a sequence of numbers: its sort, then its bits. */
static uint32_t index_value(struct grammar *g, const struct value *value, bool *is_new)
{
    size_t length = value->sort == SORT_STRING ? strlen(value->string) : sizeof value->integer;
    uint32_t *key = calloc(2 + (length + 3) / 4, sizeof *key), number = SEQUENCE_NONE;
    if (key) {
        key[0] = value->sort;
        key[1] = (uint32_t)length;
        memcpy(key + 2, value->sort == SORT_STRING ? (const void *)value->string : &value->integer, length);
        number = sequence_insert(&g->value_index, key, 2 + (length + 3) / 4, is_new);
    }
    free(key);
    return number;
}

uint32_t grammar_value(struct grammar *g, struct value value)
{
    if (value.sort == SORT_REAL && value.real == 0)
        value.real = 0; /* there is one zero */
    bool is_new;
    uint32_t number = index_value(g, &value, &is_new);
    if (number == SEQUENCE_NONE || number < g->values.count)
        return number == SEQUENCE_NONE ? NO_NUMBER : number;
    if (value.sort == SORT_STRING && !(value.string = grammar_text(g, value.string, strlen(value.string))))
        return NO_NUMBER;
    return vector_push(&g->values, value) ? number : NO_NUMBER;
}

struct rule *grammar_rule(struct grammar *g, const char *name)
{
    struct rule rule = {.name = grammar_text(g, name, strlen(name)), .is_enabled = true};
    if (!rule.name || !vector_push(&rule.levels, ((struct rule_level){LEVEL_ROOT, NO_NUMBER, NO_NUMBER, NULL})))
        return NULL;
    if (vector_push(&g->rules, rule))
        return &g->rules.item[g->rules.count - 1];
    free(rule.levels.item);
    return NULL;
}

static bool is_below(const struct grammar *g, uint32_t type, uint32_t of, size_t depth)
{
    if (type == of)
        return true;
    for (size_t i = 0; i < g->node_types.count && depth > 0; i++)
        for (size_t s = 0; g->node_types.item[i].label == type && s < g->node_types.item[i].supertypes.count; s++)
            if (is_below(g, g->node_types.item[i].supertypes.item[s], of, depth - 1))
                return true;
    return false;
}

bool is_subtype(const struct grammar *g, uint32_t type, uint32_t of)
{
    return is_below(g, type, of, g->node_types.count);
}

static bool changes(enum role role)
{
    return role == ROLE_ERASER || role == ROLE_CREATOR;
}

bool is_condition(const struct rule *rule)
{
    if (rule->action_role != ACTION_BY_EFFECT)
        return rule->action_role == ACTION_CONDITION;
    for (size_t i = 0; i < rule->nodes.count; i++)
        if (changes(rule->nodes.item[i].role))
            return false;
    for (size_t i = 0; i < rule->edges.count; i++)
        if (changes(rule->edges.item[i].role))
            return false;
    for (size_t i = 0; i < rule->parameters.count; i++)
        if (rule->parameters.item[i].direction != PARAMETER_OUT)
            return false;
    return rule->priority == 0;
}
