/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/control_term.h"

#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------------ interning */

void terms_clear(struct terms *terms)
{
    for (size_t i = 0; i < terms->attempts.count; i++)
        free(terms->attempts.item[i].steps.item);
    free(terms->attempts.item);
    free(terms->list.item);
    free(terms->slot);
    *terms = (struct terms){0};
}

static uint64_t term_hash(const struct term *term)
{
    uint64_t hash = (uint64_t)term->kind << 32 | term->number;
    for (unsigned i = 0; i < 4; i++)
        hash = (hash ^ term->part[i]) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29;
}

static bool same_term(const struct term *one, const struct term *other)
{
    return one->kind == other->kind && one->number == other->number &&
           memcmp(one->part, other->part, sizeof one->part) == 0;
}

static uint32_t *find_slot(struct terms *terms, const struct term *term)
{
    size_t at = term_hash(term) & (terms->slots - 1);
    while (terms->slot[at] && !same_term(&terms->list.item[terms->slot[at] - 1], term))
        at = (at + 1) & (terms->slots - 1);
    return &terms->slot[at];
}

static bool grow_slots(struct terms *terms)
{
    if (terms->list.count * 2 < terms->slots)
        return true;
    size_t slots = terms->slots ? terms->slots * 2 : 64;
    uint32_t *larger = calloc(slots, sizeof *larger);
    if (!larger)
        return false;
    free(terms->slot);
    terms->slot = larger;
    terms->slots = slots;
    for (size_t i = 0; i < terms->list.count; i++)
        *find_slot(terms, &terms->list.item[i]) = (uint32_t)i + 1;
    return true;
}

static const struct term *get(const struct terms *terms, uint32_t term)
{
    return &terms->list.item[term];
}

static enum term_type type_of(const struct terms *terms, uint32_t term)
{
    return get(terms, term)->type;
}

static uint32_t fail_term(struct terms *terms)
{
    terms->has_failed = true;
    return NO_TERM;
}

static uint32_t intern(struct terms *terms, struct term term)
{
    if (terms->has_failed || limits_reached() || terms->list.count >= NO_TERM - 1 || !grow_slots(terms))
        return fail_term(terms);
    uint32_t *slot = find_slot(terms, &term);
    if (*slot)
        return *slot - 1;
    term.attempt = NO_TERM;
    if (!vector_push(&terms->list, term))
        return fail_term(terms);
    *slot = (uint32_t)terms->list.count;
    return *slot - 1;
}

/* ------------------------------------------------------------------ terms */

#define NO_PARTS                                                                                                       \
    {                                                                                                                  \
        NO_TERM, NO_TERM, NO_TERM, NO_TERM                                                                             \
    }

uint32_t term_stuck(struct terms *terms)
{
    return intern(terms, (struct term){.kind = TERM_STUCK, .part = NO_PARTS, .number = NO_TERM, .type = TERM_DEAD});
}

uint32_t term_done(struct terms *terms)
{
    return intern(terms, (struct term){.kind = TERM_DONE, .part = NO_PARTS, .number = NO_TERM, .type = TERM_FINAL});
}

uint32_t term_call(struct terms *terms, uint32_t call)
{
    return intern(terms, (struct term){.kind = TERM_CALL, .part = NO_PARTS, .number = call, .type = TERM_TRIAL});
}

uint32_t term_seq(struct terms *terms, uint32_t first, uint32_t second)
{
    if (terms->has_failed)
        return NO_TERM;
    if (type_of(terms, first) == TERM_FINAL)
        return second;
    if (type_of(terms, first) == TERM_DEAD || get(terms, second)->kind == TERM_DONE)
        return first;
    const struct term *before = get(terms, first);
    return intern(terms, (struct term){.kind = TERM_SEQ,
                                       .part = {first, second, NO_TERM, NO_TERM},
                                       .number = NO_TERM,
                                       .type = before->type,
                                       .depth = before->depth,
                                       .is_hidden = before->is_hidden});
}

uint32_t term_or(struct terms *terms, uint32_t first, uint32_t second)
{
    if (terms->has_failed)
        return NO_TERM;
    enum term_type one = type_of(terms, first), other = type_of(terms, second);
    if (one == TERM_DEAD || first == second)
        return second;
    if (other == TERM_DEAD)
        return first;
    return intern(terms, (struct term){.kind = TERM_OR,
                                       .part = {first, second, NO_TERM, NO_TERM},
                                       .number = NO_TERM,
                                       .type = one > other ? one : other});
}

uint32_t term_if(struct terms *terms, uint32_t condition, uint32_t then, uint32_t also, uint32_t otherwise)
{
    if (terms->has_failed)
        return NO_TERM;
    if (type_of(terms, condition) == TERM_DEAD)
        return otherwise;
    if (type_of(terms, condition) == TERM_FINAL)
        return term_or(terms, then, also);
    if (type_of(terms, also) == TERM_DEAD && type_of(terms, otherwise) == TERM_DEAD)
        return term_seq(terms, condition, then);
    return intern(
        terms, (struct term){
                   .kind = TERM_IF, .part = {condition, then, also, otherwise}, .number = NO_TERM, .type = TERM_TRIAL});
}

static uint32_t loop(struct terms *terms, enum term_kind kind, uint32_t first, uint32_t second, enum term_type type)
{
    return intern(
        terms, (struct term){.kind = kind, .part = {first, second, NO_TERM, NO_TERM}, .number = NO_TERM, .type = type});
}

uint32_t term_while(struct terms *terms, uint32_t condition, uint32_t body)
{
    if (terms->has_failed)
        return NO_TERM;
    if (type_of(terms, condition) == TERM_DEAD)
        return term_done(terms);
    bool tries = type_of(terms, condition) == TERM_TRIAL || type_of(terms, body) == TERM_TRIAL;
    return tries ? loop(terms, TERM_WHILE, condition, body, TERM_TRIAL) : term_stuck(terms);
}

uint32_t term_until(struct terms *terms, uint32_t condition, uint32_t body)
{
    if (terms->has_failed)
        return NO_TERM;
    if (type_of(terms, condition) == TERM_FINAL)
        return term_done(terms);
    bool tries = type_of(terms, condition) == TERM_TRIAL || type_of(terms, body) == TERM_TRIAL;
    return tries ? loop(terms, TERM_UNTIL, condition, body, TERM_TRIAL) : term_stuck(terms);
}

uint32_t term_star(struct terms *terms, uint32_t body)
{
    if (terms->has_failed)
        return NO_TERM;
    return type_of(terms, body) == TERM_TRIAL ? loop(terms, TERM_STAR, body, NO_TERM, TERM_TRIAL) : term_done(terms);
}

/* A term around another, with the same type; what has ended needs nothing around it. */
static uint32_t wrap(struct terms *terms, enum term_kind kind, uint32_t body, uint32_t number)
{
    if (terms->has_failed)
        return NO_TERM;
    const struct term *within = get(terms, body);
    if (within->type == TERM_FINAL)
        return term_done(terms);
    bool has_begun = kind == TERM_INSIDE;
    return intern(terms, (struct term){.kind = kind,
                                       .part = {body, NO_TERM, NO_TERM, NO_TERM},
                                       .number = number,
                                       .type = within->type,
                                       .depth = within->depth + has_begun,
                                       .is_hidden = within->is_hidden || (has_begun && number != NO_TERM)});
}

uint32_t term_atom(struct terms *terms, uint32_t body, uint32_t recipe)
{
    return wrap(terms, TERM_ATOM, body, recipe);
}

uint32_t term_body(struct terms *terms, uint32_t body, uint32_t function)
{
    return wrap(terms, TERM_BODY, body, function);
}

/* ------------------------------------------------------------------ attempts */

static bool step_once(struct attempt *attempt, struct derivation step)
{
    for (size_t i = 0; i < attempt->steps.count; i++)
        if (memcmp(&attempt->steps.item[i], &step, sizeof step) == 0)
            return true;
    return vector_push(&attempt->steps, step);
}

/* The steps of a part, each followed by `rest` unless that is NO_TERM. */
static bool steps_of(struct terms *terms, struct attempt *attempt, uint32_t part, uint32_t rest)
{
    if (!term_attempt(terms, part))
        return false;
    uint32_t number = get(terms, part)->attempt;
    for (size_t i = 0; i < terms->attempts.item[number].steps.count; i++) {
        struct derivation step = terms->attempts.item[number].steps.item[i];
        if (rest != NO_TERM)
            step.to = term_seq(terms, step.to, rest);
        if (terms->has_failed || !step_once(attempt, step))
            return false;
    }
    attempt->success = terms->attempts.item[number].success;
    attempt->failure = terms->attempts.item[number].failure;
    return true;
}

static bool attempt_seq(struct terms *terms, struct attempt *attempt, uint32_t first, uint32_t rest)
{
    if (!steps_of(terms, attempt, first, rest))
        return false;
    attempt->success = term_seq(terms, attempt->success, rest);
    attempt->failure = term_seq(terms, attempt->failure, rest);
    return true;
}

/* Whether it matters for what comes next if a call of the term has a match. */
static bool branches(struct terms *terms, uint32_t term)
{
    const struct attempt *attempt = term_attempt(terms, term);
    return !attempt || attempt->success != attempt->failure;
}

/* Both at once where no verdict matters; else one after the other, since each verdict is on its own calls. */
static bool attempt_or(struct terms *terms, struct attempt *attempt, uint32_t first, uint32_t second)
{
    bool tries_both = type_of(terms, first) == TERM_TRIAL && type_of(terms, second) == TERM_TRIAL;
    if (type_of(terms, first) != TERM_TRIAL || (tries_both && branches(terms, first) && !branches(terms, second))) {
        uint32_t swapped = first;
        first = second;
        second = swapped;
    }
    if (!steps_of(terms, attempt, first, NO_TERM))
        return false;
    uint32_t success = attempt->success, failure = attempt->failure;
    if (tries_both && !branches(terms, first) && !branches(terms, second)) {
        if (!steps_of(terms, attempt, second, NO_TERM))
            return false;
        attempt->success = attempt->failure = term_or(terms, success, attempt->success);
        return true;
    }
    attempt->success = term_or(terms, success, second);
    attempt->failure = term_or(terms, failure, second);
    return true;
}

static bool attempt_if(struct terms *terms, struct attempt *attempt, const uint32_t part[4])
{
    if (!steps_of(terms, attempt, part[0], part[1]))
        return false;
    attempt->success = term_or(terms, term_seq(terms, attempt->success, part[1]), part[2]);
    attempt->failure = term_if(terms, attempt->failure, part[1], part[2], part[3]);
    return true;
}

static bool attempt_while(struct terms *terms, struct attempt *attempt, uint32_t term, const uint32_t part[4])
{
    if (type_of(terms, part[0]) == TERM_FINAL)
        return attempt_seq(terms, attempt, part[1], term);
    uint32_t again = term_seq(terms, part[1], term);
    if (terms->has_failed || !steps_of(terms, attempt, part[0], again))
        return false;
    uint32_t stuck = term_stuck(terms), done = term_done(terms);
    attempt->success = term_seq(terms, attempt->success, again);
    attempt->failure = term_if(terms, attempt->failure, again, stuck, done);
    return true;
}

static bool attempt_until(struct terms *terms, struct attempt *attempt, uint32_t term, const uint32_t part[4])
{
    if (type_of(terms, part[0]) == TERM_DEAD)
        return attempt_seq(terms, attempt, part[1], term);
    if (!steps_of(terms, attempt, part[0], NO_TERM))
        return false;
    uint32_t again = term_seq(terms, part[1], term), stuck = term_stuck(terms), done = term_done(terms);
    attempt->failure = term_if(terms, attempt->failure, done, stuck, again);
    return true;
}

/* What is left of a repeated body: repeating it without a step is nothing new. */
static uint32_t onward(struct terms *terms, uint32_t body, uint32_t then)
{
    if (terms->has_failed)
        return NO_TERM;
    return type_of(terms, body) == TERM_TRIAL ? loop(terms, TERM_ONWARD, body, then, TERM_TRIAL) : term_stuck(terms);
}

static bool attempt_onward(struct terms *terms, struct attempt *attempt, uint32_t body, uint32_t then)
{
    if (!steps_of(terms, attempt, body, then))
        return false;
    attempt->success = onward(terms, attempt->success, then);
    attempt->failure = onward(terms, attempt->failure, then);
    return true;
}

static bool attempt_star(struct terms *terms, struct attempt *attempt, uint32_t term, uint32_t body)
{
    if (!attempt_onward(terms, attempt, body, term))
        return false;
    uint32_t done = term_done(terms);
    attempt->success = term_or(terms, attempt->success, done);
    attempt->failure = term_or(terms, attempt->failure, done);
    return true;
}

/* Within an atomic block, a recipe or a function: the steps stay within it. */
static bool attempt_within(struct terms *terms, struct attempt *attempt, const struct term *around)
{
    if (!steps_of(terms, attempt, around->part[0], NO_TERM))
        return false;
    bool is_recipe = around->kind != TERM_BODY && around->number != NO_TERM;
    enum term_kind then = around->kind == TERM_ATOM ? TERM_INSIDE : around->kind;
    for (size_t i = 0; i < attempt->steps.count; i++) {
        struct derivation *step = &attempt->steps.item[i];
        step->to = wrap(terms, then, step->to, around->number);
        if (is_recipe)
            step->recipe = around->kind == TERM_ATOM ? around->number : NO_TERM;
    }
    attempt->success = wrap(terms, around->kind, attempt->success, around->number);
    attempt->failure = wrap(terms, around->kind, attempt->failure, around->number);
    return true;
}

static bool attempt_call(struct terms *terms, struct attempt *attempt, uint32_t call)
{
    attempt->success = attempt->failure = term_stuck(terms);
    return vector_push(&attempt->steps, ((struct derivation){call, term_done(terms), NO_TERM}));
}

static bool compute(struct terms *terms, struct attempt *attempt, uint32_t number)
{
    struct term term = *get(terms, number); /* a copy: the list grows */
    switch (term.kind) {
    case TERM_CALL: return attempt_call(terms, attempt, term.number);
    case TERM_SEQ: return attempt_seq(terms, attempt, term.part[0], term.part[1]);
    case TERM_OR: return attempt_or(terms, attempt, term.part[0], term.part[1]);
    case TERM_IF: return attempt_if(terms, attempt, term.part);
    case TERM_WHILE: return attempt_while(terms, attempt, number, term.part);
    case TERM_UNTIL: return attempt_until(terms, attempt, number, term.part);
    case TERM_ONWARD: return attempt_onward(terms, attempt, term.part[0], term.part[1]);
    case TERM_STAR: return attempt_star(terms, attempt, number, term.part[0]);
    case TERM_ATOM:
    case TERM_INSIDE:
    case TERM_BODY: return attempt_within(terms, attempt, &term);
    case TERM_STUCK:
    case TERM_DONE: break;
    }
    return false;
}

const struct attempt *term_attempt(struct terms *terms, uint32_t term)
{
    if (terms->has_failed)
        return NULL;
    uint32_t known = get(terms, term)->attempt;
    if (known != NO_TERM)
        return &terms->attempts.item[known];
    struct attempt attempt = {0};
    if (!compute(terms, &attempt, term) || terms->has_failed || !vector_push(&terms->attempts, attempt)) {
        free(attempt.steps.item);
        terms->has_failed = true;
        return NULL;
    }
    terms->list.item[term].attempt = (uint32_t)(terms->attempts.count - 1);
    return &terms->attempts.item[terms->attempts.count - 1];
}
