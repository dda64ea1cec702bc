/* SPDX-License-Identifier: Apache-2.0 */
/* A tester's searches, each with its own schedule; the linker leads its calls here (--wrap). */
#include "scheduler.h"
#include "search/search_system.h"

enum portolan_status __real_search_system(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error);
enum portolan_status __wrap_search_system(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error);

enum portolan_status __wrap_search_system(struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_result *result, struct portolan_error *error)
{
    static uint64_t searches;
    scheduler_begin(++searches);
    enum portolan_status status = __real_search_system(system, options, result, error);
    scheduler_end();
    return status;
}
