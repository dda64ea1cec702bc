/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* qsort_r */
#include "highlevel/words.h"

#include "base/limits.h"
#include "highlevel/bindings.h"
#include "highlevel/evaluate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000000, LONGEST_NAME = 4096 };

static bool has_place(const struct colour_net *net, const char *name)
{
    for (size_t p = 0; p < net->places.count; p++)
        if (strcmp(net->places.item[p].name, name) == 0)
            return true;
    return false;
}

const char *error_name(const struct colour_net *net)
{
    return has_place(net, "error") ? "evaluation error" : "error";
}

const char *error_is_absent(const struct colour_net *net)
{
    return has_place(net, "error") ? "\"evaluation error\" == 0" : "error == 0";
}

static bool is_tuple_of(const struct colour_place *place, const char *wanted)
{
    char text[LONGEST_NAME];
    int64_t *cells = calloc(place->tuple->cells + 1, sizeof *cells);
    bool found = false, more = cells != NULL;
    if (cells)
        colour_first(place->tuple, cells);
    for (uint32_t i = 0; more && !found && i < MOST_VALUES && !limits_reached(); i++) {
        found = tuple_text(place, cells, text, sizeof text) < sizeof text && strcmp(text, wanted) == 0;
        more = colour_next(place->tuple, cells);
    }
    free(cells);
    return found;
}

bool token_is_possible(const struct colour_net *net, const char *name)
{
    for (size_t p = 0; p < net->places.count; p++) {
        const struct colour_place *place = &net->places.item[p];
        size_t length = strlen(place->name);
        if (place->domain.count && strncmp(name, place->name, length) == 0 && name[length] == '<')
            return is_tuple_of(place, name + length);
    }
    return false;
}

size_t failure_words(const char *why, const struct node *at, char *text, size_t size)
{
    const struct colour_type *type = at && at->kind == NODE_CONVERT ? at->colour : NULL;
    if (why != outside_type || !type || !type->name)
        return (size_t)snprintf(text, size, "%s", why);
    if (type->kind == COLOUR_RANGE)
        return (size_t)snprintf(text, size, "the value is not in '%s', %" PRId64 " .. %" PRId64, type->name, type->low,
                                type->high);
    return (size_t)snprintf(text, size, "the value is not in '%s'", type->name);
}

size_t binding_words(const struct colour_net *net, uint32_t transition, const int64_t *frame, const char *failure,
                     const struct node *failed_at, char *text, size_t size)
{
    size_t length = binding_text(net, transition, frame, text, size);
    if (!failure)
        return length;
    bool room = length < size;
    char why[300];
    failure_words(failure, failed_at, why, sizeof why);
    return length + (size_t)snprintf(room ? text + length : NULL, room ? size - length : 0, " fails, %u:%u: %s",
                                     failed_at ? failed_at->at.line : 0, failed_at ? failed_at->at.column : 0, why);
}

/* ------------------------------------------------------------------ descriptions */

/* The values that are shown one after the other, each where the text has a % and a letter. */
static bool fill_in(const struct colour_transition *t, struct colour_evaluation *evaluation, char *text, size_t size)
{
    const struct node *shown = t->described;
    size_t used = 0;
    for (const char *c = t->description; *c && used + 1 < size; c++) {
        if (*c != '%' || *++c == '%') {
            text[used++] = *c;
            continue;
        }
        int64_t value = colour_scalar(shown, evaluation);
        used += colour_text(shown->colour, &value, text + used, size - used);
        shown = shown->next;
    }
    text[used < size ? used : size - 1] = '\0';
    return !evaluation->failure;
}

bool binding_description(const struct colour_net *net, uint32_t transition, const int64_t *frame, char *text,
                         size_t size)
{
    const struct colour_transition *t = &net->transitions.item[transition];
    struct colour_evaluation evaluation = {.frame = calloc(t->frame + 1, sizeof *frame)};
    bool fine = t->description && evaluation.frame;
    if (fine)
        memcpy(evaluation.frame, frame, t->frame * sizeof *frame);
    for (size_t i = 0; fine && i < t->variables.count; i++) /* what lets give is no part of a binding's name */
        if (t->variables.item[i].source == VARIABLE_LET)
            fine = colour_value(t->variables.item[i].value, &evaluation, evaluation.frame + t->variables.item[i].local);
    fine = fine && fill_in(t, &evaluation, text, size);
    colour_evaluation_clear(&evaluation);
    free(evaluation.frame);
    return fine;
}

/* ------------------------------------------------------------------ markings */

static int by_cells(const void *left, const void *right, void *place)
{
    const struct shown_token *a = left, *b = right;
    for (uint32_t i = 0; i < ((const struct colour_place *)place)->tuple->cells; i++)
        if (a->cells[i] != b->cells[i])
            return a->cells[i] < b->cells[i] ? -1 : 1;
    return 0;
}

void marking_text(const struct colour_place *place, struct shown_token *tokens, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "empty");
    if (place->domain.count == 0) {
        snprintf(text, size, "%" PRIu32, count ? tokens[0].count : 0);
        return;
    }
    if (count)
        qsort_r(tokens, count, sizeof *tokens, by_cells, (void *)(uintptr_t)place);
    for (uint32_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i > 0 ? " + " : "");
        if (tokens[i].count > 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%" PRIu32 "*", tokens[i].count);
        if (used < size)
            used += tuple_text(place, tokens[i].cells, text + used, size - used);
    }
    if (used >= size && size > 3)
        memcpy(text + size - 4, "...", 4);
}
