/* SPDX-License-Identifier: Apache-2.0 */
/* What the first rank does beside exploring: it has the tree, and knows who explores what. */
#include "cli/handout.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double EVERY = 600;

/* ------------------------------------------------------------------------- the tree in its file */

static void tree_path(const struct handout *h, char path[4096])
{
    snprintf(path, 4096, "%s/tree", h->directory);
}

static enum portolan_status write_tree(struct handout *h, struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    tree_path(h, path);
    archive_create(&archive, path);
    skeleton_keep(&h->skeleton, &archive);
    archive_same(&archive, ARCHIVE_HANDOUT); /* it really ends here */
    return archive_close(&archive, error);
}

static enum portolan_status read_tree(struct handout *h, struct portolan_error *error)
{
    char path[4096];
    struct archive archive;
    tree_path(h, path);
    if (access(path, F_OK) != 0)
        return PORTOLAN_OK; /* the search begins */
    enum portolan_status status = archive_open(&archive, path, error);
    if (status != PORTOLAN_OK)
        return status;
    skeleton_keep(&h->skeleton, &archive);
    archive_same(&archive, ARCHIVE_HANDOUT);
    return archive_close(&archive, error);
}

/* What processes of an earlier run have found. */
static enum portolan_status read_answers(struct handout *h, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    DIR *directory = opendir(h->directory);
    for (struct dirent *entry; directory && status == PORTOLAN_OK && (entry = readdir(directory));) {
        char path[4096 + 300];
        struct shard_answer answer = {0};
        const char *ending = strrchr(entry->d_name, '.');
        uint32_t number = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (!ending || strcmp(ending, ".answer") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", h->directory, entry->d_name);
        status = shard_answer_look(path, &answer, error);
        h->executions += answer.statistics.executions;
        h->processes = number > h->processes ? number : h->processes;
    }
    if (directory)
        closedir(directory);
    return status;
}

enum portolan_status first_begin(struct handout *h, struct portolan_error *error)
{
    h->receivers = calloc(h->transport->ranks, sizeof *h->receivers);
    h->processes = 0;
    h->executions = 0;
    h->exploring_since = 0;
    h->is_gathering = false;
    h->away = h->transport->ranks - 1;
    if (!h->receivers || !skeleton_make(&h->skeleton))
        return fail_memory(error);
    for (uint32_t i = 0; i < h->transport->ranks; i++)
        h->receivers[i].asks = true;
    enum portolan_status status = read_tree(h, error);
    return status == PORTOLAN_OK ? read_answers(h, error) : status;
}

/* ------------------------------------------------------------------------- hearing of others */

void first_end(struct handout *h, enum portolan_stop stop)
{
    if (h->is_ending)
        return;
    h->stop = stop;
    for (uint32_t i = h->transport->ranks; i-- > 0;)
        send_letter(h, i, (struct letter){.kind = END, .number = stop}, NULL, 0);
}

void first_fail(struct handout *h, const char *text)
{
    if (!h->failed)
        fprintf(stderr, "%s", text);
    h->failed = true;
    first_end(h, PORTOLAN_INTERRUPTED);
}

void first_hear_report(struct handout *h, uint32_t from, const void *words, size_t bytes)
{
    struct receiver *r = &h->receivers[from];
    size_t count = bytes / sizeof(uint32_t);
    struct letter_words letter = {0};
    bool fine = vector_reserve(&letter, count + 1);
    if (fine) {
        memcpy(letter.item, words, count * sizeof *letter.item);
        fine = skeleton_hear(&h->skeleton, &r->leaf, letter.item, count);
    }
    free(letter.item);
    r->was_asked = r->was_asked && !r->leaf;
    if (!fine)
        first_fail(h, "portolan: error: memory ran out, or the ranks do not agree on what is explored\n");
}

/* A process has ended and has left its answer. */
void first_hear_answer(struct handout *h, uint32_t from, uint32_t process, uint64_t limit)
{
    char path[4096];
    struct shard_answer answer = {0};
    struct receiver *r = &h->receivers[from];
    struct portolan_error error;
    shard_path(&h->order, process, ".answer", path);
    if (shard_answer_look(path, &answer, &error) != PORTOLAN_OK) {
        first_fail(h, error.message);
        return;
    }
    h->executions += answer.statistics.executions;
    if (r->leaf && limit & HAS_NO_LEAF)
        skeleton_reopen(r->leaf);
    else if (answer.stop != PORTOLAN_DECIDED && r->leaf)
        first_fail(h, "portolan: error: a process has ended and left something unexplored\n");
    *r = (struct receiver){.asks = true};
    if (answer.stop == PORTOLAN_DECIDED)
        first_end(h, PORTOLAN_DECIDED);
    else if (limit & ~HAS_NO_LEAF)
        first_end(h, (enum portolan_stop)(limit & ~HAS_NO_LEAF));
}

void first_lose(struct handout *h, uint32_t from)
{
    h->receivers[from].has_process = false;
    h->has_lost = true;
}

void first_hear_wrong(struct handout *h, uint32_t from, uint32_t process)
{
    char path[4096], text[600] = "portolan: error: a part of the search could not be explored\n";
    unsigned char *bytes = NULL;
    size_t count = 0;
    shard_path(&h->order, process, ".log", path);
    first_lose(h, from);
    if (h->is_ending && h->stop != PORTOLAN_COMPLETE) /* it was ended */
        return;
    if (read_whole(path, &bytes, &count) && count)
        snprintf(text, sizeof text, "%.*s", (int)(count < 500 ? count : 500), (char *)bytes);
    free(bytes);
    first_fail(h, text);
}

/* ------------------------------------------------------------------------- what is to be done */

uint64_t first_executions(const struct handout *h)
{
    uint64_t sum = h->executions;
    for (uint32_t i = 0; i < h->transport->ranks; i++)
        sum += h->receivers[i].executions;
    return sum;
}

/* Nobody explores anything at the moment. */
static bool is_quiet(const struct handout *h)
{
    for (uint32_t i = 0; i < h->transport->ranks; i++)
        if (h->receivers[i].has_process)
            return false;
    return true;
}

static void save(struct handout *h)
{
    struct portolan_error error;
    h->trouble[0] = '\0';
    if (write_tree(h, &error) == PORTOLAN_OK && handout_save(h, &error) == PORTOLAN_OK)
        h->is_saved = true;
    else
        snprintf(h->trouble, sizeof h->trouble, "%.159s", error.message);
}

void first_save_at_end(struct handout *h)
{
    bool is_whole = !h->has_lost;
    for (uint32_t i = 0; i < h->transport->ranks; i++)
        is_whole = is_whole && !h->receivers[i].leaf;
    if (is_whole)
        save(h);
}

/* Time is counted from when somebody explores: what comes before may take longer than that. */
static bool save_is_due(struct handout *h)
{
    double every = h->settings->checkpoint_every > 0 ? h->settings->checkpoint_every : EVERY;
    if (!h->settings->checkpoint)
        return false;
    if (!h->exploring_since && first_executions(h) > h->executions)
        h->exploring_since = handout_seconds(h);
    return h->exploring_since && handout_seconds(h) > h->exploring_since + every;
}

static void gather(struct handout *h)
{
    h->is_gathering = true;
    for (uint32_t i = 0; i < h->transport->ranks; i++)
        if (h->receivers[i].has_process)
            send_letter(h, i, (struct letter){.kind = RETIRE}, NULL, 0);
}

/* False: there is no leaf, or no memory. */
static bool give_leaf(struct handout *h, uint32_t to)
{
    struct receiver *r = &h->receivers[to];
    struct letter_words words = {0};
    struct skeleton_node *leaf = skeleton_choose(&h->skeleton);
    if (!leaf)
        return false;
    if (!r->has_process && h->processes == MOST_SHARDS) {
        first_fail(h, "portolan: error: there were too many checkpoints\n");
        return false;
    }
    if (!skeleton_take(&h->skeleton, leaf, &words)) {
        free(words.item);
        first_end(h, PORTOLAN_MEMORY_LIMIT);
        return false;
    }
    struct letter letter = {.kind = LEAF_TO_EXPLORE, .number = first_executions(h)};
    if (!r->has_process)
        letter.process = ++h->processes;
    r->leaf = leaf;
    r->has_process = true;
    r->asks = false;
    send_letter(h, to, letter, words.item, words.count * sizeof *words.item);
    free(words.item);
    return true;
}

/* Somebody waits: all who have not given anything since they were asked the last time are asked. */
static void ask_others(struct handout *h)
{
    for (uint32_t i = 0; i < h->transport->ranks; i++) {
        struct receiver *r = &h->receivers[i];
        if (!r->leaf || r->was_asked)
            continue;
        r->was_asked = true;
        send_letter(h, i, (struct letter){.kind = GIVE}, NULL, 0);
    }
}

void first_look(struct handout *h)
{
    uint64_t most = h->settings->states;
    if (h->is_gathering && !h->is_ending && is_quiet(h)) {
        save(h);
        h->is_gathering = false;
        h->exploring_since = 0;
    }
    if (h->is_ending || h->is_gathering)
        return;
    if (skeleton_is_done(&h->skeleton)) {
        first_end(h, PORTOLAN_COMPLETE);
    } else if (most && first_executions(h) > most) {
        first_end(h, PORTOLAN_STATE_LIMIT);
    } else if (save_is_due(h)) {
        gather(h);
    } else {
        bool waits = false;
        for (uint32_t i = 0; i < h->transport->ranks && !h->is_ending; i++)
            if (h->receivers[i].asks && !give_leaf(h, i))
                waits = true;
        if (waits && !h->is_ending)
            ask_others(h);
    }
}
