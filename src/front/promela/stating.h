/* SPDX-License-Identifier: Apache-2.0 */
/* What formulas and claims of a Promela model are written with. */
#ifndef FRONT_PROMELA_STATING_H
#define FRONT_PROMELA_STATING_H

#include "front/promela/ast.h"
#include "front/promela/variables.h"

struct text {
    char *item;
    size_t count, capacity;
};

struct stating {
    struct parser *parser;
    struct lowering *l;
    const char *name; /* of the formula or claim */
    unsigned atoms;
    struct text out, names; /* names: of the atoms, as HOA has them */
};

/* properties.c */
void pml_put(struct stating *s, struct text *out, const char *text);
/* A truth with a name of its own; returns its number. */
unsigned pml_add_atom(struct stating *s, const struct node *truth);
/* The model states this. */
void pml_state(struct stating *s, enum portolan_kind kind, const char *text, const char *name);

/* claims.c */
void promela_state_claim(struct parser *parser, struct lowering *l, const struct proctype *p);

/* beside.c: the claim that is a process; whether nothing else is stated, which could not be looked at beside it. */
void promela_state_claim_beside(struct parser *parser, struct lowering *l);
enum portolan_status promela_check_beside(struct parser *parser, const struct lowering *l,
                                          const struct proctype *claim);

#endif
