/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/question.h"

#include "base/diagnostic.h"
#include "ltl/ltl_property.h"
#include "property/state_expression.h"

#include <string.h>

bool question_make(struct simplify_question *question, const struct net *net)
{
    *question = (struct simplify_question){.observed = calloc((size_t)net->places + 1, sizeof(bool)),
                                           .named = calloc((size_t)net->transitions + 1, sizeof(bool))};
    return question->observed && question->named;
}

void question_clear(struct simplify_question *question)
{
    free(question->observed);
    free(question->named);
}

/* Whether a transition is enabled is told by the places that it tests. */
static void name_transition(struct simplify_question *question, const struct net *net, uint32_t t)
{
    question->named[t] = true;
    for_arcs (arc, net, t)
        if (arc->need || arc->inhibit)
            question->observed[arc->place] = true;
}

/* False: it reads more than places, as variables of high-level nets do. */
static bool add_expression(struct simplify_question *question, const struct net *net,
                           const struct expression *expression)
{
    for (size_t i = 0; i < expression->nodes.count; i++) {
        const struct node *node = expression->nodes.item[i];
        if (node->kind == NODE_VARIABLE && node->value >= net->places)
            return false;
        if (node->kind == NODE_VARIABLE)
            question->observed[node->value] = true;
        else if (node->kind == NODE_FIREABLE)
            name_transition(question, net, (uint32_t)node->value);
        else if (node->kind == NODE_DEADLOCK)
            question->exact = true;
    }
    return true;
}

bool question_add(struct simplify_question *question, const struct net *net, const struct portolan_property *property)
{
    switch (property->kind) {
    case PORTOLAN_NO_DEADLOCK: question->deadlocks = true; return true;
    case PORTOLAN_INVARIANT:
    case PORTOLAN_REACH:
    case PORTOLAN_MAXIMUM: return add_expression(question, net, property->expression);
    case PORTOLAN_LTL:
        question->exact = true;
        for (size_t i = 0; i < property->ltl->ltl.atoms.count; i++)
            if (!add_expression(question, net, property->ltl->ltl.atoms.item[i].expression))
                return false;
        return true;
    default: return false;
    }
}

bool node_map_make(struct node_map *map, const struct net *original, const struct simplification *simplification)
{
    const struct net *small = simplification->net;
    *map = (struct node_map){.place = calloc((size_t)original->places + 1, sizeof *map->place),
                             .transition = calloc((size_t)original->transitions + 1, sizeof *map->transition)};
    if (!map->place || !map->transition)
        return false;
    memset(map->place, 0xff, original->places * sizeof *map->place);
    memset(map->transition, 0xff, original->transitions * sizeof *map->transition);
    for (uint32_t p = 0; p < small->places; p++)
        map->place[simplification->place[p]] = p;
    for (uint32_t t = 0; t < small->transitions; t++)
        if (simplification->recipe[t] < original->transitions)
            map->transition[simplification->recipe[t]] = t;
    return true;
}

void node_map_clear(struct node_map *map)
{
    free(map->place);
    free(map->transition);
}

static bool renumber(struct portolan_property *property, const struct node_map *map)
{
    bool fine = !property->expression || expression_renumber(property->expression, map->place, map->transition);
    for (size_t i = 0; fine && property->ltl && i < property->ltl->ltl.atoms.count; i++)
        fine = expression_renumber(property->ltl->ltl.atoms.item[i].expression, map->place, map->transition);
    return fine;
}

enum portolan_status property_for_small(const struct portolan_system *original,
                                        const struct portolan_property *property, const struct node_map *map,
                                        struct portolan_property **out, struct portolan_error *error)
{
    const char *text = property->kind == PORTOLAN_NO_DEADLOCK ? NULL : strchr(property->text, ' ') + 1;
    enum portolan_status status = portolan_property_new(original, property->kind, text, out, error);
    if (status == PORTOLAN_OK && !renumber(*out, map)) {
        portolan_property_free(*out);
        *out = NULL;
        status = fail_memory(error);
    }
    return status;
}
