/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling the blocks of C that a model brings along (model/foreign.h).  They run in this process with all that the
 * user may do, so a front end calls this only when the user has said so.
 */
#ifndef EMIT_FOREIGN_H
#define EMIT_FOREIGN_H

#include "model/model.h"

/*
 * To be called before model_system, which may run them; nothing is done when there are none.  Otherwise it waits for
 * the compiler.  PORTOLAN_REFUSED: not allowed, or there is no compiler; PORTOLAN_BAD_INPUT: what the compiler says
 * first, with the line of the model.
 */
enum portolan_status foreign_compile(struct model *m, bool allowed, struct portolan_error *error);

#endif
