/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects: the places at which threads meet, numbered as they are met and for the whole search.  An 8-byte word
 * holds one object per access size; when a word turns out to be accessed with a larger size than before, it becomes
 * coarser and the search starts again, so that numbers mean the same throughout.
 */
#include "native/objects.h"
#include "native/clocks.h"
#include "native/machine.h"
#include "native/settings.h"

#include <string.h>

struct word {
    uintptr_t number; /* address / 8; 0: free */
    uint8_t grain;    /* bytes per object */
    uint32_t objects[8];
};

KEPT struct objects objects;
static KEPT struct word *words; /* hashed addresses to objects */
static KEPT size_t word_capacity, word_count;

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

static struct word *find_word(uintptr_t number, uint8_t grain)
{
    if (word_count * 2 >= word_capacity && !grow_words())
        return NULL;
    size_t place = place_of(number, word_capacity);
    while (words[place].number && words[place].number != number)
        place = (place + 1) & (word_capacity - 1);
    struct word *word = &words[place];
    if (!word->number) {
        *word = (struct word){.number = number, .grain = grain};
        memset(word->objects, 0xff, sizeof word->objects);
        word_count++;
    }
    return word;
}

static size_t object_bytes(void)
{
    return sizeof(struct object) + agents.limit * sizeof(agent_set);
}

static uint32_t new_object(uintptr_t address, uint32_t size)
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

uint32_t object_at(uintptr_t address, size_t size)
{
    uint8_t grain = size >= 8 || address % size ? 8 : (uint8_t)size;
    struct word *word = find_word(address / 8, grain);
    if (!word)
        return UINT32_MAX;
    if (grain > word->grain) {
        word->grain = grain;
        memset(word->objects, 0xff, sizeof word->objects);
        if (chosen.exploring)
            fail_run(SEARCH_AGAIN, 0, "an object is larger than it seemed");
    }
    uint32_t *object = &word->objects[address % 8 / word->grain];
    if (*object == UINT32_MAX)
        *object = new_object(address, word->grain);
    return *object;
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
