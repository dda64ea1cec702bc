/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/layout.h"

#include <stdlib.h>
#include <string.h>

_Thread_local struct misfit misfit;

enum { WORD = 64 };

static uint64_t mask_of(unsigned bits)
{
    return bits ? UINT64_MAX >> (64 - bits) : 0;
}

/* A field that does not fit the rest of its word starts the next. */
static void append(struct layout *layout, uint32_t number, struct range *range, uint32_t *used)
{
    uint8_t bits = bits_for((uint64_t)range->high - (uint64_t)range->low);
    if (*used + bits > WORD) {
        layout->words++;
        *used = 0;
    }
    struct field field = {.low = range->low, .mask = mask_of(bits), .word = layout->words, .bits = bits};
    field.shift = (uint8_t)(bits ? *used : 0); /* what has no bits may stand behind the last one */
    layout->field[number] = field;
    range->high = (int64_t)((uint64_t)range->low + field.mask);
    *used += bits;
}

bool layout_make(struct layout *layout, struct range *ranges, uint32_t count, const uint32_t *order)
{
    return layout_make_with_key(layout, ranges, count, order, count);
}

static size_t bytes_of(const struct layout *layout, uint32_t used)
{
    size_t bytes = (size_t)layout->words * 8 + (used + 7) / 8;
    return bytes ? bytes : 1; /* without fields there is still one state */
}

bool layout_make_with_key(struct layout *layout, struct range *ranges, uint32_t count, const uint32_t *order,
                          uint32_t key_fields)
{
    memset(layout, 0, sizeof *layout);
    layout->field = calloc((size_t)count + 1, sizeof *layout->field);
    if (!layout->field)
        return false;
    layout->fields = count;
    layout->key_fields = key_fields;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = order ? order[i] : i;
        if (i == key_fields) {
            layout->key_bytes = bytes_of(layout, used);
            used = WORD;
        }
        append(layout, number, &ranges[number], &used);
    }
    layout->bytes = bytes_of(layout, used);
    if (key_fields >= count)
        layout->key_bytes = layout->bytes;
    layout->words++;
    return true;
}

void layout_clear(struct layout *layout)
{
    free(layout->field);
    memset(layout, 0, sizeof *layout);
}

void layout_convert(const struct layout *before, const uint64_t *from, const struct layout *after, uint64_t *to)
{
    memset(to, 0, (size_t)after->words * 8);
    for (uint32_t i = 0; i < after->fields; i++) {
        const struct field *field = &after->field[i];
        uint64_t bits = (uint64_t)field_get(&before->field[i], from) - (uint64_t)field->low;
        to[field->word] |= bits << field->shift;
    }
}

bool layout_fit(const struct layout *before, const uint64_t *from, const struct layout *after, uint64_t *to)
{
    memset(to, 0, (size_t)after->words * 8);
    for (uint32_t i = 0; i < after->fields; i++) {
        int64_t value = field_get(&before->field[i], from);
        if (!field_fits(&after->field[i], value)) {
            misfit = (struct misfit){.field = i, .value = value};
            return false;
        }
        field_put(&after->field[i], to, value);
    }
    return true;
}

size_t layout_describe(const struct layout *layout, void *description)
{
    if (description)
        memcpy(description, layout->field, layout->fields * sizeof *layout->field);
    return layout->fields * sizeof *layout->field;
}

bool layout_open(const void *description, const uint64_t *from, const struct layout *after, uint64_t *to)
{
    memset(to, 0, (size_t)after->words * 8);
    for (uint32_t i = 0; i < after->fields; i++) {
        struct field field;
        memcpy(&field, (const char *)description + i * sizeof field, sizeof field);
        if (field.word >= after->words || field.shift + field.bits > 64 || field.shift > 63)
            return false;
        int64_t value = field_get(&field, from);
        if (!field_fits(&after->field[i], value))
            return false;
        field_put(&after->field[i], to, value);
    }
    return true;
}

bool conversion_make(struct conversion *c, const struct layout *before, const struct layout *after,
                     const uint32_t *order)
{
    *c = (struct conversion){.words = after->words,
                             .common = before->words < after->words ? before->words : after->words};
    c->move = calloc((size_t)after->fields + 1, sizeof *c->move);
    c->added = calloc(after->words, sizeof *c->added);
    c->stays = calloc(after->words, sizeof *c->stays);
    if (!c->move || !c->added || !c->stays)
        return false;
    for (uint32_t i = 0; i < after->fields; i++) {
        uint32_t number = order ? order[i] : i;
        const struct field *old = &before->field[number], *new = &after->field[number];
        struct move *last = c->moves ? &c->move[c->moves - 1] : NULL;
        int32_t shift = (int32_t) new->shift - old->shift;
        if (new->bits)
            c->added[new->word] += ((uint64_t)old->low - (uint64_t) new->low) << new->shift;
        if (old->word == new->word && shift == 0) {
            c->stays[new->word] |= old->mask << old->shift;
            continue;
        }
        if (old->bits == 0)
            continue;
        if (!last || last->from != old->word || last->to != new->word || last->shift != shift) {
            last = &c->move[c->moves++];
            *last = (struct move){.from = old->word, .to = new->word, .shift = shift};
        }
        last->mask |= old->mask << old->shift;
    }
    return true;
}

void conversion_run(const struct conversion *c, const uint64_t *from, uint64_t *to)
{
    memcpy(to, c->added, c->words * sizeof *to);
    for (uint32_t w = 0; w < c->common; w++)
        to[w] += from[w] & c->stays[w];
    for (const struct move *move = c->move, *end = move + c->moves; move < end; move++) {
        uint64_t bits = from[move->from] & move->mask;
        to[move->to] += move->shift < 0 ? bits >> -move->shift : bits << move->shift;
    }
}

void conversion_clear(struct conversion *c)
{
    free(c->move);
    free(c->added);
    free(c->stays);
    *c = (struct conversion){0};
}

/* One bit more: towards the side on which there is room. */
static void double_range(struct range *range, const struct range *limit)
{
    uint64_t size = (uint64_t)range->high - (uint64_t)range->low + 1;
    if (size == 0)
        return;
    uint64_t room = limit->high > range->high ? (uint64_t)limit->high - (uint64_t)range->high : 0;
    range->high = (int64_t)((uint64_t)range->high + (room < size ? room : size));
}

void ranges_widen(struct range *ranges, const struct range *limits, uint32_t count, uint32_t narrow, int64_t value,
                  uint32_t times, const uint64_t *alike)
{
    uint64_t width = (uint64_t)ranges[narrow].high - (uint64_t)ranges[narrow].low;
    for (uint32_t i = 0; i < count && times >= WIDEN_ONE_TIMES; i++)
        if (i != narrow && (uint64_t)ranges[i].high - (uint64_t)ranges[i].low == width &&
            (times >= WIDEN_ALIKE_TIMES || !alike || alike[i] == alike[narrow]))
            double_range(&ranges[i], &limits[i]);
    if (value < ranges[narrow].low)
        ranges[narrow].low = value;
    if (value > ranges[narrow].high)
        ranges[narrow].high = value;
    for (uint32_t i = 0; alike && i < count && times < WIDEN_ONE_TIMES; i++)
        if (alike[i] == alike[narrow] && ranges[i].low >= limits[narrow].low && ranges[i].high <= limits[narrow].high) {
            ranges[narrow].low = ranges[i].low < ranges[narrow].low ? ranges[i].low : ranges[narrow].low;
            ranges[narrow].high = ranges[i].high > ranges[narrow].high ? ranges[i].high : ranges[narrow].high;
        }
}
