/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/generate/generate.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "front/petri/generate/families.h"

#include <stdio.h>
#include <string.h>

/* Two lines a family: what it is, then its numbers (how many parameters; least, largest, usual values). */
/* clang-format off */
static const struct family families[] = {
    {"philosophers", "N", "dining philosophers, left fork first; one deadlock",
     1, {2}, {10000}, {5}, draw_philosophers},
    {"philosophers-atomic", "N", "dining philosophers, both forks at once; no deadlock",
     1, {2}, {10000}, {4}, draw_philosophers_atomic},
    {"figure2-002", "", "two processes of two internal steps that synchronise at the end",
     0, {0}, {0}, {0}, draw_figure2_002},
    {"figure3-002", "", "the ignoring problem: a loop beside a process that can fail",
     0, {0}, {0}, {0}, draw_figure3_002},
    {"figure-003", "", "the example net of local partial-order reduction",
     0, {0}, {0}, {0}, draw_figure_003},
    {"filesystem", "THREADS", "threads that claim inodes and disk blocks; collisions from 14 threads on",
     1, {1}, {64}, {4}, draw_filesystem},
    {"indexer", "THREADS", "threads that fill a hash table; collisions from 12 threads on",
     1, {1}, {32}, {3}, draw_indexer},
    {"bakery", "PROCESSES TICKETS", "Lamport's bakery; deadlocks when the tickets run out",
     2, {1, 1}, {10, 20}, {2, 3}, draw_bakery},
    {"szymanski", "N", "Szymanski's mutual exclusion; uses inhibitor arcs",
     1, {1}, {100}, {4}, draw_szymanski},
    {"szymanski-bits", "N", "Szymanski's mutual exclusion with three bits a process, read one by one",
     1, {1}, {20}, {2}, draw_szymanski_bits},
    {"peterson", "N", "Peterson's mutual exclusion for N processes; uses inhibitor arcs",
     1, {2}, {20}, {3}, draw_peterson},
    {"lamport", "N", "Lamport's fast mutual exclusion; uses inhibitor arcs",
     1, {1}, {50}, {3}, draw_lamport},
    {"token-ring", "N", "stations that pass a token round",
     1, {2}, {10000}, {6}, draw_token_ring},
    {"slotted-ring", "N", "the slotted ring protocol",
     1, {2}, {1000}, {4}, draw_slotted_ring},
    {"load-balancer", "CLIENTS SERVERS", "a balancer that routes and redirects requests",
     2, {1, 1}, {12, 4}, {3, 2}, draw_load_balancer},
    {"allocation", "CLIENTS RESOURCES LIMIT", "clients of a resource server; deadlocks when resources are few",
     3, {1, 1, 1}, {100, 1000, 100}, {2, 4, 2}, draw_allocation},
    {"peer-to-peer", "N", "sites that exchange messages in pairs",
     1, {2}, {50}, {5}, draw_peer_to_peer},
    {"readers-writers", "READERS WRITERS", "readers share, writers exclude; weighted arcs",
     2, {1, 1}, {1000, 1000}, {5, 2}, draw_readers_writers},
    {"kanban", "N", "a kanban system of four cells with N tickets each",
     1, {1}, {10000}, {2}, draw_kanban},
    {"unbounded", "PRODUCERS", "producers, a consumer and a buffer without a bound: infinitely many states",
     1, {1}, {1000}, {1}, draw_unbounded},
};
/* clang-format on */

enum { FAMILIES = sizeof families / sizeof families[0] };

const struct family *generate_families(size_t *count)
{
    *count = FAMILIES;
    return families;
}

static const struct family *find(const char *name)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

/* Fills values with what was given and the usual rest. */
static enum portolan_status check_parameters(const struct family *family, const long *given, size_t count, long *values,
                                             struct portolan_error *error)
{
    if (count > family->parameter_count) {
        fail(error, PORTOLAN_BAD_OPTION, "family '%s' takes %u parameter%s, not %zu", family->name,
             family->parameter_count, family->parameter_count == 1 ? "" : "s", count);
        if (family->parameter_count)
            hint(error, "give %s", family->parameters);
        return PORTOLAN_BAD_OPTION;
    }
    for (size_t i = 0; i < family->parameter_count; i++) {
        values[i] = i < count ? given[i] : family->usual[i];
        if (values[i] >= family->minimum[i] && values[i] <= family->maximum[i])
            continue;
        fail(error, PORTOLAN_BAD_OPTION, "parameter %zu of family '%s' is %ld, out of range", i + 1, family->name,
             values[i]);
        hint(error, "the parameters are %s; this one is between %ld and %ld", family->parameters, family->minimum[i],
             family->maximum[i]);
        return PORTOLAN_BAD_OPTION;
    }
    return PORTOLAN_OK;
}

/* The net is called after its family and parameters, "bakery-2-3". */
static struct net *draw_net(const struct family *family, const long *values)
{
    char name[128];
    int length = snprintf(name, sizeof name, "%s", family->name);
    for (unsigned i = 0; i < family->parameter_count; i++)
        length += snprintf(name + length, sizeof name - (size_t)length, "-%ld", values[i]);
    struct drawing drawing;
    if (!draw_begin(&drawing, name))
        return NULL;
    family->draw(&drawing, values);
    return draw_finish(&drawing);
}

enum portolan_status generate_net(const char *family, const long *parameters, size_t count, struct net **net,
                                  struct portolan_error *error)
{
    *net = NULL;
    const struct family *found = find(family);
    if (!found) {
        struct nearest nearest = nearest_to(family);
        for (size_t i = 0; i < FAMILIES; i++)
            nearest_offer(&nearest, families[i].name);
        fail(error, PORTOLAN_BAD_OPTION, "there is no family '%.64s'", family);
        if (nearest.best)
            hint(error, "did you mean '%s'?", nearest.best);
        else
            hint(error, "'portolan generate' lists the families");
        return PORTOLAN_BAD_OPTION;
    }
    long values[FAMILY_PARAMETERS] = {0};
    enum portolan_status status = check_parameters(found, parameters, count, values, error);
    if (status != PORTOLAN_OK)
        return status;
    *net = draw_net(found, values);
    return *net ? PORTOLAN_OK : fail_memory(error);
}
