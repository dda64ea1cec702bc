/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a schedule: what `portolan replay` and `portolan debug` run again. */
#include "native/live.h"
#include "native/machine.h"
#include "native/report.h"
#include "native/settings.h"
#include "native/threads.h"

#include <string.h>

static void write_argument(const char *text, FILE *file)
{
    fprintf(file, "argument ");
    for (; *text; text++)
        fprintf(file, *text == '\n' ? "\\n" : *text == '\\' ? "\\\\" : "%c", *text);
    fputc('\n', file);
}

/* The exit statuses that are allowed, if there are any beside 0. */
static void write_statuses(const struct run_settings *settings, FILE *file)
{
    if (settings->allows_any_status)
        fprintf(file, "exit-status any\n");
    for (int i = 1; i < 256 && !settings->allows_any_status; i++)
        if (settings->allows_status[i])
            fprintf(file, "exit-status %d\n", i);
}

void write_schedule(FILE *file)
{
    fprintf(file, "# a schedule: arguments of the program, threads with their parent and how many it had before, then "
                  "who takes each step\n");
    for (int i = 1; i < chosen.argument_count; i++)
        write_argument(chosen.arguments[i], file);
    if (chosen.interleave)
        fprintf(file, "interleave\n");
    if (chosen.volatile_is_plain)
        fprintf(file, "volatile-plain\n");
    if (chosen.partial_io)
        fprintf(file, "partial-io\n");
    if (chosen.spurious)
        fprintf(file, "spurious\n");
    if (chosen.leaks)
        fprintf(file, "leaks\n");
    write_statuses(&supervision->settings, file);
    for (uint32_t i = 1; i < agents.count; i++)
        fprintf(file, "thread %u %u %u\n", i, agents.births[i].parent, agents.births[i].index);
    for (size_t i = 0; i < failing.agents.count; i++)
        fprintf(file, "%u\n", failing.agents.item[i]);
}

/* A setting with which the schedule was found. */
static bool read_setting(const char *line)
{
    struct run_settings *settings = &supervision->settings;
    unsigned status;
    if (sscanf(line, "exit-status %u\n", &status) == 1 && status < 256)
        return settings->allows_status[status] = true;
    if (strcmp(line, "exit-status any\n") == 0)
        return settings->allows_any_status = true;
    bool *setting = strcmp(line, "interleave\n") == 0       ? &chosen.interleave
                    : strcmp(line, "spurious\n") == 0       ? &chosen.spurious
                    : strcmp(line, "leaks\n") == 0          ? &chosen.leaks
                    : strcmp(line, "volatile-plain\n") == 0 ? &chosen.volatile_is_plain
                    : strcmp(line, "partial-io\n") == 0     ? &chosen.partial_io
                                                            : NULL;
    if (setting)
        *setting = true;
    return setting;
}

bool read_schedule(const char *path, FILE *errors)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    bool fine = file;
    if (!file)
        fprintf(errors, "error: %s cannot be read\n", path);
    while (fine && getline(&line, &capacity, file) >= 0) {
        char *end;
        number++;
        bool is_setting = read_setting(line);
        if (is_setting || line[0] == '#' || strncmp(line, "argument ", 9) == 0) /* it was started with these */
            continue;
        unsigned child, parent, index;
        if (sscanf(line, "thread %u %u %u", &child, &parent, &index) == 3 && child == agents.count &&
            child < MOST_THREADS) {
            agents.births[child].parent = parent;
            agents.births[child].index = index;
            agents.count++;
            continue;
        }
        unsigned long agent = strtoul(line, &end, 10);
        fine = end != line && *end == '\n' && agent < MOST_THREADS && vector_push(&failing.agents, (uint32_t)agent);
        if (!fine)
            fprintf(errors, "%s:%u:1: error: this is not a step of a schedule\n    %s", path, number, line);
    }
    free(line);
    if (file)
        fclose(file);
    if (fine && number == 0) {
        fprintf(errors, "error: %s is empty: there is no schedule in it\n", path);
        return false;
    }
    return fine;
}
