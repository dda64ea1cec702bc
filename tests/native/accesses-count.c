/* SPDX-License-Identifier: Apache-2.0 */
// Stands in for the runtime: counts the reads and writes that are reported.
#include "accesses.h"

#include <stddef.h>
#include <stdio.h>

// clang-format off
static int reads, writes, missing;

void begin_counting(void) { reads = writes = 0; }

void end_counting(const char *function, int least_reads, int least_writes)
{
    if (reads >= least_reads && writes >= least_writes)
        return;
    printf("%s: %d of %d reads, %d of %d writes\n", function, reads, least_reads, writes, least_writes);
    missing = 1;
}

int all_counted(void) { return missing; }

#define REPORT(name, count) void __tsan_##name(void *address); void __tsan_##name(void *address) { (void)address; count++; }
#define SIZES(kind, count) REPORT(kind##2, count) REPORT(kind##4, count) REPORT(kind##8, count) REPORT(kind##16, count)
REPORT(read1, reads)
REPORT(write1, writes)
SIZES(read, reads)
SIZES(write, writes)
SIZES(unaligned_read, reads)
SIZES(unaligned_write, writes)
void __tsan_read_range(void *address, size_t size) { (void)address, (void)size; reads++; }
void __tsan_write_range(void *address, size_t size) { (void)address, (void)size; writes++; }
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}
void *__wrap_memcpy(void *to, const void *from, size_t size) { (void)from, (void)size; reads++; writes++; return to; }
void *__wrap_memset(void *to, int value, size_t size) { (void)value, (void)size; writes++; return to; }
