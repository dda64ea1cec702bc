/* SPDX-License-Identifier: Apache-2.0 */
/* Property files of Helena (.prop.lna): state properties and formulas about the propositions of a net. */
#ifndef FRONT_LNA_PROPERTIES_H
#define FRONT_LNA_PROPERTIES_H

#include "property/question.h"

enum portolan_status lna_properties_read(const char *path, const struct portolan_system *system,
                                         struct questions *questions, struct portolan_error *error);
/* The same from memory; file stands for it in errors. */
enum portolan_status lna_properties_parse(const char *file, const char *text, size_t length,
                                          const struct portolan_system *system, struct questions *questions,
                                          struct portolan_error *error);

#endif
