/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on values: integers of 32 bits that must not overflow, reals, truths, strings. */
#ifndef GRAPH_VALUES_H
#define GRAPH_VALUES_H

#include "graph/grammar.h"

enum operated { OPERATED, OPERATION_FAILED, OPERATION_NO_MEMORY };

/* The number of the result, a value of the grammar.  It fails when a number is too large or divided by zero. */
enum operated operate(struct grammar *grammar, enum operator_kind kind, const uint32_t *operands, uint32_t count,
                      uint32_t *result);

#endif
