/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file of properties asks: questions with names, each a truth put together from properties of the model, or the
 * largest value of a number.
 */
#ifndef PROPERTY_QUESTION_H
#define PROPERTY_QUESTION_H

#include "base/arena.h"
#include "base/vector.h"
#include "portolan/portolan.h"

/* A property as portolan_property_new takes it. */
struct asked_property {
    enum portolan_kind kind;
    const char *text;
    bool is_negated; /* the question is whether it is violated */
};

enum question_operator { QUESTION_PROPERTY, QUESTION_AND, QUESTION_OR };

struct question {
    const char *name;
    const char *refusal; /* why it cannot be answered; NULL when it can */
    VECTOR(struct asked_property) asked;
    VECTOR(enum question_operator) steps; /* in postfix order; properties come in the order of `asked` */
};

struct questions {
    struct arena arena; /* of all texts */
    VECTOR(struct question) list;
};

/* Adds a question that is one property; false when memory is exhausted.  Both texts are copied, text may be NULL. */
bool questions_add(struct questions *questions, const char *name, enum portolan_kind kind, const char *text);
void question_forget(struct question *question);
void questions_clear(struct questions *questions);

/* What the answers to its properties say. */
enum portolan_verdict question_verdict(const struct question *question, const struct portolan_answer *answers);

#endif
