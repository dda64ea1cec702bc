/* SPDX-License-Identifier: Apache-2.0 */
/* Message-passing protocols, "mp": docs/protocols.md has the language. */
#ifndef FRONT_PROTOCOLS_PROTOCOLS_H
#define FRONT_PROTOCOLS_PROTOCOLS_H

#include "portolan/portolan.h"

/* `path` stands for the text in errors and gives the name; definitions of constants are NAME=VALUE. */
enum portolan_status protocols_open_text(const char *path, const char *text, size_t length,
                                         const char *const *definitions, size_t count, struct portolan_system **system,
                                         struct portolan_error *error);

#endif
