/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a certificate by probe sets. */
#ifndef CERTIFY_WRITE_VECTORS_H
#define CERTIFY_WRITE_VECTORS_H

#include "certify/certify.h"

/* The system is the one that was opened; visible as in struct claims. */
enum portolan_status write_vectors(const struct portolan_system *system, const struct record *record,
                                   const bool *visible, FILE *out, struct certificate_size *size,
                                   struct portolan_error *error);

#endif
