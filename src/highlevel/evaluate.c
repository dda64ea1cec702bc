/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating expressions of high-level nets: a walk over the tree, of limited depth. */
#include "highlevel/evaluator.h"

#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------- memory and failures */

struct stack_chunk {
    struct stack_chunk *before, *after;
    size_t size;
    int64_t cells[];
};

struct evaluator {
    struct stack_chunk *first, *chunk;
    size_t used; /* cells of the present chunk */
    uint32_t depth;
};

enum {
    CHUNK_CELLS = 1000,
    DEEPEST = 6000, /* a level takes some hundred bytes of the thread's stack */
    SPINE = 16
};

const char outside_type[] = "the value is outside the range of its type";
static const char out_of_memory[] = "out of memory or a limit was reached";

bool evaluation_fail(struct colour_evaluation *e, const struct node *at, const char *why)
{
    if (!e->failure) {
        e->failure = why;
        e->failed_at = at;
    }
    return false;
}

static bool fail_for_memory(struct colour_evaluation *e)
{
    e->is_out_of_memory = true;
    return evaluation_fail(e, NULL, out_of_memory);
}

bool evaluation_may_go_on(struct colour_evaluation *e)
{
    return limits_reached() ? fail_for_memory(e) : true;
}

static struct evaluator *evaluator_of(struct colour_evaluation *e)
{
    if (!e->stack && !(e->stack = calloc(1, sizeof(struct evaluator))))
        fail_for_memory(e);
    return e->stack;
}

bool evaluation_nest(struct colour_evaluation *e, const struct node *at)
{
    struct evaluator *own = evaluator_of(e);
    if (!own)
        return false;
    if (own->depth == DEEPEST)
        return evaluation_fail(e, at, "calls are nested too deeply");
    own->depth++;
    return true;
}

void evaluation_unnest(struct colour_evaluation *e)
{
    ((struct evaluator *)e->stack)->depth--;
}

static bool add_chunk(struct colour_evaluation *e, struct evaluator *own, size_t cells)
{
    size_t size = cells > CHUNK_CELLS ? cells : CHUNK_CELLS;
    if (size > SIZE_MAX / sizeof(int64_t) / 2 || !limits_allow(size * sizeof(int64_t)))
        return fail_for_memory(e);
    struct stack_chunk *chunk = malloc(sizeof *chunk + size * sizeof(int64_t));
    if (!chunk)
        return fail_for_memory(e);
    *chunk = (struct stack_chunk){.before = own->chunk, .after = NULL, .size = size};
    *(own->chunk ? &own->chunk->after : &own->first) = chunk;
    own->chunk = chunk;
    return true;
}

/* The chunks behind the present one are kept for later, unless they are too small for what comes. */
static bool next_chunk(struct colour_evaluation *e, struct evaluator *own, size_t cells)
{
    struct stack_chunk *after = own->chunk ? own->chunk->after : own->first;
    if (after && after->size >= cells) {
        own->chunk = after;
        return true;
    }
    for (struct stack_chunk *next; after; after = next) {
        next = after->after;
        free(after);
    }
    *(own->chunk ? &own->chunk->after : &own->first) = NULL;
    return add_chunk(e, own, cells);
}

int64_t *stack_take(struct colour_evaluation *e, size_t cells)
{
    struct evaluator *own = evaluator_of(e);
    if (!own)
        return NULL;
    if (!own->chunk || own->chunk->size - own->used < cells) {
        if (!next_chunk(e, own, cells))
            return NULL;
        own->used = 0;
    }
    int64_t *taken = own->chunk->cells + own->used;
    own->used += cells;
    return memset(taken, 0, cells * sizeof *taken);
}

struct stack_mark stack_mark(const struct colour_evaluation *e)
{
    const struct evaluator *own = e->stack;
    return own ? (struct stack_mark){own->chunk, own->used} : (struct stack_mark){0};
}

void stack_release(struct colour_evaluation *e, struct stack_mark mark)
{
    struct evaluator *own = e->stack;
    if (!own)
        return;
    own->chunk = mark.chunk;
    own->used = mark.used;
}

void colour_evaluation_clear(struct colour_evaluation *e)
{
    struct evaluator *own = e->stack;
    struct stack_chunk *chunk = own ? own->first : NULL;
    for (struct stack_chunk *next; chunk; chunk = next) {
        next = chunk->after;
        free(chunk);
    }
    free(own);
    e->stack = NULL;
}

/* ------------------------------------------------------------------- scalars */

static int64_t operate(const struct node *node, int64_t a, int64_t b, struct colour_evaluation *e)
{
    int64_t result = 0;
    enum arithmetic how = arithmetic(node->operation, &INTEGER_64, a, b, &result);
    if (how != ARITHMETIC_FITS)
        evaluation_fail(e, node, arithmetic_words(how));
    return how == ARITHMETIC_FITS ? result : 0;
}

/* a operation b, when a is known: b is left out where a decides. */
static int64_t complete(const struct node *node, int64_t a, struct colour_evaluation *e)
{
    if (node->operation == OPERATION_AND && !a)
        return 0;
    if ((node->operation == OPERATION_OR && a) || (node->operation == OPERATION_IMPLIES && !a))
        return 1;
    int64_t b = colour_scalar(node->b, e);
    return e->failure ? 0 : operate(node, a, b, e);
}

/* A chain a + b + c ... is deep on its left: it costs one level for each SPINE operands. */
static int64_t binary(const struct node *node, struct colour_evaluation *e)
{
    const struct node *spine[SPINE];
    unsigned count = 0;
    if (!evaluation_nest(e, node))
        return 0;
    do {
        spine[count++] = node;
        node = node->a;
    } while (node->kind == NODE_BINARY && count < SPINE);
    int64_t value = colour_scalar(node, e);
    while (count > 0 && !e->failure)
        value = complete(spine[--count], value, e);
    evaluation_unnest(e);
    return e->failure ? 0 : value;
}

int64_t colour_scalar(const struct node *node, struct colour_evaluation *e)
{
    int64_t cell = 0;
    switch (node->kind) {
    case NODE_NUMBER: return node->value;
    case NODE_CONSTANT: return node->cells[0];
    case NODE_LOCAL: return e->frame[node->value];
    case NODE_BINARY: return binary(node, e);
    default: return colour_value(node, e, &cell) ? cell : 0;
    }
}

static bool unary(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    int64_t a = colour_scalar(node->a, e);
    *out = e->failure ? 0 : operate(node, 0, a, e);
    return !e->failure;
}

static bool equal(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const int64_t *a = colour_cells(node->a, e), *b = a ? colour_cells(node->b, e) : NULL;
    if (!b)
        return false;
    bool same = cells_compare(a, b, node->a->colour->cells) == 0;
    *out = same == (node->operation == OPERATION_EQUAL);
    return true;
}

/* One further, or one back. */
static bool neighbour(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    bool is_up = node->kind == NODE_SUCCESSOR;
    int64_t value = colour_scalar(node->a, e), last = is_up ? type->high : type->low;
    if (e->failure)
        return false;
    if (value != last) {
        *out = is_up ? value + 1 : value - 1;
        return true;
    }
    *out = is_up ? type->low : type->high;
    if (type_is_cyclic(type))
        return true;
    return evaluation_fail(e, node, is_up ? "the last value has no successor" : "the first value has no predecessor");
}

static bool part(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->a->colour;
    int64_t value = colour_scalar(node->a, e);
    if (e->failure)
        return false;
    if (value < type->low || (uint64_t)(value - type->low) >= type->partition.count)
        return evaluation_fail(e, node, "the value is in no part");
    *out = type->partition.item[value - type->low];
    return true;
}

/* --------------------------------------------------------------- conversions */

static bool convert_scalar(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    *out = colour_scalar(node->a, e);
    if (e->failure)
        return false;
    if (*out >= type->low && *out <= type->high)
        return true;
    if (!type_is_cyclic(type))
        return evaluation_fail(e, node, outside_type);
    __int128 size = (__int128)type->high - type->low + 1, from_low = ((__int128)*out - type->low) % size;
    *out = (int64_t)(type->low + (from_low < 0 ? from_low + size : from_low));
    return true;
}

static bool convert(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour, *from = node->a->colour;
    if (type->kind <= COLOUR_NAMED)
        return convert_scalar(node, e, out);
    const int64_t *cells = colour_cells(node->a, e);
    if (!cells)
        return false;
    bool is_container = type->kind == COLOUR_LIST || type->kind == COLOUR_SET;
    if (is_container && cells[0] > type->capacity)
        return evaluation_fail(e, node, "there are more elements than the type has room for");
    memset(out, 0, type->cells * sizeof *out);
    memcpy(out, cells, (from->cells < type->cells ? from->cells : type->cells) * sizeof *out);
    return colour_has(type, out) || evaluation_fail(e, node, outside_type);
}

/* --------------------------------------------------------------- everything */

static const int64_t *part_of_cells(const struct node *node, struct colour_evaluation *e)
{
    if (!evaluation_nest(e, node))
        return NULL;
    const int64_t *cells = colour_cells(node->a, e);
    evaluation_unnest(e);
    if (!cells || node->kind == NODE_FIELD)
        return cells ? cells + node->a->colour->fields.item[node->value].offset : NULL;
    size_t offset;
    return element_offset(node, cells, e, &offset) ? cells + offset : NULL;
}

const int64_t *colour_cells(const struct node *node, struct colour_evaluation *e)
{
    switch (node->kind) {
    case NODE_CONSTANT: return node->cells;
    case NODE_LOCAL: return e->frame + node->value;
    case NODE_FIELD:
    case NODE_ELEMENT: return part_of_cells(node, e);
    default: break;
    }
    int64_t *cells = stack_take(e, node->colour->cells);
    return cells && colour_value(node, e, cells) ? cells : NULL;
}

static bool copy_cells(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const int64_t *cells = colour_cells(node, e);
    if (cells)
        memmove(out, cells, node->colour->cells * sizeof *out);
    return cells;
}

static bool write_value(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_BINARY: *out = colour_scalar(node, e); return true;
    case NODE_UNARY: return unary(node, e, out);
    case NODE_CONSTANT:
    case NODE_LOCAL:
    case NODE_FIELD:
    case NODE_ELEMENT: return copy_cells(node, e, out);
    case NODE_EQUAL: return equal(node, e, out);
    case NODE_CONVERT: return convert(node, e, out);
    case NODE_SUCCESSOR:
    case NODE_PREDECESSOR: return neighbour(node, e, out);
    case NODE_CALL: return value_call(node, e, out);
    case NODE_MAKE: return value_make(node, e, out);
    case NODE_SLICE: return value_slice(node, e, out);
    case NODE_REPLACE:
    case NODE_SET_FIELD: return value_replace(node, e, out);
    case NODE_JOIN: return value_join(node, e, out);
    case NODE_MEMBER_OF: return value_member(node, e, out);
    case NODE_UNION:
    case NODE_INTERSECT:
    case NODE_WITHOUT: return value_of_sets(node, e, out);
    case NODE_ATTRIBUTE: return value_attribute(node, e, out);
    case NODE_ITERATION: return value_iteration(node, e, out);
    case NODE_PART: return part(node, e, out);
    default: return evaluation_fail(e, node, "this has no value");
    }
}

bool colour_value(const struct node *node, struct colour_evaluation *e, int64_t *cells)
{
    if (!evaluation_nest(e, node))
        return false;
    while (node->kind == NODE_CONDITIONAL && !e->failure)
        node = colour_scalar(node->a, e) ? node->b : node->c;
    struct stack_mark mark = stack_mark(e);
    bool fine = !e->failure && write_value(node, e, cells);
    stack_release(e, mark);
    evaluation_unnest(e);
    return fine && !e->failure;
}
