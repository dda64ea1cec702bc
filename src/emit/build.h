/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system's compiler, run beside whatever goes on: $CC, which may have arguments, or cc.  It is a process (and a
 * process group) of its own with low priority, works in a directory of its own that is removed at the end, and prints
 * nothing.
 */
#ifndef EMIT_BUILD_H
#define EMIT_BUILD_H

#include "emit/cache.h"

struct build;

enum build_progress { BUILD_RUNS, BUILD_READY, BUILD_FAILED };

/* Begins; takes the text over in any case.  NULL: there is no compiler, no cache, or no memory; or the object is not in
 * the cache, and only such a one is wanted. */
struct build *build_begin(struct text text, bool only_cached);
/* As long as it runs.  An object that is in the cache is ready at once. */
enum build_progress build_look(struct build *build);
/* The same, waiting for the end, unless a limit is reached. */
enum build_progress build_wait(struct build *build);
/* The object of a build that is ready; the caller gives it back with dlclose. */
void *build_take(struct build *build);
/* What the compiler said, the first lines of it. */
void build_complaint(const struct build *build, char *text, size_t size);
/* Ends the compiler when it runs still, and removes all but what is in the cache. */
void build_end(struct build *build);

#endif
