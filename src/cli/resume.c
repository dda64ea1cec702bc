/* SPDX-License-Identifier: Apache-2.0 */
/* portolan resume FILE: the command in the file once more, from where it was. */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "checkpoint/head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of files are from where the command was given; FILE itself is from here. */
enum portolan_status go_there(const struct archive_head *head, const char *file, char **path,
                              struct portolan_error *error)
{
    *path = realpath(file, NULL);
    if (!*path)
        return fail_memory(error);
    if (head->directory[0] && chdir(head->directory) != 0)
        return fail(error, PORTOLAN_IO, "cannot change to '%s', where the search was started: %s", head->directory,
                    strerror(errno));
    return PORTOLAN_OK;
}

/* Where the options of the command end: behind a C program stand its own arguments. */
static size_t end_of_options(const struct archive_head *head, const struct command_help *command)
{
    struct settings settings = {0};
    size_t end = head->word_count;
    if (command->command == RUN &&
        options_read(&settings, RUN, (int)head->word_count - 1, head->words + 1, NULL) == PORTOLAN_OK)
        for (size_t i = head->word_count; settings.words.count && i-- > 1;)
            if (head->words[i] == settings.words.item[0])
                end = i - (strcmp(head->words[i - 1], "--") == 0);
    settings_clear(&settings);
    return end;
}

enum portolan_status join_words(const struct archive_head *head, int count, char **arguments, struct word_list *words,
                                struct portolan_error *error)
{
    bool fine = true;
    size_t end = end_of_options(head, command_find(head->words[0]));
    for (size_t i = 0; fine && i < end; i++)
        fine = vector_push(words, head->words[i]);
    for (int i = 0; fine && i < count; i++)
        fine = vector_push(words, arguments[i]);
    for (size_t i = end; fine && i < head->word_count; i++)
        fine = vector_push(words, head->words[i]);
    fine = fine && vector_push(words, NULL);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

/* Is another file for checkpoints named? */
static bool names_checkpoint(int count, char **arguments)
{
    for (int i = 0; i < count; i++)
        if (strncmp(arguments[i], "--checkpoint", strlen("--checkpoint")) == 0)
            return true;
    return false;
}

static enum portolan_status read_head(const char *file, struct archive_head *head, struct portolan_error *error)
{
    struct archive archive;
    enum portolan_status status = archive_open(&archive, file, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_get_head(&archive, head);
    status = archive_close(&archive, error);
    if (status == PORTOLAN_OK && (!head->word_count || !command_find(head->words[0])))
        status = fail(error, PORTOLAN_REFUSED, "'%s' was not written by a command of this program", file);
    return status;
}

int command_resume(int count, char **arguments)
{
    struct portolan_error error = {0};
    struct archive_head head = {0};
    struct word_list words = {0};
    char *path = NULL;
    if (count < 1 || arguments[0][0] == '-')
        return wrong_usage("resume");
    enum portolan_status status = read_head(arguments[0], &head, &error);
    if (status == PORTOLAN_OK)
        status = go_there(&head, arguments[0], &path, &error);
    if (status == PORTOLAN_OK)
        status = join_words(&head, count - 1, arguments + 1, &words, &error);
    struct resumption from = {.file = path, .checkpoint = names_checkpoint(count - 1, arguments + 1) ? NULL : path};
    int exit_status = status == PORTOLAN_OK
                          ? run_command(command_find(head.words[0]), (int)words.count - 2, words.item + 1, &from)
                          : wrong(&error);
    free(words.item);
    archive_head_clear(&head);
    free(path);
    return exit_status;
}
