/* SPDX-License-Identifier: Apache-2.0 */
/* Running compiled thread programs; all functions may be called from several threads at once. */
#ifndef FRONT_THREADS_MACHINE_H
#define FRONT_THREADS_MACHINE_H

#include "front/threads/program.h"

/* Everybody at their first step. */
void machine_initial(const struct program *program, int32_t *state);
/* Fires the next step of an agent, which must be enabled, in place. */
void machine_fire(const struct program *program, int32_t *state, uint32_t agent);
/* The instruction of an agent's next step, NULL when it has ended, failed or is not born. */
const struct instruction *machine_next(const struct program *program, const int32_t *state, uint32_t agent);
bool machine_enabled(const struct program *program, const int32_t *state, uint32_t agent);
/* Fills everything but the action. */
void machine_footprint(const struct program *program, const int32_t *state, uint32_t agent, struct portolan_step *step);
void machine_describe(const struct program *program, const int32_t *state, uint32_t agent, char *text, size_t size);

/* The result of an operation on two numbers; false when it has none. */
bool calculate(enum operation operation, int32_t a, int32_t b, int32_t *result);

#endif
