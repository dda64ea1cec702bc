/* SPDX-License-Identifier: Apache-2.0 */
#include "random_protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 14 };

struct writer {
    char *text;
    size_t used;
    uint64_t random;
    unsigned types, sizes[3];
    unsigned messages, fields[3];
};

static unsigned pick(struct writer *w, unsigned count)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (unsigned)((w->random >> 20) % count);
}

static __attribute__((format(printf, 2, 3))) void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, MOST_TEXT - w->used, format, arguments);
    va_end(arguments);
    if (length > 0 && w->used + (size_t)length < MOST_TEXT)
        w->used += (size_t)length;
}

static void put_operand(struct writer *w, int bound)
{
    switch (pick(w, bound ? 4 : 3)) {
    case 0: put(w, "x"); break;
    case 1: put(w, "y"); break;
    case 2: put(w, "%u", pick(w, 3)); break;
    default: put(w, "f"); break;
    }
}

static void put_comparison(struct writer *w, int bound)
{
    static const char *const comparisons[] = {"==", "!=", "<", ">", "<=", ">="};
    put(w, pick(w, 2) ? "x " : "y ");
    put(w, "%s ", comparisons[pick(w, 6)]);
    put_operand(w, bound);
}

/* A value of the range 0..2, mostly. */
static void put_value(struct writer *w, int bound, int aggregate)
{
    if (bound && aggregate)
        put(w, pick(w, 2) ? "max(f)" : "min(f)");
    else if (pick(w, 3))
        put_operand(w, bound);
    else if (pick(w, 8))
        put(w, "2 - x");
    else
        put(w, "x + y"); /* may leave the range: the step fails */
}

static void put_send(struct writer *w, int bound, int aggregate, int has_sender)
{
    unsigned message = pick(w, w->messages), type = pick(w, w->types);
    put(w, " budget = budget - 1 send m%u", message);
    if (w->fields[message]) {
        put(w, "(");
        put_value(w, bound, aggregate);
        put(w, ")");
    }
    switch (pick(w, 4)) {
    case 0: put(w, " to P%u", type); break;
    case 1: put(w, has_sender ? " to sender" : " to others"); break;
    default: put(w, " to P%u[%u]", type, 1 + pick(w, w->sizes[type])); break;
    }
}

static void put_rule(struct writer *w, unsigned number)
{
    int input = (int)pick(w, 5), bound = 0, sends = pick(w, 3) > 0 || input == 0;
    unsigned message = pick(w, w->messages);
    put(w, "    rule r%u", number);
    if (input) { /* 4: a quorum */
        unsigned type = pick(w, w->types);
        int is_quorum = input == 4 && w->sizes[type] > 1;
        put(w, is_quorum ? " on 2 of m%u" : " on m%u", message);
        if (w->fields[message]) {
            bound = pick(w, 3) > 0;
            put(w, bound ? "(f)" : pick(w, 2) ? "(x)" : "(1)");
        }
        if (is_quorum || pick(w, 2))
            put(w, " from P%u", type);
        input = is_quorum ? 4 : 1;
    }
    put(w, " when (");
    put_comparison(w, bound);
    if (pick(w, 2)) {
        put(w, " %s ", pick(w, 2) ? "and" : "or");
        put_comparison(w, bound);
    }
    put(w, sends || !input ? ") and budget > 0 {" : ") {");
    if (pick(w, 3)) {
        put(w, pick(w, 2) ? " x = " : " y = ");
        put_value(w, bound, input == 4);
    }
    if (sends)
        put_send(w, bound, input == 4, input == 1);
    else if (!input)
        put(w, " budget = budget - 1");
    put(w, " }\n");
}

static void put_process(struct writer *w, unsigned type)
{
    put(w, "process P%u[i: 1..%u] {\n    var x: 0..2 = %s\n    var y: 0..2\n    var budget: 0..2 = %u\n", type,
        w->sizes[type], pick(w, 2) ? "i % 3" : "0", 1 + pick(w, 2));
    unsigned rules = 1 + pick(w, 3);
    for (unsigned i = 0; i < rules; i++)
        put_rule(w, i);
    put(w, "}\n");
}

char *random_protocol(uint64_t seed)
{
    static const char *const channels[] = {"",
                                           "channels unordered lossy\n",
                                           "channels unordered duplicating\n",
                                           "channels fifo 3\n",
                                           "channels fifo 1 lossy\n",
                                           "channels fifo 2 lossy duplicating\n",
                                           "channels fifo 3 duplicating\n",
                                           "channels fifo 1\n",
                                           "channels fifo 2\n",
                                           "",
                                           ""};
    struct writer w = {.text = calloc(1, MOST_TEXT), .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    if (!w.text)
        return NULL;
    for (int i = 0; i < 8; i++)
        pick(&w, 2);
    w.types = 1 + pick(&w, 2);
    w.messages = 1 + pick(&w, 2);
    for (unsigned i = 0; i < w.types; i++)
        w.sizes[i] = 1 + pick(&w, w.types == 1 ? 3 : 2);
    put(&w, "%s", channels[pick(&w, 11)]);
    for (unsigned i = 0; i < w.messages; i++) {
        w.fields[i] = pick(&w, 3) > 0;
        put(&w, w.fields[i] ? "message m%u(v: 0..2)\n" : "message m%u\n", i);
    }
    if (pick(&w, 3) == 0)
        put(&w, "crashes %u of P0%s\n", 1 + pick(&w, 2), w.types > 1 && pick(&w, 2) ? ", P1" : "");
    for (unsigned i = 0; i < w.types; i++)
        put_process(&w, i);
    if (pick(&w, 4) == 0)
        put(&w, "byzantine process B { may send m0%s to P0 }\n", w.fields[0] ? "(0..1)" : "");
    static const char *const variables[] = {"x", "y", "budget", "crashed"};
    unsigned second = pick(&w, 4); /* who has crashed is true or false */
    put(&w, "invariant safe: P0[1].%s != %u or P%u[%u].%s %s %u\n", variables[pick(&w, 3)], pick(&w, 3), w.types - 1,
        w.sizes[w.types - 1], variables[second], pick(&w, 2) ? "==" : "!=", pick(&w, second == 3 ? 2 : 3));
    if (pick(&w, 3) == 0)
        put(&w, "final true\n");
    return w.text;
}

/* --- making a failing one smaller */

/* The text without its bytes from `start` to `end`. */
static char *without(const char *text, size_t start, size_t end)
{
    size_t length = strlen(text);
    char *shorter = malloc(length - (end - start) + 1);
    if (shorter) {
        memcpy(shorter, text, start);
        memcpy(shorter + start, text + end, length - end + 1);
    }
    return shorter;
}

/* Where `count` pieces that begin at `start` end: lines, or words of a line. */
static size_t end_of(const char *text, size_t start, unsigned count, const char *separators)
{
    size_t end = start;
    for (unsigned i = 0; i < count && text[end]; i++) {
        end += strcspn(text + end, separators);
        end += text[end] != '\0';
    }
    return end;
}

static bool drop_pieces(char **text, unsigned count, const char *separators, protocol_fails *fails, void *user)
{
    bool dropped = false;
    for (size_t start = 0; (*text)[start];) {
        char *shorter = without(*text, start, end_of(*text, start, count, separators));
        if (shorter && fails(user, shorter)) {
            free(*text);
            *text = shorter;
            dropped = true;
            continue;
        }
        free(shorter);
        start = end_of(*text, start, 1, separators);
    }
    return dropped;
}

void shrink_protocol(char **text, protocol_fails *fails, void *user)
{
    bool smaller = true;
    while (smaller) {
        smaller = drop_pieces(text, 1, "\n", fails, user);
        for (unsigned words = 8; words > 0; words /= 2)
            smaller |= drop_pieces(text, words, " \n", fails, user);
    }
}
