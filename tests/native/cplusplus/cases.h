// SPDX-License-Identifier: Apache-2.0
// Small programs, one of which main runs: each with what is expected of it, a verdict and a number of executions.
#ifndef CASES_H
#define CASES_H

#include <cassert>
#include <cstdio>
#include <cstring>

struct test_case {
    const char *name, *expected;
    void (*function)();
    test_case *next;
    static inline test_case *all;

    test_case(const char *n, const char *e, void (*f)()) : name(n), expected(e), function(f), next(all)
    {
        all = this;
    }
};

#define CASE(name, expected)                                                                                           \
    static void name();                                                                                                \
    static test_case case_##name{#name, expected, name};                                                               \
    static void name()

int main(int count, char **arguments)
{
    for (test_case *c = test_case::all; c; c = c->next)
        if (count < 2)
            std::printf("%s %s\n", c->name, c->expected);
        else if (std::strcmp(arguments[1], c->name) == 0)
            c->function();
}

#endif
