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
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

/* Takes the first cell that is not full, from start on and round. */
static void probe(bool *full, uint32_t size, uint32_t start)
{
    for (uint32_t k = 0; k < size; k++)
        if (!full[(start + k) % size]) {
            full[(start + k) % size] = true;
            return;
        }
}

/* How many full cells follow each other from start on; `size` when all are. */
static uint32_t full_run(const bool *full, uint32_t size, uint32_t start)
{
    uint32_t run = 0;
    while (run < size && full[(start + run) % size])
        run++;
    return run;
}

/* ------------------------------------------------------------- file system */

enum { BLOCKS = 26, INODES = 32 };

struct filesystem {
    struct net_builder *b;
    uint32_t threads;
    uint32_t inode_lock[INODES]; /* marked when free */
    uint32_t inode[INODES];      /* a variable: 0 without, 1 with a block */
    uint32_t block_lock[BLOCKS]; /* marked when free */
    uint32_t busy[BLOCKS];       /* a variable */
};

static uint32_t first_block(uint32_t thread)
{
    return thread % INODES * 2 % BLOCKS;
}

/* How often the thread may be sent on to the next block.  Of the threads of one inode only the first to get
 * its lock looks for a block. */
static uint32_t block_collisions(const struct filesystem *fs, uint32_t thread)
{
    bool full[BLOCKS] = {false};
    for (uint32_t inode = 0; inode < INODES && inode < fs->threads; inode++)
        if (inode != thread % INODES)
            probe(full, BLOCKS, first_block(inode));
    return full_run(full, BLOCKS, first_block(thread));
}

static void draw_disk(struct filesystem *fs)
{
    bool full[BLOCKS] = {false};
    for (uint32_t i = 0; i < INODES && i < fs->threads; i++) {
        fs->inode_lock[i] = draw_place(fs->b, 1, "inode_lock_%u", i);
        fs->inode[i] = draw_variable(fs->b, 2, 0, "inode_%u", i);
        probe(full, BLOCKS, first_block(i));
    }
    for (uint32_t block = 0; block < BLOCKS; block++) {
        if (!full[block])
            continue; /* nobody comes here */
        fs->block_lock[block] = draw_place(fs->b, 1, "block_lock_%u", block);
        fs->busy[block] = draw_variable(fs->b, 2, 0, "busy_%u", block);
    }
}

/* The control places of one thread, with three for each block that it may try, in that order. */
struct file_thread {
    uint32_t collisions, tries;
    uint32_t start, found, done;
    uint32_t first_try;
};

enum { SEEK, LOCKED, ASSIGNED, TRY_STATES };

static void draw_file_states(const struct filesystem *fs, uint32_t t, struct file_thread *at)
{
    at->collisions = block_collisions(fs, t);
    at->tries = at->collisions < BLOCKS ? at->collisions + 1 : BLOCKS;
    at->start = draw_place(fs->b, 1, "start_%u", t);
    at->found = draw_place(fs->b, 0, "found_%u", t);
    at->done = draw_place(fs->b, 0, "done_%u", t);
    at->first_try = at->done + 1;
    for (uint32_t k = 0; k < at->tries; k++) {
        uint32_t block = (first_block(t) + k) % BLOCKS;
        draw_place(fs->b, 0, "seek_%u_block_%u", t, block);
        draw_place(fs->b, 0, "locked_%u_block_%u", t, block);
        draw_place(fs->b, 0, "assigned_%u_block_%u", t, block);
    }
    draw_unit(fs->b, at->start, 3 + at->tries * TRY_STATES);
}

/* One turn of the loop over the blocks; the first one starts with the test of the inode. */
static void draw_try(const struct filesystem *fs, uint32_t t, const struct file_thread *at, uint32_t k)
{
    struct net_builder *b = fs->b;
    uint32_t block = (first_block(t) + k) % BLOCKS, here = at->first_try + k * TRY_STATES;
    uint32_t inode = fs->inode[t % INODES], lock = fs->block_lock[block], busy = fs->busy[block];
    uint32_t acquire = draw_step(b, here + SEEK, here + LOCKED, "lock_%u_block_%u", t, block);
    draw_consume(b, acquire, lock);
    if (k == 0)
        draw_test(b, acquire, inode);
    uint32_t assign = draw_step(b, here + LOCKED, here + ASSIGNED, "assign_%u_block_%u", t, block);
    draw_move(b, assign, busy, busy + 1);
    draw_move(b, assign, inode, inode + 1);
    draw_produce(b, draw_step(b, here + ASSIGNED, at->found, "unlock_%u_block_%u", t, block), lock);
    if (k < at->collisions) {
        uint32_t following = at->first_try + (k + 1) % BLOCKS * TRY_STATES;
        uint32_t next = draw_step(b, here + LOCKED, following + SEEK, "next_%u_block_%u", t, block);
        draw_test(b, next, busy + 1);
        draw_produce(b, next, lock);
    }
}

static void draw_file_thread(const struct filesystem *fs, uint32_t t)
{
    struct file_thread at;
    struct net_builder *b = fs->b;
    uint32_t i = t % INODES;
    draw_file_states(fs, t, &at);
    uint32_t acquire = draw_step(b, at.start, at.first_try + SEEK, "lock_%u_inode_%u", t, i);
    draw_consume(b, acquire, fs->inode_lock[i]);
    for (uint32_t k = 0; k < at.tries; k++)
        draw_try(fs, t, &at, k);
    draw_produce(b, draw_step(b, at.found, at.done, "unlock_%u_inode_%u", t, i), fs->inode_lock[i]);
    if (t >= INODES || t + INODES < fs->threads) { /* another thread has the same inode */
        uint32_t skip = draw_step(b, at.first_try + SEEK, at.done, "skip_%u_inode_%u", t, i);
        draw_test(b, skip, fs->inode[i] + 1);
        draw_produce(b, skip, fs->inode_lock[i]);
    }
}

struct net *build_filesystem(const long *parameter)
{
    struct filesystem fs = {.b = net_builder_new("filesystem"), .threads = (uint32_t)parameter[0]};
    if (!fs.b)
        return NULL;
    draw_disk(&fs);
    for (uint32_t t = 0; t < fs.threads; t++)
        draw_file_thread(&fs, t);
    return net_builder_finish(fs.b, NULL);
}

/* ----------------------------------------------------------------- indexer */

enum { SLOTS = 128, MESSAGES = 4 };

struct indexer {
    struct net_builder *b;
    uint32_t threads;
    uint32_t table[SLOTS]; /* variables: 0 empty, 1 full */
};

static uint32_t hash(uint32_t thread, uint32_t message)
{
    uint32_t word = (message + 1) * 11 + thread;
    return word * 7 % SLOTS;
}

/* How often message m of thread t may meet a full slot.  Later messages of t come too late for that. */
static uint32_t slot_collisions(const struct indexer *indexer, uint32_t t, uint32_t m)
{
    bool full[SLOTS] = {false};
    for (uint32_t other = 0; other < indexer->threads; other++)
        for (uint32_t message = 0; message < (other == t ? m : MESSAGES); message++)
            probe(full, SLOTS, hash(other, message));
    return full_run(full, SLOTS, hash(t, m));
}

static void draw_table(struct indexer *indexer)
{
    bool full[SLOTS] = {false};
    for (uint32_t t = 0; t < indexer->threads; t++)
        for (uint32_t m = 0; m < MESSAGES; m++)
            probe(full, SLOTS, hash(t, m));
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (full[slot])
            indexer->table[slot] = draw_variable(indexer->b, 2, 0, "slot_%u", slot);
}

/* Message m of thread t: its places are ready, got, and one for each slot it may try. */
static uint32_t draw_message_places(const struct indexer *indexer, uint32_t t, uint32_t m)
{
    uint32_t ready = draw_place(indexer->b, m == 0, "ready_%u_message_%u", t, m);
    draw_place(indexer->b, 0, "got_%u_message_%u", t, m);
    uint32_t collisions = slot_collisions(indexer, t, m);
    for (uint32_t k = 0; k <= collisions; k++)
        draw_place(indexer->b, 0, "probe_%u_message_%u_slot_%u", t, m, (hash(t, m) + k) % SLOTS);
    return ready;
}

static void draw_message_steps(const struct indexer *indexer, uint32_t t, uint32_t m, uint32_t ready, uint32_t next)
{
    struct net_builder *b = indexer->b;
    uint32_t got = ready + 1, tries = got + 1, collisions = slot_collisions(indexer, t, m);
    draw_step(b, ready, got, "get_%u_message_%u", t, m);
    draw_step(b, got, tries, "hash_%u_message_%u", t, m);
    for (uint32_t k = 0; k <= collisions; k++) {
        uint32_t slot = (hash(t, m) + k) % SLOTS, table = indexer->table[slot];
        uint32_t store = draw_step(b, tries + k, next, "store_%u_message_%u_slot_%u", t, m, slot);
        draw_move(b, store, table, table + 1);
        if (k == collisions)
            break;
        uint32_t collide = draw_step(b, tries + k, tries + k + 1, "collide_%u_message_%u_slot_%u", t, m, slot);
        draw_test(b, collide, table + 1);
    }
}

static void draw_index_thread(const struct indexer *indexer, uint32_t t)
{
    uint32_t ready[MESSAGES + 1];
    for (uint32_t m = 0; m < MESSAGES; m++)
        ready[m] = draw_message_places(indexer, t, m);
    ready[MESSAGES] = draw_place(indexer->b, 0, "done_%u", t);
    draw_unit(indexer->b, ready[0], ready[MESSAGES] + 1 - ready[0]);
    for (uint32_t m = 0; m < MESSAGES; m++)
        draw_message_steps(indexer, t, m, ready[m], ready[m + 1]);
}

struct net *build_indexer(const long *parameter)
{
    struct indexer indexer = {.b = net_builder_new("indexer"), .threads = (uint32_t)parameter[0]};
    if (!indexer.b)
        return NULL;
    draw_table(&indexer);
    for (uint32_t t = 0; t < indexer.threads; t++)
        draw_index_thread(&indexer, t);
    return net_builder_finish(indexer.b, NULL);
}
