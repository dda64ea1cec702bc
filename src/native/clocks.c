/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before by synchronisation (C17 5.1.2.4), for data races: vector clocks of threads, and of what was released
 * at an object.  Which operation takes and gives what is said by effects.c.
 *
 * What an acquire operation picks up is what the release sequences have whose values it reads.  One that a thread
 * heads goes on with its own later stores, whatever their order, and with read-modify-writes of anybody; a store of
 * another thread ends it.  So for each object it is known who heads one, and what each has released as soon as that
 * turns out to matter.  Where an object is accessed in parts, each byte has release sequences of its own: a load of a
 * word synchronises with the stores of its bytes.
 */
#include "native/clocks.h"
#include "native/journal.h"

#include "base/clock_vector.h"

#include <string.h>

/* What was released at an object, or at a byte of one that is accessed in parts. */
struct cell {
    uint32_t run;     /* the run it belongs to; in any other run it counts as empty */
    agent_set *heads; /* agents that head a release sequence; the rest follows at once, so that one entry saves all */
    uint64_t *group;  /* of the last operations, which commute; 0: they do not */
    uint32_t *clock;  /* everything released so far; if knows_heads, followed by what each agent released */
};

static KEPT bool knows_heads; /* whether each cell also records what each agent has released */

static uint32_t *part_of(const struct cell *cell, uint32_t agent)
{
    return cell->clock + (size_t)(agent + 1) * agents.width;
}

/* In this run. */
static struct cell *current(struct cell *cell)
{
    if (cell->run != run.number) {
        clock_clear(cell->clock, agents.width);
        *cell->heads = *cell->group = 0;
        cell->run = run.number;
    }
    return cell;
}

/* The length of all clocks of a cell together. */
static size_t clock_length(void)
{
    return (size_t)agents.width * (knows_heads ? agents.limit + 2 : 2);
}

/* What was released before the operations of the present group. */
static uint32_t *before_group(const struct cell *cell)
{
    return cell->clock + clock_length() - agents.width;
}

static void save(const struct cell *cell)
{
    journal_save(cell->heads, 2 * sizeof *cell->heads + clock_length() * sizeof *cell->clock);
}

/* --- the cells of an object */

/* The cells of the bytes that an operation touches: from `from` up to, but not including, `to`. */
static void find_cells(const struct object *object, uint32_t offset, uint32_t size, uint32_t *from, uint32_t *to)
{
    *from = object->is_split ? offset : 0;
    *to = object->is_split ? offset + size : 1;
}

static struct cell *make_cells(uint32_t count)
{
    size_t length = 2 + (clock_length() + 3) / 4; /* in sets */
    struct cell *cells = calloc(count, sizeof *cells);
    agent_set *sets = cells ? calloc(count * length, sizeof *sets) : NULL;
    if (!sets) {
        free(cells);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        cells[i].heads = sets + i * length;
        cells[i].group = (uint64_t *)(cells[i].heads + 1);
        cells[i].clock = (uint32_t *)(cells[i].heads + 2);
    }
    return cells;
}

void clocks_free(struct object *object)
{
    if (object->cells)
        free(object->cells->heads);
    free(object->cells);
    object->cells = NULL;
}

bool clocks_make(struct object *object)
{
    clocks_free(object);
    object->cells = make_cells(object->is_split ? 8 : 1);
    return object->cells;
}

/* An operation on memory: is the object one that is touched in parts? */
static bool is_as_it_seemed(struct object *object, uint32_t offset, uint32_t size)
{
    if (!object->touched_size) {
        object->touched_offset = (uint8_t)offset;
        object->touched_size = (uint8_t)size;
    }
    if (object->is_split || (object->touched_offset == offset && object->touched_size == size))
        return true;
    object->is_split = true;
    fail_run(SEARCH_AGAIN, 0, "an object is accessed in parts");
    return false;
}

/* --- giving and taking */

static void take(uint32_t agent, struct cell *cell, enum taking how)
{
    struct thread *thread = &threads[agent];
    if (how == TAKES_AT_FENCE)
        journal_save_clock(thread->to_be_acquired);
    clock_join(how == TAKES_AT_FENCE ? thread->to_be_acquired : thread->clock,
               *cell->group ? before_group(cell) : cell->clock, agents.width);
}

static const uint32_t *given_by(uint32_t agent, enum gift gift)
{
    const struct thread *thread = &threads[agent];
    return gift == ALL_SO_FAR ? thread->clock : thread->released;
}

/* The caller has saved the cell. */
static void give(uint32_t agent, struct cell *cell, enum gift gift)
{
    const uint32_t *given = given_by(agent, gift);
    clock_join(cell->clock, given, agents.width);
    if (knows_heads && *cell->heads & agent_bit(agent))
        clock_join(part_of(cell, agent), given, agents.width);
    else if (knows_heads)
        clock_copy(part_of(cell, agent), given, agents.width);
    *cell->heads |= agent_bit(agent);
}

/* A store: what this thread has released here before still counts, what others have does not. */
static void replace(uint32_t agent, struct cell *cell, enum gift gift)
{
    bool continues = *current(cell)->heads & agent_bit(agent) && gift != ALL_SO_FAR;
    if (continues && *cell->heads != agent_bit(agent) && !knows_heads) {
        knows_heads = true;
        fail_run(SEARCH_AGAIN, 0, "it matters who has released what");
        return;
    }
    save(cell);
    if (continues && *cell->heads != agent_bit(agent))
        clock_copy(cell->clock, part_of(cell, agent), agents.width);
    else if (!continues)
        clock_clear(cell->clock, agents.width);
    *cell->heads = continues ? agent_bit(agent) : 0;
    if (gift != NO_GIFT)
        give(agent, cell, gift);
}

/* An operation of another group, or of none, ends the one before. */
static void enter_group(struct cell *cell, uint8_t group)
{
    if (*current(cell)->group == group)
        return;
    save(cell);
    *cell->group = group;
    if (group)
        clock_copy(before_group(cell), cell->clock, agents.width);
}

static void exchange(uint32_t agent, struct cell *cell, const struct effect *effect)
{
    enter_group(cell, effect->group);
    if (effect->takes != TAKES_NOTHING)
        take(agent, cell, effect->takes);
    if (effect->replaces) {
        replace(agent, cell, effect->gives);
    } else if (effect->gives != NO_GIFT) {
        save(current(cell));
        give(agent, cell, effect->gives);
    }
}

void exchange_clocks(uint32_t agent, uint32_t number, const struct effect *effect)
{
    exchange(agent, object_numbered(number)->cells, effect);
}

void exchange_clocks_of_memory(uint32_t agent, const struct pending *op, const struct effect *effect)
{
    for (uint32_t done = 0; done < op->size; done += 8) { /* 16 bytes are two objects */
        struct object *object = object_numbered(done ? op->mutex : op->object);
        uint32_t size = op->size < 8 ? op->size : 8, offset = op->address % 8, from, to;
        if (!is_as_it_seemed(object, offset, size))
            return;
        find_cells(object, offset, size, &from, &to);
        for (uint32_t i = from; i < to; i++)
            exchange(agent, &object->cells[i], effect);
    }
}

void fence(int order)
{
    struct thread *thread = current_thread();
    if (order_acquires(order))
        clock_join(thread->clock, thread->to_be_acquired, agents.width);
    if (order_releases(order)) {
        journal_save_clock(thread->released);
        clock_copy(thread->released, thread->clock, agents.width);
        thread->clock[agents.current]++;
    }
}
