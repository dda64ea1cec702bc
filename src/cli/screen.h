/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output for people: lines end where the terminal does, and colours are for terminals only. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* What the environment says in COLUMNS; else the columns of the terminal, or 80 where there is none. */
unsigned screen_width(void);
/* Is it a terminal that shows colours, and does NO_COLOR not object? */
bool screen_has_colours(void);
/* From here on, lines that are printed to stdout and are too long are continued on the next one, indented.  Not for
 * what programs read. */
void screen_wrap(void);
/* Standard output is what it was. */
void screen_unwrap(void);
/* Standard output as it is, for what is to be shown as it came. */
FILE *screen_unwrapped(void);

#endif
