/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The net of `portolan generate indexer N` as N processes, with the same steps and so the same states, for Spin.
 * bench/probe sets N.
 */
#define SLOTS 128
#define MESSAGES 4

bool taken[SLOTS];

active [N] proctype thread()
{
    byte stored, slot;
end:
    do
    :: stored < MESSAGES ->
        d_step { slot = ((stored + 1) * 11 + _pid) * 7 % SLOTS };
        do
        :: d_step { !taken[slot] -> taken[slot] = true; stored++; slot = 0 };
            break
        :: d_step { taken[slot] -> slot = (slot + 1) % SLOTS }
        od
    od
}
