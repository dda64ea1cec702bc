/* SPDX-License-Identifier: Apache-2.0 */
#include "search/variants.h"

#include "proviso/all.h"
#include "search/combination.h"
#include "stateless/system/methods.h"

static const struct search_class *const of_states[] = {&search_bfs, &search_dfs, NULL};
static const struct search_class *const of_runs[] = {&search_scc, &search_ndfs, &search_cndfs, NULL};

/* Does it make sense to name them together?  Whether it is sound is another question. */
static bool go_together(const struct reduction_class *reduction, const char *text, const struct proviso_class *proviso,
                        const struct search_class *search)
{
    bool directed = traits_of_reduction(reduction, text) & GOAL_DIRECTED;
    if (directed && search->of != OF_STATES)
        return false;
    if (!reduction->reduces)
        return proviso == &proviso_none;
    if (reduction->has_search)
        return proviso->of_vectors && !proviso->may_not_end && search->of == OF_STATES;
    return !proviso->of_vectors &&
           (search->of == OF_RUNS || proviso->order == ANY_ORDER || proviso->order == search->order);
}

static bool next_method(struct variant_cursor *cursor, struct variant *variant)
{
    const struct method *method = system_methods[cursor->method];
    if (!method)
        return false;
    cursor->method++;
    *variant = (struct variant){.reduction = method->name,
                                .proviso = proviso_none.name,
                                .search = search_executions.name,
                                .proviso_class = &proviso_none,
                                .search_class = &search_executions,
                                .method = method,
                                .is_shown = method->preserves_traces};
    return true;
}

/* Moves to the next combination in the order of reductions, their options, provisos, searches. */
static void advance(struct variant_cursor *cursor, const struct search_class *const *order)
{
    const struct reduction_class *reduction = reductions[cursor->reduction];
    if (order[++cursor->search])
        return;
    cursor->search = 0;
    if (provisos[++cursor->proviso])
        return;
    cursor->proviso = 0;
    if (reduction->variants[++cursor->option].text)
        return;
    cursor->option = 0;
    cursor->reduction++;
}

bool variant_next(struct variant_cursor *cursor, bool temporal, struct variant *variant)
{
    const struct search_class *const *order = temporal ? of_runs : of_states;
    while (reductions[cursor->reduction]) {
        const struct reduction_class *reduction = reductions[cursor->reduction];
        const struct reduction_variant *option = &reduction->variants[cursor->option];
        const struct proviso_class *proviso = provisos[cursor->proviso];
        const struct search_class *search = order[cursor->search];
        advance(cursor, order);
        if (!go_together(reduction, option->text, proviso, search))
            continue;
        *variant = (struct variant){.reduction = option->text,
                                    .proviso = proviso->name,
                                    .search = search->name,
                                    .reduction_class = reduction,
                                    .proviso_class = proviso,
                                    .search_class = search,
                                    .is_shown = option->is_shown && (!reduction->has_search || search == &search_dfs)};
        return true;
    }
    return !temporal && next_method(cursor, variant);
}

bool variant_is_sound(const struct variant *variant, const struct portolan_system *system,
                      const struct portolan_options *options)
{
    struct traits traits = traits_of_request(system, options);
    if (variant->method && !variant->method->preserves_traces)
        return false;
    traits.search = traits_of_search(variant->search_class);
    traits.proviso = traits_of_proviso(variant->proviso_class);
    if (variant->reduction_class)
        traits.reduction = traits_of_reduction(variant->reduction_class, variant->reduction);
    else
        traits.search |= EVERY_EXECUTION;
    return is_sound(&traits);
}
