/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of the HOA format: boolean formulas over atoms, as disjunctions of cubes.  For hoa_read.c. */
#ifndef LTL_HOA_LABEL_H
#define LTL_HOA_LABEL_H

#include "base/lexer.h"

struct hoa_cube {
    uint64_t positive, negative;
};

struct hoa_label {
    VECTOR(struct hoa_cube) cubes; /* none: false */
};

struct hoa_alias {
    char *name;
    struct hoa_label label;
};

struct hoa_reader {
    struct lexer lexer;
    struct portolan_error *error;
    uint32_t atom_count;
    VECTOR(struct hoa_alias) aliases;
    unsigned depth;
};

enum portolan_status hoa_next(struct hoa_reader *reader);
enum portolan_status hoa_expect(struct hoa_reader *reader, const char *symbol);
/* Reads a whole number below the limit. */
enum portolan_status hoa_integer(struct hoa_reader *reader, uint64_t limit, const char *what, uint32_t *value);
/* Reads a label expression from the current token on.  Whatever is returned, the label must be cleared. */
enum portolan_status hoa_label_read(struct hoa_reader *reader, struct hoa_label *label);
void hoa_label_clear(struct hoa_label *label);
void hoa_reader_clear(struct hoa_reader *reader);

extern const struct lexer_rules hoa_rules;

#endif
