/* SPDX-License-Identifier: Apache-2.0 */
/* Input that may keep us waiting, as pipes do: limits count while we wait, also for someone to open the other end. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdio.h>
#include <sys/types.h>

/* A descriptor, or -1 with errno. */
int input_open(const char *path);
/* As read(2).  -1 with ECANCELED: a limit was reached. */
ssize_t input_read(int descriptor, void *buffer, size_t size);
/* A stream that reads this way, or NULL with errno. */
FILE *input_stream(const char *path);

#endif
