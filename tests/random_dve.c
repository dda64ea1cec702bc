/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random DVE models against a naive second interpreter: written as text and opened by the front end; states,
 * transitions and deadlocks of a full search, failures, invariants and states to be reached by every variant, a
 * property process.
 *
 *     random_dve [--models N] [--seed S] [--first K] [--write DIRECTORY]
 *
 * Errors put into src/front/dve that are noticed within 2,000 models of seed 1: the two sides of a precedence swapped,
 * bytes that do not wrap, values assigned while they are still sent, effects of the receiver first, a guard that is
 * tested before what may fail to its left, committed states ignored, a full buffer that takes a message, a location
 * that stays.
 */
#include "front/dve/dve.h"
#include "random_frame.h"
#include "random_net.h"
#include "stubborn_judge.h"

enum {
    PROCESSES = 3,
    STATES = 3,
    MOST_TRANSITIONS = 4,
    NODES = 12,
    MOST_STATES = 600,
    TEXT = 16000,
    /* variables: bytes g0 g1, int g2, byte a[2], and a byte x of each process */
    GLOBALS = 3,
    ARRAY = GLOBALS,
    LENGTH = 2,
    LOCAL = ARRAY + LENGTH,
    VARIABLES = LOCAL + PROCESSES,
    SLOTS = 2 /* of the buffer d, each with a byte and an int */
};

/* ---------------------------------------------------------------------- expressions */

enum operator_kind { LEAF_NUMBER, LEAF_VARIABLE, LEAF_ELEMENT, LEAF_AT, BINARY, UNARY };

/* A tree in an array: children come later. */
struct draft_node {
    enum operator_kind kind;
    int which;  /* of binaries or unaries */
    int number; /* the number, the variable, the process */
    int state;
    int a, b;
};

struct draft_expression {
    struct draft_node node[NODES];
    int count;
};

static const struct {
    const char *text;
    int precedence;
} binaries[] = {{"imply", 1}, {"or", 2}, {"||", 2}, {"and", 2}, {"&&", 2}, {"|", 4},  {"^", 4},
                {"&", 4},     {"==", 7}, {"!=", 7}, {"<", 8},   {"<=", 8}, {">", 8},  {">=", 8},
                {"<<", 9},    {">>", 9}, {"+", 10}, {"-", 10},  {"*", 11}, {"/", 11}, {"%", 11}};
static const char *const unaries[] = {"-", "not ", "~", "!"};
enum { BINARIES = sizeof binaries / sizeof *binaries };

static int draw_operator(struct random *r)
{
    int which = (int)random_below(r, BINARIES);
    return strchr("/%", binaries[which].text[0]) || binaries[which].precedence == 9 /* may fail */
               ? (random_chance(r, 30) ? which : 16)
               : which;
}

static int draw_node(struct random *r, struct draft_expression *e, int process, int depth)
{
    int at = e->count++;
    struct draft_node n = {.kind = LEAF_NUMBER, .number = (int)random_below(r, 4)};
    bool inner = depth > 0 && e->count + 2 < NODES && random_chance(r, 70);
    if (inner && random_chance(r, 80)) {
        n.kind = BINARY;
        n.which = draw_operator(r);
        n.a = draw_node(r, e, process, depth - 1);
        n.b = e->count < NODES ? draw_node(r, e, process, depth - 1) : n.a;
    } else if (inner) {
        n.kind = UNARY;
        n.which = (int)random_below(r, 4);
        n.a = draw_node(r, e, process, depth - 1);
    } else if (random_chance(r, 12)) {
        n.kind = LEAF_AT;
        n.number = (int)random_below(r, PROCESSES);
        n.state = (int)random_below(r, STATES);
    } else if (random_chance(r, 20) && e->count < NODES) {
        n.kind = LEAF_ELEMENT;
        n.a = draw_node(r, e, process, 0);
        e->node[n.a].number %= e->node[n.a].kind == LEAF_NUMBER ? LENGTH : VARIABLES + PROCESSES;
    } else if (random_chance(r, 70)) {
        n.kind = LEAF_VARIABLE;
        n.number = (int)random_below(r, GLOBALS + 2);
        n.number = n.number == GLOBALS  ? LOCAL + process
                   : n.number > GLOBALS ? LOCAL + (int)random_below(r, PROCESSES)
                                        : n.number;
    }
    e->node[at] = n;
    return at;
}

static void draw_expression(struct random *r, struct draft_expression *e, int process, int depth)
{
    e->count = 0;
    draw_node(r, e, process, depth);
}

/* ---------------------------------------------------------------------------- models */

enum sync { NO_SYNC, SEND, RECEIVE, PUT, TAKE };

struct target {
    int variable; /* ARRAY: element index */
    struct draft_expression index;
};

struct draft_transition {
    int from, to;
    int guards;
    struct draft_expression guard[2]; /* separated by a comma */
    enum sync sync;
    struct draft_expression sent[2];
    struct target received[2];
    int effects;
    struct target changed[2];
    struct draft_expression value[2];
};

struct draft_model {
    bool is_synchronous;
    int initial[VARIABLES];
    int transitions[PROCESSES];
    struct draft_transition transition[PROCESSES][MOST_TRANSITIONS];
    bool committed[PROCESSES][STATES];
    int claim; /* the property: globally g0 <= claim, as an automaton */
};

static void draw_target(struct random *r, struct target *t, int process)
{
    int choice = (int)random_below(r, GLOBALS + 2);
    t->variable = choice < GLOBALS ? choice : choice == GLOBALS ? ARRAY : LOCAL + process;
    draw_expression(r, &t->index, process, 0);
    if (random_chance(r, 60) || t->index.node[0].kind == LEAF_NUMBER)
        t->index = (struct draft_expression){{{.kind = LEAF_NUMBER, .number = (int)random_below(r, LENGTH)}}, 1};
}

static void draw_transition(struct random *r, struct draft_model *m, int process, struct draft_transition *t)
{
    memset(t, 0, sizeof *t);
    t->from = (int)random_below(r, STATES);
    t->to = (int)random_below(r, STATES);
    t->guards = random_chance(r, 45) ? 1 + random_chance(r, 30) : 0;
    for (int i = 0; i < t->guards; i++)
        draw_expression(r, &t->guard[i], process, 2);
    if (!m->is_synchronous && random_chance(r, 50))
        t->sync = (enum sync)(1 + random_below(r, 4));
    for (int i = 0; i < 2; i++) {
        draw_expression(r, &t->sent[i], process, 1);
        draw_target(r, &t->received[i], process);
    }
    t->effects = (int)random_below(r, 3);
    for (int i = 0; i < t->effects; i++) {
        draw_target(r, &t->changed[i], process);
        draw_expression(r, &t->value[i], process, 2);
    }
}

static void draw_model(struct draft_model *m, uint64_t seed, uint64_t number)
{
    struct random r = random_from(seed, number);
    memset(m, 0, sizeof *m);
    m->is_synchronous = random_chance(&r, 12);
    for (int v = 0; v < VARIABLES; v++)
        m->initial[v] = random_chance(&r, 30) ? (int)random_below(&r, 3) : 0;
    if (random_chance(&r, 20))
        m->initial[0] = 254;
    bool commits = random_chance(&r, 25);
    for (int p = 0; p < PROCESSES; p++) {
        m->transitions[p] = 2 + (int)random_below(&r, m->is_synchronous ? 2 : MOST_TRANSITIONS - 1);
        for (int i = 0; i < m->transitions[p]; i++)
            draw_transition(&r, m, p, &m->transition[p][i]);
        m->transition[p][0].from = 0;
        for (int s = 0; s < STATES; s++)
            m->committed[p][s] = commits && random_chance(&r, 25);
    }
    m->claim = (int)random_below(&r, 3);
}

/* ------------------------------------------------------------------------------ text */

struct writer {
    char text[TEXT];
    size_t used;
};

static __attribute__((format(printf, 2, 3))) void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(w->text + w->used, TEXT - w->used, format, arguments);
    va_end(arguments);
    w->used += written > 0 ? (size_t)written : 0;
    if (w->used >= TEXT)
        abort();
}

static void put_variable(struct writer *w, int variable, int process)
{
    if (variable < GLOBALS)
        put(w, "g%d", variable);
    else if (variable == LOCAL + process)
        put(w, "x");
    else
        put(w, "P%d->x", variable - LOCAL);
}

/* With as few parentheses as the precedences allow. */
static void put_node(struct writer *w, const struct draft_expression *e, int at, int process, int above)
{
    const struct draft_node *n = &e->node[at];
    int own = n->kind == BINARY ? binaries[n->which].precedence : 100;
    if (own < above)
        put(w, "(");
    switch (n->kind) {
    case LEAF_NUMBER: put(w, "%d", n->number); break;
    case LEAF_VARIABLE: put_variable(w, n->number, process); break;
    case LEAF_AT: put(w, "P%d.s%d", n->number, n->state); break;
    case LEAF_ELEMENT:
        put(w, "a[");
        put_node(w, e, n->a, process, 0);
        put(w, "]");
        break;
    case UNARY:
        put(w, "%s", unaries[n->which]);
        put_node(w, e, n->a, process, 100);
        break;
    case BINARY:
        put_node(w, e, n->a, process, own);
        put(w, " %s ", binaries[n->which].text);
        put_node(w, e, n->b, process, own + 1);
        break;
    }
    if (own < above)
        put(w, ")");
}

static void put_target(struct writer *w, const struct target *t, int process)
{
    if (t->variable != ARRAY) {
        put_variable(w, t->variable, process);
        return;
    }
    put(w, "a[");
    put_node(w, &t->index, 0, process, 0);
    put(w, "]");
}

static void put_sync(struct writer *w, const struct draft_transition *t, int process)
{
    bool sends = t->sync == SEND || t->sync == PUT;
    put(w, "sync %s%s", t->sync == PUT || t->sync == TAKE ? "d" : "c", sends ? "!" : "?");
    put(w, "{");
    for (int i = 0; i < 2; i++) {
        put(w, i ? ", " : "");
        if (sends)
            put_node(w, &t->sent[i], 0, process, 0);
        else
            put_target(w, &t->received[i], process);
    }
    put(w, "}; ");
}

static void put_transition(struct writer *w, const struct draft_transition *t, int process)
{
    put(w, "  s%d -> s%d { ", t->from, t->to);
    for (int i = 0; i < t->guards; i++) {
        put(w, i ? ", " : "guard ");
        put_node(w, &t->guard[i], 0, process, 0);
    }
    put(w, t->guards ? "; " : "");
    if (t->sync)
        put_sync(w, t, process);
    for (int i = 0; i < t->effects; i++) {
        put(w, i ? ", " : "effect ");
        put_target(w, &t->changed[i], process);
        put(w, " = ");
        put_node(w, &t->value[i], 0, process, 0);
    }
    put(w, "%s}", t->effects ? "; " : "");
}

static void put_process(struct writer *w, const struct draft_model *m, int process)
{
    put(w, "process P%d {\nbyte x = %d;\nstate s0, s1, s2;\ninit s0;\n", process, m->initial[LOCAL + process]);
    for (int s = 0; s < STATES; s++)
        if (m->committed[process][s])
            put(w, "commit s%d;\n", s);
    put(w, "trans\n");
    for (int i = 0; i < m->transitions[process]; i++) {
        put_transition(w, &m->transition[process][i], process);
        put(w, i + 1 < m->transitions[process] ? ",\n" : ";\n");
    }
    put(w, "}\n");
}

static void put_model(struct writer *w, const struct draft_model *m)
{
    w->used = 0;
    put(w, "byte g0 = %d, g1 = %d;\nint g2 = %d;\nbyte a[2] = {%d, %d};\n", m->initial[0], m->initial[1], m->initial[2],
        m->initial[ARRAY], m->initial[ARRAY + 1]);
    put(w, "channel {byte, int} c[0], d[%d];\n", SLOTS);
    for (int p = 0; p < PROCESSES; p++)
        put_process(w, m, p);
    put(w,
        "process Claim { state q, bad; init q; accept bad;\ntrans q -> q {}, q -> bad { guard g0 > %d; }, bad -> bad "
        "{}; }\n",
        m->claim);
    put(w, "system %s property Claim;\n", m->is_synchronous ? "sync" : "async");
}

/* ------------------------------------------------------------------------ the truth */

enum { FAILED_INDEX = STATES, FAILED_DIVISION, FAILED_SHIFT };

struct naive_state {
    int value[VARIABLES], at[PROCESSES], messages, buffer[SLOTS][2];
    int committed; /* processes that are, or have failed while they were */
};

/* Evaluates; *failed becomes one of the failures. */
static int evaluate(const struct naive_state *s, const struct draft_expression *e, int at, int *failed);

static int32_t wrap(int64_t value)
{
    return (int32_t)(uint32_t)(uint64_t)value;
}

static int shift(int which, int a, int b, int *failed)
{
    if (b < 0 || b > 31) {
        *failed = FAILED_SHIFT;
        return 0;
    }
    return which == 0 ? wrap((int64_t)((uint64_t)(int64_t)a << b)) : a >> b;
}

static int calculate(const char *text, int a, int b, int *failed)
{
    if (strcmp(text, "/") == 0 || strcmp(text, "%") == 0) {
        if (b == 0) {
            *failed = FAILED_DIVISION;
            return 0;
        }
        return wrap(text[0] == '/' ? (int64_t)a / b : (int64_t)a % b);
    }
    if (strcmp(text, "<<") == 0 || strcmp(text, ">>") == 0)
        return shift(text[0] == '>', a, b, failed);
    if (strcmp(text, "<=") == 0)
        return a <= b;
    if (strcmp(text, ">=") == 0)
        return a >= b;
    switch (text[0]) {
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b;
    case '>': return a > b;
    case '+': return wrap((int64_t)a + b);
    case '-': return wrap((int64_t)a - b);
    default: return wrap((int64_t)a * b);
    }
}

static int evaluate_binary(const struct naive_state *s, const struct draft_expression *e, const struct draft_node *n,
                           int *failed)
{
    int precedence = binaries[n->which].precedence;
    bool is_and = binaries[n->which].text[0] == 'a' || strcmp(binaries[n->which].text, "&&") == 0;
    int a = evaluate(s, e, n->a, failed);
    if (*failed)
        return 0;
    if (is_and && !a)
        return 0;
    if ((precedence == 1 && !a) || (precedence == 2 && a && !is_and))
        return 1;
    int b = evaluate(s, e, n->b, failed);
    if (*failed)
        return 0;
    return precedence <= 2 ? b != 0 : calculate(binaries[n->which].text, a, b, failed);
}

static int evaluate(const struct naive_state *s, const struct draft_expression *e, int at, int *failed)
{
    const struct draft_node *n = &e->node[at];
    int a;
    switch (n->kind) {
    case LEAF_NUMBER: return n->number;
    case LEAF_VARIABLE: return s->value[n->number];
    case LEAF_AT: return s->at[n->number] == n->state;
    case BINARY: return evaluate_binary(s, e, n, failed);
    case UNARY:
        a = evaluate(s, e, n->a, failed);
        return *failed ? 0 : n->which == 0 ? wrap(-(int64_t)a) : n->which == 2 ? ~a : !a;
    case LEAF_ELEMENT: break;
    }
    a = evaluate(s, e, n->a, failed);
    if (!*failed && (a < 0 || a >= LENGTH))
        *failed = FAILED_INDEX;
    return *failed ? 0 : s->value[ARRAY + a];
}

static void assign(struct naive_state *s, const struct target *t, int value, int *failed)
{
    int index = 0;
    if (t->variable == ARRAY) {
        index = evaluate(s, &t->index, 0, failed);
        if (!*failed && (index < 0 || index >= LENGTH))
            *failed = FAILED_INDEX;
    }
    if (!*failed)
        s->value[t->variable + index] = t->variable == 2 ? (int16_t)value : (uint8_t)value;
}

static void pass_messages(struct naive_state *s, const struct draft_transition *t,
                          const struct draft_transition *partner, int *failed)
{
    int values[2];
    if (t->sync == SEND || t->sync == PUT)
        for (int i = 0; i < 2 && !*failed; i++)
            values[i] = evaluate(s, &t->sent[i], 0, failed);
    if (*failed)
        return;
    if (t->sync == PUT) {
        s->buffer[s->messages][0] = (uint8_t)values[0];
        s->buffer[s->messages++][1] = (int16_t)values[1];
    }
    for (int i = 0; i < 2 && t->sync == SEND && !*failed; i++)
        assign(s, &partner->received[i], values[i], failed);
    if (t->sync != TAKE)
        return;
    memcpy(values, s->buffer[0], sizeof values);
    s->messages--;
    memmove(s->buffer[0], s->buffer[1], sizeof s->buffer[0] * (SLOTS - 1));
    memset(s->buffer[SLOTS - 1], 0, sizeof s->buffer[0]);
    for (int i = 0; i < 2 && !*failed; i++)
        assign(s, &t->received[i], values[i], failed);
}

struct step {
    int process[PROCESSES], count;
    const struct draft_transition *part[PROCESSES];
};

static bool is_ready(const struct draft_model *m, const struct naive_state *s, const struct step *step)
{
    bool leaves = false;
    for (int i = 0; i < step->count; i++) {
        if (s->at[step->process[i]] != step->part[i]->from)
            return false;
        leaves |= m->committed[step->process[i]][step->part[i]->from];
    }
    enum sync sync = step->part[0]->sync;
    return (!s->committed || leaves) && !(sync == PUT && s->messages == SLOTS) && !(sync == TAKE && s->messages == 0);
}

/* False: it is not enabled.  What fails has done what came before, and its process stays where it failed. */
static bool fire(const struct draft_model *m, const struct naive_state *s, const struct step *step,
                 struct naive_state *next)
{
    int failed = 0;
    if (!is_ready(m, s, step))
        return false;
    *next = *s;
    for (int i = 0; i < step->count && !failed; i++)
        for (int g = 0; g < step->part[i]->guards && !failed; g++)
            if (!evaluate(s, &step->part[i]->guard[g], 0, &failed) && !failed)
                return false;
    if (!failed)
        pass_messages(next, step->part[0], step->part[1], &failed);
    for (int i = 0; i < step->count; i++)
        for (int k = 0; k < step->part[i]->effects && !failed; k++) {
            int value = evaluate(next, &step->part[i]->value[k], 0, &failed);
            if (!failed)
                assign(next, &step->part[i]->changed[k], value, &failed);
        }
    next->at[step->process[0]] = failed ? failed : step->part[0]->to;
    for (int i = 1; i < step->count && !failed; i++)
        next->at[step->process[i]] = step->part[i]->to;
    for (int i = 0; i < step->count && !failed; i++)
        next->committed +=
            m->committed[step->process[i]][step->part[i]->to] - m->committed[step->process[i]][step->part[i]->from];
    return true;
}

/* Every step of the model; returns how many. */
static int list_steps(const struct draft_model *m, struct step *steps)
{
    int count = 0;
    if (m->is_synchronous) {
        for (int i = 0; i < m->transitions[0]; i++)
            for (int j = 0; j < m->transitions[1]; j++)
                for (int k = 0; k < m->transitions[2]; k++)
                    steps[count++] =
                        (struct step){{0, 1, 2}, 3, {&m->transition[0][i], &m->transition[1][j], &m->transition[2][k]}};
        return count;
    }
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < m->transitions[p]; i++) {
            const struct draft_transition *t = &m->transition[p][i];
            if (t->sync != SEND && t->sync != RECEIVE)
                steps[count++] = (struct step){{p}, 1, {t}};
            for (int q = 0; q < PROCESSES && t->sync == SEND; q++)
                for (int j = 0; q != p && j < m->transitions[q]; j++)
                    if (m->transition[q][j].sync == RECEIVE)
                        steps[count++] = (struct step){{p, q}, 2, {t, &m->transition[q][j]}};
        }
    return count;
}

struct truth {
    struct naive_state states[MOST_STATES];
    int count, transitions, deadlocks, failures;
};

static bool find_truth(const struct draft_model *m, struct truth *t)
{
    struct step steps[MOST_TRANSITIONS * MOST_TRANSITIONS * MOST_TRANSITIONS];
    int step_count = list_steps(m, steps);
    memset(t, 0, sizeof *t);
    memcpy(t->states[0].value, m->initial, sizeof m->initial);
    for (int p = 0; p < PROCESSES; p++)
        t->states[0].committed += m->committed[p][0];
    t->count = 1;
    for (int i = 0; i < t->count; i++) {
        int enabled = 0, to;
        bool failed = false;
        for (int k = 0; k < step_count; k++) {
            struct naive_state next;
            if (!fire(m, &t->states[i], &steps[k], &next))
                continue;
            for (to = 0; to < t->count && memcmp(&t->states[to], &next, sizeof next) != 0; to++)
                ;
            if (to == MOST_STATES)
                return false;
            if (to == t->count)
                t->states[t->count++] = next;
            enabled++;
        }
        for (int p = 0; p < PROCESSES; p++)
            failed |= t->states[i].at[p] >= STATES;
        t->transitions += enabled;
        t->deadlocks += enabled == 0 && !failed;
        t->failures += failed;
    }
    return true;
}

/* -------------------------------------------------------------------------- checking */

struct check {
    struct truth truth;
    struct portolan_system *system;
    char failure[700];
    unsigned told;
};

/* One property, one variant; false when it says something else than wanted. */
static bool ask(struct check *c, const struct variant *v, enum portolan_kind kind, const char *text, bool holds)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    struct portolan_options options = {.all = true, .check_relations = kind == PORTOLAN_NO_DEADLOCK};
    enum portolan_status status = ask_one(c->system, v, kind, text, options, &result, &error);
    bool fine = true;
    const char *shown = text ? text : "no deadlock";
    if (status == PORTOLAN_OK) {
        c->told++;
        if ((result.answers[0].verdict == PORTOLAN_HOLDS) != holds || result.answers[0].verdict == PORTOLAN_UNKNOWN)
            fine = wrong(c, "%s %s %s: %.200s", v->reduction, v->proviso, v->search, shown);
        const struct portolan_statistics *s = &result.statistics;
        if (fine && kind == PORTOLAN_NO_DEADLOCK && s->deadlocks != (uint64_t)c->truth.deadlocks)
            fine = wrong(c, "%s %s: %" PRIu64 " deadlocks, not %d", v->reduction, v->search, s->deadlocks,
                         c->truth.deadlocks);
        if (fine && kind == PORTOLAN_NO_DEADLOCK && !v->reduction_class->reduces &&
            (s->states != (uint64_t)c->truth.count || s->transitions != (uint64_t)c->truth.transitions))
            fine = wrong(c, "%s: %" PRIu64 " states, %" PRIu64 " transitions, not %d, %d", v->search, s->states,
                         s->transitions, c->truth.count, c->truth.transitions);
        result_clear(&result);
    } else if (status != PORTOLAN_REFUSED) {
        fine = wrong(c, "%s %s %s, %.200s: %s", v->reduction, v->proviso, v->search, shown, error.message);
    }
    return fine;
}

static int largest(const struct truth *t, int variable)
{
    int most = INT32_MIN;
    for (int i = 0; i < t->count; i++)
        if (t->states[i].value[variable] > most)
            most = t->states[i].value[variable];
    return most;
}

static bool ask_all(struct check *c, const struct variant *v, uint64_t number)
{
    static const char *const names[] = {"g0", "g1", "g2", "a[0]", "a[1]", "P0.x", "P1.x", "P2.x"};
    int variable = (int)(number % VARIABLES), limit = (int)(number / VARIABLES % 4),
        process = (int)(number % PROCESSES);
    int state = (int)(number / 3 % STATES);
    char text[100];
    bool there = false;
    for (int i = 0; i < c->truth.count; i++)
        there |= c->truth.states[i].at[process] == state;
    if (!ask(c, v, PORTOLAN_NO_DEADLOCK, NULL, c->truth.deadlocks == 0))
        return false;
    snprintf(text, sizeof text, "%s <= %d", names[variable], limit);
    if (!ask(c, v, PORTOLAN_INVARIANT, text, largest(&c->truth, variable) <= limit))
        return false;
    snprintf(text, sizeof text, "P%d.s%d", process, state);
    if (!ask(c, v, PORTOLAN_REACH, text, there))
        return false;
    return ask(c, v, PORTOLAN_INVARIANT, "failed = 0", c->truth.failures == 0);
}

/* One in so many of the variants that reduce, other ones with each model. */
static bool is_turn(const struct variant *v, uint64_t number)
{
    enum { ONE_IN = 12 };
    return !v->reduction_class->reduces || number % ONE_IN == 0;
}

static bool check_system(struct check *c, const struct draft_model *m, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant v, plain = {.reduction = "none", .proviso = "none", .search = "auto"};
    for (uint64_t k = number; variant_next(&cursor, false, &v); k++)
        if (!v.method && !v.reduction_class->has_search && is_turn(&v, k) && !ask_all(c, &v, k))
            return false;
    for (size_t i = 0; i < c->system->stated_count; i++)
        if (c->system->stated[i].kind == PORTOLAN_AUTOMATON)
            return ask(c, &plain, PORTOLAN_AUTOMATON, c->system->stated[i].text, largest(&c->truth, 0) <= m->claim);
    return wrong(c, "the property process is not stated");
}

static bool check_model(const struct draft_model *m, uint64_t number, struct check *c, struct writer *w, bool *skipped)
{
    struct portolan_error error = {0};
    c->failure[0] = '\0';
    *skipped = !find_truth(m, &c->truth);
    if (*skipped)
        return true;
    put_model(w, m);
    if (dve_open_text("random.dve", w->text, w->used, &c->system, &error) != PORTOLAN_OK) {
        *skipped = strncmp(error.message, "index ", 6) == 0; /* a constant outside of the array is an error */
        return *skipped || wrong(c, "line %u: %s", error.line, error.message);
    }
    bool fine = check_system(c, m, number) && sets_are_right(c->system, number, c->failure, sizeof c->failure);
    portolan_system_free(c->system);
    return fine;
}

/* Leaves out transitions, guards, effects and messages as long as it fails. */
static void shrink(struct draft_model *m, uint64_t number, struct check *c, struct writer *w)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int p = 0; p < PROCESSES; p++)
            for (int i = 0; i < m->transitions[p]; i++)
                for (int part = 0; part < 4 && i < m->transitions[p]; part++) {
                    struct draft_model less = *m;
                    struct draft_transition *t = &less.transition[p][i];
                    bool skipped;
                    if (part == 0 && less.transitions[p] > 1)
                        *t = less.transition[p][--less.transitions[p]];
                    else if (part == 1 && t->guards)
                        t->guards--;
                    else if (part == 2 && t->effects)
                        t->effects--;
                    else if (part == 3 && t->sync)
                        t->sync = NO_SYNC;
                    else
                        continue;
                    if (!check_model(&less, number, c, w, &skipped)) {
                        *m = less;
                        smaller = true;
                    }
                }
    }
    bool skipped;
    check_model(m, number, c, w, &skipped);
}

/* For other testers: the text as a file of a directory. */
static bool write_model(const char *directory, uint64_t number, const struct writer *w)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%" PRIu64 ".dve", directory, number);
    FILE *out = fopen(path, "w");
    bool fine = out && fwrite(w->text, 1, w->used, out) == w->used;
    return (!out || fclose(out) == 0) && fine;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 300, .seed = 1};
    if (!random_run_read(&run, "--models", count, arguments))
        return 2;
    static struct check c;
    static struct writer w;
    uint64_t checked = 0, states = 0, failures = 0, deadlocks = 0;
    for (uint64_t i = run.first; i < run.first + run.count; i++) {
        random_run_tell(i - run.first, run.count, i);
        static struct draft_model m;
        bool skipped;
        draw_model(&m, run.seed, i);
        if (!check_model(&m, i, &c, &w, &skipped)) {
            printf("model %" PRIu64 " of seed %" PRIu64 ": %s\n", i, run.seed, c.failure);
            shrink(&m, i, &c, &w);
            printf("smaller: %s\n%s", c.failure, w.text);
            return 1;
        }
        if (run.write && !skipped && !write_model(run.write, i, &w))
            return 2;
        checked += !skipped;
        states += skipped ? 0 : (uint64_t)c.truth.count;
        failures += !skipped && c.truth.failures;
        deadlocks += !skipped && c.truth.deadlocks;
    }
    printf("%" PRIu64 " models, %" PRIu64 " states, %" PRIu64 " with a failure, %" PRIu64
           " with a deadlock, %u answers: all agree\n",
           checked, states, failures, deadlocks, c.told);
    return run.count >= 100 && (checked < run.count / 2 || !failures || !deadlocks);
}
