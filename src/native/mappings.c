/* SPDX-License-Identifier: Apache-2.0 */
/* mmap: a mapping of nothing, or a private one of a file, is a block of the thread's heap, which munmap frees. */
#include "native/accesses.h"
#include "native/descriptors.h"
#include "native/memory.h"
#include "native/unseen.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void *fails(int error)
{
    errno = error;
    return MAP_FAILED;
}

/* What of the file there is; the rest is zero. */
static bool read_file(int file, off_t offset, unsigned char *to, size_t size)
{
    calls_unseen();
    while (size) {
        ssize_t count = pread(file, to, size, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        to += count;
        offset += count;
        size -= (size_t)count;
    }
    return true;
}

/* NULL: it can be had. */
static const char *why_not(int protection, int flags)
{
    bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    return flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN)       ? "at an address that it chooses"
           : protection & PROT_EXEC                                        ? "that is code"
           : !(protection & PROT_READ)                                     ? "that cannot be read"
           : shared && !(flags & MAP_ANONYMOUS) && protection & PROT_WRITE ? "that writes to a file"
                                                                           : NULL;
}

static void *map(size_t size, int protection, int flags, int file, off_t offset, uintptr_t caller)
{
    const char *reason = why_not(protection, flags);
    if (!size || offset % PAGE)
        return fails(EINVAL);
    if (reason)
        fail_run(FAILED_REFUSED, caller, "calls mmap for memory %s, which is not modelled", reason);
    if (!(flags & MAP_ANONYMOUS) && is_descriptor(file))
        return fails(ENODEV);
    unsigned char *made = program_new(whole_pages(size), PAGE, BY_MMAP, caller);
    if (!made)
        return fails(ENOMEM);
    if (!(flags & MAP_ANONYMOUS)) {
        writes(made, size, caller);
        if (!read_file(file, offset, made, size)) {
            int error = errno == EISDIR ? ENODEV : errno;
            program_delete(made, BY_MMAP, caller);
            return fails(error);
        }
    }
    return made;
}

#define MAPS(name)                                                                                                     \
    EXPORT void *__wrap_##name(void *address, size_t size, int protection, int flags, int file, off_t offset);         \
    EXPORT void *__wrap_##name(void *address, size_t size, int protection, int flags, int file, off_t offset)          \
    {                                                                                                                  \
        return in_program() ? map(size, protection, flags, file, offset, CALLER)                                       \
                            : mmap(address, size, protection, flags, file, offset);                                    \
    }

MAPS(mmap)
MAPS(mmap64)

EXPORT int __wrap_munmap(void *address, size_t size);
EXPORT int __wrap_munmap(void *address, size_t size)
{
    uintptr_t caller = CALLER;
    if (!in_program())
        return munmap(address, size);
    if (!size || (uintptr_t)address % PAGE) {
        errno = EINVAL;
        return -1;
    }
    const struct block *block = block_with((uintptr_t)address);
    bool is_start = block && (uintptr_t)(block + 1) == (uintptr_t)address;
    if (!is_start || whole_pages(size) != block->size)
        fail_run(FAILED_REFUSED, caller, "calls munmap for what is not one whole mapping, which is not modelled");
    program_delete(address, BY_MMAP, caller);
    return 0;
}

EXPORT int __wrap_mprotect(void *address, size_t size, int protection);
EXPORT int __wrap_mprotect(void *address, size_t size, int protection)
{
    if (!in_program())
        return mprotect(address, size, protection);
    if (protection != (PROT_READ | PROT_WRITE))
        fail_run(FAILED_REFUSED, CALLER, "calls mprotect to forbid accesses, which is not modelled");
    return 0;
}

/* What is only a hint makes no difference; memory that is given back is zero. */
EXPORT int __wrap_madvise(void *address, size_t size, int advice);
EXPORT int __wrap_madvise(void *address, size_t size, int advice)
{
    if (!in_program())
        return madvise(address, size, advice);
    if (advice == MADV_FREE || advice == MADV_REMOVE)
        fail_run(FAILED_REFUSED, CALLER, "calls madvise with MADV_FREE or MADV_REMOVE, which is not modelled");
    if (advice == MADV_DONTNEED) {
        writes(address, size, CALLER);
        memset(address, 0, size);
    }
    return 0;
}
