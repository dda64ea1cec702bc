/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in words; verdicts and reasons are in property/verdict.h. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "portolan/portolan.h"
#include "property/verdict.h"

/* Buffers for short texts made from numbers; each call writes into the one it is given. */
struct short_text {
    char text[32];
};
const char *with_commas(uint64_t number, struct short_text *into);
/* 812, 34.5k, 1.2M: at most five characters */
const char *rounded(uint64_t number, struct short_text *into);
const char *size_word(size_t bytes, struct short_text *into);

/* A value of a variable, as the model writes it: the marking of a place of a high-level net may be long. */
struct value_text {
    char text[400];
};
const char *value_word(const struct portolan_system *system, uint32_t variable, int64_t value, struct value_text *into);

#endif
