/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's memory: variables are copied back at each run; every thread has a slot with its stack and its heap.
 * Blocks are never used again within a run, so an address depends on its thread's own past alone, and what is freed
 * stays known.  A byte for each word of a slot tells how much of it the program may touch.
 */
#include "native/memory.h"
#include "native/descriptors.h"
#include "native/environment.h"
#include "native/journal.h"
#include "native/locals.h"
#include "native/races.h"
#include "native/recorder.h"
#include "native/run.h"
#include "native/symbols.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

enum {
    USUAL_STACK = 8 << 20, /* that of glibc, mostly */
    LARGEST_STACK = 256 << 20,
    STACK_GUARD = 1 << 20, /* nobody may touch what is below a stack; at least this */
    LARGEST_SLOT = 36,     /* as a power of two; less when there are not so many addresses */
    ROOMY_SLOT = 32,       /* from here on there are large stacks */
    SMALLEST_SLOT = 26,
    LARGE = 1 << 17, /* bytes that are better given back than cleared */
    RED_ZONE = 32,
    FREED = 0xff
};

static const uint64_t MARK = UINT64_C(0x706f72746f6c616e);

extern char __data_start[], _end[], __executable_start[], etext[];
extern char kept_start[] __asm__("__start_portolan_kept") __attribute__((visibility("hidden")));
extern char kept_end[] __asm__("__stop_portolan_kept") __attribute__((visibility("hidden")));
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

KEPT struct region region;
static KEPT unsigned char
    *chunk_is_shared; /* per chunk of the region: another thread has touched it, in whatever run */

/* The program's variables, and those of the runtime that are reset: before the kept ones, and behind them. */
static KEPT struct piece variables[PIECES];

static KEPT struct {
    uintptr_t start;
    size_t size;
} reserved[32];
static KEPT uint32_t reserved_count;

/* --- the slots */

void *reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || reserved_count == sizeof reserved / sizeof *reserved)
        return NULL;
    reserved[reserved_count].start = (uintptr_t)memory;
    reserved[reserved_count++].size = size;
    return memory;
}

bool is_reserved(uintptr_t address)
{
    for (uint32_t i = 0; i < reserved_count; i++)
        if (address - reserved[i].start < reserved[i].size)
            return true;
    return false;
}

/* What is reserved per slot is about this many times as large, with what the race detector needs. */
static bool has_room(uint32_t shift)
{
    size_t size = 4 * ((size_t)MOST_THREADS << shift);
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        munmap(memory, size);
    return memory != MAP_FAILED;
}

static bool piece_make(struct piece *piece, uintptr_t start, uintptr_t end)
{
    piece->start = (unsigned char *)start;
    piece->size = end - start;
    piece->copy = piece->size ? reserve(piece->size) : NULL;
    if (piece->copy)
        memcpy(piece->copy, piece->start, piece->size);
    return piece->copy || !piece->size;
}

/* Kept variables may also lie outside of all others, which is as good. */
static bool variables_make(void)
{
    uintptr_t start = (uintptr_t)__data_start & ~(uintptr_t)7, end = (uintptr_t)_end;
    uintptr_t kept = (uintptr_t)kept_start, behind = (uintptr_t)kept_end;
    bool inside = kept >= start && behind <= end;
    region.variables = start;
    region.variables_size = end - start;
    return piece_make(&variables[0], start, inside ? kept : end) &&
           piece_make(&variables[1], inside ? behind : end, end);
}

const struct piece *program_variables(void)
{
    return variables;
}

bool memory_make(void)
{
    if (!locals_make())
        return false;
    region.slot_shift = LARGEST_SLOT;
    while (region.slot_shift > SMALLEST_SLOT && !has_room(region.slot_shift))
        region.slot_shift--;
    region.stack_room = STACK_GUARD + (region.slot_shift < ROOMY_SLOT ? USUAL_STACK : LARGEST_STACK);
    region.given_offset = region.stack_room + locals_bytes();
    region.heap_offset = region.given_offset + environment_bytes();
    region.size = (size_t)MOST_THREADS << region.slot_shift;
    region.start = reserve(region.size);
    region.word_state = reserve(region.size / 8);
    region.chunk_state = reserve(region.size / CHUNK);
    chunk_is_shared = reserve(region.size / CHUNK);
    return region.start && region.word_state && region.chunk_state && chunk_is_shared && variables_make() &&
           environment_make(region.start + region.given_offset);
}

static uintptr_t heap_end(const struct thread *thread)
{
    uint32_t next = (uint32_t)(thread - threads) + 1;
    return (uintptr_t)region.start + ((size_t)next << region.slot_shift);
}

bool thread_memory(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    if (!thread->stack) {
        thread->stack = slot_of(agent);
        thread->stack_size = region.stack_room - agent % 8 * 512; /* for the same reason */
        thread->stack_guard = region.stack_room - USUAL_STACK;
        thread->heap = thread->stack + region.heap_offset;
        mprotect(thread->stack, thread->stack_guard, PROT_NONE);
    }
    return locals_begin(agent, thread->stack + region.stack_room);
}

/* A stack that was once large stays so: another thread may have this number in the next run. */
bool stack_hold(uint32_t agent, size_t size)
{
    struct thread *thread = &threads[agent];
    if (size > region.stack_room - STACK_GUARD)
        return false;
    size_t guard = (region.stack_room - size) & ~(size_t)(PAGE - 1);
    if (guard < thread->stack_guard) {
        mprotect(thread->stack + guard, thread->stack_guard - guard, PROT_READ | PROT_WRITE);
        thread->stack_guard = guard;
    }
    return true;
}

static unsigned char *state_of(uintptr_t address)
{
    return region.word_state + (address - (uintptr_t)region.start) / 8;
}

static uintptr_t chunk_start(size_t chunk)
{
    return (uintptr_t)region.start + chunk * CHUNK;
}

/* Pages that were all touched will be again, so they are cleared; others go away. */
static void clear_pages(unsigned char *start, size_t size)
{
    enum { AT_ONCE = 4096 };
    unsigned char there[AT_ONCE];
    for (size_t done = 0; done < size; done += AT_ONCE * PAGE) {
        size_t here = size - done < AT_ONCE * PAGE ? size - done : AT_ONCE * PAGE;
        if (mincore(start + done, here, there) != 0)
            memset(there, 1, sizeof there);
        if (!memchr(there, 0, here / PAGE) || madvise(start + done, here, MADV_DONTNEED) != 0)
            memset(start + done, 0, here);
    }
}

static void clear(unsigned char *start, size_t size)
{
    unsigned char *first = (unsigned char *)(((uintptr_t)start + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    unsigned char *last = (unsigned char *)(((uintptr_t)start + size) & ~(uintptr_t)(PAGE - 1));
    if (size < LARGE) {
        memset(start, 0, size);
        return;
    }
    memset(start, 0, (size_t)(first - start));
    clear_pages(first, (size_t)(last - first));
    memset(last, 0, (size_t)(start + size - last));
}

static void clear_heap(const struct thread *thread, size_t from, size_t to)
{
    unsigned char *start = thread->heap + from;
    size_t first = chunk_of((uintptr_t)start), last = chunk_of((uintptr_t)thread->heap + to);
    clear(start, to - from);
    clear(state_of((uintptr_t)start), (to - from) / 8);
    memset(region.chunk_state + first, 0, last - first + 1);
}

void memory_reset(void)
{
    files_reset();
    descriptors_reset();
    for (const struct piece *p = variables; p < variables + PIECES; p++)
        memcpy(p->start, p->copy, p->size);
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        struct thread *thread = &threads[agent];
        if (thread->heap_used)
            clear_heap(thread, 0, thread->heap_used);
        thread->heap_used = 0;
    }
    environment_reset();
    process_reset();
    constructors_reset();
}

void heap_shrink(const struct thread *thread, size_t used)
{
    if (used > thread->heap_used)
        clear_heap(thread, thread->heap_used, used);
}

/* Chunks inside large blocks are left out: reading them would touch every page. */
static uint64_t hash_heap(const struct thread *thread, uint64_t hash)
{
    uintptr_t end = (uintptr_t)thread->heap + thread->heap_used;
    for (uintptr_t at = (uintptr_t)thread->heap, next; at < end; at = next) {
        size_t chunk = chunk_of(at);
        next = chunk_start(chunk + 1) < end ? chunk_start(chunk + 1) : end;
        if (!region.chunk_state[chunk])
            hash = XXH3_64bits_withSeed((void *)at, next - at, hash);
    }
    return hash;
}

uint64_t memory_hash(void)
{
    uint64_t hash = 0;
    for (const struct piece *p = variables; p < variables + PIECES; p++)
        hash = XXH3_64bits_withSeed(p->start, p->size, hash);
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        if (thread->exists)
            hash = XXH3_64bits_withSeed(thread->local, locals.size, hash_heap(thread, hash));
    }
    return hash;
}

/* --- blocks */

/* The lowest bits of the mark, which are free, since blocks are aligned, tell what made it. */
static bool is_block(const struct block *block)
{
    return (block->mark ^ MARK ^ (uintptr_t)block) <= BY_MMAP;
}

static enum maker maker_of(const struct block *block)
{
    return (enum maker)(block->mark ^ MARK ^ (uintptr_t)block);
}

/* Behind what has been handed out there is none: the rest of the room for a heap is too large to be looked through. */
static struct block *block_before(uintptr_t address)
{
    uint32_t agent = slot_with(address);
    uintptr_t heap = (uintptr_t)slot_of(agent) + region.heap_offset, at = address & ~(uintptr_t)15;
    if (at >= heap + threads[agent].heap_used)
        at = (heap + threads[agent].heap_used) - 16;
    while (at >= heap) {
        if (region.chunk_state[chunk_of(at)]) {
            at = chunk_start(chunk_of(at)) - 16;
            continue;
        }
        if (is_block((struct block *)at))
            return (struct block *)at;
        at -= 16;
    }
    return NULL;
}

bool describe_block(uintptr_t address, char *text, size_t size)
{
    const struct block *block = is_on_heap(address) ? block_before(address) : NULL;
    if (!block)
        return false;
    char owner[32];
    agent_name(slot_with((uintptr_t)block), owner, sizeof owner);
    snprintf(text, size, "byte %td of a block of %zu byte%s of %s%s", (ptrdiff_t)(address - (uintptr_t)(block + 1)),
             block->size, block->size == 1 ? "" : "s", owner, block->freed ? ", freed" : "");
    return true;
}

static void out_of_block(uintptr_t at, unsigned char state, bool writes, uintptr_t caller)
{
    if (run.failure.kind == NO_FAILURE)
        run.failure.address = state == FREED || (at & 7) >= state ? at : (at & ~(uintptr_t)7) + state;
    fail_run(FAILED_MEMORY, caller, "%s %s", writes ? "writes" : "reads",
             state == FREED ? "memory that was freed" : "memory beyond a block");
}

/* The first of the bytes that is no part of a live block, with the state of its word; 0: all are. */
static uintptr_t first_out_of_block(uintptr_t address, size_t size, unsigned char *state)
{
    for (uintptr_t at = address, next; at < address + size; at = next) {
        *state = region.chunk_state[chunk_of(at)];
        next = *state ? chunk_start(chunk_of(at) + 1) : (at | 7) + 1;
        *state = *state ? *state : *state_of(at);
        uintptr_t last = at / 8 == (address + size - 1) / 8 ? address + size - 1 : at | 7;
        if (*state == FREED || (last & 7) >= *state)
            return at;
    }
    return 0;
}

bool blocks_are_live(uintptr_t address, size_t size)
{
    unsigned char state;
    return !first_out_of_block(address, size, &state);
}

void check_blocks(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    unsigned char state;
    uintptr_t at = first_out_of_block(address, size, &state);
    if (at)
        out_of_block(at, state, writes, caller);
}

/* The chunks that lie in a block as a whole: how many, and the first. */
static size_t whole_chunks(uintptr_t start, size_t size, size_t *first)
{
    *first = chunk_of(start + CHUNK - 1);
    size_t end = chunk_of(start + size);
    return end > *first ? end - *first : 0;
}

static void set_words(uintptr_t start, uintptr_t end, bool freed)
{
    size_t size = end - start;
    if (freed) {
        journal_save(state_of(start), (size + 7) / 8);
        memset(state_of(start), FREED, (size + 7) / 8);
        return;
    }
    memset(state_of(start), WHOLE, size / 8);
    if (size % 8)
        *state_of(end) = size % 8;
}

/* Only the ends of large blocks have states per word.  An allocation is undone as a whole. */
static void set_state(uintptr_t start, size_t size, bool freed)
{
    size_t first, chunks = whole_chunks(start, size, &first);
    if (!chunks) {
        set_words(start, start + size, freed);
        return;
    }
    if (freed)
        journal_save(region.chunk_state + first, chunks);
    memset(region.chunk_state + first, freed ? FREED : WHOLE, chunks);
    set_words(start, chunk_start(first), freed);
    set_words(chunk_start(first + chunks), start + size, freed);
}

static bool is_unshared(uintptr_t address)
{
    return in_region(address) && region.chunk_state[chunk_of(address)] == WHOLE && !chunk_is_shared[chunk_of(address)];
}

static void learn_of_block(uintptr_t address)
{
    const struct block *block = block_before(address);
    size_t first, chunks = block ? whole_chunks((uintptr_t)(block + 1), block->size, &first) : 0;
    if (chunks)
        memset(chunk_is_shared + first, true, chunks);
    fail_run(SEARCH_AGAIN, 0, "a thread touches a large block of another");
}

uintptr_t skip_unshared_chunks(uint32_t agent, uintptr_t address)
{
    while (is_unshared(address)) {
        if (slot_with(address) != agent) {
            learn_of_block(address);
            return address;
        }
        address = chunk_start(chunk_of(address) + 1);
    }
    return address;
}

/* A size beyond the address space fails as anywhere; a smaller one could succeed elsewhere, so it is refused. */
static void *cannot_allocate(size_t size, uintptr_t caller)
{
    enum { ADDRESS_BITS = 47 };
    if (size >> ADDRESS_BITS == 0)
        fail_run(FAILED_REFUSED, caller,
                 "asks for %zu bytes: a thread can allocate %zu MB in an execution, freed blocks included", size,
                 ((size_t)1 << region.slot_shift >> 20) - (region.heap_offset >> 20) - 3);
    errno = ENOMEM;
    return NULL;
}

static void *allocate_by(enum maker maker, size_t size, size_t alignment, uintptr_t caller)
{
    struct thread *thread = current_thread();
    uintptr_t end = (uintptr_t)thread->heap + thread->heap_used, limit = heap_end(thread);
    uintptr_t start = (end + sizeof(struct block) + alignment - 1) & ~(alignment - 1);
    if (start < end || start + RED_ZONE > limit || size > limit - start - RED_ZONE)
        return cannot_allocate(size, caller);
    struct block *block = (struct block *)start - 1;
    *block = (struct block){size, caller, 0, MARK ^ (uintptr_t)block ^ maker};
    set_state(start, size, false);
    note_allocation(start, size, caller);
    if (recorder.on)
        record_block(FORM_ALLOCATE, start, size, caller);
    thread->heap_used = ((start + size + RED_ZONE - (uintptr_t)thread->heap) + 15) & ~(size_t)15;
    return (void *)start;
}

static void *allocate(size_t size, size_t alignment, uintptr_t caller)
{
    return allocate_by(BY_MALLOC, size, alignment, caller);
}

static void release(void *memory, enum maker maker, uintptr_t caller)
{
    static const char *const undone_by[] = {"free", "delete", "delete[]", "munmap"}, *const made_by[] = {"malloc",
                                                                                                         "new", "new[]",
                                                                                                         "mmap"};
    struct block *block = (struct block *)memory - 1;
    uintptr_t start = (uintptr_t)memory;
    run.failure.address = start;
    if (!is_on_heap(start) || start % 16 || !is_block(block))
        fail_run(FAILED_MEMORY, caller, "frees memory that malloc did not return%s",
                 is_on_heap(start) && (region.chunk_state[chunk_of(start)] || *state_of(start))
                     ? ", but a part of a block that it did"
                     : "");
    if (block->freed)
        fail_run(FAILED_MEMORY, caller, "frees a block that was freed before");
    if (maker_of(block) != maker)
        fail_run(FAILED_MEMORY, caller, "calls %s on memory that comes from %s", undone_by[maker],
                 made_by[maker_of(block)]);
    run.failure.address = 0;
    if (recorder.on)
        record_block(FORM_FREE, start, block->size, caller);
    note_free(start, block->size, caller);
    journal_save(&block->freed, sizeof block->freed);
    block->freed = caller;
    set_state(start, block->size, true);
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
    return !in_program() || shadow_word(address) == SIZE_MAX;
}

EXPORT void free(void *memory)
{
    if (!memory)
        return;
    if (is_foreign(memory))
        __libc_free(memory);
    else
        release(memory, BY_MALLOC, CALLER);
}

void *program_realloc(void *memory, size_t size, uintptr_t caller)
{
    if (!memory)
        return program_malloc(size, caller);
    if (is_foreign(memory))
        return __libc_realloc(memory, size);
    if (!size) { /* as glibc does it */
        release(memory, BY_MALLOC, caller);
        return NULL;
    }
    const struct block *block = (const struct block *)memory - 1;
    void *moved = allocate(size, 16, caller);
    if (!moved)
        return NULL;
    if (is_on_heap((uintptr_t)memory) && is_block(block) && !block->freed)
        memcpy(moved, memory, block->size < size ? block->size : size);
    release(memory, BY_MALLOC, caller);
    return moved;
}

void *program_new(size_t size, size_t alignment, enum maker maker, uintptr_t caller)
{
    return is_for_program(caller) ? allocate_by(maker, size, alignment < 16 ? 16 : alignment, caller)
                                  : __libc_memalign(alignment, size);
}

void program_delete(void *memory, enum maker maker, uintptr_t caller)
{
    if (memory && is_foreign(memory))
        __libc_free(memory);
    else if (memory)
        release(memory, maker, caller);
}

EXPORT void *realloc(void *memory, size_t size)
{
    return program_realloc(memory, size, CALLER);
}

EXPORT void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return program_realloc(memory, bytes, CALLER);
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
        if (is_block((struct block *)at))
            return (struct block *)at;
    return NULL;
}

struct block *block_after(struct block *block, uint32_t agent)
{
    const struct thread *thread = &threads[agent];
    uintptr_t at = block ? (uintptr_t)(block + 1) + (block->size & ~(size_t)15) : (uintptr_t)thread->heap;
    return next_block(at, (uintptr_t)thread->heap + thread->heap_used);
}

struct block *block_with(uintptr_t address)
{
    struct block *block = is_on_heap(address) ? block_before(address) : NULL;
    bool inside = block && address - (uintptr_t)(block + 1) < (block->size ? block->size : 1);
    return inside ? block : NULL;
}
