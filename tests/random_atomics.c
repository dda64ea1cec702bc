/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of atomics: making them, and writing them as C. */
#include "random_atomics.h"

struct maker {
    uint64_t seed;
    struct atomics_program *program;
    int thread;
    bool publishes_bytes;
    int publisher;
};

static int below(struct maker *m, int limit)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(m->seed >> 33) % limit;
}

static void put(struct maker *m, struct atomics_statement s)
{
    int *count = &m->program->count[m->thread];
    if (*count < ATOMICS_STATEMENTS)
        m->program->statements[m->thread][(*count)++] = s;
}

static enum atomics_order any_order(struct maker *m)
{
    return (enum atomics_order)below(m, 5);
}

/* What C does not allow becomes the nearest that it does. */
static enum atomics_order order_for(struct maker *m, enum atomics_kind kind)
{
    enum atomics_order order = any_order(m);
    if (kind == DO_LOAD)
        return order == RELEASE || order == ACQ_REL ? ACQUIRE : order;
    if (kind == DO_STORE || kind == DO_CLEAR || kind == DO_UNLOCK)
        return order == ACQUIRE || order == ACQ_REL ? RELEASE : order;
    return order;
}

static enum atomics_order failure_order(struct maker *m, enum atomics_order order)
{
    bool may_acquire = order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
    return may_acquire && below(m, 2) ? (order == SEQ_CST && below(m, 2) ? SEQ_CST : ACQUIRE) : RELAXED;
}

static int any_guard(struct maker *m)
{
    return below(m, 3) ? -1 : below(m, 2);
}

static void put_plain(struct maker *m, int guard)
{
    put(m, (struct atomics_statement){.kind = below(m, 2) ? DO_READ : DO_WRITE,
                                      .plain = below(m, 4) ? P : Q,
                                      .value = below(m, 2),
                                      .guard = guard});
}

static void put_locked(struct maker *m)
{
    bool sound = below(m, 2);
    put(m, (struct atomics_statement){
               .kind = DO_LOCK, .place = F, .guard = -1, .order = sound ? ACQUIRE : order_for(m, DO_LOCK)});
    put_plain(m, -1);
    put(m, (struct atomics_statement){
               .kind = DO_UNLOCK, .place = F, .guard = -1, .order = sound ? RELEASE : order_for(m, DO_UNLOCK)});
}

/* Zeros are many, so that much leaves a value as it was. */
static void put_atomic(struct maker *m)
{
    static const enum atomics_kind kinds[] = {DO_LOAD, DO_LOAD,  DO_STORE, DO_EXCHANGE, DO_EXCHANGE, DO_ADD,
                                              DO_ADD,  DO_ADD,   DO_OR,    DO_OR,       DO_AND,      DO_SET,
                                              DO_SET,  DO_CLEAR, DO_SWAP,  DO_SWAP};
    static const enum atomics_place places[] = {X, X, X, Y, W, B0, B1};
    struct atomics_statement s = {.kind = kinds[below(m, sizeof kinds / sizeof *kinds)],
                                  .plain = -1,
                                  .value = below(m, 3) == 0,
                                  .expected = below(m, 3) == 0,
                                  .guard = any_guard(m)};
    s.place = s.kind == DO_SET || s.kind == DO_CLEAR ? G : places[below(m, sizeof places / sizeof *places)];
    s.order = order_for(m, s.kind);
    s.ignored = (s.kind == DO_ADD || s.kind == DO_OR || s.kind == DO_AND) && below(m, 4);
    if (s.kind == DO_SWAP) {
        s.failure = failure_order(m, s.order);
        if ((s.place == X || s.place == Y) && below(m, 2))
            s.plain = below(m, 2) ? E : N;
    }
    put(m, s);
}

static void put_fence(struct maker *m)
{
    put(m, (struct atomics_statement){
               .kind = DO_FENCE, .guard = -1, .order = (enum atomics_order)(ACQUIRE + below(m, 4))});
}

/* One access before the atomics or behind them: whether there is a race is decided by who comes first at those. */
static void make_handover(struct maker *m, int steps)
{
    if (m->thread == 0)
        put_plain(m, -1);
    for (int i = 0; i < steps; i++) {
        if (below(m, 8) == 0)
            put_fence(m);
        put_atomic(m);
    }
    if (m->thread && below(m, 8) == 0)
        put_fence(m);
    if (m->thread == 1)
        put_plain(m, any_guard(m));
}

static void put_at(struct maker *m, enum atomics_kind kind, enum atomics_place place, int value, int guard)
{
    put(m, (struct atomics_statement){.kind = kind,
                                      .place = place,
                                      .order = below(m, 2) ? order_for(m, kind) : RELAXED,
                                      .plain = -1,
                                      .value = value,
                                      .guard = guard,
                                      .ignored = (kind == DO_ADD || kind == DO_OR) && below(m, 2)});
}

/* The first thread publishes what it has written, by some of its stores; the second looks for one of their values; the
 * third is in the way, or it is that which has written something. */
static void make_publication(struct maker *m, int steps)
{
    static const enum atomics_kind kinds[] = {DO_STORE, DO_STORE, DO_STORE, DO_ADD, DO_OR, DO_EXCHANGE};
    enum atomics_place place = m->publishes_bytes ? (enum atomics_place)(B0 + below(m, 2)) : X;
    if (m->thread == m->publisher)
        put_plain(m, -1);
    if (m->thread == 1) {
        place = m->publishes_bytes && below(m, 2) ? W : place;
        put(m, (struct atomics_statement){
                   .kind = DO_LOAD, .place = place, .guard = -1, .order = below(m, 3) ? ACQUIRE : RELAXED});
        if (below(m, 3) == 0)
            put(m, (struct atomics_statement){.kind = DO_FENCE, .guard = -1, .order = ACQUIRE});
        put_plain(m, below(m, 2) ? 2 : place == W ? 2 + 256 : 3);
        return;
    }
    for (int i = 0; i < steps; i++) {
        if (below(m, 6) == 0)
            put(m, (struct atomics_statement){.kind = DO_FENCE, .guard = -1, .order = RELEASE});
        put_at(m, m->thread == 0 && below(m, 2) ? DO_STORE : kinds[below(m, sizeof kinds / sizeof *kinds)], place,
               m->thread == 0 ? 1 + i : 1, -1);
        place = m->publishes_bytes ? (enum atomics_place)(B0 + below(m, 2)) : X;
    }
}

static void make_thread(struct maker *m, int steps)
{
    if (below(m, 2))
        put_plain(m, -1);
    for (int i = 0; i < steps; i++) {
        if (below(m, 8) == 0)
            put_fence(m);
        if (below(m, 8) == 0)
            put_locked(m);
        else
            put_atomic(m);
        if (below(m, 8) == 0)
            put_fence(m);
        if (below(m, 3) == 0)
            put_plain(m, any_guard(m));
    }
}

/* A loop that waits for what the first thread stores last, or for something else on the way there. */
static void put_loop(struct maker *m)
{
    struct atomics_statement s = {
        .kind = DO_AWAIT, .place = below(m, 4) ? X : Y, .guard = -1, .plain = below(m, 4) ? P : Q};
    struct atomics_loop *loop = &s.loop;
    s.order = below(m, 2) ? ACQUIRE : order_for(m, DO_LOAD);
    s.value = below(m, 4) ? 2 : below(m, 2);
    loop->differs = s.value == 0;
    loop->by_or = below(m, 5) == 0;
    loop->second = below(m, 3) ? -1 : s.place == X ? Y : X;
    loop->most = below(m, 4) ? 0 : 1 + below(m, 2);
    loop->has_plain = below(m, 2);
    loop->found = below(m, 2) ? -1 : below(m, 2);
    loop->writes = loop->most && below(m, 3) == 0;
    loop->ending = below(m, 2) ? 1 : 9;
    put(m, s);
}

/* One hands something over in one or two stores; the other looks at it in rounds, and may do so too early. */
static void make_looking(struct maker *m, int steps)
{
    enum atomics_order order = below(m, 4) ? RELEASE : RELAXED;
    if (m->thread != 0) {
        put_loop(m);
        struct atomics_statement *s = &m->program->statements[m->thread][m->program->count[m->thread] - 1];
        s->place = X;
        s->plain = P;
        s->loop.has_plain = true;
        s->loop.most = below(m, 8) ? 0 : s->loop.most;
        s->loop.writes = s->loop.writes && s->loop.most;
        return;
    }
    bool is_early = below(m, 2);
    struct atomics_statement write = {.kind = DO_WRITE, .plain = P, .value = below(m, 2), .guard = -1};
    if (is_early)
        put(m, write);
    for (int i = 0; i < steps && i < 2; i++)
        put(m, (struct atomics_statement){.kind = DO_STORE, .place = X, .value = 1 - i, .guard = -1, .order = order});
    if (!is_early)
        put(m, write);
    if (below(m, 3))
        put(m, (struct atomics_statement){.kind = DO_STORE, .place = X, .value = 2, .guard = -1, .order = order});
}

static void make_waiting(struct maker *m, int steps)
{
    static const enum atomics_kind kinds[] = {DO_STORE, DO_STORE, DO_ADD, DO_OR, DO_EXCHANGE};
    bool waits = m->thread == 1 || (m->thread == 2 && below(m, 2));
    if (m->thread == 2 && steps > 1)
        steps = 1;
    if (below(m, 3) == 0)
        put_plain(m, -1);
    if (waits) {
        if (below(m, 3) == 0)
            put_at(m, DO_STORE, Y, 1, -1);
        put_loop(m);
        if (below(m, 6) == 0)
            put_fence(m);
        if (below(m, 2))
            put_plain(m, any_guard(m));
        if (steps > 2)
            put_loop(m);
        return;
    }
    for (int i = 0; i < steps && i < 3; i++) {
        put_at(m, kinds[below(m, sizeof kinds / sizeof *kinds)], below(m, 2) ? X : Y, below(m, 2), -1);
        if (below(m, 3) == 0)
            put_plain(m, -1);
    }
    if (m->thread == 0 && below(m, 8))
        put(m, (struct atomics_statement){
                   .kind = DO_STORE, .place = X, .value = 2, .guard = -1, .order = below(m, 4) ? RELEASE : RELAXED});
}

/* Choices and assumptions before the rest. */
static void put_choice(struct maker *m)
{
    put(m, (struct atomics_statement){.kind = DO_CHOOSE, .value = 2 + below(m, 2), .guard = -1});
    if (below(m, 4) == 0) /* between another number: the first one is over by then */
        put(m, (struct atomics_statement){.kind = DO_CHOOSE, .value = 2 + below(m, 2), .guard = any_guard(m)});
    if (below(m, 2))
        put(m, (struct atomics_statement){.kind = DO_ASSUME, .value = below(m, 3), .guard = -1});
    if (below(m, 2))
        put(m, (struct atomics_statement){.kind = DO_WRITE, .plain = P, .value = -1, .guard = -1});
}

/* A volatile object has loads and stores only. */
static void make_volatile(struct atomics_program *program, struct atomics_statement *s)
{
    bool is_atomic = s->kind <= DO_SWAP || s->kind == DO_AWAIT;
    if (!is_atomic || !program->is_volatile[s->place])
        return;
    s->loop.by_or = false;
    if (s->kind != DO_LOAD && s->kind != DO_AWAIT)
        s->kind = DO_STORE;
}

static void make_choices(struct maker *m, void (*make)(struct maker *, int), int steps)
{
    struct atomics_program *program = m->program;
    if (below(m, 2))
        put_choice(m);
    make(m, steps);
    if (below(m, 4) == 0)
        put(m, (struct atomics_statement){.kind = DO_ASSUME, .value = below(m, 3), .guard = -1});
    for (int i = 0; i < program->count[m->thread]; i++) {
        struct atomics_statement *s = &program->statements[m->thread][i];
        s->loop.has_own = s->kind == DO_AWAIT && below(m, 2);
        make_volatile(program, s);
    }
}

void random_atomics(uint64_t seed, enum atomics_subject subject, struct atomics_program *program)
{
    struct maker m = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .program = program};
    *program = (struct atomics_program){0};
    below(&m, 2);
    program->threads = below(&m, 2) ? 2 : 3;
    void (*const ways[])(struct maker *, int) = {make_handover, make_publication, make_thread, make_waiting,
                                                 make_looking};
    void (*make)(struct maker *, int) = ways[subject ? 3 + below(&m, 2) : below(&m, 3)];
    program->is_volatile[X] = subject == ATOMICS_CHOICES && below(&m, 2);
    program->is_volatile[Y] = subject == ATOMICS_CHOICES && below(&m, 2);
    m.publishes_bytes = below(&m, 2);
    m.publisher = below(&m, 3) ? 0 : program->threads - 1;
    for (m.thread = 0; m.thread < program->threads; m.thread++)
        if (subject == ATOMICS_CHOICES)
            make_choices(&m, make, 1 + below(&m, 2));
        else
            make(&m, 1 + below(&m, program->threads == 2 ? 4 : 3));
    for (m.thread = 0; m.thread < program->threads; m.thread++) { /* a lock is given back, whatever had no room */
        int last = program->count[m.thread] - 1;
        const struct atomics_statement *s = program->statements[m.thread];
        for (int i = 0, held = 0; i <= last; i++) {
            held += (s[i].kind == DO_LOCK) - (s[i].kind == DO_UNLOCK);
            if (i == last && held)
                program->count[m.thread] -= s[i].kind == DO_LOCK ? 1 : 2;
        }
    }
}

/* --- as C */

static const char *const order_names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const place_names[] = {"x", "y", "u.w", "u.b[0]", "u.b[1]", "g", "f"};
static const char *const plain_names[] = {"p", "q", "e", "list->next->e"};

static void write_load(const struct atomics_program *program, int place, const char *order, FILE *out)
{
    if (program->is_volatile[place])
        fprintf(out, "v%s", place_names[place]);
    else
        fprintf(out, "LOAD(%s, %s)", place_names[place], order);
}

static void write_loop(const struct atomics_program *program, const struct atomics_statement *s, int thread, FILE *out)
{
    const struct atomics_loop *loop = &s->loop;
    const char *order = order_names[s->order];
    if (loop->has_own)
        fprintf(out, "own[%d] = %d; ", thread, s->value);
    if (loop->most)
        fprintf(out, "for (int i = 0; i < %d; i++) { ", loop->most);
    else
        fputs("for (;;) { ", out);
    fputs("v = ", out);
    if (loop->by_or)
        fprintf(out, "OR(%s, 0, %s)", place_names[s->place], order);
    else
        write_load(program, s->place, order, out);
    fprintf(out, "; if (v %s ", loop->differs ? "!=" : "==");
    fprintf(out, loop->has_own ? "own[%d]) break; " : "%d) break; ", loop->has_own ? thread : s->value);
    if (loop->second >= 0) {
        fputs("if (", out);
        write_load(program, loop->second, order, out);
        fputs(" == 1) { v = 5; break; } ", out);
    }
    if (loop->has_plain && loop->found >= 0)
        fprintf(out, "if (v == %d) ", loop->found);
    if (loop->has_plain && loop->writes)
        fprintf(out, "%s = 0; ", plain_names[s->plain]);
    else if (loop->has_plain)
        fprintf(out, "if (%s == %d) { v = 7; break; } ", plain_names[s->plain], loop->ending);
    fputs("} SEE", out);
    if (loop->has_own)
        fprintf(out, " own[%d] = 9;", thread);
}

static void write_store(const struct atomics_program *program, const struct atomics_statement *s, FILE *out)
{
    if (program->is_volatile[s->place])
        fprintf(out, "v%s = %d;", place_names[s->place], s->value);
    else
        fprintf(out, "STORE(%s, %d, %s);", place_names[s->place], s->value, order_names[s->order]);
}

static void write_plain(const struct atomics_statement *s, FILE *out)
{
    if (s->value < 0)
        fprintf(out, "%s = v;", plain_names[s->plain]);
    else
        fprintf(out, "%s = %d;", plain_names[s->plain], s->value);
}

static void write_statement(const struct atomics_program *program, int thread, const struct atomics_statement *s,
                            FILE *out)
{
    static const char *const words[] = {"LOAD", "STORE", "EXCHANGE", "ADD", "OR", "AND"};
    const char *order = order_names[s->order], *place = place_names[s->place];
    if (s->guard >= 0)
        fprintf(out, "if (v == %d) { ", s->guard);
    switch (s->kind) {
    case DO_LOAD:
        fputs("v = ", out);
        write_load(program, s->place, order, out);
        fputs("; SEE", out);
        break;
    case DO_STORE: write_store(program, s, out); break;
    case DO_SET: fprintf(out, "v = SET(%s); SEE", order); break;
    case DO_CLEAR: fprintf(out, "CLEAR(%s);", order); break;
    case DO_LOCK: fprintf(out, "LOCK(%s)", order); break;
    case DO_UNLOCK: fprintf(out, "UNLOCK(%s);", order); break;
    case DO_AWAIT: write_loop(program, s, thread, out); break;
    case DO_CHOOSE: fprintf(out, "v = portolan_choose(%d); SEE", s->value); break;
    case DO_ASSUME: fprintf(out, "portolan_assume(v != %d);", s->value); break;
    case DO_FENCE: fprintf(out, "FENCE(%s);", order); break;
    case DO_READ: fprintf(out, "v = %s; SEE", plain_names[s->plain]); break;
    case DO_WRITE: write_plain(s, out); break;
    case DO_SWAP:
        if (s->plain >= 0)
            fprintf(out, "v = SWAP_AT(%s, %s, ", place, plain_names[s->plain]);
        else
            fprintf(out, "v = SWAP(%s, %d, ", place, s->expected);
        fprintf(out, "%d, %s, %s); SEE", s->value, order, order_names[s->failure]);
        break;
    default:
        fprintf(out, "%s%s(%s, %d, %s);%s", s->ignored ? "" : "v = ", words[s->kind], place, s->value, order,
                s->ignored ? "" : " SEE");
    }
    fputs(s->guard >= 0 ? " }\n" : "\n", out);
}

void atomics_write_c(const struct atomics_program *programs, size_t count, enum atomics_subject subject, FILE *out)
{
    if (subject == ATOMICS_CHOICES)
        fputs("#define PLAIN /* volatile is for itself */\n", out);
    fputs("#include \"atomics.h\"\n", out);
    for (size_t i = 0; i < count; i++)
        for (int t = 0; t < programs[i].threads; t++) {
            fprintf(out, "static void *p%zu_t%d(void *argument)\n{\nint v = 0, r = 0;\n", i, t);
            for (int s = 0; s < programs[i].count[t]; s++)
                write_statement(&programs[i], t, &programs[i].statements[t][s], out);
            fprintf(out, "out[%d] = r;\nreturn argument;\n}\n", t);
        }
    fputs("static void *(*const programs[][3])(void *) = {\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, programs[i].threads == 3 ? "{p%1$zu_t0, p%1$zu_t1, p%1$zu_t2},\n" : "{p%1$zu_t0, p%1$zu_t1},\n",
                i);
    fputs("};\nint main(int count, char **arguments)\n{\n(void)count;\n"
          "void *(*const *threads)(void *) = programs[number(arguments[1])];\n"
          "run_threads(threads, threads[2] ? 3 : 2, number(arguments[2]));\nreturn 0;\n}\n",
          out);
}
