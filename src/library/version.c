/* SPDX-License-Identifier: Apache-2.0 */
#include "portolan/portolan.h"

const char *portolan_version(void)
{
    return PORTOLAN_VERSION;
}
