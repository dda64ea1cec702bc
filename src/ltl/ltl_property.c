/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl/ltl_property.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/text_file.h"

#include <string.h>

static bool find_accepting(struct ltl_property *property)
{
    const struct automaton *automaton = property->counterexamples;
    struct components components;
    property->accepting = calloc((size_t)automaton->states + 1, sizeof *property->accepting);
    if (!property->accepting || !components_find(automaton, &components))
        return false;
    for (uint32_t s = 0; s < automaton->states; s++)
        property->accepting[s] =
            components.of[s] != UINT32_MAX && component_accepts(automaton, &components, components.of[s]);
    components_clear(&components);
    return true;
}

static enum portolan_status new_property(struct ltl_property **out, struct portolan_error *error)
{
    *out = calloc(1, sizeof **out);
    if (*out && ltl_init(&(*out)->ltl))
        return PORTOLAN_OK;
    free(*out);
    *out = NULL;
    return fail_memory(error);
}

/* From now on states within steps do not count. */
static enum portolan_status overlook(struct ltl_property *p, const struct portolan_system *system,
                                     struct portolan_error *error)
{
    enum portolan_status status = ltl_overlook(&p->ltl, system, error);
    return status || automaton_overlook(&p->counterexamples, &p->ltl) ? status : fail_memory(error);
}

static enum portolan_status finish(struct ltl_property **out, enum portolan_status status, struct portolan_error *error)
{
    if (status == PORTOLAN_OK && !find_accepting(*out))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        ltl_property_free(*out);
        *out = NULL;
    }
    return status;
}

enum portolan_status ltl_property_of_formula(const struct portolan_system *system, const char *text,
                                             struct ltl_property **out, struct portolan_error *error)
{
    enum portolan_status status = new_property(out, error);
    if (status != PORTOLAN_OK)
        return status;
    struct ltl_property *p = *out;
    struct automaton_options negated = {.negated = true};
    status = ltl_parse(&p->ltl, system, "<formula>", text, &p->formula, error);
    if (status == PORTOLAN_OK)
        status = automaton_of_formula(&p->ltl, p->formula, &negated, &p->counterexamples, error);
    if (status == PORTOLAN_OK)
        status = ltl_stutter_invariant(&p->ltl, p->formula, &p->stutter_invariant, error);
    if (status == PORTOLAN_OK)
        status = ltl_safety(&p->ltl, p->formula, &p->safety, error);
    if (status == PORTOLAN_OK)
        status = overlook(p, system, error);
    return finish(out, status, error);
}

/* Compiles the atomic propositions, each of which gets the number that it has in the automaton. */
static enum portolan_status bind_atoms(struct ltl_property *p, const struct portolan_system *system, const char *path,
                                       struct portolan_error *error)
{
    for (uint32_t i = 0; i < p->counterexamples->atom_count; i++) {
        const char *text = p->counterexamples->atoms[i];
        struct expression *expression = NULL;
        uint32_t atom;
        enum portolan_status status = expression_parse_named(system, path, text, &expression, error);
        if (status == PORTOLAN_OK)
            status = ltl_add_atom(&p->ltl, text, expression, &atom, error);
        if (status != PORTOLAN_OK)
            return status;
        if (atom != i)
            return fail(error, PORTOLAN_BAD_INPUT, "%.200s: the atomic proposition '%.100s' occurs twice", path, text);
    }
    return PORTOLAN_OK;
}

enum portolan_status ltl_property_of_automaton(const struct portolan_system *system, const char *path,
                                               struct ltl_property **out, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    enum portolan_status status = new_property(out, error);
    if (status != PORTOLAN_OK)
        return status;
    struct ltl_property *p = *out;
    p->from_automaton = true;
    p->stutter_invariant = LTL_UNKNOWN;
    bool is_text = strncmp(path, "HOA:", 4) == 0; /* a model states it itself */
    const char *file = is_text ? system->name : path;
    if (!is_text)
        status = text_file_read(path, &text, &length, error);
    if (status == PORTOLAN_OK)
        status = automaton_read_hoa(file, is_text ? path : text, is_text ? strlen(path) : length, &p->counterexamples,
                                    error);
    free(text);
    if (status == PORTOLAN_OK)
        status = bind_atoms(p, system, file, error);
    if (status == PORTOLAN_OK)
        p->safety = p->counterexamples->strength == AUTOMATON_TERMINAL ? LTL_YES : LTL_UNKNOWN;
    if (status == PORTOLAN_OK)
        status = overlook(p, system, error);
    return finish(out, status, error);
}

void ltl_property_free(struct ltl_property *property)
{
    if (!property)
        return;
    ltl_clear(&property->ltl);
    automaton_free(property->counterexamples);
    free(property->accepting);
    free(property);
}

bool ltl_property_mentions_deadlock(const struct ltl_property *property)
{
    for (size_t i = 0; i < property->ltl.atoms.count; i++)
        if (expression_mentions_deadlock(property->ltl.atoms.item[i].expression))
            return true;
    return false;
}

static void mark_visible(const struct ltl_property *property, const struct portolan_system *system, bool *visible)
{
    for (size_t i = 0; i < property->ltl.atoms.count; i++)
        expression_mark_visible(property->ltl.atoms.item[i].expression, system, visible);
}

bool ltl_property_fails_on(const struct ltl_property *property, const uint64_t *letters, size_t length, size_t loop,
                           bool *fails)
{
    if (property->from_automaton)
        return automaton_accepts_lasso(property->counterexamples, letters, length, loop, fails);
    bool holds = true;
    uint64_t *visible;
    size_t count;
    bool fine = ltl_visible_letters(&property->ltl, letters, length, &loop, &visible, &count), is_bad = false;
    if (fine && loop < count) {
        fine = ltl_holds_on_lasso(&property->ltl, property->formula, visible, count, loop, &holds);
    } else if (fine && property->counterexamples->strength == AUTOMATON_TERMINAL) {
        fine = ltl_property_is_bad_prefix(property, letters, length, &is_bad); /* no run, but it began as none may */
        holds = !is_bad;
    }
    free(visible);
    *fails = !holds;
    return fine;
}

bool ltl_property_is_bad_prefix(const struct ltl_property *property, const uint64_t *letters, size_t length, bool *bad)
{
    const struct automaton *automaton = property->counterexamples;
    size_t words = bit_words(automaton->states);
    uint64_t *now = calloc(words, sizeof *now), *next = calloc(words, sizeof *next);
    bool fine = now && next;
    *bad = false;
    if (fine) {
        bit_set(now, automaton->initial);
        *bad = property->accepting[automaton->initial];
    }
    for (size_t i = 0; fine && i < length && !*bad; i++) {
        memset(next, 0, words * sizeof *next);
        for (uint32_t s = 0; s < automaton->states; s++) {
            if (!bit_get(now, s))
                continue;
            for_edges(edge, automaton, s) if (automaton_edge_takes(edge, letters[i]))
            {
                bit_set(next, edge->target);
                *bad |= property->accepting[edge->target];
            }
        }
        uint64_t *swapped = now;
        now = next;
        next = swapped;
    }
    free(now);
    free(next);
    return fine;
}

static const char *why_every_state(const struct ltl_property *property)
{
    if (property->stutter_invariant == LTL_NO)
        return "it is not invariant under stuttering";
    if (property->stutter_invariant == LTL_UNKNOWN)
        return "whether it is invariant under stuttering is not known";
    return ltl_property_mentions_deadlock(property) ? tells_live_states : NULL;
}

static bool needs_runs(const struct ltl_property *property)
{
    return property->safety != LTL_YES;
}

static bool why_no_value(const struct ltl_property *property, const struct portolan_system *system, const void *state,
                         bool is_deadlock, char *text, size_t size)
{
    return ltl_why_no_value(&property->ltl, system, state, is_deadlock, text, size);
}

const struct run_property_class ltl_property_class = {.free = ltl_property_free,
                                                      .why_every_state = why_every_state,
                                                      .needs_runs = needs_runs,
                                                      .mark_visible = mark_visible,
                                                      .why_no_value = why_no_value};
