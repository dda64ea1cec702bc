/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a certificate, one at a time. */
#ifndef CERTIFY_READER_H
#define CERTIFY_READER_H

#include "portolan/portolan.h"

#include <stdio.h>

struct reader {
    FILE *in;
    const char *name;
    char *line; /* without its end */
    size_t capacity;
    unsigned number;
    char *next; /* what has not been read yet */
    struct portolan_error *error;
};

/* Reads the next line; a file that ends here is an error, since `end` has not come. */
enum portolan_status reader_line(struct reader *reader);
void reader_clear(struct reader *reader);
/* Takes this text when it comes next. */
bool reader_take(struct reader *reader, const char *text);
bool reader_at_end(const struct reader *reader);
/* Nothing follows the present line, the last. */
enum portolan_status reader_end(struct reader *reader);
/* Takes a number; false when there is none or it is too large. */
bool reader_number(struct reader *reader, uint32_t *number);
/* The same for a number below 2^58. */
bool reader_large(struct reader *reader, int64_t *number);
/* Takes the rest of the line with its escapes resolved; valid until the next line. */
const char *reader_text(struct reader *reader);
/* Fails at what has not been read yet. */
enum portolan_status reader_expected(const struct reader *reader, const char *what);

#endif
