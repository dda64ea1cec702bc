/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "base/text_file.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 20 }; /* files that name files; more is a circle */

/* Reads the next word, which may have quotes and backslashes, into itself; NULL when there is none. */
static char *next_word(char **text)
{
    char *from = *text + strspn(*text, " \t\r\n\v\f"), *to = from, *word = from, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *text = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

static enum portolan_status add_word(const char *word, unsigned depth, struct word_list *words,
                                     struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    if (word[0] != '@' || access(word + 1, R_OK) != 0) {
        char *copy = vector_reserve(words, 1) ? strdup(word) : NULL;
        if (!copy)
            return fail_memory(error);
        words->item[words->count++] = copy;
        return PORTOLAN_OK;
    }
    if (depth == DEEPEST)
        return fail(error, PORTOLAN_BAD_INPUT, "'%s' includes itself", word + 1);
    enum portolan_status status = text_file_read(word + 1, &text, &length, error);
    char *next, *rest = text;
    while (status == PORTOLAN_OK && (next = next_word(&rest)))
        status = add_word(next, depth + 1, words, error);
    free(text);
    return status;
}

enum portolan_status split_words(const char *text, struct word_list *words, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    char *copy = strdup(text), *rest = copy, *next;
    if (!copy)
        return fail_memory(error);
    while (status == PORTOLAN_OK && (next = next_word(&rest)))
        status = add_word(next, 0, words, error);
    free(copy);
    return status;
}

enum portolan_status expand_response_files(int count, char **arguments, struct word_list *words,
                                           struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (int i = 0; i < count && status == PORTOLAN_OK; i++)
        status = add_word(arguments[i], 0, words, error);
    return status;
}
