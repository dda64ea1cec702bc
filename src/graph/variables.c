/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What properties can ask of a graph: "nodes", "nodes(T)" with the subtypes of T, "edges(a)", and "applies(r)", which
 * is 1 when rule r has a match, whatever priorities and control programs say.
 */
#include "graph/variables.h"

#include "base/limits.h"

#include <stdio.h>

static bool is_of_nodes(const struct grammar *grammar, uint32_t label)
{
    return grammar->is_typed && grammar->labels.item[label].kind == LABEL_TYPE;
}

/* Types and flags may have the text of another label: then they have a number behind it. */
static bool add_name(struct names *names, const char *kind, const char *text)
{
    uint32_t number = 0, before = names_count(names);
    char name[300];
    snprintf(name, sizeof name, "%s(%.250s)", kind, text);
    bool fine = names_add(names, name, &number);
    for (unsigned i = 2; fine && number < before; i++) {
        snprintf(name, sizeof name, "%s(%.250s)#%u", kind, text, i);
        fine = names_add(names, name, &number);
    }
    return fine;
}

bool variables_name(struct engine *e)
{
    const struct grammar *grammar = e->grammar;
    uint32_t number;
    bool fine = names_add(&e->variable_names, "nodes", &number);
    for (uint32_t i = 0; i < grammar->labels.count && fine; i++)
        fine = add_name(&e->variable_names, is_of_nodes(grammar, i) ? "nodes" : "edges", grammar->labels.item[i].text);
    e->counts = names_count(&e->variable_names);
    for (size_t i = 0; i < grammar->rules.count && fine; i++)
        fine = add_name(&e->variable_names, "applies", grammar->rules.item[i].name);
    return fine;
}

const struct portolan_type *variables_type(const struct engine *e, uint32_t variable)
{
    static const struct portolan_type truth = {.kind = PORTOLAN_BOOLEAN};
    return variable >= e->counts ? &truth : NULL;
}

static int64_t count_edges(const struct engine *e, uint32_t label)
{
    const struct grammar *grammar = e->grammar;
    int64_t count = (int64_t)e->present.by_label[label].count;
    for (uint32_t other = 0; other < grammar->labels.count && is_of_nodes(grammar, label); other++)
        if (other != label && is_of_nodes(grammar, other) && is_subtype(grammar, other, label))
            count += (int64_t)e->present.by_label[other].count;
    return count;
}

static bool note_match(void *user, const uint32_t *key, size_t length)
{
    (void)key;
    (void)length;
    *(bool *)user = true;
    return false;
}

static bool rule_applies(struct engine *e, uint32_t rule, bool *fine)
{
    bool applies = false;
    if (!e->grammar->rules.item[rule].is_enabled)
        return false;
    e->matcher.found = note_match;
    e->matcher.user = &applies;
    *fine = engine_enabled_by(e, rule, NULL);
    return applies;
}

int64_t variables_value(struct engine *e, uint32_t graph, uint32_t variable)
{
    bool fine = engine_load(e, graph);
    int64_t value = 0;
    if (fine && variable >= e->counts)
        value = rule_applies(e, variable - e->counts, &fine);
    else if (fine)
        value =
            variable == 0 ? (int64_t)e->present.by_label[e->universe.node_label].count : count_edges(e, variable - 1);
    if (!fine)
        limits_run_out();
    return value;
}
