/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of an XML input, from a file or from memory, and where in them an element stands.
 *
 * libxml2's reader runs ahead of the node it shows and keeps 16-bit line numbers, so the reader only counts
 * start tags; when something is wrong the input is scanned once more, up to that tag, for line and column.
 */
#ifndef XML_SOURCE_H
#define XML_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    XML_SHOWN_BYTES = 200, /* of a source line in an error */
    XML_MAX_MARKUP_BYTES = 256 * 1024,
    XML_MAX_ATTRIBUTES = 1000
};

enum xml_region {
    XML_CONTENT,
    XML_REFERENCE,
    XML_MARKUP, /* "<" was read */
    XML_START_TAG,
    XML_END_TAG,
    XML_DECLARATION, /* "<!" was read */
    XML_DOCTYPE,
    XML_COMMENT,
    XML_CDATA,
    XML_INSTRUCTION
};

/*
 * Tells start tags from everything else.  Up to the element that the parser has reached the input is known to be
 * well-formed, which keeps this small.
 */
struct xml_scanner {
    enum xml_region region;
    char quote;          /* that is open in a tag, else 0 */
    char last, before;   /* the two bytes read last */
    uint32_t elements;   /* start tags so far */
    unsigned bytes;      /* of the present piece of markup */
    unsigned attributes; /* of the present tag */
};

struct xml_source {
    const char *name; /* of the file, for errors */
    int descriptor;   /* -1 when the input is in memory */
    bool owned;       /* close the descriptor at the end */
    off_t start;      /* where the file began; -1 when it can be read only once */
    const char *text;
    size_t length, position; /* of the input in memory */
    uint64_t delivered;      /* bytes handed out */
    int failure;             /* errno of a failed read, else 0 */
    bool monstrous;          /* reading stopped at a piece of markup that would cost libxml2 quadratic time */
    struct xml_scanner scanner;
};

/* An element: its number among the start tags (the root is 1), and its line as far as libxml2 knows. */
struct xml_spot {
    uint32_t element;
    uint32_t line;
};

enum { XML_DOCTYPE_ELEMENT = 0 }; /* stands for the document type declaration */

struct xml_location {
    unsigned line, column;          /* 1-based, in bytes */
    char text[XML_SHOWN_BYTES + 1]; /* the line, empty when it is not to be had or the column lies beyond it */
};

/* Opens a file, "-" is standard input; returns 0 or an errno. */
int xml_source_open(struct xml_source *source, const char *path);
void xml_source_memory(struct xml_source *source, const char *name, const char *text, size_t length);
void xml_source_close(struct xml_source *source);

/* The next byte of the input; elements grows with the first byte of a start tag's name. */
void xml_scan_byte(struct xml_scanner *scanner, char byte);

/* An xmlInputReadCallback; context is the source. */
int xml_source_read(void *context, char *buffer, int size);

/* Both read the input again and leave it used up; without a second reading they fall back on what they are given. */
void xml_locate_element(struct xml_source *source, struct xml_spot spot, struct xml_location *location);
void xml_locate_line(struct xml_source *source, unsigned number, unsigned column, struct xml_location *location);

/* Copies text for a message: the result is UTF-8 without control characters, cut to size. */
void xml_clean_text(char *out, size_t size, const char *text, size_t length);

#endif
