/* SPDX-License-Identifier: Apache-2.0 */
/* How a run goes wrong. */
#ifndef NATIVE_FAILURE_H
#define NATIVE_FAILURE_H

#include <stdint.h>

enum failure_kind {
    NO_FAILURE,
    FAILED_ASSERTION,
    FAILED_ABORT,
    FAILED_EXCEPTION, /* std::terminate */
    FAILED_DEADLOCK,
    FAILED_RACE,
    FAILED_FAULT, /* a segmentation fault and its like */
    FAILED_MEMORY,
    FAILED_LEAK,
    FAILED_MISUSE,
    FAILED_STATUS,   /* the program ends with an exit status that is not allowed */
    FAILED_TOO_LONG, /* not an error: the run was given up */
    FAILED_REFUSED,  /* the program asks for what is not modelled */
    FAILED_DIVERGED, /* the program did not do the same again */
    FAILED_INTERNAL,
    SEARCH_AGAIN /* something was learned that changes what objects or agents are */
};

struct failure {
    enum failure_kind kind;
    uint32_t agent;
    uint32_t other; /* of a race */
    uintptr_t caller, other_caller;
    uint32_t other_clock; /* when the other access of a race was */
    uintptr_t address;    /* 0: none */
    char text[400];
};

/* Ends the run: from a context of the program it does not return. */
void fail_run(enum failure_kind kind, uintptr_t caller, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same when the runtime itself is out of memory. */
void fail_exhausted(void);

#endif
