/* SPDX-License-Identifier: Apache-2.0 */
#include "front/protocols/protocol.h"

#include "base/diagnostic.h"
#include "front/protocols/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STATES = 1 << 16,
    MOST_COLUMNS = 1 << 16,
    MOST_MESSAGES = 1 << 15,
    MOST_ENTRIES = 1 << 26,
    MOST_SENDS = 512
};

struct unfolding {
    struct protocol *protocol;
    struct portolan_error *error;
    enum portolan_status status;
    bool changed;
    /* of the step being run */
    uint32_t sends[MOST_SENDS];
    size_t send_count;
    int32_t *cells;
};

static void no_memory(struct unfolding *u)
{
    if (u->status == PORTOLAN_OK)
        u->status = fail_memory(u->error);
}

static void too_large(struct unfolding *u, const struct position *at, const char *what, unsigned most)
{
    if (u->status != PORTOLAN_OK)
        return;
    u->status =
        lexer_fail(&u->protocol->syntax.lexer, at, u->error, "the protocol has too many %s (more than %u)", what, most);
    hint(u->error, "declare narrower ranges, fewer processes or smaller quorums");
}

/* -------------------------------------------------------------------- messages */

/* The number of a message, which is new or not. */
static uint32_t message_number(struct unfolding *u, enum message_kind kind, const struct message_type *type,
                               uint32_t from, uint32_t to, const int32_t *fields)
{
    struct protocol *p = u->protocol;
    uint32_t key[4 + MOST_FIELDS] = {(uint32_t)kind, type ? type->number : 0, from, to};
    uint32_t count = type ? type->field_count : 0;
    bool is_new = false;
    if (count)
        memcpy(key + 4, fields, count * sizeof *fields);
    uint32_t number = sequence_insert(&p->message_keys, key, 4 + count, &is_new);
    if (number == SEQUENCE_NONE) {
        no_memory(u);
        return 0;
    }
    if (!is_new)
        return number;
    if (p->messages.count >= MOST_MESSAGES)
        too_large(u, type ? &type->at : &p->syntax.processes->at, "possible messages", MOST_MESSAGES);
    struct message message = {.kind = kind, .type = type, .from = from, .to = to, .sequence = number};
    message.queue = kind == MESSAGE_SENT && p->syntax.is_fifo ? from * p->process_count + to : NO_QUEUE;
    if (!vector_push(&p->messages, message))
        no_memory(u);
    u->changed = true;
    return number;
}

static void note_send(struct environment *e, const struct message_type *message, uint32_t to, const int32_t *fields)
{
    struct unfolding *u = e->user;
    uint32_t number = message_number(u, MESSAGE_SENT, message, e->process, to, fields);
    if (u->send_count == MOST_SENDS)
        too_large(u, &message->at, "sends in one step", MOST_SENDS);
    else
        u->sends[u->send_count++] = number;
}

/* Every message that a Byzantine process may send, each once. */
static void forge(struct unfolding *u, struct environment *e, const struct forgery *f, const struct declared *field,
                  const struct node *low, const struct node *high, int32_t *fields, uint32_t k)
{
    struct protocol *p = u->protocol;
    if (field) {
        int64_t first = protocols_evaluate(e, low), last = protocols_evaluate(e, high);
        if (e->failure || !in_domain(field->values, first) || !in_domain(field->values, last)) {
            u->status = lexer_fail(&p->syntax.lexer, &low->at, u->error, "the values of field '%s' are %d..%d",
                                   field->name, field->values.low, field->values.high);
            return;
        }
        for (fields[k] = (int32_t)first; fields[k] <= last && u->status == PORTOLAN_OK; fields[k]++)
            forge(u, e, f, field->next, low->next, high->next, fields, k + 1);
        return;
    }
    for (const struct destination *d = f->destinations; d; d = d->next)
        for (uint32_t i = 0; i < domain_size(d->process->index) && u->status == PORTOLAN_OK; i++) {
            uint32_t to = d->process->first + i;
            if ((d->kind == TO_OTHERS && to == e->process) ||
                (d->kind == TO_ONE && protocols_evaluate(e, d->index) != d->process->index.low + (int32_t)i))
                continue;
            message_number(u, MESSAGE_SENT, f->message, e->process, to, fields);
            uint32_t token = message_number(u, MESSAGE_TOKEN, f->message, e->process, to, fields);
            if (u->status == PORTOLAN_OK)
                p->messages.item[token].initial = 1;
        }
}

/* --------------------------------------------------------------------- columns */

/* Does the value depend on the variables of the process? */
static bool is_static(const struct node *node)
{
    if (!node)
        return true;
    if (node->kind == NODE_CELL || node->kind == NODE_IN || node->kind == NODE_SIZE)
        return false;
    return is_static(node->a) && is_static(node->b) && is_static(node->c);
}

/* Could the condition hold, as far as that can be seen without the variables? */
static bool may_hold(struct environment *e, const struct node *condition)
{
    if (!condition)
        return true;
    if (condition->kind == NODE_BINARY && condition->operation == OPERATION_AND)
        return may_hold(e, condition->a) && may_hold(e, condition->b);
    if (!is_static(condition))
        return true;
    bool holds = protocols_evaluate(e, condition) != 0 || e->failure;
    e->failure = NULL;
    return holds;
}

static bool may_match(const struct unfolding *u, struct environment *e, uint32_t number)
{
    const struct protocol *p = u->protocol;
    const struct rule *rule = e->rule;
    const struct message *m = &p->messages.item[number];
    if (m->kind != MESSAGE_SENT || m->type != rule->message || m->to != e->process ||
        (rule->from && (m->from < rule->from->first || m->from >= rule->from->first + domain_size(rule->from->index))))
        return false;
    e->fields[0] = message_fields(p, m);
    e->senders[0] = m->from;
    bind_message(e, 0);
    uint32_t k = 0;
    bool fits = true;
    for (const struct node *pattern = rule->patterns; pattern && fits; pattern = pattern->next, k++)
        fits = rule->slots[k] >= 0 || !is_static(pattern) || protocols_evaluate(e, pattern) == e->fields[0][k] ||
               e->failure;
    e->failure = NULL;
    return fits && may_hold(e, rule->condition);
}

struct combination {
    struct automaton *automaton;
    const struct rule *rule;
    uint32_t key[1 + MOST_SLOTS + MOST_QUORUM];
    size_t length;
    const uint32_t *candidates;
    uint32_t candidate_count;
};

static void add_column(struct unfolding *u, const struct combination *c)
{
    bool is_new = false;
    struct automaton *a = c->automaton;
    struct column column = {.rule = c->rule};
    column.sequence = sequence_insert(&a->keys, c->key, c->length, &is_new);
    if (column.sequence == SEQUENCE_NONE || (is_new && !vector_push(&a->columns, column)))
        no_memory(u);
    if (a->columns.count > MOST_COLUMNS)
        too_large(u, &c->rule->at, "ways to take a rule", MOST_COLUMNS);
    u->changed |= is_new;
}

/* Every set of messages from different senders that has a new one. */
static void combine(struct unfolding *u, struct combination *c, uint32_t from, uint32_t left)
{
    const struct message *messages = u->protocol->messages.item;
    if (left == 0) {
        if (c->key[c->length - 1] >= c->automaton->seen)
            add_column(u, c);
        return;
    }
    for (uint32_t i = from; i < c->candidate_count && u->status == PORTOLAN_OK; i++) {
        bool is_twice = false;
        for (uint32_t k = 1; k <= c->rule->size - left; k++)
            is_twice |= messages[c->key[c->length - k]].from == messages[c->candidates[i]].from;
        if (is_twice)
            continue;
        c->key[c->length++] = c->candidates[i];
        combine(u, c, i + 1, left - 1);
        c->length--;
    }
}

static void combine_messages(struct unfolding *u, struct combination *c, struct environment *e)
{
    VECTOR(uint32_t) candidates = {0};
    uint32_t count = (uint32_t)u->protocol->messages.count;
    for (uint32_t m = 0; m < count; m++)
        if (may_match(u, e, m) && !vector_push(&candidates, m))
            no_memory(u);
    c->candidates = candidates.item;
    c->candidate_count = (uint32_t)candidates.count;
    if (u->status == PORTOLAN_OK)
        combine(u, c, 0, c->rule->size);
    free(candidates.item);
}

static void choose(struct unfolding *u, struct combination *c, struct environment *e, const struct binder *choice)
{
    if (choice) {
        for (int32_t v = choice->domain.low; v <= choice->domain.high && u->status == PORTOLAN_OK; v++) {
            e->slot[choice->slot] = v;
            c->key[c->length++] = (uint32_t)v;
            choose(u, c, e, choice->next);
            c->length--;
        }
    } else if (c->rule->input == INPUT_NONE) {
        add_column(u, c);
    } else {
        combine_messages(u, c, e);
    }
}

static void find_columns(struct unfolding *u, uint32_t process)
{
    struct automaton *a = &u->protocol->automata[process];
    uint32_t count = (uint32_t)u->protocol->messages.count, number = 0;
    for (const struct rule *rule = a->type->rules; rule; rule = rule->next) {
        struct combination c = {.automaton = a, .rule = rule, .key = {number++}, .length = 1};
        struct environment e = {.rule = rule, .process = process, .cells = u->cells};
        memcpy(e.slot, a->slot, sizeof e.slot);
        choose(u, &c, &e, rule->choices);
    }
    a->seen = count;
}

/* ----------------------------------------------------------------------- edges */

static void prepare(const struct unfolding *u, struct environment *e, const struct automaton *a, const struct column *c)
{
    const struct protocol *p = u->protocol;
    size_t length;
    const uint32_t *key = sequence_get(&a->keys, c->sequence, &length);
    memcpy(e->slot, a->slot, sizeof e->slot);
    e->rule = c->rule;
    e->size = c->rule->size;
    e->cells = u->cells;
    e->process = (uint32_t)(a - p->automata);
    key++;
    for (const struct binder *b = c->rule->choices; b; b = b->next)
        e->slot[b->slot] = (int32_t)*key++;
    for (uint32_t j = 0; j < e->size; j++) {
        const struct message *m = &p->messages.item[*key++];
        e->fields[j] = message_fields(p, m);
        e->senders[j] = m->from;
    }
}

static uint32_t failure_number(struct unfolding *u, const struct environment *e)
{
    struct protocol *p = u->protocol;
    struct failure failure = {e->failure, e->failed_at->line};
    for (uint32_t i = 0; i < p->failures.count; i++)
        if (p->failures.item[i].line == failure.line && strcmp(p->failures.item[i].reason, failure.reason) == 0)
            return i + 1;
    failure.reason = arena_copy(&p->syntax.arena, failure.reason, strlen(failure.reason));
    if (!failure.reason || !vector_push(&p->failures, failure))
        no_memory(u);
    return (uint32_t)p->failures.count;
}

/* Messages that are new move the table of fields: their texts are taken before the body runs. */
static uint32_t run_column(struct unfolding *u, struct automaton *a, const struct column *c, uint32_t state)
{
    struct protocol *p = u->protocol;
    struct environment e = {.send = note_send, .user = u};
    int32_t fields[MOST_QUORUM][MOST_FIELDS];
    size_t cells = a->type->cells;
    if (cells)
        memcpy(u->cells, local_cells(a, state), cells * sizeof *u->cells);
    prepare(u, &e, a, c);
    for (uint32_t j = 0; j < e.size; j++) {
        memcpy(fields[j], e.fields[j], c->rule->message->field_count * sizeof **fields);
        e.fields[j] = fields[j];
    }
    u->send_count = 0;
    if (!rule_is_enabled(&e))
        return NO_EDGE;
    if (e.size == 1)
        bind_message(&e, 0);
    protocols_execute(&e, c->rule->body);
    struct local_step edge = {.next = state};
    bool is_new = false;
    if (e.failure) {
        edge.failure = failure_number(u, &e);
        u->send_count = 0;
    } else {
        edge.next = sequence_insert(&a->states, (const uint32_t *)u->cells, cells, &is_new);
        u->changed |= is_new;
    }
    edge.sends = sequence_insert(&p->sends, u->sends, u->send_count, &is_new);
    const uint32_t key[] = {edge.next, edge.sends, edge.failure};
    uint32_t number = sequence_insert(&p->edge_keys, key, 3, &is_new);
    if (edge.next == SEQUENCE_NONE || edge.sends == SEQUENCE_NONE || number == SEQUENCE_NONE ||
        (is_new && !vector_push(&p->edges, edge)))
        no_memory(u);
    if (a->states.count > MOST_STATES)
        too_large(u, &a->type->at, "local states of a process", MOST_STATES);
    return number;
}

static void find_edges(struct unfolding *u, struct automaton *a)
{
    for (size_t i = 0; i < a->columns.count; i++) {
        struct column *c = &a->columns.item[i];
        while (c->edges.count < a->states.count && u->status == PORTOLAN_OK) {
            uint32_t edge = run_column(u, a, c, (uint32_t)c->edges.count);
            c->is_used |= edge != NO_EDGE;
            u->changed = true;
            if (!vector_push(&c->edges, edge))
                no_memory(u);
            if (++u->protocol->table_entries > MOST_ENTRIES)
                too_large(u, &a->type->at, "steps", MOST_ENTRIES);
        }
    }
}

/* -------------------------------------------------------------------- beginning */

static void initial_state(struct unfolding *u, struct automaton *a)
{
    struct environment e = {0};
    bool is_new;
    memcpy(e.slot, a->slot, sizeof e.slot);
    for (const struct declared *v = a->type->variables; v; v = v->next) {
        int64_t value = v->initial ? protocols_evaluate(&e, v->initial) : v->values.low;
        if ((e.failure || !in_domain(v->values, value)) && u->status == PORTOLAN_OK)
            u->status = lexer_fail(&u->protocol->syntax.lexer, v->initial ? &v->initial->at : &v->at, u->error,
                                   "the initial value of '%s' is not in its range", v->name);
        for (uint32_t i = 0; i < v->cells; i++)
            u->cells[v->base + i] = (int32_t)value;
    }
    if (sequence_insert(&a->states, (const uint32_t *)u->cells, a->type->cells, &is_new) == SEQUENCE_NONE)
        no_memory(u);
}

static void begin_process(struct unfolding *u, const struct process_type *type, uint32_t number)
{
    struct automaton *a = &u->protocol->automata[type->first + number];
    struct environment e = {0};
    a->type = type;
    a->index = type->index.low + (int32_t)number;
    char name[256];
    snprintf(name, sizeof name, type->is_single ? "%s" : "%s[%d]", type->name, (int)a->index);
    if (!(a->name = strdup(name))) {
        no_memory(u);
        return;
    }
    e.slot[0] = a->index;
    for (const struct binder *b = type->constants; b; b = b->next) {
        int64_t value = protocols_evaluate(&e, b->value);
        e.slot[b->slot] = (int32_t)value;
        if (!e.failure && value != (int32_t)value) {
            e.failure = "a number is too large";
            e.failed_at = &b->value->at;
        }
        if (e.failure && u->status == PORTOLAN_OK)
            u->status = lexer_fail(&u->protocol->syntax.lexer, e.failed_at, u->error, "%s", e.failure);
    }
    memcpy(a->slot, e.slot, sizeof a->slot);
    initial_state(u, a);
    e.process = type->first + number;
    e.cells = u->cells;
    int32_t fields[MOST_FIELDS];
    for (const struct forgery *f = type->forgeries; f && u->status == PORTOLAN_OK; f = f->next)
        forge(u, &e, f, f->message->fields, f->low, f->high, fields, 0);
}

enum portolan_status protocol_unfold(struct protocol *p, struct portolan_error *error)
{
    struct unfolding u = {.protocol = p, .error = error};
    uint32_t cells = 1;
    p->process_count = p->syntax.process_count;
    p->queue_count = p->syntax.is_fifo ? p->process_count * p->process_count : 0;
    for (const struct process_type *t = p->syntax.processes; t; t = t->next)
        cells = t->cells > cells ? t->cells : cells;
    p->automata = calloc(p->process_count, sizeof *p->automata);
    u.cells = calloc(cells, sizeof *u.cells);
    if (!p->automata || !u.cells)
        no_memory(&u);
    for (const struct process_type *t = p->syntax.processes; t && u.status == PORTOLAN_OK; t = t->next)
        for (uint32_t i = 0; i < domain_size(t->index) && u.status == PORTOLAN_OK; i++)
            begin_process(&u, t, i);
    if (p->syntax.crash && u.status == PORTOLAN_OK) {
        uint32_t token = message_number(&u, MESSAGE_CRASH, NULL, NO_PROCESS, NO_PROCESS, NULL);
        if (u.status == PORTOLAN_OK)
            p->messages.item[token].initial = (uint32_t)p->syntax.crash->most;
    }
    do {
        u.changed = false;
        for (uint32_t i = 0; i < p->process_count && u.status == PORTOLAN_OK; i++) {
            find_columns(&u, i);
            find_edges(&u, &p->automata[i]);
        }
    } while (u.changed && u.status == PORTOLAN_OK);
    free(u.cells);
    return u.status;
}

void protocol_clear(struct protocol *p)
{
    for (uint32_t i = 0; p->automata && i < p->process_count; i++) {
        struct automaton *a = &p->automata[i];
        for (size_t k = 0; k < a->columns.count; k++)
            free(a->columns.item[k].edges.item);
        free(a->columns.item);
        free(a->name);
        sequences_clear(&a->states);
        sequences_clear(&a->keys);
    }
    free(p->automata);
    sequences_clear(&p->message_keys);
    sequences_clear(&p->sends);
    sequences_clear(&p->edge_keys);
    free(p->messages.item);
    free(p->edges.item);
    free(p->failures.item);
    syntax_clear(&p->syntax);
}
