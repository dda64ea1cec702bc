/* SPDX-License-Identifier: Apache-2.0 */
/* for and select of Promela, which become what Spin makes of them. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Appends a statement that is named by what it does, at the place of what it was made of. */
static void add_named(struct parser *parser, struct sequence *out, enum statement_kind kind, struct node *a,
                      struct node *b, const struct position *at, const char *name)
{
    struct statement *s = promela_add_statement(parser, out, kind, a, b);
    if (!s)
        return;
    s->at = *at;
    s->length = strlen(name);
    if (!(s->start = arena_copy(parser->arena, name, s->length)) && !parser->status)
        parser->status = fail_memory(parser->error);
}

static struct node *reference_copy(struct parser *parser, const struct node *reference)
{
    struct node **end;
    for (const struct node *part = reference; part; part = part->b)
        ((struct declared *)part->variable)->is_read = true; /* copies are for what looks at it */
    return promela_copy_path(parser, reference, &end);
}

static struct node *next_of(struct parser *parser, const struct node *x)
{
    return promela_binary(parser, OPERATION_ADD, reference_copy(parser, x), promela_number(parser, 1));
}

struct loop {
    struct node *x, *low, *condition; /* the condition for another round */
    struct node *message, *channel;   /* of a loop over a channel: each is taken, and put back at the end */
    struct position at;
    char first[160], again[160], next[160]; /* names of its steps */
};

static void rotate(struct parser *parser, struct sequence *round, const struct loop *l)
{
    struct node *received = NULL, *sent = NULL;
    promela_add_flat(parser, reference_copy(parser, l->message), &received);
    promela_add_flat(parser, reference_copy(parser, l->message), &sent);
    for (struct node *n = received; n; n = n->next)
        ((struct declared *)promela_leaf(n))->is_assigned = true;
    if (!parser->status && !promela_check_count(parser, l->channel, received)) {
        promela_add_statement(parser, round, STATEMENT_RECEIVE, l->channel, received);
        promela_add_statement(parser, round, STATEMENT_SEND, reference_copy(parser, l->channel), sent);
    }
}

/* x = low; do :: condition -> body; x++ :: else -> break od */
static enum portolan_status make_loop(struct parser *parser, struct sequence *out, const struct loop *l)
{
    struct node *x = l->x;
    promela_note_assigned(parser, x);
    add_named(parser, out, STATEMENT_ASSIGN, x, l->low, &l->at, l->first);
    struct statement *loop = promela_add_statement(parser, out, STATEMENT_DO, NULL, NULL);
    struct sequence *round = promela_new_sequence(parser), *last = promela_new_sequence(parser), *body = NULL;
    if (parser->status)
        return parser->status;
    loop->options = round;
    round->next = last;
    round->is_round = true;
    add_named(parser, round, STATEMENT_EXPRESSION, l->condition, NULL, &l->at, l->again);
    if (l->channel)
        rotate(parser, round, l);
    if (promela_block(parser, &body))
        return parser->status;
    if (body->first) {
        round->last->next = body->first;
        round->last = body->last;
    }
    add_named(parser, round, STATEMENT_ASSIGN, reference_copy(parser, x), next_of(parser, x), &l->at, l->next);
    add_named(parser, last, STATEMENT_ELSE, NULL, NULL, &l->at, "else");
    promela_add_statement(parser, last, STATEMENT_BREAK, NULL, NULL);
    return parser->status;
}

/* The number of rounds so far is a variable of its own; there are len(channel) of them. */
static enum portolan_status make_channel_loop(struct parser *parser, struct sequence *out, struct loop *l)
{
    struct declared *rounds;
    struct node *length = parser_node(parser, NODE_LENGTH);
    if (!length || parser_get(parser, sizeof *rounds, &rounds) || !(l->x = parser_node(parser, NODE_VAR)))
        return parser->status;
    *rounds = (struct declared){
        .name = "_rounds", .at = l->channel->at, .type = {.kind = TYPE_BYTE}, .length = 1, .is_assigned = true};
    if (promela_declare_nameless(parser, parser->syntax->present, rounds))
        return parser->status;
    l->x->variable = rounds;
    length->operation = ASKS_LENGTH;
    length->a = reference_copy(parser, l->channel);
    l->low = promela_number(parser, 0);
    l->condition = promela_binary(parser, OPERATION_LESS, reference_copy(parser, l->x), length);
    parser_expect(parser, ")", "')'");
    return parser->status ? parser->status : make_loop(parser, out, l);
}

static int length_from(const struct parser *parser, const char *start)
{
    return parser->status ? 0 : (int)(parser->last_end - start);
}

static enum portolan_status parse_for_in(struct parser *parser, struct sequence *out, struct loop *l, const char *x,
                                         int length)
{
    struct node *in = NULL;
    const char *start = parser->lexer->token.start;
    if (promela_reference(parser, &in))
        return parser->status;
    const struct declared *leaf = promela_leaf(in);
    snprintf(l->first, sizeof l->first, "for (%.*s in %.*s)", length, x, length_from(parser, start), start);
    memcpy(l->again, l->first, sizeof l->again);
    memcpy(l->next, l->first, sizeof l->next);
    if (leaf->type.kind == TYPE_CHAN && !in->is_array) {
        l->message = l->x;
        l->channel = in;
        return make_channel_loop(parser, out, l);
    }
    if (!leaf->is_array)
        return parser_fail(parser, &in->at, "'%s' is not an array", leaf->name);
    if (in->b) { /* Spin takes the length of what the field belongs to */
        parser_fail(parser, &in->at, "'in' takes an array by its own name, not a field");
        hint(parser->error, "write for (%.*s : 0 .. %u)", length, x, (unsigned)leaf->length - 1);
        return parser->status;
    }
    parser_expect(parser, ")", "')'");
    l->low = promela_number(parser, 0);
    struct node *last = promela_number(parser, (int64_t)leaf->length - 1);
    l->condition = promela_binary(parser, OPERATION_LESS_EQUAL, reference_copy(parser, l->x), last);
    return parser->status ? parser->status : make_loop(parser, out, l);
}

/* ": LOW .. HIGH)", and the names of what comes of it. */
static void parse_bounds(struct parser *parser, struct loop *l, struct node **high, const char *x, int length,
                         const char *comparison)
{
    parser_expect(parser, ":", "':' or 'in'");
    const char *bound = parser->lexer->token.start;
    promela_expression(parser, &l->low);
    snprintf(l->first, sizeof l->first, "%.*s = %.*s", length, x, length_from(parser, bound), bound);
    parser_expect(parser, "..", "'..'");
    bound = parser->lexer->token.start;
    promela_expression(parser, high);
    snprintf(l->again, sizeof l->again, "%.*s %s %.*s", length, x, comparison, length_from(parser, bound), bound);
    snprintf(l->next, sizeof l->next, "%.*s++", length, x);
    parser_expect(parser, ")", "')'");
}

enum portolan_status promela_parse_for(struct parser *parser, struct sequence *out)
{
    struct node *high = NULL;
    struct loop l = {.at = parser->lexer->token.at};
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    const char *x = parser->lexer->token.start;
    if (promela_reference(parser, &l.x))
        return parser->status;
    int length = length_from(parser, x);
    if (parser_take(parser, "in"))
        return parse_for_in(parser, out, &l, x, length);
    parse_bounds(parser, &l, &high, x, length, "<=");
    if (parser->status)
        return parser->status;
    l.condition = promela_binary(parser, OPERATION_LESS_EQUAL, reference_copy(parser, l.x), high);
    return make_loop(parser, out, &l);
}

/* With constants one option for each value, else x = low; do :: x < high -> x++ :: break od, as Spin has it. */
static enum portolan_status make_selection(struct parser *parser, struct sequence *out, const struct loop *l,
                                           struct node *high, const char *x, int length)
{
    int64_t first, last;
    promela_note_assigned(parser, l->x);
    if (parser->status)
        return parser->status;
    if (promela_fold(l->low, &first) && promela_fold(high, &last) && last - first <= 32) {
        struct statement *choice = promela_add_statement(parser, out, STATEMENT_IF, NULL, NULL);
        struct sequence **end = choice ? &choice->options : NULL;
        if (first > last)
            return parser_fail(parser, &l->low->at, "there is nothing to select from");
        for (int64_t k = first; k <= last && !parser->status; k++, end = &(*end)->next) {
            char name[160];
            snprintf(name, sizeof name, "%.*s = %" PRId64, length, x, k);
            if ((*end = promela_new_sequence(parser)))
                add_named(parser, *end, STATEMENT_ASSIGN, reference_copy(parser, l->x), promela_number(parser, k),
                          &l->at, name);
        }
        return parser->status;
    }
    add_named(parser, out, STATEMENT_ASSIGN, l->x, l->low, &l->at, l->first);
    struct statement *loop = promela_add_statement(parser, out, STATEMENT_DO, NULL, NULL);
    struct sequence *round = promela_new_sequence(parser), *end = promela_new_sequence(parser);
    if (parser->status)
        return parser->status;
    loop->options = round;
    round->next = end;
    add_named(parser, round, STATEMENT_EXPRESSION,
              promela_binary(parser, OPERATION_LESS, reference_copy(parser, l->x), high), NULL, &l->at, l->again);
    add_named(parser, round, STATEMENT_ASSIGN, reference_copy(parser, l->x), next_of(parser, l->x), &l->at, l->next);
    promela_add_statement(parser, end, STATEMENT_BREAK, NULL, NULL);
    return parser->status;
}

enum portolan_status promela_parse_select(struct parser *parser, struct sequence *out)
{
    struct node *high = NULL;
    struct loop l = {.at = parser->lexer->token.at};
    parser_advance(parser);
    parser_expect(parser, "(", "'('");
    const char *x = parser->lexer->token.start;
    promela_reference(parser, &l.x);
    int length = length_from(parser, x);
    parse_bounds(parser, &l, &high, x, length, "<");
    return parser->status ? parser->status : make_selection(parser, out, &l, high, x, length);
}
