/* SPDX-License-Identifier: Apache-2.0 */
/* Text within SVG, HTML and graphs of dot. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

static inline void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

#endif
