/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A never claim that no automaton can be, as it keeps values of the system or changes them, is a process of the model.
 *
 * It moves before each step of the system: the cell that says who alone may move (`exclusive`, see actions.c) says the
 * claim at the start and after each step, and nobody after a move of the claim.  The states in which it says somebody
 * are those within a step, which formulas and fairness overlook, so the states that count are those between a move of
 * the claim and a step of the system.  Where the system can do nothing more, not even by a timeout, a step of its own
 * lets the claim go on, as a run that ends stays in its last state forever; so no state is a deadlock.  A claim that
 * cannot move ends the run: no state counts any more.
 *
 * The claim finds something when it comes to its end or fails, or is at an accept label again and again.  In Spin, too,
 * the claim is part of what is searched, and one at a time.
 */
#include "base/diagnostic.h"
#include "front/promela/actions.h"
#include "front/promela/stating.h"

#include <stdio.h>

bool promela_place_claim(struct lowering *l)
{
    struct slot *slot = &l->slot[l->slots]; /* the one behind those in use, which is always there */
    slot->initial = l->claim;
    l->runs_in[l->slots * l->syntax->proctypes.count + l->claim->number] = true;
    l->needs_exclusive = true;
    return slot->hosts != NULL;
}

/* --------------------------------------------------------------------------- actions */

/* Jumps when some process of the slot can do something. */
static void jump_if_slot_able(struct lowering *l, uint32_t slot, struct patches *able)
{
    struct actor before = l->actor;
    for (size_t p = 0; p < l->syntax->proctypes.count; p++)
        if (runs_in(l, slot, l->syntax->proctypes.item[p]))
            pml_jump_if_able(l, (struct actor){slot, l->syntax->proctypes.item[p]}, able);
    l->actor = before;
}

static void emit_pause_at(struct lowering *l, uint32_t location)
{
    struct patches able = {0};
    model_edge(l->m, location, (uint32_t)l->m->code.count);
    l->timeout = true;
    for (uint32_t slot = 0; slot < l->slots && l->syntax->has_timeout && !l->m->failed; slot++)
        jump_if_slot_able(l, slot, &able);
    l->timeout = false;
    pml_emit_store(l, l->exclusive, pml_number_operand((int64_t)l->slots + 1));
    pml_emit_code(l, CODE_REST)->c = (int32_t)location;
    if (!able.at.count)
        return;
    pml_emit_target(l, &able);
    pml_code_a(pml_emit_code(l, CODE_REQUIRE), pml_number_operand(0));
    pml_emit_code(l, CODE_REST)->c = (int32_t)location;
}

/* An action that is no statement of the claim, when `exclusive` has this value. */
static void begin_action(struct lowering *l, const char *what, bool is_fallback, uint32_t exclusive)
{
    struct actor actor = {l->slots, l->claim};
    struct noted_action noted = {.actor = actor};
    char name[200];
    snprintf(name, sizeof name, "claim %.150s: %s", l->claim->name, what);
    l->acting = l->actor = actor;
    l->top = 0;
    model_action(l->m, (struct action){.name = model_copy(l->m, name),
                                       .process = l->slot[l->slots].process,
                                       .is_block = true,
                                       .is_fallback = is_fallback,
                                       .common = MODEL_NONE});
    model_test(l->m, l->exclusive, exclusive, exclusive);
    l->m->failed |= !vector_push(&l->language->actions, noted);
}

/* Nothing can happen any more, and the claim goes on. */
static void emit_pause(struct lowering *l)
{
    struct actor actor = {l->slots, l->claim};
    begin_action(l, "nothing else can happen", true, 0);
    for (uint32_t k = 0; k < l->states[l->claim->number].count && !l->m->failed; k++)
        emit_pause_at(l, location_at(l, actor, l->states[l->claim->number].element[k]));
}

/* Of a location of the claim. */
static const struct element *claim_element_at(const struct lowering *l, uint32_t location)
{
    struct actor actor = {l->slots, l->claim};
    uint32_t k = location - host_of(l, actor)->first_location;
    bool is_state = location >= host_of(l, actor)->first_location && k < l->states[l->claim->number].count;
    return is_state ? element_of(actor, l->states[l->claim->number].element[k]) : NULL;
}

static bool has_found(const struct lowering *l, uint32_t location)
{
    const struct element *e = claim_element_at(l, location);
    return l->m->locations.item[location].failure || (e && e->kind == ELEMENT_END);
}

/* What it has found is found whatever follows, so that it lets the system go on. */
static void emit_stay(struct lowering *l)
{
    const struct model *m = l->m;
    uint32_t first = l->slot[l->slots].first_location, process = l->slot[l->slots].process;
    begin_action(l, "it has found something", false, l->slots + 1);
    for (uint32_t at = first; at < m->locations.count && m->locations.item[at].process == process && !m->failed; at++) {
        if (!has_found(l, at))
            continue;
        model_edge(l->m, at, (uint32_t)m->code.count);
        pml_emit_store(l, l->exclusive, pml_number_operand(0));
        pml_emit_code(l, CODE_REST)->c = (int32_t)at;
    }
}

void promela_lower_claim(struct lowering *l)
{
    struct actor actor = {l->slots, l->claim};
    for (uint32_t k = 0; k < l->states[l->claim->number].count && !l->m->failed; k++) {
        uint32_t state = l->states[l->claim->number].element[k];
        if (element_of(actor, state)->kind != ELEMENT_END)
            pml_lower_state(l, actor, state);
    }
    emit_stay(l);
    emit_pause(l);
}

/* ------------------------------------------------------------- what only claims ask for */

/* Jumps when the process in the slot is at a progress label. */
static void jump_if_progress(struct lowering *l, uint32_t slot, struct patches *progress)
{
    uint32_t top = l->top;
    struct operand where = pml_emit_load(l, location_cell(l, slot));
    for (size_t p = 0; p < l->syntax->proctypes.count; p++) {
        struct actor actor = {slot, l->syntax->proctypes.item[p]};
        for (uint32_t k = 0; runs_in(l, slot, actor.type) && k < l->states[p].count; k++) {
            uint32_t state = l->states[p].element[k];
            uint32_t location = location_at(l, actor, state) - l->slot[slot].first_location;
            if (element_of(actor, state)->is_progress)
                pml_emit_jump_compared(l, where, OPERATION_EQUAL, pml_number_operand(location), true, progress);
        }
    }
    l->top = top;
}

/* enabled(e): process e can do something; timeout: none can; np_: none is at a progress label. */
struct operand pml_emit_asked(struct lowering *l, const struct node *n)
{
    struct operand result = pml_new_register(l), which = pml_number_operand(0);
    struct patches found = {0}, ends = {0};
    uint32_t top = l->top;
    if (n->kind == NODE_ENABLED)
        which = pml_emit_value(l, n->a);
    for (uint32_t slot = 0; slot < l->slots && !l->m->failed; slot++) {
        struct patches other = {0};
        if (n->kind == NODE_ENABLED)
            pml_emit_jump_compared(l, which, OPERATION_EQUAL, pml_number_operand(slot), false, &other);
        if (n->kind == NODE_NO_PROGRESS)
            jump_if_progress(l, slot, &found);
        else
            jump_if_slot_able(l, slot, &found);
        pml_emit_target(l, &other);
    }
    for (int is_found = 0; is_found < 2; is_found++) {
        struct instruction *move = pml_emit_code(l, CODE_MOVE);
        move->dst = result.value;
        pml_code_a(move, pml_number_operand((is_found != 0) == (n->kind == NODE_ENABLED)));
        if (is_found)
            break;
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &found);
    }
    pml_emit_target(l, &ends);
    l->top = top;
    return result;
}

/* -------------------------------------------------------------------------- property */

static void show_places(struct lowering *l, const char *what, bool accepting)
{
    const struct model *m = l->m;
    struct variable variable = {
        .kind = VARIABLE_TABLE, .process = l->slot[l->slots].process, .what = (uint32_t)m->table.count};
    uint32_t first = l->slot[l->slots].first_location;
    char name[250];
    for (uint32_t at = first; at < m->locations.count && m->locations.item[at].process == variable.process; at++) {
        const struct element *e = claim_element_at(l, at);
        bool is_so = accepting ? e && e->is_accepting : has_found(l, at);
        l->m->failed |= !vector_push(&l->m->table, (int64_t)is_so);
    }
    snprintf(name, sizeof name, "claim %.150s.%s", l->claim->name, what);
    promela_show_table(l, name, variable);
}

void promela_show_claim(struct lowering *l)
{
    show_places(l, "accepts", true);
    show_places(l, "has_found", false);
}

void promela_state_claim_beside(struct parser *parser, struct lowering *l)
{
    struct stating s = {.parser = parser, .l = l, .name = l->claim->name};
    char text[600], name[200];
    snprintf(text, sizeof text, "G !\"claim %.150s.has_found\" && F G !\"claim %.150s.accepts\"", l->claim->name,
             l->claim->name);
    snprintf(name, sizeof name, "never claim %.150s", l->claim->name);
    pml_state(&s, PORTOLAN_LTL, text, name);
}

enum portolan_status promela_check_beside(struct parser *parser, const struct lowering *l, const struct proctype *claim)
{
    const struct syntax *s = l->syntax;
    bool others = s->formulas.count > 0;
    for (size_t i = 0; i < s->proctypes.count; i++)
        others |= s->proctypes.item[i]->is_claim && s->proctypes.item[i] != claim;
    if (others) {
        parser_fail(parser, &claim->at,
                    "a claim that keeps values of the system, or changes them, is part of the "
                    "model, and there can be no other claim or formula");
        hint(parser->error, "put them between '#ifdef NAME' and '#endif', and say which with -D NAME=1");
    }
    return parser->status;
}
