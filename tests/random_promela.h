/* SPDX-License-Identifier: Apache-2.0 */
/* Random Promela programs, as text with a statement a line, and what Spin says of a program. */
#ifndef TESTS_RANDOM_PROMELA_H
#define TESTS_RANDOM_PROMELA_H

#include "random_net.h"

enum { PROMELA_TEXT = 32000 };

/* What is asked of a program. */
enum promela_question {
    ASK_SAFETY,     /* assertions and invalid end states */
    ASK_FORMULA,    /* an ltl block */
    ASK_CLAIM,      /* a never claim, of runs that go on forever */
    ASK_ACCEPTANCE, /* acceptance cycles, without a claim */
    ASK_PROGRESS    /* non-progress cycles */
};

struct promela_program {
    enum promela_question question;
    bool fair;
    bool has_c; /* set before it is drawn: c_code and the like may be drawn, too */
    char text[PROMELA_TEXT];
};

void promela_draw(struct promela_program *program, struct random *random);

struct spin_answer {
    bool refused;    /* by Spin or the compiler; message says why */
    bool unfinished; /* too deep, too large, too slow */
    bool stopped;    /* at an error */
    bool fails_assertion, has_invalid_end, has_cycle;
    bool has_error; /* while it runs: an index out of bounds, say */
    uint64_t states;
    char message[400];
};

/* Works in the directory, which is the tester's. */
void spin_ask(const struct promela_program *program, const char *directory, struct spin_answer *answer);

#endif
