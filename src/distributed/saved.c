/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search by several ranks in files, from which any number of ranks goes on.  Each rank writes its own states into a
 * part, FILE.ID.RANK; when all parts are on the disk the first rank writes FILE, which names them by their ID, and only
 * then the parts of the last time are removed.  So FILE always has its parts, whoever is killed, and when.
 *
 * A part holds its states in runs: one for each level that is done; of the present level those that are expanded and
 * those that are not; the next level.  Ranks that go on read the same run of all parts before the next one, and keep
 * what is their own, so that levels lie behind each other in their stores as well.
 */
#include "distributed/ranks.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "checkpoint/head.h"
#include "system/fingerprint.h"
#include "system/saved_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const double EVERY = 600;

enum {
    BEHIND = 3, /* runs behind those of the levels that are done: expanded, not expanded, next level */
    MOST_PARTS = 1 << 20
};

static bool part_path(const char *file, uint64_t id, uint64_t part, char path[4096])
{
    return snprintf(path, 4096, "%s.%08x.%u", file, (unsigned)(id >> 32), (unsigned)part) < 4096;
}

static void remove_parts(const char *file, uint64_t id, uint64_t parts)
{
    char path[4096];
    for (uint64_t i = 0; id && i < parts; i++)
        if (part_path(file, id, i, path))
            (void)unlink(path);
}

/* ------------------------------------------------------------------------- what is kept */

/* What all ranks agree upon, in FILE. */
static void keep_rest(struct levels *l, uint64_t *levels, struct archive *a)
{
    struct explorer *x = l->x;
    struct search *s = x->search;
    size_t undecided = 0;
    uint64_t *const counters[] = {&x->counted.visited, &x->counted.transitions, &x->counted.expanded_fully,
                                  &x->counted.deadlocks};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        archive_number(a, counters[i]);
    archive_number(a, levels);
    keep_answers(a, s->result->answers, s->decided, s->options->property_count, &undecided);
    s->undecided = undecided;
    if (s->result->fired)
        archive_bytes(a, s->result->fired, x->system->actions * sizeof *s->result->fired);
    archive_same(a, ARCHIVE_RANKS); /* it really ends here */
}

/* How a part begins: whose it is, the layout of its states, how long its runs are. */
struct part {
    struct archive archive;
    bool is_open;
    void *description;
    uint64_t key_bytes;
    VECTOR(uint64_t) runs;
};

static void keep_beginning(struct levels *l, struct part *part, uint64_t id, struct archive *a)
{
    const struct portolan_system *system = l->x->system;
    size_t size = system->opened ? system->describe_layout(system->model, NULL) : 0;
    archive_same(a, id);
    archive_same(a, size);
    part->description = calloc(1, size + 1);
    if (!part->description) {
        a->failed = true;
        return;
    }
    if (size && !a->reading)
        system->describe_layout(system->model, part->description);
    part->key_bytes = system->key_bytes;
    archive_bytes(a, part->description, size);
    archive_number(a, &part->key_bytes);
    archive_vector(a, &part->runs);
}

static void part_clear(struct part *part)
{
    if (part->is_open) {
        part->archive.failed = true;
        archive_close(&part->archive, NULL);
    }
    free(part->description);
    free(part->runs.item);
    *part = (struct part){0};
}

/* ------------------------------------------------------------------------- writing */

static bool list_runs(const struct levels *l, struct part *part)
{
    uint32_t first = 0;
    bool fine = true;
    for (size_t i = 1; fine && i < l->level.count; i++) {
        fine = vector_push(&part->runs, l->level.item[i] - first);
        first = l->level.item[i];
    }
    return fine && vector_push(&part->runs, l->present - first) &&
           vector_push(&part->runs, l->next_level - l->present) &&
           vector_push(&part->runs, search_of(l)->store.count - l->next_level);
}

static enum portolan_status write_part(struct levels *l, uint64_t id, struct portolan_error *error)
{
    struct explorer *x = l->x;
    struct store *store = &x->search->store;
    struct part part = {0};
    char path[4096];
    if (!part_path(l->saving.file, id, l->transport->rank, path) || !list_runs(l, &part)) {
        part_clear(&part);
        return fail_memory(error);
    }
    archive_create(&part.archive, path);
    archive_put_head(&part.archive, ARCHIVE_RANKS, NULL);
    keep_beginning(l, &part, id, &part.archive);
    for (uint32_t i = 0; i < store->count; i++) {
        store_copy(store, i, x->now.successor);
        archive_bytes(&part.archive, x->now.successor, part.key_bytes);
    }
    archive_same(&part.archive, id); /* it really ends here */
    enum portolan_status status = archive_close(&part.archive, error);
    part_clear(&part);
    return status;
}

static enum portolan_status write_file(struct levels *l, uint64_t id, struct portolan_error *error)
{
    struct search *s = search_of(l);
    struct archive archive;
    uint64_t mark = fingerprint(s->system, s->options, s->result), parts = l->transport->ranks, levels = l->level.count;
    archive_create(&archive, l->saving.file);
    archive_put_head(&archive, ARCHIVE_RANKS, l->saving.words);
    archive_number(&archive, &mark);
    archive_number(&archive, &id);
    archive_number(&archive, &parts);
    keep_rest(l, &levels, &archive);
    return archive_close(&archive, error);
}

/* Did everybody succeed?  If not, all learn what the first of those who failed has to say. */
static bool all_fine(struct levels *l, enum portolan_status status, const struct portolan_error *error)
{
    struct portolan_result *result = search_of(l)->result;
    char trouble[sizeof result->checkpoint_trouble] = "";
    uint32_t who = first_who(l, status != PORTOLAN_OK);
    if (who == l->transport->ranks)
        return true;
    if (who == l->transport->rank)
        snprintf(trouble, sizeof trouble, "%.159s", error->message);
    l->transport->share(l->transport, who, trouble, sizeof trouble);
    memcpy(result->checkpoint_trouble, trouble, sizeof trouble);
    return false;
}

/* FILE holds the sums, so the first rank counts for all from now on. */
static void gather_counters(struct levels *l)
{
    struct portolan_statistics *counted = &l->x->counted;
    uint64_t sums[] = {counted->visited, counted->transitions, counted->expanded_fully, counted->deadlocks};
    l->transport->add_up(l->transport, sums, sizeof sums / sizeof *sums);
    bool is_first = l->transport->rank == 0;
    counted->visited = is_first ? sums[0] : 0;
    counted->transitions = is_first ? sums[1] : 0;
    counted->expanded_fully = is_first ? sums[2] : 0;
    counted->deadlocks = is_first ? sums[3] : 0;
}

/* A file of an earlier search that this one takes the place of: its parts go with it. */
static void look_at_old(struct saving *saving)
{
    struct archive archive;
    uint64_t mark;
    if (saving->id || archive_open_as(&archive, saving->file, ARCHIVE_RANKS, NULL) != PORTOLAN_OK)
        return;
    archive_number(&archive, &mark);
    archive_number(&archive, &saving->id);
    archive_number(&archive, &saving->parts);
    if (archive.failed || saving->parts > MOST_PARTS)
        saving->id = 0;
    archive_close(&archive, NULL);
}

static void save(struct levels *l)
{
    struct saving *saving = &l->saving;
    struct portolan_result *result = search_of(l)->result;
    struct portolan_error error = {0};
    uint64_t id = 0, parts = l->transport->ranks;
    bool is_first = l->transport->rank == 0;
    if (is_first && getrandom(&id, sizeof id, 0) != sizeof id)
        id = (uint64_t)monotonic_now() << 20;
    if (is_first)
        look_at_old(saving);
    l->transport->share(l->transport, 0, &id, sizeof id);
    levels_agree(l->transport, search_of(l));
    gather_counters(l);
    bool fine = all_fine(l, write_part(l, id, &error), &error);
    if (fine)
        fine = all_fine(l, is_first ? write_file(l, id, &error) : PORTOLAN_OK, &error);
    if (!fine) {
        if (is_first)
            remove_parts(saving->file, id, parts);
        return;
    }
    if (is_first)
        remove_parts(saving->file, saving->id, saving->parts);
    saving->id = id;
    saving->parts = parts;
    saving->written++;
    result->can_resume = true;
    result->checkpoint_trouble[0] = '\0';
}

void levels_save(struct levels *l, bool now)
{
    struct saving *saving = &l->saving;
    double every = saving->every > 0 ? saving->every : EVERY, seconds = seconds_since(&search_of(l)->start);
    if (!saving->file)
        return;
    if (saving->next == 0)
        saving->next = every;
    uint64_t due = now || seconds >= saving->next;
    l->transport->largest(l->transport, &due, 1);
    if (!due)
        return;
    save(l);
    saving->next = seconds_since(&search_of(l)->start) + every;
}

void levels_saving_ends(struct levels *l)
{
    struct portolan_result *result = search_of(l)->result;
    const struct saving *saving = &l->saving;
    if (!saving->file || l->x->status != PORTOLAN_OK || result->stop > PORTOLAN_DECIDED)
        return;
    if (result->can_resume && l->transport->rank == 0) {
        (void)unlink(saving->file);
        remove_parts(saving->file, saving->id, saving->parts);
    }
    result->can_resume = false;
}

/* ------------------------------------------------------------------------- reading */

static enum portolan_status does_not_fit(const struct levels *l, struct portolan_error *error)
{
    return fail(error, PORTOLAN_BAD_INPUT, "'%s' and its parts hold something else than was expected", l->saving.from);
}

static enum portolan_status read_file(struct levels *l, uint64_t *levels, struct portolan_error *error)
{
    struct search *s = search_of(l);
    struct archive archive;
    uint64_t mark = 0;
    enum portolan_status status = archive_open_as(&archive, l->saving.from, ARCHIVE_RANKS, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_number(&archive, &mark);
    if (mark != fingerprint(s->system, s->options, s->result)) {
        archive.failed = true;
        archive_close(&archive, NULL);
        return fail(error, PORTOLAN_REFUSED,
                    "'%s' belongs to another model, or the model has changed, or other options were given",
                    l->saving.from);
    }
    archive_number(&archive, &l->saving.id);
    archive_number(&archive, &l->saving.parts);
    keep_rest(l, levels, &archive);
    status = archive_close(&archive, error);
    if (status == PORTOLAN_OK &&
        (!*levels || *levels >= STORE_NONE || !l->saving.parts || l->saving.parts > MOST_PARTS))
        status = does_not_fit(l, error);
    return status;
}

static enum portolan_status open_part(struct levels *l, struct part *part, uint64_t number, uint64_t levels,
                                      struct portolan_error *error)
{
    char path[4096];
    if (!part_path(l->saving.from, l->saving.id, number, path))
        return fail_memory(error);
    enum portolan_status status = archive_open_as(&part->archive, path, ARCHIVE_RANKS, error);
    if (status != PORTOLAN_OK)
        return status;
    part->is_open = true;
    keep_beginning(l, part, l->saving.id, &part->archive);
    bool fits = !part->archive.failed && part->runs.count == levels - 1 + BEHIND &&
                part->key_bytes <= (l->x->system->opened ? l->wire->state_bytes : l->x->system->key_bytes);
    return fits ? PORTOLAN_OK : does_not_fit(l, error);
}

/* Takes one state of a part, if it belongs to this rank; false when the search must end. */
static bool take_state(struct levels *l, struct part *part, unsigned char *packed)
{
    struct explorer *x = l->x;
    const struct portolan_system *system = x->system;
    uint32_t before = x->search->store.count, number;
    archive_bytes(&part->archive, packed, part->key_bytes);
    if (part->archive.failed ||
        (system->opened && !system->open_described(system->model, part->description, packed, l->scratch))) {
        x->status = does_not_fit(l, x->error);
        return false;
    }
    if (!system->opened)
        memcpy(l->scratch, packed, l->wire_bytes);
    if (owner_of(l, l->scratch) != l->transport->rank)
        return true;
    if (!keep_opened(l, l->scratch, &number))
        return false;
    if (number != before)
        x->status = does_not_fit(l, x->error); /* it is there twice */
    return number == before;
}

static bool take_run(struct levels *l, struct part *parts, size_t run, unsigned char *packed)
{
    for (uint64_t i = 0; i < l->saving.parts; i++)
        for (uint64_t k = 0; k < parts[i].runs.item[run]; k++)
            if ((limits_reached() || limits_due() != PORTOLAN_COMPLETE) || !take_state(l, &parts[i], packed)) {
                if (l->x->status == PORTOLAN_OK && !search_of(l)->ended)
                    end_search(search_of(l), limits_reached() ? limits_stop() : limits_due());
                return false;
            }
    return true;
}

static bool take_states(struct levels *l, struct part *parts, uint64_t levels, unsigned char *packed)
{
    bool fine = true;
    const struct store *store = &search_of(l)->store;
    for (size_t run = 0; fine && run < levels - 1 + BEHIND; run++) {
        if (run < levels && !vector_push(&l->level, store->count)) {
            l->x->status = fail_memory(l->x->error);
            return false;
        }
        fine = take_run(l, parts, run, packed);
        if (run == levels - 1)
            l->present = store->count;
        else if (run == levels)
            l->next_level = store->count;
    }
    return fine;
}

static bool read_parts(struct levels *l, uint64_t levels)
{
    struct explorer *x = l->x;
    struct part *parts = calloc(l->saving.parts, sizeof *parts);
    unsigned char *packed = calloc(1, l->wire->state_bytes + 1);
    x->status = parts && packed ? PORTOLAN_OK : fail_memory(x->error);
    for (uint64_t i = 0; x->status == PORTOLAN_OK && i < l->saving.parts; i++)
        x->status = open_part(l, &parts[i], i, levels, x->error);
    bool fine = x->status == PORTOLAN_OK && take_states(l, parts, levels, packed);
    for (uint64_t i = 0; fine && i < l->saving.parts; i++) {
        archive_same(&parts[i].archive, l->saving.id);
        if (parts[i].archive.failed) {
            x->status = does_not_fit(l, x->error);
            fine = false;
        }
    }
    for (uint64_t i = 0; parts && i < l->saving.parts; i++)
        part_clear(&parts[i]);
    free(parts);
    free(packed);
    return fine;
}

bool levels_resume(struct levels *l)
{
    struct explorer *x = l->x;
    struct saving *saving = &l->saving;
    uint64_t levels = 0;
    x->status = read_file(l, &levels, x->error);
    bool fine = x->status == PORTOLAN_OK && read_parts(l, levels);
    l->dropped |= !fine;
    if (l->transport->rank != 0)
        x->counted.visited = x->counted.transitions = x->counted.expanded_fully = x->counted.deadlocks = 0;
    bool is_same = fine && saving->file && strcmp(saving->file, saving->from) == 0;
    search_of(l)->result->can_resume = is_same;
    if (!is_same)
        saving->id = 0; /* what was read stays */
    return fine;
}
