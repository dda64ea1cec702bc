/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/common_tree.h"

#include "base/diagnostic.h"
#include "stateless/shared.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

enum { SPINS = 1 << 10, FIRST_TURNS = 1 << 7, NAP = 100000, NAPS_PER_LOOK = 500 };
static const size_t MOST_BYTES = (size_t)1 << 36, LEAST_BYTES = (size_t)1 << 24;

/* ------------------------------------------------------------------------- memory */

struct common_tree *common_tree_make(void)
{
    struct common_tree *tree = MAP_FAILED;
    size_t bytes = MOST_BYTES;
    for (; tree == MAP_FAILED && bytes >= LEAST_BYTES; bytes /= 4)
        tree = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tree == MAP_FAILED)
        return NULL;
    tree->bytes = bytes * 4;
    tree->root = (struct common_node *)(tree + 1);
    tree->unused = (char *)(tree->root + 1);
    atomic_flag_clear(&tree->lock);
    tree->root->state = IS_OPEN;
    tree->root->open = 1;
    tree->root->remaining = 1;
    tree->root->is_known = true;
    return tree;
}

void common_tree_free(struct common_tree *tree)
{
    if (tree)
        munmap(tree, tree->bytes);
}

static void *take_room(struct common_tree *tree, size_t bytes)
{
    enum { ALIGNMENT = 16 };
    char *room = tree->unused;
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > tree->bytes - (size_t)(room - (char *)tree))
        return NULL;
    __atomic_store_n(&tree->unused, room + bytes, __ATOMIC_RELAXED);
    return room;
}

size_t common_tree_bytes(const struct common_tree *tree)
{
    return (size_t)(__atomic_load_n(&tree->unused, __ATOMIC_RELAXED) - (const char *)tree);
}

/* A copy of a step; what it had room for stays with the node. */
static bool keep_step(struct common_tree *tree, struct common_node *node, const struct footprint *step)
{
    struct portolan_access *many = node->step.many;
    uint32_t count = step->access_count;
    if (count > KEPT_FEW && count > node->room) {
        many = take_room(tree, count * sizeof *many);
        if (!many)
            return false;
        node->room = count;
    }
    node->step = (struct kept_step){step->agent, count, step->touched, step->written, {{0}}, many};
    if (count)
        memcpy(count > KEPT_FEW ? many : node->step.few, step->accesses, count * sizeof *many);
    return true;
}

static struct footprint step_of(const struct common_node *node)
{
    const struct kept_step *step = &node->step;
    return (struct footprint){step->agent, step->access_count, step->touched, step->written,
                              step->access_count > KEPT_FEW ? step->many : step->few};
}

/* A new last child of a node, without leaves as yet. */
static struct common_node *add_child(struct common_tree *tree, struct common_node *parent, const struct footprint *step)
{
    struct common_node *node = tree->free;
    if (node)
        tree->free = node->next;
    else if (!(node = take_room(tree, sizeof *node)))
        return NULL;
    *node = (struct common_node){.parent = parent, .step.many = node->step.many, .room = node->room};
    if (!keep_step(tree, node, step)) {
        node->next = tree->free;
        tree->free = node;
        return NULL;
    }
    if (parent->first)
        parent->last->next = node;
    else
        parent->first = node;
    if (!parent->front)
        parent->front = node;
    parent->last = node;
    parent->state = HAS_CHILDREN;
    return node;
}

static void free_below(struct common_tree *tree, struct common_node *node)
{
    struct common_node *list = node->first;
    while (list) {
        struct common_node *gone = list;
        if (gone->first) { /* children come before siblings: no recursion */
            gone->last->next = gone->next;
            list = gone->first;
        } else {
            list = gone->next;
        }
        gone->next = tree->free;
        tree->free = gone;
    }
    node->first = node->last = node->front = NULL;
}

/* ------------------------------------------------------------------------- leaves */

static bool is_over(const struct worker *w)
{
    return atomic_load(&w->shared->over) || is_interrupted(w);
}

/* False when the search is over: whoever has the lock may be gone. */
static bool lock(const struct worker *w)
{
    for (uint32_t spins = 0; atomic_flag_test_and_set_explicit(&w->tree->lock, memory_order_acquire); spins++) {
        sched_yield();
        if (spins % SPINS == SPINS - 1 && is_over(w))
            return false;
    }
    return true;
}

static void unlock(struct common_tree *tree)
{
    atomic_store_explicit(&tree->lacks_leaves, tree->disorder || tree->waiting > tree->root->open,
                          memory_order_relaxed);
    atomic_flag_clear_explicit(&tree->lock, memory_order_release);
}

/* There are more or fewer leaves at a node. */
static void count_leaves(struct common_node *node, int open, int remaining)
{
    for (; node; node = node->parent) {
        node->open += (uint32_t)open;
        node->remaining += (uint32_t)remaining;
    }
}

static struct common_node *choose_child(struct common_tree *tree, struct common_node *node)
{
    struct common_node *child = tree->disorder ? node->first : node->front, *chosen = NULL;
    for (uint64_t seen = 0; child && (!chosen || tree->disorder); child = child->next) {
        if (!child->open)
            continue;
        tree->disorder ^= tree->disorder << 13; /* zero stays zero */
        tree->disorder ^= tree->disorder >> 7;
        tree->disorder ^= tree->disorder << 17;
        if (tree->disorder % ++seen == 0)
            chosen = child;
    }
    return chosen;
}

/* The leftmost leaf that is open: so little is explored before what lies to the left of it. */
static struct common_node *choose_leaf(struct common_tree *tree)
{
    struct common_node *node = tree->root->open ? tree->root : NULL;
    while (node && node->state == HAS_CHILDREN)
        node = choose_child(tree, node);
    return node;
}

/* Where nothing remains and nothing does to the left, nothing will be inserted: the step alone matters, which sleeps.
 */
static void forget_explored(struct common_tree *tree)
{
    struct common_node *child;
    for (struct common_node *node = tree->root; node; node = child) {
        for (child = node->front; child && !child->remaining; child = child->next)
            if (child->first) {
                free_below(tree, child);
                child->state = IS_EXPLORED;
            }
        node->front = child;
    }
}

/* It is explored; the tree is locked. */
static void leave_leaf(struct common_tree *tree, struct common_node *leaf)
{
    leaf->state = IS_EXPLORED;
    count_leaves(leaf, 0, -1);
    forget_explored(tree);
    unlock(tree);
}

void common_tree_leave(struct worker *w)
{
    struct common_tree *tree = w->tree;
    bool has_left = w->has_leaf;
    w->has_leaf = false;
    if (is_over(w))
        atomic_store(&tree->stopped, true);
    else if (has_left && lock(w))
        leave_leaf(tree, w->path.item[w->path.count - 1]);
}

/* ------------------------------------------------------------------------- taking one */

/* The leaf, and in w->next_path the way to it from the root; false when there is none to take. */
static bool take_leaf(struct worker *w, struct common_node *leaf)
{
    size_t count = 0;
    for (const struct common_node *node = leaf; node; node = node->parent)
        count++;
    w->next_path.count = 0;
    if (!vector_reserve(&w->next_path, count)) {
        worker_give_up(w, fail_memory(&w->error));
        return false;
    }
    w->next_path.count = count;
    leaf->state = IS_TAKEN;
    count_leaves(leaf, -1, 0);
    for (struct common_node *node = leaf; node; node = node->parent)
        w->next_path.item[--count] = node;
    w->has_leaf = true;
    return true;
}

/* Is one of two siblings before the other, or the same? */
static bool is_before(const struct common_node *one, const struct common_node *other)
{
    while (one && one != other)
        one = one->next;
    return one;
}

/* What is to the left of the way that the worker goes from a node sleeps there.  `last`, and all to the left of it,
 * does already; or it is NULL. */
static bool add_sleepers(struct node *node, const struct common_node *above, const struct common_node *last,
                         const struct common_node *way)
{
    if (last && !is_before(last, way)) {
        node_wake_explored(node);
        last = NULL;
    }
    for (const struct common_node *left = last ? last->next : above->first; left != way; left = left->next) {
        struct footprint step = step_of(left);
        if (!node_explore(node, &step))
            return false;
        node->sleep_set.item[node->sleep_set.count - 1].from_above = left->remaining;
    }
    return true;
}

static bool is_same_step(const struct worker *w, const struct footprint *step)
{
    const struct portolan_step *found = &w->step;
    bool same = found->enabled && found->access_count == step->access_count;
    for (uint32_t i = 0; same && i < step->access_count; i++)
        same = found->accesses[i].object == step->accesses[i].object &&
               found->accesses[i].writes == step->accesses[i].writes &&
               found->accesses[i].group == step->accesses[i].group;
    return same;
}

/* Goes one step along the path; the last way that it went from there was another one, or NULL. */
static bool follow_step(struct worker *w, size_t depth, const struct common_node *last)
{
    struct common_node *way = w->path.item[depth + 1];
    struct footprint step = step_of(way);
    struct node *node = node_at(w, depth);
    node->entered = true;
    if (!add_sleepers(node, w->path.item[depth], last, way)) {
        worker_give_up(w, fail_memory(&w->error));
        return false;
    }
    if (!worker_next(w, step.agent, &w->step) || !is_same_step(w, &step)) {
        if (!worker_failed(w)) {
            atomic_store(&w->tree->differs, true);
            worker_give_up(w, fail(&w->error, PORTOLAN_REFUSED, "internal error: a step of agent %u is not what it was",
                                   step.agent));
        }
        return false;
    }
    worker_step(w, step.agent);
    w->steps -= way->is_known;
    way->is_known = true;
    return !atomic_load(&w->shared->over);
}

static bool begin_at_root(struct worker *w)
{
    struct node *root = node_make(&w->pool);
    if (root && vector_push(&w->stack, root))
        return true;
    if (root)
        node_release(&w->pool, root);
    worker_give_up(w, fail_memory(&w->error));
    return false;
}

/* Goes back to where the way to the next leaf leaves the one to the last, and then there.  A node that is common to
 * both was not freed and used again: nothing was open below it then. */
static bool follow_path(struct worker *w)
{
    size_t depth = 0;
    if (!w->stack.count && !begin_at_root(w))
        return false;
    while (depth + 1 < w->stack.count && depth + 1 < w->next_path.count &&
           w->path.item[depth + 1] == w->next_path.item[depth + 1])
        depth++;
    const struct common_node *last = depth + 1 < w->path.count ? w->path.item[depth + 1] : NULL;
    while (w->stack.count > depth + 1)
        worker_go_back(w);
    w->path.count = 0;
    if (!vector_reserve(&w->path, w->next_path.count)) {
        worker_give_up(w, fail_memory(&w->error));
        return false;
    }
    w->path.count = w->next_path.count;
    memcpy(w->path.item, w->next_path.item, w->path.count * sizeof *w->path.item);
    for (; depth + 1 < w->path.count; depth++, last = NULL)
        if (!follow_step(w, depth, last))
            return false;
    return true;
}

/* Between two looks whether there is a leaf now. */
static void wait_a_little(struct worker *w, uint32_t *naps)
{
    if (*naps < FIRST_TURNS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    if (++*naps % NAPS_PER_LOOK == 0 || is_interrupted(w))
        observe_progress(w);
}

bool common_tree_take(struct worker *w)
{
    struct common_tree *tree = w->tree;
    if (tree->disorder)
        sched_yield();
    bool taken = false, waits = false, ended = false;
    for (uint32_t naps = 0; !taken && !ended; wait_a_little(w, &naps)) {
        if (is_over(w) || !lock(w))
            break;
        struct common_node *leaf = choose_leaf(tree);
        taken = leaf && take_leaf(w, leaf);
        ended = leaf || !tree->root->remaining || atomic_load(&tree->stopped);
        tree->waiting += !ended && !waits;
        tree->waiting -= ended && waits;
        waits = !ended;
        unlock(tree);
        if (taken || ended)
            break;
    }
    if (is_over(w))
        observe_progress(w);
    return taken && follow_path(w);
}

/* ------------------------------------------------------------------------- giving away */

/* Makes nodes of a wake-up tree, which is left as it is. */
static bool add_branches(struct worker *w, struct common_node *above, const struct wakeup_node *from)
{
    VECTOR(const struct wakeup_node *) way = {0};
    bool fine = true;
    while (from && fine) {
        struct footprint step = kept_footprint(&from->step);
        struct common_node *node = add_child(w->tree, above, &step);
        fine = node && (!from->first || vector_push(&way, from));
        if (!fine)
            break;
        if (from->first) {
            above = node;
            from = from->first;
            continue;
        }
        node->state = IS_OPEN;
        count_leaves(node, 1, 1);
        while (!from->next && way.count) {
            from = way.item[--way.count];
            above = above->parent;
        }
        from = from->next;
    }
    free(way.item);
    return fine;
}

/* A node of the worker's own becomes a common one: what was explored from it, and the way that the worker has gone. */
static bool add_own_node(struct worker *w, size_t depth)
{
    const struct node *node = node_at(w, depth);
    struct common_node *above = w->path.item[depth], *last = NULL;
    for (size_t i = 0; i < node->sleep_set.count; i++) {
        if (!node->sleep_set.item[i].explored_here)
            continue;
        struct footprint step = kept_footprint(&node->sleep_set.item[i].step);
        last = add_child(w->tree, above, &step);
        if (!last)
            return false;
        last->state = IS_EXPLORED;
        last->is_known = true;
    }
    if (!last || !vector_push(&w->path, last))
        return false;
    return true;
}

/* The worker's leaf is the last of its path from now on. */
static bool add_own_nodes(struct worker *w, size_t depth)
{
    struct common_node *leaf = w->path.item[w->path.count - 1];
    struct node *node = node_at(w, depth);
    count_leaves(leaf, 0, -1);
    while (w->path.count <= depth + 1)
        if (!add_own_node(w, w->path.count - 1))
            return false;
    leaf = w->path.item[w->path.count - 1];
    leaf->state = IS_TAKEN;
    count_leaves(leaf, 0, 1);
    if (!add_branches(w, w->path.item[depth], node->backtrack.first))
        return false;
    wakeup_clear(&w->pool.wakeup, &node->backtrack);
    memset(node->backtracks, 0, w->pool.words * sizeof *node->backtracks);
    return true;
}

void common_tree_share(struct worker *w)
{
    if (!atomic_load_explicit(&w->tree->lacks_leaves, memory_order_relaxed))
        return;
    size_t depth = w->path.count - 1;
    while (depth + 1 < w->stack.count && !node_at(w, depth)->backtrack.first)
        depth++;
    if (depth + 1 >= w->stack.count || !lock(w))
        return;
    bool fine = add_own_nodes(w, depth);
    unlock(w->tree);
    if (!fine)
        worker_give_up(w, fail_memory(&w->error));
}

/* ------------------------------------------------------------------------- inserting */

/* Goes down the tree from a branch, or one to the right of it, as a sequence does (wakeup_covers).  True when that ends
 * in a leaf, else *above is where something is missing; a prefix, if there is one, is told from what is passed by. */
static bool go_down(struct common_node **above, struct common_node *branch, struct remainder *rest,
                    struct prefix *prefix)
{
    while (branch) {
        struct footprint step = step_of(branch);
        if (take_out_first(rest, step.agent) || take_out(rest, &step)) {
            if (branch->state != HAS_CHILDREN)
                return true; /* a leaf: all that follows it is explored, or will be */
            *above = branch;
            branch = branch->first;
            continue;
        }
        if (prefix)
            prefix_tell_apart(prefix, rest, &step);
        branch = branch->next;
    }
    return false;
}

static bool add_chain(struct common_tree *tree, struct common_node *above, const struct remainder *rest)
{
    if (rest->start == rest->end)
        return true;
    for (uint32_t i = rest->start; i < rest->end; i++) {
        struct footprint step = sequence_at(rest->sequence, rest->item[i].number);
        above = add_child(tree, above, &step);
        if (!above)
            return false;
    }
    above->state = IS_OPEN;
    count_leaves(above, 1, 1);
    return true;
}

/* The operation insert of the paper (wakeup_insert), from the siblings to the right of the way that the worker has gone
 * on: those to the left of it sleep. */
static bool insert(struct worker *w, size_t depth, struct remainder *rest)
{
    struct common_node *above = w->path.item[depth], *branch = w->path.item[depth + 1]->next;
    struct prefix prefix;
    if (go_down(&above, branch, rest, NULL))
        return true;
    above = w->path.item[depth];
    remainder_restore(rest);
    prefix_make(&prefix, rest->sequence);
    node_tell_apart(node_at(w, depth), &prefix, rest);
    go_down(&above, branch, rest, &prefix);
    prefix_keep(&prefix, rest);
    return add_chain(w->tree, above, rest);
}

bool common_tree_insert(struct worker *w, size_t depth, struct remainder *rest)
{
    if (!lock(w))
        return true; /* the search is over */
    bool fine = insert(w, depth, rest);
    unlock(w->tree);
    return fine;
}
