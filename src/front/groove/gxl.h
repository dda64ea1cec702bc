/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GXL graphs as GROOVE writes them: nodes, and edges with one label each.  Layout is left out.
 * Source: Winter, Kullbach, Riediger, "An overview of the GXL graph exchange language", 2002.
 */
#ifndef FRONT_GROOVE_GXL_H
#define FRONT_GROOVE_GXL_H

#include "base/names.h"
#include "front/groove/reading.h"

struct gxl_attribute {
    const char *name, *value;
    struct place at; /* of the value */
};

struct gxl_edge {
    uint32_t from, to;
    const char *label;
    struct place at; /* of the label */
};

struct gxl {
    struct file file;
    VECTOR(struct gxl_attribute) attributes; /* of the graph */
    VECTOR(struct place) nodes;
    struct names ids; /* of the nodes */
    VECTOR(struct gxl_edge) edges;
};

/* gxl_clear is due also after a failure; the name must stay. */
bool gxl_read(struct reading *reading, struct gxl *gxl, const char *name);
/* The same for a text that was read before; takes it. */
bool gxl_read_text(struct reading *reading, struct gxl *gxl, struct file file);
void gxl_clear(struct gxl *gxl);

#endif
