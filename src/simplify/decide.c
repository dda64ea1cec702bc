/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/decide.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>

bool has_unconditional_transition(const struct net *net, FILE *proof)
{
    for (uint32_t t = 0; t < net->transitions; t++) {
        bool tests = false;
        for_arcs (arc, net, t)
            tests |= arc->need || arc->inhibit;
        if (!tests && proof)
            fprintf(proof, "always %" PRIu32 "\n", t);
        if (!tests)
            return true;
    }
    return false;
}

enum test { ALWAYS, SIPHONS, EQUATION };

static const char *const reasons[] = {[ALWAYS] = "a transition is always enabled",
                                      [SIPHONS] = "every siphon contains a marked trap",
                                      [EQUATION] = "the state equation has no such solution"};

static bool passes(enum test test, const struct net *net, const struct portolan_property *property, FILE *proof)
{
    bool deadlock = property->kind == PORTOLAN_NO_DEADLOCK;
    switch (test) {
    case ALWAYS: return deadlock && has_unconditional_transition(net, proof);
    case SIPHONS: return deadlock && siphons_have_marked_traps(net, proof);
    case EQUATION: return state_equation_excludes(net, property, proof);
    }
    return false;
}

/* Only what a test that passes has written is handed on.  Without memory for that it does not pass. */
static const char *reason_by(enum test test, const struct net *net, const struct portolan_property *property,
                             FILE *proof, size_t number)
{
    char *text = NULL;
    size_t length = 0;
    FILE *draft = proof ? open_memstream(&text, &length) : NULL;
    bool passed = (!proof || draft) && passes(test, net, property, draft);
    if (draft)
        passed = fclose(draft) == 0 && passed;
    if (passed && proof)
        passed = fprintf(proof, "decided %zu %s", number, text) > 0;
    free(text);
    return passed ? reasons[test] : NULL;
}

const char *structure_excludes(const struct net *net, const struct portolan_property *property, double seconds,
                               FILE *proof, size_t number)
{
    const char *reason = NULL;
    if (property->kind != PORTOLAN_NO_DEADLOCK && property->kind != PORTOLAN_INVARIANT &&
        property->kind != PORTOLAN_REACH)
        return NULL;
    if (seconds == 0)
        return reason_by(ALWAYS, net, property, proof, number);
    for (enum test test = SIPHONS; test <= EQUATION && !reason; test++) {
        struct portolan_limits limits;
        limits_begin(&limits, seconds / 2, 0, NULL); /* so that one does not take the time of the other */
        reason = reason_by(test, net, property, proof, number);
        limits_end(&limits);
    }
    return reason;
}
