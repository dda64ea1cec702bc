/* SPDX-License-Identifier: Apache-2.0 */
#include "random_program.h"

#include "base/diagnostic.h"
#include "front/threads/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    uint64_t seed;
    int steps;  /* about how many more there may be */
    int indent; /* of the line */
    int locals; /* names given out so far */
    int held;   /* locks the thread has: bits */
    bool shared_conditions, spawns;
    bool within_atomic;
};

static unsigned below(struct writer *w, unsigned limit)
{
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->seed >> 33) % limit;
}

static void line(struct writer *w, const char *text)
{
    fprintf(w->out, "%*s%s\n", 4 * w->indent, "", text);
}

static const char *variable(struct writer *w)
{
    static const char *const names[] = {"x", "y", "x", "y", "flag", "a[0]", "a[1]"};
    return names[below(w, sizeof names / sizeof *names)];
}

/* Something to read; the index is sometimes read itself. */
static void write_value(struct writer *w)
{
    switch (below(w, 8)) {
    case 0:
        fprintf(w->out, "a[%s %% 2]", below(w, 2) ? "x" : "y");
        w->steps -= 2;
        break;
    case 1:
        fprintf(w->out, "%s + %u", variable(w), 1 + below(w, 2));
        w->steps--;
        break;
    case 2:
    case 3:
    case 4:
        fputs(variable(w), w->out);
        w->steps--;
        break;
    default: fprintf(w->out, "%u", below(w, 3)); break;
    }
}

static void write_condition(struct writer *w)
{
    static const char *const comparisons[] = {"== 0", "!= 0", "< 2", "== 1", "!= 1", "< 1", "> 0"};
    enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };
    fprintf(w->out, "%s %s", variable(w), comparisons[below(w, COMPARISONS)]);
    w->steps--;
    if (below(w, 4) == 0) {
        fprintf(w->out, " %s %s %s", below(w, 2) ? "&&" : "||", variable(w), comparisons[below(w, COMPARISONS)]);
        w->steps--;
    }
}

static void write_statement(struct writer *w);

/* Statements in braces, of which the first is there. */
static void write_block(struct writer *w)
{
    w->indent++;
    write_statement(w);
    if (below(w, 3) == 0)
        write_statement(w);
    w->indent--;
    line(w, "}");
}

static void write_assignment(struct writer *w)
{
    fprintf(w->out, "%*s", 4 * w->indent, "");
    if (below(w, 6) == 0) {
        fprintf(w->out, "a[%s %% 2] = ", below(w, 2) ? "x" : "y");
        w->steps--;
    } else {
        fprintf(w->out, "%s = ", variable(w));
    }
    write_value(w);
    fputs(";\n", w->out);
    w->steps--;
}

static void write_update(struct writer *w)
{
    const char *name = variable(w);
    switch (below(w, 4)) {
    case 0: fprintf(w->out, "%*s%s++;\n", 4 * w->indent, "", name); break;
    case 1: fprintf(w->out, "%*sfetch_add(%s, %u);\n", 4 * w->indent, "", name, 1 + below(w, 2)); break;
    case 2: fprintf(w->out, "%*scas(%s, %u, %u);\n", 4 * w->indent, "", name, below(w, 3), below(w, 3)); break;
    default:
        fprintf(w->out, "%*sint r%d = cas(%s, 0, 1);\n%*sy = r%d;\n", 4 * w->indent, "", w->locals, name, 4 * w->indent,
                "", w->locals);
        w->locals++;
        break;
    }
    w->steps -= 2;
}

static void write_branch(struct writer *w)
{
    fprintf(w->out, "%*sif (", 4 * w->indent, "");
    if (below(w, 4) == 0) {
        fprintf(w->out, "cas(%s, 0, 2)", variable(w));
        w->steps--;
    } else {
        write_condition(w);
    }
    fputs(") {\n", w->out);
    write_block(w);
    if (below(w, 3) == 0) {
        line(w, "else {");
        write_block(w);
    }
}

static void write_locked(struct writer *w)
{
    unsigned which = below(w, 2);
    const char *name = which ? "n" : "m";
    if (w->held & 1 << which || w->within_atomic) {
        write_assignment(w);
        return;
    }
    w->held |= 1 << which;
    w->steps -= 2;
    if (below(w, 4) == 0) {
        fprintf(w->out, "%*sif (trylock(%s)) {\n", 4 * w->indent++, "", name);
        write_statement(w);
        fprintf(w->out, "%*sunlock(%s);\n", 4 * w->indent--, "", name);
        line(w, "}");
    } else {
        fprintf(w->out, "%*slock(%s);\n", 4 * w->indent, "", name);
        write_statement(w);
        if (below(w, 2))
            write_statement(w);
        if (below(w, 16)) /* else it is kept: others may wait forever */
            fprintf(w->out, "%*sunlock(%s);\n", 4 * w->indent, "", name);
    }
    w->held &= ~(1 << which);
}

static void write_atomic(struct writer *w)
{
    if (w->within_atomic) {
        write_assignment(w);
        return;
    }
    w->within_atomic = true;
    int steps = w->steps;
    line(w, "atomic {");
    w->indent++;
    if (below(w, 3) == 0) {
        fprintf(w->out, "%*sawait(", 4 * w->indent, "");
        write_condition(w);
        fputs(");\n", w->out);
    }
    w->steps = 3;
    write_statement(w);
    write_statement(w);
    w->indent--;
    line(w, "}");
    w->within_atomic = false;
    w->steps = steps - 1;
}

/* One step that writes where it reads to: what it touches varies. */
static void write_computed(struct writer *w)
{
    static const char *const indexes[] = {"x", "y", "a[0]", "a[1]"};
    if (w->within_atomic) {
        write_assignment(w);
        return;
    }
    fprintf(w->out, "%*satomic { a[%s %% 2] = %u; }\n", 4 * w->indent, "", indexes[below(w, 4)], below(w, 3));
    w->steps--;
}

static void write_waiting(struct writer *w)
{
    if (!w->shared_conditions || w->within_atomic || w->held) {
        fprintf(w->out, "%*sawait(", 4 * w->indent, "");
        write_condition(w);
        fputs(");\n", w->out);
        return;
    }
    line(w, "lock(m);");
    line(w, "if (x == 0)");
    line(w, "    wait(c, m);");
    line(w, "unlock(m);");
    w->steps -= 6;
}

static void write_signal(struct writer *w)
{
    if (!w->shared_conditions) {
        write_assignment(w);
        return;
    }
    line(w, below(w, 3) ? "signal(c);" : "broadcast(c);");
    w->steps--;
}

static void write_assertion(struct writer *w)
{
    fprintf(w->out, "%*sassert(%s != %u);\n", 4 * w->indent, "", variable(w), below(w, 4));
    w->steps--;
}

static void write_loop(struct writer *w)
{
    int steps = w->steps;
    fprintf(w->out, "%*sfor (i%d in 0..1)\n", 4 * w->indent, "", w->locals++);
    w->indent++;
    write_assignment(w);
    w->indent--;
    w->steps -= steps - w->steps; /* twice */
}

static void write_spawn(struct writer *w)
{
    if (!w->spawns || w->within_atomic) {
        write_update(w);
        return;
    }
    int handle = w->locals++;
    w->spawns = false;
    fprintf(w->out, "%*sint h%d = spawn child(%u);\n", 4 * w->indent, "", handle, below(w, 3));
    if (below(w, 2))
        write_statement(w);
    if (below(w, 2))
        fprintf(w->out, "%*sjoin(h%d);\n", 4 * w->indent, "", handle);
    w->steps -= 5;
}

static void write_statement(struct writer *w)
{
    static void (*const kinds[])(struct writer * w) = {
        write_assignment, write_assignment, write_assignment, write_update,  write_update,  write_branch,
        write_branch,     write_locked,     write_locked,     write_atomic,  write_waiting, write_signal,
        write_assertion,  write_loop,       write_spawn,      write_computed};
    if (w->steps <= 0 || w->indent > 5)
        line(w, "skip;");
    else
        kinds[below(w, sizeof kinds / sizeof *kinds)](w);
}

static void write_threads(struct writer *w)
{
    unsigned threads = 2 + (below(w, 3) == 0) + (below(w, 8) == 0);
    int steps = threads == 2 ? 5 : threads == 3 ? 3 : 2;
    for (unsigned t = 0; t < threads; t++) {
        fprintf(w->out, "\nthread t%u {\n", t);
        w->indent = 1;
        w->steps = steps;
        w->held = 0;
        for (unsigned s = 0; s < 5 && (s == 0 || w->steps > 0); s++)
            write_statement(w);
        fputs("}\n", w->out);
    }
}

char *random_program(uint64_t seed)
{
    char *text = NULL;
    size_t length;
    struct writer w = {.out = open_memstream(&text, &length), .seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    if (!w.out)
        return NULL;
    below(&w, 2);
    w.shared_conditions = below(&w, 4) == 0;
    w.spawns = below(&w, 6) == 0;
    fprintf(w.out, "// seed %llu\nint x, y = %u;\natomic int flag;\nint a[2] = {0, %u};\nlock m, n;\ncond c;\n",
            (unsigned long long)seed, below(&w, 2), below(&w, 2));
    fprintf(w.out, "\nthread child(v) {\n    %s = v;\n}\n", below(&w, 2) ? "x" : "a[v % 2]");
    write_threads(&w);
    if (fclose(w.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

struct portolan_system *open_quietly(const char *text)
{
    struct portolan_system *system = NULL;
    return threads_open_text("program", text, strlen(text), &system, NULL) == PORTOLAN_OK ? system : NULL;
}

struct portolan_system *open_program(const char *text)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (threads_open_text("program", text, strlen(text), &system, &error) == PORTOLAN_OK)
        return system;
    diagnostic_write(&error, stderr);
    fprintf(stderr, "%s\n", text);
    return NULL;
}
