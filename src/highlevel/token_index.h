/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of a place by the values of some of their components, so that a join looks at those that fit. */
#ifndef HIGHLEVEL_TOKEN_INDEX_H
#define HIGHLEVEL_TOKEN_INDEX_H

#include "highlevel/tokens.h"

enum { NO_ENTRY = UINT32_MAX };

struct token_index;

/* The index of a list for these components, made where there is none yet; NULL when memory is exhausted. */
struct token_index *token_index_for(struct token_index **indexes, const struct tokens *tokens, uint32_t place,
                                    const uint32_t *components, uint32_t count);
void token_indexes_free(struct token_index *indexes);

/* The first entry whose token may have the components of `tuple`, and the next one; NO_ENTRY at the end.  Tokens may
 * be numbered in between.  False when memory is exhausted. */
bool token_index_first(struct token_index *index, const int64_t *tuple, uint32_t *entry);
uint32_t token_index_next(const struct token_index *index, uint32_t entry);
uint32_t token_index_token(const struct token_index *index, uint32_t entry);

#endif
