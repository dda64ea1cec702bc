/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of Promela.  Inlines are read anew where they are called. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <stdio.h>
#include <string.h>

static enum portolan_status parse_statement(struct parser *parser, struct sequence *out);

enum portolan_status promela_rewind(struct parser *parser, const struct token *token)
{
    if (parser->status)
        return parser->status;
    parser->lexer->next = token->start;
    parser->lexer->line = token->at.line;
    parser->lexer->line_start = token->at.line_start;
    return parser->status = lexer_next(parser->lexer, parser->error);
}

static struct statement *new_statement(struct parser *parser, enum statement_kind kind)
{
    struct statement *s;
    if (parser_get(parser, sizeof *s, &s))
        return NULL;
    s->kind = kind;
    s->at = parser->lexer->token.at;
    s->start = parser->lexer->token.start;
    return s;
}

static void append(struct sequence *sequence, struct statement *s)
{
    if (!s)
        return;
    if (sequence->last)
        sequence->last->next = s;
    else
        sequence->first = s;
    sequence->last = s;
}

static void close_statement(struct parser *parser, struct statement *s)
{
    if (s && !parser->status && parser->last_end > s->start)
        s->length = (size_t)(parser->last_end - s->start);
}

struct statement *promela_add_statement(struct parser *parser, struct sequence *out, enum statement_kind kind,
                                        struct node *a, struct node *b)
{
    struct statement *s = new_statement(parser, kind);
    if (s) {
        s->a = a;
        s->b = b;
        append(out, s);
    }
    return s;
}

struct sequence *promela_new_sequence(struct parser *parser)
{
    struct sequence *sequence;
    parser_get(parser, sizeof *sequence, &sequence);
    return sequence;
}

/* ----------------------------------------------------------------------- messages */

struct node *promela_copy_path(struct parser *parser, const struct node *node, struct node ***end)
{
    struct node *copy = parser_node(parser, NODE_VAR);
    if (!copy)
        return NULL;
    *copy = *node;
    copy->next = NULL;
    *end = &copy->b;
    if (node->b)
        copy->b = promela_copy_path(parser, node->b, end);
    return copy;
}

/* A record stands for its fields, an array for its elements. */
struct node **promela_add_flat(struct parser *parser, struct node *node, struct node **list)
{
    const struct declared *leaf = node->kind == NODE_VAR ? promela_leaf(node) : NULL;
    struct node **end;
    if (parser->status)
        return list;
    if (!leaf || leaf->type.kind != TYPE_RECORD) {
        *list = node;
        return &node->next;
    }
    for (size_t i = 0; i < leaf->type.record->fields.count && !parser->status; i++) {
        struct declared *field = leaf->type.record->fields.item[i];
        field->is_read = true; /* perhaps: it may be sent */
        for (uint32_t k = 0; k < field->length && !parser->status; k++) {
            struct node *copy = promela_copy_path(parser, node, &end);
            struct node *part = parser_node(parser, NODE_VAR);
            if (!copy || !part)
                return list;
            part->variable = field;
            part->at = node->at;
            if (field->is_array)
                part->a = promela_number(parser, k);
            *end = part;
            list = promela_add_flat(parser, copy, list);
        }
    }
    return list;
}

static const struct channel_shape *shape_of(const struct node *channel)
{
    const struct declared *leaf = promela_leaf(channel);
    return leaf->is_assigned || leaf->is_parameter ? NULL : leaf->shape;
}

enum portolan_status promela_check_count(struct parser *parser, const struct node *channel, const struct node *list)
{
    const struct channel_shape *shape = shape_of(channel);
    uint32_t count = 0;
    for (; list; list = list->next)
        count++;
    if (count > MOST_FIELDS)
        return parser_fail(parser, &channel->at, "a message has more than %d values", MOST_FIELDS);
    if (shape && count > shape->fields)
        return parser_fail(parser, &channel->at, "a message of this channel has %u value%s, not %u", shape->fields,
                           shape->fields == 1 ? "" : "s", count);
    return parser->status;
}

static enum portolan_status parse_sent(struct parser *parser, const struct node *channel, struct node **list)
{
    struct node **end = list, *value;
    bool more = true, parentheses = false;
    for (unsigned k = 0; more && !parser->status; k++) {
        value = NULL;
        promela_expression(parser, &value);
        if (value)
            end = promela_add_flat(parser, value, end);
        if (k == 0 && parser_is(parser, "(")) { /* m(a, b) */
            parentheses = true;
            parser_advance(parser);
        } else {
            more = parser_take(parser, ",");
        }
    }
    if (parentheses)
        parser_expect(parser, ")", "')'");
    return promela_check_count(parser, channel, *list);
}

static enum portolan_status parse_received_value(struct parser *parser, struct node **value)
{
    if (parser_is(parser, "eval")) {
        *value = parser_node(parser, NODE_EVAL);
        parser_advance(parser);
        parser_expect(parser, "(", "'('");
        if (*value)
            parse_expression(parser, &(*value)->a);
        return parser_expect(parser, ")", "')'");
    }
    if (parser_is(parser, "_")) {
        *value = parser_node(parser, NODE_ANY);
        return parser_advance(parser);
    }
    if (parser->lexer->token.kind == TOKEN_NAME && promela_find(parser->syntax, parser->lexer->token.name)) {
        promela_reference(parser, value);
        if (!parser->status && !parser->syntax->in_claim)
            ((struct declared *)promela_leaf(*value))->is_assigned = true;
        return parser->status;
    }
    struct position at = parser->lexer->token.at;
    parse_tight(parser, PRECEDENCE_SUM, value);
    int64_t number;
    if (!parser->status && !promela_fold(*value, &number))
        parser_fail(parser, &at, "a variable, a constant or eval(...) is expected here");
    return parser->status;
}

enum portolan_status promela_received(struct parser *parser, const struct node *channel, struct node **list)
{
    struct node **end = list, *value;
    bool more = true, parentheses = false;
    for (unsigned k = 0; more && !parser->status; k++) {
        value = NULL;
        parse_received_value(parser, &value);
        if (value)
            end = promela_add_flat(parser, value, end);
        if (k == 0 && parser_is(parser, "(")) {
            parentheses = true;
            parser_advance(parser);
        } else {
            more = parser_take(parser, ",");
        }
    }
    if (parentheses)
        parser_expect(parser, ")", "')'");
    return promela_check_count(parser, channel, *list);
}

static enum portolan_status parse_transfer(struct parser *parser, struct sequence *out, struct node *channel,
                                           struct statement *s)
{
    if (promela_leaf(channel)->type.kind != TYPE_CHAN)
        return parser_fail(parser, &channel->at, "'%s' is not a channel", promela_leaf(channel)->name);
    if (parser->syntax->in_claim)
        return parser_fail(parser, &channel->at, "a claim cannot send or receive");
    s->a = channel;
    s->is_sorted = parser_is(parser, "!!");
    s->is_random = parser_is(parser, "??");
    if (s->is_sorted || parser_is(parser, "!")) {
        s->kind = STATEMENT_SEND;
        parser_advance(parser);
        if (parser->syntax->in_trace)
            promela_received(parser, channel, &s->b);
        else
            parse_sent(parser, channel, &s->b);
    } else {
        s->kind = STATEMENT_RECEIVE;
        parser_advance(parser);
        s->is_copy = parser_take(parser, "<");
        promela_received(parser, channel, &s->b);
        if (s->is_copy)
            parser_expect(parser, ">", "'>'");
    }
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

/* ------------------------------------------------------------------- assignments */

void promela_note_assigned(struct parser *parser, const struct node *reference)
{
    struct declared *leaf = (struct declared *)promela_leaf(reference);
    leaf->is_assigned = true;
    if (leaf->type.kind == TYPE_RECORD)
        parser_fail(parser, &reference->at, "a record cannot be assigned as a whole");
}

static enum portolan_status parse_assignment(struct parser *parser, struct sequence *out, struct node *reference,
                                             struct statement *s)
{
    s->kind = STATEMENT_ASSIGN;
    s->a = reference;
    bool more = parser_is(parser, "++"), less = parser_is(parser, "--");
    promela_note_assigned(parser, reference);
    parser_advance(parser);
    if (more || less) {
        struct node **end;
        struct node *value = promela_copy_path(parser, reference, &end);
        ((struct declared *)promela_leaf(reference))->is_read = true;
        s->b = promela_binary(parser, more ? OPERATION_ADD : OPERATION_SUBTRACT, value, promela_number(parser, 1));
    } else {
        promela_expression(parser, &s->b);
    }
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

/* x = e, x++, x--, q!e, q?x, or an expression that begins with a variable. */
static enum portolan_status parse_with_variable(struct parser *parser, struct sequence *out)
{
    struct token token = parser->lexer->token;
    struct statement *s = new_statement(parser, STATEMENT_EXPRESSION);
    struct node *reference = NULL;
    if (!s || promela_reference(parser, &reference))
        return parser->status;
    const char *next = parser->lexer->next;
    while (next < parser->lexer->end && (*next == ' ' || *next == '\t' || *next == '\n'))
        next++;
    bool receives = parser_is(parser, "?") || parser_is(parser, "??");
    bool polls = receives && next < parser->lexer->end && *next == '[';
    if (parser_is(parser, "!") || parser_is(parser, "!!") || (receives && !polls))
        return parse_transfer(parser, out, reference, s);
    if (parser_is(parser, "=") || parser_is(parser, "++") || parser_is(parser, "--"))
        return parse_assignment(parser, out, reference, s);
    promela_rewind(parser, &token);
    promela_expression(parser, &s->a);
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

/* ---------------------------------------------------------------------- selections */

static enum portolan_status parse_options(struct parser *parser, struct sequence *out, enum statement_kind kind)
{
    struct statement *s = new_statement(parser, kind);
    struct sequence **end = s ? &s->options : NULL;
    parser_advance(parser);
    if (!parser->status && !parser_is(parser, "::"))
        return parser_expected(parser, "'::'");
    while (parser_take(parser, "::")) {
        struct position at = parser->lexer->token.at;
        if (promela_sequence(parser, end))
            return parser->status;
        if (!(*end)->first)
            return parser_fail(parser, &at, "the option is empty");
        end = &(*end)->next;
    }
    parser_expect_word(parser, kind == STATEMENT_IF ? "fi" : "od");
    if (s)
        s->length = (size_t)(parser->last_end - s->start);
    append(out, s);
    return parser->status;
}

/* A call of an inline is a block, as in Spin. */
static enum portolan_status parse_inline_call(struct parser *parser, const struct inline_text *text,
                                              struct sequence *out)
{
    struct sequence *body = NULL;
    if (promela_inline_call(parser, text, &body) || !body->first)
        return parser->status;
    struct statement *block = promela_add_statement(parser, out, STATEMENT_BLOCK, NULL, NULL);
    if (block)
        block->options = body;
    return parser->status;
}

/* ---------------------------------------------------------------------- statements */

static enum portolan_status parse_print(struct parser *parser, struct sequence *out)
{
    struct statement *s = new_statement(parser, STATEMENT_PRINT);
    bool of_mtype = parser_is(parser, "printm");
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    if (!s || parser->status)
        return parser->status;
    if (of_mtype) {
        s->name = "%e";
        promela_expression(parser, &s->b);
    } else {
        if (parser->lexer->token.kind != TOKEN_QUOTED)
            return parser_expected(parser, "a text in quotes");
        s->name = arena_copy(parser->arena, parser->lexer->token.name, strlen(parser->lexer->token.name));
        parser_advance(parser);
        struct node **end = &s->b;
        while (parser_take(parser, ",") && !promela_expression(parser, end))
            end = &(*end)->next;
    }
    parser_expect(parser, ")", "')'");
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

static enum portolan_status parse_with_expression(struct parser *parser, struct sequence *out, enum statement_kind kind)
{
    struct statement *s = new_statement(parser, kind);
    if (kind == STATEMENT_ASSERT)
        parser_advance(parser);
    if (s)
        promela_expression(parser, &s->a);
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

static enum portolan_status parse_goto(struct parser *parser, struct sequence *out)
{
    struct statement *s = new_statement(parser, STATEMENT_GOTO);
    parser_advance(parser);
    if (s) {
        s->instance = parser->syntax->instance;
        parser_name(parser, "the name of a label", &s->name);
    }
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

static enum portolan_status parse_word_alone(struct parser *parser, struct sequence *out, enum statement_kind kind)
{
    struct statement *s = promela_add_statement(parser, out, kind, NULL, NULL);
    parser_advance(parser);
    close_statement(parser, s);
    return parser->status;
}

static enum portolan_status parse_in_braces(struct parser *parser, struct sequence *out, enum statement_kind kind)
{
    struct statement *s = new_statement(parser, kind);
    if (kind != STATEMENT_BLOCK)
        parser_advance(parser);
    struct position at = parser->lexer->token.at;
    if (!s || promela_block(parser, &s->options))
        return parser->status;
    if (!s->options->first)
        return parser_fail(parser, &at, "there is no statement between the braces");
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

static enum portolan_status parse_set_priority(struct parser *parser, struct sequence *out)
{
    struct statement *s = new_statement(parser, STATEMENT_SET_PRIORITY);
    parser->syntax->has_priorities = true;
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    if (s) {
        promela_expression(parser, &s->a);
        parser_expect(parser, ",", "','");
        promela_expression(parser, &s->b);
    }
    parser_expect(parser, ")", "')'");
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

/* _priority = e */
static enum portolan_status parse_own_priority(struct parser *parser, struct sequence *out)
{
    struct statement *s = new_statement(parser, STATEMENT_SET_PRIORITY);
    parser->syntax->has_priorities = true;
    parser_advance(parser);
    parser_expect(parser, "=", "'='");
    if (s && !parser_get(parser, sizeof *s->a, &s->a)) {
        s->a->kind = NODE_PROCESS_ID;
        s->is_assignment = true;
        promela_expression(parser, &s->b);
    }
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

static bool assigns_priority(const struct parser *parser)
{
    const char *at = parser->lexer->next, *end = parser->lexer->end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n'))
        at++;
    return parser_is(parser, "_priority") && at + 1 < end && at[0] == '=' && at[1] != '=';
}

static enum portolan_status parse_c_code(struct parser *parser, struct sequence *out)
{
    struct statement *s = new_statement(parser, STATEMENT_C);
    if (s)
        promela_c_text(parser, &s->c_text);
    close_statement(parser, s);
    append(out, s);
    return parser->status;
}

/* xr q, r; xs q: who alone receives or sends.  Independence is derived, so nothing depends on them. */
static enum portolan_status parse_exclusive(struct parser *parser)
{
    parser_advance(parser);
    do {
        struct node *channel = NULL;
        promela_reference(parser, &channel);
    } while (parser_take(parser, ","));
    return parser->status;
}

static bool at_label(const struct parser *parser)
{
    const char *at = parser->lexer->next, *end = parser->lexer->end;
    if (parser->lexer->token.kind != TOKEN_NAME || promela_proctype(parser->syntax, parser->lexer->token.name))
        return false;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n'))
        at++;
    return at < end && *at == ':' && !(at + 1 < end && at[1] == ':');
}

static enum portolan_status parse_plain_statement(struct parser *parser, struct sequence *out)
{
    const struct inline_text *text;
    if (parser_is(parser, "{"))
        return parse_in_braces(parser, out, STATEMENT_BLOCK);
    if (parser->lexer->token.kind != TOKEN_NAME)
        return parse_with_expression(parser, out, STATEMENT_EXPRESSION);
    if ((text = promela_inline(parser)))
        return parse_inline_call(parser, text, out);
    if (promela_find(parser->syntax, parser->lexer->token.name))
        return parse_with_variable(parser, out);
    if (parser_is(parser, "if"))
        return parse_options(parser, out, STATEMENT_IF);
    if (parser_is(parser, "do"))
        return parse_options(parser, out, STATEMENT_DO);
    if (parser_is(parser, "for"))
        return promela_parse_for(parser, out);
    if (parser_is(parser, "select"))
        return promela_parse_select(parser, out);
    if (parser_is(parser, "atomic"))
        return parse_in_braces(parser, out, STATEMENT_ATOMIC);
    if (parser_is(parser, "d_step"))
        return parse_in_braces(parser, out, STATEMENT_D_STEP);
    if (parser_is(parser, "goto"))
        return parse_goto(parser, out);
    if (parser_is(parser, "break"))
        return parse_word_alone(parser, out, STATEMENT_BREAK);
    if (parser_is(parser, "else"))
        return parse_word_alone(parser, out, STATEMENT_ELSE);
    if (parser_is(parser, "assert"))
        return parse_with_expression(parser, out, STATEMENT_ASSERT);
    if (parser_is(parser, "printf") || parser_is(parser, "printm"))
        return parse_print(parser, out);
    if (parser_is(parser, "set_priority"))
        return parse_set_priority(parser, out);
    if (assigns_priority(parser))
        return parse_own_priority(parser, out);
    if (parser_is(parser, "c_code"))
        return parse_c_code(parser, out);
    return parse_with_expression(parser, out, STATEMENT_EXPRESSION);
}

/* A label, a statement, and what it may be left for; an inline or a loop may become several. */
static enum portolan_status parse_statement(struct parser *parser, struct sequence *out)
{
    struct label *labels = NULL;
    while (at_label(parser)) {
        struct label *label;
        if (parser_get(parser, sizeof *label, &label))
            return parser->status;
        label->at = parser->lexer->token.at;
        label->instance = parser->syntax->instance;
        parser_new_name(parser, "the name of a label", &label->name);
        parser_expect(parser, ":", "':'");
        label->next = labels;
        labels = label;
    }
    struct sequence own = {0};
    if (labels && (parser_is(parser, "}") || parser_is(parser, ";")))
        promela_add_statement(parser, &own, STATEMENT_EXPRESSION, promela_number(parser, 1), NULL);
    else
        parse_plain_statement(parser, &own);
    while (!parser->status && parser_is(parser, "unless")) {
        struct sequence *main = promela_new_sequence(parser), *escape = promela_new_sequence(parser);
        struct statement *unless = new_statement(parser, STATEMENT_UNLESS);
        parser_advance(parser);
        if (parser->status || parse_plain_statement(parser, escape))
            return parser->status;
        bool is_one = own.first && own.first == own.last;
        enum statement_kind kind = is_one ? own.first->kind : STATEMENT_UNLESS;
        bool lifts = labels && (kind == STATEMENT_BLOCK || kind == STATEMENT_ATOMIC || kind == STATEMENT_D_STEP);
        bool is_block = lifts || kind == STATEMENT_BLOCK;
        *main = is_block ? *own.first->options : own;
        main->is_bare = !is_block;
        if (escape->first && escape->first == escape->last && escape->first->kind == STATEMENT_BLOCK)
            *escape = *escape->first->options;
        escape->next = NULL;
        main->next = escape;
        unless->options = main;
        own = (struct sequence){.first = unless, .last = unless};
        if (lifts) { /* as in Spin the label is that of a block around it */
            struct sequence *inner = promela_new_sequence(parser);
            struct statement *block = new_statement(parser, kind);
            if (parser->status)
                return parser->status;
            *inner = own;
            block->options = inner;
            own = (struct sequence){.first = block, .last = block};
        }
    }
    if (parser->status || !own.first)
        return parser->status;
    struct label **end = &own.last->labels; /* of a loop `for` behind its first assignment, as in Spin */
    while (*end)
        end = &(*end)->next;
    *end = labels;
    if (out->last)
        out->last->next = own.first;
    else
        out->first = own.first;
    out->last = own.last;
    return parser->status;
}

static bool ends_sequence(const struct parser *parser)
{
    return parser->status || parser->lexer->token.kind == TOKEN_END || parser_is(parser, "}") ||
           parser_is(parser, "::") || parser_is(parser, "fi") || parser_is(parser, "od");
}

enum portolan_status promela_sequence(struct parser *parser, struct sequence **sequence)
{
    struct syntax *s = parser->syntax;
    struct scope *scope;
    *sequence = promela_new_sequence(parser);
    if (parser_get(parser, sizeof *scope, &scope) || parser_enter(parser))
        return parser->status;
    scope->outer = s->scope;
    s->scope = scope;
    while (!ends_sequence(parser)) {
        if (parser_take(parser, ";") || parser_take(parser, "->"))
            continue;
        if (parser_is(parser, "xr") || parser_is(parser, "xs")) {
            parse_exclusive(parser);
        } else if (promela_starts_declaration(parser)) {
            promela_declarations(parser, *sequence);
        } else {
            s->may_initialise = false;
            parse_statement(parser, *sequence);
        }
    }
    s->scope = scope->outer;
    parser->depth--;
    return parser->status;
}

enum portolan_status promela_block(struct parser *parser, struct sequence **sequence)
{
    parser_expect(parser, "{", "'{'");
    promela_sequence(parser, sequence);
    return parser_expect(parser, "}", "'}'");
}
