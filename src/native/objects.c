/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects: the places at which threads meet, numbered as they are met and for the whole search.  An 8-byte word
 * is divided into objects as it is accessed: bytes that are never accessed together are different ones.  When an access
 * turns out to reach beyond the object at its place, all that it touches becomes one object and the search starts
 * again, so that numbers mean the same throughout.
 */
#include "native/objects.h"
#include "native/clocks.h"
#include "native/machine.h"
#include "native/settings.h"

#include <sched.h>
#include <string.h>

struct word {
    uintptr_t number; /* address / 8; 0: free */
    uint8_t sizes[8]; /* of the object that begins at a byte; 0: none does */
    uint32_t objects[8];
};

KEPT struct objects objects;
static KEPT struct word *words; /* hashed addresses to objects */
static KEPT size_t word_capacity, word_count;
static KEPT struct common_objects *common; /* NULL: there is one process */

static size_t place_of(uintptr_t number, size_t capacity)
{
    return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

static bool grow_words(void)
{
    size_t larger = word_capacity ? word_capacity * 2 : 1024;
    struct word *more = calloc(larger, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < word_capacity; i++) {
        if (!words[i].number)
            continue;
        size_t place = place_of(words[i].number, larger);
        while (more[place].number)
            place = (place + 1) & (larger - 1);
        more[place] = words[i];
    }
    free(words);
    words = more;
    word_capacity = larger;
    return true;
}

static struct word *find_word(uintptr_t number)
{
    if (word_count * 2 >= word_capacity && !grow_words())
        return NULL;
    size_t place = place_of(number, word_capacity);
    while (words[place].number && words[place].number != number)
        place = (place + 1) & (word_capacity - 1);
    struct word *word = &words[place];
    if (!word->number) {
        *word = (struct word){.number = number};
        memset(word->objects, 0xff, sizeof word->objects);
        word_count++;
    }
    return word;
}

static size_t object_bytes(void)
{
    return sizeof(struct object) + agents.limit * sizeof(agent_set);
}

static uint32_t add_object(uintptr_t address, uint32_t size)
{
    struct object *object = calloc(1, object_bytes());
    if (!object)
        return UINT32_MAX;
    object->address = address;
    object->size = size;
    if (!clocks_make(object) || !vector_push(&objects.list, object)) {
        clocks_free(object);
        free(object);
        return UINT32_MAX;
    }
    machine_has_objects(object_count());
    // cppcheck-suppress memleak ; objects has it
    return object_count() - 1;
}

/* The bytes of a word that an access makes one object: its own, and those of all objects that it touches. */
static void join_parts(struct word *word, uint32_t first, uint32_t end)
{
    bool was_there = false;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t its_end = i + word->sizes[i];
        if (!word->sizes[i] || its_end <= first)
            continue;
        was_there = true;
        first = i < first ? i : first;
        end = its_end > end ? its_end : end;
        word->sizes[i] = 0;
        word->objects[i] = UINT32_MAX;
    }
    word->sizes[first] = (uint8_t)(end - first);
    if (was_there && chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "an object is larger than it seemed");
}

/* --- objects of several processes */

static bool overlaps(const struct word *word, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (word->sizes[i] && i + word->sizes[i] > first)
            return true;
    return false;
}

/* Another process has met an object. */
static bool take_over(const struct common_object *other)
{
    struct word *word = find_word(other->address / 8);
    uint32_t number = word ? add_object(other->address, other->size) : UINT32_MAX;
    if (number == UINT32_MAX)
        return false;
    if (word->sizes[other->part] != other->size && overlaps(word, other->part, other->part + other->size))
        fail_run(SEARCH_AGAIN, 0, "an object is larger than it seemed");
    word->sizes[other->part] = other->size;
    word->objects[other->part] = number;
    return true;
}

static uint32_t new_common_object(uintptr_t address, uint32_t part, uint32_t size)
{
    while (atomic_flag_test_and_set_explicit(&common->lock, memory_order_acquire))
        sched_yield();
    bool fine = true;
    uint32_t number = UINT32_MAX;
    while (fine && object_count() < common->count)
        fine = take_over(&common->list[object_count()]);
    const struct word *word = fine ? find_word(address / 8) : NULL;
    if (word)
        number = word->objects[part];
    if (word && number == UINT32_MAX && common->count < MOST_COMMON_OBJECTS) {
        struct common_object *object = &common->list[common->count++];
        object->address = address;
        object->part = (uint8_t)part;
        object->size = (uint8_t)size;
        number = add_object(address, size);
    }
    atomic_flag_clear_explicit(&common->lock, memory_order_release);
    return number;
}

static uint32_t new_object(uintptr_t address, uint32_t part, uint32_t size)
{
    return common ? new_common_object(address, part, size) : add_object(address, size);
}

void objects_share(struct common_objects *shared)
{
    common = shared;
    if (common)
        common->count = object_count();
}

uint8_t object_is_known(uint32_t number, uint8_t what)
{
    return common && number < MOST_COMMON_OBJECTS ? atomic_fetch_or(&common->list[number].known, what) | what : what;
}

/* Where the object begins that has all these bytes; 8 if there is none. */
static uint32_t part_with(const struct word *word, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i-- > 0;)
        if (word->sizes[i])
            return i + word->sizes[i] >= end ? i : 8;
    return 8;
}

uint32_t object_at(uintptr_t address, size_t size)
{
    bool is_part = size < 8 && address % size == 0; /* what crosses a boundary is about the whole word */
    uint32_t first = is_part ? address % 8 : 0, end = is_part ? first + (uint32_t)size : 8;
    struct word *word = find_word(address / 8);
    if (!word)
        return UINT32_MAX;
    uint32_t part = part_with(word, first, end);
    if (part == 8) {
        join_parts(word, first, end);
        part = part_with(word, first, end);
    }
    uint32_t object = word->objects[part];
    if (object != UINT32_MAX)
        return object;
    object = new_object(address, part, word->sizes[part]);
    word = find_word(address / 8);
    if (!word)
        return UINT32_MAX;
    return word->objects[part] = object;
}

bool objects_prepare(void)
{
    for (size_t i = 0; i < objects.list.count; i++) {
        struct object *object = realloc(objects.list.item[i], object_bytes());
        if (!object)
            return false;
        objects.list.item[i] = object;
        if (!clocks_make(object))
            return false;
    }
    return true;
}
