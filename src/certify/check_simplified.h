/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of a simplified net: its steps, what the structure of the small net decides, and then its graph. */
#ifndef CERTIFY_CHECK_SIMPLIFIED_H
#define CERTIFY_CHECK_SIMPLIFIED_H

#include "certify/check.h"
#include "certify/smaller.h"

/* Reads the part behind the line "simplify"; then the system and the claims of the checker are those that are left. */
enum portolan_status check_simplified(struct checker *checker);

/* Notes what a claim asks of the net, which must stay; false when it asks for more than places. */
bool smaller_note(struct smaller *smaller, const struct claim *claim);
/* check_steps.c: the step on the present line, which is carried out. */
enum portolan_status check_step(struct checker *checker, struct smaller *smaller);
/* check_agglomeration.c: the same for these rules. */
enum portolan_status check_agglomeration(struct checker *checker, struct smaller *smaller);

/* What follows "decided N" shows that the claim is true of the net. */
enum portolan_status check_always(struct checker *checker, const struct net *net, const struct claim *claim);
enum portolan_status check_siphons(struct checker *checker, const struct net *net, const struct claim *claim);
enum portolan_status check_equation(struct checker *checker, const struct net *net, const struct claim *claim);

#define for_arcs_in(arc, net, t)                                                                                       \
    for (const struct net_arc *arc = (net)->arc + (net)->arc_offset[t],                                                \
                              *end_of_##arc = (net)->arc + (net)->arc_offset[(t) + 1];                                 \
         arc < end_of_##arc; arc++)

#endif
