/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: which messages they hold, and which of them can be full when something is sent. */
#include "front/protocols/lowering.h"

enum { MOST_ROUNDS = 100 };

uint32_t sent_to(const struct lowering *l, const struct local_step *move, uint32_t queue)
{
    size_t count;
    const uint32_t *sends = sequence_get(&l->protocol.sends, move->sends, &count);
    uint32_t sent = 0;
    for (size_t i = 0; i < count; i++)
        sent += l->protocol.messages.item[sends[i]].queue == queue;
    return sent;
}

/* One round over the local states of a sender; most: what it may yet send from each, enough to say "too much". */
static bool raise_most(const struct lowering *l, uint32_t process, unsigned round, uint32_t queue, uint32_t *most)
{
    uint32_t enough = l->protocol.syntax.queue_capacity + 1, states = l->protocol.automata[process].states.count;
    bool raised = false;
    for (uint32_t i = 0; i < states; i++) {
        uint32_t s = round % 2 ? i : states - 1 - i;
        for_list (action, l->candidates, l->first_state[process] + s) {
            const struct local_step *move = move_of(l, &l->actions.item[*action], s);
            uint32_t sum = sent_to(l, move, queue) + most[move->next];
            if (sum > enough)
                sum = enough;
            raised |= sum > most[s];
            most[s] = sum > most[s] ? sum : most[s];
        }
    }
    return raised;
}

static uint32_t forged_to(const struct lowering *l, uint32_t queue)
{
    uint32_t forged = 0;
    for (uint32_t i = 0; i < l->actions.count; i++)
        forged += l->actions.item[i].kind == ACTION_FORGE &&
                  l->protocol.messages.item[l->actions.item[i].sends].queue == queue;
    return forged;
}

/* A queue cannot be full when its sender never sends more than it holds, whatever is taken from it meanwhile. */
static bool find_full(struct lowering *l)
{
    const struct protocol *p = &l->protocol;
    for (uint32_t q = 0; q < p->queue_count; q++) {
        uint32_t sender = q / p->process_count;
        uint32_t *most = calloc(p->automata[sender].states.count, sizeof *most);
        if (!most)
            return false;
        unsigned round = 0;
        while (round < MOST_ROUNDS && raise_most(l, sender, round, q, most))
            round++;
        l->queues[q].may_be_full = round == MOST_ROUNDS || most[0] + forged_to(l, q) > p->syntax.queue_capacity;
        free(most);
    }
    return true;
}

bool find_queues(struct lowering *l)
{
    const struct protocol *p = &l->protocol;
    l->queues = calloc((size_t)p->queue_count + 1, sizeof *l->queues);
    l->in_queue = calloc(p->messages.count + 1, sizeof *l->in_queue);
    if (!l->queues || !l->in_queue)
        return false;
    for (uint32_t i = 0; i < p->messages.count; i++)
        if (p->messages.item[i].queue != NO_QUEUE)
            l->in_queue[i] = ++l->queues[p->messages.item[i].queue].messages;
    return find_full(l);
}

bool may_fail(const struct lowering *l)
{
    bool may = l->protocol.failures.count;
    for (uint32_t q = 0; q < l->protocol.queue_count && !l->protocol.syntax.is_lossy; q++)
        may |= l->queues[q].may_be_full;
    return may;
}

static uint32_t taken_from(const struct lowering *l, const struct protocol_action *a, uint32_t queue)
{
    uint32_t taken = 0;
    for (uint32_t k = 0; a->kind != ACTION_KEEP && k < a->need_count; k++)
        taken += l->protocol.messages.item[l->needs.item[a->first_need + k]].queue == queue;
    return taken;
}

bool step_overflows(const void *system_model, const void *state, const struct protocol_action *a)
{
    const struct lowering *l = lowering_of(system_model);
    const struct protocol *p = &l->protocol;
    for (uint32_t q = a->process * p->process_count;
         p->syntax.is_fifo && !p->syntax.is_lossy && q < (a->process + 1) * p->process_count; q++) {
        enum standing standing;
        const struct local_step *move =
            is_step(a) ? move_of(l, a, local_state(system_model, state, a->process, &standing)) : NULL;
        uint32_t wanted = move ? sent_to(l, move, q) : a->kind == ACTION_FORGE && p->messages.item[a->sends].queue == q;
        uint32_t room = taken_from(l, a, q);
        for (uint32_t k = 0; l->queues[q].messages && k < p->syntax.queue_capacity; k++)
            room += model_cell_value(system_model, state, l->queues[q].first_cell + k) == 0;
        if (wanted > room)
            return true;
    }
    return false;
}
