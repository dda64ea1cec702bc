/* SPDX-License-Identifier: Apache-2.0 */
/* The types of .lna: predefined ones, type and subtype declarations. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 1 << 20 }; /* of a value */

bool lna_is_scalar(const struct colour_type *type)
{
    return type->kind <= COLOUR_NAMED;
}

bool lna_is_number(const struct colour_type *type)
{
    return type->kind <= COLOUR_CYCLIC;
}

bool lna_is_container(const struct colour_type *type)
{
    return type->kind == COLOUR_LIST || type->kind == COLOUR_SET;
}

/* Types are known from here on by their names. */
struct colour_type *lna_new_type(struct parser *p, enum colour_kind kind, const char *name)
{
    struct colour_type *type;
    if (parser_get(p, sizeof *type, &type))
        return NULL;
    *type = (struct colour_type){.kind = kind, .name = name, .cells = 1, .root = type};
    return type;
}

static enum portolan_status add_type(struct parser *p, struct colour_type *type)
{
    if (!p->status && !arena_push(p->arena, &p->syntax->types, type))
        p->status = fail_memory(p->error);
    return p->status;
}

static struct colour_type *new_range(struct parser *p, const char *name, const struct colour_type *root, int64_t low,
                                     int64_t high)
{
    struct colour_type *type = lna_new_type(p, COLOUR_RANGE, name);
    if (!type)
        return NULL;
    type->low = low;
    type->high = high;
    type->root = root ? root : type;
    add_type(p, type);
    return type;
}

enum portolan_status lna_predefine_types(struct parser *p)
{
    static const char *const truths[] = {"false", "true"};
    const struct colour_type *integer = p->syntax->integer = new_range(p, "int", NULL, INT32_MIN, INT32_MAX);
    new_range(p, "nat", integer, 0, INT32_MAX);
    new_range(p, "short", integer, INT16_MIN, INT16_MAX);
    new_range(p, "ushort", integer, 0, UINT16_MAX);
    struct colour_type *truth = lna_new_type(p, COLOUR_NAMED, "bool");
    if (!truth)
        return p->status;
    truth->high = 1;
    truth->names = truths;
    truth->is_cyclic = true;
    p->syntax->truth = truth;
    return add_type(p, truth);
}

/* ------------------------------------------------------------------- scalars */

static enum portolan_status read_bounds(struct parser *p, struct colour_type *type, const struct colour_type *of)
{
    struct position at = p->lexer->token.at;
    struct node *low = NULL, *high = NULL;
    lna_read_range(p, &low, &high);
    type->low = lna_static_number(p, &low, of);
    type->high = lna_static_number(p, &high, of);
    if (type->low > type->high)
        parser_fail(p, &at, "the range %lld .. %lld is empty", (long long)type->low, (long long)type->high);
    return p->status;
}

static enum portolan_status read_modulus(struct parser *p, struct colour_type *type)
{
    struct node *modulus = NULL;
    parser_advance(p);
    parse_expression(p, &modulus);
    type->kind = COLOUR_CYCLIC;
    type->high = lna_static_number(p, &modulus, NULL) - 1;
    if (!p->status && type->high < 0)
        parser_fail(p, &modulus->at, "a modulus must be at least 1");
    return p->status;
}

static enum portolan_status read_enumeration(struct parser *p, struct colour_type *type)
{
    VECTOR(const char *) names = {0};
    parser_advance(p);
    parser_expect(p, "(", "'('");
    type->kind = COLOUR_NAMED;
    type->is_cyclic = true; /* the first value follows the last one */
    do {
        struct position at = p->lexer->token.at;
        const char *name = NULL;
        int64_t before;
        if (parser_new_name(p, "the name of a value", &name))
            return p->status;
        if (names.count > 0 && lna_find_value(type, name, &before))
            return lna_declared_twice(p, &at, "value", name);
        if (!arena_push(p->arena, &names, name))
            return p->status = fail_memory(p->error);
        type->names = names.item;
        type->high = (int64_t)names.count - 1;
    } while (parser_take(p, ","));
    return parser_expect(p, ")", "',' or ')'");
}

/* ---------------------------------------------------------------- composites */

static enum portolan_status set_cells(struct parser *p, const struct position *at, struct colour_type *type,
                                      uint64_t cells)
{
    if (cells > MOST_CELLS)
        return parser_fail(p, at, "a value of this type takes more than %d numbers", MOST_CELLS);
    type->cells = (uint32_t)cells;
    return p->status;
}

/* Its name is that of a scalar type, too. */
static const struct colour_type *read_index_type(struct parser *p)
{
    struct position at = p->lexer->token.at;
    const struct colour_type *type = lna_read_type_name(p);
    if (type && !lna_is_scalar(type))
        parser_fail(p, &at, "the type of an index must be discrete, and '%.64s' is not", type->name);
    return p->status ? NULL : type;
}

static enum portolan_status read_vector(struct parser *p, struct colour_type *type)
{
    struct position at = p->lexer->token.at;
    uint64_t elements = 1;
    parser_advance(p);
    parser_expect(p, "[", "'['");
    do {
        const struct colour_type *index = read_index_type(p);
        if (!index)
            return p->status;
        uint64_t size = (uint64_t)(index->high - index->low) + 1;
        elements = size > MOST_CELLS || elements > MOST_CELLS ? (uint64_t)MOST_CELLS + 1 : elements * size;
        if (!arena_push(p->arena, &type->indexes, index))
            return p->status = fail_memory(p->error);
    } while (parser_take(p, ","));
    parser_expect(p, "]", "',' or ']'");
    parser_expect_word(p, "of");
    type->kind = COLOUR_VECTOR;
    type->of = lna_read_type_name(p);
    return type->of ? set_cells(p, &at, type, elements * type->of->cells) : p->status;
}

static enum portolan_status add_field(struct parser *p, const struct position *at, struct colour_type *type,
                                      const char *name, const struct colour_type *of)
{
    if (!arena_push(p->arena, &type->fields, ((struct colour_field){name, of, type->cells})))
        return p->status = fail_memory(p->error);
    return set_cells(p, at, type, (uint64_t)type->cells + of->cells);
}

static enum portolan_status read_struct(struct parser *p, struct colour_type *type)
{
    parser_advance(p);
    parser_expect(p, "{", "'{'");
    type->kind = COLOUR_STRUCT;
    type->cells = 0;
    do {
        const struct colour_type *of = lna_read_type_name(p);
        struct position at = p->lexer->token.at;
        const char *name = NULL;
        if (parser_new_name(p, "the name of a component", &name))
            return p->status;
        for (size_t i = 0; i < type->fields.count; i++)
            if (strcmp(type->fields.item[i].name, name) == 0)
                return lna_declared_twice(p, &at, "component", name);
        add_field(p, &at, type, name, of);
        parser_expect(p, ";", "';'");
    } while (!p->status && !parser_is(p, "}"));
    return parser_expect(p, "}", "'}'");
}

/* of T with capacity e */
static enum portolan_status read_elements(struct parser *p, struct colour_type *type, enum colour_kind kind)
{
    struct node *capacity = NULL;
    struct position at = p->lexer->token.at;
    parser_expect_word(p, "of");
    type->kind = kind;
    type->of = lna_read_type_name(p);
    parser_expect_word(p, "with");
    parser_expect_word(p, "capacity");
    parse_expression(p, &capacity);
    int64_t most = lna_static_number(p, &capacity, NULL);
    if (!p->status && (most < 1 || most > MOST_CELLS))
        return parser_fail(p, &capacity->at, "a capacity must be between 1 and %d", MOST_CELLS);
    if (p->status)
        return p->status;
    type->capacity = (uint32_t)most;
    return set_cells(p, &at, type, 1 + (uint64_t)most * type->of->cells);
}

static enum portolan_status read_list(struct parser *p, struct colour_type *type)
{
    parser_advance(p);
    parser_expect(p, "[", "'['");
    const struct colour_type *index = read_index_type(p);
    parser_expect(p, "]", "']'");
    if (!p->status && !arena_push(p->arena, &type->indexes, index))
        p->status = fail_memory(p->error);
    return read_elements(p, type, COLOUR_LIST);
}

static enum portolan_status read_set(struct parser *p, struct colour_type *type)
{
    parser_advance(p);
    return read_elements(p, type, COLOUR_SET);
}

const struct colour_type *lna_tuple_type(struct parser *p, const struct colour_place *place)
{
    struct colour_type *type = lna_new_type(p, COLOUR_STRUCT, place->name);
    char number[16];
    if (type)
        type->cells = 0;
    for (size_t i = 0; i < place->domain.count && !p->status; i++) {
        int length = snprintf(number, sizeof number, "%zu", i + 1);
        const char *name = arena_copy(p->arena, number, (size_t)length);
        if (name)
            add_field(p, &place->at, type, name, place->domain.item[i]);
        else
            p->status = fail_memory(p->error);
    }
    return p->status ? NULL : type;
}

/* -------------------------------------------------------------- declarations */

static enum portolan_status read_range_type(struct parser *p, struct colour_type *type)
{
    return read_bounds(p, type, NULL);
}

static enum portolan_status read_definition(struct parser *p, struct colour_type *type)
{
    static const struct {
        const char *word;
        enum portolan_status (*read)(struct parser *p, struct colour_type *type);
    } kinds[] = {{"range", read_range_type}, {"mod", read_modulus}, {"enum", read_enumeration}, {"vector", read_vector},
                 {"struct", read_struct},    {"list", read_list},   {"set", read_set}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (parser_is(p, kinds[i].word))
            return kinds[i].read(p, type);
    return parser_expected(p, "range, mod, enum, vector, struct, list or set");
}

/* NAME : */
static struct colour_type *begin_type(struct parser *p)
{
    struct position at = p->lexer->token.at;
    const char *name = NULL;
    parser_new_name(p, "the name of a type", &name);
    if (!p->status && lna_find_type(p, name))
        lna_declared_twice(p, &at, "type", name);
    parser_expect(p, ":", "':'");
    return lna_new_type(p, COLOUR_RANGE, name);
}

enum portolan_status lna_read_type(struct parser *p)
{
    struct colour_type *type = begin_type(p);
    if (!type || read_definition(p, type))
        return p->status;
    parser_expect(p, ";", "';'");
    return add_type(p, type);
}

enum portolan_status lna_read_subtype(struct parser *p)
{
    struct colour_type *type = begin_type(p);
    struct position at = p->lexer->token.at;
    const struct colour_type *parent = lna_read_type_name(p);
    if (!type || !parent)
        return p->status;
    if (!lna_is_scalar(parent))
        return parser_fail(p, &at, "only discrete types have subtypes");
    const char *name = type->name;
    *type = *parent;
    type->name = name;
    if (parser_is(p, "range")) {
        type->is_cyclic = false;
        type->kind = parent->kind == COLOUR_CYCLIC ? COLOUR_RANGE : parent->kind;
        type->names = NULL;
        at = p->lexer->token.at;
        if (!read_bounds(p, type, parent) && (type->low < parent->low || type->high > parent->high))
            parser_fail(p, &at, "the range goes beyond '%.64s'", parent->name);
        if (parent->kind == COLOUR_NAMED && !p->status)
            type->names = parent->names + (type->low - parent->low);
    }
    parser_expect(p, ";", "';'");
    return add_type(p, type);
}
