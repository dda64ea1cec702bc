/* What a search covered, in a few words; and the answer for CI systems. */
#include "native/runtime.h"

#include "native/reservations.h"
#include "report/junit.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

void describe_unknown(const struct portolan_result *result, const struct portolan_options *options, char *text,
                      size_t size)
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
    else if (result->stop == PORTOLAN_COMPLETE && undecided_because())
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

void json_counts(const struct portolan_result *result, struct json *json)
{
    const struct portolan_statistics *s = &result->statistics;
    json_string(json, "stop", result->stop == PORTOLAN_STATE_LIMIT ? "execution limit" : stop_word(result->stop));
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

bool write_junit(const struct portolan_result *result, const struct settings *settings, const struct failure *failure,
                 int exit_status, const char *text, size_t size)
{
    static const enum junit_outcome outcomes[] = {JUNIT_PASSED, JUNIT_FAILED, JUNIT_ERROR, JUNIT_SKIPPED};
    char why[120] = "", executions[24], blocked[24], message[500];
    const char *kind = failure_word(failure->kind);
    if (failure->kind == NO_FAILURE)
        describe_unknown(result, &settings->options, why, sizeof why);
    snprintf(message, sizeof message, "%s%s%s", failure->kind == NO_FAILURE ? why : kind, failure->text[0] ? ": " : "",
             failure->text);
    snprintf(executions, sizeof executions, "%" PRIu64, result->statistics.executions);
    snprintf(blocked, sizeof blocked, "%" PRIu64, result->statistics.blocked);
    struct junit_case only = {.name = "every schedule",
                              .outcome = outcomes[exit_status],
                              .type = kind,
                              .message = message,
                              .text = text,
                              .text_size = size};
    struct junit_suite suite = {.name = runtime->arguments[0],
                                .seconds = result->statistics.seconds,
                                .properties = {{"executions", executions},
                                               {"blocked", blocked},
                                               {"reduction", result->reduction},
                                               {"stop", stop_word(result->stop)}},
                                .cases = &only,
                                .case_count = 1};
    for (unsigned i = 0, p = 4; p < sizeof suite.properties / sizeof *suite.properties && reservation_text(i); i++, p++)
        suite.properties[p] = (struct junit_property){"reservation", reservation_text(i)};
    FILE *file = fopen(settings->junit_file, "w");
    if (!file)
        return false;
    junit_write(&suite, file);
    bool fine = !ferror(file);
    return fclose(file) == 0 && fine;
}
