/*
 * portolan cc: a compiler driver.  Sources are compiled with the instrumentation of ThreadSanitizer; the link leaves
 * its library out and takes our runtime.
 */
#include "cli/command.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct line {
    VECTOR(char *) words; /* ended by NULL when it is run */
};

struct driver {
    const char *compiler;
    char directory[PATH_MAX]; /* of the runtime */
    VECTOR(char *) owned;     /* words that were made here */
    VECTOR(char *) objects;   /* files to be removed */
};

/* The compiler must not put its own code for these: what they touch would stay unseen. */
static const char *const instrumenting[] = {"-fsanitize=thread",       "-g",
                                            "-fno-omit-frame-pointer", "-U_FORTIFY_SOURCE",
                                            "-fno-builtin-memcpy",     "-fno-builtin-memmove",
                                            "-fno-builtin-memset",     "-fno-builtin-memcmp",
                                            "-fno-builtin-memchr",     "-fno-builtin-strlen",
                                            "-fno-builtin-strcpy",     "-fno-builtin-strncpy",
                                            "-fno-builtin-strcat",     "-fno-builtin-strncat",
                                            "-fno-builtin-strcmp",     "-fno-builtin-strncmp",
                                            "-fno-builtin-strchr",     "-fno-builtin-strrchr",
                                            "-fno-builtin-strstr",     "-fno-builtin-strdup",
                                            "-fno-builtin-malloc",     "-fno-builtin-calloc",
                                            "-fno-builtin-realloc",    "-fno-builtin-free",
                                            "-fno-builtin-strndup",    NULL};

static bool is_source(const char *word)
{
    const char *dot = strrchr(word, '.');
    return word[0] != '-' && dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".i") == 0);
}

/* Options whose argument is the next word. */
static bool takes_next(const char *word)
{
    static const char *const options[] = {"-o",  "-I", "-L",      "-D",       "-U",         "-include",    "-isystem",
                                          "-MF", "-x", "-MT",     "-MQ",      "-idirafter", "-iquote",     "-Xlinker",
                                          "-T",  "-l", "--param", "-imacros", "-isysroot",  "-Xassembler", NULL};
    for (size_t i = 0; options[i]; i++)
        if (strcmp(word, options[i]) == 0)
            return true;
    return false;
}

/* Does a source only get compiled? */
static bool stops_early(const char *word)
{
    static const char *const options[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
    for (size_t i = 0; options[i]; i++)
        if (strcmp(word, options[i]) == 0)
            return true;
    return false;
}

static bool has_runtime(const char *directory)
{
    char path[PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/libportolan_run.a", directory);
    return access(path, R_OK) == 0;
}

/* Beside this program, or where it was installed. */
static bool find_runtime(struct driver *d)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(d->directory, sizeof d->directory, "%s", self);
    if (has_runtime(d->directory))
        return true;
    if ((size_t)snprintf(d->directory, sizeof d->directory, "%s/%s", self, RUNTIME_DIRECTORY) >= sizeof d->directory)
        return false;
    return has_runtime(d->directory);
}

static bool add(struct line *line, const char *word)
{
    return vector_push(&line->words, (char *)(uintptr_t)word);
}

static bool add_all(struct line *line, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (!add(line, words[i]))
            return false;
    return true;
}

/* Adds a word made of two parts. */
static bool add_made(struct driver *d, struct line *line, const char *format, const char *part)
{
    char *word = NULL;
    if (asprintf(&word, format, part) < 0)
        return false;
    if (!vector_push(&d->owned, word)) {
        free(word);
        return false;
    }
    return add(line, word);
}

/* Runs the compiler; its exit status. */
static int run_line(struct driver *d, struct line *line)
{
    pid_t process;
    int state, failed = ENOMEM;
    struct portolan_error error;
    if (add(line, NULL))
        failed = posix_spawnp(&process, d->compiler, NULL, NULL, line->words.item, environ);
    if (failed) {
        fail(&error, PORTOLAN_IO, "the compiler '%s' cannot be run: %s", d->compiler, strerror(failed));
        return wrong(&error);
    }
    while (waitpid(process, &state, 0) < 0)
        if (errno != EINTR)
            return EXIT_WRONG;
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_WRONG;
}

/* --- compiling without linking: the same command with more options */

static int compile_only(struct driver *d, int count, char **arguments)
{
    struct line line = {0};
    bool fine = add(&line, d->compiler) && add_all(&line, instrumenting);
    for (int i = 0; i < count && fine; i++)
        fine = add(&line, arguments[i]);
    int status = fine ? run_line(d, &line) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

/* --- linking: sources are compiled to objects of their own first */

/* Only what matters for compiling: not the sources, objects, libraries and the name of the program. */
static bool add_compile_options(struct line *line, int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];
        bool pair = takes_next(word) && i + 1 < count;
        bool of_link = strcmp(word, "-o") == 0 || strcmp(word, "-L") == 0 || strcmp(word, "-l") == 0 ||
                       strcmp(word, "-Xlinker") == 0 || strcmp(word, "-T") == 0 || strncmp(word, "-l", 2) == 0 ||
                       strncmp(word, "-Wl,", 4) == 0;
        if (!of_link && word[0] == '-' && (!add(line, word) || (pair && !add(line, arguments[i + 1]))))
            return false;
        i += pair;
    }
    return true;
}

static int compile_source(struct driver *d, const char *source, int count, char **arguments, const char **object)
{
    struct line line = {0};
    char path[] = "/tmp/portolan-XXXXXX.o";
    int file = mkstemps(path, 2);
    char *kept = file < 0 ? NULL : strdup(path);
    if (file >= 0)
        close(file);
    if (!kept || !vector_push(&d->objects, kept)) {
        free(kept);
        return EXIT_WRONG;
    }
    *object = kept;
    bool fine = add(&line, d->compiler) && add_all(&line, instrumenting) &&
                add_compile_options(&line, count, arguments) && add(&line, "-c") && add(&line, source) &&
                add(&line, "-o") && add(&line, kept);
    int status = fine ? run_line(d, &line) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

static int link_program(struct driver *d, int count, char **arguments)
{
    struct line line = {0};
    int status = EXIT_HOLDS;
    bool fine = add(&line, d->compiler);
    for (int i = 0; i < count && fine && status == EXIT_HOLDS; i++) {
        const char *word = arguments[i], *object = NULL;
        if (is_source(word)) {
            status = compile_source(d, word, count, arguments, &object);
            word = object;
        }
        fine = !word || add(&line, word);
        if (fine && takes_next(arguments[i]) && i + 1 < count)
            fine = add(&line, arguments[++i]);
    }
    fine = fine && add_made(d, &line, "%s/libportolan_run.a", d->directory) &&
           add_made(d, &line, "-Wl,@%s/libportolan_run.wrap", d->directory) && add(&line, "-lm") &&
           add(&line, "-pthread");
    if (status == EXIT_HOLDS)
        status = fine ? run_line(d, &line) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

static void driver_clear(struct driver *d)
{
    for (size_t i = 0; i < d->owned.count; i++)
        free(d->owned.item[i]);
    for (size_t i = 0; i < d->objects.count; i++) {
        unlink(d->objects.item[i]);
        free(d->objects.item[i]);
    }
    free(d->owned.item);
    free(d->objects.item);
}

int command_cc(int count, char **arguments)
{
    struct portolan_error error;
    struct driver d = {.compiler = getenv("PORTOLAN_CC")};
    bool only_compile = false, has_input = false;
    if (!d.compiler || !*d.compiler)
        d.compiler = "gcc";
    for (int i = 0; i < count; i++) {
        only_compile = only_compile || stops_early(arguments[i]);
        has_input = has_input || arguments[i][0] != '-';
        if (strcmp(arguments[i], "-static") == 0 || strcmp(arguments[i], "-shared") == 0) {
            fail(&error, PORTOLAN_REFUSED, "%s does not go with portolan cc: the program must be linked dynamically",
                 arguments[i]);
            return wrong(&error);
        }
    }
    if (!only_compile && has_input && !find_runtime(&d)) {
        fail(&error, PORTOLAN_IO, "libportolan_run.a is neither beside this program nor in its library directory");
        return wrong(&error);
    }
    int status = only_compile || !has_input ? compile_only(&d, count, arguments) : link_program(&d, count, arguments);
    driver_clear(&d);
    return status;
}
