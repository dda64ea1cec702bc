/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include "base/diagnostic.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool is_missing(struct library *library, struct portolan_error *error)
{
    const char *why = dlerror();
    fail(error, PORTOLAN_REFUSED, "%s needs a library that cannot be loaded: %.200s", library->what, why ? why : "");
    hint(error, "Debian has it as %s", library->package);
    return false;
}

static bool load(struct library *library, struct portolan_error *error)
{
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return is_missing(library, error);
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->names[i]);
        if (!function) {
            is_missing(library, error);
            dlclose(handle);
            return false;
        }
        memcpy((char *)library->functions + i * sizeof function, &function, sizeof function);
    }
    library->handle = handle;
    return true;
}

bool library_load(struct library *library, struct portolan_error *error)
{
    if (!library->file)
        return true;
    pthread_mutex_lock(&loading);
    bool is_there = library->handle || load(library, error);
    pthread_mutex_unlock(&loading);
    return is_there;
}

void library_unload(struct library *library)
{
    pthread_mutex_lock(&loading);
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
    pthread_mutex_unlock(&loading);
}
