/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value means to a loop may depend on other memory, of which two kinds are read in rounds.  What others write
 * there makes each value a step (await_graph.c).  What only the thread itself writes stays the same for as long as it
 * is in the loop, but the search also asks about steps that were taken long ago, when that was different: so what was
 * there when the thread came to the loop is kept.
 */
#include "native/await_memory.h"
#include "base/vector.h"
#include "native/run.h"
#include "native/runtime.h"

#include <string.h>
#include <xxhash.h>

static KEPT uintptr_t words[MOST_AWAIT_WORDS];
static KEPT uint32_t word_count, known_count;  /* in this search, and in the next one */
static KEPT uint64_t before[MOST_AWAIT_WORDS]; /* what is to be put back */
static KEPT VECTOR(uint64_t) contents;         /* word_count for each number, from 1 on */
static KEPT struct number_table numbers;

/* --- words */

static bool is_known(uintptr_t word)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (words[i] == word)
            return true;
    return false;
}

bool await_memory_knows(uintptr_t address, size_t size)
{
    for (uintptr_t at = address & ~(uintptr_t)7; at < address + size; at += 8)
        if (!is_known(at))
            return false;
    return true;
}

bool await_memory_learn(uintptr_t address, size_t size)
{
    for (uintptr_t at = address & ~(uintptr_t)7; at < address + size; at += 8)
        if (!is_known(at) && known_count < MOST_AWAIT_WORDS)
            words[known_count++] = at;
    return await_memory_knows(address, size);
}

/* --- what was there */

static const uint64_t *contents_of(uint32_t number)
{
    return contents.item + (size_t)(number - 1) * word_count;
}

static uint64_t hash_contents(uint32_t number)
{
    return XXH3_64bits(contents.item + (size_t)number * word_count, word_count * sizeof(uint64_t));
}

uint32_t await_memory(void)
{
    if (word_count == 0)
        return 0;
    uint32_t number = (uint32_t)(contents.count / word_count);
    if (!vector_reserve(&contents, word_count) || !number_table_grow(&numbers, number + 1, hash_contents)) {
        fail_exhausted();
        return 0;
    }
    for (uint32_t i = 0; i < word_count; i++)
        contents.item[contents.count++] = *(const uint64_t *)words[i];
    size_t at = hash_contents(number) & (numbers.capacity - 1);
    for (; numbers.slots[at]; at = (at + 1) & (numbers.capacity - 1))
        if (memcmp(contents_of(numbers.slots[at]), contents_of(number + 1), word_count * sizeof(uint64_t)) == 0) {
            contents.count -= word_count;
            return numbers.slots[at];
        }
    return numbers.slots[at] = number + 1;
}

static void set_word(uint32_t i, uint64_t content)
{
    uint64_t *word = (uint64_t *)words[i];
    if (*word != content) /* a page that nobody has touched stays like that */
        *word = content;
}

void await_memory_put(uint32_t memory)
{
    for (uint32_t i = 0; memory && memory != MEMORY_OF_NOW && i < word_count; i++) {
        before[i] = *(const uint64_t *)words[i];
        set_word(i, contents_of(memory)[i]);
    }
}

void await_memory_put_back(uint32_t memory)
{
    for (uint32_t i = 0; memory && memory != MEMORY_OF_NOW && i < word_count; i++)
        set_word(i, before[i]);
}

void await_memory_reset(void)
{
    word_count = known_count;
    contents.count = 0;
    number_table_clear(&numbers);
}

/* --- tables of numbers */

bool number_table_grow(struct number_table *table, size_t count, uint64_t (*hash)(uint32_t))
{
    if (count * 2 < table->capacity)
        return true;
    size_t larger = table->capacity ? table->capacity * 2 : 256;
    uint32_t *slots = calloc(larger, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i]) {
            size_t at = hash(table->slots[i] - 1) & (larger - 1);
            while (slots[at])
                at = (at + 1) & (larger - 1);
            slots[at] = table->slots[i];
        }
    free(table->slots);
    *table = (struct number_table){slots, larger};
    return true;
}

void number_table_clear(struct number_table *table)
{
    free(table->slots);
    *table = (struct number_table){0};
}
