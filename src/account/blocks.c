/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What blocks of the heap are used as.  A block itself has no type, but what points to it has: from variables, local
 * ones of functions that have not returned included, all pointers are followed whose types are known.  Where a pointer
 * was written at most once in the execution, its name is good for the block all the time ("queue->lock"); else the
 * block has a number among those of its type ("node#2.next").
 */
#include "account/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct write {
    uint64_t start, end;
};

struct walk {
    struct account *account;
    struct failed_execution *failed;
    uint64_t base; /* of the object that is looked through */
    char path[2 * NAME_LENGTH];
    bool is_stable;              /* its name */
    VECTOR(size_t) found;        /* blocks whose types are new */
    VECTOR(struct write) writes; /* of the whole execution, by address */
    uint64_t longest_write;
};

const struct typed_block *block_at(const struct failed_execution *failed, uint64_t address)
{
    size_t low = 0, high = failed->blocks.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct typed_block *block = &failed->blocks.item[middle];
        if (address < block->block.start)
            high = middle;
        else if (address - block->block.start < (block->block.size ? block->block.size : 1))
            return block;
        else
            low = middle + 1;
    }
    return NULL;
}

static int compare_writes(const void *a, const void *b)
{
    const struct write *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static bool find_writes(struct walk *w)
{
    for (size_t i = 0; i < w->failed->events.count; i++) {
        const struct recorded_event *event = &w->failed->events.item[i];
        if (event->form != FORM_WRITE && event->form != FORM_UPDATE && event->form != FORM_PLAIN_WRITE)
            continue;
        uint64_t length = event->length ? event->length : 1;
        w->longest_write = length > w->longest_write ? length : w->longest_write;
        if (!vector_push(&w->writes, ((struct write){event->address, event->address + length})))
            return false;
    }
    if (w->writes.count)
        qsort(w->writes.item, w->writes.count, sizeof *w->writes.item, compare_writes);
    return true;
}

/* Was what is at this address never written, or once, in the whole execution? */
static bool is_written_once(const struct walk *w, uint64_t address)
{
    uint64_t from = address - (address < w->longest_write ? address : w->longest_write);
    size_t low = 0, high = w->writes.count;
    unsigned writes = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->writes.item[middle].start < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->writes.count && w->writes.item[low].start < address + 8 && writes < 2; low++)
        writes += w->writes.item[low].end > address;
    return writes < 2;
}

/* A pointer of this type has been found to hold an address. */
static void follow(struct walk *w, const Dwarf_Die *type, uint64_t value, const char *name, bool is_stable)
{
    Dwarf_Die pointee;
    struct typed_block *block = (struct typed_block *)(uintptr_t)block_at(w->failed, value);
    if (!block || !type_pointee(type, &pointee))
        return;
    uint64_t size = type_size(&pointee);
    bool is_start = value == block->block.start && size <= block->block.size;
    if (!is_start)
        return;
    if (!block->is_typed || (type_has_members(&pointee) && !type_has_members(&block->type))) {
        block->is_typed = true;
        block->type = pointee;
        block->is_array = block->block.size >= 2 * size;
        if (!vector_push(&w->found, (size_t)(block - w->failed->blocks.item)))
            return;
    }
    if (is_stable && !block->name[0] && strlen(name) < sizeof block->name)
        snprintf(block->name, sizeof block->name, "%s", name);
}

void join_path(char *text, size_t size, const char *object, const char *part)
{
    size_t length = strlen(object);
    bool points = length > 1 && strcmp(object + length - 2, "->") == 0;
    bool is_element = points && part[0] == '[';
    if (is_element)
        snprintf(text, size, "(*%.*s)%s", (int)length - 2, object, part);
    else
        snprintf(text, size, "%s%s", object, points && part[0] == '.' ? part + 1 : part);
}

static void take_inner_pointer(void *user, const char *path, uint64_t offset, const Dwarf_Die *type)
{
    struct walk *w = user;
    char name[2 * NAME_LENGTH + 200];
    uint64_t value, at = w->base + offset;
    if (!memory_read(w->failed, at, &value, sizeof value) || !value)
        return;
    join_path(name, sizeof name, w->path, path);
    follow(w, type, value, name, w->is_stable && is_written_once(w, at));
}

static void look_through(struct walk *w, const Dwarf_Die *type, uint64_t address, const char *path, bool is_stable)
{
    w->base = address;
    w->is_stable = is_stable;
    snprintf(w->path, sizeof w->path, "%s", path);
    type_pointers(type, take_inner_pointer, w);
}

static void look_through_variables(struct walk *w)
{
    size_t count;
    const struct variable *variables = debuginfo_variables(w->account->debuginfo, &count);
    for (size_t i = 0; i < count; i++) {
        const struct variable *v = &variables[i];
        if (!v->is_thread_local)
            look_through(w, &v->type, v->start, v->name, true);
        for (size_t k = 0; k < w->failed->threads.count && v->is_thread_local; k++)
            look_through(w, &v->type, w->failed->threads.item[k].local + v->start, v->name, false);
    }
}

static void take_local_variable(void *user, const struct local_variable *local)
{
    struct walk *w = user;
    if (!local->is_value)
        look_through(w, &local->type, local->address, local->name, false);
    else if (type_is_pointer(&local->type))
        follow(w, &local->type, local->value, local->name, false);
}

void frame_of_record(const struct recorded_frame *from, struct code_frame *to)
{
    static const int preserved[PRESERVED] = {3, 6, 7, 12, 13, 14, 15};
    *to = (struct code_frame){.address = from->caller - 1, .cfa = from->cfa};
    for (int i = 0; i < PRESERVED; i++)
        to->registers[preserved[i]] = from->registers[i];
}

static void look_through_stacks(struct walk *w)
{
    for (size_t i = 0; i < w->failed->frames.count; i++) {
        struct code_frame frame;
        frame_of_record(&w->failed->frames.item[i], &frame);
        debuginfo_locals(w->account->debuginfo, &frame, take_local_variable, w);
    }
}

/* The pointers in blocks that have been found, and in what is found by them. */
static void look_through_blocks(struct walk *w)
{
    for (size_t i = 0; i < w->found.count; i++) {
        const struct typed_block *block = &w->failed->blocks.item[w->found.item[i]];
        uint64_t size = type_size(&block->type), all = size ? block->block.size / size : 0;
        for (uint64_t k = 0; k < all && k < 1000; k++) {
            char path[NAME_LENGTH + 32];
            if (block->is_array)
                snprintf(path, sizeof path, "%s[%" PRIu64 "]", block->name, k);
            else
                snprintf(path, sizeof path, "%s->", block->name);
            look_through(w, &block->type, block->block.start + k * size, path, block->name[0]);
            block = &w->failed->blocks.item[w->found.item[i]];
        }
    }
    w->found.count = 0;
}

/* What was ever written to, or read from, a pointer whose type is known. */
static void look_through_events(struct walk *w)
{
    for (size_t i = 0; i < w->failed->events.count; i++) {
        const struct recorded_event *event = &w->failed->events.item[i];
        uint64_t value = event->form == FORM_PLAIN_READ || event->form == FORM_READ ? event->before : event->after;
        const struct typed_block *block = event->size == 8 ? block_at(w->failed, value) : NULL;
        char name[400];
        Dwarf_Die type;
        if (block && !block->is_typed &&
            name_address(w->account, w->failed, event->address, event->size, name, sizeof name, &type))
            follow(w, &type, value, "", false);
    }
}

static void number_blocks(struct failed_execution *failed)
{
    for (size_t i = 0; i < failed->blocks.count; i++) {
        struct typed_block *block = &failed->blocks.item[i];
        const char *name = block->is_typed ? type_name(&block->type) : NULL;
        block->number = 1;
        for (size_t k = i; name && k-- > 0;) {
            const struct typed_block *other = &failed->blocks.item[k];
            const char *others = other->is_typed ? type_name(&other->type) : NULL;
            if (others && strcmp(others, name) == 0) {
                block->number = other->number + 1;
                break;
            }
        }
    }
}

void find_block_types(struct account *account, struct failed_execution *failed)
{
    struct walk w = {.account = account, .failed = failed};
    if (failed->blocks.count && find_writes(&w)) {
        look_through_variables(&w);
        look_through_blocks(&w);
        look_through_stacks(&w);
        look_through_blocks(&w);
        look_through_events(&w);
        look_through_blocks(&w);
        look_through_events(&w); /* pointers in what was found */
        number_blocks(failed);
    }
    free(w.found.item);
    free(w.writes.item);
}
