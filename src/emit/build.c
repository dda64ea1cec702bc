/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, secure_getenv */
#endif
#include "emit/build.h"

#include "base/limits.h"
#include "emit/emit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 32, NICENESS = 10, MOST_COMPLAINT = 400 };
static const long POLL_NANOSECONDS = 2000000;

struct build {
    struct text text;
    char directory[PATH_MAX], place[PATH_MAX], workshop[PATH_MAX];
    pid_t compiler; /* 0: none */
    void *object;
    bool failed;
    char complaint[MOST_COMPLAINT];
};

/* ----------------------------------------------------------------- the compiler */

struct command {
    char words[PATH_MAX]; /* of $CC */
    char *word[MOST_WORDS];
    char program[PATH_MAX]; /* of the first */
};

static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *directories = secure_getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
    for (const char *at = directories ? directories : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        if (length && snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name) < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* $CC may have arguments, among them how much to optimise; others follow. */
static bool find_compiler(struct command *c)
{
    static const char *const flags[] = {"-x", "c",        "-w", "-fPIC", "-fvisibility=hidden", "-shared", "-pipe",
                                        "-o", "model.so", "-",  "-O2"};
    const char *named = secure_getenv("CC");
    size_t count = 0, known = sizeof flags / sizeof *flags;
    char *rest = NULL;
    if (snprintf(c->words, sizeof c->words, "%s", named && *named ? named : "cc") >= PATH_MAX)
        return false;
    for (char *word = strtok_r(c->words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count + sizeof flags / sizeof *flags + 1 >= MOST_WORDS)
            return false;
        if (strncmp(word, "-O", 2) == 0)
            known = sizeof flags / sizeof *flags - 1; /* the last is said otherwise */
        c->word[count++] = word;
    }
    if (count == 0 || !find_program(c->word[0], c->program))
        return false;
    for (size_t i = 0; i < known; i++)
        c->word[count++] = (char *)flags[i];
    c->word[count] = NULL;
    return true;
}

/* What tells one compiler from another, and from itself after an update. */
static void describe(const struct command *c, char *text, size_t size)
{
    struct stat status = {0};
    (void)stat(c->program, &status);
    int length = snprintf(text, size, "%s %" PRId64 " %" PRId64 " %s", EMITTED_VERSION, (int64_t)status.st_mtim.tv_sec,
                          (int64_t)status.st_size, c->program);
    for (size_t i = 1; c->word[i] && length > 0 && (size_t)length < size; i++)
        length += snprintf(text + length, size - (size_t)length, " %s", c->word[i]);
}

/* --------------------------------------------------------------------- a process */

/* The environment, with temporary files in the workshop. */
static char **environment_of(const char *workshop, char place[PATH_MAX + 8])
{
    size_t count = 0, used = 0;
    while (environ && environ[count])
        count++;
    char **result = calloc(count + 2, sizeof *result);
    if (!result)
        return NULL;
    snprintf(place, PATH_MAX + 8, "TMPDIR=%s", workshop);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", strlen("TMPDIR=")) != 0)
            result[used++] = environ[i];
    result[used] = place;
    return result;
}

/* A file without a name from which the compiler reads the text. */
static int input_of(const struct text *text)
{
    int file = memfd_create("portolan", MFD_CLOEXEC);
    for (size_t at = 0; file >= 0 && at < text->length;) {
        ssize_t written = write(file, text->item + at, text->length - at);
        if (written <= 0) {
            close(file);
            return -1;
        }
        at += (size_t)written;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

static bool prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, const char *workshop, int input)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawn_file_actions_addchdir_np(files, workshop) == 0 &&
           posix_spawn_file_actions_adddup2(files, input, STDIN_FILENO) == 0 &&
           posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, STDERR_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR) == 0 &&
           posix_spawnattr_setflags(attributes,
                                    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 && posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &all) == 0;
}

static void start(struct build *b, const struct command *c)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    char temporary[PATH_MAX + 8], **environment = environment_of(b->workshop, temporary);
    int input = input_of(&b->text);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    b->failed = !environment || input < 0 || !prepare(&files, &attributes, b->workshop, input) ||
                posix_spawn(&b->compiler, c->program, &files, &attributes, c->word, environment) != 0;
    if (b->failed)
        b->compiler = 0;
    else
        (void)setpriority(PRIO_PGRP, (id_t)b->compiler, NICENESS);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (input >= 0)
        close(input);
    free(environment);
}

/* ------------------------------------------------------------------------ builds */

struct build *build_begin(struct text text, bool only_cached)
{
    struct build *b = calloc(1, sizeof *b);
    struct command *c = calloc(1, sizeof *c);
    char compiler[2 * PATH_MAX];
    bool fine = b && c && cache_directory(b->directory) && find_compiler(c);
    if (fine) {
        describe(c, compiler, sizeof compiler);
        fine = cache_place(b->place, b->directory, &text, compiler);
    }
    if (!fine) {
        free(text.item);
        free(b);
        b = NULL;
    } else {
        b->text = text;
        b->object = cache_load(b->place, &b->text);
        b->failed = !b->object && (only_cached || !cache_workshop(b->workshop, b->directory));
        if (!b->object && !b->failed)
            start(b, c);
    }
    if (b && b->failed && only_cached) {
        build_end(b);
        b = NULL;
    }
    free(c);
    return b;
}

static void read_complaint(struct build *b)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/log", b->workshop);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, b->complaint, sizeof b->complaint - 1);
    b->complaint[length > 0 ? length : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* The compiler has ended. */
static void finish(struct build *b, bool fine)
{
    char made[PATH_MAX + 16];
    snprintf(made, sizeof made, "%s/model.so", b->workshop);
    b->compiler = 0;
    read_complaint(b);
    fine = fine && cache_keep(made, b->place, b->directory, &b->text);
    cache_remove_workshop(b->workshop);
    b->workshop[0] = '\0';
    if (fine)
        b->object = cache_load(b->place, &b->text);
    b->failed = !b->object;
}

enum build_progress build_look(struct build *b)
{
    int status = 0;
    if (b->compiler) {
        pid_t ended = waitpid(b->compiler, &status, WNOHANG);
        if (ended == 0 || (ended < 0 && errno == EINTR))
            return BUILD_RUNS;
        /* a program that waits for all its children may have got the status: the object tells */
        finish(b, ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
    return b->object ? BUILD_READY : BUILD_FAILED;
}

enum build_progress build_wait(struct build *b)
{
    enum build_progress progress;
    while ((progress = build_look(b)) == BUILD_RUNS && !limits_reached()) {
        struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
        nanosleep(&pause, NULL);
    }
    return progress;
}

void *build_take(struct build *b)
{
    void *object = b->object;
    b->object = NULL;
    return object;
}

void build_complaint(const struct build *b, char *text, size_t size)
{
    snprintf(text, size, "%s", b->complaint);
}

void build_end(struct build *b)
{
    if (!b)
        return;
    if (b->compiler) {
        kill(-b->compiler, SIGKILL);
        while (waitpid(b->compiler, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (b->workshop[0])
        cache_remove_workshop(b->workshop);
    if (b->object)
        dlclose(b->object);
    free(b->text.item);
    free(b);
}
