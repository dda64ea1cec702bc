/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a model file: the table of languages. */
#include "library/open.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/text_file.h"
#include "emit/quicken.h"
#include "front/dve/dve.h"
#include "front/entities/entities.h"
#include "front/promela/promela.h"
#include "front/protocols/protocols.h"
#include "front/threads/system.h"
#include "library/open_colours.h"
#include "library/open_grammar.h"
#include "system/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum portolan_status open_entities(const char *file, const char *text, size_t length,
                                          struct portolan_system **system, struct portolan_error *error)
{
    struct entity_system *entities = NULL;
    enum portolan_status status = entities_read_memory(file, text, length, &entities, error);
    return status == PORTOLAN_OK ? entities_system_new(entities, file, system, error) : status;
}

const struct language languages[] = {
    {.name = "pnml",
     .extensions = ".pnml .xml",
     .summary = "place/transition nets (PNML), with inhibitor and read arcs, and symmetric nets",
     .views = "relations, footprint, entities",
     .grounds = true,
     .open_with = open_pnml},
    {.name = "dl",
     .extensions = ".dl",
     .summary = "thread programs: shared variables, locks, condition variables",
     .views = "relations, footprint",
     .open_text = threads_open_text},
    {.name = "ent",
     .extensions = ".ent",
     .summary = "entity systems: actions read, forbid, delete and create entities",
     .views = "relations, footprint, entities",
     .open_text = open_entities},
    {.name = "mp",
     .extensions = ".mp",
     .summary = "message-passing protocols: processes, quorums, faults",
     .views = "relations, footprint",
     .open_text_with = protocols_open_text},
    {.name = "dve",
     .extensions = ".dve",
     .summary = "processes in DVE, the language of DiVinE and of the BEEM models",
     .views = "relations, footprint",
     .open_text = dve_open_text},
    {.name = "promela",
     .extensions = ".pml .pm .prom",
     .summary = "processes in Promela, the language of Spin",
     .views = "relations, footprint",
     .may_lack_relations = true,
     .open_text_with = promela_open_text},
    {.name = "gg",
     .extensions = ".gg",
     .summary = "graph grammars as text",
     .views = "entities; relations, footprint (with --ground)",
     .grounds = true,
     .open_with = open_gg},
    {.name = "gps",
     .extensions = ".gps .gst",
     .summary = "graph grammars of GROOVE: a directory, or a start graph in it",
     .views = "entities; relations, footprint (with --ground)",
     .grounds = true,
     .open_with = open_gps},
    {.name = "lna",
     .extensions = ".lna",
     .summary = "high-level nets of Helena: tokens with values, arcs with expressions",
     .views = "relations, footprint, entities",
     .grounds = true,
     .open_with = open_lna},
    {0}};

/* Is the extension of the path one of a list separated by spaces? */
static bool has_extension(const char *path, const char *extensions)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') /* of a directory */
        end--;
    const char *dot = path + end;
    while (dot > path && *dot != '.' && dot[-1] != '/')
        dot--;
    size_t length = *dot == '.' ? (size_t)(path + end - dot) : 0;
    for (const char *known = extensions; length && *known; known += *known == ' ') {
        size_t known_length = strcspn(known, " ");
        if (known_length == length && strncmp(known, dot, length) == 0)
            return true;
        known += known_length;
    }
    return false;
}

/* Might a file without a known name be XML?  One that cannot be looked into, as a pipe, might. */
static bool might_be_xml(const char *path)
{
    struct stat status;
    unsigned char start[64];
    FILE *in = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    if (!in)
        return true;
    size_t count = fread(start, 1, sizeof start, in), i = 0;
    fclose(in);
    while (i < count && strchr(" \t\r\n\xef\xbb\xbf\xfe\xff", start[i])) /* also byte-order marks, and NULs of UTF-16 */
        i++;
    return i < count && start[i] == '<';
}

static enum portolan_status unknown_language(const char *path, struct portolan_error *error)
{
    char known[200];
    size_t used = 0;
    for (const struct language *l = languages; l->name; l++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s (%s)", used ? ", " : "", l->extensions, l->name);
    fail(error, PORTOLAN_BAD_INPUT,
         "the language of '%.200s' is unknown: its name has no known ending, and it is not XML", path);
    if (has_extension(path, ".c .h .o"))
        hint(error, "'portolan cc' compiles C programs, 'portolan run' explores them");
    else
        hint(error, "use --language NAME, or a name that ends with %s", known);
    return PORTOLAN_BAD_INPUT;
}

/* PNML is what has no other name and looks like XML: its reader says what is wrong with the content. */
static const struct language *language_of(const char *path)
{
    for (const struct language *l = languages; l->name; l++)
        if (has_extension(path, l->extensions))
            return l;
    return might_be_xml(path) ? &languages[0] : NULL;
}

enum portolan_status refuse_definitions(const char *path, struct portolan_error *error)
{
    fail(error, PORTOLAN_BAD_OPTION,
         "-D and --keep-dead cannot be used with '%.200s': its language has neither constants to define nor messages",
         path);
    hint(error, "-D is for protocols (.mp), nets of Helena (.lna) and graph grammars, --keep-dead for protocols");
    return PORTOLAN_BAD_OPTION;
}

static bool says(const char *const *definitions, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(definitions[i], what, strlen(what)) == 0)
            return true;
    return false;
}

static enum portolan_status refuse_grounding(const char *path, struct portolan_error *error)
{
    fail(error, PORTOLAN_BAD_OPTION,
         "'ground' is for graph grammars and high-level nets; what can happen in '%.200s' is known in advance", path);
    hint(error, "omit --ground");
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status refuse_option(const char *option, const char *path, struct portolan_error *error)
{
    fail(error, PORTOLAN_BAD_OPTION, "--%s is for Promela, and '%.200s' is in another language", option, path);
    hint(error, "omit --%s", option);
    return PORTOLAN_BAD_OPTION;
}

/* Reads the file for languages that take a text. */
static enum portolan_status open_file(const struct language *language, const char *path, const char *const *definitions,
                                      size_t count, struct portolan_system **system, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    if (language->open_with)
        return language->open_with(path, definitions, count, system, error);
    if (language->open_text && count)
        return refuse_definitions(path, error);
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status == PORTOLAN_OK)
        status = language->open_text ? language->open_text(path, text, length, system, error)
                                     : language->open_text_with(path, text, length, definitions, count, system, error);
    free(text);
    return status;
}

static enum portolan_status open_as(const struct language *language, const char *path, const char *const *definitions,
                                    size_t count, struct portolan_system **system, struct portolan_error *error)
{
    enum portolan_status status = open_file(language, path, definitions, count, system, error);
    if (status == PORTOLAN_BAD_OPTION && says(definitions, count, "allow-c="))
        return refuse_option("allow-c", path, error);
    if (status == PORTOLAN_BAD_OPTION && says(definitions, count, "unread="))
        return refuse_option("leave-out-unread", path, error);
    bool is_grounding = status == PORTOLAN_BAD_OPTION && !language->grounds && says(definitions, count, "ground=");
    return is_grounding ? refuse_grounding(path, error) : status;
}

/* The language that a definition says, which is taken out; *named is NULL when there is none. */
static enum portolan_status take_language(const char **definitions, size_t *count, const struct language **named,
                                          struct portolan_error *error)
{
    static const char says[] = "language=";
    *named = NULL;
    for (size_t i = 0; i < *count; i++) {
        if (strncmp(definitions[i], says, strlen(says)) != 0)
            continue;
        const char *name = definitions[i] + strlen(says);
        for (const struct language *l = languages; l->name && !*named; l++)
            *named = strcmp(l->name, name) == 0 ? l : NULL;
        if (!*named) {
            fail(error, PORTOLAN_BAD_OPTION, "there is no language '%.100s'", name);
            return hint(error, "'portolan list' lists them"), PORTOLAN_BAD_OPTION;
        }
        memmove(definitions + i, definitions + i + 1, (--*count - i) * sizeof *definitions);
        return PORTOLAN_OK;
    }
    return PORTOLAN_OK;
}

/* That nobody asks for relations is told the languages that know what to do with it. */
static size_t leave_out_relations(const char **definitions, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(definitions[i], "relations=0") != 0)
            definitions[kept++] = definitions[i];
    return kept;
}

static enum portolan_status open_named(const char *path, const char **definitions, size_t count,
                                       struct portolan_system **system, struct portolan_error *error)
{
    const struct language *language;
    enum portolan_status status = take_language(definitions, &count, &language, error);
    if (status != PORTOLAN_OK)
        return status;
    language = language ? language : language_of(path);
    if (language && !language->may_lack_relations)
        count = leave_out_relations(definitions, count);
    return language ? open_as(language, path, definitions, count, system, error) : unknown_language(path, error);
}

static enum portolan_status open_whole(const char *path, const char *const *definitions, size_t count,
                                       struct portolan_system **system, struct portolan_error *error)
{
    if (check_pointer(path, "the path", error) || check_pointer(system, "the place for the system", error) ||
        (count && check_pointer(definitions, "the list of definitions", error)))
        return PORTOLAN_BAD_OPTION;
    *system = NULL;
    for (size_t i = 0; i < count; i++)
        if (check_pointer(definitions[i], "a definition", error))
            return PORTOLAN_BAD_OPTION;
    const char **own = calloc(count + 1, sizeof *own);
    if (!own)
        return fail_memory(error);
    if (count)
        memcpy(own, definitions, count * sizeof *own);
    enum portolan_status status = open_named(path, own, count, system, error);
    free(own);
    if (status == PORTOLAN_OK)
        emit_attach(*system);
    return status;
}

enum portolan_status portolan_open_with(const char *path, const char *const *definitions, size_t count,
                                        struct portolan_system **system, struct portolan_error *error)
{
    enum portolan_status status = open_whole(path, definitions, count, system, error);
    if (limits_stop() == PORTOLAN_COMPLETE)
        return status;
    if (status == PORTOLAN_OK) /* something may be missing in it */
        portolan_system_free(*system);
    *system = NULL;
    return fail_memory(error);
}

enum portolan_status portolan_open(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    return portolan_open_with(path, NULL, 0, system, error);
}
