/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which threads use files makes a difference, so using one is a step: of an object for each file, and of
 * one for all names.  It orders nothing else: no thread may rely on it (a relaxed operation).  Standard input is empty,
 * and in which order outputs come is nobody's business, so the streams that every program has are left out.
 */
#include "native/accesses.h"
#include "native/context.h"
#include "native/orders.h"
#include "native/private_files.h"
#include "native/settings.h"

#include <sys/stat.h>

enum { SLOTS = 64 };

/* What is done to a file is counted, so that a thread that waits for another to do it sees a change.  Files that share
 * a number are taken for one. */
static uint64_t file_names, file_contents[SLOTS];

static void step(uint64_t *object, bool changes, uintptr_t caller)
{
    visible(&(struct pending){.kind = changes ? OP_ADD : OP_LOAD,
                              .size = sizeof *object,
                              .order = __ATOMIC_RELAXED,
                              .address = (uintptr_t)object,
                              .operand = 1,
                              .caller = caller});
}

static bool matters(void)
{
    return in_program() && chosen.exploring && !is_alone();
}

static void contents_used(const struct stat *file, uintptr_t caller)
{
    if (S_ISREG(file->st_mode))
        step(&file_contents[file_identity(file) % SLOTS], true, caller);
}

void number_used(int number, uintptr_t caller)
{
    struct stat file;
    if (number > 2 && matters() && fstat(number, &file) == 0)
        contents_used(&file, caller);
}

void stream_used(FILE *stream, uintptr_t caller)
{
    if (stream && stream != stdin && stream != stdout && stream != stderr && matters())
        number_used(fileno(stream), caller);
}

void path_used(const char *path, bool changes, uintptr_t caller)
{
    struct stat file;
    if (!matters())
        return;
    step(&file_names, changes, caller);
    if (changes && private_stat(path, &file, true) == 0)
        contents_used(&file, caller);
}
