/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables: what libstdc++ has compiled of them, here to be compiled with the program, so that its accesses are
 * seen.
 */
#include_next <bits/hashtable_policy.h>

#ifndef PORTOLAN_HASHTABLE_POLICY_H
#define PORTOLAN_HASHTABLE_POLICY_H 1
#pragma GCC system_header

namespace std
{
namespace __detail
{
/* A prime that is not smaller. */
__attribute__((__weak__)) std::size_t _Prime_rehash_policy::_M_next_bkt(std::size_t __n) const
{
    if (__n == 0)
        return 1; /* a table that has no buckets of its own yet */
    for (std::size_t __prime = __n < 2 ? 2 : __n;; __prime++) {
        std::size_t __divisor = 2;
        while (__divisor * __divisor <= __prime && __prime % __divisor)
            __divisor++;
        if (__divisor * __divisor <= __prime)
            continue;
        _M_next_resize = (std::size_t)(__prime * (double)_M_max_load_factor);
        return __prime;
    }
}

__attribute__((__weak__)) std::pair<bool, std::size_t>
_Prime_rehash_policy::_M_need_rehash(std::size_t __buckets, std::size_t __elements, std::size_t __more) const
{
    std::size_t __count = __elements + __more;
    if (__count <= _M_next_resize)
        return std::make_pair(false, (std::size_t)0);
    double __wanted = (_M_next_resize || __count > 11 ? __count : 11) / (double)_M_max_load_factor;
    if (__wanted < __buckets) {
        _M_next_resize = (std::size_t)(__buckets * (double)_M_max_load_factor);
        return std::make_pair(false, (std::size_t)0);
    }
    std::size_t __least = (std::size_t)__wanted + 1;
    return std::make_pair(true, _M_next_bkt(__least > 2 * __buckets ? __least : 2 * __buckets));
}
} // namespace __detail
} // namespace std

#endif
