/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What futures wait with.  In libstdc++ it waits in the kernel, for which its library has functions; here it waits in a
 * loop that only reads, which costs the search nothing, and a wait with a time limit tries once: the time may be over
 * at any moment.
 */
#include <bits/c++config.h>
#if _GLIBCXX_RELEASE > 14
#include_next <bits/atomic_futex.h>
#elif !defined _GLIBCXX_ATOMIC_FUTEX_H
#define _GLIBCXX_ATOMIC_FUTEX_H 1
#pragma GCC system_header

#include <atomic>
#include <bits/chrono.h>

#ifndef _GLIBCXX_ALWAYS_INLINE
#define _GLIBCXX_ALWAYS_INLINE inline __attribute__((__always_inline__))
#endif

namespace std
{

template <unsigned _Waiter_bit = 0x80000000> class __atomic_futex_unsigned
{
    atomic<unsigned> _M_data;

  public:
    explicit __atomic_futex_unsigned(unsigned __data) : _M_data(__data)
    {
    }

    unsigned _M_load(memory_order __order)
    {
        return _M_data.load(__order);
    }

    unsigned _M_load_when_not_equal(unsigned __value, memory_order __order)
    {
        unsigned __found;
        while ((__found = _M_data.load(__order)) == __value)
            ;
        return __found;
    }

    void _M_load_when_equal(unsigned __value, memory_order __order)
    {
        while (_M_data.load(__order) != __value)
            ;
    }

    template <typename _Rep, typename _Period>
    bool _M_load_when_equal_for(unsigned __value, memory_order __order, const chrono::duration<_Rep, _Period> &)
    {
        return _M_data.load(__order) == __value;
    }

    template <typename _Clock, typename _Duration>
    bool _M_load_when_equal_until(unsigned __value, memory_order __order, const chrono::time_point<_Clock, _Duration> &)
    {
        return _M_data.load(__order) == __value;
    }

    void _M_store_notify_all(unsigned __value, memory_order __order)
    {
        _M_data.store(__value, __order);
    }
};

} // namespace std

#endif
