/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that write C. */
#ifndef EMIT_EMITTER_H
#define EMIT_EMITTER_H

#include "emit/emit.h"
#include "model/machine.h"

/* What a function runs code for. */
enum emitted {
    EMIT_STEP, /* to find the successor, unless it blocks */
    EMIT_TRIAL /* to find out whether it blocks */
};

/* What such a function of the emitted text returns. */
enum { STEP_BLOCKS = 0, STEP_DONE = 1, STEP_UNDECIDED = 2 /* something does not fit: the interpreter will say what */ };

struct emitter {
    FILE *out;
    const struct instance *in;
    const struct model *model;
    unsigned number; /* of the model in the text: a part of every name */
    struct walk walk;
    bool of_fallbacks;        /* actions that are only enabled where no other is */
    uint32_t counts_at;       /* see emit_code.c; MODEL_NONE */
    VECTOR(uint32_t) reached; /* instructions of the code being written: see emit_code.c */
    uint64_t instructions, most_instructions;
    bool failed; /* memory is out, or the text would be too long, or an instruction is not known */
};

/* A value as C writes it, whatever it is. */
void emit_number(struct emitter *e, int64_t value);
/* The value of a cell in the words of an array of the emitted text. */
void emit_cell(struct emitter *e, const char *words, uint32_t cell);
/* static inline int PREFIX<edge>(const u64 *s, u64 *o): what an action does from one of its edges. */
void emit_function(struct emitter *e, enum emitted what, uint32_t action, uint32_t edge);

#endif
