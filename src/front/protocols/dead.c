/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that nobody can take any more.
 *
 * A process in local state l may yet take a message when some step that takes it has an edge in l or in a local state
 * that l leads to.  Otherwise the message is dead in l: it stays so whatever happens, since a step leads from l only to
 * where l leads.  A process that has crashed or failed takes nothing.  Dead messages are left out of states.
 *
 * That changes nothing but the number of states.  A state with dead messages and the same one without them enable the
 * same actions, and any of these leads to two states that again differ in dead messages only.  Expressions cannot see
 * messages, and what is dead enables nothing, so deadlocks and proper ends are the same; every trace is a run of the
 * protocol as written.  Where messages are lost or queued one that nobody takes still matters: it can be lost, or is
 * in the way of others.  There nothing is left out.
 */
#include "front/protocols/lowering.h"

enum { MOST_SET_WORDS = 1 << 22, MOST_ROUNDS = 100 };

static uint32_t set_words(const struct inbox *inbox)
{
    return (uint32_t)(inbox->messages.count + 31) / 32;
}

static bool fill_inboxes(struct lowering *l)
{
    const struct protocol *p = &l->protocol;
    for (uint32_t k = 0; k < p->messages.count; k++) {
        const struct message *message = &p->messages.item[k];
        if (message->kind == MESSAGE_SENT && message->queue == NO_QUEUE &&
            !vector_push(&l->inboxes[message->to].messages, k))
            return false;
    }
    return true;
}

/* One round, from the last local state to the first or back; true when a set has grown. */
static bool grow_sets(const struct lowering *l, uint32_t process, unsigned round, const uint32_t *bit_of,
                      uint32_t *sets)
{
    uint32_t states = l->protocol.automata[process].states.count, words = set_words(&l->inboxes[process]);
    bool grown = false;
    for (uint32_t i = 0; i < states; i++) {
        uint32_t s = round % 2 ? i : states - 1 - i;
        uint32_t *set = sets + (size_t)s * words;
        for_list (action, l->candidates, l->first_state[process] + s) {
            const struct protocol_action *a = &l->actions.item[*action];
            const struct local_step *move = move_of(l, a, s);
            for (uint32_t k = 0; k < a->need_count; k++) {
                uint32_t bit = bit_of[l->needs.item[a->first_need + k]];
                grown |= !(set[bit / 32] >> bit % 32 & 1);
                set[bit / 32] |= UINT32_C(1) << bit % 32;
            }
            const uint32_t *next = sets + (size_t)move->next * words;
            for (uint32_t w = 0; w < words && !move->failure; w++) {
                grown |= (next[w] & ~set[w]) != 0;
                set[w] |= next[w];
            }
        }
    }
    return grown;
}

/* Equal sets are kept once. */
static bool keep_sets(struct lowering *l, uint32_t process, const uint32_t *sets)
{
    struct inbox *inbox = &l->inboxes[process];
    uint32_t states = l->protocol.automata[process].states.count, words = set_words(inbox);
    inbox->set_of = calloc(states, sizeof *inbox->set_of);
    if (!inbox->set_of)
        return false;
    for (uint32_t s = 0; s < states; s++) {
        bool is_new;
        inbox->set_of[s] = sequence_insert(&inbox->sets, sets + (size_t)s * words, words, &is_new);
        if (inbox->set_of[s] == SEQUENCE_NONE)
            return false;
    }
    return true;
}

/* A process with too many sets keeps all its messages. */
static bool find_dead_of(struct lowering *l, uint32_t process, uint32_t *bit_of)
{
    const struct inbox *inbox = &l->inboxes[process];
    size_t words = (size_t)l->protocol.automata[process].states.count * set_words(inbox);
    if (words == 0 || words > MOST_SET_WORDS)
        return true;
    for (uint32_t k = 0; k < inbox->messages.count; k++)
        bit_of[inbox->messages.item[k]] = k;
    uint32_t *sets = calloc(words, sizeof *sets);
    unsigned round = 0;
    while (sets && round < MOST_ROUNDS && grow_sets(l, process, round, bit_of, sets))
        round++;
    bool fine = sets && (round == MOST_ROUNDS || keep_sets(l, process, sets));
    free(sets);
    return fine;
}

bool find_dead(struct lowering *l)
{
    const struct protocol *p = &l->protocol;
    l->inboxes = calloc((size_t)p->process_count + 1, sizeof *l->inboxes);
    uint32_t *bit_of = calloc(p->messages.count + 1, sizeof *bit_of);
    bool fine = l->inboxes && bit_of && fill_inboxes(l);
    bool keeps_all = p->syntax.is_lossy || p->syntax.is_fifo || p->syntax.keeps_dead;
    for (uint32_t i = 0; i < p->process_count && fine && !keeps_all; i++)
        fine = find_dead_of(l, i, bit_of);
    free(bit_of);
    return fine;
}
