/* SPDX-License-Identifier: Apache-2.0 */
// Counting what the compiler reports.
#define COUNT(function, reads, writes) (begin_counting(), function(), end_counting(#function, reads, writes))
void begin_counting(void);
void end_counting(const char *function, int reads, int writes);
// An exit status: 0 when nothing was missing.
int all_counted(void);
