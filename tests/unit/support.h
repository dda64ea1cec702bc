/* SPDX-License-Identifier: Apache-2.0 */
/* What several unit tests need. */
#ifndef TESTS_UNIT_SUPPORT_H
#define TESTS_UNIT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/petri/generate/generate.h"
#include "front/petri/system.h"
#include "search/search_system.h"

#include <stdlib.h>
#include <string.h>

/* A small reproducible generator of numbers below a limit. */
static inline uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % limit;
}

static inline struct portolan_system *system_of_family(const char *family, long parameter)
{
    struct net *net = NULL;
    struct portolan_system *system = NULL;
    assert_int_equal(generate_net(family, &parameter, parameter ? 1 : 0, &net, NULL), PORTOLAN_OK);
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    return system;
}

/* Explores without a property; returns the statistics. */
static inline struct portolan_statistics explored(struct portolan_system *system, const char *reduction,
                                                  const char *proviso, const char *search)
{
    struct portolan_options options = {.reduction = reduction, .proviso = proviso, .search = search};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_COMPLETE);
    struct portolan_statistics statistics = result.statistics;
    result_clear(&result);
    return statistics;
}

#endif
