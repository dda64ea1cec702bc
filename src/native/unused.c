/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is what a register holds used?  The compiler reports an atomic_fetch_add as a call whether or not its value matters,
 * so the machine code behind the call is read: the result is in rax, and it is unused if on every way rax is written,
 * or another function is called, before it is read.  (Programs are compiled with -fno-ipa-ra, so a call preserves no
 * register that it need not.)  In the same way it is found out which of the registers that calls preserve hold nothing
 * that matters any more; a call that may throw counts as a use of all of them, since whoever catches may need them.  Of
 * the instructions those are known that compilers put there; whatever else comes counts as a use.
 */
#include "native/unused.h"
#include "native/accesses.h"
#include "native/coverage.h"
#include "native/memory.h"

#include <string.h>

enum { FARTHEST = 32, DEEPEST = 5, KNOWN = 1 << 10, RAX = 0 };
enum answer { USED, UNUSED, UNDECIDED };

/* The registers that a call preserves, in the order in which landing.c writes them down. */
static const uint8_t preserved[] = {3, 5, 12, 13, 14, 15};

static KEPT struct {
    uintptr_t caller;
    bool unused;
    uint8_t dead; /* bits: of those that are preserved */
} known[KNOWN];

struct instruction {
    const uint8_t *next; /* byte to be read */
    unsigned wanted;     /* the register that is asked for */
    bool is_byte;        /* 8 bits wide: registers 4 to 7 are the second bytes of the first four */
    unsigned rex;
    bool is_narrow; /* 16 bits wide */
    unsigned reg;   /* the register operand */
    bool is_memory;
    unsigned rm; /* the other one, if it is a register */
    bool uses;   /* memory is addressed by the register */
    bool is_relative;
};

/* Without these nobody catches, nor is anything cleaned up on the way. */
extern const char __gxx_personality_v0[] __attribute__((weak));
extern const char __gcc_personality_v0[] __attribute__((weak));

static enum answer of_call(unsigned wanted, bool may_throw)
{
    if (wanted == RAX)
        return UNUSED;
    return may_throw && (__gxx_personality_v0 || __gcc_personality_v0) ? USED : UNDECIDED;
}

static int32_t number(const uint8_t *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool is_wanted(const struct instruction *i, unsigned number)
{
    bool is_second = i->is_byte && !i->rex && number >= 4 && number < 8;
    return (is_second ? number - 4 : number) == i->wanted;
}

/* The byte that tells the operands, and what belongs to it. */
static void read_operands(struct instruction *i)
{
    unsigned modrm = *i->next++, mod = modrm >> 6, low = modrm & 7;
    i->reg = (modrm >> 3 & 7) | (i->rex & 4) << 1;
    i->is_memory = mod != 3;
    i->rm = low | (i->rex & 1) << 3;
    if (!i->is_memory)
        return;
    unsigned base = i->rm;
    if (low == 4) {
        unsigned sib = *i->next++, index = (sib >> 3 & 7) | (i->rex & 2) << 2;
        base = (sib & 7) | (i->rex & 1) << 3;
        i->uses = index == i->wanted;
        if ((sib & 7) == 5 && mod == 0)
            i->next += 4;
    }
    i->is_relative = mod == 0 && low == 5;
    i->uses = i->uses || (base == i->wanted && !i->is_relative);
    i->next += mod == 1 ? 1 : mod == 2 || i->is_relative ? 4 : 0;
}

/* Reads two operands; what it writes is no other. */
static enum answer reads_both(struct instruction *i, unsigned immediate)
{
    read_operands(i);
    i->next += immediate;
    return i->uses || is_wanted(i, i->reg) || (!i->is_memory && is_wanted(i, i->rm)) ? USED : UNDECIDED;
}

/* The same with one operand; the other is a number. */
static enum answer reads_one(struct instruction *i, unsigned immediate)
{
    read_operands(i);
    i->next += immediate;
    return i->uses || (!i->is_memory && is_wanted(i, i->rm)) ? USED : UNDECIDED;
}

/* The register is written. */
static enum answer writes_register(struct instruction *i)
{
    read_operands(i);
    if (i->uses || (!i->is_memory && is_wanted(i, i->rm)))
        return USED;
    return i->reg != i->wanted ? UNDECIDED : i->is_narrow ? USED : UNUSED;
}

/* The register is copied somewhere. */
static enum answer copies_register(struct instruction *i)
{
    read_operands(i);
    if (i->uses || i->reg == i->wanted)
        return USED;
    return i->is_memory || i->rm != i->wanted ? UNDECIDED : i->is_narrow ? USED : UNUSED;
}

/* xor and sub of a register with itself make it zero. */
static enum answer may_clear(struct instruction *i)
{
    enum answer answer = reads_both(i, 0);
    return !i->is_memory && i->reg == i->wanted && i->rm == i->wanted && !i->is_narrow ? UNUSED : answer;
}

/* An immediate operand is put somewhere. */
static enum answer moves_number(struct instruction *i)
{
    read_operands(i);
    i->next += i->is_narrow ? 2 : 4;
    if (i->uses)
        return USED;
    return i->is_memory || i->rm != i->wanted ? UNDECIDED : i->is_narrow ? USED : UNUSED;
}

static enum answer calls_or_pushes(struct instruction *i)
{
    read_operands(i);
    unsigned which = i->reg & 7;
    if (i->uses || (!i->is_memory && i->rm == i->wanted))
        return USED;
    if (which == 2 || (which == 4 && i->is_relative && i->wanted == RAX))
        return of_call(i->wanted, true);
    return which == 6 ? UNDECIDED : USED;
}

static enum answer from(const uint8_t *at, unsigned wanted, unsigned depth);

static enum answer either(const uint8_t *one, const uint8_t *other, unsigned wanted, unsigned depth)
{
    return from(one, wanted, depth + 1) == UNUSED && from(other, wanted, depth + 1) == UNUSED ? UNUSED : USED;
}

static enum answer two_bytes(struct instruction *i, unsigned depth)
{
    unsigned opcode = *i->next++;
    if (opcode >= 0x80 && opcode <= 0x8f)
        return either(i->next + 4, i->next + 4 + number(i->next), i->wanted, depth);
    i->is_byte = opcode == 0xb6 || opcode == 0xbe || (opcode >= 0x90 && opcode <= 0x9f);
    if (opcode >= 0x90 && opcode <= 0x9f)
        return reads_one(i, 0);
    if (opcode >= 0x40 && opcode <= 0x4f)
        return reads_both(i, 0);
    switch (opcode) {
    case 0xaf: return reads_both(i, 0);
    case 0x1e:
    case 0x1f: read_operands(i); return UNDECIDED; /* do nothing */
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf: return writes_register(i);
    case 0x10:
    case 0x11:
    case 0x28:
    case 0x29:
    case 0x57:
    case 0x6e:
    case 0x6f:
    case 0x7e:
    case 0x7f:
    case 0xd6:
    case 0xef: return reads_both(i, 0);
    default: return USED;
    }
}

static enum answer one_byte(struct instruction *i, unsigned opcode, unsigned depth)
{
    unsigned narrow = i->is_narrow ? 2 : 4, reg = (opcode & 7) | (i->rex & 1) << 3;
    uintptr_t target;
    i->is_byte = opcode == 0x38 || opcode == 0x3a || opcode == 0x84 || opcode == 0x88 || opcode == 0x80 ||
                 opcode == 0xc0 || opcode == 0xc6;
    switch (opcode) {
    case 0xe8:
        i->next += 4;
        target = (uintptr_t)(i->next + number(i->next - 4)) - (uintptr_t)unchanged_code;
        return of_call(i->wanted, !only_reports(target));
    case 0xe9: return from(i->next + 4 + number(i->next), i->wanted, depth + 1);
    case 0xeb: return from(i->next + 1 + (int8_t)*i->next, i->wanted, depth + 1);
    case 0xff: return calls_or_pushes(i);
    case 0x8b:
    case 0x8d:
    case 0x63: return writes_register(i);
    case 0x31:
    case 0x33:
    case 0x29:
    case 0x2b: return may_clear(i);
    case 0x01:
    case 0x03:
    case 0x09:
    case 0x0b:
    case 0x21:
    case 0x23:
    case 0x38:
    case 0x39:
    case 0x3a:
    case 0x3b:
    case 0x84:
    case 0x85:
    case 0x88: return reads_both(i, 0);
    case 0x89: return copies_register(i);
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1: return reads_one(i, 1);
    case 0xd1:
    case 0xd3: return reads_one(i, 0);
    case 0x6b: return reads_both(i, 1);
    case 0x69: return reads_both(i, narrow);
    case 0x81: return reads_one(i, narrow);
    case 0xc6: return reads_one(i, 1);
    case 0xc7: return moves_number(i);
    case 0x90: return i->rex & 1 ? USED : UNDECIDED; /* else it exchanges rax and r8 */
    case 0x68: i->next += 4; return UNDECIDED;
    case 0x6a: i->next += 1; return UNDECIDED;
    default: break;
    }
    if (opcode >= 0x50 && opcode <= 0x57)
        return reg == i->wanted ? USED : UNDECIDED;
    if (opcode >= 0x58 && opcode <= 0x5f)
        return reg == i->wanted ? UNUSED : UNDECIDED;
    if (opcode >= 0x70 && opcode <= 0x7f)
        return either(i->next + 1, i->next + 1 + (int8_t)*i->next, i->wanted, depth);
    if (opcode >= 0xb8 && opcode <= 0xbf && !i->is_narrow) {
        i->next += i->rex & 8 ? 8 : 4;
        return reg == i->wanted ? UNUSED : UNDECIDED;
    }
    return USED;
}

static enum answer from(const uint8_t *at, unsigned wanted, unsigned depth)
{
    enum answer answer = depth > DEEPEST ? USED : UNDECIDED;
    for (int count = 0; answer == UNDECIDED && count < FARTHEST; count++) {
        struct instruction i = {.next = at, .wanted = wanted};
        if (!is_program_text((uintptr_t)at - (uintptr_t)unchanged_code))
            return USED;
        for (; *i.next == 0x66 || *i.next == 0xf2 || *i.next == 0xf3; i.next++)
            i.is_narrow = i.is_narrow || *i.next == 0x66;
        if ((*i.next & 0xf0) == 0x40)
            i.rex = *i.next++;
        if (i.rex & 8)
            i.is_narrow = false;
        unsigned opcode = *i.next++;
        answer = opcode == 0x0f ? two_bytes(&i, depth) : one_byte(&i, opcode, depth);
        at = i.next;
    }
    return answer == UNUSED ? UNUSED : USED;
}

static size_t look_at(uintptr_t caller)
{
    size_t at = (caller * UINT64_C(0x9e3779b97f4a7c15)) >> 54;
    if (known[at].caller == caller)
        return at;
    const uint8_t *code = (const uint8_t *)caller + unchanged_code;
    known[at].caller = caller;
    known[at].unused = from(code, RAX, 0) == UNUSED;
    known[at].dead = 0;
    for (uint32_t i = 0; i < sizeof preserved; i++)
        known[at].dead |= (uint8_t)((from(code, preserved[i], 0) == UNUSED) << i);
    return at;
}

bool result_is_unused(uintptr_t caller)
{
    return known[look_at(caller)].unused;
}

uint8_t dead_registers(uintptr_t caller)
{
    return known[look_at(caller)].dead;
}
