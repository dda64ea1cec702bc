/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation as the user says: one command a line, from a terminal or a script. */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cli/numbers.h"
#include "cli/simulate.h"
#include "report/trace.h"
#include "report/words.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ reading lines */

/* Standard input, read as it comes, so that a limit of time is noticed while nobody writes. */
struct lines {
    VECTOR(char) text;
    size_t next; /* where the next line begins */
    bool at_end;
};

/* Waits for more; PORTOLAN_STOPPED when a limit is reached before. */
static enum portolan_status read_more(struct lines *lines, struct portolan_error *error)
{
    enum { ROOM = 4096, A_SECOND = 1000 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, A_SECOND / 10) <= 0)
        if (limits_look(limits_present))
            return fail_memory(error);
    if (!vector_reserve(&lines->text, ROOM))
        return fail_memory(error);
    ssize_t count = read(STDIN_FILENO, lines->text.item + lines->text.count, ROOM - 1);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
        return fail(error, PORTOLAN_IO, "cannot read standard input: %s", strerror(errno));
    lines->at_end = count == 0;
    lines->text.count += count > 0 ? (size_t)count : 0;
    return PORTOLAN_OK;
}

/* The next line, ended by 0; *line is NULL at the end. */
static enum portolan_status next_line(struct lines *lines, char **line, struct portolan_error *error)
{
    for (;;) {
        char *start = lines->text.count ? lines->text.item + lines->next : NULL;
        size_t length = lines->text.count - lines->next;
        char *end = length ? memchr(start, '\n', length) : NULL;
        if (!end && lines->at_end && length) {
            if (!vector_push(&lines->text, '\n'))
                return fail_memory(error);
            continue;
        }
        if (end) {
            *end = '\0';
            *line = start;
            lines->next = (size_t)(end - lines->text.item) + 1;
            return PORTOLAN_OK;
        }
        *line = NULL;
        if (lines->at_end)
            return PORTOLAN_OK;
        enum portolan_status status = read_more(lines, error);
        if (status != PORTOLAN_OK)
            return status;
    }
}

/* ----------------------------------------------------------------------- commands */

struct session {
    struct simulation *simulation;
    bool done;
    struct portolan_error *error;
};

/* What is behind the command's name; mistakes are told, and the session goes on. */
typedef enum portolan_status command_function(struct session *session, char *rest);

static void complain(const struct session *session, const char *format, const char *word)
{
    FILE *out = session->simulation->out;
    fprintf(out, "? ");
    fprintf(out, format, word);
    fputc('\n', out);
}

/* Where we are: what is wrong here, what can be done. */
static enum portolan_status show_place(struct session *session)
{
    struct simulation *s = session->simulation;
    simulation_judge(s, s->out);
    if (s->settings->quiet)
        return PORTOLAN_OK;
    if (s->stepper.enabled_count == 0)
        fprintf(s->out, "  nothing is enabled\n");
    return simulation_list(s, session->error);
}

static enum portolan_status take_step(struct session *session, uint32_t action)
{
    struct simulation *s = session->simulation;
    enum portolan_status status = simulation_fire(s, action, session->error);
    if (status == PORTOLAN_OK)
        step_print(&s->stepper, &s->values, action, 1, 0, s->out);
    return status;
}

/* The enabled action with this number in the list, or this name; a complaint when there is none. */
static bool find_enabled(const struct session *session, const char *word, uint32_t *action)
{
    const struct stepper *at = &session->simulation->stepper;
    uint64_t number;
    char buffer[16];
    bool is_number = read_count(word, 1, UINT32_MAX, &number) == NUMBER_FINE;
    for (uint32_t i = 0; i < at->enabled_count; i++) {
        *action = at->enabled[i];
        if (is_number ? i + 1 == number : strcmp(step_name(at->system, *action, buffer), word) == 0)
            return true;
    }
    complain(session, is_number ? "there is no action %s in the list" : "'%s' is neither a command nor enabled here",
             word);
    return false;
}

static enum portolan_status do_steps(struct session *session, char *words)
{
    enum portolan_status status = PORTOLAN_OK;
    bool is_list = isdigit((unsigned char)words[0]);
    for (char *next = words, *word; status == PORTOLAN_OK && next;) {
        word = is_list ? strsep(&next, " \t") : strsep(&next, "");
        uint32_t action;
        if (!*word)
            continue;
        if (!find_enabled(session, word, &action))
            return PORTOLAN_OK;
        status = take_step(session, action);
    }
    return status == PORTOLAN_OK ? show_place(session) : status;
}

/* A count behind the command; `usual` when nothing is there. */
static bool read_times(const struct session *session, const char *rest, uint64_t usual, uint64_t *times)
{
    *times = usual;
    if (!*rest || read_count(rest, 1, UINT32_MAX, times) == NUMBER_FINE)
        return true;
    complain(session, "'%s' is not a number of steps", rest);
    return false;
}

static enum portolan_status do_random(struct session *session, char *rest)
{
    struct simulation *s = session->simulation;
    enum portolan_status status = PORTOLAN_OK;
    uint64_t times;
    if (!read_times(session, rest, 1, &times))
        return PORTOLAN_OK;
    for (uint64_t i = 0; i < times && simulation_wander(s, &status, session->error); i++) {
        step_print(&s->stepper, &s->values, s->actions.item[s->actions.count - 1], 1, 0, s->out);
        if (i + 1 < times && simulation_judge(s, NULL))
            break;
    }
    return status == PORTOLAN_OK ? show_place(session) : status;
}

static enum portolan_status go_to(struct session *session, size_t steps)
{
    enum portolan_status status = simulation_rewind(session->simulation, steps, session->error);
    if (status != PORTOLAN_OK)
        return status;
    fprintf(session->simulation->out, "  after step %zu\n", steps);
    return show_place(session);
}

static enum portolan_status do_back(struct session *session, char *rest)
{
    size_t steps = session->simulation->actions.count;
    uint64_t times;
    if (!read_times(session, rest, 1, &times))
        return PORTOLAN_OK;
    return go_to(session, times < steps ? steps - times : 0);
}

static enum portolan_status do_restart(struct session *session, char *rest)
{
    (void)rest;
    return go_to(session, 0);
}

static enum portolan_status do_list(struct session *session, char *rest)
{
    (void)rest;
    return simulation_list(session->simulation, session->error);
}

static enum portolan_status do_state(struct session *session, char *rest)
{
    struct simulation *s = session->simulation;
    const struct portolan_system *system = s->job.system;
    uint32_t variable;
    struct value_text text;
    if (!*rest) {
        state_print(&s->stepper, &s->values, s->out);
    } else if (system->find_variable && system->find_variable(system->model, rest, &variable)) {
        int64_t value = system->value(system->model, s->stepper.state, variable);
        fprintf(s->out, "  %s = %s\n", rest, value_word(system, variable, value, &text));
    } else {
        struct nearest nearest = nearest_to(rest);
        for (uint32_t v = 0; system->variable_name && v < system->variables; v++)
            nearest_offer(&nearest, system->variable_name(system->model, v));
        complain(session, "there is no variable '%s'", rest);
        if (nearest.best)
            complain(session, "did you mean %s?", nearest.best);
    }
    return PORTOLAN_OK;
}

static enum portolan_status do_why(struct session *session, char *rest)
{
    struct simulation *s = session->simulation;
    uint32_t action;
    enum portolan_status status;
    if (!*rest)
        status = simulation_explain(s, session->error);
    else if (find_enabled(session, rest, &action))
        status = simulation_explain_one(s, action, session->error);
    else
        return PORTOLAN_OK;
    if (status != PORTOLAN_REFUSED && status != PORTOLAN_BAD_OPTION)
        return status;
    complain(session, "%s", session->error->message);
    return PORTOLAN_OK;
}

static enum portolan_status do_trace(struct session *session, char *rest)
{
    (void)rest;
    struct simulation *s = session->simulation;
    return trace_print(s->job.system, s->actions.item, s->actions.count, PORTOLAN_NO_CYCLE, s->out, session->error);
}

static enum portolan_status do_save(struct session *session, char *rest)
{
    struct simulation *s = session->simulation;
    if (!*rest)
        complain(session, "%s", "save needs a file name");
    else if (simulation_save(s, rest, session->error) != PORTOLAN_OK)
        complain(session, "%s", session->error->message);
    else
        fprintf(s->out, "  %zu steps written to %s\n", s->actions.count, rest);
    return PORTOLAN_OK;
}

static enum portolan_status do_quit(struct session *session, char *rest)
{
    (void)rest;
    session->done = true;
    return PORTOLAN_OK;
}

static command_function do_help;

static const struct {
    const char *name, *argument, *help;
    command_function *run;
} commands_of_session[] = {{"list", "", "the enabled actions, numbered", do_list},
                           {"state", "[VARIABLE]", "the present state, or one variable of it", do_state},
                           {"why", "[ACTION]", "what the reduction explores and leaves out here, and why", do_why},
                           {"back", "[N]", "take back the last step, or the last N", do_back},
                           {"restart", "", "begin again", do_restart},
                           {"random", "[N]", "take a step at random, or N", do_random},
                           {"trace", "", "the steps so far", do_trace},
                           {"save", "FILE", "write them for 'portolan replay'", do_save},
                           {"help", "", "this help", do_help},
                           {"quit", "", "end", do_quit}};
enum { COMMANDS_OF_SESSION = sizeof commands_of_session / sizeof *commands_of_session };

static enum portolan_status do_help(struct session *session, char *rest)
{
    (void)rest;
    FILE *out = session->simulation->out;
    fprintf(out, "  %-18s %s\n", "NUMBER ...", "take the actions with these numbers in the list, one after the other");
    fprintf(out, "  %-18s %s\n", "NAME", "take the action of this name");
    for (size_t i = 0; i < COMMANDS_OF_SESSION; i++)
        fprintf(out, "  %-7s %-10s %s\n", commands_of_session[i].name, commands_of_session[i].argument,
                commands_of_session[i].help);
    fprintf(out, "  commands may be shortened: b, ran 10\n");
    return PORTOLAN_OK;
}

/* "b" is "back": the first command that begins so.  What is no command is an action. */
static enum portolan_status obey_line(struct session *session, char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    size_t word = strcspn(line, " \t");
    if (!*line || *line == '#')
        return PORTOLAN_OK;
    for (size_t i = 0; i < COMMANDS_OF_SESSION; i++)
        if (strncmp(commands_of_session[i].name, line, word) == 0) {
            char *rest = line + word;
            return commands_of_session[i].run(session, rest + strspn(rest, " \t"));
        }
    return do_steps(session, line);
}

enum portolan_status simulation_obey(struct simulation *simulation, struct portolan_error *error)
{
    struct session session = {.simulation = simulation, .error = error};
    struct lines lines = {0};
    bool prompts = isatty(STDIN_FILENO) && isatty(fileno(simulation->out));
    enum portolan_status status = show_place(&session);
    while (status == PORTOLAN_OK && !session.done) {
        char *line;
        if (prompts)
            fprintf(simulation->out, "%zu> ", simulation->stepper.steps);
        fflush(simulation->out);
        status = next_line(&lines, &line, error);
        if (status == PORTOLAN_OK && !line)
            break;
        if (status == PORTOLAN_OK)
            status = obey_line(&session, line);
    }
    free(lines.text.item);
    return status;
}
