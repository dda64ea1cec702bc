/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the source, and the source at these places. */
#include "account/account.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 5 };

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A template that the program took from a header of C++: whoever used it is of more interest. */
static bool is_of_library(const char *path)
{
    return strstr(path, "/c++/");
}

struct wanted_place {
    struct source_place *place;
    bool is_settled;
};

static void take_place_of_program(void *user, const struct code_place *place)
{
    struct wanted_place *wanted = user;
    struct source_place *found = wanted->place;
    if (wanted->is_settled)
        return;
    snprintf(found->function, sizeof found->function, "%s", place->function ? place->function : "");
    if (place->file[0] == '/' || !place->directory)
        snprintf(found->file, sizeof found->file, "%s", place->file);
    else
        snprintf(found->file, sizeof found->file, "%s/%s", place->directory, place->file);
    found->line = place->line;
    wanted->is_settled = !is_of_library(found->file);
}

void find_place(const struct account *account, uint64_t caller, struct source_place *place)
{
    struct wanted_place wanted = {.place = place};
    *place = (struct source_place){0};
    if (caller)
        debuginfo_places(account->debuginfo, caller - 1, true, take_place_of_program, &wanted);
}

void name_place(const struct account *account, uint64_t caller, char *text, size_t size)
{
    struct source_place place;
    find_place(account, caller, &place);
    if (place.line)
        snprintf(text, size, "%s:%d", base_name(place.file), place.line);
    else
        snprintf(text, size, "%#" PRIx64, caller);
}

/* --- sources */

void source_line(const struct source_place *place, char *text, size_t size)
{
    FILE *file = place->line ? fopen(place->file, "re") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = -1;
    text[0] = '\0';
    for (int i = 0; file && i < place->line; i++)
        length = getline(&line, &capacity, file);
    if (length > 0) {
        const char *start = line + strspn(line, " \t");
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        snprintf(text, size, "%s", start < line + length ? start : "");
        for (char *c = text; *c; c++)
            *c = iscntrl((unsigned char)*c) ? ' ' : *c;
    }
    free(line);
    if (file)
        fclose(file);
}

/* --- memory orders */

static int compare_texts(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strverscmp(*x, *y);
}

static const char *keep(struct account *account, const char *text)
{
    char *copy = strdup(text);
    if (copy && vector_push(&account->texts, copy))
        return copy;
    free(copy);
    return NULL;
}

static bool add_weaker(struct account *account, uint64_t caller)
{
    struct source_place place;
    char text[340];
    find_place(account, caller, &place);
    if (!place.line)
        return true;
    snprintf(text, sizeof text, "%s:%d", base_name(place.file), place.line);
    for (size_t i = 0; i < account->weaker_places.count; i++)
        if (strcmp(account->weaker_places.item[i], text) == 0)
            return true;
    const char *kept = keep(account, text);
    return kept && vector_push(&account->weaker_places, kept);
}

static bool add_note(struct account *account, const char *text)
{
    struct recorded_reservation note = {0};
    snprintf(note.text, sizeof note.text, "%s", text);
    return vector_push(&account->reservations, note);
}

static bool note_volatile(struct account *account)
{
    char place[340], text[500];
    if (!account->volatile_at)
        return true;
    name_place(account, account->volatile_at, place, sizeof place);
    snprintf(text, sizeof text, "volatile accesses are treated as relaxed atomics, which order nothing, as at %s",
             place);
    return add_note(account, text);
}

/* "under sequential consistency; 3 accesses ask for less: a.c:3, a.c:7, b.c:1" */
static bool note_weaker(struct account *account)
{
    size_t shown = account->weaker_places.count;
    size_t number = shown ? shown : account->weaker.count; /* without debugging information there are no places */
    char text[500];
    if (!number)
        return true;
    snprintf(account->condition, sizeof account->condition, " under sequential consistency; %zu access%s for less",
             number, number == 1 ? " asks" : "es ask");
    size_t used = (size_t)snprintf(text, sizeof text, "%s", account->condition + 1);
    for (size_t i = 0; i < shown && i < MOST_SHOWN && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.80s", i ? ", " : ": ",
                                 account->weaker_places.item[i]);
    if (shown > MOST_SHOWN && used < sizeof text)
        snprintf(text + used, sizeof text - used, " and %zu more", shown - MOST_SHOWN);
    return add_note(account, text);
}

bool find_conditions(struct account *account)
{
    bool fine = true;
    for (size_t i = 0; i < account->weaker.count && fine; i++)
        fine = add_weaker(account, account->weaker.item[i]);
    if (account->weaker_places.count)
        qsort(account->weaker_places.item, account->weaker_places.count, sizeof *account->weaker_places.item,
              compare_texts);
    return fine && note_volatile(account) && note_weaker(account);
}

const char *undecided_because(const struct account *account)
{
    for (size_t i = 0; i < account->reservations.count; i++)
        if (account->reservations.item[i].undecided)
            return account->reservations.item[i].text;
    return NULL;
}
