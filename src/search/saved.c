/* SPDX-License-Identifier: Apache-2.0 */
#include "search/saved.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "checkpoint/closing.h"
#include "checkpoint/head.h"
#include "search/crew.h"
#include "system/fingerprint.h"
#include "system/saved_answers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double EVERY = 600;

enum portolan_status check_saving(const struct search *s, struct portolan_error *error)
{
    const struct portolan_options *options = s->options;
    const struct portolan_callbacks *callbacks = &options->callbacks;
    const struct portolan_system *system = s->system;
    if (!options->checkpoint && !options->resume)
        return PORTOLAN_OK;
    if (!has_fixed_actions(system) || system->bytes || (system->opened && !system->describe_layout))
        return fail(error, PORTOLAN_REFUSED,
                    "--checkpoint cannot be used with this model: its states number things in the order in which they "
                    "were met");
    if (s->reduction_class->has_search)
        return fail(error, PORTOLAN_REFUSED,
                    "--checkpoint cannot be combined with reduction '%s': its vectors are not kept in files",
                    s->reduction_class->name);
    if (s->emptiness || s->proviso_class->afterwards)
        return fail(
            error, PORTOLAN_REFUSED,
            "--checkpoint cannot be combined with a search for cycles: the graph it records is not kept in files");
    if (s->proviso_class->enter && !s->proviso_class->keep)
        return fail(error, PORTOLAN_REFUSED,
                    "--checkpoint cannot be combined with proviso '%s': what it remembers is not kept in files",
                    s->proviso_class->name);
    if (callbacks->edge || callbacks->expanded || callbacks->deadlock)
        return fail(
            error, PORTOLAN_REFUSED,
            "--checkpoint cannot be combined with output about every state: what was reported before would be missing");
    if (s->store_kind == STORE_HASH || s->store_kind == STORE_BITSTATE)
        return fail(error, PORTOLAN_REFUSED, "--checkpoint cannot be combined with --store %s: it forgets states",
                    options->store);
    if (options->walk)
        return fail(error, PORTOLAN_REFUSED, "--checkpoint cannot be combined with random walks");
    if (options->check_relations)
        return fail(error, PORTOLAN_REFUSED, "--checkpoint cannot be combined with --check-relations");
    return PORTOLAN_OK;
}

static void keep_rest(struct explorer *x, struct archive *a)
{
    struct search *s = x->search;
    size_t undecided = 0;
    archive_bytes(a, &x->counted, sizeof x->counted);
    keep_answers(a, s->result->answers, s->decided, s->options->property_count, &undecided);
    s->undecided = undecided;
    if (s->result->fired)
        archive_bytes(a, s->result->fired, x->system->actions * sizeof *s->result->fired);
    x->not_fired = 0;
    for (uint32_t i = 0; s->result->fired && i < x->system->actions; i++)
        x->not_fired += !s->result->fired[i];
    if (s->proviso_class->keep)
        s->proviso_class->keep(x->strategy->proviso, a, s->store.count);
    x->strategy->keep(x, a);
    archive_same(a, ARCHIVE_STATES); /* it really ends here */
}

/* ------------------------------------------------------------------------- states */

/* States from this number on; how many.  Where records are keys, those of a chunk stand behind each other. */
static uint32_t write_some(struct explorer *x, struct archive *a, uint32_t first)
{
    struct store *store = &x->search->store;
    size_t key_bytes = store->key_bytes;
    if (store->tree) {
        store_copy(store, first, x->now.successor);
        archive_bytes(a, x->now.successor, key_bytes);
        return 1;
    }
    uint32_t left = store->count - first, some = store->chunk_mask + 1 - (first & store->chunk_mask);
    some = some < left ? some : left;
    archive_bytes(a, (unsigned char *)store_key(store, first), some * key_bytes);
    return some;
}

static void write_states(struct explorer *x, struct archive *a)
{
    const struct portolan_system *system = x->system;
    struct store *store = &x->search->store;
    size_t size = system->opened ? system->describe_layout(system->model, NULL) : 0, state_bytes = system->state_bytes;
    void *description = malloc(size + 1);
    uint64_t count = store->count, key_bytes = system->key_bytes;
    if (!description) {
        a->failed = true;
        return;
    }
    if (size)
        system->describe_layout(system->model, description);
    archive_same(a, size);
    archive_bytes(a, description, size);
    archive_number(a, &key_bytes);
    archive_count(a, &state_bytes);
    archive_number(a, &count);
    for (uint32_t i = 0, some; i < store->count; i += some)
        some = write_some(x, a, i);
    free(description);
}

/* Writes an opened state as one of the search's; false when the search must end. */
static bool close_state(struct explorer *x, const unsigned char *opened)
{
    while (x->system->close_state(x->system->model, opened, x->now.bytes) != PORTOLAN_FIRED)
        if (!widen_states(x))
            return false;
    return true;
}

/* Fields become as wide as they were: what is within a step may need more room than any state that is stored. */
static bool widen_as_described(struct explorer *x, const void *description, unsigned char *saved, unsigned char *opened,
                               size_t bytes)
{
    const struct portolan_system *system = x->system;
    bool fine = true;
    for (int corner = 0; system->opened && fine && corner < 2; corner++) {
        memset(saved, corner ? 0xff : 0, bytes);
        if (system->open_described(system->model, description, saved, opened))
            fine = close_state(x, opened);
    }
    memset(saved, 0, bytes);
    return fine;
}

/* Takes over a state of the layout that the file describes; false when the search must end. */
static bool take_state(struct explorer *x, const void *description, const unsigned char *saved, unsigned char *opened)
{
    struct portolan_system *system = x->system;
    const unsigned char *state = saved;
    if (system->opened) {
        if (!system->open_described(system->model, description, saved, opened)) {
            x->status = fail(x->error, PORTOLAN_BAD_INPUT, "'%s' belongs to another model", x->search->options->resume);
            return false;
        }
        if (!close_state(x, opened))
            return false;
        state = x->now.bytes;
    }
    uint32_t before = x->search->store.count,
             number = store_insert(&x->search->store, state, store_hash(state, system->key_bytes));
    if (number == STORE_NONE)
        end_short_of_memory(x->search);
    else if (number != before)
        x->status = fail(x->error, PORTOLAN_BAD_INPUT, "'%s' holds a state twice", x->search->options->resume);
    return number == before;
}

static bool read_states(struct explorer *x, struct archive *a)
{
    const struct portolan_system *system = x->system;
    size_t size = system->opened ? system->describe_layout(system->model, NULL) : 0, state_bytes = 0;
    uint64_t key_bytes = 0, count = 0;
    archive_same(a, size);
    void *description = malloc(size + 1);
    if (description)
        archive_bytes(a, description, size);
    archive_number(a, &key_bytes);
    archive_count(a, &state_bytes);
    archive_number(a, &count);
    bool fits = !a->failed && description && key_bytes <= state_bytes && count < STORE_NONE &&
                (system->opened ? state_bytes <= system->opened->state_bytes : state_bytes == system->state_bytes);
    size_t opened_bytes = system->opened ? system->opened->state_bytes : state_bytes;
    unsigned char *saved = fits ? calloc(1, opened_bytes + 1) : NULL,
                  *opened = fits ? calloc(1, opened_bytes + 1) : NULL;
    bool fine = saved && opened && widen_as_described(x, description, saved, opened, opened_bytes);
    if (!fine)
        a->failed = true;
    for (uint64_t i = 0; fine && i < count && !a->failed; i++) {
        archive_bytes(a, saved, key_bytes);
        fine = !a->failed && search_goes_on(x) && take_state(x, description, saved, opened);
    }
    free(saved);
    free(opened);
    free(description);
    return fine && !a->failed;
}

/* ------------------------------------------------------------------------- the file */

/* A depth-first search by several threads has no one stack, and remembers other things. */
static uint64_t mark_of(const struct search *s)
{
    return fingerprint(s->system, s->options, s->result) + (s->crew && s->order->order == DEPTH_FIRST);
}

static void tell_outcome(struct explorer *x, enum portolan_status status, const struct portolan_error *error)
{
    struct portolan_result *result = x->search->result;
    result->checkpoint_trouble[0] = '\0';
    if (status == PORTOLAN_OK)
        result->can_resume = true;
    else
        snprintf(result->checkpoint_trouble, sizeof result->checkpoint_trouble, "%.159s", error->message);
    x->counted.checkpoints += status == PORTOLAN_OK;
}

void saving_waits(struct explorer *x)
{
    struct search *s = x->search;
    struct portolan_error error;
    if (!s->closing)
        return;
    enum portolan_status status = closing_end(s->closing, &error);
    s->closing = NULL;
    tell_outcome(x, status, &error);
}

/* The search goes on while the file gets to the disk; where it ends, nothing is left to do. */
static void end_file(struct explorer *x, struct archive *archive, bool ends)
{
    struct search *s = x->search;
    struct portolan_error error;
    if (!ends && (s->closing = closing_begin(archive)))
        return;
    enum portolan_status status = archive_close(archive, &error);
    tell_outcome(x, status, &error);
}

static void save(struct explorer *x, bool ends)
{
    struct search *s = x->search;
    struct archive archive;
    uint64_t mark = mark_of(s);
    if (!follow_layout(x)) {
        end_short_of_memory(s);
        return;
    }
    archive_create(&archive, s->options->checkpoint);
    archive_put_head(&archive, ARCHIVE_STATES, s->options->checkpoint_words);
    archive_number(&archive, &mark);
    write_states(x, &archive);
    keep_rest(x, &archive);
    end_file(x, &archive, ends);
}

/* A limit that ends the search, now that a step has been finished. */
static enum portolan_stop limit_due(const struct search *s)
{
    enum portolan_stop due = limits_due();
    uint64_t most = s->options->state_limit;
    return due == PORTOLAN_COMPLETE && most && store_count(&s->store) > most ? PORTOLAN_STATE_LIMIT : due;
}

static double every(const struct search *s)
{
    return s->options->checkpoint_every > 0 ? s->options->checkpoint_every : EVERY;
}

static bool is_time(const struct search *s)
{
    double next = s->next_checkpoint > 0 ? s->next_checkpoint : every(s);
    return seconds_since(&s->start) >= next && (!s->closing || closing_is_over(s->closing));
}

/* Nobody is within a step. */
static void save_or_end(struct explorer *x)
{
    struct search *s = x->search;
    store_settle(&s->store);
    enum portolan_stop due = limit_due(s);
    if (s->ended || (due == PORTOLAN_COMPLETE && !is_time(s)))
        return;
    saving_waits(x);
    save(x, due != PORTOLAN_COMPLETE);
    s->next_checkpoint = seconds_since(&s->start) + every(s);
    if (due != PORTOLAN_COMPLETE)
        end_search(s, due);
}

void save_between_steps(struct explorer *x)
{
    struct search *s = x->search;
    if (s->ended || x->status != PORTOLAN_OK)
        return;
    enum portolan_stop due = limit_due(s);
    bool looks = s->crew ? x->until_check % 32 == 0 : x->until_check == 0; /* others are not stopped with each step */
    if (due == PORTOLAN_COMPLETE || (due == PORTOLAN_STATE_LIMIT && s->crew))
        if (!looks || (due == PORTOLAN_COMPLETE && !is_time(s)))
            return;
    if (s->crew && !crew_stop_between_steps(x))
        return;
    save_or_end(x);
    if (s->crew)
        crew_let_go(s->crew);
}

bool resume_states(struct explorer *x)
{
    struct search *s = x->search;
    struct archive archive;
    x->status = archive_open_as(&archive, s->options->resume, ARCHIVE_STATES, x->error);
    if (x->status != PORTOLAN_OK)
        return false;
    uint64_t mark = 0;
    archive_number(&archive, &mark);
    if (mark != mark_of(s)) {
        archive.failed = true;
        archive_close(&archive, NULL);
        x->status = fail(x->error, PORTOLAN_REFUSED,
                         "'%s' belongs to another model or an earlier version of it, or was written with other options",
                         s->options->resume);
        return false;
    }
    struct crew *crew = s->crew;
    s->crew = NULL; /* they have not begun */
    bool fine = read_states(x, &archive);
    s->crew = crew;
    if (fine)
        keep_rest(x, &archive);
    archive.failed |= !fine;
    enum portolan_status status = archive_close(&archive, x->error);
    if (x->status == PORTOLAN_OK && !s->ended)
        x->status = status;
    x->counted.checkpoints = 0;
    s->result->can_resume = fine && is_saved(s) && strcmp(s->options->checkpoint, s->options->resume) == 0;
    return fine && x->status == PORTOLAN_OK;
}

void saving_ends(struct explorer *x)
{
    struct search *s = x->search;
    if (!is_saved(s) || s->result->stop > PORTOLAN_DECIDED || x->status != PORTOLAN_OK)
        return;
    if (s->result->can_resume)
        (void)unlink(s->options->checkpoint);
    s->result->can_resume = false;
}
