/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The net of `portolan generate kanban 5` as one process of counters: the same
 * states, 2546432 of them, reached by the same transitions.  bench/full gives
 * it to Spin, to see what another explicit search makes of the same work.
 */
#define TICKETS 5

byte free1 = TICKETS, work1, redo1, finished1;
byte free2 = TICKETS, work2, redo2, finished2;
byte free3 = TICKETS, work3, redo3, finished3;
byte free4 = TICKETS, work4, redo4, finished4;

#define MOVE(from, to) d_step { from > 0 -> from--; to++ }

active proctype kanban()
{
end:
    do
    :: MOVE(work1, redo1)
    :: MOVE(redo1, work1)
    :: MOVE(work1, finished1)
    :: MOVE(work2, redo2)
    :: MOVE(redo2, work2)
    :: MOVE(work2, finished2)
    :: MOVE(work3, redo3)
    :: MOVE(redo3, work3)
    :: MOVE(work3, finished3)
    :: MOVE(work4, redo4)
    :: MOVE(redo4, work4)
    :: MOVE(work4, finished4)
    :: MOVE(free1, work1)
    :: d_step { finished1 > 0 && free2 > 0 && free3 > 0 ->
                finished1--; free2--; free3--; free1++; work2++; work3++ }
    :: d_step { finished2 > 0 && finished3 > 0 && free4 > 0 ->
                finished2--; finished3--; free4--; free2++; free3++; work4++ }
    :: MOVE(finished4, free4)
    od
}
