/* SPDX-License-Identifier: Apache-2.0 */
#include "debuginfo/library.h"

#include "debuginfo/debuginfo.h"

#ifdef LIBDW_FILE
struct libdw libdw;
#else
#define LIBDW_FILE NULL
struct libdw libdw = {LIBDW_FUNCTIONS(LIBRARY_LINKED)};
#endif

static const char *const names[] = {LIBDW_FUNCTIONS(LIBRARY_NAME)};

static struct library library = {
    .file = LIBDW_FILE,
    .what = "exploring C programs",
    .package = "libdw1",
    .names = names,
    .count = sizeof names / sizeof *names,
    .functions = &libdw,
};

bool debuginfo_load(struct portolan_error *error)
{
    return library_load(&library, error);
}
