/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that portolan compare has found, for people and for spreadsheets. */
#ifndef CLI_COMPARE_TABLE_H
#define CLI_COMPARE_TABLE_H

#include "base/vector.h"
#include "portolan/portolan.h"

#include <stdio.h>

struct row {
    struct portolan_result result;
    uint64_t deadlock_set; /* as one number, whatever the order in which they are found */
    bool differs;          /* from the first row, which is full exploration */
};

typedef VECTOR(struct row) row_list;

/* Was it a search over executions? */
bool row_is_stateless(const struct row *row);

/* A line for each different result: a reader looks for the best one, and for what it saves. */
void print_groups(const row_list *rows, FILE *out);
/* A line for each row, with all there is to know, in two wide tables. */
void print_rows(const row_list *rows, FILE *out);
void write_csv(const row_list *rows, FILE *out);

#endif
