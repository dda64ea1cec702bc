/* SPDX-License-Identifier: Apache-2.0 */
// Accesses that a compiler likes to remove, merge or move.  Linked with accesses-count.c, which counts what is
// reported: for each function at least so many reads and writes.
#include "accesses.h"

static int never_escapes, only_written, summed;
int x, y, array[10];
const int *through = &x;
struct pair {
    int a, b, filler[20];
    unsigned narrow : 3, wide : 5;
} one, other;
struct {
    unsigned narrow : 9, wide : 9;
    unsigned char behind;
    unsigned long wider : 35;
    unsigned char last;
} few;
long double longest;
long widest __attribute__((vector_size(32)));

// clang-format off
#define CASE static __attribute__((noinline)) void

CASE unused_read(void) { int t = x; (void)t; }
CASE dead_store(void) { x = 1; x = 2; }
CASE repeated_read(void) { y = x; y = x; }
CASE hoisted_read(void) { for (int i = 0; i < 3; i++) y += x; }
CASE merged_writes(void) { array[0] = 1; array[1] = 2; array[2] = 3; array[3] = 4; }
CASE struct_copy(void) { one = other; }
CASE bit_fields(void) { one.narrow = 3; one.wide = 4; }
CASE three_bytes(void) { few.narrow = few.wide; }
CASE five_bytes(void) { few.wider++; }
CASE ten_bytes(void) { longest = longest + 1; }
CASE large_vector(void) { widest += 1; }
CASE equal_arms(void) { if (x) y = 1; else y = 1; }
CASE empty_switch(void) { switch (x) { case 1: case 2: default: break; } }
CASE unused_choice(void) { int t = x ? y : array[0]; (void)t; }
CASE empty_condition(void) { if (x) { } }
CASE unused_element(void) { int t = array[3]; (void)t; }
CASE const_pointer(void) { int t = *through; (void)t; }
CASE own_value(void) { x = x; }
CASE stored_and_read(void) { x = 1; y = x; }
static int get(void) { return x; }
CASE inlined_call(void) { get(); int t = get(); (void)t; }
static __attribute__((noinline)) int pure(void) { return x; }
CASE pure_call(void) { pure(); pure(); }
CASE static_variable(void) { never_escapes = 1; int t = never_escapes; (void)t; }
CASE never_read(void) { only_written = 5; }
CASE never_read_sum(void) { summed += x; }
CASE one_arm(void) { array[0] = 1; if (x) array[0] = 2; }
CASE comparison(void) { int t = x == y; (void)t; }
CASE loop_without_effect(void) { for (int i = 0; i < 2; i++) { int t = array[i]; (void)t; } }
CASE loop_that_clears(void) { for (int i = 0; i < 10; i++) array[i] = 0; }
CASE builtins(void) { __builtin_memset(array, 0, 8); __builtin_memcpy(&one, &other, 8); }
__attribute__((no_sanitize("thread"))) CASE attribute(void) { x = 2; }
__attribute__((no_sanitize_thread)) CASE old_attribute(void) { x = 2; }
CASE spinning(void) { for (int i = 0; !x && i < 3; i++) { } }
CASE chain(void) { struct pair *p = &one; p->a = 1; p->b = p->a; p->a = p->b; }
CASE copied_back(void) { int t = x; y = t; x = t; }
#ifdef __clang__ /* gcc drops these when it reads the source, at every level */
CASE statement(void) { x; (void)y; }
CASE times_nothing(void) { y = x * 0; }
CASE minus_itself(void) { y = x - x; }
CASE comma(void) { int t = (x, y); (void)t; }
#endif

// clang-format on

int main(void)
{
    COUNT(unused_read, 1, 0);
    COUNT(dead_store, 0, 2);
    COUNT(repeated_read, 2, 2);
    COUNT(hoisted_read, 6, 3);
    COUNT(merged_writes, 0, 4);
    COUNT(struct_copy, 1, 1);
    COUNT(bit_fields, 0, 2);
    COUNT(three_bytes, 1, 1);
    COUNT(five_bytes, 1, 1);
    COUNT(ten_bytes, 1, 1);
    COUNT(large_vector, 1, 1);
    COUNT(equal_arms, 1, 1);
    COUNT(empty_switch, 1, 0);
    COUNT(unused_choice, 2, 0);
    COUNT(empty_condition, 1, 0);
    COUNT(unused_element, 1, 0);
    COUNT(const_pointer, 2, 0);
    COUNT(own_value, 1, 1);
    COUNT(stored_and_read, 1, 2);
    COUNT(inlined_call, 2, 0);
    COUNT(pure_call, 2, 0);
    COUNT(static_variable, 1, 1);
    COUNT(never_read, 0, 1);
    COUNT(never_read_sum, 2, 1);
    x = 1;
    COUNT(one_arm, 1, 2);
    COUNT(comparison, 2, 0);
    COUNT(loop_without_effect, 2, 0);
    COUNT(loop_that_clears, 0, 10);
    COUNT(builtins, 1, 2);
    COUNT(attribute, 0, 1);
    COUNT(old_attribute, 0, 1);
    x = 0;
    COUNT(spinning, 4 - 1, 0);
    COUNT(chain, 2, 3);
    COUNT(copied_back, 1, 2);
#ifdef __clang__
    COUNT(statement, 2, 0);
    COUNT(times_nothing, 1, 1);
    COUNT(minus_itself, 2, 1);
    COUNT(comma, 2, 0);
#endif
    return all_counted();
}
