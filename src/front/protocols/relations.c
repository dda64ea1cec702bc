/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relations and the footprint of a protocol (Bokor, Kinder, Serafini, Suri, "Supporting domain-specific state space
 * reductions through local partial-order reduction", ASE 2011, section IV).
 *
 * There, static analysis of the text says what a transition may read, write and send; here the tables of the unfolded
 * protocol say it, which is never coarser:
 *
 *  - local enabling: a column enables another when in some local state it leads from where that has no edge to where it
 *    has one.  So a step that increases a time stamp is not taken to enable one that waits for a larger stamp in a
 *    message (the document's exception), and needs no rule of its own;
 *  - remote enabling: a column sends a message that another one needs;
 *  - dependency: two columns of a process do not commute in some local state that has both; those of different
 *    processes always commute, apart from enabling;
 *  - necessary enabling sets: each needed message is a guard, whose enablers are the steps that send it.  A quorum has
 *    a column for each set of messages, so k of n is a choice between conjunctions, never one conjunction, and the
 * other instances of an enabled quorum are disabled transitions like any other.
 *
 * Columns whose edges are the same are one class; what is tested is tested on classes.
 */
#include "front/protocols/model.h"

#include "base/bits.h"
#include "base/lists.h"

#include <string.h>

enum { MOST_PAIRS = 1 << 24, MOST_TESTS = 1 << 28, MOST_EXCLUSIVE = 256 };

struct class
{
    const uint32_t *edges; /* by local state */
    uint32_t guard;        /* it has an edge */
};

struct analysis { /* of one process */
    struct protocol_model *m;
    const struct automaton *automaton;
    uint32_t process, states, words;
    struct sequences keys, guard_keys;
    VECTOR(struct class) classes;
    struct portolan_lists members; /* class -> actions */
    uint32_t first_guard, guards;
};

struct builders {
    struct lists_builder guards_of, enablers, disablers, not_commuting, never, changers;
    VECTOR(uint64_t *) local_states;
    VECTOR(uint32_t) local_process;
    size_t pairs_left;
    bool failed;
};

/* The guards: each message, that crashes are not left out, sets of local states. */
static uint32_t crash_guard(const struct protocol_model *m)
{
    return (uint32_t)m->protocol.messages.count;
}

static uint32_t first_local_guard(const struct protocol_model *m)
{
    return crash_guard(m) + 1;
}

static const struct edge *edge_at(const struct analysis *s, const struct class *c, uint32_t state)
{
    return c->edges[state] == NO_EDGE ? NULL : &s->m->protocol.edges.item[c->edges[state]];
}

/* --------------------------------------------------------------------- classes */

/* The guard "the process is live and in one of these states", which others may have too. */
static uint32_t local_guard(struct analysis *s, struct builders *b, const uint64_t *set)
{
    bool is_new = false;
    uint32_t number = sequence_insert(&s->guard_keys, (const uint32_t *)set, (size_t)s->words * 2, &is_new);
    if (number == SEQUENCE_NONE) {
        b->failed = true;
        return s->first_guard;
    }
    if (is_new) {
        uint64_t *copy = malloc(s->words * sizeof *copy);
        if (copy)
            memcpy(copy, set, s->words * sizeof *copy);
        if (!copy || !vector_push(&b->local_states, copy)) {
            free(copy);
            b->failed = true;
        } else if (!vector_push(&b->local_process, s->process)) {
            b->failed = true;
        }
        s->guards++;
    }
    return s->first_guard + number;
}

static void find_classes(struct analysis *s, struct builders *b)
{
    struct protocol_model *m = s->m;
    struct lists_builder members = {0};
    uint64_t *set = calloc((size_t)s->words + 1, sizeof *set);
    b->failed |= !set;
    for (uint32_t i = 0; i < m->actions.count && !b->failed; i++) {
        const struct action *a = &m->actions.item[i];
        if (!is_step(a) || a->process != s->process)
            continue;
        const uint32_t *edges = s->automaton->columns.item[a->column].edges.item;
        bool is_new = false;
        uint32_t number = sequence_insert(&s->keys, edges, s->states, &is_new);
        b->failed |= number == SEQUENCE_NONE;
        if (is_new) {
            memset(set, 0, s->words * sizeof *set);
            for (uint32_t k = 0; k < s->states; k++)
                if (edges[k] != NO_EDGE)
                    bit_set(set, k);
            struct class class = {edges, local_guard(s, b, set)};
            b->failed |= !vector_push(&s->classes, class);
        }
        lists_add(&members, number, i);
        if (!b->failed)
            lists_add(&b->guards_of, i, s->classes.item[number].guard);
    }
    free(set);
    b->failed |= !lists_finish(&members, (uint32_t)s->classes.count, &s->members);
}

/* ---------------------------------------------------------------- local enabling */

static void add_members(const struct analysis *s, struct lists_builder *lists, uint32_t list, uint32_t class)
{
    for_list (a, s->members, class)
        lists_add(lists, list, *a);
}

static void relate_guard(struct analysis *s, struct builders *b, uint32_t guard, bool guess)
{
    const uint64_t *set = b->local_states.item[guard - first_local_guard(s->m)];
    for (uint32_t c = 0; c < s->classes.count; c++) {
        bool enables = guess, disables = guess;
        for (uint32_t k = 0; k < s->states && !(enables && disables); k++) {
            const struct edge *edge = edge_at(s, &s->classes.item[c], k);
            if (!edge)
                continue;
            bool before = bit_get(set, k), after = !edge->failure && bit_get(set, edge->next);
            enables |= !before && after;
            disables |= before && !after;
        }
        if (enables)
            add_members(s, &b->enablers, guard, c);
        if (disables)
            add_members(s, &b->disablers, guard, c);
    }
}

/* ------------------------------------------------------------------- commutation */

static int by_value(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* What two edges send, one after the other; the order matters only in queues. */
static size_t sent_by(const struct analysis *s, const struct edge *first, const struct edge *second, uint32_t *out)
{
    const struct sequences *sends = &s->m->protocol.sends;
    size_t count, more;
    const uint32_t *items = sequence_get(sends, first->sends, &count);
    if (count)
        memcpy(out, items, count * sizeof *out);
    items = sequence_get(sends, second->sends, &more);
    if (more)
        memcpy(out + count, items, more * sizeof *out);
    if (!s->m->protocol.syntax.is_fifo && count + more)
        qsort(out, count + more, sizeof *out, by_value);
    return count + more;
}

static bool commute_in(const struct analysis *s, const struct class *c, const struct class *d, uint32_t state)
{
    uint32_t sent[1024], other[1024];
    const struct edge *first = edge_at(s, c, state), *second = edge_at(s, d, state);
    if (!first || !second || first->failure || second->failure)
        return true; /* where one fails it disables the other, which the guards say */
    const struct edge *then = edge_at(s, d, first->next), *after = edge_at(s, c, second->next);
    if (!then || !after)
        return true; /* one disables the other: so say the guards */
    if (then->failure || after->failure || then->next != after->next)
        return false;
    if (first == after && second == then && !s->m->protocol.syntax.is_fifo)
        return true;
    size_t count = sent_by(s, first, then, sent);
    return sent_by(s, second, after, other) == count && (!count || memcmp(sent, other, count * sizeof *sent) == 0);
}

static void add_pairs(const struct analysis *s, struct builders *b, struct lists_builder *lists, uint32_t c, uint32_t d)
{
    size_t count = (size_t)list_length(&s->members, c) * list_length(&s->members, d);
    if (count > b->pairs_left) {
        b->pairs_left = 0;
        return;
    }
    b->pairs_left -= count;
    for_list (t, s->members, c)
        for_list (u, s->members, d) {
            lists_add(lists, *t, *u);
            lists_add(lists, *u, *t);
        }
}

static void relate_classes(struct analysis *s, struct builders *b)
{
    bool guess = s->classes.count * s->classes.count > MOST_TESTS / (s->states + 1);
    bool exclusive = s->members.offset[s->classes.count] <= MOST_EXCLUSIVE;
    for (uint32_t c = 0; c < s->classes.count && !b->failed; c++)
        for (uint32_t d = 0; d < c; d++) {
            bool commute = !guess, together = false;
            for (uint32_t k = 0; k < s->states; k++) {
                together |= edge_at(s, &s->classes.item[c], k) && edge_at(s, &s->classes.item[d], k);
                commute = commute && commute_in(s, &s->classes.item[c], &s->classes.item[d], k);
            }
            if (!commute)
                add_pairs(s, b, &b->not_commuting, c, d);
            if (!together && exclusive)
                add_pairs(s, b, &b->never, c, d);
        }
}

/* ---------------------------------------------------------------------- messages */

/* What steps send, by class. */
static void relate_sends(struct analysis *s, struct builders *b, uint32_t *seen, uint32_t *stamp)
{
    for (uint32_t c = 0; c < s->classes.count; c++) {
        ++*stamp;
        for (uint32_t k = 0; k < s->states; k++) {
            const struct edge *edge = edge_at(s, &s->classes.item[c], k);
            size_t count = 0;
            const uint32_t *sends = edge ? sequence_get(&s->m->protocol.sends, edge->sends, &count) : NULL;
            for (size_t i = 0; i < count; i++) {
                if (seen[sends[i]] == *stamp)
                    continue;
                seen[sends[i]] = *stamp;
                add_members(s, &b->enablers, sends[i], c);
            }
        }
    }
}

/* What a step makes dead is gone. */
static void relate_dead(struct analysis *s, struct builders *b)
{
    const struct inbox *inbox = &s->m->inboxes[s->process];
    uint32_t words = (inbox->count + 31) / 32;
    uint32_t *gone = inbox->set_of ? malloc(((size_t)words + 1) * sizeof *gone) : NULL;
    b->failed |= inbox->set_of && !gone;
    for (uint32_t c = 0; gone && c < s->classes.count; c++) {
        memset(gone, 0, words * sizeof *gone);
        for (uint32_t k = 0; k < s->states; k++) {
            const struct edge *edge = edge_at(s, &s->classes.item[c], k);
            size_t length;
            for (uint32_t w = 0; edge && w < words; w++)
                gone[w] |= sequence_get(&inbox->sets, inbox->set_of[k], &length)[w] &
                           ~(edge->failure ? 0 : sequence_get(&inbox->sets, inbox->set_of[edge->next], &length)[w]);
        }
        for (uint32_t k = 0; k < inbox->count; k++)
            if (gone[k / 32] >> k % 32 & 1)
                add_members(s, &b->disablers, s->m->counted[inbox->first + k], c);
    }
    free(gone);
}

/* What actions need; taking a message from a queue brings another to its head. */
static void relate_needs(const struct protocol_model *m, struct builders *b)
{
    for (uint32_t i = 0; i < m->actions.count; i++) {
        const struct action *a = &m->actions.item[i];
        for (uint32_t k = 0; k < a->need_count; k++) {
            uint32_t message = m->needs.item[a->first_need + k], queue = m->protocol.messages.item[message].queue;
            lists_add(&b->guards_of, i, message);
            if (a->kind == ACTION_KEEP)
                continue;
            lists_add(&b->disablers, message, i);
            for (size_t j = 0; queue != NO_QUEUE && j < m->queues[queue].messages.count; j++)
                lists_add(&b->enablers, m->queues[queue].messages.item[j], i);
        }
        if (a->kind == ACTION_FORGE)
            lists_add(&b->enablers, a->sends, i);
    }
}

/* In a queue the order of two messages of one sender stays. */
static void relate_forgeries(const struct protocol_model *m, struct builders *b)
{
    for (uint32_t i = 0; m->protocol.syntax.is_fifo && i < m->actions.count; i++)
        for (uint32_t j = 0; m->actions.item[i].kind == ACTION_FORGE && j < m->actions.count; j++)
            if (i != j && m->actions.item[j].process == m->actions.item[i].process &&
                (is_step(&m->actions.item[j]) || m->actions.item[j].kind == ACTION_FORGE)) {
                lists_add(&b->not_commuting, i, j);
                lists_add(&b->not_commuting, j, i);
            }
}

/* What is sent to a full queue is lost, or the step fails: sending and taking do not commute, nor do two sends. */
static void relate_full_queues(const struct protocol_model *m, struct builders *b)
{
    for (uint32_t q = 0; q < m->protocol.queue_count; q++)
        for (uint32_t i = 0; m->queues[q].may_be_full && i < m->actions.count; i++) {
            uint32_t others = may_send_to(m, &m->actions.item[i], q) ? (uint32_t)m->actions.count : 0;
            for (uint32_t j = 0; j < others; j++)
                if (i != j && (takes_from(m, &m->actions.item[j], q) || may_send_to(m, &m->actions.item[j], q))) {
                    lists_add(&b->not_commuting, i, j);
                    lists_add(&b->not_commuting, j, i);
                }
        }
}

static bool may_overflow(const struct protocol_model *m, const struct action *a)
{
    for (uint32_t q = 0; q < m->protocol.queue_count && !m->protocol.syntax.is_lossy; q++)
        if (m->queues[q].may_be_full && q / m->protocol.process_count == a->process && may_send_to(m, a, q))
            return true;
    return false;
}

/* A process whose step fails for want of room stops. */
static void relate_overflows(const struct analysis *s, struct builders *b)
{
    for (uint32_t i = 0; i < s->m->actions.count; i++)
        if (s->m->actions.item[i].process == s->process && may_overflow(s->m, &s->m->actions.item[i]))
            for (uint32_t g = 0; g < s->guards; g++)
                lists_add(&b->disablers, s->first_guard + g, i);
}

/* ----------------------------------------------------------------------- crashes */

static void relate_crash(struct analysis *s, struct builders *b)
{
    uint64_t *all = malloc(((size_t)s->words + 1) * sizeof *all);
    b->failed |= !all;
    for (uint32_t i = 0; i < s->m->actions.count && !b->failed; i++) {
        if (s->m->actions.item[i].kind != ACTION_CRASH || s->m->actions.item[i].process != s->process)
            continue;
        memset(all, 0xff, s->words * sizeof *all);
        lists_add(&b->guards_of, i, local_guard(s, b, all));
        lists_add(&b->guards_of, i, crash_guard(s->m));
        for (uint32_t g = 0; g < s->guards; g++)
            lists_add(&b->disablers, s->first_guard + g, i);
        const struct inbox *inbox = &s->m->inboxes[s->process];
        for (uint32_t k = 0; inbox->set_of && k < inbox->count; k++)
            lists_add(&b->disablers, s->m->counted[inbox->first + k], i);
    }
    free(all);
}

static void analyse_process(struct protocol_model *m, struct builders *b, uint32_t process, uint32_t *seen,
                            uint32_t *stamp)
{
    struct analysis s = {.m = m, .process = process, .automaton = &m->protocol.automata[process]};
    s.states = s.automaton->states.count;
    s.words = (uint32_t)bit_words(s.states);
    s.first_guard = first_local_guard(m) + (uint32_t)b->local_states.count;
    find_classes(&s, b);
    if (!b->failed)
        relate_crash(&s, b);
    bool guess = (size_t)s.guards * s.classes.count > MOST_TESTS / (s.states + 1);
    for (uint32_t g = 0; g < s.guards && !b->failed; g++)
        relate_guard(&s, b, s.first_guard + g, guess);
    if (!b->failed) {
        relate_classes(&s, b);
        relate_sends(&s, b, seen, stamp);
        relate_dead(&s, b);
        relate_overflows(&s, b);
    }
    sequences_clear(&s.keys);
    sequences_clear(&s.guard_keys);
    free(s.classes.item);
    lists_clear(&s.members);
}

/* ---------------------------------------------------------------------- changers */

static bool changes_cell(const struct protocol_model *m, const struct action *a, uint32_t cell)
{
    const struct automaton *automaton = &m->protocol.automata[a->process];
    for (uint32_t k = 0; k < automaton->states.count; k++) {
        const struct edge *edge = model_edge(m, a, k);
        if (edge && local_cells(automaton, k)[cell] != local_cells(automaton, edge->next)[cell])
            return true;
    }
    return false;
}

static bool can_fail(const struct protocol_model *m, const struct action *a)
{
    for (uint32_t k = 0; k < m->protocol.automata[a->process].states.count; k++) {
        const struct edge *edge = model_edge(m, a, k);
        if (edge && edge->failure)
            return true;
    }
    return false;
}

/* The cells that a condition reads, as numbers of listed variables: those of all processes it may mean. */
static void add_read(const struct protocol_model *m, const struct node *node, uint32_t variable, uint32_t listed,
                     struct lists_builder *reads)
{
    const struct listed_variable *v = &m->variables.item[listed];
    uint32_t first = node->process->first, count = (uint32_t)(node->process->index.high - node->process->index.low) + 1;
    if (v->process < first || v->process >= first + count)
        return;
    if (node->variable ? v->kind == LISTS_CELL && v->cell >= node->variable->base &&
                             v->cell < node->variable->base + node->variable->cells
                       : v->kind == LISTS_CRASHED)
        lists_add(reads, variable, listed);
}

static void find_reads(const struct protocol_model *m, const struct node *node, uint32_t variable,
                       struct lists_builder *reads)
{
    if (!node)
        return;
    for (uint32_t v = 0; node->kind == NODE_MEMBER && v < m->variables.count; v++)
        if (m->variables.item[v].kind != LISTS_CONDITION && m->variables.item[v].kind != LISTS_FAILED)
            add_read(m, node, variable, v, reads);
    find_reads(m, node->a, variable, reads);
    find_reads(m, node->b, variable, reads);
    find_reads(m, node->c, variable, reads);
}

static bool add_condition_changers(const struct protocol_model *m, const struct portolan_lists *plain,
                                   struct lists_builder *changers)
{
    struct lists_builder builder = {0};
    struct portolan_lists reads = {0};
    for (uint32_t v = 0; v < m->variables.count; v++)
        if (m->variables.item[v].kind == LISTS_CONDITION)
            find_reads(m, m->variables.item[v].condition->expression, v, &builder);
    if (!lists_finish(&builder, (uint32_t)m->variables.count, &reads))
        return false;
    for (uint32_t v = 0; v < m->variables.count; v++) {
        for_list (a, *plain, v)
            lists_add(changers, v, *a);
        for_list (read, reads, v)
            for_list (a, *plain, *read)
                lists_add(changers, v, *a);
    }
    lists_clear(&reads);
    return true;
}

static bool list_changers(struct protocol_model *m)
{
    struct lists_builder builder = {0}, changers = {0};
    struct portolan_lists plain = {0};
    for (uint32_t v = 0; v < m->variables.count; v++) {
        const struct listed_variable *variable = &m->variables.item[v];
        for (uint32_t i = 0; i < m->actions.count; i++) {
            const struct action *a = &m->actions.item[i];
            bool own = a->process == variable->process;
            if ((variable->kind == LISTS_CELL && own && is_step(a) && changes_cell(m, a, variable->cell)) ||
                (variable->kind == LISTS_CRASHED && own && a->kind == ACTION_CRASH) ||
                (variable->kind == LISTS_FAILED && ((is_step(a) && can_fail(m, a)) || may_overflow(m, a))))
                lists_add(&builder, v, i);
        }
    }
    if (!lists_finish(&builder, (uint32_t)m->variables.count, &plain))
        return false;
    bool fine = add_condition_changers(m, &plain, &changers);
    lists_clear(&plain);
    return lists_finish(&changers, (uint32_t)m->variables.count, &m->relations.changers) && fine;
}

/* ------------------------------------------------------------------------ making */

static bool finish(struct protocol_model *m, struct builders *b)
{
    struct protocol_relations *r = &m->relations;
    uint32_t actions = (uint32_t)m->actions.count;
    r->view.transitions = actions;
    r->view.guards = first_local_guard(m) + (uint32_t)b->local_process.count;
    r->local_process = b->local_process.item;
    r->local_states = b->local_states.item;
    r->local_count = b->local_states.count;
    bool fine = !b->failed;
    fine &= lists_finish(&b->guards_of, actions, &r->view.guards_of);
    fine &= lists_finish(&b->enablers, r->view.guards, &r->view.enablers);
    fine &= lists_finish(&b->disablers, r->view.guards, &r->view.disablers);
    fine &= lists_finish(&b->not_commuting, actions, &r->view.not_commuting);
    fine &= lists_finish(&b->never, actions, &r->view.never_together);
    return fine;
}

bool model_make_relations(struct protocol_model *m, bool *too_large)
{
    struct builders b = {.pairs_left = MOST_PAIRS};
    uint32_t *seen = calloc(m->protocol.messages.count + 1, sizeof *seen), stamp = 0;
    b.failed = !seen;
    for (uint32_t i = 0; i < m->protocol.process_count && !b.failed; i++)
        analyse_process(m, &b, i, seen, &stamp);
    if (!b.failed) {
        relate_needs(m, &b);
        relate_forgeries(m, &b);
        relate_full_queues(m, &b);
    }
    *too_large = b.pairs_left == 0;
    free(seen);
    return finish(m, &b) && list_changers(m);
}

bool guard_holds(const struct protocol_model *m, const uint64_t *state, uint32_t guard)
{
    uint32_t first_local = first_local_guard(m);
    if (guard == crash_guard(m))
        return !m->without_stops;
    if (guard < first_local)
        return message_is_there(m, state, guard);
    enum standing standing;
    uint32_t local = local_state(m, state, m->relations.local_process[guard - first_local], &standing);
    return standing == IS_LIVE && bit_get(m->relations.local_states[guard - first_local], local);
}

void relations_clear(struct protocol_relations *r)
{
    for (size_t i = 0; i < r->local_count; i++)
        free(r->local_states[i]);
    free(r->local_states);
    free(r->local_process);
    lists_clear(&r->view.guards_of);
    lists_clear(&r->view.enablers);
    lists_clear(&r->view.disablers);
    lists_clear(&r->view.not_commuting);
    lists_clear(&r->view.never_together);
    lists_clear(&r->changers);
}
