/* Texts from programs and paths may hold any bytes; JSON and XML may not. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the character that the bytes begin with, which are ended by a zero, and its number; 0 when they begin
 * with none.  A zero is no character. */
size_t utf8_character(const char *bytes, uint32_t *code);

#endif
