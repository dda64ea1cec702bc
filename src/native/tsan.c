/* The calls by which gcc and clang report memory accesses (-fsanitize=thread). */
#include "native/orders.h"
#include "native/runtime.h"

#define PLAIN(name, bytes, is_write)                                                                                   \
    EXPORT void __tsan_##name(void *address);                                                                          \
    EXPORT void __tsan_##name(void *address)                                                                           \
    {                                                                                                                  \
        if (in_program())                                                                                              \
            note_access((uintptr_t)address, bytes, is_write, CALLER);                                                  \
    }
#define BOTH(prefix, bytes)                                                                                            \
    PLAIN(prefix##read##bytes, bytes, false)                                                                           \
    PLAIN(prefix##write##bytes, bytes, true)
#define COMPOUND(prefix, bytes) PLAIN(prefix##read_write##bytes, bytes, true)

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
BOTH(volatile_, 1)
BOTH(volatile_, 2)
BOTH(volatile_, 4)
BOTH(volatile_, 8)
BOTH(volatile_, 16)
BOTH(unaligned_volatile_, 2)
BOTH(unaligned_volatile_, 4)
BOTH(unaligned_volatile_, 8)
BOTH(unaligned_volatile_, 16)
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
    if (in_program())
        note_access((uintptr_t)address, size, false, CALLER);
}

EXPORT void __tsan_write_range(void *address, size_t size);
EXPORT void __tsan_write_range(void *address, size_t size)
{
    if (in_program())
        note_access((uintptr_t)address, size, true, CALLER);
}

EXPORT void __tsan_vptr_update(void **address, void *value);
EXPORT void __tsan_vptr_update(void **address, void *value)
{
    if (in_program() && *address != value)
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
}

EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void)
{
}

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    if (in_program()) {
        note_order(order, CALLER);
        fence(order);
    }
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

static unsigned __int128 atomic(enum operation kind, volatile void *address, uint8_t size, unsigned __int128 operand,
                                int order, uintptr_t caller)
{
    touch(address, caller); /* a bad address must fail here, not in the search */
    note_order(order, caller);
    return visible(&(struct pending){.kind = kind,
                                     .size = size,
                                     .order = order,
                                     .address = (uintptr_t)address,
                                     .operand = operand,
                                     .caller = caller});
}

/* gcc adds flags to the memory order (HLE); what matters are the low bits. */
#define ORDER(order) ((order)&0xff)

#define READ_MODIFY_WRITE(bits, type, name, kind)                                                                      \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);                         \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)                          \
    {                                                                                                                  \
        if (!in_program())                                                                                             \
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
        if (in_program())                                                                                              \
            note_access((uintptr_t)expected, sizeof *expected, false, CALLER);                                         \
        type wanted = *expected;                                                                                       \
        type found = __tsan_atomic##bits##_compare_exchange_val(address, wanted, value, order, failure_order);         \
        if (found == wanted)                                                                                           \
            return 1;                                                                                                  \
        if (in_program())                                                                                              \
            note_access((uintptr_t)expected, sizeof *expected, true, CALLER);                                          \
        *expected = found;                                                                                             \
        return 0;                                                                                                      \
    }

#define ATOMICS(bits, type)                                                                                            \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order);                                   \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order)                                    \
    {                                                                                                                  \
        if (!in_program())                                                                                             \
            return *address;                                                                                           \
        return (type)atomic(OP_LOAD, (volatile void *)(uintptr_t)address, bits / 8, 0, ORDER(order), CALLER);          \
    }                                                                                                                  \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                            \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                             \
    {                                                                                                                  \
        if (in_program())                                                                                              \
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
        if (!in_program())                                                                                             \
            return OUTSIDE(address, old == expected ? value : old);                                                    \
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

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, unsigned __int128)
