/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of systems that rest within their steps.
 *
 * A state within a step is no state of the run that a formula speaks of: what counts is the word of the other states'
 * letters, and a run that comes to no such state any more is no run.  So an automaton stays where it is while the
 * system rests, without seeing an acceptance set.  Only where an automaton has already decided (terminal, in a
 * component that accepts) nothing that follows matters.
 *
 * That the system rests is an atom of its own, so whatever a reduction or a proviso does for the atoms of a formula it
 * does for this one.  A language that cannot tell how often a letter is repeated still cannot: repeated letters of
 * resting states are overlooked all the same.
 */
#include "ltl/automaton.h"

#include <stdio.h>

enum portolan_status ltl_overlook(struct ltl *ltl, const struct portolan_system *system, struct portolan_error *error)
{
    char text[300];
    struct expression *expression = NULL;
    uint32_t atom;
    if (!system || !system->rests_within_steps || !system->resting)
        return PORTOLAN_OK;
    snprintf(text, sizeof text, "\"%.250s\" != 0", system->variable_name(system->model, system->resting - 1));
    enum portolan_status status = expression_parse_named(system, "<formula>", text, &expression, error);
    if (status == PORTOLAN_OK)
        status = ltl_add_atom(ltl, text, expression, &atom, error);
    if (status == PORTOLAN_OK)
        ltl->resting = atom + 1;
    return status;
}

bool automaton_overlook(struct automaton **automaton, const struct ltl *ltl)
{
    const struct automaton *from = *automaton;
    struct automaton_edges edges = {0};
    struct components components;
    if (!ltl->resting)
        return true;
    uint64_t rests = UINT64_C(1) << (ltl->resting - 1);
    uint64_t accepting = from->sets ? 0 : 1; /* without sets every infinite run is; not those that only rest */
    struct automaton *made = automaton_new(from->states, from->initial, from->sets ? from->sets : 1, ltl);
    if (!made || !components_find(from, &components)) {
        automaton_free(made);
        return false;
    }
    for (uint32_t s = 0; s < from->states; s++) {
        bool decided = from->strength == AUTOMATON_TERMINAL && components.of[s] != UINT32_MAX &&
                       component_accepts(from, &components, components.of[s]);
        edges_add(&edges, (struct automaton_edge){.source = s,
                                                  .target = s,
                                                  .positive = rests,
                                                  .acceptance = decided ? automaton_all_sets(made) : 0});
        for_edges(edge, from, s)
        {
            struct automaton_edge other = *edge;
            other.negative |= rests;
            other.acceptance |= accepting;
            if (!(edge->positive & rests))
                edges_add(&edges, other);
        }
    }
    components_clear(&components);
    if (!automaton_set_edges(made, &edges) || !automaton_classify(made)) {
        automaton_free(made);
        return false;
    }
    automaton_free(*automaton);
    *automaton = made;
    return true;
}

bool ltl_visible_letters(const struct ltl *ltl, const uint64_t *letters, size_t length, size_t *loop,
                         uint64_t **visible, size_t *count)
{
    size_t at = 0;
    *visible = calloc(length + 1, sizeof **visible);
    *count = 0;
    if (!*visible)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (i == *loop)
            at = *count;
        if (!ltl_rests(ltl, letters[i]))
            (*visible)[(*count)++] = letters[i];
    }
    *loop = at;
    return true;
}
