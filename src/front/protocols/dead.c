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
#include "front/protocols/model.h"

#include "base/lists.h"

#include <string.h>

enum { MOST_SET_WORDS = 1 << 22, WIDEST = 8, MOST_ROUNDS = 100 };

/* ------------------------------------------------------------------- positions */

/* The messages of a receiver side by side, then what is no message. */
bool model_place_messages(struct protocol_model *m)
{
    const struct protocol *p = &m->protocol;
    uint32_t messages = (uint32_t)p->messages.count;
    m->counted = calloc((size_t)messages + 1, sizeof *m->counted);
    m->count_fields = calloc((size_t)messages + 1, sizeof *m->count_fields);
    m->inboxes = calloc((size_t)p->process_count + 1, sizeof *m->inboxes);
    if (!m->counted || !m->count_fields || !m->inboxes)
        return false;
    for (uint32_t i = 0; i <= p->process_count; i++) {
        m->inboxes[i].first = m->counted_messages;
        for (uint32_t k = 0; k < messages; k++) {
            const struct message *message = &p->messages.item[k];
            bool is_last = i == p->process_count;
            if (message->queue == NO_QUEUE && (message->kind == MESSAGE_SENT ? message->to == i : is_last))
                m->counted[m->counted_messages++] = k;
        }
        m->inboxes[i].count = m->counted_messages - m->inboxes[i].first;
    }
    return true;
}

/* ------------------------------------------------------------------------ sets */

static uint32_t set_words(const struct inbox *inbox)
{
    return (inbox->count + 31) / 32;
}

/* One round, from the last local state to the first or back; true when a set has grown. */
static bool grow_sets(const struct protocol_model *m, uint32_t process, unsigned round, const uint32_t *bit_of,
                      uint32_t *sets)
{
    uint32_t states = m->protocol.automata[process].states.count, words = set_words(&m->inboxes[process]);
    bool grown = false;
    for (uint32_t i = 0; i < states; i++) {
        uint32_t s = round % 2 ? i : states - 1 - i;
        uint32_t *set = sets + (size_t)s * words;
        for_list (action, m->candidates, m->first_state[process] + s) {
            const struct action *a = &m->actions.item[*action];
            const struct edge *edge = model_edge(m, a, s);
            for (uint32_t k = 0; k < a->need_count; k++) {
                uint32_t bit = bit_of[m->needs.item[a->first_need + k]];
                grown |= !(set[bit / 32] >> bit % 32 & 1);
                set[bit / 32] |= UINT32_C(1) << bit % 32;
            }
            const uint32_t *next = sets + (size_t)edge->next * words;
            for (uint32_t w = 0; w < words && !edge->failure; w++) {
                grown |= (next[w] & ~set[w]) != 0;
                set[w] |= next[w];
            }
        }
    }
    return grown;
}

/* Equal sets are kept once; a process with too many of them keeps all its messages. */
static bool keep_sets(struct protocol_model *m, uint32_t process, const uint32_t *sets)
{
    struct inbox *inbox = &m->inboxes[process];
    uint32_t states = m->protocol.automata[process].states.count, words = set_words(inbox);
    inbox->set_of = calloc(states, sizeof *inbox->set_of);
    if (!inbox->set_of)
        return false;
    for (uint32_t s = 0; s < states; s++) {
        bool is_new;
        inbox->set_of[s] = sequence_insert(&inbox->sets, sets + (size_t)s * words, words, &is_new);
        if (inbox->set_of[s] == SEQUENCE_NONE)
            return false;
    }
    size_t wide = ((size_t)inbox->count * WIDEST + 63) / 64 + 1, masks = (size_t)inbox->sets.count + 1;
    if (masks > MOST_SET_WORDS / wide) {
        free(inbox->set_of);
        inbox->set_of = NULL;
        return true;
    }
    inbox->keep = calloc(masks * wide, sizeof *inbox->keep);
    return inbox->keep;
}

bool model_find_dead(struct protocol_model *m)
{
    const struct protocol *p = &m->protocol;
    if (p->syntax.is_lossy || p->syntax.is_fifo || p->syntax.keeps_dead)
        return true;
    uint32_t *bit_of = calloc(p->messages.count + 1, sizeof *bit_of);
    bool fine = bit_of;
    for (uint32_t i = 0; i < p->process_count && fine; i++) {
        const struct inbox *inbox = &m->inboxes[i];
        size_t words = (size_t)p->automata[i].states.count * set_words(inbox);
        if (inbox->count == 0 || words > MOST_SET_WORDS)
            continue;
        for (uint32_t k = 0; k < inbox->count; k++)
            bit_of[m->counted[inbox->first + k]] = k;
        uint32_t *sets = calloc(words, sizeof *sets);
        unsigned round = 0;
        while (sets && round < MOST_ROUNDS && grow_sets(m, i, round, bit_of, sets))
            round++;
        fine = sets && (round == MOST_ROUNDS || keep_sets(m, i, sets));
        free(sets);
    }
    free(bit_of);
    return fine;
}

/* ----------------------------------------------------------------------- masks */

/* Where the counts are, and which bits stay, with counts of the present width. */
void model_lay_out_counts(struct protocol_model *m)
{
    for (uint32_t k = 0; k < m->counted_messages; k++)
        m->count_fields[m->counted[k]] = count_field_at(m, m->width, k);
    for (uint32_t i = 0; i < m->protocol.process_count; i++) {
        struct inbox *inbox = &m->inboxes[i];
        if (!inbox->set_of)
            continue;
        const struct field *first = &m->count_fields[m->counted[inbox->first]];
        inbox->first_word = first->word;
        inbox->words = m->count_fields[m->counted[inbox->first + inbox->count - 1]].word - first->word + 1;
        size_t masks = (size_t)inbox->sets.count + 1;
        memset(inbox->keep, 0xff, masks * inbox->words * sizeof *inbox->keep);
        for (uint32_t set = 0; set < masks; set++)
            for (uint32_t k = 0; k < inbox->count; k++) {
                const struct field *field = &m->count_fields[m->counted[inbox->first + k]];
                if (!inbox_has(inbox, set, k))
                    inbox->keep[(size_t)set * inbox->words + field->word - inbox->first_word] &=
                        ~(field->mask << field->shift);
            }
    }
}

static const uint64_t *mask_of(const struct protocol_model *m, const uint64_t *state, uint32_t process)
{
    const struct inbox *inbox = &m->inboxes[process];
    enum standing standing;
    uint32_t local = local_state(m, state, process, &standing);
    uint32_t set = standing == IS_LIVE ? inbox->set_of[local] : inbox->sets.count;
    return inbox->keep + (size_t)set * inbox->words;
}

void drop_dead(const struct protocol_model *m, uint64_t *state, uint32_t process)
{
    const struct inbox *inbox = &m->inboxes[process];
    if (!inbox->set_of)
        return;
    const uint64_t *keep = mask_of(m, state, process);
    for (uint32_t w = 0; w < inbox->words; w++)
        state[inbox->first_word + w] &= keep[w];
}

bool is_dead(const struct protocol_model *m, const uint64_t *state, uint32_t message)
{
    uint32_t process = m->protocol.messages.item[message].to;
    const struct inbox *inbox = &m->inboxes[process];
    const struct field *field = &m->count_fields[message];
    return inbox->set_of && !(mask_of(m, state, process)[field->word - inbox->first_word] >> field->shift & 1);
}

void inboxes_clear(struct protocol_model *m)
{
    for (uint32_t i = 0; m->inboxes && i < m->protocol.process_count; i++) {
        free(m->inboxes[i].set_of);
        free(m->inboxes[i].keep);
        sequences_clear(&m->inboxes[i].sets);
    }
    free(m->inboxes);
    free(m->counted);
    free(m->count_fields);
}
