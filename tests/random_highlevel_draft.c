/* SPDX-License-Identifier: Apache-2.0 */
/* Making random high-level nets, and writing them in the language that the reader takes. */
#include "random_highlevel.h"

#include <string.h>

/* ------------------------------------------------------------------ chance */

static uint64_t chance;

static int below(int limit)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((chance >> 33) % (uint64_t)limit);
}

static bool once_in(int times)
{
    return below(times) == 0;
}

/* ------------------------------------------------------------------ expressions */

struct scope {
    struct draft_net *net;
    const struct draft_transition *transition;
    int variables; /* that may be used */
    bool iterates;
};

static int add(struct scope *s, struct draft_expression e)
{
    s->net->expression[s->net->expressions] = e;
    return s->net->expressions++;
}

/* Empty lists and sets have no constant. */
static int random_constant(struct scope *s, int type)
{
    int lowest = type == TYPE_LIST || type == TYPE_SET;
    int value = lowest + below(draft_values(type) - lowest);
    return add(s, (struct draft_expression){EX_CONSTANT, type, -1, -1, -1, value});
}

static int random_leaf(struct scope *s, int type)
{
    int fitting[MOST_VARIABLES + 1], count = 0;
    for (int v = 0; v < s->variables; v++)
        if (s->transition->variable[v].type == type)
            fitting[count++] = v;
    if (s->iterates && type == TYPE_RANGE)
        fitting[count++] = ITERATOR;
    if (count == 0 || once_in(5))
        return random_constant(s, type);
    return add(s, (struct draft_expression){EX_VARIABLE, type, -1, -1, -1, fitting[below(count)]});
}

static int random_value(struct scope *s, int type, int depth);
static int random_truth(struct scope *s, int depth);

static int make(struct scope *s, enum draft_kind kind, int type, int a, int b, int c, int number)
{
    return add(s, (struct draft_expression){kind, type, a, b, c, number});
}

static int count_some(struct scope *s, enum draft_kind kind, int type, int depth)
{
    struct scope inner = *s;
    inner.iterates = true;
    return make(s, kind, type, random_truth(&inner, depth), -1, -1, 0);
}

static int random_scalar(struct scope *s, int type, int depth)
{
    enum draft_kind step[] = {EX_SUCCESSOR, EX_PREDECESSOR, EX_ADD, EX_SUBTRACT};
    int kinds = type == TYPE_ENUM ? 2 : 4;
    switch (below(type == TYPE_RANGE ? 10 : type == TYPE_MOD ? 3 : 2)) {
    case 0:
    case 1: return make(s, step[below(kinds)], type, random_leaf(s, type), -1, -1, 1 + below(draft_values(type) - 1));
    case 2: return make(s, EX_FIELD, type, random_leaf(s, TYPE_STRUCT), -1, -1, type == TYPE_MOD);
    case 3: return make(s, EX_ELEMENT, type, random_leaf(s, TYPE_VECTOR), random_value(s, TYPE_BIT, depth), -1, 0);
    case 4: return make(s, EX_ITEM, type, random_leaf(s, TYPE_LIST), -1, -1, below(5));
    case 5: return s->iterates ? random_leaf(s, type) : count_some(s, EX_COUNT, type, depth);
    default: return make(s, EX_CALL, type, random_value(s, TYPE_RANGE, depth), -1, -1, 0);
    }
}

static int random_container(struct scope *s, int type, int depth)
{
    int first = random_value(s, TYPE_RANGE, depth);
    if (once_in(3))
        return make(s, EX_MAKE, type, first, once_in(2) ? random_value(s, TYPE_RANGE, depth) : -1, -1, 0);
    enum draft_kind of_list[] = {EX_JOIN, EX_JOIN, EX_SUFFIX, EX_PREFIX, EX_SLICE, EX_SET_ITEM};
    enum draft_kind kind = of_list[below(6)];
    if (type == TYPE_LIST)
        return make(s, kind, type, random_leaf(s, type), kind == EX_JOIN || kind == EX_SET_ITEM ? first : -1, -1,
                    below(kind == EX_SLICE ? 9 : 3));
    if (once_in(4))
        return make(s, EX_INTERSECT, type, random_leaf(s, type), random_leaf(s, type), -1, 0);
    int whole = below(2);
    return make(s, once_in(2) ? EX_UNION : EX_WITHOUT, type, random_leaf(s, type), whole ? random_leaf(s, type) : first,
                -1, whole);
}

static int random_value(struct scope *s, int type, int depth)
{
    if (depth <= 0 || once_in(3) || s->net->expressions > MOST_EXPRESSIONS - 60)
        return random_leaf(s, type);
    depth--;
    if (once_in(6))
        return make(s, EX_CONDITIONAL, type, random_truth(s, depth), random_value(s, type, depth),
                    random_value(s, type, depth), 0);
    switch (type) {
    case TYPE_STRUCT:
        if (once_in(2))
            return make(s, EX_MAKE, type, random_value(s, TYPE_RANGE, depth), random_value(s, TYPE_MOD, depth), -1, 0);
        int field = below(2);
        return make(s, EX_SET_FIELD, type, random_leaf(s, type), random_value(s, field ? TYPE_MOD : TYPE_RANGE, depth),
                    -1, field);
    case TYPE_VECTOR:
        if (once_in(2))
            return make(s, EX_MAKE, type, random_value(s, TYPE_RANGE, depth),
                        once_in(3) ? -1 : random_value(s, TYPE_RANGE, depth), -1, 0);
        return make(s, EX_REPLACE, type, random_leaf(s, type), random_value(s, TYPE_BIT, depth),
                    random_value(s, TYPE_RANGE, depth), 0);
    case TYPE_LIST:
    case TYPE_SET: return random_container(s, type, depth);
    default: return random_scalar(s, type, depth);
    }
}

static int random_truth(struct scope *s, int depth)
{
    int type = below(TYPES);
    switch (depth > 0 && s->net->expressions < MOST_EXPRESSIONS - 60 ? below(9) : below(3)) {
    case 0: return make(s, EX_LESS, -1, random_leaf(s, TYPE_RANGE), random_value(s, TYPE_RANGE, depth - 1), -1, 0);
    case 1:
    case 2: return make(s, EX_EQUAL, -1, random_leaf(s, type), random_value(s, type, depth - 1), -1, below(2));
    case 3:
    case 4: return make(s, EX_AND, -1, random_truth(s, depth - 1), random_truth(s, depth - 1), -1, 0);
    case 5: return make(s, EX_OR, -1, random_truth(s, depth - 1), random_truth(s, depth - 1), -1, 0);
    case 6: return make(s, EX_NOT, -1, random_truth(s, depth - 1), -1, -1, 0);
    case 7:
        return make(s, EX_IN, -1, random_leaf(s, TYPE_RANGE), random_leaf(s, once_in(2) ? TYPE_LIST : TYPE_SET), -1, 0);
    default:
        if (s->iterates || once_in(3))
            return make(s, EX_EMPTY, -1, random_leaf(s, once_in(2) ? TYPE_LIST : TYPE_SET), -1, -1, 0);
        return count_some(s, once_in(2) ? EX_FORALL : EX_EXISTS, -1, depth - 1);
    }
}

/* ------------------------------------------------------------------ nets */

/* A term that takes one token: new variables, known ones, and now and then something else (-1, for later). */
static void random_pattern(struct scope *s, struct draft_transition *t, int place, struct draft_term *term)
{
    *term = (struct draft_term){.condition = -1, .count = once_in(6) ? 2 : 1};
    for (int i = 0; i < s->net->place[place].components; i++) {
        int type = s->net->place[place].type[i], variable = below(MOST_VARIABLES);
        term->component[i] = -1;
        if (once_in(s->net->moves ? 10 : 4))
            continue;
        if (variable >= t->variables || t->variable[variable].type != type) {
            if (t->variables == 4)
                continue;
            variable = t->variables++;
            t->variable[variable] = (struct draft_variable){SOURCE_TOKEN, type, -1};
        }
        term->component[i] = make(s, EX_VARIABLE, type, -1, -1, -1, variable);
    }
}

/* Any term: with an iterator, a condition. */
static void random_term(struct scope *s, int place, struct draft_term *term, bool plain)
{
    struct scope inner = *s;
    *term = (struct draft_term){.condition = -1, .count = once_in(6) ? 2 : 1, .has_iterator = !plain && once_in(2)};
    inner.iterates = term->has_iterator;
    if (!plain && (!term->has_iterator || once_in(2)))
        term->condition = random_truth(&inner, 1);
    for (int i = 0; i < s->net->place[place].components; i++)
        term->component[i] = random_value(&inner, s->net->place[place].type[i], 2);
}

static void random_inputs(struct scope *s, struct draft_transition *t)
{
    t->ins = s->net->moves ? 1 + once_in(3) : 1 + below(MOST_ARCS - 1);
    for (int i = 0; i < t->ins; i++) {
        struct draft_arc *arc = &t->in[i];
        arc->place = below(s->net->places);
        arc->terms = once_in(s->net->moves ? 10 : 4) ? 2 : 1;
        for (int k = 0; k < arc->terms; k++)
            random_pattern(s, t, arc->place, &arc->term[k]);
    }
    s->variables = t->variables;
    for (int i = 0; i < t->ins; i++)
        for (int k = 0; k < t->in[i].terms; k++)
            for (int c = 0; c < s->net->place[t->in[i].place].components; c++)
                if (t->in[i].term[k].component[c] < 0)
                    t->in[i].term[k].component[c] = random_value(s, s->net->place[t->in[i].place].type[c], 2);
    if (once_in(5)) {
        struct draft_arc *arc = &t->in[t->ins++];
        *arc = (struct draft_arc){.place = below(s->net->places), .terms = 1};
        random_term(s, arc->place, &arc->term[0], false);
    }
}

static void random_arcs(struct scope *s, struct draft_arc *arcs, int *count, int most)
{
    *count = once_in(4) ? 0 : 1 + below(most);
    for (int i = 0; i < *count; i++) {
        arcs[i].place = below(s->net->places);
        arcs[i].terms = once_in(5) ? 2 : 1;
        for (int k = 0; k < arcs[i].terms; k++)
            random_term(s, arcs[i].place, &arcs[i].term[k], !once_in(6));
    }
}

static void random_variables(struct scope *s, struct draft_transition *t)
{
    static const int picked[] = {TYPE_RANGE, TYPE_MOD, TYPE_ENUM, TYPE_BIT};
    if (once_in(4)) {
        bool contained = once_in(2);
        int type = once_in(2) ? TYPE_LIST : TYPE_SET, container = contained ? random_leaf(s, type) : -1;
        if (contained && once_in(2))
            container =
                make(s, type == TYPE_LIST ? EX_JOIN : EX_UNION, type, container, random_value(s, TYPE_RANGE, 1), -1, 0);
        t->variable[t->variables++] =
            (struct draft_variable){SOURCE_PICK, contained ? TYPE_RANGE : picked[below(4)], container};
        s->variables = t->variables;
    }
    if (once_in(3)) {
        int type = below(TYPES);
        t->variable[t->variables] = (struct draft_variable){SOURCE_LET, type, random_value(s, type, 2)};
        s->variables = ++t->variables;
    }
}

/* A place whose tokens have the same components. */
static int place_like(const struct draft_net *net, int place)
{
    int first = below(net->places);
    for (int i = 0; i < net->places; i++) {
        int other = (first + i) % net->places;
        const struct draft_place *a = &net->place[place], *b = &net->place[other];
        bool same = a->components == b->components;
        for (int c = 0; c < a->components && same; c++)
            same = a->type[c] == b->type[c];
        if (same)
            return other;
    }
    return place;
}

/* What was taken comes back: the same, or something else of its type. */
static void move_tokens(struct scope *s, struct draft_transition *t)
{
    t->outs = 0;
    for (int i = 0; i < t->ins && t->outs < MOST_ARCS; i++) {
        const struct draft_term *taken = &t->in[i].term[0];
        if (taken->has_iterator || taken->condition >= 0)
            continue;
        struct draft_arc *arc = &t->out[t->outs++];
        *arc = (struct draft_arc){.place = place_like(s->net, t->in[i].place), .terms = 1};
        arc->term[0] = *taken;
        for (int c = 0; c < s->net->place[arc->place].components; c++)
            if (!once_in(3))
                arc->term[0].component[c] = random_value(s, s->net->place[arc->place].type[c], 1);
    }
}

static void random_transition(struct draft_net *net, struct draft_transition *t)
{
    struct scope s = {.net = net, .transition = t};
    random_inputs(&s, t);
    random_variables(&s, t);
    t->guard = once_in(net->moves ? 3 : 2) ? random_truth(&s, 2) : -1;
    t->priority = net->has_priorities && !once_in(3) ? random_leaf(&s, TYPE_RANGE) : -1;
    if (net->moves && !once_in(6))
        move_tokens(&s, t);
    else
        random_arcs(&s, t->out, &t->outs, 2);
    if (once_in(5))
        random_arcs(&s, t->inhibit, &t->inhibits, 1);
}

static void random_place(struct draft_place *place, bool moves)
{
    *place = (struct draft_place){.components = below(3), .capacity = once_in(4) ? 1 + below(2) : 0};
    for (int i = 0; i < place->components; i++)
        place->type[i] = below(place->components == 2 ? TYPE_STRUCT + 1 : TYPES);
    place->initials = once_in(moves ? 8 : 4) ? 0 : 1 + below(3);
    for (int i = 0; i < place->initials; i++) {
        int type = place->components == 1 ? place->type[0] : -1;
        int lowest = type == TYPE_LIST || type == TYPE_SET;
        place->initial[i] = lowest + below(draft_tokens(place) - lowest);
        place->initial_count[i] = once_in(4) ? 2 : 1;
    }
}

void draft_make(struct draft_net *net, uint64_t seed)
{
    chance = seed;
    below(2);
    *net = (struct draft_net){.places = 1 + below(MOST_PLACES),
                              .transitions = 1 + below(MOST_TRANSITIONS),
                              .propositions = 1 + below(MOST_PROPOSITIONS),
                              .function = once_in(3) ? 2 : below(4), /* often the one that may fail */
                              .parameter = below(3),
                              .has_priorities = once_in(3),
                              .moves = !once_in(4)};
    for (int p = 0; p < net->places; p++)
        random_place(&net->place[p], net->moves);
    for (int t = 0; t < net->transitions; t++)
        random_transition(net, &net->transition[t]);
    for (int p = 0; p < net->propositions; p++) {
        struct draft_proposition *q = &net->proposition[p];
        *q = (struct draft_proposition){.place = below(net->places), .least = below(4)};
        const struct draft_place *place = &net->place[q->place];
        int type = -1;
        if (place->components) {
            q->component = below(place->components);
            type = place->type[q->component];
        }
        q->shape = type >= 0 ? below(5) : below(2);
        q->value = type < 0 ? 0 : (type == TYPE_LIST || type == TYPE_SET) + below(draft_values(type) - 1);
    }
}

/* ------------------------------------------------------------------ text */

static const char *const type_names[TYPES] = {"r", "m", "e", "b", "s", "v", "l", "h"};

void draft_value_text(int type, int n, FILE *out)
{
    static const char *const names[] = {"ea", "eb", "ec"}, *const sets[] = {"empty",  "|0|",    "|1|",   "|2|",
                                                                            "|0, 1|", "|0, 2|", "|1, 2|"};
    if (type == TYPE_ENUM)
        fputs(names[n], out);
    else if (type == TYPE_STRUCT)
        fprintf(out, "{%d, %d}", n / 3, n % 3);
    else if (type == TYPE_VECTOR)
        fprintf(out, "[%d, %d]", n / 3, n % 3);
    else if (type == TYPE_LIST && n >= 4)
        fprintf(out, "|%d, %d|", (n - 4) / 3, (n - 4) % 3);
    else if (type == TYPE_LIST)
        fprintf(out, "|%d|", n - 1);
    else if (type == TYPE_SET)
        fputs(sets[n], out);
    else
        fprintf(out, "%d", n);
}

static void write_expression(const struct draft_net *net, int number, FILE *out);

static void write_operation(const struct draft_net *net, const char *before, int a, const char *between, int b,
                            const char *after, FILE *out)
{
    fputs(before, out);
    write_expression(net, a, out);
    fputs(between, out);
    if (b >= 0)
        write_expression(net, b, out);
    fputs(after, out);
}

static void write_make(const struct draft_net *net, const struct draft_expression *e, FILE *out)
{
    bool is_struct = e->type == TYPE_STRUCT, is_vector = e->type == TYPE_VECTOR;
    write_operation(net,
                    is_struct   ? "{"
                    : is_vector ? "["
                                : "|",
                    e->a, e->b >= 0 ? ", " : "", e->b,
                    is_struct   ? "}"
                    : is_vector ? "]"
                                : "|",
                    out);
}

static void write_variable(int number, FILE *out)
{
    fprintf(out, number == ITERATOR ? "i" : "x%d", number);
}

static void write_expression(const struct draft_net *net, int number, FILE *out)
{
    const struct draft_expression *e = &net->expression[number];
    char text[30];
    switch (e->kind) {
    case EX_VARIABLE: write_variable(e->number, out); break;
    case EX_CONSTANT: fprintf(out, "%s%d", type_names[e->type], e->number); break;
    case EX_ADD:
    case EX_SUBTRACT:
        snprintf(text, sizeof text, " %c %d)", e->kind == EX_ADD ? '+' : '-', e->number);
        write_operation(net, "(", e->a, text, -1, "", out);
        break;
    case EX_SUCCESSOR: write_operation(net, "(succ ", e->a, ")", -1, "", out); break;
    case EX_PREDECESSOR: write_operation(net, "(pred ", e->a, ")", -1, "", out); break;
    case EX_CONDITIONAL:
        write_operation(net, "((", e->a, ") ? (", e->b, ") : (", out);
        write_operation(net, "", e->c, "))", -1, "", out);
        break;
    case EX_FIELD: write_operation(net, "(", e->a, e->number ? ").q" : ").p", -1, "", out); break;
    case EX_ELEMENT: write_operation(net, "(", e->a, ")[", e->b, "]", out); break;
    case EX_ITEM:
        snprintf(text, sizeof text, e->number == 3 ? ")'first" : e->number == 4 ? ")'last" : ")[%d]", e->number);
        write_operation(net, "(", e->a, text, -1, "", out);
        break;
    case EX_CALL: write_operation(net, "f(", e->a, ")", -1, "", out); break;
    case EX_MAKE: write_make(net, e, out); break;
    case EX_SET_FIELD:
        write_operation(net, "((", e->a, e->number ? ") :: (.q := " : ") :: (.p := ", e->b, "))", out);
        break;
    case EX_REPLACE:
        write_operation(net, "((", e->a, ") :: ([", e->b, "] := ", out);
        write_operation(net, "", e->c, "))", -1, "", out);
        break;
    case EX_JOIN: write_operation(net, "((", e->a, ") & (", e->b, "))", out); break;
    case EX_SUFFIX: write_operation(net, "((", e->a, ")'suffix)", -1, "", out); break;
    case EX_PREFIX: write_operation(net, "((", e->a, ")'prefix)", -1, "", out); break;
    case EX_SLICE:
        snprintf(text, sizeof text, ")[%d .. %d]", e->number / 3, e->number % 3);
        write_operation(net, "(", e->a, text, -1, "", out);
        break;
    case EX_SET_ITEM:
        snprintf(text, sizeof text, ") :: ([%d] := ", e->number);
        write_operation(net, "((", e->a, text, e->b, "))", out);
        break;
    case EX_INTERSECT: write_operation(net, "((", e->a, ") and (", e->b, "))", out); break;
    case EX_UNION: write_operation(net, "((", e->a, ") or (", e->b, "))", out); break;
    case EX_WITHOUT: write_operation(net, "((", e->a, ") - (", e->b, "))", out); break;
    case EX_COUNT: write_operation(net, "r(card(i in r | ", e->a, "))", -1, "", out); break;
    case EX_LESS: write_operation(net, "(", e->a, " < ", e->b, ")", out); break;
    case EX_EQUAL: write_operation(net, "(", e->a, e->number ? " != " : " = ", e->b, ")", out); break;
    case EX_AND: write_operation(net, "(", e->a, " and ", e->b, ")", out); break;
    case EX_OR: write_operation(net, "(", e->a, " or ", e->b, ")", out); break;
    case EX_NOT: write_operation(net, "(not ", e->a, ")", -1, "", out); break;
    case EX_IN: write_operation(net, "(", e->a, " in ", e->b, ")", out); break;
    case EX_EMPTY: write_operation(net, "((", e->a, ")'empty)", -1, "", out); break;
    case EX_FORALL: write_operation(net, "forall(i in r : ", e->a, ")", -1, "", out); break;
    case EX_EXISTS: write_operation(net, "exists(i in r | ", e->a, ")", -1, "", out); break;
    }
}

static void write_term(const struct draft_net *net, int place, const struct draft_term *term, FILE *out)
{
    if (term->has_iterator)
        fputs("for(i in r) ", out);
    if (term->condition >= 0)
        write_operation(net, "if(", term->condition, ") ", -1, "", out);
    if (term->count > 1)
        fprintf(out, "%d*", term->count);
    if (!net->place[place].components)
        fputs("epsilon", out);
    else
        fputs("<( ", out);
    for (int i = 0; i < net->place[place].components; i++)
        write_operation(net, i ? ", " : "", term->component[i], "", -1, "", out);
    if (net->place[place].components)
        fputs(" )>", out);
}

static void write_arcs(const struct draft_net *net, const char *name, const struct draft_arc *arcs, int count,
                       FILE *out)
{
    fprintf(out, "      %s {\n", name);
    for (int i = 0; i < count; i++) {
        fprintf(out, "         p%d : ", arcs[i].place);
        for (int k = 0; k < arcs[i].terms; k++) {
            fputs(k ? " + " : "", out);
            write_term(net, arcs[i].place, &arcs[i].term[k], out);
        }
        fputs(";\n", out);
    }
    fputs("      }\n", out);
}

static void write_variables(const struct draft_net *net, const struct draft_transition *t, FILE *out)
{
    for (int v = 0; v < t->variables; v++) {
        const struct draft_variable *variable = &t->variable[v];
        if (variable->source == SOURCE_PICK) {
            fprintf(out, "      pick { x%d in ", v);
            if (variable->value < 0)
                fputs(type_names[variable->type], out);
            else
                write_expression(net, variable->value, out);
            fputs("; }\n", out);
        } else if (variable->source == SOURCE_LET) {
            fprintf(out, "      let { %s x%d := ", type_names[variable->type], v);
            write_operation(net, "", variable->value, "; }\n", -1, "", out);
        }
    }
}

void draft_token_text(const struct draft_net *net, int place, int token, FILE *out)
{
    const struct draft_place *p = &net->place[place];
    int last = p->components == 2 ? draft_values(p->type[1]) : 1;
    fputs(p->components ? "<( " : "epsilon", out);
    for (int i = 0; i < p->components; i++) {
        fputs(i ? ", " : "", out);
        draft_value_text(p->type[i],
                         i + 1 < p->components ? token / last
                         : p->components == 2  ? token % last
                                               : token,
                         out);
    }
    fputs(p->components ? " )>" : "", out);
}

static void write_place(const struct draft_net *net, int number, FILE *out)
{
    const struct draft_place *p = &net->place[number];
    fprintf(out, "   place p%d {\n      dom : %s", number, p->components ? type_names[p->type[0]] : "epsilon");
    if (p->components == 2)
        fprintf(out, " * %s", type_names[p->type[1]]);
    fputs(";\n", out);
    for (int i = 0; i < p->initials; i++) {
        fputs(i ? " + " : "      init : ", out);
        if (p->initial_count[i] > 1)
            fprintf(out, "%d*", p->initial_count[i]);
        draft_token_text(net, number, p->initial[i], out);
    }
    fputs(p->initials ? ";\n" : "", out);
    if (p->capacity)
        fprintf(out, "      capacity : %d;\n", p->capacity);
    fputs("   }\n", out);
}

static void write_transition(const struct draft_net *net, int number, FILE *out)
{
    const struct draft_transition *t = &net->transition[number];
    fprintf(out, "   transition t%d {\n", number);
    write_arcs(net, "in", t->in, t->ins, out);
    write_arcs(net, "out", t->out, t->outs, out);
    if (t->inhibits)
        write_arcs(net, "inhibit", t->inhibit, t->inhibits, out);
    write_variables(net, t, out);
    if (t->guard >= 0)
        write_operation(net, "      guard : ", t->guard, ";\n", -1, "", out);
    if (t->priority >= 0)
        write_operation(net, "      priority : int(", t->priority, ");\n", -1, "", out);
    fputs("   }\n", out);
}

static void write_proposition(const struct draft_net *net, int number, FILE *out)
{
    const struct draft_proposition *p = &net->proposition[number];
    static const char *const before[] = {
        "p%d'card", "p%d'mult", "card(k in p%d | k->%d = ", "exists(k in p%d | k->%d = ", "forall(k in p%d : k->%d = "};
    fprintf(out, "   proposition q%d : ", number);
    fprintf(out, before[p->shape], p->place, p->component + 1);
    if (p->shape >= 2)
        draft_value_text(net->place[p->place].type[p->component], p->value, out);
    if (p->shape >= 2)
        fputs(")", out);
    if (p->shape <= 2)
        fprintf(out, " >= %d", p->least);
    fputs(";\n", out);
}

static void write_function(const struct draft_net *net, FILE *out)
{
    static const char *const bodies[] = {"if (x = %d) return 2; else return 0;",
                                         "r y := %d; while (y < x) y := y + 1; return y;", "assert: x != %d; return x;",
                                         "for (j in r) if (j > x) return j; return x; /* %d */"};
    fputs("   function f (r x) -> r { ", out);
    fprintf(out, bodies[net->function], net->parameter);
    fputs(" }\n", out);
}

/* A name for every value, of one type only. */
static void write_constants(FILE *out)
{
    for (int type = 0; type < TYPES; type++)
        for (int n = type == TYPE_LIST || type == TYPE_SET; n < draft_values(type); n++) {
            fprintf(out, "   constant %s %s%d := ", type_names[type], type_names[type], n);
            draft_value_text(type, n, out);
            fputs(";\n", out);
        }
}

void draft_write(const struct draft_net *net, FILE *out)
{
    fputs("n {\n   type r : range 0 .. 2;\n   type m : mod 3;\n   type e : enum (ea, eb, ec);\n   type b : mod 2;\n"
          "   type s : struct { r p; m q; };\n   type v : vector [b] of r;\n"
          "   type l : list [nat] of r with capacity 2;\n   type h : set of r with capacity 2;\n",
          out);
    write_constants(out);
    write_function(net, out);
    for (int p = 0; p < net->places; p++)
        write_place(net, p, out);
    for (int t = 0; t < net->transitions; t++)
        write_transition(net, t, out);
    for (int p = 0; p < net->propositions; p++)
        write_proposition(net, p, out);
    fputs("}\n", out);
}
