/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/cursor.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "xml/library.h"

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
    struct xml_cursor *cursor = context;
    if (cursor->malformed.code || !reported || reported->code == XML_ERR_OK)
        return;
    if (reported->level < XML_ERR_FATAL && reported->code != XML_WAR_UNDECLARED_ENTITY &&
        reported->code != XML_ERR_NO_MEMORY)
        return;
    const char *message = reported->message ? reported->message : "the input is not XML";
    cursor->malformed.code = reported->code;
    cursor->malformed.line = reported->line > 0 ? (unsigned)reported->line : 0;
    cursor->malformed.column = reported->int2 > 0 ? (unsigned)reported->int2 : 1;
    xml_clean_text(cursor->malformed.message, sizeof cursor->malformed.message, message, strcspn(message, "\n"));
}

/* libxml2 reports some failures to allocate as text only. */
__attribute__((format(printf, 2, 3))) static void on_xml_text(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

bool xml_cursor_open(struct xml_cursor *cursor, struct xml_source *source, const char *language, const char *root,
                     struct portolan_error *error)
{
    *cursor = (struct xml_cursor){.source = source, .error = error, .language = language, .root = root};
    if (!libxml_load(error)) {
        cursor->status = PORTOLAN_REFUSED;
        return false;
    }
    cursor->is_open = true;
    libxml.xmlInitParser();
    /* errors of the decoder bypass the reader's own handler and would be printed; these handlers are per thread */
    cursor->outer.structured = *libxml.__xmlStructuredError();
    cursor->outer.structured_context = *libxml.__xmlStructuredErrorContext();
    cursor->outer.generic = *libxml.__xmlGenericError();
    cursor->outer.generic_context = *libxml.__xmlGenericErrorContext();
    libxml.xmlSetStructuredErrorFunc(cursor, on_xml_error);
    libxml.xmlSetGenericErrorFunc(NULL, on_xml_text);
    cursor->xml = libxml.xmlReaderForIO(xml_source_read, NULL, source, NULL, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT);
    if (!cursor->xml)
        return xml_no_memory(cursor);
    libxml.xmlTextReaderSetStructuredErrorHandler(cursor->xml, on_xml_error, cursor);
    return true;
}

void xml_cursor_close(struct xml_cursor *cursor)
{
    if (!cursor->is_open)
        return;
    cursor->is_open = false;
    libxml.xmlFreeTextReader(cursor->xml);
    libxml.xmlSetStructuredErrorFunc(cursor->outer.structured_context, cursor->outer.structured);
    libxml.xmlSetGenericErrorFunc(cursor->outer.generic_context, cursor->outer.generic);
    free(cursor->value.item);
    cursor->xml = NULL;
    cursor->value.item = NULL;
}

struct xml_quoted xml_quote(const char *text)
{
    struct xml_quoted quoted = {0};
    xml_clean_text(quoted.text, sizeof quoted.text, text, strlen(text));
    return quoted;
}

bool xml_no_memory(struct xml_cursor *cursor)
{
    if (cursor->status == PORTOLAN_OK)
        cursor->status = fail_memory(cursor->error);
    return false;
}

bool xml_wrong(struct xml_cursor *cursor, struct xml_spot spot, const char *format, ...)
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
    struct xml_location location;
    xml_locate_element(cursor->source, spot, &location);
    fail_at(cursor->error, cursor->source->name, location.line, location.column, location.text, "%s", message);
    return false;
}

static bool read_failed(struct xml_cursor *cursor)
{
    cursor->status = fail(cursor->error, PORTOLAN_IO, "cannot read the file: %s", strerror(cursor->source->failure));
    if (cursor->error)
        snprintf(cursor->error->file, sizeof cursor->error->file, "%s", cursor->source->name);
    return false;
}

static bool refuse_document_type(struct xml_cursor *cursor)
{
    struct xml_spot spot = {.element = XML_DOCTYPE_ELEMENT, .line = 1};
    xml_wrong(cursor, spot, "the document type declares entities or other markup, which is not supported");
    hint(cursor->error, "remove the part between [ and ] from the DOCTYPE");
    return false;
}

static bool refuse_monster(struct xml_cursor *cursor)
{
    struct xml_spot spot = {.element = cursor->source->scanner.elements,
                            .line = (uint32_t)libxml.xmlTextReaderGetParserLineNumber(cursor->xml)};
    return xml_wrong(cursor, spot, "markup longer than %d bytes, or a tag with more than %d attributes",
                     XML_MAX_MARKUP_BYTES, XML_MAX_ATTRIBUTES);
}

/* What libxml2 reported, in words that fit a user of ours. */
static const char *complaint(const struct xml_cursor *cursor)
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
static bool not_well_formed(struct xml_cursor *cursor)
{
    const struct xml_source *source = cursor->source;
    if (source->failure)
        return read_failed(cursor);
    if (source->monstrous)
        return refuse_monster(cursor);
    if (cursor->malformed.code == XML_ERR_NO_MEMORY && !strstr(cursor->malformed.message, "huge text"))
        return xml_no_memory(cursor);
    if (cursor->malformed.code == XML_ERR_ENTITY_LOOP)
        return refuse_document_type(cursor);
    cursor->status = PORTOLAN_BAD_INPUT;
    if (!cursor->error)
        return false;
    if (source->delivered == 0) {
        fail_at(cursor->error, source->name, 1, 1, NULL, "the input is empty");
        hint(cursor->error, "a %s file begins with <%s>", cursor->language, cursor->root);
        return false;
    }
    unsigned line = cursor->malformed.line;
    if (line == 0)
        line = (unsigned)libxml.xmlTextReaderGetParserLineNumber(cursor->xml);
    struct xml_location location;
    xml_locate_line(cursor->source, line, cursor->malformed.column, &location);
    fail_at(cursor->error, source->name, location.line, location.column, location.text, "not well-formed XML: %s",
            complaint(cursor));
    if (cursor->malformed.code == XML_ERR_DOCUMENT_EMPTY)
        hint(cursor->error, "a %s file is XML and begins with <%s>", cursor->language, cursor->root);
    return false;
}

/* Entities, attribute defaults and the like are the usual ways to make a small file expensive. */
static bool check_document_type(struct xml_cursor *cursor)
{
    xmlNodePtr node = libxml.xmlTextReaderCurrentNode(cursor->xml);
    return !node || node->type != XML_DTD_NODE || !node->children ? true : refuse_document_type(cursor);
}

/* Goes to the next node; false at the end and when something is wrong. */
static bool advance(struct xml_cursor *cursor)
{
    if (cursor->status != PORTOLAN_OK)
        return false;
    if (limits_reached()) {
        cursor->status = fail_memory(cursor->error);
        return false;
    }
    int got = libxml.xmlTextReaderRead(cursor->xml);
    if (got < 0 || cursor->malformed.code)
        return not_well_formed(cursor);
    if (got == 0)
        return false;
    switch (libxml.xmlTextReaderNodeType(cursor->xml)) {
    case XML_READER_TYPE_ELEMENT:
        cursor->elements++;
        if (libxml.xmlTextReaderDepth(cursor->xml) > MAX_DEPTH)
            return xml_wrong(cursor, xml_here(cursor), "elements are nested more than %d deep", MAX_DEPTH);
        return true;
    case XML_READER_TYPE_DOCUMENT_TYPE: return check_document_type(cursor);
    case XML_READER_TYPE_ENTITY_REFERENCE:
        return xml_wrong(cursor, xml_here(cursor), "an entity is used, which is not supported");
    default: return true;
    }
}

bool xml_root(struct xml_cursor *cursor)
{
    while (advance(cursor))
        if (libxml.xmlTextReaderNodeType(cursor->xml) == XML_READER_TYPE_ELEMENT)
            return true;
    return cursor->status == PORTOLAN_OK ? not_well_formed(cursor) : false;
}

bool xml_end(struct xml_cursor *cursor)
{
    while (advance(cursor))
        ;
    return cursor->status == PORTOLAN_OK;
}

struct xml_children xml_children(struct xml_cursor *cursor)
{
    return (struct xml_children){
        .depth = libxml.xmlTextReaderDepth(cursor->xml),
        .none = libxml.xmlTextReaderIsEmptyElement(cursor->xml) != 0,
    };
}

/* Goes to the next node within the parent, at any depth. */
static bool advance_within(struct xml_cursor *cursor, const struct xml_children *children)
{
    if (children->none || !advance(cursor))
        return false;
    return libxml.xmlTextReaderNodeType(cursor->xml) != XML_READER_TYPE_END_ELEMENT ||
           libxml.xmlTextReaderDepth(cursor->xml) != children->depth;
}

bool xml_next_child(struct xml_cursor *cursor, struct xml_children *children)
{
    while (advance_within(cursor, children))
        if (libxml.xmlTextReaderNodeType(cursor->xml) == XML_READER_TYPE_ELEMENT &&
            libxml.xmlTextReaderDepth(cursor->xml) == children->depth + 1)
            return true;
    children->none = true; /* asking again must not read on behind the parent */
    return false;
}

const char *xml_element(const struct xml_cursor *cursor)
{
    const char *name = (const char *)libxml.xmlTextReaderConstLocalName(cursor->xml);
    if (!name)
        return "";
    const char *colon = strrchr(name, ':'); /* left there when the prefix is not declared */
    return colon ? colon + 1 : name;
}

bool xml_is(const struct xml_cursor *cursor, const char *name)
{
    return strcmp(xml_element(cursor), name) == 0;
}

struct xml_spot xml_here(const struct xml_cursor *cursor)
{
    long line = libxml.xmlGetLineNo(libxml.xmlTextReaderCurrentNode(cursor->xml));
    if (line <= 0 || line >= UINT16_MAX) /* libxml2 keeps 16 bits */
        line = libxml.xmlTextReaderGetParserLineNumber(cursor->xml);
    return (struct xml_spot){.element = cursor->elements, .line = (uint32_t)line};
}

/* Appends to cursor->value, which must not grow without limit. */
static bool append_value(struct xml_cursor *cursor, const char *piece)
{
    size_t length = strlen(piece);
    if (cursor->value.count + length > MAX_VALUE_BYTES)
        return xml_wrong(cursor, xml_here(cursor), "a text is longer than %d bytes", MAX_VALUE_BYTES);
    if (!vector_reserve(&cursor->value, length + 1))
        return xml_no_memory(cursor);
    memcpy(cursor->value.item + cursor->value.count, piece, length + 1);
    cursor->value.count += length;
    return true;
}

bool xml_attribute(struct xml_cursor *cursor, const char *name, const char **value)
{
    *value = NULL;
    int moved = libxml.xmlTextReaderMoveToAttribute(cursor->xml, (const xmlChar *)name);
    if (moved <= 0)
        return moved == 0 ? true : xml_no_memory(cursor);
    const char *piece = (const char *)libxml.xmlTextReaderConstValue(cursor->xml);
    cursor->value.count = 0;
    bool kept = piece ? append_value(cursor, piece) : xml_no_memory(cursor);
    libxml.xmlTextReaderMoveToElement(cursor->xml);
    *value = kept ? cursor->value.item : NULL;
    return kept;
}

bool xml_next_text(struct xml_cursor *cursor, const struct xml_children *children, const char **text)
{
    while (advance_within(cursor, children)) {
        int type = libxml.xmlTextReaderNodeType(cursor->xml);
        if ((type != XML_READER_TYPE_TEXT && type != XML_READER_TYPE_CDATA &&
             type != XML_READER_TYPE_SIGNIFICANT_WHITESPACE) ||
            libxml.xmlTextReaderDepth(cursor->xml) != children->depth + 1)
            continue;
        *text = (const char *)libxml.xmlTextReaderConstValue(cursor->xml);
        return *text ? true : xml_no_memory(cursor);
    }
    return false;
}

bool xml_text(struct xml_cursor *cursor, const char **text)
{
    struct xml_children children = xml_children(cursor);
    cursor->value.count = 0;
    if (!append_value(cursor, ""))
        return false;
    for (const char *piece; xml_next_text(cursor, &children, &piece);)
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
