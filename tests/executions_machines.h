/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EXECUTIONS_MACHINES_H
#define TESTS_EXECUTIONS_MACHINES_H

#include <stdint.h>

enum result { PASSED, FAILED, SKIPPED };

/* Random machine number `number` of a seed: every method against a naive count of its traces. */
enum result check_machine(uint64_t seed, uint64_t number);

#endif
