/* SPDX-License-Identifier: Apache-2.0 */
#include "front/protocols/model.h"

#include "base/lists.h"
#include "front/protocols/evaluate.h"

#include <string.h>

/* --------------------------------------------------------------------- actions */

static bool add_action(struct protocol_model *m, struct action action, const uint32_t *needs, size_t count)
{
    action.first_need = (uint32_t)m->needs.count;
    action.need_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&m->needs, needs[i]))
            return false;
    return vector_push(&m->actions, action);
}

static bool add_steps(struct protocol_model *m, uint32_t process)
{
    const struct automaton *a = &m->protocol.automata[process];
    for (uint32_t c = 0; c < a->columns.count; c++) {
        size_t count;
        const uint32_t *messages = column_messages(a, &a->columns.item[c], &count);
        struct action action = {.kind = ACTION_STEP, .process = process, .column = c};
        if (!a->columns.item[c].is_used)
            continue;
        if (!add_action(m, action, messages, count))
            return false;
        action.kind = ACTION_KEEP;
        if (m->protocol.syntax.is_duplicating && count && !add_action(m, action, messages, count))
            return false;
    }
    return true;
}

static uint32_t find_sent(const struct protocol_model *m, uint32_t token)
{
    const struct protocol *p = &m->protocol;
    const struct message *t = &p->messages.item[token];
    for (uint32_t i = 0; i < p->messages.count; i++) {
        const struct message *o = &p->messages.item[i];
        if (o->kind == MESSAGE_SENT && o->type == t->type && o->from == t->from && o->to == t->to &&
            (!t->type->field_count ||
             memcmp(message_fields(p, o), message_fields(p, t), t->type->field_count * sizeof(int32_t)) == 0))
            return i;
    }
    return token; /* it is always there */
}

/* Where everybody may crash there is nothing to count. */
static bool add_crashes(struct protocol_model *m, uint32_t token)
{
    const struct crash *crash = m->protocol.syntax.crash;
    uint32_t processes = 0;
    for (const struct destination *d = crash->who; d; d = d->next)
        processes += domain_size(d->process->index);
    bool is_counted = (uint32_t)crash->most < processes;
    for (const struct destination *d = crash->who; d; d = d->next)
        for (int32_t i = d->process->index.low; i <= d->process->index.high; i++) {
            uint32_t process = d->process->first + (uint32_t)(i - d->process->index.low);
            if (!add_action(m, (struct action){.kind = ACTION_CRASH, .process = process}, &token, is_counted))
                return false;
        }
    return true;
}

static bool add_faults(struct protocol_model *m)
{
    const struct protocol *p = &m->protocol;
    for (uint32_t i = 0; i < p->messages.count; i++) {
        const struct message *message = &p->messages.item[i];
        struct action action = {.kind = ACTION_LOSE, .process = message->to};
        uint32_t first = (uint32_t)m->actions.count;
        if (message->kind == MESSAGE_SENT && p->syntax.is_lossy && !add_action(m, action, &i, 1))
            return false;
        action = (struct action){.kind = ACTION_FORGE, .process = message->from};
        if (message->kind == MESSAGE_TOKEN) {
            action.sends = find_sent(m, i);
            if (!add_action(m, action, &i, 1))
                return false;
        }
        if (message->kind == MESSAGE_CRASH && !add_crashes(m, i))
            return false;
        for (; first < m->actions.count; first++)
            if (!vector_push(&m->faults, first))
                return false;
    }
    return true;
}

/* The steps that each local state allows, so that only their messages are to be looked at. */
static bool list_candidates(struct protocol_model *m)
{
    struct lists_builder builder = {0};
    uint32_t lists = 0;
    m->first_state = calloc(m->protocol.process_count, sizeof *m->first_state);
    if (!m->first_state)
        return false;
    for (uint32_t i = 0; i < m->protocol.process_count; i++) {
        m->first_state[i] = lists;
        lists += m->protocol.automata[i].states.count;
    }
    for (uint32_t i = 0; i < m->actions.count; i++) {
        const struct action *a = &m->actions.item[i];
        for (uint32_t s = 0; is_step(a) && s < m->protocol.automata[a->process].states.count; s++)
            if (model_edge(m, a, s))
                lists_add(&builder, m->first_state[a->process] + s, i);
    }
    return lists_finish(&builder, lists, &m->candidates);
}

/* Crashes end nothing early when every end is a proper one. */
static bool list_stops(struct protocol_model *m)
{
    struct lists_builder builder = {0};
    bool has_final = false, always = true;
    for (const struct condition *c = m->protocol.syntax.conditions; c; c = c->next) {
        has_final |= c->is_final;
        always &= !c->is_final || (c->expression->kind == NODE_NUMBER && c->expression->value);
    }
    for (uint32_t i = 0; has_final && always && i < m->actions.count; i++)
        if (m->actions.item[i].kind == ACTION_CRASH)
            lists_add(&builder, 0, i);
    return lists_finish(&builder, 1, &m->stops);
}

bool model_make_actions(struct protocol_model *m)
{
    for (uint32_t i = 0; i < m->protocol.process_count; i++)
        if (!add_steps(m, i))
            return false;
    return add_faults(m) && list_candidates(m) && list_stops(m);
}

/* ---------------------------------------------------------------------- layout */

struct field take_field(struct place *place, uint64_t values)
{
    uint32_t bits = values > 1 ? 64 - (uint32_t)__builtin_clzll(values - 1) : 0;
    if (bits == 0)
        return (struct field){0};
    if (place->bit + bits > 64)
        *place = (struct place){place->word + 1, 0};
    struct field field = {place->word, place->bit, UINT64_MAX >> (64 - bits)};
    if ((place->bit += bits) == 64)
        *place = (struct place){place->word + 1, 0};
    return field;
}

bool model_make_layout(struct protocol_model *m)
{
    const struct protocol *p = &m->protocol;
    struct place place = {0};
    if (!model_find_full_queues(m))
        return false;
    m->process_field = calloc(p->process_count, sizeof *m->process_field);
    if (!m->process_field)
        return false;
    for (uint32_t i = 0; i < p->process_count; i++) {
        uint64_t standings = model_may_fail(m) || p->syntax.crash ? 3 : 1;
        m->process_field[i] = take_field(&place, p->automata[i].states.count * standings);
    }
    if (!model_make_queues(m, &place) || !model_place_messages(m) || !model_find_dead(m))
        return false;
    m->count_word = place.word + (place.bit > 0);
    m->width = 1;
    for (uint32_t i = 0; i < p->messages.count; i++)
        while (p->messages.item[i].initial >> m->width)
            m->width *= 2;
    model_lay_out_counts(m);
    return true;
}

size_t model_words(const struct protocol_model *m)
{
    size_t words = m->count_word + ((size_t)m->counted_messages * m->width + 63) / 64;
    return words ? words : 1;
}

/* ---------------------------------------------------------------------- states */

uint32_t local_state(const struct protocol_model *m, const uint64_t *state, uint32_t process, enum standing *standing)
{
    uint32_t value = (uint32_t)get(state, &m->process_field[process]);
    uint32_t count = m->protocol.automata[process].states.count;
    *standing = value < count ? IS_LIVE : value < 2 * count ? HAS_CRASHED : HAS_FAILED;
    return value - count * (uint32_t)*standing;
}

bool message_is_there(const struct protocol_model *m, const uint64_t *state, uint32_t message)
{
    if (m->in_queue[message])
        return get(state, &m->queues[m->protocol.messages.item[message].queue].slots[0]) == m->in_queue[message];
    return get(state, &m->count_fields[message]) != 0;
}

static bool needs_are_there(const struct protocol_model *m, const uint64_t *state, const struct action *a)
{
    for (uint32_t i = 0; i < a->need_count; i++)
        if (!message_is_there(m, state, m->needs.item[a->first_need + i]))
            return false;
    return true;
}

bool action_is_enabled(const struct protocol_model *m, const uint64_t *state, uint32_t action)
{
    const struct action *a = &m->actions.item[action];
    if (is_step(a) || a->kind == ACTION_CRASH) {
        enum standing standing;
        if (a->kind == ACTION_CRASH && m->without_stops)
            return false;
        uint32_t local = local_state(m, state, a->process, &standing);
        if (standing != IS_LIVE || (is_step(a) && !model_edge(m, a, local)))
            return false;
    }
    return needs_are_there(m, state, a);
}

uint32_t model_enabled(const struct protocol_model *m, const uint64_t *state, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < m->protocol.process_count; p++) {
        enum standing standing;
        uint32_t local = local_state(m, state, p, &standing);
        if (standing != IS_LIVE)
            continue;
        for_list (a, m->candidates, m->first_state[p] + local)
            if (needs_are_there(m, state, &m->actions.item[*a]))
                out[count++] = *a;
    }
    for (size_t i = 0; i < m->faults.count; i++)
        if (action_is_enabled(m, state, m->faults.item[i]))
            out[count++] = m->faults.item[i];
    return count;
}

static void take_message(const struct protocol_model *m, uint64_t *state, uint32_t message)
{
    if (!m->in_queue[message]) {
        state[m->count_fields[message].word] -= UINT64_C(1) << m->count_fields[message].shift;
        return;
    }
    const struct field *slots = m->queues[m->protocol.messages.item[message].queue].slots;
    uint32_t capacity = m->protocol.syntax.queue_capacity;
    for (uint32_t k = 0; k < capacity; k++)
        put(state, &slots[k], k + 1 < capacity ? get(state, &slots[k + 1]) : 0);
}

static enum portolan_fired put_message(const struct protocol_model *m, uint64_t *state, uint32_t message)
{
    if (!m->in_queue[message]) {
        const struct field *field = &m->count_fields[message];
        if (is_dead(m, state, message))
            return PORTOLAN_FIRED;
        if (get(state, field) == field->mask)
            return m->width < 8 ? PORTOLAN_TOO_NARROW : PORTOLAN_TOO_LARGE;
        state[field->word] += UINT64_C(1) << field->shift;
        return PORTOLAN_FIRED;
    }
    const struct field *slots = m->queues[m->protocol.messages.item[message].queue].slots;
    for (uint32_t k = 0; k < m->protocol.syntax.queue_capacity; k++)
        if (get(state, &slots[k]) == 0) {
            put(state, &slots[k], m->in_queue[message]);
            return PORTOLAN_FIRED;
        }
    /* a full queue that may lose messages loses this one */
    return m->protocol.syntax.is_lossy ? PORTOLAN_FIRED : PORTOLAN_TOO_LARGE;
}

static enum portolan_fired take_step(const struct protocol_model *m, uint64_t *state, const struct action *a)
{
    enum standing standing;
    const struct edge *edge = model_edge(m, a, local_state(m, state, a->process, &standing));
    uint32_t states = m->protocol.automata[a->process].states.count;
    size_t count;
    const uint32_t *sends = sequence_get(&m->protocol.sends, edge->sends, &count);
    put(state, &m->process_field[a->process], edge->next + (edge->failure ? HAS_FAILED * (uint64_t)states : 0));
    drop_dead(m, state, a->process);
    for (size_t i = 0; i < count; i++) {
        enum portolan_fired fired = put_message(m, state, sends[i]);
        if (fired != PORTOLAN_FIRED)
            return fired;
    }
    return PORTOLAN_FIRED;
}

static void take_needs(const struct protocol_model *m, const struct action *a, uint64_t *state)
{
    for (uint32_t i = 0; a->kind != ACTION_KEEP && i < a->need_count; i++)
        take_message(m, state, m->needs.item[a->first_need + i]);
}

static void stop(const struct protocol_model *m, uint64_t *state, uint32_t process, enum standing why)
{
    enum standing standing;
    uint32_t local = local_state(m, state, process, &standing);
    if (standing == IS_LIVE)
        put(state, &m->process_field[process], local + (uint64_t)why * m->protocol.automata[process].states.count);
}

enum portolan_fired model_fire(const struct protocol_model *m, const uint64_t *state, uint32_t action,
                               uint64_t *successor)
{
    const struct action *a = &m->actions.item[action];
    enum portolan_fired fired = PORTOLAN_FIRED;
    memcpy(successor, state, model_words(m) * sizeof *state);
    take_needs(m, a, successor);
    switch (a->kind) {
    case ACTION_STEP:
    case ACTION_KEEP: fired = take_step(m, successor, a); break;
    case ACTION_FORGE: fired = put_message(m, successor, a->sends); break;
    case ACTION_CRASH:
        stop(m, successor, a->process, HAS_CRASHED);
        drop_dead(m, successor, a->process);
        break;
    case ACTION_LOSE: break;
    }
    if (fired == PORTOLAN_TOO_LARGE && m->protocol.syntax.is_fifo) { /* a queue is full: the step fails */
        memcpy(successor, state, model_words(m) * sizeof *state);
        take_needs(m, a, successor);
        stop(m, successor, a->process, HAS_FAILED);
        fired = PORTOLAN_FIRED;
    }
    return fired;
}

void model_initial(const struct protocol_model *m, uint64_t *state)
{
    memset(state, 0, model_words(m) * sizeof *state); /* every process is in its local state 0 */
    for (uint32_t i = 0; i < m->counted_messages; i++)
        put(state, &m->count_fields[m->counted[i]], m->protocol.messages.item[m->counted[i]].initial);
}

void model_convert(const struct protocol_model *m, const uint64_t *old_state, uint64_t *new_state)
{
    memset(new_state, 0, model_words(m) * sizeof *new_state);
    memcpy(new_state, old_state, m->count_word * sizeof *new_state);
    for (uint32_t i = 0; i < m->counted_messages; i++) {
        struct field from = count_field_at(m, m->old_width, i), to = count_field_at(m, m->width, i);
        put(new_state, &to, get(old_state, &from));
    }
}

void model_clear(struct protocol_model *m)
{
    for (uint32_t q = 0; m->queues && q < m->protocol.queue_count; q++) {
        free(m->queues[q].messages.item);
        free(m->queues[q].slots);
    }
    for (size_t i = 0; m->stated_texts && i < 2 * m->stated.count; i++)
        free(m->stated_texts[i]);
    relations_clear(&m->relations);
    inboxes_clear(m);
    action_footprint_clear(&m->footprint);
    protocol_clear(&m->protocol);
    lists_clear(&m->candidates);
    lists_clear(&m->stops);
    names_clear(&m->action_names);
    names_clear(&m->variable_names);
    free(m->name);
    free(m->actions.item);
    free(m->needs.item);
    free(m->process_field);
    free(m->queues);
    free(m->in_queue);
    free(m->first_state);
    free(m->faults.item);
    free(m->variables.item);
    free(m->stated.item);
    free(m->stated_texts);
    free(m);
}
