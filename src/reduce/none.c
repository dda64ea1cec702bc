/* SPDX-License-Identifier: Apache-2.0 */
/* Full exploration: every enabled action in every state. */
#include "base/diagnostic.h"
#include "reduce/reduction.h"

static struct reduction everything = {.class = &reduction_none};

static enum portolan_status make(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error)
{
    (void)system;
    (void)demands;
    if (options[0])
        return fail(error, PORTOLAN_BAD_OPTION, "reduction 'none' has no option '%s'", options);
    *reduction = &everything;
    return PORTOLAN_OK;
}

static uint32_t choose(struct reduction *reduction, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    (void)reduction;
    (void)attempt;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        out[i] = i;
    return choice->enabled_count;
}

static uint32_t choose_with(struct reduction *reduction, const struct choice *choice, uint32_t action, uint32_t *out)
{
    (void)action;
    return choose(reduction, choice, 0, out);
}

static bool is_weak(const struct reduction *reduction)
{
    (void)reduction;
    return false;
}

static size_t bytes(const struct reduction *reduction)
{
    (void)reduction;
    return 0;
}

static void nothing_to_free(struct reduction *reduction)
{
    (void)reduction;
}

static const struct reduction_variant variants[] = {{"none", true}, {NULL, false}};

const struct reduction_class reduction_none = {.name = "none",
                                               .summary = "full exploration",
                                               .options = "",
                                               .preserves = "everything",
                                               .variants = variants,
                                               .make = make,
                                               .choose = choose,
                                               .choose_with = choose_with,
                                               .is_weak = is_weak,
                                               .bytes = bytes,
                                               .free = nothing_to_free};
