/* SPDX-License-Identifier: Apache-2.0 */
/* Peterson's mutual exclusion of two processes. */
bool wants[2];
byte turn, critical;

active [2] proctype user()
{
    byte other = 1 - _pid;
    do
    :: wants[_pid] = true;
       turn = other;
       !wants[other] || turn == _pid;
       critical++;
section:
       assert(critical == 1);
       critical--;
       wants[_pid] = false
    od
}

ltl never_both { [] !(user[0]@section && user[1]@section) }
ltl first_again { [] (wants[0] -> <> user[0]@section) }
