/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/leaves.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "stateless/shared.h"

/* ------------------------------------------------------------------------- going to a leaf */

/* A letter that is read word by word. */
struct reader {
    const uint32_t *word, *end;
    bool failed;
};

static uint32_t read_word(struct reader *r)
{
    if (r->word < r->end)
        return *r->word++;
    r->failed = true;
    return 0;
}

static bool is_wrong(struct worker *w, uint32_t agent)
{
    if (!worker_failed(w))
        worker_give_up(w, fail(&w->error, PORTOLAN_REFUSED,
                               "internal error: a step of agent %u that another process has met is not there", agent));
    return false;
}

/* Puts the agent's next step where it can be asked for what it touches. */
static bool ask_step(struct worker *w, uint32_t agent)
{
    return agent < w->machine->agents && worker_next(w, agent, &w->step);
}

/* What is to the left sleeps. */
static bool add_left(struct worker *w, struct node *node, uint32_t entry)
{
    if (!ask_step(w, entry / 2))
        return is_wrong(w, entry / 2);
    struct footprint step = footprint_of(entry / 2, w->step.accesses, w->step.access_count);
    if (!node_explore(node, &step)) {
        worker_give_up(w, fail_memory(&w->error));
        return false;
    }
    node->sleep_set.item[node->sleep_set.count - 1].from_above = entry % 2;
    return true;
}

/* What is to the right is in the backtrack set, though not for this worker. */
static bool add_right(struct worker *w, struct node *node, uint32_t agent)
{
    if (!ask_step(w, agent))
        return is_wrong(w, agent);
    struct footprint step = footprint_of(agent, w->step.accesses, w->step.access_count);
    struct sequence only = {.execution = &w->execution, .length = 1, .last = step};
    struct item room;
    struct remainder rest;
    bool fine = true;
    if (w->method->sequences == WAKE_UP) {
        remainder_make(&rest, &only, &room);
        fine = node_insert(&w->pool, node, &rest);
    } else {
        fine = node_add_branch(&w->pool, node, &only);
    }
    if (!fine)
        worker_give_up(w, fail_memory(&w->error));
    return fine;
}

static bool follow_step(struct worker *w, struct reader *r)
{
    struct node *node = node_at(w, w->execution.events.count);
    uint32_t way = read_word(r), left = read_word(r), right = read_word(r);
    bool fine = true;
    node->entered = true;
    if (w->method->entered)
        find_enabled(w, node);
    for (uint32_t i = 0; i < left && fine && !r->failed; i++)
        fine = add_left(w, node, read_word(r));
    for (uint32_t i = 0; i < right && fine && !r->failed; i++)
        fine = add_right(w, node, read_word(r));
    if (!fine || r->failed)
        return fine && is_wrong(w, way);
    if (!ask_step(w, way) || !w->step.enabled)
        return is_wrong(w, way);
    worker_step(w, way);
    return !atomic_load(&w->shared->over);
}

static bool begin_at_root(struct worker *w)
{
    worker_drop_stack(w);
    execution_cut(&w->execution, 0);
    w->seen_events = 0;
    struct node *root = node_make(&w->pool);
    if (root && vector_push(&w->stack, root))
        return true;
    if (root)
        node_release(&w->pool, root);
    worker_give_up(w, fail_memory(&w->error));
    return false;
}

/* Steps on the way were counted by whoever took them first. */
static bool follow(struct worker *w, const struct leaf_source *source)
{
    struct reader r = {source->letter.item, source->letter.item + source->letter.count, false};
    uint32_t is_new = read_word(&r), depth = read_word(&r);
    uint64_t steps = w->steps;
    bool fine = begin_at_root(w);
    w->common = depth;
    for (uint32_t i = 0; fine && i < depth; i++)
        fine = follow_step(w, &r);
    w->steps = steps + (is_new && depth);
    return fine;
}

/* ------------------------------------------------------------------------- reports */

static bool write_word(struct leaf_source *source, uint32_t word)
{
    return vector_push(&source->letter, word);
}

static bool write_open(struct leaf_source *source, const struct node *node)
{
    bool fine = true;
    for (const struct wakeup_node *branch = node->backtrack.first; branch && fine; branch = branch->next)
        fine = write_word(source, branch->step.agent);
    return fine;
}

static uint32_t count_open(const struct node *node)
{
    uint32_t count = 0;
    for (const struct wakeup_node *branch = node->backtrack.first; branch; branch = branch->next)
        count++;
    return count;
}

/* All that was explored from it, but for the way that the worker is on. */
static bool write_own_node(struct leaf_source *source, const struct node *node, uint32_t way)
{
    uint32_t explored = 0;
    for (size_t i = 0; i < node->sleep_set.count; i++)
        explored += node->sleep_set.item[i].explored_here && node->sleep_set.item[i].step.agent != way;
    bool fine = write_word(source, way) && write_word(source, explored) && write_word(source, count_open(node));
    for (size_t i = 0; i < node->sleep_set.count && fine; i++)
        if (node->sleep_set.item[i].explored_here && node->sleep_set.item[i].step.agent != way)
            fine = write_word(source, node->sleep_set.item[i].step.agent);
    return fine && write_open(source, node);
}

/* With so many of the worker's own nodes. */
static bool write_report(struct worker *w, enum report report, size_t own)
{
    struct leaf_source *source = w->leaves;
    source->letter.count = 0;
    bool fine = write_word(source, report) && write_word(source, (uint32_t)w->common);
    for (size_t i = 0; i < w->common && fine; i++)
        fine = write_word(source, count_open(node_at(w, i))) && write_open(source, node_at(w, i));
    fine = fine && write_word(source, (uint32_t)own);
    for (size_t i = w->common; i < w->common + own && fine; i++) {
        bool goes_on = i < w->execution.events.count;
        fine = write_own_node(source, node_at(w, i), goes_on ? w->execution.events.item[i].agent : NO_AGENT_HERE);
    }
    return fine;
}

static void send_report(struct worker *w, enum report report, size_t own)
{
    if (!write_report(w, report, own))
        worker_give_up(w, fail_memory(&w->error));
    else if (!w->leaves->send(w->leaves))
        worker_give_up(w, fail(&w->error, PORTOLAN_IO, "what is still to be explored cannot be sent"));
}

/* The first of the worker's own nodes with something to give; it goes on below that. */
static void give_some(struct worker *w)
{
    size_t depth = w->common;
    while (depth + 1 < w->stack.count && !node_at(w, depth)->backtrack.first)
        depth++;
    if (depth + 1 >= w->stack.count)
        return;
    send_report(w, LEAF_GOES_ON, depth + 1 - w->common);
    w->common = depth + 1;
}

/* Nothing is left to do then. */
static void give_back(struct worker *w)
{
    size_t own = w->stack.count > w->common ? w->stack.count - w->common : 0;
    bool entered = !own || w->stack.item[w->stack.count - 1]->entered;
    send_report(w, entered ? LEAF_IS_DONE : LEAF_IS_LEFT, entered ? own : own - 1);
    w->leaves->gave_all = true;
    worker_drop_stack(w);
    w->common = 0;
}

void leaves_share(struct worker *w)
{
    if (atomic_load(&w->shared->over))
        return;
    enum leaf_wish wish = w->leaves->wish(w->leaves, w);
    if (wish == GIVE_SOME)
        give_some(w);
    else if (wish == GIVE_ALL)
        give_back(w);
}

bool leaves_look_at_limits(struct worker *w)
{
    uint64_t most = w->shared->options->state_limit;
    if (w->leaves->gave_all)
        return true;
    enum portolan_stop due = is_interrupted(w) ? PORTOLAN_INTERRUPTED : limits_due();
    if (due == PORTOLAN_COMPLETE && most && w->executions > most)
        due = PORTOLAN_STATE_LIMIT;
    if (due == PORTOLAN_COMPLETE || atomic_load(&w->shared->over))
        return false;
    w->leaves->stop = due;
    give_back(w);
    return true;
}

bool leaves_next(struct worker *w)
{
    return !w->leaves->gave_all && !atomic_load(&w->shared->over) && w->leaves->take(w->leaves) && follow(w, w->leaves);
}

void leaves_done(struct worker *w)
{
    if (!w->leaves->gave_all && !atomic_load(&w->shared->over))
        send_report(w, LEAF_IS_DONE, 0);
}
