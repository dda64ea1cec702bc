/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/decide.h"

#include "base/limits.h"

bool has_unconditional_transition(const struct net *net)
{
    for (uint32_t t = 0; t < net->transitions; t++) {
        bool tests = false;
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++)
            tests |= net->arc[i].need || net->arc[i].inhibit;
        if (!tests)
            return true;
    }
    return false;
}

static const char *think(const struct net *net, const struct portolan_property *property)
{
    if (property->kind == PORTOLAN_NO_DEADLOCK && siphons_have_marked_traps(net))
        return "every siphon contains a marked trap";
    if (state_equation_excludes(net, property))
        return "the state equation has no such solution";
    return NULL;
}

const char *structure_excludes(const struct net *net, const struct portolan_property *property, double seconds)
{
    struct portolan_limits limits;
    if (property->kind != PORTOLAN_NO_DEADLOCK && property->kind != PORTOLAN_INVARIANT &&
        property->kind != PORTOLAN_REACH)
        return NULL;
    if (seconds == 0)
        return property->kind == PORTOLAN_NO_DEADLOCK && has_unconditional_transition(net)
                   ? "a transition is always enabled"
                   : NULL;
    limits_begin(&limits, seconds, 0, NULL);
    const char *reason = think(net, property);
    limits_end(&limits);
    return reason;
}
