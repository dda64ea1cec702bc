/* SPDX-License-Identifier: Apache-2.0 */
/* What the user has chosen, read once when the program begins (a schedule that is run again may add to it). */
#ifndef NATIVE_SETTINGS_H
#define NATIVE_SETTINGS_H

#include "native/supervision.h"

extern struct chosen {
    bool exploring;         /* else the program just runs */
    bool all;               /* the search goes on after an error */
    bool interleave;        /* plain accesses are visible, races are no errors */
    bool volatile_is_plain; /* accesses to volatile objects are like all others */
    bool partial_io;        /* reads and writes of pipes may be short */
    bool leaks;             /* are errors */
    bool spurious;          /* condition variables wake up for no reason */
    enum journal_mode journal;
    int argument_count; /* of the process */
    char **arguments;
} chosen;

#endif
