/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan run FILE.c OTHER.c -- ARGUMENTS: the sources are compiled to a program of their own, in a new directory that
 * is removed when the search is over, also when it was interrupted.
 */
#include "cli/run_source.h"
#include "cli/cc.h"

#include "base/diagnostic.h"
#include "cli/interrupts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_c_source(const char *path)
{
    return ends_with_one_of(path, (const char *const[]){".c", ".i", NULL}) || ends_as_cplusplus(path);
}

/* --- compiling */

/* The words before "--": sources, objects and libraries; -O, -I and their like come by --cflags. */
static size_t count_inputs(char **words)
{
    size_t count = 0;
    while (words[count] && strcmp(words[count], "--") != 0)
        count++;
    return count;
}

static enum portolan_status find_directory(struct source_program *program, const char *source,
                                           struct portolan_error *error)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *temporary = getenv("TMPDIR");
    if (!temporary || !*temporary)
        temporary = "/tmp";
    int length = (int)(strrchr(name, '.') - name);
    if ((size_t)snprintf(program->directory, sizeof program->directory, "%s/portolan-run-XXXXXX", temporary) >=
            sizeof program->directory ||
        !mkdtemp(program->directory)) {
        program->directory[0] = '\0';
        return fail(error, PORTOLAN_IO, "cannot create a directory in %s: %s", temporary, strerror(errno));
    }
    snprintf(program->path, sizeof program->path, "%s/%.*s", program->directory, length, name);
    return PORTOLAN_OK;
}

/* What the compiler is given. */
static bool add_arguments(struct word_list *arguments, char **words, size_t inputs, const char *path)
{
    for (size_t i = 0; i < inputs + 2; i++) {
        char *copy = vector_reserve(arguments, 1) ? strdup(i < inputs ? words[i] : i == inputs ? "-o" : path) : NULL;
        if (!copy)
            return false;
        arguments->item[arguments->count++] = copy;
    }
    return true;
}

static bool has_cplusplus(char **words, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        if (ends_as_cplusplus(words[i]))
            return true;
    return false;
}

/* What the compiler leaves when it is interrupted goes with the directory. */
static int compile_inside(const char *directory, const struct word_list *line, bool cplusplus)
{
    static const char name[] = "TMPDIR";
    const char *value = getenv(name);
    char *before = value ? strdup(value) : NULL;
    int status = EXIT_WRONG;
    struct portolan_error error;
    if ((value && !before) || setenv(name, directory, 1) != 0) {
        fail_memory(&error);
        wrong(&error);
    } else {
        status = command_cc((int)line->count, line->item, cplusplus);
        if (before)
            setenv(name, before, 1);
        else
            unsetenv(name);
    }
    free(before);
    return status;
}

int source_compile(struct source_program *program, char **words, const char *flags, char ***arguments)
{
    struct portolan_error error;
    struct word_list line = {0};
    size_t inputs = count_inputs(words);
    int status = EXIT_WRONG;
    enum portolan_status made = find_directory(program, words[0], &error);
    if (made == PORTOLAN_OK)
        made = split_words(flags ? flags : "", &line, &error);
    if (made == PORTOLAN_OK && !add_arguments(&line, words, inputs, program->path))
        made = fail_memory(&error);
    if (made != PORTOLAN_OK)
        wrong(&error);
    else
        status = compile_inside(program->directory, &line, has_cplusplus(words, inputs));
    word_list_clear(&line);
    if (interrupts_came())
        status = EXIT_UNDECIDED;
    else if (status != EXIT_HOLDS)
        status = EXIT_WRONG;
    *arguments = words + inputs - (words[inputs] == NULL); /* its own name goes before what is behind "--" */
    (*arguments)[0] = program->path;
    return status;
}

void source_remove(struct source_program *program)
{
    if (!program->directory[0])
        return;
    DIR *directory = opendir(program->directory);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(program->directory);
    program->directory[0] = '\0';
}
