/* SPDX-License-Identifier: Apache-2.0 */
/* Thread programs as systems with the relations and the footprint view; docs/threads.md is the language. */
#ifndef FRONT_THREADS_SYSTEM_H
#define FRONT_THREADS_SYSTEM_H

#include "portolan/portolan.h"

enum portolan_status threads_open(const char *path, struct portolan_system **system, struct portolan_error *error);
/* The same from memory; `file` stands for it in errors.  The text may go afterwards. */
enum portolan_status threads_open_text(const char *file, const char *text, size_t length,
                                       struct portolan_system **system, struct portolan_error *error);

#endif
