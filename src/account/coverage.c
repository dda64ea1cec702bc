/* SPDX-License-Identifier: Apache-2.0 */
/* Which code no execution has reached. */
#include "account/account.h"

#include <stdlib.h>
#include <string.h>

/* --- what there is */

static void add_statement(void *user, uint64_t start, uint64_t end, bool begins, const struct code_place *place)
{
    struct coverage *coverage = user;
    (void)end, (void)begins, (void)place;
    if (coverage->count < MOST_STATEMENTS)
        coverage->statements[coverage->count++] = start;
}

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void list_statements(const char *program, struct coverage *coverage)
{
    struct debuginfo *debuginfo = debuginfo_make();
    uint32_t kept = 0;
    if (!debuginfo)
        return;
    debuginfo_add(debuginfo, program, 0);
    debuginfo_ready(debuginfo);
    debuginfo_lines(debuginfo, add_statement, coverage);
    debuginfo_free(debuginfo);
    if (coverage->count == MOST_STATEMENTS) /* the rest is not known */
        coverage->count = 0;
    if (coverage->count)
        qsort(coverage->statements, coverage->count, sizeof *coverage->statements, compare_addresses);
    for (uint32_t i = 0; i < coverage->count; i++)
        if (!kept || coverage->statements[kept - 1] != coverage->statements[i])
            coverage->statements[kept++] = coverage->statements[i];
    coverage->count = kept;
}

/* --- what was reached */

struct line {
    char file[200];
    int number;
    bool reached, begins;
    bool is_of_function; /* of one that was never reached, which is told as a whole */
    uint64_t start;
};

struct piece {
    char name[120];
    uint64_t start, end;
    bool reached, has_code;
};

struct looking {
    const struct coverage *coverage;
    uint64_t base;
    VECTOR(struct line) lines;
    VECTOR(struct piece) pieces;
    bool fine;
};

/* Was it, and is it one of ours?  -1: it is none. */
static int is_reached(const struct looking *l, uint64_t address)
{
    const struct coverage *coverage = l->coverage;
    uint64_t wanted = address - l->base;
    const uint64_t *found = bsearch(&wanted, coverage->statements, coverage->count, sizeof wanted, compare_addresses);
    return found ? coverage->reached[found - coverage->statements] : -1;
}

static void look_at_line(void *user, uint64_t start, uint64_t end, bool begins, const struct code_place *place)
{
    struct looking *l = user;
    int reached = is_reached(l, start);
    struct line line = {.number = place->line, .reached = reached == 1, .begins = begins, .start = start};
    (void)end;
    if (reached < 0)
        return;
    snprintf(line.file, sizeof line.file, "%s", place->file);
    l->fine = l->fine && vector_push(&l->lines, line);
}

static int compare_starts(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The first line that begins at an address or behind it: they are in this order here. */
static size_t first_line(const struct looking *l, uint64_t address)
{
    size_t low = 0, high = l->lines.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->lines.item[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void look_at_function(void *user, const char *name, uint64_t start, uint64_t end)
{
    struct looking *l = user;
    struct piece piece = {.start = start, .end = end};
    for (size_t i = first_line(l, start); i < l->lines.count && l->lines.item[i].start < end; i++) {
        piece.has_code = true;
        piece.reached = piece.reached || l->lines.item[i].reached;
    }
    snprintf(piece.name, sizeof piece.name, "%s", name ? name : "");
    if (piece.has_code && name)
        l->fine = l->fine && vector_push(&l->pieces, piece);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->start < y->start ? -1 : x->start > y->start;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->number - y->number;
}

/* The lines of a function that was never reached are not told one by one. */
static void mark_lines(struct looking *l, const struct piece *piece, struct never *never)
{
    for (size_t i = first_line(l, piece->start); i < l->lines.count && l->lines.item[i].start < piece->end; i++) {
        struct line *line = &l->lines.item[i];
        line->is_of_function = true;
        if (never->file[0] && never->first <= line->number)
            continue;
        snprintf(never->file, sizeof never->file, "%s", line->file);
        never->first = never->last = line->number;
    }
}

/* A function is all of its pieces: itself, and where it was put into others. */
static bool sum_up_functions(struct looking *l, struct covered *covered)
{
    size_t next;
    if (l->pieces.count)
        qsort(l->pieces.item, l->pieces.count, sizeof *l->pieces.item, compare_pieces);
    for (size_t i = 0; i < l->pieces.count; i = next) {
        bool reached = false;
        struct never never = {.is_function = true};
        for (next = i; next < l->pieces.count && strcmp(l->pieces.item[next].name, l->pieces.item[i].name) == 0; next++)
            reached = reached || l->pieces.item[next].reached;
        covered->functions++;
        covered->reached_functions += reached;
        if (reached)
            continue;
        snprintf(never.name, sizeof never.name, "%s", l->pieces.item[i].name);
        for (size_t k = i; k < next; k++)
            mark_lines(l, &l->pieces.item[k], &never);
        if (!vector_push(&covered->never, never))
            return false;
    }
    return true;
}

/* Of several pieces of code of a line one is enough.  Those count with which a statement begins, if there are any: an
 * optimised program may do a part of others before it is known whether they are wanted. */
static bool is_line_reached(const struct looking *l, size_t first, size_t end)
{
    bool begins = false, reached = false;
    for (size_t i = first; i < end; i++)
        begins = begins || l->lines.item[i].begins;
    for (size_t i = first; i < end; i++)
        reached = reached || (l->lines.item[i].reached && l->lines.item[i].begins == begins);
    return reached;
}

static bool sum_up_lines(struct looking *l, struct covered *covered)
{
    size_t next;
    struct never *last = NULL;
    if (l->lines.count)
        qsort(l->lines.item, l->lines.count, sizeof *l->lines.item, compare_lines);
    for (size_t i = 0; i < l->lines.count; i = next) {
        const struct line *line = &l->lines.item[i];
        bool is_of_function = false;
        for (next = i; next < l->lines.count && compare_lines(&l->lines.item[next], line) == 0; next++)
            is_of_function = is_of_function || l->lines.item[next].is_of_function;
        bool reached = is_line_reached(l, i, next);
        covered->lines++;
        covered->reached_lines += reached;
        if (reached || is_of_function) {
            last = NULL;
            continue;
        }
        if (last && strcmp(last->file, line->file) == 0) { /* no line between them has code */
            last->last = line->number;
            continue;
        }
        struct never never = {.first = line->number, .last = line->number};
        snprintf(never.file, sizeof never.file, "%s", line->file);
        if (!vector_push(&covered->never, never))
            return false;
        last = &covered->never.item[covered->never.count - 1];
    }
    return true;
}

bool find_covered(const struct account *account, struct covered *covered)
{
    struct looking l = {.coverage = account->coverage, .base = account->base, .fine = true};
    *covered = (struct covered){0};
    if (!account->coverage || !account->coverage->is_known)
        return false;
    debuginfo_lines(account->debuginfo, look_at_line, &l);
    if (l.lines.count)
        qsort(l.lines.item, l.lines.count, sizeof *l.lines.item, compare_starts);
    debuginfo_functions(account->debuginfo, look_at_function, &l);
    bool fine = l.fine && sum_up_functions(&l, covered) && sum_up_lines(&l, covered);
    free(l.lines.item);
    free(l.pieces.item);
    return fine;
}

void covered_clear(struct covered *covered)
{
    free(covered->never.item);
}
