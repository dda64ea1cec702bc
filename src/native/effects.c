/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation does to its object, depending on the value that it finds there.  The search and the race detector
 * both follow this one table: the search takes two operations on an object for independent if neither has an effect,
 * the race detector hands clocks over as it says here (clocks.c).  So whatever leaves something behind for another
 * thread's happens-before has an effect, even if the value stays the same: an exchange that puts back what was there
 * still releases (C17 5.1.2.4), and who comes first decides what is ordered.
 *
 * An operation that may wait has the effect that it will have when it can go on.
 *
 * Operations that commute and give nobody a result need not be explored in both orders: two increments.  They
 * synchronise all the same, in whatever order they come; so that what happens before what does not depend on the
 * order that is not explored, none takes what the others of its group have given.  (That is exact.  If then two
 * accesses are not ordered, let all that happens before the second come first: in that execution of the same class, no
 * increment after the first access is followed by one before the second.)
 */
#include "native/effects.h"
#include "native/settings.h"

#include <pthread.h>

static unsigned __int128 cut_to(unsigned __int128 value, uint8_t size)
{
    return size == 16 ? value : value & (((unsigned __int128)1 << size * 8) - 1);
}

bool exchange_fails(const struct pending *op, unsigned __int128 old)
{
    return op->kind == OP_COMPARE_EXCHANGE && old != cut_to(op->expected, op->size);
}

unsigned __int128 value_after(const struct pending *op, unsigned __int128 old)
{
    unsigned __int128 value;
    switch (op->kind) {
    case OP_STORE:
    case OP_EXCHANGE: value = op->operand; break;
    case OP_ADD: value = old + op->operand; break;
    case OP_SUB: value = old - op->operand; break;
    case OP_AND: value = old & op->operand; break;
    case OP_OR: value = old | op->operand; break;
    case OP_XOR: value = old ^ op->operand; break;
    case OP_NAND: value = ~(old & op->operand); break;
    case OP_COMPARE_EXCHANGE: value = exchange_fails(op, old) ? old : op->operand; break;
    default: value = old;
    }
    return cut_to(value, op->size);
}

bool order_acquires(int order)
{
    return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

bool order_releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* What the order of an atomic, or a release fence before it, hands over to whoever reads its value. */
static enum gift gift_of(const struct pending *op)
{
    return order_releases(op->order) ? ALL_SO_FAR : op->fenced ? UP_TO_FENCE : NO_GIFT;
}

/* A read-modify-write continues a release sequence, so it only ever adds to what others have released. */
static struct effect of_atomic(const struct pending *op, unsigned __int128 old)
{
    bool fails = exchange_fails(op, old);
    bool reads = op->kind != OP_STORE && op->kind != OP_VOLATILE_WRITE;
    bool writes = op->kind != OP_LOAD && op->kind != OP_VOLATILE_READ && op->kind != OP_WAIT_VALUE && !fails;
    bool may_keep = op->kind == OP_EXCHANGE || op->kind == OP_AND || op->kind == OP_OR || op->kind == OP_NAND ||
                    op->kind == OP_COMPARE_EXCHANGE;
    return (struct effect){.writes = writes,
                           .changes = writes && (!may_keep || value_after(op, old) != old),
                           .takes = !reads                                          ? TAKES_NOTHING
                                    : order_acquires(fails ? op->error : op->order) ? TAKES_AT_ONCE
                                                                                    : TAKES_AT_FENCE,
                           .gives = writes ? gift_of(op) : NO_GIFT,
                           .replaces = writes && !reads,
                           .group = op->group};
}

uint8_t group_of(enum operation kind)
{
    enum { NO_GROUP, SUMS, ANDS, ORS, SYMMETRIC_DIFFERENCES, ARRIVALS };
    switch (kind) {
    case OP_ADD:
    case OP_SUB: return SUMS;
    case OP_AND: return ANDS;
    case OP_OR: return ORS;
    case OP_XOR: return SYMMETRIC_DIFFERENCES;
    case OP_ARRIVE: return ARRIVALS;
    default: return NO_GROUP;
    }
}

static const struct effect nothing = {0}, change = {.changes = true}, take = {.takes = TAKES_AT_ONCE},
                           give = {.changes = true, .gives = ALL_SO_FAR},
                           change_and_take = {.changes = true, .takes = TAKES_AT_ONCE};

static struct effect of_mutex(const struct pending *op, uint32_t agent, uint32_t owner)
{
    bool mine = owner == agent + 1, obtains = !owner || (mine && op->operand == PTHREAD_MUTEX_RECURSIVE);
    switch (op->kind) {
    case OP_LOCK: return !mine || obtains ? change_and_take : change; /* an error that depends on the owner */
    case OP_TRY_LOCK: return obtains ? change_and_take : nothing;
    default: return mine ? give : change; /* what is not held is not given back */
    }
}

/* Readers go in any order: what they give back only orders writers, which have an effect (`readers_of`). */
static struct effect of_read_write_lock(const struct pending *op, uint32_t agent, uint32_t owner, uint32_t count)
{
    switch (op->kind) {
    case OP_READ_LOCK: return take;
    case OP_TRY_READ_LOCK: return owner ? nothing : take;
    case OP_WRITE_LOCK: return change_and_take;
    case OP_TRY_WRITE_LOCK:
        return owner || count ? change
                              : change_and_take; /* readers are unordered, so this must be ordered with all of them */
    default: return owner == agent + 1 ? give : nothing;
    }
}

struct effect effect_of(const struct pending *op, uint32_t agent, unsigned __int128 value)
{
    uint32_t owner = (uint32_t)value, count = (uint32_t)(value >> 32);
    switch (op->kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_EXCHANGE:
    case OP_ADD:
    case OP_SUB:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NAND:
    case OP_VOLATILE_READ:
    case OP_VOLATILE_WRITE:
    case OP_WAIT_VALUE:
    case OP_COMPARE_EXCHANGE: return of_atomic(op, value);
    case OP_LOCK:
    case OP_TRY_LOCK:
    case OP_UNLOCK: return of_mutex(op, agent, owner);
    case OP_READ_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_TRY_WRITE_LOCK:
    case OP_READ_WRITE_UNLOCK: return of_read_write_lock(op, agent, owner, count);
    case OP_SEMAPHORE_TRY_WAIT: return count ? change_and_take : nothing;
    case OP_SEMAPHORE_WAIT:
    case OP_ONCE: return change_and_take;
    case OP_SEMAPHORE_POST:
    case OP_ONCE_DONE: return give;
    case OP_ARRIVE: return (struct effect){.changes = true, .gives = ALL_SO_FAR, .group = op->group};
    case OP_LEAVE: return take;
    case OP_PLAIN_READ: return nothing;
    case OP_SEMAPHORE_VALUE: return op->thing == A_LATCH ? take : nothing;
    default: return change; /* condition variables order nothing: their mutex does */
    }
}

/* When races are no errors, nobody asks what happens before what. */
bool has_effect(const struct pending *op, uint32_t agent, uint64_t value)
{
    struct effect effect = effect_of(op, agent, value);
    bool is_read = op->kind == OP_LOAD || op->kind == OP_PLAIN_READ || op->kind == OP_VOLATILE_READ;
    bool changes = op->size > 8 ? !is_read : effect.changes; /* `value` is only a half of it */
    return changes || op->group || (!chosen.interleave && effect.gives != NO_GIFT);
}

bool may_vary(const struct pending *op)
{
    if (op->group)
        return false;
    switch (op->kind) {
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_NAND: return op->size <= 8 && (chosen.interleave || !gift_of(op));
    case OP_COMPARE_EXCHANGE: return op->size <= 8;
    case OP_WAIT_VALUE:
    case OP_TRY_LOCK:
    case OP_SEMAPHORE_TRY_WAIT: return true;
    default: return false;
    }
}
