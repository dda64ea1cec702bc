/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of control programs: a graph is how many there are of each of the letters, four bits a letter; an
 * application is the number of its rule, which takes a letter away. */
#ifndef TESTS_LETTERS_H
#define TESTS_LETTERS_H

#include "graph/control_run.h"

static inline uint32_t same_value(void *user, uint32_t value)
{
    (void)user;
    return value;
}

static inline bool match_letter(void *user, uint32_t graph, uint32_t rule, const uint32_t *given,
                                control_numbers *found)
{
    (void)user;
    (void)given;
    return (graph >> 4 * rule & 15) == 0 || vector_push(found, rule);
}

static inline bool take_letter(void *user, uint32_t graph, uint32_t application, uint32_t *next)
{
    (void)user;
    *next = graph - (1U << 4 * application);
    return true;
}

static inline bool never_fails(void *user, uint32_t application)
{
    (void)user;
    (void)application;
    return false;
}

static inline bool stay(void *user, uint32_t *graph, uint32_t *control)
{
    (void)user;
    (void)graph;
    (void)control;
    return true;
}

/* How an application maps nodes is for the test to say. */
static inline struct control_host letters_host(uint32_t (*image)(void *user, uint32_t application, uint32_t node))
{
    return (struct control_host){NULL, same_value, match_letter, take_letter, never_fails, image, stay, NULL};
}

#endif
