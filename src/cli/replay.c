/* SPDX-License-Identifier: Apache-2.0 */
/* portolan replay MODEL TRACE */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "report/msc.h"
#include "report/trace.h"
#include "system/stepper.h"

/* Fires every step before anything is shown; an error points at the line of the step. */
static enum portolan_status check_steps(struct portolan_system *system, const struct trace *trace, const char *path,
                                        struct portolan_error *error)
{
    struct stepper stepper;
    if (!stepper_make(&stepper, system))
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < trace->actions.count && status == PORTOLAN_OK; i++) {
        struct portolan_error step;
        status = stepper_fire(&stepper, trace->actions.item[i], &step);
        if (status != PORTOLAN_OK) {
            const char *name = system->action_name ? system->action_name(system->model, trace->actions.item[i]) : "";
            fail_at(error, path, trace->lines.item[i], 1, name, "%s", step.message);
            error->status = status;
        }
    }
    stepper_clear(&stepper);
    if (status == PORTOLAN_OK && trace->cycle_start != PORTOLAN_NO_CYCLE)
        status = portolan_replay_run(system, trace->actions.item, trace->actions.count, trace->cycle_start,
                                     PORTOLAN_UNFAIR, NULL, error);
    return status;
}

static enum portolan_status show(struct portolan_system *system, const struct trace *trace,
                                 const struct settings *settings, struct portolan_error *error)
{
    const uint32_t *actions = trace->actions.item;
    size_t count = trace->actions.count;
    enum portolan_status status = check_steps(system, trace, settings->words.item[1], error);
    if (status != PORTOLAN_OK)
        return status;
    if (!settings->json || settings->json_file) {
        printf("replayed   %zu step%s of %s%s\n", count, count == 1 ? "" : "s", system->name,
               trace->cycle_start == PORTOLAN_NO_CYCLE ? ""
               : trace->cycle_start < count            ? ", the cycle closes"
                                                       : ", and nothing is enabled then");
        if (!settings->quiet)
            status = trace_print(system, actions, count, trace->cycle_start, stdout, error);
    }
    if (status == PORTOLAN_OK && settings->json) {
        FILE *out = open_output(settings->json_file, error);
        if (!out)
            return PORTOLAN_IO;
        struct json json;
        json_start(&json, out);
        json_open(&json, NULL, '{');
        json_string(&json, "model", settings->words.item[0]);
        json_string(&json, "format", system->format);
        json_integer(&json, "steps", (int64_t)count);
        json_cycle_start(&json, trace->cycle_start);
        status = trace_json(system, actions, count, &json, error);
        json_close(&json, '}');
        if (!close_output(out, settings->json_file, error))
            status = PORTOLAN_IO;
    }
    return status;
}

static enum portolan_status draw(struct portolan_system *system, const struct trace *trace, const char *path,
                                 struct portolan_error *error)
{
    if (!has_chart(system, error))
        return PORTOLAN_REFUSED;
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    enum portolan_status status = msc_write(system, trace->actions.item, trace->actions.count, NULL, out, error);
    return close_output(out, path, error) ? status : PORTOLAN_IO;
}

int command_replay(struct settings *settings)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    struct trace trace = {0};
    if (settings->words.count != 2)
        return wrong_usage("replay");
    if (is_c_program(settings->words.item[0]))
        return replay_c_program(settings);
    enum portolan_status status = trace_open(settings->words.item[1], &trace, &error);
    if (status == PORTOLAN_OK)
        status = open_model(settings, settings->words.item[0], settings->never_ground ? NULL : trace.opened_with,
                            &system, &error);
    if (status == PORTOLAN_OK)
        status = trace_read(system, settings->words.item[1], &trace, &error);
    if (status == PORTOLAN_OK)
        status = show(system, &trace, settings, &error);
    if (status == PORTOLAN_OK && settings->msc_file)
        status = draw(system, &trace, settings->msc_file, &error);
    if (status == PORTOLAN_OK && settings->pictures_file)
        status = save_pictures(system, trace.actions.item, trace.actions.count, NULL, settings->pictures_file, &error);
    trace_clear(&trace);
    portolan_system_free(system);
    return status == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
}
