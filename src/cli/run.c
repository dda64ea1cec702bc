/* portolan run PROGRAM: the program explores itself; this tells it what to do. */
#include "cli/command.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What our runtime leaves in every program. */
static const char mark[] = "PORTOLAN_INTERLEAVE";

static bool contains_mark(int file)
{
    struct stat status;
    char magic[4];
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || pread(file, magic, 4, 0) != 4 ||
        memcmp(magic, "\177ELF", 4) != 0)
        return false;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return false;
    bool found = memmem(bytes, (size_t)status.st_size, mark, sizeof mark);
    munmap(bytes, (size_t)status.st_size);
    return found;
}

bool is_c_program(const char *path)
{
    int file = open(path, O_RDONLY);
    bool found = file >= 0 && contains_mark(file);
    if (file >= 0)
        close(file);
    return found;
}

static bool set(const char *name, const char *value)
{
    return value ? setenv(name, value, 1) == 0 : unsetenv(name) == 0;
}

static bool set_number(const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return set(name, value > 0 ? text : NULL);
}

static bool tell_program(const struct settings *s, const char *replay)
{
    return set("PORTOLAN_RUN", "1") && set("PORTOLAN_REDUCTION", s->reduction) && set("PORTOLAN_REPLAY", replay) &&
           set("PORTOLAN_TRACE", s->trace_file) && set("PORTOLAN_QUIET", s->quiet ? "1" : NULL) &&
           set("PORTOLAN_INTERLEAVE", s->interleave ? "1" : NULL) && set("PORTOLAN_LEAKS", s->leaks ? "1" : NULL) &&
           set("PORTOLAN_SPURIOUS", s->spurious ? "1" : NULL) &&
           set("PORTOLAN_JSON", s->json ? s->json_file ? s->json_file : "-" : NULL) &&
           set_number("PORTOLAN_TIME", s->time) && set_number("PORTOLAN_MEMORY", (double)s->memory) &&
           set_number("PORTOLAN_STATES", (double)s->states) && set_number("PORTOLAN_BOUND", (double)s->bound) &&
           set("PORTOLAN_JUNIT", s->junit_file) && set_number("PORTOLAN_THREADS", (double)s->threads) &&
           set("PORTOLAN_PROGRESS", !s->quiet && !s->json && isatty(STDERR_FILENO) ? "1" : NULL) &&
           set_number("PORTOLAN_PREEMPTIONS", s->bounds_preemptions ? (double)s->preemptions + 1 : 0) &&
           set_number("PORTOLAN_RANDOM", (double)s->random_runs) &&
           set_number("PORTOLAN_DEPTH", (double)s->bug_depth) && set_number("PORTOLAN_SEED", (double)s->seed);
}

enum portolan_status prepare_c_program(const struct settings *settings, const char *program, const char *replay,
                                       struct portolan_error *error)
{
    if (access(program, X_OK) != 0)
        return fail(error, PORTOLAN_IO, "%s cannot be run: %s", program, strerror(errno));
    if (!is_c_program(program)) {
        fail(error, PORTOLAN_BAD_INPUT, "%s was not built by 'portolan cc'", program);
        hint(error, "portolan cc -O1 FILE.c -o PROGRAM");
        return PORTOLAN_BAD_INPUT;
    }
    return tell_program(settings, replay) ? PORTOLAN_OK : fail_memory(error);
}

/* Becomes the program; returns only on failure. */
static int start(const struct settings *settings, char **arguments, const char *replay)
{
    struct portolan_error error;
    if (prepare_c_program(settings, arguments[0], replay, &error) == PORTOLAN_OK) {
        execv(arguments[0], arguments);
        fail(&error, PORTOLAN_IO, "%s cannot be run: %s", arguments[0], strerror(errno));
    }
    return wrong(&error);
}

int command_run(struct settings *settings)
{
    if (settings->words.count == 0)
        return wrong_usage("run");
    struct portolan_error error;
    if (!can_write(settings->json_file, &error) || !can_write(settings->trace_file, &error) ||
        !can_write(settings->junit_file, &error))
        return wrong(&error);
    if (!vector_push(&settings->words, NULL)) {
        fail_memory(&error);
        return wrong(&error);
    }
    return start(settings, (char **)(uintptr_t)settings->words.item, NULL);
}

/* --- schedules */

/* Undoes what the program did to write an argument as one line. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text && *text != '\n'; text++) {
        bool escaped = *text == '\\' && text[1];
        text += escaped;
        *to++ = escaped && *text == 'n' ? '\n' : *text;
    }
    *to = '\0';
}

enum portolan_status schedule_arguments(const char *path, struct word_list *words, struct portolan_error *error)
{
    static const char start_of_line[] = "argument ";
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    enum portolan_status status = PORTOLAN_OK;
    if (!file)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    while (status == PORTOLAN_OK && getline(&line, &capacity, file) >= 0) {
        if (strncmp(line, start_of_line, sizeof start_of_line - 1) != 0)
            continue;
        char *argument = strdup(line + sizeof start_of_line - 1);
        if (argument)
            unescape(argument);
        if (!argument || !vector_push(words, argument)) {
            free(argument);
            status = fail_memory(error);
        }
    }
    free(line);
    fclose(file);
    return status;
}

void word_list_clear(struct word_list *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->item[i]);
    free(words->item);
}

int replay_c_program(const struct settings *settings)
{
    struct portolan_error error;
    struct word_list words = {0};
    char *program = strdup(settings->words.item[0]);
    int status = EXIT_WRONG;
    if (!program || !vector_push(&words, program)) {
        free(program);
        fail_memory(&error);
        wrong(&error);
    } else if (schedule_arguments(settings->words.item[1], &words, &error) != PORTOLAN_OK) {
        wrong(&error);
    } else if (vector_push(&words, NULL)) {
        status = start(settings, words.item, settings->words.item[1]);
    }
    word_list_clear(&words);
    return status;
}
