/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks to which something happens: the n-th allocation of one of them is refused, in a search that writes checkpoints
 * and in one that goes on from them; and files that were cut, at every length.  All ranks must end, and say the truth
 * or nothing.
 *
 *     ranks_faults [STEP]    every STEP-th allocation and length (default 1: all)
 */
#include "distributed/levels.h"
#include "front/petri/generate/generate.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "ranks_local.h"
#include "system/result.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t allocations, fails_at; /* so far; 0: none fails */

static bool fails(void)
{
    bool now = ++allocations == fails_at;
    if (now)
        errno = ENOMEM;
    return now;
}

/* NOLINTBEGIN: the linker makes these names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}
/* NOLINTEND */

enum { RANKS = 2, STATES = 160, HALF = 8 };

struct trial {
    struct portolan_system *system;
    const struct portolan_property *properties[1];
    struct portolan_options options;
    uint64_t fails_at; /* of the last rank; 0: nowhere */
    uint64_t counted;  /* allocations of the first rank */
    bool must_refuse;
    uint64_t states; /* of a complete search; 0: it is reduced */
};

static struct {
    uint64_t searches, complete, ended, refused;
} tally;

static int tell(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int search_as_rank(struct transport *transport, void *user)
{
    struct trial *t = user;
    struct portolan_result result;
    struct portolan_error error = {0};
    allocations = 0;
    fails_at = transport->rank == RANKS - 1 ? t->fails_at : 0;
    enum portolan_status status = search_distributed(t->system, &t->options, transport, &result, &error);
    fails_at = 0;
    t->counted = allocations;
    tally.searches++;
    if (status != PORTOLAN_OK) {
        tally.refused++;
        return t->fails_at || t->must_refuse ? 0 : tell(error.message);
    }
    bool is_complete = result.stop == PORTOLAN_COMPLETE;
    enum portolan_verdict verdict = result.answers[0].verdict;
    int wrong = 0;
    if (t->must_refuse)
        wrong = tell("a file that was cut was taken");
    else if (is_complete && ((t->states && result.statistics.states != t->states) || verdict != PORTOLAN_HOLDS))
        wrong = tell("a complete search has not seen all");
    else if (!is_complete && verdict != PORTOLAN_UNKNOWN)
        wrong = tell("a verdict of what was not covered");
    tally.complete += is_complete;
    tally.ended += !is_complete;
    result_clear(&result);
    return wrong;
}

/* Every step-th allocation of a search with these options. */
static bool refuse_allocations(struct trial *t, uint64_t step, bool (*prepare)(struct trial *t))
{
    t->fails_at = 0;
    if (!prepare(t) || ranks_run(RANKS, search_as_rank, t) != 0)
        return false;
    uint64_t count = t->counted;
    for (uint64_t i = 1; i <= count; i += step) {
        t->fails_at = 0;
        if (!prepare(t))
            return false;
        t->fails_at = i;
        if (ranks_run(RANKS, search_as_rank, t) != 0) {
            fprintf(stderr, "allocation %" PRIu64 " was refused\n", i);
            return false;
        }
    }
    t->fails_at = 0;
    return true;
}

static bool from_the_beginning(struct trial *t)
{
    t->options.resume = NULL;
    t->options.checkpoint = "kept";
    t->options.checkpoint_every = 1e-6;
    t->options.state_limit = 0;
    return true;
}

/* Half of the search in files; what comes then goes on. */
static bool from_half(struct trial *t)
{
    from_the_beginning(t);
    t->options.state_limit = HALF;
    if (ranks_run(RANKS, search_as_rank, t) != 0)
        return false;
    t->options.resume = t->options.checkpoint;
    t->options.state_limit = 0;
    return true;
}

static bool cut_file(struct trial *t, const char *name, uint64_t step)
{
    struct stat about;
    char whole[300];
    bool fine = stat(name, &about) == 0;
    snprintf(whole, sizeof whole, "%.255s.whole", name);
    fine = fine && rename(name, whole) == 0;
    unsigned char *bytes = fine ? malloc((size_t)about.st_size) : NULL;
    FILE *in = fopen(whole, "r");
    fine = bytes && in && fread(bytes, 1, (size_t)about.st_size, in) == (size_t)about.st_size;
    for (size_t length = 0; fine && length < (size_t)about.st_size; length += step) {
        FILE *out = fopen(name, "w");
        fine = out && fwrite(bytes, 1, length, out) == length && fclose(out) == 0 &&
               ranks_run(RANKS, search_as_rank, t) == 0;
    }
    if (in)
        fclose(in);
    free(bytes);
    return rename(whole, name) == 0 && fine;
}

/* The file and its parts. */
static bool cut_files(struct trial *t, uint64_t step)
{
    if (!from_half(t))
        return false;
    char names[16][256];
    size_t count = 0;
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory && (entry = readdir(directory)) && count < 16;)
        if (strncmp(entry->d_name, "kept", 4) == 0)
            snprintf(names[count++], sizeof names[0], "%s", entry->d_name);
    if (directory)
        closedir(directory);
    t->options.checkpoint = NULL; /* nothing is removed */
    t->must_refuse = true;
    bool fine = count == RANKS + 1;
    for (size_t i = 0; !fine && i < count; i++)
        fprintf(stderr, "there is a file '%s'\n", names[i]);
    for (size_t i = 0; fine && i < count; i++)
        fine = cut_file(t, names[i], step);
    t->must_refuse = false;
    return fine && ranks_run(RANKS, search_as_rank, t) == 0; /* whole again */
}

static void remove_all(const char *place)
{
    DIR *directory = opendir(".");
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        (void)unlink(entry->d_name);
    if (directory)
        closedir(directory);
    (void)rmdir(place);
}

int main(int count, char **arguments)
{
    static const char *const reductions[] = {"none", "stubborn"};
    struct trial t = {0};
    struct portolan_property *property = NULL;
    struct net *net = NULL;
    char place[] = "/dev/shm/portolan-faults-XXXXXX"; /* files are written often, and need not stay */
    uint64_t step = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    bool fine = step && mkdtemp(place) && chdir(place) == 0 &&
                generate_net("kanban", (const long[]){1}, 1, &net, NULL) == PORTOLAN_OK &&
                net_system_new(net, &t.system, NULL) == PORTOLAN_OK &&
                portolan_property_new(t.system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL) == PORTOLAN_OK;
    t.properties[0] = property;
    for (size_t i = 0; fine && i < sizeof reductions / sizeof *reductions; i++) {
        t.options =
            (struct portolan_options){.reduction = reductions[i], .properties = t.properties, .property_count = 1};
        t.states = i == 0 ? STATES : 0;
        fine = refuse_allocations(&t, step, from_the_beginning) && refuse_allocations(&t, step, from_half) &&
               cut_files(&t, step);
    }
    printf("%" PRIu64 " searches, %" PRIu64 " complete, %" PRIu64 " ended, %" PRIu64 " refused\n", tally.searches,
           tally.complete, tally.ended, tally.refused);
    portolan_property_free(property);
    portolan_system_free(t.system);
    remove_all(place);
    return fine && tally.complete && tally.ended && tally.refused ? 0 : 1;
}
