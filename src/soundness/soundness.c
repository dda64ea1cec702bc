/* SPDX-License-Identifier: Apache-2.0 */
#include "soundness/soundness.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

/* A store that takes two states for one now and then, and cannot tell which. */
static unsigned traits_of_store(const struct portolan_options *options)
{
    const char *name = options->store;
    bool is_named = name && strcmp(name, "auto") != 0;
    bool forgets = is_named && (strcmp(name, "hash") == 0 || strcmp(name, "bitstate") == 0);
    bool wants = options->chains || options->certifiable || options->callbacks.expanded || options->callbacks.edge;
    return (is_named || options->spill ? STORE_BY_NAME : 0) | (forgets ? FORGETS_STATES : 0) |
           (forgets && wants ? WANTS_FORGOTTEN : 0);
}

unsigned traits_of_options(const struct portolan_options *options)
{
    return traits_of_store(options) | (options->chains ? WITH_CHAINS : 0) |
           (options->check_relations ? CHECKS_RELATIONS : 0) | (options->bound ? BOUNDS_STEPS : 0) |
           (options->callbacks.execution ? LISTS_EXECUTIONS : 0) |
           (options->threads > 1 ? SEVERAL_THREADS : ONE_THREAD) |
           (options->fairness != PORTOLAN_UNFAIR ? FAIR_RUNS : 0) |
           (options->fairness == PORTOLAN_FAIR_AGENTS ? FAIR_TO_AGENTS : 0) |
           (options->bounds_preemptions ? BOUNDS_PREEMPTIONS : 0) |
           (options->callbacks.expanded || options->callbacks.edge ? EXPORTS_GRAPH : 0);
}

static bool meets(unsigned rule, unsigned traits)
{
    return !rule || rule & traits;
}

static bool breaks(const struct traits *traits, const struct traits *rule)
{
    return meets(rule->reduction, traits->reduction) && meets(rule->demand, traits->demand) &&
           meets(rule->proviso, traits->proviso) && meets(rule->search, traits->search) &&
           meets(rule->option, traits->option) && meets(rule->model, traits->model);
}

const struct rule *broken_rule(const struct traits *traits)
{
    for (const struct rule *rule = rules; rule->reason; rule++)
        if (breaks(traits, &rule->traits))
            return rule;
    return NULL;
}

bool is_sound(const struct traits *traits)
{
    return !broken_rule(traits);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Writes the sentence with the names in place of the words in braces. */
static void fill_in(const char *sentence, const struct part_names *names, char *text, size_t size)
{
    const char *const words[][2] = {{"{reduction}", names->reduction},
                                    {"{proviso}", names->proviso},
                                    {"{search}", names->search},
                                    {"{property}", names->property},
                                    {"{why}", names->why}};
    size_t used = 0;
    while (*sentence && used + 1 < size) {
        size_t word = 0, count = sizeof words / sizeof *words;
        while (word < count && strncmp(sentence, words[word][0], strlen(words[word][0])) != 0)
            word++;
        int length = word < count ? snprintf(text + used, size - used, "%.200s", or_empty(words[word][1]))
                                  : snprintf(text + used, size - used, "%c", *sentence);
        used += (size_t)length;
        sentence += word < count ? strlen(words[word][0]) : 1;
    }
    text[used < size ? used : size - 1] = '\0';
}

enum portolan_status refuse_by_rule(const struct rule *rule, const struct part_names *names,
                                    struct portolan_error *error)
{
    char text[512];
    enum portolan_status status = rule->status ? rule->status : PORTOLAN_REFUSED;
    fill_in(rule->reason, names, text, sizeof text);
    fail(error, status, "%s", text);
    if (rule->hint)
        hint(error, "%s", rule->hint);
    return status;
}
