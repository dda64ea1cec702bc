/* SPDX-License-Identifier: Apache-2.0 */
#include "random_c.h"

#include <stdarg.h>

struct writer {
    struct twin *twin;
    uint64_t seed;
    int steps; /* about how many more there may be in this thread */
    int depth; /* of blocks */
    int held;  /* locks the thread has: bits */
    int me;    /* the number of the thread + 1; 0: main */
    bool conditions, spawns, spins, inexact;
    bool has_child; /* that it must join */
};

enum { HOLDS_M = 1, HOLDS_N = 2, HOLDS_READ_WRITE = 4, SPINS = 8 };

const char *const twin_outcome[] = {"x", "y", "z", "p", "s", "out[0]", "out[1]", "out[2]", "out[3]", "out[4]", NULL};

static unsigned below(struct writer *w, unsigned limit)
{
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->seed >> 33) % limit;
}

/* A line of both programs; both formats take the same arguments. */
__attribute__((format(printf, 2, 4), format(printf, 3, 4))) static void pair(struct writer *w, const char *c,
                                                                             const char *dl, ...)
{
    if (w->twin->count == TWIN_LINES)
        return;
    struct twin_line *line = &w->twin->lines[w->twin->count++];
    va_list arguments;
    va_start(arguments, dl);
    vsnprintf(line->c, sizeof line->c, c, arguments);
    va_end(arguments);
    va_start(arguments, dl);
    vsnprintf(line->dl, sizeof line->dl, dl, arguments);
    va_end(arguments);
}

static void both(struct writer *w, const char *text)
{
    pair(w, "%s", "%s", text);
}

/* What a thread has read goes into its digest. */
#define SEE "r = (r * 5 + v + 1) %% 9973;"

static const char *variable(struct writer *w)
{
    static const char *const names[] = {"x", "x", "y", "z"};
    return names[below(w, 4)];
}

static void write_statement(struct writer *w);

static void write_block(struct writer *w)
{
    w->depth++;
    write_statement(w);
    if (below(w, 3) == 0)
        write_statement(w);
    w->depth--;
    both(w, "}");
}

/* --- statements whose steps are the same in both languages */

static void write_load(struct writer *w)
{
    pair(w, "v = atomic_load(&%s); " SEE, "v = %s; " SEE, variable(w));
    w->steps--;
}

static void write_store(struct writer *w)
{
    const char *name = variable(w);
    if (below(w, 3))
        pair(w, "atomic_store(&%s, %u);", "%s = %u;", name, below(w, 3));
    else
        pair(w, "atomic_store(&%s, v & 3);", "%s = v & 3;", name);
    w->steps--;
}

static void write_add(struct writer *w)
{
    pair(w, "v = fetch_add(%s, %u); " SEE, "v = fetch_add(%s, %u); " SEE, variable(w), 1 + below(w, 2));
    w->steps--;
}

static void write_swap(struct writer *w)
{
    unsigned old = below(w, 3), new = (old + 1 + below(w, 2)) % 3; /* .dl takes an equal value for a change */
    pair(w, "v = cas(%s, %u, %u); " SEE, "v = cas(%s, %u, %u); " SEE, variable(w), old, new);
    w->steps--;
}

static void write_branch(struct writer *w)
{
    static const char *const conditions[] = {"v == 0", "v != 0", "v == 1", "v > 1", "r % 2 == 0"};
    pair(w, "if (%s) {", "if (%s) {", conditions[below(w, 5)]);
    write_block(w);
    if (below(w, 3) == 0) {
        both(w, "else {");
        write_block(w);
    }
}

static void write_loop(struct writer *w)
{
    int steps = w->steps;
    both(w, "for (int i = 0; i < 2; i++) {");
    (below(w, 2) ? write_swap : write_add)(w);
    both(w, "}");
    w->steps -= steps - w->steps; /* twice */
}

static void write_locked(struct writer *w)
{
    int which = below(w, 2) ? HOLDS_M : HOLDS_N, before = w->held;
    const char *name = which == HOLDS_M ? "m" : "n";
    if (before & which && below(w, 20)) { /* else it waits for itself */
        write_load(w);
        return;
    }
    w->held |= which;
    w->steps -= 2;
    w->depth++;
    if (below(w, 4) == 0) {
        pair(w, below(w, 3) ? "if (trylock(%s)) {" : "if (timedlock(%s)) {", "if (trylock(%s)) {", name);
        write_statement(w);
        pair(w, "unlock(%s); }", "unlock(%s); }", name);
    } else {
        pair(w, "lock(%s);", "lock(%s);", name);
        write_statement(w);
        if (below(w, 2))
            write_statement(w);
        if (below(w, 24)) /* else it is kept: others may wait forever */
            pair(w, "unlock(%s);", "unlock(%s);", name);
    }
    w->depth--;
    w->held = before;
}

static void write_plain(struct writer *w)
{
    if (!w->twin->plain)
        write_load(w);
    else if (below(w, 2))
        pair(w, "v = (int)p; " SEE, "v = p; " SEE);
    else
        pair(w, "p = %u;", "p = %u;", below(w, 3));
    w->steps--;
}

static void write_locked_plain(struct writer *w)
{
    if (!w->twin->plain || w->held & HOLDS_M) {
        write_plain(w);
        return;
    }
    both(w, "lock(m);");
    write_plain(w);
    write_plain(w);
    both(w, "unlock(m);");
    w->steps -= 2;
}

static void write_waiting(struct writer *w)
{
    if (!w->conditions || w->held & HOLDS_M) {
        write_swap(w);
        return;
    }
    both(w, "lock(m);");
    if (below(w, 2))
        pair(w, "while (atomic_load(&%s) == 0) wait(c, m);", "while (%s == 0) wait(c, m);", variable(w));
    else if (below(w, 2))
        pair(w, "if (atomic_load(&%s) == 0) wait(c, m);", "if (%s == 0) wait(c, m);", variable(w));
    else
        both(w, "wait(c, m);");
    both(w, "unlock(m);");
    w->steps -= 4;
}

static void write_signal(struct writer *w)
{
    if (!w->conditions) {
        write_store(w);
        return;
    }
    bool locks = below(w, 2) && !(w->held & HOLDS_M);
    if (locks)
        both(w, "lock(m);");
    if (below(w, 2))
        write_store(w);
    w->twin->exact = false; /* one that nobody waits for is only a look for .dl */
    both(w, below(w, 3) ? "signal(c);" : "broadcast(c);");
    if (locks)
        both(w, "unlock(m);");
    w->steps -= 2;
}

/* Leaves the thread from within. */
static void write_exit(struct writer *w)
{
    if (!w->me || w->has_child || below(w, 3)) {
        write_load(w);
        return;
    }
    pair(w, "if (v == %1$u) { out[%2$d] = r; pthread_exit(NULL); }", "if (v == %1$u) { out[%2$d] = r; return; }",
         below(w, 2), w->me - 1);
}

static void write_assertion(struct writer *w)
{
    pair(w, "v = atomic_load(&%s); assert(v != %u);", "v = %s; assert(v != %u);", variable(w), below(w, 5));
    w->steps--;
}

static void write_spawn(struct writer *w)
{
    if (!w->spawns) {
        write_add(w);
        return;
    }
    w->spawns = false;
    pair(w, "pthread_create(&h, NULL, P(child), NULL);", "h = spawn child(0);");
    w->has_child = true;
    write_statement(w);
    w->has_child = false;
    both(w, "join(h);");
    pair(w, "v = (int)kept; " SEE, "v = kept; " SEE);
    w->steps -= 3;
}

/* --- statements for which .dl has no word: a block that is one step but accesses more than the step of C */

static void write_operation(struct writer *w)
{
    static const char *const operations[] = {"or", "and", "xor"}, *const signs[] = {"|", "&", "^"};
    const char *name = variable(w);
    unsigned which = below(w, 6), value = below(w, 3);
    w->twin->exact = false;
    if (which < 3)
        pair(w, "v = atomic_fetch_%2$s(&%1$s, %4$u); /* %3$s */ " SEE,
             "atomic { v = %1$s; %1$s = %1$s %3$s %4$u; /* %2$s */ } " SEE, name, operations[which], signs[which],
             value);
    else if (which == 3)
        pair(w, "v = atomic_fetch_sub(&x, %u); " SEE, "atomic { v = x; x = x - %u; } " SEE, value);
    else if (which == 4)
        pair(w, "v = atomic_exchange(&%1$s, %2$u); " SEE, "atomic { v = %1$s; %1$s = %2$u; } " SEE, name, value);
    else
        pair(w, "v = swapped(%1$s, %2$u, 2); " SEE, "atomic { v = %1$s; if (v == %2$u) %1$s = 2; } " SEE, name, value);
    w->steps--;
}

/* Nothing changes, but it orders what is not atomic. */
static void write_keeping(struct writer *w)
{
    w->twin->exact = false;
    pair(w, below(w, 2) ? "v = atomic_fetch_or(&%1$s, 0); " SEE : "v = atomic_fetch_and(&%1$s, -1); " SEE,
         "atomic { v = %1$s; %1$s = v; } " SEE, variable(w));
    w->steps--;
}

static void write_semaphore(struct writer *w)
{
    w->twin->exact = false;
    switch (below(w, 5)) {
    case 0:
    case 1: both(w, "post();"); break;
    case 2: both(w, "acquire();"); break;
    case 3:
        pair(w, below(w, 3) ? "v = try_acquire(); " SEE : "v = acquire_in_time(); " SEE, "v = try_acquire(); " SEE);
        break;
    default: pair(w, "v = semaphore_value(); " SEE, "v = s; " SEE); break;
    }
    w->steps--;
}

static void write_read_write_locked(struct writer *w)
{
    if (w->held & HOLDS_READ_WRITE) {
        write_load(w);
        return;
    }
    const char *name = below(w, 2) ? "read" : "write";
    w->twin->exact = false;
    w->held |= HOLDS_READ_WRITE;
    w->steps -= 2;
    w->depth++;
    if (below(w, 3))
        pair(w, "{ %s_lock();", "{ %s_lock();", name);
    else
        pair(w, "if (try_%s_lock()) {", "if (try_%s_lock()) {", name);
    write_statement(w);
    pair(w, "%s_unlock(); }", "%s_unlock(); }", name);
    w->depth--;
    w->held &= ~HOLDS_READ_WRITE;
}

/* Mutexes that know who has them: they refuse instead of waiting, or count. */
static void write_owned(struct writer *w)
{
    static const char *const operations[] = {"check_lock", "check_unlock", "check_lock", "enter",
                                             "try_enter",  "leave",        "leave"};
    unsigned which = below(w, 7);
    w->twin->exact = false;
    w->steps--;
    pair(w, "v = %s(%d); " SEE, "v = %s(%d); " SEE, operations[which], w->me + 1);
    if (which < 5 && below(w, 8)) {
        write_statement(w);
        pair(w, "v = %s(%d); " SEE, "v = %s(%d); " SEE, which < 3 ? "check_unlock" : "leave", w->me + 1);
        w->steps--;
    }
}

static void write_once(struct writer *w)
{
    w->twin->exact = false;
    both(w, "do_once();");
    w->steps -= 3;
}

static void write_barrier(struct writer *w)
{
    w->twin->exact = false;
    pair(w, "v = meet(); " SEE, "v = meet(); " SEE);
    w->steps -= 2;
}

/* A loop that does nothing but look is a wait: for one place, for one of two, for two.  One that counts is none. */
static void write_looking(struct writer *w)
{
    const char *first = variable(w), *second = variable(w);
    uint32_t which = below(w, 4);
    w->twin->looks_round |= which == 1 || which == 2;
    switch (which) {
    case 0: pair(w, "while (atomic_load(&%s) == 0) { }", "await(%s != 0);", first); break;
    case 1:
        pair(w, "while (atomic_load(&%s) == 0 && atomic_load(&%s) != 1) { }", "await(%s != 0 || %s == 1);", first,
             second);
        break;
    case 2:
        pair(w, "while (atomic_load(&%1$s) == 0 || atomic_load(&%2$s) == 0) { }",
             "while (true) { await(%1$s != 0); if (%2$s != 0) break; await(%2$s != 0 || %1$s == 0); }", first, second);
        break;
    default:
        pair(w, "for (int i = 0; i < 3 && atomic_load(&%s) == 0; i++) { }",
             "for (int i = 0; i < 3 && %s == 0; i++) skip;", first);
    }
    w->steps -= 2;
}

static void write_spinning(struct writer *w)
{
    static const char *const ways[] = {"spin_by_exchange();", "spin_by_cas();", "spin_by_looking();"};
    w->twin->exact = false;
    if (below(w, 2) || w->held & (SPINS | HOLDS_M)) {
        write_looking(w);
        return;
    }
    int lock = below(w, 4) ? SPINS : HOLDS_M;
    w->steps -= 2;
    w->held |= lock;
    if (lock == SPINS)
        both(w, ways[below(w, 3)]);
    else
        pair(w, "while (!trylock(m)) { }", "lock(m);");
    write_statement(w);
    both(w, lock == SPINS ? "spin_unlock();" : "unlock(m);");
    w->held &= ~lock;
}

static void write_statement(struct writer *w)
{
    static void (*const exact[])(struct writer * w) = {
        write_load,   write_load,    write_store, write_store,  write_add,          write_swap,   write_swap,
        write_branch, write_locked,  write_plain, write_locked, write_locked_plain, write_locked, write_exit,
        write_signal, write_waiting, write_loop,  write_spawn,  write_assertion};
    static void (*const others[])(struct writer * w) = {
        write_owned,   write_operation, write_semaphore, write_read_write_locked, write_once,
        write_barrier, write_spinning,  write_operation, write_semaphore};
    if (w->steps <= 0 || w->depth > 4)
        both(w, "skip;");
    else if (w->inexact && below(w, 3) == 0)
        others[below(w, sizeof others / sizeof *others)](w);
    else if (w->spins && below(w, 3) == 0)
        write_spinning(w);
    else if (w->twin->plain && below(w, 4) == 0)
        (below(w, 2) ? write_plain : write_locked_plain)(w);
    else if (w->twin->plain && below(w, 4) == 0)
        write_keeping(w);
    else
        exact[below(w, sizeof exact / sizeof *exact)](w);
}

/* --- programs */

static void write_thread(struct writer *w, unsigned number, int steps)
{
    pair(w, "static void *P(t%u)(void *argument) { BEGIN", "thread t%u(argument) { int v = 0; int r = 0; int h = 0;",
         number);
    w->steps = steps;
    w->me = (int)number + 1;
    w->depth = w->held = 0;
    for (unsigned s = 0; s < 5 && (s == 0 || w->steps > 0); s++)
        write_statement(w);
    pair(w, "out[%u] = r; return argument; }", "out[%u] = r; }", number);
}

/* Some wait for x, the last one sets it and wakes them, one by one or all: whoever is woken first is seen in y. */
static void write_meeting(struct writer *w, unsigned number, bool wakes, unsigned waiters)
{
    bool broadcasts = below(w, 4) == 0, locks = below(w, 2);
    w->twin->exact = false;
    pair(w, "static void *P(t%u)(void *argument) { BEGIN", "thread t%u(argument) { int v = 0; int r = 0; int h = 0;",
         number);
    if (wakes) {
        both(w, "lock(m);");
        pair(w, "atomic_store(&x, 1);", "x = 1;");
        if (!locks)
            both(w, "unlock(m);");
        for (unsigned i = 0; i < (broadcasts ? 1 : waiters); i++)
            both(w, broadcasts ? "broadcast(c);" : "signal(c);");
        pair(w, "v = atomic_load(&y); " SEE, "v = y; " SEE);
    } else {
        both(w, "lock(m);");
        if (below(w, 2)) /* which is not the same: main may signal, too */
            pair(w, "if (atomic_load(&x) != 1) wait(c, m);", "if (x != 1) wait(c, m);");
        else
            pair(w, "while (atomic_load(&x) != 1) wait(c, m);", "while (x != 1) wait(c, m);");
        pair(w, "v = fetch_add(y, 1); " SEE, "v = fetch_add(y, 1); " SEE);
        locks = true;
    }
    if (locks)
        both(w, "unlock(m);");
    pair(w, "out[%u] = r; return argument; }", "out[%u] = r; }", number);
}

static void write_main(struct writer *w, unsigned threads)
{
    pair(w, "static void P(run)(void) { BEGIN pthread_t t[%u];",
         "thread main { int v = 0; int r = 0; int h = 0; int t[%u];", threads);
    w->spawns = false;
    w->me = w->depth = w->held = 0;
    w->steps = below(w, 4) == 0 ? 2 : 0;
    for (unsigned t = 0; t < threads; t++) {
        pair(w, "pthread_create(&t[%1$u], NULL, P(t%1$u), NULL);", "t[%1$u] = spawn t%1$u(0);", t);
        if (w->steps > 0 && below(w, 2))
            write_statement(w);
    }
    for (unsigned t = 0; t < threads; t++) {
        pair(w, "join(t[%u]);", "join(t[%u]);", t);
        if (w->steps > 0)
            write_statement(w);
    }
    both(w, "out[4] = r; }");
}

void random_twin(uint64_t seed, struct twin *twin)
{
    struct writer w = {.twin = twin, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    *twin = (struct twin){.exact = true};
    below(&w, 2);
    w.conditions = below(&w, 4) == 0;
    w.inexact = below(&w, 2) == 0;
    w.spawns = below(&w, 6) == 0;
    w.spins = below(&w, 4) == 0;
    twin->plain = below(&w, 5) == 0;
    twin->values = below(&w, 256);
    unsigned threads = 2 + (below(&w, 3) == 0 || w.conditions) + (below(&w, 10) == 0);
    pair(&w, "static void *P(child)(void *argument) { kept = fetch_add(%s, 2); return argument; }",
         "thread child(argument) { kept = fetch_add(%s, 2); }", variable(&w));
    bool meeting = w.conditions && below(&w, 2);
    for (unsigned t = 0; t < threads; t++)
        if (meeting)
            write_meeting(&w, t, t == threads - 1, threads - 1);
        else
            write_thread(&w, t, threads == 2 ? 5 : threads == 3 ? 3 : 2);
    write_main(&w, threads);
}

static int initial(const struct twin *twin, unsigned variable_number)
{
    return (int)(twin->values >> 2 * variable_number & 3) % 3;
}

void twins_write_c(const struct twin *twins, size_t count, bool cplusplus, FILE *out)
{
    fprintf(out, "#include \"twin.%s\"\n", cplusplus ? "hh" : "h");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "\n#undef P\n#define P(name) p%zu_##name\n", i);
        for (size_t l = 0; l < twins[i].count; l++)
            fprintf(out, "%s\n", twins[i].lines[l].c);
    }
    fputs("\nstatic const struct program programs[] = {\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    {p%zu_run, {%d, %d, %d, %d}},\n", i, initial(&twins[i], 0), initial(&twins[i], 1),
                initial(&twins[i], 2), initial(&twins[i], 3));
    fputs("};\n\nint main(int count, char **arguments)\n{\n    (void)count;\n"
          "    run_program(&programs[number(arguments[1])], arguments);\n    return 0;\n}\n",
          out);
}

/* What twin.h is to the C program. q: readers, or -1; o: of the once; g and b: of the barrier; e, and d with its
 * count k: who has the mutexes that know. */
static const char prelude[] =
    "atomic int f, q, o, g, b, e, d, k;\n"
    "int p, kept;\n"
    "int out[5];\n"
    "lock m, n;\n"
    "cond c;\n"
    "int check_lock(int me) { int u = 1; atomic { if (e != me) { await(e == 0); e = me; u = 0; } } return u; }\n"
    "int check_unlock(int me) { int u = 1; atomic { if (e == me) { e = 0; u = 0; } } return u; }\n"
    "int enter(int me) { atomic { await(d == 0 || d == me); d = me; k = k + 1; } return 0; }\n"
    "int try_enter(int me) { int u = 1; atomic { if (d == 0 || d == me) { d = me; k = k + 1; u = 0; } } return u; }\n"
    "int leave(int me) {\n"
    "    int u = 1;\n"
    "    atomic { if (d == me) { k = k - 1; u = 0; if (k == 0) d = 0; } }\n"
    "    return u;\n"
    "}\n"
    "void post() { fetch_add(s, 1); }\n"
    "void acquire() { atomic { await(s > 0); s = s - 1; } }\n"
    "int try_acquire() { int u = 0; atomic { if (s > 0) { s = s - 1; u = 1; } } return u; }\n"
    "void read_lock() { atomic { await(q >= 0); q = q + 1; } }\n"
    "void write_lock() { atomic { await(q == 0); q = -1; } }\n"
    "int try_read_lock() { int u = 0; atomic { if (q >= 0) { q = q + 1; u = 1; } } return u; }\n"
    "int try_write_lock() { int u = 0; atomic { if (q == 0) { q = -1; u = 1; } } return u; }\n"
    "void read_unlock() { atomic { q = q - 1; } }\n"
    "void write_unlock() { q = 0; }\n"
    "void do_once() {\n"
    "    int u = 0;\n"
    "    atomic { await(o != 1); u = o; if (u == 0) o = 1; }\n"
    "    if (u == 0) { fetch_add(z, 1); o = 2; }\n"
    "}\n"
    "int meet() {\n"
    "    int u = 0; int last = 0;\n"
    "    atomic { u = g; b = b + 1; if (b == 2) { b = 0; g = g + 1; last = 1; } }\n"
    "    if (last == 0) await(g != u);\n"
    "    return last;\n"
    "}\n"
    "void spin_by_exchange() { atomic { await(f == 0); f = 1; } }\n"
    "void spin_by_cas() { atomic { await(f == 0); f = 1; } }\n"
    "void spin_by_looking() { atomic { await(f == 0); f = 1; } }\n"
    "void spin_unlock() { f = 0; }\n";

void twin_write_dl(const struct twin *twin, FILE *out)
{
    fprintf(out, "atomic int x = %d, y = %d, z = %d, s = %d;\n%s", initial(twin, 0), initial(twin, 1), initial(twin, 2),
            initial(twin, 3), prelude);
    for (size_t l = 0; l < twin->count; l++)
        fprintf(out, "%s\n", twin->lines[l].dl);
}
