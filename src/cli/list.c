/* SPDX-License-Identifier: Apache-2.0 */
/* portolan list: read off the tables that the program itself uses. */
#include "cli/command.h"

#include "library/open.h"
#include "proviso/proviso.h"
#include "reduce/reduction.h"
#include "search/search.h"
#include "stateless/system/methods.h"

#include <string.h>

static const char *form_word(enum proviso_form form)
{
    switch (form) {
    case PROVISO_FREE: return "deadlocks";
    case PROVISO_SAFETY: return "deadlocks, invariants";
    case PROVISO_LIVENESS: return "deadlocks, invariants, LTL without X";
    }
    return "";
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
    if (proviso->of_vectors)
        printf("  %-16s probe only: %s\n", proviso->name, proviso->summary);
    else
        printf("  %-16s %s (%s: %s)\n", proviso->name, proviso->summary, state_order_name(proviso->order),
               form_word(proviso->form));
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
    list_matrix();
    return EXIT_HOLDS;
}
