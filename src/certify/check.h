/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the checker share. */
#ifndef CERTIFY_CHECK_H
#define CERTIFY_CHECK_H

#include "certify/certify.h"
#include "certify/claims.h"
#include "certify/reader.h"
#include "certify/states.h"
#include "certify/view.h"

/* A stubborn set as it is listed: enabled members with the key first, then disabled ones, each with a false guard. */
struct listed_set {
    size_t start;
    uint32_t enabled, disabled;
    bool directed;  /* at what contradicts a claim: it has no key */
    uint32_t local; /* UINT32_MAX, or it is a set where it has all that is enabled of this number */
};

struct step {
    uint32_t from, to;
};

struct checker {
    struct portolan_system *system;
    struct portolan_system *opened; /* the same model, with states that are wide enough */
    struct claims claims;
    struct claims stated;          /* of a simplified net: what was claimed of the original one */
    struct portolan_system *small; /* the simplified net; NULL: there is none */
    enum cycles cycles;            /* what the certificate says it proves */
    struct view view;
    struct states states;
    struct reader reader;
    VECTOR(uint32_t) members;
    VECTOR(struct listed_set) sets;
    uint32_t *in_set;   /* per transition: the last set, + 1, it was in */
    uint32_t described; /* states whose line has been read */
    VECTOR(uint32_t) rank;
    VECTOR(struct step) descents; /* along these the rank must fall */
    uint32_t *explored_in;        /* per action: the last state, + 1, in which it was explored */
    uint32_t *target;             /* per action: where it led there */
    uint32_t *listed_in;          /* per action: the last state, + 1, whose goal-directed set it is in */
    /* for formulas */
    bool has_formulas;
    VECTOR(size_t) edge_end; /* where the edges of each state end */
    VECTOR(uint32_t) edges;  /* where each leads */
    struct certificate_size size;
    struct portolan_error *error;
};

/* The certificate is not valid: the line, what is wrong.  Returns PORTOLAN_REFUSED. */
enum portolan_status not_valid(struct checker *checker, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *action_text(const struct checker *checker, uint32_t action);

/* check_set.c: the conditions on the set listed last that do not depend on a state. */
enum portolan_status check_set(struct checker *checker);
/* Does the set hold, in the present state, what leads to whatever contradicts a claim? */
enum portolan_status check_goals(struct checker *checker, const struct listed_set *set);
/* check_vectors.c: the rest of a certificate by probe sets. */
enum portolan_status check_vectors(struct checker *checker);
/* check_ltl.c: the formulas, on the listed graph. */
enum portolan_status check_formulas(struct checker *checker);

#endif
