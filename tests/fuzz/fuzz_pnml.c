/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the PNML reader returns a net or an error. */
#include "front/petri/net.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net *net;
    struct portolan_error error;
    pnml_read_memory("fuzz.pnml", (const char *)data, size, &net, &error);
    net_free(net);
    return 0;
}
