/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a model as the options say, and a graph grammar in the form that the request needs. */
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "cli/command.h"
#include "search/combination.h"

#include <stdlib.h>
#include <string.h>

enum portolan_status open_model(const struct settings *settings, const char *path, const char *more,
                                struct portolan_system **system, struct portolan_error *error)
{
    VECTOR(const char *) definitions = {0};
    char *start = NULL, *isomorphism = NULL, *language = NULL;
    bool listed = vector_reserve(&definitions, settings->definitions.count + 1);
    for (size_t i = 0; listed && i < settings->definitions.count; i++)
        listed = vector_push(&definitions, settings->definitions.item[i]);
    if (listed && settings->language)
        listed = asprintf(&language, "language=%s", settings->language) >= 0 && vector_push(&definitions, language);
    if (listed && settings->allow_c)
        listed = vector_push(&definitions, "allow-c=1");
    if (listed && settings->unread)
        listed = vector_push(&definitions, "unread=out");
    if (listed && settings->start)
        listed = asprintf(&start, "start=%s", settings->start) >= 0 && vector_push(&definitions, start);
    if (listed && settings->isomorphism)
        listed = asprintf(&isomorphism, "isomorphism=%s", settings->isomorphism) >= 0 &&
                 vector_push(&definitions, isomorphism);
    if (listed && more)
        listed = vector_push(&definitions, more);
    enum portolan_status status =
        listed ? portolan_open_with(path, definitions.item, definitions.count, system, error) : fail_memory(error);
    free(definitions.item);
    free(language);
    free(start);
    free(isomorphism);
    return status;
}

/* A certificate names every action. */
static bool lacks_something(const struct portolan_system *system, const struct settings *settings,
                            const struct portolan_options *options)
{
    bool is_certified = !options || settings->certificate;
    return (is_certified && !has_fixed_actions(system)) || (options && lacks_view(system, options));
}

/* Nothing is reduced, and nobody looks at relations. */
static bool needs_no_relations(const struct settings *settings, const struct portolan_options *options)
{
    return options && options->reduction && strcmp(options->reduction, "none") == 0 && !settings->certificate &&
           !options->check_relations;
}

/* On the command line, in one of two forms. */
static bool says_isomorphism(const struct settings *settings)
{
    bool says = settings->isomorphism;
    for (size_t i = 0; i < settings->definitions.count; i++)
        says |= strncmp(settings->definitions.item[i], "isomorphism=", strlen("isomorphism=")) == 0;
    return says;
}

static void say_who_needs_it(const struct settings *settings, const struct portolan_options *options,
                             struct portolan_error *error)
{
    if (!options || settings->certificate)
        hint(error, "a certificate needs such a list: it names every application");
    else if (options->reduction)
        hint(error, "reduction '%.60s' needs such a list; --reduction none does not", options->reduction);
    else
        hint(error, "what you ask for needs such a list");
}

enum portolan_status open_model_for(const struct settings *settings, const char *path,
                                    const struct portolan_options *options, struct portolan_system **system,
                                    const char **with, struct portolan_error *error)
{
    static const char *const ways[] = {"ground=1", "isomorphism=off"};
    struct portolan_error first = {0}, other;
    const char *less = needs_no_relations(settings, options) ? "relations=0" : NULL;
    enum portolan_status status = open_model(settings, path, less, system, error);
    *with = NULL;
    if (status != PORTOLAN_OK || settings->never_ground || !(*system)->graphs ||
        !lacks_something(*system, settings, options))
        return status;
    portolan_system_free(*system);
    for (size_t i = 0; i < (says_isomorphism(settings) ? 1 : 2); i++) {
        status = open_model(settings, path, ways[i], system, i ? &other : &first);
        *with = ways[i];
        if (status == PORTOLAN_OK && !lacks_something(*system, settings, options))
            return PORTOLAN_OK;
        if (status == PORTOLAN_OK)
            portolan_system_free(*system);
        else if (status != PORTOLAN_REFUSED)
            break;
    }
    *system = NULL;
    if (status == PORTOLAN_OK || status == PORTOLAN_REFUSED)
        say_who_needs_it(settings, options, &first);
    *error = status == PORTOLAN_OK || status == PORTOLAN_REFUSED || *with == ways[0] ? first : other;
    return error->status;
}
