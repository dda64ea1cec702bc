/*
 * portolan cc: a compiler driver.  Sources are compiled with the instrumentation of ThreadSanitizer; the link leaves
 * its library out and takes our runtime.
 */
#include "cli/command.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
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
    VECTOR(char *) objects;   /* and other files to be removed */
};

/* Functions of libc are called, not put in place: what they touch would stay unseen. */
static const char *const instrumenting[] = {"-fsanitize=thread", "-fno-builtin", NULL};
/* Behind the user's own words.  addr2line finds functions that clang put into others in this version only. */
static const char *const instrumenting_last[] = {"-U_FORTIFY_SOURCE", "-gdwarf-4", NULL};

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

/* Runs a line; its exit status.  What it prints goes to a file if there is one. */
static int run_line(struct line *line, const char *output)
{
    pid_t process;
    int state, failed = ENOMEM;
    struct portolan_error error;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (add(line, NULL) &&
        (!output || posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_TRUNC, 0) == 0))
        failed = posix_spawnp(&process, line->words.item[0], &actions, NULL, line->words.item, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        fail(&error, PORTOLAN_IO, "'%s' cannot be run: %s", line->words.item[0], strerror(failed));
        return wrong(&error);
    }
    while (waitpid(process, &state, 0) < 0)
        if (errno != EINTR)
            return EXIT_WRONG;
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_WRONG;
}

/* clang leaves out a read when a write of the same variable follows: with --races interleave it is a step. */
static bool add_instrumenting(struct line *line, const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    if (strstr(slash ? slash : compiler, "clang") &&
        (!add(line, "-mllvm") || !add(line, "-tsan-instrument-read-before-write=1")))
        return false;
    return add_all(line, instrumenting);
}

/* --- compiling without linking: the same command with more options */

static int compile_only(struct driver *d, const struct word_list *arguments)
{
    struct line line = {0};
    bool fine = add(&line, d->compiler) && add_instrumenting(&line, d->compiler);
    for (size_t i = 0; i < arguments->count && fine; i++)
        fine = add(&line, arguments->item[i]);
    fine = fine && add_all(&line, instrumenting_last);
    int status = fine ? run_line(&line, NULL) : EXIT_WRONG;
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

/* An empty file that is removed at the end; NULL when there is none. */
static char *new_file(struct driver *d)
{
    char path[] = "/tmp/portolan-XXXXXX.o";
    int file = mkstemps(path, 2);
    char *kept = file < 0 ? NULL : strdup(path);
    if (file >= 0)
        close(file);
    if (kept && vector_push(&d->objects, kept))
        return kept;
    free(kept);
    return NULL;
}

static int compile_source(struct driver *d, const char *source, const char *language, const struct word_list *arguments,
                          const char **object)
{
    struct line line = {0};
    char *kept = new_file(d);
    *object = kept;
    bool fine = kept && add(&line, d->compiler) && add_instrumenting(&line, d->compiler) &&
                add_compile_options(&line, arguments) && add_dependencies(d, &line, source, arguments) &&
                add_all(&line, instrumenting_last) && add(&line, "-c") &&
                (!language || (add(&line, "-x") && add(&line, language))) && add(&line, source) && add(&line, "-o") &&
                add(&line, kept);
    int status = fine ? run_line(&line, NULL) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

/* --- names: a function that the program has itself is not redirected to the runtime */

static bool is_object(const char *word)
{
    const char *dot = strrchr(word, '.');
    return word[0] != '-' && dot && (strcmp(dot, ".o") == 0 || strcmp(dot, ".a") == 0);
}

/* The names that the objects of a line define, one in a line, with "--wrap=" before each; NULL when nm fails. */
static char *own_names(struct driver *d, const struct line *link)
{
    struct line line = {0};
    char *list = new_file(d), *names = NULL, word[300];
    size_t size;
    bool fine = list && add(&line, "nm") && add(&line, "-gP") && add(&line, "--defined-only");
    for (size_t i = 0; i < link->words.count && fine; i++)
        fine = !is_object(link->words.item[i]) || add(&line, link->words.item[i]);
    fine = fine && run_line(&line, list) == EXIT_HOLDS;
    free(line.words.item);
    FILE *from = fine ? fopen(list, "r") : NULL, *to = from ? open_memstream(&names, &size) : NULL;
    while (to && fgets(word, sizeof word, from)) {
        word[strcspn(word, " \n")] = '\0';
        fprintf(to, "\n--wrap=%s\n", word);
    }
    if (from)
        fclose(from);
    if (to && fclose(to) != 0)
        names = NULL;
    return names;
}

/* The functions that the linker redirects to the runtime, in a file; NULL when it cannot be made. */
static const char *redirections(struct driver *d, const struct line *link)
{
    char path[PATH_MAX + 40], word[300], *own = own_names(d, link), *list = new_file(d);
    snprintf(path, sizeof path, "%s/libportolan_run.wrap", d->directory);
    FILE *from = fopen(path, "r"), *to = list ? fopen(list, "w") : NULL;
    bool fine = from && to;
    word[0] = '\n';
    while (fine && fgets(word + 1, sizeof word - 1, from))
        if (!own || strcmp(word, "\n--wrap=main\n") == 0 || !strstr(own, word))
            fputs(word + 1, to);
        else
            fprintf(to, "--defsym=__real_%.*s=%s", (int)strcspn(word + 8, "\n"), word + 8, word + 8);
    if (from)
        fclose(from);
    if (to)
        fine = fclose(to) == 0 && fine;
    free(own);
    return fine ? list : NULL;
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
    const char *redirected = status == EXIT_HOLDS ? redirections(d, &line) : NULL;
    bool fine = redirected && add_made(d, &line, "%s/libportolan_run.a", d->directory) &&
                add_made(d, &line, "-Wl,@%s", redirected) && add(&line, "-lm") && add(&line, "-pthread");
    if (status == EXIT_HOLDS)
        status = fine ? run_line(&line, NULL) : EXIT_WRONG;
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
