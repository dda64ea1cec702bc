/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates: what a search explored and why that is enough, in a form that
 * can be checked without trusting the search.  docs/certificates.md has the
 * format, the conditions and why they suffice.
 *
 * What was simplified before is written by src/simplify, in its own words.
 *
 * The writer (write*.c, record.c, justify.c, rank.c) takes the explored graph
 * and finds the reasons afterwards.  The checker (check*.c, reader.c) knows
 * the front ends, expressions and automata; no store, search, reduction or
 * proviso.  Both use claims.c, states.c, view.c and vectors.c.
 */
#ifndef CERTIFY_CERTIFY_H
#define CERTIFY_CERTIFY_H

#include "base/vector.h"
#include "portolan/portolan.h"

#include <stdio.h>

/* ----------------------------------------------------------------- writing */

struct record_edge {
    uint32_t from, action, to;
};

/* Collects the explored graph; a zeroed struct is empty.  Give record_callbacks to a search without chains. */
struct record {
    VECTOR(struct record_edge) edges;
    VECTOR(uint32_t) vectors; /* of a search by probe sets, one behind the other: see record.c */
    bool failed;              /* memory ran out */
    bool directed;            /* sets may be goal-directed: to be set before writing */
};

struct portolan_callbacks record_callbacks(struct record *record);
/* Forgets what was recorded, for another search. */
void record_restart(void *record);
void record_clear(struct record *record);

struct certificate_size {
    uint64_t states, edges, fully, sets;
    uint64_t steps;   /* of simplification */
    uint64_t decided; /* claims that the structure of the simplified net decides */
    uint64_t vectors; /* by probe sets; then the edges are the actions explored, and the rest is 0 */
};

/* Of a net that was simplified: what was claimed of the original one, and the lines behind that. */
struct certificate_prelude {
    const char *model, *text;
    const char *const *claims;
    size_t claim_count;
};

/*
 * Writes the certificate of a complete exploration in which no claim was seen to fail; the search must have been
 * `certifiable`.  Claims are "no deadlock", "invariant EXPR", "never EXPR" or "ltl FORMULA".  Empties the record.
 * PORTOLAN_REFUSED names a state for which there is no reason: then the reduction was not sound.
 * prelude: the system is that of the small net, the claims are those that its structure does not decide; NULL: nothing
 * was simplified.
 */
enum portolan_status certificate_write(struct portolan_system *system, struct record *record,
                                       const struct certificate_prelude *prelude, const char *const *claims,
                                       size_t claim_count, FILE *out, struct certificate_size *size,
                                       struct portolan_error *error);

/* The claim that a property with nothing found stands for; NULL when memory ran out.  The caller frees it. */
char *certificate_claim(const struct portolan_property *property);
/* Are there certificates of such a claim?  It is better to know before a long search. */
enum portolan_status certificate_allows(const struct portolan_system *system, const char *claim,
                                        struct portolan_error *error);

/* ---------------------------------------------------------------- checking */

struct certificate_report {
    struct certificate_size size;
    char **claims; /* their texts */
    size_t claim_count;
};

/*
 * Checks a certificate against a model.  PORTOLAN_OK: every claim is true of the model, if its front end is right.
 * PORTOLAN_REFUSED: not valid; the message has the state, the action, the condition.  Anything else: it could not be
 * read or checked.  name stands for the certificate in errors.  The report must be cleared after PORTOLAN_OK.
 */
enum portolan_status certificate_check(struct portolan_system *system, const char *name, FILE *in,
                                       struct certificate_report *report, struct portolan_error *error);
void certificate_report_clear(struct certificate_report *report);

#endif
