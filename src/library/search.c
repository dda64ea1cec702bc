/* SPDX-License-Identifier: Apache-2.0 */
/* The search, with options of any size and a result that the library allocates. */
#include "search/search_system.h"

#include "base/diagnostic.h"
#include "library/sized.h"
#include "system/arguments.h"
#include "system/result.h"

#include <stdlib.h>

enum portolan_status portolan_search(struct portolan_system *system, const struct portolan_options *options,
                                     struct portolan_result **result, struct portolan_error *error)
{
    struct portolan_options full;
    if (check_pointer(result, "the place for the result", error))
        return PORTOLAN_BAD_OPTION;
    *result = NULL;
    if (check_pointer(options, "the struct of options", error) || SIZED_COPY(&full, options, "PORTOLAN_OPTIONS", error))
        return PORTOLAN_BAD_OPTION;
    struct portolan_result *own = calloc(1, sizeof *own);
    if (!own)
        return fail_memory(error);
    enum portolan_status status = search_system(system, &full, own, error);
    if (status == PORTOLAN_OK)
        *result = own;
    else
        free(own);
    return status;
}

void portolan_result_free(struct portolan_result *result)
{
    result_clear(result);
    free(result);
}
