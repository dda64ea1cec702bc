/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

size_t utf8_length(const unsigned char *c)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*c < 0x80)
        return *c >= 0x20 || *c == '\t' || *c == '\n';
    size_t length = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc0 ? 2 : 0;
    uint32_t code = length ? *c & (0xffu >> (length + 1)) : 0;
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) /* also where the text ends */
            return 0;
        code = code << 6 | (c[i] & 0x3f);
    }
    bool is_character = length && code >= smallest[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                        code != 0xfffe && code != 0xffff;
    return is_character ? length : 0;
}
