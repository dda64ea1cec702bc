/* portolan replay MODEL TRACE */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "report/trace.h"

#include <stdlib.h>

static enum portolan_status show(struct portolan_system *system, const struct trace *trace,
                                 const struct settings *settings, struct portolan_error *error)
{
    const uint32_t *actions = trace->actions.item;
    size_t count = trace->actions.count;
    enum portolan_status status = portolan_replay(system, actions, count, NULL, error);
    if (status != PORTOLAN_OK)
        return status;
    if (!settings->json || settings->json_file) {
        printf("replayed   %zu steps of %s\n", count, system->name);
        if (!settings->quiet)
            status = trace_print(system, actions, count, stdout, error);
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
        status = trace_json(system, actions, count, &json, error);
        json_close(&json, '}');
        if (!close_output(out, settings->json_file, error))
            status = PORTOLAN_IO;
    }
    return status;
}

int command_replay(struct settings *settings)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    struct trace trace = {0};
    if (settings->words.count != 2)
        return wrong_usage("replay");
    enum portolan_status status = portolan_open(settings->words.item[0], &system, &error);
    if (status == PORTOLAN_OK)
        status = trace_read(system, settings->words.item[1], &trace, &error);
    if (status == PORTOLAN_OK)
        status = show(system, &trace, settings, &error);
    free(trace.actions.item);
    portolan_system_free(system);
    return status == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
}
