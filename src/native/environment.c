/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program is given to begin with, arguments and environment: in memory of its own that begins anew in each
 * execution.  The environment is that of the user: the one variable by which
 * `portolan run` reaches the runtime is gone by then (supervision.c).
 */
#include "native/environment.h"
#include "native/accesses.h"
#include "native/journal.h"
#include "native/memory.h"
#include "native/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPARE_VARIABLES = 256, SPARE_TEXT = 1 << 16 };

KEPT struct given given;
static KEPT struct {
    void *copy; /* of all that is given, as it is at first */
    size_t size, used, capacity;
} own;

/* Counts words, and the bytes of their texts. */
static size_t measure(char **words, size_t *bytes)
{
    size_t count = 0;
    for (; words && words[count]; count++)
        *bytes += strlen(words[count]) + 1;
    return count;
}

/* The texts are behind the two arrays. */
static size_t array_bytes(size_t arguments, size_t variables)
{
    return (arguments + variables + SPARE_VARIABLES + 2) * sizeof(char *);
}

size_t environment_bytes(void)
{
    size_t bytes = 0, arguments = measure(chosen.arguments, &bytes), variables = measure(environ, &bytes);
    given.room = (array_bytes(arguments, variables) + bytes + SPARE_TEXT + PAGE - 1) & ~(size_t)(PAGE - 1);
    return given.room;
}

/* Copies words; their texts, which go to `text` now, will be at `later`. */
static size_t copy_words(char **words, char **copies, char *text, uintptr_t later)
{
    size_t used = 0;
    for (; words && *words; words++) {
        strcpy(text + used, *words);
        *copies++ = (char *)(later + used);
        used += strlen(*words) + 1;
    }
    return used;
}

bool environment_make(unsigned char *place)
{
    size_t bytes = 0, arguments = measure(chosen.arguments, &bytes), variables = measure(environ, &bytes);
    size_t arrays = array_bytes(arguments, variables);
    char **copy = reserve(arrays + bytes + 1);
    uintptr_t later = (uintptr_t)place + arrays;
    if (!copy)
        return false;
    given.place = place;
    own.copy = copy;
    given.argument_count = (int)arguments;
    given.arguments = (char **)place;
    given.environment = (char **)place + arguments + 1;
    own.capacity = variables + SPARE_VARIABLES;
    char *text = (char *)copy + arrays;
    size_t used = copy_words(chosen.arguments, copy, text, later);
    used += copy_words(environ, copy + arguments + 1, text + used, later + used);
    own.size = arrays + used;
    return true;
}

void environment_reset(void)
{
    memcpy(given.place, own.copy, own.size);
    own.used = own.size;
    environ = given.environment;
    optind = opterr = 1;
    optopt = '?';
    optarg = NULL;
}

/* --- the environment */

static size_t count_variables(uintptr_t caller)
{
    size_t count = 0;
    reads(&environ, sizeof environ, caller);
    while (environ && environ[count])
        count++;
    if (environ)
        reads(environ, (count + 1) * sizeof *environ, caller);
    return count;
}

/* The number of a variable, or how many there are. */
static size_t find_variable(const char *name, size_t length, uintptr_t caller)
{
    size_t count = count_variables(caller);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], name, length) == 0 && environ[i][length] == '=')
            return i;
    return count;
}

static char *value_of(const char *name, uintptr_t caller)
{
    size_t length = reads_text(name, WHOLE_TEXT, caller), i = find_variable(name, length, caller);
    return environ && environ[i] ? environ[i] + length + 1 : NULL;
}

EXPORT char *__wrap_getenv(const char *name);
EXPORT char *__wrap_getenv(const char *name)
{
    return in_program() ? value_of(name, CALLER) : getenv(name);
}

EXPORT char *__wrap_secure_getenv(const char *name);
EXPORT char *__wrap_secure_getenv(const char *name)
{
    return in_program() ? value_of(name, CALLER) : getenv(name);
}

static char *new_text(size_t size, uintptr_t caller)
{
    char *text = (char *)given.place + own.used;
    if (size > given.room - own.used)
        fail_run(FAILED_REFUSED, caller, "puts more than %d bytes into the environment", SPARE_TEXT);
    journal_save(&own.used, sizeof own.used);
    own.used += size;
    return text;
}

static void set_environ(char **variables, uintptr_t caller)
{
    writes(&environ, sizeof environ, caller);
    environ = variables;
}

/* The array in which there is room for more: the program may have put another one in its place. */
static void make_room(size_t count, uintptr_t caller)
{
    char **array = given.environment;
    if (count >= own.capacity)
        fail_run(FAILED_REFUSED, caller, "puts more than %d variables into the environment", SPARE_VARIABLES);
    if (environ == array)
        return;
    writes(array, (count + 1) * sizeof *array, caller);
    if (environ)
        memcpy(array, environ, count * sizeof *array);
    array[count] = NULL;
    set_environ(array, caller);
}

static void put(char *variable, size_t length, uintptr_t caller)
{
    size_t i = find_variable(variable, length, caller);
    bool is_new = !environ || !environ[i];
    if (is_new)
        make_room(i, caller);
    writes(environ + i, (is_new ? 2 : 1) * sizeof *environ, caller);
    environ[i] = variable;
    if (is_new)
        environ[i + 1] = NULL;
}

static bool is_name(const char *name)
{
    if (name && *name && !strchr(name, '='))
        return true;
    errno = EINVAL;
    return false;
}

static void take_out(const char *name, size_t length, uintptr_t caller)
{
    size_t i = find_variable(name, length, caller), count = count_variables(caller);
    if (i == count)
        return;
    writes(environ + i, (count - i) * sizeof *environ, caller);
    memmove(environ + i, environ + i + 1, (count - i) * sizeof *environ);
}

EXPORT int __wrap_setenv(const char *name, const char *value, int overwrite);
EXPORT int __wrap_setenv(const char *name, const char *value, int overwrite)
{
    if (!is_name(name))
        return -1;
    size_t length = reads_text(name, WHOLE_TEXT, CALLER), size = reads_text(value, WHOLE_TEXT, CALLER) + 1;
    size_t found = find_variable(name, length, CALLER);
    if (!overwrite && environ && environ[found])
        return 0;
    char *text = new_text(length + 1 + size, CALLER);
    writes(text, length + 1 + size, CALLER);
    memcpy(text, name, length);
    text[length] = '=';
    memcpy(text + length + 1, value, size);
    put(text, length, CALLER);
    return 0;
}

EXPORT int __wrap_putenv(char *variable);
EXPORT int __wrap_putenv(char *variable)
{
    size_t length = strcspn(variable, "=");
    reads_text(variable, WHOLE_TEXT, CALLER);
    if (variable[length])
        put(variable, length, CALLER);
    else
        take_out(variable, length, CALLER);
    return 0;
}

EXPORT int __wrap_unsetenv(const char *name);
EXPORT int __wrap_unsetenv(const char *name)
{
    if (!is_name(name))
        return -1;
    take_out(name, reads_text(name, WHOLE_TEXT, CALLER), CALLER);
    return 0;
}

EXPORT int __wrap_clearenv(void);
EXPORT int __wrap_clearenv(void)
{
    set_environ(NULL, CALLER);
    return 0;
}
