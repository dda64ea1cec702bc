/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan serve MODEL: one page for a browser on this machine.
 *
 * The server knows nothing of who asks: a question has the whole way from the initial state in it, as numbers of
 * enabled actions ("/state?path=0,2,1"), so that several windows can walk on their own, and nothing can be left behind.
 * It listens on the loopback interface only, and answers only those who call it by its name there: a page from
 * elsewhere that the browser shows cannot ask by way of a name of its own.
 */
#include "base/diagnostic.h"
#include "cli/page.h"
#include "cli/simulate.h"

#if !CAN_SERVE

int command_serve(struct settings *settings)
{
    struct portolan_error error;
    (void)settings;
    fail(&error, PORTOLAN_REFUSED, "this program was built without libmicrohttpd, which 'serve' needs");
    hint(&error, "Debian has it as libmicrohttpd-dev; build again where it is installed");
    return wrong(&error);
}

#else

#include "base/library.h"
#include "base/limits.h"
#include "page/page.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 5000 }; /* steps */

struct server {
    struct simulation simulation;
    const char *model;
    char *page;
    size_t page_size;
    unsigned port;
};

/* It brings a library for encryption with it, which nothing here asks for but the loader. */
#define MICROHTTPD_FUNCTIONS(X)                                                                                        \
    X(MHD_start_daemon)                                                                                                \
    X(MHD_get_daemon_info)                                                                                             \
    X(MHD_run_wait)                                                                                                    \
    X(MHD_stop_daemon)                                                                                                 \
    X(MHD_lookup_connection_value)                                                                                     \
    X(MHD_create_response_from_buffer)                                                                                 \
    X(MHD_add_response_header)                                                                                         \
    X(MHD_queue_response)                                                                                              \
    X(MHD_destroy_response)

#ifdef MICROHTTPD_FILE
static struct {
    MICROHTTPD_FUNCTIONS(LIBRARY_POINTER)
} libmicrohttpd;
#else
#define MICROHTTPD_FILE NULL
static struct {
    MICROHTTPD_FUNCTIONS(LIBRARY_POINTER)
} libmicrohttpd = {MICROHTTPD_FUNCTIONS(LIBRARY_LINKED)};
#endif

static bool load_server(struct portolan_error *error)
{
    static const char *const names[] = {MICROHTTPD_FUNCTIONS(LIBRARY_NAME)};
    static struct library library = {
        .file = MICROHTTPD_FILE,
        .what = "'serve'",
        .package = "libmicrohttpd12",
        .names = names,
        .count = sizeof names / sizeof *names,
        .functions = &libmicrohttpd,
    };
    return library_load(&library, error);
}

/* ------------------------------------------------------------------ answers */

/* Goes where the numbers say. */
static enum portolan_status walk(struct simulation *s, const char *path, struct portolan_error *error)
{
    enum portolan_status status = simulation_rewind(s, 0, error);
    for (size_t steps = 0; *path && status == PORTOLAN_OK; steps++) {
        char *end = NULL;
        unsigned long number = isdigit((unsigned char)*path) ? strtoul(path, &end, 10) : ULONG_MAX;
        if (number >= s->stepper.enabled_count || (*end && *end != ',') || steps == LONGEST_PATH)
            return fail(error, PORTOLAN_BAD_INPUT, "step %zu of the path is not an enabled action", steps + 1);
        status = simulation_fire(s, s->stepper.enabled[number], error);
        path = end + (*end == ',');
    }
    return status;
}

/* A short name for the present state, by which the page knows it again (FNV-1a). */
static void state_name(const struct simulation *s, char *text, size_t size)
{
    const struct portolan_system *system = s->job.system;
    size_t bytes = system->key_bytes ? system->key_bytes : system->state_bytes;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ s->stepper.state[i]) * 1099511628211u;
    snprintf(text, size, "%016" PRIx64, hash);
}

static void tell_enabled(const struct simulation *s, struct json *json)
{
    const struct portolan_system *system = s->job.system;
    json_open(json, "enabled", '[');
    for (uint32_t i = 0; i < s->stepper.enabled_count; i++) {
        char buffer[16], text[LONGEST_TEXT];
        json_open(json, NULL, '{');
        json_string(json, "action", step_name(system, s->stepper.enabled[i], buffer));
        if (system->action_text && system->action_text(system->model, s->stepper.enabled[i], text, sizeof text))
            json_string(json, "text", text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* "reduction", "explored", "left_out" and "because"; where no reduction can be had, "why_not". */
static void tell_choice(struct simulation *s, struct json *json)
{
    struct portolan_error error = {0};
    if (simulation_choice_json(s, json, &error) != PORTOLAN_OK)
        json_string(json, "why_not", error.message);
}

static enum portolan_status tell_state(struct server *server, const char *path, struct json *json,
                                       struct portolan_error *error)
{
    struct simulation *s = &server->simulation;
    char buffer[17];
    enum portolan_status status = walk(s, path, error);
    if (status != PORTOLAN_OK)
        return status;
    state_name(s, buffer, sizeof buffer);
    json_string(json, "state", buffer);
    json_open(json, "steps", '[');
    for (size_t i = 0; i < s->actions.count; i++)
        json_string(json, NULL, step_name(s->job.system, s->actions.item[i], buffer));
    json_close(json, ']');
    tell_enabled(s, json);
    simulation_judge_json(s, json);
    tell_choice(s, json);
    status = page_present(json, s->job.system, s->stepper.state, error);
    return status == PORTOLAN_OK ? page_values(json, s->job.system, &s->values, error) : status;
}

/* The text of an answer, to be freed; an error is one, too.  NULL when memory is exhausted. */
static char *answer_text_for(struct server *server, const char *path, size_t *size, unsigned *code)
{
    char *text = NULL;
    struct portolan_error error = {0};
    struct json json;
    FILE *memory = open_memstream(&text, size);
    if (!memory)
        return NULL;
    json_start(&json, memory);
    json_open(&json, NULL, '{');
    enum portolan_status status = tell_state(server, path, &json, &error);
    if (status != PORTOLAN_OK)
        json_string(&json, "error", error.message);
    json_close(&json, '}');
    *code = status == PORTOLAN_OK          ? MHD_HTTP_OK
            : status == PORTOLAN_BAD_INPUT ? MHD_HTTP_BAD_REQUEST
                                           : MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (fclose(memory) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ------------------------------------------------------------------ HTTP */

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned code, const char *type, char *text,
                             size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = libmicrohttpd.MHD_create_response_from_buffer(size, text, mode);
    if (!response)
        return MHD_NO;
    libmicrohttpd.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    libmicrohttpd.MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    libmicrohttpd.MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    libmicrohttpd.MHD_add_response_header(response, "Content-Security-Policy",
                                          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                                          "connect-src 'self'; frame-ancestors 'none'");
    enum MHD_Result result = libmicrohttpd.MHD_queue_response(connection, code, response);
    libmicrohttpd.MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *text)
{
    return reply(connection, code, "text/plain", (char *)text, strlen(text), MHD_RESPMEM_PERSISTENT);
}

/* Was the server called by its own name? */
static bool is_for_us(const struct server *server, struct MHD_Connection *connection)
{
    const char *host = libmicrohttpd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    char name[40], number[40];
    snprintf(name, sizeof name, "localhost:%u", server->port);
    snprintf(number, sizeof number, "127.0.0.1:%u", server->port);
    return host && (strcmp(host, name) == 0 || strcmp(host, number) == 0);
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **request)
{
    struct server *server = user;
    (void)version, (void)upload, (void)upload_size, (void)request;
    if (!is_for_us(server, connection))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "the address must be 127.0.0.1\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "the method must be GET\n");
    if (strcmp(url, "/") == 0)
        return reply(connection, MHD_HTTP_OK, "text/html; charset=utf-8", server->page, server->page_size,
                     MHD_RESPMEM_PERSISTENT);
    if (strcmp(url, "/state") != 0)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
    const char *path = libmicrohttpd.MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "path");
    size_t size = 0;
    unsigned code = MHD_HTTP_OK;
    char *text = answer_text_for(server, path ? path : "", &size, &code);
    return text ? reply(connection, code, "application/json", text, size, MHD_RESPMEM_MUST_FREE) : MHD_NO;
}

static struct MHD_Daemon *listen_on(struct server *server, uint64_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *daemon = libmicrohttpd.MHD_start_daemon(
        MHD_NO_FLAG, (uint16_t)port, NULL, NULL, answer, server, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        daemon ? libmicrohttpd.MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    server->port = info ? info->port : 0;
    return daemon;
}

/* Until somebody ends it; each request is answered whole. */
static void serve(struct MHD_Daemon *daemon)
{
    enum { MILLISECONDS = 200 };
    while (!limits_look(limits_present))
        libmicrohttpd.MHD_run_wait(daemon, MILLISECONDS);
}

static enum portolan_status prepare(struct server *server, struct settings *settings, struct portolan_error *error)
{
    if (settings->port > UINT16_MAX)
        return fail(error, PORTOLAN_BAD_OPTION, "--port is at most %d", UINT16_MAX);
    if (!load_server(error))
        return PORTOLAN_REFUSED;
    enum portolan_status status = simulation_begin(&server->simulation, settings, error);
    FILE *memory = status == PORTOLAN_OK ? open_memstream(&server->page, &server->page_size) : NULL;
    if (!memory)
        return status == PORTOLAN_OK ? fail_memory(error) : status;
    status = write_walk_page(&server->simulation.job, server->model, memory, error);
    return fclose(memory) == 0 ? status : fail_memory(error);
}

int command_serve(struct settings *settings)
{
    struct portolan_error error = {0};
    if (settings->words.count != 1)
        return wrong_usage("serve");
    struct server server = {.simulation = {.settings = settings, .out = stdout}, .model = settings->words.item[0]};
    enum portolan_status status = prepare(&server, settings, &error);
    struct MHD_Daemon *daemon = status == PORTOLAN_OK ? listen_on(&server, settings->port) : NULL;
    if (status == PORTOLAN_OK && !daemon) {
        status = fail(&error, PORTOLAN_IO, "cannot listen on port %" PRIu64 " of 127.0.0.1", settings->port);
        hint(&error, "another program may be using it; without --port a free one is chosen");
    }
    if (daemon) {
        printf("model      %s\nopen       http://127.0.0.1:%u/   (Ctrl-C ends it)\n", server.model, server.port);
        fflush(stdout);
        serve(daemon);
        libmicrohttpd.MHD_stop_daemon(daemon);
    }
    free(server.page);
    simulation_end(&server.simulation);
    return status == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
}

#endif
