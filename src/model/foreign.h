/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of C that a model brings along, as c_code and c_expr of Promela.  A block is a function on a run of registers:
 * CODE_FOREIGN gives it the registers dst ... and takes back what it leaves there, so what it reads and writes of a
 * state is in the instructions around it, from which everything else is derived.
 *
 * Value k of a block stands for register dst + k.  It is an lvalue of C, as the block writes it: "now.x",
 * "P0->turn", "((unsigned char *)&kept)[3]".  Of an expression value 0 is what it yields, and has no lvalue.
 *
 * Blocks are compiled, never interpreted: src/emit/foreign.h.  They must be functions of their values; what they keep
 * elsewhere is no part of states.
 */
#ifndef MODEL_FOREIGN_H
#define MODEL_FOREIGN_H

#include "base/vector.h"

struct model;

typedef void foreign_function(int64_t *values);

struct foreign_block {
    const char *declarations; /* what its lvalues need: "struct globals now;" */
    const char *text;         /* statements, or an expression */
    bool is_expression;
    unsigned line, column; /* of the model; column 0: unknown */
    unsigned before;       /* columns that the text has in front of what the model says */
    uint32_t first_value, values;
};

struct foreign {
    VECTOR(const char *) declarations; /* in front of all functions */
    VECTOR(struct foreign_block) blocks;
    VECTOR(const char *) lvalues;       /* NULL: the value of an expression */
    foreign_function *const *functions; /* of the blocks, once they are compiled */
    void *object;
    void (*close)(void *object);
};

/* Each remembers in model.failed that memory ran out.  Texts are copied. */
void model_foreign_declaration(struct model *m, const char *text);
/* The number of the block, for CODE_FOREIGN; its values follow. */
uint32_t model_foreign_block(struct model *m, struct foreign_block block);
void model_foreign_value(struct model *m, const char *lvalue);

void foreign_free(struct foreign *foreign);

#endif
