/* SPDX-License-Identifier: Apache-2.0 */
#include "front/groove/aspects.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

/* Whether a prefix is the last one, and where it may stand; one that is refused has a reason. */
static const struct known_aspect {
    const char *name;
    enum aspect aspect;
    unsigned where;
    bool goes_on; /* more prefixes may follow */
    const char *refused;
} known_aspects[] = {
    {"rem", ASPECT_REMARK, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"use", ASPECT_READER, IN_RULE, true, NULL},
    {"del", ASPECT_ERASER, IN_RULE, true, NULL},
    {"new", ASPECT_CREATOR, IN_RULE, true, NULL},
    {"cnew", ASPECT_ADDER, IN_RULE, true, NULL},
    {"not", ASPECT_EMBARGO, IN_RULE, true, NULL},
    {"bool", ASPECT_BOOL, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"int", ASPECT_INT, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"real", ASPECT_REAL, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"string", ASPECT_STRING, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"user", ASPECT_REFUSED, IN_HOST | IN_RULE | IN_TYPE, false, "values and operations in Java are not supported"},
    {"arg", ASPECT_ARGUMENT, IN_RULE, false, NULL},
    {"prod", ASPECT_PRODUCT, IN_RULE, false, NULL},
    {"test", ASPECT_TEST, IN_RULE, false, NULL},
    {"let", ASPECT_LET, IN_HOST | IN_RULE, false, NULL},
    {"par", ASPECT_PARAMETER, IN_RULE, false, NULL},
    {"parin", ASPECT_PARAMETER_IN, IN_RULE, false, NULL},
    {"parout", ASPECT_PARAMETER_OUT, IN_RULE, false, NULL},
    {"ask", ASPECT_REFUSED, IN_RULE, false, "parameters that a user is asked for are not supported"},
    {"edge", ASPECT_REFUSED, IN_TYPE, false, "nodes that stand for edges are not supported"},
    {"abs", ASPECT_ABSTRACT, IN_TYPE, true, NULL},
    {"sub", ASPECT_SUBTYPE, IN_TYPE, false, NULL},
    {"import", ASPECT_REFUSED, IN_TYPE, false, "types from another type graph are not supported"},
    {"in", ASPECT_MULTIPLICITY_IN, IN_TYPE, true, NULL},
    {"out", ASPECT_MULTIPLICITY_OUT, IN_TYPE, true, NULL},
    {"part", ASPECT_PART, IN_TYPE, true, NULL},
    {"mult", ASPECT_MULTIPLICITY, IN_HOST, true, NULL},
    {"path", ASPECT_PATH, IN_RULE, false, NULL},
    {"forall", ASPECT_FORALL, IN_RULE, false, NULL},
    {"forallx", ASPECT_FORALL_NON_EMPTY, IN_RULE, false, NULL},
    {"exists", ASPECT_EXISTS, IN_RULE, false, NULL},
    {"existsx", ASPECT_EXISTS_OPTIONAL, IN_RULE, false, NULL},
    {"nested", ASPECT_NESTED, IN_RULE, false, NULL},
    {"or", ASPECT_OR, IN_RULE, false, NULL},
    {"id", ASPECT_ID, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
    {"color", ASPECT_COLOR, IN_HOST | IN_RULE | IN_TYPE, false, NULL},
};

enum { ASPECTS = sizeof known_aspects / sizeof *known_aspects };

enum sort sort_of(enum aspect aspect)
{
    switch (aspect) {
    case ASPECT_BOOL: return SORT_BOOL;
    case ASPECT_INT: return SORT_INT;
    case ASPECT_REAL: return SORT_REAL;
    case ASPECT_STRING: return SORT_STRING;
    default: return SORT_NONE;
    }
}

/* One or more digits, or "*". */
static bool bound(const char **text, uint32_t *number)
{
    if (**text == '*') {
        (*text)++;
        *number = NO_NUMBER;
        return true;
    }
    uint64_t value = 0;
    const char *first = *text;
    for (; isdigit((unsigned char)**text); (*text)++)
        if ((value = 10 * value + (uint64_t)(**text - '0')) >= NO_NUMBER)
            return false;
    *number = (uint32_t)value;
    return *text > first;
}

bool multiplicity_split(const char *text, uint32_t *least, uint32_t *most)
{
    if (!bound(&text, least))
        return false;
    *most = *least;
    if (*least == NO_NUMBER)
        *least = 0;
    if (strncmp(text, "..", 2) == 0) {
        text += 2;
        if (!bound(&text, most))
            return false;
    }
    return *text == '\0' && *least <= *most;
}

static bool unknown_aspect(struct reading *reading, const struct file *file, struct place at, const char *text,
                           size_t length)
{
    const char *name = keep(reading, text, length);
    if (!name)
        return false;
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < ASPECTS; i++)
        nearest_offer(&nearest, known_aspects[i].name);
    groove_wrong(reading, file, at, "'%.80s:' is not a prefix of a label", name);
    if (nearest.best)
        hint(reading->error, "did you mean '%s:'?", nearest.best);
    else
        hint(reading->error, "a label that contains a colon begins with one, as ':a:b'");
    return false;
}

static const struct known_aspect *find_aspect(const char *text, size_t length)
{
    for (size_t i = 0; i < ASPECTS; i++)
        if (strncmp(known_aspects[i].name, text, length) == 0 && known_aspects[i].name[length] == '\0')
            return &known_aspects[i];
    return NULL;
}

/* Notes what a prefix says; the text stands behind its colon. */
static bool note(struct reading *reading, const struct file *file, const struct known_aspect *known,
                 const char *content, struct label_parts *parts)
{
    bool is_role = known->aspect >= ASPECT_READER && known->aspect <= ASPECT_EMBARGO;
    if (known->refused)
        return groove_wrong(reading, file, parts->at, "'%s:': %s", known->name, known->refused);
    if (is_role && parts->role)
        return groove_wrong(reading, file, parts->at, "a label has two roles");
    if (is_role)
        parts->role = known->aspect;
    if (is_role || is_quantifier(known->aspect))
        parts->level = content ? content : parts->level;
    switch (known->aspect) {
    case ASPECT_ABSTRACT: parts->is_abstract = true; return true;
    case ASPECT_MULTIPLICITY_IN: parts->in = content ? content : ""; return true;
    case ASPECT_MULTIPLICITY_OUT: parts->out = content ? content : ""; return true;
    case ASPECT_PART: parts->is_part = true; return true;
    default: break;
    }
    if (!is_role) {
        parts->aspect = known->aspect;
        parts->content = content;
    }
    return true;
}

/* Takes one prefix; *more tells whether another may follow. */
static bool take_prefix(struct reading *reading, const struct file *file, enum graph_role where,
                        struct label_parts *parts, bool *more)
{
    size_t letters = 0, colon = strcspn(parts->text, ":");
    while (isalpha((unsigned char)parts->text[letters]))
        letters++;
    *more = false;
    if (letters == 0) {
        if (colon == 0) {
            parts->is_literal = true;
            parts->text++;
            parts->at.column++;
        }
        return true;
    }
    if (letters == 4 && colon == 4 && (strncmp(parts->text, "type", 4) == 0 || strncmp(parts->text, "flag", 4) == 0))
        return true;
    const struct known_aspect *known = find_aspect(parts->text, letters);
    if (!known || !(known->where & where) || (colon != letters && parts->text[letters] != '='))
        return unknown_aspect(reading, file, parts->at, parts->text, colon);
    const char *content = colon > letters ? keep(reading, parts->text + letters + 1, colon - letters - 1) : NULL;
    if (reading->status != PORTOLAN_OK || !note(reading, file, known, content, parts))
        return false;
    parts->text += colon + 1;
    parts->at.column += (unsigned)colon + 1;
    *more = known->goes_on;
    return true;
}

/* Quoted text and lists in brackets may hold colons that end no prefix. */
static bool has_prefix(const char *text)
{
    return strchr(text, ':') && text[strcspn(text, ":'\"{[(")] == ':';
}

bool label_split(struct reading *reading, const struct file *file, const struct gxl_edge *edge, enum graph_role where,
                 struct label_parts *parts)
{
    *parts = (struct label_parts){.text = edge->label, .at = edge->at, .kind = LABEL_BINARY};
    for (bool more = true; more && has_prefix(parts->text);)
        if (!take_prefix(reading, file, where, parts, &more))
            return false;
    if (!parts->is_literal && parts->aspect == ASPECT_NONE && where != IN_RULE) {
        bool is_type = strncmp(parts->text, "type:", 5) == 0;
        if (is_type || strncmp(parts->text, "flag:", 5) == 0) {
            parts->kind = is_type ? LABEL_TYPE : LABEL_FLAG;
            parts->text += 5;
            parts->at.column += 5;
        }
    }
    return true;
}
