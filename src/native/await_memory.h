/* SPDX-License-Identifier: Apache-2.0 */
/* The memory beside atomics that loops which only wait read: what was in it when a thread came to its loop. */
#ifndef NATIVE_AWAIT_MEMORY_H
#define NATIVE_AWAIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_AWAIT_WORDS = 64, MEMORY_OF_NOW = UINT32_MAX };

bool await_memory_knows(uintptr_t address, size_t size);
/* Rounds read this, too; false when there is too much of that. */
bool await_memory_learn(uintptr_t address, size_t size);

/* What is in that memory now, as a number; 0 too when memory is short. */
uint32_t await_memory(void);
/* Puts there what that was, and back what is there now. */
void await_memory_put(uint32_t memory);
void await_memory_put_back(uint32_t memory);
/* A search begins: the numbers are forgotten. */
void await_memory_reset(void);

/* Numbers of a list, + 1, hashed; 0: none. */
struct number_table {
    uint32_t *slots;
    size_t capacity;
};

/* Makes room for one more than so many; false when memory is short. */
bool number_table_grow(struct number_table *table, size_t count, uint64_t (*hash)(uint32_t number));
void number_table_clear(struct number_table *table);

#endif
