/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never claims, which become automata in the HOA format.  A claim moves before each step of the system, and what it
 * does atomically is one move.  When it reaches its end something is wrong, so that state accepts everything.
 *
 * A claim with variables of its own has a state for each of their values: an automaton has no variables.  What it gives
 * them must follow from their values alone; a claim that does more is a process beside the system (beside.c).
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/sequences.h"
#include "front/promela/stating.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 16, MOST_STATES = 20000, LONGEST = 100, SINK = 0 };

struct place { /* of a claim: an element of its flow, and its variables */
    uint32_t element;
    int32_t values[MOST_VALUES];
};

struct known {
    const struct node *truth;
    unsigned atom;
};

struct claim {
    struct stating s;
    const struct proctype *proctype;
    const struct flow *flow;
    bool is_beyond;          /* no automaton can be it */
    struct sequences places; /* the states, numbered from 1 on */
    VECTOR(struct known) atoms;
};

struct condition { /* of an edge: atoms that hold, or do not */
    char text[600];
    bool is_false;
};

/* What a claim does atomically: the places that it has passed, the last one first. */
struct passed {
    const struct passed *before;
    const struct place *place;
    unsigned count;
};

/* ----------------------------------------------------------------------------- values */

static const struct element *element_at(const struct claim *c, uint32_t element)
{
    return &c->flow->elements.item[element];
}

/* Ends what is being done, as an error does. */
static void go_beyond(struct claim *c)
{
    if (c->s.parser->status)
        return;
    c->is_beyond = true;
    c->s.parser->status = PORTOLAN_REFUSED;
}

/* Which of the values a reference to a variable of the claim means. */
static uint32_t value_meant(struct claim *c, const struct node *n, const struct place *at);

static bool has_own(const struct node *n)
{
    return n && ((n->kind == NODE_VAR && n->variable->is_claims) || has_own(n->a) || has_own(n->b) || has_own(n->c) ||
                 has_own(n->next));
}

/* Is its value known, also where that of one side is not? */
static bool is_known(const struct node *n, int64_t *value)
{
    if (promela_fold(n, value))
        return true;
    if (n->kind != NODE_BINARY || (n->operation != OPERATION_AND && n->operation != OPERATION_OR))
        return false;
    bool decided = n->operation == OPERATION_OR;
    int64_t side;
    *value = decided;
    return (promela_fold(n->a, &side) && (side != 0) == decided) ||
           (promela_fold(n->b, &side) && (side != 0) == decided && !promela_may_fail(n->a));
}

/* The expression with numbers in place of the claim's variables, and of what follows from them. */
static struct node *with_values(struct claim *c, struct node *n, const struct place *at)
{
    if (!has_own(n) || c->s.parser->status)
        return n;
    struct node *copy = parser_node(c->s.parser, NODE_NUMBER);
    int64_t value;
    if (!copy)
        return n;
    if (n->kind == NODE_VAR && n->variable->is_claims) {
        copy->at = n->at;
        copy->value = at->values[value_meant(c, n, at)];
    } else {
        *copy = *n;
        copy->a = with_values(c, n->a, at);
        copy->b = with_values(c, n->b, at);
        copy->c = with_values(c, n->c, at);
        if (is_known(copy, &value))
            *copy = (struct node){.kind = NODE_NUMBER, .at = n->at, .value = value};
    }
    copy->next = with_values(c, n->next, at);
    return copy;
}

static uint32_t value_meant(struct claim *c, const struct node *n, const struct place *at)
{
    int64_t index = 0;
    const struct declared *v = n->variable;
    if (n->b || (n->a && !promela_fold(with_values(c, n->a, at), &index)) || index < 0 || index >= v->length)
        go_beyond(c);
    return c->s.parser->status ? 0 : v->offset + (uint32_t)index;
}

static void assign(struct claim *c, const struct statement *s, struct place *at)
{
    int64_t value = 0;
    const struct integer_type type = promela_values(promela_leaf(s->a));
    if (s->a->kind != NODE_VAR || !s->a->variable->is_claims || !promela_fold(with_values(c, s->b, at), &value))
        go_beyond(c);
    if (c->s.parser->status)
        return;
    uint32_t which = value_meant(c, s->a, at);
    arithmetic_convert(&type, value, &value);
    at->values[which] = (int32_t)value;
}

static struct place first_place(struct claim *c)
{
    struct place at = {.element = c->flow->start};
    const struct proctype *p = c->proctype;
    if (p->cells > MOST_VALUES)
        go_beyond(c);
    for (size_t i = 0; i < p->variables.count && !c->s.parser->status; i++) {
        const struct declared *v = p->variables.item[i];
        const struct node *each = v->initials;
        if (v->type.kind == TYPE_RECORD || v->type.kind == TYPE_CHAN) {
            go_beyond(c);
            break;
        }
        for (uint32_t k = 0; k < v->length; k++, each = each ? each->next : NULL) {
            const struct integer_type type = promela_values(v);
            int64_t value = promela_initial(c->s.l, v->initials ? each : v->initial);
            arithmetic_convert(&type, value, &value);
            at.values[v->offset + k] = (int32_t)value;
        }
    }
    return at;
}

/* ------------------------------------------------------------------------------ edges */

static bool are_equal(const struct node *a, const struct node *b)
{
    if (!a || !b || a == b)
        return a == b;
    bool same_names = a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0);
    bool same_owners = a->owner == b->owner || (a->owner && b->owner && strcmp(a->owner, b->owner) == 0);
    return a->kind == b->kind && a->operation == b->operation && a->value == b->value && same_names && same_owners &&
           (a->kind != NODE_VAR || a->variable == b->variable) && are_equal(a->a, b->a) && are_equal(a->b, b->b) &&
           are_equal(a->c, b->c) && are_equal(a->next, b->next);
}

static unsigned atom_of(struct claim *c, const struct node *truth)
{
    for (size_t i = 0; i < c->atoms.count; i++)
        if (are_equal(c->atoms.item[i].truth, truth))
            return c->atoms.item[i].atom;
    struct known known = {truth, pml_add_atom(&c->s, truth)};
    if (!vector_push(&c->atoms, known) && !c->s.parser->status)
        c->s.parser->status = fail_memory(c->s.parser->error);
    return known.atom;
}

static void add_literal(struct claim *c, const struct place *at, struct condition *condition, struct node *truth,
                        bool holds)
{
    size_t used = strlen(condition->text);
    int64_t value;
    truth = with_values(c, truth, at);
    if (c->s.parser->status)
        return;
    if (promela_fold(truth, &value)) {
        condition->is_false |= (value != 0) != holds;
        return;
    }
    unsigned atom = atom_of(c, truth);
    if (used + 20 < sizeof condition->text)
        snprintf(condition->text + used, sizeof condition->text - used, "%s%s%u", used ? "&" : "", holds ? "" : "!",
                 atom);
    else
        go_beyond(c);
}

static void put_edge_to(struct claim *c, const struct condition *condition, uint32_t target)
{
    char line[700];
    snprintf(line, sizeof line, "[%s] %u\n", *condition->text ? condition->text : "t", target);
    if (!condition->is_false)
        pml_put(&c->s, &c->s.out, line);
}

static uint32_t number_of(struct claim *c, const struct place *place)
{
    uint32_t key[MOST_VALUES + 1] = {place->element};
    bool is_new;
    memcpy(key + 1, place->values, sizeof place->values);
    uint32_t number = sequence_insert(&c->places, key, 1 + c->proctype->cells, &is_new);
    if (number == SEQUENCE_NONE && !c->s.parser->status)
        c->s.parser->status = fail_memory(c->s.parser->error);
    if (c->places.count > MOST_STATES)
        go_beyond(c);
    return c->s.parser->status ? SINK : number + 1;
}

/* ------------------------------------------------------------------------------ moves */

static struct statement *expression_of(const struct claim *c, const struct transition *t)
{
    const struct element *e = element_at(c, t->element);
    return e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_EXPRESSION ? (struct statement *)e->statement
                                                                                  : NULL;
}

static void put_moves(struct claim *c, const struct passed *before, const struct place *from, struct condition when);

/* Nothing moves while it does, so to come back to a place leads nowhere. */
static bool has_passed(const struct passed *passed, const struct place *place)
{
    while (passed && memcmp(passed->place, place, sizeof *place) != 0)
        passed = passed->before;
    return passed;
}

/* Statements one after the other, which all can be taken. */
static void pass_d_step(struct claim *c, const struct element *d_step, struct place *at)
{
    struct transitions t = {0};
    uint32_t state = c->flow->subs.item[d_step->first_sub];
    for (unsigned i = 0; state != NO_ELEMENT && element_at(c, state)->in_d_step && !c->s.parser->status; i++) {
        if (!flow_transitions(c->flow, state, &t)) {
            c->s.parser->status = fail_memory(c->s.parser->error);
            break;
        }
        const struct statement *s = t.count == 1 ? element_at(c, t.item[0].element)->statement : NULL;
        if (i == LONGEST || !s || (s->kind != STATEMENT_ASSIGN && s->kind != STATEMENT_PRINT)) {
            go_beyond(c);
            break;
        }
        if (s->kind == STATEMENT_ASSIGN)
            assign(c, s, at);
        state = t.item[0].target;
    }
    free(t.item);
}

static void put_move(struct claim *c, const struct transitions *all, const struct transition *t,
                     const struct passed *passed, struct condition when)
{
    const struct element *e = element_at(c, t->element);
    const struct statement *statement = e->kind == ELEMENT_PLAIN ? e->statement : NULL;
    struct place then = *passed->place;
    struct condition wrong = when;
    if (expression_of(c, t)) {
        add_literal(c, &then, &when, statement->a, true);
    } else if (statement && statement->kind == STATEMENT_ELSE) {
        for (size_t i = 0; i < all->count; i++) {
            const struct statement *other = expression_of(c, &all->item[i]);
            if (other)
                add_literal(c, &then, &when, other->a, false);
            else if (&all->item[i] != t) /* it is never else */
                return;
        }
    } else if (statement && statement->kind == STATEMENT_ASSERT) {
        add_literal(c, &then, &wrong, statement->a, false);
        put_edge_to(c, &wrong, SINK);
        add_literal(c, &then, &when, statement->a, true);
    } else if (statement && statement->kind == STATEMENT_ASSIGN) {
        assign(c, statement, &then);
    } else if (e->kind == ELEMENT_D_STEP) {
        pass_d_step(c, e, &then);
    } else if (statement && statement->kind != STATEMENT_PRINT) {
        go_beyond(c);
    }
    then.element = t->target;
    if (c->s.parser->status || when.is_false)
        return;
    if (t->target == NO_ELEMENT)
        put_edge_to(c, &when, SINK);
    else if (!t->goes_on)
        put_edge_to(c, &when, number_of(c, &then));
    else if (!has_passed(passed, &then))
        put_moves(c, passed, &then, when);
}

static void put_moves(struct claim *c, const struct passed *before, const struct place *from, struct condition when)
{
    struct passed passed = {before, from, before ? before->count + 1 : 0};
    struct transitions t = {0};
    if (element_at(c, from->element)->kind == ELEMENT_END) {
        put_edge_to(c, &when, SINK);
        return;
    }
    if (passed.count == LONGEST) {
        go_beyond(c);
        return;
    }
    if (!flow_transitions(c->flow, from->element, &t))
        c->s.parser->status = fail_memory(c->s.parser->error);
    for (size_t i = 0; i < t.count && !c->s.parser->status; i++)
        put_move(c, &t, &t.item[i], &passed, when);
    free(t.item);
}

/* -------------------------------------------------------------------------- the whole */

static void put_states(struct claim *c)
{
    char line[100];
    size_t length;
    pml_put(&c->s, &c->s.out, "State: 0 {0}\n[t] 0\n"); /* SINK */
    struct place first = first_place(c);
    number_of(c, &first);
    for (uint32_t k = 0; k < c->places.count && !c->s.parser->status; k++) {
        const uint32_t *key = sequence_get(&c->places, k, &length);
        struct place at = {.element = key[0]};
        memcpy(at.values, key + 1, (length - 1) * sizeof *at.values);
        const struct element *element = element_at(c, at.element);
        bool ends = element->kind == ELEMENT_END;
        snprintf(line, sizeof line, "State: %u%s\n", k + 1, element->is_accepting || ends ? " {0}" : "");
        pml_put(&c->s, &c->s.out, line);
        if (ends)
            put_edge_to(c, &(struct condition){0}, k + 1);
        else
            put_moves(c, NULL, &at, (struct condition){0});
    }
    pml_put(&c->s, &c->s.out, "--END--\n");
}

void promela_state_claim(struct parser *parser, struct lowering *l, const struct proctype *p)
{
    struct claim c = {.s = {.parser = parser, .l = l, .name = p->name}, .proctype = p, .flow = p->flow};
    struct text whole = {0};
    char line[300];
    if (!parser->status)
        put_states(&c);
    if (c.is_beyond) {
        parser->status = PORTOLAN_OK;
        l->beyond = l->beyond ? l->beyond : p;
    }
    snprintf(line, sizeof line, "HOA: v1\nStates: %u\nStart: 1\nAcceptance: 1 Inf(0)\nacc-name: Buchi\nAP: %u",
             c.places.count + 1, c.s.atoms);
    pml_put(&c.s, &whole, line);
    pml_put(&c.s, &c.s.names, "\n--BODY--\n");
    if (!parser->status && (!vector_push(&c.s.names, '\0') || !vector_push(&c.s.out, '\0')))
        parser->status = fail_memory(parser->error);
    if (!parser->status) {
        pml_put(&c.s, &whole, c.s.names.item);
        pml_put(&c.s, &whole, c.s.out.item);
    }
    if (!parser->status && !vector_push(&whole, '\0'))
        parser->status = fail_memory(parser->error);
    snprintf(line, sizeof line, "never claim %.200s", p->name);
    if (!parser->status && !c.is_beyond)
        pml_state(&c.s, PORTOLAN_AUTOMATON, whole.item, line);
    free(whole.item);
    free(c.s.out.item);
    free(c.s.names.item);
    free(c.atoms.item);
    sequences_clear(&c.places);
}
