/* SPDX-License-Identifier: Apache-2.0 */
/* Random message-passing protocols, small enough to be explored in full. */
#ifndef RANDOM_PROTOCOL_H
#define RANDOM_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

/* A text in the language of docs/protocols.md, which the caller frees; the same for the same seed. */
char *random_protocol(uint64_t seed);

/* Does the failure still occur?  Most of the texts that are tried are no protocols. */
typedef bool protocol_fails(void *user, const char *text);
/* Drops lines and words of the text, which is reallocated, as long as it fails (greedy, as shrink.h does it for nets).
 */
void shrink_protocol(char **text, protocol_fails *fails, void *user);

#endif
