/* SPDX-License-Identifier: Apache-2.0 */
#include "system/saved_answers.h"

static void keep_answer(struct archive *a, struct portolan_answer *answer)
{
    size_t capacity = 0;
    uint64_t maximum = (uint64_t)answer->maximum;
    archive_flag(a, &answer->has_trace);
    archive_flag(a, &answer->has_no_value);
    archive_flag(a, &answer->has_maximum);
    archive_number(a, &maximum);
    archive_bytes(a, answer->note, sizeof answer->note);
    archive_items(a, (void **)&answer->trace, &answer->trace_length, &capacity, sizeof *answer->trace);
    answer->maximum = (int64_t)maximum;
}

void keep_answers(struct archive *a, struct portolan_answer *answers, bool *decided, size_t count, size_t *undecided)
{
    archive_same(a, count);
    *undecided = 0;
    for (size_t i = 0; i < count; i++) {
        archive_flag(a, &decided[i]);
        keep_answer(a, &answers[i]);
        *undecided += !decided[i];
    }
}
