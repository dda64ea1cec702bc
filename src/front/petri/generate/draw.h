/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing a net in words.  Places are found by their names, in which {i} stands for the value of the letter i, and
 * {i+1} or {i-1} for its neighbours:
 *
 *     DRAW_EACH (d, i, 1, n) {
 *         draw_unit(d, "idle_{i}=1 waits_{i} busy_{i}");
 *         draw_step(d, "take_{i}: waits_{i} fork_{i} -> busy_{i}");
 *     }
 *
 * What fails is remembered and surfaces in draw_finish, so nothing is returned here.
 */
#ifndef FRONT_PETRI_GENERATE_DRAW_H
#define FRONT_PETRI_GENERATE_DRAW_H

#include "base/names.h"
#include "front/petri/net.h"

enum { DRAW_LETTERS = 26, DRAW_TEXT_BYTES = 512 };

struct drawing {
    struct net_builder *builder;
    struct names places;
    long value[DRAW_LETTERS];
    const char *word[DRAW_LETTERS]; /* what a letter stands for when it is no number, or NULL */
    char text[DRAW_TEXT_BYTES];     /* the last one drawn, with the values in it */
    bool failed;                    /* memory ran out, a name is not that of a place, or a text is too long */
};

bool draw_begin(struct drawing *d, const char *name);
/* The net, or NULL when something failed. */
struct net *draw_finish(struct drawing *d);

/* What {letter} stands for from here on.  A word must outlive its use. */
bool draw_let(struct drawing *d, char letter, long value);
void draw_let_word(struct drawing *d, char letter, const char *word);
#define DRAW_EACH(d, letter, first, last)                                                                              \
    for (long letter = (first); draw_let(d, #letter[0], letter) && letter <= (last); letter++)

/* Places "name" or "name=tokens", in a row. */
void draw_places(struct drawing *d, const char *text);
/* The same; they form a unit. */
void draw_unit(struct drawing *d, const char *text);
/* The places from number `first` on form a unit; names_count(&d->places) is the number of the next place. */
void draw_unit_from(struct drawing *d, uint32_t first);
/* A variable as a unit of places NAME_is_0, which is marked, ... NAME_is_LARGEST. */
void draw_variable(struct drawing *d, const char *name, long largest);

/*
 * A transition "name: a b -> c test e unless f": it takes a token of a and b, puts one on c, needs one on e and none on
 * f.  "a*3" stands for three tokens.  A place that is first, or second ..., on both sides of the arrow is only tested.
 */
uint32_t draw_step(struct drawing *d, const char *text);
/* More arcs of a transition, as behind the colon. */
void draw_arcs(struct drawing *d, uint32_t transition, const char *text);

#endif
