/* SPDX-License-Identifier: Apache-2.0 */
/* A data race: where its accesses are in the execution, and what would have ordered them. */
#include "account/account.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LOCKS = 16 };

/* Locks that a thread holds. */
struct held {
    size_t count;
    uint64_t locks[MOST_LOCKS];
};

static bool touches(const struct recorded_event *event, uint64_t address)
{
    return address - event->address < (event->length ? event->length : 1);
}

static size_t last_access(const struct failed_execution *failed, uint32_t agent, uint64_t caller, size_t before)
{
    uint64_t address = failed->error.address;
    for (size_t i = before; i-- > 0;) {
        const struct recorded_event *event = &failed->events.item[i];
        bool is_allocation = event->form == FORM_ALLOCATE;
        if (event->agent == agent && event->caller == caller && (touches(event, address) || is_allocation))
            return i;
    }
    return SIZE_MAX;
}

static void take_lock(struct held *held, uint64_t lock)
{
    if (held->count < MOST_LOCKS)
        held->locks[held->count++] = lock;
}

static void give_back(struct held *held, uint64_t lock)
{
    for (size_t i = held->count; i-- > 0;)
        if (held->locks[i] == lock) {
            held->locks[i] = held->locks[--held->count];
            return;
        }
}

static bool takes_read_write_lock(const struct recorded_event *event)
{
    return event->form == FORM_OTHER && (strstr(event->word, "read lock") || strstr(event->word, "write lock")) &&
           !event->fails;
}

/* What the thread holds when it comes to an event. */
static void find_held(const struct failed_execution *failed, size_t until, uint32_t agent, struct held *held)
{
    held->count = 0;
    for (size_t i = 0; i < until; i++) {
        const struct recorded_event *event = &failed->events.item[i];
        if (event->agent != agent)
            continue;
        if ((event->form == FORM_LOCK && !event->fails) || takes_read_write_lock(event))
            take_lock(held, event->address);
        else if (event->form == FORM_UNLOCK || (event->form == FORM_OTHER && strcmp(event->word, "unlock") == 0))
            give_back(held, event->address);
        else if (event->form == FORM_WAIT)
            give_back(held, event->second);
    }
}

static bool have_common(const struct held *a, const struct held *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (a->locks[i] == b->locks[k])
                return true;
    return false;
}

static size_t describe_held(const struct account *account, const struct failed_execution *failed, uint32_t agent,
                            const struct held *held, char *text, size_t room)
{
    char thread[40], lock[200];
    Dwarf_Die part;
    name_thread(failed, agent, thread, sizeof thread);
    if (!held->count)
        return (size_t)snprintf(text, room, "%s holds no lock", thread);
    name_address(account, failed, held->locks[held->count - 1], 1, lock, sizeof lock, &part);
    return (size_t)snprintf(text, room, "%s holds `%s`%s", thread, lock, held->count > 1 ? " and others" : "");
}

/* "no lock in common; `stop` is not atomic" */
static void describe_missing(const struct account *account, struct failed_execution *failed)
{
    const struct recorded_event *first = &failed->events.item[failed->racing[0]];
    const struct recorded_event *second = &failed->events.item[failed->racing[1]];
    struct held a, b;
    size_t used = 0, room = sizeof failed->missing;
    char name[200];
    Dwarf_Die part;
    find_held(failed, failed->racing[0], first->agent, &a);
    find_held(failed, failed->racing[1], second->agent, &b);
    if (!have_common(&a, &b)) {
        used += (size_t)snprintf(failed->missing, room, "no lock in common");
        if (a.count || b.count) {
            used += (size_t)snprintf(failed->missing + used, room - used, " (");
            used += describe_held(account, failed, first->agent, &a, failed->missing + used, room - used);
            used = used < room ? used : room - 1;
            used += (size_t)snprintf(failed->missing + used, room - used, ", ");
            used = used < room ? used : room - 1;
            used += describe_held(account, failed, second->agent, &b, failed->missing + used, room - used);
            used = used < room ? used : room - 1;
            used += (size_t)snprintf(failed->missing + used, room - used, ")");
        }
    }
    bool is_object = first->form != FORM_ALLOCATE && first->form != FORM_FREE && second->form != FORM_FREE;
    if (!is_object || used >= room)
        return;
    bool one_is_atomic = first->is_step || second->is_step;
    name_address(account, failed, failed->error.address, second->size ? second->size : 1, name, sizeof name, &part);
    snprintf(failed->missing + used, room - used, "%s`%s` is %s", used ? "; " : "", name,
             one_is_atomic ? "only one of the accesses is atomic" : "not atomic");
}

void find_race(struct account *account, struct failed_execution *failed)
{
    const struct recorded_error *error = &failed->error;
    failed->racing[0] = failed->racing[1] = SIZE_MAX;
    if (!error->is_race)
        return;
    failed->racing[1] = last_access(failed, error->agent, error->caller, failed->events.count);
    failed->racing[0] = last_access(failed, error->other, error->other_caller, failed->events.count);
    if (failed->racing[0] != SIZE_MAX && failed->racing[1] != SIZE_MAX)
        describe_missing(account, failed);
}
