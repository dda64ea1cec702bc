/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that waits for a message from any of several senders takes one of those that are there, or come first; which
 * one nobody knows.  It chooses before (choices.c), and then waits for that one alone: so sends to different channels
 * stay independent of each other and of the choice.  An execution in which its choice never comes, but another does, is
 * no execution of the program; when none comes, the first choice stands for all.  Every other choice that comes true
 * is one way for the message to have been first.
 */
#include "native/selection.h"
#include "native/choices.h"
#include "native/journal.h"
#include "native/run.h"
#include "native/settings.h"

static struct selection *selections[MOST_THREADS]; /* on the stacks of those who wait */

uint32_t selection_ready(const struct selection *s, struct call *call)
{
    for (uint32_t a = 0; a < s->alternative_count; a++) {
        bool is_ready = true;
        for (uint32_t i = 0; i < s->channel_count && is_ready; i++)
            is_ready = !(s->alternatives[a] >> i & 1) || channel_look(s->channels[i], call);
        if (is_ready)
            return a;
    }
    channel_look_in_vain(call);
    return NONE_READY;
}

/* A program that just runs takes the first that is there. */
static uint32_t first_ready(const struct selection *s, struct call *call)
{
    uint32_t ready = NONE_READY;
    while (ready == NONE_READY)
        ready = selection_ready(s, call);
    return ready;
}

uint32_t select_choose(struct selection *s, struct call *call)
{
    if (s->alternative_count == 0)
        channel_wait_in_vain(call);
    entered = call->frame;
    s->chosen = chosen.exploring ? choose_among(s->alternative_count, call->caller) : first_ready(s, call);
    return s->chosen;
}

void select_wait(struct selection *s, struct call *call)
{
    struct selection **mine = &selections[agents.current];
    will_write(mine, sizeof *mine);
    *mine = s;
    for (uint32_t i = 0; i < s->channel_count; i++)
        if (s->alternatives[s->chosen] >> i & 1)
            channel_wait(s->channels[i], call);
    will_write(mine, sizeof *mine);
    *mine = NULL;
}

uint32_t select_from(struct selection *s, struct call *call)
{
    select_choose(s, call);
    select_wait(s, call);
    return s->chosen;
}

static bool has_come(const struct selection *s)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < s->channel_count; i++)
        ready |= (uint64_t)channel_is_ready(s->channels[i]) << i;
    for (uint32_t a = 0; a < s->alternative_count; a++)
        if (!(s->alternatives[a] & ~ready))
            return true;
    return false;
}

bool is_selection_wrong(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct selection *s = has_step(agent) ? selections[agent] : NULL;
        if (s && s->alternative_count > 1 && (s->chosen || has_come(s)))
            return true;
    }
    return false;
}
