/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation does to its object, for the search and for happens-before alike. */
#ifndef NATIVE_EFFECTS_H
#define NATIVE_EFFECTS_H

#include "native/operations.h"

enum taking {
    TAKES_NOTHING,
    TAKES_AT_FENCE, /* when an acquire fence comes */
    TAKES_AT_ONCE
};
enum gift { NO_GIFT, UP_TO_FENCE, ALL_SO_FAR };

struct effect {
    bool writes;  /* to memory, perhaps what was there before */
    bool changes; /* the value, as far as we know: what others find is different */
    enum taking takes;
    enum gift gives; /* to whoever takes it after */
    bool replaces;   /* what others gave; else it adds to that */
    uint8_t group;   /* 0, or it commutes with others of this kind: neither takes what the other gives */
};

/* A kind of operations that commute if nobody asks for their results; 0: this one does not. */
uint8_t group_of(enum operation kind);
struct effect effect_of(const struct pending *operation, uint32_t agent, unsigned __int128 value);
/* Does it matter to another operation on the object which of them comes first, even if that has no effect? */
bool has_effect(const struct pending *operation, uint32_t agent, uint64_t value);
/* Does that depend on the value it finds? */
bool may_vary(const struct pending *operation);
bool order_acquires(int order);
bool order_releases(int order);
/* What an atomic leaves behind when it finds a value. */
unsigned __int128 value_after(const struct pending *operation, unsigned __int128 old);
bool exchange_fails(const struct pending *operation, unsigned __int128 old);

#endif
