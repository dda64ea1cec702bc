/* SPDX-License-Identifier: Apache-2.0 */
/* Probe sets: the options.  The algorithm is in src/search/probe/. */
#include "reduce/probe.h"

#include "base/diagnostic.h"
#include "base/enabled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OPTIONS[] =
    "strategy=all-but-one|independent|reversing-free|reversing-free-strict, tokens=symbolic|explicit|identity, "
    "choice=least-influence|shortest|random:SEED, sleep, bound=N, persistent; unsound, for study: printed-missed, "
    "printed-disabled, printed-keys, printed-inhibitors, printed-local";

static bool read_strategy(struct probe *probe, const char *word)
{
    static const char *const names[] = {"all-but-one", "independent", "reversing-free", "reversing-free-strict"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0) {
            probe->strategy = (enum probe_strategy)i;
            return true;
        }
    return false;
}

static bool read_choice(struct probe *probe, const char *word)
{
    if (strncmp(word, "random:", 7) == 0) {
        char *end;
        errno = 0;
        probe->choice = PROBE_RANDOM;
        probe->seed = strtoull(word + 7, &end, 10);
        return word[7] >= '0' && word[7] <= '9' && !*end && errno == 0;
    }
    probe->choice = strcmp(word, "least-influence") == 0 ? PROBE_LEAST_INFLUENCE : PROBE_SHORTEST;
    return probe->choice == PROBE_LEAST_INFLUENCE || strcmp(word, "shortest") == 0;
}

static bool read_bound(struct probe *probe, const char *word)
{
    char *end;
    errno = 0;
    unsigned long bound = strtoul(word, &end, 10);
    probe->bound = (uint32_t)bound;
    return *word >= '0' && *word <= '9' && !*end && errno == 0 && bound < PROBE_UNBOUNDED;
}

/* What another model may have, and compare tries, is refused; it is not a wrong option. */
static enum portolan_status read_tokens(struct probe *probe, const struct portolan_system *system, const char *word,
                                        struct portolan_error *error)
{
    for (size_t i = 0; system->entities[i]; i++)
        if (strcmp(system->entities[i]->name, word) == 0) {
            probe->view = system->entities[i];
            return PORTOLAN_OK;
        }
    char offered[128] = "";
    size_t used = 0;
    for (size_t i = 0; system->entities[i] && used < sizeof offered; i++)
        used +=
            (size_t)snprintf(offered + used, sizeof offered - used, "%s'%s'", i ? ", " : "", system->entities[i]->name);
    fail(error, PORTOLAN_REFUSED, "this model offers no entities view '%s'", word);
    hint(error, "it offers %s", offered);
    return PORTOLAN_REFUSED;
}

static bool read_word(struct probe *probe, const char *word)
{
    if (strncmp(word, "strategy=", 9) == 0)
        return read_strategy(probe, word + 9);
    if (strncmp(word, "choice=", 7) == 0)
        return read_choice(probe, word + 7);
    if (strcmp(word, "sleep") == 0)
        return probe->sleep = true;
    if (strncmp(word, "bound=", 6) == 0)
        return read_bound(probe, word + 6);
    bool persistent = strcmp(word, "persistent") == 0;
    bool *printed = strcmp(word, "printed-missed") == 0       ? &probe->printed_missed
                    : strcmp(word, "printed-disabled") == 0   ? &probe->printed_disabled
                    : strcmp(word, "printed-keys") == 0       ? &probe->printed_keys
                    : strcmp(word, "printed-inhibitors") == 0 ? &probe->printed_inhibitors
                    : strcmp(word, "printed-local") == 0      ? &probe->printed_local
                                                              : NULL;
    if (printed)
        *printed = true;
    if (printed || persistent)
        probe->bound = PROBE_UNBOUNDED; /* rules as printed are shown as they are */
    return printed || persistent;
}

static enum portolan_status read_words(struct probe *probe, const struct portolan_system *system, const char *options,
                                       struct portolan_error *error)
{
    struct option_word word;
    enum portolan_status status = PORTOLAN_OK;
    while (status == PORTOLAN_OK && next_option(&options, &word))
        if (strncmp(word.text, "tokens=", 7) == 0) {
            status = read_tokens(probe, system, word.text + 7, error);
        } else if (!read_word(probe, word.text)) {
            status = unknown_option(&reduction_probe, word.text, error);
        }
    return status;
}

static void free_probe(struct reduction *reduction)
{
    free(((struct probe *)reduction)->visible);
    free(reduction);
}

static bool copy_visible(struct probe *probe, const bool *visible)
{
    if (!visible)
        return true;
    size_t bytes = ((size_t)probe->actions + 1) * sizeof *visible;
    probe->visible = calloc(1, bytes);
    if (probe->visible)
        memcpy(probe->visible, visible, probe->actions * sizeof *visible);
    return probe->visible != NULL;
}

static enum portolan_status make(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error)
{
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe)
        return fail_memory(error);
    probe->reduction.class = &reduction_probe;
    probe->view = system->entities[0];
    probe->bound = PROBE_BOUND;
    probe->actions = fixed_actions(system);
    enum portolan_status status = read_words(probe, system, options, error);
    if (status == PORTOLAN_OK && !copy_visible(probe, demands->visible))
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        *reduction = &probe->reduction;
    else
        free_probe(&probe->reduction);
    return status;
}

static bool is_weak(const struct reduction *reduction)
{
    (void)reduction;
    return false;
}

static size_t bytes(const struct reduction *reduction)
{
    return sizeof(struct probe) + ((const struct probe *)reduction)->actions;
}

static const struct reduction_variant variants[] = {
    {"probe", true},
    {"probe:strategy=independent", true},
    {"probe:strategy=reversing-free", true},
    {"probe:tokens=explicit", true},
    {"probe:choice=shortest", false},
    {"probe:choice=random:7", false},
    {"probe:sleep", false},
    {"probe:strategy=independent,choice=shortest,sleep", false},
    {"probe:strategy=independent,tokens=explicit,choice=random:3", false},
    {"probe:strategy=reversing-free,choice=least-influence,sleep", false},
    {"probe:strategy=reversing-free,tokens=explicit,choice=shortest", false},
    {"probe:strategy=reversing-free-strict", false},
    {"probe:strategy=reversing-free-strict,tokens=explicit,sleep", false},
    {"probe:tokens=explicit,sleep", false},
    {"probe:bound=0", false},
    {"probe:strategy=independent,bound=0,sleep", false},
    {"probe:strategy=reversing-free,bound=0", false},
    {"probe:tokens=explicit,bound=1", false},
    {"probe:tokens=identity", false},
    {"probe:strategy=independent,tokens=identity,choice=random:5", false},
    {"probe:strategy=reversing-free,tokens=identity,sleep", false},
    {"probe:strategy=reversing-free-strict,tokens=identity", false},
    {"probe:tokens=identity,choice=shortest,sleep,bound=1", false},
    {NULL, false}};

const struct reduction_class reduction_probe = {.name = "probe",
                                                .summary = "probe sets over entities, with a search over vectors",
                                                .options = OPTIONS,
                                                .preserves = "deadlocks; invariants with visibility",
                                                .variants = variants,
                                                .needs_entities = true,
                                                .has_search = true,
                                                .reduces = true,
                                                .make = make,
                                                .is_weak = is_weak,
                                                .bytes = bytes,
                                                .free = free_probe};
