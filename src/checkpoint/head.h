/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of a search begins with: what kind it is, which question it belongs to, and how that was asked. */
#ifndef CHECKPOINT_HEAD_H
#define CHECKPOINT_HEAD_H

#include "checkpoint/archive.h"

struct archive_head {
    uint64_t kind; /* enum archive_kind */
    char *directory;
    char **words; /* of the command line, ended by NULL */
    size_t word_count;
};

/* Writes it, with the present directory; words may be NULL. */
void archive_put_head(struct archive *archive, enum archive_kind kind, const char *const *words);
/* Reads it; it must be cleared in any case. */
void archive_get_head(struct archive *archive, struct archive_head *head);
void archive_head_clear(struct archive_head *head);
/* Reads it and passes on to what follows, which must be of this kind. */
enum portolan_status archive_open_as(struct archive *archive, const char *path, enum archive_kind kind,
                                     struct portolan_error *error);

#endif
