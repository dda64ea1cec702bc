/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States on their way to the ranks that own them, many in a message.  Who owns a state is decided by what it is in the
 * opened system, which is the same everywhere; but it is sent as it is stored, packed.  Layouts of ranks are the same
 * at first and nearly always.  A rank that has made its own wider tells everybody before the next state, and they
 * follow.
 */
#include "distributed/ranks.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { STATES, ANSWERS, LAYOUT, KIND_BYTES = 4, WIDTH_BYTES = 8, TOGETHER = 16 };

/* How the states of another rank look. */
struct peer {
    unsigned char *description;
    uint64_t key_bytes;
    bool is_same; /* as those of this rank */
};

void out_of_memory(struct levels *l)
{
    l->dropped = true;
    if (!search_of(l)->ended)
        end_search(search_of(l), limits_stop_or_memory());
}

uint32_t owner_of(const struct levels *l, const unsigned char *wire)
{
    return (uint32_t)((uint64_t)(uint32_t)store_hash(wire, l->wire_bytes) * l->transport->ranks >> 32);
}

void to_wire(const struct levels *l, const void *state, unsigned char *wire)
{
    const struct portolan_system *system = l->x->system;
    if (system->opened)
        system->open_state(system->model, state, wire);
    else
        memcpy(wire, state, l->wire_bytes);
}

bool keep_packed(struct levels *l, const void *state, uint64_t hash, uint32_t *number)
{
    *number = store_insert(&search_of(l)->store, state, hash);
    if (*number == STORE_NONE)
        out_of_memory(l);
    return *number != STORE_NONE;
}

bool keep_opened(struct levels *l, const unsigned char *wire, uint32_t *number)
{
    struct explorer *x = l->x;
    const struct portolan_system *system = x->system;
    const unsigned char *state = wire;
    if (system->opened) {
        while (system->close_state(system->model, wire, x->now.bytes) != PORTOLAN_FIRED)
            if (!widen_states(x)) {
                l->dropped = true;
                return false;
            }
        state = x->now.bytes;
    }
    return keep_packed(l, state, store_hash(state, system->key_bytes), number);
}

/* ------------------------------------------------------------------------- layouts */

static size_t description_bytes(const struct levels *l)
{
    const struct portolan_system *system = l->x->system;
    return system->opened ? system->describe_layout(system->model, NULL) : 0;
}

static void compare_layouts(struct levels *l)
{
    for (uint32_t i = 0; i < l->transport->ranks; i++)
        l->peer[i].is_same =
            l->peer[i].key_bytes == l->x->system->key_bytes &&
            memcmp(l->peer[i].description, l->layout_message + KIND_BYTES + WIDTH_BYTES, l->description_bytes) == 0;
}

static void describe_own(struct levels *l)
{
    const struct portolan_system *system = l->x->system;
    uint32_t kind = LAYOUT;
    uint64_t key_bytes = system->key_bytes;
    memcpy(l->layout_message, &kind, KIND_BYTES);
    memcpy(l->layout_message + KIND_BYTES, &key_bytes, WIDTH_BYTES);
    if (l->description_bytes)
        system->describe_layout(system->model, l->layout_message + KIND_BYTES + WIDTH_BYTES);
    l->layout = search_of(l)->layout;
}

/* Has this rank's own become wider? */
static void look_at_layout(struct levels *l)
{
    if (l->layout == search_of(l)->layout)
        return;
    describe_own(l);
    compare_layouts(l);
}

bool mail_make(struct levels *l)
{
    uint32_t ranks = l->transport->ranks;
    size_t size = l->description_bytes = description_bytes(l);
    l->batch = calloc(ranks, sizeof *l->batch);
    l->peer = calloc(ranks, sizeof *l->peer);
    l->layout_message = calloc(1, KIND_BYTES + WIDTH_BYTES + size);
    l->packed = calloc(1, l->wire->state_bytes + 1);
    bool fine = l->batch && l->peer && l->layout_message && l->packed;
    for (uint32_t i = 0; fine && i < ranks; i++)
        fine = (l->batch[i].bytes = malloc(BATCH)) && (l->peer[i].description = malloc(size + 1));
    if (!fine)
        return false;
    describe_own(l);
    for (uint32_t i = 0; i < ranks; i++) {
        l->peer[i].key_bytes = l->x->system->key_bytes;
        memcpy(l->peer[i].description, l->layout_message + KIND_BYTES + WIDTH_BYTES, size);
    }
    compare_layouts(l);
    return KIND_BYTES + HEAD + l->wire->state_bytes <= BATCH;
}

void mail_clear(struct levels *l)
{
    for (uint32_t i = 0; i < l->transport->ranks; i++) {
        if (l->batch)
            free(l->batch[i].bytes);
        if (l->peer)
            free(l->peer[i].description);
    }
    free(l->batch);
    free(l->peer);
    free(l->layout_message);
    free(l->packed);
    free(l->answers_to_send.item);
}

size_t mail_bytes(const struct levels *l)
{
    return (size_t)l->transport->ranks * (BATCH + l->description_bytes) +
           l->answers_to_send.capacity * sizeof *l->answers_to_send.item;
}

/* ------------------------------------------------------------------------- sending */

static void flush(struct levels *l, uint32_t to)
{
    struct batch *batch = &l->batch[to];
    if (batch->count && !l->transport->send(l->transport, to, batch->bytes, batch->count))
        out_of_memory(l);
    batch->count = 0;
}

/* What was posted is of the old layout. */
static void tell_layout(struct levels *l)
{
    l->told = l->layout;
    for (uint32_t to = 0; to < l->transport->ranks; to++) {
        flush(l, to);
        if (to != l->transport->rank &&
            !l->transport->send(l->transport, to, l->layout_message, KIND_BYTES + WIDTH_BYTES + l->description_bytes))
            out_of_memory(l);
    }
}

static void post(struct levels *l, uint32_t kind, uint32_t to, uint32_t head, const void *bytes, size_t count)
{
    struct batch *batch = &l->batch[to];
    size_t head_bytes = l->asks ? HEAD : 0;
    if (batch->count + head_bytes + count > BATCH)
        flush(l, to);
    if (!batch->count) {
        memcpy(batch->bytes, &kind, KIND_BYTES);
        batch->count = KIND_BYTES;
    }
    memcpy(batch->bytes + batch->count, &head, head_bytes);
    memcpy(batch->bytes + batch->count + head_bytes, bytes, count);
    batch->count += head_bytes + count;
}

void post_state(struct levels *l, uint32_t to, uint32_t head, const void *state)
{
    look_at_layout(l);
    if (l->told != l->layout)
        tell_layout(l);
    post(l, STATES, to, head, state, l->x->system->key_bytes);
}

void send_answers(struct levels *l)
{
    for (size_t i = 0; i < l->answers_to_send.count; i++) {
        const struct answer *answer = &l->answers_to_send.item[i];
        post(l, ANSWERS, answer->to, answer->who, &answer->later, 1);
    }
    l->answers_to_send.count = 0;
    end_round(l);
}

/* ------------------------------------------------------------------------- receiving */

void take_answer(struct levels *l, uint32_t who, bool later)
{
    if (who < l->waiting.count)
        l->waiting.item[who].later += later;
}

/* Somebody asks whether a successor lies in the next level; the answer goes back in the next round. */
static void note_question(struct levels *l, uint32_t from, const unsigned char *entry, bool later)
{
    uint32_t head = 0;
    if (l->asks)
        memcpy(&head, entry, HEAD);
    if (head && !vector_push(&l->answers_to_send, ((struct answer){.to = from, .who = head - 1, .later = later})))
        out_of_memory(l);
}

/* Some states of this rank's own layout: looking them up together hides the way to memory. */
static void take_same(struct levels *l, uint32_t from, const unsigned char *entry, size_t count)
{
    struct store *store = &search_of(l)->store;
    size_t head = l->asks ? HEAD : 0, key_bytes = store->key_bytes, size = head + key_bytes;
    uint64_t hash[TOGETHER];
    for (size_t i = 0; i < count; i++) {
        hash[i] = store_hash(entry + i * size + head, key_bytes);
        store_prefetch(store, hash[i]);
    }
    for (size_t i = 0; i < count; i++)
        (void)store_guess(store, hash[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        bool kept = keep_packed(l, entry + i * size + head, hash[i], &number);
        note_question(l, from, entry + i * size, kept && number >= l->next_level);
    }
}

static void take_other(struct levels *l, uint32_t from, const unsigned char *entry)
{
    const struct portolan_system *system = l->x->system;
    const struct peer *peer = &l->peer[from];
    uint32_t number = 0;
    memcpy(l->packed, entry + (l->asks ? HEAD : 0), peer->key_bytes);
    bool kept = system->open_described(system->model, peer->description, l->packed, l->scratch) &&
                keep_opened(l, l->scratch, &number);
    l->dropped |= !kept;
    note_question(l, from, entry, kept && number >= l->next_level);
}

static void take_states(struct levels *l, uint32_t from, const unsigned char *bytes, size_t count)
{
    size_t size = (l->asks ? HEAD : 0) + l->peer[from].key_bytes;
    for (size_t left = count / size; left;) {
        size_t some = left < TOGETHER ? left : TOGETHER;
        look_at_layout(l);
        if (l->peer[from].is_same)
            take_same(l, from, bytes, some);
        else
            take_other(l, from, bytes), some = 1;
        bytes += some * size;
        left -= some;
    }
}

/* Fields become as wide as another rank has them, so that layouts are the same again: by states with the smallest and
 * the largest of its values. */
static void widen_like(struct levels *l, const struct peer *peer)
{
    struct explorer *x = l->x;
    const struct portolan_system *system = x->system;
    bool fine = true;
    for (int corner = 0; fine && corner < 2; corner++) {
        memset(l->packed, corner ? 0xff : 0, l->wire->state_bytes);
        bool has_corner = system->open_described(system->model, peer->description, l->packed, l->scratch);
        while (has_corner && fine && system->close_state(system->model, l->scratch, x->now.bytes) != PORTOLAN_FIRED)
            fine = widen_states(x);
    }
    l->dropped |= !fine;
    memset(l->packed, 0, l->wire->state_bytes);
}

static void take_layout(struct levels *l, uint32_t from, const unsigned char *bytes)
{
    memcpy(&l->peer[from].key_bytes, bytes, WIDTH_BYTES);
    memcpy(l->peer[from].description, bytes + WIDTH_BYTES, l->description_bytes);
    widen_like(l, &l->peer[from]);
    look_at_layout(l);
    compare_layouts(l);
}

static void take_message(struct levels *l, uint32_t from, const unsigned char *bytes, size_t count)
{
    uint32_t kind, head;
    memcpy(&kind, bytes, KIND_BYTES);
    bytes += KIND_BYTES;
    count -= KIND_BYTES;
    if (kind == STATES)
        take_states(l, from, bytes, count);
    else if (kind == LAYOUT)
        take_layout(l, from, bytes);
    else
        for (size_t at = 0; at + HEAD < count; at += HEAD + 1) {
            memcpy(&head, bytes + at, HEAD);
            take_answer(l, head, bytes[at + HEAD]);
        }
}

void receive_some(struct levels *l)
{
    uint32_t from;
    size_t count;
    const void *bytes;
    while ((bytes = l->transport->receive(l->transport, &from, &count)))
        take_message(l, from, bytes, count);
}

void end_round(struct levels *l)
{
    for (uint32_t to = 0; to < l->transport->ranks; to++)
        flush(l, to);
    do
        receive_some(l);
    while (!l->transport->is_over(l->transport));
}
