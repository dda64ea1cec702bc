/* SPDX-License-Identifier: Apache-2.0 */
#include "distributed/transport.h"

#include "base/diagnostic.h"

#include <dlfcn.h>
#include <stdio.h>

bool transport_meet(struct transport *transport, bool can_begin)
{
    uint64_t failed = !can_begin;
    transport->has_met = true;
    transport->largest(transport, &failed, 1);
    return !failed;
}

enum portolan_status transport_load(const char *directory, struct transport **transport, struct portolan_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/portolan-mpi.so", directory);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own plug-ins look for its names */
    if (!plugin) {
        fail(error, PORTOLAN_REFUSED, "--distributed needs MPI, and %.300s", dlerror());
        hint(error, "it is built where Open MPI is installed (Debian: libopenmpi-dev)");
        return PORTOLAN_REFUSED;
    }
    open_transport *open_it;
    *(void **)&open_it = dlsym(plugin, TRANSPORT_SYMBOL);
    *transport = open_it ? open_it() : NULL;
    if (!*transport || (*transport)->version != TRANSPORT_VERSION)
        return fail(error, PORTOLAN_REFUSED, "MPI could not be started by '%s'", path);
    return PORTOLAN_OK;
}
