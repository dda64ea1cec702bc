/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A grammar from its directory: properties, types, start graphs, rules, control.  What is read follows GROOVE 7
 * (Ghamarian, de Mol, Rensink, Zambon, Zimakova, "Modelling and analysis using GROOVE", STTT 2012).
 */
#include "front/groove/groove.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "front/groove/directory.h"
#include "front/groove/parts.h"
#include "front/groove/properties.h"
#include "graph/control.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct groove {
    struct reading reading;
    struct properties properties;
    struct directory directory;
    const char *start; /* names, separated by spaces; NULL: as the properties say */
    bool reads_all;    /* host graphs */
};

/* ------------------------------------------------------------------ names in lists */

/* Takes the next of a list of names that are separated by spaces; NULL at its end. */
static const char *next_name(struct reading *reading, const char **list)
{
    *list += strspn(*list, " \t,");
    size_t length = strcspn(*list, " \t,");
    const char *name = length ? keep(reading, *list, length) : NULL;
    *list += length;
    return name;
}

static const struct member *find_member(const struct groove *groove, const char *name, const char *extension)
{
    for (size_t i = 0; i < groove->directory.members.count; i++) {
        const struct member *member = &groove->directory.members.item[i];
        if (strcmp(member->extension, extension) == 0 && strcmp(member->name, name) == 0)
            return member;
    }
    return NULL;
}

static bool missing(struct groove *groove, const char *what, const char *name, const char *extension,
                    const struct property *said)
{
    struct nearest nearest = nearest_to(name);
    const char *any = NULL;
    for (size_t i = 0; i < groove->directory.members.count; i++) {
        const struct member *member = &groove->directory.members.item[i];
        if (strcmp(member->extension, extension) == 0) {
            any = any ? any : member->name;
            nearest_offer(&nearest, member->name);
        }
    }
    if (said)
        groove_wrong(&groove->reading, &groove->properties.file, said->at, "there is no %s '%.80s'", what, name);
    else
        wrong_file(&groove->reading, groove->directory.path, PORTOLAN_BAD_OPTION, "there is no %s '%.80s'", what, name);
    if (nearest.best)
        hint(groove->reading.error, "did you mean '%s'?", nearest.best);
    else if (any)
        hint(groove->reading.error, "there is one called '%s'", any);
    return false;
}

/* Calls a function for each graph of a list. */
static bool each_graph(struct groove *groove, const char *list, const char *what, const char *extension,
                       const struct property *said, bool (*add)(struct reading *reading, const struct gxl *gxl))
{
    for (const char *name; (name = next_name(&groove->reading, &list));) {
        const struct member *member = find_member(groove, name, extension);
        struct gxl gxl;
        if (!member)
            return missing(groove, what, name, extension, said);
        bool added = gxl_read(&groove->reading, &gxl, member->path) && add(&groove->reading, &gxl);
        gxl_clear(&gxl);
        if (!added)
            return false;
    }
    return groove->reading.status == PORTOLAN_OK;
}

/* ------------------------------------------------------------------ parts */

static bool read_types(struct groove *groove)
{
    const struct property *types = groove_property(&groove->properties, "typeGraph");
    return !types || each_graph(groove, types->value, "type graph", "gty", types, types_add);
}

/* Old grammars start with "start". */
static bool has_default_start(const struct groove *groove)
{
    const struct property *version = groove_property(&groove->properties, "grammarVersion");
    unsigned major = 0, minor = 0;
    return !version || sscanf(version->value, "%u.%u", &major, &minor) < 1 || major < 3 || (major == 3 && minor < 2);
}

static bool read_start(struct groove *groove)
{
    const struct property *said = groove->start ? NULL : groove_property(&groove->properties, "startGraph");
    const char *list = said ? said->value : groove->start;
    if (!list && !has_default_start(groove)) {
        wrong_file(&groove->reading, groove->directory.path, PORTOLAN_BAD_INPUT, "the grammar names no start graph");
        hint(groove->reading.error, "choose one with --start");
        return false;
    }
    list = list ? list : "start";
    struct grammar *grammar = groove->reading.grammar;
    grammar->start.name = grammar_text(grammar, list, strlen(list));
    groove->reading.host = &grammar->start;
    return grammar->start.name ? each_graph(groove, list, "start graph", "gst", said, host_add)
                               : no_memory(&groove->reading);
}

static bool read_other_start(struct groove *groove, const struct member *member)
{
    struct grammar *grammar = groove->reading.grammar;
    struct host_graph graph = {.name = grammar_text(grammar, member->name, strlen(member->name))};
    struct gxl gxl;
    if (!graph.name || !vector_push(&grammar->other_starts, graph))
        return no_memory(&groove->reading);
    groove->reading.host = &grammar->other_starts.item[grammar->other_starts.count - 1];
    bool added = gxl_read(&groove->reading, &gxl, member->path) && host_add(&groove->reading, &gxl);
    gxl_clear(&gxl);
    return added;
}

static bool read_other_starts(struct groove *groove)
{
    bool fine = true;
    for (size_t i = 0; i < groove->directory.members.count && fine && groove->reads_all && !groove->start; i++) {
        const struct member *member = &groove->directory.members.item[i];
        if (limits_reached())
            return no_memory(&groove->reading);
        if (strcmp(member->extension, "gst") == 0 && strcmp(member->name, groove->reading.grammar->start.name) != 0)
            fine = read_other_start(groove, member);
    }
    return fine;
}

/* "3.name": an old way to give a rule a priority. */
static const char *split_priority(const char *name, int64_t *priority)
{
    size_t digits = strspn(name, "0123456789");
    *priority = 0;
    if (digits == 0 || digits > 9 || name[digits] != '.' || !name[digits + 1])
        return name;
    for (size_t i = 0; i < digits; i++)
        *priority = 10 * *priority + (name[i] - '0');
    return name + digits + 1;
}

static bool read_rules(struct groove *groove)
{
    for (size_t i = 0; i < groove->directory.members.count; i++) {
        const struct member *member = &groove->directory.members.item[i];
        struct gxl gxl;
        int64_t priority;
        if (limits_reached())
            return no_memory(&groove->reading);
        if (strcmp(member->extension, "gpr") != 0)
            continue;
        const char *name = split_priority(member->name, &priority);
        bool added = gxl_read(&groove->reading, &gxl, member->path) && rule_add(&groove->reading, &gxl, name, priority);
        gxl_clear(&gxl);
        if (!added)
            return false;
    }
    return true;
}

static bool add_control(struct groove *groove, const char *name, const struct property *said, struct file *file)
{
    const struct member *member = find_member(groove, name, "gcp");
    return member ? file_read(&groove->reading, file, member->path)
                  : missing(groove, "control program", name, "gcp", said);
}

/* For writers, which do not write several programs. */
static void keep_control(struct groove *groove, const struct control_text *text)
{
    struct grammar *grammar = groove->reading.grammar;
    if (!(grammar->control_text = grammar_text(grammar, text->text, text->length)))
        groove->reading.status = fail_memory(groove->reading.error);
}

static bool read_control(struct groove *groove)
{
    enum { MOST = 64 };
    struct control_text texts[MOST];
    struct file files[MOST];
    size_t count = 0;
    const struct property *said = groove_property(&groove->properties, "controlProgram");
    const char *list = said ? said->value : "";
    for (const char *name; (name = next_name(&groove->reading, &list)); count++) {
        files[count] = (struct file){0};
        if (count + 1 == MOST)
            groove_wrong(&groove->reading, &groove->properties.file, said->at, "there are too many control programs");
        else
            add_control(groove, name, said, &files[count]);
        texts[count] = (struct control_text){files[count].name, files[count].text, files[count].length};
        if (groove->reading.status != PORTOLAN_OK) {
            count++;
            break;
        }
    }
    if (groove->reading.status == PORTOLAN_OK && count > 0)
        groove->reading.status = control_read(groove->reading.grammar, texts, count, groove->reading.error);
    if (groove->reading.status == PORTOLAN_OK && count == 1)
        keep_control(groove, &texts[0]);
    for (size_t i = 0; i < count; i++)
        free(files[i].text);
    return groove->reading.status == PORTOLAN_OK;
}

static bool read_grammar(struct groove *groove, const char *path)
{
    struct reading *reading = &groove->reading;
    const char *start = NULL;
    if (!directory_open(reading, &groove->directory, path, &start))
        return false;
    if (start && groove->start)
        return wrong_file(reading, path, PORTOLAN_BAD_OPTION, "the path names a start graph, and so does --start");
    groove->start = start ? start : groove->start;
    reading->grammar = grammar_new(groove->directory.name, "gps");
    const char *properties = directory_file(reading, &groove->directory, "system.properties");
    if (!reading->grammar || !properties)
        return no_memory(reading);
    reading->settings.check_isomorphism = true;
    if (!groove_properties_read(reading, &groove->properties, properties) || !read_types(groove) ||
        !read_start(groove) || !read_other_starts(groove) || !read_rules(groove) || !split_parallel_edges(reading) ||
        !read_control(groove))
        return false;
    reading->grammar->up_to_isomorphism = reading->settings.check_isomorphism;
    return true;
}

static enum portolan_status read_path(const char *path, const char *start, bool reads_all, struct grammar **grammar,
                                      struct portolan_error *error)
{
    struct groove groove = {.reading.error = error, .start = start, .reads_all = reads_all};
    bool read = read_grammar(&groove, path);
    if (!read)
        grammar_free(groove.reading.grammar);
    *grammar = read ? groove.reading.grammar : NULL;
    groove_properties_clear(&groove.properties);
    directory_clear(&groove.directory);
    arena_clear(&groove.reading.scratch);
    return groove.reading.status;
}

enum portolan_status groove_read(const char *path, const char *start, struct grammar **grammar,
                                 struct portolan_error *error)
{
    return read_path(path, start, false, grammar, error);
}

enum portolan_status groove_read_all(const char *path, const char *start, struct grammar **grammar,
                                     struct portolan_error *error)
{
    return read_path(path, start, true, grammar, error);
}

static bool add_part(struct reading *reading, enum groove_part part, const struct gxl *gxl)
{
    switch (part) {
    case GROOVE_HOST: reading->host = &reading->grammar->start; return host_add(reading, gxl);
    case GROOVE_TYPES: return types_add(reading, gxl);
    default: return rule_add(reading, gxl, "rule", 0);
    }
}

enum portolan_status groove_parse(enum groove_part part, const char *text, size_t length, const char *file,
                                  struct grammar **grammar, struct portolan_error *error)
{
    struct reading reading = {.error = error, .grammar = grammar_new("graph", "gps")};
    struct file input = {.name = file, .text = strndup(text, length), .length = strnlen(text, length)};
    struct gxl gxl = {0};
    if (!reading.grammar || !input.text) {
        no_memory(&reading);
        free(input.text);
    } else if (gxl_read_text(&reading, &gxl, input)) {
        add_part(&reading, part, &gxl);
    }
    gxl_clear(&gxl);
    arena_clear(&reading.scratch);
    if (reading.status != PORTOLAN_OK)
        grammar_free(reading.grammar);
    *grammar = reading.status == PORTOLAN_OK ? reading.grammar : NULL;
    return reading.status;
}
