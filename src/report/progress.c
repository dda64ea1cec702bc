/* SPDX-License-Identifier: Apache-2.0 */
#include "report/progress.h"

#include "report/words.h"

#include <stdio.h>

static void show_executions(FILE *out, const struct portolan_statistics *so_far, double seconds)
{
    struct short_text executions = {0}, rate = {0}, expected = {0};
    fprintf(out, "\r%s executions  %s/s", rounded(so_far->executions, &executions),
            rounded((uint64_t)((double)so_far->executions / seconds), &rate));
    if (so_far->expected > (double)so_far->executions && so_far->expected < 1e15)
        fprintf(out, "  of perhaps %s", rounded((uint64_t)so_far->expected, &expected));
    fprintf(out, "  %.0f s \033[K", so_far->seconds);
}

void progress_show(void *file, const struct portolan_statistics *so_far)
{
    struct short_text states = {0}, rate = {0}, depth = {0}, size = {0};
    double seconds = so_far->seconds > 0 ? so_far->seconds : 1;
    if (so_far->states == 0 && so_far->transitions)
        show_executions(file, so_far, seconds);
    else
        fprintf(file, "\r%s states  %s/s  depth %s  %s  %.0f s \033[K", rounded(so_far->states, &states),
                rounded((uint64_t)((double)so_far->states / seconds), &rate), rounded(so_far->depth, &depth),
                size_word(so_far->bytes, &size), so_far->seconds);
    fflush(file);
}

void progress_end(void *file)
{
    fprintf(file, "\r\033[K");
    fflush(file);
}
