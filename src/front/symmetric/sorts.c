/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a symmetric net: sorts, their constants, variables, partitions. */
#include "front/symmetric/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a sort has at most: a value is a row of so many scalars, a range or enumeration has so many values. */
enum { MOST_PARTS = 64, MOST_VALUES = 1 << 24 };

bool is_same_type(const struct colour_type *a, const struct colour_type *b)
{
    return a == b || a->root == b->root ||
           (a->kind == COLOUR_RANGE && b->kind == COLOUR_RANGE && a->low == b->low && a->high == b->high);
}

bool term_number(struct reading *reading, const struct term *term, const char *attribute, const char *text,
                 int64_t *number)
{
    char *end = NULL;
    if (!text)
        return term_wrong(reading, term, "<%s> has no %s", xml_quote(term->element).text, attribute);
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value > INT32_MAX || value < -INT32_MAX)
        return term_wrong(reading, term, "'%s' is not a number of at most %d", xml_quote(text).text, INT32_MAX);
    *number = value;
    return true;
}

/* ------------------------------------------------------------------ types */

static struct colour_type *new_type(struct reading *reading, enum colour_kind kind, const char *name, int64_t low,
                                    int64_t high)
{
    struct colour_type *type = reading_get(reading, sizeof *type);
    if (type)
        *type = (struct colour_type){.kind = kind, .name = name, .cells = 1, .low = low, .high = high, .root = type};
    return type;
}

static const struct colour_type *named_type(struct reading *reading, const char *name, const char *const *names,
                                            int64_t count)
{
    struct colour_type *type = new_type(reading, COLOUR_NAMED, name, 0, count - 1);
    if (type)
        type->names = names;
    return type;
}

const struct colour_type *range_type(struct reading *reading, const struct term *term)
{
    int64_t low, high;
    if (!term_number(reading, term, "start", term->start, &low) || !term_number(reading, term, "end", term->end, &high))
        return NULL;
    if (low > high || high - low >= MOST_VALUES) {
        term_wrong(reading, term, "a range from %" PRId64 " to %" PRId64 " %s", low, high,
                   low > high ? "is empty" : "has too many values");
        return NULL;
    }
    return new_type(reading, COLOUR_RANGE, "range", low, high);
}

static bool is_enumeration(const struct term *term)
{
    return term_is(term, "cyclicenumeration") || term_is(term, "finiteenumeration");
}

/* ------------------------------------------------------------------ what is declared */

static struct declared *declare(struct reading *reading, enum declared_kind kind, struct term *term)
{
    uint32_t number;
    if (!term->id || !*term->id) {
        term_wrong(reading, term, "<%s> has no id", xml_quote(term->element).text);
        return NULL;
    }
    if (names_find(&reading->ids, term->id, &number)) {
        term_wrong(reading, term, "the id '%s' is declared twice", xml_quote(term->id).text);
        return NULL;
    }
    struct declared declared = {.kind = kind, .term = term};
    if (names_add(&reading->ids, term->id, &number) && vector_push(&reading->declared, declared))
        return &reading->declared.item[number];
    xml_no_memory(&reading->walk->cursor);
    return NULL;
}

static const char *shown_name(const struct term *term)
{
    return term->name && *term->name ? term->name : term->id;
}

static bool set_sort(struct reading *reading, struct sort *sort, const struct colour_type *type)
{
    const struct colour_type **parts = type ? reading_get(reading, sizeof(struct colour_type *)) : NULL;
    if (!parts)
        return false;
    parts[0] = type;
    *sort = (struct sort){parts, 1};
    return true;
}

/* The constants `element` in a list, which are numbered in order; each is declared with the type. */
static bool declare_constants(struct reading *reading, struct term *list, const char *element, struct colour_type *type)
{
    VECTOR(const char *) names = {0};
    for (struct term *term = list; term; term = term->next) {
        if (!term_is(term, element))
            return term_wrong(reading, term, "found <%s> where <%s> is expected", xml_quote(term->element).text,
                              element);
        struct declared *constant = declare(reading, DECLARED_CONSTANT, term);
        if (!constant || !set_sort(reading, &constant->sort, type))
            return false;
        constant->value = (int64_t)names.count;
        constant->progress = RESOLVED;
        if (!arena_push(reading->net->arena, &names, shown_name(term)))
            return xml_no_memory(&reading->walk->cursor);
    }
    type->names = names.item;
    type->high = (int64_t)names.count - 1;
    return true;
}

static bool declare_enumeration(struct reading *reading, struct term *declaration, struct term *enumeration)
{
    struct declared *declared = declare(reading, DECLARED_SORT, declaration);
    struct colour_type *type = declared ? new_type(reading, COLOUR_NAMED, shown_name(declaration), 0, 0) : NULL;
    if (!type || !set_sort(reading, &declared->sort, type))
        return false;
    declared->progress = RESOLVED;
    type->is_cyclic = term_is(enumeration, "cyclicenumeration");
    if (!enumeration->children)
        return term_wrong(reading, enumeration, "the enumeration has no values");
    return declare_constants(reading, enumeration->children, "feconstant", type);
}

/* A partition's elements are constants of a sort of its own. */
static bool declare_partition(struct reading *reading, struct term *term)
{
    struct declared *declared = declare(reading, DECLARED_PARTITION, term);
    if (!declared || !check_children(reading, term, 2, SIZE_MAX))
        return false;
    struct colour_type *type = new_type(reading, COLOUR_NAMED, shown_name(term), 0, 0);
    return type && set_sort(reading, &declared->sort, type) &&
           declare_constants(reading, term->children->next, "partitionelement", type);
}

static bool declare_one(struct reading *reading, struct term *term)
{
    if (term_is(term, "namedsort")) {
        if (!check_children(reading, term, 1, 1))
            return false;
        return is_enumeration(term->children) ? declare_enumeration(reading, term, term->children)
                                              : declare(reading, DECLARED_SORT, term) != NULL;
    }
    if (term_is(term, "variabledecl"))
        return check_children(reading, term, 1, 1) && declare(reading, DECLARED_VARIABLE, term);
    if (term_is(term, "partition"))
        return declare_partition(reading, term);
    return term_wrong(reading, term, "<%s> is not supported: it does not belong to symmetric nets",
                      xml_quote(term->element).text);
}

/* ------------------------------------------------------------------ resolving */

struct declared *find_declared(struct reading *reading, const struct term *term, enum declared_kind kind)
{
    static const char *const words[] = {[DECLARED_SORT] = "sort",
                                        [DECLARED_VARIABLE] = "variable",
                                        [DECLARED_CONSTANT] = "constant",
                                        [DECLARED_PARTITION] = "partition"};
    uint32_t number;
    struct declared *found = NULL;
    if (!term->refers_to)
        term_wrong(reading, term, "<%s> does not say which %s it means", xml_quote(term->element).text, words[kind]);
    else if (!names_find(&reading->ids, term->refers_to, &number))
        term_wrong(reading, term, "the %s '%s' is not declared", words[kind], xml_quote(term->refers_to).text);
    else if (reading->declared.item[number].kind != kind)
        term_wrong(reading, term, "'%s' is a %s, not a %s", xml_quote(term->refers_to).text,
                   words[reading->declared.item[number].kind], words[kind]);
    else
        found = &reading->declared.item[number];
    return found;
}

/* A product: the parts of its sorts, one after the other. */
static bool join_sorts(struct reading *reading, const struct term *product, struct sort *sort)
{
    const struct colour_type **parts = reading_get(reading, MOST_PARTS * sizeof(struct colour_type *));
    uint32_t count = 0;
    if (!parts)
        return false;
    for (const struct term *term = product->children; term; term = term->next) {
        struct sort part;
        if (!resolve_sort(reading, term, &part))
            return false;
        if (count + part.count > MOST_PARTS)
            return term_wrong(reading, term, "a product has more than %d parts", MOST_PARTS);
        for (uint32_t i = 0; i < part.count; i++)
            parts[count++] = part.parts[i];
    }
    *sort = (struct sort){parts, count};
    return count > 0 || term_wrong(reading, product, "a product has no parts");
}

static bool resolve_user_sort(struct reading *reading, const struct term *term, struct sort *sort)
{
    struct declared *declared = find_declared(reading, term, DECLARED_SORT);
    if (!declared)
        return false;
    if (declared->progress == BEING_RESOLVED)
        return term_wrong(reading, term, "the sort '%s' is defined by itself", xml_quote(term->refers_to).text);
    if (declared->progress == NOT_RESOLVED) {
        declared->progress = BEING_RESOLVED;
        if (!resolve_sort(reading, declared->term->children, &declared->sort))
            return false;
        declared->progress = RESOLVED;
    }
    *sort = declared->sort;
    return true;
}

bool resolve_sort(struct reading *reading, const struct term *term, struct sort *sort)
{
    if (term_is(term, "usersort"))
        return resolve_user_sort(reading, term, sort);
    if (term_is(term, "dot"))
        return set_sort(reading, sort, reading->dot);
    if (term_is(term, "bool"))
        return set_sort(reading, sort, reading->boolean);
    if (term_is(term, "finiteintrange"))
        return set_sort(reading, sort, range_type(reading, term));
    if (term_is(term, "productsort"))
        return join_sorts(reading, term, sort);
    return term_wrong(reading, term, "the sort <%s> is not supported: it does not belong to symmetric nets",
                      xml_quote(term->element).text);
}

/* ------------------------------------------------------------------ partitions */

/* The value of the sort that an element of a partition lists. */
static bool listed_value(struct reading *reading, const struct term *term, const struct colour_type *type,
                         int64_t *value)
{
    const struct colour_type *found = NULL;
    if (term_is(term, "useroperator")) {
        const struct declared *constant = find_declared(reading, term, DECLARED_CONSTANT);
        if (!constant)
            return false;
        found = constant->sort.parts[0];
        *value = constant->value;
    } else if (term_is(term, "finiteintrangeconstant") && term->children) {
        found = range_type(reading, term->children);
        if (!found || !term_number(reading, term, "value", term->value, value))
            return false;
    }
    if (found && is_same_type(found, type) && *value >= type->low && *value <= type->high)
        return true;
    return term_wrong(reading, term, "this is not a value of the sort that is partitioned");
}

/* Notes for each value of the sort which part it is in. */
static bool resolve_partition(struct reading *reading, struct declared *partition)
{
    struct sort sort;
    const struct term *term = partition->term;
    if (!resolve_sort(reading, term->children, &sort))
        return false;
    if (sort.count != 1)
        return term_wrong(reading, term, "a product cannot be partitioned");
    struct colour_type *cut = reading_get(reading, sizeof *cut);
    size_t values = (size_t)(sort.parts[0]->high - sort.parts[0]->low + 1);
    uint32_t *parts = cut ? reading_get(reading, values * sizeof *parts) : NULL;
    uint32_t part = 0;
    if (!parts)
        return false;
    memset(parts, 0xff, values * sizeof *parts);
    for (const struct term *element = term->children->next; element; element = element->next, part++)
        for (const struct term *listed = element->children; listed; listed = listed->next) {
            int64_t value;
            if (!listed_value(reading, listed, sort.parts[0], &value))
                return false;
            if (parts[value - sort.parts[0]->low] != UINT32_MAX)
                return term_wrong(reading, listed, "a value is in two parts of the partition");
            parts[value - sort.parts[0]->low] = part;
        }
    for (size_t i = 0; i < values; i++)
        if (parts[i] == UINT32_MAX)
            return term_wrong(reading, term, "a value of the sort is in no part of the partition");
    *cut = *sort.parts[0];
    cut->partition.item = parts;
    cut->partition.count = cut->partition.capacity = values;
    partition->cut = cut;
    return true;
}

static bool resolve_all(struct reading *reading)
{
    for (size_t i = 0; i < reading->declared.count; i++) {
        struct declared *declared = &reading->declared.item[i];
        struct term itself = {.element = "usersort", .refers_to = declared->term->id, .spot = declared->term->spot};
        bool fine = declared->kind == DECLARED_SORT ? resolve_user_sort(reading, &itself, &declared->sort)
                    : declared->kind == DECLARED_VARIABLE
                        ? resolve_sort(reading, declared->term->children, &declared->sort)
                    : declared->kind == DECLARED_PARTITION ? resolve_partition(reading, declared)
                                                           : true;
        if (!fine)
            return false;
    }
    return true;
}

bool read_declarations(struct reading *reading)
{
    static const char *const dots[] = {"dot"}, *const truths[] = {"false", "true"};
    reading->dot = named_type(reading, "dot", dots, 1);
    reading->boolean = named_type(reading, "bool", truths, 2);
    if (!reading->dot || !reading->boolean)
        return false;
    for (size_t i = 0; i < reading->declarations.count; i++) {
        const struct term *declarations = reading->declarations.item[i];
        if (!term_is(declarations, "declarations"))
            return term_wrong(reading, declarations, "found <%s> where <declarations> is expected",
                              xml_quote(declarations->element).text);
        for (struct term *term = declarations->children; term; term = term->next)
            if (!declare_one(reading, term))
                return false;
    }
    return resolve_all(reading);
}
