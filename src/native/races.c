/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races (C11 5.1.2.4): two accesses of a byte by different threads, one of them a write and one of them plain,
 * neither of which happens before the other.  As in FastTrack (Flanagan and Freund, PLDI 2009) an access is known by
 * its thread and that thread's clock; of each word those are kept that a later access could race with: one that comes
 * before a later, wider one of at least its kind can be forgotten.
 */
#include "native/races.h"
#include "native/context.h"
#include "native/errors.h"
#include "native/foreign.h"
#include "native/journal.h"
#include "native/locals.h"
#include "native/memory.h"
#include "native/orders.h"
#include "native/own_words.h"
#include "native/recorder.h"
#include "native/rounds.h"
#include "native/run.h"
#include "native/settings.h"
#include "native/signals.h"
#include "native/symbols.h"
#include "native/trial.h"
#include "native/unseen.h"

#include <stdio.h>
#include <string.h>

struct noted {
    uint32_t next; /* of the same word; 0: none */
    uint32_t clock;
    uint8_t agent, bytes; /* which of the word */
    bool writes, atomic;
    bool is_last; /* whoever accesses it later makes another error, so that it need not be kept */
    uintptr_t caller;
};

KEPT struct watch watch;

static KEPT struct {
    struct {
        uint32_t run, first;
    } * words;
    unsigned char *kinds;   /* of access to each word, in whatever run */
    unsigned char *writers; /* of each byte: which agent + 1 has written to it, not atomically, beside others */
    struct noted *noted;
    uint32_t noted_count, free; /* the journal keeps them together */
} shadow;

enum { ATOMIC = 1, PLAIN = 2, WATCHED = 4, WATCHED_FOR_ATOMICS = 8, SEVERAL_WRITERS = UINT8_MAX };
enum { MOST_NOTED = 1 << 24 };

bool races_make(void)
{
    shadow.words = reserve(shadow_words() * sizeof *shadow.words);
    shadow.kinds = reserve(shadow_words());
    shadow.writers = reserve(shadow_words() * 8);
    shadow.noted = reserve((size_t)MOST_NOTED * sizeof *shadow.noted);
    return shadow.words && shadow.kinds && shadow.writers && shadow.noted && allocations_make();
}

void races_reset(void)
{
    shadow.noted_count = 1;
    shadow.free = 0;
}

static uint32_t new_noted(void)
{
    uint32_t number = shadow.free;
    journal_save(&shadow.noted_count, sizeof shadow.noted_count + sizeof shadow.free);
    if (number) {
        journal_save(&shadow.noted[number], sizeof shadow.noted[number]);
        shadow.free = shadow.noted[number].next;
        return number;
    }
    return shadow.noted_count < MOST_NOTED ? shadow.noted_count++ : 0;
}

static const char *word_of(const struct noted *access)
{
    return access->atomic ? access->writes ? "atomic write" : "atomic read" : access->writes ? "write" : "read";
}

/* Is it an error?  There are races after which a run goes on. */
static bool race(uint32_t agent, const struct noted *now, const struct noted *other, uintptr_t address)
{
    struct failure *failure = &run.failure;
    if (failure->kind != NO_FAILURE)
        return true;
    *failure = (struct failure){.kind = FAILED_RACE,
                                .agent = agent,
                                .other = other->agent,
                                .caller = now->caller,
                                .other_caller = other->caller,
                                .other_clock = other->clock,
                                .address = address};
    if (errors_pass_over(failure)) {
        *failure = (struct failure){.kind = NO_FAILURE};
        return false;
    }
    snprintf(failure->text, sizeof failure->text, "%s and %s are not ordered", word_of(now), word_of(other));
    return true;
}

static bool races_with_allocation(uint32_t agent, const struct noted *now, uintptr_t address)
{
    uint32_t owner = heap_owner(address);
    struct failure *failure = &run.failure;
    if (owner == NO_AGENT || owner == agent || failure->kind != NO_FAILURE ||
        !find_unordered_allocation(agent, owner, address, failure))
        return false;
    failure->kind = FAILED_RACE;
    failure->agent = agent;
    failure->caller = now->caller;
    if (errors_pass_over(failure)) {
        *failure = (struct failure){.kind = NO_FAILURE};
        return false;
    }
    snprintf(failure->text, sizeof failure->text, "%s and allocation are not ordered", word_of(now));
    return true;
}

/* Is this the earlier access of the race that is being reported? */
static bool is_watched(uint32_t agent, const struct noted *now, uintptr_t address)
{
    const struct failure *race = &watch.race;
    return agent == race->other && now->clock == race->other_clock && now->caller == race->other_caller &&
           address / 8 == race->address / 8;
}

static void note_writer(size_t word, uint8_t bytes)
{
    unsigned char me = (unsigned char)(agents.current + 1);
    bool is_news = false;
    for (uint32_t i = 0; i < 8; i++) {
        unsigned char *writer = &shadow.writers[word * 8 + i];
        if (!(bytes >> i & 1) || *writer == me || *writer == SEVERAL_WRITERS)
            continue;
        if (is_alone())
            return;
        *writer = *writer ? SEVERAL_WRITERS : me;
        is_news = true;
    }
    if (is_news && shadow.kinds[word] & WATCHED)
        fail_run(SEARCH_AGAIN, 0, "what a loop reads is written");
}

/* Atomic accesses race with plain ones only, so they are noted only where there are such: when the first plain one
 * comes late, the search begins again. */
static bool need_not_be_noted(size_t word, bool atomic)
{
    unsigned char *kinds = &shadow.kinds[word];
    if (atomic) {
        if ((*kinds & (ATOMIC | WATCHED_FOR_ATOMICS)) == WATCHED_FOR_ATOMICS)
            fail_run(SEARCH_AGAIN, 0, "what a loop reads is atomic to others");
        *kinds |= ATOMIC;
        return !(*kinds & PLAIN);
    }
    if ((*kinds & (ATOMIC | PLAIN)) == ATOMIC) {
        *kinds |= PLAIN;
        fail_run(SEARCH_AGAIN, 0, "an atomic object is accessed in another way too");
    }
    *kinds |= PLAIN;
    return false;
}

bool is_written_by_others(uint32_t agent, uintptr_t address, size_t size, bool atomically)
{
    bool found = false;
    for (uintptr_t at = address; at < address + size; at++) {
        size_t word = shadow_word(at);
        unsigned char writer = word == SIZE_MAX ? SEVERAL_WRITERS : shadow.writers[word * 8 + at % 8];
        found = found || (writer && writer != agent + 1);
        if (word == SIZE_MAX)
            continue;
        found = found || (atomically && shadow.kinds[word] & ATOMIC);
        shadow.kinds[word] |= (unsigned char)(atomically ? WATCHED | WATCHED_FOR_ATOMICS : WATCHED);
    }
    return found;
}

static bool add(uint32_t *first, const struct noted *now)
{
    uint32_t number = new_noted();
    if (!number) {
        fail_run(FAILED_REFUSED, now->caller, "one run touches too much memory to look for data races");
        return false;
    }
    journal_save(first, sizeof *first);
    shadow.noted[number] = *now;
    shadow.noted[number].next = *first;
    *first = number;
    return true;
}

static bool replace(struct noted *place, const struct noted *now)
{
    uint32_t next = place->next;
    journal_save(place, sizeof *place);
    *place = *now;
    place->next = next;
    return true;
}

static void take_out(uint32_t *link)
{
    uint32_t number = *link;
    struct noted *n = &shadow.noted[number];
    journal_save(link, sizeof *link);
    journal_save(&n->next, sizeof n->next);
    journal_save(&shadow.free, sizeof shadow.free);
    *link = n->next;
    n->next = shadow.free;
    shadow.free = number;
}

/* One word; true when nothing is wrong. */
static bool note(uint32_t agent, size_t word, const struct noted *now, uintptr_t address)
{
    const uint32_t *clock = threads[agent].clock;
    struct noted *place = NULL;                 /* of one that need not be known any longer */
    if (shadow.words[word].run != run.number) { /* which need not be undone: its list is empty before */
        shadow.words[word].run = run.number;
        shadow.words[word].first = 0;
    }
    for (uint32_t *link = &shadow.words[word].first, i; (i = *link);) {
        struct noted *n = &shadow.noted[i];
        bool before = n->agent == agent || n->clock <= clock[n->agent];
        if (n->agent == agent && n->clock == now->clock && n->bytes == now->bytes && n->writes >= now->writes &&
            n->atomic <= now->atomic)
            return true;
        if (!before && (n->bytes & now->bytes) && (n->writes || now->writes) && !(n->atomic && now->atomic) &&
            race(agent, now, n, (address & ~(uintptr_t)7) + (unsigned)__builtin_ctz(n->bytes & now->bytes)))
            return false;
        bool superseded = before && !(n->bytes & ~now->bytes) && n->writes <= now->writes && n->atomic >= now->atomic;
        if (superseded && place) {
            take_out(link);
        } else {
            place = superseded ? n : place;
            link = &n->next;
        }
    }
    if (watch.on && is_watched(agent, now, address)) {
        fail_run(FAILED_RACE, now->caller, "is here first");
        return false;
    }
    return now->is_last || (place ? replace(place, now) : add(&shadow.words[word].first, now));
}

/* Has everything that others did happened before, and are there no others now?  Then nothing can race with what this
 * thread does, since those to come will be after it. */
static bool comes_after_all(uint32_t agent)
{
    for (uint32_t i = 0; i < agents.limit; i++)
        if (i != agent && threads[i].exists && (!threads[i].ended || threads[i].clock[i] > threads[agent].clock[i]))
            return false;
    return true;
}

static bool note_range(uint32_t agent, uintptr_t address, size_t size, struct noted now)
{
    enum { LARGE = 1 << 16 };
    if (size >= LARGE && comes_after_all(agent))
        return true;
    now.agent = (uint8_t)agent;
    now.clock = threads[agent].clock[agent];
    if (races_with_allocation(agent, &now, address))
        return false;
    uintptr_t end = address + size, next;
    for (uintptr_t at = skip_unshared(agent, address); at < end; at = next) {
        next = (at | 7) + 1 < end ? skip_unshared(agent, (at | 7) + 1) : end;
        size_t word = shadow_word(at);
        if (word == SIZE_MAX) {
            if (is_reserved(at))
                fail_run(FAILED_FAULT, now.caller, "accesses memory that is not mapped");
            note_foreign(agent, at, now.writes);
            continue;
        }
        if (now.is_last && shadow.words[word].run != run.number && !(shadow.kinds[word] & ATOMIC))
            continue;
        size_t here = (at | 7) + 1 - at, left = end - at;
        size_t length = here < left ? here : left;
        now.bytes = (uint8_t)(((1u << length) - 1) << (at & 7));
        if (now.writes && !now.atomic)
            note_writer(word, now.bytes);
        if (need_not_be_noted(word, now.atomic))
            continue;
        if (!note(agent, word, &now, at))
            return false;
    }
    return true;
}

/* A thread's own stack is looked at only once somebody else has touched it: then the search begins again. */
static void learn_of_stack(uint32_t owner)
{
    if (threads[owner].stack_is_shared)
        return;
    threads[owner].stack_is_shared = true;
    stacks_are_shared();
    fail_run(SEARCH_AGAIN, 0, "a thread touches the stack of another");
}

static void used_without_order(const struct noted *use, uint32_t owner, uintptr_t address)
{
    char name[32];
    agent_name(owner, name, sizeof name);
    run.failure = (struct failure){.kind = FAILED_MEMORY, .agent = use->agent, .caller = use->caller};
    run.failure.address = address;
    snprintf(run.failure.text, sizeof run.failure.text, "%s memory of %s, which may have ended by then",
             use->writes ? "writes" : "reads", name);
}

static void end_range(uint32_t agent, uintptr_t start, uintptr_t end)
{
    const uint32_t *clock = threads[agent].clock;
    for (uintptr_t at = start & ~(uintptr_t)7; at < end && run.failure.kind == NO_FAILURE; at += 8) {
        size_t word = shadow_word(at);
        if (word == SIZE_MAX)
            continue;
        if (shadow.kinds[word])
            need_not_be_noted(word, false);
        if (shadow.words[word].run != run.number)
            continue;
        for (uint32_t i = shadow.words[word].first; i && run.failure.kind == NO_FAILURE; i = shadow.noted[i].next)
            if (shadow.noted[i].agent != agent && shadow.noted[i].clock > clock[shadow.noted[i].agent])
                used_without_order(&shadow.noted[i], agent, at);
    }
}

void note_end(uint32_t agent)
{
    const struct thread *thread = &threads[agent];
    const unsigned char *lowest = thread->lowest ? thread->lowest : thread->stack_pointer;
    if (!chosen.exploring || chosen.interleave || !thread->stack_is_shared)
        return;
    end_range(agent, (uintptr_t)lowest, (uintptr_t)thread->stack + thread->stack_size);
    end_range(agent, (uintptr_t)thread->local, (uintptr_t)thread->local + locals.size);
}

/* A plain access as steps.  What fills no more than two words is one, so that its value is that of the step; what is in
 * one word touches no other bytes of it. */
static void interleave(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    uintptr_t first = address & ~(uintptr_t)7, last = (address + size - 1) & ~(uintptr_t)7;
    bool is_part = first == last && (size & (size - 1)) == 0 && address % size == 0;
    struct pending step = {.kind = writes ? OP_PLAIN_WRITE : OP_PLAIN_READ, .caller = caller};
    for (uintptr_t at = first; at <= last; at += 16) {
        step.address = is_part ? address : at;
        step.size = (uint8_t)(is_part ? size : at == last ? 8 : 16);
        visible(&step);
    }
}

static void note_one(uintptr_t address, size_t size, bool writes, bool is_last, uintptr_t caller)
{
    struct thread *thread = current_thread();
    accessing = caller;
    if (trying) {
        bool is_private = (is_on_stack(thread, address) || is_own_local(thread, address)) && !thread->stack_is_shared;
        if (chosen.interleave && size && !is_private)
            interleave(address, size, writes, caller);
        else if (!is_private)
            trial_access(address, size, writes);
        return;
    }
    if (!chosen.exploring)
        return;
    bool on_stack = is_on_stack(thread, address), own = on_stack || is_own_local(thread, address);
    thread->wrote |= writes && !own;
    if (!size)
        return;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    uint32_t owner = own ? agents.current : stack_owner(address);
    if (owner != NO_AGENT && (!own || (on_stack && address < frame)))
        check_frames(owner, agents.current, address, frame, writes, caller);
    if (own && !thread->stack_is_shared) {
        if (writes && !on_stack)
            journal_save_memory(address, size);
        return;
    }
    if (!own && owner != NO_AGENT)
        learn_of_stack(owner);
    come_by(address, writes && !own, caller);
    if (__builtin_expect(recorder.on, false) && !chosen.interleave)
        record_access(address, size, writes, caller);
    check_heap(address, size, writes, caller);
    if (chosen.interleave) {
        touch((void *)address, caller); /* a bad address must fail here, not in the search */
        interleave(address, size, writes, caller);
        check_heap(address, size, writes, caller); /* it may have been freed meanwhile */
    } else if (!note_range(agents.current, address, size,
                           (struct noted){.writes = writes, .is_last = is_last, .caller = caller})) {
        leave_context();
    }
    if (writes && !on_stack && !is_last) /* to free a block leaves what is in it */
        journal_save_memory(address, size);
    if (writes && owner != NO_AGENT)
        note_write_to_stack(owner, agents.current, address, size);
}

void note_access(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    note_one(address, size, writes, false, caller);
}

void note_free(uintptr_t address, size_t size, uintptr_t caller)
{
    note_one(address, size, true, true, caller);
}

void note_atomic(uint32_t agent, const struct pending *op, bool writes)
{
    if (!chosen.exploring)
        return;
    uint32_t owner = stack_owner(op->address);
    if (owner != NO_AGENT)
        check_frames(owner, agent, op->address, 0, writes, op->caller);
    if (writes && owner != NO_AGENT)
        note_write_to_stack(owner, agent, op->address, op->size);
    if (chosen.interleave)
        return;
    if (owner != NO_AGENT && owner != agent)
        learn_of_stack(owner);
    if (run.failure.kind == NO_FAILURE)
        note_range(agent, op->address, op->size,
                   (struct noted){.writes = writes, .atomic = true, .caller = op->caller});
}

void note_object(uint32_t agent, const struct pending *op)
{
    if (!chosen.exploring)
        return;
    uint32_t owner = stack_owner(op->address);
    if (owner != NO_AGENT)
        check_frames(owner, agent, op->address, 0, false, op->caller);
    if (owner != NO_AGENT && owner != agent)
        learn_of_stack(owner);
    check_heap(op->address, 1, false, op->caller);
    if (run.failure.kind == FAILED_MEMORY)
        run.failure.agent = agent;
    else if (!chosen.interleave)
        note_range(agent, op->address, 1, (struct noted){.atomic = true, .caller = op->caller});
}
