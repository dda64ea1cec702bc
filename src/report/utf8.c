#include "report/utf8.h"

size_t utf8_character(const char *bytes, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 1, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)bytes;
    size_t length = *c < 0x80 ? 1 : *c >= 0xf8 ? 0 : *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc0 ? 2 : 0;
    *code = length > 1 ? *c & (0xffu >> (length + 1)) : *c;
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) /* also where the text ends */
            return 0;
        *code = *code << 6 | (c[i] & 0x3f);
    }
    return *code >= smallest[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff) ? length : 0;
}
