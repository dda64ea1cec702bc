/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching costs what a step changes: the matches of a graph are those of the graph before it that the step has not
 * touched, and those that use something new, or that something which is gone forbade (Bergmann, Horváth, Ráth and
 * Varró, "A benchmark evaluation of incremental pattern matching in graph transformation", ICGT 2008, compare the
 * ways).
 *
 * When a step leads to a new graph, what it inherits is left there: the matches that survive, and what was removed and
 * added, in the names of the new graph.  It is taken when the graph is expanded; without it all is matched anew.  Rules
 * with quantifiers, paths, wildcards or arithmetic are always matched anew.
 */
#ifndef GRAPH_INHERIT_H
#define GRAPH_INHERIT_H

#include "graph/match.h"

struct engine;
struct heritage; /* what was left at a graph */

struct inheritance {
    struct sequences matches;       /* rule, images of its nodes */
    numbers action;                 /* of a match */
    numbers round;                  /* the last list that has it */
    numbers list;                   /* the matches of a graph, by rule in the order of engine.by_priority */
    uint32_t graph;                 /* whose list that is; NO_NUMBER: of none, or not all */
    VECTOR(struct heritage *) left; /* by graph; NULL: nothing */
    size_t bytes;                   /* of all of it */
    numbers given, scratch;
};

void inheritance_clear(struct inheritance *inheritance);
/* Finds out what a rule looks at, and whether its matches can be inherited; false when memory is exhausted. */
bool inheritance_prepare(const struct grammar *grammar, struct program *program);

/* (locked) Begins an empty list. */
void inheritance_begin(struct engine *engine);
/* (locked) Notes the match in matcher.root, whose action is known; false when memory is exhausted. */
bool inheritance_note(struct engine *engine, uint32_t action);
/* (locked) Leaves what a new graph inherits from the one whose list is known; the step is in engine.effect. */
void inheritance_leave(struct engine *engine, uint32_t graph);
/* (locked) What was left there, which is then the caller's to free; NULL: nothing. */
struct heritage *inheritance_take(struct engine *engine, uint32_t graph);
/* (locked) The matches of a rule in the present graph, by what it inherits; false when memory is exhausted. */
bool inheritance_match(struct engine *engine, const struct program *program, const struct heritage *heritage);

#endif
