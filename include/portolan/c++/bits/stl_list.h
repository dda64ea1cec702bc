/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: what libstdc++ has compiled of them, here to be compiled with the program, so that its accesses are seen. */
#include_next <bits/stl_list.h>

#ifndef PORTOLAN_STL_LIST_H
#define PORTOLAN_STL_LIST_H 1
#pragma GCC system_header

namespace std
{
namespace __detail
{
__attribute__((__weak__)) void _List_node_base::_M_hook(_List_node_base *const __position) _GLIBCXX_USE_NOEXCEPT
{
    _M_next = __position;
    _M_prev = __position->_M_prev;
    __position->_M_prev->_M_next = this;
    __position->_M_prev = this;
}

__attribute__((__weak__)) void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT
{
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

/* Those from the first on, up to the last, come before this one. */
__attribute__((__weak__)) void _List_node_base::_M_transfer(_List_node_base *const __first,
                                                            _List_node_base *const __last) _GLIBCXX_USE_NOEXCEPT
{
    if (this == __last || __first == __last)
        return;
    _List_node_base *__end = __last->_M_prev, *__before = _M_prev;
    __first->_M_prev->_M_next = __last;
    __last->_M_prev = __first->_M_prev;
    __before->_M_next = __first;
    __first->_M_prev = __before;
    __end->_M_next = this;
    _M_prev = __end;
}

__attribute__((__weak__)) void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__x = this;
    do {
        _List_node_base *__next = __x->_M_next;
        __x->_M_next = __x->_M_prev;
        __x->_M_prev = __next;
        __x = __next;
    } while (__x != this);
}

/* The two are heads of lists; an empty one points to itself. */
__attribute__((__weak__)) void _List_node_base::swap(_List_node_base &__x, _List_node_base &__y) _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base __old = __x;
    bool __x_is_empty = __x._M_next == &__x, __y_is_empty = __y._M_next == &__y;
    if (__y_is_empty)
        __x._M_next = __x._M_prev = &__x;
    else {
        __x = __y;
        __x._M_next->_M_prev = __x._M_prev->_M_next = &__x;
    }
    if (__x_is_empty)
        __y._M_next = __y._M_prev = &__y;
    else {
        __y = __old;
        __y._M_next->_M_prev = __y._M_prev->_M_next = &__y;
    }
}
} // namespace __detail
} // namespace std

#endif
