/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint/head.h"

#include "base/diagnostic.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_WORDS = 1 << 16 };

static void keep_head(struct archive *a, struct archive_head *head)
{
    archive_number(a, &head->kind);
    archive_text(a, &head->directory);
    archive_count(a, &head->word_count);
    if (a->reading && !a->failed && head->word_count < MOST_WORDS)
        head->words = calloc(head->word_count + 1, sizeof *head->words);
    if (a->reading && !head->words) {
        head->word_count = 0;
        a->failed = true;
    }
    for (size_t i = 0; i < head->word_count; i++)
        archive_text(a, &head->words[i]);
}

void archive_put_head(struct archive *a, enum archive_kind kind, const char *const *words)
{
    char *directory = getcwd(NULL, 0);
    struct archive_head head = {.kind = kind, .directory = directory ? directory : (char *)"", .words = (char **)words};
    while (words && words[head.word_count])
        head.word_count++;
    keep_head(a, &head);
    free(directory);
}

void archive_get_head(struct archive *a, struct archive_head *head)
{
    *head = (struct archive_head){0};
    keep_head(a, head);
}

void archive_head_clear(struct archive_head *head)
{
    for (size_t i = 0; i < head->word_count; i++)
        free(head->words[i]);
    free(head->words);
    free(head->directory);
    *head = (struct archive_head){0};
}

enum portolan_status archive_open_as(struct archive *a, const char *path, enum archive_kind kind,
                                     struct portolan_error *error)
{
    struct archive_head head;
    enum portolan_status status = archive_open(a, path, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_get_head(a, &head);
    bool fits = !a->failed && head.kind == kind;
    archive_head_clear(&head);
    if (fits)
        return PORTOLAN_OK;
    a->failed = true;
    archive_close(a, NULL);
    return fail(error, PORTOLAN_REFUSED, "'%s' belongs to another kind of search", path);
}
