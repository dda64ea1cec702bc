/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol as a model: processes, cells, actions and their code. */
#include "front/protocols/lowering.h"

#include "base/limits.h"

#include <stdio.h>

enum { MOST_EQUAL = 255 }; /* of one message, on its way at the same time */

struct emission {
    struct lowering *l;
    struct model *m;
    uint32_t *first_location;   /* per process */
    uint32_t *first_dead;       /* per process: the first of its dead sets, MODEL_NONE: nothing is dropped */
    struct sequences code_keys; /* process, move, and local state where that matters */
    VECTOR(uint32_t) codes;
    uint32_t standings;
};

static uint32_t states_of(const struct emission *e, uint32_t process)
{
    return e->l->protocol.automata[process].states.count;
}

static uint32_t location(const struct emission *e, uint32_t process, uint32_t local, enum standing standing)
{
    return e->first_location[process] + standing * states_of(e, process) + local;
}

/* --------------------------------------------------------------------------- cells */

static void make_queue(struct emission *e, uint32_t q)
{
    const struct protocol *p = &e->l->protocol;
    char name[LONGEST_MESSAGE];
    struct message_queue *queue = &e->l->queues[q];
    if (queue->messages == 0)
        return;
    snprintf(name, sizeof name, "%s to %s", p->automata[q / p->process_count].name,
             p->automata[q % p->process_count].name);
    struct cell slot = {.values = {0, queue->messages}, .object = model_object(e->m, name), .owner = MODEL_NONE};
    queue->first_cell = model_cells(e->m, slot, p->syntax.queue_capacity);
}

static void make_counter(struct emission *e, uint32_t message)
{
    const struct message *k = &e->l->protocol.messages.item[message];
    char name[LONGEST_MESSAGE] = "crashes";
    if (k->kind != MESSAGE_CRASH)
        message_text(e->l, message, name, sizeof name);
    struct cell cell = {.values = {0, MOST_EQUAL},
                        .initial = k->initial,
                        .object = model_object(e->m, name),
                        .owner = k->kind == MESSAGE_SENT && e->l->inboxes[k->to].set_of ? k->to : MODEL_NONE,
                        .widens = true,
                        .counts = true};
    e->l->cell_of[message] = model_cells(e->m, cell, 1);
}

/* The messages of a receiver side by side, then what is no message. */
static bool make_cells(struct emission *e)
{
    struct lowering *l = e->l;
    const struct protocol *p = &l->protocol;
    l->cell_of = calloc(p->messages.count + 1, sizeof *l->cell_of);
    if (!l->cell_of)
        return false;
    for (uint32_t q = 0; q < p->queue_count; q++)
        make_queue(e, q);
    for (uint32_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < l->inboxes[i].messages.count; k++)
            make_counter(e, l->inboxes[i].messages.item[k]);
    for (uint32_t i = 0; i < p->messages.count; i++)
        if (p->messages.item[i].kind != MESSAGE_SENT)
            make_counter(e, i);
    return true;
}

/* The set behind the last is that of a process that has stopped: it takes nothing. */
static void make_dead_sets(struct emission *e, uint32_t process)
{
    const struct inbox *inbox = &e->l->inboxes[process];
    e->first_dead[process] = MODEL_NONE;
    for (uint32_t set = 0; inbox->set_of && set <= inbox->sets.count; set++) {
        uint32_t dead = model_dead_set(e->m, process);
        size_t length;
        const uint32_t *bits = set < inbox->sets.count ? sequence_get(&inbox->sets, set, &length) : NULL;
        if (set == 0)
            e->first_dead[process] = dead;
        for (uint32_t k = 0; k < inbox->messages.count; k++)
            if (!bits || !(bits[k / 32] >> k % 32 & 1))
                model_dead_cell(e->m, dead, e->l->cell_of[inbox->messages.item[k]]);
    }
}

static void make_locations(struct emission *e, uint32_t process)
{
    const struct inbox *inbox = &e->l->inboxes[process];
    make_dead_sets(e, process);
    uint32_t states = states_of(e, process), dead = e->first_dead[process];
    e->first_location[process] = (uint32_t)e->m->locations.count;
    for (uint32_t standing = 0; standing < e->standings; standing++)
        for (uint32_t s = 0; s < states; s++) {
            uint32_t set = standing != IS_LIVE ? inbox->sets.count : inbox->set_of ? inbox->set_of[s] : 0;
            model_location(e->m, (struct location){.process = process,
                                                   .failure = standing == HAS_FAILED ? "a step fails" : NULL,
                                                   .dead = dead == MODEL_NONE ? MODEL_NONE : dead + set});
        }
}

/* ---------------------------------------------------------------------------- code */

static uint32_t rest(struct emission *e, uint32_t at)
{
    return model_emit(e->m, (struct instruction){.code = CODE_REST, .c = (int32_t)at});
}

static uint32_t add(struct emission *e, uint32_t message, int32_t number)
{
    return model_emit(e->m, (struct instruction){.code = CODE_ADD,
                                                 .flags = A_IS_NUMBER | B_IS_NUMBER,
                                                 .length = 1,
                                                 .a = number,
                                                 .c = (int32_t)e->l->cell_of[message]});
}

static void take(struct emission *e, uint32_t message)
{
    const struct protocol *p = &e->l->protocol;
    uint32_t queue = p->messages.item[message].queue;
    if (queue == NO_QUEUE)
        add(e, message, -1);
    else
        model_emit(e->m, (struct instruction){.code = CODE_TAKE,
                                              .flags = B_IS_NUMBER,
                                              .length = p->syntax.queue_capacity,
                                              .c = (int32_t)e->l->queues[queue].first_cell});
}

/* What is sent to a full queue that may lose messages is lost; another has room, or the step has failed by now. */
static void put(struct emission *e, uint32_t message)
{
    const struct protocol *p = &e->l->protocol;
    uint32_t number = p->messages.item[message].queue;
    if (number == NO_QUEUE) {
        add(e, message, 1);
        return;
    }
    const struct message_queue *queue = &e->l->queues[number];
    bool has_room = !p->syntax.is_lossy || !queue->may_be_full;
    model_emit(e->m, (struct instruction){.code = CODE_APPEND,
                                          .flags = (uint8_t)(A_IS_NUMBER | B_IS_NUMBER | (has_room ? NEVER_FULL : 0)),
                                          .length = p->syntax.queue_capacity,
                                          .a = (int32_t)e->l->in_queue[message],
                                          .c = (int32_t)queue->first_cell,
                                          .d = -1});
}

/* Goes on when the queue has room for so many; else to what is not yet known.  Where that is noted is returned. */
static uint32_t ask_for_room(struct emission *e, uint32_t queue, uint32_t wanted)
{
    uint32_t capacity = e->l->protocol.syntax.queue_capacity;
    if (wanted > capacity)
        return model_emit(e->m, (struct instruction){.code = CODE_JUMP});
    model_emit(e->m, (struct instruction){.code = CODE_LOAD,
                                          .flags = B_IS_NUMBER,
                                          .length = 1,
                                          .c = (int32_t)(e->l->queues[queue].first_cell + capacity - wanted)});
    return model_emit(e->m,
                      (struct instruction){.code = CODE_JUMP_NOT, .flags = B_IS_NUMBER, .operation = OPERATION_EQUAL});
}

static bool can_be_full(const struct emission *e, uint32_t queue)
{
    return !e->l->protocol.syntax.is_lossy && e->l->queues[queue].may_be_full;
}

/* May the move fail because a queue is full? */
static bool may_overflow(const struct emission *e, uint32_t process, const struct local_step *move)
{
    uint32_t processes = e->l->protocol.process_count;
    for (uint32_t q = process * processes; e->l->protocol.queue_count && q < (process + 1) * processes; q++)
        if (can_be_full(e, q) && sent_to(e->l, move, q))
            return true;
    return false;
}

static void land_at(struct emission *e, const uint32_t *jumps, uint32_t count, uint32_t at)
{
    for (uint32_t i = 0; i < count && !e->m->failed; i++)
        e->m->code.item[jumps[i]].c = (int32_t)at;
}

static uint32_t emit_move(struct emission *e, uint32_t process, uint32_t local, const struct local_step *move)
{
    const struct protocol *p = &e->l->protocol;
    uint32_t first = (uint32_t)e->m->code.count, jumps[MOST_PROCESSES], jump_count = 0;
    size_t count;
    const uint32_t *sends = sequence_get(&p->sends, move->sends, &count);
    if (move->failure)
        return rest(e, location(e, process, move->next, HAS_FAILED));
    for (uint32_t to = 0; p->queue_count && to < p->process_count; to++) {
        uint32_t queue = process * p->process_count + to, wanted = sent_to(e->l, move, queue);
        if (wanted && can_be_full(e, queue))
            jumps[jump_count++] = ask_for_room(e, queue, wanted);
    }
    for (size_t i = 0; i < count; i++)
        put(e, sends[i]);
    rest(e, location(e, process, move->next, IS_LIVE));
    if (jump_count)
        land_at(e, jumps, jump_count, rest(e, location(e, process, local, HAS_FAILED)));
    return first;
}

/* The code of a move, which is emitted once. */
static uint32_t code_of(struct emission *e, uint32_t process, uint32_t local, const struct local_step *move)
{
    bool is_new = false;
    if (e->m->failed) /* there may be a key without its code */
        return 0;
    uint32_t from = may_overflow(e, process, move) ? local : UINT32_MAX;
    const uint32_t key[] = {process, (uint32_t)(move - e->l->protocol.edges.item), from};
    uint32_t number = sequence_insert(&e->code_keys, key, 3, &is_new);
    if (number == SEQUENCE_NONE || (is_new && !vector_push(&e->codes, emit_move(e, process, local, move)))) {
        e->m->failed = true;
        return 0;
    }
    return e->codes.item[number];
}

/* ------------------------------------------------------------------------- actions */

static void test_needs(struct emission *e, const struct protocol_action *a)
{
    for (uint32_t i = 0; i < a->need_count; i++) {
        uint32_t need = e->l->needs.item[a->first_need + i], queue = e->l->protocol.messages.item[need].queue;
        if (queue == NO_QUEUE)
            model_test(e->m, e->l->cell_of[need], 1, MOST_EQUAL);
        else
            model_test(e->m, e->l->queues[queue].first_cell, e->l->in_queue[need], e->l->in_queue[need]);
    }
}

/* What is done whatever the local state is: the messages are taken. */
static uint32_t emit_taking(struct emission *e, const struct protocol_action *a)
{
    uint32_t first = (uint32_t)e->m->code.count;
    if (a->kind == ACTION_KEEP || a->need_count == 0)
        return MODEL_NONE;
    for (uint32_t i = 0; i < a->need_count; i++)
        take(e, e->l->needs.item[a->first_need + i]);
    rest(e, MODEL_NONE);
    return first;
}

static void add_moves(struct emission *e, const struct protocol_action *a)
{
    for (uint32_t s = 0; s < states_of(e, a->process); s++) {
        const struct local_step *move = move_of(e->l, a, s);
        if (move)
            model_edge(e->m, location(e, a->process, s, IS_LIVE), code_of(e, a->process, s, move));
    }
}

static void add_crash(struct emission *e, const struct protocol_action *a)
{
    for (uint32_t s = 0; s < states_of(e, a->process); s++)
        model_edge(e->m, location(e, a->process, s, IS_LIVE), rest(e, location(e, a->process, s, HAS_CRASHED)));
}

/* Into a queue a process forges as itself, in whatever state it is; it fails when there is no room. */
static void add_forgery_to_queue(struct emission *e, const struct protocol_action *a)
{
    uint32_t queue = e->l->protocol.messages.item[a->sends].queue;
    for (uint32_t standing = 0; standing < e->standings; standing++)
        for (uint32_t s = 0; s < states_of(e, a->process); s++) {
            uint32_t here = location(e, a->process, s, standing), first = (uint32_t)e->m->code.count, jump = 0;
            if (can_be_full(e, queue))
                jump = ask_for_room(e, queue, 1);
            put(e, a->sends);
            rest(e, here);
            if (can_be_full(e, queue))
                land_at(e, &jump, 1, rest(e, standing == IS_LIVE ? location(e, a->process, s, HAS_FAILED) : here));
            model_edge(e->m, here, first);
        }
}

/* A fault of nobody: a message is lost, or comes from nowhere. */
static void add_fault(struct emission *e, const struct protocol_action *a)
{
    uint32_t first = (uint32_t)e->m->code.count;
    if (a->kind == ACTION_FORGE)
        put(e, a->sends);
    rest(e, MODEL_NONE);
    model_edge(e->m, MODEL_NONE, first);
}

static void make_action(struct emission *e, uint32_t number)
{
    const struct protocol_action *a = &e->l->actions.item[number];
    char name[LONGEST_NAME];
    bool of_process = is_step(a) || a->kind == ACTION_CRASH || (a->kind == ACTION_FORGE && e->l->protocol.queue_count);
    protocol_action_text(e->l, number, name, sizeof name);
    struct action action = {.name = model_copy(e->m, name), .process = of_process ? a->process : MODEL_NONE};
    action.common = emit_taking(e, a);
    model_action(e->m, action);
    test_needs(e, a);
    if (is_step(a))
        add_moves(e, a);
    else if (a->kind == ACTION_CRASH)
        add_crash(e, a);
    else if (of_process)
        add_forgery_to_queue(e, a);
    else
        add_fault(e, a);
}

/* Crashes end nothing early when every end is a proper one. */
static bool list_stops(struct emission *e)
{
    struct lists_builder builder = {0};
    bool has_final = false, always = true, any = false;
    for (const struct condition *c = e->l->protocol.syntax.conditions; c; c = c->next) {
        has_final |= c->is_final;
        always &= !c->is_final || (c->expression->kind == NODE_NUMBER && c->expression->value);
    }
    for (uint32_t i = 0; has_final && always && i < e->l->actions.count; i++)
        if (e->l->actions.item[i].kind == ACTION_CRASH) {
            lists_add(&builder, 0, i);
            any = true;
        }
    return !any || lists_finish(&builder, 1, &e->m->stops);
}

bool lower(struct lowering *l, struct model *m)
{
    uint32_t processes = l->protocol.process_count;
    struct emission e = {.l = l, .m = m, .standings = may_fail(l) || l->protocol.syntax.crash ? 3 : 1};
    e.first_location = calloc((size_t)processes + 1, sizeof *e.first_location);
    e.first_dead = calloc((size_t)processes + 1, sizeof *e.first_dead);
    bool fine = e.first_location && e.first_dead;
    for (uint32_t i = 0; i < processes && fine && !m->failed; i++) {
        uint32_t process = model_process(m, l->protocol.automata[i].name);
        if (!m->failed)
            m->processes.item[process].most_registers = l->protocol.queue_count ? 1 : 0;
    }
    fine = fine && make_cells(&e);
    for (uint32_t i = 0; i < processes && fine && !m->failed; i++)
        make_locations(&e, i);
    for (uint32_t i = 0; i < l->actions.count && fine && !m->failed && !limits_reached(); i++)
        make_action(&e, i);
    fine = fine && !limits_reached();
    fine = fine && list_stops(&e);
    sequences_clear(&e.code_keys);
    free(e.codes.item);
    free(e.first_location);
    free(e.first_dead);
    return fine && !m->failed;
}
