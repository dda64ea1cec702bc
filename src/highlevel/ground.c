/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/ground.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "highlevel/tokens.h"
#include "highlevel/words.h"

#include <stdio.h>
#include <string.h>

void grounding_free(struct grounding_result *g)
{
    binder_free(g->binder);
    tokens_free(g->tokens);
    colour_net_free(g->net);
    free(g->initial.item);
    free(g->bindings.item);
    free(g->frames.item);
    free(g->arcs.item);
    free(g->count);
    free(g->place);
    free(g->first);
    free(g->token);
    free(g->binding);
    free(g);
}

/* ------------------------------------------------------------------ what never changes */

/* How many of the token a binding adds beyond what it takes. */
static bool changes_token(const struct token_count *in, uint32_t in_count, const struct token_count *out,
                          uint32_t out_count, uint64_t *changing)
{
    bool news = false;
    for (uint32_t i = 0, o = 0; i < in_count || o < out_count;) {
        uint32_t taken = i < in_count ? in[i].token : UINT32_MAX, added = o < out_count ? out[o].token : UINT32_MAX;
        uint32_t token = taken < added ? taken : added;
        uint32_t less = taken == token ? in[i++].count : 0, more = added == token ? out[o++].count : 0;
        if (less != more && !bit_get(changing, token)) {
            bit_set(changing, token);
            news = true;
        }
    }
    return news;
}

static void find_changing(const struct grounding_result *g, uint64_t *changing)
{
    memset(changing, 0, bit_words(g->numbered) * sizeof *changing);
    for (size_t i = 0; i < g->bindings.count; i++) {
        const struct ground_binding *b = &g->bindings.item[i];
        const struct token_count *in = g->arcs.item + b->arcs;
        if (!b->is_dead)
            changes_token(in, b->in_count, in + b->in_count, b->out_count, changing);
    }
}

/* Does it need more of a token that never changes than there are, or fewer? */
static bool never_happens(const struct grounding_result *g, const struct ground_binding *b, const uint64_t *changing)
{
    const struct token_count *in = g->arcs.item + b->arcs, *inhibit = in + b->in_count + b->out_count;
    for (uint32_t i = 0; i < b->in_count; i++)
        if (!bit_get(changing, in[i].token) && g->count[in[i].token] < in[i].count)
            return true;
    for (uint32_t i = 0; i < b->inhibit_count; i++)
        if (!bit_get(changing, inhibit[i].token) && g->count[inhibit[i].token] >= inhibit[i].count)
            return true;
    return false;
}

/* Bindings that never happen, found by tokens that never change, which may leave more tokens that never change. */
static void drop_dead(struct grounding_result *g, uint64_t *changing)
{
    for (bool again = true; again && !limits_reached();) {
        again = false;
        find_changing(g, changing);
        for (size_t i = 0; i < g->bindings.count; i++) {
            struct ground_binding *b = &g->bindings.item[i];
            if (!b->is_dead && never_happens(g, b, changing))
                again = b->is_dead = true;
        }
    }
}

/* ------------------------------------------------------------------ the net */

/* A token of each place after the other, in the order of their numbers. */
static bool number_places(struct grounding_result *g)
{
    uint32_t places = 0;
    g->first = calloc(g->net->places.count + 1, sizeof *g->first);
    g->token = calloc((size_t)g->numbered + 1, sizeof *g->token);
    if (!g->first || !g->token)
        return false;
    for (uint32_t p = 0; p < g->net->places.count; p++) {
        const struct token_list *tokens = tokens_of_place(g->tokens, p);
        g->first[p] = places;
        for (size_t i = 0; i < tokens->count; i++) {
            uint32_t token = tokens->item[i];
            if (token >= g->numbered || g->place[token] == UINT32_MAX)
                continue;
            g->token[places] = token;
            g->place[token] = places++;
        }
    }
    g->first[g->net->places.count] = places;
    return true;
}

/* A text of any length: `write` gives it. */
static char *whole_text(size_t (*write)(const struct grounding_result *g, uint32_t number, char *text, size_t size),
                        const struct grounding_result *g, uint32_t number)
{
    char none;
    size_t length = write(g, number, &none, 1);
    char *text = malloc(length + 1);
    if (text)
        write(g, number, text, length + 1);
    return text;
}

static size_t write_token(const struct grounding_result *g, uint32_t token, char *text, size_t size)
{
    return token_text(g->tokens, token, text, size);
}

static size_t write_binding(const struct grounding_result *g, uint32_t number, char *text, size_t size)
{
    const struct ground_binding *b = &g->bindings.item[number];
    return binding_words(g->net, b->transition, g->frames.item + b->frame, b->failure, b->failed_at, text, size);
}

static bool add_places(struct grounding_result *g, struct net_builder *builder)
{
    for (uint32_t p = 0; p < g->first[g->net->places.count]; p++) {
        char *text = whole_text(write_token, g, g->token[p]);
        if (!text)
            return false;
        net_builder_place(builder, text, NULL, g->count[g->token[p]]);
        free(text);
        if (limits_reached())
            return false;
    }
    return true;
}

static bool add_arcs(struct grounding_result *g, struct net_builder *builder, const struct ground_binding *b,
                     uint32_t transition, const uint64_t *changing)
{
    const struct token_count *arc = g->arcs.item + b->arcs;
    bool fine = true;
    for (uint32_t i = 0; fine && i < b->in_count + b->out_count + b->inhibit_count; i++) {
        enum net_arc_kind kind = i < b->in_count                  ? NET_CONSUME
                                 : i < b->in_count + b->out_count ? NET_PRODUCE
                                                                  : NET_INHIBIT;
        uint32_t place = g->place[arc[i].token];
        if (bit_get(changing, arc[i].token) && place != UINT32_MAX)
            fine = net_builder_arc(builder, kind, place, transition, arc[i].count);
    }
    if (fine && b->failure)
        fine = net_builder_arc(builder, NET_PRODUCE, g->error_place, transition, 1);
    return fine;
}

static bool add_transitions(struct grounding_result *g, struct net_builder *builder, const uint64_t *changing)
{
    uint32_t transitions = 0;
    g->binding = calloc(g->bindings.count + 1, sizeof *g->binding);
    bool fine = g->binding != NULL;
    for (uint32_t i = 0; fine && i < g->bindings.count; i++) {
        const struct ground_binding *b = &g->bindings.item[i];
        if (b->is_dead)
            continue;
        char *text = whole_text(write_binding, g, i);
        if (!text)
            return false;
        uint32_t transition = net_builder_transition(builder, text, NULL);
        free(text);
        g->binding[transitions++] = i;
        fine = add_arcs(g, builder, b, transition, changing) && !limits_reached();
    }
    return fine;
}

static bool anything_fails(const struct grounding_result *g)
{
    for (size_t i = 0; i < g->bindings.count; i++)
        if (g->bindings.item[i].failure && !g->bindings.item[i].is_dead)
            return true;
    return false;
}

struct net *grounded_net(struct grounding_result *g)
{
    uint64_t *changing = calloc(bit_words(g->numbered) + 1, sizeof *changing);
    struct net_builder *builder = net_builder_new(g->net->name);
    bool fine = changing && builder && number_places(g);
    g->error_place = UINT32_MAX;
    if (fine) {
        drop_dead(g, changing);
        fine = add_places(g, builder);
    }
    if (fine && anything_fails(g))
        g->error_place = net_builder_place(builder, error_name(g->net), NULL, 0);
    fine = fine && add_transitions(g, builder, changing);
    free(changing);
    if (!fine) {
        net_builder_free(builder);
        return NULL;
    }
    return net_builder_finish(builder, NULL);
}

/* ------------------------------------------------------------------ the door */

static struct grounding_result *begin(struct colour_net *net, struct portolan_error *error)
{
    struct grounding_result *g = calloc(1, sizeof *g);
    if (!g) {
        fail_memory(error);
        return NULL;
    }
    g->tokens = tokens_new(net);
    if (!g->tokens)
        fail_memory(error);
    g->binder = g->tokens ? binder_new(net, g->tokens, error) : NULL;
    g->net = net;
    return g;
}

enum portolan_status ground_net(struct colour_net *net, enum grounding grounding, struct portolan_system **system,
                                struct portolan_error *error)
{
    bool passed = false;
    struct portolan_error own = {0};
    struct portolan_error *problem = error ? error : &own;
    *system = NULL;
    struct grounding_result *g = begin(net, problem);
    if (!g) {
        colour_net_free(net);
        return problem->status;
    }
    if (g->binder && saturate_tokens(g, grounding == GROUND_AUTO, &passed, problem)) {
        struct net *grounded = grounded_net(g);
        if (grounded)
            return grounded_system(g, grounded, system, error);
        fail_memory(problem);
    }
    if (passed)
        g->net = NULL; /* the caller's, as before */
    grounding_free(g);
    return passed ? PORTOLAN_OK : problem->status;
}
