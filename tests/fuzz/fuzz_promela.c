/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a model in Promela: it becomes a system, or an error that says where. */
#include "front/promela/promela.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (promela_open_text("fuzz.pml", (const char *)data, size, NULL, 0, &system, &error) != PORTOLAN_OK) {
        require(!system && error.message[0]);
        return 0;
    }
    require(system);
    portolan_system_free(system);
    return 0;
}
