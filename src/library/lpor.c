/* SPDX-License-Identifier: Apache-2.0 */
/* portolan/lpor.h, with relations, options and steps of any size. */
#include "reduce/lpor.h"

#include "library/sized.h"
#include "system/arguments.h"

/* Options may be NULL. */
static enum portolan_status copy_options(struct portolan_lpor_options *full,
                                         const struct portolan_lpor_options *options, struct portolan_error *error)
{
    *full = (struct portolan_lpor_options){0};
    return options ? SIZED_COPY(full, options, "PORTOLAN_LPOR_OPTIONS", error) : PORTOLAN_OK;
}

static enum portolan_status copy_relations(struct portolan_lpor_relations *full,
                                           const struct portolan_lpor_relations *relations,
                                           struct portolan_error *error)
{
    enum portolan_status status = check_pointer(relations, "the struct of relations", error);
    return status == PORTOLAN_OK ? SIZED_COPY(full, relations, "PORTOLAN_LPOR_RELATIONS", error) : status;
}

enum portolan_status portolan_lpor_new(const struct portolan_lpor_relations *relations,
                                       const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                                       struct portolan_error *error)
{
    struct portolan_lpor_relations all_relations;
    struct portolan_lpor_options all_options;
    if (lpor)
        *lpor = NULL;
    if (copy_relations(&all_relations, relations, error) || copy_options(&all_options, options, error))
        return PORTOLAN_BAD_OPTION;
    return lpor_new(&all_relations, &all_options, lpor, error);
}

enum portolan_status portolan_lpor_of_system(const struct portolan_system *system, const bool *visible,
                                             const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                                             struct portolan_error *error)
{
    struct portolan_lpor_options all_options;
    if (lpor)
        *lpor = NULL;
    enum portolan_status status = copy_options(&all_options, options, error);
    return status == PORTOLAN_OK ? lpor_of_system(system, visible, &all_options, lpor, error) : status;
}

enum portolan_status portolan_lpor_check(const struct portolan_lpor_relations *relations,
                                         const struct portolan_lpor_steps *steps, const void *state,
                                         struct portolan_error *error)
{
    struct portolan_lpor_relations all_relations;
    struct portolan_lpor_steps all_steps;
    if (copy_relations(&all_relations, relations, error) || check_pointer(steps, "the struct of steps", error) ||
        SIZED_COPY(&all_steps, steps, "PORTOLAN_LPOR_STEPS", error))
        return PORTOLAN_BAD_OPTION;
    return lpor_check(&all_relations, &all_steps, state, error);
}
