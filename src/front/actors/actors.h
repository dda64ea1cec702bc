/* Message-passing protocols, "mp": docs/actors.md has the language. */
#ifndef FRONT_ACTORS_ACTORS_H
#define FRONT_ACTORS_ACTORS_H

#include "portolan/portolan.h"

enum portolan_status actors_open(const char *path, struct portolan_system **system, struct portolan_error *error);
/* The same for a text, which is copied; path is for errors and for the name. */
enum portolan_status actors_open_text(const char *path, const char *text, size_t length,
                                      struct portolan_system **system, struct portolan_error *error);

#endif
