/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a verdict must be read with: reasons for which a complete search does not decide ("unknown", status 3), or
 * decides less than it seems to.  The report, JSON and JUnit name all of them.
 */
#ifndef NATIVE_RESERVATIONS_H
#define NATIVE_RESERVATIONS_H

#include <stdbool.h>
#include <stdio.h>

/* Called once, before anything is added; false when there is no memory. */
bool reservations_make(void);
/* Adds a sentence without its full stop ("inline assembly in list.c:12 is not seen"), once however often it is added.
 * May be called from contexts of the program and by every worker process: it does not allocate.  `undecided`: without
 * an error found, the verdict is "unknown". */
void add_reservation(bool undecided, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is there one that leaves the verdict open?  Its text, or NULL. */
const char *undecided_because(void);
/* All of them as text, a line for each, for another process; and back.  What has no room is one that leaves the verdict
 * open. */
void reservations_tell(char *text, size_t size);
void reservations_add_told(const char *text);
/* Puts all of them into the record. */
void reservations_record(void);

#endif
