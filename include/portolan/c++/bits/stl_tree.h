/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps and sets: what libstdc++ has compiled of their red-black trees (Cormen, Leiserson and Rivest, Introduction to
 * Algorithms, chapter 13), here to be compiled with the program, so that its accesses are seen.
 */
#include_next <bits/stl_tree.h>

#ifndef PORTOLAN_STL_TREE_H
#define PORTOLAN_STL_TREE_H 1
#pragma GCC system_header

namespace std
{

namespace __portolan
{
typedef _Rb_tree_node_base __node;

inline bool __is_black(const __node *__x)
{
    return !__x || __x->_M_color == _S_black;
}

/* What the parent of a node, or the header for the root, has in its place. */
inline void __replace(__node *__old, __node *__by, __node &__header)
{
    __node *__parent = __old->_M_parent;
    if (__parent == &__header)
        __header._M_parent = __by;
    else if (__parent->_M_left == __old)
        __parent->_M_left = __by;
    else
        __parent->_M_right = __by;
    if (__by)
        __by->_M_parent = __parent;
}

/* The child on one side comes up. */
inline void __rotate(__node *__x, bool __left_comes_up, __node &__header)
{
    __node *__up = __left_comes_up ? __x->_M_left : __x->_M_right;
    __node *__moved = __left_comes_up ? __up->_M_right : __up->_M_left;
    (__left_comes_up ? __x->_M_left : __x->_M_right) = __moved;
    if (__moved)
        __moved->_M_parent = __x;
    __replace(__x, __up, __header);
    (__left_comes_up ? __up->_M_right : __up->_M_left) = __x;
    __x->_M_parent = __up;
}

inline void __rebalance_inserted(__node *__x, __node &__header)
{
    while (__x != __header._M_parent && __x->_M_parent->_M_color == _S_red) {
        __node *__parent = __x->_M_parent, *__above = __parent->_M_parent;
        bool __left = __above->_M_left == __parent;
        __node *__uncle = __left ? __above->_M_right : __above->_M_left;
        if (!__is_black(__uncle)) {
            __parent->_M_color = __uncle->_M_color = _S_black;
            __above->_M_color = _S_red;
            __x = __above;
            continue;
        }
        if ((__left ? __parent->_M_right : __parent->_M_left) == __x) {
            __x = __parent;
            __rotate(__x, !__left, __header);
        }
        __x->_M_parent->_M_color = _S_black;
        __above->_M_color = _S_red;
        __rotate(__above, __left, __header);
    }
    __header._M_parent->_M_color = _S_black;
}

/* One black node too few on the side of x, which may be null. */
inline void __rebalance_erased(__node *__x, __node *__parent, __node &__header)
{
    while (__x != __header._M_parent && __is_black(__x)) {
        bool __left = __parent->_M_left == __x;
        __node *__sibling = __left ? __parent->_M_right : __parent->_M_left;
        if (!__is_black(__sibling)) {
            __sibling->_M_color = _S_black;
            __parent->_M_color = _S_red;
            __rotate(__parent, !__left, __header);
            __sibling = __left ? __parent->_M_right : __parent->_M_left;
        }
        __node *__near = __left ? __sibling->_M_left : __sibling->_M_right;
        __node *__far = __left ? __sibling->_M_right : __sibling->_M_left;
        if (__is_black(__near) && __is_black(__far)) {
            __sibling->_M_color = _S_red;
            __x = __parent;
            __parent = __x->_M_parent;
            continue;
        }
        if (__is_black(__far)) {
            __near->_M_color = _S_black;
            __sibling->_M_color = _S_red;
            __rotate(__sibling, __left, __header);
            __sibling = __near;
            __far = __left ? __sibling->_M_right : __sibling->_M_left;
        }
        __sibling->_M_color = __parent->_M_color;
        __parent->_M_color = _S_black;
        __far->_M_color = _S_black;
        __rotate(__parent, !__left, __header);
        break;
    }
    if (__x)
        __x->_M_color = _S_black;
}

/* The ends of the tree, without a node that is about to leave it. */
inline void __move_ends(__node *__z, __node &__header)
{
    if (__header._M_left == __z)
        __header._M_left = __z->_M_right ? __node::_S_minimum(__z->_M_right) : __z->_M_parent;
    if (__header._M_right == __z)
        __header._M_right = __z->_M_left ? __node::_S_maximum(__z->_M_left) : __z->_M_parent;
}

inline const __node *__next(const __node *__x)
{
    if (__x->_M_right)
        return __node::_S_minimum(__x->_M_right);
    const __node *__y = __x->_M_parent;
    while (__x == __y->_M_right) {
        __x = __y;
        __y = __y->_M_parent;
    }
    return __x->_M_right == __y ? __x : __y; /* the header's right may be the root */
}

inline const __node *__previous(const __node *__x)
{
    if (__x->_M_color == _S_red && __x->_M_parent->_M_parent == __x) /* the header */
        return __x->_M_right;
    if (__x->_M_left)
        return __node::_S_maximum(__x->_M_left);
    const __node *__y = __x->_M_parent;
    while (__x == __y->_M_left) {
        __x = __y;
        __y = __y->_M_parent;
    }
    return __y;
}
} // namespace __portolan

__attribute__((__weak__)) void _Rb_tree_insert_and_rebalance(const bool __left, _Rb_tree_node_base *__x,
                                                             _Rb_tree_node_base *__parent,
                                                             _Rb_tree_node_base &__header) throw()
{
    __x->_M_parent = __parent;
    __x->_M_left = __x->_M_right = 0;
    __x->_M_color = _S_red;
    if (__left) {
        __parent->_M_left = __x; /* of the header: the first node is the leftmost */
        if (__parent == &__header)
            __header._M_parent = __header._M_right = __x;
        else if (__header._M_left == __parent)
            __header._M_left = __x;
    } else {
        __parent->_M_right = __x;
        if (__header._M_right == __parent)
            __header._M_right = __x;
    }
    __portolan::__rebalance_inserted(__x, __header);
}

__attribute__((__weak__)) _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const __z,
                                                                           _Rb_tree_node_base &__header) throw()
{
    _Rb_tree_node_base *__child, *__parent;
    _Rb_tree_color __lost = __z->_M_color;
    __portolan::__move_ends(__z, __header);
    if (__z->_M_left && __z->_M_right) { /* the next one takes its place */
        _Rb_tree_node_base *__next = _Rb_tree_node_base::_S_minimum(__z->_M_right);
        __lost = __next->_M_color;
        __child = __next->_M_right;
        __parent = __next->_M_parent == __z ? __next : __next->_M_parent;
        if (__parent != __next) {
            __portolan::__replace(__next, __child, __header);
            __next->_M_right = __z->_M_right;
            __next->_M_right->_M_parent = __next;
        }
        __portolan::__replace(__z, __next, __header);
        __next->_M_left = __z->_M_left;
        __next->_M_left->_M_parent = __next;
        __next->_M_color = __z->_M_color;
    } else {
        __child = __z->_M_left ? __z->_M_left : __z->_M_right;
        __parent = __z->_M_parent;
        __portolan::__replace(__z, __child, __header);
    }
    if (__lost == _S_black)
        __portolan::__rebalance_erased(__child, __parent, __header);
    return __z;
}

__attribute__((__weak__)) const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *__x) throw()
{
    return __portolan::__next(__x);
}

__attribute__((__weak__)) _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *__x) throw()
{
    return const_cast<_Rb_tree_node_base *>(__portolan::__next(__x));
}

__attribute__((__weak__)) const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *__x) throw()
{
    return __portolan::__previous(__x);
}

__attribute__((__weak__)) _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *__x) throw()
{
    return const_cast<_Rb_tree_node_base *>(__portolan::__previous(__x));
}

} // namespace std

#endif
