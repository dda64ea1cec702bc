/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two thread programs of Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
 * software", with the step sizes of Burgman, "Partial-order reduction based on probe sets" (DRoP),
 * algorithms 7 and 8: a thread that meets nobody has 13 local states in the indexer and 6 in the file
 * system, so T such threads have 13^T and 6^T states.
 *
 * What a thread touches follows from constants, so a control state is drawn only when it can be reached.
 * Both programs probe linearly: which cells end up full does not depend on the order of the threads.  So a
 * thread goes furthest when all the others have finished before it, and those cells are found by running them.
 *
 * One correction: algorithm 8 writes inode[i] := b, which leaves inode 0 unassigned when b = 0; as in the
 * original, an inode that got a block counts as assigned.
 */
#include "front/petri/generate/families.h"

/* Takes the first cell that is not full, from start on and round. */
static void probe(bool *full, long size, long start)
{
    for (long k = 0; k < size; k++)
        if (!full[(start + k) % size]) {
            full[(start + k) % size] = true;
            return;
        }
}

/* How many full cells follow each other from start on; `size` when all are. */
static long full_run(const bool *full, long size, long start)
{
    long run = 0;
    while (run < size && full[(start + run) % size])
        run++;
    return run;
}

/* ------------------------------------------------------------- file system */

enum { BLOCKS = 26, INODES = 32 };

static long first_block(long thread)
{
    return thread % INODES * 2 % BLOCKS;
}

/* The blocks that the threads fill, but for those of one inode (or -1).  Of the threads of an inode only the first to
 * get its lock looks for a block. */
static void fill_blocks(bool *full, long threads, long but)
{
    for (long inode = 0; inode < INODES && inode < threads; inode++)
        if (inode != but)
            probe(full, BLOCKS, first_block(inode));
}

/* Inode i is 0 without, 1 with a block; a lock is marked when free. */
static void draw_disk(struct drawing *d, long threads)
{
    bool full[BLOCKS] = {false};
    DRAW_EACH (d, i, 0, (threads < INODES ? threads : INODES) - 1) {
        draw_places(d, "inode_lock_{i}=1");
        draw_variable(d, "inode_{i}", 1);
    }
    fill_blocks(full, threads, -1);
    DRAW_EACH (d, b, 0, BLOCKS - 1) {
        if (!full[b])
            continue; /* nobody comes here */
        draw_places(d, "block_lock_{b}=1");
        draw_variable(d, "busy_{b}", 1);
    }
}

/* One turn of the loop over the blocks, at block b, which c follows; the first one starts with the test of the inode.
 */
static void draw_try(struct drawing *d, bool is_first, bool may_collide)
{
    uint32_t lock = draw_step(d, "lock_{t}_block_{b}: seek_{t}_block_{b} block_lock_{b} -> locked_{t}_block_{b}");
    if (is_first)
        draw_arcs(d, lock, "test inode_{i}_is_0");
    draw_step(d, "assign_{t}_block_{b}: locked_{t}_block_{b} busy_{b}_is_0 inode_{i}_is_0 -> "
                 "assigned_{t}_block_{b} busy_{b}_is_1 inode_{i}_is_1");
    draw_step(d, "unlock_{t}_block_{b}: assigned_{t}_block_{b} -> found_{t} block_lock_{b}");
    if (may_collide)
        draw_step(d,
                  "next_{t}_block_{b}: locked_{t}_block_{b} -> seek_{t}_block_{c} block_lock_{b} test busy_{b}_is_1");
}

static void draw_file_thread(struct drawing *d, long t, long threads)
{
    bool full[BLOCKS] = {false};
    long first = first_block(t);
    fill_blocks(full, threads, t % INODES);
    long collisions = full_run(full, BLOCKS, first), tries = collisions < BLOCKS ? collisions + 1 : BLOCKS;
    uint32_t start = names_count(&d->places);
    draw_let(d, 'i', t % INODES);
    draw_let(d, 'f', first);
    draw_places(d, "start_{t}=1 found_{t} done_{t}");
    for (long k = 0; k < tries; k++) {
        draw_let(d, 'b', (first + k) % BLOCKS);
        draw_places(d, "seek_{t}_block_{b} locked_{t}_block_{b} assigned_{t}_block_{b}");
    }
    draw_unit_from(d, start);
    draw_step(d, "lock_{t}_inode_{i}: start_{t} inode_lock_{i} -> seek_{t}_block_{f}");
    for (long k = 0; k < tries; k++) {
        draw_let(d, 'b', (first + k) % BLOCKS);
        draw_let(d, 'c', (first + k + 1) % BLOCKS);
        draw_try(d, k == 0, k < collisions);
    }
    draw_step(d, "unlock_{t}_inode_{i}: found_{t} -> done_{t} inode_lock_{i}");
    if (t >= INODES || t + INODES < threads) /* another thread has the same inode */
        draw_step(d, "skip_{t}_inode_{i}: seek_{t}_block_{f} -> done_{t} inode_lock_{i} test inode_{i}_is_1");
}

void draw_filesystem(struct drawing *d, const long *n)
{
    draw_disk(d, *n);
    DRAW_EACH (d, t, 0, *n - 1)
        draw_file_thread(d, t, *n);
}

/* ----------------------------------------------------------------- indexer */

enum { SLOTS = 128, MESSAGES = 4 };

static long hash(long thread, long message)
{
    long word = (message + 1) * 11 + thread;
    return word * 7 % SLOTS;
}

/* The slots that all threads fill, thread t only with its messages before m. */
static void fill_slots(bool *full, long threads, long t, long m)
{
    for (long other = 0; other < threads; other++)
        for (long message = 0; message < (other == t ? m : MESSAGES); message++)
            probe(full, SLOTS, hash(other, message));
}

/* How often message m of thread t may meet a full slot.  Later messages of t come too late for that. */
static long slot_collisions(long threads, long t, long m)
{
    bool full[SLOTS] = {false};
    fill_slots(full, threads, t, m);
    return full_run(full, SLOTS, hash(t, m));
}

/* Message m of thread t is ready, got, and then tries slots s, which r follows. */
static void draw_message(struct drawing *d, long t, long m, long threads)
{
    long collisions = slot_collisions(threads, t, m);
    draw_let(d, 's', hash(t, m));
    draw_step(d, "get_{t}_message_{m}: ready_{t}_message_{m} -> got_{t}_message_{m}");
    draw_step(d, "hash_{t}_message_{m}: got_{t}_message_{m} -> probe_{t}_message_{m}_slot_{s}");
    for (long k = 0; k <= collisions; k++) {
        draw_let(d, 's', (hash(t, m) + k) % SLOTS);
        draw_let(d, 'r', (hash(t, m) + k + 1) % SLOTS);
        uint32_t store = draw_step(d, "store_{t}_message_{m}_slot_{s}: probe_{t}_message_{m}_slot_{s} slot_{s}_is_0");
        draw_arcs(d, store,
                  m + 1 < MESSAGES ? "-> ready_{t}_message_{m+1} slot_{s}_is_1" : "-> done_{t} slot_{s}_is_1");
        if (k < collisions)
            draw_step(d, "collide_{t}_message_{m}_slot_{s}: probe_{t}_message_{m}_slot_{s} -> "
                         "probe_{t}_message_{m}_slot_{r} test slot_{s}_is_1");
    }
}

static void draw_index_thread(struct drawing *d, long t, long threads)
{
    uint32_t first = names_count(&d->places);
    DRAW_EACH (d, m, 0, MESSAGES - 1) {
        draw_places(d, m == 0 ? "ready_{t}_message_{m}=1" : "ready_{t}_message_{m}");
        draw_places(d, "got_{t}_message_{m}");
        for (long k = 0; k <= slot_collisions(threads, t, m); k++) {
            draw_let(d, 's', (hash(t, m) + k) % SLOTS);
            draw_places(d, "probe_{t}_message_{m}_slot_{s}");
        }
    }
    draw_places(d, "done_{t}");
    draw_unit_from(d, first);
    DRAW_EACH (d, m, 0, MESSAGES - 1)
        draw_message(d, t, m, threads);
}

void draw_indexer(struct drawing *d, const long *n)
{
    bool full[SLOTS] = {false};
    fill_slots(full, *n, -1, 0);
    DRAW_EACH (d, s, 0, SLOTS - 1)
        if (full[s])
            draw_variable(d, "slot_{s}", 1);
    DRAW_EACH (d, t, 0, *n - 1)
        draw_index_thread(d, t, *n);
}
