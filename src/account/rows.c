/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedule as rows: every step, and of the plain accesses those to memory that several threads use, or that the
 * error is about.  Rounds of a loop that are alike are one.
 */
#include "account/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLAIN_ROWS = 60, LONGEST_ROUND = 12, FEWEST_ROUNDS = 3 };

/* --- which events */

/* Who accesses a word. */
struct use {
    uint64_t word;
    uint32_t agent; /* one of them */
    bool writes;
    bool is_shared; /* by others, too */
};

struct uses {
    VECTOR(struct use) list; /* by word, one for each in the end */
};

static bool is_access(const struct recorded_event *event)
{
    return event->form == FORM_PLAIN_READ || event->form == FORM_PLAIN_WRITE;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* Makes one of all that are about a word. */
static void unite_uses(struct uses *uses)
{
    size_t kept = 0;
    for (size_t i = 0; i < uses->list.count; i++) {
        const struct use *use = &uses->list.item[i];
        struct use *last = kept ? &uses->list.item[kept - 1] : NULL;
        if (!last || last->word != use->word) {
            uses->list.item[kept++] = *use;
            continue;
        }
        last->writes = last->writes || use->writes;
        last->is_shared = last->is_shared || last->agent != use->agent;
    }
    uses->list.count = kept;
}

static bool find_uses(const struct failed_execution *failed, struct uses *uses)
{
    enum { MOST_WORDS = 32 };
    bool several = false; /* what main did before is of no interest */
    for (size_t i = 0; i < failed->events.count; i++) {
        const struct recorded_event *event = &failed->events.item[i];
        several = several || event->form == FORM_CREATE;
        if (!several || !is_access(event))
            continue;
        uint64_t first = event->address / 8, last = (event->address + (event->length ? event->length - 1 : 0)) / 8;
        for (uint64_t word = first; word <= last && word < first + MOST_WORDS; word++)
            if (!vector_push(&uses->list, ((struct use){word, event->agent, event->form == FORM_PLAIN_WRITE, false})))
                return false;
    }
    if (uses->list.count)
        qsort(uses->list.item, uses->list.count, sizeof *uses->list.item, compare_uses);
    unite_uses(uses);
    return true;
}

/* Do several threads use the word, and does one of them write it? */
static bool is_shared(const struct uses *uses, uint64_t word)
{
    size_t low = 0, high = uses->list.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (uses->list.item[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    const struct use *use = low < uses->list.count ? &uses->list.item[low] : NULL;
    return use && use->word == word && use->writes && use->is_shared;
}

static bool is_about_error(const struct failed_execution *failed, const struct recorded_event *event)
{
    uint64_t address = failed->error.address;
    const struct typed_block *block = address ? block_at(failed, address) : NULL;
    if (!address)
        return false;
    if (event->form == FORM_ALLOCATE || event->form == FORM_FREE)
        return block && event->address == block->block.start;
    return address - event->address < (event->length ? event->length : 1);
}

/* --- texts */

static void describe_partner(const struct failed_execution *failed, const struct recorded_event *event, size_t partner,
                             char *text, size_t room)
{
    const struct recorded_event *other = partner ? &failed->events.item[partner - 1] : NULL;
    char name[40] = "";
    text[0] = '\0';
    if (other)
        name_thread(failed, other->agent, name, sizeof name);
    if (event->form == FORM_WAKE && other)
        snprintf(text, room, ", by the %s of %s", other->word, name);
    else if (event->form == FORM_SIGNAL && other)
        snprintf(text, room, ": wakes %s", name);
}

static void describe_about_thread(const struct account *account, const struct failed_execution *failed,
                                  const struct recorded_event *event, char *text, size_t room)
{
    char name[40];
    const char *function = event->form == FORM_CREATE ? start_function(account, failed, event->other) : NULL;
    name_thread(failed, event->other, name, sizeof name);
    snprintf(text, room, "%s %s%s%s%s", event->form == FORM_CREATE ? "create" : "join", name, function ? " (" : "",
             function ? function : "", function ? ")" : "");
}

static void describe_other(const struct account *account, const struct failed_execution *failed,
                           const struct recorded_event *event, size_t partner, char *text, size_t room)
{
    char name[200], more[120];
    Dwarf_Die part;
    name_address(account, failed, event->address, 1, name, sizeof name, &part);
    describe_partner(failed, event, partner, more, sizeof more);
    snprintf(text, room, "%s %s%s%s", event->word, name, event->fails ? " (fails)" : "", more);
}

static void describe_block(const struct account *account, const struct failed_execution *failed,
                           const struct recorded_event *event, char *text, size_t room)
{
    char name[200];
    name_value(account, failed, event->address, 8, NULL, name, sizeof name);
    snprintf(text, room, "%s %s", event->form == FORM_FREE ? "free" : "allocate", name);
}

static void describe_access(const struct account *account, const struct failed_execution *failed,
                            const struct recorded_event *event, bool reads_too, char *text, size_t room)
{
    char name[200], before[80], after[80], expected[80];
    Dwarf_Die part, *type = NULL;
    if (name_address(account, failed, event->address, event->size ? event->size : 1, name, sizeof name, &part))
        type = &part;
    if (!event->size) { /* more than a word */
        bool writes = event->form == FORM_PLAIN_WRITE || event->form == FORM_WRITE;
        snprintf(text, room, "%s %s, %" PRIu64 " bytes", writes ? "write" : "read", name, event->length);
        return;
    }
    name_value(account, failed, event->before, event->size, type, before, sizeof before);
    name_value(account, failed, event->after, event->size, type, after, sizeof after);
    name_value(account, failed, event->expected, event->size, type, expected, sizeof expected);
    if (event->form == FORM_READ || event->form == FORM_PLAIN_READ)
        snprintf(text, room, "read %s: %s%s", name, before, event->fails ? ", waits" : "");
    else if (event->form == FORM_COMPARE_FAILED)
        snprintf(text, room, "compare %s: %s, not %s", name, before, expected);
    else if (event->is_unfinished)
        snprintf(text, room, "write %s", name);
    else if (event->form == FORM_UPDATE || reads_too)
        snprintf(text, room, "%s: %s -> %s", name, before, after);
    else
        snprintf(text, room, "%s = %s", name, after);
}

static void describe_event(const struct account *account, const struct failed_execution *failed, size_t number,
                           size_t partner, bool reads_too, char *text, size_t room)
{
    const struct recorded_event *event = &failed->events.item[number];
    switch (event->form) {
    case FORM_CREATE:
    case FORM_JOIN: describe_about_thread(account, failed, event, text, room); break;
    case FORM_CHOICE: snprintf(text, room, "chooses %" PRIu64, event->before); break;
    case FORM_ALLOCATE:
    case FORM_FREE: describe_block(account, failed, event, text, room); break;
    case FORM_READ:
    case FORM_WRITE:
    case FORM_UPDATE:
    case FORM_COMPARE_FAILED:
    case FORM_PLAIN_READ:
    case FORM_PLAIN_WRITE: describe_access(account, failed, event, reads_too, text, room); break;
    default: describe_other(account, failed, event, partner, text, room); break;
    }
}

/* --- rows */

struct making {
    struct account *account;
    struct failed_execution *failed;
    struct uses uses;
    size_t *partners;
    bool *matters; /* with --slice */
    bool several;  /* there is another thread than main */
};

static bool is_racing(const struct failed_execution *failed, size_t event)
{
    return event == failed->racing[0] || event == failed->racing[1];
}

static bool is_shown(struct making *m, size_t i)
{
    const struct recorded_event *event = &m->failed->events.item[i];
    if (event->is_step || is_racing(m->failed, i) || is_about_error(m->failed, event))
        return true;
    if (!m->several || event->form == FORM_ALLOCATE)
        return false;
    return is_shared(&m->uses, event->address / 8);
}

/* Is this a read that the next event, a write by the same statement, goes with? */
static bool is_first_half(const struct failed_execution *failed, size_t i)
{
    const struct recorded_event *event = &failed->events.item[i], *next = event + 1;
    return i + 1 < failed->events.count && event->form == FORM_PLAIN_READ && next->form == FORM_PLAIN_WRITE &&
           !is_racing(failed, i) && !event->is_step && !next->is_step && event->agent == next->agent &&
           event->address == next->address && event->size == next->size && event->size;
}

static bool add_row(struct making *m, size_t i, size_t number)
{
    struct failed_execution *failed = m->failed;
    struct row row = {.event = i, .number = number, .is_racing = is_racing(failed, i)};
    bool reads_too = i && is_first_half(failed, i - 1);
    describe_event(m->account, failed, i, m->partners[i], reads_too, row.text, sizeof row.text);
    return vector_push(&failed->rows, row);
}

static bool add_rows(struct making *m)
{
    struct failed_execution *failed = m->failed;
    size_t number = 0;
    bool fine = true;
    for (size_t i = 0; i < failed->events.count && fine; i++) {
        const struct recorded_event *event = &failed->events.item[i];
        number += event->is_step;
        m->several = m->several || event->form == FORM_CREATE;
        if (!is_shown(m, i) || is_first_half(failed, i))
            continue;
        if (m->matters && !m->matters[i] && !is_racing(failed, i))
            failed->sliced++;
        else
            fine = add_row(m, i, event->is_step ? number : 0);
    }
    return fine;
}

/* Of too many plain accesses the last ones count. */
static void thin_out(struct failed_execution *failed)
{
    size_t plain = 0, kept = 0;
    for (size_t i = 0; i < failed->rows.count; i++)
        plain += !failed->rows.item[i].number;
    size_t surplus = plain > MOST_PLAIN_ROWS ? plain - MOST_PLAIN_ROWS : 0;
    for (size_t i = 0; i < failed->rows.count; i++) {
        const struct row *row = &failed->rows.item[i];
        bool goes =
            surplus && !row->number && !row->is_racing && !is_about_error(failed, &failed->events.item[row->event]);
        surplus -= goes;
        failed->plain_left_out += goes;
        if (!goes)
            failed->rows.item[kept++] = *row;
    }
    failed->rows.count = kept;
}

/* --- rounds */

static bool are_alike(const struct failed_execution *failed, size_t a, size_t b)
{
    const struct row *x = &failed->rows.item[a], *y = &failed->rows.item[b];
    const struct recorded_event *first = &failed->events.item[x->event], *second = &failed->events.item[y->event];
    return first->agent == second->agent && first->caller == second->caller && !x->is_racing && !y->is_racing &&
           !x->number == !y->number && strcmp(x->text, y->text) == 0;
}

/* How often the rows from here on repeat, if a round has so many. */
static unsigned count_rounds(const struct failed_execution *failed, size_t from, size_t length)
{
    unsigned rounds = 1;
    uint32_t agent = failed->events.item[failed->rows.item[from].event].agent;
    for (size_t i = 0; i < length; i++)
        if (from + i >= failed->rows.count || failed->events.item[failed->rows.item[from + i].event].agent != agent)
            return 1;
    for (size_t next = from + length; next + length <= failed->rows.count; next += length, rounds++)
        for (size_t i = 0; i < length; i++)
            if (!are_alike(failed, from + i, next + i))
                return rounds;
    return rounds;
}

static void fold_rounds(struct failed_execution *failed)
{
    size_t kept = 0;
    for (size_t i = 0; i < failed->rows.count;) {
        unsigned rounds = 1;
        size_t length = 1;
        for (; length <= LONGEST_ROUND; length++) {
            rounds = count_rounds(failed, i, length);
            if (rounds >= FEWEST_ROUNDS)
                break;
        }
        if (rounds < FEWEST_ROUNDS)
            rounds = 1, length = 1;
        for (size_t k = 0; k < length; k++)
            failed->rows.item[kept++] = failed->rows.item[i + k];
        if (rounds > 1) {
            failed->rows.item[kept - 1].rounds = rounds;
            failed->rows.item[kept - 1].round_length = length;
        }
        i += length * rounds;
    }
    failed->rows.count = kept;
}

bool make_rows(struct account *account, struct failed_execution *failed)
{
    struct making m = {.account = account, .failed = failed};
    m.partners = calloc(failed->events.count + 1, sizeof *m.partners);
    m.matters = account->slices ? calloc(failed->events.count + 1, sizeof *m.matters) : NULL;
    bool fine = m.partners && (m.matters || !account->slices) && find_wakes(failed, m.partners) &&
                find_uses(failed, &m.uses) && (!m.matters || find_slice(failed, m.matters)) && add_rows(&m);
    if (fine) {
        fold_rounds(failed);
        thin_out(failed);
    }
    free(m.partners);
    free(m.matters);
    free(m.uses.list.item);
    return fine;
}

size_t count_steps(const struct failed_execution *failed)
{
    size_t count = 0;
    for (size_t i = 0; i < failed->events.count; i++)
        count += failed->events.item[i].is_step;
    return count;
}

size_t count_turns(const struct failed_execution *failed)
{
    size_t count = 0;
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < failed->events.count; i++) {
        const struct recorded_event *event = &failed->events.item[i];
        if (!event->is_step)
            continue;
        count += last != UINT32_MAX && last != event->agent;
        last = event->agent;
    }
    return count;
}
