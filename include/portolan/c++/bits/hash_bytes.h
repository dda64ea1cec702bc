/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of bytes, which the program reads where they are seen: FNV-1a. */
#include_next <bits/hash_bytes.h>

#ifndef PORTOLAN_HASH_BYTES_H
#define PORTOLAN_HASH_BYTES_H 1
#pragma GCC system_header

namespace std
{
__attribute__((__weak__)) size_t _Hash_bytes(const void *__bytes, size_t __size, size_t __seed)
{
    size_t __hash = 14695981039346656037u ^ __seed;
    for (size_t __i = 0; __i < __size; __i++)
        __hash = (__hash ^ ((const unsigned char *)__bytes)[__i]) * 1099511628211u;
    return __hash;
}
} // namespace std

#endif
