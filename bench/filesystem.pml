/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The net of `portolan generate filesystem N` as N processes, with the same steps and so the same states, for Spin.
 * bench/probe sets N.
 */
#define INODES 32
#define BLOCKS 26

bool inode_locked[INODES], assigned[INODES];
bool block_locked[BLOCKS], busy[BLOCKS];

active [N] proctype thread()
{
    byte block;
    d_step { !inode_locked[_pid % INODES] -> inode_locked[_pid % INODES] = true; block = _pid % INODES * 2 % BLOCKS };
    do
    :: d_step { !block_locked[block] -> block_locked[block] = true };
        if
        :: d_step { !busy[block] -> busy[block] = true; assigned[_pid % INODES] = true };
            break
        :: d_step { busy[block] -> block_locked[block] = false; block = (block + 1) % BLOCKS }
        fi
    od;
    block_locked[block] = false;
    inode_locked[_pid % INODES] = false;
end:
    false
}
