/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural simplification: a net and what is asked of it become a smaller net with the same answer, and the recipes
 * that turn a run of the smaller net into one of the original.
 */
#ifndef SIMPLIFY_SIMPLIFY_H
#define SIMPLIFY_SIMPLIFY_H

#include "simplify/recipe.h"

#include <stdio.h>

/* What has to stay as it is. */
struct simplify_question {
    bool *observed; /* per place: how many tokens it has; the reachable combinations of these stay the same */
    bool *named;    /* per transition: it stays, with the tests that it has */
    bool deadlocks; /* whether a marking can be reached in which nothing is enabled */
    double thought; /* seconds for rules that take long; 0: they are not used */
    bool exact;     /* every run and every deadlock, as far as places are observed */
    FILE *proof;    /* gets each step as a certificate has it (docs/certificates.md); NULL: nobody wants it */
};

enum simplify_rule {
    RULE_DEAD,
    RULE_CONSTANT,
    RULE_UNTESTED,
    RULE_PARALLEL,
    RULE_IMPLIED,
    RULE_DOMINATED,
    RULE_IDLE,
    RULE_IRRELEVANT,
    RULE_SOURCE,
    RULE_POST,
    RULE_PRE,
    RULE_FREE,
    SIMPLIFY_RULES
};

/* "dead transition": one of what the rule removes */
extern const char *const simplify_rule_words[SIMPLIFY_RULES];

struct simplification {
    struct net *net;  /* the smaller one */
    uint32_t *place;  /* of the original net, for each of its places */
    uint32_t *recipe; /* of each of its transitions */
    struct recipes recipes;
    uint32_t fired[SIMPLIFY_RULES]; /* how often each rule was used */
};

/* False when memory or time is exhausted; there is nothing to clear then. */
bool simplify_net(const struct net *net, const struct simplify_question *question, struct simplification *result);
void simplification_clear(struct simplification *simplification);

/* The run of the original net for one of the smaller net; see recipes_expand. */
bool simplification_expand(const struct simplification *simplification, const struct net *original, const uint32_t *run,
                           size_t length, bool to_dead_end, struct firing_sequence *out);

#endif
