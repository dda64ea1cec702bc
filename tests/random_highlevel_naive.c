/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive interpreter: every binding is found by trying all values for all variables, and a state is looked up among
 * all others one by one.  It shares nothing with the library.
 */
#include "random_highlevel.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 600, MOST_BINDINGS = 6000, MOST_TOKENS = 700, MOST_COUNT = 9 };
enum { NEVER_THERE = MOST_TOKENS - 1, NO_VALUE = -1, OUTSIDE = -2 }; /* instead of a token */

struct value { /* a list or set has its length first */
    signed char cell[3];
    bool is_known;
};

/* ------------------------------------------------------------------ values */

int draft_values(int type)
{
    static const int counts[TYPES] = {3, 3, 3, 2, 9, 9, 13, 7};
    return counts[type];
}

static struct value value_number(int type, int n)
{
    static const signed char sets[7][3] = {{0}, {1, 0}, {1, 1}, {1, 2}, {2, 0, 1}, {2, 0, 2}, {2, 1, 2}};
    struct value v = {.is_known = true};
    if (type == TYPE_STRUCT || type == TYPE_VECTOR) {
        v.cell[0] = (signed char)(n / 3);
        v.cell[1] = (signed char)(n % 3);
    } else if (type == TYPE_LIST && n) {
        v.cell[0] = n < 4 ? 1 : 2;
        v.cell[1] = (signed char)(n < 4 ? n - 1 : (n - 4) / 3);
        v.cell[2] = (signed char)(n < 4 ? 0 : (n - 4) % 3);
    } else if (type == TYPE_SET) {
        memcpy(v.cell, sets[n], 3);
    } else if (type != TYPE_LIST) {
        v.cell[0] = (signed char)n;
    }
    return v;
}

static int number_of(int type, struct value v)
{
    for (int n = 0; n < draft_values(type); n++) {
        struct value other = value_number(type, n);
        if (memcmp(other.cell, v.cell, 3) == 0)
            return n;
    }
    return -1;
}

int draft_tokens(const struct draft_place *place)
{
    int tokens = 1;
    for (int i = 0; i < place->components; i++)
        tokens *= draft_values(place->type[i]);
    return tokens;
}

/* ------------------------------------------------------------------ expressions */

struct naive {
    const struct draft_net *net;
    struct value frame[MOST_VARIABLES + 1];
    bool is_failed[MOST_VARIABLES + 1]; /* variables without a value */
};

static const struct value unknown;

static struct value scalar(int n)
{
    struct value v = {.is_known = true};
    v.cell[0] = (signed char)n;
    return v;
}

/* A number as a value of the type: cyclic types wrap round. */
static struct value as_type(int type, int n)
{
    int count = draft_values(type);
    if (type != TYPE_RANGE)
        return scalar(((n % count) + count) % count);
    return n < 0 || n >= count ? unknown : scalar(n);
}

static struct value call(const struct draft_net *net, int x)
{
    int p = net->parameter;
    switch (net->function) {
    case 0: return scalar(x == p ? 2 : 0);
    case 1: return scalar(x > p ? x : p);
    case 2: return x == p ? unknown : scalar(x);
    default: return scalar(x < 2 ? x + 1 : x);
    }
}

static bool has_item(struct value container, int item)
{
    for (int i = 1; i <= container.cell[0]; i++)
        if (container.cell[i] == item)
            return true;
    return false;
}

static struct value add_item(struct value set, int item)
{
    if (has_item(set, item))
        return set;
    if (set.cell[0] == 2)
        return unknown;
    int n = ++set.cell[0];
    set.cell[n] = (signed char)item;
    if (n == 2 && set.cell[1] > set.cell[2]) {
        signed char first = set.cell[1];
        set.cell[1] = set.cell[2];
        set.cell[2] = first;
    }
    return set;
}

static struct value remove_item(struct value set, int item)
{
    struct value rest = {.is_known = true};
    for (int i = 1; i <= set.cell[0]; i++)
        if (set.cell[i] != item)
            rest.cell[++rest.cell[0]] = set.cell[i];
    return rest;
}

/* Of a list. */
static struct value slice(struct value list, int first, int last)
{
    struct value some = {.is_known = true};
    for (int i = first; i <= last; i++)
        some.cell[++some.cell[0]] = list.cell[1 + i];
    return some;
}

static struct value evaluate(struct naive *n, int number);

static struct value combine_sets(struct value a, struct value b, bool b_is_set, bool is_union)
{
    if (!b_is_set)
        return is_union ? add_item(a, b.cell[0]) : remove_item(a, b.cell[0]);
    for (int i = 1; i <= b.cell[0] && a.is_known; i++)
        a = is_union ? add_item(a, b.cell[i]) : remove_item(a, b.cell[i]);
    return a;
}

static struct value make_value(int type, struct value a, struct value b, bool has_b)
{
    struct value v = {.is_known = true};
    if (type == TYPE_STRUCT || type == TYPE_VECTOR) {
        v.cell[0] = a.cell[0];
        v.cell[1] = has_b ? b.cell[0] : a.cell[0];
    } else if (type == TYPE_LIST) {
        v.cell[0] = has_b ? 2 : 1;
        v.cell[1] = a.cell[0];
        v.cell[2] = has_b ? b.cell[0] : 0;
    } else {
        v = add_item(v, a.cell[0]);
        v = has_b ? add_item(v, b.cell[0]) : v;
    }
    return v;
}

/* Sums that are compared, or looked for, may leave their type. */
static struct value evaluate_freely(struct naive *n, int number)
{
    const struct draft_expression *e = &n->net->expression[number];
    if (e->kind == EX_CONDITIONAL) {
        struct value which = evaluate(n, e->a);
        return which.is_known ? evaluate_freely(n, which.cell[0] ? e->b : e->c) : unknown;
    }
    int step = e->kind == EX_ADD           ? e->number
               : e->kind == EX_SUBTRACT    ? -e->number
               : e->kind == EX_SUCCESSOR   ? 1
               : e->kind == EX_PREDECESSOR ? -1
                                           : 0;
    if (e->type != TYPE_RANGE || !step)
        return evaluate(n, number);
    struct value a = evaluate(n, e->a);
    return a.is_known ? scalar(a.cell[0] + step) : unknown;
}

static struct value compare(struct naive *n, const struct draft_expression *e)
{
    struct value a = evaluate_freely(n, e->a), b = a.is_known ? evaluate_freely(n, e->b) : unknown;
    if (!b.is_known)
        return unknown;
    return scalar(e->kind == EX_LESS ? a.cell[0] < b.cell[0] : (memcmp(a.cell, b.cell, 3) == 0) != e->number);
}

static struct value quantify(struct naive *n, const struct draft_expression *e)
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        n->frame[ITERATOR] = scalar(i);
        struct value holds = evaluate(n, e->a);
        if (!holds.is_known)
            return unknown;
        count += holds.cell[0];
        if (e->kind == EX_EXISTS && holds.cell[0])
            return scalar(1);
        if (e->kind == EX_FORALL && !holds.cell[0])
            return scalar(0);
    }
    return e->kind == EX_COUNT ? as_type(TYPE_RANGE, count) : scalar(e->kind == EX_FORALL);
}

/* What does not evaluate all of its operands. */
static struct value evaluate_lazily(struct naive *n, const struct draft_expression *e)
{
    struct value a = evaluate(n, e->a);
    if (!a.is_known)
        return unknown;
    if (e->kind == EX_CONDITIONAL)
        return evaluate(n, a.cell[0] ? e->b : e->c);
    if (a.cell[0] == (e->kind == EX_OR))
        return a;
    return evaluate(n, e->b);
}

static struct value apply(const struct draft_net *net, const struct draft_expression *e, struct value a, struct value b,
                          struct value c)
{
    switch (e->kind) {
    case EX_ADD: return as_type(e->type, a.cell[0] + e->number);
    case EX_SUBTRACT: return as_type(e->type, a.cell[0] - e->number);
    case EX_SUCCESSOR: return as_type(e->type, a.cell[0] + 1);
    case EX_PREDECESSOR: return as_type(e->type, a.cell[0] - 1);
    case EX_FIELD: return scalar(a.cell[e->number]);
    case EX_ELEMENT: return scalar(a.cell[b.cell[0]]);
    case EX_ITEM:
        if (e->number >= 3)
            return a.cell[0] ? scalar(a.cell[e->number == 3 ? 1 : a.cell[0]]) : unknown;
        return e->number < a.cell[0] ? scalar(a.cell[1 + e->number]) : unknown;
    case EX_CALL: return call(net, a.cell[0]);
    case EX_MAKE: return make_value(e->type, a, b, e->b >= 0);
    case EX_SET_FIELD: a.cell[e->number] = b.cell[0]; return a;
    case EX_REPLACE: a.cell[b.cell[0]] = c.cell[0]; return a;
    case EX_JOIN:
        if (a.cell[0] == 2)
            return unknown;
        a.cell[++a.cell[0]] = b.cell[0];
        return a;
    case EX_SUFFIX:
        if (!a.cell[0])
            return unknown;
        a.cell[1] = a.cell[2];
        a.cell[2] = 0;
        a.cell[0]--;
        return a;
    case EX_PREFIX: return a.cell[0] ? slice(a, 0, a.cell[0] - 2) : unknown;
    case EX_SLICE:
        return e->number / 3 < a.cell[0] && e->number % 3 < a.cell[0] ? slice(a, e->number / 3, e->number % 3)
                                                                      : unknown;
    case EX_SET_ITEM:
        if (e->number >= a.cell[0])
            return unknown;
        a.cell[1 + e->number] = b.cell[0];
        return a;
    case EX_INTERSECT:
        for (int i = 0; i < 3; i++)
            a = has_item(b, i) ? a : remove_item(a, i);
        return a;
    case EX_UNION: return combine_sets(a, b, e->number, true);
    case EX_WITHOUT: return combine_sets(a, b, e->number, false);
    case EX_NOT: return scalar(!a.cell[0]);
    case EX_IN: return scalar(has_item(b, a.cell[0]));
    case EX_EMPTY: return scalar(a.cell[0] == 0);
    default: return unknown;
    }
}

static struct value evaluate(struct naive *n, int number)
{
    const struct draft_expression *e = &n->net->expression[number];
    switch (e->kind) {
    case EX_VARIABLE: return n->frame[e->number];
    case EX_CONSTANT: return value_number(e->type, e->number);
    case EX_FORALL:
    case EX_EXISTS:
    case EX_COUNT: return quantify(n, e);
    case EX_LESS:
    case EX_EQUAL: return compare(n, e);
    case EX_CONDITIONAL:
    case EX_AND:
    case EX_OR: return evaluate_lazily(n, e);
    default: break;
    }
    struct value a = e->a >= 0 ? evaluate(n, e->a) : scalar(0);
    struct value b = a.is_known && e->b >= 0 ? evaluate(n, e->b) : scalar(0);
    struct value c = a.is_known && b.is_known && e->c >= 0 ? evaluate(n, e->c) : scalar(0);
    return a.is_known && b.is_known && c.is_known ? apply(n->net, e, a, b, c) : unknown;
}

static bool uses_failed(const struct naive *n, int number)
{
    if (number < 0)
        return false;
    const struct draft_expression *e = &n->net->expression[number];
    if (e->kind == EX_VARIABLE)
        return n->is_failed[e->number];
    return uses_failed(n, e->a) || uses_failed(n, e->b) || uses_failed(n, e->c);
}

/* Whatever uses a variable without a value has none. */
static struct value value_of(struct naive *n, int number)
{
    return uses_failed(n, number) ? unknown : evaluate(n, number);
}

/* The parts of a conjunction from left to right: the first that is false or cannot be evaluated decides. */
static struct value guard_value(struct naive *n, int number)
{
    const struct draft_expression *e = &n->net->expression[number];
    if (e->kind != EX_AND)
        return value_of(n, number);
    struct value left = guard_value(n, e->a);
    return left.is_known && left.cell[0] ? guard_value(n, e->b) : left;
}

/* ------------------------------------------------------------------ bindings */

struct naive_binding {
    int transition, priority, in_count, out_count, inhibit_count;
    bool fails;
    short in[20], in_number[20], out[20], out_number[20], inhibit[20], inhibit_number[20];
};

struct explorer {
    struct naive n;
    int offset[MOST_PLACES + 1]; /* the first token of a place among all */
    struct naive_binding *binding;
    unsigned bindings;
    bool is_too_large;
};

static void count_in(short *tokens, short *numbers, int *count, int token, int number)
{
    for (int i = 0; i < *count; i++)
        if (tokens[i] == token) {
            numbers[i] = (short)(numbers[i] + number);
            return;
        }
    tokens[*count] = (short)token;
    numbers[(*count)++] = (short)number;
}

/* The token that the components give; or NO_VALUE, or OUTSIDE of its domain. */
static int token_of(struct naive *n, const struct draft_place *place, const struct draft_term *term, bool freely)
{
    int token = 0;
    bool is_outside = false;
    for (int i = 0; i < place->components; i++) {
        struct value v = freely ? evaluate_freely(n, term->component[i]) : evaluate(n, term->component[i]);
        if (!v.is_known)
            return NO_VALUE;
        is_outside = is_outside || number_of(place->type[i], v) < 0;
        token = token * draft_values(place->type[i]) + number_of(place->type[i], v);
    }
    return is_outside ? OUTSIDE : token;
}

static bool is_simple(const struct draft_term *term)
{
    return !term->has_iterator && term->condition < 0;
}

static bool arc_is_simple(const struct draft_arc *arc)
{
    for (int i = 0; i < arc->terms; i++)
        if (!is_simple(&arc->term[i]))
            return false;
    return true;
}

static bool term_uses_failed(const struct naive *n, const struct draft_place *place, const struct draft_term *term)
{
    bool uses = uses_failed(n, term->condition);
    for (int i = 0; i < place->components; i++)
        uses = uses || uses_failed(n, term->component[i]);
    return uses;
}

/* Adds what the arc stands for; false, and nothing, when it cannot be evaluated. */
static bool add_arc(struct explorer *x, const struct draft_arc *arc, bool freely, short *tokens, short *numbers,
                    int *count)
{
    const struct draft_place *place = &x->n.net->place[arc->place];
    short own_tokens[20], own_numbers[20];
    int own = 0;
    for (int t = 0; t < arc->terms; t++)
        if (term_uses_failed(&x->n, place, &arc->term[t]))
            return false;
    for (int t = 0; t < arc->terms; t++)
        for (int i = 0; i < (arc->term[t].has_iterator ? 3 : 1); i++) {
            const struct draft_term *term = &arc->term[t];
            x->n.frame[ITERATOR] = scalar(i);
            struct value holds = term->condition < 0 ? scalar(1) : evaluate(&x->n, term->condition);
            if (!holds.is_known)
                return false;
            x->n.frame[ITERATOR] = scalar(i);
            int token = holds.cell[0] ? token_of(&x->n, place, term, freely) : 0;
            if (token == NO_VALUE)
                return false;
            if (holds.cell[0])
                count_in(own_tokens, own_numbers, &own, token < 0 ? NEVER_THERE : x->offset[arc->place] + token,
                         term->count);
        }
    for (int i = 0; i < own; i++)
        count_in(tokens, numbers, count, own_tokens[i], own_numbers[i]);
    return true;
}

/* An inhibitor arc at a token counts by its least number. */
static bool add_inhibitor(struct explorer *x, const struct draft_arc *arc, struct naive_binding *b)
{
    short tokens[20], numbers[20];
    int count = 0;
    if (!add_arc(x, arc, true, tokens, numbers, &count))
        return false;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < b->inhibit_count && b->inhibit[at] != tokens[i])
            at++;
        if (at == b->inhibit_count)
            b->inhibit_number[b->inhibit_count++] = 1000;
        b->inhibit[at] = tokens[i];
        if (numbers[i] < b->inhibit_number[at])
            b->inhibit_number[at] = numbers[i];
    }
    return true;
}

static void finish_binding(struct explorer *x, const struct draft_transition *t, struct naive_binding b)
{
    for (int i = 0; i < t->ins; i++)
        if (!arc_is_simple(&t->in[i]) && !add_arc(x, &t->in[i], true, b.in, b.in_number, &b.in_count))
            b.fails = true;
    for (int i = 0; i < t->inhibits; i++)
        if (!add_inhibitor(x, &t->inhibit[i], &b))
            b.fails = true;
    for (int i = 0; i < t->outs; i++)
        if (!add_arc(x, &t->out[i], false, b.out, b.out_number, &b.out_count))
            b.fails = true;
    struct value priority = t->priority < 0 ? scalar(0) : value_of(&x->n, t->priority);
    b.fails = b.fails || !priority.is_known;
    b.priority = priority.is_known ? priority.cell[0] : 1000;
    if (b.fails)
        b.out_count = 0;
    if (x->bindings == MOST_BINDINGS)
        x->is_too_large = true;
    else
        x->binding[x->bindings++] = b;
}

/* Goes through the simple terms from number `at` on: each takes the token that it says, or, where it cannot be
 * evaluated, any that agrees with what can. */
static void choose_tokens(struct explorer *x, const struct draft_transition *t, int at, struct naive_binding b)
{
    int arc = at / MOST_TERMS, number = at % MOST_TERMS;
    if (x->is_too_large)
        return;
    if (arc == t->ins) {
        finish_binding(x, t, b);
        return;
    }
    if (!arc_is_simple(&t->in[arc]) || number >= t->in[arc].terms) {
        choose_tokens(x, t, at + 1, b);
        return;
    }
    const struct draft_place *place = &x->n.net->place[t->in[arc].place];
    const struct draft_term *term = &t->in[arc].term[number];
    int wanted[2] = {-1, -1}; /* the number of the value; -1: any */
    for (int i = 0; i < place->components; i++) {
        struct value v = uses_failed(&x->n, term->component[i]) ? unknown : evaluate_freely(&x->n, term->component[i]);
        b.fails = b.fails || !v.is_known;
        wanted[i] = v.is_known ? number_of(place->type[i], v) : -1;
        if (v.is_known && wanted[i] < 0)
            return; /* no token has it */
    }
    for (int token = 0; token < draft_tokens(place); token++) {
        int rest = token;
        bool fits = true;
        for (int i = place->components; i-- > 0; rest /= draft_values(place->type[i]))
            fits = fits && (wanted[i] < 0 || wanted[i] == rest % draft_values(place->type[i]));
        if (!fits)
            continue;
        struct naive_binding more = b;
        count_in(more.in, more.in_number, &more.in_count, x->offset[t->in[arc].place] + token, term->count);
        choose_tokens(x, t, at + 1, more);
    }
}

static void choose_values(struct explorer *x, const struct draft_transition *t, int variable, struct naive_binding b);

static void pick(struct explorer *x, const struct draft_transition *t, int variable, struct naive_binding b)
{
    const struct draft_variable *v = &t->variable[variable];
    struct value container = v->value < 0 ? scalar(0) : value_of(&x->n, v->value);
    if (!container.is_known) {
        x->n.is_failed[variable] = true;
        b.fails = true;
        choose_values(x, t, variable + 1, b);
        x->n.is_failed[variable] = false;
        return;
    }
    for (int i = 0; i < draft_values(v->type); i++)
        if (v->value < 0 || has_item(container, i)) {
            x->n.frame[variable] = value_number(v->type, i);
            choose_values(x, t, variable + 1, b);
        }
}

static void choose_values(struct explorer *x, const struct draft_transition *t, int variable, struct naive_binding b)
{
    if (variable == t->variables) {
        struct value guard = t->guard < 0 ? scalar(1) : guard_value(&x->n, t->guard);
        b.fails = b.fails || !guard.is_known;
        if (!guard.is_known || guard.cell[0])
            choose_tokens(x, t, 0, b);
        return;
    }
    const struct draft_variable *v = &t->variable[variable];
    if (v->source == SOURCE_PICK) {
        pick(x, t, variable, b);
    } else if (v->source == SOURCE_LET) {
        struct value value = value_of(&x->n, v->value);
        x->n.frame[variable] = value;
        x->n.is_failed[variable] = !value.is_known;
        b.fails = b.fails || !value.is_known;
        choose_values(x, t, variable + 1, b);
        x->n.is_failed[variable] = false;
    } else {
        for (int i = 0; i < draft_values(v->type) && !x->is_too_large; i++) {
            x->n.frame[variable] = value_number(v->type, i);
            choose_values(x, t, variable + 1, b);
        }
    }
}

/* ------------------------------------------------------------------ states */

struct marking {
    unsigned char count[MOST_TOKENS]; /* the last one: of errors */
};

static bool is_enabled(const struct marking *m, const struct naive_binding *b)
{
    for (int i = 0; i < b->in_count; i++)
        if (m->count[b->in[i]] < b->in_number[i])
            return false;
    for (int i = 0; i < b->inhibit_count; i++)
        if (m->count[b->inhibit[i]] >= b->inhibit_number[i])
            return false;
    return true;
}

static bool proposition_holds(const struct explorer *x, const struct marking *m, const struct draft_proposition *p)
{
    const struct draft_place *place = &x->n.net->place[p->place];
    int distinct = 0, all = 0, fitting = 0;
    for (int token = 0; token < draft_tokens(place); token++) {
        int count = m->count[x->offset[p->place] + token];
        int last = place->components ? draft_values(place->type[place->components - 1]) : 1;
        int value = p->component + 1 == place->components ? token % last : token / last;
        distinct += count > 0;
        all += count;
        fitting += count && value == p->value;
    }
    switch (p->shape) {
    case 0: return distinct >= p->least;
    case 1: return all >= p->least;
    case 2: return fitting >= p->least;
    case 3: return fitting > 0;
    default: return fitting == distinct;
    }
}

static void look_at(const struct explorer *x, const struct marking *m, struct draft_truth *truth)
{
    const struct draft_net *net = x->n.net;
    for (int p = 0; p < net->propositions; p++) {
        bool holds = proposition_holds(x, m, &net->proposition[p]);
        truth->ever[p] |= holds;
        truth->always[p] &= holds;
    }
    for (int p = 0; p < net->places; p++) {
        int all = 0;
        for (int token = x->offset[p]; token < x->offset[p + 1]; token++) {
            all += m->count[token];
            truth->exceeds |= net->place[p].capacity && m->count[token] > net->place[p].capacity;
            truth->is_known &= m->count[token] <= MOST_COUNT;
        }
        truth->most[p] = all > truth->most[p] ? all : truth->most[p];
    }
    truth->errors += m->count[x->offset[net->places]] > 0;
    truth->is_known &= m->count[x->offset[net->places]] <= MOST_COUNT;
}

static void add_state(struct marking *states, const struct marking *m, struct draft_truth *truth)
{
    for (unsigned i = 0; i < truth->states; i++)
        if (memcmp(&states[i], m, sizeof *m) == 0)
            return;
    if (truth->states == MOST_STATES)
        truth->is_known = false;
    else
        states[truth->states++] = *m;
}

static void fire(const struct explorer *x, const struct naive_binding *b, struct marking *m)
{
    for (int i = 0; i < b->in_count; i++)
        m->count[b->in[i]] = (unsigned char)(m->count[b->in[i]] - b->in_number[i]);
    for (int i = 0; i < b->out_count; i++)
        m->count[b->out[i]] = (unsigned char)(m->count[b->out[i]] + b->out_number[i]);
    m->count[x->offset[x->n.net->places]] = (unsigned char)(m->count[x->offset[x->n.net->places]] + b->fails);
}

static void expand(const struct explorer *x, struct marking *states, unsigned at, struct draft_truth *truth)
{
    struct marking m = states[at];
    unsigned enabled = 0;
    int highest = -1;
    look_at(x, &m, truth);
    for (unsigned i = 0; i < x->bindings; i++)
        if (x->binding[i].priority > highest && is_enabled(&m, &x->binding[i]))
            highest = x->binding[i].priority;
    for (unsigned i = 0; i < x->bindings && truth->is_known; i++) {
        if (!is_enabled(&m, &x->binding[i]))
            continue;
        truth->gives_way |= x->binding[i].priority != highest;
        if (x->binding[i].priority != highest)
            continue;
        struct marking next = m;
        fire(x, &x->binding[i], &next);
        add_state(states, &next, truth);
        enabled++;
    }
    truth->arcs += enabled;
    truth->dead += enabled == 0;
}

static bool find_bindings_of_all(struct explorer *x)
{
    const struct draft_net *net = x->n.net;
    for (int p = 0; p < net->places; p++)
        x->offset[p + 1] = x->offset[p] + draft_tokens(&net->place[p]);
    x->is_too_large = x->offset[net->places] >= NEVER_THERE;
    for (int t = 0; t < net->transitions && !x->is_too_large; t++)
        choose_values(x, &net->transition[t], 0, (struct naive_binding){.transition = t});
    return !x->is_too_large;
}

void draft_explore(const struct draft_net *net, struct draft_truth *truth)
{
    struct explorer x = {.n.net = net};
    struct marking *states = calloc(MOST_STATES, sizeof *states);
    x.binding = calloc(MOST_BINDINGS, sizeof *x.binding);
    *truth = (struct draft_truth){.is_known = states && x.binding};
    memset(truth->always, true, sizeof truth->always);
    truth->is_known = truth->is_known && find_bindings_of_all(&x);
    if (truth->is_known) {
        struct marking initial = {0};
        for (int p = 0; p < net->places; p++)
            for (int i = 0; i < net->place[p].initials; i++)
                initial.count[x.offset[p] + net->place[p].initial[i]] =
                    (unsigned char)(initial.count[x.offset[p] + net->place[p].initial[i]] +
                                    net->place[p].initial_count[i]);
        add_state(states, &initial, truth);
        for (unsigned i = 0; i < truth->states && truth->is_known; i++)
            expand(&x, states, i, truth);
    }
    free(states);
    free(x.binding);
}
