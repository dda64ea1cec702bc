/*
 * The program's memory: variables are copied back at each run; every thread has a slot with its stack and its heap.
 * Blocks are never used again within a run, so an address depends on its thread's own past alone, and what is freed
 * stays known.  A byte for each word of a slot tells how much of it the program may touch.
 */
#include "native/memory.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

enum {
    PAGE = 4096,
    STACK_BYTES = 8 << 20, /* with a part at its end that nobody may touch */
    HEAP_BYTES = 248 << 20,
    SLOT_BYTES = STACK_BYTES + HEAP_BYTES + 9 * PAGE, /* not a power of two: slots must not share cache sets */
    RED_ZONE = 32,
    FREED = 0xff /* the other values: how many bytes of the word are part of a block */
};

static const uint64_t MARK = UINT64_C(0x706f72746f6c616e);

extern char __data_start[], _end[], __executable_start[], etext[];
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* --- the slots */

static int find_locals(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
            runtime->locals.start = info->dlpi_tls_data;
            runtime->locals.size = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program itself comes first */
}

void *reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || runtime->reserved_count == sizeof runtime->reserved / sizeof *runtime->reserved)
        return NULL;
    runtime->reserved[runtime->reserved_count].start = (uintptr_t)memory;
    runtime->reserved[runtime->reserved_count++].size = size;
    return memory;
}

bool is_reserved(uintptr_t address)
{
    for (uint32_t i = 0; i < runtime->reserved_count; i++)
        if (address - runtime->reserved[i].start < runtime->reserved[i].size)
            return true;
    return false;
}

bool memory_make(void)
{
    runtime->region = reserve((size_t)SLOT_BYTES * MOST_THREADS);
    runtime->heap_state = reserve((size_t)SLOT_BYTES * MOST_THREADS / 8);
    dl_iterate_phdr(find_locals, NULL);
    runtime->variables.start = (unsigned char *)((uintptr_t)__data_start & ~(uintptr_t)7);
    runtime->variables.size = (size_t)((unsigned char *)_end - runtime->variables.start);
    runtime->variables.copy = reserve(runtime->variables.size);
    runtime->locals.copy = reserve(runtime->locals.size + 1);
    if (!runtime->region || !runtime->heap_state || !runtime->variables.copy || !runtime->locals.copy)
        return false;
    memcpy(runtime->variables.copy, runtime->variables.start, runtime->variables.size);
    if (runtime->locals.size)
        memcpy(runtime->locals.copy, runtime->locals.start, runtime->locals.size);
    return true;
}

static unsigned char *slot_of(uint32_t agent)
{
    return runtime->region + (size_t)SLOT_BYTES * agent;
}

bool thread_memory(uint32_t agent)
{
    struct thread *thread = &runtime->threads[agent];
    if (!thread->stack) {
        thread->stack = slot_of(agent);
        thread->stack_size = STACK_BYTES - agent % 8 * 512; /* for the same reason */
        thread->heap = thread->stack + STACK_BYTES;
        thread->local = __libc_malloc(runtime->locals.size + 1);
        mprotect(thread->stack, STACK_GUARD, PROT_NONE);
    }
    if (!thread->local)
        return false;
    memcpy(thread->local, runtime->locals.copy, runtime->locals.size);
    return true;
}

static unsigned char *state_of(uintptr_t address)
{
    return runtime->heap_state + (address - (uintptr_t)runtime->region) / 8;
}

void memory_reset(void)
{
    files_reset();
    memcpy(runtime->variables.start, runtime->variables.copy, runtime->variables.size);
    for (uint32_t agent = 0; agent < runtime->agent_limit; agent++) {
        struct thread *thread = &runtime->threads[agent];
        if (!thread->heap_used)
            continue;
        memset(thread->heap, 0, thread->heap_used);
        memset(state_of((uintptr_t)thread->heap), 0, thread->heap_used / 8);
        thread->heap_used = 0;
    }
}

void heap_shrink(const struct thread *thread, size_t used)
{
    if (used <= thread->heap_used)
        return;
    unsigned char *from = thread->heap + thread->heap_used;
    memset(from, 0, used - thread->heap_used);
    memset(state_of((uintptr_t)from), 0, (used - thread->heap_used) / 8);
}

uint64_t memory_hash(void)
{
    uint64_t hash = XXH3_64bits(runtime->variables.start, runtime->variables.size);
    for (uint32_t agent = 0; agent < runtime->agent_limit; agent++) {
        const struct thread *thread = &runtime->threads[agent];
        if (!thread->exists)
            continue;
        hash = XXH3_64bits_withSeed(thread->heap, thread->heap_used, hash);
        hash = XXH3_64bits_withSeed(thread->local, runtime->locals.size, hash);
    }
    return hash;
}

static bool in_region(uintptr_t address)
{
    return address - (uintptr_t)runtime->region < (uintptr_t)SLOT_BYTES * MOST_THREADS;
}

bool is_on_heap(uintptr_t address)
{
    return in_region(address) && (address - (uintptr_t)runtime->region) % SLOT_BYTES >= STACK_BYTES;
}

bool is_on_stack(const struct thread *thread, uintptr_t address)
{
    return address - (uintptr_t)thread->stack < thread->stack_size;
}

uint32_t stack_owner(uintptr_t address)
{
    if (!in_region(address) || (address - (uintptr_t)runtime->region) % SLOT_BYTES >= STACK_BYTES)
        return NO_AGENT;
    return (uint32_t)((address - (uintptr_t)runtime->region) / SLOT_BYTES);
}

bool is_local(uintptr_t address)
{
    return address - (uintptr_t)runtime->locals.start < runtime->locals.size;
}

size_t shadow_words(void)
{
    return (size_t)SLOT_BYTES * MOST_THREADS / 8 + runtime->variables.size / 8 + 1;
}

size_t shadow_word(uintptr_t address)
{
    if (in_region(address))
        return (address - (uintptr_t)runtime->region) / 8;
    if (address - (uintptr_t)runtime->variables.start < runtime->variables.size)
        return (size_t)SLOT_BYTES * MOST_THREADS / 8 + (address - (uintptr_t)runtime->variables.start) / 8;
    return SIZE_MAX;
}

/* --- blocks */

uint32_t owner_of(const struct block *block)
{
    return (uint32_t)(((uintptr_t)block - (uintptr_t)runtime->region) / SLOT_BYTES);
}

static struct block *block_before(uintptr_t address)
{
    uintptr_t heap = (uintptr_t)slot_of((uint32_t)((address - (uintptr_t)runtime->region) / SLOT_BYTES)) + STACK_BYTES;
    for (uintptr_t at = address & ~(uintptr_t)15; at >= heap; at -= 16)
        if (((struct block *)at)->mark == (MARK ^ at))
            return (struct block *)at;
    return NULL;
}

bool describe_block(uintptr_t address, char *text, size_t size)
{
    const struct block *block = is_on_heap(address) ? block_before(address) : NULL;
    if (!block)
        return false;
    char allocated[120], freed[120], owner[32];
    describe_place(block->allocated, allocated, sizeof allocated);
    agent_name(owner_of(block), owner, sizeof owner);
    int used = snprintf(text, size, "byte %td of a block of %zu byte%s allocated at %s by %s",
                        (ptrdiff_t)(address - (uintptr_t)(block + 1)), block->size, block->size == 1 ? "" : "s",
                        allocated, owner);
    if (block->freed && used > 0 && (size_t)used < size) {
        describe_place(block->freed, freed, sizeof freed);
        snprintf(text + used, size - (size_t)used, ", freed at %s", freed);
    }
    return true;
}

void check_heap(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    if (!is_on_heap(address))
        return;
    for (uintptr_t at = address; at < address + size; at = (at | 7) + 1) {
        unsigned char state = *state_of(at);
        uintptr_t last = at / 8 == (address + size - 1) / 8 ? address + size - 1 : at | 7;
        if (state != FREED && (last & 7) < state)
            continue;
        if (runtime->failure.kind == NO_FAILURE)
            runtime->failure.address = state == FREED || (at & 7) >= state ? at : (at & ~(uintptr_t)7) + state;
        fail_run(FAILED_MEMORY, caller, "%s %s", writes ? "writes" : "reads",
                 state == FREED ? "memory that was freed" : "memory beyond a block");
    }
}

static void *allocate(size_t size, size_t alignment, uintptr_t caller)
{
    struct thread *thread = current_thread();
    uintptr_t end = (uintptr_t)thread->heap + thread->heap_used;
    uintptr_t start = (end + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    if (size > HEAP_BYTES || start + size + RED_ZONE > (uintptr_t)thread->heap + HEAP_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    struct block *block = (struct block *)start - 1;
    *block = (struct block){size, caller, 0, MARK ^ (uintptr_t)block};
    memset(state_of(start), 8, size / 8);
    if (size % 8)
        *state_of(start + size) = size % 8;
    note_allocation(start, size, caller);
    thread->heap_used = ((start + size + RED_ZONE - (uintptr_t)thread->heap) + 15) & ~(size_t)15;
    return (void *)start;
}

static void release(void *memory, uintptr_t caller)
{
    struct block *block = (struct block *)memory - 1;
    uintptr_t start = (uintptr_t)memory;
    runtime->failure.address = start;
    if (!is_on_heap(start) || start % 16 || block->mark != (MARK ^ (uintptr_t)block))
        fail_run(FAILED_MEMORY, caller, "frees what malloc did not give%s",
                 is_on_heap(start) && *state_of(start) ? ", but part of what it gave" : "");
    if (block->freed)
        fail_run(FAILED_MEMORY, caller, "frees a block that was freed before");
    runtime->failure.address = 0;
    note_access(start, block->size, true, caller);
    journal_save(&block->freed, sizeof block->freed);
    journal_save(state_of(start), (block->size + 7) / 8);
    block->freed = caller;
    memset(state_of(start), FREED, (block->size + 7) / 8);
}

bool is_program_text(uintptr_t caller)
{
    return caller >= (uintptr_t)__executable_start && caller < (uintptr_t)etext;
}

/* Only what the program itself asks for: libraries keep what they allocate over several runs. */
static bool is_for_program(uintptr_t caller)
{
    return in_program() && is_program_text(caller);
}

void *program_malloc(size_t size, uintptr_t caller)
{
    return is_for_program(caller) ? allocate(size, 16, caller) : __libc_malloc(size);
}

EXPORT void *malloc(size_t size)
{
    return program_malloc(size, CALLER);
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (!is_for_program(CALLER))
        return __libc_calloc(count, size);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(bytes, 16, CALLER); /* which is zero in every run */
}

static bool is_foreign(const void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    return !in_program() || (shadow_word(address) == SIZE_MAX && !is_local(address));
}

EXPORT void free(void *memory)
{
    if (!memory)
        return;
    if (is_foreign(memory))
        __libc_free(memory);
    else
        release(memory, CALLER);
}

static void *reallocate(void *memory, size_t size, uintptr_t caller)
{
    if (!memory)
        return program_malloc(size, caller);
    if (is_foreign(memory))
        return __libc_realloc(memory, size);
    if (!size) { /* as glibc does it */
        release(memory, caller);
        return NULL;
    }
    const struct block *block = (const struct block *)memory - 1;
    void *moved = allocate(size, 16, caller);
    if (!moved)
        return NULL;
    if (is_on_heap((uintptr_t)memory) && block->mark == (MARK ^ (uintptr_t)block) && !block->freed)
        memcpy(moved, memory, block->size < size ? block->size : size);
    release(memory, caller);
    return moved;
}

EXPORT void *realloc(void *memory, size_t size)
{
    return reallocate(memory, size, CALLER);
}

EXPORT void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(memory, bytes, CALLER);
}

static void *allocate_aligned(size_t alignment, size_t size, uintptr_t caller)
{
    if (!is_for_program(caller))
        return __libc_memalign(alignment, size);
    if (!alignment || alignment & (alignment - 1)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, alignment < 16 ? 16 : alignment, caller);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return allocate_aligned(alignment, size, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return allocate_aligned(alignment, size, CALLER);
}

EXPORT void *valloc(size_t size)
{
    return allocate_aligned(PAGE, size, CALLER);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return EINVAL;
    int error_number = errno;
    void *found = allocate_aligned(alignment, size, CALLER);
    errno = error_number;
    if (found) {
        if (in_program())
            note_access((uintptr_t)memory, sizeof *memory, true, CALLER);
        *memory = found;
    }
    return found ? 0 : ENOMEM;
}

size_t __real_malloc_usable_size(void *memory);
EXPORT size_t __wrap_malloc_usable_size(void *memory);
EXPORT size_t __wrap_malloc_usable_size(void *memory)
{
    return memory && is_on_heap((uintptr_t)memory) ? ((struct block *)memory)[-1].size
                                                   : __real_malloc_usable_size(memory);
}

/* --- leaks */

static struct block *next_block(uintptr_t at, uintptr_t end)
{
    for (; at + sizeof(struct block) <= end; at += 16) /* there is room between them where more alignment is wanted */
        if (((struct block *)at)->mark == (MARK ^ at))
            return (struct block *)at;
    return NULL;
}

struct block *block_after(struct block *block, uint32_t agent)
{
    const struct thread *thread = &runtime->threads[agent];
    uintptr_t at = block ? (uintptr_t)(block + 1) + (block->size & ~(size_t)15) : (uintptr_t)thread->heap;
    return next_block(at, (uintptr_t)thread->heap + thread->heap_used);
}

struct block *block_with(uintptr_t address)
{
    struct block *block = is_on_heap(address) ? block_before(address) : NULL;
    bool inside = block && address - (uintptr_t)(block + 1) < (block->size ? block->size : 1);
    return inside ? block : NULL;
}
