/* SPDX-License-Identifier: Apache-2.0 */
/* std::latch and std::barrier, as include/portolan/c++ has them. */
#include "native/calls.h"
#include "native/context.h"
#include "native/failure.h"
#include "native/lifetimes.h"
#include "native/settings.h"

/* --- latches: as many as are expected count down, and that is that */

EXPORT void __portolan_latch_count_down(void *latch, ptrdiff_t expected, ptrdiff_t update);
EXPORT void __portolan_latch_count_down(void *latch, ptrdiff_t expected, ptrdiff_t update)
{
    if (in_program() && update)
        visible(&(struct pending){.kind = OP_ARRIVE,
                                  .thing = A_LATCH,
                                  .size = 8,
                                  .address = (uintptr_t)latch,
                                  .operand = (uint64_t)update,
                                  .expected = (uint64_t)expected,
                                  .caller = CALLER});
}

EXPORT void __portolan_latch_wait(const void *latch);
EXPORT void __portolan_latch_wait(const void *latch)
{
    if (in_program())
        visible(&(struct pending){
            .kind = OP_LEAVE, .thing = A_LATCH, .size = 8, .address = (uintptr_t)latch, .caller = CALLER});
}

EXPORT bool __portolan_latch_try_wait(const void *latch);
EXPORT bool __portolan_latch_try_wait(const void *latch)
{
    return in_program() &&
           visible(&(struct pending){
               .kind = OP_SEMAPHORE_VALUE, .thing = A_LATCH, .size = 8, .address = (uintptr_t)latch, .caller = CALLER});
}

/* --- barriers */

enum { BARRIER_SIZE = 32 };

EXPORT void __portolan_barrier_begin(void *barrier, ptrdiff_t expected);
EXPORT void __portolan_barrier_begin(void *barrier, ptrdiff_t expected)
{
    begin_life(barrier, BARRIER_SIZE, A_BARRIER, (unsigned)expected, CALLER);
}

EXPORT void __portolan_barrier_end(void *barrier);
EXPORT void __portolan_barrier_end(void *barrier)
{
    end_life(barrier, A_BARRIER, CALLER);
}

EXPORT void __portolan_barrier_arrive_and_wait(void *barrier);
EXPORT void __portolan_barrier_arrive_and_wait(void *barrier)
{
    int round = operate_on(A_BARRIER, barrier, OP_ARRIVE, 0, 0, CALLER);
    operate_on(A_BARRIER, barrier, OP_LEAVE, round / 2, 0, CALLER);
}

/* Who does not wait may come again in the same round, or come to none of the next. */
EXPORT ptrdiff_t __portolan_barrier_arrive(void *barrier, bool drops);
EXPORT ptrdiff_t __portolan_barrier_arrive(void *barrier, bool drops)
{
    return operate_on(A_BARRIER, barrier, OP_ARRIVE, drops ? ARRIVES_AND_DROPS : ARRIVES_ONLY, 0, CALLER) / 2;
}

EXPORT void __portolan_barrier_wait(const void *barrier, ptrdiff_t phase);
EXPORT void __portolan_barrier_wait(const void *barrier, ptrdiff_t phase)
{
    operate_on(A_BARRIER, (void *)(uintptr_t)barrier, OP_LEAVE, (int)phase, 0, CALLER);
}
