/* SPDX-License-Identifier: Apache-2.0 */
/* Models in Promela, the language of Spin: docs/promela.md. */
#ifndef FRONT_PROMELA_PROMELA_H
#define FRONT_PROMELA_PROMELA_H

#include "portolan/portolan.h"

/* Definitions are NAME=TEXT, as of the preprocessor's -D. */
enum portolan_status promela_open(const char *path, const char *const *definitions, size_t count,
                                  struct portolan_system **system, struct portolan_error *error);
/* The same from memory, for tests and fuzzers; file stands for it in errors. */
enum portolan_status promela_open_text(const char *file, const char *text, size_t length,
                                       struct portolan_system **system, struct portolan_error *error);

#endif
