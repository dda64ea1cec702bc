/* SPDX-License-Identifier: Apache-2.0 */
/* Message-passing protocols, "mp": docs/protocols.md has the language. */
#ifndef FRONT_PROTOCOLS_PROTOCOLS_H
#define FRONT_PROTOCOLS_PROTOCOLS_H

#include "portolan/portolan.h"

struct protocols_options {
    const char *const *definitions; /* of constants, "NAME=VALUE" */
    size_t definition_count;
};

enum portolan_status protocols_open(const char *path, const char *const *definitions, size_t count,
                                    struct portolan_system **system, struct portolan_error *error);
/* The same for a text, which is copied; path is for errors and for the name. */
enum portolan_status protocols_open_text_with(const char *path, const char *text, size_t length,
                                              const struct protocols_options *options, struct portolan_system **system,
                                              struct portolan_error *error);
enum portolan_status protocols_open_text(const char *path, const char *text, size_t length,
                                         struct portolan_system **system, struct portolan_error *error);

#endif
