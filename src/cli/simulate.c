/* SPDX-License-Identifier: Apache-2.0 */
/* portolan simulate MODEL */
#include "cli/simulate.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "cli/limits.h"
#include "property/property.h"
#include "report/trace.h"
#include "system/deadlock.h"

#include <inttypes.h>
#include <string.h>

enum { USUAL_STEPS = 100 };

/* ------------------------------------------------------------------------ moving */

enum portolan_status simulation_fire(struct simulation *s, uint32_t action, struct portolan_error *error)
{
    if (!vector_reserve(&s->actions, 1))
        return fail_memory(error);
    enum portolan_status status = stepper_fire(&s->stepper, action, error);
    if (status != PORTOLAN_OK)
        return status;
    s->actions.item[s->actions.count++] = action;
    values_take(&s->values, &s->stepper, action);
    return PORTOLAN_OK;
}

enum portolan_status simulation_rewind(struct simulation *s, size_t steps, struct portolan_error *error)
{
    s->actions.count = 0;
    stepper_clear(&s->stepper);
    if (!stepper_make(&s->stepper, s->job.system))
        return fail_memory(error);
    values_take_all(&s->values, &s->stepper);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < steps && status == PORTOLAN_OK; i++)
        status = simulation_fire(s, s->actions.item[i], error);
    return status;
}

bool simulation_wander(struct simulation *s, enum portolan_status *status, struct portolan_error *error)
{
    uint32_t count = s->stepper.enabled_count;
    if (count == 0)
        return false;
    *status = simulation_fire(s, s->stepper.enabled[random_below(&s->random, count)], error);
    return *status == PORTOLAN_OK;
}

/* ----------------------------------------------------------------------- judging */

static bool is_met(const struct simulation *s, const struct portolan_property *property, char *why, size_t size)
{
    const struct stepper *at = &s->stepper;
    bool deadlock = is_deadlock(s->job.system, at->state, at->enabled_count);
    why[0] = '\0';
    if (property_is_temporal(property) || property->kind == PORTOLAN_NO_RACE || property->kind == PORTOLAN_MAXIMUM)
        return false;
    return property_has_no_value(property, s->job.system, at->state, deadlock, why, size) ||
           property_is_decided_by(property, s->job.system, at->state, deadlock);
}

bool simulation_judge(struct simulation *s, FILE *out)
{
    bool some = false;
    for (size_t i = 0; i < s->job.property_count; i++) {
        const struct portolan_property *property = s->job.properties[i];
        char why[120];
        if (!is_met(s, property, why, sizeof why) || limits_stop() != PORTOLAN_COMPLETE)
            continue;
        bool is_wrong = property->kind != PORTOLAN_REACH || why[0];
        s->went_wrong |= is_wrong;
        some = true;
        if (out)
            fprintf(out, "property   %s: %s after step %zu%s%s\n", portolan_property_text(property),
                    is_wrong ? "VIOLATED" : "REACHED", s->stepper.steps, why[0] ? ", " : "", why);
    }
    return some;
}

/* ----------------------------------------------------------------------- walking */

/* Until nothing is enabled, a property is decided or the steps are over. */
static enum portolan_status wander(struct simulation *s, uint64_t most, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    bool decided = simulation_judge(s, NULL);
    for (uint64_t i = 0; i < most && !decided && simulation_wander(s, &status, error); i++)
        decided = simulation_judge(s, NULL);
    return status;
}

static enum portolan_status follow(struct simulation *s, const char *path, const struct trace *trace,
                                   struct portolan_error *error)
{
    char buffer[16];
    for (size_t i = 0; i < trace->actions.count; i++) {
        struct portolan_error step;
        enum portolan_status status = simulation_fire(s, trace->actions.item[i], &step);
        if (status == PORTOLAN_BAD_INPUT) {
            fail_at(error, path, trace->lines.item[i], 1, step_name(s->job.system, trace->actions.item[i], buffer),
                    "%s", step.message);
            return status;
        }
        if (status != PORTOLAN_OK) {
            *error = step;
            return status;
        }
    }
    return PORTOLAN_OK;
}

enum portolan_status simulation_save(const struct simulation *s, const char *path, struct portolan_error *error)
{
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    trace_write(s->job.system, s->job.opened_with, "a simulation", s->actions.item, s->actions.count, PORTOLAN_NO_CYCLE,
                out);
    return close_output(out, path, error) ? PORTOLAN_OK : PORTOLAN_IO;
}

/* ----------------------------------------------------------------------- telling */

static const char *ending(const struct simulation *s, enum portolan_status status)
{
    const struct stepper *at = &s->stepper;
    const struct portolan_system *system = s->job.system;
    char why[200];
    if (status == PORTOLAN_STOPPED)
        return stop_word(limits_stop());
    if (system->failure && system->failure(system->model, at->state, why, sizeof why))
        return "a failure";
    if (at->enabled_count)
        return NULL;
    return is_deadlock(system, at->state, 0) ? "a deadlock" : "a valid end";
}

static enum portolan_status tell_text(struct simulation *s, const char *end, struct portolan_error *error)
{
    size_t steps = s->actions.count;
    enum portolan_status status = PORTOLAN_OK;
    printf("simulated  %zu step%s of %s\n", steps, steps == 1 ? "" : "s", s->job.system->name);
    if (!s->settings->quiet)
        status = trace_print(s->job.system, s->actions.item, steps, PORTOLAN_NO_CYCLE, stdout, error);
    simulation_judge(s, stdout);
    if (end)
        printf("ended      %s\n", end);
    else
        printf("ended      after the steps asked for; more could follow\n");
    if (status == PORTOLAN_OK && s->settings->reduction && !s->settings->quiet)
        status = simulation_explain(s, error);
    return status;
}

static void json_properties(const struct simulation *s, struct json *json)
{
    char why[120];
    json_open(json, "properties", '[');
    for (size_t i = 0; i < s->job.property_count; i++)
        if (is_met(s, s->job.properties[i], why, sizeof why))
            json_string(json, NULL, portolan_property_text(s->job.properties[i]));
    json_close(json, ']');
}

void simulation_judge_json(const struct simulation *s, struct json *json)
{
    const char *end = ending(s, PORTOLAN_OK);
    json_properties(s, json);
    if (end)
        json_string(json, "end", end);
}

static enum portolan_status tell_json(struct simulation *s, const char *end, FILE *out, struct portolan_error *error)
{
    struct json json;
    struct portolan_system *system = s->job.system;
    char buffer[16];
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "model", s->settings->words.item[0]);
    json_string(&json, "format", system->format);
    json_integer(&json, "steps", (int64_t)s->actions.count);
    if (end)
        json_string(&json, "end", end);
    else
        json_null(&json, "end");
    json_properties(s, &json);
    enum portolan_status status = trace_json(system, s->actions.item, s->actions.count, &json, error);
    json_open(&json, "enabled", '[');
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++)
        json_string(&json, NULL, step_name(system, s->stepper.enabled[i], buffer));
    json_close(&json, ']');
    if (status == PORTOLAN_OK && s->settings->reduction)
        status = simulation_choice_json(s, &json, error);
    json_close(&json, '}');
    return status;
}

static enum portolan_status tell(struct simulation *s, const char *end, struct portolan_error *error)
{
    const struct settings *settings = s->settings;
    enum portolan_status status = PORTOLAN_OK;
    if (!settings->interactive && (!settings->json || settings->json_file))
        status = tell_text(s, end, error);
    if (status == PORTOLAN_OK && settings->output)
        status = simulation_save(s, settings->output, error);
    if (status != PORTOLAN_OK || !settings->json)
        return status;
    FILE *out = open_output(settings->json_file, error);
    if (!out)
        return PORTOLAN_IO;
    status = tell_json(s, end, out, error);
    return close_output(out, settings->json_file, error) ? status : PORTOLAN_IO;
}

/* What there is is told whole, whatever limit was reached. */
static enum portolan_status tell_whole(struct simulation *s, const char *end, struct portolan_error *error)
{
    struct portolan_limits *outer = limits_present;
    limits_adopt(NULL);
    enum portolan_status status = tell(s, end, error);
    limits_adopt(outer);
    return status;
}

/* ----------------------------------------------------------------------- all of it */

/* Along the trace, then as the user says, or at random. */
static enum portolan_status go(struct simulation *s, struct trace *trace, struct portolan_error *error)
{
    const struct settings *settings = s->settings;
    enum portolan_status status = PORTOLAN_OK;
    if (settings->trace_file)
        status = trace_read(s->job.system, settings->trace_file, trace, error);
    if (status == PORTOLAN_OK)
        status = follow(s, settings->trace_file, trace, error);
    if (status == PORTOLAN_OK && settings->interactive)
        return simulation_obey(s, error);
    if (status == PORTOLAN_OK && (!settings->trace_file || settings->steps))
        status = wander(s, settings->steps ? settings->steps : USUAL_STEPS, error);
    return status;
}

/* A trace may say how the model was opened. */
static enum portolan_status open_trace(struct settings *settings, struct trace *trace, struct portolan_error *error)
{
    if (!settings->trace_file)
        return PORTOLAN_OK;
    enum portolan_status status = trace_open(settings->trace_file, trace, error);
    if (status == PORTOLAN_OK && trace->opened_with && !settings->never_ground &&
        !vector_push(&settings->definitions, trace->opened_with))
        status = fail_memory(error);
    return status;
}

enum portolan_status simulation_begin(struct simulation *s, struct settings *settings, struct portolan_error *error)
{
    enum portolan_status status = job_make(&s->job, settings, true, error);
    if (status != PORTOLAN_OK)
        return status;
    if (!stepper_make(&s->stepper, s->job.system) || !values_make(&s->values, s->job.system))
        return fail_memory(error);
    values_take_all(&s->values, &s->stepper);
    if (settings->reduction) {
        uint32_t count; /* refused before anything is done */
        status = simulation_choose(s, &count, error);
    }
    return status;
}

void simulation_end(struct simulation *s)
{
    chooser_free(s->chooser);
    free(s->chosen);
    free(s->actions.item);
    values_clear(&s->values);
    stepper_clear(&s->stepper);
    job_clear(&s->job);
}

static enum portolan_status simulate(struct simulation *s, struct settings *settings, struct trace *trace,
                                     struct portolan_error *error)
{
    enum portolan_status status = open_trace(settings, trace, error);
    if (status == PORTOLAN_OK)
        status = simulation_begin(s, settings, error);
    return status == PORTOLAN_OK && !can_write(settings->json_file, error) ? PORTOLAN_IO : status;
}

int command_simulate(struct settings *settings)
{
    struct portolan_error error = {0};
    struct trace trace = {.cycle_start = PORTOLAN_NO_CYCLE};
    bool taken = settings->json && !settings->json_file;
    struct simulation s = {.settings = settings, .out = taken ? stderr : stdout, .random = settings->seed};
    if (settings->words.count != 1)
        return wrong_usage("simulate");
    int exit_status = EXIT_HOLDS;
    enum portolan_status status = simulate(&s, settings, &trace, &error);
    if (status == PORTOLAN_OK) {
        status = go(&s, &trace, &error);
        bool stopped = status == PORTOLAN_STOPPED;
        if (stopped || status == PORTOLAN_OK)
            status = tell_whole(&s, ending(&s, status), &error);
        exit_status = s.went_wrong ? EXIT_VIOLATED : stopped ? EXIT_UNDECIDED : EXIT_HOLDS;
    }
    trace_clear(&trace);
    simulation_end(&s);
    return status == PORTOLAN_OK ? exit_status : wrong(&error);
}
