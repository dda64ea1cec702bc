/* SPDX-License-Identifier: Apache-2.0 */
/* Clang's code before it is instrumented, as text (LLVM's .ll). */
#ifndef CLI_CC_CODE_H
#define CLI_CC_CODE_H

#include "portolan/portolan.h"

#include <stdbool.h>
#include <stdio.h>

/* A name in the code, "%x" or "%\"a b\"", which stays the text's. */
struct name {
    const char *at;
    size_t length;
};

struct name name_at(const char *text);
bool is_same(struct name a, struct name b);
bool text_begins(const char *text, const char *word);

/* Where an operand ends: at a comma or a closing bracket that is in no brackets, or at `end`. */
const char *end_of_operand(const char *text, const char *end);

/* A call of something else than what the compiler itself understands. */
bool is_call(const char *text, const char *end);

/* Is the address of a variable known elsewhere, as far as the rest of its function tells?  `fine` becomes false when
 * memory is short. */
bool is_given_away(struct name variable, const char *from, const char *to, bool *fine);

/* Writes a function, from "define" to the line after its "}", as it is to be; pointers are `opaque`, or have types.
 * False when memory is short. */
typedef bool rewrite_function(const char *from, const char *to, bool opaque, FILE *out);

/* A function that gives nothing, for code with pointers of one kind. */
struct declaration {
    const char *name, *parameters;
    bool opaque;
};

/* Rewrites all functions of a file; the rest stays.  What is `called` then, a list with an empty end or NULL, is
 * declared where it was not. */
enum portolan_status code_rewrite(const char *path, rewrite_function *rewrite, const struct declaration *called,
                                  struct portolan_error *error);

#endif
