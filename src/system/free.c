/* SPDX-License-Identifier: Apache-2.0 */
#include "portolan/portolan.h"

#include <stdlib.h>

void portolan_system_free(struct portolan_system *system)
{
    if (!system)
        return;
    if (system->destroy)
        system->destroy(system->model);
    free(system);
}
