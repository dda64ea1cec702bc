/* SPDX-License-Identifier: Apache-2.0 */
/* The languages, one line each in open.c. */
#ifndef LIBRARY_OPEN_H
#define LIBRARY_OPEN_H

#include "portolan/portolan.h"

struct language {
    const char *name;
    const char *extensions; /* separated by spaces */
    const char *summary;
    const char *views;       /* that its systems offer */
    bool may_lack_relations; /* relations=0 says that nobody asks for them */
    bool grounds;            /* ground=... says whether what can ever happen is listed in advance */
    /* One of these; definitions: see portolan_open_with. */
    enum portolan_status (*open_with)(const char *path, const char *const *definitions, size_t count,
                                      struct portolan_system **system, struct portolan_error *error);
    enum portolan_status (*open_text)(const char *file, const char *text, size_t length,
                                      struct portolan_system **system, struct portolan_error *error);
    enum portolan_status (*open_text_with)(const char *file, const char *text, size_t length,
                                           const char *const *definitions, size_t count,
                                           struct portolan_system **system, struct portolan_error *error);
};

/* Ended by one without a name. */
extern const struct language languages[];
/* For models whose language has nothing that could be defined. */
enum portolan_status refuse_definitions(const char *path, struct portolan_error *error);

#endif
