/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/engine.h"
#include "highlevel/ground.h"

enum portolan_status colour_system_new(struct colour_net *net, enum grounding grounding,
                                       struct portolan_system **system, struct portolan_error *error)
{
    *system = NULL;
    if (grounding != GROUND_NEVER) {
        enum portolan_status status = ground_net(net, grounding, system, error);
        if (status != PORTOLAN_OK || *system)
            return status;
    }
    return fly_system_new(net, system, error);
}
