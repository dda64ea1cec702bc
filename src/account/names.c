/* SPDX-License-Identifier: Apache-2.0 */
/* Names for threads, for what is at an address, and for values. */
#include "account/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- threads */

static const struct recorded_thread *thread_of(const struct failed_execution *failed, uint32_t agent)
{
    for (size_t i = 0; i < failed->threads.count; i++)
        if (failed->threads.item[i].agent == agent)
            return &failed->threads.item[i];
    return NULL;
}

void name_thread(const struct failed_execution *failed, uint32_t agent, char *text, size_t size)
{
    static const char *const kinds[] = {
        [AGENT_THREAD] = "thread", [AGENT_DISTURBER] = "disturber", [AGENT_CHOOSER] = "chance"};
    const struct recorded_thread *thread = thread_of(failed, agent);
    if (agent == 0)
        snprintf(text, size, "main");
    else
        snprintf(text, size, "%s %" PRIu32,
                 thread && thread->kind >= AGENT_THREAD && thread->kind <= AGENT_CHOOSER ? kinds[thread->kind]
                                                                                         : "thread",
                 agent);
}

const char *start_function(const struct account *account, const struct failed_execution *failed, uint32_t agent)
{
    const struct recorded_thread *thread = thread_of(failed, agent);
    return thread && thread->kind == AGENT_THREAD ? debuginfo_function(account->debuginfo, thread->function) : NULL;
}

/* --- variables */

static bool name_part(const char *object, const Dwarf_Die *type, uint64_t offset, uint64_t size, char *text,
                      size_t room, Dwarf_Die *part)
{
    char path[200];
    if (!type_part(type, offset, size, path, sizeof path, part))
        return false;
    join_path(text, room, object, path);
    return true;
}

static bool name_variable(const struct account *account, uint64_t address, uint64_t size, char *text, size_t room,
                          Dwarf_Die *part)
{
    const struct variable *v = debuginfo_variable(account->debuginfo, address, false);
    return v && name_part(v->name, &v->type, address - v->start, size, text, room, part);
}

static bool name_thread_local(const struct account *account, const struct failed_execution *failed, uint64_t address,
                              uint64_t size, char *text, size_t room, Dwarf_Die *part)
{
    for (size_t i = 0; i < failed->threads.count; i++) {
        const struct recorded_thread *thread = &failed->threads.item[i];
        uint64_t offset = address - thread->local;
        const struct variable *v =
            offset < thread->local_size ? debuginfo_variable(account->debuginfo, offset, true) : NULL;
        char owner[40];
        if (!v || !name_part(v->name, &v->type, offset - v->start, size, text, room, part))
            continue;
        name_thread(failed, thread->agent, owner, sizeof owner);
        size_t used = strlen(text);
        snprintf(text + used, room - used, " of %s", owner);
        return true;
    }
    return false;
}

/* --- local variables */

struct wanted_local {
    uint64_t address, size;
    char *text;
    size_t room;
    Dwarf_Die *part;
    bool found;
};

static void take_local_variable(void *user, const struct local_variable *local)
{
    struct wanted_local *w = user;
    if (!w->found && !local->is_value && w->address - local->address < type_size(&local->type))
        w->found =
            name_part(local->name, &local->type, w->address - local->address, w->size, w->text, w->room, w->part);
}

static bool name_local(const struct account *account, const struct failed_execution *failed, uint64_t address,
                       uint64_t size, char *text, size_t room, Dwarf_Die *part)
{
    struct wanted_local wanted = {address, size, text, room, part, false};
    for (size_t i = 0; i < failed->frames.count; i++) {
        const struct recorded_frame *recorded = &failed->frames.item[i];
        const struct recorded_thread *thread = thread_of(failed, recorded->agent);
        struct code_frame frame;
        char owner[40];
        if (!thread || address - thread->stack >= thread->stack_size)
            continue;
        frame_of_record(recorded, &frame);
        debuginfo_locals(account->debuginfo, &frame, take_local_variable, &wanted);
        if (!wanted.found)
            continue;
        name_thread(failed, recorded->agent, owner, sizeof owner);
        size_t used = strlen(text);
        snprintf(text + used, room - used, " of %s", owner);
        return true;
    }
    return false;
}

/* --- blocks */

static bool name_in_block(const struct typed_block *block, uint64_t address, uint64_t size, char *text, size_t room,
                          Dwarf_Die *part)
{
    char object[2 * NAME_LENGTH + 40], element[32] = "";
    const char *type = type_name(&block->type);
    uint64_t offset = address - block->block.start, whole = type_size(&block->type);
    if (!whole || (!block->name[0] && !type_has_members(&block->type)))
        return false;
    if (block->is_array)
        snprintf(element, sizeof element, "[%" PRIu64 "]", offset / whole);
    if (block->name[0])
        snprintf(object, sizeof object, "%s%s", block->name, block->is_array ? element : "->");
    else
        snprintf(object, sizeof object, "%s#%" PRIu32 "%s", type ? type : "block", block->number, element);
    if (!name_part(object, &block->type, offset % whole, size, text, room, part))
        return false;
    size_t length = strlen(text);
    if (length > 2 && strcmp(text + length - 2, "->") == 0) /* all of it */
        snprintf(text, room, "*%s", block->name);
    return true;
}

static void name_plain_block(const struct failed_execution *failed, const struct typed_block *block, uint64_t address,
                             char *text, size_t room)
{
    char owner[40], offset[32] = "";
    name_thread(failed, block->block.agent, owner, sizeof owner);
    if (address != block->block.start)
        snprintf(offset, sizeof offset, "+%" PRIu64, address - block->block.start);
    snprintf(text, room, "block %" PRIu32 " of %s%s", block->block.number, owner, offset);
}

bool name_address(const struct account *account, const struct failed_execution *failed, uint64_t address, uint64_t size,
                  char *text, size_t room, Dwarf_Die *part)
{
    const struct typed_block *block = block_at(failed, address);
    if (name_variable(account, address, size, text, room, part) ||
        name_thread_local(account, failed, address, size, text, room, part) ||
        name_local(account, failed, address, size, text, room, part))
        return true;
    if (block && block->is_typed && name_in_block(block, address, size, text, room, part))
        return true;
    if (block) {
        name_plain_block(failed, block, address, text, room);
        return false;
    }
    for (size_t i = 0; i < failed->names.count; i++)
        if (failed->names.item[i].address == address) {
            snprintf(text, room, "%s", failed->names.item[i].text);
            return false;
        }
    if (debuginfo_symbol(account->debuginfo, address, text, room))
        return false;
    snprintf(text, room, "%#" PRIx64, address);
    for (size_t i = 0; i < failed->threads.count; i++)
        if (address - failed->threads.item[i].stack < failed->threads.item[i].stack_size) {
            char owner[40];
            name_thread(failed, failed->threads.item[i].agent, owner, sizeof owner);
            snprintf(text, room, "a local variable of %s", owner);
        }
    return false;
}

/* The block that an address belongs to though it may be beyond it, or in what stands before it. */
static const struct typed_block *block_near(const struct failed_execution *failed, uint64_t address)
{
    enum { BEFORE = 32, BEHIND = 1 << 16 };
    const struct typed_block *found = NULL;
    for (size_t i = 0; i < failed->blocks.count && failed->blocks.item[i].block.start <= address + BEFORE; i++)
        found = &failed->blocks.item[i];
    bool is_near = found && (address < found->block.start || address - found->block.start < found->block.size + BEHIND);
    return is_near ? found : NULL;
}

void describe_address(const struct account *account, const struct failed_execution *failed, uint64_t address,
                      char *text, size_t room)
{
    const struct typed_block *block = block_near(failed, address);
    Dwarf_Die part;
    char name[300] = "", allocated[340], freed[340], owner[40];
    if (!block) {
        name_address(account, failed, address, 1, text, room, &part);
        return;
    }
    if (block->is_typed && block_at(failed, address) == block)
        name_in_block(block, address, 1, name, sizeof name, &part);
    name_place(account, block->block.allocated, allocated, sizeof allocated);
    name_thread(failed, block->block.agent, owner, sizeof owner);
    int used = snprintf(text, room, "%s%sbyte %" PRId64 " of a block of %" PRIu64 " byte%s allocated at %s by %s", name,
                        name[0] ? ", " : "", (int64_t)(address - block->block.start), block->block.size,
                        block->block.size == 1 ? "" : "s", allocated, owner);
    if (!block->block.freed || used < 0 || (size_t)used >= room)
        return;
    name_place(account, block->block.freed, freed, sizeof freed);
    snprintf(text + used, room - (size_t)used, ", freed at %s", freed);
}

/* --- values */

static int64_t as_signed(uint64_t value, uint64_t size)
{
    switch (size) {
    case 1: return (int8_t)value;
    case 2: return (int16_t)value;
    case 4: return (int32_t)value;
    default: return (int64_t)value;
    }
}

/* The address of something in the program. */
static bool name_pointer(const struct account *account, const struct failed_execution *failed, uint64_t value,
                         char *text, size_t room)
{
    Dwarf_Die part;
    const struct typed_block *block = block_at(failed, value);
    if (value < 4096)
        return false;
    if (block && !(block->is_typed && type_has_members(&block->type))) {
        name_plain_block(failed, block, value, text, room);
        return true;
    }
    if (block && block->name[0] && value == block->block.start) { /* "queue" rather than "&*queue" */
        snprintf(text, room, "%s", block->name);
        return true;
    }
    text[0] = '&';
    if (block && name_in_block(block, value, 0, text + 1, room - 1, &part))
        return true;
    if (name_variable(account, value, 0, text + 1, room - 1, &part) ||
        name_thread_local(account, failed, value, 0, text + 1, room - 1, &part))
        return true;
    const char *symbol = debuginfo_function(account->debuginfo, value);
    if (symbol)
        snprintf(text, room, "&%s", symbol);
    return symbol;
}

void name_value(const struct account *account, const struct failed_execution *failed, uint64_t value, uint64_t size,
                const Dwarf_Die *type, char *text, size_t room)
{
    if (size == 8 && name_pointer(account, failed, value, text, room)) /* whatever the type: it may be uintptr_t */
        return;
    if (type && type_value(type, value, text, room))
        return;
    if (type && type_is_pointer(type) && !value)
        snprintf(text, room, "NULL");
    else
        snprintf(text, room, "%" PRId64, as_signed(value, size));
}
