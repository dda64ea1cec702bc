/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/limits.h"

#include "cli/command.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/words.h"

#include <malloc.h>
#include <string.h>

static volatile sig_atomic_t interrupted;
static struct portolan_limits limits;
static const struct settings *present;
static const char *present_command;

static void on_interrupt(int signal_number)
{
    interrupted = signal_number;
    signal(signal_number, SIG_DFL); /* a second Ctrl-C ends at once */
}

const volatile sig_atomic_t *command_interrupt(void)
{
    return &interrupted;
}

static void listen_to(int signal_number)
{
    struct sigaction action = {.sa_handler = on_interrupt}, old;
    if (sigaction(signal_number, &action, &old) == 0 && old.sa_handler == SIG_IGN && signal_number == SIGHUP)
        sigaction(signal_number, &old, NULL); /* nohup */
}

void command_limits_begin(const struct settings *settings, const char *command)
{
    enum { LARGE_BLOCK = 1 << 20 };
    present = settings;
    present_command = command;
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK); /* large blocks grow where they are, and are given back */
    listen_to(SIGINT);
    listen_to(SIGTERM);
    listen_to(SIGHUP);
    limits_begin(&limits, settings->time, settings->memory, &interrupted);
}

void command_limits_end(void)
{
    if (present)
        limits_end(&limits);
    present = NULL;
}

/* --- when there is no answer */

static const char *property_words(const struct wanted_property *wanted)
{
    return wanted->name ? wanted->name : wanted->text ? wanted->text : wanted->file ? wanted->file : "no deadlock";
}

static void write_text(const char *reason)
{
    if (present->contest) {
        printf("CANNOT_COMPUTE\n");
        return;
    }
    printf("model      %s\n", present->words.count ? present->words.item[0] : "");
    for (size_t i = 0; i < present->properties.count; i++)
        printf("property   %s: UNDECIDED\n", property_words(&present->properties.item[i]));
    for (size_t i = 0; i < present->property_files.count; i++)
        printf("property   all of %s: UNDECIDED\n", present->property_files.item[i]);
    printf("stopped    %s, before there was anything to report\n", reason);
}

static void write_json(const char *reason, FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "model", present->words.count ? present->words.item[0] : "");
    json_string(&json, "command", present_command);
    json_string(&json, "verdict", verdict_word(PORTOLAN_UNKNOWN));
    json_string(&json, "stop", reason);
    json_open(&json, "properties", '[');
    for (size_t i = 0; i < present->properties.count; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "property", property_words(&present->properties.item[i]));
        json_string(&json, "verdict", verdict_word(PORTOLAN_UNKNOWN));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_integer(&json, "peak_rss_bytes", (int64_t)peak_memory());
    json_close(&json, '}');
}

static void write_junit(const char *reason, FILE *out)
{
    struct junit_case one = {.name = present_command, .outcome = JUNIT_SKIPPED, .type = "undecided", .message = reason};
    struct junit_suite suite = {
        .name = present->words.count ? present->words.item[0] : "", .cases = &one, .case_count = 1};
    junit_write(&suite, out);
}

/* Opens, writes, closes; false after having said what went wrong. */
static bool write_to(const char *path, void (*write)(const char *, FILE *), const char *reason)
{
    struct portolan_error error;
    FILE *out = open_output(path, &error);
    if (out)
        write(reason, out);
    bool fine = out && close_output(out, path, &error);
    if (!fine)
        wrong(&error);
    return fine;
}

int report_stopped(const struct portolan_error *error)
{
    enum portolan_stop stop = portolan_limits_reached(&limits);
    const char *reason = stop == PORTOLAN_COMPLETE ? error->message : stop_word(stop);
    if (!present->json || present->json_file)
        write_text(reason);
    if (present->json && !write_to(present->json_file, write_json, reason))
        return EXIT_WRONG;
    if (present->junit_file && !write_to(present->junit_file, write_junit, reason))
        return EXIT_WRONG;
    return EXIT_UNDECIDED;
}
