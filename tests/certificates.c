/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of certificates: random nets, every reduction x proviso.  Each claim that a search finds
 * nothing against must be true of the full graph, and its certificate accepted.  Searches that were broken on purpose
 * (no proviso, no visibility, a relation removed) write certificates too: one of a claim that is false must be
 * refused.  Formulas: what is accepted on a reduced graph must be true on the full one.
 *
 *     certificates [--nets N] [--seed S] [--first K]
 */
#include "base/diagnostic.h"
#include "base/lists.h"
#include "certify/certify.h"
#include "differential_formula.h"
#include "front/petri/system.h"
#include "ltl/automaton.h"
#include "search/search_system.h"
#include "search/variants.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIMS = 4, FORMULAS = 2, MOST_STATES = 2000 };

enum mutant { NO_PROVISO, NO_VISIBILITY, NO_DISABLER, NO_ENABLER, MUTANTS };
static const char *const mutant_name[] = {"no proviso", "no visibility", "no disabler", "no enabler"};

/* A net, what is asked of it, and the truth. */
struct sample {
    struct draft draft;
    struct random random;
    struct formula claim[CLAIMS]; /* the first is "no deadlock" */
    bool is_true[CLAIMS];         /* nothing is found against it in the full graph */
    char formula[FORMULAS][512];
    char visible[FORMULAS][512]; /* an invariant that is always true and mentions the same places */
};

static struct tally {
    uint64_t nets, accepted, fully, states, lost[MUTANTS], unwritten[MUTANTS], formulas, false_formulas, unreasoned;
} tally;

static const char *failure; /* what went wrong */
static char failure_detail[1024];

static bool wrong(const char *what, const char *detail)
{
    if (!failure) {
        failure = what;
        snprintf(failure_detail, sizeof failure_detail, "%s", detail ? detail : "");
    }
    return false;
}

static struct portolan_system *make_system(const struct draft *draft)
{
    struct portolan_system *system = NULL;
    struct net *net = draft_net(draft, "random");
    if (!net || net_system_new(net, &system, NULL) != PORTOLAN_OK)
        abort();
    return system;
}

static struct portolan_property *make_property(const struct portolan_system *system, const struct formula *formula)
{
    char text[FORMULA_TEXT];
    struct portolan_property *property;
    formula_text(formula, net_of_system(system), text, sizeof text);
    if (portolan_property_new(system, formula->kind, text, &property, NULL) != PORTOLAN_OK)
        abort();
    return property;
}

/* ------------------------------------------------------------------ searches */

struct run {
    const char *reduction, *proviso;
    struct portolan_system *system;     /* to search and write with */
    struct portolan_property *property; /* NULL: none */
};

enum found { NOTHING, SOMETHING, IMPOSSIBLE };

static enum found explore(const struct run *run, struct record *record)
{
    struct portolan_result result;
    struct portolan_options options = {.reduction = run->reduction,
                                       .proviso = run->proviso,
                                       .properties = (const struct portolan_property *const *)&run->property,
                                       .property_count = run->property != NULL,
                                       .certifiable = true,
                                       .state_limit = MOST_STATES,
                                       .callbacks = record_callbacks(record)};
    if (search_system(run->system, &options, &result, NULL) != PORTOLAN_OK)
        return IMPOSSIBLE;
    enum found found = result.stop == PORTOLAN_COMPLETE ? NOTHING : IMPOSSIBLE;
    if (run->property && result.answers[0].has_trace)
        found = SOMETHING;
    result_clear(&result);
    return found;
}

static char *write_certificate(const struct run *run, struct record *record, const char *claim,
                               struct certificate_size *size, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    record->directed = strstr(run->reduction, "goal");
    enum portolan_status status = certificate_write(run->system, record, NULL, &claim, 1, out, size, error);
    fclose(out);
    if (status == PORTOLAN_OK)
        return text;
    free(text);
    if (status != PORTOLAN_REFUSED)
        abort();
    return NULL;
}

/* With a fresh system: its layout has to widen anew. */
static enum portolan_status check_text(const struct draft *draft, char *text, struct portolan_error *error)
{
    struct portolan_system *system = make_system(draft);
    struct certificate_report report;
    FILE *in = fmemopen(text, strlen(text), "r");
    if (!in)
        abort();
    enum portolan_status status = certificate_check(system, "certificate", in, &report, error);
    if (status == PORTOLAN_OK)
        certificate_report_clear(&report);
    fclose(in);
    portolan_system_free(system);
    return status;
}

/* -------------------------------------------------------------- what is right */

static bool check_accepted(struct sample *s, const struct run *run, uint32_t which)
{
    struct record record = {0};
    struct portolan_error error = {0};
    struct certificate_size size;
    enum found found = explore(run, &record);
    bool fine = true;
    if (found != IMPOSSIBLE && (found == NOTHING) != s->is_true[which])
        fine = wrong("a verdict is wrong", portolan_property_text(run->property));
    if (fine && found == NOTHING) {
        char *claim = certificate_claim(run->property);
        char *text = write_certificate(run, &record, claim, &size, &error);
        if (!text)
            fine = wrong("an exploration cannot be certified", error.message);
        else if (check_text(&s->draft, text, &error) != PORTOLAN_OK)
            fine = wrong("a certificate is refused", error.message);
        tally.accepted++;
        tally.states += size.states;
        tally.fully += size.fully;
        free(claim);
        free(text);
    }
    record_clear(&record);
    if (!fine)
        fprintf(stderr, "reduction %s, proviso %s, %s\n", run->reduction, run->proviso,
                portolan_property_text(run->property));
    return fine;
}

static bool find_truth(struct sample *s)
{
    for (uint32_t i = 0; i < CLAIMS; i++) {
        struct record record = {0};
        struct run run = {.reduction = "none", .proviso = "none", .system = make_system(&s->draft)};
        run.property = make_property(run.system, &s->claim[i]);
        enum found found = explore(&run, &record);
        s->is_true[i] = found == NOTHING;
        record_clear(&record);
        portolan_property_free(run.property);
        portolan_system_free(run.system);
        if (found == IMPOSSIBLE)
            return false;
    }
    return true;
}

static bool check_variant(struct sample *s, const struct variant *v, uint32_t which)
{
    struct run run = {.reduction = v->reduction, .proviso = v->proviso, .system = make_system(&s->draft)};
    run.property = make_property(run.system, &s->claim[which]);
    bool fine = check_accepted(s, &run, which);
    portolan_property_free(run.property);
    portolan_system_free(run.system);
    return fine;
}

/* A third of all variants that explore states, another one with each net. */
static bool check_right(struct sample *s, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    while (variant_next(&cursor, false, &v)) {
        if (!v.reduction_class || v.reduction_class->has_search || number++ % 3)
            continue;
        if (!check_variant(s, &v, 0) || !check_variant(s, &v, 1 + random_below(&s->random, CLAIMS - 1)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------- mutants */

/* The same lists without one of their items. */
static struct portolan_lists without_one(const struct portolan_lists *lists, uint32_t count, struct random *random)
{
    struct lists_builder builder = {0};
    struct portolan_lists less = {0};
    uint32_t items = lists->offset[count], left_out = items ? random_below(random, items) : 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        for_list (item, *lists, i)
            if (at++ != left_out)
                lists_add(&builder, i, *item);
    if (!lists_finish(&builder, count, &less))
        abort();
    return less;
}

static struct portolan_lists empty_lists(uint32_t count)
{
    struct lists_builder builder = {0};
    struct portolan_lists lists = {0};
    if (!lists_finish(&builder, count, &lists))
        abort();
    return lists;
}

/* Says of a certificate without ranks that it proves an invariant, with ranks that fall along new edges. */
static char *forge(const char *text, const char *claim)
{
    char *forged = NULL;
    size_t length;
    FILE *out = open_memstream(&forged, &length);
    for (const char *line = text; out && *line;) {
        size_t size = strcspn(line, "\n") + 1, digits = line[0] == 's' ? strspn(line + 1, "0123456789") : 0;
        if (strncmp(line, "claim ", 6) == 0)
            fprintf(out, "claim %s\n", claim);
        else if (strncmp(line, "cycles ", 7) == 0)
            fprintf(out, "cycles safety\n");
        else if (digits)
            fprintf(out, "%.*s r%ld%.*s", (int)digits + 1, line, 1000000 - atol(line + 1), (int)(size - digits - 1),
                    line + digits + 1);
        else
            fwrite(line, 1, size, out);
        line += size;
    }
    if (!out || fclose(out) != 0)
        abort();
    return forged;
}

/* Nothing was found against a false claim: then the certificate must not be accepted. */
static bool check_lost(struct sample *s, enum mutant mutant, char *text, const char *claim)
{
    struct portolan_error error = {0};
    enum portolan_status status = text ? check_text(&s->draft, text, &error) : PORTOLAN_REFUSED;
    if (status != PORTOLAN_REFUSED)
        return wrong("a false claim is certified", claim);
    tally.lost[mutant] += !strstr(error.message, "is false in state"); /* else it was there to be seen */
    tally.unwritten[mutant] += !text;
    return true;
}

/* Explores by any stubborn sets, and claims something that needs more. */
static bool check_without_proviso(struct sample *s, uint32_t which)
{
    struct record record = {0};
    struct certificate_size size;
    struct portolan_error error;
    struct run run = {.reduction = "stubborn:strong", .proviso = "none", .system = make_system(&s->draft)};
    struct portolan_property *property = make_property(run.system, &s->claim[which]);
    char *claim = certificate_claim(property);
    bool fine = true;
    if (!s->is_true[which] && explore(&run, &record) == NOTHING) {
        /* no deadlock need be there for the certificate to be written: the checker is to find out */
        char *text = write_certificate(&run, &record, "no deadlock", &size, &error);
        char *forged = text ? forge(text, claim) : NULL;
        fine = check_lost(s, NO_PROVISO, forged, claim);
        free(text);
        free(forged);
    }
    record_clear(&record);
    free(claim);
    portolan_property_free(property);
    portolan_system_free(run.system);
    return fine;
}

static bool check_mutant(struct sample *s, enum mutant mutant, uint32_t which, bool directed)
{
    struct record record = {0};
    struct certificate_size size;
    struct portolan_error error;
    struct portolan_system *system = make_system(&s->draft), broken = *system;
    struct portolan_relations relations = *system->relations;
    struct portolan_lists less = {0};
    broken.relations = &relations;
    if (mutant == NO_VISIBILITY)
        broken.changers = less = empty_lists(system->variables);
    else if (mutant == NO_DISABLER)
        relations.disablers = less = without_one(&relations.disablers, relations.guards, &s->random);
    else
        relations.enablers = less = without_one(&relations.enablers, relations.guards, &s->random);
    struct run run = {.reduction = mutant == NO_VISIBILITY || which ? "stubborn:strong" : "stubborn",
                      .proviso = which ? "safe" : "none",
                      .system = &broken};
    if (directed) {
        run.reduction = "stubborn:goal";
        run.proviso = random_below(&s->random, 2) ? "scc" : "none";
    }
    run.property = make_property(&broken, &s->claim[which]);
    bool fine = true;
    if (!s->is_true[which] && explore(&run, &record) == NOTHING) {
        char *claim = certificate_claim(run.property), *text = write_certificate(&run, &record, claim, &size, &error);
        fine = check_lost(s, mutant, text, claim);
        free(claim);
        free(text);
    }
    record_clear(&record);
    portolan_property_free(run.property);
    lists_clear(&less);
    broken.relations = system->relations;
    portolan_system_free(system);
    return fine;
}

static bool check_mutants(struct sample *s)
{
    for (uint32_t which = 0; which < CLAIMS; which++) {
        if (which && !check_without_proviso(s, which))
            return false;
        for (int mutant = NO_VISIBILITY; mutant < MUTANTS && !s->is_true[which]; mutant++)
            for (int time = 0; time < 3; time++)
                if (!check_mutant(s, mutant, which, false) || (which && !check_mutant(s, mutant, which, true)))
                    return false;
    }
    return true;
}

/* ------------------------------------------------------------------ formulas */

/* The verdict of the checker on the graph of a search; IMPOSSIBLE when there is no certificate. */
static enum found judge_formula(struct sample *s, uint32_t which, const char *reduction, const char *proviso)
{
    struct record record = {0};
    struct certificate_size size;
    struct portolan_error error = {0};
    char claim[600];
    struct run run = {.reduction = reduction, .proviso = proviso, .system = make_system(&s->draft)};
    enum found found = IMPOSSIBLE;
    snprintf(claim, sizeof claim, "ltl %s", s->formula[which]);
    if (portolan_property_new(run.system, PORTOLAN_INVARIANT, s->visible[which], &run.property, NULL) != PORTOLAN_OK)
        abort();
    if (explore(&run, &record) == NOTHING) {
        char *text = write_certificate(&run, &record, claim, &size, &error);
        tally.unreasoned += !text;
        enum portolan_status status = text ? check_text(&s->draft, text, &error) : PORTOLAN_OK;
        if (status != PORTOLAN_OK && !strstr(error.message, "is false: a cycle"))
            wrong("a certificate of a formula is refused", error.message);
        if (text)
            found = status == PORTOLAN_OK ? NOTHING : SOMETHING;
        free(text);
    }
    record_clear(&record);
    portolan_property_free(run.property);
    portolan_system_free(run.system);
    return found;
}

/* The full graph as a search tells it, with what is true in each state. */
struct told {
    const struct portolan_system *system;
    const struct ltl *ltl;
    struct record record;
    VECTOR(uint64_t) letters;
    VECTOR(bool) ends;
};

static void told_state(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct told *told = user;
    (void)fully;
    if (state != told->letters.count || /* breadth-first: in the order of their numbers */
        !vector_push(&told->letters, ltl_valuation(told->ltl, told->system, bytes, enabled == 0, NULL)) ||
        !vector_push(&told->ends, enabled == 0))
        abort();
}

static void told_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct told *told = user;
    struct record_edge edge = {from, action, to};
    if (!vector_push(&told->record.edges, edge))
        abort();
}

/* Whether the product of the graph with the automaton is empty, as the library of automata says. */
static bool product_is_empty(struct told *told, const struct automaton *automaton)
{
    struct automaton_edges edges = {0};
    uint32_t n = automaton->states, states = (uint32_t)told->letters.count;
    for (uint32_t s = 0; s < states; s++)
        if (told->ends.item[s])
            told_edge(told, s, 0, s);
    for (size_t i = 0; i < told->record.edges.count; i++)
        for (uint32_t q = 0; q < n; q++)
            for_edges(e, automaton, q)
            {
                const struct record_edge *edge = &told->record.edges.item[i];
                struct automaton_edge step = {
                    .source = edge->from * n + q, .target = edge->to * n + e->target, .acceptance = e->acceptance};
                if (automaton_edge_takes(e, told->letters.item[edge->from]))
                    edges_add(&edges, step);
            }
    bool empty;
    struct automaton *product = automaton_new(states * n, automaton->initial, automaton->sets, NULL);
    if (!product || !automaton_set_edges(product, &edges) || !automaton_is_empty(product, &empty))
        abort();
    automaton_free(product);
    return empty;
}

/* The truth of a formula without any certificate. */
static enum found find_formula(struct sample *s, uint32_t which)
{
    struct ltl ltl;
    uint32_t formula;
    struct automaton *automaton;
    struct portolan_result result;
    struct portolan_system *system = make_system(&s->draft);
    struct told told = {.system = system, .ltl = &ltl};
    struct portolan_options options = {.reduction = "none",
                                       .search = "bfs",
                                       .state_limit = MOST_STATES,
                                       .callbacks = {.user = &told, .expanded = told_state, .edge = told_edge}};
    if (!ltl_init(&ltl) || ltl_parse(&ltl, system, "formula", s->formula[which], &formula, NULL) != PORTOLAN_OK ||
        automaton_of_formula(&ltl, formula, &(struct automaton_options){.negated = true}, &automaton, NULL) !=
            PORTOLAN_OK ||
        search_system(system, &options, &result, NULL) != PORTOLAN_OK)
        abort();
    bool complete = result.stop == PORTOLAN_COMPLETE, empty = complete && product_is_empty(&told, automaton);
    result_clear(&result);
    automaton_free(automaton);
    ltl_clear(&ltl);
    record_clear(&told.record);
    free(told.letters.item);
    free(told.ends.item);
    portolan_system_free(system);
    return !complete ? IMPOSSIBLE : empty ? NOTHING : SOMETHING;
}

static bool judge_variant(struct sample *s, uint32_t which, const struct variant *v, enum found full)
{
    enum found reduced = judge_formula(s, which, v->reduction, v->proviso);
    tally.formulas += reduced != IMPOSSIBLE;
    tally.false_formulas += reduced == SOMETHING;
    if (reduced != IMPOSSIBLE && full != IMPOSSIBLE && reduced != full)
        return wrong("a formula differs from the full graph", s->formula[which]);
    return !failure;
}

/* In full, and by a few of the variants that keep runs. */
static bool check_formulas(struct sample *s)
{
    enum { ONE_IN = 16 };
    for (uint32_t i = 0; i < FORMULAS; i++) {
        struct variant_cursor cursor = {0};
        struct variant v;
        enum found full = find_formula(s, i);
        if (judge_formula(s, i, "none", "none") != full)
            return wrong("the checker is wrong about a formula", s->formula[i]);
        while (variant_next(&cursor, false, &v))
            if (v.reduction_class && v.reduction_class->reduces && v.proviso_class->form == PROVISO_LIVENESS &&
                random_below(&s->random, ONE_IN) == 0 && !judge_variant(s, i, &v, full))
                return false;
    }
    return !failure;
}

static void draw_formula(struct sample *s, uint32_t which)
{
    static const char *const frames[] = {
        "G(%s -> F %s)", "GF %s",          "FG %s",          "F(%s && G %s)", "%s U %s",          "GF %s -> GF %s",
        "G(%s W %s)",    "G(!(%s) || %s)", "FG %s || GF %s", "F %s -> F(%s)", "FG %s || FG !(%s)"};
    char a[64], b[64];
    uint32_t p = random_below(&s->random, s->draft.places), q = random_below(&s->random, s->draft.places);
    snprintf(a, sizeof a, "(p%u >= %u)", p, 1 + random_below(&s->random, 2));
    snprintf(b, sizeof b, "(p%u = %u)", q, random_below(&s->random, 2));
    const char *frame = frames[random_below(&s->random, sizeof frames / sizeof *frames)];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(s->formula[which], sizeof s->formula[which], frame, a, b);
#pragma GCC diagnostic pop
    snprintf(s->visible[which], sizeof s->visible[which], "(%s || !%s) && (%s || !%s)", a, a, b, b);
}

/* ----------------------------------------------------------------- the whole */

static bool check_sample(uint64_t seed, uint64_t number)
{
    struct sample s = {.random = random_from(seed, number)};
    draft_random(&s.draft, &s.random);
    if (!s.draft.places || !s.draft.transitions)
        return true;
    s.claim[0].kind = PORTOLAN_NO_DEADLOCK;
    for (uint32_t i = 1; i < CLAIMS; i++)
        formula_random(&s.claim[i], &s.random, s.draft.places, s.draft.transitions);
    for (uint32_t i = 0; i < FORMULAS; i++)
        draw_formula(&s, i);
    if (!find_truth(&s))
        return true; /* too large, or unbounded */
    tally.nets++;
    return check_right(&s, number) && check_mutants(&s) && check_formulas(&s);
}

static bool is_blind(void)
{
    bool blind = false;
    for (int m = 0; m < MUTANTS; m++) {
        printf("  %s: %" PRIu64 " false claims, all refused, %" PRIu64 " by the writer\n", mutant_name[m],
               tally.lost[m], tally.unwritten[m]);
        blind |= tally.lost[m] == 0;
    }
    return blind || tally.fully == tally.states || tally.false_formulas == 0;
}

int main(int count, char **arguments)
{
    uint64_t nets = 200, seed = 1, first = 0;
    mallopt(M_MMAP_THRESHOLD, 1 << 28); /* each search allocates a large chunk: keep them in the heap */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    for (int i = 1; i + 1 < count; i += 2) {
        uint64_t value = strtoull(arguments[i + 1], NULL, 10);
        if (strcmp(arguments[i], "--nets") == 0)
            nets = value;
        else if (strcmp(arguments[i], "--seed") == 0)
            seed = value;
        else if (strcmp(arguments[i], "--first") == 0)
            first = value;
    }
    for (uint64_t i = first; i < first + nets; i++)
        if (!check_sample(seed, i)) {
            fprintf(stderr, "net %" PRIu64 " of seed %" PRIu64 ": %s: %s\n", i, seed, failure, failure_detail);
            return 1;
        }
    printf("certificates: %" PRIu64 " nets, %" PRIu64 " certificates accepted (%" PRIu64 " states, %" PRIu64
           " fully expanded), %" PRIu64 " of formulas judged, %" PRIu64 " of them false, %" PRIu64 " without reason\n",
           tally.nets, tally.accepted, tally.states, tally.fully, tally.formulas, tally.false_formulas,
           tally.unreasoned);
    if (is_blind() && nets >= 400) {
        fprintf(stderr, "nothing was lost by one of the mutants: the test is blind\n");
        return 1;
    }
    return 0;
}
