/* SPDX-License-Identifier: Apache-2.0 */
/* What the testers with random models share: saying what is wrong, asking one property. */
#ifndef TESTS_RANDOM_FRAME_H
#define TESTS_RANDOM_FRAME_H

#include "random_run.h"
#include "search/search_system.h"
#include "search/variants.h"
#include "threads.h"

#include <stdarg.h>

static inline __attribute__((format(printf, 3, 4))) bool say_wrong(char *failure, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure, size, format, arguments);
    va_end(arguments);
    return false;
}

/* Notes in the check what is wrong; always false. */
#define wrong(check, ...) say_wrong((check)->failure, sizeof(check)->failure, __VA_ARGS__)

/*
 * Searches for one property (text NULL: of those that have none) with a variant and further options.  The result is to
 * be cleared when the status is PORTOLAN_OK.  PORTOLAN_REFUSED: the combination is, never the property.
 */
static inline enum portolan_status ask_one(struct portolan_system *system, const struct variant *v,
                                           enum portolan_kind kind, const char *text, struct portolan_options options,
                                           struct portolan_result *result, struct portolan_error *error)
{
    struct portolan_property *property;
    enum portolan_status status = portolan_property_new(system, kind, text, &property, error);
    if (status != PORTOLAN_OK)
        return status == PORTOLAN_REFUSED ? PORTOLAN_BAD_INPUT : status;
    const struct portolan_property *const properties[] = {property};
    options.reduction = v->reduction;
    options.proviso = v->proviso;
    options.search = v->search;
    options.properties = properties;
    options.property_count = 1;
    if (v->reduction_class) {
        options.threads = tester_threads();
        options.store = v->reduction_class->has_search ? NULL : tester_store();
    }
    status = search_system(system, &options, result, error);
    portolan_property_free(property);
    return status;
}

#endif
