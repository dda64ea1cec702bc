/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of a model's states: the widest, in which everything fits, and compact ones, which widen. */
#include "model/quick.h"

#include <string.h>

/* What a field begins with: all values, or those of the initial state and what registers hold when they are dead. */
static struct range first_range(const struct instance *in, uint32_t cell)
{
    const struct cell *c = &in->model->cells.item[cell];
    if (!in->is_compact || !c->widens)
        return c->values;
    int64_t initial = cell_value(in->derived->widest, in->derived->initial, cell);
    struct range range = {c->counts ? c->values.low : initial, c->counts && initial < 1 ? 1 : initial};
    if (c->object == MODEL_NONE && c->owner != MODEL_NONE) {
        range.low = initial < 0 ? initial : 0;
        range.high = initial > 0 ? initial : 0;
    }
    return range;
}

/* -------------------------------------------------------------------- dead cells */

/* The words that the dead cells of each process are in. */
static void find_keep_words(struct instance *in)
{
    const struct model *m = in->model;
    memset(in->keep_words, 0, m->processes.count * sizeof *in->keep_words);
    for (uint32_t set = 0; set < m->dead_sets.count; set++) {
        uint32_t p = m->dead_sets.item[set];
        for_list (cell, in->derived->dead_cells, set) {
            uint32_t word = in->packed.layout.field[*cell].word, end = in->keep_first_word[p] + in->keep_words[p];
            if (in->keep_words[p] == 0)
                in->keep_first_word[p] = end = word;
            if (word < in->keep_first_word[p])
                in->keep_first_word[p] = word;
            if (word >= end)
                end = word + 1;
            in->keep_words[p] = end - in->keep_first_word[p];
        }
    }
}

static bool make_masks(struct instance *in)
{
    const struct model *m = in->model;
    if (m->dead_sets.count == 0)
        return true;
    in->keep = calloc(m->dead_sets.count + 1, sizeof *in->keep);
    in->keep_first_word = calloc(m->processes.count + 1, sizeof *in->keep_first_word);
    in->keep_words = calloc(m->processes.count + 1, sizeof *in->keep_words);
    if (!in->keep || !in->keep_first_word || !in->keep_words)
        return false;
    find_keep_words(in);
    for (uint32_t set = 0; set < m->dead_sets.count; set++) {
        uint32_t process = m->dead_sets.item[set], words = in->keep_words[process];
        if (!(in->keep[set] = malloc(((size_t)words + 1) * sizeof **in->keep)))
            return false;
        memset(in->keep[set], 0xff, words * sizeof **in->keep);
        for_list (cell, in->derived->dead_cells, set) {
            const struct field *field = &in->packed.layout.field[*cell];
            in->keep[set][field->word - in->keep_first_word[process]] &= ~(field->mask << field->shift);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------ making */

static bool make_arrivals(struct instance *in)
{
    const struct model *m = in->model;
    in->arrivals = calloc(m->locations.count + 1, sizeof *in->arrivals);
    for (uint32_t i = 0; in->arrivals && i < m->locations.count; i++) {
        const struct location *l = &m->locations.item[i];
        const struct process *p = &m->processes.item[l->process];
        const struct field *field = &in->packed.layout.field[p->location_cell];
        in->arrivals[i] = (struct arrival){.keep = ~(field->mask << field->shift),
                                           .bits = (uint64_t)(i - p->first_location - field->low) << field->shift,
                                           .word = field->word,
                                           .live = l->live,
                                           .dead = l->dead};
    }
    return in->arrivals;
}

/* Narrow cells first: what becomes wider moves behind others of its new width, and of the rest each group moves as one.
 * The layout follows from the widths alone, not from which of them grew first: so processes that have met the same
 * values have the same one. */
static void put_in_order(const struct range *ranges, uint32_t cells, uint32_t *order)
{
    enum { WIDTHS = 65 };
    uint32_t count = 0;
    for (uint8_t bits = 0; bits < WIDTHS && count < cells; bits++)
        for (uint32_t i = 0; i < cells; i++)
            if (bits_for((uint64_t)ranges[i].high - (uint64_t)ranges[i].low) == bits)
                order[count++] = i;
}

bool instance_make(struct instance *in, const struct derived *d, bool compact)
{
    *in = (struct instance){.derived = d, .model = d->model, .is_compact = compact};
    uint32_t cells = (uint32_t)d->model->cells.count;
    struct range *ranges = in->packed.ranges = calloc((size_t)cells + 1, sizeof *ranges);
    in->order = calloc((size_t)cells + 1, sizeof *in->order);
    if (compact)
        in->packed.opened = &d->widest->packed;
    if (!ranges || !in->order)
        return false;
    for (uint32_t i = 0; i < cells; i++)
        ranges[i] = first_range(in, i);
    put_in_order(ranges, cells, in->order);
    return layout_make(&in->packed.layout, ranges, cells, in->order) && make_arrivals(in) && make_masks(in) &&
           guards_make(in) && quick_make(in);
}

static void clear_layout(struct instance *in)
{
    quick_clear(in);
    free(in->guards);
    for (uint32_t set = 0; in->keep && set < in->model->dead_sets.count; set++)
        free(in->keep[set]);
    free(in->keep);
    free(in->keep_first_word);
    free(in->keep_words);
    free(in->arrivals);
    layout_clear(&in->packed.layout);
    conversion_clear(&in->packed.conversion);
}

void instance_clear(struct instance *in)
{
    clear_layout(in);
    free(in->packed.ranges);
    free(in->order);
}

/* All of it or nothing: traces are replayed even when memory does not suffice for a wider layout. */
bool instance_widen(struct instance *in)
{
    enum { PATIENCE = 16 }; /* cells are fewer than places, and each has its own width: alike ones are widened late */
    const struct derived *d = in->derived;
    struct packed *packed = &in->packed;
    uint32_t times = packed->widenings++ / PATIENCE, cells = packed->layout.fields;
    ranges_widen(packed->ranges, d->limits, cells, misfit.field, misfit.value, times, d->alike);
    put_in_order(packed->ranges, cells, in->order);
    struct instance wider = {
        .packed = {.opened = packed->opened, .ranges = packed->ranges, .widenings = packed->widenings},
        .derived = d,
        .model = in->model,
        .is_compact = in->is_compact,
        .without_stops = in->without_stops,
        .order = in->order,
        .quickening = in->quickening};
    bool fine = layout_make(&wider.packed.layout, packed->ranges, cells, in->order) &&
                conversion_make(&wider.packed.conversion, &packed->layout, &wider.packed.layout, in->order) &&
                make_arrivals(&wider) && make_masks(&wider) && guards_make(&wider) && quick_make(&wider);
    clear_layout(fine ? in : &wider);
    if (fine)
        *in = wider;
    return fine;
}
