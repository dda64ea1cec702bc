/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of Promela, and references to variables, which are resolved as they are read. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <string.h>

const struct lexer_rules promela_rules = {.symbols = "( ) [ ] { } , ; : :: -> . .. ! !! ? ?? = ++ -- + - * / % & | ^ ~ "
                                                     "< > <= >= == != << >> && || @ <> <-> /\\ \\/"};

static const char *const reserved[] = {
    "active",     "assert", "atomic",  "bit",      "bool",     "break",    "byte",         "chan",         "d_step",
    "D_proctype", "do",     "else",    "empty",    "enabled",  "eval",     "false",        "fi",           "for",
    "full",       "goto",   "hidden",  "if",       "init",     "inline",   "int",          "len",          "ltl",
    "mtype",      "nempty", "never",   "nfull",    "notrace",  "np_",      "od",           "of",           "pc_value",
    "pid",        "printf", "printm",  "priority", "proctype", "provided", "run",          "select",       "short",
    "show",       "skip",   "timeout", "trace",    "true",     "typedef",  "unless",       "unsigned",     "xr",
    "xs",         "c_code", "c_decl",  "c_expr",   "c_state",  "c_track",  "get_priority", "set_priority", "_pid",
    "_priority",  "_nr_pr", "_last",   NULL};

/* ----------------------------------------------------------------------- constants */

bool promela_fold(const struct node *n, int64_t *value)
{
    const struct integer_type numbers = PROMELA_NUMBERS;
    int64_t a = 0, b;
    switch (n->kind) {
    case NODE_NUMBER: *value = n->value; return true;
    case NODE_UNARY: return promela_fold(n->a, &b) && !arithmetic(n->operation, &numbers, 0, b, value);
    case NODE_BINARY:
        return promela_fold(n->a, &a) && promela_fold(n->b, &b) && !arithmetic(n->operation, &numbers, a, b, value);
    case NODE_CONDITIONAL: return promela_fold(n->a, &a) && promela_fold(a ? n->b : n->c, value);
    default: return false;
    }
}

enum portolan_status promela_constant(struct parser *parser, struct node *node, int64_t *value)
{
    *value = 0;
    if (!parser->status && !promela_fold(node, value))
        parser_fail(parser, &node->at, "a constant is expected here");
    return parser->status;
}

struct node *promela_number(struct parser *parser, int64_t value)
{
    struct node *node = parser_node(parser, NODE_NUMBER);
    if (node)
        node->value = value;
    return node;
}

struct node *promela_binary(struct parser *parser, enum operation operation, struct node *a, struct node *b)
{
    struct node *node = parser_node(parser, NODE_BINARY);
    if (node) {
        node->operation = operation;
        node->a = a;
        node->b = b;
        if (a) {
            node->at = a->at;
            node->start = a->start;
        }
    }
    return node;
}

/* -------------------------------------------------------------------------- words */

static bool find_mtype(const struct syntax *s, const char *name, int64_t *value)
{
    for (size_t i = 0; i < s->mtypes.count; i++)
        if (strcmp(s->mtypes.item[i].name, name) == 0) {
            *value = s->mtypes.item[i].value;
            return true;
        }
    return false;
}

const struct declared *promela_leaf(const struct node *n)
{
    if (n->kind == NODE_REMOTE)
        return n->b ? promela_leaf(n->b) : NULL;
    while (n->b)
        n = n->b;
    return n->variable;
}

/* Indexes have been read as expressions. */
static void mark_read(const struct node *reference)
{
    for (; reference; reference = reference->b)
        if (reference->variable)
            ((struct declared *)reference->variable)->is_read = true;
}

/* What follows the name of a variable: indexes and fields. */
static enum portolan_status parse_path(struct parser *parser, struct node *node)
{
    const struct declared *v = node->variable;
    struct position at = node->at;
    node->kind = NODE_VAR;
    if (parse_index(parser, &node->a)) {
        int64_t index;
        if (!v->is_array && !(promela_fold(node->a, &index) && index == 0))
            return parser_fail(parser, &at, "'%s' is not an array", v->name);
        if (promela_fold(node->a, &index) && (index < 0 || index >= v->length))
            return parser_fail(parser, &node->a->at, "the index is out of bounds: '%s' has %u element%s", v->name,
                               v->length, v->length == 1 ? "" : "s");
        if (!v->is_array)
            node->a = NULL;
    }
    node->is_array = v->is_array && !node->a; /* its first element, or the array itself */
    if (!parser_take(parser, "."))
        return parser->status;
    const char *name;
    struct node *field = parser_node(parser, NODE_VAR);
    if (v->type.kind != TYPE_RECORD)
        return parser_fail(parser, &at, "'%s' has no fields", v->name);
    if (!field || parser_name(parser, "the name of a field", &name))
        return parser->status;
    for (size_t i = 0; i < v->type.record->fields.count; i++)
        if (strcmp(v->type.record->fields.item[i]->name, name) == 0)
            field->variable = v->type.record->fields.item[i];
    if (!field->variable)
        return parser_fail(parser, &field->at, "'%s' has no field '%s'", v->type.record->name, name);
    node->b = field;
    return parse_path(parser, field);
}

static enum portolan_status unknown_name(struct parser *parser, struct node *node, const char *name)
{
    parser_fail(parser, &node->at, "'%s' is not declared", name);
    if (strcmp(name, "STDIN") == 0)
        hint(parser->error,
             "STDIN, the keyboard of a simulation, is not supported: a model is checked for every input");
    return parser->status;
}

enum portolan_status promela_reference(struct parser *parser, struct node **reference)
{
    const char *name;
    if (!*reference && !(*reference = parser_node(parser, NODE_VAR)))
        return parser->status;
    if (parser_name(parser, "the name of a variable", &name))
        return parser->status;
    (*reference)->variable = promela_find(parser->syntax, name);
    if (!(*reference)->variable)
        return unknown_name(parser, *reference, name);
    parse_path(parser, *reference);
    return parser_close(parser, *reference);
}

/* P[e]@label, P@label, P[e]:x, P:x; the name has been taken. */
static enum portolan_status parse_remote(struct parser *parser, struct node *node, const char *name)
{
    node->name = name;
    parse_index(parser, &node->a);
    if (parser_take(parser, "@")) {
        node->kind = NODE_AT_LABEL;
        return parser_name(parser, "the name of a label", &node->owner);
    }
    node->kind = NODE_REMOTE;
    parser_expect(parser, ":", "'@' and a label, or ':' and a variable");
    struct proctype *p = promela_proctype(parser->syntax, name);
    struct node *v = parser_node(parser, NODE_VAR);
    const char *variable;
    if (!v || parser_name(parser, "the name of a variable", &variable))
        return parser->status;
    for (size_t i = 0; p && i < p->variables.count; i++)
        if (strcmp(p->variables.item[i]->name, variable) == 0)
            v->variable = p->variables.item[i];
    if (!v->variable)
        return parser_fail(parser, &v->at, "'%s' has no variable '%s', or is declared later", name, variable);
    node->b = v;
    parse_path(parser, v);
    mark_read(v);
    return parser->status;
}

/* f(a) */
static enum portolan_status parse_call(struct parser *parser, struct node *node, unsigned kind)
{
    node->kind = kind;
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    parse_expression(parser, &node->a);
    return parser_expect(parser, ")", "')'");
}

/* _priority: get_priority(_pid) */
static enum portolan_status parse_own_priority(struct parser *parser, struct node *node)
{
    node->kind = NODE_PRIORITY;
    parser->syntax->has_priorities = true;
    if (!parser->syntax->present || parser->syntax->in_claim)
        return parser_fail(parser, &node->at,
                           "'_priority' is for use within a process: elsewhere write get_priority(number)");
    if (!parser_get(parser, sizeof *node->a, &node->a)) {
        node->a->kind = NODE_PROCESS_ID;
        node->a->at = node->at;
    }
    return parser_advance(parser);
}

static enum portolan_status parse_run(struct parser *parser, struct node *node)
{
    node->kind = NODE_RUN;
    parser_advance(parser);
    parser_name(parser, "the name of a proctype", &node->name);
    parse_list(parser, &node->b);
    if (parser_take(parser, "priority")) {
        parser->syntax->has_priorities = true;
        parse_tight(parser, PRECEDENCE_SUM, &node->c);
    }
    if (parser->syntax->in_claim)
        parser_fail(parser, &node->at, "a claim cannot run processes");
    return parser->status;
}

static bool is_word_of(const struct parser *parser, const char *const *words, unsigned *which)
{
    for (*which = 0; words[*which]; ++*which)
        if (parser_is(parser, words[*which]))
            return true;
    return false;
}

static enum portolan_status parse_plain(struct parser *parser, struct node *node, unsigned kind)
{
    node->kind = kind;
    return parser_advance(parser);
}

static enum portolan_status parse_length(struct parser *parser, struct node *node, unsigned question)
{
    node->kind = NODE_LENGTH;
    node->operation = question;
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    promela_reference(parser, &node->a);
    if (!parser->status && promela_leaf(node->a)->type.kind != TYPE_CHAN)
        return parser_fail(parser, &node->a->at, "a channel is expected here");
    return parser_expect(parser, ")", "')'");
}

/* ?[ or ??[ behind a channel: the message is asked for, not taken. */
static bool at_poll(const struct parser *parser)
{
    const char *at = parser->lexer->next;
    if (!parser_is(parser, "?") && !parser_is(parser, "??"))
        return false;
    while (at < parser->lexer->end && (*at == ' ' || *at == '\t' || *at == '\n'))
        at++;
    return at < parser->lexer->end && *at == '[';
}

static enum portolan_status parse_poll(struct parser *parser, struct node **expression)
{
    if (parser_parent(parser, NODE_POLL, expression))
        return parser->status;
    struct node *node = *expression;
    node->operation = parser_is(parser, "??");
    parser_advance(parser);
    parser_expect(parser, "[", "'['");
    promela_received(parser, node->a, &node->b);
    parser_expect(parser, "]", "']'");
    return parser_close(parser, node);
}

static enum portolan_status parse_name(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    const char *name = parser->lexer->token.name;
    struct declared *v = promela_find(parser->syntax, name);
    int64_t value;
    if (v) {
        promela_reference(parser, expression);
        mark_read(*expression);
        if (!parser->status && promela_leaf(*expression)->type.kind == TYPE_CHAN && at_poll(parser))
            parse_poll(parser, expression);
        return parser->status;
    }
    if (find_mtype(parser->syntax, name, &value)) {
        node->kind = NODE_NUMBER;
        node->value = value;
        return parser_advance(parser);
    }
    if (parser_name(parser, "a value", &name))
        return parser->status;
    if (parser_is(parser, "@") || parser_is(parser, ":") || parser_is(parser, "["))
        return parse_remote(parser, node, name);
    return unknown_name(parser, node, name);
}

static enum portolan_status parse_c_expression(struct parser *parser, struct node *node)
{
    uint32_t number;
    node->kind = NODE_C;
    promela_c_text(parser, &number);
    node->value = number;
    return parser->status;
}

/* What begins with a word or a symbol that is no operator. */
static enum portolan_status parse_word(struct parser *parser, struct node **expression)
{
    static const char *const lengths[] = {"len", "full", "empty", "nfull", "nempty", NULL};
    struct node *node = *expression;
    unsigned which;
    struct syntax *s = parser->syntax;
    if (parser_is(parser, "!!")) { /* not not */
        node->kind = NODE_UNARY;
        node->operation = OPERATION_NOT;
        parser_advance(parser);
        struct node *inner = parser_node(parser, NODE_UNARY);
        if (!inner)
            return parser->status;
        inner->operation = OPERATION_NOT;
        node->a = inner;
        return parse_tight(parser, PRECEDENCE_PRODUCT + 1, &inner->a);
    }
    if (parser->lexer->token.kind != TOKEN_NAME)
        return parser_expected(parser, "a value");
    if (!s) /* a condition of the preprocessor */
        return parser_expected(parser, "a number");
    if (parser_is(parser, "true") || parser_is(parser, "skip") || parser_is(parser, "false")) {
        node->value = !parser_is(parser, "false");
        return parse_plain(parser, node, NODE_NUMBER);
    }
    if (is_word_of(parser, lengths, &which))
        return parse_length(parser, node, which);
    if (parser_is(parser, "run"))
        return parse_run(parser, node);
    if (parser_is(parser, "timeout")) {
        s->has_timeout = true;
        return parse_plain(parser, node, NODE_TIMEOUT);
    }
    if (parser_is(parser, "np_"))
        return parse_plain(parser, node, NODE_NO_PROGRESS);
    if (parser_is(parser, "_pid"))
        return parse_plain(parser, node, NODE_PROCESS_ID);
    if (parser_is(parser, "_nr_pr"))
        return parse_plain(parser, node, NODE_PROCESSES);
    if (parser_is(parser, "_last")) {
        s->has_last = true;
        return parse_plain(parser, node, NODE_LAST);
    }
    if (parser_is(parser, "enabled")) {
        s->has_enabled = true;
        return parse_call(parser, node, NODE_ENABLED);
    }
    if (parser_is(parser, "pc_value"))
        return parse_call(parser, node, NODE_PC_VALUE);
    if (parser_is(parser, "get_priority")) {
        s->has_priorities = true;
        return parse_call(parser, node, NODE_PRIORITY);
    }
    if (parser_is(parser, "_priority"))
        return parse_own_priority(parser, node);
    if (parser_is(parser, "c_expr"))
        return parse_c_expression(parser, node);
    return parse_name(parser, expression);
}

const struct language promela_language = {
    .binaries = "|| && | ^ & == != < <= > >= << >> + - * / %",
    .unaries = "- ! ~",
    .question = "->", /* only within parentheses */
    .reserved = reserved,
    .most_open = 300,
    .deepest = 1000,
    .chains = true,
    .primary = parse_word,
    .reads_symbols = true,
    .wanted = "a value",
    .largest = INT32_MAX,
    .integer = INTEGER_32,
};

enum portolan_status promela_expression(struct parser *parser, struct node **expression)
{
    return parse_tight(parser, 1, expression);
}
