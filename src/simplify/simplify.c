/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/simplify.h"

#include "base/limits.h"
#include "simplify/work.h"

#include <string.h>

const char *const simplify_rule_words[SIMPLIFY_RULES] = {
    [RULE_DEAD] = "dead transition",    [RULE_CONSTANT] = "constant place",
    [RULE_UNTESTED] = "untested place", [RULE_PARALLEL] = "parallel place",
    [RULE_IMPLIED] = "implied place",   [RULE_DOMINATED] = "dominated transition",
    [RULE_IDLE] = "idle transition",    [RULE_IRRELEVANT] = "irrelevant node",
    [RULE_SOURCE] = "source",           [RULE_POST] = "post-agglomeration",
    [RULE_PRE] = "pre-agglomeration",   [RULE_FREE] = "free agglomeration",
};

static void (*const rules[])(struct work *work) = {
    remove_dead_transitions, remove_irrelevant,       remove_untested_places,       remove_parallel_places,
    remove_sources,          remove_idle_transitions, remove_dominated_transitions, agglomerate};

static uint64_t uses(const struct work *work)
{
    uint64_t sum = 0;
    for (int i = 0; i < SIMPLIFY_RULES; i++)
        sum += work->fired[i];
    return sum;
}

static void apply_quick(struct work *work)
{
    uint64_t before;
    do {
        before = uses(work);
        for (size_t i = 0; i < sizeof rules / sizeof *rules && !work->failed; i++)
            rules[i](work);
    } while (!work->failed && uses(work) != before);
}

/* Every use of a rule removes a place or a transition and agglomerations end with the places, so there is an end. */
static void apply_all(struct work *work)
{
    uint32_t before;
    do {
        apply_quick(work);
        before = work->fired[RULE_IMPLIED];
        if (!work->failed)
            remove_implied_places(work);
    } while (!work->failed && work->fired[RULE_IMPLIED] != before);
}

bool simplify_net(const struct net *net, const struct simplify_question *question, struct simplification *result)
{
    struct work work;
    *result = (struct simplification){0};
    bool fine = work_make(&work, net, question, result->fired);
    if (fine) {
        apply_all(&work);
        result->net = work.failed ? NULL : work_finish(&work, &result->place, &result->recipe);
        fine = result->net != NULL;
    }
    if (fine) {
        result->recipes = work.recipes;
        memset(&work.recipes, 0, sizeof work.recipes);
    }
    work_clear(&work);
    return fine;
}

void simplification_clear(struct simplification *simplification)
{
    net_free(simplification->net);
    free(simplification->place);
    free(simplification->recipe);
    recipes_clear(&simplification->recipes);
    memset(simplification, 0, sizeof *simplification);
}

bool simplification_expand(const struct simplification *simplification, const struct net *original, const uint32_t *run,
                           size_t length, bool to_dead_end, struct firing_sequence *out)
{
    uint32_t *recipes = calloc(length + 1, sizeof *recipes);
    if (!recipes)
        return false;
    for (size_t i = 0; i < length; i++)
        recipes[i] = simplification->recipe[run[i]];
    bool fine = recipes_expand(&simplification->recipes, original, recipes, length, to_dead_end, out);
    free(recipes);
    return fine;
}
