/* SPDX-License-Identifier: Apache-2.0 */
/* portolan run PROGRAM: the program explores itself, and is followed from outside (supervise.c). */
#include "cli/supervise.h"

#include "base/diagnostic.h"
#include "cli/elf.h"
#include "cli/interrupts.h"
#include "cli/parts.h"
#include "cli/run_source.h"
#include "native/libraries.h"
#include "stateless/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a runtime leaves in its program; false when there is none. */
static bool read_version(const char *path, struct version_block *version)
{
    struct bytes file = map_file(path, O_RDONLY);
    const elf_header_t *header = file.at ? elf_header(file) : NULL;
    struct bytes found = header ? find_section(file, header, VERSION_SECTION) : (struct bytes){0};
    bool fits = found.size == sizeof *version && memcmp(found.at, VERSION_BLOCK.magic, sizeof version->magic) == 0;
    if (fits)
        memcpy(version, found.at, sizeof *version);
    unmap_file(file);
    return fits;
}

static bool has_section(const char *path, const char *name)
{
    struct bytes file = map_file(path, O_RDONLY);
    const elf_header_t *header = file.at ? elf_header(file) : NULL;
    bool has = header && find_section(file, header, name).size;
    unmap_file(file);
    return has;
}

bool is_c_program(const char *path)
{
    struct version_block version;
    return read_version(path, &version);
}

/* By whatever name. */
static bool is_checker(const struct stat *status)
{
    struct stat own;
    return stat("/proc/self/exe", &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino;
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
    if (has_section(path, LINKED_SECTION)) {
        fail(error, PORTOLAN_BAD_INPUT, "%s was built by 'portolan cc' of an earlier version", path);
        hint(error, "build it again with 'portolan cc'");
    } else {
        fail(error, PORTOLAN_BAD_INPUT, "%s was not built by 'portolan cc'", path);
        hint(error, "portolan cc -O1 -g FILE.c -o PROGRAM");
    }
    return PORTOLAN_BAD_INPUT;
}

/* A runtime of another version understands neither the settings nor what is to be reported. */
static enum portolan_status check_version(const char *path, struct portolan_error *error)
{
    struct version_block own = VERSION_BLOCK, version = own;
    if (!read_version(path, &version) || memcmp(&version, &own, sizeof own) == 0)
        return PORTOLAN_OK;
    bool is_other = strncmp(version.release, own.release, sizeof own.release) != 0;
    fail(error, PORTOLAN_BAD_INPUT, "%s was built by 'portolan cc' of %s %.*s, and this is %s", path,
         is_other ? "version" : "another build of version", (int)sizeof version.release, version.release, own.release);
    hint(error, "build it again with 'portolan cc'");
    return PORTOLAN_BAD_INPUT;
}

/* Something that a person may take for a program. */
static enum portolan_status no_program(const char *path, const struct stat *status, struct portolan_error *error)
{
    if (S_ISDIR(status->st_mode))
        return fail(error, PORTOLAN_BAD_INPUT, "%s is a directory, not a program", path);
    if (is_checker(status)) {
        fail(error, PORTOLAN_BAD_INPUT, "%s is Portolan itself, not a program to explore", path);
        hint(error, "portolan run PROGRAM, for a program built by 'portolan cc'");
        return PORTOLAN_BAD_INPUT;
    }
    if (has_ending(path, ".h")) {
        fail(error, PORTOLAN_BAD_INPUT, "%s is a header, not a program", path);
        hint(error, "portolan run FILE.c, for a source that includes it");
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
    hint(error, "models can be checked on any processor: 'portolan list' names their languages");
    return PORTOLAN_REFUSED;
}

enum portolan_status check_c_program(const char *path, struct portolan_error *error)
{
    struct stat status;
    if (check_processor(error) != PORTOLAN_OK)
        return PORTOLAN_REFUSED;
    if (stat(path, &status) != 0)
        return fail(error, PORTOLAN_IO, "%s cannot be run: %s", path, strerror(errno));
    return is_c_program(path) && access(path, X_OK) == 0 ? check_version(path, error)
                                                         : no_program(path, &status, error);
}

static int run(const struct settings *settings, char **arguments, const char *replay)
{
    struct portolan_error error;
    return check_c_program(arguments[0], &error) == PORTOLAN_OK ? supervise(settings, arguments, replay)
                                                                : wrong(&error);
}

static int run_sources(const struct settings *settings, char **words)
{
    struct source_program program = {0};
    char **arguments;
    interrupts_hold(); /* also between the compiler and the search */
    int status = source_compile(&program, words, settings->cflags, &arguments);
    if (status == EXIT_HOLDS)
        status = run(settings, arguments, NULL);
    else if (status == EXIT_UNDECIDED)
        status = supervise_nothing(settings, arguments);
    source_remove(&program);
    interrupts_release();
    return status;
}

int command_run(struct settings *settings)
{
    if (settings->words.count == 0)
        return wrong_usage("run");
    struct portolan_error error;
    if (!can_write(settings->json_file, &error) || !can_write(settings->trace_file, &error) ||
        !can_write(settings->junit_file, &error) || !can_write(settings->sarif_file, &error) ||
        !can_write(settings->html_file, &error))
        return wrong(&error);
    if (!vector_push(&settings->words, NULL)) {
        fail_memory(&error);
        return wrong(&error);
    }
    char **words = (char **)(uintptr_t)settings->words.item;
    settings->subject = words[0];
    if (wants_parts(settings) && check_parts(settings, is_c_source(words[0]), &error) != PORTOLAN_OK)
        return wrong(&error);
    if (settings->shards && (!settings->shard || settings->shard->task == SHARDS_MERGE)) {
        if (check_c_program(words[0], &error) != PORTOLAN_OK)
            return wrong(&error);
        return settings->shard ? merge_program(settings, words) : plan_program(settings, words);
    }
    return is_c_source(words[0]) ? run_sources(settings, words) : run(settings, words, NULL);
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
