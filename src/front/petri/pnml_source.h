/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a PNML input, from a file or from memory, and where in them an element stands.
 *
 * libxml2's reader runs ahead of the node it shows and keeps 16-bit line numbers, so the reader only counts
 * start tags; when something is wrong the input is scanned once more, up to that tag, for line and column.
 */
#ifndef FRONT_PETRI_PNML_SOURCE_H
#define FRONT_PETRI_PNML_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PNML_SHOWN_BYTES = 200, /* of a source line in an error */
    PNML_MAX_MARKUP_BYTES = 256 * 1024,
    PNML_MAX_ATTRIBUTES = 1000
};

enum pnml_region {
    PNML_CONTENT,
    PNML_REFERENCE,
    PNML_MARKUP, /* "<" was read */
    PNML_START_TAG,
    PNML_END_TAG,
    PNML_DECLARATION, /* "<!" was read */
    PNML_DOCTYPE,
    PNML_COMMENT,
    PNML_CDATA,
    PNML_INSTRUCTION
};

/*
 * Tells start tags from everything else.  Up to the element that the parser has reached the input is known to be
 * well-formed, which keeps this small.
 */
struct pnml_scanner {
    enum pnml_region region;
    char quote;          /* that is open in a tag, else 0 */
    char last, before;   /* the two bytes read last */
    uint32_t elements;   /* start tags so far */
    unsigned bytes;      /* of the present piece of markup */
    unsigned attributes; /* of the present tag */
};

struct pnml_source {
    const char *name; /* of the file, for errors */
    int descriptor;   /* -1 when the input is in memory */
    bool owned;       /* close the descriptor at the end */
    off_t start;      /* where the file began; -1 when it can be read only once */
    const char *text;
    size_t length, position; /* of the input in memory */
    uint64_t delivered;      /* bytes handed out */
    int failure;             /* errno of a failed read, else 0 */
    bool monstrous;          /* reading stopped at a piece of markup that would cost libxml2 quadratic time */
    struct pnml_scanner scanner;
};

/* An element: its number among the start tags (the root is 1), and its line as far as libxml2 knows. */
struct pnml_spot {
    uint32_t element;
    uint32_t line;
};

enum { PNML_DOCTYPE_ELEMENT = 0 }; /* stands for the document type declaration */

struct pnml_location {
    unsigned line, column;           /* 1-based, in bytes */
    char text[PNML_SHOWN_BYTES + 1]; /* the line, empty when it is not to be had or the column lies beyond it */
};

/* Opens a file, "-" is standard input; returns 0 or an errno. */
int pnml_source_open(struct pnml_source *source, const char *path);
void pnml_source_memory(struct pnml_source *source, const char *name, const char *text, size_t length);
void pnml_source_close(struct pnml_source *source);

/* An xmlInputReadCallback; context is the source. */
int pnml_source_read(void *context, char *buffer, int size);

/* Both read the input again and leave it used up; without a second reading they fall back on what they are given. */
void pnml_locate_element(struct pnml_source *source, struct pnml_spot spot, struct pnml_location *location);
void pnml_locate_line(struct pnml_source *source, unsigned number, unsigned column, struct pnml_location *location);

/* Copies text for a message: the result is UTF-8 without control characters, cut to size. */
void pnml_clean_text(char *out, size_t size, const char *text, size_t length);

#endif
