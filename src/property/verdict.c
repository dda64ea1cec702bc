/* SPDX-License-Identifier: Apache-2.0 */
#include "property/verdict.h"

/* What a trace says of a property, and what it means that there is none. */
static const struct {
    enum portolan_verdict by_trace, by_coverage;
} kinds[] = {
    [PORTOLAN_NO_DEADLOCK] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS},
    [PORTOLAN_INVARIANT] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS},
    [PORTOLAN_REACH] = {PORTOLAN_HOLDS, PORTOLAN_VIOLATED},
    [PORTOLAN_NO_RACE] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS},
    [PORTOLAN_LTL] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS},
    [PORTOLAN_AUTOMATON] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS},
    [PORTOLAN_MAXIMUM] = {PORTOLAN_VIOLATED, PORTOLAN_HOLDS}, /* a trace leads to where it has no value */
};

/* Why searches end.  Only one way of ending says that there is nothing more to see. */
static const struct {
    bool complete;
    const char *word;
} stops[] = {
    [PORTOLAN_COMPLETE] = {true, "complete"},
    [PORTOLAN_DECIDED] = {false, "decided"},
    [PORTOLAN_TIME_LIMIT] = {false, "time limit"},
    [PORTOLAN_MEMORY_LIMIT] = {false, "memory limit"},
    [PORTOLAN_STATE_LIMIT] = {false, "state limit"},
    [PORTOLAN_DEPTH_LIMIT] = {false, "an execution that does not end (give --bound)"},
    [PORTOLAN_INTERRUPTED] = {false, "interrupted"},
    [PORTOLAN_DIVERGES] = {false, "the algorithm does not end"},
    [PORTOLAN_PREEMPTION_LIMIT] = {false, "preemption bound"},
    [PORTOLAN_STEP_LIMIT] = {false, "step bound"},
    [PORTOLAN_PARTIAL] = {false, "the reduction leaves out executions"},
    [PORTOLAN_FORGETFUL] = {false, "the store may have taken two states for one"},
    [PORTOLAN_DISK_FULL] = {false, "disk full"},
    [PORTOLAN_SHARD] = {false, "one shard of several"},
};

static const struct {
    const char *word, *capitals;
    int status;
} verdicts[] = {
    [PORTOLAN_UNKNOWN] = {"unknown", "UNDECIDED", 3},
    [PORTOLAN_HOLDS] = {"holds", "HOLDS", 0},
    [PORTOLAN_VIOLATED] = {"violated", "VIOLATED", 1},
};

enum portolan_verdict verdict_of(enum portolan_kind kind, bool has_trace, enum portolan_stop stop)
{
    if (has_trace)
        return kinds[kind].by_trace;
    return stop_is_complete(stop) ? kinds[kind].by_coverage : PORTOLAN_UNKNOWN;
}

bool stop_is_complete(enum portolan_stop stop)
{
    return stops[stop].complete;
}

const char *stop_word(enum portolan_stop stop)
{
    return stops[stop].word;
}

const char *verdict_word(enum portolan_verdict verdict)
{
    return verdicts[verdict].word;
}

const char *verdict_capitals(enum portolan_verdict verdict)
{
    return verdicts[verdict].capitals;
}

int verdict_status(enum portolan_verdict verdict)
{
    return verdicts[verdict].status;
}

enum portolan_verdict worst_verdict(const struct portolan_result *result)
{
    enum portolan_verdict worst = PORTOLAN_HOLDS;
    for (size_t i = 0; i < result->answer_count; i++) {
        if (result->answers[i].verdict == PORTOLAN_VIOLATED)
            return PORTOLAN_VIOLATED;
        if (result->answers[i].verdict == PORTOLAN_UNKNOWN)
            worst = PORTOLAN_UNKNOWN;
    }
    return worst;
}
