/* SPDX-License-Identifier: Apache-2.0 */
/* The automaton of a control program: a location for each term that derivatives lead to. */
#include "graph/control_build.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"

void control_free(struct control_program *program)
{
    if (!program)
        return;
    free(program->locations.item);
    free(program->calls.item);
    free(program->arguments.item);
    free(program->variables.item);
    free(program->recipes.item);
    free(program->live.item);
    free(program);
}

/* ------------------------------------------------------------------ locations */

struct automaton {
    struct control_program *program;
    struct terms *terms;
    const struct named_calls *calls;
    VECTOR(uint32_t) location_of; /* by term; NO_NUMBER: none yet */
    VECTOR(uint32_t) term_of;     /* by location */
};

static bool locate(struct automaton *automaton, uint32_t term, uint32_t *location)
{
    while (automaton->location_of.count <= term)
        if (!vector_push(&automaton->location_of, NO_NUMBER))
            return false;
    if (automaton->location_of.item[term] == NO_NUMBER) {
        const struct term *is = &automaton->terms->list.item[term];
        struct control_location new = {
            .is_final = is->type == TERM_FINAL, .depth = is->depth, .is_hidden = is->is_hidden};
        automaton->location_of.item[term] = (uint32_t)automaton->term_of.count;
        if (!vector_push(&automaton->term_of, term) || !vector_push(&automaton->program->locations, new))
            return false;
    }
    *location = automaton->location_of.item[term];
    return true;
}

static bool add_calls(struct automaton *automaton, uint32_t location)
{
    uint32_t term = automaton->term_of.item[location];
    if (limits_reached())
        return false;
    if (automaton->terms->list.item[term].type != TERM_TRIAL)
        return true;
    const struct attempt *attempt = term_attempt(automaton->terms, term);
    if (!attempt)
        return false;
    struct control_program *program = automaton->program;
    uint32_t first = (uint32_t)program->calls.count, success, failure;
    for (size_t i = 0; i < attempt->steps.count; i++) {
        struct derivation step = attempt->steps.item[i];
        struct control_call call = automaton->calls->item[step.call];
        call.recipe = step.recipe;
        if (!locate(automaton, step.to, &call.to) || !vector_push(&program->calls, call))
            return false;
    }
    if (!locate(automaton, attempt->success, &success) || !locate(automaton, attempt->failure, &failure))
        return false;
    struct control_location *at = &program->locations.item[location];
    at->first_call = first;
    at->call_count = (uint32_t)program->calls.count - first;
    at->on_success = success;
    at->on_failure = failure;
    return true;
}

/* ------------------------------------------------------------------ variables */

/* What the value of a variable matters for: given to a call, or needed after it and not its result. */
static bool call_needs(const struct control_program *program, const struct control_call *call, uint64_t *row,
                       const uint64_t *after, size_t words)
{
    bool changed = false;
    for (size_t w = 0; w < words; w++) {
        uint64_t needed = after[w];
        for (uint32_t a = 0; a < call->argument_count; a++) {
            const struct control_argument *argument = &program->arguments.item[call->first_argument + a];
            if (argument->kind == CONTROL_RESULT && argument->number / 64 == w)
                needed &= ~(UINT64_C(1) << argument->number % 64);
        }
        for (uint32_t a = 0; a < call->argument_count; a++) {
            const struct control_argument *argument = &program->arguments.item[call->first_argument + a];
            if (argument->kind == CONTROL_GIVEN && argument->number / 64 == w)
                needed |= UINT64_C(1) << argument->number % 64;
        }
        changed |= (needed & ~row[w]) != 0;
        row[w] |= needed;
    }
    return changed;
}

static bool location_needs(const struct control_program *program, uint32_t location, uint64_t *rows, size_t words)
{
    const struct control_location *at = &program->locations.item[location];
    uint64_t *row = rows + location * words;
    bool changed = false;
    for (uint32_t c = 0; c < at->call_count; c++) {
        const struct control_call *call = &program->calls.item[at->first_call + c];
        changed |= call_needs(program, call, row, rows + call->to * words, words);
    }
    for (size_t w = 0; w < words && at->call_count > 0; w++) {
        uint64_t needed = rows[at->on_success * words + w] | rows[at->on_failure * words + w];
        changed |= (needed & ~row[w]) != 0;
        row[w] |= needed;
    }
    return changed;
}

static bool list_live(struct control_program *program, const uint64_t *rows, size_t words)
{
    for (size_t l = 0; l < program->locations.count; l++) {
        struct control_location *at = &program->locations.item[l];
        at->first_live = (uint32_t)program->live.count;
        for (uint32_t v = 0; v < program->variables.count; v++)
            if (rows[l * words + v / 64] >> v % 64 & 1 && !vector_push(&program->live, v))
                return false;
        at->live_count = (uint32_t)program->live.count - at->first_live;
    }
    return true;
}

/* Liveness of variables, from the last location to the first until nothing changes. */
static bool find_live(struct control_program *program)
{
    size_t words = (program->variables.count + 63) / 64;
    if (words == 0)
        return true;
    if (!limits_allow(program->locations.count * words * sizeof(uint64_t)))
        return false;
    uint64_t *rows = calloc(program->locations.count * words, sizeof *rows);
    bool changed = true, fine = rows != NULL;
    while (fine && changed) {
        changed = false;
        for (size_t l = program->locations.count; fine && l-- > 0;) {
            changed |= location_needs(program, (uint32_t)l, rows, words);
            fine = !limits_reached();
        }
    }
    fine = fine && list_live(program, rows, words);
    free(rows);
    return fine;
}

bool control_build(struct control_program *program, struct terms *terms, const struct named_calls *calls,
                   uint32_t start)
{
    struct automaton automaton = {.program = program, .terms = terms, .calls = calls};
    bool fine = !terms->has_failed && locate(&automaton, start, &program->start);
    for (uint32_t l = 0; fine && l < automaton.term_of.count; l++)
        fine = add_calls(&automaton, l);
    free(automaton.location_of.item);
    free(automaton.term_of.item);
    return fine && find_live(program);
}
