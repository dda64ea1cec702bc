/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The net of `portolan generate szymanski N` as N processes, with the same steps and so the same states, for Spin.
 * has[f] is the set of processes with flag f, one bit each.  bench/probe sets N.
 */
int has[5];

#define ME (1 << _pid)
#define BELOW (ME - 1)
#define ABOVE (~(ME + BELOW))
#define OTHERS (~ME)
#define MOVE(from, to) has[from] = has[from] - ME; has[to] = has[to] + ME

active [N] proctype process()
{
    do
    :: d_step { has[1] = has[1] + ME };
        d_step { ((has[3] | has[4]) & OTHERS) == 0 -> MOVE(1, 3) };
        if
        :: d_step { (has[1] & OTHERS) != 0 -> MOVE(3, 2) };
            d_step { (has[4] & OTHERS) != 0 -> MOVE(2, 4) }
        :: d_step { (has[1] & OTHERS) == 0 -> MOVE(3, 4) }
        fi;
        ((has[2] | has[3] | has[4]) & BELOW) == 0;
        d_step { ((has[2] | has[3]) & ABOVE) == 0 -> has[4] = has[4] - ME }
    od
}
