/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actions of a Promela model.  A step from a state is an action, together with what follows it in an atomic
 * sequence, up to where another process may move: states within atomic sequences are not there, as in Spin.  Where a
 * step within the sequence blocks, the process rests, and goes on from there later.  Where several are possible each
 * is an action of its own.  Loops of such choices are unrolled; where that takes too many rounds the process rests
 * after some of them, and until it goes on nobody else moves.
 *
 * A rendezvous is an action of the sender, with each process that may receive.
 */
#include "front/promela/actions.h"
#include "base/limits.h"
#include "front/promela/variables.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SCRIPTS = 4096, MOST_UNROLLED = 256 };

/* Which of several steps is taken at each choice of an atomic sequence, in the order of the code. */
struct script {
    uint32_t taken[MOST_CHOICES], of[MOST_CHOICES];
    uint32_t count, next;
};

struct chain {
    struct actor actor; /* who moves at present */
    uint32_t acting_at; /* state of the process whose action it is, once another one moves; NO_ELEMENT: it ended */
    bool has_passed;    /* another one moves */
    VECTOR(struct emitted) emitted;
    struct script *script;
    struct patches *blocks;
};

/* ------------------------------------------------------------------------------ resting */

static uint32_t resting_place(const struct lowering *l, struct actor actor, uint32_t state)
{
    return state == NO_ELEMENT ? l->slot[actor.slot].first_location : location_at(l, actor, state);
}

static void emit_location(struct lowering *l, struct actor actor, uint32_t state)
{
    uint32_t location = resting_place(l, actor, state) - l->slot[actor.slot].first_location;
    if (!l->m->failed)
        pml_emit_store(l, location_cell(l, actor.slot), pml_number_operand(location));
}

/* The end of an action: the one who moves is at this state. */
static void emit_rest(struct lowering *l, struct chain *chain, uint32_t state)
{
    uint32_t at = state;
    if (chain->has_passed && chain->actor.slot != l->acting.slot) {
        emit_location(l, chain->actor, state);
        at = chain->acting_at;
    }
    pml_emit_code(l, CODE_REST)->c = (int32_t)resting_place(l, l->acting, at);
}

/* Nothing can be done within an atomic sequence: it rests there; what a claim does atomically it does, or not. */
static void emit_blocked(struct lowering *l, struct chain *chain, uint32_t state)
{
    if (is_claims(l, chain->actor))
        pml_emit_jump(l, chain->blocks);
    else
        emit_rest(l, chain, state);
}

/* It rests between two rounds, and alone may move. */
static void emit_exclusive(struct lowering *l, struct chain *chain, uint32_t state, const struct steps *steps)
{
    struct patches possible = {0}, ends = {0};
    l->needs_exclusive = true;
    if (l->exclusive == MODEL_NONE) {
        emit_rest(l, chain, state);
        return;
    }
    for (size_t i = 0; i < steps->count && !l->m->failed; i++) {
        struct patches next = {0};
        pml_emit_unless_possible(l, &steps->item[i], steps, &next);
        pml_emit_jump(l, &possible);
        pml_emit_target(l, &next);
    }
    pml_emit_jump(l, &ends);
    pml_emit_target(l, &possible);
    pml_emit_store(l, l->exclusive, pml_number_operand((int64_t)chain->actor.slot + 1));
    emit_rest(l, chain, state);
    pml_emit_target(l, &ends);
    emit_blocked(l, chain, state);
}

/* -------------------------------------------------------------------------- priorities */

/* Jumps when the process, in one of its states, can do something. */
void pml_jump_if_able(struct lowering *l, struct actor other, struct patches *able)
{
    struct steps steps = {0};
    struct patches next = {0};
    uint32_t top = l->top;
    struct operand where = pml_emit_load(l, location_cell(l, other.slot));
    for (uint32_t k = 0; k < l->states[other.type->number].count && !l->m->failed; k++) {
        uint32_t state = l->states[other.type->number].element[k], inner = l->top;
        uint32_t location = location_at(l, other, state) - l->slot[other.slot].first_location;
        pml_emit_jump_compared(l, where, OPERATION_EQUAL, pml_number_operand(location), false, &next);
        pml_list_steps(l, other, state, &steps);
        for (size_t i = 0; i < steps.count && !l->m->failed; i++) {
            struct patches impossible = {0};
            pml_emit_unless_possible(l, &steps.item[i], &steps, &impossible);
            pml_emit_jump(l, able);
            pml_emit_target(l, &impossible);
        }
        pml_emit_target(l, &next);
        l->top = inner;
    }
    l->top = top;
    free(steps.item);
}

/* Jumps when a process of a higher priority can do something: within an atomic sequence, too, it comes first. */
static void jump_if_outranked(struct lowering *l, struct actor actor, struct patches *outranked)
{
    bool may_be = l->priorities != MODEL_NONE && !is_claims(l, actor);
    for (uint32_t slot = 0; slot < l->slots && may_be && !l->m->failed; slot++) {
        struct patches lower = {0};
        uint32_t top = l->top;
        if (slot == actor.slot)
            continue;
        struct operand own = pml_emit_load(l, l->priorities + actor.slot);
        pml_emit_jump_compared(l, pml_emit_load(l, l->priorities + slot), OPERATION_GREATER, own, false, &lower);
        l->top = top;
        for (size_t p = 0; p < l->syntax->proctypes.count; p++)
            if (runs_in(l, slot, l->syntax->proctypes.item[p]))
                pml_jump_if_able(l, (struct actor){slot, l->syntax->proctypes.item[p]}, outranked);
        pml_emit_target(l, &lower);
    }
    l->actor = actor;
}

/* ----------------------------------------------------------------------------- chains */

static void emit_chain(struct lowering *l, struct chain *chain, uint32_t state);

/* The first step has been taken.  From here the action does what one of those from the next state does, or rests there,
 * unless that has to do with more than the state: rounds that have been made, a timeout, other processes' priorities.
 */
static void note_pause(struct lowering *l, const struct chain *chain, uint32_t state)
{
    struct action *a = l->m->actions.count ? &l->m->actions.item[l->m->actions.count - 1] : NULL;
    if (!a || chain->has_passed || chain->emitted.count || l->exclusive != MODEL_NONE || l->priorities != MODEL_NONE ||
        l->syntax->has_timeout)
        return;
    a->pause = location_at(l, chain->actor, state);
    a->pause_code = (uint32_t)l->m->code.count;
}

/* What the step does, where everybody is then, and what follows at once. */
static void emit_step(struct lowering *l, struct chain *chain, const struct step *s)
{
    pml_emit_effect(l, s);
    if (l->last != MODEL_NONE && !is_claims(l, s->actor))
        pml_emit_store(l, l->last, pml_number_operand(is_rendezvous(s) ? s->partner.slot : s->actor.slot));
    struct transition t = s->transition;
    if (is_rendezvous(s)) {
        emit_location(l, s->actor, t.target);
        if (s->actor.slot == l->acting.slot)
            chain->acting_at = t.target;
        chain->actor = s->partner;
        chain->has_passed = true;
        t = s->receipt;
    }
    if (t.goes_on) {
        note_pause(l, chain, t.target);
        emit_chain(l, chain, t.target);
    }
    if (!t.goes_on)
        emit_rest(l, chain, t.target);
}

static bool is_else(const struct step *s)
{
    const struct element *e = step_element(s);
    return e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_ELSE;
}

/* One of the parts that must hold leaves the cell no value that the other one allows. */
static bool excludes(const struct lowering *l, const struct node *n, uint32_t cell, struct range range)
{
    uint32_t other;
    struct range values;
    if (n->kind == NODE_BINARY && n->operation == OPERATION_AND)
        return excludes(l, n->a, cell, range) || excludes(l, n->b, cell, range);
    return pml_as_range(l, n, true, &other, &values) && other == cell &&
           (values.low > range.high || values.high < range.low);
}

static bool are_opposed(const struct lowering *l, const struct node *m, const struct node *n)
{
    uint32_t cell;
    struct range range;
    if (m->kind == NODE_BINARY && m->operation == OPERATION_AND)
        return are_opposed(l, m->a, n) || are_opposed(l, m->b, n);
    return pml_as_range(l, m, true, &cell, &range) && excludes(l, n, cell, range);
}

/* x < 2 and x == 2; one statement on different channels. */
static bool are_exclusive(struct lowering *l, const struct step *a, const struct step *b)
{
    const struct element *e = step_element(a), *f = step_element(b);
    if (e == f && a->channel && b->channel && a->channel != b->channel && !is_rendezvous(a) && !is_rendezvous(b))
        return true;
    l->actor = a->actor;
    return e->kind == ELEMENT_PLAIN && f->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_EXPRESSION &&
           f->statement->kind == STATEMENT_EXPRESSION && are_opposed(l, e->statement->a, f->statement->a);
}

/* Can at most one of them be taken?  An else can when none before it can, whatever comes behind it. */
static bool is_deterministic(struct lowering *l, const struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        for (size_t k = i + 1; k < steps->count; k++)
            if (!is_else(&steps->item[k]) &&
                (is_else(&steps->item[i]) || !are_exclusive(l, &steps->item[i], &steps->item[k])))
                return false;
    return true;
}

/* Can a process come back to the state without others moving? */
static bool is_in_loop(struct lowering *l, struct actor actor, uint32_t state)
{
    const struct flow *f = actor.type->flow;
    bool *seen = calloc(f->elements.count + 1, sizeof *seen), found = false;
    VECTOR(uint32_t) open = {0};
    struct transitions t = {0};
    l->m->failed |= !seen || !vector_push(&open, state);
    while (open.count && !found && !l->m->failed) {
        l->m->failed |= !flow_transitions(f, open.item[--open.count], &t);
        for (size_t i = 0; i < t.count && !l->m->failed; i++) {
            uint32_t target = t.item[i].target;
            if (!t.item[i].goes_on || seen[target])
                continue;
            seen[target] = true;
            found |= target == state;
            l->m->failed |= !vector_push(&open, target);
        }
    }
    free(seen);
    free(open.item);
    free(t.item);
    return found;
}

static void emit_deterministic(struct lowering *l, struct chain *chain, uint32_t state, const struct steps *steps)
{
    bool always = false;
    for (size_t i = 0; i < steps->count && !always && !l->m->failed; i++) {
        struct patches next = {0};
        struct chain branch = *chain;
        const struct step *s = &steps->item[i];
        always = pml_is_always_possible(l, s) || (is_else(s) && !s->actor.type->provided);
        for (size_t k = 0; k < steps->count && is_else(s); k++)
            always &= steps->item[k].transition.escape == NO_ELEMENT;
        if (!always)
            pml_emit_unless_possible(l, s, steps, &next);
        emit_step(l, chain, s);
        branch.emitted = chain->emitted; /* it may have been moved */
        memcpy(chain, &branch, sizeof branch);
        pml_emit_target(l, &next);
    }
    if (!always)
        emit_blocked(l, chain, state);
}

static void emit_choice(struct lowering *l, struct chain *chain, uint32_t state, const struct steps *steps)
{
    struct script *script = chain->script;
    bool unrolls = script->next < l->rounds || !is_in_loop(l, chain->actor, state);
    if (script->next == MOST_CHOICES || steps->count >= UINT8_MAX || !unrolls) {
        emit_exclusive(l, chain, state, steps);
        return;
    }
    uint32_t k = script->next++;
    if (k == script->count)
        script->taken[script->count++] = 0;
    bool may_block = true;
    for (size_t i = 0; i < steps->count; i++)
        may_block &= !pml_is_always_possible(l, &steps->item[i]);
    script->of[k] = (uint32_t)steps->count + may_block;
    uint32_t taken = script->taken[k];
    if (taken < steps->count) {
        pml_emit_unless_possible(l, &steps->item[taken], steps, chain->blocks);
        emit_step(l, chain, &steps->item[taken]);
        return;
    }
    for (size_t i = 0; i < steps->count && !l->m->failed; i++) { /* none can be taken */
        struct patches impossible = {0};
        pml_emit_unless_possible(l, &steps->item[i], steps, &impossible);
        pml_emit_jump(l, chain->blocks);
        pml_emit_target(l, &impossible);
    }
    emit_blocked(l, chain, state);
}

/* The one who moves goes on from a state within an atomic sequence. */
static void emit_chain(struct lowering *l, struct chain *chain, uint32_t state)
{
    struct steps steps = {0};
    struct patches outranked = {0};
    uint32_t acting_at = chain->has_passed ? chain->acting_at : NO_ELEMENT - 1;
    if (l->m->failed)
        return;
    for (size_t i = 0; i < chain->emitted.count; i++)
        if (chain->emitted.item[i].element == state && chain->emitted.item[i].slot == chain->actor.slot &&
            chain->emitted.item[i].acting_at == acting_at && chain->emitted.item[i].choices == chain->script->next) {
            struct instruction *back = pml_emit_code(l, CODE_JUMP_BACK);
            back->c = (int32_t)chain->emitted.item[i].code;
            back->d = pml_failure_code(l, FAILURE_ENDLESS);
            return;
        }
    struct emitted emitted = {state, (uint32_t)l->m->code.count, chain->actor.slot, acting_at, chain->script->next};
    l->m->failed |= !vector_push(&chain->emitted, emitted);
    jump_if_outranked(l, chain->actor, &outranked);
    if (pml_list_steps(l, chain->actor, state, &steps)) {
        if (is_deterministic(l, &steps))
            emit_deterministic(l, chain, state, &steps);
        else
            emit_choice(l, chain, state, &steps);
    }
    if (outranked.at.count) {
        pml_emit_target(l, &outranked);
        emit_rest(l, chain, state);
    }
    free(steps.item);
}

/* ------------------------------------------------------------------------------ names */

static unsigned line_of(const struct lowering *l, const struct statement *s)
{
    if (!s || s->at.line == 0 || s->at.line > l->syntax->lines.count)
        return 0;
    return l->syntax->lines.item[s->at.line - 1].line;
}

/* The text of a statement on one line. */
static void statement_text(const struct element *e, char *text, size_t size)
{
    const struct statement *s = e->statement;
    size_t used = 0;
    if (e->kind == ELEMENT_END) {
        snprintf(text, size, "-end-");
        return;
    }
    if (e->kind == ELEMENT_D_STEP || !s || s->length == 0) {
        snprintf(text, size, "%s",
                 e->kind == ELEMENT_D_STEP          ? "d_step"
                 : s && s->kind == STATEMENT_ASSIGN ? "assignment"
                 : s && s->kind == STATEMENT_ELSE   ? "else"
                                                    : "step");
        if (e->kind != ELEMENT_D_STEP || !s)
            return;
        snprintf(text, size, "d_step ");
    }
    used = e->kind == ELEMENT_D_STEP ? strlen(text) : 0;
    const char *from = e->kind == ELEMENT_D_STEP ? strchr(s->start, '{') : s->start;
    size_t length = from ? s->length - (size_t)(from - s->start) : 0;
    bool space = false;
    for (size_t i = 0; i < length && used + 2 < size && used < 60; i++) {
        bool is_space = from[i] == ' ' || from[i] == '\t' || from[i] == '\n' || from[i] == '\r';
        if (!is_space && space && used)
            text[used++] = ' ';
        if (!is_space)
            text[used++] = from[i];
        space = is_space;
    }
    text[used] = '\0';
}

/* "user[0] 12: turn = other", with the numbers of the state and the statement where asked for. */
static int write_statement(struct lowering *l, struct actor actor, const struct element *e, uint32_t state,
                           uint32_t element, bool is_numbered, char *out, size_t size)
{
    char text[100], numbers[40] = "";
    statement_text(e, text, sizeof text);
    if (is_numbered)
        snprintf(numbers, sizeof numbers, " (%u.%u)", state, element);
    unsigned line = line_of(l, e->statement);
    if (!line)
        return snprintf(out, size, "%.100s[%u] %s%s", promela_type_name(actor.type), actor.slot, text, numbers);
    return snprintf(out, size, "%.100s[%u] %u: %s%s", promela_type_name(actor.type), actor.slot, line, text, numbers);
}

static void write_name(struct lowering *l, const struct step *s, const struct script *script, bool is_numbered,
                       char *name, size_t size)
{
    int used = write_statement(l, s->actor, step_element(s), s->state, s->transition.element, is_numbered, name, size);
    if (is_rendezvous(s)) {
        used += snprintf(name + used, size - (size_t)used, " | ");
        used += write_statement(l, s->partner, element_of(s->partner, s->receipt.element), s->partner_state,
                                s->receipt.element, is_numbered, name + used, size - (size_t)used);
    }
    if (s->channel)
        used += snprintf(name + used, size - (size_t)used, " #%u", s->channel->id);
    if (s->alike) /* and so many others */
        used += snprintf(name + used, size - (size_t)used, "+%u", s->alike - 1);
    if (s->is_lost)
        used += snprintf(name + used, size - (size_t)used, " #?");
    for (uint32_t k = 0; k < script->count && (size_t)used < size; k++)
        used += snprintf(name + used, size - (size_t)used, "/%u", script->taken[k]);
    if (l->timeout && (size_t)used < size)
        snprintf(name + used, size - (size_t)used, " timeout");
}

/* Statements of a line that read alike are told apart by numbers, all but the first. */
static const char *action_name(struct lowering *l, const struct step *s, const struct script *script)
{
    char name[800];
    uint32_t number;
    write_name(l, s, script, false, name, sizeof name);
    if (names_find(&l->action_names, name, &number))
        write_name(l, s, script, true, name, sizeof name);
    l->m->failed |= !names_add(&l->action_names, name, &number);
    return model_copy(l->m, name);
}

/* ------------------------------------------------------------------------------ actions */

/* Nobody else is to move alone. */
static void check_exclusive(struct lowering *l, struct actor actor, bool may_hold, struct patches *blocks)
{
    if (l->exclusive == MODEL_NONE)
        return;
    if (is_claims(l, actor)) {
        model_test(l->m, l->exclusive, (int64_t)actor.slot + 1, (int64_t)actor.slot + 1);
        return;
    }
    if (!may_hold) {
        model_test(l->m, l->exclusive, 0, 0);
        return;
    }
    uint32_t top = l->top;
    struct patches fine = {0};
    struct operand who = pml_emit_load(l, l->exclusive);
    pml_emit_jump_compared(l, who, OPERATION_EQUAL, pml_number_operand(0), true, &fine);
    pml_emit_jump_compared(l, who, OPERATION_EQUAL, pml_number_operand((int64_t)actor.slot + 1), false, blocks);
    pml_emit_target(l, &fine);
    l->top = top;
}

static void emit_action(struct lowering *l, const struct step *s, const struct steps *all, struct script *script)
{
    struct patches blocks = {0};
    struct chain chain = {.actor = s->actor, .script = script, .blocks = &blocks};
    uint32_t action = (uint32_t)l->m->actions.count;
    l->acting = l->actor = s->actor;
    l->top = 0;
    script->next = 0;
    model_action(l->m, (struct action){.name = "",
                                       .process = l->slot[s->actor.slot].process,
                                       .line = line_of(l, step_element(s)->statement),
                                       .is_block = true,
                                       .is_fallback = l->timeout,
                                       .common = MODEL_NONE});
    model_edge(l->m, location_at(l, s->actor, s->state), (uint32_t)l->m->code.count);
    l->testing = true;
    const struct element *from = element_of(s->actor, s->state);
    bool may_hold = from->in_atomic || from->is_last_in_atomic;
    check_exclusive(l, s->actor, may_hold, &blocks);
    pml_emit_unless_possible(l, s, all, &blocks);
    l->testing = false;
    bool timeout = l->timeout;
    l->timeout = false; /* that was for the first step */
    bool to_claim = l->claim && !is_claims(l, s->actor);
    if (l->exclusive != MODEL_NONE && (may_hold || l->claim))
        pml_emit_store(l, l->exclusive, pml_number_operand(to_claim ? (int64_t)l->slots + 1 : 0));
    emit_step(l, &chain, s);
    l->timeout = timeout;
    if (blocks.at.count) {
        pml_emit_target(l, &blocks);
        pml_code_a(pml_emit_code(l, CODE_REQUIRE), pml_number_operand(0));
        pml_emit_code(l, CODE_REST)->c = (int32_t)location_at(l, s->actor, s->state);
    }
    free(blocks.at.item);
    free(chain.emitted.item);
    const char *name = action_name(l, s, script);
    if (!l->m->failed)
        l->m->actions.item[action].name = name;
    promela_note_action(l, s);
    l->m->failed |= limits_reached();
}

/* The next script; false when all have been. */
static bool next_script(struct script *script)
{
    script->count = script->next;
    while (script->count) {
        uint32_t k = script->count - 1;
        if (++script->taken[k] < script->of[k])
            return true;
        script->count--;
    }
    return false;
}

static void emit_actions(struct lowering *l, const struct step *s, const struct steps *all)
{
    struct script script = {0};
    unsigned scripts = 0, most = l->rounds ? MOST_UNROLLED : MOST_SCRIPTS;
    if (l->too_many_ways)
        return;
    do
        emit_action(l, s, all, &script);
    while (!l->m->failed && ++scripts < most && next_script(&script));
    l->too_many_ways = scripts == most;
}

void pml_lower_state(struct lowering *l, struct actor actor, uint32_t state)
{
    struct steps steps = {0};
    if (pml_list_steps(l, actor, state, &steps))
        for (size_t i = 0; i < steps.count && !l->m->failed; i++) {
            emit_actions(l, &steps.item[i], &steps);
            if (!l->syntax->has_timeout || is_claims(l, actor) || !pml_step_mentions_timeout(&steps.item[i], &steps))
                continue;
            l->timeout = true;
            emit_actions(l, &steps.item[i], &steps);
            l->timeout = false;
        }
    free(steps.item);
}

/* It must be lowered in another way, whatever comes. */
static bool is_over(const struct lowering *l)
{
    return l->m->failed || l->too_many_ways || (l->needs_exclusive && l->exclusive == MODEL_NONE) ||
           l->m->actions.count >= MOST_ACTIONS || (l->rounds && l->m->code.count >= MOST_CODE);
}

bool promela_lower_actions(struct lowering *l)
{
    for (uint32_t slot = 0; slot < l->slots; slot++)
        for (size_t p = 0; p < l->syntax->proctypes.count; p++) {
            struct actor actor = {slot, l->syntax->proctypes.item[p]};
            for (uint32_t k = 0; runs_in(l, slot, actor.type) && k < l->states[p].count && !is_over(l); k++)
                pml_lower_state(l, actor, l->states[p].element[k]);
        }
    if (l->claim && !is_over(l))
        promela_lower_claim(l);
    return !l->m->failed;
}
