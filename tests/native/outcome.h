/* SPDX-License-Identifier: Apache-2.0 */
// How generated programs are told their number, and say what there is at their end.
#include <stdlib.h>

// Numbers are read and written by hand: library functions that may write to memory keep the journal from being used.
static int number(const char *text)
{
    int value = 0;
    for (; *text; text++)
        value = value * 10 + *text - '0';
    return value;
}

static char *put(char *at, long value)
{
    char digits[20];
    int count = 0;
    if (value < 0)
        *at++ = '-';
    do
        digits[count++] = (char)('0' + labs(value % 10));
    while ((value /= 10) != 0);
    while (count)
        *at++ = digits[--count];
    *at++ = ' ';
    return at;
}
