/* SPDX-License-Identifier: Apache-2.0 */
/* The calls by which gcc and clang report memory accesses (-fsanitize=thread). */
#include "native/accesses.h"
#include "native/clocks.h"
#include "native/context.h"
#include "native/futex.h"
#include "native/guards.h"
#include "native/locals.h"
#include "native/orders.h"
#include "native/own_words.h"
#include "native/sections.h"
#include "native/settings.h"
#include "native/signals.h"
#include "native/spinning.h"

/* What is left of our frames would be in the gaps of those that the program puts there next. */
static __attribute__((noinline)) void clear_below(void)
{
    unsigned char room[1024];
    memset(room, 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

#define PLAIN(name, bytes, is_write)                                                                                   \
    EXPORT void __tsan_##name(void *address);                                                                          \
    EXPORT void __tsan_##name(void *address)                                                                           \
    {                                                                                                                  \
        if (is_inside())                                                                                               \
            note_access((uintptr_t)address, bytes, is_write, CALLER);                                                  \
        if (loops.exist)                                                                                               \
            clear_below();                                                                                             \
    }
#define BOTH(prefix, bytes)                                                                                            \
    PLAIN(prefix##read##bytes, bytes, false)                                                                           \
    PLAIN(prefix##write##bytes, bytes, true)
#define COMPOUND(prefix, bytes) PLAIN(prefix##read_write##bytes, bytes, true)

/* Volatile: a step, with the meaning of a relaxed atomic; what only this thread uses is none. */
static void access_volatile(volatile void *address, uint8_t size, bool writes, uintptr_t caller)
{
    uintptr_t at = (uintptr_t)address;
    const struct thread *thread = current_thread();
    bool is_own = (is_on_stack(thread, at) || is_own_local(thread, at)) && !thread->stack_is_shared;
    bool fits = size == 16 ? at % 8 == 0 : at % 8 + size <= 8;
    if (chosen.volatile_is_plain || chosen.interleave || !chosen.exploring || is_own || !fits) {
        note_access(at, size, writes, caller);
        return;
    }
    touch(address, caller);
    note_volatile(caller);
    visible(&(struct pending){.kind = writes ? OP_VOLATILE_WRITE : OP_VOLATILE_READ,
                              .size = size,
                              .order = __ATOMIC_RELAXED,
                              .address = at,
                              .caller = caller});
}

#define VOLATILE(prefix, bytes)                                                                                        \
    EXPORT void __tsan_##prefix##read##bytes(void *address);                                                           \
    EXPORT void __tsan_##prefix##read##bytes(void *address)                                                            \
    {                                                                                                                  \
        if (is_inside())                                                                                               \
            access_volatile(address, bytes, false, CALLER);                                                            \
    }                                                                                                                  \
    EXPORT void __tsan_##prefix##write##bytes(void *address);                                                          \
    EXPORT void __tsan_##prefix##write##bytes(void *address)                                                           \
    {                                                                                                                  \
        if (is_inside())                                                                                               \
            access_volatile(address, bytes, true, CALLER);                                                             \
    }

PLAIN(read1, 1, false)
PLAIN(write1, 1, true)
PLAIN(read2, 2, false)
PLAIN(write2, 2, true)
PLAIN(read4, 4, false)
PLAIN(write4, 4, true)
PLAIN(read8, 8, false)
PLAIN(write8, 8, true)
PLAIN(read16, 16, false)
PLAIN(write16, 16, true)
BOTH(unaligned_, 2)
BOTH(unaligned_, 4)
BOTH(unaligned_, 8)
BOTH(unaligned_, 16)
VOLATILE(volatile_, 1)
VOLATILE(volatile_, 2)
VOLATILE(volatile_, 4)
VOLATILE(volatile_, 8)
VOLATILE(volatile_, 16)
VOLATILE(unaligned_volatile_, 2)
VOLATILE(unaligned_volatile_, 4)
VOLATILE(unaligned_volatile_, 8)
VOLATILE(unaligned_volatile_, 16)
PLAIN(read_write1, 1, true)
PLAIN(read_write2, 2, true)
PLAIN(read_write4, 4, true)
PLAIN(read_write8, 8, true)
PLAIN(read_write16, 16, true)
COMPOUND(unaligned_, 2)
COMPOUND(unaligned_, 4)
COMPOUND(unaligned_, 8)
COMPOUND(unaligned_, 16)

EXPORT void __tsan_read_range(void *address, size_t size);
EXPORT void __tsan_read_range(void *address, size_t size)
{
    if (is_inside())
        note_access((uintptr_t)address, size, false, CALLER);
}

EXPORT void __tsan_write_range(void *address, size_t size);
EXPORT void __tsan_write_range(void *address, size_t size)
{
    if (is_inside())
        note_access((uintptr_t)address, size, true, CALLER);
}

EXPORT void __tsan_vptr_update(void **address, void *value);
EXPORT void __tsan_vptr_update(void **address, void *value)
{
    if (is_inside() && *address != value)
        note_access((uintptr_t)address, sizeof *address, true, CALLER);
}

PLAIN(vptr_read, sizeof(void *), false)

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
}

EXPORT void __tsan_func_entry(void *caller);
EXPORT void __tsan_func_entry(void *caller)
{
    (void)caller;
    if (__builtin_expect(section_count, 0))
        function_begins(CALLER);
    if (__builtin_expect(loops.exist, 0) && is_inside() && !trying)
        function_is_entered((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *));
}

EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void)
{
    if (__builtin_expect(section_count, 0))
        function_ends(CALLER);
    if (__builtin_expect(loops.exist, 0) && is_inside() && !trying)
        function_is_left();
}

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    if (is_inside() && !trying) { /* in a round it only adds to what this thread knows */
        note_order(order, CALLER);
        fence(order);
    }
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* An object of the search is in one word; 16 bytes are two whole ones. */
static void check_alignment(const volatile void *address, uint8_t size, uintptr_t caller)
{
    if (size == 16 ? (uintptr_t)address % 8 : (uintptr_t)address % 8 + size > 8)
        fail_run(FAILED_MISUSE, caller, "has an atomic object that is not aligned");
}

static unsigned __int128 atomic(enum operation kind, volatile void *address, uint8_t size, unsigned __int128 operand,
                                int order, uintptr_t caller)
{
    check_alignment(address, size, caller);
    touch(address, caller); /* a bad address must fail here, not in the search */
    note_order(order, caller);
    return visible(&(struct pending){.kind = kind,
                                     .size = size,
                                     .order = order,
                                     .address = (uintptr_t)address,
                                     .operand = operand,
                                     .caller = caller});
}

/* A load that waits when it finds a value, if that was said of this address. */
static uint64_t load_announced(const volatile void *address, uint8_t size, int order, uintptr_t caller)
{
    struct announced_wait wait = announced_wait;
    announced_wait.address = 0;
    if (wait.address != (uintptr_t)address)
        return (uint64_t)atomic(OP_LOAD, (volatile void *)(uintptr_t)address, size, 0, order, caller);
    check_alignment(address, size, caller);
    touch(address, caller);
    note_order(order, caller);
    return (uint64_t)visible(&(struct pending){.kind = OP_WAIT_VALUE,
                                               .size = size,
                                               .order = order,
                                               .address = (uintptr_t)address,
                                               .expected = wait.value,
                                               .caller = caller});
}

/* gcc adds flags to the memory order (HLE); what matters are the low bits. */
#define ORDER(order) ((order)&0xff)

#define READ_MODIFY_WRITE(bits, type, name, kind)                                                                      \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);                         \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)                          \
    {                                                                                                                  \
        if (!is_inside())                                                                                              \
            return OUTSIDE_##kind(address, operand);                                                                   \
        return (type)atomic(kind, address, bits / 8, operand, ORDER(order), CALLER);                                   \
    }

#define OUTSIDE(address, new)                                                                                          \
    ({                                                                                                                 \
        __typeof__(*(address)) old = *(address);                                                                       \
        *(address) = (__typeof__(old))(new);                                                                           \
        old;                                                                                                           \
    })
#define OUTSIDE_OP_EXCHANGE(address, operand) OUTSIDE(address, operand)
#define OUTSIDE_OP_ADD(address, operand) OUTSIDE(address, old + operand)
#define OUTSIDE_OP_SUB(address, operand) OUTSIDE(address, old - operand)
#define OUTSIDE_OP_AND(address, operand) OUTSIDE(address, old &operand)
#define OUTSIDE_OP_OR(address, operand) OUTSIDE(address, old | operand)
#define OUTSIDE_OP_XOR(address, operand) OUTSIDE(address, old ^ operand)
#define OUTSIDE_OP_NAND(address, operand) OUTSIDE(address, ~(old & operand))

/* gcc hands over where the expected value is; clang, which reads and writes it itself, only what it is. */
#define COMPARE_EXCHANGE(bits, type, name)                                                                             \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type value, int order,             \
                                            int failure_order);                                                        \
    EXPORT int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type value, int order,             \
                                            int failure_order)                                                         \
    {                                                                                                                  \
        if (is_inside())                                                                                               \
            note_access((uintptr_t)expected, sizeof *expected, false, CALLER);                                         \
        type wanted = *expected;                                                                                       \
        type found = __tsan_atomic##bits##_compare_exchange_val(address, wanted, value, order, failure_order);         \
        if (found == wanted)                                                                                           \
            return 1;                                                                                                  \
        if (is_inside())                                                                                               \
            note_access((uintptr_t)expected, sizeof *expected, true, CALLER);                                          \
        *expected = found;                                                                                             \
        return 0;                                                                                                      \
    }

#define ATOMICS(bits, type)                                                                                            \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order);                                   \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order)                                    \
    {                                                                                                                  \
        if (!is_inside())                                                                                              \
            return *address;                                                                                           \
        if (bits == 8 && guards.count && is_guard((uintptr_t)address))                                                 \
            return 0;                                                                                                  \
        if (announced_wait.address)                                                                                    \
            return (type)load_announced(address, bits / 8, ORDER(order), CALLER);                                      \
        return (type)atomic(OP_LOAD, (volatile void *)(uintptr_t)address, bits / 8, 0, ORDER(order), CALLER);          \
    }                                                                                                                  \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                            \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                             \
    {                                                                                                                  \
        if (is_inside())                                                                                               \
            atomic(OP_STORE, address, bits / 8, value, ORDER(order), CALLER);                                          \
        else                                                                                                           \
            *address = value;                                                                                          \
    }                                                                                                                  \
    READ_MODIFY_WRITE(bits, type, exchange, OP_EXCHANGE)                                                               \
    READ_MODIFY_WRITE(bits, type, fetch_add, OP_ADD)                                                                   \
    READ_MODIFY_WRITE(bits, type, fetch_sub, OP_SUB)                                                                   \
    READ_MODIFY_WRITE(bits, type, fetch_and, OP_AND)                                                                   \
    READ_MODIFY_WRITE(bits, type, fetch_or, OP_OR)                                                                     \
    READ_MODIFY_WRITE(bits, type, fetch_xor, OP_XOR)                                                                   \
    READ_MODIFY_WRITE(bits, type, fetch_nand, OP_NAND)                                                                 \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value,          \
                                                           int order, int failure_order);                              \
    EXPORT __attribute__((always_inline)) inline type __tsan_atomic##bits##_compare_exchange_val(                      \
        volatile type *address, type expected, type value, int order, int failure_order)                               \
    {                                                                                                                  \
        if (!is_inside())                                                                                              \
            return OUTSIDE(address, old == expected ? value : old);                                                    \
        check_alignment(address, bits / 8, CALLER);                                                                    \
        touch(address, CALLER);                                                                                        \
        note_order(ORDER(order), CALLER);                                                                              \
        note_order(ORDER(failure_order), CALLER);                                                                      \
        return (type)visible(&(struct pending){.kind = OP_COMPARE_EXCHANGE,                                            \
                                               .size = bits / 8,                                                       \
                                               .order = ORDER(order),                                                  \
                                               .error = ORDER(failure_order),                                          \
                                               .address = (uintptr_t)address,                                          \
                                               .operand = value,                                                       \
                                               .expected = expected,                                                   \
                                               .caller = CALLER});                                                     \
    }                                                                                                                  \
    COMPARE_EXCHANGE(bits, type, compare_exchange_strong)                                                              \
    COMPARE_EXCHANGE(bits, type, compare_exchange_weak)

/* What a compiler calls in libatomic for objects that it does not take for lock-free: the same functions. */
#define SAME(bits, bytes, name, as)                                                                                    \
    EXPORT extern __typeof__(__tsan_atomic##bits##_##as) libatomic_##name##_##bytes __asm__(                           \
        "__atomic_" #name "_" #bytes) __attribute__((alias("__tsan_atomic" #bits "_" #as)));
#define LIBATOMIC(bits, bytes)                                                                                         \
    SAME(bits, bytes, load, load)                                                                                      \
    SAME(bits, bytes, store, store)                                                                                    \
    SAME(bits, bytes, exchange, exchange)                                                                              \
    SAME(bits, bytes, compare_exchange, compare_exchange_strong)                                                       \
    SAME(bits, bytes, fetch_add, fetch_add)                                                                            \
    SAME(bits, bytes, fetch_sub, fetch_sub)                                                                            \
    SAME(bits, bytes, fetch_and, fetch_and)                                                                            \
    SAME(bits, bytes, fetch_or, fetch_or)                                                                              \
    SAME(bits, bytes, fetch_xor, fetch_xor)                                                                            \
    SAME(bits, bytes, fetch_nand, fetch_nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, unsigned __int128)

LIBATOMIC(8, 1)
LIBATOMIC(16, 2)
LIBATOMIC(32, 4)
LIBATOMIC(64, 8)
LIBATOMIC(128, 16)

/* The same for any size, of which only these are modelled. */
static unsigned __int128 any_size(struct pending *op, size_t size)
{
    unsigned __int128 old = 0;
    bool is_modelled = size <= 16 && !(size & (size - 1));
    if (!is_modelled && is_inside())
        fail_run(FAILED_REFUSED, op->caller, "an atomic object of %zu bytes is not modelled, only 1, 2, 4, 8 and 16",
                 size);
    if (!is_modelled)
        abort();
    if (!is_inside()) {
        memcpy(&old, (void *)op->address, size);
        unsigned __int128 value = value_after(op, old);
        memcpy((void *)op->address, &value, size);
        return old;
    }
    check_alignment((void *)op->address, (uint8_t)size, op->caller);
    touch((void *)op->address, op->caller);
    return visible(op);
}

static unsigned __int128 read_operand(const void *from, size_t size, uintptr_t caller)
{
    unsigned __int128 value = 0;
    reads(from, size, caller);
    memcpy(&value, from, size < 16 ? size : 16);
    return value;
}

static void write_result(void *to, unsigned __int128 value, size_t size, uintptr_t caller)
{
    writes(to, size, caller);
    memcpy(to, &value, size);
}

EXPORT void libatomic_load(size_t size, void *address, void *result, int order) __asm__("__atomic_load");
EXPORT void libatomic_load(size_t size, void *address, void *result, int order)
{
    struct pending op = {OP_LOAD, .size = (uint8_t)size, .order = ORDER(order), .address = (uintptr_t)address,
                         .caller = CALLER};
    write_result(result, any_size(&op, size), size, CALLER);
}

EXPORT void libatomic_store(size_t size, void *address, const void *value, int order) __asm__("__atomic_store");
EXPORT void libatomic_store(size_t size, void *address, const void *value, int order)
{
    struct pending op = {OP_STORE, .size = (uint8_t)size, .order = ORDER(order), .address = (uintptr_t)address,
                         .caller = CALLER};
    op.operand = read_operand(value, size, CALLER);
    any_size(&op, size);
}

EXPORT void libatomic_exchange(size_t size, void *address, const void *value, void *result,
                               int order) __asm__("__atomic_exchange");
EXPORT void libatomic_exchange(size_t size, void *address, const void *value, void *result, int order)
{
    struct pending op = {OP_EXCHANGE, .size = (uint8_t)size, .order = ORDER(order), .address = (uintptr_t)address,
                         .caller = CALLER};
    op.operand = read_operand(value, size, CALLER);
    write_result(result, any_size(&op, size), size, CALLER);
}

EXPORT bool libatomic_compare_exchange(size_t size, void *address, void *expected, const void *value, int order,
                                       int failure_order) __asm__("__atomic_compare_exchange");
EXPORT bool libatomic_compare_exchange(size_t size, void *address, void *expected, const void *value, int order,
                                       int failure_order)
{
    struct pending op = {OP_COMPARE_EXCHANGE,           .size = (uint8_t)size,         .order = ORDER(order),
                         .error = ORDER(failure_order), .address = (uintptr_t)address, .caller = CALLER};
    op.expected = read_operand(expected, size, CALLER);
    op.operand = read_operand(value, size, CALLER);
    unsigned __int128 found = any_size(&op, size);
    if (!exchange_fails(&op, found))
        return true;
    write_result(expected, found, size, CALLER);
    return false;
}

#define ADDRESS(name) (uintptr_t)(name)
#define ADDRESSES_OF_ACCESSES(bytes) ADDRESS(__tsan_read##bytes), ADDRESS(__tsan_write##bytes)
#define ADDRESSES_OF_ATOMICS(bits)                                                                                     \
    ADDRESS(__tsan_atomic##bits##_load), ADDRESS(__tsan_atomic##bits##_store),                                         \
        ADDRESS(__tsan_atomic##bits##_exchange), ADDRESS(__tsan_atomic##bits##_fetch_add),                             \
        ADDRESS(__tsan_atomic##bits##_fetch_sub), ADDRESS(__tsan_atomic##bits##_fetch_and),                            \
        ADDRESS(__tsan_atomic##bits##_fetch_or), ADDRESS(__tsan_atomic##bits##_fetch_xor),                             \
        ADDRESS(__tsan_atomic##bits##_compare_exchange_val), ADDRESS(__tsan_atomic##bits##_compare_exchange_strong),   \
        ADDRESS(__tsan_atomic##bits##_compare_exchange_weak)

bool only_reports(uintptr_t function)
{
    const uintptr_t known[] = {ADDRESS(__tsan_func_entry), ADDRESS(__tsan_func_exit), ADDRESSES_OF_ACCESSES(1),
                               ADDRESSES_OF_ACCESSES(2),   ADDRESSES_OF_ACCESSES(4),  ADDRESSES_OF_ACCESSES(8),
                               ADDRESSES_OF_ATOMICS(8),    ADDRESSES_OF_ATOMICS(16),  ADDRESSES_OF_ATOMICS(32),
                               ADDRESSES_OF_ATOMICS(64)};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == function)
            return true;
    return false;
}
