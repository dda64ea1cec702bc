/* SPDX-License-Identifier: Apache-2.0 */
/* What happens while the failing schedule is run once more: everything, with values. */
#ifndef NATIVE_RECORDER_H
#define NATIVE_RECORDER_H

#include "native/record.h"
#include "native/run.h"

#include <stdbool.h>
#include <stddef.h>

extern struct recorder {
    bool on;
    struct recorded_event *events;
    size_t count;
    uint64_t left_out;
    struct recorded_event *unfinished; /* a write that the program is about to make */
} recorder;

/* Begins with nothing; false when there is no memory. */
bool recorder_start(void);
/* The write that was told of last has been made. */
void recorder_catch_up(void);
void recorder_stop(void);

/* For contexts of the program, too: these do not allocate. */
void record_access(uintptr_t address, size_t size, bool writes, uintptr_t caller);
void record_block(enum event_form form, uintptr_t address, size_t size, uintptr_t caller);
/* A step that is taken: it has its place before what the thread does then; NULL: there is no room. */
struct recorded_event *record_step_begins(uint32_t agent);
void record_step_ends(struct recorded_event *event, const struct step_record *step);

#endif
