/* SPDX-License-Identifier: Apache-2.0 */
/* Models in DVE, the language of DiVinE and of the BEEM models: docs/dve.md. */
#ifndef FRONT_DVE_DVE_H
#define FRONT_DVE_DVE_H

#include "portolan/portolan.h"

/* `file` stands for the text in errors, which may go afterwards. */
enum portolan_status dve_open_text(const char *file, const char *text, size_t length, struct portolan_system **system,
                                   struct portolan_error *error);

#endif
