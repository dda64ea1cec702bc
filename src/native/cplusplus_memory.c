/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new and delete.  A program may have its own; these are weak.  A block remembers which kind of new made it, so that
 * another kind of delete, or free, is an error.
 */
#include "native/memory.h"
#include "native/runtime.h"

#define DEFAULT EXPORT __attribute__((weak))
#define OPERATOR(type, name, symbol, ...)                                                                              \
    DEFAULT type name(__VA_ARGS__) __asm__(symbol);                                                                    \
    DEFAULT type name(__VA_ARGS__)

void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak, noreturn));

static void *new_block(size_t size, size_t alignment, enum maker maker, uintptr_t caller)
{
    void *memory = program_new(size, alignment, maker, caller);
    if (!memory)
        throw_bad_alloc();
    return memory;
}

/* One for objects, one for arrays: a letter of the symbol, and of the delete that belongs to it. */
#define NEW(name, letter, maker)                                                                                       \
    OPERATOR(void *, name, "_Zn" letter "m", size_t size)                                                              \
    {                                                                                                                  \
        return new_block(size, 16, maker, CALLER);                                                                     \
    }                                                                                                                  \
    OPERATOR(void *, name##_nothrow, "_Zn" letter "mRKSt9nothrow_t", size_t size, const void *unused)                  \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        return program_new(size, 16, maker, CALLER);                                                                   \
    }                                                                                                                  \
    OPERATOR(void *, name##_aligned, "_Zn" letter "mSt11align_val_t", size_t size, size_t alignment)                   \
    {                                                                                                                  \
        return new_block(size, alignment, maker, CALLER);                                                              \
    }                                                                                                                  \
    OPERATOR(void *, name##_aligned_nothrow, "_Zn" letter "mSt11align_val_tRKSt9nothrow_t", size_t size,               \
             size_t alignment, const void *unused)                                                                     \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        return program_new(size, alignment, maker, CALLER);                                                            \
    }

#define DELETE_AS(name, symbol, maker, ...)                                                                            \
    OPERATOR(void, name, symbol, void *memory, ##__VA_ARGS__)                                                          \
    {                                                                                                                  \
        program_delete(memory, maker, CALLER);                                                                         \
    }
#define UNUSED __attribute__((unused))
#define DELETE(name, letter, maker)                                                                                    \
    DELETE_AS(name, "_Zd" letter "Pv", maker)                                                                          \
    DELETE_AS(name##_sized, "_Zd" letter "Pvm", maker, UNUSED size_t size)                                             \
    DELETE_AS(name##_nothrow, "_Zd" letter "PvRKSt9nothrow_t", maker, UNUSED const void *unused)                       \
    DELETE_AS(name##_aligned, "_Zd" letter "PvSt11align_val_t", maker, UNUSED size_t alignment)                        \
    DELETE_AS(name##_sized_aligned, "_Zd" letter "PvmSt11align_val_t", maker, UNUSED size_t size,                      \
              UNUSED size_t alignment)                                                                                 \
    DELETE_AS(name##_aligned_nothrow, "_Zd" letter "PvSt11align_val_tRKSt9nothrow_t", maker, UNUSED size_t alignment,  \
              UNUSED const void *unused)

NEW(new_object, "w", BY_NEW)
NEW(new_array, "a", BY_NEW_ARRAY)
DELETE(delete_object, "l", BY_NEW)
DELETE(delete_array, "a", BY_NEW_ARRAY)
