/* SPDX-License-Identifier: Apache-2.0 */
#include "library/open_colours.h"

#include "base/diagnostic.h"
#include "front/petri/system.h"
#include "front/symmetric/symmetric.h"
#include "highlevel/system.h"
#include "library/open.h"

#include <string.h>

/* Takes ground=... out of the definitions. */
static size_t take_grounding(const char *const *definitions, size_t count, const char **others,
                             enum grounding *grounding)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(definitions[i], "ground=1") == 0)
            *grounding = GROUND_ALWAYS;
        else if (strcmp(definitions[i], "ground=0") == 0)
            *grounding = GROUND_NEVER;
        else if (strcmp(definitions[i], "ground=auto") == 0)
            *grounding = GROUND_AUTO;
        else
            others[kept++] = definitions[i];
    return kept;
}

enum portolan_status open_lna(const char *path, const char *const *definitions, size_t count,
                              struct portolan_system **system, struct portolan_error *error)
{
    enum grounding grounding = GROUND_AUTO;
    const char **others = calloc(count + 1, sizeof *others);
    if (!others)
        return fail_memory(error);
    size_t kept = take_grounding(definitions, count, others, &grounding);
    struct colour_net *net = NULL;
    enum portolan_status status = lna_read(path, others, kept, &net, error);
    free(others);
    return status == PORTOLAN_OK ? colour_system_new(net, grounding, system, error) : status;
}

enum portolan_status open_pnml(const char *path, const char *const *definitions, size_t count,
                               struct portolan_system **system, struct portolan_error *error)
{
    enum grounding grounding = GROUND_AUTO;
    const char **others = calloc(count + 1, sizeof *others);
    if (!others)
        return fail_memory(error);
    size_t kept = take_grounding(definitions, count, others, &grounding);
    free(others);
    if (kept)
        return refuse_definitions(path, error);
    struct net *net = NULL;
    struct colour_net *coloured = NULL;
    enum portolan_status status = pnml_read_any(path, &net, &coloured, error);
    if (status != PORTOLAN_OK)
        return status;
    return coloured ? colour_system_new(coloured, grounding, system, error) : net_system_new(net, system, error);
}
