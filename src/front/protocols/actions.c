/* SPDX-License-Identifier: Apache-2.0 */
/* What can happen in a protocol: steps, and faults. */
#include "front/protocols/lowering.h"

#include "base/limits.h"
#include "front/protocols/evaluate.h"

#include <string.h>

static bool add_action(struct lowering *l, struct protocol_action action, const uint32_t *needs, size_t count)
{
    action.first_need = (uint32_t)l->needs.count;
    action.need_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&l->needs, needs[i]))
            return false;
    return vector_push(&l->actions, action);
}

static bool add_steps(struct lowering *l, uint32_t process)
{
    const struct automaton *a = &l->protocol.automata[process];
    for (uint32_t c = 0; c < a->columns.count; c++) {
        size_t count;
        const uint32_t *messages = column_messages(a, &a->columns.item[c], &count);
        struct protocol_action action = {.kind = ACTION_STEP, .process = process, .column = c};
        if (!a->columns.item[c].is_used)
            continue;
        if (!add_action(l, action, messages, count))
            return false;
        action.kind = ACTION_KEEP;
        if (l->protocol.syntax.is_duplicating && count && !add_action(l, action, messages, count))
            return false;
    }
    return true;
}

static uint32_t find_sent(const struct lowering *l, uint32_t token)
{
    const struct protocol *p = &l->protocol;
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
static bool add_crashes(struct lowering *l, uint32_t token)
{
    const struct crash *crash = l->protocol.syntax.crash;
    uint32_t processes = 0;
    for (const struct destination *d = crash->who; d; d = d->next)
        processes += domain_size(d->process->index);
    bool is_counted = (uint32_t)crash->most < processes;
    for (const struct destination *d = crash->who; d; d = d->next)
        for (int32_t i = d->process->index.low; i <= d->process->index.high; i++) {
            uint32_t process = d->process->first + (uint32_t)(i - d->process->index.low);
            if (!add_action(l, (struct protocol_action){.kind = ACTION_CRASH, .process = process}, &token, is_counted))
                return false;
        }
    return true;
}

static bool add_faults(struct lowering *l)
{
    const struct protocol *p = &l->protocol;
    for (uint32_t i = 0; i < p->messages.count; i++) {
        const struct message *message = &p->messages.item[i];
        struct protocol_action action = {.kind = ACTION_LOSE, .process = message->to};
        if (message->kind == MESSAGE_SENT && p->syntax.is_lossy && !add_action(l, action, &i, 1))
            return false;
        action = (struct protocol_action){.kind = ACTION_FORGE, .process = message->from};
        if (message->kind == MESSAGE_TOKEN) {
            action.sends = find_sent(l, i);
            if (!add_action(l, action, &i, 1))
                return false;
        }
        if (message->kind == MESSAGE_CRASH && !add_crashes(l, i))
            return false;
    }
    return true;
}

/* The steps that each local state allows, so that only their messages are to be looked at. */
static bool list_candidates(struct lowering *l)
{
    struct lists_builder builder = {0};
    uint32_t lists = 0;
    l->first_state = calloc(l->protocol.process_count, sizeof *l->first_state);
    if (!l->first_state)
        return false;
    for (uint32_t i = 0; i < l->protocol.process_count; i++) {
        l->first_state[i] = lists;
        lists += l->protocol.automata[i].states.count;
    }
    for (uint32_t i = 0; i < l->actions.count && !limits_reached(); i++) {
        const struct protocol_action *a = &l->actions.item[i];
        for (uint32_t s = 0; is_step(a) && s < l->protocol.automata[a->process].states.count; s++)
            if (move_of(l, a, s))
                lists_add(&builder, l->first_state[a->process] + s, i);
    }
    return lists_finish(&builder, lists, &l->candidates);
}

bool list_actions(struct lowering *l)
{
    for (uint32_t i = 0; i < l->protocol.process_count; i++)
        if (!add_steps(l, i))
            return false;
    return add_faults(l) && list_candidates(l);
}
