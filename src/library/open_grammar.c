/* SPDX-License-Identifier: Apache-2.0 */
#include "library/open_grammar.h"

#include "base/diagnostic.h"
#include "front/grammar/grammar_text.h"
#include "front/groove/groove.h"
#include "graph/engine.h"
#include "graph/ground/ground.h"

#include <string.h>

struct grammar_options {
    const char *start;       /* NULL: as the grammar says */
    const char *isomorphism; /* the same; "on" or "off" */
    bool is_ground;          /* the applications of rules are listed in advance */
    bool conditions_are_steps;
};

static enum portolan_status read_definition(const char *definition, struct grammar_options *options,
                                            struct portolan_error *error)
{
    static const char start[] = "start=", isomorphism[] = "isomorphism=", ground[] = "ground=";
    if (strncmp(definition, start, strlen(start)) == 0) {
        options->start = definition + strlen(start);
        return PORTOLAN_OK;
    }
    if (strncmp(definition, isomorphism, strlen(isomorphism)) == 0) {
        options->isomorphism = definition + strlen(isomorphism);
        if (strcmp(options->isomorphism, "on") == 0 || strcmp(options->isomorphism, "off") == 0)
            return PORTOLAN_OK;
        return fail(error, PORTOLAN_BAD_OPTION, "isomorphism is 'on' or 'off', not '%.80s'", options->isomorphism);
    }
    if (strncmp(definition, ground, strlen(ground)) == 0) {
        const char *when = definition + strlen(ground);
        options->is_ground = strcmp(when, "1") == 0;
        if (options->is_ground || strcmp(when, "0") == 0 || strcmp(when, "auto") == 0)
            return PORTOLAN_OK;
        return fail(error, PORTOLAN_BAD_OPTION, "ground is '1', '0' or 'auto', not '%.80s'", when);
    }
    if (strcmp(definition, "conditions=1") == 0) {
        options->conditions_are_steps = true;
        return PORTOLAN_OK;
    }
    fail(error, PORTOLAN_BAD_OPTION, "a graph grammar has no setting '%.80s'", definition);
    hint(error, "there are start=GRAPH, isomorphism=on or off, ground=1, 0 or auto, and conditions=1");
    return PORTOLAN_BAD_OPTION;
}

typedef enum portolan_status grammar_reader(const char *path, const char *start, struct grammar **grammar,
                                            struct portolan_error *error);

static enum portolan_status open_grammar(grammar_reader *read, const char *path, const char *const *definitions,
                                         size_t count, struct portolan_system **system, struct portolan_error *error)
{
    struct grammar_options options = {0};
    struct grammar *grammar = NULL;
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++)
        status = read_definition(definitions[i], &options, error);
    if (status == PORTOLAN_OK)
        status = read(path, options.start, &grammar, error);
    if (status != PORTOLAN_OK)
        return status;
    if (options.isomorphism)
        grammar->up_to_isomorphism = strcmp(options.isomorphism, "on") == 0;
    grammar->conditions_are_steps = options.conditions_are_steps;
    if (!options.is_ground)
        return graph_system_new(grammar, system, error);
    if (options.conditions_are_steps) {
        status = fail(error, PORTOLAN_REFUSED, "a list of applications has none of rules that change nothing");
        hint(error, "omit --conditions or --ground");
    } else if (options.isomorphism && grammar->up_to_isomorphism) {
        status = fail(error, PORTOLAN_REFUSED, "a list of applications names nodes: it is not up to isomorphism");
        hint(error, "omit --isomorphism or --ground");
    } else {
        status = ground_system_new(grammar, system, error);
    }
    grammar_free(grammar);
    return status;
}

enum portolan_status open_gg(const char *path, const char *const *definitions, size_t count,
                             struct portolan_system **system, struct portolan_error *error)
{
    return open_grammar(gg_read, path, definitions, count, system, error);
}

enum portolan_status open_gps(const char *path, const char *const *definitions, size_t count,
                              struct portolan_system **system, struct portolan_error *error)
{
    return open_grammar(groove_read, path, definitions, count, system, error);
}
