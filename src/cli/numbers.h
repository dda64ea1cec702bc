/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on the command line: exact, or refused. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

enum number_fault { NUMBER_FINE, NUMBER_WRONG, NUMBER_TOO_LARGE };

/* 1000000, 10M, 1.5k: whole numbers, with powers of 1000. */
enum number_fault read_count(const char *text, uint64_t least, uint64_t most, uint64_t *count);
/* 500M, 4G, 1.5GiB: with powers of 1024; not 0. */
enum number_fault read_bytes(const char *text, uint64_t most, uint64_t *bytes);
/* 90, 1.5, 10m, 2h, 1d; not 0. */
bool read_seconds(const char *text, double *seconds);

#endif
