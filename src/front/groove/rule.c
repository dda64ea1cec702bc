/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: properties, nodes, levels, parameters; edges and the rest are in the files beside. */
#include "base/diagnostic.h"
#include "front/groove/draft.h"

#include <stdlib.h>
#include <string.h>

bool draft_wrong(struct draft *draft, struct place at, const char *what)
{
    return groove_wrong(draft->labels.reading, draft->labels.file, at, "%s", what);
}

uint32_t add_rule_node(struct draft *draft, struct rule_node node)
{
    struct rule *rule = draft->labels.rule;
    if (vector_push(&rule->nodes, node))
        return (uint32_t)rule->nodes.count - 1;
    no_memory(draft->labels.reading);
    return NO_NUMBER;
}

bool add_rule_edge(struct draft *draft, struct rule_edge edge)
{
    return vector_push(&draft->labels.rule->edges, edge) || no_memory(draft->labels.reading);
}

/* ------------------------------------------------------------------ properties */

static bool read_priority(struct draft *draft, const struct gxl_attribute *attribute)
{
    char *end;
    long value = strtol(attribute->value, &end, 10);
    if (*attribute->value == '\0')
        return true;
    if (*end || value < 0 || value > INT32_MAX)
        return draft_wrong(draft, attribute->at, "a priority is a number, 0 or larger");
    draft->labels.rule->priority = value;
    return true;
}

static bool read_truth(struct draft *draft, const struct gxl_attribute *attribute, bool *truth)
{
    if (strcmp(attribute->value, "true") == 0 || strcmp(attribute->value, "false") == 0)
        *truth = attribute->value[0] == 't';
    else if (*attribute->value)
        return draft_wrong(draft, attribute->at, "'true' or 'false' is expected");
    return true;
}

static bool read_action_role(struct draft *draft, const struct gxl_attribute *attribute)
{
    if (strcmp(attribute->value, "transformer") == 0)
        draft->labels.rule->action_role = ACTION_TRANSFORMER;
    else if (strcmp(attribute->value, "condition") == 0)
        draft->labels.rule->action_role = ACTION_CONDITION;
    else if (*attribute->value)
        return groove_wrong(draft->labels.reading, draft->labels.file, attribute->at,
                            "actionRole '%.40s' is not supported, only transformer and condition", attribute->value);
    return true;
}

static bool read_property(struct draft *draft, const struct gxl_attribute *attribute)
{
    static const char *const without_effect[] = {"transitionLabel", "printFormat", "remark", "$version", "confluent"};
    struct rule *rule = draft->labels.rule;
    if (strcmp(attribute->name, "priority") == 0)
        return read_priority(draft, attribute);
    if (strcmp(attribute->name, "enabled") == 0)
        return read_truth(draft, attribute, &rule->is_enabled);
    if (strcmp(attribute->name, "injective") == 0)
        return read_truth(draft, attribute, &rule->is_injective);
    if (strcmp(attribute->name, "actionRole") == 0)
        return read_action_role(draft, attribute);
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
        if (strcmp(attribute->name, without_effect[i]) == 0)
            return true;
    if (*attribute->value == '\0')
        return true;
    return groove_wrong(draft->labels.reading, draft->labels.file, attribute->at,
                        "the property '%.40s' of a rule is not supported", attribute->name);
}

/* ------------------------------------------------------------------ nodes */

static bool read_parameter(struct draft *draft, uint32_t node, const struct label_parts *parts)
{
    const char *text = parts->content ? parts->content : parts->text;
    struct draft_parameter parameter = {.position = NO_NUMBER, .parameter = {.node = node}, .at = parts->at};
    char *end;
    text += *text == '$';
    unsigned long position = strtoul(text, &end, 10);
    if (*end || *text == '-' || position > 10000)
        return draft_wrong(draft, parts->at, "a parameter has a number, 0 or larger");
    if (*text)
        parameter.position = (uint32_t)position;
    parameter.parameter.is_hidden = *text == '\0';
    parameter.parameter.direction = parts->aspect == ASPECT_PARAMETER_IN    ? PARAMETER_IN
                                    : parts->aspect == ASPECT_PARAMETER_OUT ? PARAMETER_OUT
                                                                            : PARAMETER_BOTH;
    return vector_push(&draft->parameters, parameter) || no_memory(draft->labels.reading);
}

static bool set_role(struct draft *draft, struct draft_node *node, const struct label_parts *parts)
{
    if (parts->role == ASPECT_NONE)
        return true;
    if (node->role != ASPECT_NONE && node->role != parts->role)
        return draft_wrong(draft, parts->at, "a node has two roles");
    node->role = parts->role;
    if (parts->level)
        node->level_name = parts->level;
    return true;
}

static bool set_sort(struct draft *draft, struct draft_node *node, const struct label_parts *parts)
{
    if (node->sort != SORT_NONE)
        return draft_wrong(draft, parts->at, "a node has two values");
    node->sort = sort_of(parts->aspect);
    return set_role(draft, node, parts) &&
           (*parts->text == '\0' || constant_number(draft->labels.reading, draft->labels.file, parts->at, parts->text,
                                                    node->sort, &node->value));
}

/* A loop that says something of its node alone; what is a label is read with the edges. */
static bool read_node_aspect(struct draft *draft, const struct gxl_edge *edge)
{
    struct label_parts parts;
    struct draft_node *node = &draft->nodes[edge->from];
    if (edge->from != edge->to || *edge->label == '\0')
        return true;
    if (!label_split(draft->labels.reading, draft->labels.file, edge, IN_RULE, &parts))
        return false;
    if (is_quantifier(parts.aspect)) {
        node->quantifier = parts.aspect;
        node->level_name = parts.level;
        node->at = parts.at;
    }
    switch (parts.aspect) {
    case ASPECT_NONE: return *parts.text || parts.is_literal || set_role(draft, node, &parts);
    case ASPECT_REMARK: node->is_remark |= *parts.text == '\0'; return true;
    case ASPECT_PRODUCT: node->is_product = true; return set_role(draft, node, &parts);
    case ASPECT_ID: node->id = parts.content ? parts.content : parts.text; return true;
    case ASPECT_PARAMETER:
    case ASPECT_PARAMETER_IN:
    case ASPECT_PARAMETER_OUT: return read_parameter(draft, edge->from, &parts);
    default: return sort_of(parts.aspect) == SORT_NONE || set_sort(draft, node, &parts);
    }
}

/* ------------------------------------------------------------------ levels */

const char *nesting(const struct draft *draft, const struct gxl_edge *edge)
{
    const char *label = strncmp(edge->label, "nested:", 7) == 0 ? edge->label + 7 : edge->label;
    bool is_nested = label != edge->label || draft->nodes[edge->from].quantifier || draft->nodes[edge->to].quantifier;
    return is_nested && (strcmp(label, "at") == 0 || strcmp(label, "in") == 0 || strcmp(label, "count") == 0) ? label
                                                                                                              : NULL;
}

static bool read_nesting(struct draft *draft, const struct gxl_edge *edge)
{
    const char *label = nesting(draft, edge);
    struct draft_node *from = &draft->nodes[edge->from], *to = &draft->nodes[edge->to];
    if (!label || strcmp(label, "count") == 0)
        return !label || from->quantifier || draft_wrong(draft, edge->at, "'count' leads from a quantifier to a value");
    if (!to->quantifier)
        return draft_wrong(draft, edge->at, "'at' and 'in' lead to a quantifier");
    if ((*label == 'i') != (from->quantifier != ASPECT_NONE))
        return draft_wrong(draft, edge->at, "'in' leads from a quantifier, 'at' from another node");
    if (from->outer != NO_NUMBER && from->outer != edge->to)
        return draft_wrong(draft, edge->at, "a node is at two levels");
    from->outer = edge->to;
    return true;
}

/* Makes the level of a quantifier once that around it is made; *made counts. */
static bool make_level(struct draft *draft, struct draft_node *node, size_t *made)
{
    struct rule *rule = draft->labels.rule;
    struct rule_level level = {.kind = (enum level_kind)(LEVEL_FORALL + (node->quantifier - ASPECT_FORALL)),
                               .count = NO_NUMBER};
    if (!node->quantifier || node->level != NO_NUMBER)
        return true;
    if (node->outer != NO_NUMBER && draft->nodes[node->outer].level == NO_NUMBER)
        return true;
    level.parent = node->outer == NO_NUMBER ? 0 : draft->nodes[node->outer].level;
    if (node->level_name)
        level.name = grammar_text(draft->labels.reading->grammar, node->level_name, strlen(node->level_name));
    node->level = (uint32_t)rule->levels.count;
    (*made)++;
    return ((!node->level_name || level.name) && vector_push(&rule->levels, level)) || no_memory(draft->labels.reading);
}

static bool make_levels(struct draft *draft)
{
    size_t made, nodes = draft->gxl->nodes.count;
    do {
        made = 0;
        for (size_t i = 0; i < nodes; i++)
            if (!make_level(draft, &draft->nodes[i], &made))
                return false;
    } while (made > 0);
    for (size_t i = 0; i < nodes; i++)
        if (draft->nodes[i].quantifier && draft->nodes[i].level == NO_NUMBER)
            return draft_wrong(draft, draft->nodes[i].at, "quantifiers are nested in a cycle");
    return true;
}

static uint32_t depth_of(const struct rule *rule, uint32_t level)
{
    uint32_t depth = 0;
    for (; level != 0; level = rule->levels.item[level].parent)
        depth++;
    return depth;
}

uint32_t deeper_level(struct draft *draft, struct place at, uint32_t one, uint32_t other)
{
    const struct rule *rule = draft->labels.rule;
    if (depth_of(rule, one) < depth_of(rule, other)) {
        uint32_t swapped = one;
        one = other;
        other = swapped;
    }
    uint32_t level = one;
    while (depth_of(rule, level) > depth_of(rule, other))
        level = rule->levels.item[level].parent;
    if (level == other)
        return one;
    draft_wrong(draft, at, "this connects two quantifiers, neither of which is within the other");
    return NO_NUMBER;
}

static bool find_level(struct draft *draft, struct draft_node *node)
{
    node->level = node->outer == NO_NUMBER ? 0 : draft->nodes[node->outer].level;
    if (!node->level_name)
        return true;
    for (size_t i = 0; i < draft->labels.rule->levels.count; i++) {
        const char *name = draft->labels.rule->levels.item[i].name;
        if (name && strcmp(name, node->level_name) == 0) {
            node->level = (uint32_t)i;
            return true;
        }
    }
    return groove_wrong(draft->labels.reading, draft->labels.file, node->at, "there is no quantifier '%.80s'",
                        node->level_name);
}

/* ------------------------------------------------------------------ putting it together */

static enum role role_of(const struct draft_node *node)
{
    switch (node->role) {
    case ASPECT_EMBARGO: return ROLE_EMBARGO;
    case ASPECT_ERASER: return node->sort ? ROLE_READER : ROLE_ERASER; /* values are there forever */
    case ASPECT_CREATOR:
    case ASPECT_ADDER: return node->sort ? ROLE_READER : ROLE_CREATOR;
    default: return ROLE_READER;
    }
}

static bool make_node(struct draft *draft, uint32_t number)
{
    struct draft_node *node = &draft->nodes[number];
    if (node->is_remark || node->quantifier)
        return true;
    if (!find_level(draft, node))
        return false;
    if (node->is_product)
        return true;
    const char *name = node->id ? node->id : names_get(&draft->gxl->ids, number);
    struct rule_node made = {.role = role_of(node),
                             .level = node->level,
                             .embargo = NO_NUMBER,
                             .type = NO_NUMBER,
                             .type_variable = NO_NUMBER,
                             .sort = node->sort,
                             .value = node->value,
                             .name = grammar_text(draft->labels.reading->grammar, name, strlen(name)),
                             .line = node->at.line,
                             .column = node->at.column};
    if (!made.name)
        return no_memory(draft->labels.reading);
    node->number = add_rule_node(draft, made);
    return node->number != NO_NUMBER;
}

static bool make_count(struct draft *draft, const struct gxl_edge *edge)
{
    const char *label = nesting(draft, edge);
    if (!label || strcmp(label, "count") != 0)
        return true;
    const struct draft_node *to = &draft->nodes[edge->to];
    if (to->sort != SORT_INT)
        return draft_wrong(draft, edge->at, "the number of matches is an int");
    draft->labels.rule->levels.item[draft->nodes[edge->from].level].count = to->number;
    return true;
}

static int by_position(const void *a, const void *b)
{
    const struct draft_parameter *one = a, *other = b;
    return (one->position > other->position) - (one->position < other->position);
}

static bool make_parameters(struct draft *draft)
{
    if (draft->parameters.count > 1)
        qsort(draft->parameters.item, draft->parameters.count, sizeof *draft->parameters.item, by_position);
    for (size_t i = 0; i < draft->parameters.count; i++) {
        struct draft_parameter *parameter = &draft->parameters.item[i];
        if (parameter->position != NO_NUMBER && parameter->position != i)
            return draft_wrong(draft, parameter->at, "parameters are numbered from 0 without gaps");
        parameter->parameter.node = draft->nodes[parameter->parameter.node].number;
        if (parameter->parameter.node == NO_NUMBER)
            return draft_wrong(draft, parameter->at, "only nodes and values can be parameters");
        if (!vector_push(&draft->labels.rule->parameters, parameter->parameter))
            return no_memory(draft->labels.reading);
    }
    return true;
}

static bool read_nodes(struct draft *draft)
{
    const struct gxl *gxl = draft->gxl;
    for (size_t i = 0; i < gxl->attributes.count; i++)
        if (!read_property(draft, &gxl->attributes.item[i]))
            return false;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_node_aspect(draft, &gxl->edges.item[i]))
            return false;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_nesting(draft, &gxl->edges.item[i]))
            return false;
    if (!make_levels(draft))
        return false;
    for (uint32_t i = 0; i < gxl->nodes.count; i++)
        if (!make_node(draft, i))
            return false;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!make_count(draft, &gxl->edges.item[i]))
            return false;
    return true;
}

/* The label of a node's type, NO_NUMBER when the rule leaves it open. */
static uint32_t type_of(struct grammar *grammar, const struct rule_node *node)
{
    return node->sort == SORT_NONE ? node->type : sort_label(grammar, node->sort);
}

/* A rule may look for edges that no graph can have, but must not make them. */
static bool check_created(struct draft *draft)
{
    struct grammar *grammar = draft->labels.reading->grammar;
    const struct rule *rule = draft->labels.rule;
    for (size_t i = 0; grammar->is_typed && i < rule->edges.count; i++) {
        const struct rule_edge *e = &rule->edges.item[i];
        if (e->role != ROLE_CREATOR || e->kind != EDGE_LABEL || grammar->labels.item[e->label].kind == LABEL_TYPE)
            continue;
        if (!is_edge_allowed(grammar, type_of(grammar, &rule->nodes.item[e->from]), e->label,
                             type_of(grammar, &rule->nodes.item[e->to])))
            return groove_wrong(draft->labels.reading, draft->labels.file, (struct place){e->line, e->column},
                                "the type graph has no edge '%.80s' between these types",
                                grammar->labels.item[e->label].text);
    }
    return true;
}

bool rule_add(struct reading *reading, const struct gxl *gxl, const char *name, int64_t priority)
{
    struct draft draft = {.gxl = gxl, .labels = {.reading = reading, .file = &gxl->file}};
    draft.nodes = arena_get(&reading->scratch, (gxl->nodes.count + 1) * sizeof *draft.nodes);
    draft.labels.rule = draft.nodes ? grammar_rule(reading->grammar, name) : NULL;
    const char *file = grammar_text(reading->grammar, gxl->file.name, strlen(gxl->file.name));
    if (!draft.labels.rule || !file)
        return no_memory(reading);
    for (size_t i = 0; i < gxl->nodes.count; i++)
        draft.nodes[i] = (struct draft_node){
            .at = gxl->nodes.item[i], .level = NO_NUMBER, .outer = NO_NUMBER, .number = NO_NUMBER, .value = NO_NUMBER};
    draft.labels.rule->file = file;
    draft.labels.rule->line = draft.labels.rule->column = 1;
    draft.labels.rule->priority = priority;
    draft.labels.rule->is_injective = reading->settings.match_injective;
    draft.labels.rule->checks_dangling = reading->settings.check_dangling;
    bool made = read_nodes(&draft) && draft_edges(&draft) && draft_products(&draft) && draft_terms(&draft) &&
                draft_embargoes(&draft) && make_parameters(&draft) && check_created(&draft);
    names_clear(&draft.labels.variables);
    free(draft.adders.item);
    free(draft.parameters.item);
    free(draft.connections.item);
    return made;
}
