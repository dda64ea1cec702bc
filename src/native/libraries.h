/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries whose functions are modelled, or known (harmless.c): libc and what belongs to it. */
#ifndef NATIVE_LIBRARIES_H
#define NATIVE_LIBRARIES_H

#include <stdbool.h>
#include <string.h>

/* Where `portolan cc` writes into a program what it was linked from. */
#define LINKED_SECTION ".portolan.linked"

/* By the last part of its path; one without a name is the program itself, or what the kernel gives every program. */
static inline bool is_known_library(const char *path)
{
    static const char *const beginnings[] = {
        "libc.so.",  "libm.so.",     "libmvec.so.",    "libpthread.so.",      "libdl.so.",   "librt.so.",
        "ld-linux-", "libgcc_s.so.", "linux-vdso.so.", "libBrokenLocale.so.", "libstdc++.so"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return !*name;
}

#endif
