/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graph grammars: states, transitions and final states against a naive interpreter, up to isomorphism and
 * without; then every reduction that the grammar allows against what the naive one found, one property at a time; and
 * the same grammar converted to text.
 *
 *     random_graphs [--grammars N] [--seed S] [--first K] [--keep DIRECTORY]
 *
 * A grammar that fails is made smaller as long as it fails, and printed; --keep writes it.
 */
#include "random_frame.h"
#include "random_graph.h"

#include <unistd.h>

struct check {
    struct graph_draft draft;
    struct graph_truth truth;
    struct portolan_system *system;
    struct graph_question question;
    bool with_conditions; /* the rules that change nothing are steps */
    char failure[700];
    unsigned answers, reduced, texts; /* reduced: searches that had fewer states */
};

enum { WAY_CONDITIONS, WAY_PLAIN, WAY_GROUND, WAY_TEXT, WAYS };

static char directory[64];  /* ends with .gps */
static char text_file[100]; /* the same grammar as text */

static bool check_counts(struct check *c, const struct variant *v, const struct portolan_result *result)
{
    const struct portolan_statistics *s = &result->statistics;
    bool full = c->with_conditions;
    if (!full && s->deadlocks != c->truth.finals)
        return wrong(c, "%s, %s, %s: %" PRIu64 " final states, not %u", v->reduction, v->proviso, v->search,
                     s->deadlocks, c->truth.finals);
    if (s->states > c->truth.states)
        return wrong(c, "%s, %s, %s: %" PRIu64 " states, but there are %u", v->reduction, v->proviso, v->search,
                     s->states, c->truth.states);
    if (full && (s->states != c->truth.states || s->transitions != c->truth.transitions))
        return wrong(c, "%s: %" PRIu64 " states and %" PRIu64 " transitions, not %u and %u", v->search, s->states,
                     s->transitions, c->truth.states, c->truth.transitions);
    c->reduced += s->states < c->truth.states;
    c->answers++;
    return true;
}

static struct portolan_options limited(const struct variant *v)
{
    return (struct portolan_options){.state_limit = 100000, .time_limit = v->reduction_class ? 0 : 0.05};
}

/* The verdict on the question; every trace has been replayed by the search. */
static bool check_question(struct check *c, const struct variant *v)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    char text[60];
    enum portolan_kind kind = c->question.reach ? PORTOLAN_REACH : PORTOLAN_INVARIANT;
    if (!graph_question_fits(&c->question, &c->draft))
        return true;
    graph_question_text(&c->question, text, sizeof text);
    enum portolan_status status = ask_one(c->system, v, kind, text, limited(v), &result, &error);
    if (status == PORTOLAN_REFUSED)
        return true;
    if (status != PORTOLAN_OK)
        return wrong(c, "%s, %s, %s: %s: %s", v->reduction, v->proviso, v->search, text, error.message);
    enum portolan_verdict verdict = result.answers[0].verdict;
    result_clear(&result);
    c->answers += verdict != PORTOLAN_UNKNOWN;
    if (verdict == PORTOLAN_UNKNOWN ? v->reduction_class != NULL
                                    : (verdict == PORTOLAN_HOLDS) != graph_question_holds(&c->question, &c->truth))
        return wrong(c, "%s, %s, %s: the verdict on %s %s", v->reduction, v->proviso, v->search,
                     c->question.reach ? "reach" : "invariant", text);
    return true;
}

/* Refused combinations are no answer; anything else must be right. */
static bool check_variant(struct check *c, const struct variant *v)
{
    struct portolan_error error = {0};
    struct portolan_result result;
    struct portolan_options options = limited(v);
    options.all = true;
    enum portolan_status status = ask_one(c->system, v, PORTOLAN_NO_DEADLOCK, NULL, options, &result, &error);
    bool fine = true;
    if (status == PORTOLAN_OK && !v->reduction_class) { /* executions: only whether there is one */
        enum portolan_verdict verdict = result.answers[0].verdict;
        if (verdict != PORTOLAN_UNKNOWN && (verdict == PORTOLAN_HOLDS) != (c->truth.finals == 0))
            fine = wrong(c, "%s: the verdict on deadlocks", v->reduction);
        c->answers += verdict != PORTOLAN_UNKNOWN;
    } else if (status == PORTOLAN_OK) {
        fine = check_counts(c, v, &result);
    } else if (status != PORTOLAN_REFUSED) {
        fine = wrong(c, "%s, %s, %s: %s", v->reduction, v->proviso, v->search, error.message);
    }
    if (status == PORTOLAN_OK)
        result_clear(&result);
    return fine;
}

/* Vectors are not bounded here, so a large grammar would take long. */
enum { MOST_STATES_REDUCED = 100 };

static bool check_variants(struct check *c, uint64_t rotation)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    bool reduce = !c->with_conditions && c->truth.states <= MOST_STATES_REDUCED;
    for (uint64_t i = 0; variant_next(&cursor, false, &v); i++)
        if ((strcmp(v.reduction, "none") == 0 || (i % 6 == rotation % 6 && reduce)) &&
            (!check_variant(c, &v) || (!c->with_conditions && !check_question(c, &v))))
            return false;
    return true;
}

/* Steps with conditions, without, with a list of applications; last the same grammar as text. */
static bool check_way(struct check *c, unsigned way, uint64_t rotation)
{
    static const char *const settings[][2] = {
        {"conditions=1"}, {NULL}, {"isomorphism=off", "ground=1"}, {"conditions=1"}};
    static const size_t counts[] = {1, 0, 2, 1};
    struct portolan_error error = {0};
    if (way == WAY_TEXT) { /* which has no words for some */
        enum portolan_status converted = graph_draft_convert(directory, text_file, &error);
        if (converted != PORTOLAN_OK)
            return converted == PORTOLAN_REFUSED || wrong(c, "to text: %s", error.message);
    }
    c->with_conditions = way == WAY_CONDITIONS || way == WAY_TEXT;
    enum portolan_status status =
        portolan_open_with(way == WAY_TEXT ? text_file : directory, settings[way], counts[way], &c->system, &error);
    if (status == PORTOLAN_REFUSED && way == WAY_GROUND)
        return true;
    if (status != PORTOLAN_OK)
        return wrong(c, "%s:%u:%u: %s", error.file, error.line, error.column, error.message);
    c->texts += way == WAY_TEXT;
    bool fine = check_variants(c, rotation);
    portolan_system_free(c->system);
    return fine;
}

/* True when all is well, or the grammar is too large. */
static bool check_grammar(struct check *c, uint64_t rotation, bool *skipped)
{
    c->failure[0] = '\0';
    *skipped = !graph_draft_explore(&c->draft, &c->truth);
    if (*skipped)
        return true;
    for (unsigned i = 0; i < GRAPH_RULES; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/r%u.gpr", directory, i);
        unlink(path);
    }
    if (!graph_draft_write(&c->draft, directory))
        return wrong(c, "cannot write to %s", directory);
    for (unsigned way = 0; way < WAYS; way++)
        if (!(way == WAY_GROUND && c->draft.isomorphism) && !check_way(c, way, rotation))
            return false;
    return true;
}

static void shrink(struct check *c, uint64_t rotation)
{
    bool skipped;
    for (bool smaller = true; smaller;) {
        struct graph_draft before = c->draft, less;
        smaller = false;
        for (unsigned part = 0; graph_draft_without(&before, part, &less) && !smaller; part++) {
            if (memcmp(&less, &before, sizeof less) == 0)
                continue;
            c->draft = less;
            smaller = !check_grammar(c, rotation, &skipped);
        }
        if (!smaller)
            c->draft = before;
    }
    check_grammar(c, rotation, &skipped);
}

static void remove_directory(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%.60s'", directory);
    if (system(command) != 0)
        fprintf(stderr, "%s was not removed\n", directory);
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 300, .seed = 1};
    uint64_t checked = 0, states = 0, answers = 0, reduced = 0, iso = 0, texts = 0;
    if (!random_run_read(&run, "--grammars", count, arguments))
        return 2;
    if (!mkdtemp(strcpy(directory, "/tmp/random_graphs_XXXXXX")))
        return 2;
    char plain[64];
    strcpy(plain, directory);
    strcat(directory, ".gps");
    snprintf(text_file, sizeof text_file, "%s/grammar.gg", directory);
    if (rename(plain, directory) != 0)
        return 2;
    struct check *c = calloc(1, sizeof *c);
    for (uint64_t i = run.first; c && i < run.first + run.count; i++) {
        random_run_tell(i - run.first, run.count, i);
        struct random random = random_from(run.seed, i);
        bool skipped;
        graph_draft_random(&c->draft, &random);
        graph_question_random(&c->draft, &random, &c->question);
        c->answers = c->reduced = c->texts = 0;
        if (!check_grammar(c, i, &skipped)) {
            printf("grammar %" PRIu64 " of seed %" PRIu64 ": %s\n", i, run.seed, c->failure);
            shrink(c, i);
            printf("smaller: %s\n", c->failure);
            graph_draft_print(&c->draft);
            if (run.keep)
                graph_draft_write(&c->draft, run.keep);
            remove_directory();
            free(c);
            return 1;
        }
        checked += !skipped;
        states += skipped ? 0 : c->truth.states;
        iso += !skipped && c->draft.isomorphism;
        answers += c->answers;
        reduced += c->reduced;
        texts += c->texts;
    }
    free(c);
    remove_directory();
    printf("%" PRIu64 " grammars, %" PRIu64 " up to isomorphism, %" PRIu64 " states, %" PRIu64 " as text, %" PRIu64
           " answers, %" PRIu64 " of them with fewer states: all agree\n",
           checked, iso, states, texts, answers, reduced);
    return run.count >= 100 && (checked < run.count / 3 || !reduced);
}
