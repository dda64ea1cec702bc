/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects: the places at which threads meet, numbered as they are met and for the whole search.  An 8-byte word
 * holds one object per access size; when a word turns out to be accessed with a larger size than before, it becomes
 * coarser and the search starts again, so that numbers mean the same throughout.
 */
#include "native/runtime.h"

#include <string.h>

struct word {
    uintptr_t number; /* address / 8; 0: free */
    uint8_t grain;    /* bytes per object */
    uint32_t objects[8];
};

static size_t place_of(uintptr_t number, size_t capacity)
{
    return (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

static bool grow_words(void)
{
    size_t larger = runtime->word_capacity ? runtime->word_capacity * 2 : 1024;
    struct word *words = calloc(larger, sizeof *words);
    if (!words)
        return false;
    for (size_t i = 0; i < runtime->word_capacity; i++) {
        if (!runtime->words[i].number)
            continue;
        size_t place = place_of(runtime->words[i].number, larger);
        while (words[place].number)
            place = (place + 1) & (larger - 1);
        words[place] = runtime->words[i];
    }
    free(runtime->words);
    runtime->words = words;
    runtime->word_capacity = larger;
    return true;
}

static struct word *find_word(uintptr_t number, uint8_t grain)
{
    if (runtime->word_count * 2 >= runtime->word_capacity && !grow_words())
        return NULL;
    size_t place = place_of(number, runtime->word_capacity);
    while (runtime->words[place].number && runtime->words[place].number != number)
        place = (place + 1) & (runtime->word_capacity - 1);
    struct word *word = &runtime->words[place];
    if (!word->number) {
        *word = (struct word){.number = number, .grain = grain};
        memset(word->objects, 0xff, sizeof word->objects);
        runtime->word_count++;
    }
    return word;
}

static uint32_t new_object(uintptr_t address, uint32_t size)
{
    struct object *object = calloc(1, sizeof *object);
    if (!object)
        return UINT32_MAX;
    object->address = address;
    object->size = size;
    if (!clocks_make(object) || !vector_push(&runtime->objects, object)) {
        clocks_free(object);
        free(object);
        return UINT32_MAX;
    }
    runtime->machine.objects = (uint32_t)runtime->objects.count;
    // cppcheck-suppress memleak ; runtime->objects has it
    return (uint32_t)runtime->objects.count - 1;
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
        if (runtime->exploring)
            fail_run(SEARCH_AGAIN, 0, "an object is larger than it seemed");
    }
    uint32_t *object = &word->objects[address % 8 / word->grain];
    if (*object == UINT32_MAX)
        *object = new_object(address, word->grain);
    return *object;
}

uint32_t object_size(uint32_t object)
{
    return runtime->objects.item[object]->is_mixed ? 0 : runtime->objects.item[object]->size;
}

void object_touched(uint32_t number, uintptr_t address, uint32_t size)
{
    struct object *object = runtime->objects.item[number];
    if (object->is_mixed || (object->address == address && object->size == size))
        return;
    object->is_mixed = true;
    if (runtime->cycles.count) /* some loop may rely on its being whole */
        fail_run(SEARCH_AGAIN, 0, "a part of an object is accessed");
}

struct object *object_state(uint32_t number)
{
    struct object *object = runtime->objects.item[number];
    if (object->run != runtime->run) {
        uintptr_t address = object->address;
        object->owner = object->count = object->permits = object->generation = 0;
        object->waiting = object->released = 0;
        object->thing = NO_THING;
        object->address = address;
        object->run = runtime->run;
    }
    return object;
}

bool objects_prepare(void)
{
    for (size_t i = 0; i < runtime->objects.count; i++)
        if (!clocks_make(runtime->objects.item[i]))
            return false;
    return true;
}
