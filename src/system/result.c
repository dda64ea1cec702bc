/* SPDX-License-Identifier: Apache-2.0 */
#include "system/result.h"

#include <stdlib.h>
#include <string.h>

void result_clear(struct portolan_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; result->answers && i < result->answer_count; i++)
        free(result->answers[i].trace);
    free(result->answers);
    free(result->fired);
    memset(result, 0, sizeof *result);
}

static void add_statistics(struct portolan_statistics *sum, const struct portolan_statistics *part)
{
    sum->states += part->states;
    sum->visited += part->visited;
    sum->natively += part->natively;
    sum->transitions += part->transitions;
    sum->expanded_fully += part->expanded_fully;
    sum->product_states += part->product_states;
    sum->product_transitions += part->product_transitions;
    sum->seconds += part->seconds;
    sum->depth = part->depth > sum->depth ? part->depth : sum->depth;
    sum->bytes = part->bytes > sum->bytes ? part->bytes : sum->bytes;
    sum->deadlocks = part->deadlocks > sum->deadlocks ? part->deadlocks : sum->deadlocks; /* they may be the same */
}

void result_add(struct portolan_result *sum, struct portolan_result *part, const size_t *places)
{
    for (size_t i = 0; i < part->answer_count; i++) {
        free(sum->answers[places[i]].trace);
        sum->answers[places[i]] = part->answers[i];
        part->answers[i] = (struct portolan_answer){0};
    }
    add_statistics(&sum->statistics, &part->statistics);
    sum->stop = part->stop > sum->stop ? part->stop : sum->stop;
    memcpy(sum->reduction, part->reduction, sizeof sum->reduction);
    memcpy(sum->proviso, part->proviso, sizeof sum->proviso);
    memcpy(sum->search, part->search, sizeof sum->search);
    sum->threads = part->threads > sum->threads ? part->threads : sum->threads;
    sum->unbounded |= part->unbounded;
    if (part->growing[0])
        memcpy(sum->growing, part->growing, sizeof sum->growing);
    if (part->fired_all) { /* a search for a formula goes only where it can become false */
        free(sum->fired);
        sum->fired = part->fired;
        sum->fired_all = true;
        part->fired = NULL;
    }
    result_clear(part);
}
