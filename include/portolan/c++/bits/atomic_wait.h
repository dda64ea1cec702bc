/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait and notify of atomics.  In libstdc++ they spin for a while and go to the kernel then; here each is a call of the
 * runtime: comparing and beginning to wait are one step of the search, and who waits has to be notified.
 */
#include <bits/c++config.h>
#if _GLIBCXX_RELEASE > 14
#include_next <bits/atomic_wait.h>
#elif !defined _GLIBCXX_ATOMIC_WAIT_H
#define _GLIBCXX_ATOMIC_WAIT_H 1
#pragma GCC system_header

#include <bits/c++config.h>
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <ext/numeric_traits.h>

#define __cpp_lib_atomic_wait 201907L

/* The next atomic load of this object by this thread begins to wait if it finds these bytes; false: it cannot. */
extern "C" bool __portolan_will_wait(const volatile void *__object, __SIZE_TYPE__ __size, const void *__value);
/* Waits, if it has begun to. */
extern "C" void __portolan_wait(const volatile void *__object);
extern "C" void __portolan_notify(const volatile void *__object, bool __all);

namespace std
{

namespace __detail
{
using __platform_wait_t = int;
static constexpr size_t __platform_wait_alignment = 4;

inline void __thread_yield() noexcept
{
    __gthread_yield();
}

inline void __thread_relax() noexcept
{
}

template <typename _Tp> bool __atomic_compare(const _Tp &__a, const _Tp &__b)
{
    return __builtin_memcmp(&__a, &__b, sizeof(_Tp)) == 0;
}

template <typename _Pred> bool __atomic_spin(_Pred &__pred) noexcept
{
    return __pred();
}
} // namespace __detail

template <typename _Tp>
inline constexpr bool __platform_wait_uses_type = is_scalar_v<_Tp> &&
                                                  sizeof(_Tp) == sizeof(__detail::__platform_wait_t);

template <typename _Tp, typename _ValFn>
void __atomic_wait_address_v(const _Tp *__object, _Tp __old, _ValFn __load) noexcept
{
    for (;;) {
        bool __waits = __portolan_will_wait(__object, sizeof(_Tp), &__old);
        if (!__detail::__atomic_compare(__old, __load()))
            return;
        if (__waits)
            __portolan_wait(__object);
    }
}

/* The library's own: those who change the object always notify. */
template <typename _Tp, typename _Pred> void __atomic_wait_address(const _Tp *, _Pred __pred) noexcept
{
    while (!__pred())
        ;
}

template <typename _Pred> void __atomic_wait_address_bare(const __detail::__platform_wait_t *, _Pred __pred) noexcept
{
    while (!__pred())
        ;
}

template <typename _Tp> void __atomic_notify_address(const _Tp *__object, bool __all) noexcept
{
    __portolan_notify(__object, __all);
}

inline void __atomic_notify_address_bare(const __detail::__platform_wait_t *, bool) noexcept
{
}

} // namespace std

#endif
