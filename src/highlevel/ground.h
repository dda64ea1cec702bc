/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grounding: a high-level net as an ordinary one, with a place for each token that can ever appear and a transition for
 * each binding over such tokens.  Which tokens can appear is over-approximated by saturation: from the initial marking
 * on, tokens are only added, whatever else a binding takes; guards are evaluated, inhibitor arcs and priorities are not
 * looked at.
 */
#ifndef HIGHLEVEL_GROUND_H
#define HIGHLEVEL_GROUND_H

#include "front/petri/net.h"
#include "highlevel/bindings.h"
#include "highlevel/system.h"

/* Makes a system of it.  *system stays NULL, with PORTOLAN_OK, when that passes the limit that GROUND_AUTO sets; the
 * net is then as before.  Else the net is taken over, also on failure. */
enum portolan_status ground_net(struct colour_net *net, enum grounding grounding, struct portolan_system **system,
                                struct portolan_error *error);

/* ------------------------------------------------------------------ between the files of grounding */

struct ground_binding {
    uint32_t transition, in_count, out_count, inhibit_count;
    size_t frame; /* in the cells of all frames */
    size_t arcs;  /* in all arcs: in, out, inhibit */
    int64_t priority;
    const char *failure;
    const struct node *failed_at;
    bool is_dead; /* it needs what never changes and is not so */
};

struct grounding_result {
    struct colour_net *net;
    struct tokens *tokens;
    struct binder *binder;
    VECTOR(struct token_count) initial;
    VECTOR(struct ground_binding) bindings;
    VECTOR(int64_t) frames;
    VECTOR(struct token_count) arcs;
    uint32_t numbered;     /* tokens that have an entry below */
    uint32_t *count;       /* per token: how many there are initially */
    uint32_t *place;       /* per token: its place in the grounded net; UINT32_MAX: it never appears */
    uint32_t *first;       /* per place of the high-level net, and one more: its first place in the grounded one */
    uint32_t *token;       /* per place of the grounded net */
    uint32_t *binding;     /* per transition of the grounded net */
    uint32_t error_place;  /* UINT32_MAX: nothing fails */
    uint32_t has_priority; /* not all priorities are equal */
};

/* saturate.c: false with *error filled; *passed: the limit of bindings, tokens or cells was passed. */
bool saturate_tokens(struct grounding_result *g, bool limited, bool *passed, struct portolan_error *error);
/* ground.c: the net of what was found; NULL when memory is exhausted. */
struct net *grounded_net(struct grounding_result *g);
void grounding_free(struct grounding_result *g);
/* ground_system.c: takes both over, also on failure. */
enum portolan_status grounded_system(struct grounding_result *g, struct net *net, struct portolan_system **system,
                                     struct portolan_error *error);

#endif
