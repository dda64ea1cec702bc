/* SPDX-License-Identifier: Apache-2.0 */
/* Waits with a time limit, of the library's own: each tries once, since the time may be over at any moment. */
#include <bits/c++config.h>
#if _GLIBCXX_RELEASE > 14
#include_next <bits/atomic_timed_wait.h>
#elif !defined _GLIBCXX_ATOMIC_TIMED_WAIT_H
#define _GLIBCXX_ATOMIC_TIMED_WAIT_H 1
#pragma GCC system_header

#include <bits/atomic_wait.h>
#include <bits/chrono.h>

namespace std
{

template <typename _Tp, typename _Pred, typename _Time>
bool __atomic_wait_address_until(const _Tp *, _Pred __pred, const _Time &) noexcept
{
    return __pred();
}

template <typename _Pred, typename _Time>
bool __atomic_wait_address_until_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &) noexcept
{
    return __pred();
}

template <typename _Tp, typename _Pred, typename _Time>
bool __atomic_wait_address_for(const _Tp *, _Pred __pred, const _Time &) noexcept
{
    return __pred();
}

template <typename _Pred, typename _Time>
bool __atomic_wait_address_for_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &) noexcept
{
    return __pred();
}

} // namespace std

#endif
