/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the PNML reader returns a net, plain or coloured, or an error. */
#include "front/symmetric/symmetric.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net *net;
    struct colour_net *coloured;
    struct portolan_error error;
    pnml_read_any_memory("fuzz.pnml", (const char *)data, size, &net, &coloured, &error);
    net_free(net);
    colour_net_free(coloured);
    return 0;
}
