/* SPDX-License-Identifier: Apache-2.0 */
/* system.properties: how a grammar is set. */
#ifndef FRONT_GROOVE_PROPERTIES_H
#define FRONT_GROOVE_PROPERTIES_H

#include "front/groove/reading.h"

struct property {
    const char *name, *value;
    struct place at; /* of the value */
};

struct properties {
    struct file file;
    VECTOR(struct property) list;
};

/* Reads the file and sets reading->settings; refuses what is not supported.  A directory without the file has none.
 * groove_properties_clear is due also after a failure. */
bool groove_properties_read(struct reading *reading, struct properties *properties, const char *name);
void groove_properties_clear(struct properties *properties);

/* NULL when it is not given, or empty. */
const struct property *groove_property(const struct properties *properties, const char *name);

#endif
