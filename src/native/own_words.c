/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread's stack would hold if no other thread wrote to it.  To others a variable on the stack of a thread is
 * memory like any other: what they write there comes to the thread only when it reads it.  So where a thread is, which
 * awaits.c compares, must not depend on it: two executions that differ in the order of independent steps would
 * differ in where the thread has been.  Hence of each byte that another thread has written since the thread itself
 * did, that is kept which the thread wrote last; it stands in for the byte wherever states are compared, and in the
 * snapshots from which is tried where a value leads.  A try that reads such memory is known to have done so
 * (trial.c), and every value is a step then.
 *
 * A record lasts until the owner writes there itself, or until the function has returned to which the variable belongs:
 * entries and exits of functions are followed, jumps and exceptions end all records.  `portolan cc` gives each variable
 * of a function a place of its own.
 *
 * The compiler does not report every access to variables of which nobody else has the address, and these may come to
 * where another variable was.  So what the owner's bytes are is compared before and after it runs: if they have changed
 * then, they are the owner's again.  That is counted, so that no state from before is taken for a later one.
 */
#include "native/own_words.h"
#include "native/journal.h"
#include "native/memory.h"
#include "native/slots.h"
#include "native/spinning.h"

#include <string.h>

enum {
    MOST_WORDS = 1024, /* of a thread; further ones are compared as they are, */
    DEEPEST = 1024     /* and those of functions that are called more deeply */
};

struct own_word {
    unsigned char *start;
    unsigned char bytes; /* which were written by others */
    unsigned char own[8];
    unsigned char last[8]; /* when the thread began to run */
};

static KEPT struct {
    struct own_word *list; /* MOST_WORDS for each thread */
    uint32_t *numbers;     /* of each word, in its thread's list, if it is in there */
    uint32_t count[MOST_THREADS];
    uintptr_t *bottoms; /* where the frames of its functions end, DEEPEST for each thread */
} words;

bool own_words_make(void)
{
    words.list = reserve(sizeof *words.list * MOST_WORDS * MOST_THREADS);
    words.numbers = reserve(shadow_words() * sizeof *words.numbers);
    words.bottoms = reserve(sizeof *words.bottoms * DEEPEST * MOST_THREADS);
    return words.list && words.numbers && words.bottoms;
}

void own_words_reset(void)
{
    memset(words.count, 0, sizeof words.count);
}

static struct own_word *words_of(uint32_t agent)
{
    return words.list + (size_t)agent * MOST_WORDS;
}

static struct own_word *find_word(uint32_t owner, uintptr_t start)
{
    size_t shadow = shadow_word(start);
    uint32_t number = shadow == SIZE_MAX ? UINT32_MAX : words.numbers[shadow];
    struct own_word *word = words_of(owner) + number;
    return number < words.count[owner] && word->start == (unsigned char *)start ? word : NULL;
}

static struct own_word *add_word(uint32_t owner, uintptr_t start)
{
    size_t shadow = shadow_word(start);
    uint32_t number = words.count[owner];
    if (shadow == SIZE_MAX || number == MOST_WORDS)
        return NULL;
    struct own_word *word = words_of(owner) + number;
    journal_save(&words.count[owner], sizeof words.count[owner]);
    journal_save(word, sizeof *word);
    words.count[owner]++;
    words.numbers[shadow] = number;
    *word = (struct own_word){.start = (unsigned char *)start};
    return word;
}

static void set_bytes(struct own_word *word, unsigned char bytes)
{
    journal_save(word, sizeof *word);
    word->bytes = bytes;
}

/* Of nothing below an address. */
static void forget_below(uint32_t owner, uintptr_t limit)
{
    struct own_word *list = words_of(owner);
    for (uint32_t i = 0; i < words.count[owner]; i++)
        if (list[i].bytes && (uintptr_t)list[i].start < limit && is_on_stack(&threads[owner], (uintptr_t)list[i].start))
            set_bytes(&list[i], 0);
}

/* --- functions */

static uintptr_t *bottoms_of(uint32_t agent)
{
    return words.bottoms + (size_t)agent * DEEPEST;
}

/* The end of the frame of the function that the thread is in, or of the last one that is followed. */
static uintptr_t bottom(const struct thread *thread)
{
    uint32_t depth = thread->depth < DEEPEST ? thread->depth : DEEPEST;
    return depth ? bottoms_of((uint32_t)(thread - threads))[depth - 1] : UINTPTR_MAX;
}

void function_is_entered(uintptr_t end)
{
    struct thread *thread = current_thread();
    while (thread->depth && bottom(thread) <= end) /* left by a jump */
        thread->depth--;
    if (thread->depth < DEEPEST) {
        uintptr_t *place = &bottoms_of(agents.current)[thread->depth];
        if (*place != end)
            journal_save(place, sizeof *place);
        *place = end;
    }
    thread->depth++;
}

void function_is_left(void)
{
    struct thread *thread = current_thread();
    thread->depth -= thread->depth > 0;
    forget_below(agents.current, bottom(thread));
}

void functions_are_left(void)
{
    forget_below(agents.current, UINTPTR_MAX);
}

/* --- writes */

static void others_write(uint32_t owner, uintptr_t start, unsigned char bytes)
{
    struct own_word *word = find_word(owner, start);
    bool is_followed = threads[owner].depth <= DEEPEST || start >= bottoms_of(owner)[DEEPEST - 1];
    if (!word && is_followed)
        word = add_word(owner, start);
    if (!word || !(bytes & ~word->bytes))
        return;
    journal_save(word, sizeof *word);
    for (uint32_t i = 0; i < 8; i++)
        if ((bytes & ~word->bytes) >> i & 1)
            word->own[i] = word->start[i];
    word->bytes |= bytes;
}

/* What others wrote there is gone, which they may see. */
static void owner_writes(uint32_t owner, uintptr_t start, unsigned char bytes)
{
    struct own_word *word = find_word(owner, start);
    if (!word || !(word->bytes & bytes))
        return;
    set_bytes(word, word->bytes & (unsigned char)~bytes);
    threads[owner].wrote = true;
}

void note_write_to_stack(uint32_t owner, uint32_t writer, uintptr_t address, size_t size)
{
    if (!loops.exist)
        return;
    for (uintptr_t at = address, next; at < address + size; at = next) {
        uintptr_t start = at & ~(uintptr_t)7, end = address + size - start;
        unsigned char bytes = (unsigned char)((end < 8 ? (1u << end) - 1 : 0xff) & (0xffu << at % 8));
        next = start + 8;
        if (owner == writer)
            owner_writes(owner, start, bytes);
        else
            others_write(owner, start, bytes);
    }
}

void own_words_begin(uint32_t agent)
{
    struct own_word *list = words_of(agent);
    for (uint32_t i = 0; i < words.count[agent]; i++)
        if (list[i].bytes)
            memcpy(list[i].last, list[i].start, sizeof list[i].last);
}

/* Is it in a function that has returned? */
static bool is_gone(const struct thread *thread, const struct own_word *word)
{
    return is_on_stack(thread, (uintptr_t)word->start) && word->start < (unsigned char *)thread->return_slot;
}

static unsigned char unchanged_bytes(const struct own_word *word)
{
    unsigned char unchanged = word->bytes;
    for (uint32_t i = 0; i < 8; i++)
        if (word->start[i] != word->last[i])
            unchanged &= (unsigned char)~(1u << i);
    return unchanged;
}

void own_words_end(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    struct own_word *list = words_of(agent);
    for (uint32_t i = 0; i < words.count[agent]; i++) {
        bool gone = is_gone(thread, &list[i]);
        unsigned char left = gone ? 0 : unchanged_bytes(&list[i]);
        if (left == list[i].bytes)
            continue;
        thread->replaced += !gone;
        set_bytes(&list[i], left);
    }
}

/* Twice is as before. */
static void exchange(const struct thread *thread)
{
    uint32_t agent = (uint32_t)(thread - threads);
    struct own_word *list = words_of(agent);
    for (uint32_t i = 0; i < words.count[agent]; i++)
        for (uint32_t k = 0; list[i].bytes >> k; k++)
            if (list[i].bytes >> k & 1) {
                unsigned char byte = list[i].start[k];
                list[i].start[k] = list[i].own[k];
                list[i].own[k] = byte;
            }
}

void own_words_show(const struct thread *thread)
{
    exchange(thread);
}

void own_words_hide(const struct thread *thread)
{
    exchange(thread);
}
