/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run_summary.h"

#include "report/junit.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

const char *run_verdict(int exit_status)
{
    static const char *const verdicts[] = {"holds", "violated", "refused", "unknown"};
    return verdicts[exit_status & 3];
}

void describe_unknown(const struct portolan_result *result, const struct portolan_options *options,
                      const char *reservation, char *text, size_t size)
{
    if (result->statistics.cut)
        snprintf(text, size, "no error within the bound");
    else if (result->stop == PORTOLAN_PREEMPTION_LIMIT)
        snprintf(text, size, "no error within %u preemption%s", options->preemptions,
                 options->preemptions == 1 ? "" : "s");
    else if (result->stop == PORTOLAN_STATE_LIMIT && options->random_runs)
        snprintf(text, size, "no error in these executions");
    else if (result->stop == PORTOLAN_STATE_LIMIT)
        snprintf(text, size, "execution limit");
    else if (result->stop == PORTOLAN_COMPLETE && reservation)
        snprintf(text, size, "no error in any schedule of what was seen");
    else
        snprintf(text, size, "%s", stop_word(result->stop));
}

void print_counts(const struct portolan_result *result, const struct portolan_options *options, FILE *out)
{
    const struct portolan_statistics *s = &result->statistics;
    unsigned depth = options->bug_depth ? options->bug_depth : 3;
    fprintf(out, "executions %" PRIu64, s->executions);
    if (s->blocked)
        fprintf(out, " and %" PRIu64 " blocked", s->blocked);
    if (s->cut)
        fprintf(out, ", %" PRIu64 " of them cut at the bound", s->cut);
    fprintf(out, "; %s, %.2f s\n", result->reduction, s->seconds);
    if (s->guarantee > 0 && result->stop != PORTOLAN_DECIDED)
        fprintf(out,
                "chance     an error of depth %u would have been found with probability %.3g or more (%u threads, "
                "%" PRIu64 " steps)\n",
                depth, s->guarantee < 0.999 ? s->guarantee : 0.999, s->agents, s->depth);
}

static const char *stop_text(const struct portolan_result *result)
{
    return result->stop == PORTOLAN_STATE_LIMIT ? "execution limit" : stop_word(result->stop);
}

void json_counts(const struct portolan_result *result, struct json *json)
{
    const struct portolan_statistics *s = &result->statistics;
    json_string(json, "stop", stop_text(result));
    json_string(json, "reduction", result->reduction);
    json_integer(json, "executions", (int64_t)s->executions);
    json_integer(json, "blocked", (int64_t)s->blocked);
    json_integer(json, "cut", (int64_t)s->cut);
    json_integer(json, "left_out", (int64_t)s->left_out);
    if (s->guarantee > 0)
        json_number(json, "guarantee", s->guarantee);
    else
        json_null(json, "guarantee");
    json_integer(json, "steps", (int64_t)s->transitions);
    json_number(json, "seconds", s->seconds);
}

void run_junit(const struct run_answer *answer, FILE *out)
{
    static const enum junit_outcome outcomes[] = {JUNIT_PASSED, JUNIT_FAILED, JUNIT_ERROR, JUNIT_SKIPPED};
    enum { MOST = sizeof answer->reservations / sizeof *answer->reservations };
    const struct portolan_statistics *s = &answer->result->statistics;
    char executions[24], blocked[24];
    snprintf(executions, sizeof executions, "%" PRIu64, s->executions);
    snprintf(blocked, sizeof blocked, "%" PRIu64, s->blocked);
    struct junit_case only = {.name = "every schedule",
                              .outcome = outcomes[answer->exit_status & 3],
                              .type = answer->kind,
                              .message = answer->message,
                              .text = answer->text,
                              .text_size = answer->text_size};
    struct junit_suite suite = {.name = answer->program,
                                .seconds = s->seconds,
                                .properties = {{"executions", executions},
                                               {"blocked", blocked},
                                               {"reduction", answer->result->reduction},
                                               {"stop", stop_text(answer->result)}},
                                .cases = &only,
                                .case_count = 1};
    for (unsigned i = 0; i < MOST && answer->reservations[i]; i++)
        suite.properties[4 + i] = (struct junit_property){"reservation", answer->reservations[i]};
    junit_write(&suite, out);
}
