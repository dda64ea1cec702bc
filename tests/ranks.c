/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search by several ranks: random nets and thread programs, every reduction that several ranks may use, against one
 * process.  Without a proviso the numbers must be the same; with one the verdict must, and a trace must be as long
 * where nothing is reduced.
 *
 * Some searches are ended early, again and again, and go on from their files with other numbers of ranks.
 *
 *     ranks [--models N] [--seed S] [--first K]
 */
#include "differential_formula.h"
#include "distributed/levels.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "random_frame.h"
#include "random_program.h"
#include "ranks_local.h"
#include "system/result.h"

#include <unistd.h>

enum { MOST_STATES = 3000, SHARE = 4 };

struct check {
    struct portolan_system *system;
    const struct portolan_property *properties[1];
    struct portolan_options options;
    struct portolan_result *alone;       /* without a reduction: the truth */
    struct portolan_statistics one_rank; /* what one rank counted */
    struct random random;
    enum { WHOLE, IN_PIECES } how;
    bool is_unfinished;
    char failure[1024];
};

static struct tally {
    uint64_t models, searches, violated, judged, refused, resumed;
} tally;

static bool same_numbers(const struct portolan_statistics *s, const struct portolan_statistics *t)
{
    return s->states == t->states && s->transitions == t->transitions && s->deadlocks == t->deadlocks &&
           s->depth == t->depth && s->expanded_fully == t->expanded_fully;
}

static bool compare(struct check *c, const struct portolan_result *together, uint32_t ranks)
{
    const struct portolan_statistics *s = &together->statistics, *t = ranks > 1 ? &c->one_rank : s;
    const struct portolan_answer *answer = &together->answers[0], *truth = &c->alone->answers[0];
    bool is_full = strcmp(together->reduction, "none") == 0, is_complete = together->stop == PORTOLAN_COMPLETE;
    if (answer->verdict != truth->verdict)
        return wrong(c, "the verdict is %d, and the truth %d", (int)answer->verdict, (int)truth->verdict);
    if (is_full && truth->has_trace && answer->trace_length != truth->trace_length)
        return wrong(c, "a trace of %zu steps, and the shortest has %zu", answer->trace_length, truth->trace_length);
    if (is_complete && s->deadlocks != c->alone->statistics.deadlocks)
        return wrong(c, "%" PRIu64 " deadlocks of %" PRIu64, s->deadlocks, c->alone->statistics.deadlocks);
    if (is_full && is_complete)
        t = &c->alone->statistics;
    if (!same_numbers(s, t))
        return wrong(c,
                     "%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu64 " levels; alone %" PRIu64 ", %" PRIu64
                     ", %" PRIu64,
                     s->states, s->transitions, s->depth, t->states, t->transitions, t->depth);
    if (ranks == 1)
        c->one_rank = *s;
    tally.judged += strcmp(together->proviso, "none") != 0;
    tally.violated += truth->verdict == PORTOLAN_VIOLATED;
    return true;
}

static int search_as_rank(struct transport *transport, void *user)
{
    struct check *c = user;
    struct portolan_result together;
    struct portolan_error error = {0};
    enum portolan_status status = search_distributed(c->system, &c->options, transport, &together, &error);
    if (status == PORTOLAN_REFUSED) {
        tally.refused++;
        return 0;
    }
    bool fine = status == PORTOLAN_OK || wrong(c, "%s", error.message);
    c->is_unfinished = fine && c->how == IN_PIECES && together.stop == PORTOLAN_STATE_LIMIT;
    if (c->is_unfinished && !together.can_resume)
        fine = wrong(c, "no checkpoint was written: %s", together.checkpoint_trouble);
    if (fine && transport->rank == 0 && !c->is_unfinished)
        fine = compare(c, &together, transport->ranks);
    tally.searches++;
    if (status == PORTOLAN_OK)
        result_clear(&together);
    return fine ? 0 : 1;
}

/* Ended by limits, each time a third further, and gone on with from files. */
static bool search_in_pieces(struct check *c)
{
    char file[64];
    uint64_t piece = c->one_rank.states / 3 + 1;
    bool fine = true;
    snprintf(file, sizeof file, "/tmp/portolan-ranks-%d", (int)getpid());
    c->how = IN_PIECES;
    c->options.checkpoint = file;
    for (uint64_t limit = piece; fine && (limit == piece || c->is_unfinished); limit += piece) {
        c->options.state_limit = limit;
        fine = ranks_run(2 + random_below(&c->random, 3), search_as_rank, c) == 0;
        c->options.resume = file;
        tally.resumed += c->is_unfinished;
    }
    c->how = WHOLE;
    c->options.checkpoint = c->options.resume = NULL;
    if (fine && access(file, F_OK) == 0)
        fine = wrong(c, "a file that nobody needs is left");
    return fine;
}

static bool check_variants(struct check *c, uint64_t number)
{
    static const char *const tried[] = {"none", "stubborn", "stubborn:deletion", "stubborn:weak", "lpor", "lpor:net"};
    static const char *const judges[] = {NULL, "queue:liveness", "queue:safety"};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        for (size_t k = 0; k < sizeof judges / sizeof *judges; k++) {
            uint32_t ranks = 2 + random_below(&c->random, 3);
            if ((number + i + k) % SHARE)
                continue;
            c->options = (struct portolan_options){
                .reduction = tried[i], .proviso = judges[k], .properties = c->properties, .property_count = 1};
            c->options.all = random_chance(&c->random, 30);
            if (ranks_run(1, search_as_rank, c) != 0 || ranks_run(ranks, search_as_rank, c) != 0 ||
                !search_in_pieces(c)) {
                fprintf(stderr, "%u ranks, reduction %s, proviso %s, all %d: %s\n", ranks, tried[i],
                        judges[k] ? judges[k] : "auto", c->options.all, c->failure);
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
    if (random_chance(random, 30)) {
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
    while (formula.kind != PORTOLAN_INVARIANT && formula.kind != PORTOLAN_REACH);
    formula_text(&formula, net_of_system(system), text, FORMULA_TEXT);
    if (formula.kind == PORTOLAN_REACH)
        memmove(text + 1, text, strlen(text) + 1), text[0] = 'R';
    return system;
}

static bool check_model(const struct random_run *run, uint64_t number)
{
    struct check c = {.random = random_from(run->seed, number)};
    char text[FORMULA_TEXT + 1] = "";
    struct portolan_property *property;
    struct portolan_result alone;
    bool fine = true;
    c.system = random_system(&c.random, run->seed * 1000003 + number, text);
    enum portolan_kind kind = text[0] == 'R' ? PORTOLAN_REACH : text[0] ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK;
    const char *expression = kind == PORTOLAN_REACH ? text + 1 : text[0] ? text : NULL;
    if (!c.system || portolan_property_new(c.system, kind, expression, &property, NULL) != PORTOLAN_OK)
        return false;
    c.properties[0] = property;
    struct portolan_options full = {.reduction = "none",
                                    .all = true,
                                    .search = "bfs",
                                    .properties = c.properties,
                                    .property_count = 1,
                                    .state_limit = MOST_STATES};
    if (search_system(c.system, &full, &alone, NULL) != PORTOLAN_OK)
        return false;
    c.alone = &alone;
    if (alone.stop != PORTOLAN_STATE_LIMIT) {
        tally.models++;
        fine = check_variants(&c, number);
    }
    result_clear(&alone);
    portolan_property_free(property);
    portolan_system_free(c.system);
    if (!fine)
        fprintf(stderr, "see it again: ranks --seed %" PRIu64 " --first %" PRIu64 " --models 1\n", run->seed, number);
    return fine;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 100, .seed = 1};
    bool fine = random_run_read(&run, "--models", count, arguments);
    for (uint64_t i = 0; i < run.count && fine; i++)
        fine = check_model(&run, run.first + i);
    printf("%" PRIu64 " models, %" PRIu64 " searches, %" PRIu64 " violated, %" PRIu64 " with a proviso, %" PRIu64
           " refused, %" PRIu64 " gone on with\n",
           tally.models, tally.searches, tally.violated, tally.judged, tally.refused, tally.resumed);
    return fine && tally.searches > tally.models && tally.violated && tally.judged && tally.resumed ? 0 : 1;
}
