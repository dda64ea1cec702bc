/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a net of Helena; what can be read is opened. */
#include "highlevel/system.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void read_net(const uint8_t *data, size_t size)
{
    struct colour_net *net = NULL;
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (lna_read_text("fuzz.lna", (const char *)data, size, NULL, 0, &net, &error) != PORTOLAN_OK) {
        require(error.message[0] && !net);
        return;
    }
    if (colour_system_new(net, GROUND_NEVER, &system, &error) != PORTOLAN_OK) {
        require(error.message[0]);
        return;
    }
    portolan_system_free(system);
}

/* A net may have loops without an end, and values without number. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_limits *limits = portolan_limits_begin(1, 0, NULL);
    require(limits);
    read_net(data, size);
    portolan_limits_end(limits);
    return 0;
}
