/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file from which a search goes on.  What is kept is described once, by a function that is called both to write and
 * to read it back:
 *
 *     archive_number(archive, &count);    writes count, or reads it
 *
 * The file is written beside the one it replaces, ends with a checksum of all before, and takes the other's place when
 * it is on the disk: whoever is killed leaves the last whole one.  A file that was cut, changed, or written by another
 * version is refused when it is opened.  Whatever fails on the way sticks, so that only the end need be looked at.
 */
#ifndef CHECKPOINT_ARCHIVE_H
#define CHECKPOINT_ARCHIVE_H

#include "portolan/portolan.h"

#include <stdio.h>

struct archive {
    bool reading;
    bool finished;
    bool failed;     /* nothing is written or read any more */
    int error;       /* that the system has given, or 0 */
    uint64_t offset; /* bytes written or read so far, ... */
    uint64_t end;    /* ... and (reading) how many there are */
    char path[4096], partial[4096 + 16];
    int file;
    void *checksum; /* XXH3's state, of what was written */
    unsigned char *buffer;
    size_t filled, used; /* of the buffer */
};

/* What goes on in a file: the first thing in it. */
enum archive_kind {
    ARCHIVE_STATES = 1,
    ARCHIVE_EXECUTIONS,
    ARCHIVE_PROGRAM,
    ARCHIVE_RANKS,
    ARCHIVE_SHARD,
    ARCHIVE_PLAN,
    ARCHIVE_HANDOUT
};

/* Begins a file; what fails is told by archive_close. */
void archive_create(struct archive *archive, const char *path);
/* Could it?  Better known before a long run; a file that is there stays as it is. */
enum portolan_status archive_can_create(const char *path, struct portolan_error *error);
/* Opens a file and looks at all of it; refuses one that is torn or of another version. */
enum portolan_status archive_open(struct archive *archive, const char *path, struct portolan_error *error);
/* Writing: hands the rest to the system.  Nothing more is written; what is left is archive_close, which waits for the
 * disk.  It may be left out. */
void archive_finish(struct archive *archive);
/* Ends it.  What was written takes the place of what was there; when anything has failed, that stays. */
enum portolan_status archive_close(struct archive *archive, struct portolan_error *error);

/* The same for writing and reading; a caller that reads looks at archive->failed before it trusts what it has got. */
void archive_bytes(struct archive *archive, void *bytes, size_t count);
void archive_number(struct archive *archive, uint64_t *number);
void archive_count(struct archive *archive, size_t *count);
void archive_flag(struct archive *archive, bool *flag);
/* A number that must be the same when it is read; if not, the archive has failed. */
void archive_same(struct archive *archive, uint64_t number);
/* A vector of plain items: their number, and they themselves.  Reading, it grows. */
void archive_items(struct archive *archive, void **items, size_t *count, size_t *capacity, size_t size);
#define archive_vector(archive, vector)                                                                                \
    archive_items(archive, (void **)&(vector)->item, &(vector)->count, &(vector)->capacity, sizeof *(vector)->item)
/* The first `count` items of an array that has room for `capacity`. */
void archive_array(struct archive *archive, void **items, size_t count, size_t *capacity, size_t size);
/* What is known of each state: an entry for the first `most`, or for fewer when there is no room for more.  Read back,
 * the others are zero. */
void archive_known(struct archive *archive, void **items, size_t *capacity, size_t most, size_t size);
/* Reading, *text is allocated. */
void archive_text(struct archive *archive, char **text);

#endif
