/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that are ended and go on from their files: random nets and thread programs, every reduction x proviso x
 * search that stores states, every method that does not.  A search that is cut into pieces at random must end with the
 * same numbers, verdict and trace as one that was not; and one in shards, which are ended at random too, with the same
 * executions and verdict.
 *
 *     resumed [--models N] [--seed S] [--first K]
 */
#include "differential_formula.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "random_frame.h"
#include "random_program.h"
#include "stateless/shards.h"
#include "stateless/system/methods.h"
#include "stateless/worker.h"
#include "system/result.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MOST_STATES = 3000, MOST_EXECUTIONS = 400, MOST_PIECES = 12, SHARE = 5, MOST_OF_SHARDS = 4 };

struct check {
    struct portolan_system *system;
    const struct portolan_property *properties[1];
    struct random random;
    bool endless; /* a net, which may go on forever */
    char file[64], directory[80], failure[1024];
};

static struct tally {
    uint64_t models, searches, pieces, shards, refused, decided;
} tally;

static bool same_answers(struct check *c, const struct portolan_result *a, const struct portolan_result *b)
{
    const struct portolan_statistics *s = &a->statistics, *t = &b->statistics;
    if (a->stop != b->stop)
        return wrong(c, "ended with %d and with %d", (int)a->stop, (int)b->stop);
    if (s->states != t->states || s->transitions != t->transitions || s->deadlocks != t->deadlocks ||
        s->expanded_fully != t->expanded_fully || s->visited != t->visited || s->depth != t->depth)
        return wrong(c,
                     "%" PRIu64 " states, %" PRIu64 " transitions, depth %" PRIu64 "; in pieces %" PRIu64 ", %" PRIu64
                     ", %" PRIu64,
                     s->states, s->transitions, s->depth, t->states, t->transitions, t->depth);
    if (s->executions != t->executions || s->blocked != t->blocked || s->cut != t->cut || s->left_out != t->left_out)
        return wrong(c, "%" PRIu64 " executions, %" PRIu64 " blocked; in pieces %" PRIu64 ", %" PRIu64, s->executions,
                     s->blocked, t->executions, t->blocked);
    const struct portolan_answer *x = &a->answers[0], *y = &b->answers[0];
    if (x->verdict != y->verdict || x->has_trace != y->has_trace || x->trace_length != y->trace_length ||
        (x->trace_length && memcmp(x->trace, y->trace, x->trace_length * sizeof *x->trace) != 0))
        return wrong(c, "another verdict, or another trace");
    return true;
}

/* Ends it again and again until nothing is left; false when that does not come about. */
static bool run_in_pieces(struct check *c, struct portolan_options options, uint64_t units,
                          struct portolan_result *result)
{
    struct portolan_error error = {0};
    uint64_t limit = 0;
    options.resume = NULL;
    for (int piece = 0;; piece++) {
        limit += 1 + random_below(&c->random, (uint32_t)(units / 4 + 2));
        options.state_limit = piece < MOST_PIECES ? limit : 0;
        enum portolan_status status = search_system(c->system, &options, result, &error);
        tally.pieces++;
        if (status != PORTOLAN_OK)
            return wrong(c, "piece %d: %s", piece, error.message);
        if (result->stop <= PORTOLAN_DECIDED || result->stop != PORTOLAN_STATE_LIMIT)
            return true;
        if (!result->can_resume || result->checkpoint_trouble[0])
            return wrong(c, "piece %d: no file: %s", piece, result->checkpoint_trouble);
        result_clear(result);
        options.resume = options.checkpoint;
    }
}

static bool same_as_shards(struct check *c, const struct portolan_result *a, const struct portolan_result *b)
{
    const struct portolan_statistics *s = &a->statistics, *t = &b->statistics;
    if (a->stop != b->stop)
        return wrong(c, "ended with %d, and in shards with %d", (int)a->stop, (int)b->stop);
    if (a->stop != PORTOLAN_DECIDED &&
        (s->executions != t->executions || s->cut != t->cut || s->deadlocks != t->deadlocks || s->depth != t->depth))
        return wrong(c,
                     "%" PRIu64 " executions, %" PRIu64 " deadlocks, depth %" PRIu64 "; in shards %" PRIu64 ", %" PRIu64
                     ", %" PRIu64,
                     s->executions, s->deadlocks, s->depth, t->executions, t->deadlocks, t->depth);
    if (a->answers[0].verdict != b->answers[0].verdict)
        return wrong(c, "another verdict in shards");
    return true;
}

/* Of a search that stores nothing: the plan, each shard in pieces, all together. */
static bool run_shards(struct check *c, struct portolan_options options, uint64_t units, struct portolan_result *result)
{
    struct shard_order order = {.plan = 1 + random_below(&c->random, 1000000),
                                .shards = 1 + random_below(&c->random, MOST_OF_SHARDS),
                                .directory = c->directory};
    struct portolan_error error = {0};
    options.shard = &order;
    options.resume = NULL;
    options.state_limit = 0;
    if (search_system(c->system, &options, result, &error) != PORTOLAN_OK)
        return error.status == PORTOLAN_REFUSED || wrong(c, "plan: %s", error.message);
    result_clear(result);
    order.task = SHARD_EXPLORE;
    for (order.shard = order.shards; order.shard; order.shard--) {
        if (!run_in_pieces(c, options, units / order.shards, result))
            return false;
        if (result->stop == PORTOLAN_COMPLETE || result->answers[0].verdict == PORTOLAN_HOLDS)
            return wrong(c, "a shard says that all was seen");
        result_clear(result);
        tally.shards++;
    }
    order.task = SHARDS_MERGE;
    options.checkpoint = NULL;
    bool fine =
        search_system(c->system, &options, result, &error) == PORTOLAN_OK || wrong(c, "merge: %s", error.message);
    for (uint32_t i = 1; i <= order.shards; i++) {
        char path[4096];
        shard_path(&order, i, ".answer", path);
        unlink(path);
    }
    return fine;
}

static bool check_shards(struct check *c, const struct portolan_options *options, const struct portolan_result *whole)
{
    struct portolan_result merged = {0};
    bool fine = run_shards(c, *options, whole->statistics.executions, &merged) &&
                (!merged.answers || same_as_shards(c, whole, &merged)); /* not every method can be shared out */
    result_clear(&merged);
    return fine;
}

static bool check_options(struct check *c, struct portolan_options options)
{
    struct portolan_result whole, pieces = {0};
    struct portolan_error error;
    options.checkpoint = c->file;
    options.checkpoint_every = 1e9;
    options.state_limit = MOST_STATES;
    enum portolan_status status = search_system(c->system, &options, &whole, &error);
    tally.refused += status != PORTOLAN_OK;
    if (status != PORTOLAN_OK)
        return true;
    bool is_small = whole.stop != PORTOLAN_STATE_LIMIT && whole.statistics.executions <= MOST_EXECUTIONS;
    bool fine = true;
    if (is_small) {
        fine = run_in_pieces(c, options, whole.statistics.states + whole.statistics.executions, &pieces) &&
               same_answers(c, &whole, &pieces);
        result_clear(&pieces);
        tally.searches++;
        tally.decided += whole.stop == PORTOLAN_DECIDED;
        if (fine && access(c->file, F_OK) == 0)
            fine = wrong(c, "the file is still there when all is done");
        if (fine && whole.statistics.executions)
            fine = check_shards(c, &options, &whole);
    }
    result_clear(&whole);
    unlink(c->file);
    return fine;
}

static bool check_variants(struct check *c, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    for (uint64_t i = number; variant_next(&cursor, false, &v); i++) {
        struct portolan_options options = {.reduction = v.reduction,
                                           .proviso = v.proviso,
                                           .search = v.search,
                                           .properties = c->properties,
                                           .property_count = 1,
                                           .all = random_chance(&c->random, v.method ? 80 : 30)};
        bool is_due = i % SHARE == 0 || (v.method && !c->endless); /* every method for programs */
        if (!is_due || !variant_is_sound(&v, c->system, &options))
            continue;
        options.chains = v.reduction_class && v.reduction_class->reduces && random_chance(&c->random, 20);
        if (v.method && (c->endless || random_chance(&c->random, 30)))
            options.bound = 1 + random_below(&c->random, 4);
        if (!check_options(c, options)) {
            fprintf(stderr, "reduction %s, proviso %s, search %s, all %d, chains %d, bound %u: %s\n", v.reduction,
                    v.proviso, v.search, options.all, options.chains, options.bound, c->failure);
            return false;
        }
    }
    return true;
}

static struct portolan_system *random_system(struct random *random, uint64_t seed, char *text)
{
    struct portolan_system *system = NULL;
    struct draft draft;
    struct formula formula;
    if (random_chance(random, 50)) {
        char *program = random_program(seed);
        system = program ? open_program(program) : NULL;
        free(program);
        return system;
    }
    draft_random(&draft, random);
    struct net *net = draft_net(&draft, "random");
    if (!net || net_system_new(net, &system, NULL) != PORTOLAN_OK)
        return NULL;
    do
        formula_random(&formula, random, draft.places, draft.transitions);
    while (formula.kind != PORTOLAN_INVARIANT);
    formula_text(&formula, net_of_system(system), text, FORMULA_TEXT);
    return system;
}

static bool check_model(const struct random_run *run, uint64_t number)
{
    struct check c = {.random = random_from(run->seed, number)};
    char text[FORMULA_TEXT] = "";
    struct portolan_property *property;
    c.system = random_system(&c.random, run->seed * 1000003 + number, text);
    if (!c.system)
        return false;
    if (portolan_property_new(c.system, text[0] ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK, text[0] ? text : NULL,
                              &property, NULL) != PORTOLAN_OK)
        return false;
    c.properties[0] = property;
    c.endless = text[0];
    snprintf(c.file, sizeof c.file, "%s/portolan-resumed-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (int)getpid());
    snprintf(c.directory, sizeof c.directory, "%s-shards", c.file);
    if (mkdir(c.directory, 0700) != 0)
        return false;
    bool fine = check_variants(&c, number);
    unlink(c.file);
    fine = rmdir(c.directory) == 0 && fine;
    portolan_property_free(property);
    portolan_system_free(c.system);
    tally.models++;
    if (!fine)
        fprintf(stderr, "see it again: resumed --seed %" PRIu64 " --first %" PRIu64 " --models 1\n", run->seed, number);
    return fine;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 100, .seed = 1};
    bool fine = random_run_read(&run, "--models", count, arguments);
    for (uint64_t i = 0; i < run.count && fine; i++)
        fine = check_model(&run, run.first + i);
    printf("%" PRIu64 " models, %" PRIu64 " searches in %" PRIu64 " pieces, %" PRIu64 " shards, %" PRIu64
           " decided early, %" PRIu64 " refused\n",
           tally.models, tally.searches, tally.pieces, tally.shards, tally.decided, tally.refused);
    return fine && tally.searches > tally.models && tally.pieces > 2 * tally.searches && tally.decided &&
                   tally.shards > tally.models
               ? 0
               : 1;
}
