/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/token_index.h"

#include <string.h>
#include <xxhash.h>

struct entry {
    uint64_t hash;
    uint32_t token;
    uint32_t next; /* an earlier one of the same chain */
};

struct token_index {
    const struct tokens *tokens;
    const struct colour_type *tuple;
    uint32_t place;
    uint32_t *component;
    uint32_t components;
    VECTOR(struct entry) entries; /* one for each token of the place, as far as they were looked at */
    uint32_t *head;
    uint32_t heads; /* a power of 2, or 0 */
    struct token_index *next;
};

enum { FIRST_HEADS = 64 };

static struct token_index *index_new(const struct tokens *tokens, uint32_t place, const uint32_t *components,
                                     uint32_t count)
{
    struct token_index *index = calloc(1, sizeof *index);
    uint32_t *copy = calloc(count + 1, sizeof *copy);
    if (!index || !copy) {
        free(index);
        free(copy);
        return NULL;
    }
    memcpy(copy, components, count * sizeof *copy);
    *index = (struct token_index){.tokens = tokens,
                                  .tuple = tokens_net(tokens)->places.item[place].tuple,
                                  .place = place,
                                  .component = copy,
                                  .components = count};
    return index;
}

struct token_index *token_index_for(struct token_index **indexes, const struct tokens *tokens, uint32_t place,
                                    const uint32_t *components, uint32_t count)
{
    for (struct token_index *index = *indexes; index; index = index->next)
        if (index->place == place && index->components == count &&
            memcmp(index->component, components, count * sizeof *components) == 0)
            return index;
    struct token_index *index = index_new(tokens, place, components, count);
    if (index) {
        index->next = *indexes;
        *indexes = index;
    }
    return index;
}

void token_indexes_free(struct token_index *indexes)
{
    while (indexes) {
        struct token_index *next = indexes->next;
        free(indexes->component);
        free(indexes->entries.item);
        free(indexes->head);
        free(indexes);
        indexes = next;
    }
}

static uint64_t hash_of(const struct token_index *index, const int64_t *tuple)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < index->components; i++) {
        const struct colour_field *field = &index->tuple->fields.item[index->component[i]];
        hash = XXH3_64bits_withSeed(tuple + field->offset, field->type->cells * sizeof *tuple, hash);
    }
    return hash;
}

/* A chain goes from later tokens to earlier ones, also after growing: whoever is on his way along one can go on. */
static void link_entry(struct token_index *index, uint32_t number)
{
    struct entry *entry = &index->entries.item[number];
    uint32_t *head = &index->head[entry->hash & (index->heads - 1)];
    entry->next = *head;
    *head = number;
}

static bool grow_heads(struct token_index *index)
{
    uint32_t heads = index->heads ? index->heads * 2 : FIRST_HEADS;
    uint32_t *head = malloc((size_t)heads * sizeof *head);
    if (!head)
        return false;
    memset(head, 0xff, (size_t)heads * sizeof *head); /* NO_ENTRY */
    free(index->head);
    index->head = head;
    index->heads = heads;
    for (uint32_t i = 0; i < index->entries.count; i++)
        link_entry(index, i);
    return true;
}

/* Takes in the tokens that were met since the last time. */
static bool catch_up(struct token_index *index)
{
    const struct token_list *all = tokens_of_place(index->tokens, index->place);
    while (index->entries.count < all->count || !index->heads) {
        if (index->entries.count >= index->heads && !grow_heads(index))
            return false;
        if (index->entries.count == all->count)
            break;
        uint32_t token = all->item[index->entries.count];
        struct entry entry = {.hash = hash_of(index, token_cells(index->tokens, token)), .token = token};
        if (!vector_push(&index->entries, entry))
            return false;
        link_entry(index, (uint32_t)index->entries.count - 1);
    }
    return true;
}

bool token_index_first(struct token_index *index, const int64_t *tuple, uint32_t *entry)
{
    if (!catch_up(index))
        return false;
    *entry = index->head[hash_of(index, tuple) & (index->heads - 1)];
    return true;
}

uint32_t token_index_next(const struct token_index *index, uint32_t entry)
{
    return index->entries.item[entry].next;
}

uint32_t token_index_token(const struct token_index *index, uint32_t entry)
{
    return index->entries.item[entry].token;
}
