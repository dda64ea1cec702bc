/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about random grammars, and their answers by looking at all states that the naive interpreter found. */
#include "random_graph.h"

#include <stdio.h>

static const char *const label_names[GRAPH_LABELS] = {"a", "b", "c", "p", "q"};

void graph_question_random(const struct graph_draft *draft, struct random *random, struct graph_question *question)
{
    *question = (struct graph_question){.reach = random_chance(random, 40)};
    if (random_chance(random, 35) || draft->edges == 0) {
        question->subject = random_chance(random, 30) ? 0 : GRAPH_LABELS + 1;
        question->rule = (uint8_t)random_below(random, draft->rules);
        question->bound = question->subject ? random_below(random, 2) : draft->nodes + random_below(random, 2);
        return;
    }
    if (draft->typed && random_chance(random, 30)) {
        question->subject = (uint8_t)(GRAPH_LABELS + 2 + random_below(random, 2));
        question->bound = draft->nodes - random_below(random, 2);
        return;
    }
    const struct draft_edge *edge = &draft->edge[random_below(random, draft->edges)]; /* so that the label is known */
    question->subject = (uint8_t)(1 + edge->label);
    for (unsigned i = 0; i < draft->edges; i++)
        question->bound += draft->edge[i].label == edge->label;
    if (question->bound && random_chance(random, 50))
        question->bound--;
}

bool graph_question_fits(const struct graph_question *question, const struct graph_draft *draft)
{
    if (question->subject == 0 || question->subject > GRAPH_LABELS)
        return question->rule < draft->rules && (question->subject <= GRAPH_LABELS + 1 || draft->typed);
    for (unsigned i = 0; i < draft->edges; i++)
        if (draft->edge[i].label == question->subject - 1)
            return true;
    return false;
}

void graph_question_text(const struct graph_question *question, char *text, size_t size)
{
    if (question->subject == 0)
        snprintf(text, size, "nodes <= %u", question->bound);
    else if (question->subject <= GRAPH_LABELS)
        snprintf(text, size, "\"edges(%s)\" <= %u", label_names[question->subject - 1], question->bound);
    else if (question->subject > GRAPH_LABELS + 1)
        snprintf(text, size, "\"nodes(%s)\" <= %u", question->subject == GRAPH_LABELS + 2 ? "T" : "A", question->bound);
    else
        snprintf(text, size, "%s\"applies(r%u)\"", question->bound ? "" : "!", question->rule);
}

static bool is_true_of(const struct graph_question *question, const struct graph_facts *facts)
{
    if (question->subject == 0)
        return facts->nodes <= question->bound;
    if (question->subject <= GRAPH_LABELS)
        return facts->edges[question->subject - 1] <= question->bound;
    if (question->subject == GRAPH_LABELS + 2) /* every node is a T */
        return facts->nodes <= question->bound;
    if (question->subject == GRAPH_LABELS + 3)
        return facts->edges[GRAPH_LABELS + 1] <= question->bound;
    return facts->applies[question->rule] == (bool)question->bound;
}

/* An invariant is true of all states, what is reached of one. */
bool graph_question_holds(const struct graph_question *question, const struct graph_truth *truth)
{
    unsigned count = 0;
    for (unsigned i = 0; i < truth->states; i++)
        count += is_true_of(question, &truth->facts[i]);
    return question->reach ? count > 0 : count == truth->states;
}
