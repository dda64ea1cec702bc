/* SPDX-License-Identifier: Apache-2.0 */
/* Models in Promela, the language of Spin: docs/promela.md. */
#ifndef FRONT_PROMELA_PROMELA_H
#define FRONT_PROMELA_PROMELA_H

#include "portolan/portolan.h"

/*
 * `file` stands for the text in errors.  Definitions are NAME=TEXT, as of the preprocessor's -D, but for these:
 *     allow-c=1   blocks of C are compiled and run
 *     relations=0 the system has no relations
 *     unread=     variables that are never read are left out
 *     unroll=0    a process rests in each round of a loop with choices in an atomic sequence, however few there are:
 *                 for tests, as what formulas say may not depend on that
 */
enum portolan_status promela_open_text(const char *file, const char *text, size_t length,
                                       const char *const *definitions, size_t count, struct portolan_system **system,
                                       struct portolan_error *error);

#endif
