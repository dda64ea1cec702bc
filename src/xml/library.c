/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/library.h"

#ifdef LIBXML_FILE
struct libxml libxml;
#else
#define LIBXML_FILE NULL
struct libxml libxml = {LIBXML_FUNCTIONS(LIBRARY_LINKED)};
#endif

static const char *const names[] = {LIBXML_FUNCTIONS(LIBRARY_NAME)};

static struct library library = {
    .file = LIBXML_FILE,
    .what = "reading XML",
    .package = "libxml2",
    .names = names,
    .count = sizeof names / sizeof *names,
    .functions = &libxml,
};

bool libxml_load(struct portolan_error *error)
{
    return library_load(&library, error);
}

void libxml_unload(void)
{
    library_unload(&library);
}
