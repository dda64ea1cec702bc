/* SPDX-License-Identifier: Apache-2.0 */
/* portolan list: read off the tables that the program itself uses. */
#include "cli/command.h"

#include "library/open.h"
#include "proviso/proviso.h"
#include "reduce/reduction.h"
#include "search/combination.h"
#include "stateless/system/methods.h"

#include <string.h>

/* What the table of src/soundness lets a reduction with this proviso be asked. */
static void print_preserved(const struct proviso_class *proviso)
{
    static const struct {
        unsigned demand;
        const char *words;
    } asked[] = {{ASKS_DEADLOCKS, "deadlocks"}, {ASKS_STATES, "invariants"}, {ASKS_RUNS, "LTL without X"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct traits traits = {.reduction = REDUCES | UNDIRECTED | EXPLORES_STATES,
                                .demand = asked[i].demand,
                                .proviso = traits_of_proviso(proviso),
                                .search = STORES_STATES};
        if (is_sound(&traits)) {
            printf("%s%s", between, asked[i].words);
            between = ", ";
        }
    }
}

static bool offers(const struct language *language, const struct reduction_class *reduction)
{
    return (!reduction->needs_relations || strstr(language->views, "relations")) &&
           (!reduction->needs_entities || strstr(language->views, "entities"));
}

static void list_matrix(void)
{
    printf("\nWhat works with what (x: offered)\n  %-12s", "");
    for (size_t r = 0; reductions[r]; r++)
        printf("  %-10s", reductions[r]->name);
    printf("  stateless\n");
    for (const struct language *l = languages; l->name; l++) {
        printf("  %-12s", l->name);
        for (size_t r = 0; reductions[r]; r++)
            printf("  %-10s", offers(l, reductions[r]) ? "x" : "-");
        printf("  %s\n", strstr(l->views, "footprint") ? "x" : "-");
    }
}

static void list_proviso(const struct proviso_class *proviso)
{
    if (proviso->of_vectors) {
        printf("  %-16s probe only: %s\n", proviso->name, proviso->summary);
        return;
    }
    printf("  %-16s %s (%s: ", proviso->name, proviso->summary, state_order_name(proviso->order));
    print_preserved(proviso);
    printf(")\n");
}

int command_list(struct settings *settings)
{
    if (settings->words.count)
        return wrong_usage("list");
    const char *words;
    printf("Languages\n");
    for (const struct language *l = languages; l->name; l++)
        printf("  %-16s %s (%s); views: %s\n", l->name, l->summary, l->extensions, l->views);
    printf("\nReductions\n");
    for (size_t r = 0; reductions[r]; r++) {
        printf("  %-16s %s; preserves %s\n", reductions[r]->name, reductions[r]->summary, reductions[r]->preserves);
        if (reductions[r]->options[0])
            printf("  %-16s options: %s\n", "", reductions[r]->options);
    }
    printf("\nReductions of the stateless search; preserve deadlocks, assertions, data races\n");
    for (size_t m = 0; system_methods[m]; m++)
        if (!reduction_find(system_methods[m]->name, &words)) /* those that are not among the others */
            printf("  %-16s %s%s\n", system_methods[m]->name, system_methods[m]->summary,
                   system_methods[m]->preserves_traces ? "" : "; preserves nothing");
    printf("\nProvisos (search: what is preserved)\n");
    for (size_t p = 0; provisos[p]; p++)
        list_proviso(provisos[p]);
    printf("\nSearches\n");
    for (size_t s = 0; search_classes[s]; s++)
        printf("  %-16s %s\n", search_classes[s]->name, search_classes[s]->summary);
    printf("\nStores\n");
    for (const struct store_description *store = store_descriptions; store->name; store++)
        printf("  %-16s %s\n", store->name, store->summary);
    list_matrix();
    return EXIT_HOLDS;
}
