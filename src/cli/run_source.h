/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are compiled to be run once. */
#ifndef CLI_RUN_SOURCE_H
#define CLI_RUN_SOURCE_H

#include <stdbool.h>

/* Where it is; all zero before it is compiled. */
struct source_program {
    char directory[3000], path[4096];
};

/* By its name. */
bool is_c_source(const char *path);
/* Compiles the sources at the beginning of `words`, up to "--"; what the compiler says is shown.  Gives the program and
 * its arguments, in place of the words, and EXIT_HOLDS, or an exit status: EXIT_UNDECIDED when it was
 * interrupted.  Called while interrupts are held. */
int source_compile(struct source_program *program, char **words, const char *flags, char ***arguments);
void source_remove(struct source_program *program);

#endif
