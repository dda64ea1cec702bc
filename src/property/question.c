/* SPDX-License-Identifier: Apache-2.0 */
#include "property/question.h"

#include <string.h>

bool questions_add(struct questions *questions, const char *name, enum portolan_kind kind, const char *text)
{
    struct question question = {.name = arena_copy(&questions->arena, name, strlen(name))};
    struct asked_property asked = {.kind = kind};
    asked.text = text ? arena_copy(&questions->arena, text, strlen(text)) : NULL;
    if (question.name && !text == !asked.text && vector_push(&question.asked, asked) &&
        vector_push(&question.steps, QUESTION_PROPERTY) && vector_push(&questions->list, question))
        return true;
    free(question.asked.item);
    free(question.steps.item);
    return false;
}

void question_forget(struct question *question)
{
    free(question->asked.item);
    free(question->steps.item);
}

void questions_clear(struct questions *questions)
{
    for (size_t i = 0; i < questions->list.count; i++)
        question_forget(&questions->list.item[i]);
    free(questions->list.item);
    arena_clear(&questions->arena);
    *questions = (struct questions){0};
}

static enum portolan_verdict opposite(enum portolan_verdict verdict)
{
    return verdict == PORTOLAN_UNKNOWN ? PORTOLAN_UNKNOWN
           : verdict == PORTOLAN_HOLDS ? PORTOLAN_VIOLATED
                                       : PORTOLAN_HOLDS;
}

/* One side may settle it, whatever the other says. */
static enum portolan_verdict combine(enum question_operator operation, enum portolan_verdict a, enum portolan_verdict b)
{
    enum portolan_verdict settles = operation == QUESTION_AND ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS;
    if (a == settles || b == settles)
        return settles;
    return a == PORTOLAN_UNKNOWN || b == PORTOLAN_UNKNOWN ? PORTOLAN_UNKNOWN : opposite(settles);
}

enum portolan_verdict question_verdict(const struct question *question, const struct portolan_answer *answers)
{
    VECTOR(enum portolan_verdict) stack = {0};
    size_t next = 0;
    bool fine = !question->refusal && vector_reserve(&stack, question->asked.count + 1);
    for (size_t i = 0; fine && i < question->steps.count; i++) {
        if (question->steps.item[i] == QUESTION_PROPERTY) {
            enum portolan_verdict verdict = answers[next].verdict;
            stack.item[stack.count++] = question->asked.item[next++].is_negated ? opposite(verdict) : verdict;
        } else {
            stack.count--;
            stack.item[stack.count - 1] =
                combine(question->steps.item[i], stack.item[stack.count - 1], stack.item[stack.count]);
        }
    }
    enum portolan_verdict verdict = fine && stack.count ? stack.item[0] : PORTOLAN_UNKNOWN;
    free(stack.item);
    return verdict;
}
