/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `portolan cc` share. */
#ifndef CLI_CC_H
#define CLI_CC_H

#include "cli/command.h"

#include "base/vector.h"

/* A command line. */
struct line {
    VECTOR(char *) words; /* ended by NULL when it is run */
};

/* A temporary object, and what it was made from. */
struct made_object {
    const char *object, *source;
};

struct driver {
    const char *name; /* of the command, for people */
    const char *compiler;
    bool is_clang;
    bool cplusplus;           /* portolan c++ */
    bool keeps_accesses;      /* every access of the source is reported, not only those that the compiler leaves */
    char self[4096];          /* the directory of this program */
    char directory[4096];     /* of the runtime */
    VECTOR(char *) owned;     /* words that were made here */
    VECTOR(char *) files;     /* to be removed at the end */
    struct word_list trusted; /* patterns: what the user vouches for */
    struct word_list arguments;
    VECTOR(struct made_object) objects;
};

/* --- lines; `word` stays the caller's */

bool line_add(struct line *line, const char *word);
bool line_add_all(struct line *line, const char *const *words);
/* Adds a word made from a format with one "%s". */
bool line_add_made(struct driver *d, struct line *line, const char *format, const char *part);
/* Runs a line; its exit status.  What it prints goes to a file if there is one. */
int line_run(struct line *line, const char *output);
/* An empty file with this ending that is removed at the end; NULL when there is none. */
char *new_file(struct driver *d, const char *ending);

bool is_one_of(const char *word, const char *const *words);
bool ends_with_one_of(const char *word, const char *const *endings);
bool has_word(const struct word_list *arguments, const char *word);
/* Is the argument of this option the next word? */
bool takes_next(const char *word);

/* --- cc_compile.c */

/* C or C++, to be instrumented?  `language` is that of the last -x, or NULL. */
bool is_source(const struct driver *d, const char *word, const char *language);
/* A source in C++, by its name, or by what -x says. */
bool ends_as_cplusplus(const char *word);
bool is_cplusplus(const char *language);
bool is_assembly(const char *word, const char *language);
/* The command as it was given, with the options of the instrumentation. */
int compile_as_given(struct driver *d);
/* Makes an object from a source in C or assembly, or assembly text for -S.  Only an object from C has the mark. */
int compile_source(struct driver *d, const char *source, const char *language, bool assembly_only, const char *output);

/* --- cc_assembly.c */

/* The section of an object that says how it was compiled. */
#define MARK_SECTION ".portolan.compiled"

/* Looks for inline assembly in the compiler's output, and for accesses that it does not report, and appends the mark.
 * `dump` is what gcc says of calls, or NULL. */
enum portolan_status mark_compiled(const struct driver *d, const char *path, const char *dump,
                                   struct portolan_error *error);
/* Does this instruction, or several with semicolons between them, touch registers only? */
bool touches_no_memory(const char *text);

/* --- cc_accesses.c */

/* Changes code of LLVM in a file so that accesses are reported which the instrumentation would leave out. */
enum portolan_status show_accesses(const char *path, struct portolan_error *error);

/* --- cc_locals.c */

/* Changes code of LLVM in a file so that accesses to parts of local variables which others may know are reported. */
enum portolan_status hide_locals(const char *path, struct portolan_error *error);

/* --- cc_values.c */

/* Writes a line for each structure in memory that a call of the dump takes or returns by value. */
enum portolan_status find_values(const char *dump, bool cplusplus, FILE *mark, struct portolan_error *error);

/* --- cc_link.c */

int link_program(struct driver *d);

/* --- cc_shared.c */

/* Where a shared library has the objects that it is made of. */
#define SHARED_SECTION ".portolan.objects"

/* Links a shared library, by a line without the runtime. */
int link_shared(struct driver *d, struct line *line, const char *output);
/* Puts the objects of shared libraries that were linked here in their place; false when memory is short. */
bool take_shared(struct driver *d, struct line *line);

/* --- cc_unseen.c */

/* Looks at what was linked, which the linker listed in a file, writes it into the program, and warns of what is not
 * seen.  `line` is the one that linked it. */
enum portolan_status record_unseen(const struct driver *d, const struct line *line, const char *list,
                                   const char *program, struct portolan_error *error);

#endif
