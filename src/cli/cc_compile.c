/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: from a source to an object that reports its accesses.
 *
 * Every access of the source has to be reported, also one that an optimisation would remove, merge or move.  clang
 * instruments at the end of its optimisations; so it is run three times: for code that is not optimised, to instrument
 * that, and to optimise the result, in which each access has a call before it.  gcc cannot be stopped in between; there
 * the optimisations are off that remove, merge or move accesses before the instrumentation.  Both keep the user's -O
 * for the rest.
 *
 * The compiler's output is assembly, in which inline assembly can be told from the rest (cc_assembly.c).
 */
#include "base/text_file.h"
#include "cli/cc.h"

#include <limits.h>
#include <string.h>

/* Functions of libc are called, not put in place: what they touch would stay unseen. */
static const char *const instrumenting[] = {"-fsanitize=thread", "-fno-builtin", NULL};
/* What a function may say against being instrumented becomes an attribute that means nothing. */
static const char *const undeterred[] = {"-Dno_sanitize(...)=unused",
                                         "-D__no_sanitize__(...)=unused",
                                         "-Dno_sanitize_thread=unused",
                                         "-D__no_sanitize_thread__=unused",
                                         "-Ddisable_sanitizer_instrumentation=unused",
                                         "-D__disable_sanitizer_instrumentation__=unused",
                                         NULL};
/* gcc puts these in place whatever it is told, and does not report what they touch: they become calls. */
#define CALLED(type, name, parameters)                                                                                 \
    "-D__builtin_" #name "(...)=(__extension__({extern " type " __portolan_" #name parameters "__asm__(\"" #name       \
    "\");__portolan_" #name "(__VA_ARGS__);}))"
static const char *const called[] = {CALLED("void*", memset, "(void*,int,__SIZE_TYPE__)"),
                                     CALLED("void*", mempcpy, "(void*,const void*,__SIZE_TYPE__)"),
                                     CALLED("int", memcmp, "(const void*,const void*,__SIZE_TYPE__)"),
                                     CALLED("char*", strcpy, "(char*,const char*)"),
                                     CALLED("char*", stpcpy, "(char*,const char*)"),
                                     CALLED("char*", strncpy, "(char*,const char*,__SIZE_TYPE__)"),
                                     CALLED("char*", strcat, "(char*,const char*)"),
                                     NULL};
/* Without -fipa-modref a call may touch any variable: so nothing is returned straight to where others see it. */
static const char *const instrumenting_gcc[] = {"--param=builtin-string-cmp-inline-length=0", "-Wno-tsan",
                                                "-fno-ipa-modref", NULL};
/* No two variables have the same place in a frame: the runtime could not know whose it is (own_words.c). */
static const char *const apart_gcc[] = {"-fstack-reuse=none", "-mno-accumulate-outgoing-args", NULL};
static const char *const apart_clang[] = {"-mllvm", "-no-stack-coloring", NULL};
/* The same for C++, and string functions that are templates: compiled with the program, and seen; semaphores are those
 * of POSIX (include/portolan/c++). */
static const char *const called_cplusplus[] = {"-include", "bits/portolan.h", "-D_GLIBCXX_USE_POSIX_SEMAPHORE=1", NULL};
/* Behind the user's own words.  Debug information of this version says the same with both compilers.  Code that
 * is made when linking could not be looked through. */
static const char *const instrumenting_last[] = {"-U_FORTIFY_SOURCE", "-gdwarf-4", "-fno-lto", NULL};
/* What gcc does to accesses before it instruments them. */
static const char *const keeping[] = {"-fno-tree-fre",
                                      "-fno-tree-pre",
                                      "-fno-tree-dce",
                                      "-fno-tree-dse",
                                      "-fno-tree-forwprop",
                                      "-fno-tree-sink",
                                      "-fno-tree-loop-im",
                                      "-fno-tree-loop-optimize",
                                      "-fno-tree-vectorize",
                                      "-fno-tree-phiprop",
                                      "-fno-tree-sra",
                                      "-fno-tree-ccp",
                                      "-fno-tree-copy-prop",
                                      "-fno-tree-dominator-opts",
                                      "-fno-tree-vrp",
                                      "-fno-tree-cselim",
                                      "-fno-ssa-phiopt",
                                      "-fno-hoist-adjacent-loads",
                                      "-fno-tree-builtin-call-dce",
                                      "-fno-ipa-reference",
                                      "-fno-ipa-reference-addressable",
                                      "-fno-tree-switch-conversion",
                                      "-fno-tree-tail-merge",
                                      "-fno-code-hoisting",
                                      "-fno-ipa-pure-const",
                                      "-fno-ipa-cp",
                                      "-fno-ipa-sra",
                                      "-fno-ipa-icf",
                                      "-fno-store-merging",
                                      NULL};

bool ends_as_cplusplus(const char *word)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii", NULL};
    return ends_with_one_of(word, endings);
}

bool is_cplusplus(const char *language)
{
    return strncmp(language, "c++", 3) == 0;
}

bool is_source(const struct driver *d, const char *word, const char *language)
{
    static const char *const endings[] = {".c", ".i", NULL}, *const languages[] = {"c", "cpp-output", NULL};
    if (word[0] == '-' && word[1])
        return false;
    if (language && strcmp(language, "none") != 0)
        return is_one_of(language, languages) || (d->cplusplus && is_cplusplus(language));
    return ends_with_one_of(word, endings) || (d->cplusplus && ends_as_cplusplus(word));
}

bool is_assembly(const char *word, const char *language)
{
    static const char *const endings[] = {".s", ".S", ".sx", NULL};
    if (word[0] == '-' && word[1])
        return false;
    return language && strcmp(language, "none") != 0 ? strncmp(language, "assembler", 9) == 0
                                                     : ends_with_one_of(word, endings);
}

/* clang leaves out a read when a write of the same variable follows: with --races interleave it is a step. */
static bool add_instrumenting(struct driver *d, struct line *line)
{
    if (d->is_clang && (!line_add(line, "-mllvm") || !line_add(line, "-tsan-instrument-read-before-write=1")))
        return false;
    bool fine = d->is_clang ? line_add(line, "-mllvm") && line_add(line, "-tsan-distinguish-volatile=1")
                            : line_add(line, "--param=tsan-distinguish-volatile=1");
    /* where portolan/program.h is, here or installed; what is not there does no harm */
    fine = fine && line_add_made(d, line, "-idirafter%s/include", d->self) &&
           line_add_made(d, line, "-idirafter%s/../include", d->self);
    if (d->cplusplus)
        fine = fine && line_add_made(d, line, "-isystem%s/include/portolan/c++", d->self) &&
               line_add_made(d, line, "-isystem%s/../include/portolan/c++", d->self) &&
               line_add_all(line, called_cplusplus);
    return fine && line_add_all(line, instrumenting) && line_add_all(line, undeterred) &&
           (d->is_clang || line_add_all(line, instrumenting_gcc)) &&
           (d->is_clang || d->cplusplus || line_add_all(line, called));
}

static bool add_last(const struct driver *d, struct line *line)
{
    return line_add_all(line, instrumenting_last) && line_add_all(line, d->is_clang ? apart_clang : apart_gcc) &&
           line_add(line, d->is_clang ? "-fverbose-asm" : "-fno-ipa-ra") &&
           (d->is_clang || !d->keeps_accesses || line_add_all(line, keeping));
}

int compile_as_given(struct driver *d)
{
    struct line line = {0};
    bool fine = line_add(&line, d->compiler) && add_instrumenting(d, &line);
    for (size_t i = 0; i < d->arguments.count && fine; i++)
        fine = line_add(&line, d->arguments.item[i]);
    fine = fine && add_last(d, &line);
    int status = fine ? line_run(&line, NULL) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

/* --- which of the user's words a step gets */

/* Not the sources, objects, libraries and the name of the program. */
static bool matters_for_compiling(const char *word)
{
    static const char *const others[] = {"-o", "-L", "-l", "-Xlinker", "-T", "-z", "-u", "-e", "-x", "-c", "-S", NULL};
    return word[0] == '-' && word[1] && !is_one_of(word, others) && strncmp(word, "-l", 2) != 0 &&
           strncmp(word, "-Wl,", 4) != 0;
}

/* What is left when the source is read: code generation. */
static bool matters_for_code(const char *word)
{
    static const char *const beginnings[] = {"-O", "-f", "-m", "-g", "--target", NULL};
    for (size_t i = 0; beginnings[i]; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return strncmp(word, "-fsanitize", 10) != 0 && strncmp(word, "-flto", 5) != 0;
    return false;
}

static bool matters_for_assembler(const char *word)
{
    return strncmp(word, "-Wa,", 4) == 0 || strcmp(word, "-Xassembler") == 0 || strcmp(word, "-B") == 0 ||
           (strncmp(word, "-m", 2) == 0 && strcmp(word, "-mllvm") != 0) || strncmp(word, "--target", 8) == 0;
}

static bool add_options(const struct driver *d, struct line *line, bool (*matters)(const char *word))
{
    const struct word_list *arguments = &d->arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i];
        bool pair = takes_next(word) && i + 1 < arguments->count;
        if (matters(word) && (!line_add(line, word) || (pair && !line_add(line, arguments->item[i + 1]))))
            return false;
        i += pair;
    }
    return true;
}

/* Dependencies go where they would if the compiler wrote the object itself: beside it, or for a temporary one here. */
static bool add_dependencies(struct driver *d, struct line *line, const char *source, const char *object)
{
    const struct word_list *arguments = &d->arguments;
    if (!has_word(arguments, "-MD") && !has_word(arguments, "-MMD"))
        return true;
    const char *slash = strrchr(source, '/'), *name = object ? object : slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    char base[PATH_MAX];
    snprintf(base, sizeof base, "%.*s", dot && !strchr(dot, '/') ? (int)(dot - name) : (int)strlen(name), name);
    if (!has_word(arguments, "-MF") && (!line_add(line, "-MF") || !line_add_made(d, line, "%s.d", base)))
        return false;
    if (has_word(arguments, "-MT") || has_word(arguments, "-MQ"))
        return true;
    return line_add(line, "-MQ") &&
           (object ? line_add_made(d, line, "%s", object) : line_add_made(d, line, "%s.o", base));
}

/* --- the steps */

static int run_and_clear(struct line *line, bool fine)
{
    int status = fine ? line_run(line, NULL) : EXIT_WRONG;
    free(line->words.item);
    return status;
}

/* A function that is atomic by its name (src/native/sections.c) is known by the calls at its beginning and its end:
 * they must stay in it. */
static bool add_for_sections(struct line *line, const char *source)
{
    static const char *const as_they_are[] = {"-fno-inline", "-fno-optimize-sibling-calls", NULL};
    struct portolan_error error;
    char *text = NULL;
    size_t length;
    bool has_sections =
        text_file_read(source, &text, &length, &error) == PORTOLAN_OK && memmem(text, length, "__VERIFIER_atomic_", 18);
    free(text);
    return !has_sections || line_add_all(line, as_they_are);
}

/* Reads the source; `wanted` says what comes out, `object` where the user expects the result. */
static int read_source(struct driver *d, const char *source, const char *language, const char *const *wanted,
                       const char *object, const char *output)
{
    struct line line = {0};
    return run_and_clear(&line, line_add(&line, d->compiler) && add_instrumenting(d, &line) &&
                                    add_options(d, &line, matters_for_compiling) && add_for_sections(&line, source) &&
                                    add_dependencies(d, &line, source, object) && add_last(d, &line) &&
                                    line_add_all(&line, wanted) &&
                                    (!language || (line_add(&line, "-x") && line_add(&line, language))) &&
                                    line_add(&line, source) && line_add(&line, "-o") && line_add(&line, output));
}

static int clang_step(struct driver *d, const char *const *wanted, const char *input, const char *output)
{
    struct line line = {0};
    return run_and_clear(&line, line_add(&line, d->compiler) && line_add(&line, "-Qunused-arguments") &&
                                    add_options(d, &line, matters_for_code) && line_add_all(&line, wanted) &&
                                    line_add_all(&line, apart_clang) && line_add(&line, input) &&
                                    line_add(&line, "-o") && line_add(&line, output));
}

/* clang: code as the source has it, in which all accesses are shown; then instrumented, then optimised.  What is left
 * of the accesses is to be seen: then it is optimised before it is instrumented. */
static int compile_in_steps(struct driver *d, const char *source, const char *language, const char *object,
                            const char *output)
{
    static const char *const raw[] = {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", NULL};
    static const char *const instrumented[] = {"-O0",
                                               "-fsanitize=thread",
                                               "-fno-builtin",
                                               "-mllvm",
                                               "-tsan-instrument-read-before-write=1",
                                               "-mllvm",
                                               "-tsan-distinguish-volatile=1",
                                               "-emit-llvm",
                                               "-c",
                                               NULL};
    /* a loop that tries again keeps one try: a copy of it before the loop would be another place */
    static const char *const optimised[] = {"-fno-builtin",  "-fno-lto", "-mllvm", "-rotation-max-header-size=0",
                                            "-fverbose-asm", "-S",       NULL};
    static const char *const both[] = {"-fsanitize=thread",
                                       "-fno-builtin",
                                       "-mllvm",
                                       "-tsan-instrument-read-before-write=1",
                                       "-mllvm",
                                       "-tsan-distinguish-volatile=1",
                                       "-fno-lto",
                                       "-fverbose-asm",
                                       "-S",
                                       NULL};
    struct portolan_error error;
    const char *first = new_file(d, ".ll"), *second = new_file(d, ".bc");
    int status = first && second ? read_source(d, source, language, raw, object, first) : EXIT_WRONG;
    if (status == EXIT_HOLDS &&
        (show_accesses(first, &error) != PORTOLAN_OK || hide_locals(first, &error) != PORTOLAN_OK))
        status = wrong(&error);
    if (!d->keeps_accesses)
        return status == EXIT_HOLDS ? clang_step(d, both, first, output) : status;
    if (status == EXIT_HOLDS)
        status = clang_step(d, instrumented, first, second);
    return status == EXIT_HOLDS ? clang_step(d, optimised, second, output) : status;
}

/* From assembly, the compiler's or somebody's, to an object. */
static int assemble(struct driver *d, bool (*matters)(const char *word), const char *source, const char *language,
                    const char *output)
{
    struct line line = {0};
    return run_and_clear(&line, line_add(&line, d->compiler) && add_options(d, &line, matters) &&
                                    (!language || (line_add(&line, "-x") && line_add(&line, language))) &&
                                    line_add(&line, "-c") && line_add(&line, source) && line_add(&line, "-o") &&
                                    line_add(&line, output));
}

/* The compiler's output for a source; `dump` gets what gcc says of calls. */
static int compile_to_assembly(struct driver *d, const char *source, const char *language, const char *object,
                               const char *dump, const char *output)
{
    char dumping[100];
    const char *wanted[] = {"-S", dump ? dumping : NULL, NULL};
    snprintf(dumping, sizeof dumping, "-fdump-tree-optimized-raw-lineno-gimple=%s", dump ? dump : "");
    return d->is_clang ? compile_in_steps(d, source, language, object, output)
                       : read_source(d, source, language, wanted, object, output);
}

int compile_source(struct driver *d, const char *source, const char *language, bool assembly_only, const char *output)
{
    struct portolan_error error;
    if (is_assembly(source, language))
        return assemble(d, matters_for_compiling, source, language, output);
    bool temporary = strncmp(output, "/tmp/portolan-", 14) == 0;
    const char *object = temporary ? NULL : output, *assembly = assembly_only ? output : new_file(d, ".s");
    const char *dump = d->is_clang ? NULL : new_file(d, ".txt");
    int status = !assembly || (!d->is_clang && !dump)
                     ? EXIT_WRONG
                     : compile_to_assembly(d, source, language, object, dump, assembly);
    if (status != EXIT_HOLDS)
        return status;
    if (mark_compiled(d, assembly, dump, &error) != PORTOLAN_OK)
        return wrong(&error);
    return assembly_only ? status : assemble(d, matters_for_assembler, assembly, NULL, output);
}
