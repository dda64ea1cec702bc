/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled texts, kept in $XDG_CACHE_HOME/portolan, or ~/.cache/portolan.  An object is a file whose name is a hash of
 * the text and of what compiled it, and which carries the text and a checksum behind it: what is torn, or was made of
 * another text, is not loaded.  Nothing is loaded either from a directory or a file that is not the user's own or that
 * others may write.
 *
 * Files appear under their name when they are complete.  When there are too many bytes of them the oldest go, that is
 * those not loaded for the longest time.
 */
#ifndef EMIT_CACHE_H
#define EMIT_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *item;
    size_t length;
};

/* The directory, made where it is missing; false: there is none that can be used. */
bool cache_directory(char directory[PATH_MAX]);
/* The place of an object for a text and a compiler, whose words say which it is; false when the name is too long. */
bool cache_place(char place[PATH_MAX], const char *directory, const struct text *text, const char *compiler);
/* Loads the object at a place, to be given back with dlclose; NULL: there is none that may be loaded. */
void *cache_load(const char *place, const struct text *text);
/* Puts a file that a compiler has made of the text to its place; false on failure. */
bool cache_keep(const char *file, const char *place, const char *directory, const struct text *text);
/* Removes what was left by those that were killed, and the oldest objects when there is too much. */
void cache_tidy(const char *directory);
/* A directory of its own within the cache for one compiler, and its end with all that is in it. */
bool cache_workshop(char workshop[PATH_MAX], const char *directory);
void cache_remove_workshop(const char *workshop);

#endif
