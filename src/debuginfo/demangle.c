/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++: libstdc++ knows them.  Who has programs of C++ has it, so it is not linked with but looked for. */
#include "debuginfo/debuginfo.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

static demangle_function *find_function(void)
{
    static demangle_function *found;
    static bool looked;
    if (!looked) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &symbol, sizeof found); /* ISO C has no cast from an object to a function */
        looked = true;
    }
    return found;
}

char *demangled(const char *name)
{
    int status = 0;
    demangle_function *demangle = strncmp(name, "_Z", 2) == 0 ? find_function() : NULL;
    char *text = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    return text ? text : strdup(name);
}
