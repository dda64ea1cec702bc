/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random control programs against a naive interpreter.  Rules are letters, a graph is how many there are of each, and
 * what a program can do is the tree of its steps.  The interpreter works on the statements themselves with a list of
 * what comes next; it knows nothing of terms and automata.
 *
 * Then the letters are rules of a random grammar: every strategy of probe sets must find the graphs in which the
 * program has nothing more to do that full exploration finds.
 *
 *     random_control [--programs N] [--seed S] [--first K]
 */
#include "front/grammar/grammar_text.h"
#include "graph/engine.h"
#include "letters.h"
#include "random_net.h"
#include "random_run.h"

enum { LETTERS = 3, MOST_STATEMENTS = 40, MOST_ITEMS = 20000, TREE = 4000, MOST_STEPS = 100 };

enum statement_kind { CALL, SEQUENCE, EITHER, STAR, ALAP, TRY, ATOM, RECIPE };

struct statement {
    enum statement_kind kind;
    unsigned letter; /* or the number of the recipe */
    struct statement *first, *second;
};

/* What comes next; without a statement: the end of an atomic block or recipe. */
struct item {
    const struct statement *statement;
    const struct item *next;
};

struct move {
    char label; /* a letter; upper case: the first of a recipe */
    uint32_t graph;
    const struct item *rest;
};

struct moves {
    struct move step[MOST_STEPS];
    unsigned count;
};

static struct statement statements[MOST_STATEMENTS];
static unsigned statement_count, recipe_count;
static struct item items[MOST_ITEMS];
static unsigned item_count;
static bool is_too_large;

/* ------------------------------------------------------------------ drawing and writing */

/* Blocks have no attempts in them: those would also depend on whether the block can be finished. */
static struct statement *draw(struct random *random, unsigned depth, bool in_block)
{
    struct statement *s = &statements[statement_count++];
    *s = (struct statement){.kind = CALL, .letter = random_below(random, LETTERS)};
    if (depth == 0 || statement_count + 2 * depth + 4 > MOST_STATEMENTS || random_chance(random, 25))
        return s;
    do
        s->kind = (enum statement_kind)(1 + random_below(random, 7));
    while (in_block && (s->kind == TRY || s->kind == ALAP));
    in_block |= s->kind == ATOM || s->kind == RECIPE;
    s->first = draw(random, depth - 1, in_block);
    if (s->kind == SEQUENCE || s->kind == EITHER || s->kind == TRY)
        s->second = draw(random, depth - 1, in_block);
    if (s->kind == RECIPE)
        s->letter = recipe_count++;
    return s;
}

static void write_statement(FILE *out, const struct statement *s)
{
    static const char *const before[] = {"", "{ ", "choice { ", "star", "alap { ", "try { ", "< ", ""};
    static const char *const between[] = {"", " ", " } or { ", "", "", " } else { ", "", ""};
    static const char *const after[] = {"; ", "} ", "} ", "", "} ", "} ", "> ", "; "};
    if (s->kind == CALL || s->kind == RECIPE) {
        fprintf(out, s->kind == CALL ? "%c; " : "r%u(); ", s->kind == CALL ? 'a' + s->letter : s->letter);
    } else if (s->kind == STAR) { /* only an expression can be repeated so: a function makes it one */
        fprintf(out, "f%u()*; ", (unsigned)(s - statements));
    } else {
        fputs(before[s->kind], out);
        write_statement(out, s->first);
        fputs(between[s->kind], out);
        if (s->second)
            write_statement(out, s->second);
        fputs(after[s->kind], out);
    }
}

static void write_program(FILE *out)
{
    for (unsigned i = 0; i < statement_count; i++) {
        const struct statement *s = &statements[i];
        if (s->kind != RECIPE && s->kind != STAR)
            continue;
        if (s->kind == RECIPE)
            fprintf(out, "recipe r%u() { ", s->letter);
        else
            fprintf(out, "function f%u() { ", i);
        write_statement(out, s->first);
        fputs("}\n", out);
    }
    write_statement(out, &statements[0]);
}

/* ------------------------------------------------------------------ the naive interpreter */

static bool moves(const struct statement *s, const struct item *rest, uint32_t graph, struct moves *steps);

static const struct item *push(const struct statement *statement, const struct item *next)
{
    if (item_count == MOST_ITEMS) {
        is_too_large = true;
        return next;
    }
    items[item_count] = (struct item){statement, next};
    return &items[item_count++];
}

static void add(struct moves *steps, struct move step)
{
    if (steps->count == MOST_STEPS)
        is_too_large = true;
    else
        steps->step[steps->count++] = step;
}

/* All that a list can do, up to an item; true if it can come there without a step. */
static bool list_moves(const struct item *list, const struct item *until, uint32_t graph, struct moves *steps)
{
    for (; list != until; list = list->next)
        if (list->statement && !moves(list->statement, list->next, graph, steps))
            return false;
    return true;
}

static struct moves *new_steps(void)
{
    struct moves *steps = calloc(1, sizeof *steps);
    if (!steps)
        abort();
    return steps;
}

/* The graphs in which the list can come to the item; *found counts them, and outcomes are added if asked for. */
static bool comes_to(const struct item *list, const struct item *until, uint32_t graph, struct moves *outcomes,
                     char label)
{
    struct moves *steps = new_steps();
    bool comes = list_moves(list, until, graph, steps);
    if (comes && outcomes)
        add(outcomes, (struct move){label, graph, until});
    for (unsigned i = 0; i < steps->count && !is_too_large && (outcomes || !comes); i++)
        comes |= comes_to(steps->step[i].rest, until, steps->step[i].graph, outcomes, label);
    free(steps);
    return comes;
}

/* An atomic block keeps the steps after which it can end; a recipe has a step for each of its ends instead. */
static bool block_moves(const struct statement *s, const struct item *rest, uint32_t graph, struct moves *steps)
{
    const struct item *end = push(NULL, rest);
    struct moves *within = new_steps();
    bool ends = moves(s->first, end, graph, within);
    for (unsigned i = 0; i < within->count && !is_too_large; i++) {
        struct move *step = &within->step[i];
        if (s->kind == RECIPE)
            comes_to(step->rest, end, step->graph, steps, (char)('A' + s->letter % 26));
        else if (comes_to(step->rest, end, step->graph, NULL, 0))
            add(steps, *step);
    }
    free(within);
    return ends;
}

/* The steps of a statement; true if it can end without one. */
static bool moves(const struct statement *s, const struct item *rest, uint32_t graph, struct moves *steps)
{
    unsigned before = steps->count;
    bool ends;
    switch (s->kind) {
    case CALL:
        if (graph >> 4 * s->letter & 15)
            add(steps, (struct move){(char)('a' + s->letter), graph - (1U << 4 * s->letter), rest});
        return false;
    case SEQUENCE: return moves(s->first, push(s->second, rest), graph, steps) && moves(s->second, rest, graph, steps);
    case EITHER: ends = moves(s->first, rest, graph, steps); return moves(s->second, rest, graph, steps) || ends;
    case STAR: moves(s->first, push(s, rest), graph, steps); return true;
    case ALAP:
        ends = moves(s->first, push(s, rest), graph, steps);
        is_too_large |= ends; /* it would go on forever without a step: not compared */
        return steps->count == before;
    case TRY:
        ends = moves(s->first, rest, graph, steps);
        return ends || (steps->count == before && moves(s->second, rest, graph, steps));
    case ATOM:
    case RECIPE: return block_moves(s, rest, graph, steps);
    }
    return false;
}

/* ------------------------------------------------------------------ trees */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Joins the texts of the steps, each once, and whether the program can end. */
static char *join(char **texts, unsigned count, bool is_final)
{
    char *joined = malloc(TREE);
    size_t used = 0;
    if (!joined)
        abort();
    joined[used++] = '(';
    if (count > 0)
        qsort(texts, count, sizeof *texts, by_text);
    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0) {
            if (used + strlen(texts[i]) + 10 > TREE)
                is_too_large = true;
            else
                used += (size_t)sprintf(joined + used, "%s", texts[i]);
        }
    }
    for (unsigned i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
    sprintf(joined + used, "%s)", is_final ? "." : "");
    return joined;
}

static char *labelled(char label, char *tree)
{
    char *text = malloc(strlen(tree) + 2);
    if (!text)
        abort();
    text[0] = label;
    strcpy(text + 1, tree);
    free(tree);
    return text;
}

static const struct item *last_end(const struct item *list)
{
    const struct item *last = NULL;
    for (; list; list = list->next)
        if (!list->statement)
            last = list;
    return last;
}

static char *naive_tree(const struct item *list, uint32_t graph)
{
    struct moves *steps = new_steps();
    bool is_final = list_moves(list, NULL, graph, steps);
    char **texts = calloc(steps->count + 1, sizeof *texts);
    unsigned count = 0;
    for (unsigned i = 0; i < steps->count && !is_too_large; i++) {
        const struct move *step = &steps->step[i];
        const struct item *end = last_end(step->rest);
        if (!end || comes_to(step->rest, end, step->graph, NULL, 0)) /* the blocks that are open can end */
            texts[count++] = labelled(step->label, naive_tree(step->rest, step->graph));
    }
    free(steps);
    return join(texts, count, is_final);
}

/* ------------------------------------------------------------------ the same by src/graph */

static uint32_t no_image(void *user, uint32_t application, uint32_t node)
{
    (void)user;
    (void)application;
    return node;
}

static char *tree_of(struct control_run *run, uint32_t graph, uint32_t control)
{
    control_steps steps = {0};
    bool is_final;
    if (!control_allowed(run, graph, control, &steps, &is_final))
        abort();
    char **texts = calloc(steps.count + 1, sizeof *texts);
    for (size_t i = 0; i < steps.count; i++) {
        const struct control_step *step = &steps.item[i];
        char label = (char)('a' + step->application);
        if (step->recipe != NO_NUMBER)
            label = (char)('A' + atoi(run->program->recipes.item[step->recipe] + 1) % 26);
        texts[i] = labelled(label, tree_of(run, step->graph, step->control));
    }
    char *joined = join(texts, (unsigned)steps.count, is_final);
    free(steps.item);
    return joined;
}

static struct grammar *letters(void)
{
    struct grammar *grammar = grammar_new("letters", "gps");
    for (unsigned i = 0; grammar && i < LETTERS; i++)
        if (!grammar_rule(grammar, (char[]){(char)('a' + i), '\0'}))
            abort();
    return grammar;
}

/* NULL when the program is refused. */
static char *engine_tree(const char *text, size_t length, uint32_t graph, struct portolan_error *error)
{
    struct control_text source = {"random.gcp", text, length};
    struct control_run run;
    struct grammar *grammar = letters();
    char *tree = NULL;
    if (control_read(grammar, &source, 1, error) == PORTOLAN_OK && grammar->control) {
        struct control_host host = letters_host(no_image);
        control_run_make(&run, grammar, host);
        tree = tree_of(&run, graph, control_start(&run));
        control_run_clear(&run);
    }
    grammar_free(grammar);
    return tree;
}

/* ------------------------------------------------------------------ probe sets */

/* What is asked for by some is made, taken or forbidden by others. */
static const char *const bodies[] = {"{ n: X; not n[p]; + n[p] }",
                                     "{ n: X[p]; - n[p]; not n[q]; + n[q] }",
                                     "{ n: X[q]; z: Z; not z -e-> n; + z -e-> n }",
                                     "{ z: Z -e-> n: X; - z -e-> n }",
                                     "{ n: X[p]; - n }",
                                     "dangling { n: X[q]; - n }",
                                     "{ z: Z; not z[t]; + z[t] }",
                                     "{ z: Z[t]; not z -e-> n: X; - z[t] }",
                                     "{ z: Z; not z[u]; + z[u]; + n: X }",
                                     "{ z: Z; forall { n: X[p]; + n[q] } not z[v]; + z[v] }",
                                     "{ n: X[p]; m: X; n != m; not m[p]; not m[q]; + m[q] }",
                                     "{ n: X; z: Z -{e+}-> n; not n[r]; + n[r] }"};

static struct portolan_system *system_of(struct random *random, const char *program, char **text)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    struct grammar *grammar = NULL;
    size_t length;
    FILE *out = open_memstream(text, &length);
    if (!out)
        abort();
    fputs("isomorphism off graph g { x: X; y: X[p]; z: Z }\n", out);
    for (int i = 0; i < LETTERS; i++)
        fprintf(out, "rule %c %s\n", 'a' + i, bodies[random_below(random, sizeof bodies / sizeof *bodies)]);
    static const char *const loops[] = {"", "alap { choice { a; } or { b; } or { c; } }",
                                        "alap { choice { a; } or { b; } }", "a+;",
                                        "alap { try { a; } else { choice { b; } or { c; } } }"};
    /* functions and recipes come first */
    const char *rest = strrchr(program, '\n') ? strrchr(program, '\n') + 1 : program;
    fprintf(out, "control { %.*s", (int)(rest - program), program);
    fprintf(out, "%s %s }\n", loops[random_below(random, sizeof loops / sizeof *loops)], rest);
    fclose(out);
    if (gg_parse(*text, length, "random.gg", NULL, &grammar, &error) != PORTOLAN_OK ||
        graph_system_new(grammar, &system, &error) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n%s\n", *text, error.message);
        abort();
    }
    system->is_final = NULL; /* ends count as deadlocks, so that they are compared */
    return system;
}

/* False: there are too many states. */
static bool search(struct portolan_system *system, const char *reduction, uint64_t *states, uint64_t *ends)
{
    struct portolan_options options = PORTOLAN_OPTIONS(.reduction = reduction, .state_limit = 300);
    struct portolan_result *result = NULL;
    struct portolan_error error = {0};
    if (portolan_search(system, &options, &result, &error) != PORTOLAN_OK) {
        fprintf(stderr, "%s: %s\n", reduction, error.message);
        abort();
    }
    bool is_whole = result->stop == PORTOLAN_COMPLETE;
    *states = result->statistics.states;
    *ends = result->statistics.deadlocks;
    portolan_result_free(result);
    return is_whole;
}

static uint64_t searched, reduced; /* programs */

static bool probes_agree(struct random *random, const char *program)
{
    static const char *const reductions[] = {"probe", "probe:persistent", "probe:persistent,strategy=independent",
                                             "probe:persistent,strategy=reversing-free", "probe:sleep"};
    char *text = NULL;
    uint64_t states, ends, left, found;
    struct portolan_system *system = system_of(random, program, &text);
    bool agrees = true, is_less = false;
    if (search(system, "none", &states, &ends)) {
        for (size_t i = 0; i < sizeof reductions / sizeof *reductions && agrees; i++) {
            agrees = search(system, reductions[i], &left, &found) && left <= states && found == ends;
            is_less |= left < states;
            if (!agrees)
                printf("%s\n%s: %" PRIu64 " ends instead of %" PRIu64 ", %" PRIu64 " states of %" PRIu64 "\n", text,
                       reductions[i], found, ends, left, states);
        }
        searched++;
        reduced += is_less;
    }
    portolan_system_free(system);
    free(text);
    return agrees;
}

/* ------------------------------------------------------------------ one program */

enum outcome { AGREES, DIFFERS, SKIPPED };

static enum outcome check(struct random *random)
{
    char *text = NULL;
    size_t length;
    struct portolan_error error = {0};
    statement_count = recipe_count = item_count = 0;
    is_too_large = false;
    draw(random, 4, false);
    uint32_t graph = random_below(random, 3) | random_below(random, 3) << 4 | random_below(random, 3) << 8;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    write_program(out);
    fclose(out);
    char *mine = naive_tree(push(&statements[0], NULL), graph), *theirs = NULL;
    if (!is_too_large)
        theirs = engine_tree(text, length, graph, &error);
    bool refused = !theirs && strstr(error.message, "may end without a step");
    enum outcome outcome = is_too_large || refused ? SKIPPED : theirs && strcmp(mine, theirs) == 0 ? AGREES : DIFFERS;
    if (outcome == AGREES && random_chance(random, 20) && !probes_agree(random, text))
        outcome = DIFFERS;
    else if (outcome == DIFFERS)
        printf("%s\nwith %03x\n%s\nand not\n%s\n%s\n", text, graph, theirs ? theirs : "", mine, error.message);
    free(text);
    free(mine);
    free(theirs);
    return outcome;
}

int main(int count, char **words)
{
    struct random_run run = {.count = 2000, .seed = 1};
    uint64_t agree = 0;
    if (!random_run_read(&run, "--programs", count, words))
        return 2;
    for (uint64_t i = run.first; i < run.first + run.count; i++) {
        random_run_tell(i - run.first, run.count, i);
        struct random random = random_from(run.seed, i);
        enum outcome outcome = check(&random);
        agree += outcome == AGREES;
        if (outcome == DIFFERS) {
            printf("program %" PRIu64 " of seed %" PRIu64 "\n", i, run.seed);
            return 1;
        }
    }
    printf("%" PRIu64 " of %" PRIu64 " programs were compared: all agree; %" PRIu64
           " with probe sets, which leave fewer states of %" PRIu64 "\n",
           agree, run.count, searched, reduced);
    return agree < run.count / 3;
}
