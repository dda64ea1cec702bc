/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a search that is not over, in its file: checkpoint/archive.h. */
#ifndef SYSTEM_SAVED_ANSWERS_H
#define SYSTEM_SAVED_ANSWERS_H

#include "checkpoint/archive.h"

/* decided: one for each, and `undecided` the number of those that are not. */
void keep_answers(struct archive *archive, struct portolan_answer *answers, bool *decided, size_t count,
                  size_t *undecided);

#endif
