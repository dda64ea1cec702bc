/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: a compiler driver.  Sources are compiled with the instrumentation of ThreadSanitizer (cc_compile.c); the
 * link leaves its library out and takes our runtime (cc_link.c).
 */
#include "cli/cc.h"

#include "base/diagnostic.h"
#include "cli/interrupts.h"
#include "cli/own_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool is_one_of(const char *word, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool ends_with_one_of(const char *word, const char *const *endings)
{
    const char *dot = strrchr(word, '.');
    return dot && is_one_of(dot, endings);
}

bool has_word(const struct word_list *arguments, const char *word)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (strcmp(arguments->item[i], word) == 0)
            return true;
    return false;
}

bool takes_next(const char *word)
{
    static const char *const options[] = {
        "-o",      "-I",  "-L",     "-D",         "-U",       "-include",  "-isystem",    "-MF",
        "-x",      "-MT", "-MQ",    "-idirafter", "-iquote",  "-Xlinker",  "-T",          "-l",
        "-z",      "-u",  "-e",     "--param",    "-imacros", "-isysroot", "-Xassembler", "-Xpreprocessor",
        "-Xclang", "-B",  "-mllvm", NULL};
    return is_one_of(word, options);
}

/* --- lines */

bool line_add(struct line *line, const char *word)
{
    return vector_push(&line->words, (char *)(uintptr_t)word);
}

bool line_add_all(struct line *line, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (!line_add(line, words[i]))
            return false;
    return true;
}

bool line_add_made(struct driver *d, struct line *line, const char *format, const char *part)
{
    char *word = NULL;
    if (asprintf(&word, format, part) < 0)
        return false;
    if (!vector_push(&d->owned, word)) {
        free(word);
        return false;
    }
    return line_add(line, word);
}

int line_run(struct line *line, const char *output)
{
    pid_t process;
    int state, failed = ENOMEM;
    struct portolan_error error;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (interrupts_came())
        return EXIT_UNDECIDED;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, interrupts_before());
    posix_spawn_file_actions_init(&actions);
    if (line_add(line, NULL) &&
        (!output || posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_TRUNC, 0) == 0))
        failed = posix_spawnp(&process, line->words.item[0], &actions, &attributes, line->words.item, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed) {
        fail(&error, PORTOLAN_IO, "'%s' cannot be run: %s", line->words.item[0], strerror(failed));
        return wrong(&error);
    }
    return interrupts_wait(process, &state) && WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_WRONG;
}

char *new_file(struct driver *d, const char *ending)
{
    char path[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    bool fits = (size_t)snprintf(path, sizeof path, "%s/portolan-XXXXXX%s",
                                 temporary && *temporary ? temporary : "/tmp", ending) < sizeof path;
    int file = fits ? mkstemps(path, (int)strlen(ending)) : -1;
    char *kept = file < 0 ? NULL : strdup(path);
    if (file >= 0)
        close(file);
    if (kept && vector_push(&d->files, kept))
        return kept;
    free(kept);
    return NULL;
}

static void driver_clear(struct driver *d)
{
    for (size_t i = 0; i < d->owned.count; i++)
        free(d->owned.item[i]);
    for (size_t i = 0; i < d->files.count; i++) {
        unlink(d->files.item[i]);
        free(d->files.item[i]);
    }
    free(d->owned.item);
    free(d->files.item);
    free(d->objects.item);
    word_list_clear(&d->arguments);
    word_list_clear(&d->trusted);
}

/* --- the runtime */

static bool has_runtime(const char *directory)
{
    char path[PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/libportolan_run.a", directory);
    return access(path, R_OK) == 0;
}

/* Beside this program, or where it was installed. */
static bool find_runtime(struct driver *d)
{
    memcpy(d->directory, d->self, sizeof d->directory);
    if (has_runtime(d->directory))
        return true;
    if ((size_t)snprintf(d->directory, sizeof d->directory, "%s/%s", d->self, RUNTIME_DIRECTORY) >= sizeof d->directory)
        return false;
    return has_runtime(d->directory);
}

/* --- what is refused */

struct refusal {
    const char *word;    /* or how it begins, when a '*' is its end */
    const char *because; /* a sentence that the word begins */
};

static const struct refusal refusals[] = {
    {"-static", "the program must be linked dynamically, with its own code in one file"},
    {"-static-pie", "the program must be linked dynamically, with its own code in one file"},
    {"-r", "what is linked must be a whole program"},
    {"-nostdlib", "the program must be started by libc"},
    {"-nostartfiles", "the program must be started by libc"},
    {"-nodefaultlibs", "the program must be started by libc"},
    {"-nolibc", "the program must be started by libc"},
    {"-fopenmp", "the threads of OpenMP are not modelled"},
    {"-fopenmp=*", "the threads of OpenMP are not modelled"},
    {"-fopenacc", "the threads of OpenACC are not modelled"},
    {"-lgomp", "the threads of OpenMP are not modelled"},
    {"-lomp", "the threads of OpenMP are not modelled"},
    {"-liomp5", "the threads of OpenMP are not modelled"},
    {"-ftree-parallelize-loops=*", "threads that the compiler creates are not modelled"},
    {"-fcilkplus", "the threads of Cilk are not modelled"},
    {"-fgnu-tm", "transactional memory is not modelled"},
    {"-fsplit-stack", "Portolan allocates the stacks of threads"},
    {"-pg", "a profiler interrupts the program"},
    {"--coverage", "the compiler's counters would be data races"},
    {"-coverage", "the compiler's counters would be data races"},
    {"-fprofile-arcs", "the compiler's counters would be data races"},
    {"-fprofile-generate*", "the compiler's counters would be data races"},
    {"-fprofile-instr-generate*", "the compiler's counters would be data races"},
    {"-fcs-profile-generate*", "the compiler's counters would be data races"},
    {"-m32", "only programs for x86-64 are supported"},
    {"-mx32", "only programs for x86-64 are supported"},
    {"-m16", "only programs for x86-64 are supported"},
    {"--target=*", "only programs for this machine are supported"},
    {"-target", "only programs for this machine are supported"},
    {"-fno-sanitize*", "code that is not instrumented is not seen"},
    {"-fsanitize-*", "code that is not instrumented is not seen"},
    {"-tsan-*", "code that is not instrumented is not seen"}, /* behind -mllvm */
    {"-fsanitize=*", "only one tool at a time can watch accesses"},
    {0}};

static const struct refusal *find_refusal(const char *word)
{
    if (strcmp(word, "-fsanitize=thread") == 0)
        return NULL; /* as is done anyway */
    for (const struct refusal *r = refusals; r->word; r++) {
        size_t length = strcspn(r->word, "*");
        if (strncmp(word, r->word, length) == 0 && (r->word[length] == '*' || !word[length]))
            return r;
    }
    return NULL;
}

/* A language that is not compiled here, by the ending of a file or by -x; NULL when it is one that is, or unknown. */
static const char *other_language(const struct driver *d, const char *word, const char *next)
{
    static const char *const others[] = {".m", ".mm", ".f", ".f90", ".f95", ".F", ".F90", ".d", ".go", ".adb", NULL};
    if (strcmp(word, "-x") == 0)
        return is_cplusplus(next) && !d->cplusplus                                                            ? "C++"
               : strncmp(next, "objective-c", 11) == 0 || strcmp(next, "f95") == 0 || strcmp(next, "go") == 0 ? next
                                                                                                              : NULL;
    if (word[0] == '-')
        return NULL;
    return ends_as_cplusplus(word) && !d->cplusplus ? "C++"
           : ends_with_one_of(word, others)         ? "another language"
                                                    : NULL;
}

static enum portolan_status refuse_language(const struct driver *d, const char *what, const char *language,
                                            struct portolan_error *error)
{
    fail(error, PORTOLAN_REFUSED, "'%s' is %s: %s compiles %s only", what, language, d->name,
         d->cplusplus ? "C and C++" : "C");
    if (strcmp(language, "C++") == 0)
        hint(error, "portolan c++ compiles C++");
    return PORTOLAN_REFUSED;
}

static enum portolan_status look_for_refusals(const struct driver *d, struct portolan_error *error)
{
    const struct word_list *arguments = &d->arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i], *next = i + 1 < arguments->count ? arguments->item[i + 1] : "";
        const struct refusal *refusal = find_refusal(strcmp(word, "-mllvm") == 0 ? next : word);
        const char *language = other_language(d, word, next);
        if (refusal)
            return fail(error, PORTOLAN_REFUSED, "%s cannot be combined with %s: %s", word, d->name, refusal->because);
        if (language)
            return refuse_language(d, word[0] == '-' ? next : word, language, error);
        i += takes_next(word);
    }
    return PORTOLAN_OK;
}

/* --- what is asked for */

/* Without -O, or with -O0, a compiler keeps what every read has given it in memory: a loop that waits would be in
 * another state after each value that it finds.  What the program means is the same with -O1, and so are the accesses
 * that are seen. */
static enum portolan_status choose_level(struct word_list *arguments)
{
    bool is_chosen = false;
    for (size_t i = 0; i < arguments->count; i++) {
        char *word = arguments->item[i];
        is_chosen = is_chosen || strncmp(word, "-O", 2) == 0;
        if (strcmp(word, "-O0") == 0)
            word[2] = '1';
    }
    if (is_chosen)
        return PORTOLAN_OK;
    char *level = strdup("-O1");
    if (!level || !vector_reserve(arguments, 1)) {
        free(level);
        return PORTOLAN_NO_MEMORY;
    }
    memmove(arguments->item + 1, arguments->item, arguments->count * sizeof *arguments->item);
    arguments->item[0] = level;
    arguments->count++;
    return PORTOLAN_OK;
}

/* Takes "--NAME VALUE" or "--NAME=VALUE" out of the arguments; what is left of them is the compiler's. */
static bool is_own(const struct word_list *arguments, size_t i, const char *name, const char **value, size_t *words)
{
    const char *word = arguments->item[i];
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || (word[length] && word[length] != '='))
        return false;
    *words = word[length] ? 1 : 2;
    *value = word[length] ? word + length + 1 : i + 1 < arguments->count ? arguments->item[i + 1] : NULL;
    return true;
}

static enum portolan_status take_own(struct driver *d, const char *name, const char *value,
                                     struct portolan_error *error)
{
    bool accesses = strcmp(name, "--accesses") == 0;
    if (!value || !*value || (accesses && strcmp(value, "source") != 0 && strcmp(value, "optimised") != 0))
        return fail(error, PORTOLAN_BAD_OPTION, "%s needs %s", name, accesses ? "'source' or 'optimised'" : "PATTERN");
    if (accesses) {
        d->keeps_accesses = value[0] == 's';
        return PORTOLAN_OK;
    }
    char *copy = vector_reserve(&d->trusted, 1) ? strdup(value) : NULL;
    if (!copy)
        return fail_memory(error);
    d->trusted.item[d->trusted.count++] = copy;
    return PORTOLAN_OK;
}

static enum portolan_status take_own_options(struct driver *d, struct portolan_error *error)
{
    struct word_list *arguments = &d->arguments;
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < arguments->count && status == PORTOLAN_OK;) {
        const char *value;
        size_t words;
        bool trust = is_own(arguments, i, "--trust", &value, &words);
        if (!trust && !is_own(arguments, i, "--accesses", &value, &words)) {
            i += 1 + (takes_next(arguments->item[i]) && i + 1 < arguments->count);
            continue;
        }
        status = take_own(d, trust ? "--trust" : "--accesses", value, error);
        words = words < arguments->count - i ? words : arguments->count - i;
        for (size_t k = 0; k < words; k++)
            free(arguments->item[i + k]);
        arguments->count -= words;
        memmove(arguments->item + i, arguments->item + i + words, (arguments->count - i) * sizeof *arguments->item);
    }
    return status;
}

enum stage { PREPROCESS, TO_ASSEMBLY, TO_OBJECT, TO_PROGRAM };

/* How far the compiler is to go; without an input it is asked a question. */
static enum stage wanted_stage(const struct word_list *arguments)
{
    static const char *const early[] = {"-E", "-M", "-MM", "-fsyntax-only", "-###", "-emit-llvm", "--analyze", NULL};
    enum stage stage = TO_PROGRAM;
    bool has_input = false;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i];
        enum stage here = is_one_of(word, early)    ? PREPROCESS
                          : strcmp(word, "-S") == 0 ? TO_ASSEMBLY
                          : strcmp(word, "-c") == 0 ? TO_OBJECT
                                                    : TO_PROGRAM;
        stage = here < stage ? here : stage;
        has_input = has_input || word[0] != '-' || !word[1];
        i += takes_next(word);
    }
    return has_input ? stage : PREPROCESS;
}

/* Where the compiler writes when it is not told: here, with another ending. */
static bool default_output(const char *source, const char *ending, char *path, size_t size)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    return (size_t)snprintf(path, size, "%.*s%s", length, name, ending) < size;
}

/* The name after -o, and how many sources there are. */
static const char *find_output(const struct driver *d, size_t *sources)
{
    const struct word_list *arguments = &d->arguments;
    const char *output = NULL, *language = NULL;
    *sources = 0;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i], *next = i + 1 < arguments->count ? arguments->item[i + 1] : NULL;
        if (strcmp(word, "-o") == 0)
            output = next;
        else if (strncmp(word, "-o", 2) == 0)
            output = word + 2;
        else if (strcmp(word, "-x") == 0)
            language = next;
        else
            *sources += is_source(d, word, language) || is_assembly(word, language);
        i += takes_next(word);
    }
    return output;
}

/* -c and -S. */
static int compile_each(struct driver *d, enum stage stage)
{
    const struct word_list *arguments = &d->arguments;
    struct portolan_error error;
    size_t sources;
    const char *output = find_output(d, &sources), *language = NULL;
    int status = EXIT_HOLDS;
    char path[PATH_MAX];
    if (sources == 0 || (output && strcmp(output, "-") == 0))
        return compile_as_given(d);
    if (output && sources > 1) {
        fail(&error, PORTOLAN_BAD_OPTION, "-o names one file, but there are %zu sources", sources);
        return wrong(&error);
    }
    for (size_t i = 0; i < arguments->count && status == EXIT_HOLDS; i++) {
        const char *word = arguments->item[i], *next = i + 1 < arguments->count ? arguments->item[i + 1] : NULL;
        if (strcmp(word, "-x") == 0)
            language = next;
        bool is_input = is_source(d, word, language) || (is_assembly(word, language) && stage == TO_OBJECT);
        if (is_input && default_output(word, stage == TO_OBJECT ? ".o" : ".s", path, sizeof path))
            status = compile_source(d, word, language, stage == TO_ASSEMBLY, output ? output : path);
        i += takes_next(word);
    }
    return status;
}

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strstr(slash ? slash : compiler, "clang");
}

/* The user's compiler, or gcc's. */
static void choose_compiler(struct driver *d)
{
    const char *wanted = getenv(d->cplusplus ? "PORTOLAN_CXX" : "PORTOLAN_CC");
    d->compiler = wanted && *wanted ? wanted : d->cplusplus ? "g++" : "gcc";
    d->is_clang = is_clang(d->compiler);
}

int command_cc(int count, char **given, bool cplusplus)
{
    struct portolan_error error;
    struct driver d = {
        .name = cplusplus ? "portolan c++" : "portolan cc", .cplusplus = cplusplus, .keeps_accesses = true};
    int exit_status;
    interrupts_hold();
    choose_compiler(&d);
    find_own_directory(d.self, sizeof d.self);
    enum portolan_status status = check_processor(&error);
    if (status == PORTOLAN_OK)
        status = expand_response_files(count, given, &d.arguments, &error);
    if (status == PORTOLAN_OK)
        status = take_own_options(&d, &error);
    if (status == PORTOLAN_OK)
        status = choose_level(&d.arguments);
    if (status == PORTOLAN_OK)
        status = look_for_refusals(&d, &error);
    enum stage stage = wanted_stage(&d.arguments);
    if (status == PORTOLAN_OK && stage == TO_PROGRAM && !find_runtime(&d))
        status =
            fail(&error, PORTOLAN_IO, "libportolan_run.a is neither beside this program nor in its library directory");
    if (status != PORTOLAN_OK)
        exit_status = wrong(&error);
    else if (stage == PREPROCESS)
        exit_status = compile_as_given(&d);
    else
        exit_status = stage == TO_PROGRAM ? link_program(&d) : compile_each(&d, stage);
    driver_clear(&d);
    interrupts_release();
    return exit_status;
}
