/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms that are multisets: the inscriptions of arcs, and initial markings.  A multiset becomes a sum of rows, each
 * with a number in front, which is negative for what is subtracted.  An entry of a row is a value, or stands for all
 * values of its sort.  A tuple of sums is the sum of all tuples.
 */
#include "base/limits.h"
#include "front/petri/net.h"
#include "front/symmetric/reading.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1000000 };

struct entry {
    struct node *value;            /* NULL: ... */
    const struct colour_type *all; /* ... all values of this */
};

struct row {
    int64_t number;
    struct entry *entries; /* in the arena */
    uint32_t count;
};

typedef VECTOR(struct row) sum;

static bool push(struct reading *reading, const struct term *term, sum *rows, struct row row)
{
    if (rows->count == MOST_ROWS)
        return term_wrong(reading, term, "a multiset is a sum of more than %d terms", MOST_ROWS);
    return vector_push(rows, row) && !limits_reached() ? true : xml_no_memory(&reading->walk->cursor);
}

static struct row new_row(struct reading *reading, uint32_t count)
{
    return (struct row){
        .number = 1, .count = count, .entries = reading_get(reading, (count + 1) * sizeof(struct entry))};
}

static bool sum_of(struct reading *reading, const struct term *term, sum *rows);

/* All rows of a, each followed by one of b. */
static bool multiply(struct reading *reading, const struct term *term, const sum *a, const sum *b, sum *product)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            const struct row *left = &a->item[i], *right = &b->item[j];
            struct row row = new_row(reading, left->count + right->count);
            if (!row.entries)
                return false;
            memcpy(row.entries, left->entries, left->count * sizeof *row.entries);
            memcpy(row.entries + left->count, right->entries, right->count * sizeof *row.entries);
            if (__builtin_mul_overflow(left->number, right->number, &row.number))
                return term_wrong(reading, term, "the number of tokens is too large");
            if (!push(reading, term, product, row))
                return false;
        }
    return true;
}

static bool sum_of_tuple(struct reading *reading, const struct term *term, sum *rows)
{
    sum before = {0};
    struct row empty = new_row(reading, 0);
    bool fine = empty.entries && check_children(reading, term, 1, SIZE_MAX) && push(reading, term, &before, empty);
    for (const struct term *child = term->children; fine && child; child = child->next) {
        sum entry = {0}, longer = {0};
        fine = sum_of(reading, child, &entry) && multiply(reading, term, &before, &entry, &longer);
        free(entry.item);
        free(before.item);
        before = longer;
    }
    for (size_t i = 0; fine && i < before.count; i++)
        fine = push(reading, term, rows, before.item[i]);
    free(before.item);
    return fine;
}

static bool sum_of_all(struct reading *reading, const struct term *term, sum *rows)
{
    struct sort sort;
    if (!check_children(reading, term, 1, 1) || !resolve_sort(reading, term->children, &sort))
        return false;
    struct row row = new_row(reading, sort.count);
    for (uint32_t i = 0; row.entries && i < sort.count; i++)
        row.entries[i].all = sort.parts[i];
    return row.entries && push(reading, term, rows, row);
}

static bool sum_of_value(struct reading *reading, const struct term *term, sum *rows)
{
    node_list scalars = {0};
    bool fine = value_of(reading, term, &scalars);
    struct row row = {0};
    if (fine)
        row = new_row(reading, (uint32_t)scalars.count);
    for (size_t i = 0; row.entries && i < scalars.count; i++)
        row.entries[i].value = scalars.item[i];
    free(scalars.item);
    return row.entries && push(reading, term, rows, row);
}

/* Rows from the given one on, times a number. */
static bool scale(struct reading *reading, const struct term *term, sum *rows, size_t from, int64_t factor)
{
    for (size_t i = from; i < rows->count; i++)
        if (__builtin_mul_overflow(rows->item[i].number, factor, &rows->item[i].number))
            return term_wrong(reading, term, "the number of tokens is too large");
    return true;
}

/* add: all of them; subtract: the second one less. */
static bool sum_of_sums(struct reading *reading, const struct term *term, sum *rows)
{
    bool subtracts = term_is(term, "subtract");
    if (!check_children(reading, term, subtracts ? 2 : 1, subtracts ? 2 : SIZE_MAX))
        return false;
    for (const struct term *child = term->children; child; child = child->next) {
        size_t from = rows->count;
        if (!sum_of(reading, child, rows) ||
            !scale(reading, term, rows, from, subtracts && child != term->children ? -1 : 1))
            return false;
    }
    return true;
}

/* A number of something; without the number it is one. */
static bool sum_of_number(struct reading *reading, const struct term *term, sum *rows)
{
    int64_t number = 1;
    size_t from = rows->count;
    if (!check_children(reading, term, 1, 2))
        return false;
    const struct term *what = term->children;
    if (what->next) {
        if (!term_is(what, "numberconstant"))
            return term_wrong(reading, what, "found <%s> where <numberconstant> is expected",
                              xml_quote(what->element).text);
        if (!term_number(reading, what, "value", what->value, &number))
            return false;
        if (number < 0)
            return term_wrong(reading, what, "a number of tokens is negative");
        what = what->next;
    }
    return sum_of(reading, what, rows) && scale(reading, term, rows, from, number);
}

static bool sum_of(struct reading *reading, const struct term *term, sum *rows)
{
    if (term_is(term, "empty"))
        return true;
    if (term_is(term, "add") || term_is(term, "subtract"))
        return sum_of_sums(reading, term, rows);
    if (term_is(term, "numberof") || term_is(term, "scalarproduct"))
        return sum_of_number(reading, term, rows);
    if (term_is(term, "all"))
        return sum_of_all(reading, term, rows);
    if (term_is(term, "tuple"))
        return sum_of_tuple(reading, term, rows);
    return sum_of_value(reading, term, rows);
}

/* ------------------------------------------------------------------ labels */

static bool check_row(struct reading *reading, const struct term *term, const struct row *row,
                      const struct sort *domain)
{
    if (row->count != domain->count)
        return term_wrong(reading, term, "a token has %u parts, but its place has tokens of %u", row->count,
                          domain->count);
    for (uint32_t i = 0; i < row->count; i++) {
        const struct colour_type *type = row->entries[i].all ? row->entries[i].all : row->entries[i].value->colour;
        if (!is_same_type(type, domain->parts[i]))
            return term_wrong(reading, term, "found a value of the sort %s where one of %s is expected",
                              xml_quote(type->name).text, xml_quote(domain->parts[i]->name).text);
    }
    return true;
}

/* A variable that goes through all values; its node. */
static struct node *iterate(struct reading *reading, const struct term *term, const struct colour_type *type,
                            struct iterator ***end)
{
    struct iterator *iterator = reading_get(reading, sizeof *iterator);
    struct node *node = iterator ? new_node(reading, term, NODE_LOCAL, type) : NULL;
    if (!node)
        return NULL;
    *iterator = (struct iterator){.name = "all", .colour = type, .local = reading->frame, .place = NO_PLACE};
    node->value = reading->frame++;
    **end = iterator;
    *end = &iterator->next;
    return node;
}

/* Variables that stand alone in what an arc takes get their values from tokens. */
static void note_bound(struct reading *reading, const struct row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        for (size_t v = 0; v < reading->variables.count; v++) {
            struct variable_used *used = &reading->variables.item[v];
            const struct node *value = row->entries[i].value;
            if (value && value->kind == NODE_LOCAL && value->value == used->variable.local)
                used->is_bound = true;
        }
}

static struct arc_term *term_of_row(struct reading *reading, const struct term *term, const struct row *row,
                                    bool is_epsilon)
{
    struct arc_term *made = reading_get(reading, sizeof *made);
    if (!made)
        return NULL;
    struct iterator **iterators = &made->iterators;
    struct node **tuple = &made->tuple;
    made->at = (struct position){.line = term->spot.line, .column = 1};
    made->is_subtracted = row->number < 0;
    for (uint32_t i = 0; !is_epsilon && i < row->count; i++) {
        const struct entry *entry = &row->entries[i];
        struct node *node =
            entry->all ? iterate(reading, term, entry->all, &iterators) : new_node(reading, term, NODE_NUMBER, NULL);
        if (!node)
            return NULL;
        if (!entry->all)
            *node = *entry->value; /* a value may stand in several rows, and each list has its own nodes */
        node->next = NULL;
        *tuple = node;
        tuple = &node->next;
    }
    if (row->number != 1 && row->number != -1) {
        if (!(made->multiplicity = new_node(reading, term, NODE_NUMBER, NULL)))
            return NULL;
        made->multiplicity->value = row->number < 0 ? -row->number : row->number;
    }
    return made;
}

bool label_of(struct reading *reading, const struct term *term, const struct place_read *place, bool binds,
              struct arc_term **label)
{
    sum rows = {0};
    bool is_epsilon = place->domain.count == 1 && place->domain.parts[0] == reading->dot;
    bool fine = sum_of(reading, term, &rows);
    for (size_t i = 0; fine && i < rows.count; i++) {
        const struct row *row = &rows.item[i];
        fine = check_row(reading, term, row, &place->domain);
        if (!fine || row->number == 0)
            continue;
        if (row->number > NET_MAX_TOKENS || row->number < -NET_MAX_TOKENS) {
            fine = term_wrong(reading, term, "the number of tokens is too large");
            break;
        }
        if (binds && row->number > 0)
            note_bound(reading, row);
        *label = term_of_row(reading, term, row, is_epsilon);
        fine = *label != NULL;
        label = fine ? &(*label)->next : label;
    }
    free(rows.item);
    return fine;
}
