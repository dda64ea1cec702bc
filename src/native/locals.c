/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread-local variables.  Every thread of the program has its own, at addresses of its own, as on a real machine:
 * while it runs, the thread pointer (FS) is that of a block like the one that the C library made for the process's one
 * thread
 * ("ELF Handling For Thread-Local Storage", Drepper 2013, variant II).  Such a block is a copy of that one, with errno
 * and what else libraries keep for a thread; only the first two words differ, its own address and the table of where
 * the variables of each library are.  The third word, by which the C library tells who holds its locks, is the same in
 * all of them: to the library there is one thread.
 *
 * The program's main has the block of the process.
 */
#include "native/locals.h"
#include "native/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

enum { SPARE = 2048, USUAL_DESCRIPTOR = 2304 };

void *__libc_malloc(size_t size);

/* One for each library; the one before them tells how many there are. */
union entry {
    size_t count;
    struct {
        uintptr_t start;
        void *to_be_freed;
    } variables;
};

/* At the thread pointer. */
struct head {
    uintptr_t self;
    union entry *table;
};

static const uintptr_t NOT_YET = UINTPTR_MAX; /* these variables are made when they are first used */

KEPT struct locals locals;
static KEPT struct {
    const unsigned char *image; /* what those of the program begin with; the rest is zero */
    size_t image_size;
    unsigned char *block; /* a copy of all that the thread pointer points to, from so far below */
    size_t below, above;
} model;

struct search {
    bool has_program;
    uintptr_t lowest;
};

static int find_locals(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct search *search = user;
    bool is_program = !search->has_program; /* it comes first */
    search->has_program = true;
    for (int i = 0; i < info->dlpi_phnum && info->dlpi_tls_data; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_TLS)
            continue;
        uintptr_t start = (uintptr_t)info->dlpi_tls_data;
        search->lowest = start < search->lowest ? start : search->lowest;
        if (!is_program)
            continue;
        locals.start = info->dlpi_tls_data;
        locals.size = header->p_memsz;
        model.image = (const unsigned char *)(info->dlpi_addr + header->p_vaddr);
        model.image_size = header->p_filesz;
    }
    return 0;
}

bool locals_make(void)
{
    const uint32_t *size = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread"); /* it is there for debuggers */
    __asm__("movq %%fs:0,%0" : "=r"(locals.base));
    struct search search = {.lowest = locals.base};
    dl_iterate_phdr(find_locals, &search);
    model.below = locals.base - search.lowest;
    model.above = size ? *size : USUAL_DESCRIPTOR;
    locals.error_number = (intptr_t)&errno - (intptr_t)locals.base;
    model.block = reserve(model.below + model.above);
    if (!model.block)
        return false;
    memcpy(model.block, (void *)search.lowest, model.below + model.above);
    return true;
}

/* The spare bytes are for libraries that the C library loads by itself. */
size_t locals_bytes(void)
{
    return (model.below + SPARE + model.above + 2 * PAGE) & ~(size_t)(PAGE - 1);
}

/* With what is in the block of the process moved to this one. */
static union entry *copy_table(const union entry *table, uintptr_t base)
{
    size_t count = table[-1].count;
    union entry *copy = __libc_malloc((count + 2) * sizeof *copy);
    if (!copy)
        return NULL;
    memcpy(copy, table - 1, (count + 2) * sizeof *copy);
    for (size_t i = 2; i < count + 2; i++) {
        uintptr_t below = locals.base - copy[i].variables.start;
        bool is_inside = below <= model.below + SPARE;
        copy[i].variables.start = is_inside ? base - below : NOT_YET;
        copy[i].variables.to_be_freed = NULL;
    }
    return copy + 1;
}

static bool make_block(struct thread *thread, unsigned char *room)
{
    uintptr_t lowest = (uintptr_t)room + SPARE + model.below;
    uintptr_t base = ((lowest + PAGE - 1) & ~(uintptr_t)(PAGE - 1)) + locals.base % PAGE; /* aligned alike */
    if (base >= lowest + PAGE)
        base -= PAGE;
    struct head *head = (struct head *)base;
    memcpy((void *)(base - model.below), model.block, model.below + model.above);
    head->self = base;
    head->table = copy_table(head->table, base);
    thread->base = base;
    return head->table;
}

bool locals_begin(uint32_t agent, unsigned char *room)
{
    struct thread *thread = &threads[agent];
    if (agent == 0)
        thread->base = locals.base;
    else if (!thread->base && !make_block(thread, room))
        return false;
    if (!locals.size)
        return true;
    thread->local = (unsigned char *)(thread->base - (locals.base - (uintptr_t)locals.start));
    memcpy(thread->local, model.image, model.image_size);
    memset(thread->local + model.image_size, 0, locals.size - model.image_size);
    return true;
}
