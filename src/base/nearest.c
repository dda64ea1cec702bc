/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST_COMPARED = 100 };

/* Levenshtein's distance by the row-wise dynamic programme of Wagner and Fischer (1974). */
static size_t edit_distance(const char *left, const char *right)
{
    size_t row[LONGEST_COMPARED + 1];
    size_t length = strlen(right);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; left[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (left[i - 1] != right[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

struct nearest nearest_to(const char *name)
{
    size_t length = strlen(name);
    size_t limit = 1 + length / 4 < length ? 1 + length / 4 : length - 1;
    return (struct nearest){.name = name, .length = length, .limit = length ? limit : 0};
}

void nearest_offer(struct nearest *n, const char *known)
{
    size_t length = known ? strlen(known) : 0;
    if (!known || !n->length || n->length > LONGEST_COMPARED || length > LONGEST_COMPARED || n->limit == SIZE_MAX ||
        length > n->length + n->limit || length + n->limit < n->length)
        return;
    size_t distance = edit_distance(n->name, known);
    if (distance <= n->limit) {
        n->best = known;
        n->limit = distance - 1; /* wraps to SIZE_MAX at distance 0: nothing is nearer */
    }
}
