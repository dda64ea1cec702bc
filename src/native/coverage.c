/* SPDX-License-Identifier: Apache-2.0 */
#include "native/coverage.h"
#include "native/live.h"
#include "native/threads.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { BREAKPOINT = 0xcc };

KEPT ptrdiff_t unchanged_code;
static KEPT uintptr_t base; /* that was added to the program's addresses */

struct code {
    uintptr_t start;
    size_t size;
};

/* The code of the program itself, in whole pages. */
static int find_code(struct dl_phdr_info *info, size_t size, void *user)
{
    struct code *code = user;
    (void)size;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        uintptr_t start = base + part->p_vaddr, end = start + part->p_memsz;
        code->start = start & ~(uintptr_t)(PAGE - 1);
        code->size = ((end + PAGE - 1) & ~(uintptr_t)(PAGE - 1)) - code->start;
    }
    return 1;
}

static void *copy_of(const struct code *code, int protection)
{
    void *copy = mmap(NULL, code->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return NULL;
    memcpy(copy, (const void *)code->start, code->size);
    if (mprotect(copy, code->size, protection) == 0)
        return copy;
    munmap(copy, code->size);
    return NULL;
}

/* Memory of our own takes the place of the file's, so that whoever watches the code sees that it changes. */
static bool make_changeable(const struct code *code)
{
    void *unchanged = copy_of(code, PROT_READ);
    void *copy = unchanged ? copy_of(code, PROT_READ | PROT_WRITE | PROT_EXEC) : NULL;
    if (!copy || mremap(copy, code->size, code->size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)code->start) == MAP_FAILED)
        return false;
    unchanged_code = (char *)unchanged - (char *)code->start;
    return true;
}

void coverage_make(void)
{
    struct code code = {0};
    struct coverage *coverage = &supervision->coverage;
    dl_iterate_phdr(find_code, &code);
    if (!coverage->count || !code.size || !make_changeable(&code))
        return;
    for (uint32_t i = 0; i < coverage->count; i++) {
        uintptr_t address = base + coverage->statements[i];
        if (address - code.start < code.size)
            *(volatile unsigned char *)address = BREAKPOINT;
    }
    coverage->is_known = true;
}

/* The statement at an address, or how many there are. */
static uint32_t find_statement(const struct coverage *coverage, uint64_t address)
{
    uint32_t low = 0, high = coverage->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (coverage->statements[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < coverage->count && coverage->statements[low] == address ? low : coverage->count;
}

bool coverage_is_hit(ucontext_t *context)
{
    greg_t *counter = &context->uc_mcontext.gregs[REG_RIP];
    uintptr_t address = (uintptr_t)*counter - 1;
    if (!unchanged_code)
        return false;
    uint32_t statement = find_statement(&supervision->coverage, address - base);
    volatile unsigned char *here = (volatile unsigned char *)address;
    unsigned char original = *(const unsigned char *)(address + (uintptr_t)unchanged_code);
    if (statement == supervision->coverage.count || original == BREAKPOINT)
        return false;
    *here = original;
    supervision->coverage.reached[statement] = true;
    *counter = (greg_t)address;
    return true;
}
