/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a PNML file by id: places, transitions and references to them, which share one id space.
 * An arc may mention a node before it is declared; a mention makes an entry that a declaration fills later.
 */
#ifndef FRONT_PETRI_PNML_NODES_H
#define FRONT_PETRI_PNML_NODES_H

#include "base/names.h"
#include "xml/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pnml_kind { PNML_MENTIONED, PNML_PLACE, PNML_TRANSITION, PNML_REFERENCE_PLACE, PNML_REFERENCE_TRANSITION };

struct pnml_node {
    enum pnml_kind kind;
    uint32_t number; /* a place or transition: its number in the net; a reference: the node it refers to */
    uint32_t walk;   /* the walk along references that came by, 0 is none */
    struct xml_spot spot;
};

struct pnml_nodes {
    VECTOR(struct pnml_node) nodes;
    struct names ids; /* of the nodes */
};

enum pnml_reference_fault {
    PNML_REFERENCES_FINE,
    PNML_REFERENCE_DANGLING,
    PNML_REFERENCE_CYCLE,
    PNML_REFERENCE_WRONG_KIND
};

/* Finds the node with this id or makes one of kind PNML_MENTIONED; false when memory is exhausted. */
bool pnml_nodes_mention(struct pnml_nodes *table, const char *id, size_t length, uint32_t *node);
/* Valid until the next mention. */
const char *pnml_nodes_id(const struct pnml_nodes *table, uint32_t node);
/* Lets every reference refer to its place or transition directly; names the reference that cannot. */
enum pnml_reference_fault pnml_nodes_resolve(struct pnml_nodes *table, uint32_t *wrong);
/* The place or transition that a node is or, after pnml_nodes_resolve, stands for. */
const struct pnml_node *pnml_nodes_target(const struct pnml_nodes *table, uint32_t node);
void pnml_nodes_clear(struct pnml_nodes *table);

#endif
