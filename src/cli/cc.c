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

static bool is_one_of(const char *word, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool ends_with_one_of(const char *word, const char *const *endings)
{
    const char *dot = strrchr(word, '.');
    return dot && is_one_of(dot, endings);
}

/* `language` is that of the last -x, or NULL. */
static bool is_source(const char *word, const char *language)
{
    static const char *const endings[] = {".c", ".i", NULL};
    if (word[0] == '-' && word[1])
        return false;
    return language && strcmp(language, "none") != 0 ? strcmp(language, "c") == 0 : ends_with_one_of(word, endings);
}

static bool is_cplusplus(const char *word)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii", NULL};
    return word[0] != '-' && ends_with_one_of(word, endings);
}

/* Options whose argument is the next word. */
static bool takes_next(const char *word)
{
    static const char *const options[] = {
        "-o",      "-I",  "-L",  "-D",         "-U",       "-include",  "-isystem",    "-MF",
        "-x",      "-MT", "-MQ", "-idirafter", "-iquote",  "-Xlinker",  "-T",          "-l",
        "-z",      "-u",  "-e",  "--param",    "-imacros", "-isysroot", "-Xassembler", "-Xpreprocessor",
        "-Xclang", "-B",  NULL};
    return is_one_of(word, options);
}

/* Does a source only get compiled? */
static bool stops_early(const char *word)
{
    static const char *const options[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
    return is_one_of(word, options);
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

static int compile_only(struct driver *d, const struct word_list *arguments)
{
    struct line line = {0};
    bool fine = add(&line, d->compiler) && add_all(&line, instrumenting);
    for (size_t i = 0; i < arguments->count && fine; i++)
        fine = add(&line, arguments->item[i]);
    int status = fine ? run_line(d, &line) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

/* --- linking: sources are compiled to objects of their own first */

/* Only what matters for compiling: not the sources, objects, libraries and the name of the program. */
static bool add_compile_options(struct line *line, const struct word_list *arguments)
{
    static const char *const of_link[] = {"-o", "-L", "-l", "-Xlinker", "-T", "-z", "-u", "-e", "-x", NULL};
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i];
        bool pair = takes_next(word) && i + 1 < arguments->count;
        bool skipped = is_one_of(word, of_link) || strncmp(word, "-l", 2) == 0 || strncmp(word, "-Wl,", 4) == 0 ||
                       word[0] != '-' || !word[1];
        if (!skipped && (!add(line, word) || (pair && !add(line, arguments->item[i + 1]))))
            return false;
        i += pair;
    }
    return true;
}

static bool has_word(const struct word_list *arguments, const char *word)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (strcmp(arguments->item[i], word) == 0)
            return true;
    return false;
}

/* Dependencies go where they would if the object were not a temporary one. */
static bool add_dependencies(struct driver *d, struct line *line, const char *source, const struct word_list *arguments)
{
    if (!has_word(arguments, "-MD") && !has_word(arguments, "-MMD"))
        return true;
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    if (!has_word(arguments, "-MF") && (!add(line, "-MF") || !add_made(d, line, "%s.d", base)))
        return false;
    return has_word(arguments, "-MT") || has_word(arguments, "-MQ") ||
           (add(line, "-MQ") && add_made(d, line, "%s.o", base));
}

static int compile_source(struct driver *d, const char *source, const char *language, const struct word_list *arguments,
                          const char **object)
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
    bool fine = add(&line, d->compiler) && add_all(&line, instrumenting) && add_compile_options(&line, arguments) &&
                add_dependencies(d, &line, source, arguments) && add(&line, "-c") &&
                (!language || (add(&line, "-x") && add(&line, language))) && add(&line, source) && add(&line, "-o") &&
                add(&line, kept);
    int status = fine ? run_line(d, &line) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

/* Adds a word to the line that links, or the object for a source. */
static int link_word(struct driver *d, struct line *line, const struct word_list *arguments, size_t *i,
                     const char **language)
{
    const char *word = arguments->item[*i], *next = *i + 1 < arguments->count ? arguments->item[*i + 1] : NULL;
    int status = EXIT_HOLDS;
    if (strcmp(word, "-x") == 0 && next) {
        *language = next;
        ++*i;
        return status;
    }
    if (strcmp(word, "-fsanitize=thread") == 0) /* would bring the other runtime */
        return status;
    if (is_source(word, *language)) {
        const char *object = NULL;
        status = compile_source(d, word, *language, arguments, &object);
        return status != EXIT_HOLDS || add(line, object) ? status : EXIT_WRONG;
    }
    bool fine = add(line, word);
    if (fine && takes_next(word) && next) {
        fine = add(line, next);
        ++*i;
    }
    return fine ? status : EXIT_WRONG;
}

static int link_program(struct driver *d, const struct word_list *arguments)
{
    struct line line = {0};
    const char *language = NULL;
    int status = add(&line, d->compiler) ? EXIT_HOLDS : EXIT_WRONG;
    for (size_t i = 0; i < arguments->count && status == EXIT_HOLDS; i++)
        status = link_word(d, &line, arguments, &i, &language);
    bool fine = add_made(d, &line, "%s/libportolan_run.a", d->directory) &&
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

/* Looks through the arguments for what is refused, and for what is asked for. */
static enum portolan_status look_through(const struct word_list *arguments, bool *only_compile, bool *has_input,
                                         struct portolan_error *error)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i], *next = i + 1 < arguments->count ? arguments->item[i + 1] : "";
        if (strcmp(word, "-static") == 0 || strcmp(word, "-shared") == 0)
            return fail(error, PORTOLAN_REFUSED,
                        "%s does not go with portolan cc: the program must be linked dynamically, its own code in one "
                        "piece",
                        word);
        if (is_cplusplus(word) || (strcmp(word, "-x") == 0 && strncmp(next, "c++", 3) == 0))
            return fail(error, PORTOLAN_REFUSED, "'%s' is C++: portolan cc compiles C only",
                        word[0] == '-' ? next : word);
        *only_compile = *only_compile || stops_early(word);
        *has_input = *has_input || word[0] != '-' || !word[1];
        i += takes_next(word);
    }
    return PORTOLAN_OK;
}

int command_cc(int count, char **given)
{
    struct portolan_error error;
    struct driver d = {.compiler = getenv("PORTOLAN_CC")};
    struct word_list arguments = {0};
    bool only_compile = false, has_input = false;
    int exit_status;
    if (!d.compiler || !*d.compiler)
        d.compiler = "gcc";
    enum portolan_status status = expand_response_files(count, given, &arguments, &error);
    if (status == PORTOLAN_OK)
        status = look_through(&arguments, &only_compile, &has_input, &error);
    if (status == PORTOLAN_OK && !only_compile && has_input && !find_runtime(&d))
        status =
            fail(&error, PORTOLAN_IO, "libportolan_run.a is neither beside this program nor in its library directory");
    if (status != PORTOLAN_OK)
        exit_status = wrong(&error);
    else if (only_compile || !has_input)
        exit_status = compile_only(&d, &arguments);
    else
        exit_status = link_program(&d, &arguments);
    driver_clear(&d);
    word_list_clear(&arguments);
    return exit_status;
}
