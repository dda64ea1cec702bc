/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws Promela programs that Spin accepts, most of them with few states: two or three proctypes over a few small
 * variables and channels.  Every statement has a line of its own, so that a program can be made smaller line by line.
 */
#include "random_promela.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 3, MOST_FIELDS = 2, PROCTYPES = 3, LAST_PERCENT = 2 };

struct channel {
    unsigned capacity;
    unsigned fields;
    char type[MOST_FIELDS]; /* b: byte, m: mtype, s: short, t: bit */
};

struct drawing {
    struct random *random;
    struct promela_program *program;
    size_t used;
    struct channel channel[CHANNELS];
    unsigned channels, proctypes;
    unsigned process; /* that is being drawn; PROCTYPES: init */
    unsigned labels;  /* drawn in it so far */
    unsigned budget;  /* statements left in it */
    unsigned runs;    /* left in the program */
    bool has_record, has_inline, in_d_step, in_claim;
    bool alike;      /* all channels have the same shape, so that any can stand for any */
    bool has_array;  /* of channels like c0 */
    bool has_own;    /* the process has a channel like c0 */
    bool is_run;     /* the process is never active by itself, so that its parameter is a channel */
    bool is_first;   /* process 0 is a P0 */
    bool is_on_edge; /* _last may be asked for */
    bool at_start;   /* of a block, where no label may stand */
    bool has_priorities, has_trace;
};

static __attribute__((format(printf, 2, 3))) void put(struct drawing *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsnprintf(d->program->text + d->used, PROMELA_TEXT - d->used, format, list);
    va_end(list);
    d->used += (size_t)count;
    if (d->used >= PROMELA_TEXT)
        d->used = PROMELA_TEXT - 1;
}

static uint32_t below(struct drawing *d, uint32_t limit)
{
    return random_below(d->random, limit);
}

static bool chance(struct drawing *d, uint32_t percent)
{
    return random_chance(d->random, percent);
}

/* --------------------------------------------------------------------- expressions */

static void put_expression(struct drawing *d, int depth);

/* An index of an array of two. */
static void put_index(struct drawing *d)
{
    if (chance(d, 60))
        put(d, "%u", below(d, 2));
    else
        put(d, "%s & 1", chance(d, 50) ? "b" : chance(d, 50) && !d->in_claim ? "_pid" : "h");
}

/* Something that can be assigned to. */
static void put_target(struct drawing *d)
{
    static const char *const plain[] = {"b", "t", "s", "n", "u", "m", "h", "p"};
    uint32_t which = below(d, 14);
    bool local = d->process <= PROCTYPES && !d->in_claim;
    if (which < 8) {
        put(d, "%s", plain[which]);
    } else if (which == 8 && d->has_record) {
        static const char *const parts[] = {"r.f", "r.g[1]", "k[1].f", "k[h].g[0]", "k[0].i.q"};
        put(d, "%s", parts[below(d, 5)]);
    } else if (which == 9) {
        put(d, "a[");
        put_index(d);
        put(d, "]");
    } else if (which == 10) {
        put(d, "e[");
        put_index(d);
        put(d, "]");
    } else {
        put(d, "%s", local ? (chance(d, 60) ? "x" : "y") : "b");
    }
}

/* c, or another one like it; true where its index may name a variable. */
static bool put_channel(struct drawing *d, unsigned c)
{
    bool inside = !d->in_claim;
    if (c == 0 && d->has_array && chance(d, 20)) {
        put(d, "ca[");
        put_index(d);
        put(d, "]");
        return true;
    }
    if (c == 0 && inside && d->has_own && chance(d, 20))
        put(d, "l");
    else if (d->alike && inside && d->is_run && chance(d, 25))
        put(d, "w");
    else
        put(d, "c%u", c);
    return false;
}

static void put_constant(struct drawing *d)
{
    static const char *const names[] = {"red", "green", "true", "false"};
    if (chance(d, 10))
        put(d, "%s", names[below(d, 4)]);
    else if (chance(d, 7))
        put(d, "%u", 254 + below(d, 4));
    else if (chance(d, 5))
        put(d, "(-1)");
    else
        put(d, "%u", below(d, 4));
}

static void put_poll(struct drawing *d, unsigned c)
{
    put_channel(d, c);
    put(d, chance(d, 60) ? "?[" : "??[");
    for (unsigned i = 0; i < d->channel[c].fields; i++)
        put(d, "%s%u", i ? "," : "", below(d, 3));
    put(d, "]");
}

static void put_leaf(struct drawing *d)
{
    uint32_t which = below(d, 100);
    if (which < 40) {
        put_target(d);
    } else if (which < 75) {
        put_constant(d);
    } else if (which < 82) {
        put(d, "len(");
        put_channel(d, below(d, d->channels));
        put(d, ")");
    } else if (which < 86 && !d->in_claim) {
        put(d, "_pid");
    } else if (which < 89) {
        bool is_last = d->is_on_edge && chance(d, 40); /* Spin's claim of non-progress cycles counts in _nr_pr */
        put(d, is_last ? "_last" : d->program->question == ASK_PROGRESS ? "2" : "_nr_pr");
    } else if (which < 93 && d->has_priorities) {
        put(d, chance(d, 50) || d->in_claim ? "get_priority(0)" : "_priority");
    } else {
        put_target(d);
    }
}

static void put_expression(struct drawing *d, int depth)
{
    static const char *const binaries[] = {"+", "-", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
                                           "&", "|", "^",  "==", "+", "<",  "*", "==", "!=", ">"};
    uint32_t which = depth ? below(d, 100) : 0;
    if (which < 35) {
        put_leaf(d);
    } else if (which < 82) {
        put(d, "(");
        put_expression(d, depth - 1);
        put(d, " %s ", binaries[below(d, 20)]);
        put_expression(d, depth - 1);
        put(d, ")");
    } else if (which < 86) {
        put(d, "(");
        put_expression(d, depth - 1);
        put(d, " %s %u)", chance(d, 50) ? "<<" : ">>", below(d, 3));
    } else if (which < 89) {
        put(d, "(");
        put_expression(d, depth - 1);
        put(d, " %s %u)", chance(d, 50) || d->in_claim ? "/" : "%", 1 + below(d, 3));
    } else if (which < 95 || d->in_claim) {
        put(d, "%s(", chance(d, 60) ? "!" : chance(d, 50) ? "-" : "~");
        put_expression(d, depth - 1);
        put(d, ")");
    } else {
        put(d, "(");
        put_expression(d, depth - 1);
        put(d, " -> ");
        put_expression(d, depth - 1);
        put(d, " : ");
        put_expression(d, depth - 1);
        put(d, ")");
    }
}

/* One that is often about to change. */
static void put_c_condition(struct drawing *d);

static void put_condition(struct drawing *d)
{
    static const char *const questions[] = {"full", "empty", "nfull", "nempty"};
    if (d->program->has_c && chance(d, 20)) {
        put_c_condition(d);
    } else if (chance(d, 8) && !d->in_claim) {
        put(d, "(%s(c%u))", questions[below(d, 4)], below(d, d->channels));
    } else if (chance(d, 6) && !d->in_claim) {
        /* no operand: Spin has C read x == c?[m] as (x == ...) && ... */
        unsigned c = below(d, d->channels);
        put(d, "(");
        if (d->channel[c].capacity)
            put_poll(d, c);
        else
            put(d, "1");
        put(d, ")");
    } else if (chance(d, 5)) {
        put(d, chance(d, 50) ? "(LOW(s))" : "(w0 == tue)");
    } else if (chance(d, 55)) {
        put(d, "(");
        put_target(d);
        put(d, " %s %u)", below(d, 2) ? "<" : chance(d, 50) ? "==" : "!=", below(d, 4));
    } else {
        put(d, "(");
        put_expression(d, 2);
        put(d, ")");
    }
}

/* --------------------------------------------------------------------------------- C */

static void put_c_globals(struct drawing *d)
{
    put(d, "c_decl { typedef struct Pair { short one; unsigned char two[2]; } Pair; }\n");
    put(d, "c_code { int trk = %u; static int twice(int v) { return 2 * v & 3; } }\n", below(d, 3));
    put(d, "c_state \"Pair pr\" \"Global\"\nc_state \"int cg\" \"Global\" \"%u\"\n", below(d, 3));
    put(d, "c_state \"char cl\" \"Local P0\" \"%u\"\n", below(d, 3));
    put(d, "c_track \"&trk\" \"sizeof(int)\"\n");
}

static const char *c_value(struct drawing *d)
{
    static const char *const values[] = {"now.b", "now.t", "now.cg",   "now.u",         "trk",
                                         "now.h", "now.m", "now.e[1]", "now.pr.two[1]", "now.pr.one"};
    return values[below(d, 10)];
}

static void put_c_condition(struct drawing *d)
{
    put(d, "(c_expr { ");
    if (!d->in_claim && d->process < PROCTYPES && chance(d, 25))
        put(d, "PP%u->x", d->process);
    else if (!d->in_claim && d->process == 0 && chance(d, 25))
        put(d, "PP0->cl");
    else
        put(d, "%s", c_value(d));
    put(d, " %s %u })", chance(d, 50) ? "<" : "==", below(d, 4));
}

static void put_c_statement(struct drawing *d)
{
    put(d, "c_code ");
    if (chance(d, 10) && d->program->question == ASK_SAFETY)
        put(d, "[%s < 3] ", c_value(d));
    if (d->process < PROCTYPES && chance(d, 30))
        put(d, "{ PP%u->%s = (%s + PP%u->_pid) & 3; }", d->process, d->process == 0 && chance(d, 50) ? "cl" : "x",
            c_value(d), d->process);
    else if (chance(d, 30))
        put(d, "{ if (%s) now.t = 1; now.cg = twice(now.cg + 1); }", c_value(d));
    else if (chance(d, 20) && d->has_record)
        put(d, "{ now.k[1].g[0] = now.k[0].i.q + 1; now.r.i.z = now.b; }");
    else
        put(d, "{ %s = (%s + %u) & 3; }", c_value(d), c_value(d), below(d, 3));
}

/* ----------------------------------------------------------------------- statements */

static void put_sequence(struct drawing *d, unsigned most, int depth);

static void put_send(struct drawing *d)
{
    unsigned c = below(d, d->channels);
    const struct channel *channel = &d->channel[c];
    put_channel(d, c);
    put(d, channel->capacity && chance(d, 25) && !d->has_trace ? "!!" : "!");
    for (unsigned i = 0; i < channel->fields; i++) {
        put(d, i ? "," : "");
        if (channel->type[i] == 'm')
            put(d, "%s", chance(d, 70) ? (chance(d, 50) ? "red" : "green") : "m");
        else
            put_expression(d, chance(d, 70) ? 0 : 1);
    }
}

static void put_receive(struct drawing *d)
{
    /* none that is smaller than the message: Spin would not take such a receive back as it was */
    static const char *const into[MOST_FIELDS][3] = {{"b", "x", "n"}, {"y", "s", "n"}}; /* bytes, and larger */
    unsigned c = below(d, d->channels);
    const struct channel *channel = &d->channel[c];
    bool buffered = channel->capacity, copies = buffered && chance(d, 15);
    const char *received = ""; /* not to be compared with in the same message: Spin does not take that back either */
    /* nor, as it looks for the channel anew, where the index is received */
    uint32_t into_variables = put_channel(d, c) ? 0 : 50;
    put(d, "%s%s", buffered && chance(d, 25) && !d->has_trace ? "??" : "?", copies ? "<" : "");
    for (unsigned i = 0; i < channel->fields; i++) {
        uint32_t which = 50 - into_variables + below(d, 50 + into_variables);
        put(d, i ? "," : "");
        if (which < 50) {
            received = channel->type[i] == 'm' ? (i ? "n" : "m") : into[channel->type[i] == 's' ? 1 : i][below(d, 3)];
            put(d, "%s", received);
        } else if (which < 62) {
            put(d, "_");
        } else if (which < 85) {
            put(d, channel->type[i] == 'm' ? "red" : "%u", below(d, 3));
        } else if (channel->type[i] == 'm') {
            put(d, "eval(%s)", *received == 'm' ? "blue" : "m");
        } else {
            bool is_first = chance(d, 50);
            put(d, "eval(%s)", *received == 'x' || (is_first && *received != 'b') ? "b" : "x");
        }
    }
    put(d, copies ? ">" : "");
}

static void put_assignment(struct drawing *d)
{
    put_target(d);
    if (chance(d, 20)) {
        put(d, chance(d, 60) ? "++" : "--");
        return;
    }
    uint32_t which = below(d, 100);
    put(d, " = ");
    if (which < 35)
        put_constant(d);
    else if (which < 60)
        put(d, "(%s + 1) %% 3", chance(d, 50) ? "b" : "x");
    else
        put_expression(d, 1 + (int)below(d, 2));
}

/* What a sequence may begin with and wait for; true where it is a message. */
static bool put_guard(struct drawing *d)
{
    uint32_t which = below(d, 100);
    bool transfers = !d->in_d_step && which >= 55 && which < 85;
    if (which < 55 || d->in_d_step)
        put_condition(d);
    else if (which < 68)
        put_send(d);
    else if (which < 85)
        put_receive(d);
    else if (which < 90)
        put(d, "timeout");
    else if (which < 94)
        put(d, "true");
    else
        put_assignment(d);
    return transfers;
}

/* What an escape begins with: a guard, or a choice. */
static void put_escape_guard(struct drawing *d)
{
    if (chance(d, 70)) {
        put_guard(d);
        put(d, ";\n");
        return;
    }
    put(d, "if\n:: ");
    put_condition(d);
    put(d, "\n:: ");
    if (chance(d, 60))
        put(d, "else");
    else
        put_condition(d);
    put(d, "\nfi;\n");
}

/* An option that begins with what has others: an inner choice, or what can be left; Spin warns of the latter. */
static void put_inner_guard(struct drawing *d)
{
    if (chance(d, 50)) {
        put(d, "if\n:: ");
        put_condition(d);
        put(d, "\n:: ");
        put(d, chance(d, 50) ? "else" : "true");
        put(d, "\nfi");
    } else if (chance(d, 50)) {
        put_condition(d);
        put(d, " unless ");
        put_condition(d);
    } else {
        put(d, "{ ");
        put_condition(d);
        put(d, " unless { ");
        put_condition(d);
        put(d, " } } unless ");
        put_condition(d);
    }
}

static void put_options(struct drawing *d, bool loops, int depth)
{
    unsigned options = 1 + below(d, 3);
    bool has_else = chance(d, d->in_d_step ? 100 : 35), leaves = !loops, transfers = false;
    put(d, loops ? "do\n" : "if\n");
    for (unsigned i = 0; i < options; i++) {
        put(d, ":: ");
        if (!d->in_d_step && chance(d, 10))
            put_inner_guard(d);
        else
            transfers |= put_guard(d);
        put(d, " ->\n");
        put_sequence(d, 2, depth - 1);
        if (loops && chance(d, 30)) {
            put(d, "break;\n");
            leaves = true;
        }
        put(d, "skip\n");
    }
    if (has_else || !leaves) {
        /* Spin refuses else beside messages, in some places */
        put(d, (chance(d, 80) && !transfers) || d->in_d_step ? ":: else ->\n" : ":: timeout ->\n");
        if (chance(d, 40))
            put_sequence(d, 1, depth - 1);
        put(d, loops && (!leaves || chance(d, 60)) ? "break\n" : "skip\n");
    }
    put(d, loops ? "od;\n" : "fi;\n");
}

static void put_d_step(struct drawing *d)
{
    unsigned count = 1 + below(d, 3);
    d->in_d_step = true;
    put(d, "d_step {\n");
    if (chance(d, 40)) {
        put_condition(d);
        put(d, ";\n");
    }
    for (unsigned i = 0; i < count; i++) {
        if (chance(d, 25)) {
            put_options(d, false, 1);
        } else {
            put_assignment(d);
            put(d, ";\n");
        }
    }
    put(d, "skip\n};\n");
    d->in_d_step = false;
}

static void put_block(struct drawing *d, const char *before, unsigned most, int depth)
{
    put(d, "%s{\n", before);
    d->at_start = true;
    put_sequence(d, most, depth - 1);
    put(d, "skip\n}");
}

static void put_run(struct drawing *d)
{
    unsigned which = d->process >= PROCTYPES ? below(d, d->proctypes) : d->process + 1;
    if (which >= d->proctypes || d->runs == 0) {
        put(d, "skip;\n");
        return;
    }
    d->runs--;
    if (chance(d, 15))
        put(d, "y = ");
    put(d, "run P%u(", which);
    put_expression(d, 0);
    put(d, ", c%u)", below(d, d->channels));
    if (d->has_priorities && chance(d, 50))
        put(d, " priority %u", 1 + below(d, 4));
    put(d, ";\n");
}

/* With a claim, Spin also counts accepting states of the processes themselves; we count those of the claim alone. */
static void put_label(struct drawing *d)
{
    static const char *const names[] = {"L", "end", "progress", "L", "accept"};
    bool claims = d->program->question == ASK_FORMULA || d->program->question == ASK_CLAIM;
    put(d, "%s%u:\n", names[below(d, claims ? 4 : 5)], d->labels++);
}

static void put_compound(struct drawing *d, int depth)
{
    uint32_t which = below(d, 100);
    if (which < 25) {
        put_options(d, false, depth);
    } else if (which < 45) {
        put_options(d, true, depth);
    } else if (which < 62) {
        put_block(d, "atomic ", 3, depth);
        put(d, ";\n");
    } else if (which < 72) {
        put_d_step(d);
    } else if (which < 82) {
        put_block(d, "", 2, depth);
        put(d, " unless {\n");
        put_escape_guard(d);
        put_sequence(d, 1, depth - 1);
        put(d, "skip\n};\n");
        d->at_start = false;
    } else if (which < 88) {
        put_block(d, "for (y : 0 .. 1) ", 2, depth);
        put(d, ";\n");
    } else if (which < 91) {
        put_block(d, "for (y in a) ", 2, depth);
        put(d, ";\nw0 = mon");
        put(d, ";\n");
    } else if (which < 96) {
        put(d, "select (x : %u .. %u);\n", below(d, 2), 1 + below(d, 2));
    } else {
        put_run(d);
    }
}

static void put_simple(struct drawing *d)
{
    uint32_t which = below(d, 100);
    if (d->program->has_c && chance(d, 30))
        put_c_statement(d);
    else if (which < 50)
        put_assignment(d);
    else if (which < 55)
        put_condition(d);
    else if (which < 66)
        put_send(d);
    else if (which < 78)
        put_receive(d);
    else if (which < 85 && d->program->question == ASK_SAFETY) {
        put(d, "assert");
        put_condition(d);
    } else if (which < 88 && d->has_priorities) /* of a process that is there: Spin does not take others back */
        put(d,
            chance(d, 60)   ? "set_priority(_pid, %u)"
            : chance(d, 50) ? "set_priority(0, %u)"
                            : "_priority = %u",
            1 + below(d, 4));
    else if (which < 88)
        put(d, "printf(\"%%d\\n\", b)");
    else if (which < 93 && d->has_inline)
        put(d, "bump(%s)", chance(d, 50) ? "b" : "x");
    else if (which < 96 && d->labels > 1)
        put(d, "goto M");
    else
        put(d, "skip");
    put(d, ";\n");
}

static void put_sequence(struct drawing *d, unsigned most, int depth)
{
    unsigned count = 1 + below(d, most);
    for (unsigned i = 0; i < count && d->budget; i++) {
        d->budget--;
        if (d->in_d_step) {
            put_assignment(d);
            put(d, ";\n");
            continue;
        }
        if (!d->at_start && chance(d, 12))
            put_label(d);
        d->at_start = false;
        if (depth > 0 && chance(d, 35))
            put_compound(d, depth);
        else
            put_simple(d);
    }
}

/* ------------------------------------------------------------------------- programs */

static const char *type_word(char type)
{
    return type == 'b' ? "byte" : type == 'm' ? "mtype" : type == 's' ? "short" : "bit";
}

static void put_like_first(struct drawing *d, const char *name, unsigned capacity)
{
    const struct channel *first = &d->channel[0];
    put(d, "chan %s = [%u] of { %s%s%s };\n", name, capacity, type_word(first->type[0]), first->fields > 1 ? ", " : "",
        first->fields > 1 ? type_word(first->type[1]) : "");
}

static void put_globals(struct drawing *d)
{
    put(d, "#define LOW(v) (v < 2)\nmtype = { red, green, blue };\nmtype:day = { mon, tue };\nmtype:day w0 = tue;\n");
    d->has_record = chance(d, 40);
    d->has_inline = chance(d, 40);
    if (d->has_record)
        put(d, "typedef I { bit q; unsigned z : 3 };\ntypedef T { byte f; short g[2]; I i };\nT r;\nT k[2];\n");
    put(d, "byte b = %u;\nbit t;\nshort s = %d;\nint n;\nunsigned u : 2 = 1;\n", below(d, 3), (int)below(d, 3) - 1);
    put(d, "mtype m = %s;\nbool h;\npid p;\nbyte a[2];\nshort e[2] = 1;\n", chance(d, 50) ? "red" : "blue");
    d->channels = 1 + below(d, CHANNELS);
    d->alike = chance(d, 30);
    d->has_array = chance(d, 20);
    d->is_on_edge = chance(d, LAST_PERCENT);
    for (unsigned c = 0; c < d->channels; c++) {
        struct channel *channel = &d->channel[c];
        /* Spin has no rendezvous beside priorities, and takes an offer that nobody accepts for a send of the trace */
        channel->capacity = d->has_priorities || d->has_trace ? 1 + below(d, 2) : below(d, 3);
        channel->fields = 1 + below(d, MOST_FIELDS);
        for (unsigned i = 0; i < channel->fields; i++)
            channel->type[i] = "bbmst"[below(d, 5)];
        if (d->alike)
            *channel = d->channel[0];
        put(d, "chan c%u = [%u] of { %s", c, channel->capacity, type_word(channel->type[0]));
        if (channel->fields > 1)
            put(d, ", %s", type_word(channel->type[1]));
        put(d, " };\n");
    }
    if (d->has_array)
        put_like_first(d, "ca[2]", d->channel[0].capacity);
    if (d->program->has_c)
        put_c_globals(d);
    if (d->has_inline)
        put(d, "inline bump(v) {\nv = v + 1;\nb = b & 3\n}\n");
}

static void put_body(struct drawing *d)
{
    d->budget = 8;
    d->at_start = false;
    put(d, "short y;\nbyte x = %u;\n", below(d, 3));
    d->has_own = chance(d, 15);
    if (d->has_own)
        put_like_first(d, "l", d->channel[0].capacity);
    put(d, "M:\n");
    d->labels = 1;
    if (chance(d, 55))
        put_sequence(d, 5, 2);
    else
        put_options(d, true, 2);
    put(d, "skip\n}\n");
}

static void put_proctypes(struct drawing *d)
{
    d->proctypes = 1 + below(d, PROCTYPES);
    bool has_init = chance(d, 40), some = false;
    d->runs = 3;
    for (unsigned i = 0; i < d->proctypes; i++) {
        bool active = !has_init || chance(d, 30);
        if (!has_init && i + 1 == d->proctypes && some)
            active = chance(d, 70);
        d->process = i;
        d->is_run = !active;
        some |= active;
        d->is_first |= active && i == 0;
        if (active)
            put(d, "active %s", chance(d, 15) ? "[2] " : "");
        put(d, "proctype P%u(byte v; chan w)", i);
        if (d->has_priorities && active && chance(d, 60))
            put(d, " priority %u", 1 + below(d, 4));
        if (chance(d, 10)) {
            put(d, " provided ");
            put(d, "(%s %s %u)", chance(d, 50) ? "b" : "t", chance(d, 50) ? "<" : "!=", 1 + below(d, 2));
        }
        put(d, " {\n");
        put_body(d);
    }
    if (!has_init)
        return;
    d->process = PROCTYPES;
    d->is_run = d->has_own = false;
    put(d, "init {\n");
    put(d, "short y;\nbyte x;\n");
    if (chance(d, 60)) {
        put(d, "atomic {\n");
        put_run(d);
        put_run(d);
        put(d, "skip\n};\n");
    } else {
        put_run(d);
        put_run(d);
    }
    d->labels = 0;
    d->budget = 2;
    put_sequence(d, 2, 1);
    put(d, "skip\n}\n");
}

/* A condition on states, also on where a process is. */
static void put_claim_condition(struct drawing *d)
{
    if (chance(d, 20)) {
        put(d, chance(d, 70) || !d->is_first ? "(P0@M)" : "(P0[0]@M)");
        return;
    }
    if (chance(d, 5)) {
        put(d, "(LOW(b))");
        return;
    }
    if (chance(d, 10)) {
        put(d, "(P0:x == %u)", below(d, 3));
        return;
    }
    put_condition(d);
}

static void put_formula(struct drawing *d, int depth)
{
    uint32_t which = depth ? below(d, 8) : 0;
    if (which < 2) {
        put_claim_condition(d);
    } else if (which < 6) {
        static const char *const unaries[] = {"[] ", "<> ", "! ", "[] <> "};
        put(d, "%s(", unaries[which - 2]);
        put_formula(d, depth - 1);
        put(d, ")");
    } else {
        static const char *const binaries[] = {" U ", " && ", " || ", " -> ", " V ", " W "};
        put(d, "(");
        put_formula(d, depth - 1);
        put(d, "%s", binaries[below(d, 6)]);
        put_formula(d, depth - 1);
        put(d, ")");
    }
}

/* What a trace speaks of; of sorted and random messages Spin looks at the wrong place. */
static void put_event(struct drawing *d)
{
    unsigned c = below(d, d->channels);
    put(d, "c%u%s", c, chance(d, 50) ? "!" : "?");
    for (unsigned i = 0; i < d->channel[c].fields; i++)
        put(d, "%s%s", i ? "," : "",
            chance(d, 50)                  ? "_"
            : d->channel[c].type[i] == 'm' ? "red"
            : chance(d, 50)                ? "1"
                                           : "0");
}

static void put_trace(struct drawing *d)
{
    put(d, chance(d, 60) ? "trace {\ndo\n" : "notrace {\ndo\n");
    for (unsigned i = 1 + below(d, 4); i-- > 0;) {
        put(d, ":: ");
        put_event(d);
        if (chance(d, 40)) {
            put(d, ";\n");
            put_event(d);
        }
        put(d, chance(d, 20) ? ";\nbreak\n" : "\n");
    }
    put(d, "od\n}\n");
}

/* What a claim does with its variable; perhaps with a value of the system, which it may also change. */
static void put_count(struct drawing *d)
{
    static const char *const numbers[] = {"own++", "own = (own + 2) % 4", "d_step { own = own + 3; own = own & 5 }"};
    uint32_t which = below(d, 8);
    if (which < 3) {
        put(d, "%s\n", numbers[which]);
    } else if (which == 3) {
        put(d, "b = (b + own) & 3\n");
    } else if (which == 4) {
        put(d, "atomic {\nown = 1;\n");
        put_claim_condition(d);
        put(d, " -> own = 2\n}\n");
    } else {
        put(d, which == 5 ? "d_step {\nif\n:: " : "own = (");
        if (which == 5) {
            put_claim_condition(d);
            put(d, " -> own = 2\n:: else\nfi;\nown = (own + ");
        }
        put_expression(d, 2);
        put(d, which == 5 ? ") & 3\n}\n" : ") & 3\n");
    }
}

/* A claim that counts has a variable: one of all, as Spin wants it, or its own. */
static void put_never(struct drawing *d)
{
    bool counts = chance(d, 60);
    uint32_t start = below(d, 3);
    if (counts)
        put(d, "#ifndef INSIDE\nbyte own = %u;\n#endif\n", start);
    put(d, "never {\n");
    if (counts)
        put(d, "#ifdef INSIDE\nbyte own = %u;\n#endif\n", start);
    put(d, "T0:\ndo\n:: true\n");
    if (counts) {
        put(d, ":: (own < 3) && ");
        put_claim_condition(d);
        put(d, " -> ");
        put_count(d);
    }
    put(d, ":: ");
    put_claim_condition(d);
    if (counts && chance(d, 70))
        put(d, " && (own == %u)", below(d, 4));
    put(d, " -> goto accept_1\nod;\naccept_1:\ndo\n:: ");
    put_claim_condition(d);
    if (counts && chance(d, 30))
        put(d, " && (own != %u)", below(d, 4));
    if (chance(d, 30)) {
        put(d, " -> goto T0\n:: ");
        put_claim_condition(d);
    }
    put(d, "\nod\n}\n");
}

void promela_draw(struct promela_program *program, struct random *random)
{
    static const enum promela_question questions[] = {ASK_SAFETY, ASK_SAFETY,     ASK_SAFETY,  ASK_SAFETY,
                                                      ASK_SAFETY, ASK_SAFETY,     ASK_FORMULA, ASK_FORMULA,
                                                      ASK_CLAIM,  ASK_ACCEPTANCE, ASK_PROGRESS};
    struct drawing d = {.random = random, .program = program};
    program->question = questions[below(&d, sizeof questions / sizeof *questions)];
    program->fair = program->question != ASK_SAFETY && chance(&d, 40);
    d.has_priorities = program->question == ASK_SAFETY && chance(&d, 8);
    d.has_trace = program->question == ASK_SAFETY && chance(&d, 8);
    put_globals(&d);
    put_proctypes(&d);
    d.in_claim = true;
    if (d.has_trace)
        put_trace(&d);
    if (program->question == ASK_FORMULA) {
        put(&d, "ltl f {\n");
        put_formula(&d, 3);
        put(&d, "\n}\n");
    } else if (program->question == ASK_CLAIM) {
        put_never(&d);
    }
}
