/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/tokens.h"

#include "base/limits.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct placed_token {
    uint32_t place;
    const int64_t *cells;
};

struct tokens {
    const struct colour_net *net;
    struct arena arena; /* of the cells, which never move */
    VECTOR(struct placed_token) all;
    struct token_list *of_place;
    uint32_t *slot; /* number + 1; 0 is empty */
    uint32_t slots; /* a power of 2, or 0 */
};

enum { FIRST_SLOTS = 256 };

struct tokens *tokens_new(const struct colour_net *net)
{
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (!tokens)
        return NULL;
    tokens->net = net;
    tokens->of_place = calloc(net->places.count + 1, sizeof *tokens->of_place);
    if (!tokens->of_place) {
        free(tokens);
        return NULL;
    }
    return tokens;
}

void tokens_free(struct tokens *tokens)
{
    if (!tokens)
        return;
    for (size_t p = 0; p < tokens->net->places.count; p++)
        free(tokens->of_place[p].item);
    free(tokens->of_place);
    free(tokens->all.item);
    free(tokens->slot);
    arena_clear(&tokens->arena);
    free(tokens);
}

uint32_t tokens_count(const struct tokens *tokens)
{
    return (uint32_t)tokens->all.count;
}

uint32_t token_place(const struct tokens *tokens, uint32_t token)
{
    return tokens->all.item[token].place;
}

const int64_t *token_cells(const struct tokens *tokens, uint32_t token)
{
    return tokens->all.item[token].cells;
}

const struct colour_net *tokens_net(const struct tokens *tokens)
{
    return tokens->net;
}

const struct token_list *tokens_of_place(const struct tokens *tokens, uint32_t place)
{
    return &tokens->of_place[place];
}

uint32_t tuple_cells(const struct colour_net *net, uint32_t place)
{
    const struct colour_type *tuple = net->places.item[place].tuple;
    return tuple ? tuple->cells : 0;
}

/* Where the token is, or would go. */
static uint32_t find_slot(const struct tokens *tokens, uint32_t place, const int64_t *cells)
{
    size_t size = tuple_cells(tokens->net, place) * sizeof *cells;
    uint32_t at = (uint32_t)XXH3_64bits_withSeed(cells, size, place) & (tokens->slots - 1);
    for (; tokens->slot[at]; at = (at + 1) & (tokens->slots - 1)) {
        const struct placed_token *token = &tokens->all.item[tokens->slot[at] - 1];
        if (token->place == place && (size == 0 || memcmp(token->cells, cells, size) == 0))
            break;
    }
    return at;
}

bool token_find(const struct tokens *tokens, uint32_t place, const int64_t *cells, uint32_t *token)
{
    uint32_t found = tokens->slots ? tokens->slot[find_slot(tokens, place, cells)] : 0;
    *token = found - 1;
    return found != 0;
}

static bool grow_table(struct tokens *tokens)
{
    if (tokens->slots > UINT32_MAX / 4)
        return false;
    uint32_t slots = tokens->slots ? tokens->slots * 2 : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(tokens->slot);
    tokens->slot = slot;
    tokens->slots = slots;
    for (uint32_t i = 0; i < tokens->all.count; i++)
        slot[find_slot(tokens, tokens->all.item[i].place, tokens->all.item[i].cells)] = i + 1;
    return true;
}

uint32_t token_number(struct tokens *tokens, uint32_t place, const int64_t *cells)
{
    if (limits_reached() || (tokens->all.count >= tokens->slots / 2 && !grow_table(tokens)))
        return UINT32_MAX;
    uint32_t at = find_slot(tokens, place, cells);
    if (tokens->slot[at])
        return tokens->slot[at] - 1;
    size_t size = tuple_cells(tokens->net, place) * sizeof *cells;
    int64_t *copy = arena_get(&tokens->arena, size + 1);
    struct token_list *list = &tokens->of_place[place];
    struct placed_token token = {.place = place, .cells = copy};
    if (!copy || !vector_reserve(list, 1) || !vector_push(&tokens->all, token))
        return UINT32_MAX;
    if (size)
        memcpy(copy, cells, size);
    list->item[list->count++] = (uint32_t)tokens->all.count - 1;
    tokens->slot[at] = (uint32_t)tokens->all.count;
    return (uint32_t)tokens->all.count - 1;
}

/* As snprintf: what does not fit is counted all the same. */
static size_t add_text(char *text, size_t size, size_t length, const char *more)
{
    if (length < size)
        snprintf(text + length, size - length, "%s", more);
    return length + strlen(more);
}

static size_t add_value(char *text, size_t size, size_t length, const struct colour_type *type, const int64_t *cells)
{
    char none;
    return length + (length < size ? colour_text(type, cells, text + length, size - length)
                                   : colour_text(type, cells, &none, 1));
}

size_t tuple_text(const struct colour_place *place, const int64_t *cells, char *text, size_t size)
{
    size_t length = add_text(text, size, 0, "<(");
    for (size_t i = 0; i < place->domain.count; i++) {
        length = add_text(text, size, length, i ? "," : "");
        length = add_value(text, size, length, place->domain.item[i], cells + place->tuple->fields.item[i].offset);
    }
    return add_text(text, size, length, ")>");
}

size_t token_text(const struct tokens *tokens, uint32_t token, char *text, size_t size)
{
    const struct colour_place *place = &tokens->net->places.item[token_place(tokens, token)];
    size_t length = add_text(text, size, 0, place->name);
    char none;
    if (!place->domain.count)
        return length;
    return length + (length < size ? tuple_text(place, token_cells(tokens, token), text + length, size - length)
                                   : tuple_text(place, token_cells(tokens, token), &none, 1));
}

size_t binding_text(const struct colour_net *net, uint32_t transition, const int64_t *frame, char *text, size_t size)
{
    const struct colour_transition *t = &net->transitions.item[transition];
    size_t length = add_text(text, size, 0, t->name), shown = 0;
    for (size_t i = 0; i < t->variables.count; i++) {
        const struct colour_variable *v = &t->variables.item[i];
        if (v->source == VARIABLE_LET) /* follows from the others */
            continue;
        length = add_text(text, size, length, shown++ ? "," : "(");
        length = add_text(text, size, length, v->name);
        length = add_text(text, size, length, "=");
        length = add_value(text, size, length, v->colour, frame + v->local);
    }
    return shown ? add_text(text, size, length, ")") : length;
}
