/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model, with the layout that its states have at present, as C: the same successors as those of the interpreter, in
 * the same order.  What does not fit the layout, or is an error, is left to the interpreter: a function says so and has
 * done nothing.
 *
 * No name and no text of a model is in what is emitted, only numbers, but for the blocks of C that it brings along
 * (model/foreign.h).
 */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "model/derived.h"

#include <stdio.h>

/* What an object offers for a model and a layout. */
struct native_code {
    const char *version;                     /* EMITTED_VERSION */
    uint32_t words, bytes, actions, enabled; /* of states; how many actions there are; how many are enabled at most */
    /* The enabled actions and their successors, one behind the other; NATIVE_UNDECIDED. */
    uint32_t (*successors)(const uint64_t *state, uint32_t *out, uint64_t *successors);
    /* The enabled actions; NATIVE_UNDECIDED. */
    uint32_t (*list)(const uint64_t *state, uint32_t *out);
    /* 1: the successor of an enabled action has been written. */
    int (*fire)(const uint64_t *state, uint32_t action, uint64_t *successor);
    foreign_function *const **foreign; /* set to the blocks of C before anything is called; NULL: there are none */
};
#define NATIVE_UNDECIDED UINT32_MAX

/* Whoever changes what is emitted, or what is in struct native_code, changes this. */
#define EMITTED_VERSION PORTOLAN_VERSION " 2"

enum emitted_parts { EMIT_SUCCESSORS = 1, EMIT_LIST_AND_FIRE = 2 };

/* The text in front of all models of an object. */
void emit_prelude(FILE *out);
/*
 * The functions of a model and `const struct native_code portolan_native_<number>`.  False when it cannot be done or is
 * not worth while (the text would be enormous), or memory is out; then what has been written is of no use.
 */
bool emit_model(FILE *out, const struct instance *in, unsigned number, enum emitted_parts parts);

#endif
