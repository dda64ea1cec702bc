/* SPDX-License-Identifier: Apache-2.0 */
#include "library/sized.h"

#include "base/diagnostic.h"

#include <string.h>

enum { MOST = 1 << 16 }; /* bytes: more is no size but something else */

enum portolan_status sized_copy(void *own, size_t own_size, const void *theirs, const char *macro,
                                struct portolan_error *error)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size < sizeof size || size > MOST) {
        fail(error, PORTOLAN_BAD_OPTION, "the field 'size' of a struct is %zu, which is impossible", size);
        hint(error, "fill the struct with %s(...)", macro);
        return PORTOLAN_BAD_OPTION;
    }
    const unsigned char *bytes = theirs;
    for (size_t i = own_size; i < size; i++)
        if (bytes[i])
            return fail(error, PORTOLAN_BAD_OPTION, "%s has a field that is unknown to this version of the library, %s",
                        macro, PORTOLAN_VERSION);
    memset(own, 0, own_size);
    memcpy(own, theirs, size < own_size ? size : own_size);
    return PORTOLAN_OK;
}
