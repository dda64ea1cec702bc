/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: where they are in a state, and which of them can be full when something is sent. */
#include "front/protocols/model.h"

#include "base/lists.h"

enum { MOST_ROUNDS = 100 };

bool model_make_queues(struct protocol_model *m, struct place *place)
{
    const struct protocol *p = &m->protocol;
    uint32_t capacity = p->syntax.queue_capacity;
    m->in_queue = calloc(p->messages.count + 1, sizeof *m->in_queue);
    if (!m->in_queue)
        return false;
    for (uint32_t i = 0; i < p->messages.count; i++) {
        uint32_t queue = p->messages.item[i].queue;
        if (queue == NO_QUEUE)
            continue;
        if (!vector_push(&m->queues[queue].messages, i))
            return false;
        m->in_queue[i] = (uint32_t)m->queues[queue].messages.count;
    }
    for (uint32_t q = 0; q < p->queue_count; q++) {
        struct message_queue *queue = &m->queues[q];
        if (!queue->messages.count)
            continue;
        if (!(queue->slots = calloc(capacity, sizeof *queue->slots)))
            return false;
        for (uint32_t k = 0; k < capacity; k++)
            queue->slots[k] = take_field(place, queue->messages.count + 1);
    }
    return true;
}

/* ------------------------------------------------------------------ full queues */

static uint32_t sent_to(const struct protocol_model *m, const struct edge *edge, uint32_t queue)
{
    size_t count;
    const uint32_t *sends = sequence_get(&m->protocol.sends, edge->sends, &count);
    uint32_t sent = 0;
    for (size_t i = 0; i < count; i++)
        sent += m->protocol.messages.item[sends[i]].queue == queue;
    return sent;
}

/* One round over the local states of a sender; most: what it may yet send from each, enough to say "too much". */
static bool raise_most(const struct protocol_model *m, uint32_t process, unsigned round, uint32_t queue, uint32_t *most)
{
    uint32_t enough = m->protocol.syntax.queue_capacity + 1, states = m->protocol.automata[process].states.count;
    bool raised = false;
    for (uint32_t i = 0; i < states; i++) {
        uint32_t s = round % 2 ? i : states - 1 - i;
        for_list (action, m->candidates, m->first_state[process] + s) {
            const struct edge *edge = model_edge(m, &m->actions.item[*action], s);
            uint32_t sum = sent_to(m, edge, queue) + most[edge->next];
            if (sum > enough)
                sum = enough;
            raised |= sum > most[s];
            most[s] = sum > most[s] ? sum : most[s];
        }
    }
    return raised;
}

static uint32_t forged_to(const struct protocol_model *m, uint32_t queue)
{
    uint32_t forged = 0;
    for (uint32_t i = 0; i < m->actions.count; i++)
        forged += m->actions.item[i].kind == ACTION_FORGE &&
                  m->protocol.messages.item[m->actions.item[i].sends].queue == queue;
    return forged;
}

/* A queue cannot be full when its sender never sends more than it holds, whatever is taken from it meanwhile. */
bool model_find_full_queues(struct protocol_model *m)
{
    const struct protocol *p = &m->protocol;
    m->queues = calloc((size_t)p->queue_count + 1, sizeof *m->queues);
    if (!m->queues)
        return false;
    for (uint32_t q = 0; q < p->queue_count; q++) {
        uint32_t sender = q / p->process_count;
        uint32_t *most = calloc(p->automata[sender].states.count, sizeof *most);
        if (!most)
            return false;
        unsigned round = 0;
        while (round < MOST_ROUNDS && raise_most(m, sender, round, q, most))
            round++;
        m->queues[q].may_be_full = round == MOST_ROUNDS || most[0] + forged_to(m, q) > p->syntax.queue_capacity;
        free(most);
    }
    return true;
}

bool model_may_fail(const struct protocol_model *m)
{
    bool may = m->protocol.failures.count;
    for (uint32_t q = 0; q < m->protocol.queue_count && !m->protocol.syntax.is_lossy; q++)
        may |= m->queues[q].may_be_full;
    return may;
}

bool may_send_to(const struct protocol_model *m, const struct action *a, uint32_t queue)
{
    if (a->kind == ACTION_FORGE)
        return m->protocol.messages.item[a->sends].queue == queue;
    for (uint32_t k = 0; is_step(a) && k < m->protocol.automata[a->process].states.count; k++) {
        const struct edge *edge = model_edge(m, a, k);
        if (edge && sent_to(m, edge, queue))
            return true;
    }
    return false;
}

bool takes_from(const struct protocol_model *m, const struct action *a, uint32_t queue)
{
    for (uint32_t k = 0; a->kind != ACTION_KEEP && k < a->need_count; k++)
        if (m->protocol.messages.item[m->needs.item[a->first_need + k]].queue == queue)
            return true;
    return false;
}

bool step_overflows(const struct protocol_model *m, const uint64_t *state, const struct action *a)
{
    const struct protocol *p = &m->protocol;
    for (uint32_t q = a->process * p->process_count;
         p->syntax.is_fifo && !p->syntax.is_lossy && q < (a->process + 1) * p->process_count; q++) {
        enum standing standing;
        const struct edge *edge = is_step(a) ? model_edge(m, a, local_state(m, state, a->process, &standing)) : NULL;
        uint32_t wanted = edge ? sent_to(m, edge, q) : a->kind == ACTION_FORGE && may_send_to(m, a, q);
        uint32_t room = takes_from(m, a, q);
        for (uint32_t k = 0; m->queues[q].slots && k < p->syntax.queue_capacity; k++)
            room += get(state, &m->queues[q].slots[k]) == 0;
        if (wanted > room)
            return true;
    }
    return false;
}
