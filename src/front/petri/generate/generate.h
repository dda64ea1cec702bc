/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalable example nets: `portolan generate FAMILY N...`.  One table lists the
 * families; help, argument checks, benches and docs/families.md follow from it.
 */
#ifndef FRONT_PETRI_GENERATE_GENERATE_H
#define FRONT_PETRI_GENERATE_GENERATE_H

#include "front/petri/net.h"

struct drawing;

enum { FAMILY_PARAMETERS = 3 }; /* at most */

struct family {
    const char *name;
    const char *parameters; /* their names, "THREADS TICKETS"; empty when there are none */
    const char *summary;    /* one line */
    unsigned parameter_count;
    long minimum[FAMILY_PARAMETERS];
    long maximum[FAMILY_PARAMETERS];
    long usual[FAMILY_PARAMETERS]; /* taken for an argument that is not given */
    /* Needs parameter_count parameters in range. */
    void (*draw)(struct drawing *d, const long *parameter);
};

/* All families, in the order of the documentation; a static table. */
const struct family *generate_families(size_t *count);

/*
 * Builds a net that the caller releases with net_free.  Parameters beyond `count` take their usual values.
 * An unknown family, too many parameters or one out of range is PORTOLAN_BAD_OPTION, with a hint.
 */
enum portolan_status generate_net(const char *family, const long *parameters, size_t count, struct net **net,
                                  struct portolan_error *error);

#endif
