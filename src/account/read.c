/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the record.  A program that went wrong has written it: nothing in it is believed to fit. */
#include "account/account.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct account *account;
    struct failed_execution *failed; /* that items belong to; NULL: none yet */
    bool has_module, fine;
};

static const char *keep_text(struct account *account, const void *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text || !vector_push(&account->texts, text)) {
        free(text);
        return NULL;
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

/* An item of a struct, copied, with all its texts ended. */
#define TAKE(type, item, content, size)                                                                                \
    type item = {0};                                                                                                   \
    memcpy(&item, content, (size) < sizeof item ? (size) : sizeof item)
#define END(text) ((text)[sizeof(text) - 1] = '\0')

static void read_module(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_module, module, content, size);
    END(module.path);
    if (!r->has_module) /* the first one is the program itself */
        r->account->base = module.base;
    r->has_module = true;
    debuginfo_add(r->account->debuginfo, module.path, module.base);
}

static void read_search(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_search, search, content, size);
    END(search.result.reduction);
    search.result.answers = NULL;
    search.result.fired = NULL;
    search.exit_status &= 3;
    if (search.result.stop > PORTOLAN_SHARD)
        search.result.stop = PORTOLAN_INTERRUPTED;
    r->account->search = search;
}

static void read_reservation(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_reservation, reservation, content, size);
    END(reservation.text);
    r->fine = vector_push(&r->account->reservations, reservation);
}

static void read_error(struct reader *r, const void *content, size_t size)
{
    struct failed_execution failed = {.output = ""};
    TAKE(struct recorded_error, error, content, size);
    END(error.kind);
    END(error.text);
    failed.error = error;
    r->fine = vector_push(&r->account->failed, failed);
    r->failed = r->fine ? &r->account->failed.item[r->account->failed.count - 1] : NULL;
}

static void read_event(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_event, event, content, size);
    END(event.word);
    r->fine = vector_push(&r->failed->events, event);
}

static void read_wait(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_wait, wait, content, size);
    END(wait.word);
    r->fine = vector_push(&r->failed->waits, wait);
}

static void read_name(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_name, name, content, size);
    END(name.text);
    const char *text = keep_text(r->account, name.text, strlen(name.text));
    r->fine = text && vector_push(&r->failed->names, ((struct given_name){name.address, text}));
}

static void read_block(struct reader *r, const void *content, size_t size)
{
    TAKE(struct recorded_block, block, content, size);
    r->fine = vector_push(&r->failed->blocks, (struct typed_block){.block = block});
}

static void read_memory(struct reader *r, const unsigned char *content, size_t size)
{
    struct memory_piece piece = {0};
    if (size < sizeof piece.start)
        return;
    memcpy(&piece.start, content, sizeof piece.start);
    piece.bytes = content + sizeof piece.start;
    piece.size = size - sizeof piece.start;
    r->fine = vector_push(&r->failed->memory, piece);
}

static void read_remark(struct reader *r, const unsigned char *content, size_t size)
{
    struct remark remark = {0};
    if (size < sizeof remark.caller)
        return;
    memcpy(&remark.caller, content, sizeof remark.caller);
    remark.text = keep_text(r->account, content + sizeof remark.caller, size - sizeof remark.caller);
    r->fine = remark.text && vector_push(&r->failed->remarks, remark);
}

static void read_output(struct reader *r, const void *content, size_t size)
{
    const char *text = keep_text(r->account, content, size);
    r->fine = text;
    r->failed->output = text ? text : "";
    r->failed->output_size = text ? size : 0;
}

static void read_of_failed(struct reader *r, uint32_t item, const void *content, size_t size)
{
    switch (item) {
    case RECORD_THREAD: {
        TAKE(struct recorded_thread, thread, content, size);
        r->fine = vector_push(&r->failed->threads, thread);
        break;
    }
    case RECORD_FRAME: {
        TAKE(struct recorded_frame, frame, content, size);
        r->fine = vector_push(&r->failed->frames, frame);
        break;
    }
    case RECORD_EVENT: read_event(r, content, size); break;
    case RECORD_NAME: read_name(r, content, size); break;
    case RECORD_WAIT: read_wait(r, content, size); break;
    case RECORD_BLOCK: read_block(r, content, size); break;
    case RECORD_MEMORY: read_memory(r, content, size); break;
    case RECORD_REMARK: read_remark(r, content, size); break;
    case RECORD_OUTPUT: read_output(r, content, size); break;
    default: break;
    }
}

static void read_item(struct reader *r, uint32_t item, const void *content, size_t size)
{
    switch (item) {
    case RECORD_MODULE: read_module(r, content, size); break;
    case RECORD_SEARCH: read_search(r, content, size); break;
    case RECORD_RESERVATION: read_reservation(r, content, size); break;
    case RECORD_WEAKER: {
        TAKE(uint64_t, caller, content, size);
        r->fine = vector_push(&r->account->weaker, caller);
        break;
    }
    case RECORD_VOLATILE: {
        TAKE(uint64_t, caller, content, size);
        r->account->volatile_at = caller;
        break;
    }
    case RECORD_ERROR: read_error(r, content, size); break;
    default:
        if (r->failed)
            read_of_failed(r, item, content, size);
        break;
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct given_name *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct memory_piece *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_blocks(const void *a, const void *b)
{
    const struct typed_block *x = a, *y = b;
    return x->block.start < y->block.start ? -1 : x->block.start > y->block.start;
}

#define SORT(list, compare)                                                                                            \
    do {                                                                                                               \
        if ((list).count)                                                                                              \
            qsort((list).item, (list).count, sizeof *(list).item, compare);                                            \
    } while (0)

static bool prepare(struct account *account, struct failed_execution *failed)
{
    SORT(failed->names, compare_names);
    SORT(failed->memory, compare_pieces);
    SORT(failed->blocks, compare_blocks);
    find_block_types(account, failed);
    find_race(account, failed);
    return make_rows(account, failed);
}

static void failed_clear(struct failed_execution *failed)
{
    free(failed->threads.item);
    free(failed->events.item);
    free(failed->frames.item);
    free(failed->waits.item);
    free(failed->blocks.item);
    free(failed->memory.item);
    free(failed->names.item);
    free(failed->remarks.item);
    free(failed->rows.item);
}

/* Places of one line may have several addresses: what is alike to people is shown once. */
static bool are_alike(const struct account *account, const struct failed_execution *a, const struct failed_execution *b)
{
    char places[2][3][340];
    const struct failed_execution *both[] = {a, b};
    if (strcmp(a->error.kind, b->error.kind) != 0 || a->waits.count != b->waits.count ||
        (a->error.is_leak && a->error.address != b->error.address))
        return false;
    for (int i = 0; i < 2; i++) {
        name_place(account, both[i]->error.caller, places[i][0], sizeof places[i][0]);
        name_place(account, both[i]->error.is_race ? both[i]->error.other_caller : 0, places[i][1],
                   sizeof places[i][1]);
    }
    for (size_t k = 0; k < a->waits.count; k++) {
        name_place(account, a->waits.item[k].caller, places[0][2], sizeof places[0][2]);
        name_place(account, b->waits.item[k].caller, places[1][2], sizeof places[1][2]);
        if (strcmp(places[0][2], places[1][2]) != 0)
            return false;
    }
    bool same = strcmp(places[0][0], places[1][0]) == 0 && strcmp(places[0][1], places[1][1]) == 0;
    bool swapped = strcmp(places[0][0], places[1][1]) == 0 && strcmp(places[0][1], places[1][0]) == 0;
    return same || swapped;
}

static void drop_alike(struct account *account)
{
    size_t kept = 0;
    for (size_t i = 0; i < account->failed.count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < kept && is_new; k++)
            is_new = !are_alike(account, &account->failed.item[i], &account->failed.item[k]);
        if (is_new)
            account->failed.item[kept++] = account->failed.item[i];
        else
            failed_clear(&account->failed.item[i]);
    }
    account->failed.count = kept;
}

/* Is there a line for any of the events? */
static bool has_lines(const struct account *account)
{
    size_t events = 0;
    for (size_t i = 0; i < account->failed.count; i++)
        for (size_t k = 0; k < account->failed.item[i].events.count; k++, events++) {
            struct source_place place;
            find_place(account, account->failed.item[i].events.item[k].caller, &place);
            if (place.line)
                return true;
        }
    return !events;
}

/* What assert tells begins with its place, which is shown beside it anyway when the debug information has it. */
static void leave_out_place(const struct account *account, struct recorded_error *error)
{
    char place[sizeof error->text], told[sizeof error->text];
    const char *rest = strstr(error->text, ": assertion '"), *end = strstr(error->text, ": ");
    if (!rest)
        return;
    name_place(account, error->caller, place, sizeof place);
    snprintf(told, sizeof told, "%.*s", (int)(end - error->text), error->text);
    if (strcmp(base_name(told), place) == 0)
        memmove(error->text, rest + 2, strlen(rest + 2) + 1);
}

bool account_read(struct account *account, const void *record, size_t size)
{
    struct reader r = {.account = account, .fine = true};
    const unsigned char *at = record;
    account->debuginfo = debuginfo_make();
    if (!account->debuginfo)
        return false;
    while (r.fine && size >= sizeof(struct record_head)) {
        struct record_head head;
        memcpy(&head, at, sizeof head);
        at += sizeof head, size -= sizeof head;
        size_t padded = ((size_t)head.size + 7) & ~(size_t)7;
        if (padded > size)
            break;
        read_item(&r, head.item, at, head.size);
        at += padded, size -= padded;
    }
    debuginfo_ready(account->debuginfo);
    account->has_lines = has_lines(account);
    for (size_t i = 0; i < account->failed.count; i++)
        leave_out_place(account, &account->failed.item[i].error);
    r.fine = r.fine && find_conditions(account);
    drop_alike(account);
    for (size_t i = 0; i < account->failed.count && r.fine; i++)
        r.fine = prepare(account, &account->failed.item[i]);
    return r.fine;
}

bool memory_read(const struct failed_execution *failed, uint64_t address, void *to, size_t size)
{
    size_t low = 0, high = failed->memory.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct memory_piece *piece = &failed->memory.item[middle];
        if (address < piece->start) {
            high = middle;
        } else if (address - piece->start >= piece->size) {
            low = middle + 1;
        } else {
            size_t offset = address - piece->start;
            if (size > piece->size - offset)
                return false;
            memcpy(to, piece->bytes + offset, size);
            return true;
        }
    }
    return false;
}

void account_clear(struct account *account)
{
    for (size_t i = 0; i < account->failed.count; i++)
        failed_clear(&account->failed.item[i]);
    for (size_t i = 0; i < account->texts.count; i++)
        free(account->texts.item[i]);
    free(account->texts.item);
    free(account->failed.item);
    free(account->reservations.item);
    free(account->weaker.item);
    free(account->weaker_places.item);
    debuginfo_free(account->debuginfo);
}
