/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/pnml_cursor.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 100, MAX_VALUE_BYTES = 65536 };

#if LIBXML_VERSION >= 21200
typedef const xmlError *reported_error;
#else
typedef xmlErrorPtr reported_error;
#endif

/* Keeps the first error that makes the input unusable.  Namespace errors do not: prefixes are ignored anyway. */
static void on_xml_error(void *context, reported_error reported)
{
    struct pnml_cursor *cursor = context;
    if (cursor->malformed.code || !reported || reported->code == XML_ERR_OK)
        return;
    if (reported->level < XML_ERR_FATAL && reported->code != XML_WAR_UNDECLARED_ENTITY &&
        reported->code != XML_ERR_NO_MEMORY)
        return;
    const char *message = reported->message ? reported->message : "the input is not XML";
    cursor->malformed.code = reported->code;
    cursor->malformed.line = reported->line > 0 ? (unsigned)reported->line : 0;
    cursor->malformed.column = reported->int2 > 0 ? (unsigned)reported->int2 : 1;
    pnml_clean_text(cursor->malformed.message, sizeof cursor->malformed.message, message, strcspn(message, "\n"));
}

/* libxml2 reports some failures to allocate as text only. */
__attribute__((format(printf, 2, 3))) static void on_xml_text(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

bool pnml_cursor_open(struct pnml_cursor *cursor, struct pnml_source *source, struct portolan_error *error)
{
    *cursor = (struct pnml_cursor){.source = source, .error = error};
    xmlInitParser();
    /* errors of the decoder bypass the reader's own handler and would be printed; these handlers are per thread */
    cursor->outer.structured = xmlStructuredError;
    cursor->outer.structured_context = xmlStructuredErrorContext;
    cursor->outer.generic = xmlGenericError;
    cursor->outer.generic_context = xmlGenericErrorContext;
    xmlSetStructuredErrorFunc(cursor, on_xml_error);
    xmlSetGenericErrorFunc(NULL, on_xml_text);
    cursor->xml = xmlReaderForIO(pnml_source_read, NULL, source, NULL, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT);
    if (!cursor->xml)
        return pnml_no_memory(cursor);
    xmlTextReaderSetStructuredErrorHandler(cursor->xml, on_xml_error, cursor);
    return true;
}

void pnml_cursor_close(struct pnml_cursor *cursor)
{
    xmlFreeTextReader(cursor->xml);
    xmlSetStructuredErrorFunc(cursor->outer.structured_context, cursor->outer.structured);
    xmlSetGenericErrorFunc(cursor->outer.generic_context, cursor->outer.generic);
    free(cursor->value.item);
    cursor->xml = NULL;
    cursor->value.item = NULL;
}

struct pnml_quoted pnml_quote(const char *text)
{
    struct pnml_quoted quoted = {0};
    pnml_clean_text(quoted.text, sizeof quoted.text, text, strlen(text));
    return quoted;
}

bool pnml_no_memory(struct pnml_cursor *cursor)
{
    if (cursor->status == PORTOLAN_OK)
        cursor->status = fail_memory(cursor->error);
    return false;
}

bool pnml_wrong(struct pnml_cursor *cursor, struct pnml_spot spot, const char *format, ...)
{
    if (cursor->status != PORTOLAN_OK)
        return false;
    cursor->status = PORTOLAN_BAD_INPUT;
    if (!cursor->error)
        return false;
    char message[sizeof cursor->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct pnml_location location;
    pnml_locate_element(cursor->source, spot, &location);
    fail_at(cursor->error, cursor->source->name, location.line, location.column, location.text, "%s", message);
    return false;
}

static bool read_failed(struct pnml_cursor *cursor)
{
    cursor->status = fail(cursor->error, PORTOLAN_IO, "cannot read the file: %s", strerror(cursor->source->failure));
    if (cursor->error)
        snprintf(cursor->error->file, sizeof cursor->error->file, "%s", cursor->source->name);
    return false;
}

static bool refuse_document_type(struct pnml_cursor *cursor)
{
    struct pnml_spot spot = {.element = PNML_DOCTYPE_ELEMENT, .line = 1};
    pnml_wrong(cursor, spot, "the document type declares entities or other markup, which is not supported");
    hint(cursor->error, "remove the part between [ and ] from the DOCTYPE");
    return false;
}

static bool refuse_monster(struct pnml_cursor *cursor)
{
    struct pnml_spot spot = {.element = cursor->source->scanner.elements,
                             .line = (uint32_t)xmlTextReaderGetParserLineNumber(cursor->xml)};
    return pnml_wrong(cursor, spot, "markup longer than %d bytes, or a tag with more than %d attributes",
                      PNML_MAX_MARKUP_BYTES, PNML_MAX_ATTRIBUTES);
}

/* What libxml2 reported, in words that fit a user of ours. */
static const char *complaint(const struct pnml_cursor *cursor)
{
    if (cursor->malformed.code == 0)
        return "it cannot be parsed";
    if (cursor->malformed.code == XML_ERR_DOCUMENT_END)
        return "the input ends before the root element does, or something follows the root element";
    if (strstr(cursor->malformed.message, "uge ")) /* "huge text node", "Huge input lookup" */
        return "a single text is longer than 10 MB";
    return cursor->malformed.message;
}

/* Turns what libxml2 reported into our error. */
static bool not_well_formed(struct pnml_cursor *cursor)
{
    const struct pnml_source *source = cursor->source;
    if (source->failure)
        return read_failed(cursor);
    if (source->monstrous)
        return refuse_monster(cursor);
    if (cursor->malformed.code == XML_ERR_NO_MEMORY && !strstr(cursor->malformed.message, "huge text"))
        return pnml_no_memory(cursor);
    if (cursor->malformed.code == XML_ERR_ENTITY_LOOP)
        return refuse_document_type(cursor);
    cursor->status = PORTOLAN_BAD_INPUT;
    if (!cursor->error)
        return false;
    if (source->delivered == 0) {
        fail_at(cursor->error, source->name, 1, 1, NULL, "the input is empty");
        hint(cursor->error, "a PNML file begins with <pnml>");
        return false;
    }
    unsigned line = cursor->malformed.line;
    if (line == 0)
        line = (unsigned)xmlTextReaderGetParserLineNumber(cursor->xml);
    struct pnml_location location;
    pnml_locate_line(cursor->source, line, cursor->malformed.column, &location);
    fail_at(cursor->error, source->name, location.line, location.column, location.text, "not well-formed XML: %s",
            complaint(cursor));
    if (cursor->malformed.code == XML_ERR_DOCUMENT_EMPTY)
        hint(cursor->error, "a PNML file is XML and begins with <pnml>");
    return false;
}

/* Entities, attribute defaults and the like are the usual ways to make a small file expensive. */
static bool check_document_type(struct pnml_cursor *cursor)
{
    xmlNodePtr node = xmlTextReaderCurrentNode(cursor->xml);
    return !node || node->type != XML_DTD_NODE || !node->children ? true : refuse_document_type(cursor);
}

/* Goes to the next node; false at the end and when something is wrong. */
static bool advance(struct pnml_cursor *cursor)
{
    if (cursor->status != PORTOLAN_OK)
        return false;
    if (limits_reached()) {
        cursor->status = fail_memory(cursor->error);
        return false;
    }
    int got = xmlTextReaderRead(cursor->xml);
    if (got < 0 || cursor->malformed.code)
        return not_well_formed(cursor);
    if (got == 0)
        return false;
    switch (xmlTextReaderNodeType(cursor->xml)) {
    case XML_READER_TYPE_ELEMENT:
        cursor->elements++;
        if (xmlTextReaderDepth(cursor->xml) > MAX_DEPTH)
            return pnml_wrong(cursor, pnml_here(cursor), "elements are nested more than %d deep", MAX_DEPTH);
        return true;
    case XML_READER_TYPE_DOCUMENT_TYPE: return check_document_type(cursor);
    case XML_READER_TYPE_ENTITY_REFERENCE:
        return pnml_wrong(cursor, pnml_here(cursor), "an entity is used, which is not supported");
    default: return true;
    }
}

bool pnml_root(struct pnml_cursor *cursor)
{
    while (advance(cursor))
        if (xmlTextReaderNodeType(cursor->xml) == XML_READER_TYPE_ELEMENT)
            return true;
    return cursor->status == PORTOLAN_OK ? not_well_formed(cursor) : false;
}

bool pnml_end(struct pnml_cursor *cursor)
{
    while (advance(cursor))
        ;
    return cursor->status == PORTOLAN_OK;
}

struct pnml_children pnml_children(struct pnml_cursor *cursor)
{
    return (struct pnml_children){
        .depth = xmlTextReaderDepth(cursor->xml),
        .none = xmlTextReaderIsEmptyElement(cursor->xml) != 0,
    };
}

/* Goes to the next node within the parent, at any depth. */
static bool advance_within(struct pnml_cursor *cursor, const struct pnml_children *children)
{
    if (children->none || !advance(cursor))
        return false;
    return xmlTextReaderNodeType(cursor->xml) != XML_READER_TYPE_END_ELEMENT ||
           xmlTextReaderDepth(cursor->xml) != children->depth;
}

bool pnml_next_child(struct pnml_cursor *cursor, struct pnml_children *children)
{
    while (advance_within(cursor, children))
        if (xmlTextReaderNodeType(cursor->xml) == XML_READER_TYPE_ELEMENT &&
            xmlTextReaderDepth(cursor->xml) == children->depth + 1)
            return true;
    children->none = true; /* asking again must not read on behind the parent */
    return false;
}

const char *pnml_element(const struct pnml_cursor *cursor)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(cursor->xml);
    if (!name)
        return "";
    const char *colon = strrchr(name, ':'); /* left there when the prefix is not declared */
    return colon ? colon + 1 : name;
}

bool pnml_is(const struct pnml_cursor *cursor, const char *name)
{
    return strcmp(pnml_element(cursor), name) == 0;
}

struct pnml_spot pnml_here(const struct pnml_cursor *cursor)
{
    long line = xmlGetLineNo(xmlTextReaderCurrentNode(cursor->xml));
    if (line <= 0 || line >= UINT16_MAX) /* libxml2 keeps 16 bits */
        line = xmlTextReaderGetParserLineNumber(cursor->xml);
    return (struct pnml_spot){.element = cursor->elements, .line = (uint32_t)line};
}

/* Appends to cursor->value, which must not grow without limit. */
static bool append_value(struct pnml_cursor *cursor, const char *piece)
{
    size_t length = strlen(piece);
    if (cursor->value.count + length > MAX_VALUE_BYTES)
        return pnml_wrong(cursor, pnml_here(cursor), "a text is longer than %d bytes", MAX_VALUE_BYTES);
    if (!vector_reserve(&cursor->value, length + 1))
        return pnml_no_memory(cursor);
    memcpy(cursor->value.item + cursor->value.count, piece, length + 1);
    cursor->value.count += length;
    return true;
}

bool pnml_attribute(struct pnml_cursor *cursor, const char *name, const char **value)
{
    *value = NULL;
    int moved = xmlTextReaderMoveToAttribute(cursor->xml, (const xmlChar *)name);
    if (moved <= 0)
        return moved == 0 ? true : pnml_no_memory(cursor);
    const char *piece = (const char *)xmlTextReaderConstValue(cursor->xml);
    cursor->value.count = 0;
    bool kept = piece ? append_value(cursor, piece) : pnml_no_memory(cursor);
    xmlTextReaderMoveToElement(cursor->xml);
    *value = kept ? cursor->value.item : NULL;
    return kept;
}

bool pnml_next_text(struct pnml_cursor *cursor, const struct pnml_children *children, const char **text)
{
    while (advance_within(cursor, children)) {
        int type = xmlTextReaderNodeType(cursor->xml);
        if ((type != XML_READER_TYPE_TEXT && type != XML_READER_TYPE_CDATA &&
             type != XML_READER_TYPE_SIGNIFICANT_WHITESPACE) ||
            xmlTextReaderDepth(cursor->xml) != children->depth + 1)
            continue;
        *text = (const char *)xmlTextReaderConstValue(cursor->xml);
        return *text ? true : pnml_no_memory(cursor);
    }
    return false;
}

bool pnml_text(struct pnml_cursor *cursor, const char **text)
{
    struct pnml_children children = pnml_children(cursor);
    cursor->value.count = 0;
    if (!append_value(cursor, ""))
        return false;
    for (const char *piece; pnml_next_text(cursor, &children, &piece);)
        if (!append_value(cursor, piece))
            return false;
    if (cursor->status != PORTOLAN_OK)
        return false;
    static const char white_space[] = " \t\r\n";
    char *value = cursor->value.item;
    size_t end = cursor->value.count;
    while (end > 0 && strchr(white_space, value[end - 1]))
        end--;
    value[end] = '\0';
    *text = value + strspn(value, white_space);
    return true;
}
