/* SPDX-License-Identifier: Apache-2.0 */
/* Thread programs as systems with the relations and the footprint view; docs/threads.md is the language. */
#ifndef FRONT_THREADS_SYSTEM_H
#define FRONT_THREADS_SYSTEM_H

#include "portolan/portolan.h"

/* `file` stands for the text in errors, which may go afterwards. */
enum portolan_status threads_open_text(const char *file, const char *text, size_t length,
                                       struct portolan_system **system, struct portolan_error *error);

#endif
