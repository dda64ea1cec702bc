/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the elements of an XML input, one after the other, in memory that does not grow with the input.
 *
 *     struct xml_children children = xml_children(cursor);
 *     while (xml_next_child(cursor, &children))
 *         if (xml_is(cursor, "place")) ...
 *
 * What a caller does not read is skipped.  A loop ends early when something is wrong; cursor->status then says so,
 * and stays: every later call does nothing and returns false.
 *
 * Hostile input: no network, no entities (a document type with declarations of its own is refused), nesting, texts
 * and attributes are limited.  XML_PARSE_HUGE stays off: it would lift libxml2's own limits on depth, on the length
 * of a single text (10 MB) and on the expansion of entities; the size of a file is not limited without it.
 */
#ifndef XML_CURSOR_H
#define XML_CURSOR_H

#include "base/vector.h"
#include "portolan/portolan.h"
#include "xml/source.h"

#include <libxml/xmlreader.h>
#include <stdbool.h>

struct xml_cursor {
    xmlTextReaderPtr xml;
    bool is_open;         /* false: libxml2 is not there */
    const char *language; /* for messages: what the file ought to be, and its root element */
    const char *root;
    struct xml_source *source;
    struct portolan_error *error; /* may be NULL */
    enum portolan_status status;
    uint32_t elements;  /* start tags met so far */
    VECTOR(char) value; /* the text or attribute read last, ends with a zero byte */
    struct {            /* the first error that libxml2 reported */
        int code;       /* 0 is none */
        unsigned line, column;
        char message[256];
    } malformed;
    struct { /* the error handlers of this thread, put back by xml_cursor_close */
        xmlStructuredErrorFunc structured;
        xmlGenericErrorFunc generic;
        void *structured_context, *generic_context;
    } outer;
};

struct xml_children {
    int depth; /* of the parent */
    bool none;
};

/* The source must outlive the cursor; xml_cursor_close is due also after a failure. */
bool xml_cursor_open(struct xml_cursor *cursor, struct xml_source *source, const char *language, const char *root,
                     struct portolan_error *error);
void xml_cursor_close(struct xml_cursor *cursor);

/* Goes to the root element. */
bool xml_root(struct xml_cursor *cursor);
/* Reads on to the end of the input, where trailing garbage shows; false when something is wrong. */
bool xml_end(struct xml_cursor *cursor);

/* The children of the present element; to be asked for before anything in it is read. */
struct xml_children xml_children(struct xml_cursor *cursor);
bool xml_next_child(struct xml_cursor *cursor, struct xml_children *children);

/* The name of the present element without its namespace. */
const char *xml_element(const struct xml_cursor *cursor);
bool xml_is(const struct xml_cursor *cursor, const char *name);
struct xml_spot xml_here(const struct xml_cursor *cursor);

/* *value is NULL when there is no such attribute, else valid until the next attribute or text is read. */
bool xml_attribute(struct xml_cursor *cursor, const char *name, const char **value);
/* The text of the present element without white space around it; valid as above. */
bool xml_text(struct xml_cursor *cursor, const char **text);
/* Goes to the next piece of text directly in the present element; for texts of any length. */
bool xml_next_text(struct xml_cursor *cursor, const struct xml_children *children, const char **text);

/* Report an error at an element, or lack of memory; both return false. */
bool xml_wrong(struct xml_cursor *cursor, struct xml_spot spot, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool xml_no_memory(struct xml_cursor *cursor);

enum { XML_QUOTED_BYTES = 80 };
struct xml_quoted {
    char text[XML_QUOTED_BYTES + 1];
};
/* A piece of the input, fit for a message. */
struct xml_quoted xml_quote(const char *text);

#endif
