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
           set("PORTOLAN_INTERLEAVE", s->interleave ? "1" : NULL) &&
           set("PORTOLAN_JSON", s->json ? s->json_file ? s->json_file : "-" : NULL) &&
           set_number("PORTOLAN_TIME", s->time) && set_number("PORTOLAN_MEMORY", (double)s->memory) &&
           set_number("PORTOLAN_STATES", (double)s->states) && set_number("PORTOLAN_BOUND", (double)s->bound) &&
           set("PORTOLAN_JUNIT", s->junit_file) &&
           set_number("PORTOLAN_PREEMPTIONS", s->bounds_preemptions ? (double)s->preemptions + 1 : 0) &&
           set_number("PORTOLAN_RANDOM", (double)s->random_runs) &&
           set_number("PORTOLAN_DEPTH", (double)s->bug_depth) && set_number("PORTOLAN_SEED", (double)s->seed);
}

static int start(const struct settings *settings, char **arguments, const char *replay)
{
    struct portolan_error error;
    const char *program = arguments[0];
    if (access(program, X_OK) != 0)
        fail(&error, PORTOLAN_IO, "%s cannot be run: %s", program, strerror(errno));
    else if (!is_c_program(program)) {
        fail(&error, PORTOLAN_BAD_INPUT, "%s was not built by 'portolan cc'", program);
        hint(&error, "portolan cc -O1 FILE.c -o PROGRAM");
    } else if (!tell_program(settings, replay)) {
        fail_memory(&error);
    } else {
        execv(program, arguments);
        fail(&error, PORTOLAN_IO, "%s cannot be run: %s", program, strerror(errno));
    }
    return wrong(&error);
}

int command_run(struct settings *settings)
{
    if (settings->words.count == 0)
        return wrong_usage("run");
    if (!vector_push(&settings->words, NULL)) {
        struct portolan_error error;
        fail_memory(&error);
        return wrong(&error);
    }
    return start(settings, (char **)(uintptr_t)settings->words.item, NULL);
}

int replay_c_program(const struct settings *settings)
{
    char *arguments[] = {(char *)(uintptr_t)settings->words.item[0], NULL};
    return start(settings, arguments, settings->words.item[1]);
}
