/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: those of the program, and those of a function that has not returned. */
#include "debuginfo/modules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return libdw.dwarf_attr_integrate(die, DW_AT_type, &attribute) && libdw.dwarf_formref_die(&attribute, type);
}

/* The one expression that is always true of a variable. */
static bool fixed_location(Dwarf_Die *die, Dwarf_Op **expression, size_t *length)
{
    Dwarf_Attribute attribute;
    return libdw.dwarf_attr_integrate(die, DW_AT_location, &attribute) &&
           libdw.dwarf_getlocation(&attribute, expression, length) == 0 && *length;
}

static void add_variable(struct debuginfo *d, Dwarf_Die *die, Dwarf_Addr bias)
{
    Dwarf_Op *expression;
    size_t length;
    struct variable variable = {0};
    if (!fixed_location(die, &expression, &length) || !type_of(die, &variable.type))
        return;
    uint8_t last = expression[length - 1].atom, first = expression[0].atom;
    variable.is_thread_local = last == DW_OP_GNU_push_tls_address || last == DW_OP_form_tls_address;
    if (!variable.is_thread_local && (first != DW_OP_addr || length != 1))
        return;
    variable.start = expression[0].number + (variable.is_thread_local ? 0 : bias);
    variable.size = type_size(&variable.type);
    variable.name = name_of(d, die);
    if (variable.name && variable.size)
        vector_push(&d->variables, variable); /* without memory it has no name */
}

/* Scopes hold static variables too. */
static void look_for_variables(struct debuginfo *d, Dwarf_Die *scope, Dwarf_Addr bias)
{
    Dwarf_Die die;
    for (int none = libdw.dwarf_child(scope, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die))
        switch (libdw.dwarf_tag(&die)) {
        case DW_TAG_variable: add_variable(d, &die, bias); break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace: look_for_variables(d, &die, bias); break;
        default: break;
        }
}

static int compare_variables(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    if (x->is_thread_local != y->is_thread_local)
        return x->is_thread_local ? 1 : -1;
    return x->start < y->start ? -1 : x->start > y->start;
}

const struct variable *debuginfo_variables(struct debuginfo *d, size_t *count)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; !d->knows_variables && (unit = libdw.dwfl_nextcu(d->dwfl, unit, &bias));)
        if (!is_of_runtime(d, unit))
            look_for_variables(d, unit, bias);
    if (!d->knows_variables && d->variables.count)
        qsort(d->variables.item, d->variables.count, sizeof *d->variables.item, compare_variables);
    d->knows_variables = true;
    *count = d->variables.count;
    return d->variables.item;
}

const struct variable *debuginfo_variable(struct debuginfo *d, uint64_t address, bool is_thread_local)
{
    size_t count, low = 0;
    const struct variable *variables = debuginfo_variables(d, &count);
    for (size_t high = count; low < high;) { /* behind the last one that begins at the address or before it */
        size_t middle = (low + high) / 2;
        const struct variable *v = &variables[middle];
        if (v->is_thread_local == is_thread_local ? v->start <= address : is_thread_local)
            low = middle + 1;
        else
            high = middle;
    }
    const struct variable *v = low ? &variables[low - 1] : NULL;
    return v && v->is_thread_local == is_thread_local && address - v->start < v->size ? v : NULL;
}

/* --- locals */

struct locals {
    const struct code_frame *frame;
    Dwarf_Addr pc; /* without the bias */
    bool has_base;
    uint64_t base;
    take_local *take;
    void *user;
};

/* Is the register one that a call preserves? */
static bool is_preserved(uint64_t number)
{
    return number == 3 || number == 6 || number == 7 || (number >= 12 && number < 16);
}

static bool evaluate(const struct locals *l, const Dwarf_Op *op, size_t length, bool *is_value, uint64_t *result)
{
    const uint64_t *registers = l->frame->registers;
    uint8_t atom = op->atom;
    *is_value = atom >= DW_OP_reg0 && atom <= DW_OP_reg15;
    if (length != 1)
        return false;
    if (atom == DW_OP_call_frame_cfa)
        *result = l->frame->cfa;
    else if (atom == DW_OP_fbreg && l->has_base)
        *result = l->base + op->number;
    else if (*is_value && is_preserved(atom - DW_OP_reg0))
        *result = registers[atom - DW_OP_reg0];
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg15 && is_preserved(atom - DW_OP_breg0))
        *result = registers[atom - DW_OP_breg0] + op->number;
    else
        return false;
    return true;
}

static bool evaluate_attribute(const struct locals *l, Dwarf_Die *die, unsigned name, bool *is_value, uint64_t *result)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *expression;
    size_t length;
    return libdw.dwarf_attr_integrate(die, name, &attribute) &&
           libdw.dwarf_getlocation_addr(&attribute, l->pc, &expression, &length, 1) == 1 && length &&
           evaluate(l, expression, length, is_value, result);
}

/* Where it was in memory before or after, if it is in no place that we can look at now: it has not moved. */
static bool find_home(const struct locals *l, Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr base, start, end;
    Dwarf_Op *expression;
    size_t length;
    bool is_value;
    if (!libdw.dwarf_attr_integrate(die, DW_AT_location, &attribute))
        return false;
    for (ptrdiff_t at = 0;
         (at = libdw.dwarf_getlocations(&attribute, at, &base, &start, &end, &expression, &length)) > 0;)
        if (length && evaluate(l, expression, length, &is_value, address) && !is_value)
            return true;
    return false;
}

static void take_variable(const struct locals *l, Dwarf_Die *die)
{
    struct local_variable local = {.name = libdw.dwarf_diename(die)};
    uint64_t result;
    if (!local.name || !type_of(die, &local.type) ||
        (!evaluate_attribute(l, die, DW_AT_location, &local.is_value, &result) && !find_home(l, die, &result)))
        return;
    if (local.is_value)
        local.value = result;
    else
        local.address = result;
    l->take(l->user, &local);
}

static void take_scope(const struct locals *l, Dwarf_Die *scope)
{
    Dwarf_Die die;
    for (int none = libdw.dwarf_child(scope, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die))
        switch (libdw.dwarf_tag(&die)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter: take_variable(l, &die); break;
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:
            if (libdw.dwarf_haspc(&die, l->pc) == 1)
                take_scope(l, &die);
            break;
        default: break;
        }
}

/* The base is where a register points to, or what is in it: both are written alike. */
static void find_base(struct locals *l, Dwarf_Die *function)
{
    bool is_value;
    l->has_base = evaluate_attribute(l, function, DW_AT_frame_base, &is_value, &l->base);
}

void debuginfo_locals(struct debuginfo *d, const struct code_frame *frame, take_local *take, void *user)
{
    struct locals l = {.frame = frame, .take = take, .user = user};
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = unit_at(d, frame->address, &bias), *scopes = NULL, *parents = NULL;
    l.pc = frame->address - bias;
    int count = unit ? libdw.dwarf_getscopes(unit, l.pc, &scopes) : 0;
    int levels = count > 0 ? libdw.dwarf_getscopes_die(&scopes[0], &parents) : 0;
    for (int i = 0; i < levels; i++)
        if (libdw.dwarf_tag(&parents[i]) == DW_TAG_subprogram) {
            find_base(&l, &parents[i]);
            take_scope(&l, &parents[i]);
        }
    free(scopes);
    free(parents);
}
