/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/engine.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "highlevel/words.h"

#include <string.h>

/* Rows are only a memory of what was found: when they have so many words, all are forgotten. */
enum { MOST_ROW_WORDS = 1 << 26 };

void fly_lock(const struct fly_engine *engine)
{
    pthread_mutex_lock(&((struct fly_engine *)engine)->lock);
}

void fly_unlock(const struct fly_engine *engine)
{
    pthread_mutex_unlock(&((struct fly_engine *)engine)->lock);
}

/* ------------------------------------------------------------------- changes */

uint32_t fly_changed(struct fly_engine *e, uint32_t place, uint32_t marking, uint32_t change)
{
    const uint32_t key[] = {marking, change};
    const uint32_t *found = memo_find(&e->changed[place], key);
    if (found)
        return *found;
    size_t length;
    const uint32_t *pairs = sequence_get(&e->changes[place], change, &length);
    uint32_t after = marking_change(&e->markings, place, marking, NULL, 0, (const struct token_count *)pairs,
                                    (uint32_t)(length / 2));
    return after != NO_MARKING && memo_add(&e->changed[place], key, &after, 1) ? after : NO_MARKING;
}

/* What a binding adds to a place. */
static uint32_t change_of(struct fly_engine *e, uint32_t place, const struct token_count *out, uint32_t count)
{
    bool is_new;
    e->key.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (token_place(e->tokens, out[i].token) == place &&
            (!vector_push(&e->key, out[i].token) || !vector_push(&e->key, out[i].count)))
            return SEQUENCE_NONE;
    return sequence_insert(&e->changes[place], e->key.item, e->key.count, &is_new);
}

uint32_t fly_after_error(struct fly_engine *e)
{
    const struct token_count one = {e->error_token, 1};
    return marking_change(&e->markings, e->error_place, e->present[e->error_place], NULL, 0, &one, 1);
}

/* ---------------------------------------------------------------------- rows */

/* Copies of the tokens in the places that a transition reads: while bindings are found, markings are made. */
static bool copy_tokens(struct fly_engine *e, const struct fly_transition *t)
{
    e->here.count = 0;
    for (uint32_t i = 0; i < t->reads; i++) {
        uint32_t count;
        const uint32_t *tokens = marking_tokens(&e->markings, t->read[i], e->present[t->read[i]], &count);
        if (!vector_reserve(&e->here, count + 1)) /* an array even for none */
            return false;
        e->here_first[t->read[i]] = e->here.count;
        if (count > 0)
            memcpy(e->here.item + e->here.count, tokens, count * sizeof *tokens);
        e->here.count += count;
    }
    return true;
}

static const uint32_t *tokens_here(const void *user, uint32_t place, uint32_t *count)
{
    const struct fly_engine *e = user;
    marking_tokens(&e->markings, place, e->present[place], count);
    return e->here.item + e->here_first[place];
}

static uint32_t most_of(const void *user, uint32_t token)
{
    const struct fly_engine *e = user;
    uint32_t place = token_place(e->tokens, token);
    return marking_count(&e->markings, place, e->present[place], token);
}

static bool is_inhibited(const struct fly_engine *e, const struct binding *binding)
{
    for (uint32_t i = 0; i < binding->inhibit_count; i++)
        if (most_of(e, binding->inhibit[i].token) >= binding->inhibit[i].count)
            return true;
    return false;
}

/* One binding more of the row that is being made. */
static bool add_to_row(void *user, const struct binding *b)
{
    struct fly_engine *e = user;
    const struct fly_transition *t = &e->transitions[b->transition];
    if (is_inhibited(e, b))
        return true;
    uint32_t action = fly_action_of(e, b);
    bool fine = action != NO_ACTION && vector_push(&e->row, action);
    for (uint32_t i = 0; i < t->reads && fine; i++) {
        uint32_t place = t->read[i];
        uint32_t after =
            marking_change(&e->markings, place, e->present[place], b->in, b->in_count, b->out, b->out_count);
        fine = after != NO_MARKING && vector_push(&e->row, after);
    }
    for (uint32_t i = 0; i < t->writes && fine; i++) {
        uint32_t change = change_of(e, t->written[i], b->out, b->out_count);
        fine = change != SEQUENCE_NONE && vector_push(&e->row, change);
    }
    e->row.item[0] += fine;
    return fine;
}

static const uint32_t *make_row(struct fly_engine *e, uint32_t transition)
{
    struct fly_transition *t = &e->transitions[transition];
    const struct token_source source = {e, tokens_here, most_of};
    e->row.count = 0;
    if (!copy_tokens(e, t) || !vector_push(&e->row, 0) ||
        !find_bindings(e->binder, transition, &source, UINT32_MAX, add_to_row, e))
        return NULL;
    e->row_words += t->reads + e->row.count;
    return memo_add(&t->rows, e->read, e->row.item, e->row.count);
}

static void read_key(struct fly_engine *e, const struct fly_transition *t)
{
    for (uint32_t i = 0; i < t->reads; i++)
        e->read[i] = e->present[t->read[i]];
}

/* NULL when memory is exhausted. */
static const uint32_t *row_of(struct fly_engine *e, uint32_t transition)
{
    struct fly_transition *t = &e->transitions[transition];
    if (t->round == e->round)
        return t->rows.items.item + t->row;
    read_key(e, t);
    const uint32_t *row = memo_find(&t->rows, e->read);
    if (!row && !(row = make_row(e, transition)))
        return NULL;
    t->round = e->round;
    t->row = (size_t)(row - t->rows.items.item);
    return row;
}

/* A place became empty, or is not empty any more: who needs it lacks one place more, or one less. */
void fly_turn(struct fly_engine *e, uint32_t place)
{
    bool empty = e->present[place] == 0;
    for (uint32_t i = e->needed_first[place]; i < e->needed_first[place + 1]; i++) {
        uint32_t t = e->needed_by[i];
        e->transitions[t].missing += empty ? 1 : UINT32_MAX;
        if (e->transitions[t].missing == 0)
            bit_set(e->ready, t);
        else
            bit_clear(e->ready, t);
    }
}

static void forget_rows(struct fly_engine *e)
{
    for (size_t i = 0; i < e->net->transitions.count; i++)
        memo_clear(&e->transitions[i].rows);
    e->row_words = 0;
    e->round++;
}

bool fly_enabled_by(struct fly_engine *e, uint32_t transition)
{
    const struct fly_transition *t = &e->transitions[transition];
    if (t->missing)
        return true;
    const uint32_t *row = row_of(e, transition);
    if (!row || !vector_reserve(&e->enabled, *row + 1))
        return false;
    for (uint32_t i = 0, at = 1; i < *row; i++, at += 1 + t->reads + t->writes)
        e->enabled.item[e->enabled.count++] = row[at];
    return true;
}

/* Only those of the highest priority fire. */
static void keep_highest(struct fly_engine *e)
{
    int64_t highest = INT64_MIN;
    size_t kept = 0;
    for (size_t i = 0; i < e->enabled.count; i++)
        if (e->priorities.item[e->enabled.item[i]] > highest)
            highest = e->priorities.item[e->enabled.item[i]];
    for (size_t i = 0; i < e->enabled.count; i++)
        if (e->priorities.item[e->enabled.item[i]] == highest)
            e->enabled.item[kept++] = e->enabled.item[i];
    e->enabled.count = kept;
}

bool fly_enabled(struct fly_engine *e)
{
    bool fine = true;
    uint32_t t;
    e->enabled.count = 0;
    if (e->row_words > MOST_ROW_WORDS)
        forget_rows(e);
    for (size_t w = 0; w < bit_words((uint32_t)e->net->transitions.count); w++)
        for_bits(t, e->ready[w], w) fine = fine && fly_enabled_by(e, t);
    if (e->has_priorities)
        keep_highest(e);
    return fine;
}

const uint32_t *fly_effect(struct fly_engine *e, uint32_t action)
{
    uint32_t transition = e->actions.item[action].transition;
    if (transition == e->net->transitions.count)
        return NULL;
    const struct fly_transition *t = &e->transitions[transition];
    const uint32_t *row = row_of(e, transition);
    for (uint32_t i = 0, at = 1; row && i < *row; i++, at += 1 + t->reads + t->writes)
        if (row[at] == action)
            return row + at + 1;
    return NULL;
}

/* ------------------------------------------------------------------ building */

static bool has(const uint32_t *places, uint32_t count, uint32_t place)
{
    for (uint32_t i = 0; i < count; i++)
        if (places[i] == place)
            return true;
    return false;
}

static uint32_t count_arcs(const struct colour_arc *arc)
{
    uint32_t count = 0;
    for (; arc; arc = arc->next)
        count++;
    return count;
}

/* Does the label take a token whatever the binding is? */
static bool always_takes(const struct arc_term *label)
{
    bool takes = false;
    for (const struct arc_term *term = label; term; term = term->next) {
        if (term->is_subtracted)
            return false;
        takes = takes || (!term->iterators && !term->condition && !term->multiplicity);
    }
    return takes;
}

static bool make_transition(struct fly_engine *e, uint32_t number)
{
    const struct colour_transition *from = &e->net->transitions.item[number];
    struct fly_transition *t = &e->transitions[number];
    uint32_t most = count_arcs(from->in) + count_arcs(from->out) + count_arcs(from->inhibit) + 1;
    uint32_t *read = arena_get(e->net->arena, most * sizeof *read);
    uint32_t *written = arena_get(e->net->arena, most * sizeof *written);
    uint32_t *needed = arena_get(e->net->arena, most * sizeof *needed);
    if (!read || !written || !needed)
        return false;
    for (const struct colour_arc *arc = from->in; arc; arc = arc->next) {
        if (!has(read, t->reads, arc->place))
            read[t->reads++] = arc->place;
        if (always_takes(arc->label) && !has(needed, t->needs, arc->place))
            needed[t->needs++] = arc->place;
    }
    for (const struct colour_arc *arc = from->inhibit; arc; arc = arc->next)
        if (!has(read, t->reads, arc->place))
            read[t->reads++] = arc->place;
    for (const struct colour_arc *arc = from->out; arc; arc = arc->next)
        if (!has(read, t->reads, arc->place) && !has(written, t->writes, arc->place))
            written[t->writes++] = arc->place;
    t->read = read;
    t->written = written;
    t->needed = needed;
    t->missing = t->needs; /* at first everything is empty */
    t->rows.key = t->reads;
    e->has_priorities |= from->priority != NULL;
    return true;
}

/* Who needs which place, and who needs none. */
static bool list_needs(struct fly_engine *e)
{
    uint32_t transitions = (uint32_t)e->net->transitions.count, all = 0;
    e->needed_first = calloc((size_t)e->places + 2, sizeof *e->needed_first);
    e->ready = calloc(bit_words(transitions) + 1, sizeof *e->ready);
    for (uint32_t t = 0; e->needed_first && t < transitions; t++)
        for (uint32_t i = 0; i < e->transitions[t].needs; i++, all++)
            e->needed_first[e->transitions[t].needed[i] + 2]++;
    e->needed_by = calloc((size_t)all + 1, sizeof *e->needed_by);
    if (!e->needed_first || !e->ready || !e->needed_by)
        return false;
    for (uint32_t p = 0; p < e->places; p++)
        e->needed_first[p + 2] += e->needed_first[p + 1];
    for (uint32_t t = 0; t < transitions; t++) {
        for (uint32_t i = 0; i < e->transitions[t].needs; i++)
            e->needed_by[e->needed_first[e->transitions[t].needed[i] + 1]++] = t;
        if (e->transitions[t].needs == 0)
            bit_set(e->ready, t);
    }
    return true;
}

/* A binding that cannot be evaluated puts a token there. */
static bool add_error_place(struct fly_engine *e)
{
    static const struct colour_type nothing = {.kind = COLOUR_STRUCT, .name = "epsilon", .root = &nothing};
    struct colour_place place = {.name = error_name(e->net), .tuple = &nothing};
    e->error_is_absent = error_is_absent(e->net);
    e->error_place = (uint32_t)e->net->places.count;
    e->places = e->error_place + 1;
    return arena_push(e->net->arena, &e->net->places, place);
}

static bool make_places(struct fly_engine *e)
{
    e->changes = calloc(e->places, sizeof *e->changes);
    e->changed = calloc(e->places, sizeof *e->changed);
    e->initial = calloc(e->places, sizeof *e->initial);
    e->present = calloc(e->places, sizeof *e->present);
    e->read = calloc(e->places, sizeof *e->read);
    e->here_first = calloc(e->places, sizeof *e->here_first);
    e->transitions = calloc(e->net->transitions.count + 1, sizeof *e->transitions);
    if (!e->changes || !e->changed || !e->initial || !e->present || !e->read || !e->here_first || !e->transitions)
        return false;
    for (uint32_t i = 0; i < e->places; i++)
        e->changed[i].key = 2;
    for (uint32_t i = 0; i < e->net->transitions.count; i++)
        if (!make_transition(e, i))
            return false;
    return list_needs(e) && (e->tokens = tokens_new(e->net)) && markings_make(&e->markings, e->tokens, e->places) &&
           (e->error_token = token_number(e->tokens, e->error_place, &(int64_t){0})) != UINT32_MAX;
}

static enum portolan_status make_initial(struct fly_engine *e, struct portolan_error *error)
{
    const struct token_count *initial;
    uint32_t count;
    if (!initial_tokens(e->binder, &initial, &count, error))
        return error && error->status ? error->status : PORTOLAN_NO_MEMORY;
    for (uint32_t i = 0; i < e->places; i++) {
        e->initial[i] = marking_change(&e->markings, i, 0, NULL, 0, initial, count);
        if (e->initial[i] == TOO_MANY_TOKENS)
            return fail(error, PORTOLAN_OVERFLOW, "place '%s' has too many tokens", e->net->places.item[i].name);
        if (e->initial[i] == NO_MARKING)
            return fail_memory(error);
    }
    return PORTOLAN_OK;
}

enum portolan_status fly_engine_make(struct fly_engine *e, struct colour_net *net, struct portolan_error *error)
{
    struct portolan_error own = {0};
    *e = (struct fly_engine){.net = net, .round = 1};
    pthread_mutex_init(&e->lock, NULL);
    if (!vector_push(&e->failures, (struct fly_failure){0}) || !add_error_place(e) || !make_places(e))
        return fail_memory(error);
    if (!error)
        error = &own;
    if (!(e->binder = binder_new(net, e->tokens, error)))
        return error->status ? error->status : fail_memory(error);
    enum portolan_status status = make_initial(e, error);
    if (status == PORTOLAN_OK && !fly_name_variables(e, error))
        status = error->status ? error->status : fail_memory(error);
    return status;
}

void fly_engine_clear(struct fly_engine *e)
{
    for (uint32_t i = 0; i < e->places; i++) {
        if (e->changes)
            sequences_clear(&e->changes[i]);
        if (e->changed)
            memo_clear(&e->changed[i]);
    }
    for (size_t i = 0; e->transitions && i < e->net->transitions.count; i++)
        memo_clear(&e->transitions[i].rows);
    for (size_t i = 0; i < e->actions.count; i++)
        free(e->actions.item[i].name);
    fly_clear_variables(e);
    names_clear(&e->action_names);
    sequences_clear(&e->keys);
    markings_clear(&e->markings);
    binder_free(e->binder);
    tokens_free(e->tokens);
    void *all[] = {
        e->changes,      e->changed,       e->initial,         e->present,       e->read,         e->transitions,
        e->actions.item, e->failures.item, e->priorities.item, e->action_of_key, e->enabled.item, e->action_named.item,
        e->row.item,     e->key.item,      e->here.item,       e->here_first,    e->ready,        e->needed_first,
        e->needed_by};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    colour_net_free(e->net);
    pthread_mutex_destroy(&e->lock);
}
