/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is one of Java's: "key=value" or "key:value" or "key value" a line, # and ! begin comments, a backslash
 * escapes, at the end of a line it joins the next; the bytes are latin-1.
 */
#include "front/groove/properties.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What each property does: sets something, is looked up by others, is for the editor only, or is refused unless it has
 * one of the values that change nothing. */
static const struct known_property {
    const char *name;
    enum { SETS, LOOKED_UP, FOR_THE_EDITOR, REFUSED } effect;
    size_t setting;       /* of struct settings */
    const char *harmless; /* of what is refused: values that are the same as none, each between spaces */
} known_properties[] = {
    {"matchInjective", SETS, offsetof(struct settings, match_injective), NULL},
    {"checkDangling", SETS, offsetof(struct settings, check_dangling), NULL},
    {"checkCreatorEdges", SETS, offsetof(struct settings, check_creator_edges), NULL},
    {"rhsIsNAC", SETS, offsetof(struct settings, rhs_is_nac), NULL},
    {"checkIsomorphism", SETS, offsetof(struct settings, check_isomorphism), NULL},
    {"startGraph", LOOKED_UP, 0, NULL},
    {"controlProgram", LOOKED_UP, 0, NULL},
    {"typeGraph", LOOKED_UP, 0, NULL},
    {"grammarVersion", LOOKED_UP, 0, NULL},
    {"parallelEdges", REFUSED, 0, " none DPO "},
    {"algebraFamily", REFUSED, 0, " default java "},
    {"ruleEnabling", REFUSED, 0, " "},
    {"actionPolicy", REFUSED, 0, " "},
    {"typePolicy", REFUSED, 0, " error silent off "},
    {"deadlockPolicy", REFUSED, 0, " none silent off "},
    {"prolog", REFUSED, 0, " "},
    {"userOperations", REFUSED, 0, " "},
    {"oracle", REFUSED, 0, " none "},
    {"grooveVersion", FOR_THE_EDITOR, 0, NULL},
    {"location", FOR_THE_EDITOR, 0, NULL},
    {"remark", FOR_THE_EDITOR, 0, NULL},
    {"exploration", FOR_THE_EDITOR, 0, NULL},
    {"explorationStrategy", FOR_THE_EDITOR, 0, NULL},
    {"enableControl", FOR_THE_EDITOR, 0, NULL}, /* GROOVE no longer reads it */
    {"subtypes", FOR_THE_EDITOR, 0, NULL},      /* nor this: type graphs have taken its place */
    {"attributeSupport", FOR_THE_EDITOR, 0, NULL},
    {"controlLabels", FOR_THE_EDITOR, 0, NULL},
    {"commonLabels", FOR_THE_EDITOR, 0, NULL},
    {"loopsAsLabels", FOR_THE_EDITOR, 0, NULL},
    {"transitionBrackets", FOR_THE_EDITOR, 0, NULL},
    {"transitionParameters", FOR_THE_EDITOR, 0, NULL},
    {"useStoredNodeIDs", FOR_THE_EDITOR, 0, NULL},
    {"storedNodeIDs", FOR_THE_EDITOR, 0, NULL},
};

enum { PROPERTIES = sizeof known_properties / sizeof *known_properties };

static bool is_one_of(const char *list, const char *value)
{
    char spaced[80];
    snprintf(spaced, sizeof spaced, " %s ", value);
    return strstr(list, spaced) != NULL;
}

static bool set(struct reading *reading, const struct file *file, const struct known_property *known,
                const struct property *property)
{
    bool truth = strcmp(property->value, "true") == 0;
    if (!truth && strcmp(property->value, "false") != 0)
        return groove_wrong(reading, file, property->at, "%s is 'true' or 'false'", known->name);
    *(bool *)((char *)&reading->settings + known->setting) = truth;
    return true;
}

static bool unknown(struct reading *reading, const struct file *file, const struct property *property)
{
    struct nearest nearest = nearest_to(property->name);
    for (size_t i = 0; i < PROPERTIES; i++)
        nearest_offer(&nearest, known_properties[i].name);
    struct place at = {property->at.line, 1};
    groove_wrong(reading, file, at, "the property '%.80s' is not known", property->name);
    if (nearest.best)
        hint(reading->error, "did you mean '%s'?", nearest.best);
    return false;
}

static bool apply(struct reading *reading, const struct file *file, const struct property *property)
{
    const struct known_property *known = known_properties, *end = known_properties + PROPERTIES;
    while (known < end && strcmp(known->name, property->name) != 0)
        known++;
    if (known == end)
        return unknown(reading, file, property);
    if (*property->value == '\0')
        return true;
    if (known->effect == SETS)
        return set(reading, file, known, property);
    if (strcmp(known->name, "parallelEdges") == 0)
        reading->settings.parallel_edges = strcmp(property->value, "DPO") == 0;
    if (strcmp(known->name, "typePolicy") == 0)
        reading->settings.ignores_types = strcmp(property->value, "error") != 0;
    if (known->effect != REFUSED || is_one_of(known->harmless, property->value))
        return true;
    return groove_wrong(reading, file, property->at, "%s=%.60s is not supported", known->name, property->value);
}

/* ------------------------------------------------------------------ lines */

struct lines {
    struct reading *reading;
    const char *next;
    struct place at;
};

static void step(struct lines *lines)
{
    lines->at.column++;
    if (*lines->next++ == '\n')
        lines->at = (struct place){lines->at.line + 1, 1};
}

static void skip(struct lines *lines, const char *bytes)
{
    while (*lines->next && strchr(bytes, *lines->next))
        step(lines);
}

/* One byte of latin-1 as UTF-8. */
static size_t put(char *out, unsigned char byte)
{
    if (byte < 0x80) {
        out[0] = (char)byte;
        return 1;
    }
    out[0] = (char)(0xC0 | byte >> 6);
    out[1] = (char)(0x80 | (byte & 0x3F));
    return 2;
}

/* Up to one of these bytes, or the end of the line. */
static const char *take(struct lines *lines, const char *ends)
{
    size_t length = 0;
    const char *newline = lines->next;
    while (*newline && *newline != '\n')
        newline += newline[0] == '\\' && newline[1] ? 2 : 1;
    size_t most = 2 * (size_t)(newline - lines->next) + 1;
    char *text = arena_get(&lines->reading->scratch, most);
    if (!text) {
        no_memory(lines->reading);
        return NULL;
    }
    while (*lines->next && *lines->next != '\n' && *lines->next != '\r' && !strchr(ends, *lines->next)) {
        bool escaped = *lines->next == '\\' && lines->next[1];
        if (escaped)
            step(lines);
        if (escaped && *lines->next == '\n') {
            step(lines);
            skip(lines, " \t");
            continue;
        }
        length += put(text + length, (unsigned char)*lines->next);
        step(lines);
    }
    while (length > 0 && strchr(" \t", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static bool read_line(struct lines *lines, struct properties *properties)
{
    struct property property = {.name = take(lines, "=: \t")};
    skip(lines, " \t");
    if (*lines->next == '=' || *lines->next == ':')
        step(lines);
    skip(lines, " \t");
    property.at = lines->at;
    property.value = take(lines, "");
    return property.name && property.value && (vector_push(&properties->list, property) || no_memory(lines->reading)) &&
           apply(lines->reading, &properties->file, &property);
}

bool groove_properties_read(struct reading *reading, struct properties *properties, const char *name)
{
    *properties = (struct properties){.file.name = name};
    if (access(name, F_OK) != 0)
        return true;
    if (!file_read(reading, &properties->file, name))
        return false;
    struct lines lines = {.reading = reading, .next = properties->file.text, .at = {1, 1}};
    for (skip(&lines, " \t\r\n"); *lines.next; skip(&lines, " \t\r\n"))
        if (*lines.next == '#' || *lines.next == '!') {
            while (*lines.next && *lines.next != '\n')
                step(&lines);
        } else if (!read_line(&lines, properties)) {
            return false;
        }
    return true;
}

void groove_properties_clear(struct properties *properties)
{
    free(properties->file.text);
    free(properties->list.item);
}

const struct property *groove_property(const struct properties *properties, const char *name)
{
    const struct property *found = NULL;
    for (size_t i = 0; i < properties->list.count; i++)
        if (strcmp(properties->list.item[i].name, name) == 0)
            found = &properties->list.item[i];
    return found && *found->value ? found : NULL;
}
