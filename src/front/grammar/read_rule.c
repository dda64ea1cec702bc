/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of .gg files.  A node belongs to where its name first stands: to the match, behind `+` to what is created,
 * behind `not` to that embargo; names of a block or an embargo end with it.  `- a` deletes a node, `- a -x-> b` an
 * edge.
 */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------------ names and nodes */

uint32_t gg_find_binding(const struct scope *scope, const char *name)
{
    for (size_t i = scope->bindings.count; i--;)
        if (strcmp(scope->bindings.item[i].name, name) == 0)
            return scope->bindings.item[i].node;
    return NO_NUMBER;
}

enum portolan_status gg_bind(struct scope *scope, const char *name, uint32_t node)
{
    struct binding binding = {name, node};
    struct reader *r = scope->reader;
    return r->parser.status || vector_push(&scope->bindings, binding) ? r->parser.status : gg_no_memory(r);
}

uint32_t gg_add_node(struct scope *scope, const struct position *at, const char *name)
{
    struct rule_node node = {.role = scope->role,
                             .level = scope->level,
                             .embargo = scope->embargo,
                             .type = NO_NUMBER,
                             .type_variable = NO_NUMBER,
                             .value = NO_NUMBER,
                             .name = name,
                             .line = at->line,
                             .column = at->column};
    if (!scope->reader->parser.status && !vector_push(&scope->rule->nodes, node))
        gg_no_memory(scope->reader);
    return scope->reader->parser.status ? NO_NUMBER : (uint32_t)scope->rule->nodes.count - 1;
}

static struct rule_node *node_at(const struct scope *scope, uint32_t node)
{
    return &scope->rule->nodes.item[node];
}

/* ------------------------------------------------------------------ edges */

static struct rule_edge new_edge(const struct scope *scope, uint32_t from, uint32_t to, const struct position *at)
{
    return (struct rule_edge){.role = scope->role,
                              .level = scope->level,
                              .embargo = scope->embargo,
                              .from = from,
                              .to = to,
                              .label = NO_NUMBER,
                              .choice = NO_NUMBER,
                              .path = NO_NUMBER,
                              .line = at->line,
                              .column = at->column};
}

/* `- a -x-> b` behind `a -x-> b`: it is one edge, found and deleted. */
static bool delete_found(const struct scope *scope, const struct rule_edge *deleted)
{
    for (size_t i = 0; i < scope->rule->edges.count; i++) {
        struct rule_edge *edge = &scope->rule->edges.item[i];
        if (edge->role != ROLE_READER || edge->kind != EDGE_LABEL || edge->level != deleted->level ||
            edge->from != deleted->from || edge->label != deleted->label || edge->to != deleted->to)
            continue;
        edge->role = ROLE_ERASER;
        return true;
    }
    return false;
}

static enum portolan_status push_edge(struct scope *scope, const struct rule_edge *edge)
{
    struct reader *r = scope->reader;
    if (!r->parser.status && edge->role == ROLE_ERASER && edge->kind == EDGE_LABEL && delete_found(scope, edge))
        return PORTOLAN_OK;
    return r->parser.status || vector_push(&scope->rule->edges, *edge) ? r->parser.status : gg_no_memory(r);
}

static uint32_t type_of(struct scope *scope, uint32_t node)
{
    const struct rule_node *n = node_at(scope, node);
    return n->sort == SORT_NONE || !scope->reader->grammar->is_typed ? n->type : gg_sort_type(scope->reader, n->sort);
}

static enum portolan_status add_labelled(struct scope *scope, uint32_t from, enum label_kind kind, const char *label,
                                         uint32_t to, const struct position *at)
{
    struct reader *r = scope->reader;
    struct rule_edge edge = new_edge(scope, from, to, at);
    edge.label = gg_label_number(r, kind, label);
    if (!r->parser.status && kind != LABEL_TYPE)
        gg_check_edge_type(r, type_of(scope, from), edge.label, type_of(scope, to), scope->role != ROLE_CREATOR, at);
    return push_edge(scope, &edge);
}

/* A wildcard or a path. */
static enum portolan_status add_patterned(struct scope *scope, uint32_t from, enum label_kind kind,
                                          const struct label_text *pattern, uint32_t to)
{
    struct rule_edge edge = new_edge(scope, from, to, &pattern->at);
    if (!scope->reader->parser.status)
        gg_add_pattern(scope, &edge, pattern, kind);
    if (!scope->reader->parser.status && edge.kind == EDGE_PATH &&
        (edge.role == ROLE_ERASER || edge.role == ROLE_CREATOR))
        return parser_fail(&scope->reader->parser, &pattern->at, "a path can neither be created nor deleted");
    return push_edge(scope, &edge);
}

static uint32_t begin_embargo(struct scope *scope)
{
    struct embargo embargo = {.level = scope->level};
    if (!scope->reader->parser.status && !vector_push(&scope->rule->embargoes, embargo))
        gg_no_memory(scope->reader);
    return (uint32_t)scope->rule->embargoes.count - 1;
}

/* a = b, and a != b, which is an embargo of its own. */
static enum portolan_status add_equation(struct scope *scope, uint32_t from, uint32_t to, const struct arrow *arrow)
{
    struct reader *r = scope->reader;
    struct rule_edge edge = new_edge(scope, from, to, &arrow->label.at);
    edge.kind = EDGE_EQUAL;
    if (arrow->kind == ARROW_EQUAL && edge.role == ROLE_ERASER)
        return parser_fail(&r->parser, &arrow->label.at, "'=' cannot be deleted");
    if (arrow->kind == ARROW_UNEQUAL && edge.role == ROLE_EMBARGO) {
        edge.is_negated = true; /* what is forbidden has two nodes that differ */
        return push_edge(scope, &edge);
    }
    if (arrow->kind == ARROW_UNEQUAL && edge.role != ROLE_READER)
        return parser_fail(&r->parser, &arrow->label.at, "'!=' is neither created nor deleted");
    if (arrow->kind == ARROW_UNEQUAL) {
        edge.role = ROLE_EMBARGO;
        edge.embargo = begin_embargo(scope);
    }
    return push_edge(scope, &edge);
}

/* ------------------------------------------------------------------ terms */

/* Behind `+` and `not` also one more label for a node that is there; in a typed grammar a node has one type. */
static enum portolan_status give_type(struct scope *scope, uint32_t node, const struct term *term, bool is_new)
{
    struct reader *r = scope->reader;
    struct rule_node *n = node_at(scope, node);
    uint32_t type = gg_type_number(r, term->type);
    if (r->parser.status)
        return r->parser.status;
    if (!r->grammar->is_typed) {
        if (term->is_exact)
            return parser_fail(&r->parser, &term->type->at, "an exact type needs a block 'types'");
        return add_labelled(scope, node, LABEL_TYPE, term->type->text, node, &term->type->at);
    }
    if (!is_new)
        return parser_fail(&r->parser, &term->type->at, "'%.100s' already exists, and its type cannot change",
                           term->name);
    if (scope->role == ROLE_CREATOR && gg_is_abstract_type(r, type))
        return parser_fail(&r->parser, &term->type->at, "the type '%.100s' is abstract: no node can have it",
                           term->type->text);
    n->type = type;
    n->is_exact_type = term->is_exact;
    return PORTOLAN_OK;
}

/* p: ?t, the type is bound to t, and the same wherever t stands. */
static enum portolan_status give_type_pattern(struct scope *scope, uint32_t node, const struct term *term, bool is_new)
{
    struct reader *r = scope->reader;
    char text[256];
    if (!r->grammar->is_typed || !is_new) {
        struct label_text pattern = *term->type;
        snprintf(text, sizeof text, "?%.200s", term->type->text);
        pattern.text = arena_copy(&r->arena, text, strlen(text));
        return pattern.text ? add_patterned(scope, node, LABEL_TYPE, &pattern, node) : gg_no_memory(r);
    }
    if (term->type->text[0])
        node_at(scope, node)->type_variable = gg_label_variable(scope, term->type->text);
    return r->parser.status;
}

static enum portolan_status give_flags(struct scope *scope, uint32_t node, const struct term *term)
{
    for (const struct label_text *flag = term->flags; flag && !scope->reader->parser.status; flag = flag->next)
        if (flag->is_pattern)
            add_patterned(scope, node, LABEL_FLAG, flag, node);
        else
            add_labelled(scope, node, LABEL_FLAG, flag->text, node, &flag->at);
    return scope->reader->parser.status;
}

static enum portolan_status check_visible(struct scope *scope, uint32_t node, const struct term *term)
{
    struct reader *r = scope->reader;
    const struct rule_node *n = node_at(scope, node);
    if (r->parser.status || n->role != ROLE_CREATOR || scope->role == ROLE_CREATOR)
        return r->parser.status;
    parser_fail(&r->parser, &term->at, "'%.100s' is created by this rule (line %u): it is not there before", term->name,
                n->line);
    hint(r->parser.error, "write + before edges of a new node");
    return r->parser.status;
}

/* A deletion names what is there: nodes are declared before it.  A value stays in any case. */
static enum portolan_status check_deletion(struct scope *scope, const struct term *term)
{
    struct reader *r = scope->reader;
    if (scope->role != ROLE_ERASER || (!term->type && !term->flags))
        return r->parser.status;
    parser_fail(&r->parser, &term->at, "is '%.100s' deleted, too, or only the edge?", term->name);
    hint(r->parser.error, "write %.60s: ... in a line of its own, and '- %.60s' to delete it", term->name, term->name);
    return r->parser.status;
}

/* `is_alone`: the statement is this node. */
static uint32_t new_node(struct scope *scope, const struct term *term, bool is_alone)
{
    enum role role = scope->role;
    if (!is_alone && check_deletion(scope, term))
        return NO_NUMBER;
    if (role == ROLE_ERASER) /* its labels are found; whether it goes is told below */
        scope->role = ROLE_READER;
    uint32_t node = gg_add_node(scope, &term->at, term->name);
    if (node != NO_NUMBER && !gg_bind(scope, term->name, node)) {
        node_at(scope, node)->sort = term->sort;
        if (term->type && term->type->is_pattern)
            give_type_pattern(scope, node, term, true);
        else if (term->type)
            give_type(scope, node, term, true);
        give_flags(scope, node, term);
    }
    scope->role = role;
    if (!scope->reader->parser.status && role == ROLE_ERASER && is_alone)
        node_at(scope, node)->role = ROLE_ERASER;
    return node;
}

/* The node is there: what the term adds has the role of the statement. */
static uint32_t known_node(struct scope *scope, uint32_t node, const struct term *term, bool is_alone)
{
    struct reader *r = scope->reader;
    bool adds = term->type || term->flags;
    if (check_visible(scope, node, term))
        return NO_NUMBER;
    if (term->sort != SORT_NONE && node_at(scope, node)->sort != term->sort)
        parser_fail(&r->parser, &term->at, "'%.100s' already exists", term->name);
    if (term->type && term->type->is_pattern)
        give_type_pattern(scope, node, term, false);
    else if (term->type)
        give_type(scope, node, term, false);
    give_flags(scope, node, term);
    if (!r->parser.status && is_alone && !adds && scope->role == ROLE_ERASER)
        node_at(scope, node)->role = ROLE_ERASER;
    return r->parser.status ? NO_NUMBER : node;
}

static uint32_t term_node(struct scope *scope, const struct term *term, bool is_alone)
{
    if (scope->reader->parser.status)
        return NO_NUMBER;
    if (term->kind == TERM_VALUE)
        return gg_constant_node(scope, &term->value, &term->at);
    if (term->kind == TERM_EXPRESSION)
        return gg_expression_node(scope, term->expression);
    uint32_t node = gg_find_binding(scope, term->name);
    return node == NO_NUMBER ? new_node(scope, term, is_alone) : known_node(scope, node, term, is_alone);
}

static enum portolan_status add_arrow(struct scope *scope, uint32_t left, const struct arrow *arrow, uint32_t right)
{
    struct reader *r = scope->reader;
    uint32_t from = arrow->backwards ? right : left, to = arrow->backwards ? left : right;
    if (r->parser.status)
        return r->parser.status;
    if (arrow->kind != ARROW_EDGE)
        return add_equation(scope, from, to, arrow);
    if (node_at(scope, from)->sort != SORT_NONE)
        return parser_fail(&r->parser, &arrow->label.at, "an edge cannot start at a value");
    if (arrow->label.is_pattern)
        return add_patterned(scope, from, LABEL_BINARY, &arrow->label, to);
    return add_labelled(scope, from, LABEL_BINARY, arrow->label.text, to, &arrow->label.at);
}

static enum portolan_status add_chain(struct scope *scope, const struct term *chain)
{
    uint32_t left = term_node(scope, chain, !chain->arrow);
    for (const struct term *t = chain; t->arrow && !scope->reader->parser.status; t = t->arrow->to) {
        uint32_t right = term_node(scope, t->arrow->to, false);
        add_arrow(scope, left, t->arrow, right);
        left = right;
    }
    return scope->reader->parser.status;
}

/* ------------------------------------------------------------------ statements */

static enum portolan_status read_chain(struct scope *scope)
{
    struct term *chain;
    return gg_parse_chain(scope->reader, &chain) ? scope->reader->parser.status : add_chain(scope, chain);
}

/* where e; let m = e: in the match and in embargoes. */
static enum portolan_status read_where(struct scope *scope)
{
    struct node *expression;
    if (parse_expression(&scope->reader->parser, &expression))
        return scope->reader->parser.status;
    return gg_add_condition(scope, expression);
}

static enum portolan_status read_let(struct scope *scope)
{
    struct reader *r = scope->reader;
    struct position at = r->lexer.token.at;
    const char *name;
    struct node *expression;
    gg_parse_label(r, "a name", &name);
    parser_expect(&r->parser, "=", "'='");
    if (parse_expression(&r->parser, &expression))
        return r->parser.status;
    if (gg_find_binding(scope, name) != NO_NUMBER)
        return parser_fail(&r->parser, &at, "'%.100s' already exists", name);
    return gg_bind(scope, name, gg_expression_node(scope, expression));
}

static enum portolan_status read_plain(struct scope *scope)
{
    if (parser_take(&scope->reader->parser, "where"))
        return read_where(scope);
    if (parser_take(&scope->reader->parser, "let"))
        return read_let(scope);
    return read_chain(scope);
}

static enum portolan_status end_statement(struct reader *r)
{
    if (limits_reached())
        return gg_no_memory(r);
    if (!parser_take(&r->parser, ";") && !parser_is(&r->parser, "}"))
        return parser_expected(&r->parser, "';' or '}'");
    return r->parser.status;
}

/* not a -x-> b; not { several; things }: forbidden when all of it is there. */
static enum portolan_status read_embargo(struct scope *scope)
{
    struct reader *r = scope->reader;
    size_t bindings = scope->bindings.count;
    scope->role = ROLE_EMBARGO;
    scope->embargo = begin_embargo(scope);
    if (parser_take(&r->parser, "{")) {
        while (!r->parser.status && !parser_is(&r->parser, "}")) {
            read_plain(scope);
            end_statement(r);
        }
        parser_expect(&r->parser, "}", "'}'");
    } else {
        read_plain(scope);
    }
    scope->bindings.count = bindings;
    scope->embargo = NO_NUMBER;
    return r->parser.status;
}

/* + a -x-> b; + not a -x-> b: only where it is not there. */
static enum portolan_status read_creation(struct scope *scope)
{
    struct reader *r = scope->reader;
    bool is_conditional = parser_take(&r->parser, "not");
    struct term *chain;
    if (gg_parse_chain(r, &chain))
        return r->parser.status;
    if (is_conditional) {
        size_t bindings = scope->bindings.count;
        scope->role = ROLE_EMBARGO;
        scope->embargo = begin_embargo(scope);
        add_chain(scope, chain);
        scope->bindings.count = bindings;
        scope->embargo = NO_NUMBER;
    }
    scope->role = ROLE_CREATOR;
    return r->parser.status ? r->parser.status : add_chain(scope, chain);
}

static enum portolan_status read_statements(struct scope *scope);

static bool take_level(struct reader *r, struct rule_level *level)
{
    if (parser_take(&r->parser, "forall"))
        level->kind = parser_take(&r->parser, "nonempty") ? LEVEL_FORALL_NON_EMPTY : LEVEL_FORALL;
    else if (parser_take(&r->parser, "exists"))
        level->kind = parser_take(&r->parser, "optional") ? LEVEL_EXISTS_OPTIONAL : LEVEL_EXISTS;
    else
        return false;
    return true;
}

/* forall [nonempty] [count n] { ... }, exists [optional] { ... } */
static enum portolan_status read_level(struct scope *scope, struct rule_level level)
{
    struct reader *r = scope->reader;
    uint32_t outer = scope->level;
    size_t bindings = scope->bindings.count;
    struct term *count;
    level.parent = outer;
    level.count = NO_NUMBER;
    if (parser_take(&r->parser, "count") && !gg_parse_chain(r, &count)) {
        level.count = term_node(scope, count, false);
        if (!r->parser.status && (count->arrow || node_at(scope, level.count)->sort != SORT_INT))
            parser_fail(&r->parser, &count->at, "a count is an int: count n: int");
        bindings = scope->bindings.count;
    }
    if (!r->parser.status && !vector_push(&scope->rule->levels, level))
        gg_no_memory(r);
    scope->level = (uint32_t)scope->rule->levels.count - 1;
    if (!parser_enter(&r->parser))
        read_statements(scope);
    r->parser.depth--;
    scope->level = outer;
    scope->bindings.count = bindings;
    return r->parser.status;
}

static enum portolan_status read_statement(struct scope *scope)
{
    struct reader *r = scope->reader;
    struct rule_level level = {0};
    scope->role = ROLE_READER;
    if (take_level(r, &level)) {
        read_level(scope, level);
        parser_take(&r->parser, ";");
        return limits_reached() ? gg_no_memory(r) : r->parser.status;
    }
    if (parser_take(&r->parser, "not")) {
        read_embargo(scope);
    } else if (parser_take(&r->parser, "+")) {
        read_creation(scope);
    } else if (parser_take(&r->parser, "-")) {
        scope->role = ROLE_ERASER;
        read_chain(scope);
    } else {
        read_plain(scope);
    }
    scope->role = ROLE_READER;
    return end_statement(r);
}

static enum portolan_status read_statements(struct scope *scope)
{
    struct parser *parser = &scope->reader->parser;
    parser_expect(parser, "{", "'{'");
    while (!parser->status && !parser_is(parser, "}"))
        read_statement(scope);
    return parser_expect(parser, "}", "'}'");
}

/* ------------------------------------------------------------------ rules */

struct parameter_text {
    const char *name;
    struct position at;
    enum direction direction;
    bool is_hidden;
    struct parameter_text *next;
};

/* (p, out f, in n, hidden q): nodes of the body, which comes later. */
static enum portolan_status parse_parameters(struct reader *r, struct parameter_text **list)
{
    if (!parser_take(&r->parser, "(") || parser_take(&r->parser, ")"))
        return r->parser.status;
    do {
        struct parameter_text *parameter;
        if (parser_get(&r->parser, sizeof *parameter, &parameter))
            return r->parser.status;
        *list = parameter;
        list = &parameter->next;
        parameter->is_hidden = parser_take(&r->parser, "hidden");
        bool is_in = parser_take(&r->parser, "in"), is_out = !is_in && parser_take(&r->parser, "out");
        parameter->direction = is_in ? PARAMETER_IN : is_out ? PARAMETER_OUT : PARAMETER_BOTH;
        parameter->at = r->lexer.token.at;
        gg_parse_label(r, "the name of a node", &parameter->name);
    } while (parser_take(&r->parser, ","));
    return parser_expect(&r->parser, ")", "',' or ')'");
}

static enum portolan_status add_parameters(struct scope *scope, const struct parameter_text *list)
{
    struct reader *r = scope->reader;
    for (; list && !r->parser.status; list = list->next) {
        struct rule_parameter parameter = {
            .direction = list->direction, .is_hidden = list->is_hidden, .node = gg_find_binding(scope, list->name)};
        if (parameter.node == NO_NUMBER)
            parser_fail(&r->parser, &list->at, "the rule has no node '%.100s'", list->name);
        else if (!vector_push(&scope->rule->parameters, parameter))
            gg_no_memory(r);
    }
    return r->parser.status;
}

static enum portolan_status parse_priority(struct reader *r, int64_t *priority)
{
    if (r->parser.status || r->lexer.token.kind != TOKEN_INTEGER)
        return parser_expected(&r->parser, "a number");
    *priority = r->lexer.token.value;
    return parser_advance(&r->parser);
}

static enum portolan_status parse_settings(struct reader *r, struct rule *rule)
{
    while (!r->parser.status && !parser_is(&r->parser, "{")) {
        if (parser_take(&r->parser, "priority"))
            parse_priority(r, &rule->priority);
        else if (parser_take(&r->parser, "injective"))
            rule->is_injective = true;
        else if (parser_take(&r->parser, "dangling"))
            rule->checks_dangling = true;
        else if (parser_take(&r->parser, "disabled"))
            rule->is_enabled = false;
        else if (parser_take(&r->parser, "transformer"))
            rule->action_role = ACTION_TRANSFORMER;
        else if (parser_take(&r->parser, "condition"))
            rule->action_role = ACTION_CONDITION;
        else
            return parser_expected(&r->parser, "'{', 'priority' or another attribute of a rule");
    }
    return r->parser.status;
}

/* Edges of deleted nodes are deleted with them; nothing is created at one. */
static enum portolan_status finish_edges(struct scope *scope)
{
    struct reader *r = scope->reader;
    for (size_t i = 0; i < scope->rule->edges.count && !r->parser.status; i++) {
        struct rule_edge *edge = &scope->rule->edges.item[i];
        bool is_deleted =
            node_at(scope, edge->from)->role == ROLE_ERASER || node_at(scope, edge->to)->role == ROLE_ERASER;
        if (!is_deleted)
            continue;
        if (edge->role == ROLE_READER && (edge->kind == EDGE_LABEL || edge->kind == EDGE_CHOICE))
            edge->role = ROLE_ERASER;
        struct position at = gg_position_at(r, edge->line, edge->column);
        if (edge->role == ROLE_CREATOR)
            parser_fail(&r->parser, &at, "one end of this edge is deleted by the rule");
    }
    return r->parser.status;
}

static enum portolan_status check_name(struct reader *r, const char *name, const struct position *at)
{
    for (size_t i = 0; i < r->grammar->rules.count; i++)
        if (strcmp(r->grammar->rules.item[i].name, name) == 0)
            return parser_fail(&r->parser, at, "there are two rules '%.100s'", name);
    return r->parser.status;
}

static struct rule *begin_rule(struct reader *r)
{
    const char *name;
    parser_advance(&r->parser);
    struct position at = r->lexer.token.at;
    if (gg_parse_label(r, "the name of the rule", &name) || check_name(r, name, &at))
        return NULL;
    struct rule *rule = grammar_rule(r->grammar, name);
    if (!rule || !(rule->file = grammar_text(r->grammar, r->lexer.file, strlen(r->lexer.file)))) {
        gg_no_memory(r);
        return NULL;
    }
    rule->line = at.line;
    rule->column = at.column;
    rule->is_enabled = true;
    rule->is_injective = r->is_injective;
    rule->checks_dangling = r->checks_dangling;
    return rule;
}

enum portolan_status gg_read_rule(struct reader *r)
{
    struct parameter_text *parameters = NULL;
    struct rule *rule = begin_rule(r);
    if (!rule)
        return r->parser.status;
    struct scope scope = {.reader = r, .rule = rule, .embargo = NO_NUMBER};
    parse_parameters(r, &parameters);
    parse_settings(r, rule);
    read_statements(&scope);
    if (!r->parser.status && !finish_edges(&scope))
        add_parameters(&scope, parameters);
    free(scope.bindings.item);
    names_clear(&scope.variables);
    return r->parser.status;
}
