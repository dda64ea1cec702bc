/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program consists of besides code compiled by `portolan cc`, none of whose accesses are reported: objects and
 * inline assembly, which the link step has written down (src/cli/cc_unseen.c), shared libraries, and functions of libc
 * (harmless.c).  Each leaves the verdict open unless the user vouches for it.
 */
#include "native/unseen.h"
#include "native/libraries.h"
#include "native/reservations.h"

#include <fnmatch.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>

/* Lines of a word and a text, put in here when the program is linked. */
enum { ROOM = 1 << 16 };
extern const char portolan_linked[ROOM];
__attribute__((section(LINKED_SECTION), aligned(1))) const char portolan_linked[ROOM] = {0};

/* The compiler must not look into it: it is written later. */
static const char *linked(void)
{
    const char *text = portolan_linked;
    __asm__("" : "+r"(text));
    return text;
}

/* --- who is trusted */

/* Patterns of `portolan run`, one in a line. */
static const char *trusted_now;

static bool matches(const char *pattern, size_t length, const char *name)
{
    char copy[400];
    const char *slash = strrchr(name, '/');
    if (length >= sizeof copy)
        return false;
    memcpy(copy, pattern, length);
    copy[length] = '\0';
    return fnmatch(copy, name, 0) == 0 || (slash && fnmatch(copy, slash + 1, 0) == 0);
}

bool is_trusted(const char *name)
{
    for (const char *at = trusted_now; at && *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        if (matches(at, length, name))
            return true;
        at += length;
    }
    for (const char *at = linked(); *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "trust ", 6) == 0 && matches(at + 6, length - 6, name))
            return true;
        at += length;
    }
    return false;
}

/* --- what there is */

static bool some; /* that is not seen, trusted or not */

static void unseen(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void unseen(const char *name, const char *format, ...)
{
    char text[450];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool trusted = is_trusted(name);
    add_reservation(!trusted, "%s%s", text, trusted ? " (trusted)" : "");
    some = true;
}

/* "FILE:LINE: INSTRUCTION": the instruction is no part of the name. */
static void unseen_place(const char *what, const char *text)
{
    char place[400];
    const char *end = strstr(text, ": ");
    snprintf(place, sizeof place, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
    char *colon = strrchr(place, ':');
    if (colon && !is_trusted(place))
        *colon = '\0'; /* the file as a whole? */
    unseen(place, "%s at %s", what, text);
}

/* The first access of a local variable that is not reported; there is none when it is empty. */
static char local_access[450];

static void remember_local(const char *text)
{
    char place[400];
    snprintf(place, sizeof place, "%.*s", (int)strcspn(text, " "), text);
    place[strlen(place) - 1] = '\0'; /* the colon */
    if (!local_access[0] && !is_trusted(place))
        snprintf(local_access, sizeof local_access, "%s", text);
}

void stacks_are_shared(void)
{
    if (local_access[0])
        add_reservation(true, "the access at %s", local_access);
}

static void read_line(const char *line, size_t length)
{
    char text[450];
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    if (strncmp(text, "object ", 7) == 0)
        unseen(text + 7, "%s was not compiled by 'portolan cc'", text + 7);
    else if (strncmp(text, "assembly ", 9) == 0)
        unseen_place("inline assembly", text + 9);
    else if (strncmp(text, "unreported ", 11) == 0)
        unseen_place("the access", text + 11);
    else if (strncmp(text, "optimised ", 10) == 0)
        add_reservation(false, "accesses that the compiler removed from %s were not looked at", text + 10);
    else if (strncmp(text, "local ", 6) == 0)
        remember_local(text + 6);
    else if (strcmp(text, "more") == 0)
        unseen("", "the list of what is not seen is longer than this");
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    if (!is_known_library(name))
        unseen(name, "the library %s", name);
    return 0;
}

bool all_is_seen(const char *trusted)
{
    trusted_now = trusted;
    const char *at = linked();
    if (strncmp(at, "linked ", 7) != 0)
        unseen("", "what the program was linked from is not known");
    for (; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        read_line(at, length);
        at += length;
    }
    dl_iterate_phdr(look_at_library, NULL);
    return imports_are_harmless() && !some;
}
