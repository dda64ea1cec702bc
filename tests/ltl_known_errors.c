/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ways in which on-the-fly reduction is known to go wrong, each shown to be real on the textbook's algorithm and
 * then asked of the engine.  Automata as bad as these come from files; a reduction is forced upon them by claiming that
 * they do not mind repeated states.
 */
#include "ltl_textbook.h"
#include "random_net.h"

#include "front/petri/system.h"
#include "search/search_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const liveness[] = {"stack", "color", "color-star", "queue", "scc:liveness"};
static const char *const reduced[] = {"stubborn:strong", "stubborn:closure", "lpor"};

static struct portolan_system *system_of(const struct draft *draft)
{
    struct portolan_system *system = NULL;
    struct net *net = draft_net(draft, "net");
    if (!net || net_system_new(net, &system, NULL) != PORTOLAN_OK)
        abort();
    return system;
}

/* The property that no run is accepted by an automaton in HOA text. */
static struct portolan_property *property_of(const struct portolan_system *system, const char *hoa)
{
    char path[] = "/tmp/portolan-test-XXXXXX";
    struct portolan_property *property = NULL;
    struct portolan_error error;
    int file = mkstemp(path);
    if (file < 0 || write(file, hoa, strlen(hoa)) != (ssize_t)strlen(hoa) || close(file) != 0)
        abort();
    if (portolan_property_new(system, PORTOLAN_AUTOMATON, path, &property, &error) != PORTOLAN_OK) {
        printf("%s\n", error.message);
        abort();
    }
    unlink(path);
    property->ltl->stutter_invariant = LTL_YES;
    return property;
}

static bool violated(struct portolan_system *system, const struct portolan_property *property, const char *reduction,
                     const char *proviso, const char *search)
{
    struct portolan_options options = {
        .reduction = reduction, .proviso = proviso, .search = search, .properties = &property, .property_count = 1};
    struct portolan_result result;
    struct portolan_error error;
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK) {
        printf("%s\n", error.message);
        abort();
    }
    bool is_violated = result.answers[0].verdict == PORTOLAN_VIOLATED;
    result_clear(&result);
    return is_violated;
}

/* ----------------------------------------------------- sets that belong to nodes */

/*
 * The automaton accepts what makes p2 true at some time: but it guesses whether that time is odd or even, and keeps
 * count. The loop t0 beside the step t1 is a cycle of the program with one state, of the product with two nodes, and
 * the proviso expands the one that is met later.  In each of the two branches that is the one in which the step comes
 * at the wrong time (after Siegel, "What's wrong with on-the-fly partial order reduction", CAV 2019).
 */
static const char guesses[] = "HOA: v1\nStates: 7\nStart: 0\nAP: 1 \"p2 >= 1\"\nacc-name: Buchi\n"
                              "Acceptance: 1 Inf(0)\n--BODY--\n"
                              "State: 0\n[!0] 1\n[!0] 3\n[0] 6\n"
                              "State: 1\n[!0] 2\n"        /* odd times */
                              "State: 2\n[!0] 1\n[0] 6\n" /* even times: now */
                              "State: 3\n[!0] 4\n[0] 6\n" /* the first time */
                              "State: 4\n[!0] 5\n"        /* even times */
                              "State: 5\n[!0] 4\n[0] 6\n" /* odd times: now */
                              "State: 6\n[t] 6 {0}\n--END--\n";

static bool check_product_sets(void)
{
    struct draft draft = {.places = 3, .transitions = 2, .tokens = {1, 1, 0}};
    draft.arc[0][0] = (struct draft_arc){.consume = 1, .produce = 1};
    draft.arc[1][1].consume = 1;
    draft.arc[1][2].produce = 1;
    struct portolan_system *system = system_of(&draft);
    struct portolan_property *property = property_of(system, guesses);
    bool fine = true;
    if (textbook_violated(system, property, TEXTBOOK_PRODUCT)) {
        printf("sets that belong to nodes: the textbook finds the counterexample\n");
        fine = false;
    }
    for (size_t r = 0; r < 3; r++)
        for (size_t p = 0; p < 5; p++)
            for (size_t s = 0; s < 2; s++)
                if (!violated(system, property, reduced[r], liveness[p], s ? "scc" : "ndfs")) {
                    printf("sets that belong to nodes: missed with %s and %s\n", reduced[r], liveness[p]);
                    fine = false;
                }
    portolan_property_free(property);
    portolan_system_free(system);
    return fine;
}

/* ----------------------------------------------- sets that the inner search chooses */

/* A ring with chords beside a switch that goes on and off: t0 and t1 are the switch, on places p0 and p1. */
static void draw_net(struct draft *draft, struct random *random)
{
    memset(draft, 0, sizeof *draft);
    uint32_t ring = 2 + random_below(random, 3);
    draft->places = 2 + ring;
    draft->transitions = 2 + ring + random_below(random, 3);
    draft->tokens[0] = draft->tokens[2] = 1;
    draft->arc[0][0].consume = draft->arc[0][1].produce = 1;
    draft->arc[1][1].consume = draft->arc[1][0].produce = 1;
    for (uint32_t t = 2; t < draft->transitions; t++) {
        uint32_t from = t - 2 < ring ? t - 2 : random_below(random, ring);
        draft->arc[t][2 + from].consume = 1;
        draft->arc[t][2 + random_below(random, ring)].produce = 1;
    }
}

static void draw_automaton(char *hoa, size_t size, struct random *random)
{
    uint32_t states = 2 + random_below(random, 4);
    int used = snprintf(
        hoa, size,
        "HOA: v1\nStates: %u\nStart: 0\nAP: 1 \"p1 >= 1\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n", states);
    for (uint32_t s = 0; s < states; s++) {
        used += snprintf(hoa + used, size - (size_t)used, "State: %u\n", s);
        for (uint32_t e = 0; e < 2; e++)
            used += snprintf(hoa + used, size - (size_t)used, "[%s] %u%s\n",
                             random_chance(random, 45)   ? "0"
                             : random_chance(random, 80) ? "!0"
                                                         : "t",
                             random_below(random, states), random_chance(random, 20) ? " {0}" : "");
    }
    snprintf(hoa + used, size - (size_t)used, "--END--\n");
}

/* On the same graph, whatever it is worth, both searches must find the same. */
static bool searches_agree(struct portolan_system *system, const struct portolan_property *property)
{
    for (size_t r = 0; r < 3; r++)
        for (size_t p = 0; p < 5; p++) {
            if (violated(system, property, reduced[r], liveness[p], "scc") !=
                violated(system, property, reduced[r], liveness[p], "ndfs")) {
                printf("sets of the inner search: ndfs and scc differ with %s and %s\n", reduced[r], liveness[p]);
                return false;
            }
        }
    return violated(system, property, "none", "auto", "scc") == violated(system, property, "none", "auto", "ndfs");
}

/*
 * A switch beside a loop.  The outer search meets the two nodes of the loop in one order and expands the second; the
 * inner one, which starts elsewhere, meets them in the other and expands the first.  So it does not see the edge by
 * which the outer search came (after Holzmann, Peled, Yannakakis, "On nested depth first search", 1996).
 */
static const char three_states[] = "HOA: v1\nStates: 3\nStart: 0\nAP: 1 \"p1 >= 1\"\nacc-name: Buchi\n"
                                   "Acceptance: 1 Inf(0)\n--BODY--\nState: 0\n[!0] 2 {0}\n[t] 1\n"
                                   "State: 1\n[t] 2\nState: 2\n[t] 1\n[0] 0\n--END--\n";

static bool check_nested_sets(void)
{
    struct draft draft = {.places = 3, .transitions = 3, .tokens = {1, 0, 1}};
    draft.arc[0][0].consume = draft.arc[0][1].produce = 1;
    draft.arc[1][1].consume = draft.arc[1][0].produce = 1;
    draft.arc[2][2] = (struct draft_arc){.consume = 1, .produce = 1};
    struct portolan_system *system = system_of(&draft);
    struct portolan_property *property = property_of(system, three_states);
    bool fine = searches_agree(system, property);
    if (!textbook_violated(system, property, TEXTBOOK_PRODUCT) ||
        textbook_violated(system, property, TEXTBOOK_NESTED)) {
        printf("sets of the inner search: the textbook does not lose the cycle\n");
        fine = false;
    }
    portolan_property_free(property);
    portolan_system_free(system);
    return fine;
}

static bool check_random_automata(uint64_t trials)
{
    bool fine = true;
    for (uint64_t i = 0; i < trials && fine; i++) {
        struct random random = random_from(1, i);
        struct draft draft;
        char hoa[2048];
        draw_net(&draft, &random);
        draw_automaton(hoa, sizeof hoa, &random);
        struct portolan_system *system = system_of(&draft);
        struct portolan_property *property = property_of(system, hoa);
        fine = searches_agree(system, property);
        portolan_property_free(property);
        portolan_system_free(system);
    }
    return fine;
}

int main(void)
{
    bool fine = check_product_sets();
    fine = check_nested_sets() && fine;
    fine = check_random_automata(60) && fine;
    printf("ltl_known_errors: %s\n", fine ? "passed" : "FAILED");
    return fine ? 0 : 1;
}
