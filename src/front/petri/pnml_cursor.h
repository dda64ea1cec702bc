/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the elements of an XML input, one after the other, in memory that does not grow with the input.
 *
 *     struct pnml_children children = pnml_children(cursor);
 *     while (pnml_next_child(cursor, &children))
 *         if (pnml_is(cursor, "place")) ...
 *
 * What a caller does not read is skipped.  A loop ends early when something is wrong; cursor->status then says so,
 * and stays: every later call does nothing and returns false.
 *
 * Hostile input: no network, no entities (a document type with declarations of its own is refused), nesting, texts
 * and attributes are limited.  XML_PARSE_HUGE stays off: it would lift libxml2's own limits on depth, on the length
 * of a single text (10 MB) and on the expansion of entities; the size of a file is not limited without it.
 */
#ifndef FRONT_PETRI_PNML_CURSOR_H
#define FRONT_PETRI_PNML_CURSOR_H

#include "base/vector.h"
#include "front/petri/pnml_source.h"
#include "portolan/portolan.h"

#include <libxml/xmlreader.h>
#include <stdbool.h>

struct pnml_cursor {
    xmlTextReaderPtr xml;
    struct pnml_source *source;
    struct portolan_error *error; /* may be NULL */
    enum portolan_status status;
    uint32_t elements;  /* start tags met so far */
    VECTOR(char) value; /* the text or attribute read last, ends with a zero byte */
    struct {            /* the first error that libxml2 reported */
        int code;       /* 0 is none */
        unsigned line, column;
        char message[256];
    } malformed;
    struct { /* the error handlers of this thread, put back by pnml_cursor_close */
        xmlStructuredErrorFunc structured;
        xmlGenericErrorFunc generic;
        void *structured_context, *generic_context;
    } outer;
};

struct pnml_children {
    int depth; /* of the parent */
    bool none;
};

/* The source must outlive the cursor; pnml_cursor_close is due also after a failure. */
bool pnml_cursor_open(struct pnml_cursor *cursor, struct pnml_source *source, struct portolan_error *error);
void pnml_cursor_close(struct pnml_cursor *cursor);

/* Goes to the root element. */
bool pnml_root(struct pnml_cursor *cursor);
/* Reads on to the end of the input, where trailing garbage shows; false when something is wrong. */
bool pnml_end(struct pnml_cursor *cursor);

/* The children of the present element; to be asked for before anything in it is read. */
struct pnml_children pnml_children(struct pnml_cursor *cursor);
bool pnml_next_child(struct pnml_cursor *cursor, struct pnml_children *children);

/* The name of the present element without its namespace. */
const char *pnml_element(const struct pnml_cursor *cursor);
bool pnml_is(const struct pnml_cursor *cursor, const char *name);
struct pnml_spot pnml_here(const struct pnml_cursor *cursor);

/* *value is NULL when there is no such attribute, else valid until the next attribute or text is read. */
bool pnml_attribute(struct pnml_cursor *cursor, const char *name, const char **value);
/* The text of the present element without white space around it; valid as above. */
bool pnml_text(struct pnml_cursor *cursor, const char **text);
/* Goes to the next piece of text directly in the present element; for texts of any length. */
bool pnml_next_text(struct pnml_cursor *cursor, const struct pnml_children *children, const char **text);

/* Report an error at an element, or lack of memory; both return false. */
bool pnml_wrong(struct pnml_cursor *cursor, struct pnml_spot spot, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool pnml_no_memory(struct pnml_cursor *cursor);

enum { PNML_QUOTED_BYTES = 80 };
struct pnml_quoted {
    char text[PNML_QUOTED_BYTES + 1];
};
/* A piece of the input, fit for a message. */
struct pnml_quoted pnml_quote(const char *text);

#endif
