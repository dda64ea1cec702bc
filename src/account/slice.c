/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can have mattered for an error: everything that the threads did which it is about, and what others did as long
 * as these could still see it.  Backwards from the end: a thread matters from its last change on of something that a
 * thread which matters looked at later.  (A dynamic slice by threads; the branches within a thread are not looked at.)
 */
#include "account/account.h"

#include <stdlib.h>
#include <string.h>

struct looked_at {
    uint64_t start, end;
};

struct slice {
    bool agents[64];
    VECTOR(struct looked_at) pieces; /* of memory, later, by those who matter */
};

static bool is_lock(const struct recorded_event *event)
{
    return event->form == FORM_LOCK || event->form == FORM_UNLOCK || strstr(event->word, "lock");
}

static bool is_pure_write(const struct recorded_event *event)
{
    return event->form == FORM_WRITE || event->form == FORM_PLAIN_WRITE;
}

static bool is_pure_read(const struct recorded_event *event)
{
    return event->form == FORM_READ || event->form == FORM_PLAIN_READ || event->form == FORM_COMPARE_FAILED;
}

static bool is_about_thread(const struct recorded_event *event)
{
    return event->form == FORM_CREATE || event->form == FORM_JOIN;
}

static uint64_t end_of(const struct recorded_event *event)
{
    return event->address + (event->length ? event->length : 1);
}

static bool is_looked_at(const struct slice *s, const struct recorded_event *event)
{
    for (size_t i = 0; i < s->pieces.count; i++)
        if (event->address < s->pieces.item[i].end && s->pieces.item[i].start < end_of(event))
            return true;
    return false;
}

static bool look_at(struct slice *s, const struct recorded_event *event)
{
    for (size_t i = 0; i < s->pieces.count; i++)
        if (s->pieces.item[i].start <= event->address && end_of(event) <= s->pieces.item[i].end)
            return true;
    return vector_push(&s->pieces, ((struct looked_at){event->address, end_of(event)}));
}

static void begin_with_error(struct slice *s, const struct failed_execution *failed)
{
    const struct recorded_error *error = &failed->error;
    bool all = error->agent == UINT32_MAX && !error->is_deadlock;
    for (unsigned i = 0; i < 64; i++)
        s->agents[i] = all || i == error->agent || (error->is_race && i == error->other);
    for (size_t i = 0; i < failed->waits.count; i++)
        s->agents[failed->waits.item[i].agent % 64] = true;
}

static bool decide(struct slice *s, const struct recorded_event *event, bool *matters)
{
    bool *agent = &s->agents[event->agent % 64];
    if (is_about_thread(event)) {
        *matters = *agent && s->agents[event->other % 64];
        if (event->form == FORM_CREATE && s->agents[event->other % 64])
            *matters = *agent = true;
        return true;
    }
    bool changes = !is_pure_read(event) && !is_lock(event);
    *agent = *agent || (changes && is_looked_at(s, event));
    *matters = *agent;
    return !*agent || is_pure_write(event) || is_lock(event) || look_at(s, event);
}

bool find_slice(const struct failed_execution *failed, bool *matters)
{
    struct slice s = {0};
    bool fine = true;
    begin_with_error(&s, failed);
    for (size_t i = failed->events.count; i-- > 0 && fine;)
        fine = decide(&s, &failed->events.item[i], &matters[i]);
    free(s.pieces.item);
    return fine;
}
