/* Random message-passing protocols, small enough to be explored in full. */
#ifndef RANDOM_PROTOCOL_H
#define RANDOM_PROTOCOL_H

#include <stdint.h>

/* A text in the language of docs/actors.md, which the caller frees; the same for the same seed. */
char *random_protocol(uint64_t seed);

#endif
