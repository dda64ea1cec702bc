/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all kinds of nets in PNML have in common: pages, nodes and references to them, arcs, names.  What a place, a
 * transition or an arc has beside that is read by a dialect, which the type of the net chooses.
 */
#ifndef FRONT_PETRI_PNML_WALK_H
#define FRONT_PETRI_PNML_WALK_H

#include "front/petri/pnml_nodes.h"
#include "xml/cursor.h"

struct net;
struct pnml_walk;

struct pnml_ends { /* of an arc */
    uint32_t source, target;
    struct xml_spot spot;
};

/* Each is called at its element and returns false when something is wrong. */
struct pnml_dialect {
    bool (*name)(struct pnml_walk *walk, const char *name); /* of the net: the id, then the name; false: no memory */
    /* A declared node: its number (struct pnml_node) is to be set. */
    bool (*place)(struct pnml_walk *walk, uint32_t node);
    bool (*transition)(struct pnml_walk *walk, uint32_t node);
    bool (*arc)(struct pnml_walk *walk, const struct pnml_ends *ends);
    bool (*other)(struct pnml_walk *walk); /* any other element of a net or page */
};

struct pnml_walk {
    struct xml_cursor cursor;
    struct pnml_nodes nodes;
    /* Sets dialect and user for the type of the net, which is NULL where the file does not give one. */
    bool (*choose)(struct pnml_walk *walk, const char *type);
    const struct pnml_dialect *dialect;
    void *user; /* the dialect's */
};

/* Reads the whole document, and lets references refer to their nodes. */
bool pnml_walk_document(struct pnml_walk *walk);

/* Once the document is read: which place and which transition an arc connects. */
struct pnml_connection {
    uint32_t place, transition; /* numbers of nodes */
    bool from_place;
};
bool pnml_connect(struct pnml_walk *walk, const struct pnml_ends *ends, struct pnml_connection *connection);

/* A label that may be given once; its text is in a <text> or, in older files, a <value>. */
struct pnml_label {
    const char *what; /* for messages */
    bool given;
    struct xml_spot spot;
};

/* *text is NULL when the label has none, else valid until the next text is read. */
bool pnml_read_label(struct pnml_walk *walk, struct pnml_label *label, const char **text);
/* *name is a copy to be freed; it stays NULL when the label is empty. */
bool pnml_read_name(struct pnml_walk *walk, struct pnml_label *label, char **name);

/* Another kind of net than place/transition nets. */
struct pnml_other {
    bool (*takes)(const char *type);
    const struct pnml_dialect *dialect;
    void *user;
    bool (*finish)(struct pnml_walk *walk); /* once the document is read */
};

/* Reads a net: *net is NULL when it was of the other kind.  other may be NULL. */
enum portolan_status pnml_read_source(struct xml_source *source, struct pnml_other *other, struct net **net,
                                      struct portolan_error *error);
/* The same of a file; "-" is standard input. */
enum portolan_status pnml_read_path(const char *path, struct pnml_other *other, struct net **net,
                                    struct portolan_error *error);

#endif
