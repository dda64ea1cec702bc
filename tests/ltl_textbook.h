/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On-the-fly reduction as it used to be done, to show what is wrong with it: the set explored in a program state is
 * chosen anew in each node of the product, and the proviso looks at a stack of nodes.
 */
#ifndef TESTS_LTL_TEXTBOOK_H
#define TESTS_LTL_TEXTBOOK_H

#include "ltl/ltl_property.h"
#include "property/property.h"

enum textbook {
    TEXTBOOK_PRODUCT, /* sets belong to nodes; emptiness is then decided exactly (Siegel, CAV 2019) */
    TEXTBOOK_NESTED   /* and the inner search of two nested ones chooses its own (Holzmann, Peled, Yannakakis 1996) */
};

/* Says whether the property is violated, with strong stubborn sets, visibility and the in-stack proviso. */
bool textbook_violated(struct portolan_system *system, const struct portolan_property *property, enum textbook how);

#endif
