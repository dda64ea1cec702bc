/* SPDX-License-Identifier: Apache-2.0 */
/* portolan run PROGRAM: the program explores itself, and is followed from outside (supervise.c). */
#include "cli/supervise.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What our runtime leaves in every program. */
static const char mark[] = SUPERVISION_VARIABLE;

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
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool found = file >= 0 && contains_mark(file);
    if (file >= 0)
        close(file);
    return found;
}

/* Does the name of the file end so? */
static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), wanted = strlen(ending);
    return length > wanted && strcmp(path + length - wanted, ending) == 0;
}

static bool is_model(const char *path)
{
    return has_ending(path, ".pnml") || has_ending(path, ".dl") || has_ending(path, ".mp") || has_ending(path, ".ent");
}

static bool is_elf(const char *path)
{
    char magic[4];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = file >= 0 && read(file, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (file >= 0)
        close(file);
    return fine;
}

static enum portolan_status not_built(const char *path, struct portolan_error *error)
{
    fail(error, PORTOLAN_BAD_INPUT, "%s was not built by 'portolan cc', or by that of another version", path);
    hint(error, "portolan cc -O1 -g FILE.c -o PROGRAM");
    return PORTOLAN_BAD_INPUT;
}

/* Something that a person may take for a program. */
static enum portolan_status no_program(const char *path, const struct stat *status, struct portolan_error *error)
{
    if (S_ISDIR(status->st_mode))
        return fail(error, PORTOLAN_BAD_INPUT, "%s is a directory, not a program", path);
    if (has_ending(path, ".c") || has_ending(path, ".h")) {
        fail(error, PORTOLAN_BAD_INPUT, "%s is a C source, not a program", path);
        hint(error, "build it first: portolan cc -O1 -g %s -o PROGRAM", path);
    } else if (is_model(path)) {
        fail(error, PORTOLAN_BAD_INPUT, "%s is a model, not a C program", path);
        hint(error, "portolan check %s", path);
    } else if (is_elf(path) && !is_c_program(path)) {
        return not_built(path, error);
    } else if (!is_elf(path)) {
        fail(error, PORTOLAN_BAD_INPUT, "%s is not a program, or cannot be read", path);
        hint(error, "portolan cc -O1 -g FILE.c -o PROGRAM");
    } else {
        fail(error, PORTOLAN_IO, "%s cannot be run: %s", path, strerror(EACCES));
        hint(error, "chmod +x %s", path);
    }
    return error->status;
}

enum portolan_status check_processor(struct portolan_error *error)
{
    if (C_PROGRAMS)
        return PORTOLAN_OK;
    fail(error, PORTOLAN_REFUSED, "C programs can be explored on x86-64 only, and this is another processor");
    hint(error, "models are checked here as everywhere: 'portolan list' names their languages");
    return PORTOLAN_REFUSED;
}

enum portolan_status check_c_program(const char *path, struct portolan_error *error)
{
    struct stat status;
    if (check_processor(error) != PORTOLAN_OK)
        return PORTOLAN_REFUSED;
    if (stat(path, &status) != 0)
        return fail(error, PORTOLAN_IO, "%s cannot be run: %s", path, strerror(errno));
    return is_c_program(path) && access(path, X_OK) == 0 ? PORTOLAN_OK : no_program(path, &status, error);
}

static int run(const struct settings *settings, char **arguments, const char *replay)
{
    struct portolan_error error;
    return check_c_program(arguments[0], &error) == PORTOLAN_OK ? supervise(settings, arguments, replay)
                                                                : wrong(&error);
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
    return run(settings, (char **)(uintptr_t)settings->words.item, NULL);
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
    struct stat what;
    enum portolan_status status = PORTOLAN_OK;
    if (!file)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    if (fstat(fileno(file), &what) != 0 || !S_ISREG(what.st_mode)) /* it is read twice */
        status = fail(error, PORTOLAN_IO, "cannot read '%s': a schedule must be a file", path);
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
        status = run(settings, words.item, settings->words.item[1]);
    }
    word_list_clear(&words);
    return status;
}
