/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions of a net that runs as it is: bindings, numbered as they are met.  A name may be asked for before its binding
 * is met; whoever meets it later gives it that number.
 */
#include "highlevel/engine.h"
#include "highlevel/words.h"

#include <string.h>

/* ---------------------------------------------------------------------- keys */

enum { IS_WIDE = 1, FAILS = 2, FLAGS = 2 }; /* of the first number of a key, below that of the transition */

/* The lower or upper halves of the values of what is no let. */
static bool write_halves(struct fly_engine *e, const struct binding *b, bool is_upper, bool *is_wide)
{
    const struct colour_transition *t = &e->net->transitions.item[b->transition];
    bool fine = true;
    for (size_t v = 0; v < t->variables.count; v++) {
        const struct colour_variable *variable = &t->variables.item[v];
        for (uint32_t i = 0; i < variable->colour->cells && variable->source != VARIABLE_LET && fine; i++) {
            int64_t cell = b->frame[variable->local + i];
            *is_wide = *is_wide || cell != (int32_t)cell;
            fine = vector_push(&e->key, (uint32_t)((uint64_t)cell >> (is_upper ? 32 : 0)));
        }
    }
    return fine;
}

/* The transition and the values, of which most fit 32 bits; of a binding that fails also what it takes. */
static bool write_key(struct fly_engine *e, const struct binding *b)
{
    bool is_wide = false;
    e->key.count = 0;
    bool fine = vector_push(&e->key, b->transition << FLAGS) && write_halves(e, b, false, &is_wide) &&
                (!is_wide || write_halves(e, b, true, &is_wide));
    for (uint32_t i = 0; b->failure && i < b->in_count && fine; i++)
        fine = vector_push(&e->key, b->in[i].token);
    if (fine)
        e->key.item[0] |= (is_wide ? IS_WIDE : 0) | (b->failure ? FAILS : 0);
    return fine;
}

/* The frame of an action, as binding_text wants it. */
static int64_t *frame_of_key(const struct fly_engine *e, const struct fly_action *action)
{
    size_t length;
    const uint32_t *key = sequence_get(&e->keys, action->key, &length), *cell = key + 1;
    const struct colour_transition *t = &e->net->transitions.item[action->transition];
    int64_t *frame = calloc(t->frame + 1, sizeof *frame);
    for (uint32_t upper = 0; frame && upper <= (key[0] & IS_WIDE); upper++)
        for (size_t v = 0; v < t->variables.count; v++) {
            const struct colour_variable *variable = &t->variables.item[v];
            for (uint32_t i = 0; i < variable->colour->cells && variable->source != VARIABLE_LET; i++, cell++) {
                int64_t *to = &frame[variable->local + i];
                *to = upper ? (int64_t)((uint64_t)*cell << 32 | (uint32_t)*to) : (int32_t)*cell;
            }
        }
    return frame;
}

/* --------------------------------------------------------------------- names */

static char *write_name(const struct fly_engine *e, const struct fly_action *action)
{
    int64_t *frame = frame_of_key(e, action);
    if (!frame)
        return NULL;
    struct fly_failure f = e->failures.item[action->failure];
    size_t length = binding_words(e->net, action->transition, frame, f.why, f.at, NULL, 0);
    char *name = malloc(length + 1);
    if (name)
        binding_words(e->net, action->transition, frame, f.why, f.at, name, length + 1);
    free(frame);
    return name;
}

const char *fly_action_name(struct fly_engine *e, uint32_t action)
{
    if (action >= e->actions.count)
        return NULL;
    struct fly_action *a = &e->actions.item[action];
    if (!a->name)
        a->name = write_name(e, a);
    return a->name;
}

bool fly_action_text(const struct fly_engine *e, uint32_t action, char *text, size_t size)
{
    bool is_met = action < e->actions.count && e->actions.item[action].key != NO_ACTION;
    int64_t *frame = is_met ? frame_of_key(e, &e->actions.item[action]) : NULL;
    bool says = frame && binding_description(e->net, e->actions.item[action].transition, frame, text, size);
    free(frame);
    return says;
}

static bool know_names(struct fly_engine *e)
{
    for (; e->names_known < e->actions.count; e->names_known++) {
        uint32_t number;
        const char *name = fly_action_name(e, e->names_known);
        if (!name || !names_add(&e->action_names, name, &number))
            return false;
        if (number == e->action_named.count && !vector_push(&e->action_named, e->names_known))
            return false;
    }
    return true;
}

uint32_t fly_transition_of_name(const struct fly_engine *e, const char *name)
{
    uint32_t count = (uint32_t)e->net->transitions.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct colour_transition *t = &e->net->transitions.item[i];
        size_t length = strlen(t->name);
        bool is_bare = true;
        for (size_t v = 0; v < t->variables.count; v++)
            is_bare = is_bare && t->variables.item[v].source == VARIABLE_LET;
        if (strncmp(name, t->name, length) == 0 &&
            (is_bare ? name[length] == '\0' || name[length] == ' ' : name[length] == '('))
            return i;
    }
    return count;
}

static bool await_action(struct fly_engine *e, const char *name, uint32_t *action)
{
    struct fly_action awaited = {.transition = fly_transition_of_name(e, name), .key = NO_ACTION};
    *action = (uint32_t)e->actions.count;
    if (awaited.transition == e->net->transitions.count || (e->has_priorities && !vector_push(&e->priorities, 0)) ||
        !(awaited.name = strdup(name)))
        return false;
    if (!vector_push(&e->actions, awaited)) {
        free(awaited.name);
        return false;
    }
    e->awaited++;
    return know_names(e);
}

bool fly_find_action(struct fly_engine *e, const char *name, uint32_t *action)
{
    uint32_t number;
    if (!know_names(e))
        return false;
    if (!names_find(&e->action_names, name, &number))
        return await_action(e, name, action);
    *action = e->action_named.item[number];
    return true;
}

/* ------------------------------------------------------------------- numbers */

/* The action that waits for this name, NO_ACTION when none does; false when memory is exhausted. */
static bool find_awaited(struct fly_engine *e, const struct fly_action *met, uint32_t *action)
{
    uint32_t number;
    *action = NO_ACTION;
    if (e->awaited == 0)
        return true;
    char *name = write_name(e, met);
    if (name && names_find(&e->action_names, name, &number) &&
        e->actions.item[e->action_named.item[number]].key == NO_ACTION)
        *action = e->action_named.item[number];
    bool written = name != NULL;
    free(name);
    return written;
}

/* What failed, numbered; there are as many as places in the file that can fail. */
static bool number_failure(struct fly_engine *e, const struct binding *b, uint32_t *number)
{
    struct fly_failure failure = {b->failure, b->failed_at};
    for (*number = 0; *number < e->failures.count; ++*number)
        if (e->failures.item[*number].why == failure.why && e->failures.item[*number].at == failure.at)
            return true;
    return vector_push(&e->failures, failure);
}

static uint32_t meet(struct fly_engine *e, const struct binding *b, uint32_t key)
{
    struct fly_action met = {.transition = b->transition, .key = key};
    uint32_t action;
    if ((b->failure && !number_failure(e, b, &met.failure)) || !find_awaited(e, &met, &action))
        return NO_ACTION;
    if (action != NO_ACTION) {
        met.name = e->actions.item[action].name;
        e->actions.item[action] = met;
        e->awaited--;
    } else {
        action = (uint32_t)e->actions.count;
        if ((e->has_priorities && !vector_push(&e->priorities, 0)) || !vector_push(&e->actions, met))
            return NO_ACTION;
    }
    if (e->has_priorities)
        e->priorities.item[action] = b->priority;
    return action;
}

/* Keys are numbered in the order in which they are met; the action of one that is known may still be missing, where
 * memory ran out. */
uint32_t fly_action_of(struct fly_engine *e, const struct binding *b)
{
    bool is_new;
    uint32_t next = e->keys.count;
    if (!write_key(e, b) ||
        !vector_grow((void **)&e->action_of_key, &e->action_of_key_room, (size_t)next + 1, sizeof *e->action_of_key))
        return NO_ACTION;
    uint32_t key = sequence_insert(&e->keys, e->key.item, e->key.count, &is_new);
    if (key == SEQUENCE_NONE)
        return NO_ACTION;
    if (is_new || e->action_of_key[key] == NO_ACTION)
        e->action_of_key[key] = meet(e, b, key);
    return e->action_of_key[key];
}
