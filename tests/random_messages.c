/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random C programs of threads that talk through pipes, sockets, an eventfd and a mailbox, explored by every method,
 * and a search of their own that goes through every interleaving: can they wait forever, and if not, which values are
 * there at the end of all executions?  Methods that see each trace once must see equally many.
 *
 *     random_messages PORTOLAN [--programs N] [--seed S] [--first K]
 */
#include "explore_c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, STATEMENTS = 5, PIPES = 3, KINDS = 2, LONGEST = 16, MOST_VISITS = 400000 };

enum kind { PUT, GET, GET_TWO, GET_ANY, POLL, LOOK, CLOSE, ADD, SUM, MAIL, RECEIVE, QUORUM };

struct statement {
    enum kind kind;
    int one, other; /* pipes; of mail: the kind, or kinds */
    int value;
};

struct program {
    struct statement statements[THREADS][STATEMENTS];
    int count[THREADS], threads;
};

/* --- making them */

struct maker {
    uint64_t seed;
    struct program *program;
    int owner[PIPES];  /* the only thread that reads from a pipe; -1: everybody may */
    int closer[PIPES]; /* the only thread that writes to it, and closes it in the end; -1: everybody, and nobody */
    int mail_reader;   /* the only thread that receives, several messages at once, too; -1: everybody */
};

static int below(struct maker *m, int limit)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(m->seed >> 33) % limit;
}

static int somebody(struct maker *m, int owner)
{
    return owner >= 0 ? owner : below(m, m->program->threads);
}

static void put(struct maker *m, int thread, struct statement s)
{
    int *count = &m->program->count[thread];
    if (*count < STATEMENTS)
        m->program->statements[thread][(*count)++] = s;
}

/* A message through a pipe, to one who may look before, or take it from whatever pipe has one. */
static void put_through_pipe(struct maker *m)
{
    int pipe = below(m, PIPES), other = (pipe + 1 + below(m, PIPES - 1)) % PIPES;
    int reader = somebody(m, m->owner[pipe]), kind = below(m, 6);
    bool owns_both = m->owner[pipe] == reader && m->owner[other] == reader;
    put(m, somebody(m, m->closer[pipe]), (struct statement){PUT, pipe, 0, 1 + below(m, 3)});
    if (owns_both && kind < 3)
        put(m, reader, (struct statement){kind == 0 ? POLL : kind == 1 ? LOOK : GET_ANY, pipe, other, 0});
    if (!owns_both || kind != 2)
        put(m, reader, (struct statement){m->owner[pipe] == reader && kind > 3 ? GET_TWO : GET, pipe, 0, 0});
}

static void put_mail(struct maker *m)
{
    int reader = somebody(m, m->mail_reader), kinds = 1 + below(m, 3), kind = kinds == 3 ? below(m, KINDS) : kinds - 1;
    bool takes_two = m->mail_reader >= 0 && below(m, 2);
    int sender = somebody(m, -1);
    put(m, sender, (struct statement){MAIL, kind, 0, 1 + below(m, 3)});
    if (takes_two || below(m, 3) == 0)
        put(m, (sender + 1) % m->program->threads, (struct statement){MAIL, kind, 0, 1 + below(m, 3)});
    put(m, reader, (struct statement){takes_two ? QUORUM : RECEIVE, kinds, 0, 0});
}

static void put_sum(struct maker *m)
{
    for (int i = below(m, 2); i < 2; i++)
        put(m, somebody(m, -1), (struct statement){ADD, 0, 0, 1 + below(m, 3)});
    put(m, somebody(m, -1), (struct statement){SUM, 0, 0, 0});
}

/* What is sent is received later, or there are two statements that have changed places. */
static void make_program(uint64_t seed, struct program *program)
{
    struct maker m = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .program = program};
    *program = (struct program){0};
    below(&m, 2);
    program->threads = 2 + below(&m, 2);
    int reader = below(&m, program->threads);
    m.mail_reader = below(&m, 2) ? below(&m, program->threads) : -1;
    for (int p = 0; p < PIPES; p++) {
        m.owner[p] = below(&m, 4) ? reader : -1;
        m.closer[p] = below(&m, 3) ? below(&m, program->threads) : -1;
    }
    void (*const ways[])(struct maker *) = {put_through_pipe, put_through_pipe, put_through_pipe,
                                            put_mail,         put_mail,         put_sum};
    for (int i = 0; i < 4; i++)
        ways[below(&m, sizeof ways / sizeof *ways)](&m);
    for (int p = 0; p < PIPES; p++)
        if (m.closer[p] >= 0 && below(&m, 2)) {
            put(&m, m.closer[p], (struct statement){CLOSE, p, 0, 0});
            if (m.owner[p] >= 0)
                put(&m, m.owner[p], (struct statement){GET, p, 0, 0});
        }
    int thread = below(&m, program->threads), count = program->count[thread];
    if (below(&m, 3) || count < 2)
        return;
    int one = below(&m, count - 1);
    struct statement *s = &program->statements[thread][one], first = *s;
    if (first.kind == CLOSE || s[1].kind == CLOSE)
        return;
    *s = s[1];
    s[1] = first;
}

/* --- as C */

static void write_statement(const struct statement *s, FILE *out)
{
    switch (s->kind) {
    case PUT: fprintf(out, "put_into(%d, %d);\n", s->one, s->value); break;
    case GET: fprintf(out, "SEE(get_from(%d, 1));\n", s->one); break;
    case GET_TWO: fprintf(out, "SEE(get_from(%d, 2));\n", s->one); break;
    case GET_ANY: fprintf(out, "SEE(get_from_any(%d, %d));\n", s->one, s->other); break;
    case POLL: fprintf(out, "SEE(look_at(%d, %d, -1));\n", s->one, s->other); break;
    case LOOK: fprintf(out, "SEE(look_at(%d, %d, 0));\n", s->one, s->other); break;
    case CLOSE: fprintf(out, "close(ends[%d][1]);\n", s->one); break;
    case ADD: fprintf(out, "add(%d);\n", s->value); break;
    case SUM: fprintf(out, "SEE(get_sum());\n"); break;
    case MAIL: fprintf(out, "mail(%d, %d);\n", s->one, s->value); break;
    case RECEIVE: fprintf(out, "SEE(get_mail(%d, 1));\n", s->one); break;
    case QUORUM: fprintf(out, "SEE(get_mail(%d, 2));\n", s->one); break;
    }
}

static void write_c(const struct program *programs, size_t count, FILE *out)
{
    fputs("#include \"messages.h\"\n", out);
    for (size_t i = 0; i < count; i++)
        for (int t = 0; t < programs[i].threads; t++) {
            fprintf(out, "static void *p%zu_t%d(void *argument)\n{\nint r = 0;\n", i, t);
            for (int s = 0; s < programs[i].count[t]; s++)
                write_statement(&programs[i].statements[t][s], out);
            fprintf(out, "out[%d] = r;\nreturn argument;\n}\n", t);
        }
    fputs("static void *(*const programs[][3])(void *) = {\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, programs[i].threads == 3 ? "{p%1$zu_t0, p%1$zu_t1, p%1$zu_t2},\n" : "{p%1$zu_t0, p%1$zu_t1},\n",
                i);
    fputs("};\nint main(int count, char **arguments)\n{\n(void)count;\n"
          "void *(*const *threads)(void *) = programs[number(arguments[1])];\n"
          "run_threads(threads, threads[2] ? 3 : 2, number(arguments[1]), number(arguments[2]));\nreturn 0;\n}\n",
          out);
}

/* --- what is true of them */

enum { END = -1 };

struct queue {
    int values[LONGEST], count;
};

struct point {
    int next[THREADS], digest[THREADS];
    int looked[THREADS]; /* 1 + what the first look of two has found, in the middle of a poll */
    struct queue pipes[PIPES], mail[THREADS][KINDS];
    int sum; /* of the eventfd */
};

struct truth {
    bool stuck, complete;
    uint64_t visits;
    struct text_set ends;
};

struct search {
    const struct program *program;
    struct truth *truth;
};

static void append(struct queue *queue, int value)
{
    queue->values[queue->count++] = value;
}

static int take(struct queue *queue)
{
    int value = queue->values[0];
    if (value == END)
        return 0;
    memmove(queue->values, queue->values + 1, (size_t)(--queue->count) * sizeof *queue->values);
    return value;
}

static void see(struct point *p, int thread, int value)
{
    p->digest[thread] = (p->digest[thread] * 7 + value + 1) % 9973;
}

static void visit(const struct search *search, const struct point *p);

/* The statement is over, and this was seen. */
static void go_on(const struct search *search, struct point p, int thread, int seen)
{
    see(&p, thread, seen);
    p.next[thread]++;
    visit(search, &p);
}

static int worth(struct point *p, int from, int kind)
{
    return take(&p->mail[from][kind]) * (kind * 10 + 1);
}

/* One message of one sender, or of each of two. */
static bool receive(const struct search *search, const struct point *p, int thread, int kinds, int count)
{
    bool moves = false;
    for (int a = 0; a < THREADS * KINDS; a++)
        for (int b = count == 2 ? a + 1 : a; b < (count == 2 ? THREADS * KINDS : a + 1); b++) {
            int from[2] = {a / KINDS, b / KINDS}, kind[2] = {a % KINDS, b % KINDS}, sum = 0;
            bool is_there = !(count == 2 && from[0] == from[1]);
            for (int i = 0; i < count; i++)
                is_there = is_there && (kinds >> kind[i] & 1) && p->mail[from[i]][kind[i]].count;
            if (!is_there)
                continue;
            struct point after = *p;
            for (int i = 0; i < count; i++)
                sum += worth(&after, from[i], kind[i]);
            moves = true;
            go_on(search, after, thread, sum);
        }
    return moves;
}

static bool get(const struct search *search, const struct point *p, int thread, int pipe, int most)
{
    struct point after = *p;
    struct queue *queue = &after.pipes[pipe];
    if (!queue->count)
        return false;
    int value = take(queue);
    if (most == 2 && value && queue->count)
        value += take(queue) * 10;
    go_on(search, after, thread, value);
    return true;
}

static bool get_any(const struct search *search, const struct point *p, int thread, const struct statement *s)
{
    bool moves = false;
    for (int i = 0; i < 2; i++) {
        int pipe = i ? s->other : s->one;
        struct point after = *p;
        if (!p->pipes[pipe].count)
            continue;
        moves = true;
        int value = take(&after.pipes[pipe]);
        go_on(search, after, thread, value + 100 * (pipe + 1));
    }
    return moves;
}

/* Two looks, one after the other; one that waits looks again and again, until one of the two has found something. */
static bool look(const struct search *search, const struct point *p, int thread, const struct statement *s)
{
    struct point after = *p;
    bool first = p->pipes[s->one].count, second = p->pipes[s->other].count;
    bool is_first_look = !p->looked[thread], found = p->looked[thread] == 2, waits = s->kind == POLL;
    if (is_first_look || (waits && !found && first)) { /* the latter in a later round */
        after.looked[thread] = 1 + first;
        visit(search, &after);
        if (is_first_look)
            return true;
    }
    if (waits && !found && !second)
        return first;
    after.looked[thread] = 0;
    go_on(search, after, thread, found + 2 * second);
    return true;
}

static bool step(const struct search *search, const struct point *p, int thread)
{
    const struct statement *s = &search->program->statements[thread][p->next[thread]];
    struct point after = *p;
    switch (s->kind) {
    case PUT: append(&after.pipes[s->one], s->value); break;
    case CLOSE: append(&after.pipes[s->one], END); break;
    case ADD: after.sum += s->value; break;
    case MAIL: append(&after.mail[thread][s->one], s->value); break;
    case GET: return get(search, p, thread, s->one, 1);
    case GET_TWO: return get(search, p, thread, s->one, 2);
    case GET_ANY: return get_any(search, p, thread, s);
    case POLL:
    case LOOK: return look(search, p, thread, s);
    case RECEIVE: return receive(search, p, thread, s->one, 1);
    case QUORUM: return receive(search, p, thread, s->one, 2);
    case SUM:
        after.sum = 0;
        if (p->sum)
            go_on(search, after, thread, p->sum);
        return p->sum;
    }
    after.next[thread]++;
    visit(search, &after);
    return true;
}

static void visit(const struct search *search, const struct point *p)
{
    bool ended = true, moves = false;
    struct truth *truth = search->truth;
    if (++truth->visits > MOST_VISITS)
        truth->complete = false;
    for (int t = 0; t < search->program->threads && truth->complete; t++) {
        if (p->next[t] == search->program->count[t])
            continue;
        ended = false;
        moves |= step(search, p, t);
    }
    if (!ended) {
        truth->stuck |= !moves && truth->complete;
        return;
    }
    char line[100];
    snprintf(line, sizeof line, "%d %d %d", p->digest[0], p->digest[1], p->digest[2]);
    if (!add_text(&truth->ends, line))
        truth->complete = false;
    if (truth->ends.count > 5000)
        make_set(&truth->ends);
}

/* --- comparing */

static const struct method methods[] = {
    {"optimal", false, NULL, "1"},   {"optimal", false, "unchecked", "2"}, {"optimal", false, "unchecked", "3"},
    {"source", false, "never", "1"}, {"lazy", false, "unchecked", "1"},    {"dpor", false, NULL, "1"},
    {NULL, false, NULL, NULL}};

struct tally {
    uint64_t passed, failed, skipped, stuck;
};

static bool check_program(const struct workshop *shop, size_t number, const struct truth *truth, char *wrong,
                          size_t size)
{
    uint64_t traces = 0;
    for (const struct method *method = methods; method->reduction && !*wrong; method++) {
        struct found found;
        if (!explore(shop, number, method, &found)) {
            snprintf(wrong, size, "%s: cannot be run", method->reduction);
            return false;
        }
        const char *strange = not_in(&found.ends, &truth->ends);
        const char *missed = found.holds ? not_in(&truth->ends, &found.ends) : NULL;
        traces = traces ? traces : found.executions;
        if (found.wrong && !(truth->stuck && strcmp(found.error, "deadlock") == 0))
            snprintf(wrong, size, "%s on %s: %s is not possible", method->reduction, method->threads, found.error);
        else if (found.holds && truth->stuck)
            snprintf(wrong, size, "%s on %s: that it waits forever is not found", method->reduction, method->threads);
        else if (strange || missed)
            snprintf(wrong, size, "%s on %s: '%s' is %s", method->reduction, method->threads,
                     strange ? strange : missed, strange ? "not possible" : "missing");
        else if (found.holds && found.executions != traces)
            snprintf(wrong, size, "%s on %s: %" PRIu64 " executions, not %" PRIu64, method->reduction, method->threads,
                     found.executions, traces);
        clear_set(&found.ends);
    }
    return !*wrong;
}

static void check_batch(const struct workshop *shop, uint64_t seed, uint64_t first, size_t count, struct tally *tally)
{
    struct program programs[BATCH];
    for (size_t i = 0; i < count; i++)
        make_program(seed * 1000003 + first + i, &programs[i]);
    FILE *out = open_source(shop);
    if (out)
        write_c(programs, count, out);
    bool compiled = out && fclose(out) == 0 && compile_source(shop);
    for (size_t i = 0; i < count; i++) {
        struct truth truth = {.complete = true};
        struct search search = {&programs[i], &truth};
        char wrong[300] = "";
        if (compiled)
            visit(&search, &(struct point){0});
        else
            snprintf(wrong, sizeof wrong, "the batch does not compile");
        make_set(&truth.ends);
        if (!truth.complete) {
            tally->skipped++;
        } else if (compiled && check_program(shop, i, &truth, wrong, sizeof wrong)) {
            tally->passed++;
            tally->stuck += truth.stuck;
        } else {
            tally->failed++;
            printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", first + i, seed, wrong);
            write_c(&programs[i], 1, stdout);
        }
        clear_set(&truth.ends);
    }
}

int main(int argc, char **argv)
{
    uint64_t programs = BATCH, seed = 1, first = 0;
    struct workshop shop;
    struct tally tally = {0};
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            programs = value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            first = value;
        else
            return 2;
    }
    if (argc < 2 || !workshop_open(&shop, argv[1]))
        return 2;
    for (uint64_t done = 0; done < programs; done += BATCH) {
        uint64_t left = programs - done;
        check_batch(&shop, seed, first + done, left < BATCH ? (size_t)left : BATCH, &tally);
    }
    workshop_close(&shop);
    printf("%" PRIu64 " passed, %" PRIu64 " of them wait forever; %" PRIu64 " failed, %" PRIu64 " too large\n",
           tally.passed, tally.stuck, tally.failed, tally.skipped);
    return tally.failed != 0 || tally.passed == 0;
}
